//! Three languages of three kinds of provider: how a request is written, and how an answer is read.
//!
//! Pure: values in, values out. Never believes a field to be there.

mod anthropic;
mod ollama;
mod openai;

use crate::config::{ProviderConfig, ProviderKind, Structured};
use crate::key::ApiKey;
use crate::price::Usage;
use crate::text::short;
use golem_core::model::{ModelMessage, ModelRequest, ToolCall, ToolSpec};
use golem_core::words::lines;
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderValue};
use serde_json::{Map, Value, json};
use std::ops::RangeInclusive;

/// The tool by which a model gives its last answer where other tools are offered too: a schema for the text would keep
/// it from calling any.
pub(crate) const REPLY: &str = "reply";

/// The most bytes of an attestation that are kept.
const LONGEST_RECEIPT: usize = 8_000;

/// The most tools that one answer may call.
const MOST_CALLS: usize = 16;

/// Everything that a body is made from.
pub(crate) struct Asking<'a> {
    pub request: &'a ModelRequest,
    pub provider: &'a ProviderConfig,
    pub model: &'a str,
    pub max_output: u32,
    /// The schema, when the answer must fit one.
    pub schema: Option<&'a Value>,
}

/// An answer as it was read.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Heard {
    pub model: Option<String>,
    pub text: String,
    pub calls: Vec<ToolCall>,
    pub usage: Usage,
    /// True when it came to the limit of its tokens.
    pub cut: bool,
    /// Bytes of thoughts that came before the answer. They are paid for, and not read.
    pub thought: usize,
    /// What the provider attests about it, as it came.
    pub receipt: String,
}

/// What is not in the provider's own format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Garbled;

/// A provider's language.
pub(crate) trait Adapter {
    /// Where questions go, after the base address.
    fn path(&self) -> &'static str;
    /// The temperatures that it takes.
    fn temperatures(&self) -> RangeInclusive<f32>;
    /// The headers, with the key.
    fn headers(&self, key: Option<&ApiKey>) -> HeaderMap;
    /// The body of a question.
    fn body(&self, asking: &Asking<'_>) -> Value;
    /// Read an answer.
    fn read(&self, answer: &Value) -> Result<Heard, Garbled>;
}

pub(crate) fn of(kind: ProviderKind) -> &'static dyn Adapter {
    match kind {
        ProviderKind::Openai => &openai::Openai,
        ProviderKind::Anthropic => &anthropic::Anthropic,
        ProviderKind::Ollama => &ollama::Ollama,
    }
}

impl Asking<'_> {
    /// The temperature within what the adapter takes; `None` for a model that takes none.
    fn temperature(&self, takes: RangeInclusive<f32>) -> Option<f64> {
        let wanted = self.request.temperature;
        let wanted = if wanted.is_finite() { wanted } else { 0.0 };
        // Through text, so that 0.7 does not become 0.699999988079071.
        let kept = wanted.clamp(*takes.start(), *takes.end()).to_string().parse().unwrap_or(0.0);
        self.provider.takes_temperature.then_some(kept)
    }

    /// The schema for the text itself: only where no tool is offered.
    fn schema_of_text(&self) -> Option<&Value> {
        self.schema.filter(|_| self.request.tools.is_empty() && self.provider.structured == Structured::Schema)
    }

    /// The tools that are offered: those of the request and, where the answer must fit a schema, the one to answer with.
    fn tools(&self) -> Vec<(&str, &str, Value)> {
        let parse = |t: &ToolSpec| serde_json::from_str(&t.parameters).unwrap_or_else(|_| json!({ "type": "object" }));
        let mut all: Vec<(&str, &str, Value)> =
            self.request.tools.iter().map(|t| (t.name.as_str(), t.about.as_str(), parse(t))).collect();
        if let (Some(schema), false) = (self.schema, all.is_empty()) {
            all.push((REPLY, "Give the final answer.", schema.clone()));
        }
        all
    }

    /// What else the provider wants in the body; more of it where the web may be searched.
    fn extras(&self, body: &mut Value) {
        if self.request.web {
            with_options(body, &self.provider.web_search);
        }
        with_options(body, &self.provider.options);
    }

    /// What the model is told, with the schema in words where it cannot be told otherwise.
    fn system(&self) -> String {
        match self.schema {
            Some(schema) if self.schema_of_text().is_none() && self.request.tools.is_empty() => {
                format!(
                    "{}\n\nReply with one JSON object that fits this JSON schema, and nothing else:\n{schema}",
                    self.request.system
                )
            }
            _ => self.request.system.clone(),
        }
    }
}

/// What a provider attests beside its answer: words, or an object as text. One that is too long is none.
fn receipt(answer: &Value) -> String {
    let text = match answer.get("attestation") {
        Some(Value::String(text)) => text.clone(),
        Some(object @ Value::Object(_)) => object.to_string(),
        _ => String::new(),
    };
    if text.len() <= LONGEST_RECEIPT { lines(&text) } else { String::new() }
}

/// Put a provider's own options under what is already there: nothing of ours is overwritten.
pub(crate) fn with_options(body: &mut Value, options: &Map<String, Value>) {
    let Value::Object(body) = body else { return };
    for (field, value) in options.iter().filter(|(field, _)| !crate::config::OURS.contains(&field.as_str())) {
        match (body.get_mut(field), value) {
            (Some(ours @ Value::Object(_)), Value::Object(theirs)) => with_options_inside(ours, theirs),
            (Some(_), _) => {}
            (None, value) => {
                body.insert(field.clone(), value.clone());
            }
        }
    }
}

fn with_options_inside(ours: &mut Value, theirs: &Map<String, Value>) {
    if let Value::Object(ours) = ours {
        for (field, value) in theirs {
            ours.entry(field.clone()).or_insert_with(|| value.clone());
        }
    }
}

