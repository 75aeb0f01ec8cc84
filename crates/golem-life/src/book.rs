//! Receipts are booked: money and positions move, permits are settled, previews are held against what came of them. What the
//! chain took back is unbooked.

use crate::fact::{Fact, LifeFact};
use crate::life::Life;
use crate::scratch::Wished;
use golem_core::door::Amended;
use golem_core::intent::Outcome;
use golem_core::verification::flows;
use golem_core::{Book, HomeSum, Intent, OutcomeVerification, Positive, Receipt, Usdc, UsdcDelta};
use golem_daimon::affect::Event;
use golem_daimon::suffering::ActivityDomain;
use golem_grimoire::entry::RuleAction;
use golem_grimoire::playbook::RuleId;
use golem_mortality::economic::Purpose;

/// A rule with at least this confidence is one of the golem's own values.
const VALUED_BP: u16 = 7_000;

impl Life {
    pub(crate) fn book_all(&mut self, wished: &[Wished], receipts: &[Receipt]) {
        for (n, (wished, receipt)) in (0..).zip(wished.iter().zip(receipts)) {
            self.conclude(n, wished, receipt);
        }
    }

    /// A wish has come to its end: book it, settle its permit, hold the prediction against it.
    fn conclude(&mut self, n: u32, wished: &Wished, receipt: &Receipt) {
        let Some(permit) = wished.permit else {
            self.turn.outcomes.push(None);
            self.turn.realised.push(UsdcDelta(0));
            // Nothing was done, and the mind must know that: it may have counted on it.
            return self.state.mind.verify(&wished.preview, receipt, self.learning(), &mut self.turn.settled);
        };
        let (won, lost) = (self.state.core.profit, self.state.core.loss);
        self.book(receipt);
        let (profit, loss) = (self.state.core.profit.minus(won), self.state.core.loss.minus(lost));
        let realised = profit.delta(loss);
        self.turn.realised.push(realised);
        let worth = flows(&receipt.outcome)[0].unsigned_abs();
        let worth = i128::from(u64::try_from(worth).unwrap_or(u64::MAX)) - i128::from(realised.0);
        if receipt.was_done() {
            self.note_deed(&receipt.intent, realised, u64::try_from(worth).unwrap_or(0));
        }
        let mut told = Vec::new();
        self.state.cage.settle(permit, self.state.core.tick, receipt, &mut told);
        self.tell_of_cage(told);
        let (learning, before) = (self.learning(), self.turn.settled.len());
        self.state.mind.verify(&wished.preview, receipt, learning, &mut self.turn.settled);
        let judged = self.turn.settled.get(before);
        let (predicted_bps, actual_bps) = (judged.map(|s| s.predicted), judged.map(|s| s.actual));
        self.turn.outcomes.push(predicted_bps.zip(actual_bps));
        let verification = OutcomeVerification::of(self.state.core.tick, n, &wished.preview, receipt);
        let outcome = LifeFact::Outcome {
            verification: Box::new(verification),
            predicted_bps,
            actual_bps,
            price: self.state.portfolio.price.map(Positive::get),
            realised: Some(realised),
            because: self.turn.because.get(n as usize).copied(),
            rules: self.turn.rules.clone(),
        };
        self.emit(wished.decided, Fact::Life(outcome));
    }

    /// Move money and positions as a receipt says.
    fn book(&mut self, receipt: &Receipt) {
        let (partitions, refill) = (self.shares(), self.prices.refill_bps);
        if receipt.gas.cost > Usdc::ZERO {
            let purpose = if self.is_dying() { Purpose::Settlement } else { Purpose::Gas };
            let paid = self.state.ledger.spend(purpose, receipt.gas.cost);
            self.turn.gas = self.turn.gas.plus(paid.amount);
            self.tell(LifeFact::Paid { purpose: paid.purpose, amount: paid.amount });
        }
        match receipt.outcome {
            Outcome::SentHome { sum } => self.book_home(sum, receipt.after),
            // It pays for gas from now on, and is in no book any more; that is no loss.
            Outcome::Unwrapped { gave } => self.state.cage.sent_home(self.state.portfolio.spot(gave)),
            _ => {}
        }
        let realised = self.state.portfolio.book(&receipt.outcome);
        let unpaid = self.state.ledger.put_into_positions(realised.put);
        if unpaid > Usdc::ZERO {
            self.tell(LifeFact::Overdrawn { amount: unpaid });
        }
        if realised.got > Usdc::ZERO {
            self.state.ledger.receive(realised.got, realised.profit, refill, &partitions);
        }
        if let Some(after) = &receipt.after {
            let dollars = self.dollars_there();
            self.state.portfolio.believe(after, dollars);
        }
        let core = &mut self.state.core;
        core.profit = core.profit.plus(realised.profit);
        core.loss = core.loss.plus(realised.loss);
        core.trades += u64::from(is_trade(&receipt.outcome));
    }

