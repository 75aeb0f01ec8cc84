//! Cuts a file of the original into pieces that fit into orders. Nothing that would be taken in is left out: taking in the
//! pieces, one after the other, is taking in the file.

use super::canonical::Canonical;
use super::import::{Unreadable, import, read_file};
use super::name::Folded;
use super::state::MOST_REPORTED;
use crate::line::Line;
use golem_core::VirtualTime;
use serde_json::{Map, Value, json};

/// Texts that are kept as lines anyway; cutting them here changes nothing.
const TEXTS: [&str; 5] = ["description", "observable_condition", "condition", "resolution_note", "note"];
/// What else is read of a row: short by nature, and cut where somebody made it long.
const SHORT: [&str; 6] = ["type", "severity", "peak_severity", "onset", "resolved_at", "resolved"];
const MOST_SHORT: usize = 200;

/// The file in pieces of at most so many bytes each, what is active in the first of them.
///
/// # Errors
/// When it cannot be read, or a single row does not fit.
pub fn pieces(text: &str, most_bytes: usize) -> Result<Vec<String>, Unreadable> {
    let file = read_file(text)?;
    // The worst of what is active; more than that is never kept.
    let read = import(text, VirtualTime(0))?;
    let kept: Vec<&str> = read.active().take(MOST_REPORTED).collect();
    let rows = |list: &str| file.get(list).and_then(Value::as_array).cloned().unwrap_or_default();
    let over = |row: &Value| row.get("resolved").and_then(Value::as_bool) == Some(true);
    let (past, present): (Vec<Value>, Vec<Value>) = rows("active_stressors").into_iter().partition(over);
    let counts = |row: &&Value| {
        let name = row.get("type").and_then(Value::as_str).and_then(Folded::of);
        name.is_some_and(|n| Canonical::named(n.as_str()).is_some() || kept.contains(&n.as_str()))
    };
    let active: Vec<Value> = present.iter().filter(counts).map(slim).collect();
    let history = past.iter().chain(&rows("resolved_history")).map(slim).collect::<Vec<_>>();
    let head = json!({ "last_escalated": file.get("last_escalated"), "active_stressors": active });
    fill(head, history, most_bytes)
}

/// Rows of the past behind the head, in as few pieces as their length allows.
fn fill(head: Value, history: Vec<Value>, most_bytes: usize) -> Result<Vec<String>, Unreadable> {
    let (mut done, mut piece, mut rows) = (Vec::new(), head, Vec::new());
    let whole = |piece: &Value, rows: &[Value]| {
        let mut whole = piece.clone();
        whole["resolved_history"] = Value::Array(rows.to_vec());
        whole.to_string()
    };
    for row in history {
        rows.push(row);
        if whole(&piece, &rows).len() > most_bytes {
            let last = rows.pop();
            done.push(whole(&piece, &rows));
            (piece, rows) = (json!({}), last.into_iter().collect());
        }
    }
    done.push(whole(&piece, &rows));
    match done.iter().map(String::len).max() {
        Some(longest) if longest > most_bytes => Err(Unreadable::TooLong(longest)),
        _ => Ok(done),
    }
}

/// A row without what nobody reads.
fn slim(row: &Value) -> Value {
    let Some(row) = row.as_object() else { return row.clone() };
    let mut slim = Map::new();
    for (name, value) in row {
        let text = value.as_str();
        let kept = match text {
            Some(text) if TEXTS.contains(&name.as_str()) => Value::from(Line::of(text).as_str()),
            Some(text) if SHORT.contains(&name.as_str()) => text.chars().take(MOST_SHORT).collect::<String>().into(),
            None if TEXTS.contains(&name.as_str()) || SHORT.contains(&name.as_str()) => value.clone(),
            _ => continue,
        };
        slim.insert(name.clone(), kept);
    }
    Value::Object(slim)
}
