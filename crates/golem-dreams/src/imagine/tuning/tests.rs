//! Other values of a parameter.

use super::*;
use crate::imagine::samples::{at, gained};
use golem_core::door::ForkFailure;
use proptest::prelude::*;

const WIDTH: &str = "lp_management.range_sigmas";

fn points(ticks: &[u64]) -> Vec<(VirtualTime, Point)> {
    ticks.iter().map(|t| (at(*t), Point { block: *t, index: 0 })).collect()
}

fn range() -> TunedBy {
    TunedBy::Range { bps_per_unit: 100.0, share_bps: 3_000 }
}

/// A life in which every stretch gives these gains.
fn after(stretches: &[Vec<i64>], values: &[f64]) -> TuningState {
    let params = TuningParams::default();
    let mut state = TuningState::new(WIDTH, values);
    for (i, gains) in stretches.iter().enumerate() {
        let from = 360 * i as u64;
        let plan = state.plan(range(), &points(&[from]), &params, at(from + 360)).unwrap();
        let results: Vec<ForkResult> = gains.iter().map(|g| gained(*g, 360)).collect();
        state.learn(&plan, &results, &params);
    }
    state
}

#[test]
fn a_stretch_is_run_for_every_value() {
    let state = TuningState::new(WIDTH, &[6.0, 3.0, f64::NAN, 3.0, -1.0, 12.0]);
    assert_eq!(state.values().len(), 3);
    let plan = state.plan(range(), &points(&[100]), &TuningParams::default(), at(460)).unwrap();
    let widths: Vec<ForkDeed> = plan.runs.iter().map(|run| run.acts[0].what).collect();
    let kept = |width_bps| ForkDeed::KeepRange { width_bps, share_bps: 3_000 };
    assert_eq!(widths, [kept(300), kept(600), kept(1_200)]);
    for run in &plan.runs {
        assert_eq!((run.from, run.steps), (ForkFrom::Lived(Point { block: 100, index: 0 }), 360));
        assert!(run.is_sound());
    }
    let share = TunedBy::Share { band_bps: 50 };
    assert_eq!(share.deed(0.25), Some(ForkDeed::KeepShare { share_bps: 2_500, band_bps: 50 }));
    assert_eq!(share.deed(7.0), Some(ForkDeed::KeepShare { share_bps: 10_000, band_bps: 50 }));
    assert_eq!((share.deed(f64::NAN), range().deed(-1.0)), (None, None));
    let one = TuningState::new(WIDTH, &[3.0]);
    assert_eq!(one.plan(range(), &points(&[0]), &TuningParams::default(), at(9_000)), None, "nothing to compare");
}

#[test]
fn stretches_do_not_overlap_and_lie_in_the_past() {
    let params = TuningParams::default();
    let mut state = TuningState::new(WIDTH, &[3.0, 6.0]);
    assert_eq!(state.plan(range(), &points(&[100]), &params, at(459)), None, "not lived to its end");
    let plan = state.plan(range(), &points(&[100, 200]), &params, at(460)).unwrap();
    state.learn(&plan, &[gained(0, 360), gained(1, 360)], &params);
    assert_eq!(state.plan(range(), &points(&[100, 459]), &params, at(9_000)), None, "used up, or too old");
    assert_eq!(state.plan(range(), &points(&[100, 459, 460]), &params, at(820)).unwrap().from, at(460));
    // The oldest stretch within reach comes first.
    let fresh = TuningState::new(WIDTH, &[3.0, 6.0]);
    let all = points(&[3_519, 3_520, 4_000]);
    assert_eq!(fresh.plan(range(), &all, &params, at(10_000)).unwrap().from, at(3_520));
}

#[test]
fn the_best_value_is_found_with_its_error() {
    // What the market did to all of them (0, 500, -500, ...) does not count.
    let moves = [0, 500, -500, 300, -200, 40];
    let stretches: Vec<Vec<i64>> = moves.iter().map(|m| vec![*m, m + 20 + m / 100, m + 8]).collect();
    let state = after(&stretches, &[3.0, 6.0, 12.0]);
    let advice = state.advice(3.2, &TuningParams::default()).unwrap();
    assert_eq!((advice.current.to_bits(), advice.best.to_bits()), (3f64.to_bits(), 6f64.to_bits()));
    assert!((advice.better_bps - 20.0).abs() < 1.0 && advice.error_bps < 2.0 && advice.is_clear);
    assert!(advice.words().contains("6.00") && advice.words().contains("3.00"));
    // Who is at the best value hears that the next one is worse.
    let at_best = state.advice(6.0, &TuningParams::default()).unwrap();
    assert!(!at_best.is_clear && at_best.better_bps < 0.0);
    let from_above = state.advice(12.0, &TuningParams::default()).unwrap();
    assert!(from_above.is_clear && from_above.best.to_bits() == 6f64.to_bits());
}

