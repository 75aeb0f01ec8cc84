//! Anthropic's messages. A schema is kept by forcing the model to call one tool, which every one of its models can.

use super::{Adapter, Asking, Garbled, Heard, REPLY, as_object, bytes_of, call, json_headers, receipt, whole, word};
use crate::config::Structured;
use crate::key::ApiKey;
use crate::price::Usage;
use golem_core::model::{ModelMessage, ToolCall};
use golem_core::words::lines;
use reqwest::header::{HeaderMap, HeaderValue};
use serde_json::{Value, json};
use std::ops::RangeInclusive;

pub(super) struct Anthropic;

impl Adapter for Anthropic {
    fn path(&self) -> &'static str {
        "/v1/messages"
    }
    fn temperatures(&self) -> RangeInclusive<f32> {
        0.0..=1.0
    }
    fn headers(&self, key: Option<&ApiKey>) -> HeaderMap {
        let mut headers = json_headers();
        headers.insert("anthropic-version", HeaderValue::from_static("2023-06-01"));
        if let Some(value) = key.and_then(|k| k.header("")) {
            headers.insert("x-api-key", value);
        }
        headers
    }

    fn body(&self, asking: &Asking<'_>) -> Value {
        let mut body = json!({
            "model": asking.model,
            "max_tokens": asking.max_output,
            "messages": messages(&asking.request.messages),
            "stream": false,
        });
        let system = asking.system();
        if !system.is_empty() {
            body["system"] = system.into();
        }
        if let Some(t) = asking.temperature(self.temperatures()) {
            body["temperature"] = t.into();
        }
        let mut tools = asking.tools();
        if !tools.is_empty() {
            body["tool_choice"] = json!({ "type": if asking.schema.is_some() { "any" } else { "auto" } });
        } else if let (Some(schema), Structured::Schema) = (asking.schema, asking.provider.structured) {
            tools.push((REPLY, "Give the answer.", schema.clone()));
            body["tool_choice"] = json!({ "type": "tool", "name": REPLY });
        }
        if !tools.is_empty() {
            let one = |(name, about, schema): (&str, &str, Value)| json!({ "name": name, "description": about, "input_schema": schema });
            body["tools"] = tools.into_iter().map(one).collect();
        }
        asking.extras(&mut body);
        body
    }

    fn read(&self, answer: &Value) -> Result<Heard, Garbled> {
        let blocks = answer.get("content").and_then(Value::as_array).ok_or(Garbled)?;
        let (mut text, mut calls, mut thought) = (String::new(), Vec::new(), 0);
        for block in blocks {
            match block.get("type").and_then(Value::as_str) {
                Some("text") => text.push_str(block.get("text").and_then(Value::as_str).ok_or(Garbled)?),
                Some("tool_use") => {
                    calls.push(call(calls.len(), block.get("id"), block.get("name"), block.get("input"))?);
                }
                // Thoughts, and whatever is invented later.
                Some(_) => thought += bytes_of(block, &["thinking", "data"]),
                None => return Err(Garbled),
            }
        }
        let usage = answer.get("usage");
        let of = |field: &str| usage.and_then(|u| u.get(field)).filter(|v| !v.is_null());
        // What is written to or read from a cache is counted apart there.
        let cache = |field: &str| of(field).map_or(Some(0), |told| whole(Some(told)));
        let (written, cached) = (cache("cache_creation_input_tokens"), cache("cache_read_input_tokens"));
        let beside = written.zip(cached).and_then(|(a, b)| a.checked_add(b));
        let input = whole(of("input_tokens")).zip(beside).and_then(|(a, b)| a.checked_add(b));
        let stopped = answer.get("stop_reason").and_then(Value::as_str);
        Ok(Heard {
            receipt: receipt(answer),
            model: word(answer.get("model")),
            text: lines(&text),
            calls,
            usage: Usage { input, cached, written, output: whole(of("output_tokens")) },
            cut: matches!(stopped, Some("max_tokens" | "model_context_window_exceeded")),
            thought,
        })
    }
}

/// Answers of tools are said by the user there, all of one turn together.
fn messages(all: &[ModelMessage]) -> Vec<Value> {
    let mut out: Vec<Value> = Vec::new();
    for message in all {
        let (role, blocks) = match message {
            ModelMessage::Golem { text } => ("user", said(text)),
            ModelMessage::Model { text, calls } => {
                let one = |c: &ToolCall| json!({ "type": "tool_use", "id": c.id, "name": c.name, "input": as_object(&c.arguments) });
                ("assistant", said(text).into_iter().chain(calls.iter().map(one)).collect())
            }
            ModelMessage::Tool { call, text } => {
                ("user", vec![json!({ "type": "tool_result", "tool_use_id": call, "content": text })])
            }
        };
        match out.last_mut() {
            Some(last) if last["role"] == role => {
                if let Some(content) = last["content"].as_array_mut() {
                    content.extend(blocks);
                }
            }
            _ => out.push(json!({ "role": role, "content": blocks })),
        }
    }
    out
}

/// An empty text is refused there.
fn said(text: &str) -> Vec<Value> {
    if text.trim().is_empty() { Vec::new() } else { vec![json!({ "type": "text", "text": text })] }
}
