//! Where words go: stdout is the result, stderr is talk. `--json` changes the format only.

use crate::fail::Fail;
use crate::lines::folded;
use serde::Serialize;
use std::io::{IsTerminal, Write};

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
        writeln!(stdout, "{}", words.trim_end_matches('\n'))?;
        stdout.flush()?;
        Ok(())
    }

    /// Talk. Nobody depends on it, and a closed stderr is no reason to stop.
    pub fn say(&self, words: &str) {
        if !self.quiet {
            let _closed = writeln!(std::io::stderr(), "{}", folded(words));
        }
    }

    /// Something that must be heard, also when talk is not wanted.
    pub fn alert(&self, words: &str) {
        Self { quiet: false, ..*self }.say(words);
    }

    /// A word in a colour, where colours are seen.
    pub fn paint(&self, style: &str, words: &str) -> String {
        if self.color { format!("\x1b[{style}m{words}\x1b[0m") } else { words.to_owned() }
    }
}