/// Steps towards the best value do not end where that has become the nearest one.
#[test]
fn between_two_values_the_way_goes_on_to_the_better_one() {
    let stretches: Vec<Vec<i64>> = (0..6).map(|n| vec![20 + n % 2, 8, 0]).collect();
    let state = after(&stretches, &[3.0, 4.2, 6.0]);
    let told = |current| state.advice(current, &TuningParams::default()).unwrap();
    for (current, held_against) in [(3.54, 4.2), (3.05, 4.2), (4.0, 4.2), (5.8, 6.0)] {
        let advice = told(current);
        assert!(advice.is_clear && (advice.best - 3.0).abs() < 1e-12, "{current}: {advice:?}");
        assert!((advice.current - held_against).abs() < 1e-12, "{current}: {advice:?}");
    }
    for current in [3.0, 3.02, 2.9] {
        assert!(!told(current).is_clear, "{current}: it is there, or nothing is known of the other side");
    }
}

#[test]
fn nothing_is_proposed_before_the_evidence_is_clear() {
    let advice = |stretches: &[Vec<i64>]| after(stretches, &[3.0, 6.0]).advice(3.0, &TuningParams::default());
    assert_eq!(advice(&[]), None);
    assert_eq!(advice(&[vec![0, 20]]), None, "one stretch has no error");
    assert!(!advice(&[vec![0, 20], vec![0, 21]]).unwrap().is_clear, "two are too few");
    assert!(
        !advice(&[vec![0, 20], vec![0, 21], vec![0, 20]]).unwrap().is_clear,
        "forgetting makes three less than three"
    );
    assert!(advice(&[vec![0, 20], vec![0, 21], vec![0, 20], vec![0, 21]]).unwrap().is_clear);
    let noisy = [vec![0, 100], vec![0, -60], vec![0, 90], vec![0, -50], vec![0, 40]];
    assert!(!advice(&noisy).unwrap().is_clear);
}

/// Lived on after advice was first clear, stretch by stretch: what is judged after each.
fn lived_on(state: &mut TuningState, from: u64, stretches: &[Vec<i64>]) -> Vec<Option<bool>> {
    let params = TuningParams::default();
    let one = |(i, gains): (usize, &Vec<i64>)| {
        let from = from + 360 * i as u64;
        let plan = state.plan(range(), &points(&[from]), &params, at(from + 360)).unwrap();
        let results: Vec<ForkResult> = gains.iter().map(|g| gained(*g, 360)).collect();
        state.learn(&plan, &results, &params);
        state.judge(3.0, &params, at(from + 360)).map(|advice| advice.borne_out)
    };
    stretches.iter().enumerate().map(one).collect()
}

#[test]
fn clear_advice_is_followed_once_what_is_lived_afterwards_says_the_same() {
    let before = || after(&[vec![0, 20], vec![0, 21], vec![0, 20], vec![0, 21]], &[3.0, 6.0]);
    let judge = |state: &mut TuningState, now| state.judge(3.0, &TuningParams::default(), at(now)).map(|a| a.borne_out);
    let mut state = before();
    assert_eq!(judge(&mut state, 5_000), Some(false), "clear, and nothing was lived since");
    assert_eq!(judge(&mut state, 9_000), Some(false), "time alone is no evidence");
    // What was lived before it was first clear is not looked at any more.
    let points = points(&[1_800, 4_999, 5_000]);
    let next = state.plan(range(), &points, &TuningParams::default(), at(5_360)).unwrap();
    assert_eq!(next.from, at(5_000));
    // Two stretches that say the same are enough, and are then used up; the next step wants two of its own.
    let told = lived_on(&mut state, 5_000, &[vec![0, 20], vec![0, 22], vec![0, 20], vec![0, 21]]);
    assert_eq!(told, [Some(false), Some(true), Some(false), Some(true)]);
    // What says the opposite, or nothing, bears nothing out while it is still clear.
    let mut other = before();
    judge(&mut other, 5_000);
    let told = lived_on(&mut other, 5_000, &[vec![0, 20], vec![0, 16], vec![0, 18]]);
    assert!(told.contains(&Some(true)), "{told:?}");
    let mut against = after(&vec![vec![0, 200]; 40], &[3.0, 6.0]);
    judge(&mut against, 20_000);
    let told = lived_on(&mut against, 20_000, &[vec![0, -1], vec![0, -2]]);
    assert!(told.iter().all(|t| *t != Some(true)), "{told:?}");
}

