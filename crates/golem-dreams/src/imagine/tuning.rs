//! Other parameters over the path that was lived: a grid of values, each kept up on a copy from some hours ago to now.
//!
//! Stretches of the path do not overlap, so each adds new evidence. What is compared is always the difference of two
//! values over the same stretch, so that what the market did to both does not count.

use super::hypothesis::is_width;
use super::params::TuningParams;
use super::score::was_refused;
use crate::journal::TunedAdvice;
use golem_core::door::{ForkAct, ForkDeed, ForkFrom, ForkRan, ForkResult, ForkRun, MOST_FORK_STEPS};
use golem_core::{Elapsed, Point, VirtualTime};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Values of one grid.
pub const MOST_VALUES: usize = 12;
/// No error is taken to be smaller than this many basis points.
const LEAST_ERROR_BPS: f64 = 0.05;
const WHOLE_BPS: f64 = 10_000.0;
/// A parameter this near to a value of the grid, as a share of it, is at that value.
const AT_A_VALUE: f64 = 0.01;

/// How a value of a parameter is kept up on a copy.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TunedBy {
    /// A range so many basis points wide for each unit of the value, with a share of wealth in it.
    Range { bps_per_unit: f64, share_bps: u32 },
    /// The value is the share of wealth in the asset.
    Share { band_bps: u32 },
}

impl TunedBy {
    /// The standing order for a value.
    #[must_use]
    pub fn deed(self, value: f64) -> Option<ForkDeed> {
        let whole = |x: f64, most: f64| (x.is_finite() && x >= 0.0).then(|| libm::round(x.min(most)) as u32);
        match self {
            Self::Range { bps_per_unit, share_bps } => {
                let width_bps = whole(value * bps_per_unit, 1e6)?;
                Some(ForkDeed::KeepRange { width_bps, share_bps })
            }
            Self::Share { band_bps } => {
                Some(ForkDeed::KeepShare { share_bps: whole(value * WHOLE_BPS, WHOLE_BPS)?, band_bps })
            }
        }
    }
}

/// How one value did beside another, over all stretches; older ones count less.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
struct PairedGain {
    weight: f64,
    squares: f64,
    mean: f64,
    spread: f64,
}

impl PairedGain {
    fn add(&mut self, gain: f64, keep: f64) {
        (self.weight, self.squares, self.spread) = (self.weight * keep, self.squares * keep * keep, self.spread * keep);
        self.weight += 1.0;
        self.squares += 1.0;
        let off = gain - self.mean;
        self.mean += off / self.weight;
        self.spread += off * (gain - self.mean);
    }
    /// As many stretches as the weights come to.
    fn stretches(&self) -> f64 {
        if self.squares > 0.0 { self.weight * self.weight / self.squares } else { 0.0 }
    }
    /// The standard error of the mean; none for fewer than two stretches.
    fn error(&self) -> Option<f64> {
        let free = self.weight - self.squares / self.weight;
        if self.stretches() < 1.5 || free <= 0.0 {
            return None;
        }
        let error = libm::sqrt(self.spread.max(0.0) / free * self.squares) / self.weight;
        error.is_finite().then(|| error.max(LEAST_ERROR_BPS))
    }
}

/// What is known about the values of one parameter.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct TuningState {
    /// The parameter's key.
    pub parameter: String,
    values: Vec<f64>,
    /// The second of two values against the first, by their places.
    pairs: BTreeMap<u16, PairedGain>,
    /// Up to where the path was used.
    until: VirtualTime,
    /// Clear advice, held against what was lived after it was first given.
    trial: Option<AdviceTrial>,
}

/// Advice that was clear, and what has spoken for it since.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct AdviceTrial {
    since: VirtualTime,
    upwards: bool,
    /// Of stretches that began after that, and of no others.
    later: BTreeMap<u16, PairedGain>,
}

/// One stretch with a run for each value.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TuningPlan {
    pub runs: Vec<ForkRun>,
    from: VirtualTime,
}

