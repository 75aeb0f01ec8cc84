//! The world's past: stretches that a world handed over, so that it can make any moment of them again. No turn reads them;
//! each carries a sum, and one that does not fit is refused.

use crate::db::{int, uint};
use crate::error::Error;
use crate::packed;
use golem_core::Hash;
use golem_core::door::PastRow;
use rusqlite::{Connection, OptionalExtension};
use std::path::Path;

/// Step 7 of the schema.
pub(crate) const TABLE: &str =
    "CREATE TABLE past(place INTEGER PRIMARY KEY, body BLOB NOT NULL, sum BLOB NOT NULL) STRICT;";

/// Stands before every body, so that none looks packed that is not.
const PLAIN: u8 = 1;

fn sum(row: &PastRow) -> Hash {
    let mut hasher = blake3::Hasher::new_derive_key("bardo 2026 past");
    hasher.update(&row.place.to_le_bytes()).update(&row.body);
    Hash(*hasher.finalize().as_bytes())
}

/// Keep a stretch. After a restart a world may hand the same one over again.
pub(crate) fn write(conn: &Connection, row: &PastRow) -> rusqlite::Result<()> {
    conn.prepare_cached("INSERT OR REPLACE INTO past(place, body, sum) VALUES (?1, ?2, ?3)")?
        .execute((int(row.place), &*packed::pack(&[&[PLAIN], &row.body[..]].concat()), &sum(row).0[..]))
        .map(drop)
}

/// The last stretch under this number or a smaller one.
pub(crate) fn last_until(conn: &Connection, path: &Path, place: u64) -> Result<Option<PastRow>, Error> {
    let found = conn
        .query_row(
            "SELECT place, body, sum FROM past WHERE place <= ?1 ORDER BY place DESC LIMIT 1",
            [int(place)],
            |row| Ok((uint(row.get(0)?)?, row.get::<_, Vec<u8>>(1)?, Hash(row.get(2)?))),
        )
        .optional()
        .map_err(|e| Error::sql(path, "read the past", &e))?;
    let Some((place, body, kept)) = found else { return Ok(None) };
    let body = packed::unpack(body).ok().and_then(|body| Some(body.strip_prefix(&[PLAIN])?.to_vec()));
    match body.map(|body| PastRow { place, body }) {
        Some(row) if sum(&row) == kept => Ok(Some(row)),
        _ => {
            let what = format!("the world's past at {place} is not what was written");
            Err(Error::Damaged { path: path.to_owned(), tick: None, what })
        }
    }
}
