//! Reads single fields of an imported file, whatever is in them, and notes what is odd.

use super::lint::{Lint, Oddities};
use super::name::Folded;
use crate::line::Line;
use golem_core::{Timestamp, Unit};
use serde_json::Value;
use std::borrow::Cow;

/// Python writes NaN and Infinity bare, which is not JSON; as texts they can be read and found impossible.
pub(super) fn python_json(text: &str) -> Cow<'_, str> {
    const BARE: [&str; 2] = ["NaN", "Infinity"];
    if !BARE.iter().any(|word| text.contains(word)) {
        return Cow::Borrowed(text);
    }
    let (mut out, mut rest, mut quoted) = (String::with_capacity(text.len() + 16), text, false);
    while let Some(c) = rest.chars().next() {
        let unsigned = rest.strip_prefix('-').unwrap_or(rest);
        let bare = BARE.iter().find(|word| !quoted && unsigned.starts_with(**word));
        let take = match bare {
            Some(word) => rest.len() - unsigned.len() + word.len(),
            // An escaped character never ends a text.
            None if quoted && c == '\\' => 1 + rest[1..].chars().next().map_or(0, char::len_utf8),
            None => c.len_utf8(),
        };
        quoted ^= c == '"';
        let (token, after) = rest.split_at(take);
        if bare.is_some() {
            out.extend(["\"", token, "\""])
        } else {
            out.push_str(token)
        }
        rest = after;
    }
    Cow::Owned(out)
}

/// The fields of one object.
pub(super) struct Fields<'a, 'o> {
    pub(super) path: String,
    pub(super) of: &'a Value,
    pub(super) odd: &'o mut Oddities,
}

impl<'a> Fields<'a, '_> {
    pub(super) fn note(&mut self, lint: Lint) {
        self.odd.add(self.path.clone(), lint);
    }
    fn get(&self, field: &str) -> Option<&'a Value> {
        self.of.get(field).filter(|v| !v.is_null())
    }
    /// The items of a list, each with its path.
    pub(super) fn list(&mut self, field: &'static str) -> Vec<(String, &'a Value)> {
        match self.get(field) {
            None => Vec::new(),
            Some(Value::Array(items)) => {
                items.iter().enumerate().map(|(i, item)| (format!("{field}[{i}]"), item)).collect()
            }
            Some(_) => {
                self.note(Lint::malformed(field, "a list"));
                Vec::new()
            }
        }
    }
    /// The name; without one there is no item.
    pub(super) fn name(&mut self) -> Option<Folded> {
        let name = self.get("type").and_then(Value::as_str).and_then(Folded::of);
        if name.is_none() {
            self.note(Lint::malformed("type", "a name"));
        }
        name
    }
    /// The first of these fields that is there, as one line.
    pub(super) fn line(&mut self, fields: &[&str]) -> Line {
        let Some((field, value)) = fields.iter().find_map(|f| Some((f, self.get(f)?))) else {
            return Line::default();
        };
        match value.as_str() {
            Some(text) => Line::of(text),
            None => {
                self.note(Lint::malformed(field, "a text"));
                Line::default()
            }
        }
    }
    /// A number in [0, 1], or the nearest to what is there; none when there is no number.
    pub(super) fn share(&mut self, field: &str) -> Option<f64> {
        let value = self.get(field)?;
        let number = match value {
            Value::Number(n) => n.as_f64(),
            Value::String(text) => text.trim().parse().ok(),
            _ => None,
        };
        let Some(x) = number else {
            self.note(Lint::malformed(field, "a number"));
            return None;
        };
        if !(0.0..=1.0).contains(&x) {
            self.note(Lint::impossible(field, &x.to_string()));
        }
        (!x.is_nan()).then(|| Unit::clamped(x).get())
    }
    /// A date: the original's `2026-05-03 07:30`, or RFC 3339.
    pub(super) fn time(&mut self, field: &str) -> Option<Timestamp> {
        let text = self.get(field)?.as_str().map(str::trim);
        let read = |text: &str| text.parse().ok().or_else(|| plain_date(text));
        let time = text.and_then(read);
        if time.is_none() && text != Some("") {
            self.note(Lint::malformed(field, "a date"));
        }
        time
    }
}

/// `2026-05-03 07:30`, with or without seconds, taken as UTC since it says nothing else.
fn plain_date(text: &str) -> Option<Timestamp> {
    let (day, hour) = text.split_once([' ', 'T'])?;
    let seconds = if hour.matches(':').count() == 1 { ":00" } else { "" };
    format!("{day}T{hour}{seconds}Z").parse().ok()
}
