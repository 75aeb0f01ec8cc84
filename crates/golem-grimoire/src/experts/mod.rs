//! Experts: entries that know something about a forecast speak beside the panel, and are paid by what it lost without
//! them.
//!
//! A turn is [`Experts::see`], then [`Experts::advise`] for every forecast, and [`Experts::settle`] for every forecast that
//! came due. Time is cut into blocks of a domain's horizon: what an expert says and stakes in a block is fixed when it
//! begins, from blocks that were over by then.

mod council;
mod gauges;
mod learner;
mod search;
mod spec;
#[cfg(test)]
pub(crate) mod tests;
mod wager;

pub use council::{Counsel, ExpertPurse, FURTHEST_SHIFT, PURSE, SavedSpecialist, Specialist, WORST};
pub use learner::{Learner, TrialEnd, Way};
pub use search::{FoundExpert, ResidualSearch};
pub use spec::{DOMAINS, ExpertSpec, error_field, told_by};
pub use wager::{LEVEL, LevelShare, MOST_STAKE, Wager, rate_step, searched_level};

use crate::entry::{Entry, EntryId};
use crate::series::Series;
use crate::shelf::Shelf;
use council::{ExpertSample, ExpertStanding, STRANGER_ODDS, TOLD_TRIALS, counsel};
use gauges::FieldGauges;
use golem_core::observed::Snapshot;
use golem_core::{Elapsed, VirtualTime};
use golem_mortality::{Domain, SettledForecast};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// Experts that a domain hears at most.
pub const MOST_HEARD: usize = 8;
/// Samples in a block at most, and nominal ticks between two at least: neighbours say the same.
const SAMPLES: u64 = 18;
const APART: Elapsed = Elapsed::nominal(5);
/// Memory of the panel's usual error, in samples.
const USUAL_MEMORY: f64 = 18.0 * 60.0;
/// An entry hears of its expert's record after so many trials.
const ROUND_TRIALS: u32 = 6;
/// The chance at which an expert counts as having things the wrong way round.
const WRONG_LEVEL: f64 = 0.05;
/// An expert whose lead is below this is not worth listening to: its entry hears of it.
const LOST: f64 = -6.0;
/// So many of those are kept in mind.
const MOST_DISMISSED: usize = 64;
/// Whoever speaks already comes before whoever does not, at like odds.
const KEEPS_SEAT: f64 = 1.001;

/// What a panel says, as far as experts need to know it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SaidByPanel {
    /// About what.
    pub domain: Domain,
    /// When.
    pub made: VirtualTime,
    /// What.
    pub panel: f64,
    /// A usual deviation of the domain.
    pub scale: f64,
    /// True when it will be settled.
    pub stored: bool,
    /// How far the golem leans on its own hunches, in times of the usual; from a half to two.
    pub on_hunches: f64,
}

/// What a forecast becomes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Advised {
    /// With all experts: what is scored.
    pub scored: f64,
    /// Without those from elsewhere that nothing has proven here.
    pub trusted: f64,
}

/// One domain's experts.
#[derive(Debug, Clone, PartialEq, Default)]
struct Council {
    experts: Vec<Specialist>,
    desk: CouncilDesk,
}

/// What of a council is no entry's: kept in the checkpoint.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
struct CouncilDesk {
    /// The block under way, and the sample of it.
    block: Option<u64>,
    sampled: Option<VirtualTime>,
    purse: ExpertPurse,
    pending: VecDeque<ExpertSample>,
    /// The panel's mean squared error in usual deviations, and the samples behind it.
    usual: f64,
    seen: f64,
    /// The usual error of the block under way.
    unit: f64,
    /// How far the panel was off in what was settled last, and when that was.
    error: Option<(VirtualTime, f64)>,
    /// What the experts brought so far, in usual losses.
    brought: f64,
    /// Those whose record was lost, the last of them: they are not heard again.
    dismissed: VecDeque<EntryId>,
}

