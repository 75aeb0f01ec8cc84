//! The journal: segments of frames, one per commit. Walking it checks the chain at every frame, so that whoever gets a
//! frame from here gets what was once written.

use crate::chain;
use crate::db::{int, uint};
use crate::error::Error;
use crate::frame::{self, Payload};
use crate::packed;
use golem_core::{Hash, Tick};
use rusqlite::{Connection, OptionalExtension};
use std::path::Path;

/// The last committed turn and the chain's head after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Tip {
    pub(crate) tick: Tick,
    pub(crate) head: Hash,
}

/// Read the tip.
pub(crate) fn tip(conn: &Connection, path: &Path) -> Result<Tip, Error> {
    let read = |row: &rusqlite::Row<'_>| Ok(Tip { tick: Tick(uint(row.get(0)?)?), head: Hash(row.get(1)?) });
    conn.query_row("SELECT tick, head FROM tip WHERE one = 1", [], read)
        .map_err(|e| Error::sql(path, "read the tip", &e))
}

/// Add a segment and move the tip.
pub(crate) fn append(
    conn: &Connection,
    epoch: u64,
    first: Tick,
    last: Tick,
    frames: &[u8],
    head: &Hash,
) -> rusqlite::Result<()> {
    conn.prepare_cached("INSERT INTO journal(first_tick, last_tick, epoch, frames, head) VALUES (?1, ?2, ?3, ?4, ?5)")?
        .execute((int(first.0), int(last.0), int(epoch), &*packed::pack(frames), &head.0[..]))?;
    conn.prepare_cached("UPDATE tip SET tick = ?1, head = ?2 WHERE one = 1")?.execute((int(last.0), &head.0[..]))?;
    Ok(())
}

/// The head after a turn that ends a segment.
pub(crate) fn head_at(conn: &Connection, path: &Path, tick: Tick) -> Result<Option<Hash>, Error> {
    conn.query_row(
        "SELECT head FROM journal WHERE first_tick <= ?1 AND last_tick = ?1 ORDER BY first_tick DESC LIMIT 1",
        [int(tick.0)],
        |row| row.get(0).map(Hash),
    )
    .optional()
    .map_err(|e| Error::sql(path, "read the journal", &e))
}

/// The end of the last segment before a turn; `None` when there is none.
pub(crate) fn boundary_before(conn: &Connection, path: &Path, tick: Tick) -> Result<Option<Tip>, Error> {
    let read = |row: &rusqlite::Row<'_>| Ok(Tip { tick: Tick(uint(row.get(0)?)?), head: Hash(row.get(1)?) });
    conn.query_row(
        "SELECT last_tick, head FROM journal WHERE last_tick < ?1 ORDER BY first_tick DESC LIMIT 1",
        [int(tick.0)],
        read,
    )
    .optional()
    .map_err(|e| Error::sql(path, "read the journal", &e))
}

/// A walk over the frames after a turn, one segment in memory at a time and no transaction held between segments.
pub(crate) struct JournalWalk<'a> {
    conn: &'a Connection,
    path: &'a Path,
    head: Hash,
    last: Tick,
    until: Tick,
    segment: JournalSegment,
}

#[derive(Default)]
struct JournalSegment {
    frames: Vec<u8>,
    at: usize,
    turns: SegmentTurns,
    head: Hash,
    /// Why its frames end before it does.
    broken: Option<&'static str>,
}

/// The turns of a segment.
#[derive(Clone, Copy, Default)]
struct SegmentTurns {
    first: Tick,
    last: Tick,
    /// Whether its frames were packed: then damage reaches from one turn to the end of it.
    packed: bool,
}

impl SegmentTurns {
    /// What is wrong, and of a packed segment which turns it may have taken.
    fn damaged(self, path: &Path, tick: Tick, what: impl Into<String>) -> Error {
        let Self { first, last, packed } = self;
        let of = if packed { format!(" (a packed segment of turns {first} to {last})") } else { String::new() };
        Error::damaged_at(path, tick, what.into() + &of)
    }
}

