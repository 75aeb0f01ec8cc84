//! Models that talk much or think first: what a length limit cut is named so, thoughts are no answer and are paid for, a
//! provider is asked in the way it says itself, and what was cached has its own price.

use crate::kit::{Act, PRICE, SCHEMA, Server, ok, open, provider, request, settings, used, with_schema};
use golem_core::Usdc;
use golem_core::model::{ModelAnswer, ModelFailure, ModelReply, ModelRequest};
use golem_inference::config::ProviderConfig;
use golem_inference::price::ModelPrice;
use golem_inference::report::Tested;
use golem_inference::{InferenceConfig, ProviderKind};
use serde_json::{Value, json};

const FIT: &str = r#"{"act":"hold","why":"calm"}"#;

/// What each kind says when it is done, or was cut.
fn speech(kind: ProviderKind, text: &str, cut: bool) -> Value {
    match kind {
        ProviderKind::Openai => json!({
            "model": "m", "usage": used(30, 9),
            "choices": [{ "finish_reason": if cut { "length" } else { "stop" }, "message": { "content": text } }],
        }),
        ProviderKind::Anthropic => json!({
            "model": "m", "content": [{ "type": "text", "text": text }], "usage": { "input_tokens": 30, "output_tokens": 9 },
            "stop_reason": if cut { "max_tokens" } else { "end_turn" },
        }),
        ProviderKind::Ollama => json!({
            "model": "m", "done": true, "done_reason": if cut { "length" } else { "stop" },
            "message": { "content": text }, "prompt_eval_count": 30, "eval_count": 9,
        }),
    }
}

/// Ask a provider that answers so; what came of it, and what it was sent.
fn exchange(kind: ProviderKind, acts: Vec<Act>, asked: &ModelRequest) -> (ModelReply, Vec<Value>) {
    let server = Server::start(acts);
    let reply = open(&settings(vec![provider("a", kind, &server.url)])).ask(asked);
    (reply, server.seen().iter().map(|s| s.json()).collect())
}

