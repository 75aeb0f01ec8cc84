//! A model that is a puppet: it says whatever a test wants, through the same door as a real one.
#![allow(dead_code)]

use golem_core::Usdc;
use golem_core::door::{EmbedReply, EmbedRequest, Models};
use golem_core::model::{ModelAnswer, ModelAttempt, ModelReply, ModelRequest, ToolCall};
use golem_lab::Subject;
use golem_lab::world::{Synthetic, SyntheticConfig};
use golem_life::settings::ThinkingSettings;
use golem_life::{Fact, LifeFact, Settings};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

pub const COST: Usdc = Usdc(1_500);

/// What it was asked, for tests to look at.
pub type Seen = Arc<Mutex<Vec<ModelRequest>>>;

/// Says what its script says; every answer costs the same.
pub struct Puppet {
    pub script: Box<dyn FnMut(&ModelRequest) -> ModelAnswer + Send>,
    pub seen: Seen,
}

impl Models for Puppet {
    fn ask(&mut self, request: &ModelRequest) -> ModelReply {
        let answer = (self.script)(request);
        self.seen.lock().unwrap().push(request.clone());
        let failed = match &answer {
            ModelAnswer::Said { .. } => None,
            ModelAnswer::Nothing { why } => Some(*why),
        };
        let attempt = ModelAttempt {
            provider: "puppet".into(),
            model: "wood".into(),
            input_tokens: 700,
            cached_tokens: 0,
            output_tokens: 60,
            estimated: false,
            cost: COST.min(request.max_cost),
            failed,
            drift: false,
            leaked: false,
            note: String::new(),
            receipt: String::new(),
        };
        ModelReply { request: request.hash(), answer, attempts: vec![attempt] }
    }
    fn embed(&mut self, request: &EmbedRequest) -> EmbedReply {
        request.unanswered()
    }
}

pub fn says(text: &str) -> ModelAnswer {
    ModelAnswer::Said { text: text.to_owned(), calls: vec![] }
}

pub fn calls(all: &[(&str, &str)]) -> ModelAnswer {
    let call = |(i, (name, arguments)): (usize, &(&str, &str))| ToolCall {
        id: format!("c{i}"),
        name: (*name).to_owned(),
        arguments: (*arguments).to_owned(),
    };
    ModelAnswer::Said { text: String::new(), calls: all.iter().enumerate().map(call).collect() }
}

pub fn settings() -> Settings {
    let mut settings = Settings::default();
    settings.mortality.immortal = true;
    settings.thinking = ThinkingSettings {
        t1: true,
        t2: true,
        daily_usdc: Usdc::whole(1),
        daily_calls: 400,
        daily_tokens: 1_000_000,
        request_usdc: Usdc(100_000),
        output_tokens: 2_000,
        timeout_ms: 1_000,
        embeds: false,
        dreams: None,
        testament: None,
    };
    settings
}

pub fn subject(
    seed: u64,
    settings: &Settings,
    script: impl FnMut(&ModelRequest) -> ModelAnswer + Send + 'static,
) -> (Subject, Seen) {
    // A life that nobody could be given would show nothing.
    assert!(settings.problems().is_empty(), "{:?}", settings.problems());
    let seen = Seen::default();
    let world = Synthetic::new(SyntheticConfig::default(), seed).unwrap();
    let puppet = Puppet { script: Box::new(script), seen: seen.clone() };
    (Subject::new(seed, Usdc::whole(500), settings, world).unwrap().with_models(puppet), seen)
}

/// What a life told, counted by name, and its facts of one kind.
pub fn live(subject: &mut Subject, turns: u64, mut each: impl FnMut(&LifeFact)) -> BTreeMap<String, u64> {
    let mut counts = BTreeMap::new();
    for _ in 0..turns {
        subject.turn();
        for fact in &subject.facts {
            *counts.entry(golem_core::fact::FactBody::name(&fact.body).to_owned()).or_default() += 1;
            if let Fact::Life(fact) = &fact.body {
                each(fact);
            }
        }
    }
    counts
}
