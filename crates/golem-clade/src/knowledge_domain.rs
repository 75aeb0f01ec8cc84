//! The field that an entry belongs to, finer than the domains of forecasting: what it is about decides, never its words.

use golem_core::plain;
use golem_grimoire::EntryBody;
use golem_grimoire::subject::action_of;
use serde::{Deserialize, Serialize};
use std::fmt;

/// The longest name of a subject.
const MOST_CHARS: usize = 64;

/// A field of knowledge: the domain of forecasting, then the subject, as in `gas_condition/market.gas_ratio`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct KnowledgeDomain(String);

impl KnowledgeDomain {
    /// A field by its name.
    #[must_use]
    pub fn named(name: &str) -> Self {
        Self(name.chars().take(2 * MOST_CHARS).collect())
    }
    /// The field of an entry. Its subject is what its claim or edge speaks of, else its action, else what kind of knowledge
    /// it is.
    #[must_use]
    pub fn of(body: &EntryBody) -> Self {
        let claimed = body.claim.as_ref().and_then(|c| c.then.split_whitespace().next());
        let driven = || body.edge.as_ref().and_then(|e| e.split(['>', '@']).nth(1));
        let subject = claimed.or_else(driven).or_else(|| action_of(body));
        let subject = subject.map_or_else(|| plain::word(&body.kind), |s| s.chars().take(MOST_CHARS).collect());
        Self(format!("{}/{subject}", body.domain.map_or("general", golem_mortality::Domain::name)))
    }
    /// Its name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for KnowledgeDomain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}
