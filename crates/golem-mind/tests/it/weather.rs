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

/// The widest single move of late, when the price moves by so many usual moves of a minute after so many ticks without a
/// quote.
fn shock_after(silent: u64, usual_moves: f64) -> (Option<f64>, Option<f64>) {
    let (mut life, mut price, sigma) = (Life::new(), 7.6, 0.001);
    let mut turn = |life: &mut Life, moved: Option<f64>| {
        let price = moved.map(|by| {
            price += by;
            libm::exp(price)
        });
        life.turn(&RawObservation { price, ..Default::default() }.admit(), Elapsed::nominal(1), Learning::FULL);
        life.mind.senses().shock()
    };
    for t in 0..4_000 {
        turn(&mut life, Some(sigma * normals(9, t)[0].clamp(-2.0, 2.0)));
    }
    let unseen = (0..silent).map(|_| turn(&mut life, None)).last().flatten();
    (unseen, turn(&mut life, Some(sigma * usual_moves)))
}

#[test]
fn what_the_price_did_while_nobody_quoted_it_is_no_shock() {
    // A day's usual way within one tick is a shock; the same way over the day is none.
    for (silent, moves, expected) in
        [(0, 30.0, 30.0), (0, -30.0, -30.0), (89, 30.0, 3.2), (899, 30.0, 1.0), (899, -30.0, -1.0), (899, 300.0, 10.0)]
    {
        let (unseen, shock) = shock_after(silent, moves);
        assert_eq!(unseen, None, "nothing is said of a price that is not seen");
        let shock = shock.expect("it is seen again");
        assert!((shock / expected - 1.0).abs() < 0.25, "{moves} moves after {silent} ticks: {shock}, not {expected}");
    }
}
