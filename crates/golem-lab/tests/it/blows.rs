//! The first crash of a life, which nobody had lived through: whoever had rehearsed such things loses less by it.

use crate::compare::{comparison, rows, settings};
use golem_lab::compare::LifeRow;

fn arms() -> Vec<(&'static str, golem_lab::compare::ArmSettings)> {
    vec![("awake", settings(|_| ())), ("dreams", settings(|life| life.dream.enabled = true))]
}

/// An outcome of both arms, on every path that has it in both.
fn paired(rows: &[LifeRow], outcome: &str) -> Vec<(f64, f64)> {
    let of = |arm: &str, path: u64| rows.iter().find(|r| r.arm == arm && r.path == path)?.value(outcome);
    let paths = rows.iter().filter(|r| r.arm == "awake").map(|r| r.path);
    paths.filter_map(|path| Some((of("awake", path)?, of("dreams", path)?))).collect()
}

#[test]
fn who_rehearsed_loses_less_in_its_first_crash() {
    let seeds = if std::env::var_os("BARDO_LONG").is_some() { 40 } else { 8 };
    let both = paired(&rows(&comparison(&["default+crash"], arms(), seeds, 12), 2), "blow_loss");
    assert!(both.len() as u64 * 2 >= seeds, "{} of {seeds} had something to lose", both.len());
    let mean = |of: fn(&(f64, f64)) -> f64| both.iter().map(of).sum::<f64>() / both.len() as f64;
    let (awake, saved) = (mean(|(awake, _)| *awake), mean(|(awake, dreams)| awake - dreams));
    assert!(awake > 0.01, "a crash costs {awake} of what was exposed: {both:?}");
    assert!(saved > 0.01, "rehearsals save {saved} of it: {both:?}");
}

#[test]
fn a_blow_is_measured_where_there_is_one_and_nowhere_else() {
    let plain = rows(&comparison(&["flat"], vec![arms().remove(0), ("again", settings(|_| ()))], 1, 3), 2);
    assert!(plain.iter().all(|row| row.value("blow_loss").is_none()));
    let unknown = golem_lab::world::place("flat+rain", 1).err().expect("no such blow").to_string();
    assert!(unknown.contains("rain") && unknown.contains("crash, drain, gas-war"), "{unknown}");
}
