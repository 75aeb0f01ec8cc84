//! What owners see: the list, the round trip, the canaries.

use crate::kit::{Act, Server, ok, open, provider, said, settings, status, used};
use golem_core::Usdc;
use golem_core::model::{ModelFailure, ModelTier};
use golem_inference::config::CanaryConfig;
use golem_inference::report::{listed_embedder, test_embedder};
use golem_inference::{EmbedderConfig, EmbedderKind, InferenceConfig, ProviderKind, embedder, list};
use serde_json::json;

#[test]
fn the_list_shows_places_and_prices_but_no_secrets() {
    let mut a = provider("venice", ProviderKind::Openai, "https://api.venice.ai/api/v1");
    (a.key_env, a.pin_t2) = (Some("VENICE_API_KEY".into()), Some("large-2026".into()));
    let mut b = provider("here", ProviderKind::Ollama, "http://127.0.0.1:11434");
    (b.model_t2, b.price_t1) = (None, None);
    let config = settings(vec![a, b]);
    insta::assert_snapshot!(serde_json::to_string_pretty(&list(&config)).unwrap());
    assert_eq!(listed_embedder(&config), "bundled");
}

#[test]
fn a_round_trip_of_one_word_says_what_works_and_what_it_cost() {
    let good = Server::start(vec![said("yes", used(20, 1))]);
    let bad = Server::start(vec![Act::Say(404, vec![], br#"{"error":{"message":"no model small"}}"#.to_vec())]);
    let mut b = provider("b", ProviderKind::Openai, &bad.url);
    b.model_t2 = None;
    let tested = open(&settings(vec![provider("a", ProviderKind::Openai, &good.url), b])).test();
    let rows: Vec<_> = tested.iter().map(|t| (t.provider.as_str(), t.tier.unwrap(), t.failed, t.cost)).collect();
    assert_eq!(
        rows,
        [
            ("a", ModelTier::T1, None, Usdc(24)),
            ("b", ModelTier::T1, Some(ModelFailure::Refused), Usdc(0)),
            ("a", ModelTier::T2, None, Usdc(24)),
        ]
    );
    assert_eq!(tested[1].note, "status 404 no model small");
    assert_eq!(tested[0].said, "yes");
    assert_eq!(good.seen()[0].json()["max_tokens"], 64, "room for a model that likes to talk");
    assert_eq!(good.seen().len(), 2, "a round trip is one question");
}

#[test]
fn an_embedder_is_tested_with_one_word() {
    let server = Server::start(vec![ok(&json!({ "embeddings": [[1, 0, 0, 0, 0, 0, 0, 1]], "prompt_eval_count": 2 }))]);
    let e = EmbedderConfig {
        kind: EmbedderKind::Ollama,
        base_url: Some(server.url.clone()),
        model: Some("m".into()),
        width: Some(8),
        ..EmbedderConfig::default()
    };
    let config = InferenceConfig { embedder: e, ..InferenceConfig::default() };
    let mut made = embedder(&config).unwrap().unwrap();
    let tested = test_embedder(&mut *made);
    assert_eq!((tested.provider.as_str(), tested.width, tested.failed), ("ollama/m/8", Some(8), None));
    assert!(listed_embedder(&config).starts_with("ollama m at http://127.0.0.1:"));
}

#[test]
fn a_canary_tells_a_changed_model() {
    let (same, other, away) = (
        Server::start(vec![said(" 4\n", used(20, 1))]),
        Server::start(vec![said("four", used(20, 1))]),
        Server::start(vec![status(401)]),
    );
    let all = [("a", &same), ("b", &other), ("c", &away)];
    let mut config = settings(all.map(|(name, s)| provider(name, ProviderKind::Openai, &s.url)).to_vec());
    config.canaries = vec![CanaryConfig { ask: "Two and two?".into(), expect: "4".into(), tier: ModelTier::T1 }];
    let sung = open(&config).evaluate();
    let rows: Vec<_> = sung.iter().map(|s| (s.provider.as_str(), s.right)).collect();
    assert_eq!(rows, [("a", Some(true)), ("b", Some(false)), ("c", None)]);
    assert_eq!(sung[0].attempts[0].cost, Usdc(24));
    assert_eq!(same.seen()[0].json()["temperature"], 0.0);
}