/// All experts of a golem.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Experts {
    councils: [Council; DOMAINS.len()],
    gauges: FieldGauges,
    search: ResidualSearch,
    seen: Snapshot,
    now: VirtualTime,
    /// How many were ever taken on that were not found here.
    proposed: u64,
    /// What was searched in this turn, once it is needed.
    tried: Option<Vec<(u16, f32)>>,
}

/// What the checkpoint keeps.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ExpertsState {
    desks: [CouncilDesk; DOMAINS.len()],
    experts: Vec<SavedSpecialist>,
    gauges: FieldGauges,
    search: ResidualSearch,
    now: VirtualTime,
    proposed: u64,
}

/// What an entry hears of its expert.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ExpertNews {
    /// The entry.
    pub entry: EntryId,
    /// What is known of it now.
    pub what: ExpertVerdict,
    /// What it has learnt to expect, in usual errors, and trials behind that.
    pub expects: (f64, u32),
}

/// What reality says of an expert.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExpertVerdict {
    /// The forecasts are proven to be better with it.
    Proven,
    /// They were better with it over the last blocks.
    Better,
    /// They were, by something that it names and makes no claim about: that says nothing of what it claims.
    Useful,
    /// They were not.
    NoBetter,
    /// It has things the wrong way round.
    Wrong,
}

fn place(domain: Domain) -> Option<usize> {
    DOMAINS.iter().position(|d| *d == domain)
}

impl Experts {
    /// A turn is seen: what is usual moves.
    pub fn see(&mut self, now: VirtualTime, seen: &Snapshot) {
        let ticks = now.since(self.now).as_nominal().clamp(0.0, 100.0);
        self.gauges.see(seen, now, ticks);
        (self.now, self.seen, self.tried) = (now, seen.clone(), None);
    }

    /// What a forecast becomes when the experts that are awake are heard.
    pub fn advise(&mut self, said: &SaidByPanel) -> Advised {
        let alone = Advised { scored: said.panel, trusted: said.panel };
        let Some(at) = place(said.domain) else { return alone };
        let horizon = said.domain.horizon().0.max(1);
        let block = said.made.0 / horizon;
        let side = (block & 1) as usize;
        let Council { experts, desk } = &mut self.councils[at];
        if desk.block != Some(block) {
            desk.begin(block);
            experts.iter_mut().for_each(|one| one.learner.begin(side));
            self.search.begin(at, side);
        }
        let (seen, gauges) = (&self.seen, &self.gauges);
        let awake: Vec<(usize, f64)> =
            experts.iter().enumerate().filter_map(|(i, one)| Some((i, one.spec.input(seen, gauges)?))).collect();
        let speaking = awake.iter().map(|(i, x)| (&experts[*i], *x));
        let Counsel { all, trusted, .. } = counsel(speaking, side, said.on_hunches);
        let (all, trusted) = (desk.purse.allow(side, all), desk.purse.allow(side, trusted));
        let unit = said.scale * desk.unit;
        if !(unit.is_finite() && unit > 0.0) {
            return alone;
        }
        let since = desk.sampled.map_or(Elapsed(u64::MAX), |last| said.made.since(last));
        if said.stored && since >= APART && since.0.saturating_mul(SAMPLES) >= horizon {
            desk.sampled = Some(said.made);
            let tried = self.tried.get_or_insert_with(|| self.search.inputs(seen, gauges));
            desk.pending.push_back(ExpertSample {
                made: said.made,
                panel: said.panel,
                unit,
                scale: said.scale,
                weight: (since.0 as f64 / horizon as f64).min(1.0) as f32,
                side: side as u8,
                shift: all as f32,
                awake: awake.iter().map(|(i, x)| (experts[*i].entry, *x as f32)).collect(),
                tried: tried.clone(),
                round: self.search.round(),
            });
        }
        Advised { scored: said.panel + unit * all, trusted: said.panel + unit * trusted }
    }

