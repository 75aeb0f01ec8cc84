//! Micro-death: what the ends of a golem's short-lived children say about it. A child carries one hypothesis and dies with a
//! verdict; how often they fail, and in how many ways, is a sign of health, and failing always in the same way is felt by
//! fitness.

use crate::phase::BehavioralPhase;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// Verdicts that are looked at together: a week of them while Thriving.
pub const WINDOW: usize = 20;
/// With fewer nothing is said.
const LEAST: usize = 8;
/// So many failures in a row, with nothing between them, are an early warning.
const IN_A_ROW: usize = 6;
/// From this share of failures on the death rate is high.
const HIGH_RATE: f64 = 0.5;
/// From this diversity on failures are diverse.
const DIVERSE: f64 = 0.4;
/// What uniform failure can cost in fitness: as much as pruning can.
pub const MOST_FELT: f64 = 0.05;
/// How often a verdict on a true hypothesis, and on a false one, is right.
const RIGHT: f64 = 0.9;
/// No belief is surer than this before it is surprised.
const SUREST: f64 = 0.99;

/// In which way a child did worse than its parent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FailureMode {
    /// The chain would not have it.
    Refused,
    /// What it gained went for gas.
    Costs,
    /// It fell deeper on the way.
    Drawdown,
    /// The price went against it.
    Price,
    /// It earned less.
    Yield,
}

impl FailureMode {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Refused, Self::Costs, Self::Drawdown, Self::Price, Self::Yield];

    /// In words.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::Refused => "the chain refused it",
            Self::Costs => "it went for gas",
            Self::Drawdown => "it fell deeper",
            Self::Price => "the price went against it",
            Self::Yield => "it earned less",
        }
    }
}

/// What came of a child that could be judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MicroVerdict {
    /// It did better than its parent: what it was born to try is confirmed.
    Survived,
    /// No difference that counts: nothing was tried that mattered.
    Indifferent,
    /// It did worse.
    Failed(FailureMode),
}

/// What the ends of children say.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PhageHealth {
    /// Too few have died.
    #[default]
    Unknown,
    /// Many fail, each in its own way: bad mutations are tested and rejected.
    Healthy,
    /// Many fail, and in the same way: what the golem takes for true is not.
    Systemic,
    /// Few fail, and each in its own way: it does not test hard enough.
    Complacent,
    /// Few fail, and in one way if at all: what it tries is trivial.
    Stagnant,
}

impl PhageHealth {
    /// The word in facts and on screens.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Unknown => "unknown",
            Self::Healthy => "healthy",
            Self::Systemic => "systemic",
            Self::Complacent => "complacent",
            Self::Stagnant => "stagnant",
        }
    }
}

/// The signals of health, with what they were read from.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct PhageSignals {
    pub health: PhageHealth,
    /// Verdicts that were looked at.
    pub judged: u32,
    /// The share of them that failed.
    pub death_rate: f64,
    /// Entropy of how they failed, 1 when all ways are as common.
    pub failure_diversity: f64,
    /// The latest have all failed: what the golem knows may be stale.
    pub early_warning: bool,
    /// What this costs in fitness.
    pub felt: f64,
}

/// The latest verdicts.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct MicroDeaths(VecDeque<MicroVerdict>);

impl MicroDeaths {
    /// One more was judged.
    pub fn note(&mut self, verdict: MicroVerdict) {
        if self.0.len() >= WINDOW {
            self.0.pop_front();
        }
        self.0.push_back(verdict);
    }

