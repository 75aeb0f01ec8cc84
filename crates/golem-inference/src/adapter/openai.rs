//! Chat completions, as OpenAI, Venice, vLLM, llama.cpp and Ollama (under `/v1`) speak them.

use super::{Adapter, Asking, Garbled, Heard, after_thoughts, bearer, bytes_of, call, receipt, whole, word};
use crate::config::{OutputCap, Structured};
use crate::key::ApiKey;
use crate::price::Usage;
use golem_core::model::{ModelMessage, ToolCall};
use golem_core::words::lines;
use reqwest::header::HeaderMap;
use serde_json::{Value, json};
use std::ops::RangeInclusive;

pub(super) struct Openai;

impl Adapter for Openai {
    fn path(&self) -> &'static str {
        "/chat/completions"
    }
    fn temperatures(&self) -> RangeInclusive<f32> {
        0.0..=2.0
    }
    fn headers(&self, key: Option<&ApiKey>) -> HeaderMap {
        bearer(key)
    }

    fn body(&self, asking: &Asking<'_>) -> Value {
        let mut messages = vec![json!({ "role": "system", "content": asking.system() })];
        messages.extend(asking.request.messages.iter().map(message));
        let mut body = json!({ "model": asking.model, "messages": messages, "stream": false });
        let cap = match asking.provider.output_cap {
            OutputCap::MaxTokens => "max_tokens",
            OutputCap::MaxCompletionTokens => "max_completion_tokens",
        };
        body[cap] = asking.max_output.into();
        if let Some(t) = asking.temperature(self.temperatures()) {
            body["temperature"] = t.into();
        }
        let tools = asking.tools();
        if !tools.is_empty() {
            let one = |(name, about, parameters): (&str, &str, Value)| json!({ "type": "function", "function": { "name": name, "description": about, "parameters": parameters } });
            body["tools"] = tools.into_iter().map(one).collect();
            body["tool_choice"] = if asking.schema.is_some() { "required".into() } else { "auto".into() };
        } else if let Some(schema) = asking.schema_of_text() {
            let strict = can_be_strict(schema);
            body["response_format"] = json!({ "type": "json_schema", "json_schema": { "name": "reply", "strict": strict, "schema": schema } });
        } else if asking.schema.is_some() && asking.provider.structured == Structured::Object {
            body["response_format"] = json!({ "type": "json_object" });
        }
        asking.extras(&mut body);
        body
    }

    fn read(&self, answer: &Value) -> Result<Heard, Garbled> {
        let message = answer.pointer("/choices/0/message").filter(|m| m.is_object()).ok_or(Garbled)?;
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
        let (text, before) = after_thoughts(text);
        Ok(Heard {
            receipt: receipt(answer),
            model: word(answer.get("model")),
            text: lines(text),
            calls,
            usage: answer.get("usage").map(usage).unwrap_or_default(),
            cut: answer.pointer("/choices/0/finish_reason").and_then(Value::as_str) == Some("length"),
            thought: before + bytes_of(message, &["reasoning_content", "reasoning"]),
        })
    }
}

/// What was used. Tokens of a cache are part of those that went in; thoughts are part of what came out, or beside it where
/// the sum says so.
fn usage(told: &Value) -> Usage {
    let of = |pointer: &str| whole(told.pointer(pointer));
    let (input, said) = (of("/prompt_tokens"), of("/completion_tokens"));
    let cached = of("/prompt_tokens_details/cached_tokens").or_else(|| of("/prompt_cache_hit_tokens"));
    let thought = of("/completion_tokens_details/reasoning_tokens").unwrap_or(0);
    let with_thought = said.and_then(|said| said.checked_add(thought));
    let apart = input
        .zip(with_thought)
        .and_then(|(a, b)| a.checked_add(b))
        .is_some_and(|sum| thought > 0 && of("/total_tokens") == Some(sum));
    Usage { input, cached, written: None, output: if apart { with_thought } else { said } }
}

fn read_call((place, item): (usize, &Value)) -> Result<ToolCall, Garbled> {
    let function = item.get("function").ok_or(Garbled)?;
    call(place, item.get("id"), function.get("name"), function.get("arguments"))
}

fn message(message: &ModelMessage) -> Value {
    match message {
        ModelMessage::Golem { text } => json!({ "role": "user", "content": text }),
        ModelMessage::Model { text, calls } if calls.is_empty() => json!({ "role": "assistant", "content": text }),
        ModelMessage::Model { text, calls } => {
            let one = |c: &ToolCall| json!({ "id": c.id, "type": "function", "function": { "name": c.name, "arguments": c.arguments } });
            json!({ "role": "assistant", "content": text, "tool_calls": calls.iter().map(one).collect::<Vec<_>>() })
        }
        ModelMessage::Tool { call, text } => json!({ "role": "tool", "tool_call_id": call, "content": text }),
    }
}

/// Strict mode wants every object closed and every property required; a schema that is not so would be refused.
fn can_be_strict(schema: &Value) -> bool {
    match schema {
        Value::Object(map) => {
            let object = map.get("type").and_then(Value::as_str) == Some("object") || map.contains_key("properties");
            let closed = map.get("additionalProperties") == Some(&Value::Bool(false));
            let required = map.get("required").and_then(Value::as_array).map_or(0, Vec::len);
            let named = map.get("properties").and_then(Value::as_object).map_or(0, serde_json::Map::len);
            (!object || (closed && required == named)) && map.values().all(can_be_strict)
        }
        Value::Array(list) => list.iter().all(can_be_strict),
        _ => true,
    }
}
