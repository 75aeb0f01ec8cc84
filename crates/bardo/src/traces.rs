//! Traces of this process, where the environment names a collector (`OTEL_EXPORTER_OTLP_ENDPOINT`); otherwise nothing is measured.

use crate::home::Place;
use crate::out::Out;
use golem_core::Tick;
use golem_core::fact::Envelope;
use golem_life::Fact;
use golem_runtime::{Listener, Notice};
use golem_trace::{GolemSpans, TraceLine, TracePlace};
use std::sync::OnceLock;
use std::time::Duration;

/// How long the end of a run waits for a collector.
const PATIENCE: Duration = Duration::from_secs(2);

/// One line for all golems of this process.
static LINE: OnceLock<Option<TraceLine>> = OnceLock::new();

/// The spans of a golem; none where nobody collects them. What is wrong with the collector's address is told, and keeps nobody from
/// living.
pub fn spans(place: &Place, out: &Out) -> Option<GolemSpans> {
    let start = || {
        let named = TracePlace::named(|name| std::env::var(name).ok());
        let line = named.and_then(|place| place.map(TraceLine::start).transpose());
        line.unwrap_or_else(|fault| {
            out.alert(&format!("no traces: {fault}"));
            None
        })
    };
    let line = LINE.get_or_init(start).clone()?;
    Some(GolemSpans::of(line, place.id, place.name.clone()))
}

/// Send what is left, and say what became of it.
pub fn finish(out: &Out) {
    let Some(line) = LINE.get().and_then(Option::as_ref) else { return };
    let count = line.finish(PATIENCE);
    out.say(&format!("traces: {} spans sent, {} dropped", count.sent, count.dropped));
}

/// Ears that measure.
pub struct TracedEars<L> {
    pub ears: L,
    pub spans: GolemSpans,
}

impl<L: Listener<Fact>> Listener<Fact> for TracedEars<L> {
    fn wants(&self) -> bool {
        self.ears.wants()
    }
    fn fact(&mut self, fact: &Envelope<Fact>) {
        self.ears.fact(fact);
    }
    fn turn_begins(&mut self, tick: Tick) {
        self.spans.turn_begins(tick);
    }
    fn turn_ends(&mut self, tick: Tick) {
        self.spans.turn_ends(tick);
    }
    fn notice(&mut self, notice: &Notice) {
        self.ears.notice(notice);
    }
}
