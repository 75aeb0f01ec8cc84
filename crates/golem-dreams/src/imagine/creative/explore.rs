//! A parameter at the two ends of its range, beside the value in use, each kept up on a copy.

use crate::imagine::hypothesis::{ImaginedHypothesis, in_weather, is_width};
use crate::imagine::params::ImaginationParams;
use crate::imagine::score::{better_bps, was_refused};
use crate::imagine::tuning::TunedBy;
use crate::journal::DreamProvenance;
use golem_core::Regime;
use golem_core::door::{ForkAct, ForkFrom, ForkResult, ForkRun};
use golem_grimoire::{Claim, RuleAction};
use serde::{Deserialize, Serialize};

/// A parameter and its edges.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ParameterEdge {
    pub parameter: String,
    pub current: f64,
    pub low: f64,
    pub high: f64,
    pub by: TunedBy,
}

impl ParameterEdge {
    /// The runs: the value in use, the lowest, the highest. None where a value cannot be kept up.
    #[must_use]
    pub fn runs(&self, from: ForkFrom, steps: u32) -> Option<[ForkRun; 3]> {
        let run = |value: f64| {
            let acts = vec![ForkAct { after: 0, what: self.by.deed(value)? }];
            Some(ForkRun { from, acts, weather: Vec::new(), steps })
        };
        Some([run(self.current)?, run(self.low)?, run(self.high)?])
    }

    /// What the edges showed: a hypothesis about the better one, where it beat the value in use by something.
    #[must_use]
    pub fn read(
        &self,
        results: &[ForkResult],
        weather: Regime,
        params: &ImaginationParams,
    ) -> Option<ImaginedHypothesis> {
        let [Ok(now), low, high, ..] = results else { return None };
        let gain = |edge: &ForkResult| {
            let ran = edge.as_ref().ok().filter(|ran| !was_refused(ran))?;
            better_bps(ran, now).filter(|bps| *bps >= params.least_better_bps)
        };
        let edges = [(self.low, gain(low)), (self.high, gain(high))];
        let gained = edges.into_iter().filter_map(|(value, gain)| Some((value, gain?)));
        let (value, bps) = gained.max_by(|a, b| a.1.total_cmp(&b.1))?;
        let then = match (is_width(&self.parameter), value < self.current) {
            (true, true) => "market.fee_yield_ratio > 1.0",
            (true, false) => "market.return_90 < -0.003 || market.return_90 > 0.003",
            (false, true) => "market.return_90 < 0.0",
            (false, false) => "market.return_90 > 0.0",
        };
        let claim = Claim { when: in_weather(weather)?, then: then.to_owned(), unless: None, after_ticks: 90 };
        let text = format!(
            "At its edge of {value:.2}, {} did {bps:.1} basis points better than at {:.2} in {weather} weather.",
            self.parameter, self.current
        );
        let made = ImaginedHypothesis::new(&text, DreamProvenance::Creative, claim, params.hypothesis_confidence)?;
        let scale = RuleAction::Scale { parameter: self.parameter.clone(), factor: value / self.current };
        Some(made.doing(Some(scale)).executed(bps, 1).within(weather))
    }
}
