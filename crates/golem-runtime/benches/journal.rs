//! What the loop and the file cost per turn, with a being that costs next to nothing.
//!
//! `grouped` is accelerated time (thousands of turns per commit), `one_by_one` is real speed (a durable commit per turn),
//! `being_alone` is the toy without any of it: the difference is the runtime's.
#![allow(missing_docs, clippy::wildcard_imports, dead_code, reason = "a bench")]

#[path = "../tests/it/toy/mod.rs"]
mod toy;

use divan::Bencher;
use divan::counter::ItemsCount;
use golem_core::door::{NoModels, World};
use golem_life::drive::InMemory;
use golem_life::{Being, TickInput};
use golem_runtime::*;
use toy::*;

const TURNS: u64 = 20_000;

fn main() {
    divan::main();
}

fn runner(dir: &std::path::Path, pace: Pace) -> ToyRunner {
    newborn(dir);
    open(dir, &Nature::default(), pace)
}

#[divan::bench(sample_count = 10)]
fn grouped(bencher: Bencher<'_, '_>) {
    bencher
        .counter(ItemsCount::new(TURNS))
        .with_inputs(|| {
            let tmp = tempfile::tempdir().unwrap();
            let runner = runner(tmp.path(), Pace::Max);
            (tmp, runner)
        })
        .bench_refs(|(_, runner)| runner.run(turns(TURNS)).unwrap());
}

#[divan::bench(sample_count = 10)]
fn one_by_one(bencher: Bencher<'_, '_>) {
    bencher
        .counter(ItemsCount::new(200u64))
        .with_inputs(|| {
            let tmp = tempfile::tempdir().unwrap();
            let runner = runner(tmp.path(), Pace::Real);
            (tmp, runner)
        })
        .bench_refs(|(_, runner)| runner.run(turns(200)).unwrap());
}

#[divan::bench(sample_count = 10)]
fn being_alone(bencher: Bencher<'_, '_>) {
    bencher.counter(ItemsCount::new(TURNS)).bench(|| {
        let mut being = Toy::born(&Nature::default(), &golem_core::Secret::from_seed(1));
        let (mut world, mut hands, mut models) = (Walk::new(), Paper, NoModels);
        for _ in 0..TURNS {
            let age = being.next_age();
            let seen = world.observe(age).unwrap().admit();
            let input = TickInput { at: world.epoch().after(age.age()), seen, ..TickInput::default() };
            InMemory { being: &mut being, hands: &mut hands, models: &mut models }.turn(input);
        }
        being.digest()
    });
}

#[divan::bench(sample_count = 5)]
fn verify_the_chain(bencher: Bencher<'_, '_>) {
    let tmp = tempfile::tempdir().unwrap();
    runner(tmp.path(), Pace::Max).run(turns(TURNS)).unwrap();
    bencher.counter(ItemsCount::new(TURNS)).bench(|| verify_chain(tmp.path()).unwrap());
}

#[divan::bench(sample_count = 5)]
fn replay_a_life(bencher: Bencher<'_, '_>) {
    let tmp = tempfile::tempdir().unwrap();
    runner(tmp.path(), Pace::Max).run(turns(TURNS)).unwrap();
    bencher.counter(ItemsCount::new(TURNS)).bench(|| replayed(tmp.path(), &Nature::default()));
}
