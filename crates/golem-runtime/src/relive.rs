//! Living a recorded turn again: the same input, answers and receipts through the same turn, compared at every step.

use crate::error::Error;
use crate::frame::Payload;
use golem_core::intent::Holdings;
use golem_core::{Intent, Preview, Receipt, Tick};
use golem_grimoire::Change;
use golem_life::drive::{self, Driver};
use golem_life::{Answer, Being, LifeStanding, Question, Record};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Run code of another room; a panic becomes an error that names the room.
pub(crate) fn guarded<T>(tick: Tick, place: &'static str, run: impl FnOnce() -> T) -> Result<T, Error> {
    // The state behind a panic is thrown away by every caller, so nothing broken is seen again.
    catch_unwind(AssertUnwindSafe(run)).map_err(|payload| {
        let message = payload
            .downcast_ref::<&str>()
            .map(|s| (*s).to_owned())
            .or_else(|| payload.downcast_ref::<String>().cloned())
            .unwrap_or_else(|| "something that is no text".into());
        Error::Panicked { tick, place, message: message.chars().take(500).collect() }
    })
}

/// A being that lives a recorded turn again: whatever it asks is answered from the record, and held against it.
struct Again<'a, B> {
    being: &'a mut B,
    tick: Tick,
    record: &'a Record,
}

impl<B> Again<'_, B> {
    fn diverged(&self, what: String) -> Error {
        Error::Diverged { tick: self.tick, what }
    }
    /// It wants what it wanted, after as many questions.
    fn wants(&self, asked: usize, intents: &[Intent]) -> Result<(), Error> {
        if asked < self.record.answers.len() {
            return Err(self.diverged("it asks less than was answered".into()));
        }
        if intents != self.record.intents {
            return Err(self.diverged(format!("intents: recorded {:?}, decided {intents:?}", self.record.intents)));
        }
        Ok(())
    }
}

impl<B: Being> Driver for Again<'_, B> {
    type Being = B;
    type Error = Error;

    fn run<T>(&mut self, part: &'static str, run: impl FnOnce(&mut B) -> T) -> Result<T, Error> {
        guarded(self.tick, part, || run(self.being))
    }
    fn answer(&mut self, n: usize, question: &Question) -> Result<Answer, Error> {
        let recorded = self.record.answers.get(n);
        let answer = recorded.ok_or_else(|| self.diverged(format!("nobody answered {question:?}")))?;
        fits(question, answer).map_err(|what| self.diverged(what))?;
        Ok(answer.clone())
    }
    fn preview(&mut self, wishes: &[Intent]) -> Result<Vec<Preview>, Error> {
        self.wants(self.record.answers.len(), wishes)?;
        Ok(self.record.previews.clone())
    }
    fn act(&mut self, n: usize, _: &Preview, _: B::Permit) -> Result<Option<Receipt>, Error> {
        Ok(self.record.receipts.get(n).cloned())
    }
}

/// A recorded turn again up to the verdict on its wishes, held against the record.
pub(crate) fn begin_again<B: Being>(
    being: &mut B,
    tick: Tick,
    record: &Record,
) -> Result<Vec<Option<B::Permit>>, Error> {
    let mut again = Again { being, tick, record };
    let (begun, permits) = drive::begin(&mut again, record.input.clone())?;
    again.wants(begun.answers.len(), &begun.intents)?;
    if begun.granted != record.granted {
        let (recorded, granted) = (&record.granted, &begun.granted);
        return Err(again.diverged(format!("permits: recorded {recorded:?}, granted {granted:?}")));
    }
    Ok(permits)
}