    /// What the latest say together.
    #[must_use]
    pub fn signals(&self) -> PhageSignals {
        let judged = self.0.len();
        let counts = FailureMode::ALL
            .map(|mode| self.0.iter().filter(|verdict| **verdict == MicroVerdict::Failed(mode)).count() as f64);
        let failed: f64 = counts.iter().sum();
        let death_rate = if judged == 0 { 0.0 } else { failed / judged as f64 };
        let failure_diversity = diversity(&counts);
        let health = match (judged >= LEAST, death_rate >= HIGH_RATE, failure_diversity >= DIVERSE) {
            (false, ..) => PhageHealth::Unknown,
            (true, true, true) => PhageHealth::Healthy,
            (true, true, false) => PhageHealth::Systemic,
            (true, false, true) => PhageHealth::Complacent,
            (true, false, false) => PhageHealth::Stagnant,
        };
        let latest = self.0.iter().rev().take(IN_A_ROW);
        let early_warning = judged >= IN_A_ROW && latest.clone().all(|v| matches!(v, MicroVerdict::Failed(_)));
        let felt =
            if health == PhageHealth::Systemic { MOST_FELT * death_rate * (1.0 - failure_diversity) } else { 0.0 };
        PhageSignals {
            health,
            judged: u32::try_from(judged).unwrap_or(u32::MAX),
            death_rate,
            failure_diversity,
            early_warning,
            felt: felt.clamp(0.0, MOST_FELT),
        }
    }
}

/// Entropy of counts over that of all ways being as common. By all ways there are, not by those that were seen: two ways are
/// not as diverse as five.
fn diversity(counts: &[f64]) -> f64 {
    let sum: f64 = counts.iter().sum();
    let most = libm::log(counts.len() as f64);
    if sum <= 0.0 || most <= 0.0 {
        return 0.0;
    }
    let part = |n: &f64| if *n > 0.0 { -(n / sum) * libm::log(n / sum) } else { 0.0 };
    (counts.iter().map(part).sum::<f64>() / most).clamp(0.0, 1.0)
}

/// How many children a day: the phase's number, from a table by [`BehavioralPhase`] from worst to best. Whoever is warned of
/// senescence tests itself as much as the table has, and one who tests too little tests once more; where the phase allows none
/// there are none.
#[must_use]
pub fn children_a_day(table: [u32; 5], phase: BehavioralPhase, health: PhageHealth, is_warned: bool) -> u32 {
    let (own, most) = (table[phase as usize], table.into_iter().max().unwrap_or(0));
    match (own, health) {
        (0, _) => 0,
        _ if is_warned => most,
        (own, PhageHealth::Complacent) => own.saturating_add(1).min(most),
        (own, _) => own,
    }
}

/// What is believed of a hypothesis after a verdict that is right nine times in ten.
#[must_use]
pub fn posterior(prior: f64, is_confirmed: bool) -> f64 {
    let prior = sane(prior);
    let (if_true, if_false) = if is_confirmed { (RIGHT, 1.0 - RIGHT) } else { (1.0 - RIGHT, RIGHT) };
    prior * if_true / (prior * if_true + (1.0 - prior) * if_false)
}

/// How far a verdict has moved a belief: the divergence of what is believed now from what was believed before, in nats.
#[must_use]
pub fn micro_surprise(posterior: f64, prior: f64) -> f64 {
    let (p, q) = (sane(posterior), sane(prior));
    let part = |p: f64, q: f64| p * libm::log(p / q);
    (part(p, q) + part(1.0 - p, 1.0 - q)).max(0.0)
}

fn sane(belief: f64) -> f64 {
    if belief.is_nan() { 0.5 } else { belief.clamp(1.0 - SUREST, SUREST) }
}

#[cfg(test)]
mod tests {
    use super::FailureMode::*;
    use super::MicroVerdict::*;
    use super::*;
    use proptest::prelude::*;

    fn seen(verdicts: &[MicroVerdict]) -> PhageSignals {
        let mut deaths = MicroDeaths::default();
        verdicts.iter().for_each(|v| deaths.note(*v));
        deaths.signals()
    }

    fn mixed(parts: &[(usize, MicroVerdict)]) -> Vec<MicroVerdict> {
        parts.iter().flat_map(|(n, v)| std::iter::repeat_n(*v, *n)).collect()
    }

