//! The plan: which goals a template sets in which phase, without any model.

use super::goal::{Aim, GoalClass};
use crate::policy::Template;
use golem_core::Elapsed;
use golem_core::observed::{Expression, Field, Snapshot};
use golem_mortality::BehavioralPhase::{self, Conservation, Declining, Stable, Thriving};

const DAY: u64 = 2_160;

/// A goal that can be set.
pub(super) struct Wish {
    pub(super) name: &'static str,
    pub(super) class: GoalClass,
    pub(super) aim: Aim,
    pub(super) span: Elapsed,
    phases: &'static [BehavioralPhase],
    templates: &'static [Template],
    /// The success expression as things stand; none when it is not wanted or not known.
    text: fn(&Snapshot) -> Option<String>,
}

/// What it sets itself when it reaches nothing else.
const NEAR: &str = "take a small step";
/// With this share of wealth at risk a day moves it by more than the step.
const NEAR_EXPOSURE: f64 = 0.02;

impl Wish {
    /// Whether it is set only as a remedy.
    pub(super) fn is_near(&self) -> bool {
        self.name == NEAR
    }
    /// The success expression as things stand. One that does not compile is no goal; a test compiles them all.
    pub(super) fn success(&self, seen: &Snapshot) -> Option<Expression> {
        Expression::compile(&(self.text)(seen)?).ok()
    }
}

const LIQUIDITY: &[Template] = &[Template::LpManagement, Template::StableYield];
const WELL: &[BehavioralPhase] = &[Thriving, Stable];

/// Everything that can be wanted, the most urgent first.
const PLAN: [Wish; 9] = [
    Wish {
        name: NEAR,
        class: GoalClass::Explore,
        aim: Aim::Reach,
        span: Elapsed::nominal(DAY),
        phases: &[Thriving, Stable, Conservation],
        templates: &Template::ALL,
        text: |seen| {
            // Whoever holds nothing that moves gains nothing: a goal that cannot be reached would only be given up.
            let _moves = number(seen, Field::GolemExposure).filter(|x| *x >= NEAR_EXPOSURE)?;
            let balance = number(seen, Field::GolemBalanceUsdc).filter(|x| *x > 0.0)?;
            Some(format!("golem.balance_usdc > {:.6}", 1.0002 * balance))
        },
    },
    Wish {
        name: "come down",
        class: GoalClass::Reduce,
        aim: Aim::Reach,
        span: Elapsed::nominal(150),
        phases: &[Declining],
        templates: &Template::ALL,
        text: |seen| (number(seen, Field::GolemExposure)? >= 0.05).then(|| "golem.exposure < 0.05".to_owned()),
    },
    Wish {
        name: "ease off",
        class: GoalClass::Reduce,
        aim: Aim::Reach,
        span: Elapsed::nominal(DAY),
        phases: &[Conservation],
        templates: &Template::ALL,
        text: |seen| {
            let exposure = number(seen, Field::GolemExposure).filter(|x| *x > 0.2)?;
            Some(format!("golem.exposure < {:.6}", 0.8 * exposure))
        },
    },
    Wish {
        name: "hold the line",
        class: GoalClass::Manage,
        aim: Aim::Keep,
        span: Elapsed::nominal(DAY),
        phases: &[Thriving, Stable, Conservation],
        templates: &Template::ALL,
        text: |seen| {
            let drawdown = number(seen, Field::GolemDrawdown)?;
            Some(format!("golem.drawdown < {:.6}", (drawdown + 0.02).max(0.05)))
        },
    },
    Wish {
        name: "earn",
        class: GoalClass::Manage,
        aim: Aim::Reach,
        span: Elapsed::nominal(DAY),
        phases: WELL,
        templates: LIQUIDITY,
        text: |seen| {
            let balance = number(seen, Field::GolemBalanceUsdc).filter(|x| *x > 0.0)?;
            Some(format!("golem.balance_usdc > {:.6}", 1.0005 * balance))
        },
    },
    Wish {
        name: "take a position",
        class: GoalClass::Open,
        aim: Aim::Reach,
        span: Elapsed::nominal(2 * DAY),
        phases: WELL,
        templates: LIQUIDITY,
        text: |seen| (number(seen, Field::PositionShare)? < 0.01).then(|| "position.share > 0.01".to_owned()),
    },
    Wish {
        name: "build up",
        class: GoalClass::Open,
        aim: Aim::Reach,
        span: Elapsed::nominal(5 * DAY),
        phases: WELL,
        templates: &[Template::EthDca, Template::TrendFollowing],
        text: |seen| {
            let exposure = number(seen, Field::GolemExposure).filter(|x| *x < 0.4)?;
            Some(format!("golem.exposure > {:.6}", exposure + 0.02))
        },
    },
    Wish {
        name: "regain skill",
        class: GoalClass::Learn,
        aim: Aim::Reach,
        span: Elapsed::nominal(2 * DAY),
        phases: &[Thriving, Stable, Conservation, Declining],
        templates: &Template::ALL,
        text: |seen| {
            let fitness = number(seen, Field::VitalityEpistemic).filter(|x| *x < 0.5)?;
            Some(format!("vitality.epistemic > {:.6}", (fitness + 0.05).min(0.5)))
        },
    },
    Wish {
        name: "find more",
        class: GoalClass::Explore,
        aim: Aim::Reach,
        span: Elapsed::nominal(7 * DAY),
        phases: &[Thriving],
        templates: &Template::ALL,
        text: |seen| {
            let balance = number(seen, Field::GolemBalanceUsdc).filter(|x| *x > 0.0)?;
            Some(format!("golem.balance_usdc > {:.6}", 1.01 * balance))
        },
    },
];

