//! The synthetic market looks like a market: fat tails, clustered volatility, seasons, incidents, a little to learn.

use golem_core::door::World;
use golem_core::time::NOMINAL_TICKS_PER_DAY;
use golem_core::{Elapsed, ProtocolState, VirtualTime};
use golem_lab::world::{Synthetic, SyntheticConfig, TrueWeather};
use std::sync::LazyLock;

const TICKS: u64 = 200_000;
const SEEDS: [u64; 3] = [11, 12, 13];
const DAY: usize = NOMINAL_TICKS_PER_DAY as usize;

struct Life {
    log_price: Vec<f64>,
    log_gas: Vec<f64>,
    log_yield: Vec<f64>,
    weather: Vec<TrueWeather>,
    protocol: Vec<ProtocolState>,
}

fn live(config: SyntheticConfig, seed: u64) -> Life {
    let mut world = Synthetic::new(config, seed).expect("sound");
    let (mut log_price, mut log_gas, mut log_yield) = (vec![], vec![], vec![]);
    let (mut weather, mut protocol) = (vec![], vec![]);
    for tick in 0..TICKS {
        let seen = world.observe(VirtualTime(Elapsed::nominal(tick).0)).expect("endless").admit();
        assert_eq!(seen.rejected, 0, "seed {seed}, tick {tick}");
        assert!(seen.volume.is_some_and(|v| v.get() > 0.0));
        log_price.push(seen.price.expect("a price").ln());
        log_gas.push(seen.gas_gwei.expect("gas").ln());
        log_yield.push(seen.fee_yield.expect("a yield").ln());
        protocol.push(seen.protocol.expect("a protocol"));
        weather.push(world.weather());
    }
    Life { log_price, log_gas, log_yield, weather, protocol }
}

/// The default world by three seeds, and the same without drift.
static LIVES: LazyLock<[Life; 3]> = LazyLock::new(|| SEEDS.map(|seed| live(SyntheticConfig::default(), seed)));
static STILL: LazyLock<[Life; 3]> =
    LazyLock::new(|| SEEDS.map(|seed| live(SyntheticConfig { drift: 0.0, ..SyntheticConfig::default() }, seed)));

fn mean(xs: &[f64]) -> f64 {
    xs.iter().sum::<f64>() / xs.len() as f64
}

fn autocorrelation(xs: &[f64], lag: usize) -> f64 {
    let m = mean(xs);
    let both: f64 = xs.iter().zip(&xs[lag..]).map(|(a, b)| (a - m) * (b - m)).sum();
    both / xs.iter().map(|x| (x - m) * (x - m)).sum::<f64>()
}

fn returns(log_price: &[f64]) -> Vec<f64> {
    log_price.windows(2).map(|w| w[1] - w[0]).collect()
}

fn annual_volatility(returns: &[f64]) -> f64 {
    (returns.iter().map(|r| r * r).sum::<f64>() / returns.len() as f64 * 365.0 * DAY as f64).sqrt()
}

#[test]
fn returns_have_the_stylised_facts() {
    for (seed, life) in SEEDS.iter().zip(LIVES.iter()) {
        let r = returns(&life.log_price);
        let volatility = annual_volatility(&r);
        assert!((0.5..0.95).contains(&volatility), "seed {seed}: {volatility} a year");
        let squares: Vec<f64> = r.iter().map(|x| x * x).collect();
        let fourth = mean(&squares.iter().map(|x| x * x).collect::<Vec<_>>());
        let excess = fourth / (mean(&squares) * mean(&squares)) - 3.0;
        assert!(excess > 1.0, "seed {seed}: excess kurtosis {excess}");
        let sizes: Vec<f64> = r.iter().map(|x| x.abs()).collect();
        for (lag, least) in [(1, 0.15), (10, 0.12), (90, 0.08), (900, 0.02)] {
            let found = autocorrelation(&sizes, lag);
            assert!(found > least, "seed {seed}: clustering {found} at lag {lag}");
        }
        let direct = autocorrelation(&r, 1);
        assert!(direct.abs() < 0.03, "seed {seed}: returns repeat themselves: {direct}");
    }
}

#[test]
fn volatility_is_a_knob() {
    let twice = live(SyntheticConfig { volatility: 2.0, ..SyntheticConfig::default() }, SEEDS[0]);
    let ratio = annual_volatility(&returns(&twice.log_price)) / annual_volatility(&returns(&LIVES[0].log_price));
    assert!((1.7..2.3).contains(&ratio), "{ratio}");
}

