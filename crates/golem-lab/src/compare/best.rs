//! The best value of a setting on each path, by lives that kept it up, and how soon other lives came near it.
//!
//! The values are arms of the comparison: everybody else is held against the one that ended with the most on that path.

use super::outcome::{OutcomeKind, Preferred};
use super::row::LifeRow;
use golem_core::VirtualTime;
use golem_mind::PolicyConfig;
use std::collections::BTreeMap;

/// A parameter within this share of a value is near it.
const NEAR: f64 = 0.1;

/// The values of a setting, and the arms that keep them up.
#[derive(Debug, Clone, PartialEq)]
pub struct BestGrid {
    key: String,
    values: Vec<(String, f64)>,
}

impl BestGrid {
    /// Those of these arms that say a value of the setting.
    #[must_use]
    pub fn of(key: &str, arms: &[String]) -> Self {
        let value = |arm: &String| {
            let set = arm.split(' ').find_map(|set| set.strip_prefix(key)?.strip_prefix('='))?;
            set.parse::<f64>().ok().filter(|value| *value > 0.0)
        };
        let values = arms.iter().filter_map(|arm| Some((arm.clone(), value(arm)?))).collect();
        Self { key: key.to_owned(), values }
    }
    /// True when it is a parameter of a strategy, with something to choose from.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        self.key.starts_with("policy.") && self.values.len() >= 2
    }
    /// True where an arm only keeps a value up.
    #[must_use]
    pub fn keeps_up(&self, arm: &str) -> bool {
        self.value_of(arm).is_some()
    }
    fn value_of(&self, arm: &str) -> Option<f64> {
        self.values.iter().find(|(name, _)| name == arm).map(|(_, value)| *value)
    }
}

fn ticks_to(value: f64) -> String {
    format!("ticks_to_value.{value}")
}

/// What is measured besides, where a best value is asked for.
#[must_use]
pub fn kinds(grid: &BestGrid) -> Vec<OutcomeKind> {
    let plain = |name: &str, preferred, margin, about: &str| OutcomeKind {
        name: name.into(),
        about: about.to_owned(),
        preferred,
        margin,
        share: false,
    };
    let to_value = |(_, value): &(String, f64)| {
        let about = format!("nominal ticks until it was within a tenth of {value} and stayed there, or until the end");
        plain(&ticks_to(*value), Preferred::Neither, 500.0, &about)
    };
    let mut all: Vec<OutcomeKind> = grid.values.iter().map(to_value).collect();
    all.extend([
        plain("value_at_end", Preferred::Neither, 0.1, "the value that it had at the end"),
        plain(
            "ticks_to_best",
            Preferred::Less,
            500.0,
            "nominal ticks until it was within a tenth of the value that brought the most on this path, to stay, or until the end",
        ),
        plain("off_best", Preferred::Less, 0.05, "how far from that value it was at the end, in logarithms"),
    ]);
    all
}

/// Who watches a parameter come near values.
#[derive(Debug)]
pub struct ValueWatch {
    /// The parameter's key, without the table it stands in.
    parameter: String,
    reached: Vec<(f64, Option<VirtualTime>)>,
    last: Option<f64>,
}

impl ValueWatch {
    pub fn new(grid: &BestGrid) -> Self {
        let parameter = grid.key.trim_start_matches("policy.").to_owned();
        let reached = grid.values.iter().map(|(_, value)| (*value, None)).collect();
        Self { parameter, reached, last: None }
    }

    pub fn look(&mut self, policy: &PolicyConfig, age: VirtualTime) {
        let parameter = policy.template.parameters().iter().find(|p| p.key == self.parameter);
        let Some(now) = parameter.map(|p| p.get(policy)) else { return };
        self.last = Some(now);
        for (value, at) in &mut self.reached {
            let is_near = (now / *value - 1.0).abs() <= NEAR;
            *at = if is_near { at.or(Some(age)) } else { None };
        }
    }

