//! The information estimators against independent implementations: numpy and scipy (`tools/make_vectors.py`), and a
//! plain loop in this file for every number of axes that the k-d tree is compiled for.

use crate::dice;

use dice::Dice;
use golem_mortality::info::{MAX_AXES, digamma, ksg_bits, phrases, z_scored};
use serde_json::Value;

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
}

fn columns(value: &Value) -> Vec<Vec<f64>> {
    value.as_array().unwrap().iter().map(numbers).collect()
}

fn information() -> Value {
    serde_json::from_str(include_str!("vectors/information.json")).unwrap()
}

#[test]
fn kraskov_agrees_with_numpy() {
    let sets: Vec<Value> = serde_json::from_str(include_str!("vectors/ksg.json")).unwrap();
    assert!(sets.len() > 10);
    for set in sets {
        for case in set["bits"].as_array().unwrap() {
            let k = case[0].as_u64().unwrap() as usize;
            let found = ksg_bits(columns(&set["x"]), columns(&set["y"]), k).unwrap();
            let wanted = case[1].as_f64().unwrap();
            assert!((found - wanted).abs() < 1e-9, "{} k {k}: {found} is not {wanted}", set["name"]);
        }
    }
}

#[test]
fn digamma_agrees_with_scipy() {
    for case in information()["digamma"].as_array().unwrap() {
        let (x, wanted) = (case[0].as_f64().unwrap(), case[1].as_f64().unwrap());
        let found = digamma(x);
        assert!((found - wanted).abs() <= 1e-12 * wanted.abs().max(1.0), "psi({x}) = {wanted}, not {found}");
    }
}

#[test]
fn z_scores_agree_with_numpy() {
    for case in information()["z_scored"].as_array().unwrap() {
        let found = z_scored(&numbers(&case[0])).unwrap();
        for (a, b) in found.iter().zip(numbers(&case[1])) {
            assert!((a - b).abs() < 1e-9, "{case}");
        }
    }
}

#[test]
fn lempel_ziv_agrees_with_substring_search() {
    for case in information()["phrases"].as_array().unwrap() {
        let letters: Vec<u8> = numbers(&case[0]).iter().map(|x| *x as u8).collect();
        assert_eq!(phrases(&letters) as u64, case[1].as_u64().unwrap(), "{case}");
    }
}

/// Kraskov's first algorithm, as one would write it on a blackboard.
fn plain_ksg_bits(x: &[Vec<f64>], y: &[Vec<f64>], k: usize) -> f64 {
    let n = x[0].len();
    let distance = |axes: &[Vec<f64>], i: usize, j: usize| axes.iter().map(|a| (a[i] - a[j]).abs()).fold(0.0, f64::max);
    let mut sum = 0.0;
    for i in 0..n {
        let others = || (0..n).filter(move |&j| j != i);
        let mut joint: Vec<f64> = others().map(|j| distance(x, i, j).max(distance(y, i, j))).collect();
        joint.sort_by(f64::total_cmp);
        for side in [x, y] {
            let closer = others().filter(|&j| distance(side, i, j) < joint[k - 1]).count();
            sum += digamma(closer as f64 + 1.0);
        }
    }
    (digamma(k as f64) + digamma(n as f64) - sum / n as f64) / std::f64::consts::LN_2
}

#[test]
fn the_tree_finds_the_same_neighbours_as_a_plain_loop() {
    let mut dice = Dice::new(1);
    for x_axes in 1..MAX_AXES {
        for y_axes in 1..=MAX_AXES - x_axes {
            for (n, coarse) in [(5, false), (33, true), (120, false), (120, true)] {
                let mut side = |axes: usize| -> Vec<Vec<f64>> {
                    let mut axis = || -> Vec<f64> {
                        // Coarse points are full of ties.
                        dice.normals(n).into_iter().map(|v| if coarse { (v * 2.0).round() } else { v }).collect()
                    };
                    (0..axes).map(|_| axis()).collect()
                };
                let (x, y) = (side(x_axes), side(y_axes));
                for k in [1, 3, 4] {
                    let wanted = plain_ksg_bits(&x, &y, k);
                    let found = ksg_bits(x.clone(), y.clone(), k).unwrap();
                    assert!((found - wanted).abs() < 1e-9, "{x_axes} by {y_axes}, n {n}, k {k}");
                }
            }
        }
    }
}
