//! One driver for every loop that lives turns: the loop with a file, a life in memory, a life that is lived again. They
//! differ in where answers and receipts come from; the order of a turn is the same for all, and is here.

use crate::being::Being;
use crate::input::{Record, TickInput};
use crate::step::{Answer, Question, Step};
use crate::turn_end::TurnEnd;
use golem_core::door::{Hands, Models};
use golem_core::intent::Refusal;
use golem_core::{Footing, Intent, Preview, Receipt};
use std::convert::Infallible;

/// What a loop lends to a turn.
pub trait Driver {
    /// Who lives.
    type Being: Being;
    /// Why a turn cannot go on.
    type Error;

    /// Run code of the being; `part` names it, for a loop that outlives a panic.
    ///
    /// # Errors
    /// When it did not come to its end.
    fn run<T>(&mut self, part: &'static str, run: impl FnOnce(&mut Self::Being) -> T) -> Result<T, Self::Error>;
    /// Answer the turn's question number `n`.
    ///
    /// # Errors
    /// When there is neither an answer nor a recorded reason why there is none.
    fn answer(&mut self, n: usize, question: &Question) -> Result<Answer, Self::Error>;
    /// What these wishes would do: one preview each.
    ///
    /// # Errors
    /// When it cannot be said.
    fn preview(&mut self, wishes: &[Intent]) -> Result<Vec<Preview>, Self::Error>;
    /// Carry out wish number `n`. `None` when it is not known what came of it: then the turn stays open.
    ///
    /// # Errors
    /// When it cannot be tried.
    fn act(&mut self, n: usize, preview: &Preview, permit: PermitOf<Self>) -> Result<Option<Receipt>, Self::Error>;
}

/// What lets a driver's hands act once.
pub type PermitOf<D> = <<D as Driver>::Being as Being>::Permit;

/// What came of the wishes of a turn.
#[derive(Debug, Clone, PartialEq)]
pub enum Acted {
    /// One receipt for each.
    All(Vec<Receipt>),
    /// Nobody knows about this one yet.
    Unknown(usize),
}

/// A turn's record without receipts, and a permit or none for each wish.
pub type Judged<D> = (Record, Vec<Option<PermitOf<D>>>);

/// Sense, decide and judge: the turn's record without receipts, and a permit or none for each wish.
///
/// # Errors
/// When the driver fails.
pub fn begin<D: Driver + ?Sized>(driver: &mut D, input: TickInput) -> Result<Judged<D>, D::Error> {
    let mut answers = Vec::new();
    let mut step = driver.run("sensing and deciding", |being| being.begin(&input))?;
    let intents = loop {
        match step {
            Step::Wishes(intents) => break intents,
            Step::Ask(question) => {
                let answer = driver.answer(answers.len(), &question)?;
                step = driver.run("deciding", |being| being.answered(&answer))?;
                answers.push(answer);
            }
        }
    };
    let (mut previews, mut permits) = (Vec::new(), Vec::new());
    if !intents.is_empty() {
        previews = driver.preview(&intents)?;
        permits = driver.run("the verdict", |being| being.consider(&previews))?;
    }
    let granted = permits.iter().map(Option::is_some).collect();
    Ok((Record { input, answers, intents, previews, granted, receipts: Vec::new() }, permits))
}

/// Carry out what is permitted and not `withheld`, one after another.
///
/// # Errors
/// When the driver fails.
pub fn act<D: Driver + ?Sized>(
    driver: &mut D,
    previews: &[Preview],
    permits: Vec<Option<PermitOf<D>>>,
    withheld: &[bool],
) -> Result<Acted, D::Error> {
    let (mut receipts, mut footing) = (Vec::with_capacity(previews.len()), Footing::default());
    for (n, (preview, permit)) in previews.iter().zip(permits).enumerate() {
        let kept_back = |why| Receipt::kept_back(preview.intent, why);
        receipts.push(match permit {
            None => kept_back(Refusal::Denied),
            Some(_) if withheld.get(n) == Some(&true) => kept_back(Refusal::Withheld),
            Some(_) if !footing.carries(&preview.intent) => kept_back(Refusal::Cancelled),
            Some(permit) => {
                let Some(receipt) = driver.act(n, preview, permit)? else { return Ok(Acted::Unknown(n)) };
                footing.note(receipt.was_done());
                receipt
            }
        });
    }
    Ok(Acted::All(receipts))
}

/// Book and reflect, and age: the end of a turn whose receipts are known.
///
/// # Errors
/// When the driver fails.
pub fn finish<D: Driver + ?Sized>(driver: &mut D, receipts: &[Receipt]) -> Result<TurnEnd, D::Error> {
    driver.run("reflecting", |being| being.finish(receipts))
}

/// A being with doors that always answer, and nothing that must be written down.
pub struct InMemory<'a, B: Being> {
    pub being: &'a mut B,
    /// What it acts with.
    pub hands: &'a mut dyn Hands<B::Permit>,
    /// Whom it asks.
    pub models: &'a mut dyn Models,
}

impl<B: Being> InMemory<'_, B> {
    /// A whole turn: its record, and how it ended.
    pub fn turn(mut self, input: TickInput) -> (Record, TurnEnd) {
        let Ok((mut record, permits)) = begin(&mut self, input);
        let Ok(acted) = act(&mut self, &record.previews, permits, &[]);
        // These hands know of every wish what came of it.
        record.receipts = match acted {
            Acted::All(receipts) => receipts,
            Acted::Unknown(_) => Vec::new(),
        };
        let Ok(end) = finish(&mut self, &record.receipts);
        (record, end)
    }
}

impl<B: Being> Driver for InMemory<'_, B> {
    type Being = B;
    type Error = Infallible;

    fn run<T>(&mut self, _part: &'static str, run: impl FnOnce(&mut B) -> T) -> Result<T, Infallible> {
        Ok(run(self.being))
    }
    fn answer(&mut self, _n: usize, question: &Question) -> Result<Answer, Infallible> {
        Ok(match question {
            Question::Model(request) => Answer::Model(Box::new(self.models.ask(request))),
            Question::Embed(request) => Answer::Embedded(Box::new(self.models.embed(request))),
            Question::Preview(wishes) => Answer::Previews(self.preview(wishes)?),
            Question::Fork(request) => {
                Answer::Forked(Box::new(self.hands.try_on_fork(request, &self.being.holdings())))
            }
            Question::Claims(request) => Answer::Claimed(Box::new(self.hands.bear_out(request))),
        })
    }
    fn preview(&mut self, wishes: &[Intent]) -> Result<Vec<Preview>, Infallible> {
        Ok(self.hands.preview(wishes, &self.being.holdings()))
    }
    fn act(&mut self, _n: usize, preview: &Preview, permit: B::Permit) -> Result<Option<Receipt>, Infallible> {
        Ok(Some(self.hands.act(self.being.tick(), preview, permit)))
    }
}