#[test]
fn an_answer_that_was_cut_is_named_so_and_not_paid_for_twice() {
    for kind in [ProviderKind::Openai, ProviderKind::Anthropic, ProviderKind::Ollama] {
        for (asked, text) in
            [(request(), "It depends on"), (with_schema(), r#"{"act":"hold","wh"#), (with_schema(), "")]
        {
            let (reply, sent) = exchange(kind, vec![ok(&speech(kind, text, true))], &asked);
            assert_eq!(reply.answer, ModelAnswer::Nothing { why: ModelFailure::CutShort }, "{kind:?} {text}");
            assert_eq!((sent.len(), reply.attempts[0].failed), (1, Some(ModelFailure::CutShort)), "{kind:?} {text}");
            assert_eq!(reply.attempts[0].note, "cut off at 100 tokens");
            // The same words, not cut, are a whole answer or one that does not fit.
            let (reply, _) = exchange(kind, vec![ok(&speech(kind, text, false))], &asked);
            assert_ne!(reply.answer, ModelAnswer::Nothing { why: ModelFailure::CutShort }, "{kind:?} {text}");
        }
        // What is whole is whole, wherever the limit was.
        let (reply, _) = exchange(kind, vec![ok(&speech(kind, FIT, true))], &with_schema());
        assert_eq!(reply.answer, ModelAnswer::Said { text: FIT.into(), calls: Vec::new() }, "{kind:?}");
        // Cut in its second try, after a complaint.
        let acts = vec![ok(&speech(kind, "no JSON", false)), ok(&speech(kind, SCHEMA, true))];
        let (reply, sent) = exchange(kind, acts, &with_schema());
        assert_eq!((&reply.answer, sent.len()), (&ModelAnswer::Nothing { why: ModelFailure::CutShort }, 2), "{kind:?}");
    }
    assert!(ModelFailure::CutShort.in_words().contains("cut off at the limit"));
    assert_eq!(serde_json::to_value(ModelFailure::CutShort).unwrap(), "cut_short");
}

#[test]
fn thoughts_are_no_answer_and_are_paid_for() {
    let thinks = format!("<think>hold or buy? {{\"act\":\"buy\"}}</think>\n{FIT}");
    for kind in [ProviderKind::Openai, ProviderKind::Ollama] {
        let (reply, _) = exchange(kind, vec![ok(&speech(kind, &thinks, false))], &with_schema());
        assert_eq!(reply.answer, ModelAnswer::Said { text: FIT.into(), calls: Vec::new() }, "{kind:?}");
        let (reply, _) = exchange(kind, vec![ok(&speech(kind, "<think>hold or", true))], &with_schema());
        assert_eq!(reply.answer, ModelAnswer::Nothing { why: ModelFailure::CutShort }, "{kind:?}");
    }
    // In a field of their own; beside the count of what was said where the sum says so, within it otherwise.
    for (field, total, output) in [("reasoning_content", 30 + 9 + 40, 49), ("reasoning", 30 + 9, 9)] {
        let usage = json!({ "prompt_tokens": 30, "completion_tokens": 9, "total_tokens": total,
                            "completion_tokens_details": { "reasoning_tokens": 40 } });
        let answer = json!({ "model": "m", "usage": usage,
                             "choices": [{ "finish_reason": "stop", "message": { "content": FIT, field: "well" } }] });
        let (reply, _) = exchange(ProviderKind::Openai, vec![ok(&answer)], &with_schema());
        assert_eq!(reply.attempts[0].output_tokens, output, "{reply:?}");
        assert_eq!(reply.cost(), PRICE.cost(30, output));
    }
    // Thoughts beyond the cap are beyond the cap.
    let endless =
        json!({ "model": "m", "choices": [{ "message": { "content": FIT, "reasoning_content": "x".repeat(9_000) } }] });
    let (reply, _) = exchange(ProviderKind::Openai, vec![ok(&endless)], &with_schema());
    assert_eq!(reply.answer, ModelAnswer::Nothing { why: ModelFailure::TooLong });
}

fn refusal(message: &str) -> Act {
    Act::Say(400, Vec::new(), json!({ "error": { "message": message } }).to_string().into_bytes())
}

#[test]
fn a_provider_that_says_how_it_wants_to_be_asked_is_asked_so_from_then_on() {
    let yes = ok(&speech(ProviderKind::Openai, "yes", false));
    let server = Server::start(vec![
        refusal(
            "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
        ),
        refusal(
            "Unsupported value: 'temperature' does not support 0.7 with this model. Only the default (1) value is supported.",
        ),
        yes,
    ]);
    // Without retries too: it is not in trouble, it is asked otherwise.
    let config = InferenceConfig { retries: 0, ..settings(vec![provider("a", ProviderKind::Openai, &server.url)]) };
    let mut door = open(&config);
    let reply = door.ask(&request());
    assert!(matches!(reply.answer, ModelAnswer::Said { .. }), "{reply:?}");
    let failed: Vec<_> = reply.attempts.iter().map(|a| a.failed).collect();
    assert_eq!(failed, [Some(ModelFailure::Refused), Some(ModelFailure::Refused), None]);
    assert_eq!(reply.cost(), PRICE.cost(30, 9), "a refusal costs nothing");
    assert_eq!(door.ask(&request()).attempts.len(), 1);
    let sent: Vec<Value> = server.seen().iter().map(|s| s.json()).collect();
    for (body, cap, temperature) in [
        (&sent[0], "max_tokens", true),
        (&sent[1], "max_completion_tokens", true),
        (&sent[3], "max_completion_tokens", false),
    ] {
        assert_eq!((&body[cap], body.get("temperature").is_some()), (&json!(100), temperature), "{body}");
    }
    // Whoever goes on refusing is not asked for ever.
    let server = Server::start(vec![refusal("max_completion_tokens and temperature are wrong")]);
    let reply = open(&settings(vec![provider("a", ProviderKind::Openai, &server.url)])).ask(&request());
    assert_eq!((reply.answer, server.seen().len()), (ModelAnswer::Nothing { why: ModelFailure::Refused }, 3));
}

/// What `models test` makes of a provider with one model.
fn tested(acts: Vec<Act>) -> (Tested, Vec<Value>) {
    let server = Server::start(acts);
    let one = ProviderConfig { model_t2: None, ..provider("a", ProviderKind::Openai, &server.url) };
    let all = open(&settings(vec![one])).test();
    (all[0].clone(), server.seen().iter().map(|s| s.json()).collect())
}

fn thought(content: &str, thought: &str, cut: bool, tokens: u64) -> Act {
    ok(&json!({ "model": "m", "usage": used(20, tokens), "choices": [{
        "finish_reason": if cut { "length" } else { "stop" }, "message": { "content": content, "reasoning_content": thought } }] }))
}

#[test]
fn a_test_copes_with_models_that_talk_or_think() {
    // Talkative: said in full, or cut; both are answers.
    let (t, sent) = tested(vec![thought("Yes, of course, with pleasure!", "", false, 9)]);
    assert_eq!((t.failed, t.cut, t.thinks, sent.len()), (None, false, false, 1), "{t:?}");
    let (t, _) = tested(vec![thought("Yes! As a language model, I", "", true, 64)]);
    assert_eq!((t.failed, t.cut, t.thinks), (None, true, false), "{t:?}");
    // One whose server keeps to no limit is said to.
    let (t, _) = tested(vec![thought(&"Yes. ".repeat(600), "", false, 700)]);
    assert_eq!(t.failed, Some(ModelFailure::TooLong));
    assert_eq!(t.note, "700 tokens where 64 were allowed: it does not keep to its limit");
    // Reasoning: 64 tokens are gone before a word is said, so it gets the room that an answer has.
    let (t, sent) = tested(vec![thought("", "The user wants", true, 64), thought("yes", "well, yes", false, 200)]);
    assert_eq!((t.failed, t.thinks, t.said.as_str()), (None, true, "yes"), "{t:?}");
    assert_eq!((&sent[0]["max_tokens"], &sent[1]["max_tokens"]), (&json!(64), &json!(2_048)));
    assert_eq!(t.cost, PRICE.cost(20, 64).plus(PRICE.cost(20, 200)), "both are paid for");
    let (t, _) = tested(vec![ok(&speech(ProviderKind::Openai, "<think>hm</think>yes", false))]);
    assert_eq!((t.failed, t.thinks, t.said.as_str()), (None, true, "yes"), "{t:?}");
    // One that never comes to a word is named with the setting that would help.
    let (t, sent) = tested(vec![thought("", "and on", true, 64)]);
    assert_eq!((t.failed, sent.len()), (Some(ModelFailure::CutShort), 2), "{t:?}");
    assert!(t.note.contains("inference.max_output_tokens"), "{t:?}");
}

#[test]
fn what_was_cached_has_its_own_price() {
    let price = ModelPrice {
        cached_usdc_per_mtok: Some(Usdc(100_000)),
        cache_write_usdc_per_mtok: Some(Usdc(1_250_000)),
        ..PRICE
    };
    let openai =
        json!({ "prompt_tokens": 300, "completion_tokens": 5, "prompt_tokens_details": { "cached_tokens": 200 } });
    let others = json!({ "prompt_tokens": 300, "completion_tokens": 5, "prompt_cache_hit_tokens": 200 });
    let liar =
        json!({ "prompt_tokens": 300, "completion_tokens": 5, "prompt_tokens_details": { "cached_tokens": 301 } });
    let anthropic = json!({ "input_tokens": 40, "cache_read_input_tokens": 200, "cache_creation_input_tokens": 60, "output_tokens": 5 });
    for (kind, usage, cached, cost, full) in [
        (ProviderKind::Openai, openai, 200, 100 + 20 + 20, 320),
        (ProviderKind::Openai, others, 200, 100 + 20 + 20, 320),
        (ProviderKind::Openai, liar, 0, 300 + 20, 320),
        (ProviderKind::Anthropic, anthropic, 200, 40 + 20 + 75 + 20, 320),
    ] {
        let mut answer = speech(kind, "yes", false);
        answer["usage"] = usage;
        for (price, cost) in [(price, cost), (PRICE, full)] {
            let server = Server::start(vec![ok(&answer)]);
            let one = ProviderConfig { price_t1: Some(price), ..provider("a", kind, &server.url) };
            let reply = open(&settings(vec![one])).ask(&request());
            let a = &reply.attempts[0];
            assert_eq!((a.input_tokens, a.cached_tokens, a.cost), (300, cached, Usdc(cost)), "{kind:?} {answer}");
        }
    }
    // In a settings file, as text like all money.
    let read: ModelPrice =
        toml_like(json!({ "input_usdc_per_mtok": "3", "output_usdc_per_mtok": "15", "cached_usdc_per_mtok": "0.30" }));
    assert_eq!((read.cached_usdc_per_mtok, read.cache_write_usdc_per_mtok), (Some(Usdc(300_000)), None));
    assert_eq!(serde_json::to_value(read).unwrap()["cached_usdc_per_mtok"], "0.30");
    assert!(
        serde_json::to_value(PRICE).unwrap().get("cached_usdc_per_mtok").is_none(),
        "what is not set is not written"
    );
}

fn toml_like(value: Value) -> ModelPrice {
    serde_json::from_value(value).unwrap()
}
