//! The couplings between the clocks as measured effects, on the same paths with the same dice.

use super::ClockPlan;
use super::life::{ClockLife, ClockMind, ClockTerms};
use crate::compare::{CompareError, WorldSource};
use golem_core::Usdc;
use golem_life::Settings;
use golem_mind::Template;
use serde::{Deserialize, Serialize};

/// One coupling, measured as a mean of paired differences.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CouplingLine {
    pub what: String,
    pub world: String,
    pub pairs: usize,
    pub difference: f64,
    /// Half of its 95 % interval.
    pub half_width: f64,
}

impl CouplingLine {
    fn of(what: String, world: &str, differences: &[f64]) -> Self {
        let n = differences.len().max(1) as f64;
        let mean = differences.iter().sum::<f64>() / n;
        let variance = differences.iter().map(|d| (d - mean) * (d - mean)).sum::<f64>() / (n - 1.0).max(1.0);
        let half_width = 1.96 * libm::sqrt(variance / n);
        Self { what, world: world.to_owned(), pairs: differences.len(), difference: mean, half_width }
    }
    /// One line for people.
    #[must_use]
    pub fn text(&self) -> String {
        let Self { what, world, pairs, difference, half_width } = self;
        let told = if difference.abs() > *half_width { "" } else { "; not told apart from nothing" };
        let world = world.rsplit('/').next().unwrap_or(world);
        format!("{what}: {:+.3} % +- {:.3} over {pairs} pairs in {world}{told}", 100.0 * difference, 100.0 * half_width)
    }
}

/// Measure them in the plan's worlds, on a third as many paths as the plan has lives.
///
/// # Errors
/// When a world cannot be opened or a market cannot go on.
pub fn couplings(plan: &ClockPlan, told: &dyn Fn(&CouplingLine)) -> Result<Vec<CouplingLine>, CompareError> {
    let mut lines = Vec::new();
    for word in &plan.worlds {
        let source = plan.source(word, plan.days)?;
        let lived = |settings: &Settings, budget: Usdc| lives(plan, &source, word, settings, budget);
        let mut tell = |what: String, differences: Vec<f64>| {
            let line = CouplingLine::of(what, word, &differences);
            told(&line);
            lines.push(line);
        };
        for template in Template::ALL {
            let mut right = plan.settings();
            right.policy.template = template;
            let mut wrong = right.clone();
            wrong.mind.turn_round_at_tick = 1;
            let (right, wrong) = (lived(&right, plan.budget)?, lived(&wrong, plan.budget)?);
            let what = format!("1. worth with forecasts turned round, {}", template.name());
            tell(what, paired(&right, &wrong, |l| Some(l.worth)));
            if template == Template::LpManagement {
                let survival = |l: &ClockLife| Some(libm::exp(-l.hazard));
                tell(
                    "3. chance of living to the last day with forecasts turned round".into(),
                    paired(&right, &wrong, survival),
                );
            }
        }
        // A golem that can pay for a fortnight is in Conservation and below for most of its life.
        let (mut poor, mut rich) = (plan.settings(), plan.settings());
        (poor.mind.trading, rich.mind.trading) = (false, false);
        let (poor, rich) = (lived(&poor, Usdc::whole(3))?, lived(&rich, plan.budget)?);
        for domain in ["volatility_regime", "gas_condition"] {
            let skill = |l: &ClockLife| l.skill.iter().find(|(name, _)| name == domain).and_then(|(_, skill)| *skill);
            tell(format!("2. life-long skill in {domain} in poverty"), paired(&rich, &poor, skill));
        }
    }
    Ok(lines)
}

fn lives(
    plan: &ClockPlan,
    source: &WorldSource,
    world: &str,
    settings: &Settings,
    budget: Usdc,
) -> Result<Vec<ClockLife>, CompareError> {
    let paths: Vec<u64> = (0..plan.lives.div_ceil(3)).collect();
    plan.each(&paths, |path| {
        let (mind, settings, days) = (ClockMind::Learning, settings.clone(), plan.days);
        ClockTerms { source, world, mind, settings, budget, path: *path, days }.live_recorded(plan)
    })
}

/// What the second has more than the first, path by path.
fn paired(first: &[ClockLife], second: &[ClockLife], of: impl Fn(&ClockLife) -> Option<f64>) -> Vec<f64> {
    first.iter().zip(second).filter_map(|(a, b)| Some(of(b)? - of(a)?)).collect()
}