    /// A forecast has come due: the panel is held against reality, and so is everyone who was awake.
    pub fn settle(&mut self, settled: &SettledForecast, learns: bool) {
        let Some(at) = place(settled.domain) else { return };
        let Council { experts, desk } = &mut self.councils[at];
        while desk.pending.front().is_some_and(|p| p.made < settled.made) {
            desk.pending.pop_front();
        }
        if desk.pending.front().is_none_or(|p| p.made != settled.made) {
            return;
        }
        let Some(sample) = desk.pending.pop_front() else { return };
        let off = settled.actual - sample.panel;
        let residual = off / sample.unit;
        if !residual.is_finite() {
            return;
        }
        desk.error = Some((self.now, residual));
        let (side, weight) = (usize::from(sample.side), f64::from(sample.weight));
        desk.purse.take(side, weight, f64::from(sample.shift), residual);
        let shift = f64::from(sample.shift);
        desk.brought += weight * shift * (2.0 * residual.clamp(-WORST, WORST) - shift);
        if !learns {
            return;
        }
        desk.learn_usual(off / sample.scale, weight);
        let when = (sample.made, settled.domain.horizon());
        for (entry, x) in &sample.awake {
            if let Some(one) = experts.iter_mut().find(|one| one.entry == *entry) {
                one.take(side, f64::from(*x), residual, weight, when);
            }
        }
        if sample.round == self.search.round() {
            self.search.take((at, side), &sample.tried, residual, weight, when);
        }
    }

    /// How far the panel was off in what came due in this turn, in usual errors.
    #[must_use]
    pub fn error(&self, domain: Domain, now: VirtualTime) -> Option<f64> {
        let (at, error) = self.councils[place(domain)?].desk.error?;
        // Samples are some ticks apart, and stand for what lies between.
        (now.since(at).0.saturating_mul(SAMPLES) <= domain.horizon().0.saturating_mul(2)).then_some(error)
    }

    /// Nominal ticks since gas last spiked.
    #[must_use]
    pub fn since_gas_spike(&self, now: VirtualTime) -> Option<f64> {
        self.gauges.since_spike(now)
    }

    /// Choose the bounds that are searched, and who speaks: entries in use that are about a domain, those with the best record
    /// first. Whoever speaks keeps its seat and its record until it is lost: seats are not for turns.
    pub fn choose(&mut self, shelf: &Shelf, series: &Series, now: VirtualTime, learns: bool) {
        if learns && self.search.renew(series, now) {
            for (at, council) in self.councils.iter_mut().enumerate() {
                if let Some(block) = council.desk.block {
                    self.search.begin(at, (block & 1) as usize);
                }
            }
        }
        let mut wanted: [Vec<(f64, &Entry, ExpertSpec)>; DOMAINS.len()] = Default::default();
        for entry in shelf.in_use() {
            let Some(spec) = ExpertSpec::of(&entry.body) else { continue };
            let Some(at) = place(spec.domain) else { continue };
            let Council { experts, desk } = &mut self.councils[at];
            let known = experts.iter().find(|one| one.entry == entry.id);
            if known.is_some_and(|one| one.learner.lead() <= LOST) {
                desk.dismiss(entry.id);
            }
            if !desk.dismissed.contains(&entry.id) {
                let seated = |one: &Specialist| one.odds().max(KEEPS_SEAT * STRANGER_ODDS);
                wanted[at].push((known.map_or(STRANGER_ODDS, seated), entry, spec));
            }
        }
        self.search.forget_unspoken(|entry| shelf.entry(entry).is_some_and(Entry::is_in_use));
        for (council, mut wanted) in self.councils.iter_mut().zip(wanted) {
            wanted.sort_by(|a, b| {
                let effective = b.1.effective(now).total_cmp(&a.1.effective(now));
                b.0.total_cmp(&a.0).then(effective).then(a.1.id.cmp(&b.1.id))
            });
            // Two that go by the same would be one that is heard twice.
            let mut heard: Vec<(&Entry, ExpertSpec)> = Vec::new();
            for (_, entry, spec) in wanted {
                if heard.len() < MOST_HEARD && heard.iter().all(|(_, known)| !known.is_same(&spec)) {
                    heard.push((entry, spec));
                }
            }
            council.experts.retain(|one| heard.iter().any(|(entry, _)| entry.id == one.entry));
            for (entry, spec) in heard {
                if !council.experts.iter().any(|one| one.entry == entry.id) {
                    self.proposed = self.proposed.saturating_add(1);
                    let level = LevelShare::Seated.level(self.proposed);
                    let standing = ExpertStanding { prior: STRANGER_ODDS, level, hunch: false };
                    council.experts.push(Specialist::new(entry, spec, standing));
                }
            }
            council.experts.sort_by_key(|one| one.entry);
        }
    }

