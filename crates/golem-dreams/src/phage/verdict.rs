//! The verdict on a child: what it was worth beside its parent, in whole micro-USDC, on the same stretch of the lived path.

use crate::imagine::score::better_bps;
use golem_core::Usdc;
use golem_core::door::{ForkRan, ForkResult};
use golem_core::intent::Outcome;
use golem_mortality::micro_death::{FailureMode, MicroVerdict};
use serde::{Deserialize, Serialize};

/// A move of the price by more than this share explains what was won or lost.
const PRICE_MOVED: f64 = 0.001;

/// Why a child could not be judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UntestedBecause {
    /// It never came to do anything otherwise.
    NeverDiffered,
    /// There is nothing to make a copy of, or the path is gone.
    NoCopy,
    /// Its parent died.
    Orphaned,
}

/// How a child ended.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PhageVerdict {
    /// It was held against its parent.
    Judged {
        verdict: MicroVerdict,
        better_bps: f64,
    },
    Untested {
        because: UntestedBecause,
    },
}

impl PhageVerdict {
    /// What counts for health; none where it could not be judged.
    #[must_use]
    pub fn micro(self) -> Option<MicroVerdict> {
        match self {
            Self::Judged { verdict, .. } => Some(verdict),
            Self::Untested { .. } => None,
        }
    }
    /// Whether its hypothesis was confirmed; none where it made no difference, or could not be judged.
    #[must_use]
    pub fn is_confirmed(self) -> Option<bool> {
        match self.micro()? {
            MicroVerdict::Survived => Some(true),
            MicroVerdict::Failed(_) => Some(false),
            MicroVerdict::Indifferent => None,
        }
    }
    /// In words.
    #[must_use]
    pub fn words(self) -> String {
        match self {
            Self::Judged { verdict: MicroVerdict::Survived, better_bps } => {
                format!("survived: {better_bps:+.2} bps beside its parent")
            }
            Self::Judged { verdict: MicroVerdict::Indifferent, .. } => "made no difference".to_owned(),
            Self::Judged { verdict: MicroVerdict::Failed(mode), better_bps } => {
                format!("failed: {}, {better_bps:+.2} bps beside its parent", mode.words())
            }
            Self::Untested { because: UntestedBecause::NeverDiffered } => {
                "never came to do anything otherwise".to_owned()
            }
            Self::Untested { because: UntestedBecause::NoCopy } => "could not be tried on a copy".to_owned(),
            Self::Untested { because: UntestedBecause::Orphaned } => "died with its parent".to_owned(),
        }
    }
}

/// Hold a child against its parent. `clear_bps` of the wealth that both began with is the least that counts.
#[must_use]
pub fn verdict_on(child: &ForkResult, parent: &ForkResult, clear_bps: f64) -> PhageVerdict {
    let none = PhageVerdict::Untested { because: UntestedBecause::NoCopy };
    let (Ok(child), Ok(parent)) = (child, parent) else { return none };
    let Some(more_bps) = better_bps(child, parent).filter(|_| child.steps > 0) else { return none };
    let verdict = match () {
        () if was_refused_alone(child, parent) => MicroVerdict::Failed(FailureMode::Refused),
        () if more_bps > clear_bps => MicroVerdict::Survived,
        () if more_bps >= -clear_bps => MicroVerdict::Indifferent,
        () => MicroVerdict::Failed(mode(child, parent)),
    };
    PhageVerdict::Judged { verdict, better_bps: more_bps }
}

/// In which way one that did worse did worse.
fn mode(child: &ForkRan, parent: &ForkRan) -> FailureMode {
    let behind = parent.after.minus(child.after);
    let moved = child.prices[1] / child.prices[0] - 1.0;
    match () {
        () if gas(child).minus(gas(parent)) >= behind => FailureMode::Costs,
        // It was further behind on the way than it is at the end.
        () if parent.lowest.minus(child.lowest) > behind => FailureMode::Drawdown,
        () if moved.abs() > PRICE_MOVED => FailureMode::Price,
        () => FailureMode::Yield,
    }
}

fn gas(ran: &ForkRan) -> Usdc {
    ran.acted.iter().fold(Usdc::ZERO, |sum, act| sum.plus(act.gas))
}

/// True when the chain said no to what only the child wanted. What is refused to both is the path's.
fn was_refused_alone(child: &ForkRan, parent: &ForkRan) -> bool {
    let refused = |ran: &ForkRan| ran.acted.iter().filter(|a| matches!(a.outcome, Outcome::Refused { .. })).count();
    refused(child) > refused(parent)
}
