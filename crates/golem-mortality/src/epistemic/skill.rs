//! Skill in one domain: what the model lost beside the naive rule, the half-way rule and a newborn, over the last days.
//!
//! A forecast counts for the time that is new in it. Forecasts overlap: a hundred that were made within a horizon say
//! little more than one, and weights per forecast would make one or two independent samples look like many.

use super::domain::{Domain, SettledForecast};
use crate::regime_eval::seed_r_squared;
use golem_core::time::NOMINAL_TICKS_PER_DAY;
use golem_core::{Elapsed, VirtualTime};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// Memory of fitness and lead, in nominal ticks: five days.
pub const SKILL_MEMORY: f64 = 5.0 * NOMINAL_TICKS_PER_DAY as f64;
/// Memory of what the naive rule usually loses: ten days.
const NAIVE_MEMORY: f64 = 10.0 * NOMINAL_TICKS_PER_DAY as f64;
/// A forecast scores at most this many usual losses, either way.
pub const SCORE_CLIP: f64 = 3.0;
/// A loss counts at most this many usual ones in a mean: one absurd sample must not hide all others.
const LOSS_CLIP: f64 = 25.0;
/// An action stands for the time since the last one, at most a day.
const LONGEST_ACTION: Elapsed = Elapsed::nominal(NOMINAL_TICKS_PER_DAY);
/// Fitness of a forecast that is as good as the naive rule, and what a usual loss less is worth.
pub const NAIVE_FITNESS: f64 = 0.30;
const FITNESS_PER_SCORE: f64 = 5.0;
/// Pairs that the seed's R2 looks at.
const R2_PAIRS: usize = 100;
/// A loss that is none: a millionth of the forecast's unit, squared.
const NOTHING: f64 = 1e-12;

/// Mean losses of the model and of something that it is held against, on the same forecasts.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct LossMeans {
    own: f64,
    other: f64,
    /// Nominal ticks behind them.
    ticks: f64,
}

impl LossMeans {
    fn take(&mut self, own: f64, other: f64, (ticks, share): (f64, f64), most: f64) {
        let gain = gain(ticks, share, &mut self.ticks);
        self.own += gain * (own.min(most) - self.own);
        self.other += gain * (other.min(most) - self.other);
    }
    /// The share of the other's loss that the model saves: 0 is as good, negative is worse; none before anything was
    /// settled. Where there is nothing to forecast both losses are nothing, and the last bit of one of them is no skill.
    #[must_use]
    pub fn skill(&self) -> Option<f64> {
        (self.ticks > 0.0).then(|| 1.0 - (self.own + NOTHING) / (self.other + NOTHING))
    }
}

/// What is remembered of one domain.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct DomainSkill {
    /// Forecasts settled.
    pub settled: u64,
    /// Three-way classes that were right.
    pub hits: u64,
    /// The last settled pairs (predicted, actual), as many as the seed's R2 looks at.
    pub pairs: VecDeque<(f64, f64)>,
    /// Against the last value.
    pub last_value: LossMeans,
    /// Against half-way between the last value and the day's mean.
    pub half_way: LossMeans,
    /// Against a newborn of the same kind.
    pub newborn: LossMeans,
    /// What the naive rule usually loses.
    usual: f64,
    usual_ticks: f64,
    /// Mean score over five days, in usual losses of the naive rule; and the same against a newborn.
    score: f64,
    score_ticks: f64,
    lead: f64,
    lead_ticks: f64,
    /// When the last settled forecast was made, and the last that a newborn made too.
    last_made: Option<VirtualTime>,
    last_compared: Option<VirtualTime>,
}

/// What one settled forecast is worth.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Score {
    /// Usual losses of the naive rule less than it, and how much of the five days that is.
    pub score: f64,
    pub gain: f64,
    /// The same against a newborn.
    pub lead: Option<(f64, f64)>,
}

