//! How a golem stands with the relay, and what it knows of its siblings: out of its file, for whoever shows it.

use crate::file::{FerryFault, FerryFile, KnownSibling};
use serde::Serialize;
use std::path::Path;

/// Words of the latest notices that are shown.
const NOTICES: u32 = 5;

/// How one golem stands with the relay.
#[derive(Debug, Clone, Default, Serialize)]
pub struct CladeStanding {
    pub id: String,
    pub name: String,
    pub relay: String,
    /// The clade's key; none where this home has none yet.
    pub owner: Option<String>,
    /// Deltas that it has made, and those that the relay has not said to keep.
    pub told: u64,
    pub waiting: u64,
    pub siblings: usize,
    /// What waits to be handed to it, and what had no room.
    pub queued: usize,
    pub dropped: u64,
    /// Seconds since it was last let in; none before.
    pub met_s_ago: Option<u64>,
    pub backed_up_tick: Option<u64>,
    /// What its owner should know, the newest first.
    pub notices: Vec<String>,
}

impl CladeStanding {
    /// With what the file in its directory says; as it is where there is none yet.
    ///
    /// # Errors
    /// What the file said.
    pub fn with_file(mut self, dir: &Path, now_s: u64) -> Result<Self, FerryFault> {
        let Some((kept, state)) = FerryFile::look(dir)? else { return Ok(self) };
        self.waiting = kept.waiting()?;
        self.notices = kept.notices(NOTICES)?.into_iter().map(|(_, text)| text).collect();
        self.told = state.head.seq;
        self.siblings = state.siblings.len();
        self.queued = state.queue.waiting();
        self.dropped = state.queue.dropped();
        self.met_s_ago = state.met_ms.map(|at_ms| seconds_ago(at_ms, now_s));
        self.backed_up_tick = state.backed_up.map(|tick| tick.0);
        Ok(self)
    }
}

/// A sibling as a golem knows it.
#[derive(Debug, Clone, Serialize)]
pub struct SiblingSeen {
    pub id: String,
    pub phase: Option<String>,
    pub vitality: Option<f64>,
    pub terms: Option<String>,
    pub tick: Option<u64>,
    pub dreaming: Option<bool>,
    pub pulse_s_ago: Option<u64>,
}

impl SiblingSeen {
    /// All that the golem in this directory has met.
    ///
    /// # Errors
    /// What its file said.
    pub fn all(dir: &Path, now_s: u64) -> Result<Vec<Self>, FerryFault> {
        let found = FerryFile::look(dir)?;
        Ok(found.map_or_else(Vec::new, |(_, state)| state.siblings.iter().map(|s| Self::of(s, now_s)).collect()))
    }
    fn of(s: &KnownSibling, now_s: u64) -> Self {
        let pulse = s.pulse.as_ref().map(|p| &p.words);
        Self {
            id: s.certificate.words.golem.to_string(),
            phase: pulse.map(|p| p.phase.to_string()),
            vitality: pulse.map(|p| f64::from(p.vitality) / 1_000.0),
            terms: pulse.map(|p| golem_core::plain::word(&p.terms)),
            tick: pulse.map(|p| p.tick),
            dreaming: pulse.map(|p| p.dreaming),
            pulse_s_ago: pulse.map(|_| seconds_ago(s.heard_ms, now_s)),
        }
    }
}

fn seconds_ago(at_ms: u64, now_s: u64) -> u64 {
    now_s.saturating_sub(at_ms / 1_000)
}
