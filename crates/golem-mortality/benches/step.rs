//! The pure mortality step: one turn of the lifespan with its settled forecasts. The sealed roll is an argument of the
//! rules, drawn by whoever calls them; drawing it is measured beside.

use golem_core::{Elapsed, Secret, Strand, Tick, Timestamp, Usdc, VirtualTime};
use golem_mortality::{Domain, LifespanSeen, Mortality, MortalityConfig, SettledForecast};

fn main() {
    divan::main();
}

/// Four forecasts settle in a usual turn: price, volatility, yield and gas.
fn settled() -> [SettledForecast; 4] {
    [0, 1, 2, 3].map(|i| SettledForecast {
        predicted: 0.1,
        actual: 0.2,
        hit: true,
        ..SettledForecast::of(Domain::ALL[i], 0.9, 1.0)
    })
}

#[divan::bench(sample_count = 200, sample_size = 1_000)]
fn mortality_step(bencher: divan::Bencher<'_, '_>) {
    let config = MortalityConfig::default();
    let mut state = Mortality::newborn(Timestamp(0), &config);
    let (settled, mut facts, mut tick) = (settled(), Vec::with_capacity(8), 0u64);
    bencher.bench_local(move || {
        tick += 1;
        let seen = LifespanSeen {
            tick: Tick(tick),
            age: VirtualTime(40_000 * (tick % 50_000)),
            elapsed: Elapsed::nominal(1),
            at: Timestamp(tick as i64),
            balance: Usdc(40_000_000),
            reserve: Usdc(1_000_000),
            credit: Usdc(20_000_000),
            initial: Usdc(50_000_000),
            burn_rate: 100.0,
            settled: &settled,
            // Never low enough to end the bench.
            roll: 0.75,
            entropy_rate: None,
            ordered: None,
            felt: 0.0,
        };
        facts.clear();
        state.tick(&seen, &config, &mut facts)
    });
}

#[divan::bench(sample_count = 200, sample_size = 1_000)]
fn death_roll(bencher: divan::Bencher<'_, '_>) {
    let (dice, mut tick) = (Secret::from_seed(1).dice(Strand::Death), 0u64);
    bencher.bench_local(move || {
        tick += 1;
        dice.uniform(tick, 0)
    });
}
