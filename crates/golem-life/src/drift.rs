//! Drift: is the golem getting worse in the same weather? Its hourly skill, tagged by regime, compared once a day.
//!
//! Advice only, like the information diagnostics: a comparison across regimes would mistake a storm for decay.

use golem_core::{Elapsed, VirtualTime};
use golem_mortality::SettledForecast;
use golem_mortality::regime_eval::{
    RegimeComparison, RegimeEvaluationConfig, RegimeSample, RegimeTag, RegimeVerdict, compare_in_regime,
};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// One sample an hour: forecasts overlap, so neighbouring turns say nearly the same.
const SAMPLE: Elapsed = Elapsed::nominal(90);
/// Skill is compared once in this many samples: once a day.
const SAMPLES_PER_LOOK: u64 = 24;
/// At most this many samples are kept: about six weeks.
const KEPT: usize = 1_000;

/// Hourly skill by regime.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Drift {
    samples: VecDeque<RegimeSample>,
    taken: u64,
    last: VirtualTime,
    sum: f64,
    count: u32,
}

impl Drift {
    /// Take a turn's settled forecasts in. True when a comparison is due.
    pub fn record(&mut self, settled: &[SettledForecast], tag: RegimeTag, now: VirtualTime) -> bool {
        for s in settled {
            let both = s.model_loss + s.naive_loss;
            if both.is_finite() && both > 0.0 {
                self.sum += s.naive_loss / both;
                self.count += 1;
            }
        }
        if now.since(self.last) < SAMPLE || self.count == 0 {
            return false;
        }
        let value = self.sum / f64::from(self.count);
        (self.last, self.sum, self.count) = (now, 0.0, 0);
        while self.samples.len() >= KEPT {
            self.samples.pop_front();
        }
        self.samples.push_back(RegimeSample { tag, value });
        self.taken += 1;
        self.taken.is_multiple_of(SAMPLES_PER_LOOK)
    }

    /// Compare today with before, in the regime of now; only what counts and has changed is worth telling.
    pub fn look(
        &mut self,
        tag: RegimeTag,
        config: &RegimeEvaluationConfig,
        uniform: &mut dyn FnMut() -> f64,
    ) -> Option<RegimeComparison> {
        let found = compare_in_regime(self.samples.make_contiguous(), tag, config, uniform);
        let changed = matches!(found.verdict, RegimeVerdict::Degraded | RegimeVerdict::Improved);
        (found.counted && changed).then_some(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use golem_mortality::Domain;
    use golem_mortality::regime_eval::Trend;

    #[test]
    fn decay_in_the_same_weather_is_told() {
        let (mut drift, config) = (Drift::default(), RegimeEvaluationConfig::default());
        let tag = RegimeTag::new(2, Trend::Flat);
        let mut told = Vec::new();
        for hour in 1..=400u64 {
            // Skill 0.6 with some noise; from hour 300 on 0.4.
            let noise = (hour * 37 % 11) as f64 / 100.0;
            let skill = if hour < 300 { 0.6 } else { 0.4 } + noise;
            let s = SettledForecast { hit: true, ..SettledForecast::of(Domain::GasCondition, 1.0 - skill, skill) };
            let now = VirtualTime(0).after(Elapsed::nominal(90 * hour));
            if drift.record(&[s], tag, now) {
                let mut n = 0u64;
                let found = drift.look(tag, &config, &mut || {
                    n += 1;
                    (n * 7_919 % 1_000) as f64 / 1_000.0
                });
                told.extend(found.map(|f| (hour, f.verdict)));
            }
        }
        assert!(told.iter().any(|(hour, v)| *hour > 300 && *v == RegimeVerdict::Degraded), "{told:?}");
        assert!(told.iter().all(|(hour, _)| *hour > 300), "{told:?}");
    }
}
