//! What a child is born to try: one thing that it does otherwise than its parent.

use crate::cycle::Tunable;
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
    /// Without a rule of the playbook. What the rule does can often be kept up on a copy, and then it need not be waited for a
    /// decision that it changes.
    WithoutRule { entry: EntryId, text: String, kept: Option<KeptUp> },
    /// By a rule that is staged, as if it were in force.
    StagedRule { proposal: u64, text: String, when: String, action: RuleAction, kept: Option<KeptUp> },
    /// Not doing what the parent has just done.
    Contrary { did: Vec<Intent> },
}

/// What child and parent keep up on their copies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptUp {
    pub child: ForkDeed,
    pub parent: ForkDeed,
}

impl KeptUp {
    /// What a rule does, kept up, and what would be kept up without it: first and second. None where it changes nothing that
    /// can be, or not by as much as a basis point.
    #[must_use]
    pub fn of_rule(action: &RuleAction, tunables: &[Tunable]) -> Option<[ForkDeed; 2]> {
        let (with, without) = match action {
            RuleAction::Scale { parameter, factor } => {
                let tuned = tunables.iter().find(|t| t.parameter == *parameter)?;
                (tuned.by.deed(tuned.current * factor)?, tuned.by.deed(tuned.current)?)
            }
            RuleAction::Risk { factor } => {
                let tuned = tunables.first()?;
                let full = tuned.by.deed(tuned.current)?;
                (less(full, *factor), full)
            }
            // What opens nothing changes nothing that is kept up.
            RuleAction::StandAside => return None,
        };
        (with != without).then_some([with, without])
    }
}

/// The same with a share of the money in it.
fn less(deed: ForkDeed, factor: f64) -> ForkDeed {
    let part = |bps: u32| libm::round(f64::from(bps) * factor.clamp(0.0, 1.0)) as u32;
    match deed {
        ForkDeed::KeepRange { width_bps, share_bps } => ForkDeed::KeepRange { width_bps, share_bps: part(share_bps) },
        ForkDeed::KeepShare { share_bps, band_bps } => ForkDeed::KeepShare { share_bps: part(share_bps), band_bps },
        ForkDeed::Once(_) | ForkDeed::Unwind | ForkDeed::AsLived => deed,
    }
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
    /// True when both keep something up from its birth on, whatever the parent decides meanwhile.
    #[must_use]
    pub fn is_kept_up(&self) -> bool {
        match self {
            Self::Parameter { .. } => true,
            Self::WithoutRule { kept, .. } | Self::StagedRule { kept, .. } => kept.is_some(),
            Self::Contrary { .. } => false,
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
        let kept = match self {
            Self::Parameter { from, to, by, .. } => KeptUp { child: by.deed(*to)?, parent: by.deed(*from)? },
            Self::Contrary { did } => return Some([Vec::new(), once(did)]),
            Self::WithoutRule { kept, .. } | Self::StagedRule { kept, .. } => (*kept)?,
        };
        let leave = ForkDeed::Once(Intent::Remove { share_bps: 10_000, tolerance_bps: TOLERANCE_BPS });
        let in_range = matches!(kept.child, ForkDeed::KeepRange { .. });
        let first = (in_range && has_position).then_some(leave);
        let acts = |deed| first.into_iter().chain([deed]).map(|what| ForkAct { after: 0, what }).collect();
        Some([acts(kept.child), acts(kept.parent)])
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
