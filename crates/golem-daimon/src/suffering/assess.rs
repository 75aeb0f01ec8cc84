//! What becomes of what an agent says: stored, a duplicate, dropped and why, a claim, a request, or an end.
//!
//! Nothing in this file touches the measured ledger: a word about it is recorded, and that is all.

use super::assessment::{Assessment, Claim, Report};
use super::canonical::Canonical;
use super::course::Course;
use super::facts::{Drop, SufferingFact};
use super::history::{Ending, Ledger};
use super::line::Line;
use super::recorded::Seen;
use super::reported::{Condition, REPORTED_INITIAL, Reported};
use super::state::{MOST_ACTIVE, MOST_NEW_PER_CYCLE, MOST_REPORTED, Suffering};
use serde::{Deserialize, Serialize};

/// What became of one item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    /// It is open now.
    Stored {
        /// Whether its condition can be checked.
        checkable: bool,
    },
    /// One of that name is already open.
    Duplicate,
    /// It was not stored.
    Dropped {
        /// Why.
        why: Drop,
    },
    /// A canonical name: its rule was asked, and decides alone.
    Asked {
        /// Whether the rule says that it is open.
        open: bool,
    },
    /// It could not be checked, so the word ended it.
    Ended,
    /// It was checked, and it is over.
    Eased,
    /// It is not over; the claim is recorded.
    Claimed,
    /// Nothing of that name is open.
    NotOpen,
}

/// What became of an assessment, item by item.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Assessed {
    /// For each stressor that was named, in order.
    pub new: Vec<Answer>,
    /// For each that was said to be over, in order.
    pub resolved: Vec<Answer>,
    /// What happened.
    #[serde(skip)]
    pub facts: Vec<SufferingFact>,
}

impl Suffering {
    /// Take in what an agent says of itself.
    pub fn assess(&mut self, said: &Assessment, seen: Seen<'_>) -> Assessed {
        self.escalate(seen.now);
        let mut facts = Vec::new();
        // What is over makes room for what is new.
        let resolved = said.resolved.iter().map(|c| self.hear_claim(c, seen, &mut facts)).collect();
        let new = said.new.iter().map(|r| self.hear_report(r, seen, &mut facts)).collect();
        self.crisis.look(self.load());
        self.tell(&mut facts);
        Assessed { new, resolved, facts }
    }

    fn hear_report(&mut self, said: &Report, seen: Seen<'_>, facts: &mut Vec<SufferingFact>) -> Answer {
        if let Some(which) = Canonical::named(said.name.as_str()) {
            let was = self.severity(which).is_some();
            return Answer::Asked { open: which.is_open(was, seen) };
        }
        let course = Course::new(seen.now, REPORTED_INITIAL);
        let condition = Condition::of(said.condition.clone());
        let (name, description) = (said.name.clone(), said.description.clone());
        let domain = said.domain.or(seen.recorded.doing);
        self.store(Reported { name, description, condition, domain, course }, facts)
    }

    /// The one door to the reported ledger.
    pub(super) fn store(&mut self, new: Reported, facts: &mut Vec<SufferingFact>) -> Answer {
        if self.reported.iter().any(|r| r.name == new.name) {
            return Answer::Duplicate;
        }
        let full = if self.active() >= MOST_ACTIVE {
            Some(Drop::Active)
        } else if self.reported.len() >= MOST_REPORTED {
            Some(Drop::Reported)
        } else if self.new_in_cycle >= MOST_NEW_PER_CYCLE {
            Some(Drop::PerCycle)
        } else {
            None
        };
        if let Some(why) = full {
            facts.push(SufferingFact::Dropped { stressor: new.name.into(), why });
            return Answer::Dropped { why };
        }
        facts.push(SufferingFact::Onset {
            stressor: new.name.as_str().to_owned(),
            ledger: Ledger::Reported,
            severity: new.severity(),
            resumed: false,
            domain: new.domain,
            evidence: new.description.as_str().to_owned(),
        });
        let checkable = new.condition.is_checkable();
        self.reported.push(new);
        self.new_in_cycle = self.new_in_cycle.saturating_add(1);
        Answer::Stored { checkable }
    }

    fn hear_claim(&mut self, said: &Claim, seen: Seen<'_>, facts: &mut Vec<SufferingFact>) -> Answer {
        if let Some(which) = Canonical::named(said.name.as_str()) {
            if self.severity(which).is_none() {
                return Answer::NotOpen;
            }
            facts.push(claim(which.name(), Ledger::Measured, &said.reason, which.distance(seen)));
            return Answer::Claimed;
        }
        let Some(at) = self.reported.iter().position(|r| r.name == said.name) else { return Answer::NotOpen };
        let condition = &self.reported[at].condition;
        if condition.is_checkable() && !condition.holds(seen.snapshot) {
            let distance = condition.distance(seen.snapshot).unwrap_or_else(|| condition.text().to_owned());
            facts.push(claim(said.name.as_str(), Ledger::Reported, &said.reason, distance));
            return Answer::Claimed;
        }
        let checked = condition.is_checkable();
        let (ending, note) = if checked {
            (Ending::Eased, condition.text().to_owned())
        } else {
            (Ending::Word, format!("the agent wrote: \"{}\"", said.reason))
        };
        let row = self.reported.remove(at).ended(seen.now, ending, note);
        self.memory.learn(&row);
        facts.push(SufferingFact::Resolved(row));
        if checked { Answer::Eased } else { Answer::Ended }
    }
}

fn claim(stressor: &str, ledger: Ledger, reason: &Line, distance: String) -> SufferingFact {
    SufferingFact::Claim { stressor: stressor.to_owned(), ledger, reason: reason.clone(), distance }
}