impl TuningState {
    /// A grid for a parameter: finite values, in order, each once, the first few.
    #[must_use]
    pub fn new(parameter: &str, values: &[f64]) -> Self {
        let mut values: Vec<f64> = values.iter().copied().filter(|v| v.is_finite() && *v >= 0.0).collect();
        values.sort_by(f64::total_cmp);
        values.dedup_by(|a, b| a.to_bits() == b.to_bits());
        values.truncate(MOST_VALUES);
        Self { parameter: parameter.to_owned(), values, ..Self::default() }
    }
    #[must_use]
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// The next stretch that nobody has looked at, if one has been lived to its end. `points` are moments of the life
    /// that a copy can begin at, oldest first.
    #[must_use]
    pub fn plan(
        &self,
        by: TunedBy,
        points: &[(VirtualTime, Point)],
        params: &TuningParams,
        now: VirtualTime,
    ) -> Option<TuningPlan> {
        let steps = params.stretch_ticks.clamp(1, MOST_FORK_STEPS);
        let oldest = VirtualTime(now.0.saturating_sub(Elapsed::nominal(u64::from(params.look_back_ticks)).0));
        let fits = |age: VirtualTime| {
            age >= self.until && age >= oldest && age.after(Elapsed::nominal(u64::from(steps))) <= now
        };
        let (from, point) = *points.iter().find(|(age, _)| fits(*age))?;
        let run = |value: &f64| {
            let acts = vec![ForkAct { after: 0, what: by.deed(*value)? }];
            Some(ForkRun { from: ForkFrom::Lived(point), acts, weather: Vec::new(), steps })
        };
        let runs: Option<Vec<ForkRun>> = self.values.iter().map(run).collect();
        runs.filter(|runs| runs.len() >= 2).map(|runs| TuningPlan { runs, from })
    }

    /// What a stretch has shown. Returns how many values could be compared.
    pub fn learn(&mut self, plan: &TuningPlan, results: &[ForkResult], params: &TuningParams) -> usize {
        // Used up either way: a stretch that cannot be run is not asked for again.
        let steps = plan.runs.first().map_or(0, |run| run.steps);
        self.until = self.until.max(plan.from.after(Elapsed::nominal(u64::from(steps))));
        let keep = if params.keep.is_nan() { 0.0 } else { params.keep.clamp(0.0, 1.0) };
        let gains: Vec<Option<f64>> =
            self.values.iter().enumerate().map(|(i, _)| gain(results.get(i), steps)).collect();
        let mut trial = self.trial.as_mut().filter(|trial| plan.from >= trial.since);
        for (j, second) in gains.iter().enumerate() {
            for (i, first) in gains.iter().enumerate().take(j) {
                if let (Some(second), Some(first)) = (second, first) {
                    self.pairs.entry(place(i, j)).or_default().add(second - first, keep);
                    if let Some(trial) = &mut trial {
                        trial.later.entry(place(i, j)).or_default().add(second - first, keep);
                    }
                }
            }
        }
        gains.iter().flatten().count()
    }

    /// Clear advice, and whether the path that was lived after it was first given has borne it out. Advice that is no longer clear, or
    /// points the other way, begins anew, and so does what has been borne out once: the next step wants evidence of its own.
    pub fn judge(&mut self, current: f64, params: &TuningParams, now: VirtualTime) -> Option<TunedAdvice> {
        let Some((own, best, mut advice)) = self.compared(current, params).filter(|found| found.2.is_clear) else {
            self.trial = None;
            return None;
        };
        let upwards = best > own;
        let trial = self.trial.as_ref().filter(|trial| trial.upwards == upwards);
        advice.borne_out = trial.is_some_and(|trial| {
            let pair = trial.later.get(&place(own.min(best), own.max(best))).copied().unwrap_or_default();
            let gain = if upwards { pair.mean } else { -pair.mean };
            let by_more = pair.error().is_some_and(|error| gain >= params.later_errors * error);
            pair.stretches() >= params.later_stretches && gain > 0.0 && by_more
        });
        if trial.is_none() || advice.borne_out {
            // What was lived before is no evidence now, and the path to come is looked at next.
            self.until = self.until.max(now);
            self.trial = Some(AdviceTrial { since: now, upwards, later: BTreeMap::new() });
        }
        Some(advice)
    }

