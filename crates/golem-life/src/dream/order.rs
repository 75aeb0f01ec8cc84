//! What an owner can say to a dreamer: dream now, wake up, and yes or no to what is staged. Talk waits until it wakes.

use crate::input::{Ask, Order};
use crate::life::Life;
use crate::turn_end::Reply;
use golem_dreams::journal::{WakeInterrupt, WakeInterruptSource};
use golem_grimoire::grimoire::OwnerVerdict;

impl Life {
    pub(crate) fn asked_to_dream(&mut self) -> String {
        let Some(dreaming) = &mut self.state.dreams else {
            return "it does not dream: dreams were off at birth (dream.enabled)".to_owned();
        };
        if let Some(cycle) = &dreaming.cycle {
            return format!("it is dreaming already: {}", cycle.id());
        }
        dreaming.ordered = Some(self.state.core.age);
        match dreaming.blocked.as_ref() {
            Some(why) => format!("it will dream as soon as nothing stands in the way; now {why}"),
            None => "it dreams from the next turn on, unless something stands in the way".to_owned(),
        }
    }

    pub(crate) fn asked_to_wake(&mut self, reason: &str) -> String {
        let timestamp = self.state.core.at;
        match &mut self.state.dreams {
            Some(dreaming) if dreaming.cycle.is_some() => {
                let reason = golem_core::words::one_line(reason, 200);
                dreaming.woken.get_or_insert(WakeInterrupt { source: WakeInterruptSource::Owner, reason, timestamp });
                "waking up".to_owned()
            }
            _ => "it is awake".to_owned(),
        }
    }

    pub(crate) fn judge_staged(&mut self, proposal: u64, approved: bool) -> String {
        let now = self.state.core.age;
        let Some(grimoire) = &mut self.grimoire else { return "nothing is staged: it lives without memory".to_owned() };
        let (verdict, judged) = grimoire.judged_by_owner(proposal, approved, now);
        self.dreams_judged(judged, &[]);
        match verdict {
            OwnerVerdict::NoSuchProposal => format!("no proposal {proposal} is staged"),
            OwnerVerdict::Rejected => format!("proposal {proposal} is off the table"),
            OwnerVerdict::TurnedAway => {
                format!("proposal {proposal} did not pass the gate: it is known, or speaks against more")
            }
            OwnerVerdict::Admitted { revised, context } => {
                self.tell_revised(revised);
                self.make_room(&context);
                format!("proposal {proposal} is believed from now on")
            }
        }
    }

    /// Words that reach a sleeper are kept, and answered when it wakes.
    pub(crate) fn hold_words(&mut self, order: &Order) {
        if let Ask::Tell { text } = &order.ask {
            self.state.diary.hear(text);
        }
        let until = self.state.dreams.as_mut().map(|dreaming| {
            dreaming.held.push(order.id);
            dreaming.cycle.as_ref().map(golem_dreams::cycle::DreamCycle::id).unwrap_or_default()
        });
        let text = format!("it is dreaming ({}); your words wait until it wakes", until.unwrap_or_default());
        self.turn.replies.push(Reply { order: order.id, text });
    }

    /// It is awake: what was said meanwhile is heard like words of this turn.
    pub(crate) fn answer_held(&mut self) {
        let held = self.state.dreams.as_mut().map(|d| std::mem::take(&mut d.held)).unwrap_or_default();
        self.turn.told.extend(held);
    }
}
