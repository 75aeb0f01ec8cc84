//! Traces as a collector gets them: the documented form, whole within bounds, and nobody waits for a collector that is slow.

use golem_core::door::{EmbedReply, EmbedRequest, Models};
use golem_core::model::{ModelAnswer, ModelAttempt, ModelFailure, ModelPurpose, ModelReply, ModelRequest, ModelTier};
use golem_core::{GolemId, Hash, Tick, Usdc};
use golem_trace::{GolemSpans, TraceLine, TracePlace, TracedModels};
use serde_json::Value;
use std::collections::BTreeSet;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

/// A collector that answers every message like this; what it was sent comes out at the other end.
fn collector(answer: &'static str) -> (String, Receiver<(String, Value)>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let (told, heard) = channel();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let told = told.clone();
            std::thread::spawn(move || {
                while let Some(message) = take(stream.as_ref().unwrap(), answer) {
                    let _gone = told.send(message);
                }
            });
        }
    });
    (url, heard)
}

fn take(mut stream: &TcpStream, answer: &str) -> Option<(String, Value)> {
    let mut bytes = Vec::new();
    let mut byte = [0];
    while !bytes.ends_with(b"\r\n\r\n") {
        stream.read_exact(&mut byte).ok()?;
        bytes.push(byte[0]);
    }
    let head = String::from_utf8(bytes).unwrap().to_lowercase();
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")).unwrap().trim().parse().unwrap();
    let mut body = vec![0; length];
    stream.read_exact(&mut body).ok()?;
    stream.write_all(answer.as_bytes()).ok()?;
    Some((head, serde_json::from_slice(&body).unwrap()))
}

const TAKEN: &str = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}";

fn line(url: &str) -> TraceLine {
    let get = |name: &str| match name {
        "OTEL_EXPORTER_OTLP_ENDPOINT" => Some(url.to_owned()),
        "OTEL_EXPORTER_OTLP_HEADERS" => Some("x-key=k1".to_owned()),
        _ => None,
    };
    TraceLine::start(TracePlace::named(get).unwrap().unwrap()).unwrap()
}

fn spans_of(line: &TraceLine) -> GolemSpans {
    GolemSpans::of(line.clone(), "00112233445566778899aabbccddeeff".parse::<GolemId>().unwrap(), "ada".parse().unwrap())
}

/// The form of a message, key by key, as the JSON encoding of OTLP documents it.
fn well_formed(message: &Value) -> Vec<Value> {
    let keys = |of: &Value, allowed: &[&str]| {
        let found: BTreeSet<&str> = of.as_object().unwrap().keys().map(String::as_str).collect();
        assert!(found.iter().all(|key| allowed.contains(key)), "{found:?}");
    };
    let hex = |of: &Value, digits: usize| {
        let text = of.as_str().unwrap();
        assert!(
            text.len() == digits && text.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b)),
            "{text}"
        );
        assert!(text.bytes().any(|b| b != b'0'), "an id is never nothing");
    };
    let number = |of: &Value| of.as_str().unwrap().parse::<u64>().unwrap();
    let attributes = |of: &Value| {
        for one in of.as_array().unwrap() {
            keys(one, &["key", "value"]);
            let value = one["value"].as_object().unwrap();
            assert!(one["key"].is_string() && value.len() == 1, "{one}");
            let (kind, word) = value.iter().next().unwrap();
            match kind.as_str() {
                "stringValue" => assert!(word.is_string()),
                "intValue" => drop(word.as_str().unwrap().parse::<i64>().unwrap()),
                "boolValue" => assert!(word.is_boolean()),
                other => panic!("{other}"),
            }
        }
    };
    keys(message, &["resourceSpans"]);
    let mut all = Vec::new();
    for resource in message["resourceSpans"].as_array().unwrap() {
        keys(resource, &["resource", "scopeSpans"]);
        attributes(&resource["resource"]["attributes"]);
        assert_eq!(resource["resource"]["attributes"][0]["value"]["stringValue"], "bardo");
        for scope in resource["scopeSpans"].as_array().unwrap() {
            keys(scope, &["scope", "spans"]);
            for span in scope["spans"].as_array().unwrap() {
                keys(
                    span,
                    &[
                        "traceId",
                        "spanId",
                        "parentSpanId",
                        "name",
                        "kind",
                        "startTimeUnixNano",
                        "endTimeUnixNano",
                        "attributes",
                        "status",
                    ],
                );
                hex(&span["traceId"], 32);
                hex(&span["spanId"], 16);
                if span.get("parentSpanId").is_some() {
                    hex(&span["parentSpanId"], 16);
                }
                assert!((1..=5).contains(&span["kind"].as_u64().unwrap()), "{span}");
                let (begun, ended) = (number(&span["startTimeUnixNano"]), number(&span["endTimeUnixNano"]));
                assert!(begun > 1_600_000_000_000_000_000 && ended >= begun, "{span}");
                attributes(&span["attributes"]);
                all.push(span.clone());
            }
        }
    }
    all
}

