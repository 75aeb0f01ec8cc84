//! Change points in series that remember themselves: quiet when nothing changed, awake when something did.
//! `BARDO_LONG=1` runs all of the series.

use crate::dice;

use dice::{Dice, worlds};
use golem_mortality::regime_eval::{ChangePointConfig, change_point, ks_two_sample};

const LENGTH: usize = 500;

#[test]
fn memory_raises_no_more_false_alarms_than_promised() {
    let count = worlds(60, 400);
    let (mut alarms, mut naive) = (0, 0);
    for seed in 0..count {
        let mut dice = Dice::new(seed);
        let series = dice.remembering(LENGTH, 0.9);
        let found = change_point(&series, &ChangePointConfig::default(), &mut || dice.uniform()).unwrap();
        alarms += u64::from(found.significant);
        let (before, after) = series.split_at(found.index);
        naive += u64::from(ks_two_sample(before, after).unwrap().p_value <= 0.05);
    }
    // Nominal is 5 in 100; up to 10 pass for near. The classic p-value at the same split is wrong nearly always.
    assert!(alarms * 100 <= count * 10, "{alarms} of {count}");
    assert!(naive * 100 >= count * 90, "{naive} of {count}");
}

#[test]
fn a_true_shift_is_found_near_its_place() {
    let count = worlds(30, 400);
    for (phi, shift, needed) in [(0.9, 2.5, 90), (0.0, 1.0, 95)] {
        let mut near = 0;
        for seed in 0..count {
            let mut dice = Dice::new(10_000 + seed);
            let mut series = dice.remembering(LENGTH, phi);
            series[300..].iter_mut().for_each(|x| *x += shift);
            let found = change_point(&series, &ChangePointConfig::default(), &mut || dice.uniform()).unwrap();
            near += u64::from(found.significant && found.index.abs_diff(300) < 50);
        }
        assert!(near * 100 >= count * needed, "phi {phi}: {near} of {count}");
    }
}

#[test]
fn a_change_of_spread_is_a_change_too() {
    let count = worlds(10, 100);
    let mut found = 0;
    for seed in 0..count {
        let mut dice = Dice::new(20_000 + seed);
        let mut series = dice.normals(LENGTH);
        series[250..].iter_mut().for_each(|x| *x *= 4.0);
        let change = change_point(&series, &ChangePointConfig::default(), &mut || dice.uniform()).unwrap();
        found += u64::from(change.significant && change.index.abs_diff(250) < 60);
    }
    assert!(found * 100 >= count * 90, "{found} of {count}");
}
