//! The clock's table: what it says of each kind of mind, world by world, beside what is asked of it.

use super::life::{ClockLife, ClockMind, ClockTerms};
use super::{CauseLine, ClockPlan, CouplingLine, DAY_OF_CHANGE};
use crate::compare::CompareError;
use serde::{Deserialize, Serialize};

/// What is asked: the most learners that may be called senescent, the most changes of phase in five days, the days within
/// which a mind that turned round is found, and the least share of frozen minds that must be.
const MOST_FALSE: f64 = 0.02;
const MOST_CHANGES: f64 = 1.0;
const FOUND_WITHIN: f64 = 2.0;
const LEAST_FROZEN: f64 = 0.70;

/// Whoever could learn nothing for so much of the clock's memory is no learner to be falsely accused.
const UNLEARNING: f64 = 0.2;

/// What the clock said of one kind of mind in one world.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MindLine {
    pub world: String,
    pub mind: ClockMind,
    pub lives: usize,
    /// How many were called senescent (for a mind that changed: after the change).
    pub senescent: usize,
    /// How many of those had been in a phase in which nothing new is learnt.
    pub unlearning: usize,
    /// Mean days from the change until then, of those.
    pub days_until: Option<f64>,
    /// Changes of phase in five days, on average.
    pub changes_in_5_days: f64,
    /// Means at the end.
    pub fitness: f64,
    pub lead: f64,
    /// What is asked, and whether it holds.
    pub asked: String,
    pub holds: Option<bool>,
}

/// Everything that was found.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ClockReport {
    pub minds: Vec<MindLine>,
    pub causes: Vec<CauseLine>,
    pub couplings: Vec<CouplingLine>,
}

/// Live all minds in all worlds of a plan. `told` hears of each line.
///
/// # Errors
/// When a world cannot be opened or a market cannot go on.
pub fn minds(plan: &ClockPlan, told: &dyn Fn(&MindLine)) -> Result<(Vec<MindLine>, Vec<ClockLife>), CompareError> {
    use ClockMind::{Frozen, Learning, NeverLearnt, TurnedRound};
    let (mut lines, mut all) = (Vec::new(), Vec::new());
    for word in &plan.worlds {
        let source = plan.source(word, plan.days)?;
        for mind in [Learning, Frozen, TurnedRound, NeverLearnt] {
            let lives = if mind == Learning { plan.lives } else { plan.lives.div_ceil(3) };
            // A mind that turned round is found within days or not at all.
            let days = if mind == TurnedRound { plan.days.min(DAY_OF_CHANGE + 10) } else { plan.days };
            let paths: Vec<u64> = (0..lives).collect();
            let lived = plan.each(&paths, |path| {
                let (settings, budget) = (plan.settings(), plan.budget);
                ClockTerms { source: &source, world: word, mind, settings, budget, path: *path, days }
                    .live_recorded(plan)
            })?;
            let line = MindLine::of(word, mind, &lived);
            told(&line);
            lines.push(line);
            all.extend(lived);
        }
    }
    Ok((lines, all))
}

impl MindLine {
    /// From the lives of one mind in one world.
    #[must_use]
    pub fn of(world: &str, mind: ClockMind, lives: &[ClockLife]) -> Self {
        let n = lives.len().max(1) as f64;
        let mean = |x: &dyn Fn(&ClockLife) -> f64| lives.iter().map(x).sum::<f64>() / n;
        let on = |l: &ClockLife| match mind {
            ClockMind::Learning | ClockMind::NeverLearnt => l.senescent_on,
            ClockMind::Frozen | ClockMind::TurnedRound => {
                l.senescent_after_change.map(|day| day - DAY_OF_CHANGE as f64)
            }
        };
        let days: Vec<f64> = lives.iter().filter_map(on).collect();
        let until = (!days.is_empty()).then(|| days.iter().sum::<f64>() / days.len() as f64);
        let changes = mean(&|l| 5.0 * l.phase_changes as f64 / l.days.max(1.0));
        let share = days.len() as f64 / n;
        let soon = days.iter().filter(|d| **d <= FOUND_WITHIN).count() as f64 / n;
        let (asked, holds) = match mind {
            ClockMind::Learning => (
                format!(
                    "senescent below {:.0} %, fewer than {MOST_CHANGES} change of phase in 5 days",
                    100.0 * MOST_FALSE
                ),
                Some(share < MOST_FALSE && changes < MOST_CHANGES),
            ),
            ClockMind::Frozen => {
                (format!("found in {:.0} % at least", 100.0 * LEAST_FROZEN), Some(share >= LEAST_FROZEN))
            }
            ClockMind::TurnedRound => (
                format!("found within {FOUND_WITHIN} days on average; {:.0} % were", 100.0 * soon),
                Some(share >= 0.95 && until.is_some_and(|d| d <= FOUND_WITHIN)),
            ),
            ClockMind::NeverLearnt => ("for comparison".to_owned(), None),
        };
        Self {
            world: world.to_owned(),
            mind,
            lives: lives.len(),
            senescent: days.len(),
            unlearning: lives.iter().filter(|l| l.unlearning_before.is_some_and(|part| part > UNLEARNING)).count(),
            days_until: until,
            changes_in_5_days: changes,
            fitness: mean(&|l| l.fitness),
            lead: mean(&|l| l.lead),
            asked,
            holds,
        }
    }

    /// One line of the table.
    #[must_use]
    pub fn text(&self) -> String {
        let until = self.days_until.map_or_else(|| "-".to_owned(), |d| format!("{d:.1}"));
        let world = self.world.rsplit('/').next().unwrap_or(&self.world);
        let mind = format!("{:?}", self.mind);
        let verdict = self.holds.map_or("", |holds| if holds { "holds: " } else { "does not hold: " });
        let unlearning = match self.unlearning {
            0 => String::new(),
            n => format!("; {n} of them after a phase in which nothing is learnt"),
        };
        format!(
            "{world:<26.26} {mind:<12} {:>5} {:>9} {:>7.1} % {until:>6} {:>8.2} {:>8.3} {:>+7.3}  {verdict}{}{unlearning}",
            self.lives,
            self.senescent,
            100.0 * self.senescent as f64 / self.lives.max(1) as f64,
            self.changes_in_5_days,
            self.fitness,
            self.lead,
            self.asked
        )
    }
}

impl ClockReport {
    /// The head of the first table.
    pub const HEAD: &'static str =
        "world                      mind         lives senescent   share   days  changes  fitness    lead  asked";

    /// The whole of it for people.
    #[must_use]
    pub fn text(&self) -> String {
        let mut lines = vec![Self::HEAD.to_owned()];
        lines.extend(self.minds.iter().map(MindLine::text));
        if !self.causes.is_empty() {
            lines.extend([String::new(), CauseLine::HEAD.to_owned()]);
            lines.extend(self.causes.iter().map(CauseLine::text));
        }
        if !self.couplings.is_empty() {
            lines.push(String::new());
            lines.extend(self.couplings.iter().map(CouplingLine::text));
        }
        lines.join("\n")
    }
}
