//! The agent's `suffering_assessment` block, read field by field. A bad field costs that field, never the cycle.

use super::domain::ActivityDomain;
use super::name::Folded;
use crate::line::Line;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fmt;

/// The key of the block in an agent's reply.
pub const ASSESSMENT_KEY: &str = "suffering_assessment";
/// The most items of a list that are read. More than can ever count, and a bound on what a reply costs.
pub const MOST_ITEMS: usize = 32;

/// What an agent says of itself, bounded and typed. Nothing of it is believed yet.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Assessment {
    /// Stressors it names.
    pub new: Vec<StressorReport>,
    /// Stressors it says are over.
    pub resolved: Vec<EaseClaim>,
}

/// A stressor that an agent names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StressorReport {
    /// Its folded name.
    pub name: Folded,
    /// The agent's words.
    pub description: Line,
    /// When it would ease.
    pub condition: Line,
    /// Where; none when it did not say, or said what is no domain.
    pub domain: Option<ActivityDomain>,
}

/// A stressor that an agent says is over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EaseClaim {
    /// Its folded name.
    pub name: Folded,
    /// The agent's words.
    pub reason: Line,
}

/// What was wrong with one field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "snake_case")]
pub enum FieldFault {
    /// The text is not JSON.
    #[error("is not JSON")]
    NotJson,
    /// There is no block.
    #[error("is missing")]
    Missing,
    /// Not an object.
    #[error("is not an object")]
    NotAnObject,
    /// Not a list.
    #[error("is not a list")]
    NotAList,
    /// Not a text.
    #[error("is not a text")]
    NotAText,
    /// A name without a letter or a digit.
    #[error("needs a letter or a digit")]
    NoName,
    /// Longer than what is kept; the rest was cut off.
    #[error("is too long and was cut")]
    Cut,
    /// Not one of the domains.
    #[error("is not a domain")]
    NotADomain,
    /// More items than are read.
    #[error("has too many items")]
    TooMany,
}

/// One fault and its place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Flaw {
    /// Where: `new_stressors[1].type`.
    pub path: String,
    /// What.
    pub fault: FieldFault,
}

impl fmt::Display for Flaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.path, self.fault)
    }
}

/// Read the block from an agent's reply in JSON, or from the block itself.
#[must_use]
pub fn parse_assessment(text: &str) -> (Assessment, Vec<Flaw>) {
    match serde_json::from_str::<Value>(text) {
        Ok(reply) => read_assessment(&reply),
        Err(_) => (Assessment::default(), vec![Flaw { path: ASSESSMENT_KEY.to_owned(), fault: FieldFault::NotJson }]),
    }
}

/// As [`parse_assessment`], of a reply that was already read as JSON.
#[must_use]
pub fn read_assessment(reply: &Value) -> (Assessment, Vec<Flaw>) {
    let mut flaws = Flaws(Vec::new());
    let block = reply.get(ASSESSMENT_KEY).unwrap_or(reply);
    let Some(block) = block.as_object() else {
        flaws.add(ASSESSMENT_KEY.to_owned(), FieldFault::NotAnObject);
        return (Assessment::default(), flaws.0);
    };
    if !block.contains_key("new_stressors") && !block.contains_key("resolved") {
        flaws.add(ASSESSMENT_KEY.to_owned(), FieldFault::Missing);
    }
    let new = flaws.list(block.get("new_stressors"), "new_stressors", |flaws, path, item| {
        let name = flaws.name(path, item)?;
        let description = flaws.line(path, "description", item);
        let condition = flaws.line(path, "condition", item);
        Some(StressorReport { name, description, condition, domain: flaws.domain(path, item) })
    });
    let resolved = flaws.list(block.get("resolved"), "resolved", |flaws, path, item| {
        Some(EaseClaim { name: flaws.name(path, item)?, reason: flaws.line(path, "reason", item) })
    });
    (Assessment { new, resolved }, flaws.0)
}

struct Flaws(Vec<Flaw>);

impl Flaws {
    fn add(&mut self, path: String, fault: FieldFault) {
        self.0.push(Flaw { path, fault });
    }
    fn list<T>(
        &mut self,
        list: Option<&Value>,
        name: &str,
        read: impl Fn(&mut Self, &str, &Value) -> Option<T>,
    ) -> Vec<T> {
        let list = match list {
            // Agents write null for an empty list.
            None | Some(Value::Null) => return Vec::new(),
            Some(Value::Array(list)) => list,
            Some(_) => {
                self.add(name.to_owned(), FieldFault::NotAList);
                return Vec::new();
            }
        };
        if list.len() > MOST_ITEMS {
            self.add(name.to_owned(), FieldFault::TooMany);
        }
        let mut read_one = |(i, item): (usize, &Value)| {
            let path = format!("{name}[{i}]");
            if !item.is_object() {
                self.add(path, FieldFault::NotAnObject);
                return None;
            }
            read(self, &path, item)
        };
        list.iter().take(MOST_ITEMS).enumerate().filter_map(&mut read_one).collect()
    }
    /// The name is the item: without it there is none.
    fn name(&mut self, path: &str, item: &Value) -> Option<Folded> {
        let fault = match item.get("type") {
            None | Some(Value::Null) => FieldFault::Missing,
            Some(Value::String(text)) => match Folded::of(text) {
                Some(name) => return Some(name),
                None => FieldFault::NoName,
            },
            Some(_) => FieldFault::NotAText,
        };
        self.add(format!("{path}.type"), fault);
        None
    }
    fn line(&mut self, path: &str, field: &str, item: &Value) -> Line {
        let (line, fault) = match item.get(field) {
            None | Some(Value::Null) => (Line::default(), Some(FieldFault::Missing)),
            Some(Value::String(text)) => {
                let (line, cut) = Line::read(text);
                (line, cut.then_some(FieldFault::Cut))
            }
            Some(_) => (Line::default(), Some(FieldFault::NotAText)),
        };
        if let Some(fault) = fault {
            self.add(format!("{path}.{field}"), fault);
        }
        line
    }
    fn domain(&mut self, path: &str, item: &Value) -> Option<ActivityDomain> {
        let given = match item.get("domain") {
            None | Some(Value::Null) => return None,
            Some(given) => given.as_str().and_then(|tag| ActivityDomain::named(tag.trim())),
        };
        if given.is_none() {
            self.add(format!("{path}.domain"), FieldFault::NotADomain);
        }
        given
    }
}
