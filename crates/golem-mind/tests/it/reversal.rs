//! A rule of the world is planted, learnt, and turned round: a mind that learns loses its skill and regains it, a frozen
//! copy of it goes senescent.

use crate::kit;
use golem_core::{Elapsed, Observation, RawObservation, Tick};
use golem_mind::Learning;
use golem_mortality::Domain;
use golem_mortality::config::EpistemicConfig;
use golem_mortality::epistemic::EpistemicClock;
use kit::{Life, Score, normals, share};

const DAY: u64 = 2_160;
const REVERSAL: u64 = 12 * DAY;

/// A level that first comes back when it has left, and then goes on the way it went.
struct Turning {
    level: f64,
    mean: f64,
    pull: f64,
    noise: f64,
    /// Per tick, once it goes on; it turns at the bound, or by chance.
    speed: f64,
    bound: f64,
    turns: f64,
}

impl Turning {
    fn new(mean: f64, (pull, noise): (f64, f64), (speed, bound, turns): (f64, f64, f64)) -> Self {
        Self { level: mean, mean, pull, noise, speed, bound, turns }
    }
    fn step(&mut self, goes_on: bool, z: f64, chance: f64) -> f64 {
        if !goes_on {
            self.level += self.pull * (self.mean - self.level) + self.noise * z;
            return self.level;
        }
        let away = self.level - self.mean;
        let out = away.abs() > self.bound && away * self.speed > 0.0;
        if out || chance < self.turns {
            self.speed = -self.speed;
        }
        self.level += self.speed + 0.25 * self.noise * z;
        self.level
    }
}

/// A market in which price, volatility, fees and gas all follow one rule.
struct World {
    seed: u64,
    t: u64,
    price: Turning,
    vol: Turning,
    fees: Turning,
    gas: Turning,
}

impl World {
    fn new(seed: u64) -> Self {
        Self {
            seed,
            t: 0,
            price: Turning::new(7.6, (1.0 / 60.0, 1.0), (0.00015, 9.0, 1.0 / 600.0)),
            vol: Turning::new(libm::log(0.0007), (1.0 / 40.0, 0.06), (0.006, 1.4, 0.0)),
            fees: Turning::new(-7.0, (1.0 / 100.0, 0.04), (0.0025, 2.2, 0.0)),
            gas: Turning::new(-4.0, (1.0 / 10.0, 0.1), (0.025, 3.0, 0.0)),
        }
    }
    fn tick(&mut self) -> Observation {
        self.t += 1;
        let (z, goes_on) = (normals(self.seed, self.t), self.t >= REVERSAL);
        let chance = 0.5 * libm::erfc(z[4] * std::f64::consts::FRAC_1_SQRT_2);
        self.price.noise = libm::exp(self.vol.step(goes_on, z[3], 1.0)) * if goes_on { 2.0 } else { 1.0 };
        RawObservation {
            price: Some(libm::exp(self.price.step(goes_on, z[0], chance))),
            fee_yield: Some(libm::exp(self.fees.step(goes_on, z[1], 1.0))),
            gas_gwei: Some(libm::exp(self.gas.step(goes_on, z[2], 1.0))),
            ..Default::default()
        }
        .admit()
    }
}

/// A mind that forgets within days what no longer holds.
const FIVE_DAYS: Learning = Learning { memory_days: 5.0, ..Learning::FULL };

/// A mind with the epistemic clock that judges it.
struct Judged {
    life: Life,
    clock: EpistemicClock,
    /// How long it was senescent without a break.
    longest: Elapsed,
}

impl Judged {
    fn new() -> Self {
        Self { life: Life::new(), clock: EpistemicClock::default(), longest: Elapsed(0) }
    }
    fn turn(&mut self, seen: &Observation, learning: Learning, t: u64) {
        let config = EpistemicConfig::default();
        self.life.turn(seen, Elapsed::nominal(1), learning);
        self.clock.settle(&self.life.out, Tick(t), self.life.now, &config);
        self.clock.tick(self.life.now, Elapsed::nominal(1), &config);
        self.longest = self.longest.max(self.clock.senescence.senescent_for);
    }
}

/// The weighted skill of the four domains of this world over a stretch of life.
fn skill(score: &Score) -> f64 {
    let domains = [Domain::PriceDirection, Domain::VolatilityRegime, Domain::YieldTrend, Domain::GasCondition];
    let weight: f64 = domains.iter().map(|d| share(*d)).sum();
    domains.iter().map(|d| share(*d) * score.overall(*d)).sum::<f64>() / weight
}

#[test]
fn skill_is_lost_in_a_reversal_and_regained_while_a_frozen_copy_goes_senescent() {
    for seed in 1..=3 {
        let mut world = World::new(seed);
        let (mut learning, mut frozen, mut old) = (Judged::new(), Judged::new(), Judged::new());
        // Four days before the reversal, half a day after it, and four days at the end.
        let (mut before, mut lost) = (0.0, 0.0);
        for t in 1..=26 * DAY {
            let seen = world.tick();
            learning.turn(&seen, FIVE_DAYS, t);
            old.turn(&seen, Learning::FULL, t);
            frozen.turn(&seen, if t < REVERSAL { Learning::FULL } else { Learning::FROZEN }, t);
            if [8 * DAY, REVERSAL, REVERSAL + DAY / 2, 22 * DAY].contains(&t) {
                let score = std::mem::take(&mut learning.life.score);
                if t == REVERSAL {
                    before = skill(&score);
                    let beaten = Domain::ALL.iter().filter(|d| score.overall(**d) > 0.55).count();
                    assert!(beaten >= 3, "seed {seed}: naive is beaten in {beaten} domains: {}", score.show());
                } else if t == REVERSAL + DAY / 2 {
                    lost = skill(&score);
                }
            }
        }
        let after = skill(&learning.life.score);
        eprintln!("seed {seed}: {before:.3} before, {lost:.3} after the reversal, {after:.3} at the end");
        assert!(before > 0.57 && lost < 0.48, "seed {seed}: {before:.3} {lost:.3}");
        assert!(after > 0.57, "seed {seed}: {before:.3} {lost:.3} {after:.3}");
        let limit = EpistemicConfig::default().limit();
        assert!(frozen.longest >= limit, "seed {seed}: a frozen copy dies of it: {:?}", frozen.longest);
        // The lead over a newborn comes back with the clock's memory of five days: whoever learns is on the way, whoever is
        // frozen is not. (So deep a fall outlasts the limit: a world that turns round altogether ends the old.)
        assert!(learning.clock.lead > 0.25 * frozen.clock.lead, "seed {seed}: {}", learning.clock.lead);
        assert!(learning.clock.fitness > frozen.clock.fitness, "seed {seed}: {}", learning.clock.fitness);
        eprintln!("seed {seed}: leads {:+.3} {:+.3} {:+.3}", learning.clock.lead, old.clock.lead, frozen.clock.lead);
    }
}
