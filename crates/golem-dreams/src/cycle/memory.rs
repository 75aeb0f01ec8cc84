//! What lasts from one dream to the next: what was learnt on copies of the chain, what was proposed and is not judged yet,
//! and the count of it all.

use crate::imagine::threats::{AlarmHeard, AlarmMoment, ThreatAlarms};
use crate::imagine::{RegretBook, ThreatBook, TuningState};
use crate::journal::{DreamLater, DreamReport};
use crate::state::DreamState;
use golem_core::observed::Snapshot;
use golem_core::{Elapsed, Usdc, VirtualTime};
use golem_grimoire::grimoire::DreamtEnd;
use golem_grimoire::series::LongRecord;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// Dreams whose proposals are still open are remembered; staging has fewer places than this.
const MOST_OPEN: usize = 128;
/// The record of the last days is looked through once in so long.
const FAR_EVERY: Elapsed = Elapsed::nominal(540);
/// Trades that are remembered as credited.
const MOST_CREDITED: usize = 256;

/// What a dreamer keeps between dreams.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct DreamMemory {
    pub regrets: RegretBook,
    pub threats: ThreatBook,
    pub tuning: Vec<TuningState>,
    /// What it recognises awake.
    alarms: ThreatAlarms,
    /// Trades whose credit was given, the latest.
    pub(super) credited: BTreeSet<u64>,
    /// Which dream proposed what is still staged.
    proposals: BTreeMap<u64, u32>,
    /// What became of the proposals of those dreams.
    later: BTreeMap<u32, DreamLater>,
    record: DreamRecord,
    /// What was observed in the last days, and when a dream last looked through it.
    pub(super) seen: LongRecord,
    looked: Option<VirtualTime>,
    /// Episodes there were when the last dream ended, and those among them that none had replayed.
    episodes: u64,
    left: u32,
}

/// The count of a dreamer's life.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
struct DreamRecord {
    cycles: u32,
    broken_off: u32,
    runs: u64,
    staged: u32,
    promoted: u32,
    refuted: u32,
    expired: u32,
    cost: Usdc,
    qualities: f64,
    last_quality: f64,
}

/// A dreamer at a glance: the seed's state, and what dreams have been worth.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DreamStats {
    pub state: DreamState,
    pub cycles: u32,
    pub broken_off: u32,
    /// Runs on copies of the chain.
    pub runs: u64,
    pub staged: u32,
    pub promoted: u32,
    pub refuted: u32,
    pub expired: u32,
    /// Promoted as a share of all that was judged, once anything was.
    pub precision: Option<f64>,
    pub mean_quality: f64,
    pub last_quality: f64,
    #[serde(rename = "cost_micro_usdc")]
    pub cost: Usdc,
    #[serde(rename = "cost_per_confirmed_micro_usdc")]
    pub cost_per_confirmed: Option<Usdc>,
}

