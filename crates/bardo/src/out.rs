//! Where words go: stdout is the result, stderr is talk. `--json` changes the format only.

use crate::fail::Fail;
use crate::lines::folded;
use golem_core::words;
use serde::Serialize;
use std::io::{IsTerminal, Write};

/// A value by way of which things are printed whose keys stand in one order.
pub fn as_value<T: Serialize>(value: &T) -> Result<serde_json::Value, Fail> {
    serde_json::to_value(value).map_err(|e| Fail::Bug(e.to_string()))
}

/// How to speak.
#[derive(Debug, Clone, Copy)]
pub struct Out {
    /// The result is JSON.
    pub json: bool,
    /// No talk.
    pub quiet: bool,
    /// Colour on stdout.
    pub color: bool,
    /// stderr is a terminal: progress may be drawn.
    pub live: bool,
}

impl Out {
    /// From the flags and the environment.
    pub fn new(json: bool, quiet: bool) -> Self {
        let no_color = std::env::var_os("NO_COLOR").is_some_and(|v| !v.is_empty());
        let color = !json && !no_color && std::io::stdout().is_terminal();
        Self { json, quiet, color, live: !quiet && std::io::stderr().is_terminal() }
    }

    /// The result: JSON of `value`, or the text.
    pub fn result<T: Serialize>(&self, value: &T, text: impl FnOnce() -> String) -> Result<(), Fail> {
        let words =
            if self.json { serde_json::to_string_pretty(value).map_err(|e| Fail::Bug(e.to_string()))? } else { text() };
        self.line(&words)
    }

    /// One line (or more) of result.
    pub fn line(&self, words: &str) -> Result<(), Fail> {
        let mut stdout = std::io::stdout().lock();
        let words = words.trim_end_matches('\n');
        writeln!(stdout, "{}", if self.json { json_shown(words) } else { shown(words) })?;
        stdout.flush()?;
        Ok(())
    }

    /// Talk. Nobody depends on it, and a closed stderr is no reason to stop.
    pub fn say(&self, words: &str) {
        if !self.quiet {
            let _closed = writeln!(std::io::stderr(), "{}", folded(&shown(words)));
        }
    }

    /// Something that must be heard, also when talk is not wanted.
    pub fn alert(&self, words: &str) {
        Self { quiet: false, ..*self }.say(words);
    }

    /// A word in a colour, where colours are seen.
    pub fn paint(&self, style: &str, words: &str) -> String {
        let mark = PAINT.iter().find(|(_, code)| *code == style).filter(|_| self.color);
        mark.map_or_else(|| words.to_owned(), |(mark, _)| format!("{mark}{words}{PLAIN}"))
    }
}

/// Colours travel as marks of private use, so that no code of anybody's can pass for one of ours: bold and red.
const PAINT: [(char, &str); 2] = [('\u{f8f1}', "1"), ('\u{f8f2}', "31")];
/// The end of a colour.
const PLAIN: char = '\u{f8f0}';

/// A text as a terminal may have it: nothing hidden and no code but our own colours, whoever wrote the words.
pub fn shown(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in words::lines(text).chars() {
        match (c, PAINT.iter().find(|(mark, _)| *mark == c)) {
            (_, Some((_, code))) => out.extend(["\x1b[", code, "m"]),
            (PLAIN, None) => out.push_str("\x1b[0m"),
            (c, None) => out.push(c),
        }
    }
    out
}

/// The same JSON with everything hidden spelt as an escape: programs read what was there, terminals obey nothing.
pub fn json_shown(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        // Line breaks stand between values only: inside of them they are escaped already.
        if c == '\n' || !words::is_hidden(c) {
            out.push(c);
            continue;
        }
        for unit in c.encode_utf16(&mut [0; 2]) {
            out.push_str(&format!("\\u{unit:04x}"));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Clears the screen, hides, sets the title, turns the direction, in one byte or in many.
    const EVIL: &str = "a\x1b[2J\u{9b}31m\u{202e}b\x07\r\x1b]0;x\x7f\u{e0041}";

    #[test]
    fn nothing_raw_reaches_the_terminal() {
        assert_eq!(shown(EVIL), "a[2J31mb]0;x");
        let told = serde_json::json!({ "text": EVIL });
        for text in [told.to_string(), serde_json::to_string_pretty(&told).unwrap()] {
            let safe = json_shown(&text);
            assert!(!safe.chars().any(|c| c != '\n' && words::is_hidden(c)), "{safe:?}");
            assert_eq!(serde_json::from_str::<serde_json::Value>(&safe).unwrap(), told);
        }
    }

    #[test]
    fn our_own_colours_are_seen_where_colours_are() {
        let out = |color| Out { json: false, quiet: false, color, live: false };
        assert_eq!(shown(&out(true).paint("31", EVIL)), "\x1b[31ma[2J31mb]0;x\x1b[0m");
        assert_eq!(shown(&out(true).paint("1", "x")), "\x1b[1mx\x1b[0m");
        assert_eq!(out(false).paint("31", "x"), "x");
        assert_eq!(out(true).paint("2J", "x"), "x");
    }
}
