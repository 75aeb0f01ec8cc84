//! The chain may take back that money went home when that stage is over. Then it is tried again in each turn that is left, and
//! what the testament and the record say of it is what holds.

use crate::fact::LifeFact;
use crate::life::Life;
use golem_core::intent::Outcome;
use golem_core::{HomeSum, Intent, Observation, Receipt, Tick};
use golem_grimoire::testament::{HomeTransfer, LeftBehind};

/// Why it is not at home.
const TAKEN_BACK: &str = "the chain took back that it had gone";

impl Life {
    /// The chain took a transfer back: it is not at home any more, as far as that was told already.
    pub(crate) fn home_was_taken_back(&mut self, tick: Tick, sum: HomeSum) {
        let worth = self.home_worth(sum);
        let Some(bed) = &mut self.state.deathbed else { return };
        let Some(at) = bed.home.sent.iter().position(|went| went.tick == tick && went.sum == sum) else { return };
        bed.home.sent.remove(at);
        bed.home.failed.push(LeftBehind { sum, worth, why: TAKEN_BACK.to_owned(), attempts: 1 });
    }

    /// The chain has it after all.
    pub(crate) fn home_came_after_all(&mut self, tick: Tick, went: &Receipt) {
        let Outcome::SentHome { sum } = went.outcome else { return };
        let worth = self.home_worth(sum);
        let Some(bed) = &mut self.state.deathbed else { return };
        let Some(at) = bed.home.failed.iter().position(|left| is_taken(left) && left.sum == sum) else { return };
        bed.home.failed.remove(at);
        bed.home.sent.push(HomeTransfer { tick, sum, worth, gas: went.gas.cost });
    }

    /// What is to go home once more.
    pub(super) fn wish_to_go_home_again(&mut self, seen: &Observation) -> Vec<Intent> {
        let taken = self.state.deathbed.as_ref().is_some_and(|bed| bed.home.failed.iter().any(is_taken));
        if taken { self.wish_to_go_home(seen) } else { Vec::new() }
    }

    /// Book what came of that, and tell how things stand.
    pub(super) fn come_home_again(&mut self, receipts: &[Receipt]) {
        let wished = std::mem::take(&mut self.turn.wished);
        if wished.is_empty() {
            return;
        }
        let (spent, before, advanced) = (self.state.ledger.spent, self.spent_before(), self.advanced());
        self.book_all(&wished, receipts);
        let (tick, gas) = (self.state.core.tick, self.state.ledger.spent.minus(spent));
        let went = wished.iter().zip(receipts).filter_map(|(wish, receipt)| match (wish.permit, receipt.outcome) {
            (Some(_), Outcome::SentHome { sum }) => Some((sum, self.home_worth(sum), receipt.gas.cost)),
            _ => None,
        });
        let went: Vec<_> = went.collect();
        let spent_before = self.spent_before().minus(before).minus(self.advanced().minus(advanced));
        let Some(bed) = &mut self.state.deathbed else { return };
        for left in bed.home.failed.iter_mut().filter(|left| is_taken(left)) {
            left.attempts = left.attempts.saturating_add(1);
        }
        for (sum, worth, gas) in went {
            bed.home.failed.retain(|left| !is_taken(left) || left.sum.name() != sum.name());
            bed.home.sent.push(HomeTransfer { tick, sum, worth, gas });
        }
        bed.home.gas = bed.home.gas.plus(gas);
        bed.home.spent_before = bed.home.spent_before.plus(spent_before);
        bed.home.turns = bed.home.turns.saturating_add(1);
        let report = Box::new(bed.home.clone());
        self.tell(LifeFact::WentHome { report });
    }
}

fn is_taken(left: &LeftBehind) -> bool {
    left.why == TAKEN_BACK
}
