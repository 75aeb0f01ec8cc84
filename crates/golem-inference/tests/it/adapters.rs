//! What goes over the wire to each kind of provider, and what is made of what comes back. OpenAI's shape is also held
//! against a real llama.cpp server in `real.rs`; Ollama and Anthropic cannot be had here, so a small local server speaks
//! their documented shapes.

use crate::kit::{Server, ok, open, provider, request, settings, with_schema};
use golem_core::Usdc;
use golem_core::model::{ModelAnswer, ModelFailure, ModelMessage, ModelRequest, ToolCall, ToolSpec};
use golem_inference::ProviderKind::{self, Anthropic, Ollama, Openai};
use golem_inference::config::{OutputCap, ProviderConfig, Structured, Tools};
use serde_json::{Value, json};

const FIT: &str = r#"{"act":"hold","why":"calm"}"#;

fn tools() -> Vec<ToolSpec> {
    let parameters = r#"{"type":"object","properties":{"field":{"type":"string"}},"required":["field"]}"#;
    vec![ToolSpec { name: "query_state".into(), about: "Look.".into(), parameters: parameters.into() }]
}

fn with_tools() -> ModelRequest {
    ModelRequest { tools: tools(), ..with_schema() }
}

/// A conversation in which a tool was called and answered.
fn after_a_call() -> ModelRequest {
    let call = ToolCall { id: "c1".into(), name: "query_state".into(), arguments: r#"{"field":"price"}"#.into() };
    let mut asked = with_tools();
    asked.messages.push(ModelMessage::Model { text: String::new(), calls: vec![call] });
    asked.messages.push(ModelMessage::Tool { call: "c1".into(), text: "{\"price\":\"2000\"}".into() });
    asked
}

/// What each kind says for the same: words, a call, and what was used.
fn speech(kind: ProviderKind, text: &str, call: Option<(&str, Value)>, used: (u64, u64)) -> Value {
    match kind {
        Openai => {
            let calls = call.map(|(name, arguments)| {
                json!([{ "id": "x1", "type": "function", "function": { "name": name, "arguments": arguments.to_string() } }])
            });
            json!({
                "id": "chatcmpl-1", "object": "chat.completion", "model": "m",
                "choices": [{ "index": 0, "finish_reason": "stop",
                              "message": { "role": "assistant", "content": text, "tool_calls": calls } }],
                "usage": { "prompt_tokens": used.0, "completion_tokens": used.1, "total_tokens": used.0 + used.1 },
            })
        }
        Anthropic => {
            let mut content = Vec::new();
            if !text.is_empty() {
                content.push(json!({ "type": "text", "text": text }));
            }
            content.extend(
                call.map(|(name, input)| json!({ "type": "tool_use", "id": "toolu_1", "name": name, "input": input })),
            );
            json!({
                "id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": content,
                "stop_reason": "tool_use",
                "usage": { "input_tokens": used.0 - 3, "cache_read_input_tokens": 2, "cache_creation_input_tokens": 1, "output_tokens": used.1 },
            })
        }
        Ollama => {
            let calls = call.map(|(name, arguments)| json!([{ "function": { "name": name, "arguments": arguments } }]));
            json!({
                "model": "m", "created_at": "2026-01-01T00:00:00Z", "done": true, "done_reason": "stop",
                "message": { "role": "assistant", "content": text, "tool_calls": calls },
                "total_duration": 5, "prompt_eval_count": used.0, "eval_count": used.1,
            })
        }
    }
}

/// Ask one provider that answers so; what it was sent, and what came of it.
fn exchange(
    config: impl Fn(&str) -> ProviderConfig,
    answer: Value,
    asked: &ModelRequest,
) -> (Value, golem_core::model::ModelReply) {
    let server = Server::start(vec![ok(&answer)]);
    let reply = open(&settings(vec![config(&server.url)])).ask(asked);
    let sent = server.seen().first().map(|s| s.json()).unwrap_or_default();
    (sent, reply)
}

#[test]
fn each_kind_is_spoken_to_at_its_place_with_its_key() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("key");
    std::fs::write(&file, "sk-canary-0815").unwrap();
    std::fs::set_permissions(&file, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
    for (kind, path, header, value) in [
        (Openai, "/chat/completions", "authorization", "Bearer sk-canary-0815"),
        (Anthropic, "/v1/messages", "x-api-key", "sk-canary-0815"),
        (Ollama, "/api/chat", "authorization", "Bearer sk-canary-0815"),
    ] {
        let server = Server::start(vec![ok(&speech(kind, "yes", None, (30, 1)))]);
        let mut config = provider("a", kind, &format!("{}/", server.url));
        config.key_file = Some(file.clone());
        let reply = open(&settings(vec![config])).ask(&request());
        let seen = &server.seen()[0];
        assert_eq!((seen.path.as_str(), seen.headers.get(header).map(String::as_str)), (path, Some(value)));
        assert_eq!(seen.headers.contains_key("anthropic-version"), kind == Anthropic);
        assert_eq!(reply.cost(), Usdc(34), "{kind:?}: {reply:?}");
    }
}

#[test]
fn bodies_are_written_as_each_kind_wants_them() {
    let mut all = Vec::new();
    for kind in [Openai, Anthropic, Ollama] {
        for (name, asked) in [
            ("words", request()),
            ("schema", with_schema()),
            ("tools and schema", with_tools()),
            ("after a call", after_a_call()),
        ] {
            let (sent, _) = exchange(|url| provider("a", kind, url), speech(kind, FIT, None, (30, 9)), &asked);
            all.push(format!("{kind:?}, {name}:\n{sent}"));
        }
    }
    insta::assert_snapshot!(all.join("\n\n"));
}

#[test]
fn answers_and_usage_are_read_from_each_kind() {
    for kind in [Openai, Anthropic, Ollama] {
        // As text, or by the tool that stands for the reply.
        for answer in [
            speech(kind, FIT, None, (40, 11)),
            speech(kind, "", Some(("reply", serde_json::from_str(FIT).unwrap())), (40, 11)),
        ] {
            let (_, reply) = exchange(|url| provider("a", kind, url), answer, &with_schema());
            let expected = ModelAnswer::Said { text: FIT.into(), calls: Vec::new() };
            assert_eq!(reply.answer, expected, "{kind:?}");
            let a = &reply.attempts[0];
            assert_eq!((a.input_tokens, a.output_tokens, a.estimated), (40, 11, false), "{kind:?}");
        }
    }
}

#[test]
fn a_tool_is_called_only_as_it_was_offered() {
    for kind in [Openai, Anthropic, Ollama] {
        let call = |name, arguments| speech(kind, "", Some((name, arguments)), (40, 11));
        let good = call("query_state", json!({ "field": "price" }));
        let (_, reply) = exchange(|url| provider("a", kind, url), good, &with_tools());
        let ModelAnswer::Said { calls, .. } = &reply.answer else { panic!("{kind:?}: {reply:?}") };
        assert_eq!((calls[0].name.as_str(), calls[0].arguments.as_str()), ("query_state", r#"{"field":"price"}"#));
        assert!(!calls[0].id.is_empty());
        for bad in [
            call("transfer_all", json!({})),
            call("query_state", json!({ "field": 7 })),
            call("query_state", json!({})),
        ] {
            let (_, reply) = exchange(|url| provider("a", kind, url), bad, &with_tools());
            assert_eq!(reply.answer, ModelAnswer::Nothing { why: ModelFailure::Unfit }, "{kind:?}");
            assert_eq!(reply.attempts.len(), 2, "{kind:?}");
        }
    }
}

#[test]
fn temperatures_are_kept_within_what_each_kind_takes() {
    for (kind, wanted, told) in [
        (Openai, 0.7, json!(0.7)),
        (Openai, 9.0, json!(2.0)),
        (Openai, -1.0, json!(0.0)),
        (Openai, f32::NAN, json!(0.0)),
        (Anthropic, 1.3, json!(1.0)),
        (Ollama, 1.3, json!(1.3)),
    ] {
        let asked = ModelRequest { temperature: wanted, ..request() };
        let (sent, _) = exchange(|url| provider("a", kind, url), speech(kind, "yes", None, (30, 1)), &asked);
        let place = if kind == Ollama { "/options/temperature" } else { "/temperature" };
        assert_eq!(sent.pointer(place), Some(&told), "{kind:?} {wanted}");
        let none = |url: &str| ProviderConfig { takes_temperature: false, ..provider("a", kind, url) };
        let (sent, _) = exchange(none, speech(kind, "yes", None, (30, 1)), &asked);
        assert_eq!(sent.pointer(place), None, "{kind:?}");
    }
}

#[test]
fn a_provider_has_its_own_ways_of_the_same() {
    let answer = || speech(Openai, FIT, None, (30, 9));
    let words = |structured| move |url: &str| ProviderConfig { structured, ..provider("a", Openai, url) };
    let (sent, _) = exchange(words(Structured::Object), answer(), &with_schema());
    assert_eq!(sent["response_format"], json!({ "type": "json_object" }));
    assert!(sent["messages"][0]["content"].as_str().unwrap().contains("additionalProperties"));
    let (sent, _) = exchange(words(Structured::Words), answer(), &with_schema());
    assert_eq!(sent.get("response_format"), None);
    assert!(sent["messages"][0]["content"].as_str().unwrap().contains("additionalProperties"));
    let newer = |url: &str| ProviderConfig { output_cap: OutputCap::MaxCompletionTokens, ..provider("a", Openai, url) };
    let (sent, _) = exchange(newer, answer(), &request());
    assert_eq!((sent.get("max_completion_tokens"), sent.get("max_tokens")), (Some(&json!(100)), None));
    // A schema with an open object would be refused in strict mode.
    let open_schema = ModelRequest { schema: r#"{"type":"object","properties":{"a":{}}}"#.into(), ..request() };
    let (sent, _) = exchange(|url| provider("a", Openai, url), answer(), &open_schema);
    assert_eq!(sent.pointer("/response_format/json_schema/strict"), Some(&json!(false)));
}

#[test]
fn options_are_added_and_overwrite_nothing() {
    let with = |kind, options: Value| {
        move |url: &str| ProviderConfig { options: options.as_object().unwrap().clone(), ..provider("a", kind, url) }
    };
    let venice = with(Openai, json!({ "venice_parameters": { "include_venice_system_prompt": false }, "seed": 7 }));
    let (sent, _) = exchange(venice, speech(Openai, "yes", None, (30, 1)), &request());
    assert_eq!(sent["venice_parameters"]["include_venice_system_prompt"], json!(false));
    assert_eq!((&sent["seed"], &sent["max_tokens"]), (&json!(7), &json!(100)));
    let ollama = with(Ollama, json!({ "options": { "num_ctx": 8192, "num_predict": 99999 }, "keep_alive": "5m" }));
    let (sent, _) = exchange(ollama, speech(Ollama, "yes", None, (30, 1)), &request());
    assert_eq!(sent["options"], json!({ "num_ctx": 8192, "num_predict": 100, "temperature": 0.7 }));
}

#[test]
fn the_owners_cap_on_the_output_is_a_cap() {
    for (kind, place) in [(Openai, "/max_tokens"), (Anthropic, "/max_tokens"), (Ollama, "/options/num_predict")] {
        for (asked, told) in [(0, 1), (100, 100), (100_000, 500)] {
            let server = Server::start(vec![ok(&speech(kind, "y", None, (30, 1)))]);
            let mut config = settings(vec![provider("a", kind, &server.url)]);
            config.max_output_tokens = 500;
            open(&config).ask(&ModelRequest { max_output_tokens: asked, ..request() });
            assert_eq!(server.seen()[0].json().pointer(place), Some(&json!(told)), "{kind:?} {asked}");
        }
    }
}

#[test]
fn tools_can_be_part_of_the_schema() {
    for kind in [Openai, Anthropic, Ollama] {
        let spoken = |url: &str| ProviderConfig { tools: Tools::Schema, ..provider("a", kind, url) };
        let says = |text: &str| exchange(spoken, speech(kind, text, None, (40, 11)), &after_a_call());
        let (sent, reply) = says(r#"{"call":"query_state","arguments":{"field":"gas"}}"#);
        let ModelAnswer::Said { calls, text } = &reply.answer else { panic!("{kind:?}: {reply:?}") };
        assert_eq!((calls[0].name.as_str(), calls[0].arguments.as_str()), ("query_state", r#"{"field":"gas"}"#));
        assert_eq!((text.as_str(), calls.len()), ("", 1));
        let told = sent.to_string();
        assert!(told.contains("anyOf") && told.contains("The tool answered:"), "{told}");
        assert!(sent.pointer("/tools/0/function/name") != Some(&json!("query_state")), "{told}");
        let (_, reply) = says(&format!(r#"{{"reply":{FIT}}}"#));
        assert_eq!(reply.answer, ModelAnswer::Said { text: FIT.into(), calls: Vec::new() }, "{kind:?}");
        for bad in [
            r#"{"call":"transfer_all","arguments":{}}"#,
            r#"{"call":"query_state","arguments":{"field":7}}"#,
            r#"{"call":"query_state"}"#,
            r#"{"call":"query_state","arguments":{"field":"gas"},"reply":{"act":"buy","why":"x"}}"#,
            r#"{"reply":{"act":"sell","why":"x"}}"#,
        ] {
            assert_eq!(says(bad).1.answer, ModelAnswer::Nothing { why: ModelFailure::Unfit }, "{kind:?} {bad}");
        }
    }
}
