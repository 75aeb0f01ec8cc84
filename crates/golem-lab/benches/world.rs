//! What a step of each world costs. The synthetic market has a budget of 600 ns per nominal tick.

use divan::{Bencher, black_box, counter::ItemsCount};
use golem_core::door::World;
use golem_core::{Elapsed, VirtualTime};
use golem_lab::world::{CsvMode, CsvOptions, CsvWorld, Synthetic, SyntheticConfig};
use tempfile::TempDir;

const STEPS: u64 = 10_000;

fn main() {
    divan::main();
}

fn synthetic() -> Option<Synthetic> {
    Synthetic::new(SyntheticConfig::default(), 7).ok()
}

#[divan::bench]
fn synthetic_observe_every_tick(bencher: Bencher<'_, '_>) {
    bencher.counter(ItemsCount::new(STEPS)).with_inputs(synthetic).bench_local_values(|world| {
        let mut world = world?;
        (0..STEPS).map(|n| world.observe(VirtualTime(Elapsed::nominal(black_box(n)).0))).last()
    });
}

#[divan::bench]
fn synthetic_observe_every_hour(bencher: Bencher<'_, '_>) {
    bencher.counter(ItemsCount::new(STEPS)).with_inputs(synthetic).bench_local_values(|world| {
        let mut world = world?;
        (0..STEPS / 90).map(|n| world.observe(VirtualTime(Elapsed::nominal(black_box(n * 90)).0))).last()
    });
}

/// A year of hourly bars in a file that lasts as long as the benchmark.
fn history(mode: CsvMode) -> Option<(TempDir, CsvWorld)> {
    let dir = tempfile::tempdir().ok()?;
    let path = dir.path().join("market.csv");
    let mut text = String::from("timestamp,open,high,low,close,volume\n");
    let mut world = synthetic()?;
    for hour in 0..8_760 {
        let price = world.observe(VirtualTime(Elapsed::secs(hour * 3_600).0))?.price?;
        text += &format!("{},{price},{},{},{price},10\n", hour * 3_600, price * 1.01, price * 0.99);
    }
    std::fs::write(&path, text).ok()?;
    let world = CsvWorld::open(path, &CsvOptions { mode, ..CsvOptions::default() }).ok()?;
    Some((dir, world))
}

#[divan::bench(args = [CsvMode::PerBar, CsvMode::Bridge { seed: 7 }], sample_count = 20)]
fn csv_observe_every_tick(bencher: Bencher<'_, '_>, mode: &CsvMode) {
    bencher.counter(ItemsCount::new(STEPS)).with_inputs(|| history(*mode)).bench_local_values(|made| {
        let (dir, mut world) = made?;
        let last = (0..STEPS).map(|n| world.observe(VirtualTime(Elapsed::nominal(black_box(n)).0))).last();
        // Handed back, so that tidying up is not measured.
        Some((dir, world, last))
    });
}
