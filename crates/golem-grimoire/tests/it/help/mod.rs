//! Small worlds for tests: series of observed fields with known rules, from open dice.

#![allow(dead_code, reason = "each test file uses a part of it")]

use golem_core::dice::{Dice, Strand};
use golem_core::observed::{Field, Snapshot};
use golem_core::{Elapsed, VirtualTime};

pub fn age(tick: u64) -> VirtualTime {
    VirtualTime(Elapsed::nominal(tick).0)
}

pub fn seen(numbers: &[(Field, f64)]) -> Snapshot {
    let mut snapshot = Snapshot::new();
    for &(field, x) in numbers {
        snapshot.set_number(field, x).expect("a number");
    }
    snapshot
}

/// A rule between gas and fee yield, or between volatility and volume.
#[derive(Clone, Copy)]
pub struct Rule {
    pub after: u64,
    pub during: u64,
    pub times: f64,
    /// Ticks in which causes have their effects.
    pub on: (u64, u64),
}

/// Five markets' variables that know nothing of each other: slow and fast memory, heavy tails, clustered variance, the
/// same daily and hourly season in all, spikes of gas; and, when there is one, a planted rule.
pub struct World {
    dice: Dice,
    tick: u64,
    slow: [f64; 5],
    fast: [f64; 5],
    heat: f64,
    spike: f64,
    spikes: Vec<u64>,
    usual: [f64; 4],
    prices: Vec<f64>,
    pub gas_to_fees: Option<Rule>,
    pub volatility_to_volume: Option<(usize, f64)>,
    pub spikes_a_day: f64,
    /// Whether all are restless at the same times.
    pub clustered: bool,
    /// How strongly the hour of the day moves all of them together.
    pub season: f64,
    volatilities: Vec<f64>,
}

impl World {
    pub fn new(seed: u64) -> Self {
        Self {
            dice: Dice::open(seed, Strand::World),
            tick: 0,
            slow: [0.0; 5],
            fast: [0.0; 5],
            heat: 1.0,
            spike: 0.0,
            spikes: Vec::new(),
            usual: [0.0; 4],
            prices: vec![0.0],
            gas_to_fees: None,
            volatility_to_volume: None,
            spikes_a_day: 15.0,
            clustered: true,
            season: 1.0,
            volatilities: Vec::new(),
        }
    }
    /// The age and the observed fields of the next nominal tick.
    pub fn next(&mut self) -> (VirtualTime, Snapshot) {
        let tick = self.tick;
        self.tick += 1;
        let mut draws = self.dice.draws(tick);
        let mut noise = [0.0; 10];
        for pair in noise.chunks_exact_mut(2) {
            let (a, b) = draws.normals();
            // One in fifty is five times as large, and all share the same clustered variance.
            let tail = if draws.uniform() < 0.02 { 5.0 } else { 1.0 };
            (pair[0], pair[1]) = (a * self.heat.sqrt() * tail, b * self.heat.sqrt());
        }
        let shock = draws.normals().0;
        if self.clustered {
            self.heat = (0.02 + self.heat * (0.93 + 0.05 * shock * shock)).min(8.0);
        }
        for i in 0..5 {
            self.fast[i] = 0.8 * self.fast[i] + 0.04 * noise[i];
            self.slow[i] = 0.998 * self.slow[i] + 0.01 * noise[5 + i];
        }
        if draws.uniform() < self.spikes_a_day / 2160.0 {
            self.spike += 0.9 + draws.uniform();
            self.spikes.push(tick);
        }
        self.spike *= 0.97;
        let turn = |period: f64| (std::f64::consts::TAU * tick as f64 / period).sin();
        let season = self.season * (0.3 * turn(2160.0) + 0.1 * turn(90.0));
        let level = |i: usize| self.fast[i] + self.slow[i] + season;
        let gas = level(0) + self.spike;
        let mut fees = level(1);
        if let Some(rule) = self.gas_to_fees {
            let due = |s: &u64| {
                (rule.on.0..rule.on.1).contains(s) && (s + rule.after..s + rule.after + rule.during).contains(&tick)
            };
            if self.spikes.iter().any(due) {
                fees += rule.times.ln();
            }
        }
        let volatility = level(2);
        self.volatilities.push(self.fast[2] + self.slow[2]);
        let mut volume = level(3);
        if let Some((lag, strength)) = self.volatility_to_volume {
            volume += strength * self.volatilities.get(tick as usize - lag.min(tick as usize)).copied().unwrap_or(0.0);
        }
        let price = self.prices[self.prices.len() - 1] + 0.001 * noise[4];
        self.prices.push(price);
        let mut numbers = vec![
            (Field::MarketGasGwei, 20.0 * gas.exp()),
            (Field::MarketFeeYield, 0.0005 * fees.exp()),
            (Field::MarketVolatility, 0.01 * volatility.exp()),
            (Field::MarketVolume, 20_000.0 * volume.exp()),
            (Field::MarketPrice, 3_000.0 * price.exp()),
        ];
        let ratios =
            [Field::MarketGasRatio, Field::MarketFeeYieldRatio, Field::MarketVolatilityRatio, Field::MarketVolumeRatio];
        for (i, (field, x)) in ratios.into_iter().zip([gas, fees, volatility, volume]).enumerate() {
            numbers.push((field, (x - self.usual[i]).exp()));
            self.usual[i] += (x - self.usual[i]) / 1_000.0;
        }
        for (field, back) in [(Field::MarketReturn15, 15), (Field::MarketReturn90, 90)] {
            if self.prices.len() > back {
                numbers.push((field, (price - self.prices[self.prices.len() - 1 - back]).exp() - 1.0));
            }
        }
        (age(tick), seen(&numbers))
    }
}
