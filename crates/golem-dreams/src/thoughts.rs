//! What models were asked in a dream, as its journal keeps it: counts, words, what went wrong, and receipts.

use golem_core::Hash;
use golem_core::words::one_line;
use serde::{Deserialize, Serialize};

/// Lines of each kind that one journal keeps, and the most characters of a line.
const MOST_LINES: usize = 16;
const LINE: usize = 240;
/// Receipts that one journal keeps. One longer than this is known by its hash alone.
const MOST_RECEIPTS: usize = 32;
const LONGEST_RECEIPT: usize = 4_000;

/// What models were asked and what they said.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct DreamThoughts {
    /// Questions, and those that were answered with something that could be read.
    pub asked: u32,
    pub answered: u32,
    /// What connects the episodes that were replayed.
    pub patterns: Vec<String>,
    /// What it would do differently, and when what it made up would fail.
    pub lessons: Vec<String>,
    /// What it said on waking.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<String>,
    /// What went wrong, and where rules went on alone.
    pub remarks: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub receipts: Vec<AttestationReceipt>,
}

/// What a provider attests about an answer. It is kept as it came; who wants to know whether it is true asks the provider.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AttestationReceipt {
    /// The question that it belongs to.
    pub question: String,
    pub provider: String,
    pub model: String,
    /// Stands beside what the answer led to.
    pub hash: Hash,
    pub receipt: String,
}

impl AttestationReceipt {
    #[must_use]
    pub fn new(question: &str, provider: &str, model: &str, receipt: &str) -> Self {
        let kept = if receipt.len() <= LONGEST_RECEIPT { receipt.to_owned() } else { String::new() };
        let hash = Hash::of(receipt.as_bytes());
        Self {
            question: question.to_owned(),
            provider: provider.to_owned(),
            model: model.to_owned(),
            hash,
            receipt: kept,
        }
    }
}

impl DreamThoughts {
    /// True where no model was asked and nothing is to be said about that.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
    /// Something to be said about it, once.
    pub fn remark(&mut self, text: &str) {
        keep(&mut self.remarks, text);
    }
    pub fn pattern(&mut self, text: &str) {
        keep(&mut self.patterns, text);
    }
    pub fn lesson(&mut self, text: &str) {
        keep(&mut self.lessons, text);
    }
    pub fn receipt(&mut self, receipt: AttestationReceipt) {
        if self.receipts.len() < MOST_RECEIPTS {
            self.receipts.push(receipt);
        }
    }
}

fn keep(lines: &mut Vec<String>, text: &str) {
    let line = one_line(text, LINE);
    if !line.is_empty() && lines.len() < MOST_LINES && !lines.contains(&line) {
        lines.push(line);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_bounded_and_said_once() {
        let mut thoughts = DreamThoughts::default();
        assert!(thoughts.is_empty());
        for n in 0..40 {
            thoughts.remark("it refused");
            thoughts.remark(" \n");
            thoughts.pattern(&format!("{n}\n{}", "x ".repeat(900)));
        }
        assert_eq!((thoughts.remarks.len(), thoughts.patterns.len()), (1, MOST_LINES));
        assert!(thoughts.patterns.iter().all(|p| p.chars().count() <= LINE && !p.contains('\n')));
        assert!(!thoughts.is_empty());
    }

    #[test]
    fn a_receipt_that_is_too_long_is_known_by_its_hash() {
        let (short, long) = ("signed".to_owned(), "x".repeat(LONGEST_RECEIPT + 1));
        for (text, kept) in [(&short, short.as_str()), (&long, "")] {
            let receipt = AttestationReceipt::new("dream-return@1", "private", "m", text);
            assert_eq!((receipt.receipt.as_str(), receipt.hash), (kept, Hash::of(text.as_bytes())));
        }
    }
}
