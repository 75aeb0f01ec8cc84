//! What short-lived children say of what is known: acting without a rule, or by one that is staged, was tried on a copy over the
//! path that was lived. It goes the way of all evidence: credit for an entry, a tally for a proposal. Nothing is written to the
//! playbook here; its one writer does that when it looks at confidences and proposals the next time.

use super::Grimoire;
use crate::credit::{TurnedOut, Used};
use crate::entry::EntryId;
use crate::staging::{Proposed, ProposedRevision};
use crate::{Entry, RuleAction};
use golem_core::VirtualTime;

/// Trials by children are numbered apart from decisions and twins.
const CHILDREN: u64 = 1 << 61;

/// A rule that is staged, as a child may try it.
#[derive(Debug, Clone, PartialEq)]
pub struct StagedRule {
    pub proposal: u64,
    pub text: String,
    pub when: String,
    pub action: RuleAction,
}

impl Grimoire {
    /// A child did without a rule, on a copy: the rule turned out well where that was worse. Returns whether that moved it.
    pub fn shadow_judged(&mut self, child: u64, rule: EntryId, turned: TurnedOut, now: VirtualTime) -> bool {
        let Some(hearsay) = self.shelf.entry(rule).map(Entry::is_hearsay) else { return false };
        let number = CHILDREN | child;
        self.credits.open(&mut self.shelf, number, Used { entries: vec![rule], retrieved: Vec::new() });
        let moved = !self.credits.settle(&mut self.shelf, number, turned, now).is_empty();
        // What came from elsewhere becomes this golem's own experience by proof alone.
        if hearsay {
            self.shelf.stand(rule, |s| s.own_validation = false);
        }
        moved
    }

    /// A child lived by a rule that is staged, on a copy.
    pub fn shadow_tried(&mut self, proposal: u64, was_better: bool) {
        self.staging.shadowed(proposal, was_better);
        self.staging.write_rows(&mut self.shelf, false);
    }

    /// Rules that are staged and would be added to the playbook, oldest first.
    #[must_use]
    pub fn staged_rules(&self) -> Vec<StagedRule> {
        let rule = |p: &crate::staging::Proposal| {
            let Proposed::Revision(ProposedRevision::Add(body)) = &p.change else { return None };
            let (text, when, action) = (body.text.clone(), p.claim.when.clone(), body.action.clone()?);
            Some(StagedRule { proposal: p.number, text, when, action })
        };
        self.staging.proposals().filter_map(rule).collect()
    }
}
