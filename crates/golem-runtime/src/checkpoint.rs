//! The checkpoint: the newest saved state, so that resuming replays a tail and not a life. It is a convenience: one that
//! does not fit is left aside and the life is replayed from birth.

use crate::db::{int, uint};
use crate::error::Error;
use golem_core::{Hash, Tick, VirtualTime};
use rusqlite::{Connection, OptionalExtension};
use std::path::Path;

/// The number of the layout; another number is another layout and is not tried.
const FORMAT: i64 = 1;

/// A saved state after a committed turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Checkpoint {
    pub(crate) tick: Tick,
    pub(crate) age: VirtualTime,
    pub(crate) state: Vec<u8>,
    pub(crate) world: Vec<u8>,
    pub(crate) head: Hash,
    pub(crate) digest: Hash,
}

impl Checkpoint {
    /// Over everything, so that a rotten bit anywhere makes it unfit rather than a different golem.
    fn sum(&self) -> Hash {
        let mut hasher = blake3::Hasher::new_derive_key("bardo 2026 checkpoint");
        for n in [self.tick.0, self.age.0, self.state.len() as u64, self.world.len() as u64] {
            hasher.update(&n.to_le_bytes());
        }
        hasher.update(&self.state).update(&self.world).update(&self.head.0).update(&self.digest.0);
        Hash(*hasher.finalize().as_bytes())
    }

    pub(crate) fn write(&self, conn: &Connection) -> rusqlite::Result<()> {
        conn.prepare_cached(
            "INSERT OR REPLACE INTO checkpoint(one, format, tick, age_ms, state, world, head, digest, sum)
             VALUES (1, ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
        )?
        .execute((
            FORMAT,
            int(self.tick.0),
            int(self.age.0),
            &self.state,
            &self.world,
            &self.head.0[..],
            &self.digest.0[..],
            &self.sum().0[..],
        ))
        .map(drop)
    }

    /// The checkpoint: `Ok(None)` when none was written, `Ok(Some(Err(why)))` when it does not fit.
    pub(crate) fn read(conn: &Connection, path: &Path) -> Result<Option<Result<Self, String>>, Error> {
        let row = conn
            .query_row(
                "SELECT format, tick, age_ms, state, world, head, digest, sum FROM checkpoint WHERE one = 1",
                [],
                |row| {
                    let found = Self {
                        tick: Tick(uint(row.get(1)?)?),
                        age: VirtualTime(uint(row.get(2)?)?),
                        state: row.get(3)?,
                        world: row.get(4)?,
                        head: Hash(row.get(5)?),
                        digest: Hash(row.get(6)?),
                    };
                    Ok((row.get::<_, i64>(0)?, found, Hash(row.get(7)?)))
                },
            )
            .optional();
        match row {
            Ok(None) => Ok(None),
            Ok(Some((FORMAT, found, sum))) if found.sum() == sum => Ok(Some(Ok(found))),
            Ok(Some((FORMAT, ..))) => Ok(Some(Err("its sum does not fit".into()))),
            Ok(Some((format, ..))) => Ok(Some(Err(format!("its layout {format} is not known")))),
            Err(e) => match Error::sql(path, "read the checkpoint", &e) {
                Error::Damaged { what, .. } => Ok(Some(Err(what))),
                other => Err(other),
            },
        }
    }
}
