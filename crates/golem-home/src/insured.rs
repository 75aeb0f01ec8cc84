//! The insurance snapshots that a golem's file can be brought back from.

use crate::fail::Fail;
use crate::home::Place;
use golem_core::{Tick, Timestamp};
use golem_runtime::{Manifest, list_snapshots, list_snapshots_aside};
use serde::Serialize;
use std::path::PathBuf;

/// What `golem restore --list --json` prints of a snapshot; others rely on these names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SnapshotRow {
    pub tick: Tick,
    pub at: Timestamp,
    /// Of a life that was left.
    pub set_aside: bool,
}

/// All of them, those of lives that were left last.
pub fn snapshots(place: &Place) -> Result<Vec<SnapshotRow>, Fail> {
    let row = |(_, m): &(PathBuf, Manifest), set_aside| SnapshotRow { tick: m.tick, at: m.at, set_aside };
    let (all, left) = (list_snapshots(&place.dir)?, list_snapshots_aside(&place.dir)?);
    Ok(all.iter().map(|one| row(one, false)).chain(left.iter().map(|one| row(one, true))).collect())
}
