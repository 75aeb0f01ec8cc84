//! The pool's own observations, as the contract keeps them: how long it stood at which tick. The mean over them is the
//! reference for its price, because a price that was pushed within a block has not had any time yet.

use crate::venue::{MeanTick, Venue, VenueError};
use golem_core::reference::{LEAST_WINDOW_S, REFERENCE_WINDOW_S, ReferenceKind, ReferencePrice};
use std::collections::VecDeque;
use std::sync::Arc;

/// As many as the contracts on a chain of our own keep.
pub const MOST_OBSERVATIONS: usize = 90;

/// From when on the pool stood at a tick.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stood {
    /// Time of the block that ended there.
    pub since: u64,
    /// The tick.
    pub tick: i32,
}

/// Where the pool stood at the end of each of its last blocks. Copies share what they have in common.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Observations(Arc<VecDeque<Stood>>);

impl Observations {
    /// Those of a pool that began at a tick.
    #[must_use]
    pub fn begun(since: u64, tick: i32) -> Self {
        Self(Arc::new(VecDeque::from([Stood { since, tick }])))
    }
    /// A block has ended: the pool stands at this tick from the block's time on.
    pub fn close_block(&mut self, since: u64, tick: i32) {
        // Where the tick did not change there is nothing to note; the contract does the same.
        if self.0.back().is_some_and(|last| last.tick == tick) {
            return;
        }
        let stood = Arc::make_mut(&mut self.0);
        match stood.back_mut() {
            // A block of the same second, or of a clock that went back: the earlier one had no time to stand anywhere.
            Some(last) if since <= last.since => last.tick = tick,
            _ => stood.push_back(Stood { since, tick }),
        }
        let from = since.saturating_sub(u64::from(REFERENCE_WINDOW_S));
        // The last one before the window stays: its tick reaches into it.
        while stood.get(1).is_some_and(|second| second.since <= from) || stood.len() > MOST_OBSERVATIONS {
            stood.pop_front();
        }
    }
    /// The mean tick over the last seconds before a moment, rounded down as the contract's library does, or over as many as
    /// are known; nothing before any time has passed.
    #[must_use]
    pub fn mean(&self, now: u64, seconds: u32) -> Option<MeanTick> {
        let from = now.saturating_sub(u64::from(seconds));
        let (mut sum, mut covered, mut end) = (0_i64, 0_i64, now);
        // Newest first: each stood until the one after it, and none before the window has any time in it.
        for stood in self.0.iter().rev() {
            // At most as long as the window, whose seconds have 32 bits.
            let time = end.min(now).saturating_sub(stood.since.max(from)) as i64;
            sum += i64::from(stood.tick) * time;
            covered += time;
            end = stood.since;
            if end <= from {
                break;
            }
        }
        let tick = i32::try_from(sum.checked_div_euclid(covered)?).ok()?;
        Some(MeanTick { tick, seconds: u32::try_from(covered).unwrap_or(u32::MAX) })
    }
    /// All of them, oldest first.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &Stood> {
        self.0.iter()
    }
    /// Those that were saved, if a pool can have them: in the order of time, and no more than are kept.
    #[must_use]
    pub fn of(saved: impl IntoIterator<Item = Stood>) -> Option<Self> {
        let all: VecDeque<Stood> = saved.into_iter().take(MOST_OBSERVATIONS + 1).collect();
        let ascending = all.iter().zip(all.iter().skip(1)).all(|(a, b)| a.since < b.since);
        (ascending && !all.is_empty() && all.len() <= MOST_OBSERVATIONS).then(|| Self(Arc::new(all)))
    }
    /// Bytes on the heap that are not shared with another, roughly.
    #[must_use]
    pub fn weight(&self, other: Option<&Self>) -> usize {
        let own = other.is_none_or(|o| !Arc::ptr_eq(&o.0, &self.0));
        usize::from(own) * self.0.len() * size_of::<Stood>()
    }
}

/// What a venue's price is to be held against at its head, where blocks are so many seconds apart. Where a block is longer
/// than the window, the mean is where the last one ended: the last closed bar.
///
/// # Errors
/// When the venue cannot answer.
pub fn reference(venue: &mut dyn Venue, block_s: u64) -> Result<Option<ReferencePrice>, VenueError> {
    let Some(mean) = venue.mean_tick(REFERENCE_WINDOW_S)? else { return Ok(None) };
    let spot = venue.view()?.pool.tick;
    let block_s = u32::try_from(block_s).unwrap_or(u32::MAX);
    let (kind, window_s) = if block_s > REFERENCE_WINDOW_S {
        (ReferenceKind::LastBar, block_s)
    } else {
        (ReferenceKind::PoolMean, mean.seconds)
    };
    Ok((window_s >= LEAST_WINDOW_S).then_some(ReferencePrice { kind, tick: mean.tick, spot, window_s }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mean(observations: &Observations, now: u64) -> Option<(i32, u32)> {
        observations.mean(now, REFERENCE_WINDOW_S).map(|mean| (mean.tick, mean.seconds))
    }

    #[test]
    fn the_open_block_has_no_weight_and_a_pushed_one_little() {
        let mut seen = Observations::begun(0, 1_000);
        assert_eq!(mean(&seen, 0), None);
        assert_eq!(mean(&seen, 40), Some((1_000, 40)));
        for n in 1..100 {
            seen.close_block(n * 40, 1_000);
        }
        assert_eq!(mean(&seen, 4_000), Some((1_000, 1_800)));
        // One block of 45 was off by 500, and is forgotten half an hour later.
        seen.close_block(4_000, 1_500);
        seen.close_block(4_040, 1_000);
        assert_eq!(mean(&seen, 4_080), Some((1_011, 1_800)));
        assert_eq!(mean(&seen, 4_040 + 1_800), Some((1_000, 1_800)));
    }

    #[test]
    fn blocks_without_time_between_them_leave_one_observation() {
        let mut seen = Observations::begun(100, 7);
        for (since, tick) in [(100, 8), (100, 9), (40, 10), (140, 20), (140, 30)] {
            seen.close_block(since, tick);
        }
        let kept: Vec<_> = seen.iter().map(|stood| (stood.since, stood.tick)).collect();
        assert_eq!(kept, [(100, 10), (140, 30)]);
        assert_eq!(mean(&seen, 180), Some((20, 80)));
        assert_eq!(Observations::of(seen.iter().copied()), Some(seen));
    }

    #[test]
    fn a_mean_is_rounded_down_and_never_of_more_than_is_kept() {
        let mut seen = Observations::begun(0, -3);
        seen.close_block(100, -4);
        assert_eq!(mean(&seen, 200), Some((-4, 200)));
        for n in 0..5_000_i32 {
            seen.close_block(200 + n as u64, n);
        }
        assert!(seen.iter().count() <= MOST_OBSERVATIONS);
        assert!(mean(&seen, u64::MAX).is_some());
        let again = Observations::of(seen.iter().copied()).unwrap();
        assert_eq!(again, seen);
        assert_eq!(Observations::of(seen.iter().rev().copied()), None);
        assert_eq!(Observations::of([]), None);
    }
}
