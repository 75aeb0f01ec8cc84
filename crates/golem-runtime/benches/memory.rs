//! What a life of memories costs the file: 100,000 episodes with their vectors and words, written durably in batches, and
//! read again at a start. `cargo bench -p golem-runtime --bench memory`
#![allow(missing_docs, clippy::wildcard_imports, dead_code, reason = "a bench")]
#![expect(clippy::print_stdout, reason = "it is a program whose result is a table")]

#[path = "../tests/it/toy/mod.rs"]
mod toy;

use golem_core::{GolemId, Name};
use golem_grimoire::{EntryOrigin, Grimoire};
use golem_runtime::memory::Detail;
use golem_runtime::*;
use std::time::Instant;
use toy::*;

const EPISODES: u64 = 100_000;
const A_TURN: u64 = 50;

fn main() {
    let tmp = tempfile::tempdir().unwrap();
    newborn(tmp.path());
    let nature = Nature { scribbles: A_TURN, ..Nature::default() };
    let mut runner = open(tmp.path(), &nature, Pace::Max);
    let began = Instant::now();
    runner.run(turns(EPISODES / A_TURN)).unwrap();
    runner.close().unwrap();
    let took = began.elapsed().as_secs_f64();
    println!(
        "{EPISODES} episodes written durably, full text and vectors included: {:.0} a second",
        EPISODES as f64 / took
    );

    let began = Instant::now();
    let reader = Reader::open(tmp.path()).unwrap();
    let memory = reader.memory().remembered(None, Detail::Newest(2_000)).unwrap();
    let read = began.elapsed().as_secs_f64();
    assert_eq!(memory.episodes.len() as u64, EPISODES);
    let (name, origin): (Name, _) = ("bench".parse().unwrap(), EntryOrigin { golem: GolemId([7; 16]), generation: 0 });
    let empty = Grimoire::new(name.clone(), origin).state();
    let began = Instant::now();
    let grimoire = Grimoire::rebuild(name, origin, empty, &memory).unwrap();
    let rebuilt = began.elapsed().as_secs_f64();
    assert_eq!(grimoire.episodes().len() as u64, EPISODES);
    println!(
        "start-up with {EPISODES} episodes: read {read:.2} s, index rebuilt {rebuilt:.2} s, together {:.2} s",
        read + rebuilt
    );
}
