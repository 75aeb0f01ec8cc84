//! What is asked of heirs, and whether it is so: a rule of its own beside the lines, fixed before anybody is judged.
//!
//! Less loss in the first ten days, with its interval on one side of 0, in at least four of the six worlds with something to
//! know; and in `flat`, where there is nothing, a worth whose interval lies above -0.3 %.

use crate::heir_pairs::{LOSS, WORTH};
use crate::stats::ComparisonLine;
use serde::Serialize;
use std::fmt;

/// Worlds with something to know.
pub const KNOWING_WORLDS: [&str; 6] = ["gas-hours", "fee-bursts", "vol-fees", "reversal", "turning", "contagion"];
/// The world without.
pub const UNKNOWING_WORLD: &str = "flat";
/// In so many of the six an heir must lose less.
pub const LEAST_WORLDS: usize = 4;
/// What inheritance may cost where there is nothing to inherit.
pub const MOST_COST: f64 = 0.003;

/// The rule, with what was found.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct HeirRule {
    /// Worlds in which heirs lose less, of those that were lived.
    pub less_loss_in: Vec<String>,
    /// Which of the six were lived.
    pub of: Vec<String>,
    /// The lower end of the interval of worth in `flat`; none where it was not lived, or too few pairs were.
    pub flat_worth_low: Option<f64>,
    pub verdict: HeirRuleVerdict,
}

/// Whether what is asked is so.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum HeirRuleVerdict {
    Holds,
    DoesNotHold,
    /// Some of its worlds were not lived, and they could decide.
    NotMeasured,
}

impl HeirRule {
    /// Of these lines: heirs less newborns.
    #[must_use]
    pub fn of(lines: &[ComparisonLine]) -> Self {
        let line = |world: &str, outcome: &str| {
            lines.iter().find(|line| line.world == world && line.outcome.to_string() == outcome)
        };
        let lived = |world: &&str| line(world, LOSS).is_some();
        let of: Vec<&str> = KNOWING_WORLDS.into_iter().filter(lived).collect();
        let less = |world: &&str| line(world, LOSS).is_some_and(|line| line.high < 0.0);
        let less_loss_in: Vec<&str> = of.iter().copied().filter(less).collect();
        let flat_worth_low = line(UNKNOWING_WORLD, WORTH).map(|line| line.low).filter(|low| low.is_finite());
        let (found, missing) = (less_loss_in.len(), KNOWING_WORLDS.len() - of.len());
        let loss = match () {
            () if found >= LEAST_WORLDS => HeirRuleVerdict::Holds,
            () if found + missing < LEAST_WORLDS => HeirRuleVerdict::DoesNotHold,
            () => HeirRuleVerdict::NotMeasured,
        };
        let worth = match (line(UNKNOWING_WORLD, WORTH), flat_worth_low) {
            (None, _) => HeirRuleVerdict::NotMeasured,
            (Some(_), Some(low)) if low > -MOST_COST => HeirRuleVerdict::Holds,
            // An interval without an end shows nothing.
            (Some(_), _) => HeirRuleVerdict::DoesNotHold,
        };
        let verdict = match (loss, worth) {
            (HeirRuleVerdict::DoesNotHold, _) | (_, HeirRuleVerdict::DoesNotHold) => HeirRuleVerdict::DoesNotHold,
            (HeirRuleVerdict::NotMeasured, _) | (_, HeirRuleVerdict::NotMeasured) => HeirRuleVerdict::NotMeasured,
            (HeirRuleVerdict::Holds, HeirRuleVerdict::Holds) => HeirRuleVerdict::Holds,
        };
        let owned = |worlds: Vec<&str>| worlds.into_iter().map(str::to_owned).collect();
        Self { less_loss_in: owned(less_loss_in), of: owned(of), flat_worth_low, verdict }
    }
}

