//! The models really learn: planted rules are found, noise is left alone, and a world that moves is followed.

use crate::kit;
use golem_core::{Elapsed, ProtocolState, RawObservation};
use golem_mind::{Learning, Mind};
use golem_mortality::Domain;
use kit::{Life, Market, Reverting, normals};

const TICK: Elapsed = Elapsed::nominal(1);
const DAY: u64 = 2_160;

/// Fitness of a domain after a life in a world that is a function of the turn, and over its second half.
fn fitness(domain: Domain, turns: u64, turn: Elapsed, mut world: impl FnMut(u64) -> RawObservation) -> f64 {
    let mut life = Life::new();
    for t in 1..=turns {
        if t == turns / 2 {
            life.score = kit::Score::default();
        }
        life.turn(&world(t).admit(), turn, Learning::FULL);
    }
    assert!(life.score.count(domain) > 50);
    life.score.overall(domain)
}

#[test]
fn a_price_that_comes_back_is_found_out() {
    for seed in 1..=3 {
        let mut price = Reverting::new(7.6, 1.0 / 60.0, 0.001);
        let f = fitness(Domain::PriceDirection, 20 * DAY, TICK, |t| RawObservation {
            price: Some(libm::exp(price.step(normals(seed, t)[0]))),
            ..Default::default()
        });
        assert!(f > 0.6, "seed {seed}: {f}");
    }
}

#[test]
fn noise_has_no_direction() {
    for seed in 1..=5 {
        let (mut price, mut life) = (7.6, Life::new());
        for t in 1..=20 * DAY {
            price += 0.0008 * normals(seed, t)[0];
            let seen = RawObservation { price: Some(libm::exp(price)), ..Default::default() }.admit();
            life.turn(&seen, TICK, Learning::FULL);
            let f = life.score.f(Domain::PriceDirection);
            assert!(t < 2 * DAY || (0.44..0.56).contains(&f), "seed {seed} turn {t}: {f}");
        }
        let f = life.score.overall(Domain::PriceDirection);
        assert!((0.48..=0.51).contains(&f), "seed {seed}: {f}");
        let vol = life.score.overall(Domain::VolatilityRegime);
        assert!(vol > 0.6, "the last hour is a worse guess than the mean: {vol}");
    }
}

#[test]
fn levels_that_come_back_are_found_out() {
    for seed in 1..=3 {
        let mut vol = Reverting::new(libm::log(0.0007), 1.0 / 25.0, 0.15);
        let mut price = 7.6;
        let f = fitness(Domain::VolatilityRegime, 20 * DAY, TICK, |t| {
            let z = normals(seed, t);
            price += libm::exp(vol.step(z[0])) * z[1];
            RawObservation { price: Some(libm::exp(price)), ..Default::default() }
        });
        assert!(f > 0.6, "volatility, seed {seed}: {f}");
        let mut fees = Reverting::new(-7.0, 1.0 / 100.0, 0.03);
        let f = fitness(Domain::YieldTrend, 30 * DAY, TICK, |t| RawObservation {
            fee_yield: Some(libm::exp(fees.step(normals(seed, t)[0]))),
            ..Default::default()
        });
        assert!(f > 0.6, "yield, seed {seed}: {f}");
    }
}

#[test]
fn gas_has_a_rhythm() {
    for seed in 1..=3 {
        let mut gas = Reverting::new(-4.0, 1.0 / 12.0, 0.08);
        let world = |t: u64| {
            let day = 0.8 * libm::sin(std::f64::consts::TAU * (t % DAY) as f64 / DAY as f64);
            RawObservation { gas_gwei: Some(libm::exp(gas.step(normals(seed, t)[0]) + day)), ..Default::default() }
        };
        let f = fitness(Domain::GasCondition, 20 * DAY, TICK, world);
        assert!(f > 0.6, "seed {seed}: {f}");
        // A pure rhythm, seen once an hour: only the time of day says where it goes.
        let f = fitness(Domain::GasCondition, 24 * 40, Elapsed::secs(3_600), |t| {
            let day = libm::sin(std::f64::consts::TAU * (t % 24) as f64 / 24.0);
            RawObservation { gas_gwei: Some(libm::exp(day + 0.05 * normals(seed, t)[0])), ..Default::default() }
        });
        assert!(f > 0.85, "seed {seed}: {f}");
    }
}

#[test]
fn protocol_states_that_last_are_found_out() {
    let f = fitness(Domain::ProtocolState, 30 * DAY, TICK, |t| {
        let protocol = Some(if t % (2 * DAY) < 400 { ProtocolState::Degraded } else { ProtocolState::Normal });
        RawObservation { protocol, ..Default::default() }
    });
    assert!(f > 0.6, "{f}");
    let calm = |_| RawObservation { protocol: Some(ProtocolState::Normal), ..Default::default() };
    let f = fitness(Domain::ProtocolState, 30 * DAY, TICK, calm);
    assert!((0.45..0.55).contains(&f), "where nothing happens there is nothing to know better: {f}");
}

