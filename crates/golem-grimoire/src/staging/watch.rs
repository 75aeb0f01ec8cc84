//! Beliefs that can be checked go on being checked: the sweep asks their claims too, with what is left of its turn.
//!
//! Many true claims are only likelier than usual, so single misses prove nothing. A block of [`BLOCK`] checks is held
//! against the base rate as a whole: better is one validation, no better is one contradiction. The base rate is what this
//! golem has seen itself of late, whatever the entry says of itself; and what came from elsewhere becomes this golem's own
//! experience only by evidence at its share of the one level.
//!
//! There are few places in the row, and whoever sends thousands of trifles would fill it for ever. So what comes true nearly
//! always has no place in it, and what came from elsewhere gives its place up once it has had its chance and shows nothing.

use super::proposal::{ClaimTest, Trial};
use super::{DueCheck, Staging};
use crate::entry::{Entry, EntryId};
use crate::experts::LevelShare;
use crate::series::{BaseRate, Series};
use crate::shelf::Shelf;
use crate::standing::EntryStatus;
use golem_core::VirtualTime;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::ops::Bound::{Excluded, Unbounded};

/// Begins the tag that says how often a claim came true anyway when it was staged, in basis points: for people.
pub const BASE_RATE_TAG: &str = "base_rate_bp:";
/// Beliefs that are watched at once.
pub const MOST_WATCHED: usize = 64;
/// Checks in a block.
const BLOCK: u32 = 10;
/// While nothing was seen that could say.
const UNKNOWN_BASE_BP: u32 = 5_000;
/// Rows that must be able to say.
const LEAST_ROWS: u32 = 64;
/// What comes true so often anyway, in basis points, tells nothing that could be proven here.
const TRIFLING_BP: u32 = 9_000;
/// Blocks after which hearsay without any evidence for it lets others have their chance.
const CHANCE_BLOCKS: u32 = 3;

/// In which order what came from elsewhere is worth validating: its place in the row, by entry.
pub type ValidationRow = BTreeMap<EntryId, usize>;

#[derive(Debug, Clone, PartialEq)]
pub(super) struct WatchedBelief {
    pub(super) test: ClaimTest,
    pub(super) trial: Trial,
    pub(super) after_ticks: u32,
    pub(super) known: WatchKnown,
}

/// What is known of a watched belief besides its trial: kept in the checkpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(super) struct WatchKnown {
    /// How often its claim comes true here anyway, in basis points.
    base_rate_bp: u32,
    /// Which of all beliefs ever watched it is: its share of the level.
    number: u64,
    /// Hits and misses of the block under way.
    block: (u32, u32),
}

impl WatchedBelief {
    pub(super) fn of(entry: &Entry, trial: Trial, known: WatchKnown) -> Option<Self> {
        // What goes both ways with an input is judged where it speaks.
        let claim = entry.body.claim.as_ref().filter(|_| entry.body.edge.is_none())?;
        Some(Self { test: ClaimTest::compile(claim).ok()?, trial, after_ticks: claim.after_ticks.max(1), known })
    }
    /// How often the claim comes true here anyway, as of now.
    fn count_base_rate(&mut self, series: &Series) {
        let ClaimTest { then, unless, .. } = &self.test;
        let BaseRate { held, n } = series.base_rate_against(then, unless.as_ref(), self.after_ticks);
        self.known.base_rate_bp = if n < LEAST_ROWS { UNKNOWN_BASE_BP } else { (10_000 * held / n).clamp(100, 9_900) };
    }
    /// Book a check; when the block is full, say whether it did better than its base rate.
    pub(super) fn book(&mut self, hit: bool, miss: bool) -> Option<bool> {
        self.trial.book(hit, miss, f64::from(self.known.base_rate_bp) / 10_000.0);
        let (hits, misses) = &mut self.known.block;
        (*hits, *misses) = (*hits + u32::from(hit), *misses + u32::from(miss && !hit));
        let (hits, asked) = (*hits, *hits + *misses);
        if asked < BLOCK {
            return None;
        }
        self.known.block = (0, 0);
        Some(hits * 10_000 > self.known.base_rate_bp * asked)
    }
    fn is_trifling(&self) -> bool {
        self.known.base_rate_bp >= TRIFLING_BP
    }
    /// True when it comes true more often than it would anyway, at its share of the level.
    pub(super) fn is_proven(&self) -> bool {
        self.trial.proves(LevelShare::Watched.level(self.known.number))
    }
}

