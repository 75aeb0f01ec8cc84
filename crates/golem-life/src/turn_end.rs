//! What a turn leaves for the loop: whether there will be another, and what owner and fleet are told.

use golem_clade::kin::KinLetter;
use golem_core::{Elapsed, Timestamp};
use serde::{Deserialize, Serialize};

/// Whether there will be another turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LifeStanding {
    /// Yes, after the interval.
    Alive,
    /// Not before an order comes.
    Paused,
    /// A few more: death is on record, and its stages pass one by one.
    Dying,
    /// Never.
    Dead,
}

impl LifeStanding {
    /// Every one.
    pub const ALL: [Self; 4] = [Self::Alive, Self::Paused, Self::Dying, Self::Dead];

    /// The word in files, tables and screens.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Alive => "alive",
            Self::Paused => "paused",
            Self::Dying => "dying",
            Self::Dead => "dead",
        }
    }
    /// True where there is no way back: its death is on record.
    #[must_use]
    pub fn is_final(self) -> bool {
        matches!(self, Self::Dying | Self::Dead)
    }
    /// The one with this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|standing| standing.name() == name)
    }
}

impl std::fmt::Display for LifeStanding {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.name())
    }
}

/// What the loop must know after a turn.
#[derive(Debug, Clone, PartialEq)]
pub struct TurnEnd {
    /// Whether there will be another.
    pub standing: LifeStanding,
    /// Virtual time until the next one.
    pub interval: Elapsed,
    /// True when an insurance snapshot is wanted whatever the schedule says (a golem has become Terminal).
    pub insure: bool,
    /// Answers to orders, for the outbox.
    pub replies: Vec<Reply>,
    /// What the golems of the same fleet are told, for the outbox.
    pub peers: Vec<Word>,
    /// What siblings are told over the relay, for the outbox.
    pub kin: Vec<KinLetter>,
}

/// A word to the golems of the same fleet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Word {
    pub text: String,
    /// True when it is the last there will be.
    pub died: bool,
    /// When it was said, by the calendar of the speaker's own world: nobody hears it earlier.
    pub at: Timestamp,
}

/// An answer to an order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reply {
    /// The order's number.
    pub order: u64,
    /// The answer, for people.
    pub text: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_standing_is_read_as_it_was_written() {
        for standing in LifeStanding::ALL {
            assert_eq!(LifeStanding::named(standing.name()), Some(standing));
            assert_eq!(golem_core::plain::word(&standing), standing.name());
        }
        assert_eq!(LifeStanding::named("undead"), None);
    }
}