fn json_headers() -> HeaderMap {
    HeaderMap::from_iter([(CONTENT_TYPE, HeaderValue::from_static("application/json"))])
}

fn bearer(key: Option<&ApiKey>) -> HeaderMap {
    let mut headers = json_headers();
    if let Some(value) = key.and_then(|k| k.header("Bearer ")) {
        headers.insert(reqwest::header::AUTHORIZATION, value);
    }
    headers
}

/// A whole number that is not negative, however it is written. Anything else is nothing.
fn whole(value: Option<&Value>) -> Option<u64> {
    let value = value?;
    value.as_u64().or_else(|| {
        let x = value.as_f64()?;
        ((0.0..=9e15).contains(&x) && x.fract() == 0.0).then_some(x as u64)
    })
}

fn word(value: Option<&Value>) -> Option<String> {
    value.and_then(Value::as_str).map(|t| short(t, 120)).filter(|t| !t.is_empty())
}

/// A call as it came; one without an id gets one by its place.
fn call(
    place: usize,
    id: Option<&Value>,
    name: Option<&Value>,
    arguments: Option<&Value>,
) -> Result<ToolCall, Garbled> {
    if place >= MOST_CALLS {
        return Err(Garbled);
    }
    let arguments = match arguments {
        Some(Value::String(text)) => text.clone(),
        Some(object @ Value::Object(_)) => object.to_string(),
        None | Some(Value::Null) => "{}".into(),
        Some(_) => return Err(Garbled),
    };
    Ok(ToolCall {
        id: word(id).unwrap_or_else(|| format!("call_{place}")),
        name: word(name).ok_or(Garbled)?,
        arguments: lines(&arguments),
    })
}

/// Where models of one kind put their thoughts when nobody takes them out of their words.
const THINKS: (&str, &str) = ("<think>", "</think>");

/// The answer after the thoughts, and how many bytes were thoughts. Thoughts that never end are no answer.
fn after_thoughts(text: &str) -> (&str, usize) {
    let begun = text.trim_start();
    let answer = match begun.strip_prefix(THINKS.0) {
        Some(inside) => inside.split_once(THINKS.1).map_or("", |(_, answer)| answer),
        // Some templates open the thoughts themselves, and only their end is seen.
        None if !begun.starts_with(['{', '[']) => begun.split_once(THINKS.1).map_or(text, |(_, answer)| answer),
        None => text,
    };
    (answer, text.len() - answer.len())
}

/// Bytes of the first of these fields that is a text.
fn bytes_of(value: &Value, fields: &[&str]) -> usize {
    fields.iter().find_map(|field| value.get(field)?.as_str()).map_or(0, str::len)
}

/// What a model wrote as arguments, as an object: providers that want one get an empty one for anything else.
fn as_object(arguments: &str) -> Value {
    serde_json::from_str::<Value>(arguments).ok().filter(Value::is_object).unwrap_or_else(|| json!({}))
}

/// The name of the tool that a call was for.
fn tool_of<'a>(messages: &'a [ModelMessage], id: &str) -> &'a str {
    let calls = messages.iter().flat_map(|m| match m {
        ModelMessage::Model { calls, .. } => calls.as_slice(),
        _ => &[],
    });
    calls.filter(|c| c.id == id).map(|c| c.name.as_str()).next_back().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// JSON that looks a little like an answer: the names are theirs, the values are anything.
    fn almost() -> impl Strategy<Value = Value> {
        let names = "choices|message|content|tool_calls|function|name|arguments|id|type|text|input|usage|done|model\
                     |prompt_tokens|completion_tokens|prompt_tokens_details|cached_tokens|reasoning_content|finish_reason|input_tokens|output_tokens|eval_count|tool_use";
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Into::into),
            any::<i64>().prop_map(Into::into),
            any::<f64>().prop_map(Into::into),
            "text|tool_use|\\PC{0,8}".prop_map(Into::into),
        ];
        leaf.prop_recursive(6, 60, 5, move |inner| {
            prop_oneof![
                proptest::collection::vec(inner.clone(), 0..4).prop_map(Into::into),
                proptest::collection::btree_map(names, inner, 0..5)
                    .prop_map(|m| Value::Object(m.into_iter().collect())),
            ]
        })
    }

    #[test]
    fn thoughts_are_no_answer() {
        for (text, answer) in [
            ("yes", "yes"),
            ("<think>well, yes or no?</think>yes", "yes"),
            ("\n<think>well</think>\n\nyes", "\n\nyes"),
            ("well, it might</think>yes", "yes"),
            ("<think>and on and on", ""),
            ("{\"why\":\"</think>\"}", "{\"why\":\"</think>\"}"),
            ("", ""),
        ] {
            assert_eq!(after_thoughts(text), (answer, text.len() - answer.len()), "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn nothing_that_comes_back_makes_it_panic(answer in almost(), done in any::<bool>()) {
            let wrapped = json!({ "choices": [{ "message": answer }], "message": answer, "content": [answer],
                                  "usage": answer, "done": done });
            for kind in [ProviderKind::Openai, ProviderKind::Anthropic, ProviderKind::Ollama] {
                for value in [&answer, &wrapped] {
                    if let Ok(heard) = of(kind).read(value) {
                        prop_assert!(heard.calls.len() <= MOST_CALLS);
                        prop_assert!(heard.calls.iter().all(|c| !c.name.is_empty() && !c.id.is_empty()));
                        prop_assert!(heard.text.chars().all(|c| c == '\n' || c == '\t' || !c.is_control()), "{:?}", heard.text);
                    }
                }
            }
        }
    }
}
