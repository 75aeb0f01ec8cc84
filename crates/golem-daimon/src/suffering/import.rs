//! Reads the `suffering.json` of the original: leniently, with a list of everything that is odd about it.
//!
//! Nothing measured comes in: a canonical name becomes a request to its rule, the rest goes through the same caps as
//! what an agent reports. A file that is not JSON is an error, never an empty state.

use super::canonical::Canonical;
use super::course::Course;
use super::domain::ActivityDomain;
use super::facts::SufferingFact;
use super::history::{Resolved, StressorEnding, StressorLedger};
use super::import_fields::{Fields, python_json};
use super::lint::{Lint, Oddities};
use super::name::Folded;
use super::reported::{Condition, REPORTED_INITIAL, Reported};
use super::state::{MOST_REPORTED, Suffering};
use crate::line::Line;
use golem_core::{Timestamp, VirtualTime};
use serde::Serialize;
use serde_json::Value;

/// A file that cannot be read at all.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unreadable {
    /// Not JSON.
    #[error("not JSON: {0}")]
    NotJson(String),
    /// JSON, but not of this kind.
    #[error("neither active_stressors nor resolved_history is in it")]
    NotSuffering,
    /// A row that does not fit into an order.
    #[error("a row of {0} bytes is longer than an order carries")]
    TooLong(usize),
}

/// What a file holds, before it is taken in.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Imported {
    /// Canonical names that were active: requests to their rules, nothing more.
    pub requests: Vec<Canonical>,
    /// What was active under other names, the worst first, as many as may be.
    #[serde(skip)]
    active: Vec<Reported>,
    /// What had ended.
    pub history: Vec<Resolved>,
    /// Everything odd.
    pub lint: Vec<Lint>,
}

impl Imported {
    /// The names that would be stored, the worst first.
    pub fn active(&self) -> impl Iterator<Item = &str> {
        self.active.iter().map(|r| r.name.as_str())
    }
}

/// Read a `suffering.json` of the original.
///
/// # Errors
/// When it is not JSON, or has neither of the two lists.
pub fn import(text: &str, now: VirtualTime) -> Result<Imported, Unreadable> {
    let file = read_file(text)?;
    let mut out = Imported::default();
    let mut odd = Oddities(Vec::new());
    let mut root = Fields { path: String::new(), of: &file, odd: &mut odd };
    let last = root.time("last_escalated");
    for (path, item) in root.list("active_stressors") {
        let mut fields = Fields { path, of: item, odd: &mut odd };
        // A resolved one that was left in the list is history.
        if item.get("resolved").and_then(Value::as_bool) == Some(true) {
            out.history.extend(past(&mut fields, now));
        } else {
            present(&mut fields, last, now, &mut out);
        }
    }
    for (path, item) in (Fields { path: String::new(), of: &file, odd: &mut odd }).list("resolved_history") {
        out.history.extend(past(&mut Fields { path, of: item, odd: &mut odd }, now));
    }
    out.active.sort_by(|a, b| b.severity().total_cmp(&a.severity()));
    for over in out.active.iter().skip(MOST_REPORTED) {
        odd.add(String::from("active_stressors"), Lint::over_cap(over.name.as_str()));
    }
    out.lint = odd.0;
    Ok(out)
}

pub(super) fn read_file(text: &str) -> Result<Value, Unreadable> {
    let file: Value = serde_json::from_str(&python_json(text)).map_err(|e| Unreadable::NotJson(e.to_string()))?;
    let (active, history) = (file.get("active_stressors"), file.get("resolved_history"));
    if active.is_none() && history.is_none() {
        return Err(Unreadable::NotSuffering);
    }
    Ok(file)
}

fn present(fields: &mut Fields<'_, '_>, last: Option<Timestamp>, now: VirtualTime, out: &mut Imported) {
    let Some(name) = fields.name() else { return };
    if let Some(which) = Canonical::named(name.as_str()) {
        if out.requests.contains(&which) {
            fields.note(Lint::duplicate(&name));
        } else {
            fields.note(Lint::reserved(which));
            out.requests.push(which);
        }
        return;
    }
    if out.active.iter().any(|r| r.name == name) {
        return fields.note(Lint::duplicate(&name));
    }
    if let (Some(onset), Some(last)) = (fields.time("onset"), last)
        && onset > last
    {
        fields.note(Lint::backwards("onset", "last_escalated"));
    }
    let severity = fields.share("severity").unwrap_or(REPORTED_INITIAL);
    let peak = fields.share("peak_severity").unwrap_or(severity);
    if peak < severity {
        fields.note(Lint::impossible("peak_severity", "below severity"));
    }
    let condition = Condition::of(fields.line(&["observable_condition", "condition"]));
    if !condition.is_checkable() {
        fields.note(Lint::unverifiable(condition.text()));
    }
    let course = Course::new(now, severity).with_peak(peak);
    let description = fields.line(&["description"]);
    out.active.push(Reported { name, description, condition, domain: None, course });
}

fn past(fields: &mut Fields<'_, '_>, now: VirtualTime) -> Option<Resolved> {
    let name: Folded = fields.name()?;
    let which = Canonical::named(name.as_str());
    let (began, ended) = (fields.time("onset"), fields.time("resolved_at"));
    if let (Some(began), Some(ended)) = (began, ended)
        && ended < began
    {
        fields.note(Lint::backwards("resolved_at", "onset"));
    }
    let severity = fields.share("severity").unwrap_or(0.0);
    let peak = fields.share("peak_severity").unwrap_or(severity).max(severity);
    let note: Line = fields.line(&["resolution_note", "note"]);
    let domain: Option<ActivityDomain> = which.and_then(Canonical::domain);
    Some(Resolved {
        stressor: name.into(),
        // Whatever its name, nothing here was measured by our rules.
        ledger: StressorLedger::Reported,
        domain,
        onset: now,
        ended: now,
        severity,
        peak,
        ending: StressorEnding::Imported,
        note: if note.is_empty() { String::from("unknown") } else { format!("\"{note}\"") },
        description: fields.line(&["description"]),
        elsewhere: Some((began, ended)),
    })
}

impl Suffering {
    /// Take in what a file held, through the same caps as anything reported. The history leaves as facts, to be stored.
    pub fn adopt(&mut self, imported: Imported, now: VirtualTime) -> Vec<SufferingFact> {
        self.escalate(now);
        let mut facts = Vec::with_capacity(imported.history.len());
        for row in imported.history {
            self.memory.learn(&row);
            facts.push(SufferingFact::Resolved(row));
        }
        for reported in imported.active {
            self.store(reported, &mut facts);
        }
        self.crisis.look(self.load());
        self.tell(&mut facts);
        facts
    }
}
