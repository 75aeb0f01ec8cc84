//! What would have been done without each rule that is in force: its twin, from which the rule is credited.

use crate::life::Life;
use golem_core::Intent;
use golem_core::intent::Holdings;
use golem_core::observed::Field;
use golem_grimoire::grimoire::TwinDifference;
use golem_grimoire::playbook::RuleId;
use golem_grimoire::{EntryId, WarningSeverity};
use golem_mind::twin::DecisionShape;
use golem_mind::{Guidance, Permissions, Valuation};

/// What would be wanted without a rule.
pub(crate) struct WithoutRule {
    rule: RuleId,
    wanted: Vec<Intent>,
}

impl Life {
    /// What would be wanted without each of the rules in force. To be asked before the decision is made.
    pub(crate) fn without_rules(
        &self,
        guidance: &Guidance,
        of: (&Holdings, &Valuation),
        may: &Permissions,
    ) -> Vec<WithoutRule> {
        if self.grimoire.is_none() || guidance.is_idle() {
            return Vec::new();
        }
        let (now, policy) = (self.state.core.age, self.policy());
        let each = guidance.rules.iter().filter(|rule| rule.entry().is_some());
        each.map(|rule| {
            let without = self.guidance_without(guidance, rule);
            WithoutRule { rule: rule.clone(), wanted: self.state.mind.would_want(now, of, may, &policy, &without) }
        })
        .collect()
    }

    /// The guidance as it would be without one of its rules.
    pub(crate) fn guidance_without(&self, guidance: &Guidance, out: &RuleId) -> Guidance {
        let Some(grimoire) = &self.grimoire else { return guidance.clone() };
        let fired = grimoire.fired();
        let heeds = self.genesis.settings.grimoire.playbook;
        let mut without = if heeds { Guidance::from(&grimoire.fired_without(out)) } else { Guidance::default() };
        for id in guidance.rules.iter().filter(|id| *id != out && !fired.ids.contains(id)) {
            if let Some(entry) = id.entry().and_then(|id| grimoire.shelf().entry(id)) {
                without.warn(entry.id, entry.body.severity.unwrap_or(WarningSeverity::Low));
            }
        }
        without
    }

    /// A decision was made: rules that changed it are tried against their twins.
    pub(crate) fn try_twins(&mut self, twins: &[WithoutRule], done: &[Intent], value: &Valuation) {
        let policy = self.policy();
        let Some(price) = self.state.mind.senses().spot() else { return };
        let snapshot = &self.turn.known.snapshot;
        let gas = snapshot.get(Field::MarketGasGwei).and_then(|v| v.as_f64()).unwrap_or(0.0);
        let open = self.state.mind.concentration();
        let shape = |intents: &[Intent]| DecisionShape::of(intents, (price, gas), open, value, &policy);
        let real = shape(done);
        let shadowed: Vec<EntryId> =
            twins.iter().filter_map(|t| t.rule.entry()).filter(|r| self.is_shadowed(*r)).collect();
        let Some(grimoire) = &mut self.grimoire else { return };
        for twin in twins {
            let beyond = real.beyond(&shape(&twin.wanted));
            let (Some(rule), false) = (twin.rule.entry(), beyond.is_nothing()) else { continue };
            if shadowed.contains(&rule) {
                continue;
            }
            let DecisionShape { exposure, pooled, cost_bps } = beyond;
            let retrieved = self.turn.known.used.retrieved.contains(&rule);
            let difference = TwinDifference { exposure, pooled, cost_bps };
            grimoire.try_twin(rule, retrieved, difference, snapshot, self.state.core.age);
        }
    }
}
