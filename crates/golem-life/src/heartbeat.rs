//! The heartbeat states of a turn, in the only order there is.

use serde::{Deserialize, Serialize};

/// Where in a turn the golem is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Heartbeat {
    /// Between turns; a dream would run here.
    #[default]
    Sleeping,
    /// Observing, settling due forecasts.
    Sensing,
    /// Predicting, weighing, deciding.
    Deciding,
    /// Intents are out, receipts are awaited.
    Acting,
    /// Booking, learning, ageing.
    Reflecting,
}

impl Heartbeat {
    /// The state after this one. There is no other way through a turn.
    #[must_use]
    pub fn next(self) -> Self {
        match self {
            Self::Sleeping => Self::Sensing,
            Self::Sensing => Self::Deciding,
            Self::Deciding => Self::Acting,
            Self::Acting => Self::Reflecting,
            Self::Reflecting => Self::Sleeping,
        }
    }
}
