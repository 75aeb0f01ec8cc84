//! Sums over the rows of a library's file, each by itself and all of them together.

use super::{ShelfRow, failed};
use crate::error::Error;
use rusqlite::{Connection, OptionalExtension};
use std::path::Path;

/// How many rows there are, and what they add up to, in no order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct ShelfTotal {
    count: i64,
    sum: u128,
}

impl ShelfTotal {
    pub(super) fn more(&mut self, row: &ShelfRow) {
        self.count = self.count.saturating_add(1);
        self.sum = self.sum.wrapping_add(u128::from_le_bytes(row_sum(row)));
    }
    pub(super) fn less(&mut self, row: &ShelfRow) {
        self.count = self.count.saturating_sub(1);
        self.sum = self.sum.wrapping_sub(u128::from_le_bytes(row_sum(row)));
    }
    fn read(conn: &Connection) -> rusqlite::Result<Option<Self>> {
        conn.query_row("SELECT count, sum FROM total WHERE one = 1", [], |row| {
            Ok(Self { count: row.get(0)?, sum: u128::from_le_bytes(row.get(1)?) })
        })
        .optional()
    }
    pub(super) fn write(&self, conn: &Connection) -> rusqlite::Result<()> {
        let sum = self.sum.to_le_bytes();
        conn.execute("INSERT OR REPLACE INTO total(one, count, sum) VALUES (1, ?1, ?2)", (self.count, &sum[..]))
            .map(drop)
    }
}

/// A row, and the sum that stands beside it.
type SummedRow = (ShelfRow, Vec<u8>);

/// All rows in their order, each held against its sum and all of them against the total.
pub(super) fn read(conn: &Connection, path: &Path) -> Result<(Vec<ShelfRow>, ShelfTotal), Error> {
    let look = || -> rusqlite::Result<(Vec<SummedRow>, Option<ShelfTotal>)> {
        // By the table itself: an index could leave out what the table has.
        let mut found = conn.prepare("SELECT place, key, body, sum FROM rows NOT INDEXED")?;
        let row = |row: &rusqlite::Row<'_>| {
            Ok((ShelfRow { table: row.get(0)?, key: row.get(1)?, body: row.get(2)? }, row.get(3)?))
        };
        let rows = found.query_map([], row)?.collect::<rusqlite::Result<_>>()?;
        Ok((rows, ShelfTotal::read(conn)?))
    };
    let (rows, kept) = look().map_err(|e| failed(path, "read", &e))?;
    let mut total = ShelfTotal::default();
    let mut all = Vec::with_capacity(rows.len());
    for (row, sum) in rows {
        if row_sum(&row)[..] != sum[..] {
            return Err(Error::damaged(path, format!("{} {}: its sum does not fit", row.table, row.key)));
        }
        total.more(&row);
        all.push(row);
    }
    if kept != Some(total) {
        return Err(Error::damaged(path, "rows are missing, or there are some that were never written"));
    }
    all.sort();
    Ok((all, total))
}

pub(super) fn row_sum(row: &ShelfRow) -> [u8; 16] {
    let mut hasher = blake3::Hasher::new_derive_key("bardo 2026 row of a library");
    for part in [&row.table, &row.key, &row.body] {
        hasher.update(&(part.len() as u64).to_le_bytes()).update(part.as_bytes());
    }
    first_16(&hasher)
}

pub(super) fn key_sum(key: &[u8; 32]) -> [u8; 16] {
    let mut hasher = blake3::Hasher::new_derive_key("bardo 2026 key of a library");
    hasher.update(key);
    first_16(&hasher)
}

fn first_16(hasher: &blake3::Hasher) -> [u8; 16] {
    let mut sum = [0; 16];
    sum.copy_from_slice(&hasher.finalize().as_bytes()[..16]);
    sum
}
