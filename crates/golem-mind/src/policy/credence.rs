//! How much of a forecast of returns is acted on: as much as such forecasts have proved, over the time for which a trade
//! is held. A forecast that has shown no skill moves no money, however sure it sounds.
//!
//! What was said is held against the return of the whole span that followed: the slope of what came on what was said,
//! less what chance explains. The slope says at once how far a forecast exaggerates and how long it lasts.

use crate::math::{DAY, clip, ratio, unit};
use crate::outlook::Outlook;
use golem_core::{Elapsed, VirtualTime};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// Forecasts are for an hour, and a trade on one is held for six: they are taken note of once an hour.
const APART: Elapsed = Elapsed::nominal(90);
const OVERLAP: f64 = 6.0;
const SPAN: Elapsed = Elapsed(6 * APART.0);
/// Standard errors that are taken off the slope.
const DOUBT: f64 = 1.0;
/// Outcomes in memory, in nominal hours: two months.
const MEMORY: f64 = 1_440.0;
/// Before so many outcomes nothing is believed.
const FEWEST: f64 = 24.0;
/// An outcome counts at most this many usual ones.
const FAR: f64 = 5.0;
/// Memory of the usual fee yield, in nominal ticks.
const YIELD_MEMORY: f64 = 5.0 * DAY;
/// Forecasts under way at most.
const MOST_PENDING: usize = 8;

/// A forecast under way.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
struct SaidReturn {
    at: VirtualTime,
    log_price: f64,
    said: f64,
}

/// What forecasts of returns have proved, and what the fee yield usually is.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(crate) struct Credence {
    pending: VecDeque<SaidReturn>,
    /// Sums of said times came, said squared, came squared, and the number of outcomes.
    cross: f64,
    power: f64,
    spread: f64,
    outcomes: f64,
    usual_yield: Option<f64>,
    seen_at: Option<VirtualTime>,
}

impl Credence {
    /// Look at a turn's outlook: settle what is due, and take note of what is said.
    pub(crate) fn watch(&mut self, outlook: &Outlook, now: VirtualTime) {
        self.learn_yield(outlook.log_yield, now);
        let Some(log_price) = outlook.price.filter(|p| p.is_normal() && *p > 0.0).map(libm::log) else { return };
        while let Some(first) = self.pending.front().filter(|p| now.since(p.at) >= SPAN) {
            // What found no price in time says nothing.
            if now.since(first.at).0 < 2 * SPAN.0 {
                self.settle(first.said, log_price - first.log_price);
            }
            self.pending.pop_front();
        }
        let Some(said) = outlook.mean_return.filter(|m| m.abs() > 0.0) else { return };
        let spaced = |last: &SaidReturn| now.since(last.at) >= APART;
        if self.pending.len() < MOST_PENDING && self.pending.back().is_none_or(spaced) {
            self.pending.push_back(SaidReturn { at: now, log_price, said });
        }
    }

    fn settle(&mut self, said: f64, came: f64) {
        let usual = libm::sqrt(ratio(self.spread, self.outcomes));
        let came = if self.outcomes >= FEWEST { clip(came, FAR * usual) } else { came };
        let keep = 1.0 - 1.0 / MEMORY;
        self.cross = keep * self.cross + said * came;
        self.power = keep * self.power + said * said;
        self.spread = keep * self.spread + came * came;
        self.outcomes = keep * self.outcomes + 1.0;
    }

    fn learn_yield(&mut self, said: Option<f64>, now: VirtualTime) {
        let passed = self.seen_at.replace(now).map_or(0.0, |at| now.since(at).as_nominal());
        if let Some(said) = said.filter(|y| y.is_finite()) {
            let usual = self.usual_yield.get_or_insert(said);
            *usual += -libm::expm1(-passed / YIELD_MEMORY) * (said - *usual);
        }
    }

    /// The share of a forecast that is believed, for each of the horizons that a trade is held: from 0 to 1.
    pub(crate) fn share(&self) -> f64 {
        if self.outcomes < FEWEST || self.power <= 0.0 {
            return 0.0;
        }
        let slope = self.cross / self.power;
        let unexplained = ((self.spread - slope * self.cross) / self.outcomes).max(0.0);
        // Spans overlap: so many outcomes together count as one.
        let error = libm::sqrt(unexplained * OVERLAP / self.power);
        unit((slope - DOUBT * error) / OVERLAP)
    }

    /// The outlook as it is acted on.
    pub(crate) fn temper(&self, outlook: Outlook) -> Outlook {
        let share = self.share();
        let mean_return = outlook.mean_return.map(|said| said * share);
        Outlook { mean_return, usual_log_yield: self.usual_yield, ..outlook }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use golem_core::{Dice, Strand};

    /// So many hours in which a forecast explains a part of the next hour's return.
    fn lived(hours: u64, skill: f64, seed: u64) -> f64 {
        let (dice, mut credence, mut log_price) = (Dice::open(seed, Strand::World), Credence::default(), 7.6);
        for hour in 0..hours {
            let (said, noise) = dice.draws(hour).normals();
            let outlook =
                Outlook { price: Some(libm::exp(log_price)), mean_return: Some(0.001 * said), ..Default::default() };
            credence.watch(&outlook, VirtualTime(0).after(Elapsed::nominal(90 * hour)));
            log_price += 0.001 * skill * said + 0.008 * noise;
        }
        credence.share()
    }

    #[test]
    fn what_has_no_skill_moves_no_money() {
        let mean = |skill: f64| (1..=40).map(|seed| lived(1_000, skill, seed)).sum::<f64>() / 40.0;
        let (none, wrong, some, much) = (mean(0.0), mean(-3.0), mean(3.0), mean(10.0));
        assert!(none < 0.05 && wrong < 0.005, "noise is left alone: {none}, {wrong}");
        assert!(some > 2.0 * none, "skill is acted on: {some}");
        assert!(much > 0.7, "{much}");
        assert!(lived(20, 10.0, 1) <= 0.0, "nothing is believed on a first day");
    }
}
