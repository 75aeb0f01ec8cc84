//! What was asked of models and what they answered, in turns that are not written down yet: the table `asked`.

use crate::db::{int, uint};
use crate::error::Error;
use golem_core::model::ModelAttempt;
use golem_core::{Hash, Tick, Usdc};
use rusqlite::{Connection, OptionalExtension, params};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::path::Path;

/// A question that costs money: in which turn, as its how manieth, which, and what it may cost at most.
pub(crate) struct Asked {
    pub(crate) tick: Tick,
    pub(crate) n: usize,
    pub(crate) hash: Hash,
    pub(crate) most: Usdc,
}

impl Asked {
    /// Over what was asked and answered: no other answer is taken for it.
    fn sum(&self, reply: &str) -> [u8; 8] {
        let mut hasher = blake3::Hasher::new_derive_key("bardo 2026 paid answer");
        hasher.update(&self.tick.0.to_le_bytes()).update(&(self.n as u64).to_le_bytes()).update(&self.hash.0);
        let mut sum = [0; 8];
        sum.copy_from_slice(&hasher.update(reply.as_bytes()).finalize().as_bytes()[..8]);
        sum
    }
}

/// What every paid reply says, whatever else it says.
#[derive(Deserialize)]
struct PaidReply {
    attempts: Vec<ModelAttempt>,
}

/// A call whose turn a crash has swallowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LostCall {
    pub(crate) tick: Tick,
    pub(crate) n: usize,
    pub(crate) cost: Usdc,
}

/// Calls that were asked in turns after the last that is written down.
pub(crate) fn lost(conn: &Connection, path: &Path) -> Result<Vec<LostCall>, Error> {
    let read = || {
        let mut found = conn.prepare("SELECT tick, n, most, reply FROM asked ORDER BY tick, n")?;
        let rows = found.query_map([], |row| {
            let (tick, n, most) = (uint(row.get(0)?)?, uint(row.get(1)?)?, uint(row.get(2)?)?);
            let reply: Option<PaidReply> =
                row.get::<_, Option<String>>(3)?.and_then(|text| serde_json::from_str(&text).ok());
            // Nobody knows what became of a call without a reply: the worst is assumed.
            let cost = reply.map_or(Usdc(most), |reply| golem_core::model::cost(&reply.attempts));
            Ok(LostCall { tick: Tick(tick), n: n as usize, cost })
        })?;
        rows.collect::<Result<_, _>>()
    };
    read().map_err(|e| Error::sql(path, "read what was asked", &e))
}

/// The reply to a question, where it is here already.
pub(crate) fn known<T: DeserializeOwned>(conn: &Connection, path: &Path, asked: &Asked) -> Result<Option<T>, Error> {
    let Asked { tick, n, hash, .. } = asked;
    let sql = "SELECT reply, sum FROM asked WHERE tick = ?1 AND n = ?2 AND request = ?3 AND reply IS NOT NULL";
    let found: Option<(String, Option<Vec<u8>>)> = conn
        .prepare_cached(sql)
        .and_then(|mut s| {
            s.query_row(params![int(tick.0), int(*n as u64), &hash.0[..]], |row| Ok((row.get(0)?, row.get(1)?)))
                .optional()
        })
        .map_err(|e| Error::sql(path, "look for a reply", &e))?;
    match found {
        // Answers of earlier versions have no sum.
        Some((reply, Some(sum))) if asked.sum(&reply)[..] != sum[..] => {
            Err(Error::damaged_at(path, *tick, format!("answer {n}: its sum does not fit")))
        }
        found => Ok(found.and_then(|(reply, _)| serde_json::from_str(&reply).ok())),
    }
}

/// Write down what is about to be asked.
pub(crate) fn begin(conn: &Connection, asked: &Asked) -> rusqlite::Result<()> {
    let Asked { tick, n, hash, most } = asked;
    conn.prepare_cached("INSERT OR REPLACE INTO asked(tick, n, request, most, reply) VALUES (?1, ?2, ?3, ?4, NULL)")?
        .execute(params![int(tick.0), int(*n as u64), &hash.0[..], int(most.0)])
        .map(drop)
}

/// Write down what was answered.
pub(crate) fn answered(conn: &Connection, asked: &Asked, reply: &str) -> rusqlite::Result<()> {
    conn.prepare_cached("UPDATE asked SET reply = ?3, sum = ?4 WHERE tick = ?1 AND n = ?2")?
        .execute(params![int(asked.tick.0), int(asked.n as u64), reply, &asked.sum(reply)[..]])
        .map(drop)
}

/// Turns up to this one are written down, with all that they were answered.
pub(crate) fn forget(conn: &Connection, last: Tick) -> rusqlite::Result<()> {
    conn.prepare_cached("DELETE FROM asked WHERE tick <= ?1")?.execute([int(last.0)]).map(drop)
}