    #[test]
    fn rate_and_diversity_of_failures_are_read_as_the_seed_says() {
        for (parts, health) in [
            (vec![(7, Failed(Price))], PhageHealth::Unknown),
            (vec![(12, Failed(Price))], PhageHealth::Systemic),
            (vec![(9, Failed(Price)), (1, Failed(Yield)), (2, Survived)], PhageHealth::Systemic),
            (vec![(4, Failed(Price)), (4, Failed(Yield)), (4, Survived)], PhageHealth::Healthy),
            (vec![(2, Failed(Price)), (2, Failed(Yield)), (2, Failed(Costs)), (2, Survived)], PhageHealth::Healthy),
            (vec![(2, Failed(Price)), (2, Failed(Drawdown)), (8, Survived)], PhageHealth::Complacent),
            (vec![(12, Survived)], PhageHealth::Stagnant),
            (vec![(12, Indifferent)], PhageHealth::Stagnant),
            (vec![(3, Failed(Price)), (9, Indifferent)], PhageHealth::Stagnant),
        ] {
            let signals = seen(&mixed(&parts));
            assert_eq!(signals.health, health, "{parts:?}: {signals:?}");
            assert_eq!(signals.felt > 0.0, health == PhageHealth::Systemic, "{parts:?}: {signals:?}");
        }
    }

    #[test]
    fn failing_again_and_again_warns_early_and_one_success_ends_it() {
        let mut all = mixed(&[(3, Survived), (6, Failed(Yield))]);
        assert!(seen(&all).early_warning);
        all.push(Indifferent);
        assert!(!seen(&all).early_warning);
        assert!(!seen(&mixed(&[(5, Failed(Yield))])).early_warning);
    }

    #[test]
    fn only_the_latest_count() {
        let mut all = mixed(&[(30, Failed(Price))]);
        all.extend(mixed(&[(WINDOW, Survived)]));
        let signals = seen(&all);
        assert_eq!((signals.health, signals.judged), (PhageHealth::Stagnant, WINDOW as u32));
        assert!(signals.death_rate.abs() < 1e-12);
    }

    #[test]
    fn phase_health_and_a_warning_say_how_many_are_born() {
        use BehavioralPhase::*;
        let table = BehavioralPhase::ALL.map(|phase| phase.behaviour().phages_per_day);
        let calm = |phase| children_a_day(table, phase, PhageHealth::Healthy, false);
        assert_eq!([Thriving, Stable, Conservation, Declining, Terminal].map(calm), [3, 2, 1, 0, 0]);
        for (phase, health, warned, want) in [
            (Stable, PhageHealth::Complacent, false, 3),
            (Thriving, PhageHealth::Complacent, false, 3),
            (Conservation, PhageHealth::Complacent, false, 2),
            (Stable, PhageHealth::Stagnant, false, 2),
            (Conservation, PhageHealth::Unknown, true, 3),
            (Declining, PhageHealth::Complacent, true, 0),
            (Terminal, PhageHealth::Systemic, true, 0),
        ] {
            assert_eq!(children_a_day(table, phase, health, warned), want, "{phase} {health:?} {warned}");
        }
    }

    #[test]
    fn beliefs_move_by_nine_to_one() {
        for (prior, confirmed, want) in
            [(0.5, true, 0.9), (0.5, false, 0.1), (0.9, true, 81.0 / 82.0), (0.9, false, 0.5), (f64::NAN, true, 0.9)]
        {
            assert!((posterior(prior, confirmed) - want).abs() < 1e-12, "{prior} {confirmed}");
        }
        assert!(micro_surprise(0.5, 0.5).abs() < 1e-12);
        let (small, large) = (micro_surprise(posterior(0.8, true), 0.8), micro_surprise(posterior(0.8, false), 0.8));
        assert!(large > small && small > 0.0, "what was not expected surprises more: {large} {small}");
        assert!(micro_surprise(1.0, 0.0).is_finite());
    }

    proptest! {
        #[test]
        fn no_run_of_verdicts_is_felt_beyond_its_bound(all in prop::collection::vec(0usize..7, 0..60)) {
            let verdict = |n: &usize| match n { 0 => Survived, 1 => Indifferent, n => Failed(FailureMode::ALL[n - 2]) };
            let signals = seen(&all.iter().map(verdict).collect::<Vec<_>>());
            prop_assert!((0.0..=MOST_FELT).contains(&signals.felt));
            prop_assert!((0.0..=1.0).contains(&signals.death_rate) && (0.0..=1.0).contains(&signals.failure_diversity));
            prop_assert!(signals.felt <= 0.0 || signals.health == PhageHealth::Systemic);
        }
    }
}
