//! What becomes of what an agent says: stored, a duplicate, dropped and why, a claim, a request, or an end.
//!
//! Nothing in this file touches the measured ledger: a word about it is recorded, and that is all.

use super::assessment::{Assessment, EaseClaim, StressorReport};
use super::canonical::Canonical;
use super::course::Course;
use super::facts::{Drop, SufferingFact};
use super::history::{StressorEnding, StressorLedger};
use super::recorded::SufferingSeen;
use super::reported::{Condition, REPORTED_INITIAL, Reported};
use super::state::{MOST_ACTIVE, MOST_NEW_PER_CYCLE, MOST_REPORTED, Suffering};
use crate::line::Line;
use serde::{Deserialize, Serialize};

/// What became of one item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ItemAnswer {
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
    pub new: Vec<ItemAnswer>,
    /// For each that was said to be over, in order.
    pub resolved: Vec<ItemAnswer>,
    /// What happened.
    #[serde(skip)]
    pub facts: Vec<SufferingFact>,
}

impl Suffering {
    /// Take in what an agent says of itself.
    pub fn assess(&mut self, said: &Assessment, seen: SufferingSeen<'_>) -> Assessed {
        self.escalate(seen.now);
        let mut facts = Vec::new();
        // What is over makes room for what is new.
        let resolved = said.resolved.iter().map(|c| self.hear_claim(c, seen, &mut facts)).collect();
        let new = said.new.iter().map(|r| self.hear_report(r, seen, &mut facts)).collect();
        self.crisis.look(self.load());
        self.tell(&mut facts);
        Assessed { new, resolved, facts }
    }

    fn hear_report(
        &mut self,
        said: &StressorReport,
        seen: SufferingSeen<'_>,
        facts: &mut Vec<SufferingFact>,
    ) -> ItemAnswer {
        if let Some(which) = Canonical::named(said.name.as_str()) {
            let was = self.severity(which).is_some();
            return ItemAnswer::Asked { open: which.is_open(was, seen) };
        }
        let course = Course::new(seen.now, REPORTED_INITIAL);
        let condition = Condition::of(said.condition.clone());
        let (name, description) = (said.name.clone(), said.description.clone());
        let domain = said.domain.or(seen.recorded.doing);
        self.store(Reported { name, description, condition, domain, course }, facts)
    }

    /// The one door to the reported ledger.
    pub(super) fn store(&mut self, new: Reported, facts: &mut Vec<SufferingFact>) -> ItemAnswer {
        if self.reported.iter().any(|r| r.name == new.name) {
            return ItemAnswer::Duplicate;
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
            return ItemAnswer::Dropped { why };
        }
        facts.push(SufferingFact::Onset {
            stressor: new.name.as_str().to_owned(),
            ledger: StressorLedger::Reported,
            severity: new.severity(),
            resumed: false,
            domain: new.domain,
            evidence: new.description.as_str().to_owned(),
        });
        let checkable = new.condition.is_checkable();
        self.reported.push(new);
        self.new_in_cycle = self.new_in_cycle.saturating_add(1);
        ItemAnswer::Stored { checkable }
    }

    fn hear_claim(&mut self, said: &EaseClaim, seen: SufferingSeen<'_>, facts: &mut Vec<SufferingFact>) -> ItemAnswer {
        if let Some(which) = Canonical::named(said.name.as_str()) {
            if self.severity(which).is_none() {
                return ItemAnswer::NotOpen;
            }
            facts.push(claim(which.name(), StressorLedger::Measured, &said.reason, which.distance(seen)));
            return ItemAnswer::Claimed;
        }
        let Some(at) = self.reported.iter().position(|r| r.name == said.name) else { return ItemAnswer::NotOpen };
        let condition = &self.reported[at].condition;
        if condition.is_checkable() && !condition.holds(seen.snapshot) {
            let distance = condition.distance(seen.snapshot).unwrap_or_else(|| condition.text().to_owned());
            facts.push(claim(said.name.as_str(), StressorLedger::Reported, &said.reason, distance));
            return ItemAnswer::Claimed;
        }
        let checked = condition.is_checkable();
        let (ending, note) = if checked {
            (StressorEnding::Eased, condition.text().to_owned())
        } else {
            (StressorEnding::Word, format!("the agent wrote: \"{}\"", said.reason))
        };
        let row = self.reported.remove(at).ended(seen.now, ending, note);
        self.memory.learn(&row);
        facts.push(SufferingFact::Resolved(row));
        if checked { ItemAnswer::Eased } else { ItemAnswer::Ended }
    }
}

fn claim(stressor: &str, ledger: StressorLedger, reason: &Line, distance: String) -> SufferingFact {
    SufferingFact::Claim { stressor: stressor.to_owned(), ledger, reason: reason.clone(), distance }
}