#[test]
fn every_weather_and_every_protocol_state_is_met() {
    let mut upgraded = 0;
    for (seed, life) in SEEDS.iter().zip(LIVES.iter()) {
        for weather in TrueWeather::ALL {
            let ticks = life.weather.iter().filter(|w| **w == weather).count();
            assert!(ticks > DAY, "seed {seed}: {weather:?} for {ticks} ticks");
        }
        let changes = life.weather.windows(2).filter(|w| w[0] != w[1]).count();
        let hours = TICKS as f64 / 90.0 / changes as f64;
        assert!((4.0..72.0).contains(&hours), "seed {seed}: a weather lasts {hours} h");
        let began = |state| life.protocol.windows(2).filter(|w| w[0] != state && w[1] == state).count();
        assert!((2..40).contains(&began(ProtocolState::Degraded)), "seed {seed}");
        upgraded += began(ProtocolState::Upgraded);
    }
    assert!((1..30).contains(&upgraded), "{upgraded} upgrades");
}

#[test]
fn gas_has_a_day_a_level_and_spikes() {
    // Without drift the season stays where it is and can be averaged over the whole time.
    for (seed, Life { log_gas: gas, .. }) in SEEDS.iter().zip(STILL.iter()) {
        let by_hour = |hour: usize| {
            let within = gas.iter().enumerate().filter(|(t, _)| t % DAY / (DAY / 24) == hour).map(|(_, x)| *x);
            mean(&within.collect::<Vec<_>>())
        };
        let swing = by_hour(15) - by_hour(3);
        assert!((0.5..0.9).contains(&swing), "seed {seed}: afternoon over night {swing}");
        let level = mean(gas);
        assert!((level - libm::log(0.05)).abs() < 0.5, "seed {seed}: level {level}");
        let highest = gas.iter().copied().fold(f64::MIN, f64::max);
        assert!(highest - level > libm::log(10.0), "seed {seed}: no spike");
    }
}

#[test]
fn fees_are_near_their_level_and_move() {
    for (seed, Life { log_yield: fees, .. }) in SEEDS.iter().zip(LIVES.iter()) {
        let level = mean(fees);
        assert!((level - libm::log(0.0005)).abs() < 1.2, "seed {seed}: level {level}");
        let spread = mean(&fees.iter().map(|x| (x - level) * (x - level)).collect::<Vec<_>>()).sqrt();
        assert!((0.2..1.0).contains(&spread), "seed {seed}: spread {spread}");
    }
}

/// An oracle that knows the weather and the rules, held against the naive forecast of no change over 90 ticks: the
/// skill it has is the most that anyone could learn, and it is meant to be small.
#[test]
fn there_is_a_little_to_learn_and_not_more() {
    let (mut naive, mut oracle) = (0.0, 0.0);
    for seed in 20..24 {
        let life = live(SyntheticConfig { drift: 0.0, ..SyntheticConfig::default() }, seed);
        let (r, p) = (returns(&life.log_price), &life.log_price);
        let mut lean = 0.0;
        for t in 1..p.len() - 90 {
            lean += (r[t - 1].clamp(-0.004, 0.004) - lean) / 60.0;
            let feedback = [-0.35, 0.3, 0.3, -0.15][life.weather[t].index()];
            let tilt = [0.0, 0.0006, -0.0006, 0.0][life.weather[t].index()];
            let half_life = 60.0 / (1.0 - feedback);
            let forecast = tilt + feedback * lean * half_life * (1.0 - libm::exp(-90.0 / half_life));
            let truth = p[t + 90] - p[t];
            naive += truth * truth;
            oracle += (truth - forecast) * (truth - forecast);
        }
    }
    let fitness = naive / (naive + oracle);
    assert!((0.502..0.53).contains(&fitness), "{fitness}");
}

#[test]
fn a_drifting_world_moves_and_a_stationary_one_does_not() {
    // Mean log gas per week: with drift the level itself wanders.
    let wander = |life: &Life| {
        let weeks: Vec<f64> = life.log_gas.chunks_exact(7 * DAY).map(mean).collect();
        let m = mean(&weeks);
        mean(&weeks.iter().map(|x| (x - m) * (x - m)).collect::<Vec<_>>())
    };
    let fast = SEEDS.map(|seed| live(SyntheticConfig { drift: 5.0, ..SyntheticConfig::default() }, seed));
    let still = mean(&STILL.iter().map(wander).collect::<Vec<_>>());
    let moving = mean(&fast.iter().map(wander).collect::<Vec<_>>());
    assert!(moving > 2.0 * still, "{moving} against {still}");
}

#[test]
fn it_stays_bounded_over_millions_of_ticks() {
    let wild = SyntheticConfig { volatility: 5.0, drift: 10.0, ..SyntheticConfig::default() };
    let mut world = Synthetic::new(wild, 1).expect("sound");
    for tick in (0..3_000_000).step_by(1_000) {
        let seen = world.observe(VirtualTime(Elapsed::nominal(tick).0)).expect("endless").admit();
        assert_eq!(seen.rejected, 0);
        let price = seen.price.expect("a price").get();
        assert!((10.0..1_000_000.0).contains(&price), "{price} at {tick}");
    }
}