impl DreamMemory {
    /// The number of the dream that begins now.
    pub fn next_cycle(&mut self) -> u32 {
        self.record.cycles = self.record.cycles.saturating_add(1);
        self.record.cycles
    }
    /// What a waking turn looks like to one who has rehearsed threats.
    pub fn recognise(&mut self, seen: &Snapshot, (now, turn): (VirtualTime, Elapsed), gas_bps: f64) -> AlarmHeard {
        let at = AlarmMoment { now, turn, cycle: u64::from(self.record.cycles), gas_bps };
        self.alarms.hear(&mut self.threats, seen, &at)
    }
    /// Whether nothing is kept of this while yet.
    #[must_use]
    pub fn wants(&self, age: VirtualTime) -> bool {
        self.seen.wants(age)
    }
    /// Keep what was observed, where nothing is kept of this while yet.
    pub fn note(&mut self, age: VirtualTime, turn: Elapsed, seen: &Snapshot) {
        if self.wants(age) {
            self.seen.note(age, turn, seen);
        }
    }
    /// Whether it is time to look through the record of the last days; then it is not for a while.
    pub(super) fn looks_far(&mut self, now: VirtualTime) -> bool {
        let is_time = self.looked.is_none_or(|at| now.since(at) >= FAR_EVERY);
        if is_time {
            self.looked = Some(now);
        }
        is_time
    }
    /// Episodes that no dream has replayed, when there are so many in all.
    #[must_use]
    pub fn unreplayed(&self, episodes: u64) -> u32 {
        let new = u32::try_from(episodes.saturating_sub(self.episodes)).unwrap_or(u32::MAX);
        self.left.saturating_add(new)
    }
    /// A dream proposed something.
    pub(super) fn proposed(&mut self, cycle: u32, proposal: u64) {
        self.record.staged = self.record.staged.saturating_add(1);
        let later = self.later.entry(cycle).or_default();
        later.proposed = later.proposed.saturating_add(1);
        self.proposals.insert(proposal, cycle);
        while self.proposals.len() > MOST_OPEN {
            self.proposals.pop_first();
        }
        let open: BTreeSet<u32> = self.proposals.values().copied().collect();
        self.later.retain(|cycle, _| open.contains(cycle));
    }
    /// Reality has judged a proposal: whose it was, and what has become of that dream's proposals so far.
    pub fn judged(&mut self, proposal: u64, end: DreamtEnd) -> Option<(u32, DreamLater)> {
        let cycle = self.proposals.remove(&proposal)?;
        let mut later = self.later.get(&cycle).copied().unwrap_or_default();
        let (record, own) = match end {
            DreamtEnd::CameTrue => (&mut self.record.promoted, &mut later.confirmed),
            DreamtEnd::Refuted => (&mut self.record.refuted, &mut later.refuted),
            DreamtEnd::Expired => (&mut self.record.expired, &mut later.expired),
        };
        (*record, *own) = (record.saturating_add(1), own.saturating_add(1));
        if self.proposals.values().any(|c| *c == cycle) {
            self.later.insert(cycle, later);
        } else {
            self.later.remove(&cycle);
        }
        Some((cycle, later))
    }
    /// The share of what was judged that came true.
    #[must_use]
    pub fn precision(&self) -> Option<f64> {
        let DreamRecord { promoted, refuted, expired, .. } = self.record;
        let judged = promoted + refuted + expired;
        (judged > 0).then(|| f64::from(promoted) / f64::from(judged))
    }
    /// What is known about the values of a parameter; begun where nothing is.
    pub(super) fn tuning_of(&mut self, parameter: &str, begin: impl FnOnce() -> TuningState) -> &mut TuningState {
        let at = self.tuning.iter().position(|t| t.parameter == parameter).unwrap_or_else(|| {
            self.tuning.push(begin());
            self.tuning.len() - 1
        });
        &mut self.tuning[at]
    }
    /// Trades that were walked back along: once is enough.
    pub(super) fn credit(&mut self, trades: impl IntoIterator<Item = u64>) {
        self.credited.extend(trades);
        while self.credited.len() > MOST_CREDITED {
            self.credited.pop_first();
        }
    }
    /// A dream is over.
    pub(super) fn ended(&mut self, report: &DreamReport, broken_off: bool, episodes: u64, left: u32) {
        let record = &mut self.record;
        record.broken_off += u32::from(broken_off);
        record.runs = record.runs.saturating_add(u64::from(report.runs));
        record.cost = record.cost.plus(report.total_cost_usdc);
        record.last_quality = report.journal.dream_quality_score;
        record.qualities += record.last_quality;
        (self.episodes, self.left) = (episodes, left);
    }
    /// At a glance.
    #[must_use]
    pub fn stats(&self, state: DreamState) -> DreamStats {
        let r = &self.record;
        DreamStats {
            state,
            cycles: r.cycles,
            broken_off: r.broken_off,
            runs: r.runs,
            staged: r.staged,
            promoted: r.promoted,
            refuted: r.refuted,
            expired: r.expired,
            precision: self.precision(),
            mean_quality: if r.cycles == 0 { 0.0 } else { r.qualities / f64::from(r.cycles) },
            last_quality: r.last_quality,
            cost: r.cost,
            cost_per_confirmed: (r.promoted > 0).then(|| Usdc(r.cost.0 / u64::from(r.promoted))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_dream_proposed_is_known_until_it_is_judged() {
        let mut memory = DreamMemory::default();
        let (first, second) = (memory.next_cycle(), memory.next_cycle());
        for (cycle, proposal) in [(first, 7), (first, 8), (second, 9)] {
            memory.proposed(cycle, proposal);
        }
        assert_eq!(memory.precision(), None);
        let (cycle, later) = memory.judged(7, DreamtEnd::CameTrue).unwrap();
        assert_eq!((cycle, later.proposed, later.confirmed), (first, 2, 1));
        let (_, later) = memory.judged(8, DreamtEnd::Expired).unwrap();
        assert_eq!((later.confirmed, later.expired), (1, 1));
        assert_eq!(memory.judged(8, DreamtEnd::Refuted), None, "nothing is judged twice");
        memory.judged(9, DreamtEnd::Refuted).unwrap();
        assert_eq!(memory.precision(), Some(1.0 / 3.0));
        assert!(memory.proposals.is_empty() && memory.later.is_empty());
    }

    #[test]
    fn memory_of_open_proposals_is_bounded() {
        let mut memory = DreamMemory::default();
        for n in 0..1_000 {
            let cycle = memory.next_cycle();
            memory.proposed(cycle, n);
        }
        assert!(memory.proposals.len() <= MOST_OPEN && memory.later.len() <= MOST_OPEN);
    }

    #[test]
    fn episodes_since_the_last_dream_count_as_unreplayed() {
        let memory = DreamMemory { episodes: 100, left: 3, ..DreamMemory::default() };
        assert_eq!((memory.unreplayed(100), memory.unreplayed(110), memory.unreplayed(5)), (3, 13, 3));
    }
}
