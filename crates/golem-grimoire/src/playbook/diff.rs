//! What changed between two playbooks, typed and in words.

use super::render::fields;
use super::{Playbook, Rule, RuleId};
use serde::Serialize;
use std::fmt;

/// The difference between two playbooks.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Diff {
    /// Rules of the second that the first does not have, in its order.
    pub added: Vec<Rule>,
    /// Rules of the first that the second does not have, in its order.
    pub removed: Vec<Rule>,
    /// Rules that both have and that differ, in the order of the second.
    pub changed: Vec<RuleChange>,
    /// True when words that are no rule differ.
    pub notes: bool,
}

/// A rule that says something else.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RuleChange {
    /// Which.
    pub id: RuleId,
    /// Its heading in the second.
    pub title: String,
    /// What differs, in the order of the file.
    pub fields: Vec<FieldChange>,
}

/// One line that differs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FieldChange {
    /// The key in the file; `title` and `note` for what has none.
    pub field: &'static str,
    /// As it was spelled.
    pub from: String,
    /// As it is.
    pub to: String,
}

impl Diff {
    /// True when nothing differs.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.added.is_empty() && self.removed.is_empty() && self.changed.is_empty() && !self.notes
    }
}

/// What leads from one playbook to another. Whose they are and their numbers are not compared.
#[must_use]
pub fn diff(a: &Playbook, b: &Playbook) -> Diff {
    let other = |p: &Playbook| {
        (p.preamble.clone(), p.sections.iter().filter(|s| s.rule().is_none()).cloned().collect::<Vec<_>>())
    };
    Diff {
        added: b.rules().filter(|r| a.rule(r.id()).is_none()).cloned().collect(),
        removed: a.rules().filter(|r| b.rule(r.id()).is_none()).cloned().collect(),
        changed: b.rules().filter_map(|new| changes(a.rule(new.id())?, new)).collect(),
        notes: other(a) != other(b),
    }
}

fn changes(old: &Rule, new: &Rule) -> Option<RuleChange> {
    let spelled = |rule: &Rule| {
        let ends = [("title", rule.words().title.clone()), ("note", rule.words().note.clone())];
        fields(rule).into_iter().chain(ends).collect::<Vec<_>>()
    };
    let pairs = spelled(old).into_iter().zip(spelled(new));
    let fields: Vec<_> = pairs
        .filter(|((_, from), (_, to))| from != to)
        .map(|((field, from), (_, to))| FieldChange { field, from, to })
        .collect();
    (!fields.is_empty()).then(|| RuleChange { id: new.id().clone(), title: new.words().title.clone(), fields })
}

impl fmt::Display for Diff {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_empty() {
            return writeln!(f, "nothing differs");
        }
        let whole = |f: &mut fmt::Formatter<'_>, sign: char, rule: &Rule| {
            writeln!(f, "{sign} {}", rule.words().title)?;
            let mut told = fields(rule).into_iter().take(4).filter(|(_, value)| !value.is_empty());
            told.try_for_each(|(key, value)| writeln!(f, "{sign}   {key}: {value}"))
        };
        self.removed.iter().try_for_each(|rule| whole(f, '-', rule))?;
        self.added.iter().try_for_each(|rule| whole(f, '+', rule))?;
        for change in &self.changed {
            writeln!(f, "~ {} ({})", change.title, change.id)?;
            for FieldChange { field, from, to } in &change.fields {
                writeln!(f, "    {field}: {} -> {}", one_line(from), one_line(to))?;
            }
        }
        if self.notes {
            writeln!(f, "~ notes")?;
        }
        Ok(())
    }
}

fn one_line(text: &str) -> String {
    if text.is_empty() { "nothing".to_owned() } else { text.replace('\n', " / ") }
}
