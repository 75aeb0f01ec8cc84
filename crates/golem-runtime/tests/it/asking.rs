//! Models and embedders that are asked: a reply is recorded, is used again after a crash, and is never paid for twice.

use crate::toy::*;
use golem_core::Usdc;
use golem_core::door::{EmbedReply, EmbedRequest, Embedding, InProcess, Models};
use golem_core::model::{ModelAnswer, ModelAttempt, ModelReply, ModelRequest};
use golem_life::Being;
use golem_runtime::*;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

const COST: u64 = 7;

/// A model that counts, and may kill the process after or before it has answered.
#[derive(Clone, Default)]
struct Talker {
    calls: Arc<AtomicU64>,
    dies_at: Option<u64>,
}

impl Models for Talker {
    fn ask(&mut self, request: &ModelRequest) -> ModelReply {
        let answer = ModelAnswer::Said { text: format!("{:?}", request.messages), calls: vec![] };
        ModelReply { request: request.hash(), answer, attempts: vec![self.attempt()] }
    }
    fn embed(&mut self, request: &EmbedRequest) -> EmbedReply {
        let row = request.query.iter().flat_map(|q| q.bytes()).map(i16::from).collect();
        let query = Some(Embedding { model: "toy".into(), row, scale: 0.1 });
        EmbedReply { query, attempts: vec![self.attempt()], ..request.unanswered() }
    }
}

impl Talker {
    fn attempt(&mut self) -> ModelAttempt {
        let n = self.calls.fetch_add(1, Ordering::Relaxed) + 1;
        assert!(self.dies_at != Some(n), "killed while the model spoke");
        ModelAttempt {
            provider: "toy".into(),
            model: "toy".into(),
            cost: Usdc(COST),
            ..serde_json::from_str(r#"{"provider":"","model":"","input_tokens":1,"output_tokens":1,"estimated":false,"cost":0,"failed":null}"#).unwrap()
        }
    }
}

/// One asks a model, the other an embedder.
fn asking() -> [Nature; 2] {
    [false, true].map(|embeds| Nature { asks_every: 10, embeds, ..Nature::default() })
}

fn open_with(dir: &Path, nature: &Nature, models: impl Models + 'static) -> ToyRunner {
    let around = Around { models: Box::new(models), ..around(Pace::Max) };
    Runner::open(store(dir), nature, Walk::new(), InProcess(Paper), around).unwrap()
}

#[test]
fn a_life_with_a_model_is_lived_again_with_nobody_there_to_ask() {
    asking().iter().for_each(lived_again);
}

fn lived_again(nature: &Nature) {
    let tmp = tempfile::tempdir().unwrap();
    newborn(tmp.path());
    let talker = Talker::default();
    let mut runner = open_with(tmp.path(), nature, talker.clone());
    runner.run(turns(95)).unwrap();
    let (paid, head) = (runner.being().status().paid, runner.head());
    runner.close().unwrap();
    assert_eq!((talker.calls.load(Ordering::Relaxed), paid), (9, 9 * COST));
    let again = replay(tmp.path(), None, |o| Ok(Toy::born(nature, &o.secret))).unwrap();
    assert!(again.ok && again.head == head, "{again:?}");
    // And resumed from birth, without a checkpoint, it asks nobody either.
    let resumed = open_with(tmp.path(), nature, Talker { dies_at: Some(1), ..Talker::default() });
    assert_eq!((resumed.head(), resumed.being().status().paid), (head, paid));
}

#[test]
fn a_reply_that_a_crash_came_upon_is_used_and_not_bought_again() {
    asking().iter().for_each(crashed_upon);
}

fn crashed_upon(nature: &Nature) {
    let whole = tempfile::tempdir().unwrap();
    newborn(whole.path());
    let mut runner = open_with(whole.path(), nature, Talker::default());
    runner.run(turns(60)).unwrap();
    let (head, paid) = (runner.head(), runner.being().status().paid);

    let tmp = tempfile::tempdir().unwrap();
    newborn(tmp.path());
    let talker = Talker::default();
    // Nothing is committed within a group of turns at full speed: dropping it loses them all, but not the replies.
    drop({
        let mut runner = open_with(tmp.path(), nature, talker.clone());
        runner.advance(45).unwrap();
        runner
    });
    assert_eq!(talker.calls.load(Ordering::Relaxed), 4);
    let mut runner = open_with(tmp.path(), nature, talker.clone());
    runner.run(turns(60 - runner.being().tick().0)).unwrap();
    assert_eq!(talker.calls.load(Ordering::Relaxed), 6, "four replies were there already");
    assert_eq!((runner.head(), runner.being().status().paid), (head, paid));
}

#[test]
fn a_call_that_died_with_the_process_is_paid_at_its_worst() {
    asking().iter().for_each(died);
}

fn died(nature: &Nature) {
    let tmp = tempfile::tempdir().unwrap();
    newborn(tmp.path());
    let mut runner = open_with(tmp.path(), nature, Talker { dies_at: Some(2), ..Talker::default() });
    assert!(runner.run(turns(30)).is_err());
    drop(runner);
    let talker = Talker::default();
    let mut runner = open_with(tmp.path(), nature, talker.clone());
    assert_eq!(runner.being().tick().0, 19, "the turns before it were kept");
    runner.run(turns(11)).unwrap();
    // The first, the one that died at its worst, the one that was asked again, and the one after it.
    assert_eq!(runner.being().status().paid, COST + 1_000 + COST + COST);
    assert_eq!(talker.calls.load(Ordering::Relaxed), 2);
}
