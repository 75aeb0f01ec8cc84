//! What happened to a golem, as it is recorded: the last facts, of some kinds, since some moment.

use crate::fail::Fail;
use golem_core::{Seq, Timestamp};
use golem_life::Fact;
use golem_runtime::{FactRow, Reader};
use golem_view::time::since;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// What is asked for: kinds by the beginning of their names, and since when.
#[derive(Debug, Clone)]
pub struct LogsWanted {
    kinds: Vec<String>,
    since: Option<Timestamp>,
}

impl LogsWanted {
    /// As an owner says it: kinds with commas between them, and a moment or a span.
    pub fn read(reader: &Reader, only: Option<&str>, since: Option<&str>) -> Result<Self, Fail> {
        let kinds = only.map_or(Ok(Vec::new()), kinds)?;
        Ok(Self { kinds, since: moment(reader, since)? })
    }

    /// Whether a fact is asked for.
    pub fn takes(&self, row: &FactRow) -> bool {
        let kind = self.kinds.is_empty() || self.kinds.iter().any(|k| row.name.starts_with(k.as_str()));
        kind && self.since.is_none_or(|since| row.at >= since)
    }

    /// The last so many facts of what was asked for.
    pub fn last(&self, reader: &Reader, at_most: u32) -> Result<Vec<FactRow>, Fail> {
        if self.kinds.is_empty() && self.since.is_none() {
            return Ok(reader.last_facts(None, at_most)?);
        }
        let (mut kept, mut after): (Vec<FactRow>, Option<Seq>) = (Vec::new(), None);
        loop {
            let page = reader.facts(after, None, 1_000)?;
            let Some(end) = page.last() else { return Ok(kept) };
            after = Some(end.seq);
            kept.extend(page.into_iter().filter(|row| self.takes(row)));
            let surplus = kept.len().saturating_sub(at_most as usize);
            kept.drain(..surplus);
        }
    }
}

/// A moment as the owner named it; a span counts back from the golem's own now.
pub fn moment(reader: &Reader, word: Option<&str>) -> Result<Option<Timestamp>, Fail> {
    let Some(word) = word else { return Ok(None) };
    let now = match reader.status()? {
        Some(status) => status.at,
        None => reader.origin()?.birth.born_at,
    };
    since(word, now).map(Some).map_err(|bad| Fail::hint(bad, "a span counts back from the golem's own time"))
}

/// Kinds by the beginning of their names, each of which there is.
fn kinds(words: &str) -> Result<Vec<String>, Fail> {
    let asked: Vec<&str> = words.split(',').map(str::trim).filter(|w| !w.is_empty()).collect();
    for word in &asked {
        if !Fact::names().any(|name| name.starts_with(word)) {
            return Err(Fail::hint(format!("there are no facts that begin with {word:?}"), nearest(word)));
        }
    }
    Ok(asked.into_iter().map(str::to_owned).collect())
}

/// The kind that was probably meant, or what kinds there are.
fn nearest(word: &str) -> String {
    let rooms: BTreeSet<&str> = Fact::names().filter_map(|name| name.split('.').next()).collect();
    let near = |name: &&str| strsim::jaro_winkler(name, word);
    let names = Fact::names().chain(rooms.iter().copied());
    let best = names.map(|name| (name, near(&name))).max_by(|a, b| a.1.total_cmp(&b.1));
    let all = rooms.into_iter().collect::<Vec<_>>().join(", ");
    match best.filter(|(_, likeness)| *likeness > 0.8) {
        Some((name, _)) => format!("did you mean {name}? They begin with {all}"),
        None => format!("they begin with {all}"),
    }
}

/// A fact as `golem logs --json` prints it; others rely on these names.
pub fn recorded(row: &FactRow) -> Value {
    let body: Value = serde_json::from_str(&row.body).unwrap_or(Value::Null);
    let mut told = json!({ "seq": row.seq, "tick": row.tick, "at": row.at.to_string(), "cause": row.cause });
    if let (Some(told), Value::Object(body)) = (told.as_object_mut(), body) {
        told.extend(body);
    }
    told
}
