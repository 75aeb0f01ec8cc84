//! Lines from outside become entries that can be sent, each checked by itself: a bad one is told and left, the others go on.
//!
//! Nothing here decides what a golem believes: that is the admission gate's, in the golem's own turn.

use super::Source;
use golem_core::Hash;
use golem_grimoire::admission::{hollow, is_tidy};
use golem_grimoire::grimoire::Foreign;
use golem_grimoire::{EntryBody, EntryStatus, Standing};
use golem_runtime::MAX_TEXT_BYTES;
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// What can be sent, and what cannot.
#[derive(Debug, Default)]
pub struct Checked {
    /// Entries, as orders carry them.
    pub entries: Vec<String>,
    /// What was left, and why.
    pub skipped: Vec<Skipped>,
    /// Episodes and rows: another golem's life, which nobody can take over.
    pub others: u64,
}

/// A line that was left.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Skipped {
    /// Its number.
    pub line: u64,
    /// Why.
    pub why: String,
}

/// What is on a line, at a glance.
#[derive(Deserialize)]
struct LineGlance {
    entry: Option<IgnoredAny>,
    episode: Option<IgnoredAny>,
    row: Option<IgnoredAny>,
}
/// An entry as an export writes it.
#[derive(Deserialize)]
struct Exported {
    entry: ExportedEntry,
}
/// An entry by itself.
#[derive(Deserialize)]
struct ExportedEntry {
    hash: Option<Hash>,
    body: EntryBody,
    standing: Standing,
}

/// Check every line.
pub fn check(source: &Source) -> Checked {
    let (mut checked, mut seen) = (Checked::default(), BTreeSet::new());
    for (number, line) in &source.lines {
        match one(line, &mut seen) {
            Ok(Some(entry)) => checked.entries.push(entry),
            Ok(None) => checked.others += 1,
            Err(why) => checked.skipped.push(Skipped { line: *number, why }),
        }
    }
    checked
}

/// The entry on a line; `None` when something else is on it.
fn one(line: &[u8], seen: &mut BTreeSet<Hash>) -> Result<Option<String>, String> {
    let glance: LineGlance = read(line)?;
    let told = match glance {
        LineGlance { entry: Some(_), .. } => read::<Exported>(line)?.entry,
        LineGlance { episode: None, row: None, .. } => read::<ExportedEntry>(line)?,
        _ => return Ok(None),
    };
    let hash = told.body.hash();
    if told.hash.is_some_and(|said| said != hash) {
        return Err("its hash does not fit its body".to_owned());
    }
    match told.standing.status {
        EntryStatus::Candidate | EntryStatus::Active => {}
        EntryStatus::Quarantined(_) => return Err("it is quarantined where it comes from".to_owned()),
        EntryStatus::Archived(_) => return Err("it is archived where it comes from".to_owned()),
        EntryStatus::Burnt(_) => return Err("it is burnt where it comes from".to_owned()),
    }
    if !seen.insert(hash) {
        return Err("it was there already, further up".to_owned());
    }
    // Numbers of episodes mean nothing in another life, and the golem would drop them.
    let body = EntryBody { episodes: Vec::new(), ..told.body };
    if !is_tidy(&body) {
        return Err("its words or lists are too long, or hold control characters".to_owned());
    }
    if let Some(why) = body.claim.as_ref().and_then(hollow) {
        return Err(format!("its claim says nothing about the world: {why}"));
    }
    let entry = serde_json::to_string(&Foreign { body, standing: told.standing }).map_err(|e| e.to_string())?;
    if entry.len() > MAX_TEXT_BYTES {
        return Err(format!("it is {} bytes long, and an order carries {MAX_TEXT_BYTES}", entry.len()));
    }
    Ok(Some(entry))
}

/// Read it, or say what is wrong and in which column: its line is ours to count.
fn read<'a, T: Deserialize<'a>>(line: &'a [u8]) -> Result<T, String> {
    serde_json::from_slice(line).map_err(|e| {
        let text = e.to_string();
        let what = text.rsplit_once(" at line ").map_or(text.as_str(), |(what, _)| what);
        format!("{what}, in column {}", e.column())
    })
}
