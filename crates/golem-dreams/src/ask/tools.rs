//! The tools of a dreamer: three that look things up. What acts is not in the list, so that a call of it is refused
//! before anything reads its arguments.

use golem_core::Tool;
use golem_core::model::{ToolCall, ToolSpec};

/// What a dreaming model may call.
pub const DREAM_TOOLS: [Tool; 3] = [Tool::QueryGrimoire, Tool::QueryState, Tool::SearchContext];

const TEXT: &str = r#"{"type":"object","additionalProperties":false,"required":["text"],"properties":{"text":{"type":"string","maxLength":200}}}"#;
const FIELDS: &str = r#"{"type":"object","additionalProperties":false,"properties":{"fields":{"type":"array","maxItems":20,"items":{"type":"string","maxLength":60}}}}"#;

pub(super) fn specs() -> Vec<ToolSpec> {
    let spec = |tool: Tool| {
        let (about, parameters) = match tool {
            Tool::QueryState => ("What is observed now: all fields, or the named ones.", FIELDS),
            Tool::SearchContext => ("What happened in times that some words describe.", TEXT),
            _ => ("What the golem has learnt that fits some words, with how sure it is.", TEXT),
        };
        ToolSpec { name: tool.name().to_owned(), about: about.to_owned(), parameters: parameters.to_owned() }
    };
    DREAM_TOOLS.into_iter().map(spec).collect()
}

/// The tool of a call, if a dreamer has it.
#[must_use]
pub fn may_call(call: &ToolCall) -> Option<Tool> {
    Tool::named(&call.name).filter(|tool| DREAM_TOOLS.contains(tool))
}
