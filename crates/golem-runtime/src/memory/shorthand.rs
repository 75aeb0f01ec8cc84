//! Rows for people in less room: what every one of them says again is one character there. JSON spells characters below a
//! blank with a backslash, so that none of these can be anything else. Rows of before have none of them, and read as they
//! are.

use std::borrow::Cow;
use std::sync::LazyLock;

/// What is said again and again, by its character, from 1 on. Only ever added to at the end, and at most 31.
const PHRASES: [&str; 30] = [
    r#"{"domain":""#,
    r#"","made":"#,
    r#","due":"#,
    r#","predicted":"#,
    r#","interval":["#,
    r#"],"naive":"#,
    r#","came":{"at":"#,
    r#","actual":"#,
    r#","loss":"#,
    r#","naive_loss":"#,
    r#","hit":false,"inside":true}}"#,
    r#","hit":true,"inside":true}}"#,
    r#"{"id":""#,
    r#"","score":"#,
    r#","tokens":"#,
    r#","why":{"ranks":{"#,
    r#""situation":"#,
    r#""words":"#,
    r#""text":"#,
    r#"},"terms":[["rank","#,
    r#"],["confidence","#,
    r#"],["quality","#,
    r#"],["recency","#,
    r#"],["regime","#,
    r#"],["affect","#,
    r#"]],"alike":"#,
    r#","contrarian":true"#,
    r#"}},{"id":""#,
    r#"price_direction"#,
    r#"volatility_regime"#,
];

/// The phrases that begin with a byte, each with its character.
static BY_FIRST: LazyLock<[Vec<(char, &str)>; 128]> = LazyLock::new(|| {
    std::array::from_fn(|first| {
        let all = (1u8..).map(char::from).zip(PHRASES);
        all.filter(|(_, phrase)| usize::from(phrase.as_bytes()[0]) == first).collect()
    })
});

/// A row's text as it is stored.
pub(super) fn shortened(body: &str) -> Cow<'_, str> {
    // Whoever has such a character already is left alone: it must come back as it was.
    if body.bytes().any(|byte| byte < b' ') {
        return Cow::Borrowed(body);
    }
    let (mut out, mut rest) = (String::with_capacity(body.len()), body);
    // Where a phrase can begin, which is never in the middle of a character.
    while let Some(at) = rest.bytes().position(begins) {
        let (before, from) = rest.split_at(at);
        out.push_str(before);
        // A comma between numbers begins none.
        let worth = from.as_bytes()[0] != b',' || from.as_bytes().get(1) == Some(&b'"');
        let begun = BY_FIRST.get(usize::from(from.as_bytes()[0])).filter(|_| worth);
        match begun.and_then(|begun| begun.iter().find(|(_, phrase)| from.starts_with(phrase))) {
            Some((character, phrase)) => {
                out.push(*character);
                rest = &from[phrase.len()..];
            }
            None => {
                out.push_str(&from[..1]);
                rest = &from[1..];
            }
        }
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// Whether a phrase can begin with this byte.
fn begins(byte: u8) -> bool {
    matches!(byte, b'{' | b'"' | b',' | b']' | b'}' | b'p' | b'v')
}

/// A row's text as it was before it was stored.
pub(super) fn spelled_out(stored: String) -> String {
    if stored.bytes().all(|byte| byte >= b' ') {
        return stored;
    }
    let mut out = String::with_capacity(stored.len() * 3);
    for character in stored.chars() {
        match (character as usize).checked_sub(1).and_then(|at| PHRASES.get(at)) {
            Some(phrase) => out.push_str(phrase),
            None => out.push(character),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const PREDICTION: &str = r#"{"domain":"volatility_regime","made":7996040000,"due":7999640000,"predicted":-5.63441,"interval":[-6.15441,-5.14696],"naive":-5.75304,"came":{"at":7999640000,"actual":-5.81662,"loss":0.0331993,"naive_loss":0.00404194,"hit":false,"inside":true}}"#;

    #[test]
    fn a_prediction_takes_less_than_half() {
        let short = shortened(PREDICTION);
        assert!(short.len() * 2 < PREDICTION.len(), "{} of {}", short.len(), PREDICTION.len());
        assert_eq!(spelled_out(short.into_owned()), PREDICTION);
        assert_eq!(spelled_out(PREDICTION.to_owned()), PREDICTION, "a row of before is read as it is");
    }

    #[test]
    fn every_phrase_begins_where_one_is_looked_for_and_has_a_character() {
        assert!(PHRASES.len() < usize::from(b' '));
        for phrase in PHRASES {
            assert!(begins(phrase.as_bytes()[0]), "{phrase}");
            assert_eq!(shortened(phrase).len(), 1, "{phrase}");
        }
    }

    proptest! {
        #[test]
        fn every_text_comes_back(
            parts in prop::collection::vec(prop_oneof!["\\PC{0,6}", "[\u{1}-\u{1f}a]{0,1}", prop::sample::select(&PHRASES[..]).prop_map(str::to_owned)], 0..12),
        ) {
            let text = parts.concat();
            let stored = shortened(&text).into_owned();
            prop_assert!(stored.len() <= text.len());
            // With a character of ours in it, it was no JSON of ours.
            if text.bytes().all(|byte| byte >= b' ') {
                prop_assert_eq!(spelled_out(stored), text);
            }
        }
    }
}
