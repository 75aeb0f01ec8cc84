//! Whom to believe: the members of a panel, each shrunk by its own record and weighted by its recent loss.
//!
//! Weights are discounted exponential weights (Vovk 1990; Littlestone and Warmuth 1994) over the members and the naive
//! rule, which is a member like the others and is never outvoted for ever: losses fade, so a panel whose best member
//! loses its touch is back at the naive rule within its memory.

use super::blend::{Blend, Prior};
use crate::math::clip;
use serde::{Deserialize, Serialize};

/// Models in a panel besides the naive rule.
pub const MEMBERS: usize = 3;
/// Deviations count at most this many scales, and losses at most [`WORST`] usual ones: one absurd outcome must not decide
/// whom to believe.
const BOUND: f64 = 4.0;
const WORST: f64 = 9.0;
/// How sharply weights follow losses: one half is what a Gaussian likelihood would say of independent errors.
const SHARPNESS: f64 = 0.5;
/// An advantage of more usual losses than this is not told apart: what was gained once must be possible to lose.
const MOST_LEAD: f64 = 16.0;

/// What is believed before there is evidence, and for how long evidence counts.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Belief {
    /// The share of each member in its own forecast.
    pub prior: [Prior; MEMBERS],
    /// The weight of each member; what is left to 1 is the naive rule's.
    pub weights: [f64; MEMBERS],
    /// Memory of the shares, in independent observations.
    pub trust_memory: f64,
    /// Memory of the losses.
    pub loss_memory: f64,
}

/// Discounted losses of the members beyond that of the naive rule, in its usual losses.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub(crate) struct Losses {
    excess: [f64; MEMBERS],
    /// What the naive rule usually loses, and how many observations are behind that.
    usual: f64,
    seen: f64,
}

impl Losses {
    /// The weights of the members.
    pub(crate) fn weights(&self, belief: &Belief) -> [f64; MEMBERS] {
        let naive = 1.0 - belief.weights.iter().sum::<f64>();
        let votes: [f64; MEMBERS] =
            std::array::from_fn(|i| belief.weights[i] * libm::exp(-SHARPNESS * clip(self.excess[i], MOST_LEAD)));
        let all = naive.max(0.0) + votes.iter().sum::<f64>();
        votes.map(|vote| if all > 0.0 { vote / all } else { 0.0 })
    }
    /// Take in what each member and the naive rule lost, with a weight in independent observations. `least` is a usual
    /// loss below which nothing is told apart.
    pub(crate) fn take(&mut self, lost: &[f64; MEMBERS], naive: f64, least: f64, weight: f64, memory: f64) {
        if weight <= 0.0 {
            return;
        }
        let bounded = if self.seen > 1.0 { naive.min(25.0 * self.usual + least) } else { naive };
        self.seen = (self.seen + weight).min(memory);
        self.usual += (weight / self.seen).min(1.0) * (bounded.min(1e12) - self.usual);
        let unit = self.usual.max(least);
        let keep = (1.0 - weight / memory).max(0.0);
        for (excess, lost) in self.excess.iter_mut().zip(lost) {
            let more = (lost / unit).min(WORST) - (naive / unit).min(WORST);
            *excess = clip(keep * *excess + weight * more, MOST_LEAD);
        }
    }
}

/// A panel of forecasters of one number.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub(crate) struct Panel {
    trust: [Blend; MEMBERS],
    losses: Losses,
}

