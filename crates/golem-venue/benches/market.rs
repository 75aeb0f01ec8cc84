//! Benchmarks of the market around a paper venue: `cargo bench -p golem-venue --bench market`.

#[path = "../tests/it/market_world/mod.rs"]
mod market_world;

use golem_venue::Venue;
use golem_venue::market::{MarketConfig, OutsideTick, PoolGauge, run_forward};
use golem_venue::scenario::Scenario;
use market_world::{SIGMA, begin, path};

const TICKS: usize = 2_160;

fn main() {
    divan::main();
}

fn day() -> Vec<OutsideTick> {
    path(3, SIGMA).take(TICKS).collect()
}

/// A day of the market, live: 2,160 steps.
#[divan::bench(args = [false, true])]
fn steps(bencher: divan::Bencher<'_, '_>, usdc_is_token0: bool) {
    let day = day();
    bencher
        .counter(divan::counter::ItemsCount::new(TICKS))
        .with_inputs(|| begin(&MarketConfig::default(), 1, usdc_is_token0))
        .bench_local_refs(|(venue, market)| {
            for (tick, outside) in (0..).zip(&day) {
                market.step(venue, tick, outside).unwrap();
            }
        });
}

/// The same with a look after every step.
#[divan::bench]
fn steps_and_looks(bencher: divan::Bencher<'_, '_>) {
    let day = day();
    bencher
        .counter(divan::counter::ItemsCount::new(TICKS))
        .with_inputs(|| (begin(&MarketConfig::default(), 1, true), PoolGauge::default()))
        .bench_local_refs(|((venue, market), gauge)| {
            for (tick, outside) in (0..).zip(&day) {
                market.step(venue, tick, outside).unwrap();
                let view = venue.view().unwrap();
                divan::black_box(gauge.observe(&view, None));
                divan::black_box(golem_venue::reference(venue, 40).unwrap());
            }
        });
}

/// A dream's run: 90 ticks of a crash on a fork.
#[divan::bench]
fn an_hour_of_crash_on_a_fork(bencher: divan::Bencher<'_, '_>) {
    let day = day();
    let crash = Scenario::named("crash").unwrap();
    let (mut venue, mut market) = begin(&MarketConfig::default(), 1, true);
    for (tick, outside) in (0..).zip(&day) {
        market.step(&mut venue, tick, outside).unwrap();
    }
    let here = venue.view().unwrap().point;
    bencher.bench_local(|| {
        let mut fork = venue.fork_at(here).unwrap();
        run_forward(fork.as_mut(), day.iter().take(90).copied(), market.clone(), Some(&crash)).unwrap()
    });
}
