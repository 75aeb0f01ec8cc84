//! The tables of `chain.db`.

use crate::embedded::ChainError;
use rusqlite::Connection;
use rusqlite::config::DbConfig;
use std::path::Path;

/// The format of the file. One of another format is refused, not guessed at.
const FORMAT: i64 = 2;
/// Marks the file as a chain ("GLMC").
const APPLICATION: i64 = 0x474c_4d43;

const TABLES: &str = "
-- Every row carries a sum over itself: in a column, or behind its bytes.
-- Single facts: the chain's id, where the contracts stand, the market's state, and the head: the totals of the rest.
CREATE TABLE meta (name TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID;
-- Blocks, the open one included; `first` is the place of its first transaction among all.
CREATE TABLE blocks (number INTEGER PRIMARY KEY, timestamp INTEGER NOT NULL, base_fee INTEGER NOT NULL, first INTEGER NOT NULL, sum INTEGER NOT NULL);
-- Transactions by their place among all. Data has its runs of zeros shortened.
CREATE TABLE transactions (
    seq INTEGER PRIMARY KEY, block INTEGER NOT NULL, sender BLOB NOT NULL, recipient BLOB, value BLOB NOT NULL,
    nonce INTEGER NOT NULL, gas_limit INTEGER NOT NULL, max_fee BLOB NOT NULL, tip BLOB NOT NULL, data BLOB NOT NULL,
    access BLOB NOT NULL, success INTEGER NOT NULL, gas_used INTEGER NOT NULL, created BLOB, sum INTEGER NOT NULL
);
-- Envelopes of transactions that were signed outside, by their hash; the transaction's sum covers them.
CREATE TABLE signed (hash BLOB PRIMARY KEY, seq INTEGER NOT NULL UNIQUE, envelope BLOB NOT NULL) WITHOUT ROWID;
-- Everything that has a value: an account's nonce, balance, code, or a slot of its storage.
CREATE TABLE keys (id INTEGER PRIMARY KEY, key BLOB NOT NULL);
-- Values over time: `place` is the key's id and the last transaction of the run; the run tells the value before it, and
-- after each of its transactions. Its sum covers the key and the place of the run before it.
CREATE TABLE runs (place INTEGER PRIMARY KEY, run BLOB NOT NULL);
-- Code of contracts by its hash.
CREATE TABLE codes (hash BLOB PRIMARY KEY, code BLOB NOT NULL) WITHOUT ROWID;
-- What a golem's effect came to, written together with the effect; and what was seen at each step.
CREATE TABLE effects (key BLOB PRIMARY KEY, receipt BLOB NOT NULL) WITHOUT ROWID;
-- The names of all heads: whoever has seen one can tell whether the file goes on from there.
CREATE TABLE heads (writes INTEGER PRIMARY KEY, name BLOB NOT NULL);
";

/// What every connection wants: statements that are kept, and not planned again for every value they are given.
pub(super) fn settle(db: &Connection) -> rusqlite::Result<()> {
    db.set_prepared_statement_cache_capacity(32);
    db.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true).map(drop)
}

/// See that a file is ours, and of this format; false when nothing is in it yet.
pub(super) fn is_ours(db: &Connection, path: &Path) -> Result<bool, ChainError> {
    let store = || ChainError::store(path);
    let number = |name: &str| db.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
    let tables: i64 = db.query_row("SELECT count(*) FROM sqlite_master", [], |r| r.get(0)).map_err(store())?;
    let (application, format) = (number("application_id").map_err(store())?, number("user_version").map_err(store())?);
    let fresh = tables == 0 && application == 0 && format == 0;
    if !fresh && (application != APPLICATION || format != FORMAT) {
        let found = if application == APPLICATION { Some(format) } else { None };
        return Err(ChainError::Format { path: path.to_owned(), found, known: FORMAT });
    }
    Ok(!fresh)
}

/// Make the tables, or see that they are ours; and ask for durability.
pub(super) fn prepare(db: &Connection, path: &Path) -> Result<(), ChainError> {
    let store = || ChainError::store(path);
    let fresh = !is_ours(db, path)?;
    // FULL, because anything less was seen to lose acknowledged writes when the power went.
    db.execute_batch("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -4096;")
        .map_err(store())?;
    settle(db).map_err(store())?;
    if fresh {
        let all = format!(
            "BEGIN IMMEDIATE; {TABLES} PRAGMA application_id = {APPLICATION}; PRAGMA user_version = {FORMAT}; COMMIT;"
        );
        db.execute_batch(&all).map_err(store())?;
    }
    Ok(())
}