#[test]
fn a_learning_mind_follows_the_world_and_a_frozen_one_goes_stale() {
    for seed in 1..=4 {
        let mut market = Market::new(seed);
        let (mut learning, mut frozen, mut never) = (Life::new(), Life::new(), Life::new());
        let (mut stale_at, mut low, mut longest) = (None, 0, 0);
        for t in 1..=16 * DAY {
            if t == 10 * DAY {
                market.shift(2.0);
            }
            let seen = market.tick().admit();
            learning.turn(&seen, TICK, Learning::FULL);
            frozen.turn(&seen, TICK, if t < 10 * DAY { Learning::FULL } else { Learning::FROZEN });
            never.turn(&seen, TICK, Learning::FROZEN);
            if t > 10 * DAY && frozen.score.composite() < 0.35 {
                stale_at.get_or_insert(t - 10 * DAY);
            }
            low = if learning.score.composite() < 0.35 { low + 1 } else { 0 };
            longest = longest.max(low);
        }
        assert!(learning.score.composite() > 0.45, "seed {seed}: {}", learning.score.show());
        assert!(longest < 500, "a learning mind does not grow senescent by this: {longest} ticks on end below 0.35");
        assert!(frozen.score.composite() < 0.35, "seed {seed}: {}", frozen.score.show());
        assert!(never.score.composite() < 0.35, "seed {seed}: {}", never.score.show());
        assert!(stale_at.is_some_and(|t| t < 1_000), "{stale_at:?}");
    }
}

#[test]
fn plasticity_is_the_speed_of_learning() {
    let run = |learning: Learning| {
        let mut market = Market::new(9);
        let mut life = Life::new();
        for _ in 0..4 * DAY {
            life.turn(&market.tick().admit(), TICK, learning);
        }
        (life.mind, life.score.overall(Domain::GasCondition))
    };
    let speed = |plasticity| run(Learning { plasticity, ..Learning::FULL });
    let (frozen, naive) = run(Learning::FROZEN);
    assert!((naive - 0.5).abs() < 0.05, "a mind that never learnt says what naive says, nearly: {naive}");
    assert_eq!(speed(0.0).0, frozen);
    assert_eq!(speed(f64::NAN).0, frozen);
    assert_eq!(speed(7.0).0, run(Learning::FULL).0);
    assert!(speed(1.0).1 > speed(0.02).1 && speed(0.02).1 > naive - 0.01, "{} {}", speed(1.0).1, speed(0.02).1);
    assert_ne!(Mind::default(), frozen);
}

/// Reverting yields with trades, looked at once an hour; then nobody trades, and what is shown fades by one step a turn.
#[test]
fn a_yield_that_only_fades_is_not_learnt() {
    let (mut life, mut fees, hour) = (Life::new(), Reverting::new(-7.0, 0.3, 0.1), Elapsed::secs(3_600));
    let settled_yields = |life: &Life| life.out.iter().filter(|s| s.domain == Domain::YieldTrend).count();
    let (mut traded, mut idle) = (0, 0);
    for t in 0..240 {
        let (level, volume) =
            if t < 200 { (fees.step(normals(5, t)[0]), 1e5) } else { (-7.0 - 0.125 * (t - 200) as f64, 0.0) };
        let price = Some(2_000.0);
        let seen =
            RawObservation { price, fee_yield: Some(libm::exp(level)), volume: Some(volume), ..Default::default() };
        life.turn(&seen.admit(), hour, Learning::FULL);
        let settled = settled_yields(&life);
        if t < 200 { traded += settled } else { idle += settled }
    }
    assert!(traded > 150 && idle == 0, "{traded} {idle}");
}

/// A mean of looks goes where it goes: seen once an hour, a yield is forecast from its last value from the first days on.
#[test]
fn a_yield_of_rare_looks_starts_from_its_last_value() {
    let (mut own, mut half_way, mut naive) = (0.0, 0.0, 0.0);
    for seed in 1..=12 {
        let (mut life, mut level) = (Life::new(), -7.0);
        for t in 0..24 * 6 {
            level += 0.1 * normals(seed, t)[0];
            let seen = RawObservation { fee_yield: Some(libm::exp(level)), ..Default::default() };
            life.turn(&seen.admit(), Elapsed::secs(3_600), Learning::FULL);
            for s in life.out.iter().filter(|s| s.domain == Domain::YieldTrend && t > 24) {
                own += s.model_loss;
                naive += s.naive_loss;
                half_way += s.half_way_loss.expect("a level");
            }
        }
    }
    let (own, half_way) = (own / naive, half_way / naive);
    assert!(half_way > 1.3, "half-way is wrong here: {half_way}");
    assert!(own < 1.15, "and the panel does not begin there: {own}");
}
