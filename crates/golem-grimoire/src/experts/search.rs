//! What the panel does not know yet: plain conditions over what is seen, each tried on what the panel lost while it held.
//!
//! Bounds are fixed from what has been usual so far, before anything is counted; from then on every condition has its
//! wager, and all of them together have one level. Twice as long after each search the bounds are chosen anew for what
//! has nothing to show, at a smaller share of the level.

use super::council::heard_odds;
use super::gauges::{FieldGauges, LEVELS, inputs, is_signed};
use super::learner::{Learner, Way};
use super::spec::{DOMAINS, error_field};
use super::wager::searched_level;
use crate::claim::Claim;
use crate::entry::EntryId;
use crate::series::Series;
use crate::series::statistic::two_digits;
use golem_core::observed::{Field, Kind, Snapshot, Value};
use golem_core::{Elapsed, VirtualTime};
use golem_mortality::Domain;
use serde::{Deserialize, Serialize};

#[cfg(test)]
mod tests;

/// Age at which bounds are first chosen, and how long the first search lasts.
const FIRST: Elapsed = Elapsed::nominal(2_160);
const ROUND: Elapsed = Elapsed::nominal(6 * 2_160);
/// Shares of rows beyond which a value is unusual.
const TAILS: &[f64] = &[0.03, 0.12];
/// The same, for a shock to either side.
const SHOCK: f64 = 0.005;
/// A single move of so many usual ones is a shock: what comes once in days has no share of a day's rows.
const WIDE: f64 = 8.0;
/// Stretches of the day that are tried for every domain, and, for the one whose horizon is shorter than an hour, quarters.
const HOURS: u32 = 4;
const QUARTERS: u32 = 4;
/// Ages of a spike of gas that are tried, in nominal ticks.
const SPIKE_AGES: &[f64] = &[0.0, 30.0, 90.0, 150.0, 210.0, 270.0, 360.0];
/// What the panel must have lost without it of late, in usual losses.
const LEAST_LEAD: f64 = 1.0;
/// The odds against the panel, by its record among all that is tried for the domain, at which a condition is a hunch.
const HUNCH: f64 = 1.0;
/// The confidence by the seed's steps that a finding needs.
const RIPE_BP: u16 = 7_000;

/// When a condition holds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum TriedWhen {
    /// Whenever the input is seen.
    Always,
    /// A field is beyond a bound.
    Beyond { field: Field, above: bool, bound: f64 },
    /// A field is beyond a bound to either side.
    Outside { field: Field, low: f64, high: f64 },
    /// A field lies between two bounds, the first included.
    Between { field: Field, from: f64, to: f64 },
    /// A field is the word of this number.
    Is { field: Field, word: u8 },
}

/// A condition, and what is gone by while it holds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(super) struct Tried {
    pub when: TriedWhen,
    pub input: Option<Field>,
    /// What is gone by is turned round while this field is below what is usual.
    pub turned_by: Option<Field>,
    /// The one domain that it is tried for, where it is not tried for all.
    pub only: Option<Domain>,
}

/// The search through all conditions, for all domains.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ResidualSearch {
    tried: Vec<Tried>,
    /// What each condition has taught about each domain.
    learners: Vec<[Learner; DOMAINS.len()]>,
    round: u32,
    next_round: Option<VirtualTime>,
    /// What was found already: it is not found twice while somebody speaks for it.
    found: Vec<(Tried, Domain, bool, EntryId)>,
}

/// A condition under which the panel is off, or seems to be.
#[derive(Debug, Clone, PartialEq)]
pub struct FoundExpert {
    /// The domain.
    pub domain: Domain,
    /// The claim, where there is a condition.
    pub claim: Option<Claim>,
    /// The edge, where an input is gone by: `from>to@lag`.
    pub edge: Option<String>,
    /// The field below whose usual value the edge goes the other way.
    pub turned_by: Option<Field>,
    /// True when reality lies above the panel, or goes with the input.
    pub up: bool,
    /// What is expected, in usual errors.
    pub slope: f64,
    /// Trials for and against.
    pub record: (u32, u32),
    /// The evidence, as a logarithm.
    pub log_evidence: f64,
    /// What it has taught: whoever speaks for it goes on from here.
    pub learner: Learner,
    /// True when it is proven; otherwise it is a hunch, heard by its record.
    pub proven: bool,
    /// The level that proves it.
    pub level: f64,
    /// The odds that it began with: one among all that is tried for the domain.
    pub prior: f64,
    tried: Tried,
}

/// Kinds of hypotheses: by an input, by an input in a mood, far out to either side, beyond a bound, a word, hours, quarters of
/// an hour, and the time since a spike.
const KINDS: usize = 8;

