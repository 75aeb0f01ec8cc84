//! How large an entry may be, and what it may hold. Text from models, siblings and owners is evidence, never instruction.

use crate::claim::Claim;
use crate::entry::{EntryBody, RuleAction};
use golem_core::observed::Expression;
use golem_core::words::{is_hidden, words};

/// Bytes of text that an entry can have.
pub const MOST_TEXT: usize = 2_048;
/// Bytes of a tag.
pub const MOST_TAG: usize = 64;
/// Tags, episodes and parents that an entry can have, each.
pub const MOST_LIST: usize = 32;

/// True when everything in a body is within its bounds and its claim can be asked. What came from elsewhere is never
/// mended, since mending would make it another entry: it is refused.
#[must_use]
pub fn is_tidy(body: &EntryBody) -> bool {
    let plain = |text: &str, most: usize| text.len() <= most && !text.chars().any(is_hidden);
    let asks = |c: &Claim| {
        let sources = [Some(&c.when), Some(&c.then), c.unless.as_ref()];
        sources.into_iter().flatten().all(|s| Expression::compile(s).is_ok())
    };
    plain(&body.text, MOST_TEXT)
        && body.tags.len() <= MOST_LIST
        && body.tags.iter().all(|t| plain(t, MOST_TAG))
        && body.edge.as_ref().is_none_or(|e| plain(e, MOST_TAG * 2))
        && body.episodes.len() <= MOST_LIST
        && body.parents.len() <= MOST_LIST
        && body.claim.as_ref().is_none_or(asks)
        && body.action.as_ref().is_none_or(|a| match a {
            RuleAction::Scale { parameter, factor } => plain(parameter, MOST_TAG) && factor.is_finite(),
            RuleAction::Risk { factor } => (0.0..=1.0).contains(factor),
            RuleAction::StandAside => true,
        })
}

/// Words from a model or an owner, made fit for an entry: one line, nothing hidden, within bounds.
#[must_use]
pub fn one_line(text: &str) -> String {
    let mut line = String::new();
    for word in words(text) {
        if line.len() + word.len() + 1 > MOST_TEXT {
            break;
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    line
}
