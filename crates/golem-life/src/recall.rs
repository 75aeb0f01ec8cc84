//! In a turn that surprises, memory is asked: by words, and by their vector where an embedder elsewhere makes one. With the
//! question go some of the texts that have no vector yet; whatever does not come, the bundled embedder stands in.

use crate::fact::LifeFact;
use crate::life::Life;
use crate::step::Question;
use golem_core::allowance::Allowance;
use golem_core::door::{EmbedReply, EmbedRequest, Embedding};
use golem_core::model::{ModelAttempt, cost};
use golem_core::{Regime, Usdc};
use golem_grimoire::Situation;
use golem_grimoire::change::TextSubject;
use golem_grimoire::retrieval::Query;
use golem_mind::policy::Guidance;
use golem_mortality::economic::Purpose;
use golem_mortality::phase::PhaseInference;

/// At most this many texts without a vector are sent along with a question.
const ALONG: usize = 32;

impl Life {
    /// What the playbook says, and in a turn that surprises, what memory warns of: it is asked in words, and by their
    /// vector where an embedder elsewhere has made one.
    pub(crate) fn guidance(&mut self, embedding: Option<Embedding>) -> Guidance {
        let (tick, now) = (self.state.core.tick, self.state.core.age);
        let (affect, diversity) = (self.felt(), self.channels().exploration);
        let sought = self.sought();
        let heeds = &self.genesis.settings.grimoire;
        let Some(grimoire) = &mut self.grimoire else { return Guidance::default() };
        let mut guidance = if heeds.playbook { Guidance::from(grimoire.fired()) } else { Guidance::default() };
        if let Some((situation, text)) = sought {
            let lambda = relevance(diversity);
            let seen = Some(self.turn.known.snapshot.clone());
            let query = Query { situation: Some(situation), seen, text, embedding, affect, lambda, ..Query::at(now) };
            let found = grimoire.recall(tick, &query);
            let warned: Vec<_> = grimoire.warnings(&found).filter(|_| heeds.warnings).collect();
            warned.into_iter().for_each(|(id, severity)| guidance.warn(id, severity));
            self.turn.known.used.retrieved = found.hits.iter().map(|hit| hit.id).collect();
        }
        self.turn.known.used.entries = guidance.entries().collect();
        guidance
    }

    /// What memory is asked in this turn, if it is asked: the situation, and its words.
    fn sought(&self) -> Option<(Situation, String)> {
        let grimoire = self.grimoire.as_ref().filter(|_| self.turn.known.escalated)?;
        let situation = grimoire.situation(&self.turn.known.snapshot, None);
        let text = words(&situation, self.state.mind.regime());
        Some((situation, text))
    }

    /// What to ask for vectors, where memory is asked and somebody elsewhere makes them, and whose texts go along.
    pub(crate) fn ask_vectors(&self) -> Option<(Question, Vec<TextSubject>)> {
        let ((_, query), max_cost) = self.sought().zip(self.may_embed())?;
        let tick = self.state.core.tick;
        let lacking = self.grimoire.as_ref().map(|g| g.without_vector(tick, ALONG)).unwrap_or_default();
        let (of, texts) = lacking.into_iter().map(|(of, text)| (of, text.to_owned())).unzip();
        Some((Question::Embed(Box::new(EmbedRequest { query: Some(query), texts, max_cost })), of))
    }

    /// What vectors may cost now; none where nobody makes them, or where the phase counts every token.
    pub(crate) fn may_embed(&self) -> Option<Usdc> {
        let anyone = self.genesis.settings.thinking.embeds && self.grimoire.is_some();
        let frugal =
            matches!(self.phase().behaviour().inference, PhaseInference::T1Limited | PhaseInference::ReflectionOnly);
        // Vectors do not count as questions.
        let allowance = Allowance { calls: u32::MAX, ..self.genesis.settings.thinking.allowance() };
        self.may_pay(&allowance).filter(|_| anyone && !frugal)
    }

    /// Whether nearly all that is known has a vector by now: before that the bundled ones find more.
    pub(crate) fn is_lent(&self) -> bool {
        let tick = self.state.core.tick;
        self.grimoire.as_ref().is_some_and(|g| g.without_vector(tick, ALONG + 1).len() <= ALONG)
    }

    /// Keep the vectors that came; what is searched for may have one too.
    pub(crate) fn take_vectors(&mut self, of: Vec<TextSubject>, reply: &EmbedReply) -> Option<Embedding> {
        self.book_vectors(reply);
        if let Some(grimoire) = &mut self.grimoire {
            for (of, vector) in of.into_iter().zip(&reply.texts) {
                vector.iter().for_each(|v| grimoire.take_vector(of, v.clone()));
            }
        }
        reply.query.clone()
    }

    /// Every try is paid for, whether it brought anything or not.
    pub(crate) fn book_vectors(&mut self, reply: &EmbedReply) {
        self.state.thought.book_vectors(self.state.core.age, &reply.attempts);
        let cost = cost(&reply.attempts);
        self.turn.spent = self.turn.spent.plus(cost);
        let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        let tokens = reply.attempts.iter().fold(0u64, |sum, a| sum.saturating_add(a.input_tokens));
        self.tell(LifeFact::Embedded {
            texts: count(reply.texts.len()),
            came: count(reply.texts.iter().flatten().count()),
            query: reply.query.is_some(),
            tokens,
            cost,
            failed: reply.attempts.iter().find_map(|a: &ModelAttempt| a.failed),
        });
        if cost > Usdc::ZERO {
            let paid = self.state.ledger.spend(Purpose::Inference, cost);
            self.tell(LifeFact::Paid { purpose: paid.purpose, amount: paid.amount });
        }
    }
}

/// How much relevance counts against diversity in what is recalled: whoever explores casts the net wider.
fn relevance(exploration: f64) -> Option<f64> {
    ((exploration - 1.0).abs() > f64::EPSILON).then(|| (0.7 + 0.2 * (exploration - 1.0)).clamp(0.5, 0.9))
}

/// A situation in words: what stands out, for full text and vectors.
fn words(situation: &Situation, regime: Regime) -> String {
    format!("{} weather: {}", regime.name().replace('_', " "), situation.describe(4))
}