impl Tried {
    fn kind(&self) -> usize {
        match (self.when, self.only) {
            (TriedWhen::Always, _) => usize::from(self.turned_by.is_some()),
            (TriedWhen::Outside { .. }, _) => 2,
            (TriedWhen::Beyond { .. }, _) => 3,
            (TriedWhen::Is { .. }, _) => 4,
            (TriedWhen::Between { field: Field::MarketHour, .. }, None) => 5,
            (TriedWhen::Between { field: Field::MarketHour, .. }, Some(_)) => 6,
            (TriedWhen::Between { .. }, _) => 7,
        }
    }
    fn cause(&self) -> Option<Field> {
        match self.when {
            TriedWhen::Always => self.input,
            TriedWhen::Beyond { field, .. }
            | TriedWhen::Outside { field, .. }
            | TriedWhen::Between { field, .. }
            | TriedWhen::Is { field, .. } => Some(field),
        }
    }
    /// Its input where it holds.
    fn input(&self, seen: &Snapshot, gauges: &FieldGauges) -> Option<f64> {
        let number = |field: Field| seen.get(field).and_then(|v| v.as_f64());
        let holds = match self.when {
            TriedWhen::Always => true,
            TriedWhen::Beyond { field, above, bound } => {
                let x = number(field)?;
                if above { x > bound } else { x < bound }
            }
            TriedWhen::Outside { field, low, high } => !(low..=high).contains(&number(field)?),
            TriedWhen::Between { field, from, to } => (from..to).contains(&number(field)?),
            TriedWhen::Is { field, word } => match (field.kind(), seen.get(field)?) {
                (Kind::Text(words), Value::Text(is)) => words.get(usize::from(word)) == Some(&is),
                _ => false,
            },
        };
        if !holds {
            return None;
        }
        self.input.map_or(Some(1.0), |field| gauges.turned(field, self.turned_by, seen))
    }
    /// As an expression.
    fn text(&self) -> Option<String> {
        match self.when {
            TriedWhen::Always => None,
            TriedWhen::Beyond { field, above, bound } => {
                Some(format!("{field} {} {bound:?}", if above { ">" } else { "<" }))
            }
            TriedWhen::Outside { field, low, high } => Some(format!("{field} < {low:?} || {field} > {high:?}")),
            TriedWhen::Between { field, from, to } => Some(format!("{field} >= {from:?} && {field} < {to:?}")),
            TriedWhen::Is { field, word } => match field.kind() {
                Kind::Text(words) => words.get(usize::from(word)).map(|word| format!("{field} == \"{word}\"")),
                _ => None,
            },
        }
    }
    /// One family: the same cause, gone by in the same manner.
    fn is_kin(&self, other: &Self) -> bool {
        let times = |t: &Self| matches!(t.when, TriedWhen::Between { .. });
        (self.cause(), self.input, self.turned_by) == (other.cause(), other.input, other.turned_by)
            && !(times(self) && times(other))
    }
}

impl ResidualSearch {
    /// The conditions that hold now, with their inputs.
    pub(super) fn inputs(&self, seen: &Snapshot, gauges: &FieldGauges) -> Vec<(u16, f32)> {
        let held = |(n, t): (u16, &Tried)| t.input(seen, gauges).map(|x| (n, x as f32));
        (0..).zip(&self.tried).filter_map(held).collect()
    }
    /// Which search it is: conditions have other numbers in another one.
    pub(super) fn round(&self) -> u32 {
        self.round
    }
    /// A block of a domain begins.
    pub(super) fn begin(&mut self, domain: usize, side: usize) {
        self.learners.iter_mut().for_each(|each| each[domain].begin(side));
    }
    /// What came of a sample of this round.
    pub(super) fn take(
        &mut self,
        (domain, side): (usize, usize),
        held: &[(u16, f32)],
        residual: f64,
        weight: f64,
        when: (VirtualTime, Elapsed),
    ) {
        for (n, x) in held {
            if let Some(each) = self.learners.get_mut(usize::from(*n)) {
                each[domain].take(side, f64::from(*x), residual, weight, when);
            }
        }
    }

