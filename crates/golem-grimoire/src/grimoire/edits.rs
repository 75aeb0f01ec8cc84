//! The owner's edit of PLAYBOOK.md: understood, attributed, and taken as far as it can be.

use super::Grimoire;
use crate::playbook::{OwnerChange, PlaybookProblem, edit, read};
use golem_core::VirtualTime;

/// What became of an edit.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct EditReport {
    /// Rules that the owner added, changed or took out.
    pub changes: u32,
    /// What could not be taken, with its line.
    pub problems: Vec<PlaybookProblem>,
    /// The revision that came of it.
    pub revised: Option<u32>,
    /// Ids of the rules that are no longer what they were.
    pub touched: Vec<crate::playbook::RuleId>,
}

impl Grimoire {
    /// Whether a text is a playbook of this golem that nobody has touched since it was written.
    #[must_use]
    pub fn wrote(&self, text: &str) -> bool {
        read(text, &[]).is_ok_and(|found| found.untouched && found.playbook.golem() == self.origin.golem)
    }

    /// Take what the owner made of the page. `parameters` are the keys that rules may scale.
    pub fn take_edit(&mut self, text: &str, parameters: &[&str], now: VirtualTime) -> EditReport {
        match edit(&self.writer.text(), text, parameters, now) {
            Err(problems) => EditReport { problems, ..EditReport::default() },
            Ok(found) => {
                let touched = found
                    .changes
                    .iter()
                    .map(|change| match change {
                        OwnerChange::Added(rule) | OwnerChange::Removed(rule) => rule.id().clone(),
                        OwnerChange::Changed { from, .. } => from.id().clone(),
                    })
                    .collect::<Vec<_>>();
                let problems = found.problems.clone();
                let revision = self.writer.accept(found);
                EditReport { changes: touched.len() as u32, problems, revised: self.publish(revision), touched }
            }
        }
    }
}
