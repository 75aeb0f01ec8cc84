//! What there is for a child to try: other values of the strategy's parameters, rules in force, rules that are staged, and not
//! doing what was just done.

use crate::life::Life;
use golem_core::observed::Expression;
use golem_dreams::phage::{KeptUp, PhageHypothesis, PhageMenu};
use golem_grimoire::grimoire::StagedRule;
use golem_grimoire::playbook::RuleId;

/// A value this near to the one in use, as a share of it, is no other value.
const SAME: f64 = 0.02;

impl Life {
    pub(super) fn phage_menu(&self) -> PhageMenu {
        let mut all = Vec::new();
        let tunables = self.tunables();
        if let Some(grimoire) = &self.grimoire {
            for entry in grimoire.fired().ids.iter().filter_map(RuleId::entry) {
                let Some(known) = grimoire.shelf().entry(entry) else { continue };
                let done = known.body.action.as_ref().and_then(|action| KeptUp::of_rule(action, &tunables));
                let kept = done.map(|[with, without]| KeptUp { child: without, parent: with });
                let tried = PhageHypothesis::WithoutRule { entry, text: known.body.text.clone(), kept };
                // Doing better without it is as likely as it is wrong.
                all.push((tried, Some(1.0 - f64::from(known.standing.confidence_bp) / 1e4)));
            }
            for StagedRule { proposal, text, when, action } in grimoire.staged_rules() {
                // Where it would apply now, what it does is tried from now on; otherwise the child waits until it would.
                let holds = Expression::compile(&when).is_ok_and(|w| w.evaluate(&self.turn.known.snapshot).holds());
                let done = holds.then(|| KeptUp::of_rule(&action, &tunables)).flatten();
                let kept = done.map(|[with, without]| KeptUp { child: with, parent: without });
                all.push((PhageHypothesis::StagedRule { proposal, text, when, action, kept }, None));
            }
        }
        for tunable in tunables {
            let (parameter, from, by) = (tunable.parameter, tunable.current, tunable.by);
            let others = tunable.values.into_iter().filter(|to| (to - from).abs() > SAME * from.abs());
            all.extend(others.map(|to| {
                let tried = PhageHypothesis::Parameter { parameter: parameter.clone(), from, to, by };
                (tried, None)
            }));
        }
        if !self.turn.done.is_empty() {
            all.push((PhageHypothesis::Contrary { did: self.turn.done.clone() }, None));
        }
        PhageMenu(all)
    }
}
