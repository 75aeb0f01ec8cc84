//! Checking a journal without the golem: is the chain whole, and where do two journals part.

use crate::dir::GolemDir;
use crate::epoch::EpochMark;
use crate::error::Error;
use crate::frame::Payload;
use crate::journal::{JournalWalk, Tip};
use crate::reader::Reader;
use crate::{known, memory};
use golem_core::{Hash, Tick};
use serde::Serialize;
use std::path::Path;

/// The first thing that does not fit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Difference {
    pub tick: Tick,
    pub what: String,
}

/// What a walk over the chain found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ChainReport {
    /// Turns that are whole, counted from birth.
    pub ticks: u64,
    /// The head after them.
    pub head: Hash,
    /// The first turn that is not.
    pub damage: Option<Difference>,
}

/// Walk the whole chain of the golem in `dir`. Damage is a finding, not an error.
///
/// # Errors
/// When the file cannot be opened at all.
pub fn verify_chain(dir: &Path) -> Result<ChainReport, Error> {
    let reader = Reader::open(dir)?;
    // Before the file is read: the note is written after the file, and so never knows more than it.
    let known = EpochMark::read(&GolemDir::of_golem(dir)?);
    let start = match reader.origin_and_root() {
        Ok((_, root)) => Tip { tick: Tick(0), head: root },
        Err(e) => return damage(e).map(|d| ChainReport { ticks: 0, head: Hash::default(), damage: Some(d) }),
    };
    let end = match crate::journal::tip(reader.conn(), reader.db()) {
        Ok(end) => end,
        Err(e) => return damage(e).map(|d| ChainReport { ticks: 0, head: start.head, damage: Some(d) }),
    };
    let mut walk = JournalWalk::after(reader.conn(), reader.db(), start, end.tick);
    let found = loop {
        match walk.step().map(|step| step.is_some()) {
            Ok(true) => {}
            Ok(false) if walk.tip() != end => {
                break Some(Difference { tick: end.tick, what: "the tip does not fit".into() });
            }
            Ok(false) => break beyond(&reader)?.map_or_else(|| lost(&reader, known), |hidden| Ok(Some(hidden)))?,
            Err(e) => break Some(damage(e)?),
        }
    };
    let Tip { tick, head } = walk.tip();
    Ok(ChainReport { ticks: tick.0, head, damage: found })
}

/// A tip that was moved back would hide turns; a segment behind it says so.
fn beyond(reader: &Reader) -> Result<Option<Difference>, Error> {
    let sql = "SELECT max(last_tick) FROM journal";
    let last = reader.rows(sql, (), |row| row.get::<_, Option<i64>>(0))?.into_iter().flatten().next().unwrap_or(0);
    // The tip after the segments: the golem may go on meanwhile, and then the tip is the later one.
    let (tip, _) = reader.tip()?;
    let hidden = last > crate::db::int(tip.0);
    Ok(hidden.then(|| Difference { tick: tip.next(), what: "there are turns behind the tip".into() }))
}

/// What the note beside the file knows of and the file has not; then what its memory has lost or changed.
fn lost(reader: &Reader, known: Result<Option<EpochMark>, Error>) -> Result<Option<Difference>, Error> {
    let known = match known {
        Ok(known) => known.unwrap_or_default(),
        Err(e) => return damage(e).map(Some),
    };
    if let Some(missing) = known::missing(reader.conn(), reader.db(), known)? {
        let (tick, known) = (Tick(missing.found.tick).next(), missing.known);
        let what = format!("{} missing: it had come to turn {} (start {})", missing.what, known.tick, known.epoch);
        return Ok(Some(Difference { tick, what }));
    }
    match memory::check(reader.conn(), reader.db()) {
        Ok(()) => Ok(None),
        Err(e) => damage(e).map(Some),
    }
}

/// Damage as a finding; other errors stay errors.
pub(crate) fn damage(e: Error) -> Result<Difference, Error> {
    match e {
        Error::Damaged { tick, what, .. } => Ok(Difference { tick: tick.unwrap_or_default(), what }),
        other => Err(other),
    }
}

/// The first turn at which the journals of two golems differ, up to the end of the shorter one; then the turn after it if
/// they are of different lengths. `None` when they are the same.
///
/// # Errors
/// When one of them cannot be opened or is damaged before the first difference.
pub fn diff(dir_a: &Path, dir_b: &Path) -> Result<Option<Difference>, Error> {
    let (a, b) = (Reader::open(dir_a)?, Reader::open(dir_b)?);
    let (mut walk_a, mut walk_b) = (whole(&a)?, whole(&b)?);
    loop {
        match (walk_a.step()?, walk_b.step()?) {
            (None, None) => return Ok(None),
            (Some((tick, _)), None) | (None, Some((tick, _))) => {
                return Ok(Some(Difference { tick, what: "one of them ends before".into() }));
            }
            (Some((tick, of_a)), Some((_, of_b))) if of_a != of_b => {
                return Ok(Some(Difference { tick, what: part(of_a, of_b)? }));
            }
            _ => {}
        }
    }
}

fn whole(reader: &Reader) -> Result<JournalWalk<'_>, Error> {
    let (_, root) = reader.origin_and_root()?;
    let (end, _) = reader.tip()?;
    Ok(JournalWalk::after(reader.conn(), reader.db(), Tip { tick: Tick(0), head: root }, end))
}

/// Which part of two payloads differs.
fn part(a: Payload<'_>, b: Payload<'_>) -> Result<String, Error> {
    let ((a, digest_a), (b, digest_b)) = (a.open().map_err(Error::Bug)?, b.open().map_err(Error::Bug)?);
    Ok(if a.input != b.input {
        format!("input: {:?} and {:?}", a.input, b.input)
    } else if a.answers != b.answers {
        "answers".to_owned()
    } else if a.intents != b.intents {
        format!("intents: {:?} and {:?}", a.intents, b.intents)
    } else if a.previews != b.previews {
        format!("previews: {:?} and {:?}", a.previews, b.previews)
    } else if a.granted != b.granted {
        format!("permits: {:?} and {:?}", a.granted, b.granted)
    } else if a.receipts != b.receipts {
        format!("receipts: {:?} and {:?}", a.receipts, b.receipts)
    } else {
        format!("state: {digest_a:?} and {digest_b:?}")
    })
}
