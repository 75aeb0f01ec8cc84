//! On correlated Gaussians the truth is known: -1/2 log2(1 - rho^2) bits. `BARDO_LONG=1` runs all hundred samples.

use crate::dice;

use dice::{Dice, worlds};
use golem_mortality::info::KsgSample;

fn correlated(n: usize, rho: f64, dice: &mut Dice) -> (Vec<f64>, Vec<f64>) {
    let x = dice.normals(n);
    let y = x.iter().map(|x| rho * x + libm::sqrt(1.0 - rho * rho) * dice.normal()).collect();
    (x, y)
}

#[test]
fn the_mean_estimate_is_the_truth() {
    let samples = worlds(20, 100);
    for rho in [0.0, 0.3, 0.6, 0.9] {
        let truth = -0.5 * libm::log2(1.0 - rho * rho);
        let sum: f64 = (0..samples)
            .map(|seed| {
                let mut dice = Dice::new(seed);
                let (x, y) = correlated(1_000, rho, &mut dice);
                KsgSample::standardised(vec![x], vec![y], 1e-10, &mut || dice.uniform()).bits(3).unwrap()
            })
            .sum();
        let mean = sum / samples as f64;
        assert!((mean - truth).abs() < 0.05, "rho {rho}: {mean} is not {truth}");
    }
}

#[test]
fn in_five_dimensions_too() {
    let samples = worlds(5, 100);
    for rho in [0.0, 0.6] {
        let truth = -0.5 * libm::log2(1.0 - rho * rho);
        let sum: f64 = (0..samples)
            .map(|seed| {
                let mut dice = Dice::new(seed);
                let (x, y) = correlated(1_000, rho, &mut dice);
                let actions = vec![dice.normals(1_000), x, dice.normals(1_000)];
                let responses = vec![dice.normals(1_000), y];
                KsgSample::standardised(actions, responses, 1e-10, &mut || dice.uniform()).bits(3).unwrap()
            })
            .sum();
        let mean = sum / samples as f64;
        assert!((mean - truth).abs() < 0.08, "rho {rho}: {mean} is not {truth}");
    }
}

#[test]
fn repetition_is_not_knowledge() {
    // Nine actions in ten are "hold". Without jitter the ties pass for information.
    let mut dice = Dice::new(5);
    let mut actions = vec![vec![0.0; 1_000]; 3];
    for row in (0..1_000).step_by(10) {
        actions.iter_mut().for_each(|axis| axis[row] = dice.normal());
    }
    let responses = vec![dice.normals(1_000), dice.normals(1_000)];
    let found = KsgSample::standardised(actions.clone(), responses, 1e-10, &mut || 0.3).bits(3).unwrap();
    assert!(found.abs() < 0.05, "{found}");

    // Responses that repeat as well are where it goes wrong: exact ties in both.
    let responses = vec![(0..1_000).map(|_| f64::from(u8::from(dice.uniform() < 0.1))).collect()];
    let jittered = KsgSample::standardised(actions.clone(), responses.clone(), 1e-10, &mut || 0.3).bits(3).unwrap();
    let tied = KsgSample::standardised(actions, responses, 0.0, &mut || 0.3).bits(3).unwrap();
    assert!(jittered.abs() < 0.05, "{jittered}");
    assert!(tied > 5.0, "{tied}");
}