impl DomainSkill {
    /// Take a settled forecast in. Non-finite losses are refused: the clock stays as it is. A domain without any loss
    /// scores nothing.
    pub(crate) fn record(&mut self, s: &SettledForecast, now: VirtualTime) -> Result<Option<Score>, Refused> {
        let good = |x: f64| x.is_finite() && x >= 0.0;
        if !good(s.model_loss) || !good(s.naive_loss) || !s.predicted.is_finite() || !s.actual.is_finite() {
            return Err(Refused);
        }
        self.settled += 1;
        self.hits += u64::from(s.hit);
        while self.pairs.len() >= R2_PAIRS {
            self.pairs.pop_front();
        }
        self.pairs.push_back((s.predicted, s.actual));
        let ticks = stands_for(s, self.last_made.replace(s.made), now);
        // The same for everything that is held against this forecast.
        let stands = (ticks, share_of_memory(ticks, SKILL_MEMORY));
        let most = if self.usual_ticks > 0.0 { LOSS_CLIP * self.usual + NOTHING } else { f64::INFINITY };
        let weight = gain(ticks, share_of_memory(ticks, NAIVE_MEMORY), &mut self.usual_ticks);
        self.usual += weight * (s.naive_loss.min(most) - self.usual);
        self.last_value.take(s.model_loss, s.naive_loss, stands, most);
        if let Some(loss) = s.half_way_loss.filter(|x| good(*x)) {
            self.half_way.take(s.model_loss, loss, stands, most);
        }
        let newborn = s.newborn_loss.filter(|x| good(*x)).map(|loss| {
            let ticks = stands_for(s, self.last_compared.replace(s.made), now);
            let stands = (ticks, share_of_memory(ticks, SKILL_MEMORY));
            self.newborn.take(s.model_loss, loss, stands, most);
            (loss, stands)
        });
        if self.usual <= NOTHING {
            return Ok(None);
        }
        let score = (s.naive_loss - s.model_loss) / self.usual;
        let score = score.clamp(-SCORE_CLIP, SCORE_CLIP);
        self.score += gain(stands.0, stands.1, &mut self.score_ticks) * (score - self.score);
        let lead = newborn.map(|(loss, (ticks, share))| {
            let lead = ((loss - s.model_loss) / self.usual).clamp(-SCORE_CLIP, SCORE_CLIP);
            self.lead += gain(ticks, share, &mut self.lead_ticks) * (lead - self.lead);
            (lead, share)
        });
        Ok(Some(Score { score, gain: stands.1, lead }))
    }

    /// Whether the naive rule has lost anything here: a domain without a loss has nothing to know.
    #[must_use]
    pub fn has_loss(&self) -> bool {
        self.usual > NOTHING
    }
    /// Fitness of this domain alone: [`NAIVE_FITNESS`] is as good as naive.
    #[must_use]
    pub fn fitness(&self) -> Option<f64> {
        (self.score_ticks > 0.0).then(|| fitness_of(self.score).clamp(0.0, 1.0))
    }
    /// The mean of what a newborn lost more, in usual losses of the naive rule.
    #[must_use]
    pub fn lead(&self) -> Option<f64> {
        (self.lead_ticks > 0.0).then_some(self.lead)
    }
    /// The seed's R2 over the last hundred pairs.
    #[must_use]
    pub fn r_squared(&self) -> f64 {
        let pairs: Vec<_> = self.pairs.iter().copied().collect();
        seed_r_squared(&pairs)
    }
    /// Settled enough to be shown, and to count for R2.
    #[must_use]
    pub fn counts(&self, domain: Domain, minimum: u32) -> bool {
        self.settled >= u64::from(domain.minimum(minimum))
    }
    /// Share of three-way classes that were right.
    #[must_use]
    pub fn hit_rate(&self) -> Option<f64> {
        (self.settled > 0).then(|| self.hits as f64 / self.settled as f64)
    }
}

/// A settled forecast that is not finite.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Refused;

/// A score on the scale of fitness: 0.35 is one percent less loss than naive, 0.74 nine.
pub(crate) fn fitness_of(score: f64) -> f64 {
    NAIVE_FITNESS + FITNESS_PER_SCORE * score
}

/// The nominal ticks that a settled forecast stands for: what is new since the last one, at most its own span.
fn stands_for(s: &SettledForecast, last: Option<VirtualTime>, now: VirtualTime) -> f64 {
    let span = if s.domain == Domain::ActionOutcome { LONGEST_ACTION } else { now.since(s.made) };
    last.map_or(span, |last| s.made.since(last).min(span)).as_nominal()
}

/// How much of a memory some ticks are.
fn share_of_memory(ticks: f64, memory: f64) -> f64 {
    -libm::expm1(-ticks / memory)
}

/// How far a mean follows over some ticks, which are this share of its memory: a plain mean at first, then an exponential one.
fn gain(ticks: f64, share: f64, so_far: &mut f64) -> f64 {
    *so_far = (*so_far + ticks).min(1e12);
    if *so_far <= 0.0 {
        return 1.0;
    }
    (ticks / *so_far).max(share).min(1.0)
}
