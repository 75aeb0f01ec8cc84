//! When two entries say the same: field by field, never by how their sentences sound. Similarity of texts decides only
//! between free texts, and only where everything else about them is equal.

use super::{MERGE_ABOVE, Near, Ruling, SKIP_ABOVE};
use crate::entry::EntryBody;
use crate::shelf::Shelf;
use crate::subject::{contradict, is_said_by_fields, said_by_tags, same_statement};

/// True when the words of a body are all that it says: no claim, no rule, no edge, nothing of an action. Only then is there
/// nothing better to compare than words.
#[must_use]
pub fn is_free_text(body: &EntryBody) -> bool {
    !is_said_by_fields(body) && body.action.is_none() && said_by_tags(body).next().is_none()
}

/// True when two bodies say the same thing: by their fields, or, between free texts about the same subject, when their texts
/// are at least so much alike.
#[must_use]
pub fn says_the_same(a: &EntryBody, b: &EntryBody, cosine: f64, least: f64) -> bool {
    same_statement(a, b) || (cosine > least && may_be_reworded(a, b))
}

/// True when only the wording can differ: both are free texts of one kind about one subject, with the same numbers in them.
fn may_be_reworded(a: &EntryBody, b: &EntryBody) -> bool {
    let frame = |x: &EntryBody| (x.kind, x.is_question, x.regime, x.domain, x.severity);
    is_free_text(a)
        && is_free_text(b)
        && frame(a) == frame(b)
        && numbers(&a.text).eq(numbers(&b.text))
        && !contradict(a, b)
}

/// The numbers of a text in their order: "after 3 days" is not "after 30 days", however alike the two sound.
fn numbers(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_ascii_digit() || c == '.'))
        .map(|number| number.trim_matches('.'))
        .filter(|number| !number.is_empty())
}

/// Whether it is known already, and what that makes of it.
pub(super) fn same(shelf: &Shelf, body: &EntryBody, nearest: Option<Near>) -> Option<Ruling> {
    let near = nearest?;
    let known = &shelf.entry(near.id)?.body;
    if !says_the_same(known, body, near.cosine, MERGE_ABOVE) {
        return None;
    }
    let said_alike = near.cosine > SKIP_ABOVE || same_statement(known, body);
    Some(if said_alike { Ruling::Skip { same: near.id } } else { Ruling::Merge { into: near.id } })
}
