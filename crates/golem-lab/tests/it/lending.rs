//! A life whose memory is embedded elsewhere: asked by that embedder's vectors, paid for, and none the worse when it is gone.

use crate::puppet_kit;

use golem_core::door::{EmbedReply, EmbedRequest, Embedding, Models};
use golem_core::model::{ModelAnswer, ModelAttempt, ModelFailure, ModelMessage, ModelReply, ModelRequest};
use golem_core::{Tick, Usdc};
use golem_grimoire::embed::{Embedder as _, StaticEmbedder};
use golem_lab::Subject;
use golem_lab::world::{Synthetic, SyntheticConfig};
use golem_life::{LifeFact, Settings};
use puppet_kit::{calls, live, says, settings};
use std::sync::{Arc, Mutex};

const LENDER: &str = "elsewhere/128";
const COST: Usdc = Usdc(3);
/// What no entry says.
const STRANGE: &str = "zzyzx";

type Seen = Arc<Mutex<Vec<EmbedRequest>>>;
type Script = Box<dyn FnMut(&ModelRequest) -> ModelAnswer + Send>;

/// Embeds as the bundled one does, back to front: alike stays alike, and nothing can be compared with the bundled vectors.
struct Lender {
    bundled: StaticEmbedder,
    works: bool,
    /// The text that a strange query is said to be like.
    like: Option<fn(&str) -> bool>,
    found: Option<Embedding>,
    seen: Seen,
    script: Script,
}

