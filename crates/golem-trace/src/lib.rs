//! Turns and model calls as OpenTelemetry traces: OTLP over HTTP in its JSON encoding. Where to begin: [`TracePlace::named`] for
//! where they go, [`TraceLine::start`] for the line there, [`GolemSpans`] for what one golem does.
//!
//! A trace is for whoever keeps golems running and no part of a life: nothing waits for it, what is too much is dropped and
//! counted, and no words of a prompt or an answer are in it.

mod golem;
mod line;
mod place;
mod span;

pub use golem::{GolemSpans, TracedModels};
pub use line::{TraceCount, TraceLine};
pub use place::{TraceFault, TracePlace};
pub use span::{SpanWord, TraceSpan, payload};
