//! The children of one golem: who is alive, what is believed of what they try, and what became of the latest. Everything in it
//! has its bound, so that it does not grow with the life.

use super::config::PhageConfig;
use super::fact::PhageFact;
use super::hypothesis::{PhageHypothesis, PhageMenu, PhageQuestion, once};
use super::live::{ChildKind, LivePhage, ShadowFork};
use super::stats::{AlivePhage, EndedPhage, HypothesisRecord, PhageCounts, PhageStats, TriedHypothesis};
use super::verdict::{PhageVerdict, UntestedBecause, verdict_on};
use golem_core::door::{ForkAct, ForkDeed, ForkReply, ForkRequest, MOST_FORK_ACTS};
use golem_core::{Elapsed, Intent, Point, Tick, VirtualTime};
use golem_mortality::micro_death::{MicroDeaths, PhageHealth, PhageSignals, micro_surprise, posterior};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, VecDeque};

/// Children alive at once: where turns are long, those of several days overlap.
const MOST_ALIVE: usize = 4;
/// Hypotheses that are remembered; the one that was tried longest ago is forgotten first.
const MOST_RECORDS: usize = 64;
/// Ends that are kept for people.
const MOST_ENDS: usize = 12;
const DAY: Elapsed = Elapsed::secs(86_400);
/// What is believed of a hypothesis that nobody has tried.
const UNTRIED: f64 = 0.5;
/// Nor is one sent for the same again within a week: what it found is on trial by then.
const AGAIN: Elapsed = Elapsed::secs(7 * 86_400);
/// A replicant is sent for what children have confirmed this well.
const SENT_FROM: f64 = 0.8;

/// A child and how it ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PhageEnd {
    pub phage: LivePhage,
    pub verdict: PhageVerdict,
    pub belief: f64,
    pub surprise: f64,
    pub shadow_ticks: u64,
}

/// Who is born, where and when.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PhageBirth {
    pub tick: Tick,
    pub now: VirtualTime,
    pub point: Point,
    /// Whether the parent has liquidity in a range.
    pub has_position: bool,
}

/// The children of a golem.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct PhageColony {
    alive: Vec<LivePhage>,
    pub(super) records: BTreeMap<String, HypothesisRecord>,
    deaths: MicroDeaths,
    pub(super) counts: PhageCounts,
    pub(super) ends: VecDeque<EndedPhage>,
    pub(super) last_born: VirtualTime,
    last_replicant: VirtualTime,
    told: PhageHealth,
    warned: bool,
    pub(super) felt: f64,
}

impl PhageColony {
    /// Those alive.
    #[must_use]
    pub fn alive(&self) -> &[LivePhage] {
        &self.alive
    }
    /// What the latest ends say.
    #[must_use]
    pub fn signals(&self) -> PhageSignals {
        self.deaths.signals()
    }
    /// What fitness loses, from the turn after the one in which it was found.
    pub fn feel(&mut self) -> f64 {
        std::mem::replace(&mut self.felt, self.deaths.signals().felt)
    }

    /// Whether it is time for another child, so many a day, evenly spread.
    #[must_use]
    pub fn is_time(&self, now: VirtualTime, a_day: u32) -> bool {
        let apart = Elapsed(DAY.0 / u64::from(a_day.max(1)));
        a_day > 0 && self.count(ChildKind::Phage) < MOST_ALIVE && now.since(self.last_born) >= apart
    }
    /// Whether a replicant may be sent: one at a time, one a day.
    #[must_use]
    pub fn is_time_for_replicant(&self, now: VirtualTime) -> bool {
        self.count(ChildKind::Replicant) == 0 && now.since(self.last_replicant) >= DAY
    }
    fn count(&self, kind: ChildKind) -> usize {
        self.alive.iter().filter(|p| p.kind == kind).count()
    }