fn attribute<'a>(span: &'a Value, key: &str) -> &'a Value {
    let all = span["attributes"].as_array().unwrap();
    let found = all.iter().find(|one| one["key"] == key).unwrap_or_else(|| panic!("{key} in {span}"));
    found["value"].as_object().unwrap().values().next().unwrap()
}

/// Answers the first question, and fails at the second.
struct Twice(u32);

impl Models for Twice {
    fn ask(&mut self, _: &ModelRequest) -> ModelReply {
        self.0 += 1;
        let failed = (self.0 > 1).then_some(ModelFailure::TimedOut);
        let attempt = ModelAttempt {
            provider: "here".to_owned(),
            model: "small".to_owned(),
            input_tokens: 100,
            cached_tokens: 0,
            output_tokens: 7,
            estimated: false,
            cost: Usdc(42),
            failed,
            drift: false,
            leaked: false,
            note: "a note".to_owned(),
            receipt: String::new(),
        };
        let answer = match failed {
            None => ModelAnswer::Said { text: "the secret answer".to_owned(), calls: Vec::new() },
            Some(why) => ModelAnswer::Nothing { why },
        };
        ModelReply { request: Hash::default(), answer, attempts: vec![attempt] }
    }
    fn embed(&mut self, request: &EmbedRequest) -> EmbedReply {
        request.unanswered()
    }
}

fn question() -> ModelRequest {
    ModelRequest {
        purpose: ModelPurpose::Waking,
        tier: ModelTier::T1,
        prompt: "deliberate@1".to_owned(),
        system: "the secret question".to_owned(),
        messages: Vec::new(),
        tools: Vec::new(),
        schema: String::new(),
        temperature: 0.0,
        max_output_tokens: 10,
        max_cost: Usdc(100),
        timeout_ms: 1,
        web: false,
    }
}

