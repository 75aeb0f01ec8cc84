//! The regime changes a few times a day, not a few times an hour; probes are quiet on a quiet market.

use crate::kit;
use golem_core::{Elapsed, RawObservation, Regime};
use golem_mind::{Learning, Severity};
use kit::{Life, Market, normals};

const DAYS: u64 = 20;

#[test]
fn a_few_changes_a_day() {
    let (mut changes, mut loud, mut quintiles, mut seen) = (0u32, 0u32, [0u32; 5], [0u32; 5]);
    let lives = 4;
    for seed in 1..=lives {
        let (mut life, mut market) = (Life::new(), Market::new(seed));
        for t in 0..DAYS * 2_160 {
            life.turn(&market.tick().admit(), Elapsed::nominal(1), Learning::FULL);
            let senses = life.mind.senses();
            changes += u32::from(senses.weather().changed);
            loud += u32::from(senses.probes().prediction_error > 0.25);
            quintiles[usize::from(senses.weather().vol_quintile)] += 1;
            seen[life.mind.regime() as usize] += 1;
            assert!(t > 200 || life.mind.regime() == Regime::Unknown);
            assert!((0.0..=1.0).contains(&senses.probes().prediction_error));
        }
    }
    let days = (lives * DAYS) as f64;
    let a_day = f64::from(changes) / days;
    assert!((2.0..10.0).contains(&a_day), "{a_day} changes a day");
    assert!(f64::from(loud) / days < 2_160.0 * 0.05, "loud in {loud} turns of {days} days");
    let turns: u32 = quintiles.iter().sum();
    assert!(quintiles.iter().all(|n| *n > turns / 20), "{quintiles:?}");
    assert!(seen[1..4].iter().all(|n| *n > turns / 20), "{seen:?}");
}

#[test]
fn a_storm_is_volatile_and_a_trend_has_a_direction() {
    let (mut life, mut price) = (Life::new(), 7.6);
    let mut spend = |life: &mut Life, turns: u64, drift: f64, sigma: f64| {
        for _ in 0..turns {
            price += drift + sigma * normals(3, life.now.0)[0];
            let raw = RawObservation { price: Some(libm::exp(price)), ..Default::default() };
            life.turn(&raw.admit(), Elapsed::nominal(1), Learning::FULL);
        }
    };
    spend(&mut life, 6_000, 0.0, 0.0007);
    spend(&mut life, 400, 0.000_25, 0.0007);
    assert_eq!((life.mind.regime(), life.mind.senses().weather().trend), (Regime::TrendingUp, 1));
    spend(&mut life, 500, -0.000_25, 0.0007);
    assert_eq!((life.mind.regime(), life.mind.senses().weather().trend), (Regime::TrendingDown, -1));
    spend(&mut life, 300, 0.0, 0.0025);
    assert_eq!((life.mind.regime(), life.mind.senses().weather().vol_quintile), (Regime::Volatile, 4));
    spend(&mut life, 1, 0.03, 0.0);
    assert_eq!(life.mind.senses().probes().price_delta, Severity::High);
}