    /// An entry was made of what was found here: it speaks from now on, with what was learnt while it was sought.
    pub fn adopt(&mut self, entry: &Entry, found: &FoundExpert) {
        self.search.told(found, entry.id);
        let (Some(spec), Some(at)) = (ExpertSpec::of(&entry.body), place(found.domain)) else { return };
        let experts = &mut self.councils[at].experts;
        let was = experts.iter().position(|one| one.entry == entry.id).map(|at| experts.remove(at));
        let standing = ExpertStanding { prior: found.prior, level: found.level, hunch: true };
        let mut one = Specialist::new(entry, spec, standing);
        let was_proven = was.is_some_and(|one| one.proven);
        (one.proven, one.learner) = (found.proven || was_proven, found.learner.claiming(one.spec.way));
        experts.push(one);
        experts.sort_by_key(|one| one.entry);
        if experts.len() > MOST_HEARD {
            let least = experts.iter().enumerate().min_by(|a, b| a.1.odds().total_cmp(&b.1.odds()));
            if let Some(least) = least.map(|(i, _)| i) {
                experts.remove(least);
            }
        }
    }
    /// What was found in the residuals and nobody speaks for yet.
    #[must_use]
    pub fn found(&self) -> Vec<FoundExpert> {
        let spoken = |found: &FoundExpert| {
            let experts = place(found.domain).map(|at| &self.councils[at].experts);
            experts.is_some_and(|all| {
                all.len() >= MOST_HEARD && all.iter().all(|one| one.proven && one.learner.lead() > 0.0)
            })
        };
        self.search.ripe(spoken)
    }

    /// What entries are to hear of their experts by now.
    pub fn news(&mut self) -> Vec<ExpertNews> {
        let mut all = Vec::new();
        for council in &mut self.councils {
            for one in &mut council.experts {
                let what = one.verdict();
                let (hits, misses) = one.learner.record();
                let expects = (one.learner.slope(), hits.saturating_add(misses));
                all.extend(what.map(|what| ExpertNews { entry: one.entry, what, expects }));
            }
        }
        all
    }

    /// Who speaks about a domain.
    #[must_use]
    pub fn speakers(&self, domain: Domain) -> &[Specialist] {
        place(domain).map_or(&[], |at| &self.councils[at].experts)
    }
    /// What is searched in the residuals.
    #[must_use]
    pub fn search(&self) -> &ResidualSearch {
        &self.search
    }
    /// What the experts of a domain have brought so far, and what they may still lose, in usual losses of a horizon.
    #[must_use]
    pub fn account(&self, domain: Domain) -> Option<(f64, f64)> {
        place(domain).map(|at| (self.councils[at].desk.brought, self.councils[at].desk.purse.left()))
    }

