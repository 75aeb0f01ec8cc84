//! price_direction: the log return of the next 90 nominal ticks, from how far the price is from its means, and from the
//! return of the last 90.
//!
//! Hourly returns are close to unpredictable, so the pull towards 0 is strong and belief in the model must be earned.

use super::advice::Advise;
use super::blend::Prior;
use super::panel::Belief;
use super::track::{FAR, Habit, INPUTS, PendingForecast, Track, TrackTurn, TrackView};
use crate::math::{DAY, clip};
use crate::senses::Senses;
use golem_core::VirtualTime;
use golem_mortality::{Domain, SettledForecast};
use serde::{Deserialize, Serialize};

const DOUBT: Prior = Prior { share: 0.0, weight: 5.0, least: 0.0 };
pub(crate) const HABIT: Habit = Habit {
    domain: Domain::PriceDirection,
    names: ["ridge", "quick ridge", "momentum"],
    penalty: 30.0,
    quick: 48.0,
    belief: Belief {
        // Momentum in one market is reversion in another: its sign is learnt.
        prior: [DOUBT, DOUBT, Prior { least: -1.0, ..DOUBT }],
        weights: [0.2, 0.1, 0.1],
        trust_memory: 120.0,
        loss_memory: 60.0,
    },
};
/// Memory of the inputs' sizes, in nominal ticks.
const SIZE_MEMORY: f64 = 7.0 * DAY;
/// An hour's return before volatility has been seen.
const GUESS: f64 = 0.01;

/// The forecaster of returns.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(crate) struct PriceForecaster {
    pub track: Track,
    /// Mean squares of the raw inputs.
    sizes: [f64; INPUTS],
    age: f64,
}

impl PriceForecaster {
    /// Settle what is due and learn.
    pub(crate) fn sense(&mut self, senses: &Senses, turn: TrackTurn, out: &mut Vec<SettledForecast>) -> f64 {
        let price = senses.price().map(|p| p.last);
        let actual = |p: &PendingForecast| price.map(|now| now - p.mark);
        let surprise = self.track.settle(&HABIT, senses.now(), senses.dt(), turn, actual, out);
        if let Some(raw) = raw_inputs(senses) {
            self.learn_sizes(&raw, senses.dt().min(SIZE_MEMORY) * turn.rate);
        }
        surprise
    }

    fn learn_sizes(&mut self, raw: &[f64; INPUTS], dt: f64) {
        if dt <= 0.0 {
            return;
        }
        self.age = (self.age + dt).min(SIZE_MEMORY);
        let gain = dt / self.age;
        for (size, x) in self.sizes.iter_mut().zip(raw) {
            let square = (x * x).min(if *size > 0.0 { 16.0 * *size } else { 1.0 });
            *size += gain * (square - *size);
        }
    }

    /// Store and return the expected log return.
    pub(crate) fn forecast(
        &mut self,
        senses: &Senses,
        now: VirtualTime,
        advise: &mut Advise<'_>,
    ) -> Option<(f64, bool)> {
        let view = view(&self.sizes, senses)?;
        Some(self.track.issue(&HABIT, &view, now, advise))
    }
    /// The same without a word.
    pub(crate) fn forecast_silently(&mut self, senses: &Senses, now: VirtualTime) {
        let Some(since) = self.track.since_silent(&HABIT, now) else { return };
        if let Some(view) = view(&self.sizes, senses) {
            self.track.issue_silently(&HABIT, &view, now, since);
        }
    }
}

fn view(sizes: &[f64; INPUTS], senses: &Senses) -> Option<TrackView> {
    let price = senses.price()?;
    let mut inputs = raw_inputs(senses).unwrap_or_default();
    for (x, size) in inputs.iter_mut().zip(sizes) {
        *x = if *size > 1e-18 { clip(*x / libm::sqrt(*size), FAR) } else { 0.0 };
    }
    let scale = senses.vol().map_or(GUESS, |v| libm::exp(v.means[2]).clamp(1e-4, 0.5));
    let plain = clip(senses.return_90().unwrap_or(0.0), FAR * scale);
    Some(TrackView { naive: 0.0, base: 0.0, anchor: 0.0, scale, inputs, plain, mark: price.last })
}

/// The last return per root of time, and the distances from the means of an hour, six hours and a day.
fn raw_inputs(senses: &Senses) -> Option<[f64; INPUTS]> {
    let price = senses.price()?;
    let last = senses.response()?[0] / libm::sqrt(senses.dt().max(1.0));
    let [hour, six_hours, day] = price.means.map(|mean| price.last - mean);
    Some([last, hour, six_hours, day, 0.0])
}