    /// Which value did best beside the one in use, and how sure that is; none before anything was compared.
    #[must_use]
    pub fn advice(&self, current: f64, params: &TuningParams) -> Option<TunedAdvice> {
        self.compared(current, params).map(|(_, _, advice)| advice)
    }

    /// The places of the value in use and of the best one, and what is known of the two.
    fn compared(&self, current: f64, params: &TuningParams) -> Option<(usize, usize, TunedAdvice)> {
        let nearest = |a: &usize, b: &usize| {
            let off = |i: usize| (self.values[i] - current).abs();
            off(*a).total_cmp(&off(*b))
        };
        let near = (0..self.values.len()).min_by(nearest)?;
        let beside = |own: usize, other: usize| self.against(other, own).map(|(gain, pair)| (other, gain, pair));
        let others = (0..self.values.len()).filter(|i| *i != near);
        let found = others.filter_map(|other| beside(near, other)).max_by(|a, b| a.1.total_cmp(&b.1))?;
        // The value in use may lie between two of the grid, and the nearer one be the best of all: then what is asked is
        // whether that is better than the one on the other side.
        let beyond = self.beyond(current, near).filter(|_| found.1 <= 0.0);
        let (own, (best, better_bps, pair)) = match beyond.and_then(|far| Some((far, beside(far, near)?))) {
            Some(between) => between,
            None => (near, found),
        };
        let stretches = pair.stretches();
        let error_bps = pair.error()?;
        let is_clear = stretches >= params.least_stretches && better_bps >= params.clear_errors * error_bps;
        let advice = TunedAdvice {
            parameter: self.parameter.clone(),
            current: self.values[own],
            best: self.values[best],
            better_bps,
            error_bps,
            stretches,
            is_clear: is_clear && better_bps > 0.0,
            borne_out: false,
        };
        Some((own, best, advice))
    }

    /// The neighbour of the nearest value on the other side of the one in use; none where that is at the nearest itself.
    fn beyond(&self, current: f64, near: usize) -> Option<usize> {
        let value = *self.values.get(near)?;
        let off = current - value;
        let is_off = off.abs() > AT_A_VALUE * value.abs();
        let far = if off > 0.0 { near.checked_add(1) } else { near.checked_sub(1) };
        far.filter(|far| is_off && *far < self.values.len())
    }

    /// What one value brought more than another, by their places.
    fn against(&self, one: usize, other: usize) -> Option<(f64, PairedGain)> {
        let pair = *self.pairs.get(&place(one.min(other), one.max(other)))?;
        Some((if one > other { pair.mean } else { -pair.mean }, pair))
    }
}

fn place(first: usize, second: usize) -> u16 {
    u16::try_from(first * MOST_VALUES + second).unwrap_or(u16::MAX)
}

/// What a run gained over the whole stretch, in basis points of wealth.
fn gain(result: Option<&ForkResult>, steps: u32) -> Option<f64> {
    let whole = |ran: &&ForkRan| ran.before.0 > 0 && ran.steps == steps && !was_refused(ran);
    let ran = result?.as_ref().ok().filter(whole)?;
    Some(-super::score::loss_bps(ran)?)
}

impl TunedAdvice {
    /// In words.
    #[must_use]
    pub fn words(&self) -> String {
        let what = if is_width(&self.parameter) { "half-width" } else { "value" };
        format!(
            "{} of {:.2} did {:.1} basis points better than {:.2} over {:.0} stretches, give or take {:.1} ({what}).",
            self.parameter, self.best, self.better_bps, self.current, self.stretches, self.error_bps
        )
    }
}

#[cfg(test)]
mod tests;
