//! The initialised ticks of a pool, in order, and the search that a swap steps by.

use alloy_primitives::U256;

/// A tick at which liquidity begins or ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PoolTick {
    pub at: i32,
    /// All liquidity that refers to it.
    pub gross: u128,
    /// What is added to the liquidity in range when the price rises through it.
    pub net: i128,
    /// Fees per unit of liquidity on the side of it where the price is not, as the pool reckons that.
    pub outside: [U256; 2],
}

/// Initialised ticks, lowest first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Ticks(Vec<PoolTick>);

impl Ticks {
    /// From ticks in any order.
    #[must_use]
    pub fn new(mut ticks: Vec<PoolTick>) -> Self {
        ticks.sort_unstable_by_key(|t| t.at);
        ticks.dedup_by_key(|t| t.at);
        Self(ticks)
    }
    /// One after the other.
    pub fn iter(&self) -> std::slice::Iter<'_, PoolTick> {
        self.0.iter()
    }
    /// The tick, if it is initialised.
    #[must_use]
    pub fn get(&self, at: i32) -> Option<&PoolTick> {
        self.0.binary_search_by_key(&at, |t| t.at).ok().and_then(|i| self.0.get(i))
    }
    /// The one at a place in the order.
    #[must_use]
    pub fn nth(&self, place: usize) -> Option<&PoolTick> {
        self.0.get(place)
    }
    pub(super) fn nth_mut(&mut self, place: usize) -> Option<&mut PoolTick> {
        self.0.get_mut(place)
    }
    /// Put a tick in its place, over what was there; one to which no liquidity refers is taken away.
    pub(super) fn set(&mut self, tick: PoolTick) {
        match (self.0.binary_search_by_key(&tick.at, |t| t.at), tick.gross == 0) {
            (Ok(i), true) => drop(self.0.remove(i)),
            (Ok(i), false) => self.0[i] = tick,
            (Err(_), true) => {}
            (Err(i), false) => self.0.insert(i, tick),
        }
    }
    /// Where a swap's next step may go at most: the next initialised tick, with its place, or the edge of the contract's
    /// bitmap word of 256 spacings. The edges matter although nothing happens there: every step rounds.
    #[must_use]
    pub fn next_within_word(&self, tick: i32, spacing: i32, down: bool) -> (i32, Option<usize>) {
        self.next_but(&[], tick, spacing, down)
    }
    /// The same where some of the ticks have changed: one to which no liquidity refers any more is none.
    pub(super) fn next_but(&self, changed: &[PoolTick], tick: i32, spacing: i32, down: bool) -> (i32, Option<usize>) {
        let spaced = tick.div_euclid(spacing);
        let above = self.0.partition_point(|t| t.at <= tick);
        let (edge, mut place) = if down {
            ((spaced >> 8 << 8) * spacing, above.checked_sub(1))
        } else {
            (((spaced + 1) | 255) * spacing, Some(above))
        };
        let is_gone = |place: usize| {
            self.0.get(place).is_some_and(|t| changed.iter().any(|change| change.at == t.at && change.gross == 0))
        };
        while let Some(gone) = place.filter(|place| is_gone(*place)) {
            place = if down { gone.checked_sub(1) } else { Some(gone + 1) };
        }
        match place.and_then(|i| self.0.get(i).map(|t| (t.at, i))) {
            Some((at, i)) if if down { at >= edge } else { at <= edge } => (at, Some(i)),
            _ => (edge, None),
        }
    }
}
