//! Living a recorded turn again: the same input and receipts through the same two halves, compared at every step.

use crate::error::Error;
use crate::frame::Payload;
use golem_core::Tick;
use golem_core::fact::Envelope;
use golem_core::intent::Holdings;
use golem_life::{Answer, Being, Question, Record, Standing, Step};
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

/// The first half of a recorded turn and the verdict on its wishes, held against the record.
pub(crate) fn begin_again<B: Being>(
    being: &mut B,
    tick: Tick,
    record: &Record,
    facts: &mut Vec<Envelope<B::Fact>>,
) -> Result<Vec<Option<B::Permit>>, Error> {
    let diverged = |what: String| Error::Diverged { tick, what };
    let mut step = guarded(tick, "the first half", || being.begin(&record.input, facts))?;
    let mut answers = record.answers.iter();
    let intents = loop {
        match (step, answers.next()) {
            (Step::Wishes(intents), None) => break intents,
            (Step::Wishes(_), Some(_)) => return Err(diverged("it asks less than was answered".into())),
            (Step::Ask(question), None) => return Err(diverged(format!("nobody answered {question:?}"))),
            (Step::Ask(question), Some(answer)) => {
                fits(&question, answer).map_err(diverged)?;
                step = guarded(tick, "the first half", || being.answered(answer, facts))?;
            }
        }
    };
    if intents != record.intents {
        return Err(diverged(format!("intents: recorded {:?}, decided {intents:?}", record.intents)));
    }
    if intents.is_empty() {
        return Ok(Vec::new());
    }
    let permits = guarded(tick, "the verdict", || being.consider(&record.previews, facts))?;
    let granted: Vec<bool> = permits.iter().map(Option::is_some).collect();
    if granted != record.granted {
        return Err(diverged(format!("permits: recorded {:?}, granted {granted:?}", record.granted)));
    }
    Ok(permits)
}

/// Whether a recorded answer belongs to a question: a reply of a model names the request it was for.
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
        _ => false,
    };
    if ok { Ok(()) } else { Err("it asks something else than was answered".into()) }
}

/// A turn that was lived again, and what was held when its wishes were judged.
pub(crate) struct Relived {
    pub(crate) record: Record,
    pub(crate) holdings: Holdings,
}

/// Live the turn of a frame again. The facts it emits are added to `facts`.
pub(crate) fn relive<B: Being>(
    being: &mut B,
    tick: Tick,
    payload: Payload<'_>,
    facts: &mut Vec<Envelope<B::Fact>>,
) -> Result<Relived, Error> {
    let diverged = |what: String| Error::Diverged { tick, what };
    let (record, digest) = payload.open().map_err(|e| diverged(format!("its record cannot be read: {e}")))?;
    if being.standing() == Standing::Dead {
        return Err(diverged("it was dead already".into()));
    }
    // Nothing is sent again, so nobody needs the permits.
    drop(begin_again(being, tick, &record, facts)?);
    let holdings = being.holdings();
    guarded(tick, "the second half", || being.finish(&record.receipts, facts))?;
    // They are in the file already.
    drop(being.changes());
    if being.tick() != tick {
        return Err(diverged(format!("the being counts tick {}", being.tick())));
    }
    match digest {
        Some(recorded) if recorded != being.digest() => {
            Err(diverged(format!("state: recorded digest {recorded}, reached {}", being.digest())))
        }
        _ => Ok(Relived { record, holdings }),
    }
}
