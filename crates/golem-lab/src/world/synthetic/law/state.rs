//! What a law remembers from tick to tick, and what it does to a tick.

use super::{Law, Teller};
use golem_core::Dice;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// Draws of a law at a tick: an address that the world itself never asks for.
const OWN: u64 = 1 << 63;
/// The other pair's log price stays within this: no path leads to infinity.
const LIMIT: f64 = 6.0;
/// Causes that can be under way at once.
const MOST_CAUSES: usize = 512;

/// What happened in a tick that a law may follow from.
#[derive(Debug, Clone, Copy)]
pub(in crate::world::synthetic) struct Doings {
    pub tick: u64,
    /// Seconds since 1970.
    pub time_s: i64,
    /// Gas spiked.
    pub spike: bool,
    /// The jump of the log price, or 0.
    pub jump: f64,
    /// Log of the present volatility over the base.
    pub log_heat: f64,
}

/// What a law adds to a tick.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(in crate::world::synthetic) struct Push {
    /// To the log price.
    pub log_price: f64,
    /// To the feedback of recent returns.
    pub feedback: f64,
    /// To the log gas price.
    pub log_gas: f64,
    /// To the log volume.
    pub log_volume: f64,
}

/// What a law remembers.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(in crate::world::synthetic) struct LawState {
    /// Causes whose effect is not over: the tick and the size.
    causes: VecDeque<(u64, f64)>,
    /// The sign of momentum now and after the next turn are opposite; this is when it turns.
    positive: bool,
    turns_at: u64,
    /// Log of the other pair's price over its beginning.
    pub other: f64,
}

impl LawState {
    /// Before the first tick.
    pub fn beginning(law: &Law, dice: &Dice) -> Self {
        let mut state = Self::default();
        if let Law::Turning { mean_ticks, .. } = law {
            let mut draws = dice.draws(OWN);
            state.positive = draws.uniform() < 0.5;
            state.turns_at = 1 + spell(*mean_ticks, draws.uniform());
        }
        state
    }

    /// One tick on: what follows in it from what was.
    pub fn step(&mut self, law: &Law, now: &Doings, dice: &Dice) -> Push {
        let none = Push::default();
        let tick = now.tick;
        match *law {
            Law::GasHours { from_hour, hours, log_factor } => {
                let hour = now.time_s.rem_euclid(86_400).unsigned_abs() / 3_600;
                let dear = (hour + 24 - from_hour) % 24 < hours;
                Push { log_gas: if dear { log_factor } else { 0.0 }, ..none }
            }
            Law::FeeBursts { lag, length, log_factor, until } => {
                self.note(now.spike && until.is_none_or(|last| tick <= last), tick, 1.0);
                self.forget(tick, lag + length);
                let on = self.causes.iter().any(|(at, _)| due(*at, lag, length, tick));
                Push { log_volume: if on { log_factor } else { 0.0 }, ..none }
            }
            Law::VolFees { lag, gain } => {
                self.causes.push_back((tick, now.log_heat));
                self.forget(tick, lag);
                let before = self.causes.front().filter(|(at, _)| at + lag <= tick + 1).map_or(0.0, |(_, heat)| *heat);
                Push { log_volume: gain * before, ..none }
            }
            Law::Reversal { lag, length, share } => {
                self.note(now.jump != 0.0, tick, now.jump);
                self.forget(tick, lag + length);
                let back: f64 = self.due_sum(lag, length, tick);
                Push { log_price: -share * back / length as f64, ..none }
            }
            Law::Turning { mean_ticks, lead, feedback, teller, log_factor } => {
                if tick >= self.turns_at {
                    self.positive = !self.positive;
                    self.turns_at = tick + 1 + spell(mean_ticks, dice.uniform(OWN | tick, 0));
                }
                let sign = |positive: bool| if positive { 1.0 } else { -1.0 };
                let told = log_factor * sign(self.positive != (tick + lead >= self.turns_at));
                let (log_gas, log_volume) = match teller {
                    Teller::Gas => (told, 0.0),
                    Teller::Volume => (0.0, told),
                };
                Push { feedback: feedback * sign(self.positive), log_gas, log_volume, ..none }
            }
            Law::Contagion { lag, length, share, sigma } => {
                let moved = sigma * dice.draws(OWN | tick).normals().0;
                self.other = (self.other + moved).clamp(-LIMIT, LIMIT);
                self.causes.push_back((tick, moved));
                self.forget(tick, lag + length);
                let followed: f64 = self.due_sum(lag, length, tick);
                Push { log_price: share * followed / length as f64, ..none }
            }
        }
    }

    fn note(&mut self, happened: bool, tick: u64, size: f64) {
        if happened && self.causes.len() < MOST_CAUSES {
            self.causes.push_back((tick, size));
        }
    }
    fn forget(&mut self, tick: u64, after: u64) {
        while self.causes.front().is_some_and(|(at, _)| at + after <= tick) {
            self.causes.pop_front();
        }
    }
    fn due_sum(&self, lag: u64, length: u64, tick: u64) -> f64 {
        self.causes.iter().filter(|(at, _)| due(*at, lag, length, tick)).map(|(_, size)| size).sum()
    }

    /// True when it can go on from this tick.
    pub fn is_sound(&self, tick: u64) -> bool {
        self.causes.len() <= 2_048
            && self.causes.iter().all(|(at, size)| *at <= tick && size.abs() <= 100.0)
            && self.other.abs() <= LIMIT
    }
}

fn due(at: u64, lag: u64, length: u64, tick: u64) -> bool {
    (at + lag..at + lag + length).contains(&tick)
}

/// Ticks until the next turn: from half the mean to one and a half.
fn spell(mean_ticks: u64, u: f64) -> u64 {
    (mean_ticks as f64 * (0.5 + u)) as u64
}
