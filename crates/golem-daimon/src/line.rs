//! Words of an agent, made fit to stand in a prompt: one line, at most 200 characters, nothing hidden, no double quote.

use golem_core::words::is_hidden;
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
        let (mut line, mut count, mut gap) = (String::with_capacity(text.len().min(Self::MOST)), 0, false);
        for c in text.chars() {
            if is_gap(c) {
                gap = true;
            } else if !is_hidden(c) {
                let room = 1 + usize::from(gap && count > 0);
                if count + room > Self::MOST {
                    return (Self(line), true);
                }
                if room == 2 {
                    line.push(' ');
                }
                line.push(if is_quote(c) { '\'' } else { c });
                (count, gap) = (count + room, false);
            }
        }
        (Self(line), false)
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

/// What parts words: white space (line breaks are) and control characters.
fn is_gap(c: char) -> bool {
    c.is_whitespace() || c.is_control()
}

fn is_quote(c: char) -> bool {
    matches!(c, '"' | '\u{201c}'..='\u{201f}' | '\u{2033}' | '\u{ff02}')
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