#[test]
fn a_turn_is_a_trace_and_what_it_asks_of_models_is_a_part_of_it() {
    let (url, heard) = collector(TAKEN);
    let line = line(&url);
    let spans = spans_of(&line);
    let mut models = TracedModels::around(Box::new(Twice(0)), spans.clone());
    for tick in 1..=3 {
        spans.turn_begins(Tick(tick));
        if tick == 2 {
            models.ask(&question());
            models.ask(&question());
        }
        spans.turn_ends(Tick(tick));
    }
    // Outside of a turn nobody is asked for a golem; an end without a beginning is none.
    models.ask(&question());
    spans.turn_ends(Tick(9));
    let count = line.finish(Duration::from_secs(10));
    assert_eq!((count.sent, count.dropped), (5, 0));
    // The collector answers before it hands on what it heard.
    let (head, message) = heard.recv_timeout(Duration::from_secs(10)).unwrap();
    assert!(head.starts_with("post /v1/traces http/1.1") && head.contains("content-type: application/json"), "{head}");
    assert!(head.contains("x-key: k1"), "{head}");
    let all = well_formed(&message);
    assert!(!message.to_string().contains("secret"), "no words of a prompt or an answer are in it");
    let ids: BTreeSet<&str> = all.iter().map(|span| span["spanId"].as_str().unwrap()).collect();
    assert_eq!(ids.len(), 5, "each has an id of its own");
    let turns: Vec<&Value> = all.iter().filter(|span| span["name"] == "golem.turn").collect();
    let traces: BTreeSet<&str> = turns.iter().map(|span| span["traceId"].as_str().unwrap()).collect();
    assert_eq!((turns.len(), traces.len()), (3, 3));
    for (n, turn) in turns.iter().enumerate() {
        assert_eq!(attribute(turn, "golem.tick"), &Value::from((n + 1).to_string()));
        assert_eq!(attribute(turn, "golem.name"), "ada");
        assert!(turn.get("parentSpanId").is_none() && turn.get("status").is_none() && turn["kind"] == 1, "{turn}");
    }
    let asked: Vec<&Value> = all.iter().filter(|span| span["name"] == "golem.model").collect();
    for call in &asked {
        assert_eq!((&call["traceId"], &call["parentSpanId"]), (&turns[1]["traceId"], &turns[1]["spanId"]), "{call}");
        assert_eq!(call["kind"], 3);
        assert_eq!(attribute(call, "gen_ai.usage.input_tokens"), "100");
        assert_eq!(attribute(call, "golem.cost_micro_usdc"), "42");
        assert_eq!(attribute(call, "gen_ai.response.model"), "small");
    }
    assert_eq!(asked.len(), 2);
    assert!(asked[0].get("status").is_none() && asked[1]["status"]["code"] == 2, "{asked:?}");
    assert_eq!(attribute(turns[1], "golem.model_calls"), "2");
}

#[test]
fn nobody_waits_for_a_collector_that_takes_nothing() {
    // It takes connections and never answers.
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let line = line(&format!("http://{}", silent.local_addr().unwrap()));
    let spans = spans_of(&line);
    let before = Instant::now();
    for tick in 0..100_000 {
        spans.turn_begins(Tick(tick));
        spans.turn_ends(Tick(tick));
    }
    let took = before.elapsed();
    assert!(took < Duration::from_secs(5), "100,000 turns were measured in {took:?}");
    let before = Instant::now();
    let count = line.finish(Duration::from_millis(300));
    assert!(before.elapsed() < Duration::from_secs(2), "{:?}", before.elapsed());
    assert_eq!((count.sent, count.dropped), (0, 100_000), "what is lost is counted");
}

#[test]
fn what_is_refused_or_goes_nowhere_is_counted() {
    const PARTLY: &str = "HTTP/1.1 200 OK\r\ncontent-length: 41\r\n\r\n{\"partialSuccess\":{\"rejectedSpans\":\"2\"}} ";
    const BUSY: &str = "HTTP/1.1 503 Service Unavailable\r\ncontent-length: 0\r\n\r\n";
    const ELSEWHERE: &str = "HTTP/1.1 307 Moved\r\nlocation: http://127.0.0.1:1/\r\ncontent-length: 0\r\n\r\n";
    for (answer, sent) in [(PARTLY, 3), (BUSY, 0), (ELSEWHERE, 0)] {
        let (url, _heard) = collector(answer);
        let line = line(&url);
        let spans = spans_of(&line);
        for tick in 0..5 {
            spans.turn_begins(Tick(tick));
            spans.turn_ends(Tick(tick));
        }
        let count = line.finish(Duration::from_secs(10));
        assert_eq!((count.sent, count.dropped), (sent, 5 - sent), "{answer}");
    }
    let line = line("http://127.0.0.1:1");
    spans_of(&line).turn_begins(Tick(1));
    assert_eq!(line.finish(Duration::from_secs(10)).dropped, 0, "a turn that never ended was never given");
}
