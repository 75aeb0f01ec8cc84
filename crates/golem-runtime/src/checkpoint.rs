//! The checkpoint: the newest saved state, so that resuming replays a tail and not a life. It is a convenience: one that
//! does not fit is left aside and the life is replayed from birth.

use crate::db::{int, uint};
use crate::error::Error;
use crate::memory::{self, MemoryTotals};
use golem_core::plain::Pieces;
use golem_core::{Hash, Tick, VirtualTime};
use rusqlite::{Connection, OptionalExtension};
use std::path::Path;

/// The number of the layout; another number is another layout and is not tried.
const FORMAT: i64 = 3;
/// The layout before: its state is in one piece.
const IN_ONE: i64 = 2;
/// The first layout: it does not say, either, what its memory adds up to.
const WITHOUT_TOTALS: i64 = 1;

/// A saved state after a committed turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Checkpoint {
    pub(crate) tick: Tick,
    pub(crate) age: VirtualTime,
    pub(crate) state: Pieces,
    pub(crate) world: Vec<u8>,
    pub(crate) head: Hash,
    pub(crate) digest: Hash,
    /// What the rows of the memory add up to as of its turn; filled in when it is written.
    pub(crate) totals: Option<MemoryTotals>,
}

impl Checkpoint {
    /// Over everything, so that a rotten bit anywhere makes it unfit rather than a different golem.
    fn sum(&self, totals: Option<&MemoryTotals>) -> Hash {
        let mut hasher = blake3::Hasher::new_derive_key("bardo 2026 checkpoint");
        for n in [self.tick.0, self.age.0, self.state.len() as u64, self.world.len() as u64] {
            hasher.update(&n.to_le_bytes());
        }
        self.state.iter().for_each(|piece| {
            hasher.update(piece);
        });
        hasher.update(&self.world).update(&self.head.0).update(&self.digest.0);
        hasher.update(&totals.map_or_else(Vec::new, |totals| totals.to_bytes()));
        Hash(*hasher.finalize().as_bytes())
    }

    /// In the transaction that has just written the turn's rows.
    pub(crate) fn write(&self, conn: &Connection) -> rusqlite::Result<()> {
        let totals = memory::written(conn)?.unwrap_or_default();
        conn.prepare_cached(
            "INSERT OR REPLACE INTO checkpoint(one, format, tick, age_ms, state, world, head, digest, sum, totals)
             VALUES (1, ?1, ?2, ?3, x'', ?4, ?5, ?6, ?7, ?8)",
        )?
        .execute((
            FORMAT,
            int(self.tick.0),
            int(self.age.0),
            &self.world,
            &self.head.0[..],
            &self.digest.0[..],
            &self.sum(Some(&totals)).0[..],
            totals.to_bytes(),
        ))?;
        let mut put = conn.prepare_cached("INSERT OR REPLACE INTO state_pieces(n, bytes) VALUES (?1, ?2)")?;
        let mut count = 0;
        for piece in self.state.iter() {
            put.execute((count, piece))?;
            count += 1;
        }
        conn.prepare_cached("DELETE FROM state_pieces WHERE n >= ?1")?.execute([count]).map(drop)
    }

    /// The state of a checkpoint of today's layout.
    fn pieces(conn: &Connection) -> rusqlite::Result<Pieces> {
        conn.prepare("SELECT bytes FROM state_pieces ORDER BY n")?.query_map([], |row| row.get(0))?.collect()
    }

    /// The checkpoint: `Ok(None)` when none was written, `Ok(Some(Err(why)))` when it does not fit.
    pub(crate) fn read(conn: &Connection, path: &Path) -> Result<Option<Result<Self, String>>, Error> {
        let row = conn
            .query_row(
                "SELECT format, tick, age_ms, state, world, head, digest, sum, totals FROM checkpoint WHERE one = 1",
                [],
                |row| {
                    let format = row.get::<_, i64>(0)?;
                    let one: Vec<u8> = row.get(3)?;
                    let found = Self {
                        tick: Tick(uint(row.get(1)?)?),
                        age: VirtualTime(uint(row.get(2)?)?),
                        state: if format == FORMAT && one.is_empty() {
                            Self::pieces(conn)?
                        } else {
                            Pieces::from_iter([one])
                        },
                        world: row.get(4)?,
                        head: Hash(row.get(5)?),
                        digest: Hash(row.get(6)?),
                        totals: row.get::<_, Option<Vec<u8>>>(8)?.and_then(|bytes| MemoryTotals::from_bytes(&bytes)),
                    };
                    Ok((format, found, Hash(row.get(7)?)))
                },
            )
            .optional();
        match row {
            Ok(None) => Ok(None),
            Ok(Some((FORMAT | IN_ONE, found, sum)))
                if found.totals.is_some() && found.sum(found.totals.as_ref()) == sum =>
            {
                Ok(Some(Ok(found)))
            }
            Ok(Some((WITHOUT_TOTALS, found, sum))) if found.sum(None) == sum => {
                Ok(Some(Ok(Self { totals: None, ..found })))
            }
            Ok(Some((FORMAT | IN_ONE | WITHOUT_TOTALS, ..))) => Ok(Some(Err("its sum does not fit".into()))),
            Ok(Some((format, ..))) => Ok(Some(Err(format!("its layout {format} is not known")))),
            Err(e) => match Error::sql(path, "read the checkpoint", &e) {
                Error::Damaged { what, .. } => Ok(Some(Err(what))),
                other => Err(other),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema;

    fn saved(tick: u64, state: &[usize]) -> Checkpoint {
        let state = Pieces::from_iter(state.iter().zip(1..).map(|(len, byte)| vec![byte; *len]));
        let (head, digest) = (Hash::of(b"head"), Hash::of(b"digest"));
        let (tick, age, totals) = (Tick(tick), VirtualTime(7), Some(MemoryTotals::default()));
        Checkpoint { tick, age, state, world: vec![9; 5], head, digest, totals }
    }

    #[test]
    fn pieces_come_back_in_their_order_and_none_of_a_longer_state_is_left() {
        let path = Path::new("golem.db");
        let mut conn = Connection::open_in_memory().unwrap();
        schema::migrate(&mut conn, path, schema::STEPS).unwrap();
        let read = |conn: &Connection| Checkpoint::read(conn, path).unwrap().expect("one was written");
        for state in [&[70_000, 70_000, 70_000, 3][..], &[70_000, 4], &[5], &[]] {
            let kept = saved(state.len() as u64, state);
            kept.write(&conn).unwrap();
            assert_eq!(read(&conn), Ok(kept));
        }
        // A piece at another's place is another state.
        saved(5, &[8, 8, 8]).write(&conn).unwrap();
        conn.execute_batch("UPDATE state_pieces SET n = 9 WHERE n = 0").unwrap();
        assert!(read(&conn).is_err_and(|why| why.contains("sum")));
        // So is one that is missing.
        saved(6, &[8, 8, 8]).write(&conn).unwrap();
        conn.execute_batch("DELETE FROM state_pieces WHERE n = 1").unwrap();
        assert!(read(&conn).is_err_and(|why| why.contains("sum")));
    }
}