/// What a template wants in a phase.
pub(super) fn of(template: Template, phase: BehavioralPhase) -> impl Iterator<Item = &'static Wish> {
    PLAN.iter().filter(move |w| w.phases.contains(&phase) && w.templates.contains(&template))
}

/// Whether a template still wants the goal of this name in a phase.
pub(super) fn wants(name: &str, template: Template, phase: BehavioralPhase) -> bool {
    of(template, phase).any(|w| w.name == name)
}

fn number(seen: &Snapshot, field: Field) -> Option<f64> {
    seen.get(field)?.as_f64()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_wish_compiles_and_does_not_hold_already() {
        let mut seen = Snapshot::default();
        for (field, x) in [
            (Field::GolemExposure, 0.3),
            (Field::GolemDrawdown, 0.01),
            (Field::GolemBalanceUsdc, 50.0),
            (Field::PositionShare, 0.0),
            (Field::VitalityEpistemic, 0.4),
        ] {
            seen.set_number(field, x).unwrap();
        }
        for wish in &PLAN {
            let text = (wish.text)(&seen).unwrap_or_else(|| panic!("{} has a text", wish.name));
            let success = Expression::compile(&text).unwrap_or_else(|e| panic!("{}: {e}", wish.name));
            let holds = success.evaluate(&seen) == golem_core::observed::Verdict::Holds;
            assert_eq!(holds, wish.aim == Aim::Keep, "{}: {text}", wish.name);
            assert!(success.distance(&seen).is_some(), "{}: progress can be measured", wish.name);
            assert_eq!((wish.text)(&Snapshot::default()), None, "{}: nothing is known, nothing is set", wish.name);
        }
    }

    #[test]
    fn whoever_holds_nothing_that_moves_sets_itself_no_gain() {
        let near = PLAN.iter().find(|w| w.is_near()).unwrap();
        let mut seen = Snapshot::default();
        seen.set_number(Field::GolemBalanceUsdc, 50.0).unwrap();
        for (exposure, set) in [(0.0, false), (0.01, false), (0.05, true)] {
            seen.set_number(Field::GolemExposure, exposure).unwrap();
            assert_eq!(near.success(&seen).is_some(), set, "{exposure}");
        }
    }
}
