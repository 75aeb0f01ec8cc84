//! Names of stressors, folded so that no spelling of one name counts as another.

use serde::{Deserialize, Serialize};
use std::fmt;
use unicode_normalization::UnicodeNormalization;

/// A folded name: NFKC, lower case, every run of anything but letters and digits one `_`. Folding it again changes
/// nothing, and spellings that differ in case, width or separators fold to the same.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Folded(String);

/// A name without a letter or a digit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a name needs a letter or a digit")]
pub struct NoName;

impl Folded {
    /// The most characters of a name.
    pub const MOST: usize = 40;

    /// The folded name of a text; none when it has neither letter nor digit.
    #[must_use]
    pub fn of(text: &str) -> Option<Self> {
        let mut folded = once(text);
        // A few letters fold to what folds once more; each pass only shortens the list of those that are left.
        for _ in 0..4 {
            let again = once(&folded);
            if again == folded {
                break;
            }
            folded = again;
        }
        (!folded.is_empty()).then_some(Self(folded))
    }
    /// The name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

fn once(text: &str) -> String {
    // Upper and then lower: some letters share only their capital (ß and ss, ς and σ).
    let cased = text.nfkc().flat_map(char::to_uppercase).flat_map(char::to_lowercase);
    let (mut out, mut count, mut gap) = (String::new(), 0, false);
    for c in cased.nfkc() {
        if !c.is_alphanumeric() {
            gap = true;
            continue;
        }
        let room = 1 + usize::from(gap && count > 0);
        if count + room > Folded::MOST {
            break;
        }
        if room == 2 {
            out.push('_');
        }
        out.push(c);
        (count, gap) = (count + room, false);
    }
    out
}

impl TryFrom<String> for Folded {
    type Error = NoName;
    fn try_from(text: String) -> Result<Self, NoName> {
        Self::of(&text).ok_or(NoName)
    }
}

impl From<Folded> for String {
    fn from(name: Folded) -> Self {
        name.0
    }
}

impl fmt::Display for Folded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}
