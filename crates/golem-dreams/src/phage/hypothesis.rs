//! What a child is born to try: one thing that it does otherwise than its parent.

use crate::imagine::hypothesis::is_width;
use crate::imagine::tuning::TunedBy;
use golem_core::Intent;
use golem_core::door::{ForkAct, ForkDeed, MOST_FORK_ACTS};
use golem_core::words::one_line;
use golem_grimoire::{EntryId, RuleAction};
use serde::{Deserialize, Serialize};

/// The most characters of somebody's words in it.
const MOST_WORDS: usize = 90;
/// How far the price may move while a position is given back, in basis points.
const TOLERANCE_BPS: u32 = 100;

/// One hypothesis: that doing this one thing otherwise does better. None of them names an amount, a permit or a chain.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PhageHypothesis {
    /// Another value of a parameter of the strategy.
    Parameter { parameter: String, from: f64, to: f64, by: TunedBy },
    /// Without a rule of the playbook.
    WithoutRule { entry: EntryId, text: String },
    /// By a rule that is staged, as if it were in force.
    StagedRule { proposal: u64, text: String, when: String, action: RuleAction },
    /// Not doing what the parent has just done.
    Contrary { did: Vec<Intent> },
}

/// The kinds of hypotheses, in the order in which they take turns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PhageQuestion {
    WithoutRule,
    Parameter,
    StagedRule,
    Contrary,
}

impl PhageQuestion {
    /// In their order.
    pub const ALL: [Self; 4] = [Self::WithoutRule, Self::Parameter, Self::StagedRule, Self::Contrary];
}

impl PhageHypothesis {
    /// Its kind.
    #[must_use]
    pub fn question(&self) -> PhageQuestion {
        match self {
            Self::Parameter { .. } => PhageQuestion::Parameter,
            Self::WithoutRule { .. } => PhageQuestion::WithoutRule,
            Self::StagedRule { .. } => PhageQuestion::StagedRule,
            Self::Contrary { .. } => PhageQuestion::Contrary,
        }
    }
    /// A name by which the same question is known again.
    #[must_use]
    pub fn key(&self) -> String {
        match self {
            // Which way and how far: what it goes from moves with time.
            Self::Parameter { parameter, to, .. } => format!("{parameter}={to:.4}"),
            Self::WithoutRule { entry, .. } => format!("without {entry}"),
            Self::StagedRule { proposal, .. } => format!("staged {proposal}"),
            Self::Contrary { did } => format!("contrary to {}", names(did)),
        }
    }
    /// In words.
    #[must_use]
    pub fn words(&self) -> String {
        match self {
            Self::Parameter { parameter, from, to, .. } => format!("{parameter} of {to:.2} instead of {from:.2}"),
            Self::WithoutRule { text, .. } => format!("without the rule: {}", one_line(text, MOST_WORDS)),
            Self::StagedRule { proposal, text, .. } => {
                format!("by proposal {proposal}: {}", one_line(text, MOST_WORDS))
            }
            Self::Contrary { did } => format!("not to {}", names(did)),
        }
    }
    /// What child and parent do from its birth on, where that is known at its birth. Of a parameter both give back what is in a range first,
    /// so that what differs is the value and not who has to move.
    #[must_use]
    pub fn from_birth(&self, has_position: bool) -> Option<[Vec<ForkAct>; 2]> {
        let (parameter, from, to, by) = match self {
            Self::Parameter { parameter, from, to, by } => (parameter, from, to, by),
            Self::Contrary { did } => return Some([Vec::new(), once(did)]),
            Self::WithoutRule { .. } | Self::StagedRule { .. } => return None,
        };
        let leave = ForkDeed::Once(Intent::Remove { share_bps: 10_000, tolerance_bps: TOLERANCE_BPS });
        let first = (is_width(parameter) && has_position).then_some(leave);
        let acts = |value: f64| -> Option<Vec<ForkAct>> {
            let all = first.into_iter().chain([by.deed(value)?]);
            Some(all.map(|what| ForkAct { after: 0, what }).collect())
        };
        Some([acts(*to)?, acts(*from)?])
    }
}

/// What was done, by name.
fn names(did: &[Intent]) -> String {
    did.iter().map(Intent::name).collect::<Vec<_>>().join(" and ")
}

/// Intents as acts on a copy, at its beginning.
pub(super) fn once(intents: &[Intent]) -> Vec<ForkAct> {
    let act = |intent: &Intent| ForkAct { after: 0, what: ForkDeed::Once(*intent) };
    intents.iter().take(MOST_FORK_ACTS).map(act).collect()
}

/// What there is to be tried now, each with what is believed of it where somebody else keeps that.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PhageMenu(pub Vec<(PhageHypothesis, Option<f64>)>);

impl PhageMenu {
    /// Those of one kind.
    pub fn of(&self, question: PhageQuestion) -> impl Iterator<Item = &(PhageHypothesis, Option<f64>)> {
        self.0.iter().filter(move |(h, _)| h.question() == question)
    }
}