    /// What the next child tries: kinds take turns, and within a kind what was tried least. Where everything is trivial, chance
    /// decides; `draw` is from 0 to 1. To try what was just done otherwise, something must have been done: that is waited for
    /// half as long again, and then the next kind has its turn.
    #[must_use]
    pub fn choose(
        &self,
        menu: &PhageMenu,
        (now, a_day): (VirtualTime, u32),
        draw: f64,
    ) -> Option<(PhageHypothesis, f64)> {
        let all = PhageQuestion::ALL;
        let patience = Elapsed(DAY.0 / u64::from(a_day.max(1)) / 2 * 3);
        let is_its_turn = all[(self.counts.born % all.len() as u64) as usize] == PhageQuestion::Contrary;
        if is_its_turn && menu.of(PhageQuestion::Contrary).next().is_none() && now.since(self.last_born) < patience {
            return None;
        }
        let first = (self.counts.born % all.len() as u64) as usize;
        let is_new = |h: &PhageHypothesis| self.alive.iter().all(|p| p.hypothesis.key() != h.key());
        let of = |question: PhageQuestion| -> Vec<&(PhageHypothesis, Option<f64>)> {
            menu.of(question).filter(|(h, _)| is_new(h)).collect()
        };
        let some = (0..all.len()).map(|n| of(all[(first + n) % all.len()])).find(|some| !some.is_empty())?;
        let tried =
            |h: &PhageHypothesis| self.records.get(&h.key()).map_or((0, VirtualTime(0)), |r| (r.trials, r.last));
        let drawn = || some.get((draw.clamp(0.0, 1.0) * some.len() as f64) as usize).or(some.last());
        let (hypothesis, prior) = match self.told {
            PhageHealth::Stagnant => drawn()?,
            _ => some.iter().min_by_key(|(h, _)| tried(h))?,
        };
        Some((hypothesis.clone(), self.belief(hypothesis, *prior)))
    }
    /// What a replicant is sent for: the parameter that children have confirmed best, and that none was sent for lately.
    #[must_use]
    pub fn errand(&self, menu: &PhageMenu, now: VirtualTime) -> Option<(PhageHypothesis, f64)> {
        let sure = |(h, prior): &(PhageHypothesis, Option<f64>)| (h.clone(), self.belief(h, *prior));
        let sent = |h: &PhageHypothesis| self.records.get(&h.key()).and_then(|r| r.sent);
        let is_news = |h: &PhageHypothesis| sent(h).is_none_or(|at| now.since(at) >= AGAIN);
        let all = menu.of(PhageQuestion::Parameter).filter(|(h, _)| is_news(h)).map(sure);
        let all = all.filter(|(_, belief)| *belief >= SENT_FROM);
        all.max_by(|a, b| a.1.total_cmp(&b.1))
    }
    fn belief(&self, hypothesis: &PhageHypothesis, prior: Option<f64>) -> f64 {
        prior.unwrap_or_else(|| self.records.get(&hypothesis.key()).map_or(UNTRIED, |r| r.belief))
    }

    /// A child is born.
    pub fn bear(
        &mut self,
        kind: ChildKind,
        (hypothesis, belief): (PhageHypothesis, f64),
        birth: &PhageBirth,
        config: &PhageConfig,
    ) -> PhageFact {
        let turns = match kind {
            ChildKind::Phage => config.lifetime_turns,
            ChildKind::Replicant => config.replicant_turns,
        };
        let (last, count) = match kind {
            ChildKind::Phage => (&mut self.last_born, &mut self.counts.born),
            ChildKind::Replicant => (&mut self.last_replicant, &mut self.counts.replicants),
        };
        (*last, *count) = (birth.now, count.saturating_add(1));
        let id = self.counts.born.saturating_add(self.counts.replicants);
        let acts = hypothesis.from_birth(birth.has_position);
        let fork = acts.map(|[child, parent]| ShadowFork { point: birth.point, at: birth.now, child, parent });
        let words = hypothesis.words();
        self.alive.push(LivePhage {
            id,
            kind,
            hypothesis,
            born: birth.tick,
            born_at: birth.now,
            belief,
            turns,
            turns_left: turns,
            fork,
        });
        PhageFact::Born { id, kind, hypothesis: words, belief, lives_turns: turns }
    }

    /// A turn begins for all of them.
    pub fn pass_turn(&mut self) {
        self.alive.iter_mut().for_each(|p| p.turns_left = p.turns_left.saturating_sub(1));
    }

    /// The runs of those whose time is over.
    #[must_use]
    pub fn ask(&self, now: VirtualTime) -> ForkRequest {
        let due = self.alive.iter().filter(|p| p.is_due(now));
        ForkRequest { runs: due.filter_map(|p| p.runs(now)).flatten().collect() }
    }

    /// Those whose time is over die, with what came of their runs.
    pub fn take(&mut self, reply: &ForkReply, now: VirtualTime, config: &PhageConfig) -> Vec<PhageEnd> {
        let (due, alive) = std::mem::take(&mut self.alive).into_iter().partition(|p| p.is_due(now));
        self.alive = alive;
        let due: Vec<LivePhage> = due;
        let mut runs = reply.runs.iter();
        let mut ends = Vec::new();
        for phage in due {
            let because = if phage.fork.is_none() { UntestedBecause::NeverDiffered } else { UntestedBecause::NoCopy };
            let mut verdict = PhageVerdict::Untested { because };
            let mut ticks = 0;
            if phage.fork.is_some()
                && let (Some(child), Some(parent)) = (runs.next(), runs.next())
            {
                verdict = verdict_on(child, parent, config.clear_bps);
                ticks = [child, parent].into_iter().flatten().map(|ran| u64::from(ran.steps)).sum();
                self.counts.runs = self.counts.runs.saturating_add(2);
                self.counts.shadow_ticks = self.counts.shadow_ticks.saturating_add(ticks);
            }
            ends.push(self.end(phage, verdict, ticks, now));
        }
        ends
    }

