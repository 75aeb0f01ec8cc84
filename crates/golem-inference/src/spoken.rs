//! Tools for servers that know schemas but not tools: what may be called becomes part of the schema, so that even a very
//! small model calls a tool in the right form or gives the reply, and nothing else.

use crate::adapter::Heard;
use crate::schema::{one_object, strict};
use golem_core::model::{ModelMessage, ModelRequest, ToolCall, ToolSpec};
use serde_json::{Value, json};

/// A request without tools that asks for the same, and the schema of what may come back. `reply` is the schema of the
/// reply; free text without one.
pub(crate) fn without_tools(request: &ModelRequest, reply: Option<&Value>) -> (ModelRequest, Value) {
    let parse = |t: &ToolSpec| serde_json::from_str(&t.parameters).unwrap_or_else(|_| json!({ "type": "object" }));
    let closed = |properties: Value| {
        let required: Vec<&String> = properties.as_object().into_iter().flatten().map(|(name, _)| name).collect();
        json!({ "type": "object", "required": required, "additionalProperties": false, "properties": properties })
    };
    let call = |t: &ToolSpec| closed(json!({ "call": { "const": t.name }, "arguments": parse(t) }));
    let mut ways: Vec<Value> = request.tools.iter().map(call).collect();
    ways.push(closed(json!({ "reply": reply.cloned().unwrap_or_else(|| json!({ "type": "string" })) })));

    let mut asked = request.clone();
    asked.tools.clear();
    asked.messages = request.messages.iter().map(plain).collect();
    asked.system.push_str("\n\nReply with one JSON object: {\"reply\": ...} to answer, or, to call a tool first, ");
    asked.system.push_str("{\"call\": name, \"arguments\": {...}}. The tools:");
    for tool in &request.tools {
        asked.system.push_str(&format!("\n- {}: {} Arguments: {}", tool.name, tool.about, tool.parameters));
    }
    (asked, json!({ "anyOf": ways }))
}

/// What was said and answered before, in plain words.
fn plain(message: &ModelMessage) -> ModelMessage {
    match message {
        ModelMessage::Golem { text } => ModelMessage::Golem { text: text.clone() },
        ModelMessage::Model { text, calls } => {
            let call = |c: &ToolCall| {
                let arguments: Value = serde_json::from_str(&c.arguments).unwrap_or(Value::Null);
                json!({ "call": c.name, "arguments": arguments }).to_string()
            };
            let mut words: Vec<String> = calls.iter().map(call).collect();
            if !text.is_empty() {
                words.insert(0, text.clone());
            }
            ModelMessage::Model { text: words.join("\n"), calls: Vec::new() }
        }
        ModelMessage::Tool { text, .. } => ModelMessage::Golem { text: format!("The tool answered: {text}") },
    }
}

/// Turn an answer back: an object with `call` is a call, one with `reply` is the reply. Anything else is left as it is,
/// for whoever judges it.
pub(crate) fn with_tools(heard: &mut Heard) {
    let Some(Value::Object(mut object)) = one_object(&heard.text).ok().and_then(|text| strict(text).ok()) else {
        return;
    };
    match (object.remove("call"), object.remove("arguments"), object.remove("reply")) {
        (Some(Value::String(name)), Some(arguments), None) if object.is_empty() => {
            heard.calls = vec![ToolCall { id: "call_0".into(), name, arguments: arguments.to_string() }];
            heard.text.clear();
        }
        (None, None, Some(Value::String(text))) if object.is_empty() => heard.text = text,
        (None, None, Some(reply)) if object.is_empty() => heard.text = reply.to_string(),
        _ => {}
    }
}
