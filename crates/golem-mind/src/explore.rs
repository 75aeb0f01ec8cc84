//! Strategies that are not its own, tried on paper: an exploring goal that can be reached wherever the golem stands, also
//! while nothing may be opened. A day of decisions that would have paid together is a goal reached. Nothing of it is ever
//! carried out, and none of it counts as missed.

use crate::mind::Mind;
use crate::paper::{Paper, Sheet};
use crate::policy::{Permissions, PolicyConfig, Template, Valuation};
use golem_core::intent::Holdings;
use golem_core::{Elapsed, VirtualTime};
use serde::{Deserialize, Serialize};

/// How long they are tried before each is judged, and tried anew; one that decides seldom is tried for longer.
const SPAN: Elapsed = Elapsed::secs(86_400);
/// Fewer decisions in a span say nothing: one alone is a coin.
const LEAST_DECISIONS: u32 = 3;

/// Other strategies under trial.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Exploration {
    begun: VirtualTime,
    tried: Vec<TriedStrategy>,
}

/// One strategy, and what it would have earned since the span began.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct TriedStrategy {
    template: Template,
    paper: Paper,
    decisions: u32,
    /// In basis points of wealth, costs included.
    earned_bps: f64,
}

impl TriedStrategy {
    fn new(template: Template) -> Self {
        Self { template, paper: Paper::default(), decisions: 0, earned_bps: 0.0 }
    }
    /// Whether it would have paid; what is counted begins anew, unless it is too little to say.
    fn judged(&mut self) -> bool {
        if self.decisions < LEAST_DECISIONS {
            return false;
        }
        let pays = self.earned_bps > 0.0;
        (self.decisions, self.earned_bps) = (0, 0.0);
        pays
    }
}

impl Exploration {
    /// Begin to try whatever is not its own.
    #[must_use]
    pub fn new(own: Template, now: VirtualTime) -> Self {
        let others = Template::ALL.into_iter().filter(|t| *t != own);
        Self { begun: now, tried: others.map(TriedStrategy::new).collect() }
    }

    /// One turn of it: each decides on paper, and what is due is marked to market. Those that were found to pay, once a span
    /// is over.
    pub fn turn(
        &mut self,
        mind: &Mind,
        of: (&Holdings, &Valuation),
        would: &Permissions,
        config: &PolicyConfig,
        now: VirtualTime,
    ) -> Vec<Template> {
        for tried in &mut self.tried {
            let config = PolicyConfig { template: tried.template, ..config.clone() };
            let outlook = mind.outlook_for(&config);
            let sheet =
                Sheet { outlook: &outlook, holdings: of.0, value: of.1, may: would, config: &config, rules: &[] };
            tried.paper.decide(&sheet, mind.senses(), now);
            let mut came = Vec::new();
            tried.paper.settle(mind.senses(), &mut came);
            tried.decisions = tried.decisions.saturating_add(u32::try_from(came.len()).unwrap_or(u32::MAX));
            tried.earned_bps += came.iter().map(|o| o.outcome_bps).sum::<f64>();
        }
        if now.since(self.begun) < SPAN {
            return Vec::new();
        }
        self.begun = now;
        self.tried.iter_mut().filter_map(|t| t.judged().then_some(t.template)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_some_decisions_that_would_have_paid_together_are_a_find() {
        for (decisions, earned_bps, pays) in [(3, 0.1, true), (2, 9.0, false), (9, 0.0, false), (9, -4.0, false)] {
            let mut tried = TriedStrategy { decisions, earned_bps, ..TriedStrategy::new(Template::EthDca) };
            assert_eq!(tried.judged(), pays, "{decisions} {earned_bps}");
            assert!(!tried.judged(), "what was found is not found again");
        }
        let tried = Exploration::new(Template::EthDca, VirtualTime(0)).tried;
        assert!(tried.len() == 3 && tried.iter().all(|t| t.template != Template::EthDca), "its own is nothing new");
    }
}
