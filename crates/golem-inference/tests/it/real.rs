//! A real model over real HTTP: llama.cpp's server with SmolLM2-135M. It is far too small to be wise; it shows that
//! schemas, counts, caps, repairs and recordings hold against a server that nobody here wrote.

use crate::kit::{PRICE, open, provider, request, settings, with_schema};
use golem_core::Usdc;
use golem_core::model::{ModelAnswer, ModelFailure, ModelMessage, ModelReply, ModelRequest, ToolSpec};
use golem_inference::config::{ProviderConfig, Structured, Tools};
use golem_inference::{
    AskedAt, CallNumber, EmbedderConfig, EmbedderKind, InferenceConfig, Model, ProviderKind, Recorded, Recorder,
    embedder,
};
use std::sync::Mutex;

/// One server at a time: several would only wait for each other.
static ONE: Mutex<()> = Mutex::new(());

#[path = "../kit/llama.rs"]
mod llama;
use llama::Llama;

fn start() -> Option<Llama> {
    Llama::start(env!("CARGO_MANIFEST_DIR"))
}

fn provider_of(llama: &Llama) -> ProviderConfig {
    ProviderConfig { model_t1: Some("smollm2-135m".into()), ..provider("llama", ProviderKind::Openai, &llama.url) }
}

fn settings_of(provider: ProviderConfig) -> InferenceConfig {
    InferenceConfig { request_timeout_ms: 120_000, ..settings(vec![provider]) }
}

fn patient(request: ModelRequest) -> ModelRequest {
    ModelRequest { timeout_ms: 120_000, temperature: 0.0, ..request }
}

fn text(reply: &ModelReply) -> &str {
    match &reply.answer {
        ModelAnswer::Said { text, .. } => text,
        ModelAnswer::Nothing { why } => panic!("{why:?}: {reply:?}"),
    }
}

#[test]
fn a_real_model_answers_by_schema_within_its_caps_and_is_recorded() {
    let _one = ONE.lock();
    let Some(llama) = start() else { return };
    let dir = tempfile::tempdir().unwrap();
    let tape = dir.path().join("talk.jsonl");
    let call = |number| CallNumber { at: AskedAt::Tick(1), number };
    let mut recorder = Recorder::new(open(&settings_of(provider_of(&llama))), &tape).unwrap();

    // By schema, counted by the server, paid to the last micro-USDC.
    let bound = r#"{"type":"object","properties":{"act":{"enum":["hold","buy"]},"why":{"type":"string","maxLength":40}},"required":["act","why"],"additionalProperties":false}"#;
    let asked = patient(ModelRequest { schema: bound.into(), ..request() });
    let first = recorder.ask(call(0), &asked).unwrap();
    let value: serde_json::Value = serde_json::from_str(text(&first)).unwrap();
    assert!(["hold", "buy"].contains(&value["act"].as_str().unwrap()));
    let [a] = &first.attempts[..] else { panic!("{first:?}") };
    assert_eq!((a.model.as_str(), a.estimated, a.drift, a.failed), ("smollm2-135m", false, false, None));
    assert!((10..200).contains(&a.input_tokens) && (5..=100).contains(&a.output_tokens), "{a:?}");
    assert_eq!(a.cost, PRICE.cost(a.input_tokens, a.output_tokens));

    // A cap on the output is kept by the server.
    let story = vec![ModelMessage::Golem { text: "Tell me a very long story.".into() }];
    let short = patient(ModelRequest { messages: story.clone(), max_output_tokens: 7, ..request() });
    let second = recorder.ask(call(1), &short).unwrap();
    assert_eq!((second.attempts.len(), second.attempts[0].output_tokens), (1, 7));
    assert_eq!(second.answer, ModelAnswer::Nothing { why: ModelFailure::CutShort }, "a story of seven tokens is none");

    // Words that are cut before they can fit: paid once, and not asked for again.
    let words = ProviderConfig { structured: Structured::Words, ..provider_of(&llama) };
    let unfit = patient(ModelRequest { messages: story, max_output_tokens: 6, ..with_schema() });
    let third = open(&settings_of(words)).ask(&unfit);
    assert_eq!(third.answer, ModelAnswer::Nothing { why: ModelFailure::CutShort });
    assert!(third.attempts.len() == 1 && third.attempts.iter().all(|a| !a.estimated && a.output_tokens == 6));
    assert_eq!(third.cost(), third.attempts.iter().fold(Usdc::ZERO, |s, a| s.plus(PRICE.cost(a.input_tokens, 6))));

    // No money, no question.
    let poor = patient(ModelRequest { max_cost: Usdc(10), ..request() });
    let fourth = recorder.ask(call(2), &poor).unwrap();
    assert_eq!(
        (fourth.answer.clone(), fourth.cost()),
        (ModelAnswer::Nothing { why: ModelFailure::TooDear }, Usdc::ZERO)
    );

    // With the server gone, the recording says the same.
    drop((recorder, llama));
    let mut recorded = Recorded::new(&tape).unwrap();
    for (number, asked, reply) in [(0, &asked, &first), (1, &short, &second), (2, &poor, &fourth)] {
        assert_eq!(&recorded.ask(call(number), asked).unwrap(), reply);
    }
    assert!(recorded.ask(call(0), &short).is_err());
}

#[test]
fn a_real_model_calls_a_tool_through_the_schema_and_makes_vectors() {
    let _one = ONE.lock();
    let Some(llama) = start() else { return };
    let parameters = r#"{"type":"object","properties":{"field":{"enum":["price","gas"]}},"required":["field"],"additionalProperties":false}"#;
    let tool = ToolSpec { name: "query_state".into(), about: "Look at a field.".into(), parameters: parameters.into() };
    let mut asked = patient(ModelRequest { tools: vec![tool], ..with_schema() });
    asked.messages = vec![ModelMessage::Golem { text: "Call query_state for the price.".into() }];
    let provider = ProviderConfig { tools: Tools::Schema, ..provider_of(&llama) };
    let reply = open(&settings_of(provider)).ask(&asked);
    // Whichever it chose, it has the right form at the first try.
    match &reply.answer {
        ModelAnswer::Said { text, calls } if calls.is_empty() => assert!(text.contains("\"act\"")),
        ModelAnswer::Said { calls, .. } => assert!(calls[0].arguments.starts_with("{\"field\":")),
        ModelAnswer::Nothing { .. } => panic!("{reply:?}"),
    }
    assert_eq!(reply.attempts.len(), 1, "{reply:?}");

    let e = EmbedderConfig {
        kind: EmbedderKind::Openai,
        base_url: Some(llama.url.clone()),
        model: Some("smollm2-135m".into()),
        width: Some(576),
        ..EmbedderConfig::default()
    };
    let mut embedder = embedder(&InferenceConfig { embedder: e, ..InferenceConfig::default() }).unwrap().unwrap();
    let texts = ["gas is cheap", "gas is cheap", "the pool is empty"].map(ToOwned::to_owned);
    let vectors = embedder.embed(&texts).unwrap();
    assert_eq!((vectors[0].row.len(), &vectors[0]), (576, &vectors[1]));
    assert_ne!(vectors[0].row, vectors[2].row);
    let attempts = embedder.take_attempts();
    assert!(!attempts[0].estimated && attempts[0].input_tokens >= 9, "{attempts:?}");
}
