//! A planted rule: after a spike of gas the fee yield is so many times as high for a while.
//!
//! For experiments that ask whether a golem finds what is there to be found. It draws no dice, so a world with the rule
//! is in all else the world without it.

use serde::{Deserialize, Serialize};

/// Gas spike, then fee yield.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Planted {
    /// Nominal ticks from the spike to the effect.
    pub after_ticks: u64,
    /// Nominal ticks that the effect lasts.
    pub for_ticks: u64,
    /// What the fee yield is multiplied by.
    pub times: f64,
    /// The last world tick whose spikes have an effect, for a rule that stops being true.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until_tick: Option<u64>,
}

impl Planted {
    pub(super) fn problems(&self) -> Vec<(&'static str, String)> {
        let ranges = [
            ("planted.after_ticks", self.after_ticks as f64, 1.0, 1_000.0),
            ("planted.for_ticks", self.for_ticks as f64, 1.0, 1_000.0),
            ("planted.times", self.times, 0.01, 100.0),
        ];
        let outside = ranges.into_iter().filter(|(_, value, low, high)| !(low..=high).contains(&value));
        outside.map(|(key, value, low, high)| (key, format!("{value} is not from {low} to {high}"))).collect()
    }
}

/// The spikes that may still have an effect.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(super) struct Spikes(Vec<u64>);

impl Spikes {
    /// Take in a tick, with or without a spike.
    pub fn step(&mut self, rule: &Planted, tick: u64, spike: bool) {
        let over = rule.after_ticks + rule.for_ticks;
        self.0.retain(|at| at + over > tick);
        if spike && rule.until_tick.is_none_or(|last| tick <= last) {
            self.0.push(tick);
        }
    }
    /// What the fee yield is multiplied by at a tick. Effects of several spikes do not pile up.
    pub fn factor(&self, rule: &Planted, tick: u64) -> f64 {
        let due = |at: &u64| (at + rule.after_ticks..at + rule.after_ticks + rule.for_ticks).contains(&tick);
        if self.0.iter().any(due) { rule.times } else { 1.0 }
    }
    /// True when it can go on from this tick.
    pub fn is_sound(&self, tick: u64) -> bool {
        self.0.len() <= 2_000 && self.0.iter().all(|at| *at <= tick)
    }
}
