//! How much of a forecast of returns is acted on: as much as such forecasts have proved. A forecast that has shown no skill
//! moves no money, however sure it sounds.
//!
//! What was said is held against the return of the hour that it was for, and against that of the whole span for which a
//! trade is held: the slope of what came on what was said, less what chance explains. The first tells soon whether there
//! is anything to it, the second whether it lasts beyond its hour. The better proved of the two is believed. That is the
//! panel's record; what experts add has one of its own.

use crate::math::{DAY, clip, ratio, unit};
use crate::outlook::Outlook;
use golem_core::{Elapsed, VirtualTime};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// Forecasts are for an hour, and are taken note of once an hour.
const APART: Elapsed = Elapsed::nominal(90);
/// A trade on one is held for so many.
const HELD: u64 = 6;
/// Spans over which what was said is held against what came, in hours.
const SPANS: [u64; 2] = [1, HELD];
/// Standard errors that are taken off the slope.
const DOUBT: f64 = 1.5;
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

/// The slope of what came over a span on what was said.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
struct SpanSlope {
    /// Sums of said times came, said squared, came squared, and the number of outcomes.
    cross: f64,
    power: f64,
    spread: f64,
    outcomes: f64,
}

impl SpanSlope {
    fn settle(&mut self, said: f64, came: f64) {
        let usual = libm::sqrt(ratio(self.spread, self.outcomes));
        let came = if self.outcomes >= FEWEST { clip(came, FAR * usual) } else { came };
        let keep = 1.0 - 1.0 / MEMORY;
        self.cross = keep * self.cross + said * came;
        self.power = keep * self.power + said * said;
        self.spread = keep * self.spread + came * came;
        self.outcomes = keep * self.outcomes + 1.0;
    }
    /// The slope that is proved, for a span of so many hours.
    fn proved(&self, hours: u64) -> f64 {
        if self.outcomes < FEWEST || self.power <= 0.0 {
            return 0.0;
        }
        let slope = self.cross / self.power;
        let unexplained = ((self.spread - slope * self.cross) / self.outcomes).max(0.0);
        // Spans overlap: so many outcomes together count as one.
        slope - DOUBT * libm::sqrt(unexplained * hours as f64 / self.power)
    }
}

/// What forecasts of returns have proved, and what the fee yield usually is.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(crate) struct Credence {
    /// What was said and is not settled yet, for each span.
    pending: [VecDeque<SaidReturn>; SPANS.len()],
    slopes: [SpanSlope; SPANS.len()],
    usual_yield: Option<f64>,
    seen_at: Option<VirtualTime>,
}

impl Credence {
    /// Look at a turn's outlook: settle what is due, and take note of what is said.
    pub(crate) fn watch(&mut self, outlook: &Outlook, now: VirtualTime) {
        self.learn_yield(outlook.log_yield, now);
        let Some(log_price) = outlook.price.filter(|p| p.is_normal() && *p > 0.0).map(libm::log) else { return };
        for ((pending, slope), hours) in self.pending.iter_mut().zip(&mut self.slopes).zip(SPANS) {
            let span = Elapsed(hours * APART.0);
            while let Some(first) = pending.front().filter(|p| now.since(p.at) >= span) {
                // What found no price in time says nothing.
                if now.since(first.at).0 < 2 * span.0 {
                    slope.settle(first.said, log_price - first.log_price);
                }
                pending.pop_front();
            }
            let Some(said) = of_panel(outlook).filter(|m| m.abs() > 0.0) else { continue };
            let spaced = |last: &SaidReturn| now.since(last.at) >= APART;
            if pending.len() < MOST_PENDING && pending.back().is_none_or(spaced) {
                pending.push_back(SaidReturn { at: now, log_price, said });
            }
        }
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
        let [hour, held] = [0, 1].map(|n| self.slopes[n].proved(SPANS[n]));
        // What is proved for its hour is believed for that one of those that a trade is held, and no further.
        unit(hour.min(1.0).max(held) / HELD as f64)
    }

    /// The outlook as it is acted on.
    pub(crate) fn temper(&self, outlook: Outlook) -> Outlook {
        let (share, panel) = (self.share(), of_panel(&outlook));
        // What an expert adds is weighed by its own record already, and it is for the hour.
        let mean_return =
            outlook.mean_return.zip(panel).map(|(all, panel)| panel * share + (all - panel) / HELD as f64);
        Outlook { mean_return, usual_log_yield: self.usual_yield, ..outlook }
    }
}

/// What the panel alone expects.
fn of_panel(outlook: &Outlook) -> Option<f64> {
    outlook.panel_return.or(outlook.mean_return)
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

    /// A credence that has seen slopes of so much without any noise, over an hour and over what a trade is held.
    fn proved(slopes: [f64; 2]) -> Credence {
        let slopes = slopes.map(|slope| SpanSlope { cross: slope, power: 1.0, spread: slope * slope, outcomes: 100.0 });
        Credence { slopes, ..Credence::default() }
    }

    #[test]
    fn what_is_proved_for_its_hour_is_believed_for_that_one_of_six_and_no_further() {
        for (hour, held, expected) in [
            (1.0, 0.0, 1.0 / 6.0),
            (0.5, 0.0, 0.5 / 6.0),
            (4.0, 0.0, 1.0 / 6.0),
            (4.0, -3.0, 1.0 / 6.0),
            (1.0, 3.0, 0.5),
            (1.0, 6.0, 1.0),
            (0.0, 6.0, 1.0),
            (9.0, 9.0, 1.0),
            (-1.0, -1.0, 0.0),
        ] {
            let share = proved([hour, held]).share();
            assert!((share - expected).abs() < 1e-9, "{hour} for the hour, {held} for six: {share}");
        }
    }

    #[test]
    fn what_experts_add_counts_for_its_hour_and_leaves_the_panels_record_alone() {
        let said = |panel: f64, shift: f64| Outlook {
            mean_return: Some(panel + shift),
            panel_return: Some(panel),
            ..Outlook::default()
        };
        // Whatever the panel has proved, an expert's shift is for one hour of six.
        for (slopes, share) in [([0.0, 0.0], 0.0), ([1.0, 0.0], 1.0 / 6.0), ([1.0, 6.0], 1.0)] {
            let acted_on = proved(slopes).temper(said(0.003, 0.012)).mean_return.expect("there is one");
            assert!((acted_on - (0.003 * share + 0.012 / 6.0)).abs() < 1e-12, "{slopes:?}: {acted_on}");
        }
        // Experts who are wide of the mark beside a panel that is right: the panel is believed as if it were alone.
        let lived = |wide: f64| {
            let (dice, mut credence, mut log_price) = (Dice::open(4, Strand::World), Credence::default(), 7.6);
            for hour in 0..1_000 {
                let mut draws = dice.draws(hour);
                let ((panel, noise), (shift, _)) = (draws.normals(), draws.normals());
                let outlook = Outlook { price: Some(libm::exp(log_price)), ..said(0.004 * panel, wide * shift) };
                credence.watch(&outlook, VirtualTime(0).after(Elapsed::nominal(90 * hour)));
                log_price += 0.004 * panel + 0.004 * noise;
            }
            credence.share()
        };
        let (alone, beside) = (lived(0.0), lived(0.05));
        assert!(alone > 0.12 && (alone - beside).abs() < 1e-12, "{alone} alone, {beside} beside them");
    }
}
