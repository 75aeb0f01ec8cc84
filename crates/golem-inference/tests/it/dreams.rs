//! What dreams ask: of one provider alone where one is named, half-finished thoughts, the web only where it may be searched,
//! and receipts as they came.

use crate::kit::{Act, Server, door, ok, open, provider, request, said, settings, used, with_schema};
use golem_core::model::{ModelAnswer, ModelFailure, ModelPurpose, ModelRequest, ModelTier};
use golem_inference::ProviderKind;
use serde_json::json;

fn dreamt() -> ModelRequest {
    ModelRequest { purpose: ModelPurpose::Dream, ..request() }
}

#[test]
fn the_named_provider_alone_answers_dreams() {
    let (first, second) = (Server::start(vec![said("one", used(9, 1))]), Server::start(vec![said("two", used(9, 1))]));
    let mut door = door(&[&first, &second]);
    door.ask_alone(ModelPurpose::Dream, "b");
    let words = |answer: ModelAnswer| match answer {
        ModelAnswer::Said { text, .. } => text,
        ModelAnswer::Nothing { why } => why.in_words().to_owned(),
    };
    assert_eq!(words(door.ask(&request()).answer), "one", "awake the first one is asked");
    assert_eq!(words(door.ask(&dreamt()).answer), "two");
    assert_eq!((first.seen().len(), second.seen().len()), (1, 1));
    assert!(door.serves(ModelTier::T1, ModelPurpose::Dream));
}

#[test]
fn who_dreams_in_private_asks_nobody_else_when_that_one_is_silent() {
    let (first, second) = (Server::start(vec![said("one", used(9, 1))]), Server::start(vec![Act::Close]));
    let mut door = door(&[&first, &second]);
    door.ask_alone(ModelPurpose::Dream, "b");
    assert!(matches!(door.ask(&dreamt()).answer, ModelAnswer::Nothing { .. }));
    door.ask_alone(ModelPurpose::Dream, "nobody");
    assert_eq!(door.ask(&dreamt()).answer, ModelAnswer::Nothing { why: ModelFailure::NoProvider });
    assert!(!door.serves(ModelTier::T1, ModelPurpose::Dream) && door.serves(ModelTier::T1, ModelPurpose::Waking));
    assert!(first.seen().is_empty(), "nothing of a dream went to anybody else");
}

#[test]
fn who_alone_hears_of_a_death_is_named_for_that_alone() {
    let (first, second) = (Server::start(vec![said("one", used(9, 1))]), Server::start(vec![said("two", used(9, 1))]));
    let mut door = door(&[&first, &second]);
    door.ask_alone(ModelPurpose::Reflection, "b");
    let told = ModelRequest { purpose: ModelPurpose::Reflection, ..request() };
    assert!(matches!(door.ask(&told).answer, ModelAnswer::Said { text, .. } if text == "two"));
    assert!(
        matches!(door.ask(&dreamt()).answer, ModelAnswer::Said { text, .. } if text == "one"),
        "dreams ask as before"
    );
    assert_eq!((first.seen().len(), second.seen().len()), (1, 1));
}

#[test]
fn a_thought_that_was_cut_off_is_what_a_dream_wants() {
    let half = |text: &str| {
        ok(&json!({ "model": "m", "usage": used(30, 9),
                    "choices": [{ "finish_reason": "length", "message": { "content": text } }] }))
    };
    let ask = |text: &str, asked: &ModelRequest| {
        let server = Server::start(vec![half(text)]);
        open(&settings(vec![provider("a", ProviderKind::Openai, &server.url)])).ask(asked).answer
    };
    let cut = ModelAnswer::Nothing { why: ModelFailure::CutShort };
    assert_eq!(ask("lanterns on", &dreamt()), ModelAnswer::Said { text: "lanterns on".into(), calls: Vec::new() });
    assert_eq!(ask("", &dreamt()), cut, "nothing is no thought");
    assert_eq!(ask("lanterns on", &request()), cut, "awake it is no answer");
    let structured = ModelRequest { purpose: ModelPurpose::Dream, ..with_schema() };
    assert_eq!(ask(r#"{"act":"hol"#, &structured), cut);
}

#[test]
fn the_web_is_searched_only_where_a_question_says_so() {
    for kind in [ProviderKind::Openai, ProviderKind::Anthropic, ProviderKind::Ollama] {
        let server = Server::start(vec![said("yes", used(9, 1))]);
        let mut config = provider("a", kind, &server.url);
        config.options.insert("extra".into(), json!({ "log": false, "search": "off" }));
        config.web_search.insert("extra".into(), json!({ "search": "on" }));
        let mut door = open(&settings(vec![config]));
        for web in [false, true] {
            door.ask(&ModelRequest { web, ..dreamt() });
        }
        let sent: Vec<_> = server.seen().iter().map(|s| s.json()["extra"].clone()).collect();
        assert_eq!(
            sent,
            [json!({ "log": false, "search": "off" }), json!({ "log": false, "search": "on" })],
            "{kind:?}"
        );
    }
    let mut odd = provider("a", ProviderKind::Openai, "http://127.0.0.1:1");
    odd.web_search.insert("model".into(), json!("other"));
    odd.web_search.insert("api_key".into(), json!("k"));
    let mut keys: Vec<String> = settings(vec![odd]).problems().into_iter().map(|p| p.key).collect();
    keys.sort();
    assert_eq!(keys, ["providers.0.web_search.api_key", "providers.0.web_search.model"]);
}

#[test]
fn a_receipt_is_kept_as_it_came() {
    let with = |attestation: serde_json::Value| {
        let server = Server::start(vec![ok(&json!({ "model": "m", "usage": used(9, 1), "attestation": attestation,
            "choices": [{ "message": { "content": "yes" } }] }))]);
        let reply = open(&settings(vec![provider("a", ProviderKind::Openai, &server.url)])).ask(&dreamt());
        reply.attempts[0].receipt.clone()
    };
    assert_eq!(with(json!("signed")), "signed");
    assert_eq!(with(json!({ "quote": "0a" })), r#"{"quote":"0a"}"#);
    for none in [json!(null), json!(7), json!("x".repeat(8_001))] {
        assert_eq!(with(none), "");
    }
}