    /// Choose bounds when it is time. Returns true when conditions changed.
    pub(super) fn renew(&mut self, series: &Series, now: VirtualTime) -> bool {
        let due = self.next_round.map_or(now.age() >= FIRST, |at| now >= at);
        if !due || series.is_empty() {
            return false;
        }
        if self.next_round.is_some() {
            self.round = self.round.saturating_add(1);
        }
        self.next_round = Some(now.after(Elapsed(ROUND.0.saturating_mul(1 << self.round.min(5)))));
        // What has something to show keeps its place and its wealth; its level stays that of its own round or less.
        let promising = |each: &[Learner; DOMAINS.len()]| each.iter().any(|l| l.evidence().log_value() > 1.0);
        let wanted = conditions(series);
        let mut kept: Vec<_> = std::mem::take(&mut self.tried)
            .into_iter()
            .zip(std::mem::take(&mut self.learners))
            .filter(|(tried, each)| promising(each) || wanted.contains(tried))
            .collect();
        for tried in wanted {
            if kept.iter().all(|(known, _)| *known != tried) {
                kept.push((tried, [Learner::new(Way::Either); DOMAINS.len()]));
            }
        }
        (self.tried, self.learners) = kept.into_iter().unzip();
        true
    }

    /// How many hypotheses are tried together.
    #[must_use]
    pub fn count(&self) -> usize {
        self.tried.iter().map(|t| if t.only.is_some() { 1 } else { DOMAINS.len() }).sum()
    }
    /// The share of a hypothesis in the belief and in the level of its domain: every kind has the same, however many there
    /// are of it.
    fn share(counts: &[usize; KINDS], tried: &Tried) -> f64 {
        let kinds = counts.iter().filter(|n| **n > 0).count();
        1.0 / (kinds * counts[tried.kind()]).max(1) as f64
    }

    /// How many there are of each kind for a domain.
    fn kinds(&self, domain: Domain) -> [usize; KINDS] {
        let mut counts = [0; KINDS];
        for tried in self.tried.iter().filter(|t| t.only.is_none_or(|only| only == domain)) {
            counts[tried.kind()] += 1;
        }
        counts
    }

    /// What is proven or a hunch and not yet spoken for, the surest of each family, the surest first.
    pub(super) fn ripe(&self, is_spoken_for: impl Fn(&FoundExpert) -> bool) -> Vec<FoundExpert> {
        let mut all: Vec<FoundExpert> = Vec::new();
        for (at, domain) in DOMAINS.into_iter().enumerate() {
            let counts = self.kinds(domain);
            for (tried, each) in self.tried.iter().zip(&self.learners) {
                let learner = &each[at];
                // A panel that is off in the middle of what happens and right in the mean is right.
                if tried.only.is_some_and(|only| only != domain) || learner.lead() <= LEAST_LEAD {
                    continue;
                }
                let prior = Self::share(&counts, tried);
                let level = searched_level(prior / DOMAINS.len() as f64, self.round);
                let proven = learner.evidence().proves(level) && learner.confidence_bp() >= RIPE_BP;
                if learner.slope() != 0.0 && (proven || heard_odds(prior, learner) >= HUNCH) {
                    all.extend(found(tried, domain, learner, (proven, level, prior)));
                }
            }
        }
        let surest = |one: &FoundExpert| if one.proven { one.log_evidence } else { 0.0 };
        all.sort_by(|a, b| surest(b).total_cmp(&surest(a)).then(b.learner.lead().total_cmp(&a.learner.lead())));
        let mut best: Vec<FoundExpert> = Vec::new();
        for one in all {
            let kin = |known: &Tried, domain: Domain, up: bool| {
                domain == one.domain && up == one.up && known.is_kin(&one.tried)
            };
            let told = self.found.iter().any(|(tried, domain, up, _)| {
                (*domain == one.domain && *tried == one.tried) || kin(tried, *domain, *up)
            });
            if !told && !best.iter().any(|b| kin(&b.tried, b.domain, b.up)) && !is_spoken_for(&one) {
                best.push(one);
            }
        }
        best
    }
    /// Somebody speaks for it now.
    pub(super) fn told(&mut self, one: &FoundExpert, by: EntryId) {
        self.found.push((one.tried, one.domain, one.up, by));
    }
    /// What nobody speaks for any more may be found again.
    pub(super) fn forget_unspoken(&mut self, speaks: impl Fn(EntryId) -> bool) {
        self.found.retain(|(.., by)| speaks(*by));
    }
    /// The strongest evidence so far for each domain, as a logarithm, for people.
    #[must_use]
    pub fn strongest(&self) -> [f64; DOMAINS.len()] {
        let of = |domain: usize| self.learners.iter().map(move |each| each[domain].evidence().log_value());
        std::array::from_fn(|domain| of(domain).fold(0.0, f64::max))
    }
    /// Every condition with what it has taught about a domain, as text, for people.
    pub fn tried_so_far(&self, domain: Domain) -> impl Iterator<Item = (String, &Learner)> {
        let place = DOMAINS.iter().position(|d| *d == domain);
        let words = |t: &Tried| {
            let turned = t.turned_by.map(|f| format!(", turned by {f}")).unwrap_or_default();
            let by = t.input.map(|f| format!(" by {f}{turned}")).unwrap_or_default();
            format!("{}{by}", t.text().unwrap_or_else(|| "always".to_owned()))
        };
        self.tried.iter().zip(&self.learners).filter_map(move |(t, each)| Some((words(t), &each[place?])))
    }
}

