//! Strict reading of what a model wrote: one JSON object, whole and unambiguous, that fits a schema.
//!
//! Never guesses: no repair of brackets, no choice between two objects, no field that was written twice.

use crate::rules::Rules;
use crate::text::short;
use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};
use std::fmt;

/// A schema, ready to judge.
pub struct Schema {
    value: Value,
    rules: Rules,
}

/// The most faults that are named, and the most characters of naming them.
const FAULTS: usize = 4;
const WORDS: usize = 400;

impl Schema {
    /// Read a schema from its text. Nothing outside of the text is looked up.
    ///
    /// # Errors
    /// When the text is no schema, or says what is not understood here.
    pub fn new(text: &str) -> Result<Self, String> {
        let value = strict(text).map_err(|why| format!("the schema is no JSON: {why}"))?;
        let rules = Rules::read(&value).map_err(|why| format!("the schema is none: {why}"))?;
        Ok(Self { value, rules })
    }

    /// The schema itself.
    #[must_use]
    pub fn value(&self) -> &Value {
        &self.value
    }

    /// Judge a value.
    ///
    /// # Errors
    /// What does not fit, by place and rule. What the model wrote is not repeated.
    pub fn check(&self, value: &Value) -> Result<(), String> {
        let wrong = self.rules.judge(value, FAULTS);
        if wrong.is_empty() { Ok(()) } else { Err(short(&wrong.join("; "), WORDS)) }
    }

    /// Read one object from a model's words and judge it. Returns it as it was written, without the fields that nobody
    /// asked for: an extra field costs itself, not the answer.
    ///
    /// # Errors
    /// Why there is none, or none that fits.
    pub fn read(&self, text: &str) -> Result<(Value, String), String> {
        let written = one_object(text)?;
        let mut value = strict(written)?;
        let extra = self.drop_unasked(&mut value);
        self.check(&value)?;
        let text = if extra { value.to_string() } else { written.to_owned() };
        Ok((value, text))
    }

    /// Drop the fields of an object that a closed schema does not name; whether there were any.
    fn drop_unasked(&self, value: &mut Value) -> bool {
        let closed = self.value.get("additionalProperties") == Some(&Value::Bool(false));
        let named = self.value.get("properties").and_then(Value::as_object);
        let (Value::Object(fields), Some(named), true) = (value, named, closed) else { return false };
        let before = fields.len();
        fields.retain(|name, _| named.contains_key(name));
        fields.len() < before
    }
}

/// Find the one JSON object in a model's words: the whole text, or the only fenced block in it. Thoughts that stand
/// before it between `<think>` marks are no part of the answer.
///
/// # Errors
/// Why there is none.
pub fn one_object(text: &str) -> Result<&str, String> {
    let mut rest = text.trim();
    if let Some(thoughts) = rest.strip_prefix("<think>") {
        rest = thoughts.split_once("</think>").map_or("", |(_, answer)| answer.trim());
    }
    if rest.starts_with('{') {
        return Ok(rest);
    }
    let fences: Vec<usize> = rest.match_indices("```").map(|(at, _)| at).collect();
    let [open, close] = fences[..] else {
        return Err("reply with one JSON object and nothing around it".into());
    };
    let inside = rest[open + 3..close].trim_start_matches(|c: char| c.is_ascii_alphanumeric()).trim();
    if inside.starts_with('{') { Ok(inside) } else { Err("the fenced block holds no JSON object".into()) }
}

/// Parse JSON in which no name stands twice within one object.
///
/// # Errors
/// Where it stops being JSON.
pub fn strict(text: &str) -> Result<Value, String> {
    let mut reader = serde_json::Deserializer::from_str(text);
    let value =
        Strict::deserialize(&mut reader).map_err(|e| short(&format!("not one whole JSON object: {e}"), WORDS))?;
    reader.end().map_err(|_| "something stands after the JSON object".to_owned())?;
    Ok(value.0)
}

struct Strict(Value);

impl<'de> Deserialize<'de> for Strict {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        d.deserialize_any(SchemaReader).map(Self)
    }
}

struct SchemaReader;

impl<'de> Visitor<'de> for SchemaReader {
    type Value = Value;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }
    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }
    fn visit_bool<E>(self, x: bool) -> Result<Value, E> {
        Ok(Value::Bool(x))
    }
    fn visit_u64<E>(self, x: u64) -> Result<Value, E> {
        Ok(Value::Number(x.into()))
    }
    fn visit_i64<E>(self, x: i64) -> Result<Value, E> {
        Ok(Value::Number(x.into()))
    }
    fn visit_f64<E: Error>(self, x: f64) -> Result<Value, E> {
        Number::from_f64(x).map(Value::Number).ok_or_else(|| E::custom("not a finite number"))
    }
    fn visit_str<E>(self, x: &str) -> Result<Value, E> {
        Ok(Value::String(x.to_owned()))
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(Strict(item)) = seq.next_element()? {
            list.push(item);
        }
        Ok(Value::Array(list))
    }
    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut map = Map::new();
        while let Some((name, Strict(value))) = entries.next_entry::<String, Strict>()? {
            if map.insert(name, value).is_some() {
                return Err(A::Error::custom("a name stands twice in one object"));
            }
        }
        Ok(Value::Object(map))
    }
}
