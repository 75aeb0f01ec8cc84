//! Embedders over HTTP. OpenAI's shape is also held against a real server in `real.rs`; Ollama's is spoken by a small
//! local server, since it cannot be had here.

use crate::kit::{Act, Server, ok, status};
use golem_core::Usdc;
use golem_core::model::ModelFailure;
use golem_inference::{EmbedderConfig, EmbedderKind, InferenceConfig, RemoteEmbedder, embedder};
use serde_json::{Value, json};

fn config(kind: EmbedderKind, url: &str, model: &str) -> InferenceConfig {
    let price = Some("1".to_owned());
    let embedder = EmbedderConfig {
        kind,
        base_url: Some(url.into()),
        model: Some(model.into()),
        width: Some(8),
        input_usdc_per_mtok: price,
        ..EmbedderConfig::default()
    };
    InferenceConfig { embedder, request_timeout_ms: 3_000, ..InferenceConfig::default() }
}

fn made(kind: EmbedderKind, url: &str, model: &str) -> Box<dyn RemoteEmbedder + Send> {
    embedder(&config(kind, url, model)).unwrap().unwrap()
}

fn row(first: f64) -> Value {
    json!([first, 0.5, 0, 0, 0, 0, 0, -0.25])
}

#[test]
fn texts_become_vectors_in_their_order() {
    let openai = json!({
        "model": "m", "usage": { "prompt_tokens": 12 },
        "data": [{ "index": 1, "embedding": row(-1.0) }, { "index": 0, "embedding": row(1.0) }],
    });
    let ollama = json!({ "model": "m", "embeddings": [row(1.0), row(-1.0)], "prompt_eval_count": 12 });
    for (kind, answer, path, id) in [
        (EmbedderKind::Openai, openai, "/embeddings", "openai/m/8"),
        (EmbedderKind::Ollama, ollama, "/api/embed", "ollama/m/8"),
    ] {
        let server = Server::start(vec![ok(&answer)]);
        let mut embedder = made(kind, &server.url, "m");
        let vectors = embedder.embed(&["one".into(), "two".into()]).unwrap();
        assert_eq!((embedder.id(), embedder.width(), vectors.len()), (id, 8, 2));
        assert_eq!(vectors[0].row, [32_767, 16_384, 0, 0, 0, 0, 0, -8_192]);
        assert_eq!(vectors[1].row[0], -32_767);
        assert!(vectors.iter().all(|v| v.model == id));
        let seen = &server.seen()[0];
        assert_eq!((seen.path.as_str(), seen.json()["input"].clone()), (path, json!(["one", "two"])));
        let attempts = embedder.take_attempts();
        assert_eq!((attempts.len(), attempts[0].cost, attempts[0].estimated), (1, Usdc(12), false));
        assert!(embedder.take_attempts().is_empty());
    }
}

#[test]
fn nomic_is_told_what_a_text_is_for() {
    let server = Server::start(vec![ok(&json!({ "embeddings": [row(1.0)] }))]);
    let mut embedder = made(EmbedderKind::Ollama, &server.url, "nomic-embed-text");
    embedder.embed(&["kept".into()]).unwrap();
    embedder.embed_query("sought").unwrap();
    let inputs: Vec<Value> = server.seen().iter().map(|s| s.json()["input"][0].clone()).collect();
    assert_eq!(inputs, ["search_document: kept", "search_query: sought"]);
    assert!(embedder.take_attempts().iter().all(|a| a.estimated && a.cost > Usdc::ZERO));
}

#[test]
fn what_are_no_vectors_has_a_name() {
    use ModelFailure::{Busy, Garbled, Refused, TimedOut, TooLong, Unreachable};
    let wide = json!({ "embeddings": [[1, 2, 3]] });
    let cases: Vec<(Act, ModelFailure, bool)> = vec![
        (ok(&json!({})), Garbled, true),
        (ok(&wide), Garbled, true),
        (ok(&json!({ "embeddings": [] })), Garbled, true),
        (ok(&json!({ "embeddings": [row(1.0), row(1.0)] })), Garbled, true),
        (ok(&json!({ "embeddings": [[0, 0, 0, 0, 0, 0, 0, 0]] })), Garbled, true),
        (ok(&json!({ "embeddings": [[null, 0, 0, 0, 0, 0, 0, 1]] })), Garbled, true),
        (ok(&json!({ "embeddings": [[1e300, 0, 0, 0, 0, 0, 0, 1]] })), Garbled, true),
        (Act::Endless, TooLong, true),
        (Act::Hang, TimedOut, true),
        (Act::Close, Unreachable, true),
        (status(429), Busy, false),
        (status(500), Unreachable, false),
        (status(401), Refused, false),
    ];
    for (act, failure, billed) in cases {
        let server = Server::start(vec![act]);
        let mut config = config(EmbedderKind::Ollama, &server.url, "m");
        (config.request_timeout_ms, config.connect_timeout_ms) = (400, 400);
        let mut embedder = embedder(&config).unwrap().unwrap();
        assert_eq!(embedder.embed(&["one".into()]), Err(failure));
        let attempts = embedder.take_attempts();
        assert_eq!((attempts.len(), attempts[0].cost > Usdc::ZERO), (1, billed), "{failure:?}");
    }
}

#[test]
fn many_texts_go_in_batches_under_one_money_cap() {
    let vectors: Vec<Value> = (0..64).map(|_| row(1.0)).collect();
    let rest: Vec<Value> = (0..6).map(|_| row(1.0)).collect();
    let server = Server::start(vec![ok(&json!({ "embeddings": vectors })), ok(&json!({ "embeddings": rest }))]);
    let texts: Vec<String> = (0..70).map(|i| format!("text {i}")).collect();
    let mut embedder_ = made(EmbedderKind::Ollama, &server.url, "m");
    assert_eq!(embedder_.embed(&texts).unwrap().len(), 70);
    assert_eq!(server.seen().len(), 2);
    let mut config = config(EmbedderKind::Ollama, &server.url, "m");
    config.max_request_usdc = Usdc(100);
    let mut embedder_ = embedder(&config).unwrap().unwrap();
    assert_eq!(embedder_.embed(&texts), Err(ModelFailure::TooDear));
    assert_eq!(server.seen().len(), 2);
}

#[test]
fn a_text_with_a_secret_in_it_is_not_sent() {
    let server = Server::start(vec![]);
    let mut embedder = made(EmbedderKind::Openai, &server.url, "m");
    embedder.forbid("9f86d081884c7d65");
    let said = embedder.embed(&["gas is dear".into(), "the seed is 9f86d081884c7d65".into()]);
    assert_eq!(said.unwrap_err(), ModelFailure::Leaked);
    assert_eq!(embedder.embed_query("9f86d081884c7d65").unwrap_err(), ModelFailure::Leaked);
    assert_eq!(server.seen().len(), 0);
}
