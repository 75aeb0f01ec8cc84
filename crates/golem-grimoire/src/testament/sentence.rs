//! A sentence and what it rests on. There is no way to write one that rests on nothing, and none to read one back.

use crate::causal::EdgeId;
use crate::entry::EntryId;
use crate::episode::EpisodeId;
use crate::playbook::RuleId;
use crate::standing::Support;
use golem_core::Tick;
use golem_core::words::one_line;
use serde::{Deserialize, Serialize};
use std::fmt;

/// No sentence is longer than this.
const LONGEST: usize = 600;
/// At most so many records are named behind a sentence.
const MOST_SOURCES: usize = 8;

/// A record of a life: where the words of a testament come from.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TestamentSource {
    /// What happened in a turn.
    Turn(Tick),
    /// What was counted over a stretch of turns.
    Turns { from: Tick, to: Tick },
    /// Something that it believed, or had believed.
    Entry(EntryId),
    /// Something that happened to it.
    Episode(EpisodeId),
    /// A cause that it found.
    Edge(EdgeId),
    /// Something that it tested.
    Proposal(u64),
    /// A rule of its playbook.
    Rule(RuleId),
    /// A dream, by its number.
    Dream(u32),
}

impl fmt::Display for TestamentSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Turn(tick) => write!(f, "turn {tick}"),
            Self::Turns { from, to } => write!(f, "turns {from} to {to}"),
            Self::Entry(id) => write!(f, "entry {}", short(&id.to_string())),
            Self::Episode(id) => write!(f, "episode {}", id.0),
            Self::Edge(id) => write!(f, "cause {id}"),
            Self::Proposal(number) => write!(f, "proposal {number}"),
            Self::Rule(id) => write!(f, "rule {}", short(id.as_str())),
            Self::Dream(number) => write!(f, "dream {number}"),
        }
    }
}

/// The first characters of an id, which are enough to find it by.
fn short(id: &str) -> String {
    id.chars().take(12).collect()
}

/// A sentence of a testament with the records that bear it out. Only [`TestamentSentence::of`] makes one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "SentenceParts", into = "SentenceParts")]
pub struct TestamentSentence {
    text: String,
    rests_on: Vec<TestamentSource>,
    confidence_bp: Option<u16>,
    support: Option<Support>,
}

/// A sentence as it is written down.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct SentenceParts {
    text: String,
    rests_on: Vec<TestamentSource>,
    #[serde(default)]
    confidence_bp: Option<u16>,
    #[serde(default)]
    support: Option<Support>,
}

/// Why a sentence was not taken.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadSentence {
    /// It says nothing, or more than a sentence does.
    #[error("{0:?} is no sentence of 1 to {LONGEST} characters on one line")]
    Words(String),
    /// No record bears it out.
    #[error("no record bears out {0:?}")]
    Unsupported(String),
}

impl TestamentSentence {
    /// Words, and the record that they come from.
    #[must_use]
    pub fn of(source: TestamentSource, text: &str) -> Self {
        Self { text: one_line(text, LONGEST), rests_on: vec![source], confidence_bp: None, support: None }
    }
    /// Another record bears it out too.
    #[must_use]
    pub fn and(mut self, source: TestamentSource) -> Self {
        if self.rests_on.len() < MOST_SOURCES && !self.rests_on.contains(&source) {
            self.rests_on.push(source);
        }
        self
    }
    /// How sure it was, and how often reality spoke for and against it.
    #[must_use]
    pub fn believed(mut self, confidence_bp: u16, support: Support) -> Self {
        (self.confidence_bp, self.support) = (Some(confidence_bp), Some(support));
        self
    }
    /// What it says.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }
    /// What it rests on: at least one record.
    #[must_use]
    pub fn rests_on(&self) -> &[TestamentSource] {
        &self.rests_on
    }
    /// How sure it was in the end, in basis points, where that was counted.
    #[must_use]
    pub fn confidence_bp(&self) -> Option<u16> {
        self.confidence_bp
    }
    /// How often reality spoke for and against it.
    #[must_use]
    pub fn support(&self) -> Option<Support> {
        self.support
    }
}

impl TryFrom<SentenceParts> for TestamentSentence {
    type Error = BadSentence;
    fn try_from(parts: SentenceParts) -> Result<Self, BadSentence> {
        let SentenceParts { text, rests_on, confidence_bp, support } = parts;
        if text.is_empty() || one_line(&text, LONGEST) != text {
            return Err(BadSentence::Words(one_line(&text, 80)));
        }
        if rests_on.is_empty() || rests_on.len() > MOST_SOURCES {
            return Err(BadSentence::Unsupported(one_line(&text, 80)));
        }
        Ok(Self { text, rests_on, confidence_bp, support })
    }
}

impl From<TestamentSentence> for SentenceParts {
    fn from(sentence: TestamentSentence) -> Self {
        let TestamentSentence { text, rests_on, confidence_bp, support } = sentence;
        Self { text, rests_on, confidence_bp, support }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_that_rests_on_nothing_cannot_be_read() {
        let bare = r#"{"text": "I was always right.", "rests_on": []}"#;
        let said = serde_json::from_str::<TestamentSentence>(bare).unwrap_err().to_string();
        assert!(said.contains("no record bears out"), "{said}");
        for words in [r#""""#, r#""two\nlines""#, &format!("{:?}", "x".repeat(LONGEST + 1))] {
            let text = format!(r#"{{"text": {words}, "rests_on": [{{"turn": 7}}]}}"#);
            assert!(serde_json::from_str::<TestamentSentence>(&text).is_err(), "{text}");
        }
        let fine = TestamentSentence::of(TestamentSource::Turn(Tick(7)), "I bought.")
            .and(TestamentSource::Episode(EpisodeId(3)))
            .and(TestamentSource::Turn(Tick(7)))
            .believed(6_000, Support { confirmed: 3, contradicted: 1 });
        assert_eq!(fine.rests_on().len(), 2, "a record is named once");
        let text = golem_core::plain::json(&fine);
        assert_eq!(serde_json::from_str::<TestamentSentence>(&text).unwrap(), fine);
        let bytes = golem_core::plain::bytes(&fine);
        assert_eq!(postcard::from_bytes::<TestamentSentence>(&bytes).unwrap(), fine);
    }

    #[test]
    fn every_source_has_words() {
        let said = [
            TestamentSource::Turns { from: Tick(1), to: Tick(9) },
            TestamentSource::Entry(EntryId::default()),
            TestamentSource::Proposal(4),
            TestamentSource::Dream(2),
        ]
        .map(|source| source.to_string());
        assert_eq!(said, ["turns 1 to 9", "entry 000000000000", "proposal 4", "dream 2"]);
    }
}