    /// Their parent dies: so do they.
    pub fn orphan(&mut self, now: VirtualTime) -> Vec<PhageEnd> {
        let verdict = PhageVerdict::Untested { because: UntestedBecause::Orphaned };
        std::mem::take(&mut self.alive).into_iter().map(|phage| self.end(phage, verdict, 0, now)).collect()
    }

    fn end(&mut self, phage: LivePhage, verdict: PhageVerdict, shadow_ticks: u64, now: VirtualTime) -> PhageEnd {
        use golem_mortality::micro_death::MicroVerdict::{Failed, Indifferent, Survived};
        let counts = &mut self.counts;
        let count = match verdict.micro() {
            Some(Survived) => &mut counts.survived,
            Some(Failed(_)) => &mut counts.failed,
            Some(Indifferent) => &mut counts.indifferent,
            None => &mut counts.untested,
        };
        *count = count.saturating_add(1);
        let belief = verdict.is_confirmed().map_or(phage.belief, |confirmed| posterior(phage.belief, confirmed));
        if let Some(micro) = verdict.micro() {
            self.deaths.note(micro);
            let key = phage.hypothesis.key();
            let before = self.records.get(&key).map_or((0, 0), |r| (r.trials, r.survived));
            let record = HypothesisRecord {
                trials: before.0 + 1,
                survived: before.1 + u32::from(micro == Survived),
                belief,
                last: now,
                sent: match phage.kind {
                    ChildKind::Replicant => Some(now),
                    ChildKind::Phage => self.records.get(&key).and_then(|r| r.sent),
                },
            };
            self.records.insert(key, record);
            if self.records.len() > MOST_RECORDS
                && let Some(oldest) = self.records.iter().min_by_key(|(_, r)| r.last).map(|(k, _)| k.clone())
            {
                self.records.remove(&oldest);
            }
        }
        if self.ends.len() >= MOST_ENDS {
            self.ends.pop_back();
        }
        self.ends.push_front(EndedPhage { id: phage.id, hypothesis: phage.hypothesis.words(), verdict });
        PhageEnd { surprise: micro_surprise(belief, phage.belief), phage, verdict, belief, shadow_ticks }
    }

    /// A child does something otherwise than its parent from here on.
    pub fn part(&mut self, id: u64, (point, at): (Point, VirtualTime), child: &[Intent], parent: &[Intent]) {
        if let Some(phage) = self.alive.iter_mut().find(|p| p.id == id && p.waits()) {
            phage.fork = Some(ShadowFork { point, at, child: once(child), parent: once(parent) });
        }
    }
    /// The parent did something: those that parted from it in one decision go on as it does.
    pub fn follow(&mut self, now: VirtualTime, done: &[Intent]) {
        for phage in self.alive.iter_mut().filter(|p| !p.hypothesis.is_kept_up()) {
            let Some(fork) = phage.fork.as_mut().filter(|fork| fork.at < now) else { continue };
            let after = u32::try_from(now.since(fork.at).nominal_floor()).unwrap_or(u32::MAX);
            for intent in done {
                let act = ForkAct { after, what: ForkDeed::Once(*intent) };
                if fork.child.len().max(fork.parent.len()) < MOST_FORK_ACTS {
                    fork.child.push(act);
                    fork.parent.push(act);
                }
            }
        }
    }

    /// What the latest ends say, where that is news.
    pub fn news(&mut self) -> Option<PhageSignals> {
        let signals = self.deaths.signals();
        let is_news = signals.health != self.told || signals.early_warning != self.warned;
        (self.told, self.warned) = (signals.health, signals.early_warning);
        is_news.then_some(signals)
    }

    /// At a glance.
    #[must_use]
    pub fn stats(&self) -> PhageStats {
        let one =
            |(key, record): (&String, &HypothesisRecord)| TriedHypothesis { hypothesis: key.clone(), record: *record };
        let mut tried: Vec<_> = self.records.iter().map(one).collect();
        tried.sort_by(|a, b| b.record.belief.total_cmp(&a.record.belief).then_with(|| a.hypothesis.cmp(&b.hypothesis)));
        let alive = self.alive().iter();
        PhageStats {
            counts: self.counts,
            signals: self.signals(),
            felt: self.felt,
            alive: alive
                .map(|p| AlivePhage { id: p.id, hypothesis: p.hypothesis.words(), turns_left: p.turns_left })
                .collect(),
            ends: self.ends.iter().cloned().collect(),
            tried,
        }
    }
}

impl PhageEnd {
    /// As it is told.
    #[must_use]
    pub fn fact(&self, entry: Option<golem_grimoire::EntryId>) -> PhageFact {
        PhageFact::Died {
            id: self.phage.id,
            kind: self.phage.kind,
            hypothesis: self.phage.hypothesis.words(),
            verdict: self.verdict,
            belief: self.belief,
            surprise: self.surprise,
            entry,
            shadow_ticks: self.shadow_ticks,
            born: self.phage.born,
        }
    }
}
