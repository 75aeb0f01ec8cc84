//! One line at the bottom of a terminal that is written over as things change. It never fills the terminal's width: what is
//! typed meanwhile (Ctrl-C) is echoed behind it and goes away with it.

use golem_core::words::one_line;
use golem_view::wrap::{WIDTH, cut};
use std::io::Write;
use std::sync::{Mutex, PoisonError};

/// Room for an echo.
const MOST: usize = WIDTH - 6;

/// The line; empty while nothing is shown.
#[derive(Default)]
pub struct LiveLine(Mutex<String>);

impl LiveLine {
    /// Show this from now on.
    pub fn show(&self, words: &str) {
        let mut shown = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // Whatever stands in the words, they stay on one line and are no codes.
        *shown = cut(&one_line(words, 4 * WIDTH), MOST);
        draw(&shown);
    }

    /// Say something above it.
    pub fn above<T>(&self, say: impl FnOnce() -> T) -> T {
        let shown = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        draw("");
        let said = say();
        draw(&shown);
        said
    }
}

#[cfg(test)]
impl LiveLine {
    /// What stands there.
    pub fn shown(&self) -> String {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Drop for LiveLine {
    fn drop(&mut self) {
        draw("");
    }
}

/// Nobody depends on it, and a closed stderr is no reason to stop.
fn draw(words: &str) {
    let mut stderr = std::io::stderr().lock();
    let _closed = write!(stderr, "\r\x1b[2K{words}").and_then(|()| stderr.flush());
}
