//! Whose past a snapshot is: after going back, what was insured later belongs to a life that was left. Such snapshots are
//! set aside under another name, so that nobody is brought back to them without asking for them, and their chunks stay.

use super::manifest::{self, Manifest};
use crate::durable::sync_dir;
use crate::error::Error;
use crate::journal;
use golem_core::Tick;
use rusqlite::Connection;
use std::fs;
use std::path::{Path, PathBuf};

/// Stands between the name of a manifest and a number.
const ASIDE: &str = ".json.aside-";

/// What became of snapshots when a golem went to another place in its life.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sorted {
    /// Set aside: they belong to a life that was left.
    pub aside: Vec<Tick>,
    /// Taken back: they belong to the life that goes on.
    pub back: Vec<Tick>,
}

/// Set aside what was insured of another life than the one in this file, and take back what belongs to it. A manifest that
/// cannot be read is judged by its turn.
pub(crate) fn sort(dir: &Path, conn: &Connection, db: &Path, last: Tick) -> Result<Sorted, Error> {
    let is_ours = |m: &Manifest| Ok(m.tick <= last && journal::head_at(conn, db, m.tick)? == Some(m.head));
    let mut sorted = Sorted::default();
    for (tick, path) in manifest::files(dir)? {
        let ours = match Manifest::read(&path) {
            Ok(manifest) => is_ours(&manifest)?,
            Err(_) => tick <= last,
        };
        if !ours {
            set_aside(&path, tick)?;
            sorted.aside.push(tick);
        }
    }
    for (tick, path) in aside(dir)? {
        // One that cannot be read stays where it is.
        let Ok(manifest) = Manifest::read(&path) else { continue };
        let place = dir.join(format!("{tick}.json"));
        if is_ours(&manifest)? && !place.exists() {
            rename(&path, &place)?;
            sorted.back.push(tick);
        }
    }
    sync(dir, sorted)
}

/// The same by turns alone, for a file that was put back: what was insured after its end belongs to another life.
pub(crate) fn set_aside_after(dir: &Path, last: Tick) -> Result<Sorted, Error> {
    let mut sorted = Sorted::default();
    for (tick, path) in manifest::files(dir)?.into_iter().filter(|(tick, _)| *tick > last) {
        set_aside(&path, tick)?;
        sorted.aside.push(tick);
    }
    sync(dir, sorted)
}

/// The manifests that were set aside, by turn and then the oldest first.
pub(crate) fn aside(dir: &Path) -> Result<Vec<(Tick, PathBuf)>, Error> {
    let mut found = Vec::new();
    for path in manifest::listed(dir)? {
        let name = path.file_name().and_then(|n| n.to_str()).and_then(|name| name.split_once(ASIDE));
        let numbers = name.and_then(|(tick, n)| Some((tick.parse().ok()?, n.parse::<u64>().ok()?)));
        found.extend(numbers.map(|(tick, n)| (Tick(tick), n, path)));
    }
    found.sort();
    Ok(found.into_iter().map(|(tick, _, path)| (tick, path)).collect())
}

/// Those that were set aside when the golem went back behind them, by turn and then the oldest first.
///
/// # Errors
/// When the directory itself cannot be read.
pub fn list_aside(dir: &Path) -> Result<Vec<(PathBuf, Manifest)>, Error> {
    let all = aside(&crate::dir::GolemDir::existing(dir)?.snapshots())?;
    Ok(all.into_iter().filter_map(|(_, path)| Some((path.clone(), Manifest::read(&path).ok()?))).collect())
}

fn set_aside(path: &Path, tick: Tick) -> Result<(), Error> {
    let name = |n: u64| path.with_file_name(format!("{tick}{ASIDE}{n}"));
    let free = (1..).map(name).find(|place| fs::symlink_metadata(place).is_err());
    rename(path, &free.ok_or_else(|| Error::Bug("no name left".into()))?)
}

fn rename(from: &Path, to: &Path) -> Result<(), Error> {
    fs::rename(from, to).map_err(|e| Error::io(from, "rename", &e))
}

fn sync(dir: &Path, sorted: Sorted) -> Result<Sorted, Error> {
    if sorted != Sorted::default() {
        sync_dir(dir)?;
    }
    Ok(sorted)
}
