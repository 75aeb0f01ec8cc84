//! Words of an agent, made fit to stand in a prompt: one line, at most 200 characters, nothing hidden, no double quote.

use golem_core::words::quotable;
use serde::{Deserialize, Serialize};
use std::fmt;

/// One line of an agent's own words. It never holds a line break, a control character or a mark that hides or turns
/// text, and no double quote, so that it cannot end the quotation it is shown in.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub struct Line(String);

impl Line {
    /// The most characters that are kept.
    pub const MOST: usize = 200;

    /// The line of a text, whatever the text.
    #[must_use]
    pub fn of(text: &str) -> Self {
        Self::read(text).0
    }
    /// The line of a text, and whether some of the text did not fit.
    #[must_use]
    pub fn read(text: &str) -> (Self, bool) {
        let (line, cut) = quotable(text, Self::MOST);
        (Self(line), cut)
    }
    /// The words.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
    /// True when nothing was said.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl From<String> for Line {
    fn from(text: String) -> Self {
        Self::of(&text)
    }
}

impl From<Line> for String {
    fn from(line: Line) -> Self {
        line.0
    }
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}
