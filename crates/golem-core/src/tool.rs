//! The tools that a model may call, by name: six, and no others. What each does and what may stop it is said elsewhere.

use serde::{Deserialize, Serialize};

/// A tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Tool {
    /// Look in what the golem knows.
    QueryGrimoire,
    /// Look at what is observed.
    QueryState,
    /// Look for times like this one.
    SearchContext,
    /// Try an action on a copy of the world.
    PreviewAction,
    /// Wish for an action.
    CommitAction,
    /// Stop all new risk.
    EmergencyHalt,
}

impl Tool {
    /// All of them, in the order in which a model is told of them.
    pub const ALL: [Self; 6] = [
        Self::QueryGrimoire,
        Self::QueryState,
        Self::SearchContext,
        Self::PreviewAction,
        Self::CommitAction,
        Self::EmergencyHalt,
    ];
    /// The name that a model calls it by.
    #[must_use]
    pub fn name(self) -> &'static str {
        ["query_grimoire", "query_state", "search_context", "preview_action", "commit_action", "emergency_halt"]
            [self as usize]
    }
    /// The tool of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|tool| tool.name() == name)
    }
}
