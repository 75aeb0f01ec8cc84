//! The words of a request: the golem it names, and what stands behind the question mark. Nothing is guessed: a word that
//! is unknown or does not fit is refused by name.

use crate::fault::ApiFault;
use std::collections::BTreeMap;

/// A parameter of a route.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QueryWord {
    pub name: &'static str,
    pub kind: WordKind,
    pub about: &'static str,
}

/// What it may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WordKind {
    /// A whole number within bounds; without it, the default.
    Number { least: u64, most: u64, default: Option<u64> },
    /// A text that must be there.
    Text,
    /// A text that may be left out.
    MaybeText,
    /// One of these; without it, the first.
    OneOf(&'static [&'static str]),
}

/// The words of one request, each of which fits.
#[derive(Debug, Clone, Default)]
pub(crate) struct AskedWords {
    /// The golem that the path names.
    pub id: String,
    words: BTreeMap<&'static str, String>,
}

/// Bytes of one word at most.
const LONGEST: usize = 1_000;

impl AskedWords {
    /// Read them.
    pub fn read(id: String, raw: Option<&str>, known: &'static [QueryWord]) -> Result<Self, ApiFault> {
        let mut words = BTreeMap::new();
        for pair in raw.unwrap_or_default().split('&').filter(|pair| !pair.is_empty()) {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            let plain = |text: &str| decoded(text).ok_or_else(|| ApiFault::bad("a word is not UTF-8 text"));
            let (name, value) = (plain(name)?, plain(value)?);
            let Some(word) = known.iter().find(|word| word.name == name) else {
                return Err(ApiFault::bad(format!("there is no parameter {name:?}")));
            };
            check(word, &value)?;
            if words.insert(word.name, value).is_some() {
                return Err(ApiFault::bad(format!("{} is given twice", word.name)));
            }
        }
        for word in known.iter().filter(|word| word.kind == WordKind::Text) {
            if !words.contains_key(word.name) {
                return Err(ApiFault::bad(format!("{} is missing: {}", word.name, word.about)));
            }
        }
        Ok(Self { id, words })
    }

    /// A number, if it was given.
    pub fn number(&self, name: &str) -> Option<u64> {
        self.words.get(name).and_then(|value| value.parse().ok())
    }

    /// A text, if it was given.
    pub fn maybe_text(&self, name: &str) -> Option<&str> {
        self.words.get(name).map(String::as_str)
    }

    /// A text; empty where none was given.
    pub fn text(&self, name: &str) -> &str {
        self.words.get(name).map_or("", String::as_str)
    }
}

fn check(word: &QueryWord, value: &str) -> Result<(), ApiFault> {
    let name = word.name;
    match word.kind {
        _ if value.len() > LONGEST => Err(ApiFault::bad(format!("{name} is too long"))),
        WordKind::Number { least, most, .. } => match value.parse::<u64>() {
            Ok(n) if (least..=most).contains(&n) && value.bytes().all(|b| b.is_ascii_digit()) => Ok(()),
            _ => Err(ApiFault::bad(format!("{name} is a whole number from {least} to {most}"))),
        },
        WordKind::Text | WordKind::MaybeText => Ok(()),
        WordKind::OneOf(all) if all.contains(&value) => Ok(()),
        WordKind::OneOf(all) => Err(ApiFault::bad(format!("{name} is one of {}", all.join(", ")))),
    }
}

/// Percent signs and pluses, as forms write them.
pub(crate) fn decoded(text: &str) -> Option<String> {
    let (mut bytes, mut rest) = (Vec::with_capacity(text.len()), text.bytes());
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'+' => b' ',
            b'%' => {
                let digit = |b: Option<u8>| b.and_then(|b| char::from(b).to_digit(16));
                let (high, low) = (digit(rest.next())?, digit(rest.next())?);
                u8::try_from(high * 16 + low).ok()?
            }
            other => other,
        });
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const KNOWN: &[QueryWord] = &[
        QueryWord { name: "q", kind: WordKind::Text, about: "words" },
        QueryWord { name: "top", kind: WordKind::Number { least: 1, most: 9, default: None }, about: "most" },
        QueryWord { name: "facts", kind: WordKind::OneOf(&["all", "none"]), about: "which" },
    ];

    #[test]
    fn words_are_read_or_refused_by_name() {
        let read = |raw| AskedWords::read("ada".to_owned(), Some(raw), KNOWN);
        let good = read("q=gas%20spike+hour%C3%A9&top=3&facts=none").unwrap();
        assert_eq!((good.text("q"), good.number("top"), good.text("facts")), ("gas spike houré", Some(3), "none"));
        for bad in [
            "",
            "top=3",
            "q=a&top=0",
            "q=a&top=10",
            "q=a&top=%2B3",
            "q=a&x=1",
            "q=a&q=b",
            "q=%zz",
            "q=%ff",
            "q=a&facts=some",
        ] {
            assert!(read(bad).is_err(), "{bad}");
        }
    }
}
