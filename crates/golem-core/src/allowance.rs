//! What thinking may cost in a day: caps on money, questions and tokens, and the share of it that dreams may have.
//!
//! Days are of the golem's own virtual time, so that a replayed life is allowed exactly what it was allowed then.

use crate::model::{ModelAttempt, ModelPurpose, ModelReply, cost};
use crate::money::Usdc;
use crate::time::VirtualTime;
use serde::{Deserialize, Serialize};

/// The caps of a day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Allowance {
    /// The most that all models together may cost.
    pub money: Usdc,
    /// The most questions.
    pub calls: u32,
    /// The most tokens, in and out.
    pub tokens: u64,
}

/// What was used of a day: belongs to the golem's state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Thought {
    /// Which day, counted from birth.
    pub day: u64,
    /// What it cost, for all purposes.
    pub cost: Usdc,
    /// What of it dreams cost.
    pub dreams: Usdc,
    /// Questions.
    pub calls: u32,
    /// Tokens, in and out.
    pub tokens: u64,
}

impl Thought {
    /// What a question may cost now: nothing when the day's questions or tokens are used up. Dreams have their share in
    /// basis points of the day's money, and no more.
    #[must_use]
    pub fn room(&self, allowance: &Allowance, now: VirtualTime, purpose: ModelPurpose, dream_share_bps: u32) -> Usdc {
        let today = self.on(now);
        if today.calls >= allowance.calls || today.tokens >= allowance.tokens {
            return Usdc::ZERO;
        }
        let left = allowance.money.minus(today.cost);
        match purpose {
            ModelPurpose::Dream => left.min(allowance.money.share_bps(dream_share_bps).minus(today.dreams)),
            ModelPurpose::Waking | ModelPurpose::Reflection => left,
        }
    }

    /// Book a reply, whether it brought an answer or not: what was tried was paid for.
    pub fn book(&mut self, now: VirtualTime, purpose: ModelPurpose, reply: &ModelReply) {
        *self = self.on(now);
        if reply.attempts.is_empty() {
            return;
        }
        if purpose == ModelPurpose::Dream {
            self.dreams = self.dreams.plus(reply.cost());
        }
        self.calls = self.calls.saturating_add(1);
        self.use_up(&reply.attempts);
    }

    /// Book what vectors cost. Their money and tokens count; they are no questions.
    pub fn book_vectors(&mut self, now: VirtualTime, attempts: &[ModelAttempt]) {
        *self = self.on(now);
        self.use_up(attempts);
    }

    /// Book what a call cost that nobody heard the answer of.
    pub fn book_swallowed(&mut self, now: VirtualTime, purpose: ModelPurpose, cost: Usdc) {
        *self = self.on(now);
        self.cost = self.cost.plus(cost);
        if purpose == ModelPurpose::Dream {
            self.dreams = self.dreams.plus(cost);
        }
    }

    fn use_up(&mut self, attempts: &[ModelAttempt]) {
        self.cost = self.cost.plus(cost(attempts));
        for attempt in attempts {
            self.tokens = self.tokens.saturating_add(attempt.input_tokens).saturating_add(attempt.output_tokens);
        }
    }

    /// True when the day's questions or tokens are used up, or money was spent and none is left. Whoever pays nothing for
    /// an answer may still ask.
    #[must_use]
    pub fn is_over(&self, allowance: &Allowance, now: VirtualTime) -> bool {
        let today = self.on(now);
        let broke = today.cost > Usdc::ZERO && today.cost >= allowance.money;
        broke || today.calls >= allowance.calls || today.tokens >= allowance.tokens
    }

    /// What was used on the day of a moment.
    #[must_use]
    pub fn today(&self, now: VirtualTime) -> Self {
        self.on(now)
    }