impl<'a> JournalWalk<'a> {
    /// From the turn after `tip` up to `until`.
    pub(crate) fn after(conn: &'a Connection, path: &'a Path, from: Tip, until: Tick) -> Self {
        let turns = SegmentTurns { last: from.tick, ..SegmentTurns::default() };
        let segment = JournalSegment { turns, head: from.head, ..JournalSegment::default() };
        Self { conn, path, head: from.head, last: from.tick, until, segment }
    }
    /// Where the walk stands.
    pub(crate) fn tip(&self) -> Tip {
        Tip { tick: self.last, head: self.head }
    }

    /// Whether it stands between two segments, where another walk can begin.
    pub(crate) fn is_between_segments(&self) -> bool {
        self.last == self.segment.turns.last
    }

    /// The next frame. An error names the turn that is damaged, or the first one that is missing; of a packed segment the
    /// first one that is not there any more as it was, and the turns of the segment.
    pub(crate) fn step(&mut self) -> Result<Option<(Tick, Payload<'_>)>, Error> {
        if self.last >= self.until {
            return Ok(None);
        }
        let tick = self.last.next();
        let path = self.path;
        if self.segment.at == self.segment.frames.len() && self.segment.broken.is_none() {
            self.load(tick)?;
        }
        let JournalSegment { turns, broken, head: end, .. } = self.segment;
        let (payload, short, rest) = frame::cut(&self.segment.frames[self.segment.at..]).map_err(|why| {
            let what = broken.map_or_else(|| format!("frame {why}"), |why| format!("the segment {why}"));
            turns.damaged(path, tick, what)
        })?;
        let head = chain::next(&self.head, tick, payload.0);
        if head.short() != short {
            return Err(turns.damaged(path, tick, "the frame does not fit the chain"));
        }
        let done = rest.is_empty() && broken.is_none();
        if done != (tick == turns.last) {
            return Err(turns.damaged(path, tick, "the segment does not hold the turns it names"));
        }
        if done && head != end {
            return Err(turns.damaged(path, tick, "the segment's head does not fit the chain"));
        }
        (self.head, self.last) = (head, tick);
        self.segment.at = self.segment.frames.len() - rest.len();
        Ok(Some((tick, payload)))
    }

    fn load(&mut self, tick: Tick) -> Result<(), Error> {
        let path = self.path;
        let read = || {
            self.conn
                .prepare_cached(
                    "SELECT first_tick, last_tick, frames, head FROM journal WHERE first_tick >= ?1
                     ORDER BY first_tick LIMIT 1",
                )?
                .query_row([int(tick.0)], |row| {
                    let (first, last) = (Tick(uint(row.get(0)?)?), Tick(uint(row.get(1)?)?));
                    let turns = SegmentTurns { first, last, packed: false };
                    Ok(JournalSegment {
                        turns,
                        frames: row.get(2)?,
                        head: Hash(row.get(3)?),
                        ..JournalSegment::default()
                    })
                })
                .optional()
        };
        let found = read().map_err(|e| match Error::sql(path, "read the journal", &e) {
            Error::Damaged { what, .. } => Error::damaged_at(path, tick, what),
            other => other,
        })?;
        match found {
            Some(segment)
                if segment.turns.first == tick && segment.turns.last >= tick && !segment.frames.is_empty() =>
            {
                let turns = SegmentTurns { packed: packed::is_packed(&segment.frames), ..segment.turns };
                let (frames, broken) = packed::unpack_what_is_whole(segment.frames);
                self.segment = JournalSegment { frames, turns, broken, ..segment };
                Ok(())
            }
            Some(JournalSegment { turns: SegmentTurns { first, .. }, .. }) => {
                Err(Error::damaged_at(path, tick, format!("missing: the next segment begins at {first}")))
            }
            None => Err(Error::damaged_at(path, tick, "missing: the journal ends before its tip")),
        }
    }
}
