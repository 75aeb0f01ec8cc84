//! One try with one provider: what is sent, what comes back, and what it cost. Whatever was sent is booked exactly once.

use crate::adapter::{self, Asking, Heard};
use crate::config::{OutputCap, ProviderConfig, ProviderKind, Tools};
use crate::fit::Fit;
use crate::inference::{Inference, ProviderSeat};
use crate::line::{Incoming, LineFault, Outgoing};
use crate::price::{ModelPrice, count, is_too_long, worst_case};
use crate::spoken;
use crate::talk::{Failed, Talk};
use crate::text::short;
use golem_core::model::{ModelFailure, ModelRequest, ModelTier};
use std::time::{Duration, Instant};

/// Statuses of somebody who is in trouble rather than saying no.
const TROUBLE: [u16; 7] = [408, 500, 502, 503, 504, 520, 529];

impl Inference {
    /// One question, asked as the provider wants it: where it says so itself, it is asked again, and from then on.
    pub(crate) fn once(
        &mut self,
        seat: usize,
        request: &ModelRequest,
        fit: &Fit,
        talk: &mut Talk,
    ) -> Result<Heard, Failed> {
        loop {
            match self.try_once(seat, request, fit, talk) {
                // There are two things to learn, each once.
                Err(failed) if failed.learnt => {}
                came => return came,
            }
        }
    }

    /// One try: nothing is sent that could cost too much, and whatever was sent is booked exactly once.
    fn try_once(&mut self, seat: usize, request: &ModelRequest, fit: &Fit, talk: &mut Talk) -> Result<Heard, Failed> {
        let ProviderSeat { config, url, key, .. } = &self.seats[seat];
        let adapter = adapter::of(config.kind);
        let model = config.model(request.tier).unwrap_or_default();
        let spoken = (config.tools == Tools::Schema && !request.tools.is_empty())
            .then(|| spoken::without_tools(request, fit.schema()));
        let (asked, schema) = spoken.as_ref().map_or((request, fit.schema()), |(asked, schema)| (asked, Some(schema)));
        let max_output = talk.max_output;
        let body = adapter.body(&Asking { request: asked, provider: config, model, max_output, schema }).to_string();
        let (who, price, bytes) = ((config.name.as_str(), model), config.price(request.tier), body.len());
        let worst = worst_case(bytes, max_output);
        if self.watched.is_in(&body) {
            return Err(talk.unsent(who, ModelFailure::Leaked, "not sent: there is a secret in it"));
        }
        let most = price.charge(&worst);
        if !talk.affords(most) {
            return Err(talk.unsent(who, ModelFailure::TooDear, &format!("not sent: it may cost {most} USDC")));
        }
        let patience = talk.left(Instant::now());
        if patience.is_zero() {
            return Err(talk.unsent(who, ModelFailure::TimedOut, "not sent: no time is left"));
        }
        let out = Outgoing { url: url.clone(), headers: adapter.headers(key.as_ref()), body };
        let came = self.line.exchange(out, patience, self.limits.max_bytes);
        let answer = match came {
            Ok(Incoming { status: 200, body, .. }) => body,
            other => {
                let lesson = Lesson::of(config, &other);
                let failed = self.no_answer(who, other, bytes, price, talk);
                return Err(self.learn(seat, lesson, failed));
            }
        };
        let read = serde_json::from_slice(&answer).ok().and_then(|value| adapter.read(&value).ok());
        let Some(mut heard) = read else {
            talk.book(who, worst, price, Some(ModelFailure::Garbled), "not in its own format");
            return Err(Failed { why: ModelFailure::Garbled, again: None, blame: true, learnt: false });
        };
        let said = heard.text.len() + heard.thought + heard.calls.iter().map(|c| c.arguments.len()).sum::<usize>();
        let counted = count(heard.usage, bytes, said, max_output);
        let too_long = counted.output > u64::from(max_output) || is_too_long(said, max_output);
        talk.book(who, counted, price, too_long.then_some(ModelFailure::TooLong), "");
        if spoken.is_some() {
            spoken::with_tools(&mut heard);
        }
        self.look_at(seat, request.tier, &mut heard, talk);
        if too_long {
            Err(Failed { why: ModelFailure::TooLong, again: None, blame: true, learnt: false })
        } else {
            Ok(heard)
        }
    }

