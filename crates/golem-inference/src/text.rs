//! Words of strangers, made harmless to show: no secrets, not too long. What is hidden is taken out by `golem_core::words`.

use golem_core::words::one_line;
use zeroize::Zeroizing;

/// What stands where a secret stood.
pub(crate) const REDACTED: &str = "[redacted]";

/// A short word on one line, at most so many characters: a model's name, an id, a status line.
pub(crate) fn short(text: &str, most: usize) -> String {
    one_line(text, most.saturating_add(1))
}

/// Texts that must not come back (canaries), and must not even go out (secrets).
#[derive(Default)]
pub(crate) struct WatchedTexts {
    secrets: Vec<Zeroizing<String>>,
    canaries: Vec<Zeroizing<String>>,
}

impl WatchedTexts {
    /// Shorter ones would be found everywhere.
    pub(crate) const LEAST: usize = 8;

    pub(crate) fn secret(&mut self, text: &str) {
        push(&mut self.secrets, text);
    }
    pub(crate) fn canary(&mut self, text: &str) {
        push(&mut self.canaries, text);
    }
    /// True when a secret is in what would go out.
    pub(crate) fn is_in(&self, going_out: &str) -> bool {
        self.secrets.iter().any(|s| going_out.contains(s.as_str()))
    }
    /// Take secrets and canaries out of what came back; true when there was one.
    pub(crate) fn redact(&self, text: &mut String) -> bool {
        let mut found = false;
        for word in self.secrets.iter().chain(&self.canaries).filter(|w| !w.is_empty()) {
            if text.contains(word.as_str()) {
                *text = text.replace(word.as_str(), REDACTED);
                found = true;
            }
        }
        found
    }
}

fn push(list: &mut Vec<Zeroizing<String>>, text: &str) {
    if text.len() >= WatchedTexts::LEAST && list.iter().all(|known| known.as_str() != text) {
        list.push(Zeroizing::new(text.to_owned()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_seen_is_taken_out() {
        assert_eq!(short("one\ntwo three", 7), "one two");
        assert_eq!(short("äöü", 2), "äö");
    }

    #[test]
    fn a_watched_word_is_found_and_replaced() {
        let mut watched = WatchedTexts::default();
        watched.secret("sk-0123456789");
        watched.canary("violet-heron-17");
        watched.secret("short");
        assert!(watched.is_in("{\"x\":\"sk-0123456789\"}"));
        assert!(!watched.is_in("violet-heron-17 and short"));
        let mut text = "my key is sk-0123456789, my word violet-heron-17, short".to_owned();
        assert!(watched.redact(&mut text));
        assert_eq!(text, "my key is [redacted], my word [redacted], short");
        assert!(!watched.redact(&mut text));
    }
}
