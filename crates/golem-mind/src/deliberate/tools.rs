//! The tools a model may call, as they are described to it. A call is text from a stranger until it has been read here.

use crate::math::unit;
use crate::policy::Act;
use golem_core::Tool;
use golem_core::model::{ToolCall, ToolSpec};
use golem_core::words::one_line;
use serde_json::Value;

fn about(tool: Tool) -> &'static str {
    match tool {
        Tool::QueryGrimoire => "What the golem has learnt that fits some words, with how sure it is.",
        Tool::QueryState => "What is observed now: all fields, or the named ones.",
        Tool::SearchContext => "What happened in times that some words describe.",
        Tool::PreviewAction => "What an action would do now, tried on a copy of the world that is thrown away.",
        Tool::CommitAction => "Wish for an action and end the deliberation. Gates may refuse it.",
        Tool::EmergencyHalt => "Open nothing any more until the owner says so. Reducing goes on.",
    }
}

fn parameters(tool: Tool) -> &'static str {
    match tool {
        Tool::QueryGrimoire | Tool::SearchContext => TEXT,
        Tool::QueryState => FIELDS,
        Tool::PreviewAction => ACTION,
        Tool::CommitAction => COMMIT,
        Tool::EmergencyHalt => REASON,
    }
}

const TEXT: &str = r#"{"type":"object","additionalProperties":false,"required":["text"],"properties":{"text":{"type":"string","maxLength":200}}}"#;
const FIELDS: &str = r#"{"type":"object","additionalProperties":false,"properties":{"fields":{"type":"array","maxItems":20,"items":{"type":"string","maxLength":60}}}}"#;
const ACTION: &str = r#"{"type":"object","additionalProperties":false,"required":["action"],"properties":{"action":{"enum":["buy","sell","add","remove","collect","rebalance"]},"percent":{"type":"integer","minimum":1,"maximum":100}}}"#;
const COMMIT: &str = r#"{"type":"object","additionalProperties":false,"required":["action","confidence","reason"],"properties":{"action":{"enum":["hold","buy","sell","add","remove","collect","rebalance"]},"percent":{"type":"integer","minimum":1,"maximum":100},"confidence":{"type":"number","minimum":0,"maximum":1},"reason":{"type":"string","maxLength":200}}}"#;
const REASON: &str = r#"{"type":"object","additionalProperties":false,"required":["reason"],"properties":{"reason":{"type":"string","maxLength":200}}}"#;

/// The tools as they are described to a model.
#[must_use]
pub fn specs() -> Vec<ToolSpec> {
    let spec = |tool: Tool| ToolSpec {
        name: tool.name().to_owned(),
        about: about(tool).to_owned(),
        parameters: parameters(tool).to_owned(),
    };
    Tool::ALL.into_iter().map(spec).collect()
}

/// A call that has been read.
#[derive(Debug, Clone, PartialEq)]
pub enum Called {
    /// Look in what the golem knows.
    Grimoire(String),
    /// Look at what is observed; no names mean everything.
    State(Vec<String>),
    /// Look for times like this one.
    Context(String),
    /// Try an action with a share of what there is, from 0 to 1.
    Preview(Act, f64),
    /// Wish for an action.
    Commit {
        /// What.
        act: Act,
        /// How much of what there is, from 0 to 1.
        share: f64,
        /// How sure, from 0 to 1.
        confidence: f64,
        /// Why.
        reason: String,
    },
    /// Stop all new risk.
    Halt(String),
}

/// Why a call came to nothing. The model is told.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadCall {
    /// There is no such tool.
    #[error("there is no tool {0:?}; there are {all}", all = every_name())]
    NoSuchTool(String),
    /// The arguments are no JSON object.
    #[error("the arguments are no JSON object")]
    NoObject,
    /// An argument is missing or is not what it must be.
    #[error("{0} is missing or not what it must be")]
    Argument(&'static str),
}

fn every_name() -> String {
    let [most @ .., last] = Tool::ALL.map(Tool::name);
    format!("{} and {last}", most.join(", "))
}

/// Read a call.
///
/// # Errors
/// When it names no tool, or its arguments do not fit.
pub fn read_call(call: &ToolCall) -> Result<Called, BadCall> {
    let tool = Tool::named(&call.name).ok_or_else(|| BadCall::NoSuchTool(one_line(&call.name, 40)))?;
    let given: Value = serde_json::from_str(&call.arguments).map_err(|_| BadCall::NoObject)?;
    let given = given.as_object().ok_or(BadCall::NoObject)?;
    let text = |key: &'static str| {
        let words = given.get(key).and_then(Value::as_str).map(|t| one_line(t, 200)).filter(|t| !t.is_empty());
        words.ok_or(BadCall::Argument(key))
    };
    let act = || {
        let named = given.get("action").cloned().and_then(|a| serde_json::from_value::<Act>(a).ok());
        named.ok_or(BadCall::Argument("action"))
    };
    let share = || match given.get("percent") {
        None => Ok(1.0),
        Some(percent) => {
            let percent = percent.as_f64().filter(|p| *p > 0.0 && *p <= 100.0);
            percent.map(|p| p / 100.0).ok_or(BadCall::Argument("percent"))
        }
    };
    Ok(match tool {
        Tool::QueryGrimoire => Called::Grimoire(text("text")?),
        Tool::SearchContext => Called::Context(text("text")?),
        Tool::QueryState => {
            let names = given.get("fields").and_then(Value::as_array).into_iter().flatten();
            Called::State(names.filter_map(Value::as_str).take(20).map(|n| one_line(n, 60)).collect())
        }
        Tool::PreviewAction => match act()? {
            Act::Hold => return Err(BadCall::Argument("action")),
            act => Called::Preview(act, share()?),
        },
        Tool::CommitAction => {
            let confidence = given.get("confidence").and_then(Value::as_f64).ok_or(BadCall::Argument("confidence"))?;
            Called::Commit { act: act()?, share: share()?, confidence: unit(confidence), reason: text("reason")? }
        }
        Tool::EmergencyHalt => Called::Halt(text("reason")?),
    })
}
