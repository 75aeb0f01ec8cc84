//! The tools that a model may ask for, and what class each is.

use super::classify::{Exposure, classify};
use super::denied::{Denied, Why};
use super::{ActionClass, Situation, gate};
use golem_core::Intent;
use serde::{Deserialize, Serialize};

/// A tool of the mind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Tool {
    /// Read the golem's own state.
    QueryState,
    /// Read what it has learnt.
    QueryGrimoire,
    /// Take in what it has not in mind.
    SearchContext,
    /// Try an action on a fork that is thrown away.
    PreviewAction,
    /// Do it.
    CommitAction,
    /// Stop taking risk.
    EmergencyHalt,
    /// Speak to a golem of the fleet, or to the owner.
    SendMessage,
    /// Act by a rule that has not proved itself.
    TryRule,
}

impl Tool {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::QueryState,
        Self::QueryGrimoire,
        Self::SearchContext,
        Self::PreviewAction,
        Self::CommitAction,
        Self::EmergencyHalt,
        Self::SendMessage,
        Self::TryRule,
    ];

    /// The name that a model calls it by.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::QueryState => "query_state",
            Self::QueryGrimoire => "query_grimoire",
            Self::SearchContext => "search_context",
            Self::PreviewAction => "preview_action",
            Self::CommitAction => "commit_action",
            Self::EmergencyHalt => "emergency_halt",
            Self::SendMessage => "send_message",
            Self::TryRule => "try_rule",
        }
    }
    /// The tool of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|t| t.name() == name)
    }
    /// Its class; none when that is its intent's.
    #[must_use]
    pub fn class(self) -> Option<ActionClass> {
        match self {
            // Reading one's own books and trying on a throw-away fork change nothing: self-examination.
            Self::QueryState | Self::QueryGrimoire | Self::PreviewAction => Some(ActionClass::Reflect),
            Self::SearchContext => Some(ActionClass::Learn),
            Self::EmergencyHalt => Some(ActionClass::Reduce),
            Self::SendMessage => Some(ActionClass::Peer),
            Self::TryRule => Some(ActionClass::Explore),
            Self::CommitAction => None,
        }
    }
}

/// Whether a model may use a tool here. A rule on trial must pass as exploring and as what its intent is.
///
/// # Errors
/// The denial; an unknown tool, and an action without a readable intent, are denied as opening.
pub fn gate_tool(
    name: &str,
    intent: Option<(&Intent, Option<Exposure>)>,
    situation: &Situation,
) -> Result<ActionClass, Denied> {
    let closed = |why| Denied { class: ActionClass::Open, why };
    let tool = Tool::named(name).ok_or_else(|| closed(Why::UnknownTool))?;
    let of_intent = intent.map(|(intent, effect)| classify(intent, effect));
    let class = match tool {
        Tool::CommitAction => of_intent.ok_or_else(|| closed(Why::NoIntent))?,
        Tool::TryRule => {
            let underlying = of_intent.ok_or_else(|| closed(Why::NoIntent))?;
            // Whoever takes risk away is not asked on whose advice.
            if underlying == ActionClass::Reduce {
                return Ok(underlying);
            }
            gate(underlying, situation)?;
            ActionClass::Explore
        }
        other => other.class().unwrap_or(ActionClass::Open),
    };
    gate(class, situation).map(|()| class)
}
