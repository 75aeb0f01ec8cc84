//! Asking models so that nothing is paid twice and nothing that was paid is forgotten: what is asked is on disk before it
//! is sent, and the reply before it is used. After a crash the same question is answered from there.

use crate::asked::{Asked, LostCall, answered, begin, known};
use crate::error::Error;
use crate::relive::fits;
use crate::runner::Runner;
use golem_core::door::{KeyedHands, Models, World};
use golem_core::{Tick, Usdc};
use golem_life::{Answer, Being, Question};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Questions that one turn may ask. A turn that asks more is a bug, and would cost without bound.
pub(crate) const MOST_QUESTIONS: usize = 32;

impl<B: Being, W: World, H: KeyedHands<B::Permit>> Runner<B, W, H> {
    /// Answer a question of the turn.
    pub(crate) fn answer(&mut self, tick: Tick, n: usize, question: &Question) -> Result<Answer, Error> {
        if n >= MOST_QUESTIONS {
            return Err(Error::Bug(format!("turn {tick} asks more than {MOST_QUESTIONS} questions")));
        }
        let answer = match question {
            Question::Model(request) => {
                let asked = Asked { tick, n, hash: request.hash(), most: request.max_cost };
                Answer::Model(Box::new(self.paid(asked, "the model", |models| models.ask(request))?))
            }
            Question::Embed(request) => {
                let asked = Asked { tick, n, hash: request.hash(), most: self.around.models.worst(request) };
                Answer::Embedded(Box::new(self.paid(asked, "the embedder", |models| models.embed(request))?))
            }
            Question::Preview(wishes) => {
                let holdings = self.being.holdings();
                Answer::Previews(self.foreign(tick, "the hands", |r| r.hands.preview(wishes, &holdings))?)
            }
            // Nothing is spent and nothing moves: after a crash it is simply asked again.
            Question::Fork(request) => {
                let holdings = self.being.holdings();
                let reply = self.foreign(tick, "the hands", |r| r.hands.try_on_fork(request, &holdings))?;
                Answer::Forked(Box::new(reply))
            }
            Question::Claims(request) => {
                let reply = self.foreign(tick, "the hands", |r| r.hands.bear_out(request))?;
                Answer::Claimed(Box::new(reply))
            }
        };
        fits(question, &answer).map_err(Error::Bug)?;
        Ok(answer)
    }

    /// Ask somebody who is paid for it, unless the reply is here already.
    fn paid<T: Serialize + DeserializeOwned>(
        &mut self,
        asked: Asked,
        whom: &'static str,
        ask: impl FnOnce(&mut dyn Models) -> T,
    ) -> Result<T, Error> {
        let Asked { tick, n, .. } = asked;
        if let Some(reply) = known(self.store.conn(), self.store.db(), &asked)? {
            self.swallowed.retain(|lost| (lost.tick, lost.n) != (tick, n));
            return Ok(reply);
        }
        self.store.durably(|tx| begin(tx, &asked))?;
        let reply = self.foreign(tick, whom, |r| ask(r.around.models.as_mut()))?;
        let body = crate::json::text(&reply)?;
        self.store.durably(|tx| answered(tx, &asked, &body))?;
        Ok(reply)
    }

    /// What calls of turns that were never finished have cost, once those turns have been taken without them.
    pub(crate) fn swallowed(&mut self, tick: Tick) -> Vec<Usdc> {
        let (due, later) =
            std::mem::take(&mut self.swallowed).into_iter().partition(|lost: &LostCall| lost.tick < tick);
        self.swallowed = later;
        due.into_iter().map(|lost| lost.cost).collect()
    }
}
