//! The terms on which a golem is run: how fast, how long, with what around it, and why the loop came back.

use crate::clock::{Clock, StopFlag};
use crate::listener::Listener;
use crate::pace::Pace;
use golem_core::door::{EffectKey, Models};
use std::sync::Arc;

/// Which time a turn shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShownTime {
    /// The wall's: a golem in the present.
    Wall,
    /// The world's epoch plus the golem's age: replayed and accelerated worlds.
    World,
}

/// How a golem is run.
#[derive(Debug, Clone)]
pub struct Options {
    pub pace: Pace,
    /// Which time its turns show; by default the wall's at real speed and the world's otherwise.
    pub shown: Option<ShownTime>,
    /// Turns between two points of the series.
    pub series_every: u64,
    /// Whether insurance snapshots are taken.
    pub snapshots: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self { pace: Pace::Real, shown: None, series_every: 90, snapshots: true }
    }
}

/// How long to run.
#[derive(Debug, Clone, Copy, Default)]
pub struct Until {
    /// At most so many turns.
    pub turns: Option<u64>,
    /// Come back when the golem is paused, instead of waiting for an order.
    pub return_when_paused: bool,
}

/// Why the loop came back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WhyBack {
    /// The stop flag was raised.
    Stopped,
    /// It is dead, and stays dead.
    Died,
    /// It is paused and no order waits.
    Paused,
    /// The world has no more to show.
    WorldEnded,
    /// The turns that were asked for are done.
    TurnsDone,
    /// An effect committed before a crash may still land; run again later.
    Unreconciled { key: EffectKey },
}

/// What [`crate::Runner::advance`] found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Progress {
    /// There is more to do at this moment of the monotonic clock.
    Due(u64),
    /// There is nothing more to do for now.
    Ended(WhyBack),
}

/// Everything around a golem that is not the golem.
pub struct Around<F> {
    /// How it is run.
    pub options: Options,
    /// Time outside.
    pub clock: Arc<dyn Clock>,
    /// The request to stop.
    pub stop: StopFlag,
    /// Whoever listens.
    pub listener: Option<Box<dyn Listener<F>>>,
    pub models: Box<dyn Models>,
}
