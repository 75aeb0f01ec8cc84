//! What golems die of, by world and budget, under the real clocks.

use super::ClockPlan;
use super::life::{ClockMind, ClockTerms};
use crate::compare::CompareError;
use golem_core::Usdc;
use serde::{Deserialize, Serialize};

/// Deaths of one world and budget.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CauseLine {
    pub world: String,
    #[serde(rename = "budget_micro_usdc")]
    pub budget: Usdc,
    pub lives: usize,
    pub economic: usize,
    pub epistemic: usize,
    pub stochastic: usize,
    /// Still alive on the last day.
    pub alive: usize,
    /// Mean age at death, in days.
    pub age: Option<f64>,
}

/// Live golems to their deaths (or to twice the plan's days), a sixth as many lives as the plan has, but twelve at least.
///
/// # Errors
/// When a world cannot be opened or a market cannot go on.
pub fn causes(
    plan: &ClockPlan,
    worlds: &[String],
    budgets: &[Usdc],
    told: &dyn Fn(&CauseLine),
) -> Result<Vec<CauseLine>, CompareError> {
    let (lives, days) = ((plan.lives / 6).max(12), 2 * plan.days);
    let mut lines = Vec::new();
    for word in worlds {
        let source = plan.source(word, days)?;
        for budget in budgets {
            let paths: Vec<u64> = (0..lives).collect();
            let lived = plan.each(&paths, |path| {
                let (settings, mind) = (plan.settings(), ClockMind::Learning);
                ClockTerms { source: &source, world: word, mind, settings, budget: *budget, path: *path, days }
                    .live(plan)
            })?;
            let of = |name: &str| lived.iter().filter(|l| l.death.as_ref().is_some_and(|d| d.0 == name)).count();
            let ages: Vec<f64> = lived.iter().filter_map(|l| l.death.as_ref().map(|d| d.1)).collect();
            let line = CauseLine {
                world: word.clone(),
                budget: *budget,
                lives: lived.len(),
                economic: of("economic"),
                epistemic: of("epistemic_senescence"),
                stochastic: of("stochastic"),
                alive: lived.len() - ages.len(),
                age: (!ages.is_empty()).then(|| ages.iter().sum::<f64>() / ages.len() as f64),
            };
            told(&line);
            lines.push(line);
        }
    }
    Ok(lines)
}

impl CauseLine {
    /// The head of the table.
    pub const HEAD: &'static str =
        "world                          budget  lives  economic  epistemic  stochastic  alive  mean age  most often";

    /// The clock that killed more than each of the others; none where nobody died, or where two of them killed as many.
    #[must_use]
    pub fn most_often(&self) -> Option<&'static str> {
        let all = [(self.stochastic, "stochastic"), (self.economic, "economic"), (self.epistemic, "epistemic")];
        let most = all.iter().map(|(n, _)| *n).max().filter(|n| *n > 0)?;
        let mut killers = all.into_iter().filter(|(n, _)| *n == most).map(|(_, name)| name);
        killers.next().filter(|_| killers.next().is_none())
    }
    /// One line of the table.
    #[must_use]
    pub fn text(&self) -> String {
        let world = self.world.rsplit('/').next().unwrap_or(&self.world);
        let age = self.age.map_or_else(|| "-".to_owned(), |d| format!("{d:.1}"));
        format!(
            "{world:<26.26} {:>10} {:>6} {:>9} {:>10} {:>11} {:>6} {age:>9}  {}",
            self.budget.to_string(),
            self.lives,
            self.economic,
            self.epistemic,
            self.stochastic,
            self.alive,
            self.most_often().unwrap_or(if self.age.is_some() { "no one of them" } else { "nobody died" })
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_deaths_by_two_clocks_are_none_of_them_most_often() {
        for (economic, epistemic, stochastic, most, told) in [
            (0, 0, 0, None, "nobody died"),
            (9, 3, 3, Some("economic"), "economic"),
            (3, 9, 3, Some("epistemic"), "epistemic"),
            (1, 1, 2, Some("stochastic"), "stochastic"),
            (2, 6, 6, None, "no one of them"),
            (6, 6, 0, None, "no one of them"),
        ] {
            let died = economic + epistemic + stochastic;
            let line = CauseLine {
                world: "flat".to_owned(),
                budget: Usdc::whole(6),
                lives: 30,
                economic,
                epistemic,
                stochastic,
                alive: 30 - died,
                age: (died > 0).then_some(20.0),
            };
            assert_eq!(line.most_often(), most, "{line:?}");
            assert!(line.text().ends_with(told), "{}", line.text());
        }
    }
}