/// Whether a recorded answer belongs to a question: a reply names the request it was for.
pub(crate) fn fits(question: &Question, answer: &Answer) -> Result<(), String> {
    let ok = match (question, answer) {
        (Question::Model(request), Answer::Model(reply)) => request.hash() == reply.request,
        (Question::Embed(request), Answer::Embedded(reply)) => {
            let asked = request.query.is_some() || reply.query.is_none();
            request.hash() == reply.request && request.texts.len() == reply.texts.len() && asked
        }
        (Question::Preview(wishes), Answer::Previews(previews)) => {
            previews.iter().map(|p| p.intent).eq(wishes.iter().copied())
        }
        (Question::Fork(request), Answer::Forked(reply)) => reply.is_for(request),
        (Question::Claims(request), Answer::Claimed(reply)) => reply.is_for(request),
        _ => false,
    };
    if ok { Ok(()) } else { Err("it asks something else than was answered".into()) }
}

/// A turn that was lived again, what was held when its wishes were judged, and what it changed in memory, which is in the
/// file already.
pub(crate) struct Relived {
    pub(crate) record: Record,
    pub(crate) holdings: Holdings,
    pub(crate) changes: Vec<Change>,
}

/// Live the turn of a frame again.
pub(crate) fn relive<B: Being>(being: &mut B, tick: Tick, payload: Payload<'_>) -> Result<Relived, Error> {
    let diverged = |what: String| Error::Diverged { tick, what };
    let (record, digest) = payload.open().map_err(|e| diverged(format!("its record cannot be read: {e}")))?;
    if being.standing() == LifeStanding::Dead {
        return Err(diverged("it was dead already".into()));
    }
    // Nothing is sent again, so nobody needs the permits.
    drop(begin_again(being, tick, &record)?);
    let holdings = being.holdings();
    drive::finish(&mut Again { being: &mut *being, tick, record: &record }, &record.receipts)?;
    let changes = being.changes();
    if being.tick() != tick {
        return Err(diverged(format!("the being counts tick {}", being.tick())));
    }
    match digest {
        Some(recorded) if recorded != being.digest() => {
            Err(diverged(format!("state: recorded digest {recorded}, reached {}", being.digest())))
        }
        _ => Ok(Relived { record, holdings, changes }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use golem_core::door::{ChainClaim, ClaimRequest, ForkFailure, ForkFrom, ForkRequest, ForkRun};

    #[test]
    fn what_was_tried_on_a_fork_answers_its_own_request_alone() {
        let request = |steps| {
            let run = ForkRun { from: ForkFrom::Present, acts: Vec::new(), weather: Vec::new(), steps };
            ForkRequest { runs: vec![run] }
        };
        let asked = Question::Fork(Box::new(request(3)));
        let answer = |steps| Answer::Forked(Box::new(request(steps).unanswered(ForkFailure::NoChain)));
        assert_eq!(fits(&asked, &answer(3)), Ok(()));
        assert!(fits(&asked, &answer(4)).is_err());
        assert!(fits(&asked, &Answer::Previews(Vec::new())).is_err());
        let Answer::Forked(mut short) = answer(3) else { unreachable!("it is one") };
        short.runs.clear();
        assert!(fits(&asked, &Answer::Forked(short)).is_err());
        // As it stands in a journal.
        let kept = crate::json::text(&answer(3)).unwrap();
        assert_eq!(serde_json::from_str::<Answer>(&kept).unwrap(), answer(3));
    }

    #[test]
    fn what_the_chain_said_answers_the_claims_it_was_asked_of_alone() {
        let request = |block| ClaimRequest { claims: vec![ChainClaim::Price { block, micro_usdc: 1 }] };
        let asked = Question::Claims(Box::new(request(3)));
        let answer = |block| Answer::Claimed(Box::new(request(block).said(|_| Some(true))));
        assert_eq!(fits(&asked, &answer(3)), Ok(()));
        assert!(fits(&asked, &answer(4)).is_err(), "of another claim");
        assert!(fits(&asked, &Answer::Previews(Vec::new())).is_err());
        let kept = crate::json::text(&answer(3)).unwrap();
        assert_eq!(serde_json::from_str::<Answer>(&kept).unwrap(), answer(3));
    }
}
