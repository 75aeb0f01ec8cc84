//! Benchmarks of what is tried on copies of a floor: `cargo bench -p golem-venue --bench dreams`.

#[path = "../tests/it/dream_kit/mod.rs"]
mod dream_kit;

use dream_kit::{Trader, Wander, at, plan, run};
use golem_core::door::{ForkDeed, ForkFrom, ForkRun};
use golem_venue::floor::{Floor, SharedFloor};

fn main() {
    divan::main();
}

/// A floor in the middle of its first chapter, with many acts behind it.
fn lived(steps: u64) -> Trader {
    let floor = Floor::paper(plan(1, None), false, Box::new(Wander::new(1, 0.001))).unwrap();
    let mut trader = Trader::on(SharedFloor::new(floor), 1);
    for n in 1..steps {
        if n.is_multiple_of(9) { trader.turn(n) } else { trader.look(n) }
    }
    trader
}

/// Twenty episodes all over the chapter, each with something else than was done, for an hour.
fn twenty(trader: &Trader) -> Vec<ForkRun> {
    let every = (trader.acts.len() / 20).max(1);
    let range = ForkDeed::KeepRange { width_bps: 500, share_bps: 5_000 };
    trader.acts.iter().step_by(every).take(20).map(|act| run(ForkFrom::Lived(at(act)), &[(0, range)], 90)).collect()
}

/// The first dream after a restart: the whole chapter is lived again.
#[divan::bench(sample_count = 20)]
fn twenty_episodes_of_a_chapter_for_the_first_time(bencher: divan::Bencher<'_, '_>) {
    bencher
        .with_inputs(|| {
            let trader = lived(4_000);
            let runs = twenty(&trader);
            (trader, runs)
        })
        .bench_local_values(|(mut trader, runs)| (trader.ask(runs), trader));
}

/// Every further one.
#[divan::bench]
fn twenty_episodes_of_a_chapter(bencher: divan::Bencher<'_, '_>) {
    let mut trader = lived(4_000);
    let runs = twenty(&trader);
    trader.ask(runs.clone());
    bencher.bench_local(|| trader.ask(runs.clone()));
}

/// Six alternatives to one deed.
#[divan::bench]
fn six_alternatives_at_one_point(bencher: divan::Bencher<'_, '_>) {
    let mut trader = lived(4_000);
    let runs: Vec<ForkRun> = twenty(&trader).into_iter().skip(10).take(1).cycle().take(6).collect();
    trader.ask(runs.clone());
    bencher.bench_local(|| trader.ask(runs.clone()));
}

/// Two threats, an hour each.
#[divan::bench]
fn two_hours_of_the_present(bencher: divan::Bencher<'_, '_>) {
    let mut trader = lived(2_000);
    let runs = vec![run(ForkFrom::Present, &[(5, ForkDeed::Unwind)], 90); 2];
    bencher.bench_local(|| trader.ask(runs.clone()));
}
