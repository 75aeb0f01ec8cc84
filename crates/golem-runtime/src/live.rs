//! The loop as a turn's driver: answers come from models that are paid once, receipts from hands that know an effect by its
//! key, and a panic ends the turn, not the loop.

use crate::error::Error;
use crate::runner::Runner;
use golem_core::door::{EffectKey, KeyedHands, Reconciled, World};
use golem_core::intent::Refusal;
use golem_core::{Intent, Preview, Receipt, Tick};
use golem_life::drive::Driver;
use golem_life::{Answer, Being, Question};

/// A runner in the turn of this number.
pub(crate) struct LiveTurn<'r, B: Being, W, H> {
    pub(crate) runner: &'r mut Runner<B, W, H>,
    pub(crate) tick: Tick,
}

impl<B: Being, W: World, H: KeyedHands<B::Permit>> Driver for LiveTurn<'_, B, W, H> {
    type Being = B;
    type Error = Error;

    fn run<T>(&mut self, part: &'static str, run: impl FnOnce(&mut B) -> T) -> Result<T, Error> {
        self.runner.foreign(self.tick, part, |r| run(&mut r.being))
    }
    fn answer(&mut self, n: usize, question: &Question) -> Result<Answer, Error> {
        self.runner.answer(self.tick, n, question)
    }
    fn preview(&mut self, wishes: &[Intent]) -> Result<Vec<Preview>, Error> {
        let holdings = self.runner.being.holdings();
        let previews = self.runner.foreign(self.tick, "the hands", |r| r.hands.preview(wishes, &holdings))?;
        if previews.iter().map(|p| p.intent).ne(wishes.iter().copied()) {
            return Err(Error::Bug(format!("previews of other intents than {wishes:?}")));
        }
        Ok(previews)
    }
    fn act(&mut self, n: usize, preview: &Preview, permit: B::Permit) -> Result<Option<Receipt>, Error> {
        Ok(match self.runner.act(EffectKey::new(self.tick, n), self.tick, preview, permit)? {
            Reconciled::Settled(receipt) => Some(*receipt),
            Reconciled::NeverSent => Some(Receipt::kept_back(preview.intent, Refusal::Cancelled)),
            Reconciled::Unknown => None,
        })
    }
}