impl fmt::Display for HeirRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let asked = "Asked: less loss in the first ten days, interval above 0, in at least four of six worlds; worth above \
                     -0.3 % in flat.";
        let worth = match self.flat_worth_low {
            Some(low) => format!("the interval of worth in {UNKNOWING_WORLD} begins at {:+.3} %", low * 100.0),
            None => format!("worth in {UNKNOWING_WORLD} has no interval"),
        };
        let verdict = match self.verdict {
            HeirRuleVerdict::Holds => "it holds",
            HeirRuleVerdict::DoesNotHold => "it does not hold",
            HeirRuleVerdict::NotMeasured => "it was not measured",
        };
        write!(
            f,
            "{asked} Found: less loss in {} of {} worlds ({}); {worth}: {verdict}.",
            self.less_loss_in.len(),
            self.of.len(),
            if self.less_loss_in.is_empty() { "none".to_owned() } else { self.less_loss_in.join(", ") },
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::Preferred;
    use crate::stats::LineVerdict;

    fn line(world: &str, outcome: &'static str, low: f64, high: f64) -> ComparisonLine {
        ComparisonLine {
            world: world.to_owned(),
            template: String::new(),
            arm: "heir".to_owned(),
            outcome: outcome.into(),
            preferred: Preferred::Less,
            margin: 0.01,
            mean_against: 0.0,
            mean: f64::midpoint(low, high),
            low,
            high,
            pairs: 200,
            units: 200,
            unpaired: 0,
            deviation: 0.0,
            critical: 2.0,
            is_identical: false,
            verdict: LineVerdict::CannotTell { needed: None },
            differences: Vec::new(),
        }
    }

    /// Heirs lose less in the first so many of so many worlds; what `flat` says of worth.
    fn rule(less: usize, of: usize, flat: Option<[f64; 2]>) -> HeirRule {
        let ends = |n: usize| if n < less { (-0.2, -0.001) } else { (-0.2, 0.0) };
        let lived =
            KNOWING_WORLDS.iter().take(of).enumerate().map(|(n, world)| line(world, LOSS, ends(n).0, ends(n).1));
        let worth = flat.map(|[low, high]| line(UNKNOWING_WORLD, WORTH, low, high));
        // A loss in flat counts for nothing, and neither does a world that nobody asked about.
        let beside = [line(UNKNOWING_WORLD, LOSS, -0.2, -0.1), line("default", LOSS, -0.2, -0.1)];
        HeirRule::of(&lived.chain(worth).chain(beside).collect::<Vec<_>>())
    }

    #[test]
    fn the_rule_is_a_table() {
        use HeirRuleVerdict::{DoesNotHold, Holds, NotMeasured};
        let (fine, dear, open) = (Some([-0.002, 0.1]), Some([-0.003, 0.1]), Some([f64::NEG_INFINITY, 0.1]));
        for (less, of, flat, expected) in [
            (4, 6, fine, Holds),
            (6, 6, fine, Holds),
            (3, 6, fine, DoesNotHold),
            (0, 6, fine, DoesNotHold),
            (4, 6, dear, DoesNotHold),
            (4, 6, open, DoesNotHold),
            (4, 6, None, NotMeasured),
            (3, 6, None, DoesNotHold),
            (4, 4, fine, Holds),
            (3, 5, fine, NotMeasured),
            (1, 4, fine, DoesNotHold),
            (0, 0, None, NotMeasured),
        ] {
            assert_eq!(rule(less, of, flat).verdict, expected, "{less} of {of}, {flat:?}");
        }
    }

    #[test]
    fn it_says_what_was_asked_and_what_was_found() {
        let said = rule(3, 6, Some([-0.0012, 0.1])).to_string();
        assert!(said.contains("in at least four of six worlds") && said.contains("3 of 6 worlds"), "{said}");
        assert!(said.contains("(gas-hours, fee-bursts, vol-fees)") && said.contains("-0.120 %"), "{said}");
        assert!(said.ends_with("it does not hold."), "{said}");
    }
}
