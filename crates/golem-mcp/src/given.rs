//! What was given with a call: each word by its name and kind. Nothing is guessed: what is unknown, missing or does not fit is
//! refused by name, in words that say what would.

use golem_home::Fail;
use serde_json::{Map, Value, json};

/// A word of a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ToolWord {
    pub name: &'static str,
    pub kind: ToolWordKind,
    pub about: &'static str,
}

/// What it may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToolWordKind {
    /// A text that must be there.
    Text,
    /// A text that may be left out.
    MaybeText,
    /// A whole number within bounds that must be there.
    Number { least: u64, most: u64 },
    /// One that may be left out, and what is taken then, if anything.
    MaybeNumber { least: u64, most: u64, default: Option<u64> },
}

/// Characters of one text.
const LONGEST: usize = 4_000;

impl ToolWord {
    fn must_be_there(&self) -> bool {
        matches!(self.kind, ToolWordKind::Text | ToolWordKind::Number { .. })
    }

    fn schema(&self) -> Value {
        match self.kind {
            ToolWordKind::Text | ToolWordKind::MaybeText => {
                json!({ "type": "string", "minLength": 1, "maxLength": LONGEST, "description": self.about })
            }
            ToolWordKind::Number { least, most } => {
                json!({ "type": "integer", "minimum": least, "maximum": most, "description": self.about })
            }
            ToolWordKind::MaybeNumber { least, most, default } => {
                let mut told =
                    json!({ "type": "integer", "minimum": least, "maximum": most, "description": self.about });
                if let Some(default) = default {
                    told["default"] = json!(default);
                }
                told
            }
        }
    }

    fn fits(&self, value: &Value) -> Result<(), String> {
        match self.kind {
            ToolWordKind::Text | ToolWordKind::MaybeText => match value.as_str() {
                Some(text) if (1..=LONGEST).contains(&text.chars().count()) => Ok(()),
                _ => Err(format!("a text of 1 to {LONGEST} characters")),
            },
            ToolWordKind::Number { least, most } | ToolWordKind::MaybeNumber { least, most, .. } => {
                match value.as_u64() {
                    Some(n) if (least..=most).contains(&n) => Ok(()),
                    _ => Err(format!("a whole number from {least} to {most}")),
                }
            }
        }
    }
}

/// The schema of a tool's words.
pub(crate) fn schema(words: &[ToolWord]) -> Map<String, Value> {
    let properties: Map<String, Value> = words.iter().map(|word| (word.name.to_owned(), word.schema())).collect();
    let needed: Vec<&str> = words.iter().filter(|word| word.must_be_there()).map(|word| word.name).collect();
    let told = json!({ "type": "object", "properties": properties, "required": needed, "additionalProperties": false });
    if let Value::Object(told) = told { told } else { Map::new() }
}

/// The words of one call, each of which fits.
#[derive(Debug, Clone)]
pub(crate) struct GivenWords<'a> {
    known: &'static [ToolWord],
    words: &'a Map<String, Value>,
}

impl<'a> GivenWords<'a> {
    /// Read them; `null` is a word that was left out.
    pub fn read(words: &'a Map<String, Value>, known: &'static [ToolWord]) -> Result<Self, Fail> {
        let hint = || match known {
            [] => "this tool takes no words".to_owned(),
            _ => format!("this tool takes {}", known.iter().map(|w| w.name).collect::<Vec<_>>().join(", ")),
        };
        for (name, value) in words.iter().filter(|(_, value)| !value.is_null()) {
            let Some(word) = known.iter().find(|word| word.name == name) else {
                return Err(Fail::hint(format!("there is no word {name:?}"), hint()));
            };
            word.fits(value).map_err(|fits| Fail::hint(format!("{name} does not fit"), format!("it is {fits}")))?;
        }
        let given = Self { known, words };
        match known.iter().find(|word| word.must_be_there() && given.value(word.name).is_none()) {
            Some(word) => Err(Fail::hint(format!("{} is missing: {}", word.name, word.about), hint())),
            None => Ok(given),
        }
    }

    fn value(&self, name: &str) -> Option<&'a Value> {
        self.words.get(name).filter(|value| !value.is_null())
    }

    /// A text; empty where none was given.
    pub fn text(&self, name: &str) -> &'a str {
        self.maybe_text(name).unwrap_or_default()
    }

    /// A text, if it was given.
    pub fn maybe_text(&self, name: &str) -> Option<&'a str> {
        self.value(name).and_then(Value::as_str)
    }

    /// A number, if it was given or there is one that is taken otherwise.
    pub fn number(&self, name: &str) -> Option<u64> {
        let taken = self.known.iter().find(|word| word.name == name).and_then(|word| match word.kind {
            ToolWordKind::MaybeNumber { default, .. } => default,
            _ => None,
        });
        self.value(name).and_then(Value::as_u64).or(taken)
    }

    /// The same as a count.
    pub fn count(&self, name: &str) -> usize {
        self.number(name).and_then(|n| usize::try_from(n).ok()).unwrap_or_default()
    }

    /// The same as a small count.
    pub fn small(&self, name: &str) -> u32 {
        self.number(name).and_then(|n| u32::try_from(n).ok()).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const KNOWN: &[ToolWord] = &[
        ToolWord { name: "id", kind: ToolWordKind::Text, about: "who" },
        ToolWord { name: "since", kind: ToolWordKind::MaybeText, about: "when" },
        ToolWord {
            name: "last",
            kind: ToolWordKind::MaybeNumber { least: 1, most: 9, default: Some(4) },
            about: "how many",
        },
    ];

    fn object(value: Value) -> Map<String, Value> {
        value.as_object().cloned().unwrap_or_default()
    }

    #[test]
    fn words_are_read_or_refused_by_name() {
        let given = object(json!({ "id": "ada", "since": null, "last": 9 }));
        let words = GivenWords::read(&given, KNOWN).unwrap();
        assert_eq!((words.text("id"), words.maybe_text("since"), words.number("last")), ("ada", None, Some(9)));
        let given = object(json!({ "id": "ada" }));
        assert_eq!(GivenWords::read(&given, KNOWN).unwrap().count("last"), 4);
        for (bad, said) in [
            (json!({}), "id is missing"),
            (json!({ "id": null }), "id is missing"),
            (json!({ "id": "" }), "id does not fit"),
            (json!({ "id": 7 }), "id does not fit"),
            (json!({ "id": "x".repeat(4_001) }), "id does not fit"),
            (json!({ "id": "ada", "last": 0 }), "last does not fit"),
            (json!({ "id": "ada", "last": 10 }), "last does not fit"),
            (json!({ "id": "ada", "last": "3" }), "last does not fit"),
            (json!({ "id": "ada", "last": 1.5 }), "last does not fit"),
            (json!({ "id": "ada", "name": "eve" }), "there is no word \"name\""),
        ] {
            let given = object(bad);
            let fail = GivenWords::read(&given, KNOWN).unwrap_err();
            assert!(fail.to_string().starts_with(said) && fail.hint_text().is_some(), "{fail}");
        }
    }

    proptest! {
        #[test]
        fn what_is_read_fits_the_schema_that_is_told(id in ".{0,8}", last in any::<i64>()) {
            let given = object(json!({ "id": id, "last": last }));
            let fits = !id.is_empty() && (1..=9).contains(&last);
            prop_assert_eq!(GivenWords::read(&given, KNOWN).is_ok(), fits);
            let told = schema(KNOWN);
            prop_assert_eq!(&told["required"], &json!(["id"]));
            prop_assert_eq!(&told["properties"]["last"]["default"], &json!(4));
        }
    }
}