#[test]
fn advice_that_was_not_clear_for_a_while_begins_anew() {
    let params = TuningParams::default();
    let mut state = after(&[vec![0, 20], vec![0, 21], vec![0, 20], vec![0, 21]], &[3.0, 6.0]);
    assert_eq!(state.judge(3.0, &params, at(5_000)).map(|a| a.borne_out), Some(false));
    lived_on(&mut state, 5_000, &[vec![0, 20]]);
    // At the better value there is nothing to advise.
    assert_eq!(state.judge(6.0, &params, at(5_500)), None);
    assert_eq!(state.judge(3.0, &params, at(6_000)).map(|a| a.borne_out), Some(false));
    assert_eq!(
        lived_on(&mut state, 6_000, &[vec![0, 20]]),
        [Some(false)],
        "one stretch since, and the one before is gone"
    );
}

#[test]
fn three_standard_errors_are_clear_and_less_is_not() {
    let mut pair = PairedGain::default();
    for gain in [1.0, 3.0, 2.0, 2.0] {
        pair.add(gain, 1.0);
    }
    // Mean 2, variance 2/3, error sqrt(1/6).
    assert!((pair.mean - 2.0).abs() < 1e-12 && (pair.error().unwrap() - libm::sqrt(1.0 / 6.0)).abs() < 1e-12);
    assert!((pair.stretches() - 4.0).abs() < 1e-12);
    let mut state = TuningState::new(WIDTH, &[3.0, 6.0]);
    state.pairs.insert(place(0, 1), pair);
    let clear =
        |clear_errors| state.advice(3.0, &TuningParams { clear_errors, ..Default::default() }).unwrap().is_clear;
    assert!(clear(4.8) && !clear(5.0));
    let stretches = |least| TuningParams { least_stretches: least, ..Default::default() };
    assert!(
        state.advice(3.0, &stretches(4.0)).unwrap().is_clear && !state.advice(3.0, &stretches(4.1)).unwrap().is_clear
    );
    assert!((TuningParams::default().clear_errors - 3.0).abs() < 1e-12);
}

#[test]
fn older_evidence_counts_less() {
    let mut turned = PairedGain::default();
    for i in 0..200 {
        turned.add(if i < 150 { 10.0 } else { -10.0 }, 0.95);
    }
    // With a share kept each time there are never more than (1 + keep) / (1 - keep) of them.
    assert!(turned.mean < -8.0 && (turned.stretches() - 39.0).abs() < 0.1);
}

#[test]
fn failed_runs_leave_the_others_comparable() {
    let params = TuningParams::default();
    let mut state = TuningState::new(WIDTH, &[3.0, 6.0, 12.0]);
    for i in 0..5u64 {
        let plan = state.plan(range(), &points(&[360 * i]), &params, at(360 * i + 360)).unwrap();
        let compared = state.learn(&plan, &[gained(0, 360), Err(ForkFailure::Stuck), gained(5, 360)], &params);
        assert_eq!(compared, 2);
    }
    let advice = state.advice(3.0, &params).unwrap();
    assert!((advice.best - 12.0).abs() < 1e-12);
    let plan = state.plan(range(), &points(&[4_000]), &params, at(9_000)).unwrap();
    assert_eq!(state.learn(&plan, &[gained(0, 100), gained(1, 360)], &params), 1, "a shorter path is no stretch");
    let text = serde_json::to_string(&state).unwrap();
    assert_eq!(serde_json::from_str::<TuningState>(&text).unwrap(), state);
}

proptest! {
    #[test]
    fn the_state_stays_small_and_finite(
        values in prop::collection::vec(any::<f64>(), 0..40), gains in prop::collection::vec(-9_000i64..9_000, 0..60),
        keep in any::<f64>(), current in any::<f64>(),
    ) {
        let params = TuningParams { keep, ..Default::default() };
        let mut state = TuningState::new(WIDTH, &values);
        prop_assert!(state.values().len() <= MOST_VALUES);
        for (i, gains) in (0u64..).zip(gains.chunks(3)) {
            if let Some(plan) = state.plan(range(), &points(&[360 * i]), &params, at(360 * i + 360)) {
                let results: Vec<ForkResult> = gains.iter().map(|g| gained(*g, 360)).collect();
                state.learn(&plan, &results, &params);
            }
        }
        prop_assert!(state.pairs.len() <= MOST_VALUES * (MOST_VALUES - 1) / 2);
        if let Some(advice) = state.advice(current, &params) {
            prop_assert!(advice.better_bps.is_finite() && advice.error_bps > 0.0);
        }
    }
}