fn found(
    tried: &Tried,
    domain: Domain,
    learner: &Learner,
    (proven, level, prior): (bool, f64, f64),
) -> Option<FoundExpert> {
    let error = error_field(domain)?;
    let (up, after_ticks) = (learner.slope() > 0.0, u32::try_from(domain.horizon().nominal_floor()).ok()?);
    // With an input it goes both ways; the edge says how, and nobody asks the claim.
    let then = format!("{error} {} 0.0", if up { ">" } else { "<" });
    let claim = tried.text().map(|when| Claim { when, then, unless: None, after_ticks });
    let edge = tried.input.map(|from| format!("{from}>{error}@{after_ticks}"));
    let (slope, record, log_evidence) = (learner.slope(), learner.record(), learner.evidence().log_value());
    let (learner, tried) = (*learner, *tried);
    let turned_by = tried.turned_by;
    Some(FoundExpert {
        domain,
        claim,
        edge,
        turned_by,
        up,
        slope,
        record,
        log_evidence,
        learner,
        proven,
        level,
        prior,
        tried,
    })
}

/// Everything that is tried, in a fixed order.
fn conditions(series: &Series) -> Vec<Tried> {
    let mut all = Vec::new();
    let alone = |when| Tried { when, input: None, turned_by: None, only: None };
    let by = |when, input, only| Tried { when, input: Some(input), turned_by: None, only };
    let mut column = Vec::new();
    for field in inputs().filter(|f| !LEVELS.contains(f) && *f != Field::MarketHour) {
        series.column(field, &mut column);
        column.retain(|x| x.is_finite());
        if column.len() < 64 {
            continue;
        }
        column.sort_by(f32::total_cmp);
        let at = |share: f64| two_digits(f64::from(column[((column.len() - 1) as f64 * share) as usize]));
        if at(0.01).to_bits() == at(0.99).to_bits() {
            continue;
        }
        for tail in TAILS {
            all.push(alone(TriedWhen::Beyond { field, above: true, bound: at(1.0 - tail) }));
            all.push(alone(TriedWhen::Beyond { field, above: false, bound: at(*tail) }));
        }
        all.push(by(TriedWhen::Always, field, None));
        if is_signed(field) {
            // What is far out to either side may come back, or go on, where what is usual tells nothing.
            let (low, high) = match field {
                Field::MarketShock => (-WIDE, WIDE),
                _ => (at(SHOCK), at(1.0 - SHOCK)),
            };
            let when = TriedWhen::Outside { field, low, high };
            all.push(by(when, field, Some(Domain::PriceDirection)));
        }
    }
    for field in [Field::MarketRegime, Field::MarketProtocol] {
        if let Kind::Text(words) = field.kind() {
            all.extend((1u8..).zip(words.iter().skip(1)).map(|(word, _)| alone(TriedWhen::Is { field, word })));
        }
    }
    // Momentum in one mood of a market is reversion in another.
    let moods = LEVELS.iter().filter(|f| **f != Field::MarketPrice);
    // Against its day: what volatility is to its usual level is a field of its own.
    all.push(by(TriedWhen::Always, Field::MarketVolatility, None));
    let momentum = by(TriedWhen::Always, Field::MarketReturn90, Some(Domain::PriceDirection));
    all.extend(moods.map(|mood| Tried { turned_by: Some(*mood), ..momentum }));
    times(&mut all);
    all
}

/// Stretches of the day, and of the time after a spike of gas.
fn times(all: &mut Vec<Tried>) {
    let between = |field, from, to, only| {
        let when = TriedWhen::Between { field, from, to };
        Tried { when, input: None, turned_by: None, only }
    };
    let hour = Field::MarketHour;
    all.extend((0..24 / HOURS).map(|n| between(hour, f64::from(n * HOURS), f64::from((n + 1) * HOURS), None)));
    let part = |n: u32| f64::from(n) / f64::from(QUARTERS);
    all.extend((0..24 * QUARTERS).map(|n| between(hour, part(n), part(n + 1), Some(Domain::GasCondition))));
    let ages = SPIKE_AGES.iter().zip(SPIKE_AGES.iter().skip(1));
    all.extend(ages.map(|(from, to)| between(Field::MarketGasSpikeTicks, *from, *to, None)));
}
