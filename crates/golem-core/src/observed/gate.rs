//! The door of the language: bounds a text before the parser sees it, and turns the parser's complaints into one line.
//!
//! The parser bounds its own recursion through brackets, but not through `a ? b : c ? d : ...` or `!-!-!x`, and a tree
//! that is too deep would overflow the stack when it is dropped. So the depth is bounded here, on the bare bytes.

use super::error::ExpressionError;
use cel::parser::{Expression as Tree, PrattParser};

/// The longest text that is read, in bytes.
pub const MAX_BYTES: usize = 1_000;
/// The deepest nesting of brackets, signs, choices or operators in a row.
pub const MAX_DEPTH: usize = 24;
/// The most parts (names, constants, operators) of one expression.
pub const MAX_NODES: usize = 256;

/// Everything an expression over scalars can be made of. No backslash, so that no string hides a character.
const PUNCTUATION: &[u8] = b"_.()[]<>=!&|+-*/%?:,\"' \t\r\n";

/// What people and models write out of habit, as the parser quotes it, and what CEL calls it.
const HABITS: &[(&str, &str)] = &[
    ("'='", "; write == to compare"),
    ("'and'", "; write && for and"),
    ("'or'", "; write || for or"),
    ("'is'", "; write == to compare"),
];

/// The syntax tree of a text, if it is within bounds and is CEL.
pub(super) fn parse(source: &str) -> Result<Tree, ExpressionError> {
    if source.len() > MAX_BYTES {
        return Err(ExpressionError::TooLong { bytes: source.len() });
    }
    if source.trim().is_empty() {
        return Err(ExpressionError::Empty);
    }
    if let Some((at, found)) =
        source.char_indices().find(|(_, c)| !c.is_ascii() || !allowed(u8::try_from(*c).unwrap_or_default()))
    {
        return Err(ExpressionError::Character { found, at });
    }
    if depth_bound(source.as_bytes()) > MAX_DEPTH {
        return Err(ExpressionError::TooDeep);
    }
    // The pratt parser and not the default one: the latter's adaptive prediction costs milliseconds on short hostile
    // texts (cel-rust issues 212 and 306), this one is linear. A test holds the two against each other.
    let depth = u16::try_from(MAX_DEPTH).unwrap_or(u16::MAX);
    PrattParser::default().max_recursion_depth(depth).error_recovery_limit(0).parse(source).map_err(|all| {
        let first = all.errors.iter().find(|e| e.pos.0 > 0).or(all.errors.first());
        let why = first.map_or("not an expression", |e| e.msg.strip_prefix("Syntax error: ").unwrap_or(&e.msg));
        let habit = HABITS.iter().find(|(written, _)| why.contains(written)).map_or("", |(_, hint)| hint);
        let why = why.chars().take(120).chain(habit.chars()).collect();
        let place = |x: isize| u32::try_from(x).unwrap_or(0).max(1);
        let (line, column) = first.map_or((1, 1), |e| (place(e.pos.0), place(e.pos.1)));
        ExpressionError::Syntax { why, line, column }
    })
}

fn allowed(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || PUNCTUATION.contains(&byte)
}

/// At least as deep as the tree can get through brackets, choices and signs. Brackets in strings count too: no word
/// has any.
fn depth_bound(bytes: &[u8]) -> usize {
    let (mut open, mut deepest, mut choices, mut signs) = (0_usize, 0, 0, 0);
    for byte in bytes {
        match byte {
            b'(' | b'[' => open += 1,
            b')' | b']' => open = open.saturating_sub(1),
            b'?' => choices += 1,
            b'!' | b'-' => signs += 1,
            b' ' | b'\t' | b'\r' | b'\n' => continue,
            _ => signs = 0,
        }
        deepest = deepest.max(open + choices + signs);
    }
    deepest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn depth_counts_what_nests() {
        for (text, depth) in [
            ("a > 1", 0),
            ("(a) > (1)", 1),
            ("((a)) > (1)", 2),
            ("!-!-a", 4),
            ("! ! a", 2),
            ("a ? b : c ? d : e", 2),
            ("a - -1", 2),
            (")))((", 2),
        ] {
            assert_eq!(depth_bound(text.as_bytes()), depth, "{text}");
        }
    }
}
