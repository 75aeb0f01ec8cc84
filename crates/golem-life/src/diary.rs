//! What is counted and kept between turns so that not everything becomes an episode.

use golem_core::words::one_line;
use golem_core::{Elapsed, VirtualTime};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// At most this many episodes of what was only watched in a virtual hour; actions are always written.
const MOST_AN_HOUR: u32 = 40;
const HOUR: Elapsed = Elapsed::secs(3_600);
/// A surprise becomes an episode at most once in this time.
const SURPRISE_REST: Elapsed = Elapsed::nominal(10);
/// Holding becomes an episode at most once in this time.
const HOLDING: Elapsed = Elapsed::nominal(90);
/// At most this many of the owner's messages are kept.
const OWNERS_WORDS: usize = 4;

/// What is counted between turns.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(crate) struct Diary {
    /// The hour that is counted, and its episodes.
    hour: u64,
    pub episodes: u32,
    /// When a surprise was last written down.
    surprised: VirtualTime,
    /// The trade that is open, or was last: from the first exposure to the last.
    pub trade: u64,
    pub in_trade: bool,
    pub decisions: u64,
    /// Events of its own life that wait to be written down: they happen after the turn's episodes.
    pub events: Vec<String>,
    /// The next phase down was in sight last turn.
    pub near_fall: bool,
    /// What the owner said last.
    owner: VecDeque<String>,
    /// When holding was last written down.
    held: Option<VirtualTime>,
}

impl Diary {
    /// Whether this hour has room for what was only watched.
    pub(crate) fn has_room(&mut self, now: VirtualTime) -> bool {
        let hour = now.age().0 / HOUR.0;
        if self.hour != hour {
            (self.hour, self.episodes) = (hour, 0);
        }
        self.episodes < MOST_AN_HOUR
    }
    /// Whether a surprise is worth an episode again; then this one is.
    pub(crate) fn is_surprised_again(&mut self, now: VirtualTime) -> bool {
        let rested = now.since(self.surprised) >= SURPRISE_REST;
        if rested {
            self.surprised = now;
        }
        rested
    }
    /// Whether holding is worth an episode again; then this one is. One in the time that it takes to show what it was worth.
    pub(crate) fn is_holding_again(&mut self, now: VirtualTime) -> bool {
        let again = self.held.is_none_or(|last| now.since(last) >= HOLDING);
        if again {
            self.held = Some(now);
        }
        again
    }
    /// Something happened to it.
    pub(crate) fn event(&mut self, words: String) {
        self.events.push(words);
    }
    /// The owner said something.
    pub(crate) fn hear(&mut self, words: &str) {
        if self.owner.len() == OWNERS_WORDS {
            self.owner.pop_front();
        }
        self.owner.push_back(one_line(words, 300));
    }
    /// What the owner said last, the newest last.
    pub(crate) fn owner(&self) -> impl Iterator<Item = &str> {
        self.owner.iter().map(String::as_str)
    }
}
