//! A testament in other words, a model's. What it says is kept beside what the rules wrote, never in its place: heirs and
//! libraries go by the rules' sentences alone. A sentence is kept where it names records that were shown, and has no figure
//! that those records do not have.

use super::Testament;
use super::figures::{WrittenFigure, figures};
use super::sections::{TestamentSection, TestamentSections};
use super::sentence::{TestamentSentence, TestamentSource};
use crate::retrieval::tokens;
use golem_core::plain;
use golem_core::words::one_line;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// Sentences of a part that are shown, and kept, at most.
const MOST_OF_A_PART: usize = 8;
/// The most characters of a shown line, and of a sentence that is kept.
const LINE: usize = 400;
/// The most bytes of a reply that are looked at.
const MOST_BYTES: usize = 60_000;

/// What a model made of a testament.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ModelTelling {
    /// The life as a story.
    pub narrative: Vec<TestamentSentence>,
    /// The nine sections in its words.
    pub sections: TestamentSections,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_words: Option<TestamentSentence>,
    /// Sentences that were not kept.
    pub dropped: u32,
}

/// What a model is shown of a testament.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ShownTestament {
    /// A line for each sentence, with the labels of its records.
    pub text: String,
    /// The records, by their labels: the first is `r1`.
    pub records: Vec<TestamentSource>,
}

/// Why nothing was taken of what a model said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum UntoldTestament {
    #[error("its answer could not be read")]
    Unread,
    #[error("none of its {0} sentences rests on records that bear it out")]
    Unborne(u32),
}

impl ModelTelling {
    /// Every sentence of it.
    pub fn sentences(&self) -> impl Iterator<Item = &TestamentSentence> {
        self.narrative.iter().chain(self.sections.sentences()).chain(&self.last_words)
    }
}

impl Testament {
    /// What a model is shown of it, in at most so many tokens: of every part the first sentences, as many as there is room for.
    /// None where there is not even room for one of each.
    #[must_use]
    pub fn shown(&self, most_tokens: u32) -> Option<ShownTestament> {
        let shown = (1..=MOST_OF_A_PART).rev().map(|each| self.shown_by(each));
        shown.into_iter().find(|shown| tokens(&shown.text) <= most_tokens)
    }

    fn shown_by(&self, each: usize) -> ShownTestament {
        let mut shown = ShownTestament::default();
        let mut part = |name: &str, of: &mut dyn Iterator<Item = &TestamentSentence>| {
            for sentence in of.take(each) {
                let labels: Vec<String> = sentence.rests_on().iter().map(|source| shown.label(source)).collect();
                let line = one_line(sentence.text(), LINE);
                let _written = writeln!(shown.text, "- {name} [{}] {line}", labels.join(" "));
            }
        };
        part("life", &mut self.narrative.iter());
        for section in TestamentSection::ALL {
            part(&plain::word(&section), &mut self.sections.of(section).iter());
        }
        part("open_question", &mut self.open_questions.iter());
        part("last_words", &mut std::iter::once(&self.last_words));
        shown
    }

    /// Take what a model said of it, as far as it is borne out. `records` are those that it was shown, by their labels.
    ///
    /// # Errors
    /// Why nothing of it was taken; the testament is what it was.
    pub fn narrate(&mut self, said: &str, records: &[TestamentSource]) -> Result<(), UntoldTestament> {
        let read = (said.len() <= MOST_BYTES).then(|| serde_json::from_str::<Value>(said).ok()).flatten();
        let Some(Value::Object(read)) = read else { return Err(UntoldTestament::Unread) };
        let known: BTreeSet<&TestamentSource> = self.sentences().flat_map(TestamentSentence::rests_on).collect();
        let bench = TellingBench { testament: self, records, known };
        let mut dropped = 0;
        let mut part = |of: Option<&Value>, most: usize| -> Vec<TestamentSentence> {
            let all = of.and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
            let mut kept: Vec<TestamentSentence> = Vec::new();
            for one in all {
                match bench.borne_out(one).filter(|said| kept.len() < most && !kept.contains(said)) {
                    Some(sentence) => kept.push(sentence),
                    None => dropped += 1,
                }
            }
            kept
        };
        let narrative = part(read.get("narrative"), MOST_OF_A_PART);
        let mut sections = TestamentSections::default();
        for section in TestamentSection::ALL {
            let said = read.get("sections").and_then(|all| all.get(plain::word(&section)));
            *sections.of_mut(section) = part(said, MOST_OF_A_PART);
        }
        let last = read.get("last_words").filter(|said| !said.is_null()).map(|said| Value::Array(vec![said.clone()]));
        let last_words = part(last.as_ref(), 1).pop();
        let told = ModelTelling { narrative, sections, last_words, dropped };
        if told.sentences().next().is_none() {
            return Err(if dropped == 0 { UntoldTestament::Unread } else { UntoldTestament::Unborne(dropped) });
        }
        self.told = Some(told);
        self.seal();
        Ok(())
    }
}

impl ShownTestament {
    /// The label of a record; a new one where it has none.
    fn label(&mut self, source: &TestamentSource) -> String {
        let n = self.records.iter().position(|known| known == source).unwrap_or_else(|| {
            self.records.push(source.clone());
            self.records.len() - 1
        });
        format!("r{}", n + 1)
    }
}

/// What the words of a model are held against.
struct TellingBench<'a> {
    testament: &'a Testament,
    records: &'a [TestamentSource],
    known: BTreeSet<&'a TestamentSource>,
}

impl TellingBench<'_> {
    /// The sentence, where every record that it names is there and every figure in it is one of theirs.
    fn borne_out(&self, said: &Value) -> Option<TestamentSentence> {
        let text = said.get("text").and_then(Value::as_str).map(|text| one_line(text, usize::MAX))?;
        if text.chars().count() > LINE {
            return None;
        }
        let names = said.get("rests_on").and_then(Value::as_array).filter(|names| !names.is_empty())?;
        let sources: Vec<&TestamentSource> = names.iter().map(|name| self.record(name)).collect::<Option<_>>()?;
        let theirs = self.figures_of(&sources);
        let borne = !text.is_empty() && figures(&text)?.iter().all(|f| theirs.iter().any(|known| f.is(known)));
        let mut sources = sources.into_iter().filter(|_| borne).cloned();
        let first = sources.next().map(|source| TestamentSentence::of(source, &text))?;
        Some(sources.fold(first, TestamentSentence::and))
    }

    fn record(&self, name: &Value) -> Option<&TestamentSource> {
        let n = name.as_str()?.strip_prefix('r')?.parse::<usize>().ok()?;
        self.records.get(n.checked_sub(1)?).filter(|source| self.known.contains(source))
    }

    /// Every figure that the rules have written of these records, and those of their names.
    fn figures_of(&self, sources: &[&TestamentSource]) -> Vec<WrittenFigure> {
        let of = |s: &&TestamentSentence| s.rests_on().iter().any(|source| sources.contains(&source));
        let texts = self.testament.sentences().filter(of).map(|s| s.text().to_owned());
        let names = sources.iter().map(|source| source.to_string());
        texts.chain(names).flat_map(|text| figures(&text).unwrap_or_default()).collect()
    }
}