    /// Outcomes by name; who did not come near by the end came no sooner than that.
    pub fn values(&self, end: VirtualTime) -> Vec<(String, Option<f64>)> {
        let ticks = |at: Option<VirtualTime>| at.unwrap_or(end).age().nominal_floor() as f64;
        let mut all: Vec<_> = self.reached.iter().map(|(value, at)| (ticks_to(*value), Some(ticks(*at)))).collect();
        all.push(("value_at_end".to_owned(), self.last));
        all
    }
}

/// Hold every life against the best value of its path, once all lives of the path are there.
pub fn hold_against(grid: &BestGrid, rows: &mut [LifeRow]) {
    let mut best: BTreeMap<(String, String, u64), (f64, f64)> = BTreeMap::new();
    for row in rows.iter() {
        let (Some(value), Some(worth)) = (grid.value_of(&row.arm), row.value("worth_vs_nothing")) else { continue };
        let most = best.entry((row.world.clone(), row.template.clone(), row.path)).or_insert((worth, value));
        if worth > most.0 {
            *most = (worth, value);
        }
    }
    for row in rows {
        let Some((_, best)) = best.get(&(row.world.clone(), row.template.clone(), row.path)) else { continue };
        let ticks = row.value(&ticks_to(*best));
        let off = row.value("value_at_end").map(|end| libm::log(end / best).abs());
        for (name, value) in &mut row.values {
            match name.as_str() {
                "ticks_to_best" => *value = ticks,
                "off_best" => *value = off,
                _ => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two values, and one life that walks from the first to the second.
    #[test]
    fn everybody_is_held_against_the_value_that_brought_the_most_on_the_path() {
        let arms = ["dream.enabled=false policy.x=6", "dream.enabled=true", "policy.x=3"].map(ToOwned::to_owned);
        let grid = BestGrid::of("policy.x", &arms);
        assert!(grid.is_sound() && grid.keeps_up(&arms[0]) && !grid.keeps_up(&arms[1]) && grid.keeps_up(&arms[2]));
        assert!(!BestGrid::of("policy.y", &arms).is_sound() && !BestGrid::of("dream.enabled", &arms).is_sound());
        let row = |arm: &String, path: u64, worth: f64, to: [f64; 2], end: f64| LifeRow {
            world: "flat".into(),
            template: "lp-management".into(),
            arm: arm.clone(),
            path,
            values: [
                ("worth_vs_nothing", Some(worth)),
                ("ticks_to_value.6", Some(to[0])),
                ("ticks_to_value.3", Some(to[1])),
                ("value_at_end", Some(end)),
                ("ticks_to_best", None),
                ("off_best", None),
            ]
            .into_iter()
            .map(|(name, value)| (name.into(), value))
            .collect(),
            cause: None,
        };
        let lives = |path, worths: [f64; 3]| {
            [
                row(&arms[0], path, worths[0], [0.0, 900.0], 6.0),
                row(&arms[1], path, worths[1], [0.0, 400.0], 3.1),
                row(&arms[2], path, worths[2], [900.0, 0.0], 3.0),
            ]
        };
        // On path 0 the narrow value is best, on path 1 the usual one; what the walker itself came to does not count.
        let mut rows = [lives(0, [0.1, 9.0, 0.2]), lives(1, [0.2, 9.0, 0.1])].concat();
        hold_against(&grid, &mut rows);
        let ticks: Vec<f64> = rows.iter().filter_map(|row| row.value("ticks_to_best")).collect();
        assert_eq!(ticks, [900.0, 400.0, 0.0, 0.0, 0.0, 900.0]);
        let off: Vec<f64> = rows.iter().filter_map(|row| row.value("off_best")).collect();
        for (off, expected) in off.iter().zip([libm::log(2.0), libm::log(3.1 / 3.0), 0.0]) {
            assert!((off - expected).abs() < 1e-12);
        }
    }
}
