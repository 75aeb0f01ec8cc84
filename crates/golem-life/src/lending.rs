//! Vectors by an embedder elsewhere. A turn that asks its memory has its words made into a vector first, and with them some
//! of what has no vector yet; whatever does not come, the bundled embedder stands in.

use crate::fact::LifeFact;
use crate::life::{Facts, Life};
use crate::step::{Answer, Question, Step};
use golem_core::Usdc;
use golem_core::allowance::Allowance;
use golem_core::door::{EmbedReply, EmbedRequest, Embedding};
use golem_core::model::{ModelAttempt, cost};
use golem_grimoire::change::Subject;
use golem_mind::tier::Gating;
use golem_mortality::economic::Purpose;
use golem_mortality::phase::Inference;

/// Texts that go along with a question.
const ALONG: usize = 32;

/// What waits for vectors: how much the turn is worth, and whose texts they are.
#[derive(Debug)]
pub(crate) struct Lending {
    gating: Gating,
    of: Vec<Subject>,
}

impl Life {
    /// Ask for vectors, where memory is asked and somebody elsewhere makes them. `Err` gives the gating back.
    pub(crate) fn borrow_vectors(&mut self, gating: Gating) -> Result<Step, Gating> {
        let sought = self.sought().filter(|_| self.decides());
        let (Some((_, query)), Some(max_cost)) = (sought, self.may_embed()) else { return Err(gating) };
        let tick = self.state.core.tick;
        let lacking = self.grimoire.as_ref().map(|g| g.without_vector(tick, ALONG)).unwrap_or_default();
        let (of, texts) = lacking.into_iter().map(|(of, text)| (of, text.to_owned())).unzip();
        self.half.lending = Some(Box::new(Lending { gating, of }));
        Ok(Step::Ask(Question::Embed(Box::new(EmbedRequest { query: Some(query), texts, max_cost }))))
    }

    /// What vectors may cost now; none where nobody makes them, or where the phase counts every token.
    pub(crate) fn may_embed(&self) -> Option<Usdc> {
        let anyone = self.genesis.settings.thinking.embeds && self.grimoire.is_some();
        let frugal = matches!(self.phase().behaviour().inference, Inference::T1Limited | Inference::ReflectionOnly);
        // Vectors are no questions.
        let allowance = Allowance { calls: u32::MAX, ..self.genesis.settings.thinking.allowance() };
        self.may_pay(&allowance).filter(|_| anyone && !frugal)
    }

    /// Whether nearly all that is known has a vector by now: before that the bundled ones find more.
    pub(crate) fn is_lent(&self) -> bool {
        let tick = self.state.core.tick;
        self.grimoire.as_ref().is_some_and(|g| g.without_vector(tick, ALONG + 1).len() <= ALONG)
    }

    /// Vectors came, or none.
    pub(crate) fn take_vectors(
        &mut self,
        lending: Lending,
        answer: &Answer,
        facts: &mut Facts,
    ) -> (Gating, Option<Embedding>) {
        let Lending { gating, of } = lending;
        let Answer::Embedded(reply) = answer else { return (gating, None) };
        self.book_vectors(reply, facts);
        if let Some(grimoire) = &mut self.grimoire {
            for (of, vector) in of.into_iter().zip(&reply.texts) {
                vector.iter().for_each(|v| grimoire.take_vector(of, v.clone()));
            }
        }
        (gating, reply.query.clone())
    }

    /// Every try is paid for, whether it brought anything or not.
    pub(crate) fn book_vectors(&mut self, reply: &EmbedReply, facts: &mut Facts) {
        self.state.thought.book_vectors(self.state.core.age, &reply.attempts);
        let cost = cost(&reply.attempts);
        self.half.spent = self.half.spent.plus(cost);
        let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        let tokens = reply.attempts.iter().fold(0u64, |sum, a| sum.saturating_add(a.input_tokens));
        self.tell(
            facts,
            LifeFact::Embedded {
                texts: count(reply.texts.len()),
                came: count(reply.texts.iter().flatten().count()),
                query: reply.query.is_some(),
                tokens,
                cost,
                failed: reply.attempts.iter().find_map(|a: &ModelAttempt| a.failed),
            },
        );
        if cost > Usdc::ZERO {
            let paid = self.state.ledger.spend(Purpose::Inference, cost);
            self.tell(facts, LifeFact::Paid { purpose: paid.purpose, amount: paid.amount });
        }
    }
}
