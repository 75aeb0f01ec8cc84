//! What one golem does, as spans: each turn is a trace, and what it asks of models are parts of it.

use crate::line::TraceLine;
use crate::span::{SpanWord, TraceSpan};
use golem_core::door::{EmbedReply, EmbedRequest, Models};
use golem_core::model::{ModelAnswer, ModelAttempt, ModelPurpose, ModelReply, ModelRequest, ModelTier, cost};
use golem_core::{GolemId, Name, Tick, Usdc};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

/// The spans of one golem.
#[derive(Debug, Clone)]
pub struct GolemSpans {
    line: TraceLine,
    name: Name,
    id: GolemId,
    open: Arc<Mutex<OpenTrace>>,
}

/// The turn that is being taken, and where ids come from.
#[derive(Debug)]
struct OpenTrace {
    /// Drawn once for each golem and process; ids are counted from it, and none is ever nothing.
    seed: [u8; 16],
    counted: u64,
    turn: Option<OpenedTurn>,
}

#[derive(Debug, Clone, Copy)]
struct OpenedTurn {
    tick: Tick,
    trace: [u8; 16],
    id: [u8; 8],
    begun: u64,
    calls: u64,
}

impl OpenTrace {
    fn next(&mut self) -> [u8; 8] {
        self.counted += 1;
        let seed = u64::from_be_bytes(std::array::from_fn(|n| self.seed[n]));
        // Odd steps never come back to where they were, and nothing is left out of its way.
        let n = seed.wrapping_add(self.counted.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        n.max(1).to_be_bytes()
    }
    fn trace(&mut self) -> [u8; 16] {
        let (high, low) = (self.next(), u64::from_be_bytes(std::array::from_fn(|n| self.seed[8 + n])));
        let low = (low ^ self.counted).to_be_bytes();
        std::array::from_fn(|n| if n < 8 { high[n] } else { low[n - 8] })
    }
}

impl GolemSpans {
    /// Of a golem, along a line.
    pub fn of(line: TraceLine, id: GolemId, name: Name) -> Self {
        let mut seed = [0; 16];
        // Without randomness ids of two processes may be the same: then two turns look like one to a collector.
        let _best_effort = getrandom::fill(&mut seed);
        let open = Arc::new(Mutex::new(OpenTrace { seed, counted: 0, turn: None }));
        Self { line, name, id, open }
    }

    /// A turn begins.
    pub fn turn_begins(&self, tick: Tick) {
        let mut open = self.lock();
        let (trace, id) = (open.trace(), open.next());
        open.turn = Some(OpenedTurn { tick, trace, id, begun: now(), calls: 0 });
    }

    /// It is over.
    pub fn turn_ends(&self, tick: Tick) {
        let Some(turn) = self.lock().turn.take().filter(|turn| turn.tick == tick) else { return };
        let mut words = self.who(tick);
        words.push(("golem.model_calls", SpanWord::Number(turn.calls)));
        self.line.give(TraceSpan {
            trace: turn.trace,
            id: turn.id,
            parent: None,
            name: "golem.turn",
            asks: false,
            begun: turn.begun,
            ended: now().max(turn.begun),
            words,
            failed: None,
        });
    }

    fn who(&self, tick: Tick) -> Vec<(&'static str, SpanWord)> {
        vec![
            ("golem.id", SpanWord::Text(self.id.to_string())),
            ("golem.name", SpanWord::Text(self.name.to_string())),
            ("golem.tick", SpanWord::Number(tick.0)),
        ]
    }

    /// Models were asked, within a turn. Where there was nobody to ask, nothing took any time.
    fn asked(
        &self,
        name: &'static str,
        begun: u64,
        attempts: &[ModelAttempt],
        more: Vec<(&'static str, SpanWord)>,
        failed: Option<&'static str>,
    ) {
        if attempts.is_empty() {
            return;
        }
        let mut open = self.lock();
        let id = open.next();
        let Some(turn) = open.turn.as_mut() else { return };
        turn.calls += 1;
        let (tick, trace, parent) = (turn.tick, turn.trace, turn.id);
        drop(open);
        let mut words = self.who(tick);
        words.extend(more);
        let sum = |of: fn(&ModelAttempt) -> u64| SpanWord::Number(attempts.iter().map(of).sum());
        words.push(("golem.attempts", SpanWord::Number(attempts.len() as u64)));
        words.push(("golem.cost_micro_usdc", SpanWord::Number(cost(attempts).0)));
        words.push(("gen_ai.usage.input_tokens", sum(|a| a.input_tokens)));
        words.push(("gen_ai.usage.output_tokens", sum(|a| a.output_tokens)));
        if let Some(last) = attempts.last() {
            words.push(("gen_ai.provider.name", SpanWord::Text(last.provider.clone())));
            words.push(("gen_ai.response.model", SpanWord::Text(last.model.clone())));
            words.push(("golem.model_drift", SpanWord::Is(last.drift)));
        }
        let (parent, ended) = (Some(parent), now().max(begun));
        self.line.give(TraceSpan { trace, id, parent, name, asks: true, begun, ended, words, failed });
    }

    fn lock(&self) -> MutexGuard<'_, OpenTrace> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_nanos()).unwrap_or(u64::MAX)
}

/// A door to models that tells how long each answer took.
pub struct TracedModels {
    inner: Box<dyn Models>,
    spans: GolemSpans,
}

impl TracedModels {
    /// Around a door.
    pub fn around(inner: Box<dyn Models>, spans: GolemSpans) -> Self {
        Self { inner, spans }
    }
}

impl Models for TracedModels {
    fn ask(&mut self, request: &ModelRequest) -> ModelReply {
        let begun = now();
        let reply = self.inner.ask(request);
        let failed = match &reply.answer {
            ModelAnswer::Said { .. } => None,
            ModelAnswer::Nothing { why } => Some(why.in_words()),
        };
        let purpose = match request.purpose {
            ModelPurpose::Waking => "waking",
            ModelPurpose::Dream => "dream",
            ModelPurpose::Reflection => "reflection",
        };
        let tier = match request.tier {
            ModelTier::T1 => "t1",
            ModelTier::T2 => "t2",
        };
        let words = vec![
            ("gen_ai.operation.name", SpanWord::Text("chat".to_owned())),
            ("golem.purpose", SpanWord::Text(purpose.to_owned())),
            ("golem.tier", SpanWord::Text(tier.to_owned())),
            ("golem.prompt", SpanWord::Text(request.prompt.clone())),
        ];
        self.spans.asked("golem.model", begun, &reply.attempts, words, failed);
        reply
    }
    fn embed(&mut self, request: &EmbedRequest) -> EmbedReply {
        let begun = now();
        let reply = self.inner.embed(request);
        let texts = request.texts.len() + usize::from(request.query.is_some());
        let words = vec![
            ("gen_ai.operation.name", SpanWord::Text("embeddings".to_owned())),
            ("golem.texts", SpanWord::Number(texts as u64)),
        ];
        let failed = reply.attempts.last().and_then(|attempt| attempt.failed).map(|why| why.in_words());
        self.spans.asked("golem.embed", begun, &reply.attempts, words, failed);
        reply
    }
    fn worst(&self, request: &EmbedRequest) -> Usdc {
        self.inner.worst(request)
    }
}
