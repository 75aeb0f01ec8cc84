//! Spans, and their form on the wire: the JSON encoding of OTLP, in which ids are hex, 64-bit numbers are text and kinds are numbers.

use serde_json::{Value, json};
use std::fmt::Write;

/// Something that took time.
#[derive(Debug, Clone, PartialEq)]
pub struct TraceSpan {
    /// The turn that it belongs to.
    pub trace: [u8; 16],
    pub id: [u8; 8],
    /// What it is a part of.
    pub parent: Option<[u8; 8]>,
    pub name: &'static str,
    /// Whether somebody elsewhere was asked.
    pub asks: bool,
    /// Nanoseconds since 1970.
    pub begun: u64,
    pub ended: u64,
    pub words: Vec<(&'static str, SpanWord)>,
    /// Why it came to nothing.
    pub failed: Option<&'static str>,
}

/// What is said of a span.
#[derive(Debug, Clone, PartialEq)]
pub enum SpanWord {
    Text(String),
    Number(u64),
    Is(bool),
}

impl SpanWord {
    fn spelled(&self) -> Value {
        match self {
            Self::Text(text) => json!({ "stringValue": text }),
            Self::Number(n) => json!({ "intValue": n.to_string() }),
            Self::Is(is) => json!({ "boolValue": is }),
        }
    }
}

/// Something of ours, and a request to somebody elsewhere, as OTLP numbers them.
const INTERNAL: u8 = 1;
const CLIENT: u8 = 3;
/// An error.
const ERROR: u8 = 2;

/// Spans as a collector takes them.
#[must_use]
pub fn payload(service: &str, spans: &[TraceSpan]) -> Value {
    let of = |key: &str, word: &str| json!({ "key": key, "value": { "stringValue": word } });
    json!({ "resourceSpans": [{
        "resource": { "attributes": [of("service.name", service), of("service.version", env!("CARGO_PKG_VERSION"))] },
        "scopeSpans": [{
            "scope": { "name": "bardo", "version": env!("CARGO_PKG_VERSION") },
            "spans": spans.iter().map(spelled).collect::<Vec<_>>(),
        }],
    }] })
}

fn spelled(span: &TraceSpan) -> Value {
    let words = span.words.iter().map(|(key, word)| json!({ "key": key, "value": word.spelled() }));
    let mut told = json!({
        "traceId": hex(&span.trace), "spanId": hex(&span.id), "name": span.name,
        "kind": if span.asks { CLIENT } else { INTERNAL },
        "startTimeUnixNano": span.begun.to_string(), "endTimeUnixNano": span.ended.to_string(),
        "attributes": words.collect::<Vec<_>>(),
    });
    if let Some(parent) = span.parent {
        told["parentSpanId"] = json!(hex(&parent));
    }
    if let Some(why) = span.failed {
        told["status"] = json!({ "code": ERROR, "message": why });
    }
    told
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _written = write!(text, "{byte:02x}");
        text
    })
}
