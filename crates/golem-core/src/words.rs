//! Texts of others, made plain: one line, nothing hidden, not too long. Whatever reaches a prompt, a page or a screen from
//! outside goes through here.

/// True for characters that have no place in a text: controls, and marks that nobody sees, that hide what follows or turn its
/// direction (soft hyphens, marks of width zero, tags).
#[must_use]
pub fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}'
            | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

/// The words of a text: what stands between white space and hidden characters.
pub fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| c.is_whitespace() || is_hidden(c)).filter(|w| !w.is_empty())
}

/// A text on one line: nothing hidden, one space between words, fewer than `most` characters.
#[must_use]
pub fn one_line(text: &str, most: usize) -> String {
    let mut out = String::with_capacity(text.len().min(most));
    let mut written = 0;
    for word in words(text) {
        let room = most.saturating_sub(written);
        if room < 2 {
            break;
        }
        if !out.is_empty() {
            out.push(' ');
            written += 1;
        }
        for c in word.chars().take(room - 1) {
            out.push(c);
            written += 1;
        }
    }
    out
}

/// A text on one line that can stand between double quotes: nothing hidden, one space between words, no double quote, at
/// most so many characters; and whether some of it did not fit.
#[must_use]
pub fn quotable(text: &str, most: usize) -> (String, bool) {
    let (mut line, mut count, mut gap) = (String::with_capacity(text.len().min(most)), 0, false);
    for c in text.chars() {
        if c.is_whitespace() || c.is_control() {
            gap = true;
        } else if !is_hidden(c) {
            let room = 1 + usize::from(gap && count > 0);
            if count + room > most {
                return (line, true);
            }
            if room == 2 {
                line.push(' ');
            }
            line.push(if is_quote(c) { '\'' } else { c });
            (count, gap) = (count + room, false);
        }
    }
    (line, false)
}

fn is_quote(c: char) -> bool {
    matches!(c, '"' | '\u{201c}'..='\u{201f}' | '\u{2033}' | '\u{ff02}')
}

/// A text of several lines without anything hidden: line breaks and tabs stay.
#[must_use]
pub fn lines(text: &str) -> String {
    text.chars().filter(|&c| matches!(c, '\n' | '\t') || !is_hidden(c)).collect()
}

/// The longest part of a path, and of a word of it, that is taken for a word.
const LONGEST_WORD: usize = 12;
/// The longest word of a path that may have digits or capitals in it: a version, a chain, a number.
const LONGEST_NUMBER: usize = 7;

/// Whether the path of an address has only words in it that a person wrote: a part that is long, or has digits among many
/// letters, may be a key.
#[must_use]
pub fn is_plain_path(path: &str) -> bool {
    let written = |word: &str| word.len() <= LONGEST_WORD && word.bytes().all(|b| b.is_ascii_lowercase());
    let short = |word: &str| word.len() <= LONGEST_NUMBER || written(word);
    path.split('/').all(|part| {
        let mut words = part.split(['-', '_', '.']);
        if part.len() <= LONGEST_WORD { words.all(short) } else { words.all(written) }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn nothing_hidden_is_left() {
        assert_eq!(one_line("a\r\n## b\u{2028}c\u{202e}d \u{0} e\u{feff}", 99), "a ## b c d e");
        assert_eq!(one_line("one two three", 8), "one two");
        assert_eq!(one_line("äöü", 3), "äö");
        assert_eq!(one_line("x", 1), "");
        assert_eq!(one_line("so\u{ad}ft t\u{e0041}ag \u{fff9}note", 99), "so ft t ag note");
        assert_eq!(lines("a\u{1b}[31mb\u{0}\r\n\tc\u{202e}d\u{7f}\u{200b}"), "a[31mb\n\tcd");
    }

    #[test]
    fn a_key_in_a_path_is_not_taken_for_a_word() {
        for (path, plain) in [
            ("", true),
            ("/", true),
            ("/v1", true),
            ("/ext/bc/C/rpc", true),
            ("/compatible-mode/v1", true),
            ("/v1beta1/openai", true),
            ("/rpc-8453", true),
            ("/v3/84842078b09946638c03157f83405213", false),
            ("/abcdefghijklmnop", false),
            ("/v2/demoDemoDemoDemo", false),
            ("/api-12345678/rpc", false),
            ("/0a1b2c3d", false),
            ("/ab12-cd34-ef56-ab78", false),
        ] {
            assert_eq!(is_plain_path(path), plain, "{path}");
        }
    }

    proptest! {
        #[test]
        fn always_one_short_line(text in any::<String>(), most in 0usize..60) {
            let line = one_line(&text, most);
            prop_assert!(line.chars().count() <= most);
            prop_assert!(!line.chars().any(|c| is_hidden(c) || (c.is_whitespace() && c != ' ')));
            prop_assert!(!lines(&text).chars().any(|c| is_hidden(c) && c != '\n' && c != '\t'));
            prop_assert_eq!(one_line(&line, most.max(line.chars().count() + 1)), line);
        }
    }
}
