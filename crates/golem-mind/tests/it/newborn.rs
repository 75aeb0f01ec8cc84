//! Two silent learners beside a mind: what a newborn would know by now, whatever the mind itself does.

use crate::kit;
use golem_core::{Elapsed, VirtualTime};
use golem_mind::forecast::advice::{panel_alone, turned_round};
use golem_mind::{Learning, Mind};
use golem_mortality::{Domain, SettledForecast};
use kit::{Life, Market};

const DAY: u64 = 2_160;
const TICK: Elapsed = Elapsed::nominal(1);
const LEVELS: [Domain; 3] = [Domain::VolatilityRegime, Domain::YieldTrend, Domain::GasCondition];

/// Mean losses of the mind and of the newborn, where both forecast the same, from a day on.
fn both(days: u64, from: u64, learning: impl Fn(u64) -> Learning, shift: impl Fn(u64) -> f64) -> (f64, f64) {
    let (mut life, mut market) = (Life::new(), Market::new(4));
    let (mut own, mut newborn, mut n) = (0.0, 0.0, 0.0);
    for t in 1..=days * DAY {
        market.shift(shift(t));
        life.turn(&market.tick().admit(), TICK, learning(t));
        for s in life.out.iter().filter(|s| t > from * DAY && LEVELS.contains(&s.domain)) {
            if let Some(loss) = s.newborn_loss {
                (own, newborn, n) = (own + s.model_loss, newborn + loss, n + 1.0);
            }
        }
    }
    assert!(n > 1_000.0, "compared {n} times");
    (own / n, newborn / n)
}

#[test]
fn a_newborn_learns_beside_a_mind_that_has_stopped() {
    let frozen = |t: u64| if t < 10 * DAY { Learning::FULL } else { Learning::FROZEN };
    let shift = |t: u64| if t == 11 * DAY { 1.5 } else { 0.0 };
    let (own, newborn) = both(22, 15, frozen, shift);
    assert!(newborn < 0.9 * own, "the world has moved, and only a newborn has noticed: {own} {newborn}");
    let (own, newborn) = both(22, 15, |_| Learning::FULL, shift);
    assert!(own < 1.05 * newborn, "a mind that learns keeps up: {own} {newborn}");
    let (own, newborn) = both(22, 10, |_| Learning::FULL, |_| 0.0);
    assert!(own < newborn, "where nothing moves the old know more: {own} {newborn}");
}

#[test]
fn one_of_some_days_is_always_there_to_compare_with() {
    let (mut life, mut market) = (Life::new(), Market::new(2));
    let mut last = None;
    for t in 1..=14 * DAY {
        life.turn(&market.tick().admit(), TICK, Learning::FULL);
        let compared = life.out.iter().any(|s| s.newborn_loss.is_some());
        // The one that began with the mind is its twin: a newborn is younger, and half its life old.
        assert!(!compared || t >= 5 * DAY, "tick {t}: none is old enough");
        assert!(life.out.iter().all(|s| s.newborn_loss.is_none() || s.domain.index() < 4));
        if compared {
            assert!(last.is_none_or(|last| t - last <= 60), "tick {t}: a gap since {last:?}");
            last = Some(t);
        }
    }
    assert!(last.is_some_and(|last| last > 14 * DAY - 60));
}

#[test]
fn advice_reaches_the_golem_and_never_a_newborn() {
    let run = |advise: fn(&golem_mind::forecast::PanelForecast) -> f64| {
        let (mut mind, mut market, mut all) = (Mind::default(), Market::new(3), Vec::<SettledForecast>::new());
        for t in 1..=6 * DAY {
            let now = VirtualTime(0).after(Elapsed::nominal(t));
            mind.sense(&market.tick().admit(), now, Learning::FULL, &mut all);
            mind.forecast_by(now, &mut { advise });
        }
        all
    };
    let (plain, turned) = (run(panel_alone), run(turned_round));
    assert_eq!(plain.len(), turned.len());
    assert!(plain.iter().any(|s| s.newborn_loss.is_some()), "a newborn is compared with");
    let mut differ = 0;
    for (a, b) in plain.iter().zip(&turned) {
        assert_eq!((a.newborn_loss, a.naive_loss), (b.newborn_loss, b.naive_loss));
        assert!((a.panel_loss - b.panel_loss).abs() < 1e-5 * (1.0 + a.panel_loss), "{a:?} {b:?}");
        differ += u32::from((a.model_loss - b.model_loss).abs() > 1e-12);
        assert!(a.domain.index() > 3 || (a.model_loss - a.panel_loss).abs() < 1e-15, "the panel alone is the golem");
    }
    assert!(differ > 1_000, "{differ}");
}

#[test]
fn a_longer_memory_is_wiser_where_nothing_moves() {
    let overall = |memory_days: f64| {
        let (mut life, mut market) = (Life::new(), Market::new(6));
        for _ in 0..24 * DAY {
            life.turn(&market.tick().admit(), TICK, Learning { memory_days, ..Learning::FULL });
        }
        LEVELS.iter().map(|d| life.score.overall(*d)).sum::<f64>()
    };
    let (short, long) = (overall(1.0), overall(90.0));
    assert!(long > short + 0.005, "{long} {short}");
}