    /// The same day's use, or that of a new day.
    fn on(&self, now: VirtualTime) -> Self {
        let day = now.day();
        if day == self.day { *self } else { Self { day, ..Self::default() } }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::Hash;
    use crate::model::{ModelAnswer, ModelAttempt, ModelFailure};

    const CAPS: Allowance = Allowance { money: Usdc(1_000), calls: 3, tokens: 500 };
    const NOW: VirtualTime = VirtualTime(5 * 86_400_000 - 1);

    fn reply(costs: &[u64]) -> ModelReply {
        let attempt = |cost: &u64| ModelAttempt {
            provider: "a".into(),
            model: "m".into(),
            input_tokens: 90,
            cached_tokens: 0,
            output_tokens: 10,
            estimated: false,
            cost: Usdc(*cost),
            failed: None,
            drift: false,
            leaked: false,
            note: String::new(),
            receipt: String::new(),
        };
        let answer = ModelAnswer::Nothing { why: ModelFailure::Unfit };
        ModelReply { request: Hash::default(), answer, attempts: costs.iter().map(attempt).collect() }
    }

    fn room(thought: &Thought, purpose: ModelPurpose) -> u64 {
        thought.room(&CAPS, NOW, purpose, 1_000).0
    }

    #[test]
    fn every_try_counts_until_the_day_is_over() {
        let mut thought = Thought::default();
        assert_eq!(room(&thought, ModelPurpose::Waking), 1_000);
        thought.book(NOW, ModelPurpose::Waking, &reply(&[300, 200]));
        assert_eq!((room(&thought, ModelPurpose::Waking), thought.tokens, thought.calls), (500, 200, 1));
        thought.book(NOW, ModelPurpose::Reflection, &reply(&[900]));
        assert_eq!((room(&thought, ModelPurpose::Waking), thought.cost), (0, Usdc(1_400)));
        let tomorrow = VirtualTime(NOW.0 + 1);
        assert_eq!(thought.room(&CAPS, tomorrow, ModelPurpose::Waking, 0), Usdc(1_000));
        thought.book(tomorrow, ModelPurpose::Waking, &reply(&[7]));
        assert_eq!((thought.day, thought.cost, thought.calls), (5, Usdc(7), 1));
    }

    #[test]
    fn questions_and_tokens_run_out_too() {
        let mut thought = Thought::default();
        (0..3).for_each(|_| thought.book(NOW, ModelPurpose::Waking, &reply(&[1])));
        assert_eq!(room(&thought, ModelPurpose::Waking), 0, "questions");
        assert!(thought.is_over(&CAPS, NOW) && !thought.is_over(&CAPS, VirtualTime(NOW.0 + 1)));
        assert!(!Thought::default().is_over(&Allowance { money: Usdc::ZERO, ..CAPS }, NOW), "a free model is asked");
        let mut thought = Thought::default();
        thought.book(NOW, ModelPurpose::Waking, &reply(&[1; 5]));
        assert_eq!(room(&thought, ModelPurpose::Waking), 0, "tokens");
        thought = Thought::default();
        (0..9).for_each(|_| thought.book(NOW, ModelPurpose::Waking, &reply(&[])));
        assert_eq!(room(&thought, ModelPurpose::Waking), 1_000, "nobody was asked");
    }

    #[test]
    fn vectors_use_money_and_tokens_but_no_questions() {
        let mut thought = Thought::default();
        thought.book_vectors(NOW, &reply(&[300, 200]).attempts);
        assert_eq!((thought.cost, thought.tokens, thought.calls), (Usdc(500), 200, 0));
        assert_eq!(room(&thought, ModelPurpose::Waking), 500);
        thought.book_vectors(NOW, &reply(&[0; 3]).attempts);
        assert!(thought.is_over(&CAPS, NOW), "tokens");
    }

    #[test]
    fn dreams_have_their_share_and_no_more() {
        let mut thought = Thought::default();
        assert_eq!(room(&thought, ModelPurpose::Dream), 100);
        thought.book(NOW, ModelPurpose::Dream, &reply(&[60]));
        assert_eq!((room(&thought, ModelPurpose::Dream), room(&thought, ModelPurpose::Waking)), (40, 940));
        thought.book(NOW, ModelPurpose::Waking, &reply(&[930]));
        assert_eq!(room(&thought, ModelPurpose::Dream), 10, "what the day has no money for, dreams have not either");
        assert_eq!(thought.room(&CAPS, NOW, ModelPurpose::Dream, 0), Usdc::ZERO);
    }
}