impl Panel {
    /// What the members say after their own record is held against them, and what the panel makes of it. Everything is a
    /// deviation from the naive rule, in scales.
    pub(crate) fn speak(&self, raw: &[f64; MEMBERS], belief: &Belief) -> ([f64; MEMBERS], f64) {
        let shares = self.shares(belief);
        let said: [f64; MEMBERS] = std::array::from_fn(|i| shares[i] * raw[i]);
        let weights = self.losses.weights(belief);
        (said, said.iter().zip(weights).map(|(s, w)| s * w).sum())
    }
    /// Learn from one outcome: what the members said at first and after shrinking, and what happened.
    pub(crate) fn learn(
        &mut self,
        raw: &[f64; MEMBERS],
        said: &[f64; MEMBERS],
        happened: f64,
        weight: f64,
        belief: &Belief,
    ) {
        let keep = (1.0 - weight / belief.trust_memory).max(0.0);
        for (trust, raw) in self.trust.iter_mut().zip(raw) {
            trust.learn(*raw, happened, weight, keep);
        }
        let lost = said.map(|s| square(s - happened));
        self.losses.take(&lost, square(happened), 1e-9, weight, belief.loss_memory);
    }
    /// The share of each member in its own forecast.
    pub(crate) fn shares(&self, belief: &Belief) -> [f64; MEMBERS] {
        std::array::from_fn(|i| self.trust[i].share(&belief.prior[i]))
    }
    /// The weight of each member in the panel's forecast.
    pub(crate) fn weights(&self, belief: &Belief) -> [f64; MEMBERS] {
        self.losses.weights(belief)
    }
}

fn square(x: f64) -> f64 {
    let x = clip(x, BOUND * BOUND);
    x * x
}

#[cfg(test)]
mod tests {
    use super::*;
    use golem_core::{Dice, Strand};

    const PRIOR: Prior = Prior { share: 0.5, weight: 1.0, least: 0.0 };
    const BELIEF: Belief =
        Belief { prior: [PRIOR; MEMBERS], weights: [0.25; MEMBERS], trust_memory: 60.0, loss_memory: 60.0 };

    /// A panel that has heard three members about a number, and its weights.
    fn after(n: u64, members: impl Fn(f64, f64) -> [f64; MEMBERS]) -> (Panel, [f64; MEMBERS]) {
        let (dice, mut panel) = (Dice::open(3, Strand::World), Panel::default());
        for t in 0..n {
            let (signal, noise) = dice.draws(t).normals();
            let raw = members(signal, noise);
            let (said, _) = panel.speak(&raw, &BELIEF);
            panel.learn(&raw, &said, signal + 0.5 * noise, 1.0, &BELIEF);
        }
        (panel, panel.weights(&BELIEF))
    }

    #[test]
    fn the_member_that_knows_is_heard_and_noise_is_not() {
        let (panel, weights) = after(300, |signal, _| [signal, -signal, 1.0]);
        assert!(weights[0] > 0.6 && weights[1] < 0.05, "{weights:?}");
        let (_, all) = panel.speak(&[1.0, -1.0, 0.0], &BELIEF);
        assert!(all > 0.5, "{all}");
        let (_, weights) = after(300, |_, _| [0.0; MEMBERS]);
        assert!(weights.iter().all(|w| (w - 0.25).abs() < 1e-9), "what says the same weighs the same: {weights:?}");
    }

    #[test]
    fn a_member_that_loses_its_touch_is_dropped_and_another_is_taken_up() {
        let (dice, mut panel) = (Dice::open(5, Strand::World), Panel::default());
        let mut heard = Vec::new();
        for t in 0..800 {
            let (x, noise) = dice.draws(t).normals();
            let raw = [x, -x, 0.1 * noise];
            let (said, _) = panel.speak(&raw, &BELIEF);
            let rule = if t < 400 { x } else { -x };
            panel.learn(&raw, &said, rule + 0.3 * noise, 1.0, &BELIEF);
            heard.push(panel.weights(&BELIEF));
        }
        assert!(heard[399][0] > 0.8 && heard[399][1] < 0.1, "{:?}", heard[399]);
        assert!(heard[440][0] < 0.2, "within forty of the reversal: {:?}", heard[440]);
        assert!(heard[799][1] > 0.8, "{:?}", heard[799]);
    }

    #[test]
    fn weights_are_shares_whatever_was_lost() {
        let mut losses = Losses::default();
        for lost in [0.0, 1e300, f64::INFINITY, f64::NAN, 1.0] {
            losses.take(&[lost, 0.0, 1.0], lost, 1e-9, 1.0, 10.0);
            let weights = losses.weights(&BELIEF);
            assert!(weights.iter().all(|w| (0.0..=1.0).contains(w)) && weights.iter().sum::<f64>() <= 1.0, "{lost}");
        }
    }
}
