//! The rules that a golem is born with stand in its playbook from the first turn on.

use super::Grimoire;
use crate::entry::RuleAction;
use crate::playbook::{Amendment, Rule};

impl Grimoire {
    /// Put them in. What scales a parameter that the golem's template does not have is left out. The revision that came of it.
    pub fn begin_with(&mut self, rules: Vec<Rule>) -> Option<u32> {
        let has = |rule: &Rule| match &rule.words().action {
            RuleAction::Scale { parameter, .. } => self.parameters.contains(&parameter.as_str()),
            RuleAction::Risk { .. } | RuleAction::StandAside => true,
        };
        let wanted = rules.into_iter().filter(has).map(|rule| Amendment::Put(Box::new(rule))).collect();
        let (revision, _) = self.writer.curate(wanted);
        self.publish(revision)
    }
}
