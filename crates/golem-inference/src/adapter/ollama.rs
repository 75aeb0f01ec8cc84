//! Ollama's own chat, with `format` for a schema.

use super::{
    Adapter, Asking, Garbled, Heard, after_thoughts, as_object, bearer, bytes_of, call, receipt, tool_of, whole, word,
};
use crate::config::Structured;
use crate::key::ApiKey;
use crate::price::Usage;
use golem_core::model::{ModelMessage, ToolCall};
use golem_core::words::lines;
use reqwest::header::HeaderMap;
use serde_json::{Value, json};
use std::ops::RangeInclusive;

pub(super) struct Ollama;

impl Adapter for Ollama {
    fn path(&self) -> &'static str {
        "/api/chat"
    }
    fn temperatures(&self) -> RangeInclusive<f32> {
        0.0..=2.0
    }
    fn headers(&self, key: Option<&ApiKey>) -> HeaderMap {
        bearer(key)
    }

    fn body(&self, asking: &Asking<'_>) -> Value {
        let mut messages = vec![json!({ "role": "system", "content": asking.system() })];
        messages.extend(asking.request.messages.iter().map(|m| message(m, &asking.request.messages)));
        let mut body = json!({
            "model": asking.model,
            "messages": messages,
            "stream": false,
            "options": { "num_predict": asking.max_output },
        });
        if let Some(t) = asking.temperature(self.temperatures()) {
            body["options"]["temperature"] = t.into();
        }
        let tools = asking.tools();
        if !tools.is_empty() {
            let one = |(name, about, parameters): (&str, &str, Value)| json!({ "type": "function", "function": { "name": name, "description": about, "parameters": parameters } });
            body["tools"] = tools.into_iter().map(one).collect();
        } else if let Some(schema) = asking.schema_of_text() {
            body["format"] = schema.clone();
        } else if asking.schema.is_some() && asking.provider.structured == Structured::Object {
            body["format"] = "json".into();
        }
        asking.extras(&mut body);
        body
    }

    fn read(&self, answer: &Value) -> Result<Heard, Garbled> {
        let message = answer.get("message").filter(|m| m.is_object()).ok_or(Garbled)?;
        if answer.get("done").and_then(Value::as_bool) != Some(true) {
            return Err(Garbled);
        }
        let text = match message.get("content") {
            None | Some(Value::Null) => "",
            Some(Value::String(text)) => text,
            Some(_) => return Err(Garbled),
        };
        let calls = match message.get("tool_calls") {
            None | Some(Value::Null) => Vec::new(),
            Some(Value::Array(list)) => list.iter().enumerate().map(read_call).collect::<Result<_, _>>()?,
            Some(_) => return Err(Garbled),
        };
        // The count of what went in is left out when it was cached; it is estimated then.
        let (input, output) = (whole(answer.get("prompt_eval_count")), whole(answer.get("eval_count")));
        let (text, before) = after_thoughts(text);
        Ok(Heard {
            receipt: receipt(answer),
            model: word(answer.get("model")),
            text: lines(text),
            calls,
            usage: Usage { input, output, ..Usage::default() },
            cut: answer.get("done_reason").and_then(Value::as_str) == Some("length"),
            thought: before + bytes_of(message, &["thinking"]),
        })
    }
}

fn read_call((place, item): (usize, &Value)) -> Result<ToolCall, Garbled> {
    let function = item.get("function").ok_or(Garbled)?;
    call(place, item.get("id"), function.get("name"), function.get("arguments"))
}

fn message(message: &ModelMessage, all: &[ModelMessage]) -> Value {
    match message {
        ModelMessage::Golem { text } => json!({ "role": "user", "content": text }),
        ModelMessage::Model { text, calls } if calls.is_empty() => json!({ "role": "assistant", "content": text }),
        ModelMessage::Model { text, calls } => {
            let one = |c: &ToolCall| json!({ "function": { "name": c.name, "arguments": as_object(&c.arguments) } });
            json!({ "role": "assistant", "content": text, "tool_calls": calls.iter().map(one).collect::<Vec<_>>() })
        }
        ModelMessage::Tool { call, text } => {
            json!({ "role": "tool", "tool_name": tool_of(all, call), "content": text })
        }
    }
}
