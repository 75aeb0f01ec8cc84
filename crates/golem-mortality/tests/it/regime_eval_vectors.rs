//! The statistics of regime evaluation against numpy, scipy and scikit-learn (`tools/make_vectors.py`).

use crate::dice;

use dice::Dice;
use golem_mortality::regime_eval::{cohens_d, effect_with_interval, kolmogorov_survival, ks_two_sample, r_squared};
use serde_json::Value;

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap()
}

fn regime() -> Value {
    serde_json::from_str(include_str!("vectors/regime.json")).unwrap()
}

/// Equal to nine digits, or both too small to matter.
fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * b.abs() + 1e-13
}

#[test]
fn effects_agree_with_numpy() {
    for case in regime()["effects"].as_array().unwrap() {
        let (baseline, treatment) = (numbers(&case["baseline"]), numbers(&case["treatment"]));
        assert!(close(cohens_d(&baseline, &treatment).unwrap(), number(&case["d"])));
        let mut dice = Dice::new(case["seed"].as_u64().unwrap());
        let resamples = case["resamples"].as_u64().unwrap() as usize;
        let found = effect_with_interval(&baseline, &treatment, resamples, 0.95, &mut || dice.uniform()).unwrap();
        assert!(close(found.low, number(&case["low"])), "{found:?}");
        assert!(close(found.high, number(&case["high"])), "{found:?}");
    }
}

#[test]
fn kolmogorov_smirnov_agrees_with_scipy() {
    for case in regime()["ks"].as_array().unwrap() {
        let found = ks_two_sample(&numbers(&case["a"]), &numbers(&case["b"])).unwrap();
        assert!(close(found.statistic, number(&case["statistic"])), "{found:?}");
        assert!(close(found.p_value, number(&case["p"])), "{found:?} {}", case["p"]);
    }
}

#[test]
fn the_kolmogorov_distribution_agrees_with_scipy() {
    let cases: Vec<(u32, f64, f64)> = serde_json::from_str(include_str!("vectors/kolmogorov.json")).unwrap();
    assert!(cases.len() > 200);
    for (n, d, wanted) in cases {
        let found = kolmogorov_survival(n, d);
        assert!(close(found, wanted), "n {n} d {d}: {found} is not {wanted}");
    }
}

#[test]
fn r_squared_agrees_with_scikit_learn() {
    for case in regime()["r_squared"].as_array().unwrap() {
        let pairs: Vec<(f64, f64)> = numbers(&case["predicted"]).into_iter().zip(numbers(&case["actual"])).collect();
        assert!(close(r_squared(&pairs).unwrap(), number(&case["r2"])), "{case}");
    }
}