impl Lender {
    fn new(works: bool, seen: &Seen) -> Self {
        let script: Script = Box::new(|_| says(r#"{"stance":"follow","confidence":0.6,"reason":"as usual"}"#));
        Self { bundled: StaticEmbedder::bundled(), works, like: None, found: None, seen: seen.clone(), script }
    }
    fn vector(&mut self, text: &str) -> Embedding {
        if let (STRANGE, Some(found)) = (text, &self.found) {
            return found.clone();
        }
        let mut vector = self.bundled.embed(text);
        vector.row.reverse();
        vector.model = LENDER.into();
        if self.like.is_some_and(|like| like(text)) {
            self.found = Some(vector.clone());
        }
        vector
    }
    fn attempt(failed: Option<ModelFailure>, cost: Usdc) -> ModelAttempt {
        let (provider, model, note) = ("elsewhere".into(), "e".into(), String::new());
        let (input_tokens, cached_tokens, output_tokens) = (10, 0, 0);
        let (estimated, drift, leaked) = (false, false, false);
        ModelAttempt {
            provider,
            model,
            input_tokens,
            cached_tokens,
            output_tokens,
            estimated,
            cost,
            failed,
            drift,
            leaked,
            note,
            receipt: String::new(),
        }
    }
}

impl Models for Lender {
    fn ask(&mut self, request: &ModelRequest) -> ModelReply {
        let answer = (self.script)(request);
        ModelReply { request: request.hash(), answer, attempts: vec![Self::attempt(None, Usdc(100))] }
    }
    fn embed(&mut self, request: &EmbedRequest) -> EmbedReply {
        self.seen.lock().unwrap().push(request.clone());
        if !self.works {
            let attempts = vec![Self::attempt(Some(ModelFailure::Unreachable), Usdc::ZERO)];
            return EmbedReply { attempts, ..request.unanswered() };
        }
        EmbedReply {
            request: request.hash(),
            texts: request.texts.iter().map(|text| Some(self.vector(text))).collect(),
            query: request.query.as_ref().map(|text| self.vector(text)),
            attempts: vec![Self::attempt(None, COST)],
        }
    }
}

fn embedding(models: bool) -> Settings {
    let mut settings = settings();
    settings.thinking.embeds = true;
    (settings.thinking.t1, settings.thinking.t2) = (models, models);
    settings
}

fn subject(settings: &Settings, lender: Lender) -> Subject {
    let world = Synthetic::new(SyntheticConfig::default(), 5).unwrap();
    Subject::new(5, Usdc::whole(500), settings, world).unwrap().with_models(lender)
}

#[test]
fn memory_is_embedded_elsewhere_within_its_bounds_and_paid_for_once() {
    let seen = Seen::default();
    let mut golem = subject(&embedding(false), Lender::new(true, &seen));
    let (mut told, mut cost, mut paid) = (0, Usdc::ZERO, Usdc::ZERO);
    live(&mut golem, 20_000, |fact| match fact {
        LifeFact::Embedded { cost: c, failed: None, query: true, texts, came, .. } if texts == came => {
            (told, cost) = (told + 1, cost.plus(*c));
        }
        LifeFact::Embedded { .. } => panic!("{fact:?}"),
        LifeFact::Paid { purpose: golem_mortality::economic::Purpose::Inference, amount } => paid = paid.plus(*amount),
        _ => {}
    });
    let seen = seen.lock().unwrap();
    assert!(seen.len() > 20 && seen.len() == told, "{} asked, {told} told", seen.len());
    assert_eq!((cost, paid), (Usdc(COST.0 * told as u64), cost));
    for request in seen.iter() {
        assert!(request.texts.len() <= 32 && request.max_cost <= embedding(false).thinking.request_usdc);
        assert!(request.query.as_ref().is_some_and(|q| q.contains("weather")), "{request:?}");
    }
    // Each text goes out once; what came last still waits for its turn.
    let grimoire = golem.life().grimoire().unwrap();
    let shelf = grimoire.shelf();
    let (sent, known) =
        (seen.iter().map(|r| r.texts.len()).sum::<usize>(), shelf.episode_count() + shelf.entries().count());
    let waiting = grimoire.without_vector(Tick(0), 1_000).len();
    assert!(
        sent + waiting <= known + shelf.ashes().len() && waiting <= 32,
        "{sent} sent, {waiting} wait, {known} known"
    );
    assert_eq!(grimoire.lender(), Some(LENDER));
    assert!(shelf.in_use().count() > 5);
}

#[test]
fn a_lender_that_is_gone_changes_nothing() {
    let seen = Seen::default();
    let mut lonely = subject(&embedding(false), Lender::new(false, &seen));
    let mut alone = subject(&Settings { thinking: Default::default(), ..embedding(false) }, Lender::new(true, &seen));
    let mut failed = 0;
    for turn in 0..8_000 {
        lonely.turn();
        alone.turn();
        let both = [&lonely, &alone].map(|s| (s.life().balance(), s.life().ledger().clone()));
        assert_eq!(both[0], both[1], "turn {turn}");
        failed +=
            lonely.facts.iter().filter(|f| golem_core::fact::FactBody::name(&f.body) == "inference.embedded").count();
    }
    assert!(failed > 20 && failed == seen.lock().unwrap().len());
    let known = |s: &Subject| s.life().grimoire().unwrap().shelf().entries().cloned().collect::<Vec<_>>();
    assert_eq!(known(&lonely), known(&alone), "what it believes and how often it was retrieved");
}

#[test]
fn the_day_of_vectors_ends_with_its_allowance() {
    let seen = Seen::default();
    let mut settings = embedding(false);
    settings.thinking.daily_tokens = 50;
    let mut golem = subject(&settings, Lender::new(true, &seen));
    golem.turns(3 * 2_160);
    let asked = seen.lock().unwrap().len();
    assert!((10..=20).contains(&asked), "five a day at ten tokens each: {asked}");
}

#[test]
fn a_model_searches_by_the_vectors_of_elsewhere() {
    let (seen, answers) = (Seen::default(), Arc::new(Mutex::new(Vec::new())));
    let mut lender = Lender::new(true, &seen);
    // Says of a strange word that it is just like a belief about what follows what.
    lender.like = Some(|text| text.contains("rises, market"));
    let heard = answers.clone();
    lender.script = Box::new(move |request| match request.messages.last() {
        Some(ModelMessage::Tool { .. }) => {
            let results = request.messages.iter().filter_map(|m| match m {
                ModelMessage::Tool { text, .. } => Some(text.clone()),
                _ => None,
            });
            heard.lock().unwrap().push(results.collect::<Vec<_>>());
            says(r#"{"stance":"follow","confidence":0.6,"reason":"as usual"}"#)
        }
        _ => calls(&[("query_grimoire", r#"{"text":"zzyzx"}"#), ("search_context", r#"{"text":"zzyzx"}"#)]),
    });
    let mut golem = subject(&embedding(true), lender);
    golem.turns(16_000);
    let searched = seen.lock().unwrap().iter().filter(|r| r.query.as_deref() == Some(STRANGE)).count();
    let answers = answers.lock().unwrap();
    assert_eq!(searched, 2 * answers.len(), "both calls have a vector made");
    let late: Vec<_> = answers.iter().rev().take(10).collect();
    assert!(!late.is_empty());
    // Beliefs are found although no word fits, and times that were embedded elsewhere.
    assert!(late.iter().any(|r| r[0].contains("rises, market")), "{late:?}");
    assert!(late.iter().any(|r| r[1].contains("hours_ago")), "{late:?}");
}

#[test]
fn nothing_is_looked_up_that_nobody_would_read() {
    let (seen, asked) = (Seen::default(), Arc::new(Mutex::new(Vec::new())));
    let mut lender = Lender::new(true, &seen);
    let heard = asked.clone();
    // Searches for ever, also in the last round, which offers nothing to search with.
    lender.script = Box::new(move |request| {
        heard.lock().unwrap().push(request.tools.is_empty());
        calls(&[("query_grimoire", r#"{"text":"zzyzx"}"#)])
    });
    let mut golem = subject(&embedding(true), lender);
    golem.turns(4_000);
    let asked = asked.lock().unwrap();
    let (last, offered) = (asked.iter().filter(|bare| **bare).count(), asked.iter().filter(|bare| !**bare).count());
    let searched = seen.lock().unwrap().iter().filter(|r| r.query.as_deref() == Some(STRANGE)).count();
    assert!(last > 0 && offered == 3 * last, "{offered} and {last}");
    assert_eq!(searched, offered, "three rounds search, the fourth does not");
}
