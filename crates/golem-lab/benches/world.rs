//! What a step of each world costs, and a dream by rules alone in the life of one who has traded there for some days. The
//! synthetic market has a budget of 600 ns per nominal tick; a cycle of some twenty runs has one of 250 ms.

use divan::{Bencher, black_box, counter::ItemsCount};
use golem_core::door::World;
use golem_core::{Elapsed, Usdc, VirtualTime};
use golem_dreams::DreamFact;
use golem_lab::Subject;
use golem_lab::world::{CsvMode, CsvOptions, CsvWorld, Synthetic, SyntheticConfig, place};
use golem_life::{Fact, Settings};
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

/// Ten days of a default life in memory, memory and inner life included, after ten that are not counted.
#[divan::bench(sample_count = 5, sample_size = 1)]
fn turns_of_a_life(bencher: Bencher<'_, '_>) {
    const TURNS: u64 = 21_600;
    let lived = || {
        let mut settings = Settings::default();
        settings.mortality.immortal = true;
        let mut golem = Subject::placed(7, Usdc::whole(10_000), &settings, place("default", 7).ok()?).ok()?;
        golem.turns(TURNS);
        Some(golem)
    };
    bencher.counter(ItemsCount::new(TURNS)).with_inputs(lived).bench_local_values(|golem| {
        let mut golem = golem?;
        golem.turns(TURNS);
        Some(golem)
    });
}

/// A golem that has lived so many turns, dreams as often as it may, and has come to the end of a dream.
fn dreamer(turns: u64) -> Option<Subject> {
    let mut settings = Settings::default();
    settings.mortality.immortal = true;
    settings.diagnostics.enabled = false;
    settings.dream.enabled = true;
    settings.dream.core_max_cycles_per_day = 1_000;
    settings.dream.dream_cycle_interval = 10;
    let mut golem = Subject::placed(7, Usdc::whole(10_000), &settings, place("flat", 7).ok()?).ok()?;
    golem.turns(turns);
    until_a_dream_is_over(&mut golem);
    Some(golem)
}

/// Turns until the next dream is over; its runs.
fn until_a_dream_is_over(golem: &mut Subject) -> u32 {
    for _ in 0..2_160 {
        golem.turn();
        for fact in &golem.facts {
            if let Fact::Dream(dream) = &fact.body
                && let DreamFact::Complete { runs, .. } = **dream
            {
                return runs;
            }
        }
    }
    0
}

/// A cycle with everything in it: its five turns and the few between two dreams. The longer life must not be the slower one.
#[divan::bench(args = [8_000, 32_000], sample_count = 60, sample_size = 1)]
fn dream_cycle_by_rules(bencher: Bencher<'_, '_>, turns: u64) {
    let mut golem = dreamer(turns);
    bencher.bench_local(|| golem.as_mut().map(until_a_dream_is_over));
}
