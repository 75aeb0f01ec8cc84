//! What lasts from one dream to the next: what was learnt on copies of the chain, what was proposed and is not judged yet,
//! and the count of it all.

use crate::imagine::threats::{AlarmHeard, AlarmMoment, ThreatAlarms, ThreatTally};
use crate::imagine::{RegretBook, ThreatBook, TuningState};
use crate::journal::{DreamLater, DreamReport};
use crate::state::DreamState;
use golem_core::observed::Snapshot;
use golem_core::{Elapsed, Usdc, VirtualTime};
use golem_grimoire::EntryId;
use golem_grimoire::grimoire::{DreamtEnd, JudgedDream};
use golem_grimoire::series::LongRecord;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// Dreams whose proposals are still open are remembered; staging has fewer places than this.
const MOST_OPEN: usize = 128;
/// The record of the last days is looked through once in so long.
const FAR_EVERY: Elapsed = Elapsed::nominal(540);
/// Promoted dreams that are followed at once.
const MOST_FOLLOWED: usize = 256;
/// Entries that had no room before a model, and are counted at once.
const MOST_CROWDED: usize = 64;
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
    /// What was promoted, by the number of its proposal, and what life has said of it since.
    followed: BTreeMap<u64, FollowedDream>,
    record: DreamRecord,
    /// What was observed in the last days, and when a dream last looked through it.
    pub(super) seen: LongRecord,
    looked: Option<VirtualTime>,
    /// What memory had for a model and the context policy had no place for, and how often, until a dream asks for
    /// room.
    pub(super) crowded_out: BTreeMap<EntryId, u32>,
    /// Episodes there were when the last dream ended, and those among them that none had replayed.
    episodes: u64,
    left: u32,
}

/// A promoted dream and the blocks of checks since: none of them is what it was promoted by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct FollowedDream {
    entry: EntryId,
    confirmed: u32,
    contradicted: u32,
}

impl FollowedDream {
    /// Whether life bears it out, once it has said anything: more blocks for it than against it.
    fn holds(&self) -> Option<bool> {
        (self.confirmed + self.contradicted > 0).then_some(self.confirmed > self.contradicted)
    }
}