impl Staging {
    /// Choose which beliefs are watched: those in use or kept aside that have a claim, the most trusted first. Of what came
    /// from elsewhere and is trusted about alike, the one that stands first in `row` comes first; what had its chance and
    /// shows nothing comes last, and what comes true anyway not at all. Called by the curator. Trials under way go on; base
    /// rates are counted for those that are new, and for one more in turn. Returns what from elsewhere comes true anyway and
    /// has not had its chance: no better than it would be, it is contradicted.
    pub fn choose_watched(
        &mut self,
        shelf: &Shelf,
        series: &Series,
        now: VirtualTime,
        row: &ValidationRow,
    ) -> Vec<EntryId> {
        let kept_aside = |e: &Entry| matches!(e.standing.status, EntryStatus::Quarantined(_));
        let mut beliefs: Vec<(f64, u32, usize, &Entry)> = shelf
            .entries()
            .filter(|e| e.body.claim.is_some() && (e.is_in_use() || kept_aside(e)))
            .map(|e| match (row.get(&e.id).filter(|_| e.is_hearsay()), self.had_its_chance(e)) {
                (place, Some(blocks)) => (-1.0, blocks, place.copied().unwrap_or(usize::MAX), e),
                // How fast it fades is no news about it.
                (Some(place), None) => (libm::floor(e.effective(now) * 10.0) / 10.0, 0, *place, e),
                (None, None) => (e.effective(now), 0, usize::MAX, e),
            })
            .collect();
        beliefs.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)).then(a.2.cmp(&b.2)).then(a.3.id.cmp(&b.3.id)));
        let (mut old, mut trifling, mut places) = (std::mem::take(&mut self.watched), Vec::new(), 0);
        for (first, .., entry) in beliefs {
            // No more are looked at in vain than there are places.
            if places == MOST_WATCHED || trifling.len() == MOST_WATCHED {
                break;
            }
            let known = old.remove(&entry.id).or_else(|| self.begin_watching(entry, series));
            match known {
                Some(gone) if entry.is_hearsay() && gone.is_trifling() => {
                    old.insert(entry.id, gone);
                    trifling.push((entry.id, first >= 0.0));
                }
                known => {
                    places += 1;
                    self.watched.extend(known.map(|w| (entry.id, w)));
                }
            }
        }
        for (id, gone) in old {
            if let Some(due) = gone.trial.due {
                self.due.remove(&(due, DueCheck::Belief(id)));
            }
        }
        self.count_next(series);
        trifling.into_iter().filter_map(|(id, open)| open.then_some(id)).collect()
    }
    fn begin_watching(&mut self, entry: &Entry, series: &Series) -> Option<WatchedBelief> {
        let mut new = WatchedBelief::of(entry, Trial::default(), WatchKnown::default())?;
        new.count_base_rate(series);
        if !(entry.is_hearsay() && new.is_trifling()) {
            self.turn.watched = self.turn.watched.saturating_add(1);
            new.known.number = self.turn.watched;
        }
        Some(new)
    }
    /// The blocks that something from elsewhere was judged by, once they are enough and nothing speaks for it.
    fn had_its_chance(&self, entry: &Entry) -> Option<u32> {
        let blocks = entry.standing.validated.saturating_add(entry.standing.contradicted);
        let shows = || self.watched.get(&entry.id).is_some_and(|w| w.trial.log_evidence > 0);
        let over = entry.is_hearsay() && blocks >= CHANCE_BLOCKS && !shows();
        over.then_some(blocks)
    }
    /// Count the base rate of the next one again: the world moves.
    fn count_next(&mut self, series: &Series) {
        let next = self.watched.range_mut((Excluded(self.turn.last_counted), Unbounded)).next();
        match next {
            Some((id, belief)) => {
                belief.count_base_rate(series);
                self.turn.last_counted = *id;
            }
            None => self.turn.last_counted = EntryId::default(),
        }
    }
}