    /// What the checkpoint has to keep.
    #[must_use]
    pub fn state(&self) -> ExpertsState {
        let saved = |one: &Specialist| SavedSpecialist {
            entry: one.entry,
            learner: one.learner,
            proven: one.proven,
            since_told: one.since_told,
            standing: one.standing,
        };
        ExpertsState {
            desks: std::array::from_fn(|at| self.councils[at].desk.clone()),
            experts: self.councils.iter().flat_map(|c| c.experts.iter().map(saved)).collect(),
            gauges: self.gauges.clone(),
            search: self.search.clone(),
            now: self.now,
            proposed: self.proposed,
        }
    }
    /// What the checkpoint kept, with the entries that speak.
    #[must_use]
    pub fn rebuild(state: ExpertsState, shelf: &Shelf) -> Self {
        let ExpertsState { desks, experts, gauges, search, now, proposed } = state;
        let mut all = Self { gauges, search, now, proposed, ..Self::default() };
        for (council, desk) in all.councils.iter_mut().zip(desks) {
            council.desk = desk;
        }
        for saved in experts {
            let Some(entry) = shelf.entry(saved.entry) else { continue };
            let Some((spec, at)) = ExpertSpec::of(&entry.body).and_then(|s| place(s.domain).map(|at| (s, at))) else {
                continue;
            };
            let mut one = Specialist::new(entry, spec, saved.standing);
            (one.learner, one.proven, one.since_told) = (saved.learner, saved.proven, saved.since_told);
            all.councils[at].experts.push(one);
        }
        all
    }
}

impl CouncilDesk {
    fn dismiss(&mut self, entry: EntryId) {
        if !self.dismissed.contains(&entry) {
            self.dismissed.push_back(entry);
        }
        while self.dismissed.len() > MOST_DISMISSED {
            self.dismissed.pop_front();
        }
    }
    fn begin(&mut self, block: u64) {
        self.purse.begin((block & 1) as usize);
        self.block = Some(block);
        self.unit = if self.seen > 0.0 { libm::sqrt(self.usual).max(1e-6) } else { 1.0 };
    }
    fn learn_usual(&mut self, off: f64, weight: f64) {
        let count = weight * SAMPLES as f64;
        self.seen = (self.seen + count).min(USUAL_MEMORY);
        let square = (off * off).min(if self.seen > SAMPLES as f64 { 16.0 * self.usual + 1e-9 } else { 16.0 });
        self.usual += (count / self.seen.max(1e-9)).min(1.0) * (square - self.usual);
    }
}

impl Specialist {
    fn new(entry: &Entry, spec: ExpertSpec, standing: ExpertStanding) -> Self {
        let foreign = crate::decay::ceiling(entry.body.provenance) < 1.0;
        let learner = match entry.standing.expects {
            Some(told) => Learner::told(spec.way, f64::from(told.milli) / 1e3, TOLD_TRIALS.min(f64::from(told.blocks))),
            None => Learner::new(spec.way),
        };
        Self { entry: entry.id, spec, learner, proven: false, foreign, since_told: (0, 0.0, 0), standing }
    }
    fn take(&mut self, side: usize, x: f64, residual: f64, weight: f64, when: (VirtualTime, Elapsed)) {
        if let Some(end) = self.learner.take(side, x, residual, weight, when) {
            let (trials, gain, hits) = self.since_told;
            self.since_told = (trials + 1, gain + end.gain, hits + u32::from(end.hit));
        }
    }
    /// What its entry is to hear, when it is time.
    fn verdict(&mut self) -> Option<ExpertVerdict> {
        // What claims no way may be true and of no use here, or of use and untrue: that is for its own checks to say.
        let claims = self.spec.way != Way::Either;
        if !self.proven && self.learner.evidence().proves(self.standing.level) && self.learner.confidence_bp() >= 7_000
        {
            self.proven = true;
            return Some(if claims { ExpertVerdict::Proven } else { ExpertVerdict::Useful });
        }
        let lost = if self.standing.hunch { 0.0 } else { LOST };
        if claims && (self.learner.counter_evidence().proves(WRONG_LEVEL) || self.learner.lead() < lost) {
            return Some(ExpertVerdict::Wrong);
        }
        if self.since_told.0 < ROUND_TRIALS {
            return None;
        }
        let (trials, gain, hits) = std::mem::take(&mut self.since_told);
        let better = gain > 0.0 || (self.learner.slope() != 0.0 && 2 * hits > trials);
        match better {
            true if claims => Some(ExpertVerdict::Better),
            true => Some(ExpertVerdict::Useful),
            false => claims.then_some(ExpertVerdict::NoBetter),
        }
    }
}
