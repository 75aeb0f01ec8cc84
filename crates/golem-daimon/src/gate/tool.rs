//! What class each tool of a model is, and whether it may be used.

use super::classify::{Exposure, classify};
use super::denied::{Denied, WhyDenied};
use super::{ActionClass, GateSituation, gate};
use golem_core::{Intent, Tool};

/// The class of a tool; none when that is its intent's.
#[must_use]
pub fn tool_class(tool: Tool) -> Option<ActionClass> {
    match tool {
        // Reading one's own books and trying on a throw-away fork change nothing: self-examination.
        Tool::QueryState | Tool::QueryGrimoire | Tool::PreviewAction => Some(ActionClass::Reflect),
        Tool::SearchContext => Some(ActionClass::Learn),
        Tool::EmergencyHalt => Some(ActionClass::Reduce),
        Tool::CommitAction => None,
    }
}

/// Whether a model may use a tool here.
///
/// # Errors
/// The denial; an unknown tool, and an action without a readable intent, are denied as opening.
pub fn gate_tool(
    name: &str,
    intent: Option<(&Intent, Option<Exposure>)>,
    situation: &GateSituation,
) -> Result<ActionClass, Denied> {
    let closed = |why| Denied { class: ActionClass::Open, why };
    let tool = Tool::named(name).ok_or_else(|| closed(WhyDenied::UnknownTool))?;
    let of_intent = || intent.map(|(intent, effect)| classify(intent, effect));
    let class = tool_class(tool).or_else(of_intent).ok_or_else(|| closed(WhyDenied::NoIntent))?;
    gate(class, situation).map(|()| class)
}
