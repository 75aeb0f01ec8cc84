//! What happened in a life, fact by fact, each with the sentence that it is for people.

use crate::fail::Fail;
use golem_core::{Seq, Tick, Timestamp};
use golem_runtime::{FactRow, Reader};
use golem_view::fact::{is_event, words};
use serde::Serialize;
use serde_json::Value;

/// A fact as surfaces have it.
#[derive(Debug, Clone, Serialize)]
pub struct ToldFact {
    pub seq: Seq,
    pub tick: Tick,
    pub at: Timestamp,
    pub name: String,
    pub cause: Option<Seq>,
    /// What it says to a person; none for what recurs every turn, and for what an older program wrote.
    pub words: Option<String>,
    /// Whether whoever watches wants to hear it at once.
    pub event: bool,
    pub body: Value,
}

impl From<&FactRow> for ToldFact {
    fn from(row: &FactRow) -> Self {
        let fact = golem_view::fact::read(&row.name, row.tick, &row.body).ok();
        Self {
            seq: row.seq,
            tick: row.tick,
            at: row.at,
            name: row.name.clone(),
            cause: row.cause,
            words: fact.as_ref().and_then(words),
            event: fact.as_ref().is_some_and(is_event),
            body: serde_json::from_str(&row.body).unwrap_or_default(),
        }
    }
}

/// Facts after a place in history, the oldest first.
pub fn after(reader: &Reader, after: Option<Seq>, at_most: u32) -> Result<Vec<ToldFact>, Fail> {
    Ok(reader.facts(after, None, at_most)?.iter().map(ToldFact::from).collect())
}

/// The newest, oldest first.
pub fn newest(reader: &Reader, at_most: u32) -> Result<Vec<ToldFact>, Fail> {
    Ok(reader.last_facts(None, at_most)?.iter().map(ToldFact::from).collect())
}
