//! BERT's uncased WordPiece: a text becomes pieces of a vocabulary, the longest first.
//!
//! It does what the reference tokenizer does, so that a table made with the one can be served with the other: controls are
//! dropped, accents are stripped, letters are lowered, punctuation and Chinese characters stand alone, and a word with a
//! part that is unknown is unknown as a whole.

use super::punctuation::is_punctuation;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// A longer word is unknown, as in the reference.
const LONGEST: usize = 100;

/// The words that are known, in the order of their bytes.
pub trait Vocabulary {
    /// How many.
    fn len(&self) -> usize;
    /// True when there are none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// The word at a place; an empty one beyond the end.
    fn word(&self, at: usize) -> &[u8];
}

/// Gives the place in the vocabulary of every piece of the text, in order. Unknown words give nothing.
pub fn pieces(text: &str, vocabulary: &impl Vocabulary, mut give: impl FnMut(usize)) {
    let mut word = String::new();
    let mut found = Vec::new();
    let mut end = |word: &mut String| {
        if !word.is_empty() && split(word, vocabulary, &mut found) {
            found.iter().copied().for_each(&mut give);
        }
        word.clear();
    };
    // Almost all texts are ASCII, where there is nothing to decompose.
    if text.is_ascii() {
        text.chars().for_each(|c| spell(c.to_ascii_lowercase(), &mut word, &mut end));
    } else {
        // The order of the reference: decompose, strip, then lower; what lowering brings forth stays.
        let plain = text.chars().filter(|c| !is_dropped(*c)).nfd().filter(|c| !is_combining_mark(*c));
        plain.flat_map(char::to_lowercase).for_each(|c| spell(c, &mut word, &mut end));
    }
    end(&mut word);
}

/// Adds a character to the word, or ends it.
fn spell(c: char, word: &mut String, end: &mut impl FnMut(&mut String)) {
    if c.is_whitespace() {
        end(word);
    } else if is_punctuation(c) || is_chinese(c) {
        end(word);
        word.push(c);
        end(word);
    } else if !is_dropped(c) {
        word.push(c);
    }
}

fn is_dropped(c: char) -> bool {
    let invisible = matches!(c, '\u{ad}' | '\u{600}'..='\u{605}' | '\u{61c}' | '\u{6dd}' | '\u{70f}' | '\u{180e}'
        | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}'
        | '\u{fff9}'..='\u{fffd}' | '\u{e000}'..='\u{f8ff}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{10ffff}');
    let control = matches!(c, '\0'..='\u{8}' | '\u{b}' | '\u{c}' | '\u{e}'..='\u{1f}' | '\u{7f}'..='\u{9f}');
    control || invisible
}

fn is_chinese(c: char) -> bool {
    matches!(c, '\u{4e00}'..='\u{9fff}' | '\u{3400}'..='\u{4dbf}' | '\u{20000}'..='\u{2a6df}' | '\u{2a700}'..='\u{2ceaf}'
        | '\u{f900}'..='\u{faff}' | '\u{2f800}'..='\u{2fa1f}')
}

/// Cuts one word into pieces; false when a part of it is unknown.
fn split(word: &str, vocabulary: &impl Vocabulary, found: &mut Vec<usize>) -> bool {
    found.clear();
    if word.chars().count() > LONGEST {
        return false;
    }
    let mut rest = word.to_owned();
    // What continues a word is written with two marks before it.
    let mut marks = 0;
    while rest.len() > marks {
        let Some((at, length)) = longest(rest.as_bytes(), marks, vocabulary) else { return false };
        found.push(at);
        rest.replace_range(marks..length, "");
        if marks == 0 {
            rest.insert_str(0, "##");
            marks = 2;
        }
    }
    true
}

/// The longest known word that `text` begins with, longer than the marks: its place and length.
///
/// The nearest word before `text` in the order shares its longest known beginning with it; what is longer than that
/// cannot be known, so the search goes on with the shared part.
fn longest(text: &[u8], marks: usize, vocabulary: &impl Vocabulary) -> Option<(usize, usize)> {
    let mut text = text;
    while text.len() > marks {
        let after = place(text, vocabulary);
        let near = vocabulary.word(after.checked_sub(1)?);
        if near == text {
            return Some((after - 1, near.len()));
        }
        let shared = near.iter().zip(text).take_while(|(a, b)| a == b).count();
        text = &text[..shared];
    }
    None
}

/// How many words are not after `text`.
fn place(text: &[u8], vocabulary: &impl Vocabulary) -> usize {
    let (mut low, mut high) = (0, vocabulary.len());
    while low < high {
        let middle = low.midpoint(high);
        if vocabulary.word(middle) <= text { low = middle + 1 } else { high = middle }
    }
    low
}
