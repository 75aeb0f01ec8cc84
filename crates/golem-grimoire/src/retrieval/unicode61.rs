//! Text into words exactly as SQLite's full text does it (`unicode61 remove_diacritics 1`), so that a search in memory and
//! one in the golem's file find the same things.

use super::unicode61_table::{DIACRITICS, FOLDS, TOKENS};

/// Gives every word of a text, folded, in order.
pub fn words(text: &str, mut give: impl FnMut(&str)) {
    let mut word = String::new();
    for c in text.chars() {
        let known = c.is_ascii_alphanumeric() || (!c.is_ascii() && is_within(TOKENS, c));
        if known {
            word.push(fold(c));
        } else if word.is_empty() || !is_within(DIACRITICS, c) {
            // An accent within a word is left out; anything else ends it.
            if !word.is_empty() {
                give(&word);
            }
            word.clear();
        }
    }
    if !word.is_empty() {
        give(&word);
    }
}

/// The words of a text as a query for SQLite's full text that finds whatever has any of them; empty when there are none.
#[must_use]
pub fn any_of(text: &str) -> String {
    let mut out = String::new();
    distinct(text).iter().for_each(|word| {
        let or = if out.is_empty() { "" } else { " OR " };
        out.extend([or, "\"", word, "\""]);
    });
    out
}

/// The distinct words of a text, sorted.
#[must_use]
pub fn distinct(text: &str) -> Vec<String> {
    let mut all = std::collections::BTreeSet::new();
    words(text, |word| {
        all.insert(word.to_owned());
    });
    all.into_iter().collect()
}

/// The distinct words of a text as numbers, sorted: for comparing texts with each other. Two words have the same number
/// about once in 2^64 times.
#[must_use]
pub fn distinct_numbers(text: &str) -> Vec<u64> {
    let mut all = Vec::new();
    words(text, |word| all.push(number(word)));
    all.sort_unstable();
    all.dedup();
    all
}

/// FNV-1a, and a mix of its bits at the end.
fn number(word: &str) -> u64 {
    let sum = word.bytes().fold(0xcbf2_9ce4_8422_2325u64, |sum, b| (sum ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3));
    let mixed = (sum ^ (sum >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93);
    mixed ^ (mixed >> 32)
}

fn is_within(ranges: &[(u32, u32)], c: char) -> bool {
    let c = u32::from(c);
    let at = ranges.partition_point(|(_, last)| *last < c);
    ranges.get(at).is_some_and(|(first, _)| *first <= c)
}

fn fold(c: char) -> char {
    if c.is_ascii() {
        return c.to_ascii_lowercase();
    }
    let n = u32::from(c);
    let at = FOLDS.partition_point(|(first, ..)| *first <= n);
    let run = at.checked_sub(1).and_then(|at| FOLDS.get(at));
    run.and_then(|&(first, count, step, target, target_step)| {
        let i = (n - first) / step;
        let hit = (n - first).is_multiple_of(step) && i < count;
        if hit { char::from_u32(target + i * target_step) } else { None }
    })
    .unwrap_or(c)
}