/// The count of a dreamer's life.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
struct DreamRecord {
    cycles: u32,
    broken_off: u32,
    runs: u64,
    staged: u32,
    promoted: u32,
    turned_away: u32,
    refuted: u32,
    expired: u32,
    by_owner: u32,
    /// Of those promoted that are followed no longer: life bore them out to the last, or did not.
    held: u32,
    fallen: u32,
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
    /// Came true and passed the gate.
    pub promoted: u32,
    /// Came true, and the gate would not have it.
    #[serde(default)]
    pub turned_away: u32,
    pub refuted: u32,
    pub expired: u32,
    /// Its owner has judged them instead of reality.
    #[serde(default)]
    pub by_owner: u32,
    /// Of those promoted, how many life has borne out since, and how many it has not, by checks that they were not promoted
    /// by.
    #[serde(default)]
    pub held: u32,
    #[serde(default)]
    pub fallen: u32,
    /// Promotion precision: of those promoted that life has checked since, the share that it bears out. None before any was.
    pub precision: Option<f64>,
    /// Promoted, and not spoken against since, as a share of all that reality has judged, once anything was.
    #[serde(default)]
    pub came_true: Option<f64>,
    /// Rehearsals, and what became of alarms awake.
    #[serde(default)]
    pub threats: ThreatTally,
    /// Of the dreams that are over.
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
    /// Memory had these for a model, and their sources had all the room that they may take.
    pub fn crowded_out(&mut self, entries: &[EntryId]) {
        for entry in entries {
            if self.crowded_out.len() < MOST_CROWDED || self.crowded_out.contains_key(entry) {
                let times = self.crowded_out.entry(*entry).or_default();
                *times = times.saturating_add(1);
            }
        }
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
    /// A proposal was judged: whose it was, and what has become of that dream's proposals so far.
    pub fn judged(&mut self, dream: &JudgedDream) -> Option<(u32, DreamLater)> {
        let cycle = self.proposals.remove(&dream.proposal)?;
        let mut later = self.later.get(&cycle).copied().unwrap_or_default();
        let (record, own) = match dream.end {
            DreamtEnd::CameTrue => (&mut self.record.promoted, Some(&mut later.confirmed)),
            DreamtEnd::TurnedAway => (&mut self.record.turned_away, None),
            DreamtEnd::Refuted => (&mut self.record.refuted, Some(&mut later.refuted)),
            DreamtEnd::Expired => (&mut self.record.expired, Some(&mut later.expired)),
            DreamtEnd::ByOwner => (&mut self.record.by_owner, None),
        };
        *record = record.saturating_add(1);
        if let Some(own) = own {
            *own = own.saturating_add(1);
        }
        if let (DreamtEnd::CameTrue, Some(entry)) = (dream.end, dream.entry) {
            self.follow(dream.proposal, entry);
        }
        if self.proposals.values().any(|c| *c == cycle) {
            self.later.insert(cycle, later);
        } else {
            self.later.remove(&cycle);
        }
        Some((cycle, later))
    }
    /// From now on it is known what life says of it; of the oldest only what it came to is kept.
    fn follow(&mut self, proposal: u64, entry: EntryId) {
        self.followed.insert(proposal, FollowedDream { entry, confirmed: 0, contradicted: 0 });
        while self.followed.len() > MOST_FOLLOWED {
            match self.followed.pop_first().and_then(|(_, gone)| gone.holds()) {
                Some(true) => self.record.held = self.record.held.saturating_add(1),
                Some(false) => self.record.fallen = self.record.fallen.saturating_add(1),
                None => {}
            }
        }
    }
    /// Blocks of checks of beliefs are full: those of promoted dreams count for or against them. True when one of them is
    /// borne out now and was not before, or the other way round.
    pub fn checked_since(&mut self, blocks: &[(EntryId, bool)]) -> bool {
        let before = (self.held(), self.fallen());
        for (entry, better) in blocks {
            for dream in self.followed.values_mut().filter(|dream| dream.entry == *entry) {
                let count = if *better { &mut dream.confirmed } else { &mut dream.contradicted };
                *count = count.saturating_add(1);
            }
        }
        before != (self.held(), self.fallen())
    }
    /// Promoted dreams that life bears out.
    fn held(&self) -> u32 {
        let now = self.followed.values().filter(|dream| dream.holds() == Some(true)).count();
        self.record.held.saturating_add(now as u32)
    }
    /// Those that it does not.
    fn fallen(&self) -> u32 {
        let now = self.followed.values().filter(|dream| dream.holds() == Some(false)).count();
        self.record.fallen.saturating_add(now as u32)
    }
    /// Promotion precision: of those promoted that life has checked since, the share that it bears out.
    #[must_use]
    pub fn precision(&self) -> Option<f64> {
        let (held, judged) = (self.held(), self.held().saturating_add(self.fallen()));
        (judged > 0).then(|| f64::from(held) / f64::from(judged))
    }
    /// The share of what reality has judged that came true, passed the gate and was not spoken against since.
    #[must_use]
    pub fn came_true(&self) -> Option<f64> {
        let DreamRecord { promoted, refuted, expired, .. } = self.record;
        let judged = promoted.saturating_add(refuted).saturating_add(expired);
        (judged > 0).then(|| f64::from(self.standing()) / f64::from(judged))
    }
    /// Promoted and not spoken against since.
    fn standing(&self) -> u32 {
        self.record.promoted.saturating_sub(self.fallen())
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
    /// What dreams have cost was not all known when the latest ended.
    pub fn paid_later(&mut self, cost: Usdc) {
        self.record.cost = self.record.cost.plus(cost);
    }
    /// At a glance.
    #[must_use]
    pub fn stats(&self, state: DreamState) -> DreamStats {
        let r = &self.record;
        let over = r.cycles.saturating_sub(u32::from(state.current_phase.is_some()));
        DreamStats {
            state,
            cycles: r.cycles,
            broken_off: r.broken_off,
            runs: r.runs,
            staged: r.staged,
            promoted: r.promoted,
            turned_away: r.turned_away,
            refuted: r.refuted,
            expired: r.expired,
            by_owner: r.by_owner,
            held: self.held(),
            fallen: self.fallen(),
            precision: self.precision(),
            came_true: self.came_true(),
            threats: self.threats.tally(),
            mean_quality: if over == 0 { 0.0 } else { r.qualities / f64::from(over) },
            last_quality: r.last_quality,
            cost: r.cost,
            cost_per_confirmed: (self.standing() > 0).then(|| Usdc(r.cost.0 / u64::from(self.standing()))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::DreamPhase;

    const ENTRY: EntryId = EntryId([7; 16]);

    fn ended(proposal: u64, end: DreamtEnd) -> JudgedDream {
        let entry = (end == DreamtEnd::CameTrue).then_some(ENTRY);
        JudgedDream { proposal, end, entry, text: String::new() }
    }

    #[test]
    fn what_a_dream_proposed_is_known_until_it_is_judged() {
        let mut memory = DreamMemory::default();
        let (first, second) = (memory.next_cycle(), memory.next_cycle());
        for (cycle, proposal) in [(first, 7), (first, 8), (second, 9)] {
            memory.proposed(cycle, proposal);
        }
        assert_eq!(memory.came_true(), None);
        let (cycle, later) = memory.judged(&ended(7, DreamtEnd::CameTrue)).unwrap();
        assert_eq!((cycle, later.proposed, later.confirmed), (first, 2, 1));
        let (_, later) = memory.judged(&ended(8, DreamtEnd::Expired)).unwrap();
        assert_eq!((later.confirmed, later.expired), (1, 1));
        assert_eq!(memory.judged(&ended(8, DreamtEnd::Refuted)), None, "nothing is judged twice");
        memory.judged(&ended(9, DreamtEnd::Refuted)).unwrap();
        assert_eq!(memory.came_true(), Some(1.0 / 3.0));
        assert_eq!(memory.precision(), None, "nothing was checked since");
        assert!(memory.proposals.is_empty() && memory.later.is_empty());
    }

    fn stats(memory: &DreamMemory) -> DreamStats {
        memory.stats(DreamState::default())
    }

    #[test]
    fn what_the_gate_turned_away_and_what_its_owner_judged_is_not_promoted() {
        let mut memory = DreamMemory::default();
        memory.record.cost = Usdc(600);
        let cycle = memory.next_cycle();
        for (proposal, end) in [
            (1, DreamtEnd::TurnedAway),
            (2, DreamtEnd::ByOwner),
            (3, DreamtEnd::TurnedAway),
            (4, DreamtEnd::CameTrue),
            (5, DreamtEnd::Refuted),
        ] {
            memory.proposed(cycle, proposal);
            memory.judged(&ended(proposal, end)).unwrap();
        }
        let all = stats(&memory);
        assert_eq!((all.promoted, all.turned_away, all.by_owner, all.refuted), (1, 2, 1, 1));
        assert_eq!((all.came_true, all.cost_per_confirmed), (Some(0.5), Some(Usdc(600))));
    }

    #[test]
    fn what_life_says_of_a_promoted_dream_afterwards_is_its_precision() {
        let mut memory = DreamMemory::default();
        memory.record.cost = Usdc(600);
        let cycle = memory.next_cycle();
        for (proposal, own) in [(1, 1), (2, 2)] {
            memory.proposed(cycle, proposal);
            let entry = Some(EntryId([own; 16]));
            memory.judged(&JudgedDream { entry, ..ended(proposal, DreamtEnd::CameTrue) }).unwrap();
        }
        let block = |of: u8, better: bool| [(EntryId([of; 16]), better)];
        assert!(!memory.checked_since(&block(9, false)), "nobody dreamt that");
        assert_eq!(memory.precision(), None);
        // Each step: whose block it is, whether it speaks for it, whether anything changed; promoted dreams that hold and
        // that do not; precision; what came true; what each cost.
        for (of, better, changed, holds, precision, came_true, cost) in [
            (1, true, true, (1, 0), 1.0, 1.0, 300),
            (2, false, true, (1, 1), 0.5, 0.5, 600),
            (1, true, false, (1, 1), 0.5, 0.5, 600),
            (2, true, false, (1, 1), 0.5, 0.5, 600),
            (2, true, true, (2, 0), 1.0, 1.0, 300),
        ] {
            assert_eq!(memory.checked_since(&block(of, better)), changed);
            let all = stats(&memory);
            assert_eq!((all.promoted, (all.held, all.fallen)), (2, holds));
            assert_eq!((all.precision, all.came_true), (Some(precision), Some(came_true)));
            assert_eq!(all.cost_per_confirmed, Some(Usdc(cost)));
        }
    }

    #[test]
    fn a_dream_that_is_open_has_no_quality_yet() {
        let mut memory = DreamMemory::default();
        for quality in [0.3, 0.5] {
            memory.next_cycle();
            memory.record.qualities += quality;
        }
        assert!((stats(&memory).mean_quality - 0.4).abs() < 1e-12);
        memory.next_cycle();
        let asleep = DreamState { current_phase: Some(DreamPhase::Rem), ..DreamState::default() };
        assert!((memory.stats(asleep).mean_quality - 0.4).abs() < 1e-12);
    }

    #[test]
    fn what_is_followed_is_bounded_and_what_it_came_to_is_kept() {
        let mut memory = DreamMemory::default();
        for n in 0..1_000_u64 {
            let (cycle, mut id) = (memory.next_cycle(), [0; 16]);
            id[..8].copy_from_slice(&n.to_le_bytes());
            memory.proposed(cycle, n);
            memory.judged(&JudgedDream { entry: Some(EntryId(id)), ..ended(n, DreamtEnd::CameTrue) }).unwrap();
            memory.checked_since(&[(EntryId(id), n % 4 == 0)]);
        }
        assert!(memory.followed.len() <= MOST_FOLLOWED);
        assert_eq!((stats(&memory).held, stats(&memory).fallen), (250, 750));
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
