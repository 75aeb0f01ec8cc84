//! Knowledge that several generations have validated, each in its own life: a candidate for what a successor is born with,
//! rather than has to remember.

use crate::provenance::Passport;
use golem_core::Hash;
use golem_grimoire::decay::ceiling;
use golem_grimoire::playbook::innate_line;
use golem_grimoire::{Claim, Entry, EntryKind, RuleAction};
use serde::{Deserialize, Serialize};

/// Generations with a validation in them from which something counts as proven by the line.
pub const SURVIVED_GENERATIONS: u32 = 3;
/// The stored confidence that it needs, in basis points.
pub const SURVIVED_BP: u16 = 7_000;

/// True when at least three generations validated it and it is still believed.
#[doc(alias = "baldwin")]
#[must_use]
pub fn has_survived(entry: &Entry, passport: &Passport) -> bool {
    passport.crossings.survived_by_now() >= SURVIVED_GENERATIONS
        && entry.standing.confidence_bp >= SURVIVED_BP
        && !entry.body.is_question
}

/// What could be a default of the next generation. Rules are written into the settings of an heir, where its owner sees them before it
/// is born; a belief stays a belief.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "default")]
pub enum InnateDefault {
    /// A parameter of the template, scaled while a condition holds.
    Parameter {
        /// Its key.
        parameter: String,
        /// By what.
        factor: f64,
        /// While this holds.
        when: String,
    },
    /// Less risk while a condition holds; 0 opens nothing.
    Caution {
        /// The share of the usual risk.
        risk: f64,
        /// While this holds.
        when: String,
    },
    /// A belief about the world.
    Belief {
        /// What it says.
        claim: Claim,
    },
}

impl InnateDefault {
    /// The line of it in the settings of an heir; none for a belief, which is no rule.
    #[must_use]
    pub fn line(&self) -> Option<String> {
        match self {
            Self::Parameter { parameter, factor, when } => {
                Some(innate_line(when, &RuleAction::Scale { parameter: parameter.clone(), factor: *factor }))
            }
            Self::Caution { risk, when } if *risk <= 0.0 => Some(innate_line(when, &RuleAction::StandAside)),
            Self::Caution { risk, when } => Some(innate_line(when, &RuleAction::Risk { factor: *risk })),
            Self::Belief { .. } => None,
        }
    }
}

/// A candidate, with what speaks for it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct InnateCandidate {
    /// What could be innate.
    pub default: InnateDefault,
    /// Which knowledge it comes from.
    pub root: Hash,
    /// In how many generations it was validated.
    pub generations: u32,
    /// How sure, in basis points.
    pub confidence_bp: u16,
}

/// What an entry would be as a default; none when it has not survived, or nothing in it could be one. A factor that came from
/// elsewhere is never a default, however well it did: only the golem's own rules scale its parameters.
#[must_use]
pub fn innate(entry: &Entry, passport: &Passport) -> Option<InnateCandidate> {
    if !has_survived(entry, passport) {
        return None;
    }
    let (body, when) = (&entry.body, entry.body.claim.as_ref().map(|c| c.when.clone()));
    let default = match (&body.action, when) {
        (Some(RuleAction::Scale { parameter, factor }), Some(when)) => {
            if ceiling(body.provenance) < 1.0 {
                return None;
            }
            InnateDefault::Parameter { parameter: parameter.clone(), factor: *factor, when }
        }
        (Some(RuleAction::Risk { factor }), Some(when)) => InnateDefault::Caution { risk: *factor, when },
        (Some(RuleAction::StandAside), Some(when)) => InnateDefault::Caution { risk: 0.0, when },
        (None, _) if body.kind != EntryKind::Heuristic => InnateDefault::Belief { claim: body.claim.clone()? },
        _ => return None,
    };
    Some(InnateCandidate {
        default,
        root: passport.root,
        generations: passport.crossings.survived_by_now(),
        confidence_bp: entry.standing.confidence_bp,
    })
}

/// All candidates, the most often validated first.
#[must_use]
pub fn innate_candidates<'a>(entries: impl Iterator<Item = (&'a Entry, &'a Passport)>) -> Vec<InnateCandidate> {
    let mut all: Vec<InnateCandidate> = entries.filter_map(|(entry, passport)| innate(entry, passport)).collect();
    all.sort_by_key(|c| (std::cmp::Reverse((c.generations, c.confidence_bp)), c.root));
    all
}