    /// Something went home: no trade, and no loss.
    fn book_home(&mut self, sum: HomeSum, after: Option<Book>) {
        let worth = self.home_worth(sum);
        let (usdc, _) = sum.booked();
        // Who holds nothing else sees its account only in what it sends: what stands there beyond its books is somebody's gift.
        let beyond = after.map_or(Usdc::ZERO, |book| book.usdc.minus(self.on_chain().minus(usdc)));
        self.turn.gifts.usdc = self.turn.gifts.usdc.max(beyond);
        if let (HomeSum::Coin(amount), Some(gas)) = (sum, &mut self.state.gas) {
            gas.coin = gas.coin.minus(amount);
            self.state.homegoing.get_or_insert_default().went(sum, worth, Usdc::ZERO);
            return;
        }
        let kept = self.kept_for_telling(sum);
        let spent_before = self.state.ledger.send_home(usdc, kept);
        self.state.cage.sent_home(worth.minus(spent_before));
        self.state.homegoing.get_or_insert_default().went(sum, worth, spent_before);
    }

    /// Something was done: was it against a rule that held and is believed?
    fn note_deed(&mut self, intent: &Intent, realised: UsdcDelta, worth: u64) {
        let now = self.state.core.age;
        self.state.inner.doing = ActivityDomain::of_intent(intent).or(self.state.inner.doing);
        if realised.0 != 0 && worth > 0 {
            let pct = realised.0.unsigned_abs() as f64 / worth as f64 * 100.0;
            let event = if realised.0 > 0 { Event::TradeProfit { pct } } else { Event::TradeLoss { pct } };
            self.turn.felt.events.push(event);
        }
        if intent.only_reduces() {
            return;
        }
        let Some(grimoire) = &self.grimoire else { return };
        let against = |id: &&RuleId| {
            let rule = grimoire.playbook().rule(id).map(|r| r.words());
            rule.is_some_and(|r| r.confidence_bp >= VALUED_BP && matches!(r.action, RuleAction::StandAside))
        };
        let found = grimoire.fired().ids.iter().find(against).cloned();
        if let Some(rule) = found {
            self.state.inner.violated(now, rule);
        }
    }

    /// The chain changed its mind: take back what it took back, the newest first, then book what holds now, the oldest
    /// first. In any other order something would be taken from what is not there yet.
    pub(crate) fn amend(&mut self, amended: &[Amended]) {
        let mut in_order: Vec<_> = amended.iter().collect();
        in_order.sort_by_key(|a| a.key);
        let died = self.state.mortality.death.as_ref().map(|death| death.tick);
        for (key, was) in in_order.iter().rev().filter_map(|a| Some((a.key, a.was.as_ref()?))) {
            let [mut usdc, ..] = flows(&was.outcome);
            self.state.portfolio.unbook(&was.outcome);
            if let Outcome::SentHome { sum } = was.outcome {
                let back = self.state.homegoing.get_or_insert_default().came_back(sum);
                self.state.ledger.unsend(back);
                self.home_was_taken_back(key.tick, sum);
                usdc = 0;
            }
            let settles = died.is_some_and(|died| key.tick > died);
            let purpose = if settles { Purpose::Settlement } else { Purpose::Gas };
            self.state.ledger.unbook(usdc, purpose, was.gas.cost);
        }
        for Amended { key, was, now } in in_order {
            if let Some(now) = now {
                self.book(now);
                self.home_came_after_all(key.tick, now);
            }
            self.state.cage.amend(was.as_ref(), now.as_ref());
            let booked = now.as_ref().map(|now| Box::new((now.outcome, now.gas.cost)));
            let (key, was, now) = (*key, was.is_some(), now.is_some());
            self.tell(LifeFact::Reorged { key, was, now, booked });
        }
    }
}

fn is_trade(outcome: &Outcome) -> bool {
    !matches!(outcome, Outcome::Held | Outcome::Refused { .. } | Outcome::SentHome { .. } | Outcome::Unwrapped { .. })
}
