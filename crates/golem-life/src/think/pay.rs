//! What thinking may cost, and what it has cost.

use crate::fact::LifeFact;
use crate::life::Life;
use crate::scratch::Thinking;
use golem_core::Usdc;
use golem_core::allowance::Allowance;
use golem_core::model::{ModelPurpose, ModelReply, ModelTier};
use golem_mind::tier::{Gating, Tier};
use golem_mortality::economic::Purpose;

impl Life {
    /// The tier of this turn, and what a question may cost at most; none when nobody can be asked.
    pub(super) fn may_ask(&self, gating: &Gating) -> Option<(ModelTier, Usdc)> {
        let thinking = &self.genesis.settings.thinking;
        let wanted = match gating.tier {
            Tier::T0 => return None,
            // A golem with only one model thinks with that one.
            Tier::T1 if !thinking.t1 => Tier::T2,
            Tier::T2 if !thinking.t2 => Tier::T1,
            tier => tier,
        };
        Some((wanted.model()?, self.may_pay(&thinking.allowance())?))
    }

    /// What anybody elsewhere may be paid for one answer now; none when the day's allowance is used up.
    pub(crate) fn may_pay(&self, allowance: &Allowance) -> Option<Usdc> {
        let settings = &self.genesis.settings;
        let (now, dreams) = (self.state.core.age, 0);
        if self.state.thought.is_over(allowance, now) {
            return None;
        }
        let today = self.state.thought.room(allowance, now, ModelPurpose::Waking, dreams);
        let caps = settings.mortality.economic.daily_caps;
        let purse = self.state.ledger.room(Purpose::Inference, self.reserve(), &caps);
        Some(today.min(purse).min(settings.thinking.request_usdc))
    }

    /// Every try is paid for, whether it brought anything or not.
    pub(super) fn book_thought(&mut self, thinking: &mut Thinking, reply: &ModelReply) {
        let now = self.state.core.age;
        self.state.thought.book(now, ModelPurpose::Waking, reply);
        for attempt in &reply.attempts {
            thinking.tokens =
                thinking.tokens.saturating_add(attempt.input_tokens).saturating_add(attempt.output_tokens);
            let told = LifeFact::Inference { tier: thinking.tier, attempt: Box::new(attempt.clone()) };
            self.tell(told);
        }
        let cost = reply.cost();
        thinking.cost = thinking.cost.plus(cost);
        self.turn.spent = self.turn.spent.plus(cost);
        if cost > Usdc::ZERO {
            let paid = self.state.ledger.spend(Purpose::Inference, cost);
            self.tell(LifeFact::Paid { purpose: paid.purpose, amount: paid.amount });
        }
    }
}