    /// Book a try that brought no answer. What was never sent, or was refused, is not billed; what may have been received
    /// is charged at its worst, and not repeated.
    fn no_answer(
        &self,
        who: (&str, &str),
        came: Result<Incoming, LineFault>,
        bytes: usize,
        price: ModelPrice,
        talk: &mut Talk,
    ) -> Failed {
        use ModelFailure::{Busy, Garbled, Refused, TimedOut, TooLong, Unreachable};
        let (why, billed, again, mut note) = match came {
            Err(LineFault::NotSent(why)) => (Unreachable, false, Some(Duration::ZERO), format!("not sent: {why}")),
            Err(LineFault::Slow) => (TimedOut, true, None, "no answer in time".to_owned()),
            Err(LineFault::TooLong) => (TooLong, true, None, format!("longer than {} bytes", self.limits.max_bytes)),
            Err(LineFault::Broken(why)) => (Unreachable, true, None, why),
            Ok(Incoming { status, retry_after, body }) => {
                let wait = retry_after.unwrap_or(Duration::ZERO);
                let (why, billed, again) = match status {
                    429 => (Busy, false, Some(wait)),
                    s if TROUBLE.contains(&s) => (Unreachable, false, Some(wait)),
                    200..=299 => (Garbled, true, None),
                    s if s >= 500 => (Unreachable, false, None),
                    _ => (Refused, false, None),
                };
                (why, billed, again, format!("status {status} {}", words(&body)))
            }
        };
        self.watched.redact(&mut note);
        let counted = worst_case(bytes, talk.max_output);
        let note = short(note.trim(), 160);
        if billed {
            talk.book(who, counted, price, Some(why), &note);
        } else {
            talk.unsent(who, why, &note);
        }
        Failed { why, again, blame: true, learnt: false }
    }

    /// Ask otherwise from now on, where there is something to learn.
    fn learn(&mut self, seat: usize, lesson: Option<Lesson>, failed: Failed) -> Failed {
        let config = &mut self.seats[seat].config;
        match lesson {
            Some(Lesson::OtherCap) => config.output_cap = OutputCap::MaxCompletionTokens,
            Some(Lesson::NoTemperature) => config.takes_temperature = false,
            None => return failed,
        }
        Failed { blame: false, learnt: true, ..failed }
    }

    /// Look at an answer for a model that is another one, and for words that must not be in it.
    fn look_at(&mut self, seat: usize, tier: ModelTier, heard: &mut Heard, talk: &mut Talk) {
        let Some(attempt) = talk.attempts.last_mut() else { return };
        attempt.receipt = std::mem::take(&mut heard.receipt);
        attempt.leaked |= self.watched.redact(&mut attempt.receipt);
        attempt.leaked |= self.watched.redact(&mut heard.text);
        for call in &mut heard.calls {
            attempt.leaked |= self.watched.redact(&mut call.arguments);
            attempt.leaked |= self.watched.redact(&mut call.name) | self.watched.redact(&mut call.id);
        }
        let Some(mut model) = heard.model.clone() else { return };
        attempt.leaked |= self.watched.redact(&mut model);
        let ProviderSeat { config, first_seen, .. } = &mut self.seats[seat];
        let expected = match config.pin(tier) {
            Some(pin) => pin,
            None => first_seen.entry(tier).or_insert_with(|| model.clone()),
        };
        attempt.drift = expected != model;
        attempt.model = model;
    }
}

/// How a provider wants to be asked, by its own words. Models that reason are like this.
enum Lesson {
    /// It takes `max_completion_tokens`.
    OtherCap,
    /// It takes no temperature.
    NoTemperature,
}

impl Lesson {
    /// What a refusal teaches that is not known yet.
    fn of(config: &ProviderConfig, came: &Result<Incoming, LineFault>) -> Option<Self> {
        let Ok(Incoming { status: 400 | 422, body, .. }) = came else { return None };
        let said = words(body);
        let other_cap = config.kind == ProviderKind::Openai && config.output_cap == OutputCap::MaxTokens;
        if other_cap && said.contains("max_completion_tokens") {
            return Some(Self::OtherCap);
        }
        (config.takes_temperature && said.contains("temperature")).then_some(Self::NoTemperature)
    }
}

/// What a provider says when it says no: its message where it has one.
fn words(body: &[u8]) -> String {
    let value: serde_json::Value = serde_json::from_slice(body).unwrap_or_default();
    let message = ["/error/message", "/error", "/message", "/detail"].iter().find_map(|p| value.pointer(p)?.as_str());
    short(message.unwrap_or_default(), 160)
}
