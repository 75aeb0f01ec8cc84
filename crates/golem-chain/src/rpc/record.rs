//! `sent.db`: what was signed, before it is sent. A transaction that is not in here was never sent; one that is may have
//! been, until the chain says what became of it.
//!
//! Never forgets a nonce: the same key and step are never signed under two of them. Every row has a sum, and so have all of
//! them together (`sums.rs`).

pub(super) use super::step::store;
use super::step::{ChainStep, STEPS, StepEnd, Try, read_step, read_try};
use super::sums;
use alloy_primitives::Address;
use golem_core::door::EffectKey;
use golem_venue::VenueError;
use rusqlite::{Connection, OpenFlags, OptionalExtension};
use std::path::Path;
use std::time::Duration;

/// The file.
pub struct ChainRecord {
    pub(super) db: Connection,
}

const SCHEMA: &str = "
    CREATE TABLE IF NOT EXISTS whose(one INTEGER PRIMARY KEY CHECK (one = 1), account BLOB NOT NULL, chain TEXT NOT NULL);
    CREATE TABLE IF NOT EXISTS steps(
        key TEXT NOT NULL, step INTEGER NOT NULL, nonce INTEGER NOT NULL UNIQUE, callee BLOB NOT NULL, data BLOB NOT NULL,
        gas_limit INTEGER NOT NULL, at_ms INTEGER NOT NULL, end TEXT, PRIMARY KEY (key, step)) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS coin(
        key TEXT NOT NULL, step INTEGER NOT NULL, wei TEXT NOT NULL, PRIMARY KEY (key, step)) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS tries(
        hash BLOB PRIMARY KEY, key TEXT NOT NULL, step INTEGER NOT NULL, raw BLOB NOT NULL, max_fee TEXT NOT NULL,
        tip TEXT NOT NULL, cancel INTEGER NOT NULL, at_ms INTEGER NOT NULL,
        FOREIGN KEY (key, step) REFERENCES steps(key, step));
    CREATE TABLE IF NOT EXISTS touched(key TEXT PRIMARY KEY, state BLOB NOT NULL) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS landed(
        block INTEGER NOT NULL, place INTEGER NOT NULL, key TEXT NOT NULL, actions BLOB NOT NULL,
        PRIMARY KEY (block, place)) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS code(hash BLOB PRIMARY KEY, code BLOB NOT NULL);
    CREATE TABLE IF NOT EXISTS blocks(number INTEGER PRIMARY KEY, hash BLOB NOT NULL);
    CREATE TABLE IF NOT EXISTS owned(
        n INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, usdc TEXT NOT NULL, asset TEXT NOT NULL, liquidity TEXT NOT NULL,
        position TEXT);
    CREATE TABLE IF NOT EXISTS pins(name TEXT PRIMARY KEY, hash BLOB NOT NULL) WITHOUT ROWID;";

impl ChainRecord {
    /// The record at a path, made if there is none, of one account on one chain.
    ///
    /// # Errors
    /// When it cannot be used, or belongs to another account or chain.
    pub fn open(path: &Path, account: Address, chain_id: u64) -> Result<Self, VenueError> {
        let db = Connection::open(path).map_err(store)?;
        db.busy_timeout(Duration::from_secs(5)).map_err(store)?;
        // Everything here must outlive a power cut: it is written before money moves.
        db.execute_batch("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;")
            .map_err(store)?;
        db.execute_batch(SCHEMA).map_err(store)?;
        sums::keep(&db)?;
        db.execute("INSERT OR IGNORE INTO whose VALUES (1, ?1, ?2)", (account.as_slice(), chain_id.to_string()))
            .map_err(store)?;
        let whose: (Vec<u8>, String) =
            db.query_row("SELECT account, chain FROM whose", [], |r| Ok((r.get(0)?, r.get(1)?))).map_err(store)?;
        if whose != (account.to_vec(), chain_id.to_string()) {
            return Err(VenueError::Changed("the record of what was sent is of another account or chain".into()));
        }
        Ok(Self { db })
    }

    /// The record at a path, if it is there and whole; nothing is changed.
    ///
    /// # Errors
    /// When it cannot be read, or a row is not what was written.
    pub fn check(path: &Path) -> Result<Option<Self>, VenueError> {
        if !path.exists() {
            return Ok(None);
        }
        let db = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY).map_err(store)?;
        db.busy_timeout(Duration::from_secs(5)).map_err(store)?;
        let version: i64 = db.query_row("PRAGMA user_version", [], |r| r.get(0)).map_err(store)?;
        if version > 0 {
            sums::check(&db)?;
        }
        Ok(Some(Self { db }))
    }

    /// A step, if it was ever signed.
    pub(super) fn step(&self, key: EffectKey, step: u32) -> Result<Option<ChainStep>, VenueError> {
        self.db
            .prepare_cached(&format!("{STEPS} WHERE key = ?1 AND step = ?2"))
            .and_then(|mut q| q.query_row((key.to_string(), step), read_step).optional())
            .map_err(store)
    }
    /// All steps of a key, in order.
    pub(super) fn steps(&self, key: EffectKey) -> Result<Vec<ChainStep>, VenueError> {
        self.list("WHERE key = ?1 ORDER BY step", [key.to_string()])
    }
    /// Steps that have not ended, by nonce.
    pub(super) fn pending(&self) -> Result<Vec<ChainStep>, VenueError> {
        self.list("WHERE end IS NULL ORDER BY nonce", [])
    }
    /// Steps that have ended, the newest first, at most so many.
    pub(super) fn ended(&self, most: u32) -> Result<Vec<ChainStep>, VenueError> {
        self.list("WHERE end IS NOT NULL ORDER BY nonce DESC LIMIT ?1", [most])
    }
    fn list(&self, rest: &str, params: impl rusqlite::Params) -> Result<Vec<ChainStep>, VenueError> {
        let mut query = self.db.prepare_cached(&format!("{STEPS} {rest}")).map_err(store)?;
        query.query_map(params, read_step).and_then(Iterator::collect).map_err(store)
    }
    /// The nonce after the highest that was ever signed.
    pub(super) fn next_nonce(&self) -> Result<u64, VenueError> {
        let highest: Option<i64> =
            self.db.query_row("SELECT max(nonce) FROM steps", [], |r| r.get(0)).map_err(store)?;
        Ok(highest.map_or(0, |n| n.unsigned_abs() + 1))
    }
    /// The signatures of a step, the oldest first.
    pub(super) fn tries(&self, key: EffectKey, step: u32) -> Result<Vec<Try>, VenueError> {
        const TRIES: &str = "SELECT hash, raw, max_fee, tip, cancel, at_ms FROM tries WHERE key = ?1 AND step = ?2
                             ORDER BY rowid";
        let mut query = self.db.prepare_cached(TRIES).map_err(store)?;
        query.query_map((key.to_string(), step), read_try).and_then(Iterator::collect).map_err(store)
    }

    /// Write a new step and its first signature, before it is sent.
    pub(super) fn begin(&mut self, step: &ChainStep, first: &Try) -> Result<(), VenueError> {
        let tx = self.db.transaction().map_err(store)?;
        tx.execute(
            "INSERT INTO steps(key, step, nonce, callee, data, gas_limit, at_ms) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
            (
                step.key.to_string(),
                step.step,
                int(step.nonce),
                step.call.to.as_slice(),
                step.call.data.as_ref(),
                int(step.call.gas_limit),
                int(step.at_ms),
            ),
        )
        .map_err(store)?;
        if !step.call.value.is_zero() {
            let row = (step.key.to_string(), step.step, step.call.value.to_string());
            tx.execute("INSERT INTO coin VALUES (?1, ?2, ?3)", row).map_err(store)?;
        }
        write_try(&tx, step, first)?;
        tx.commit().map_err(store)
    }
    /// Write another signature of a step, before it is sent.
    pub(super) fn again(&mut self, step: &ChainStep, another: &Try) -> Result<(), VenueError> {
        write_try(&self.db, step, another)
    }
    /// Write how a step ended.
    pub(super) fn end(&mut self, step: &ChainStep, end: &StepEnd) -> Result<(), VenueError> {
        let text = serde_json::to_string(end).map_err(|e| VenueError::Bug(e.to_string()))?;
        let write = "UPDATE steps SET end = ?3 WHERE key = ?1 AND step = ?2";
        self.db.execute(write, (step.key.to_string(), step.step, text)).map_err(store).and_then(one_row)
    }
    /// Write that a step that had ended is open again, as if it had been signed now.
    pub(super) fn reopen(&mut self, step: &ChainStep, now_ms: u64) -> Result<(), VenueError> {
        let write = "UPDATE steps SET end = NULL, at_ms = ?3 WHERE key = ?1 AND step = ?2";
        self.db.execute(write, (step.key.to_string(), step.step, int(now_ms))).map_err(store).and_then(one_row)
    }
}

fn one_row(changed: usize) -> Result<(), VenueError> {
    if changed == 1 { Ok(()) } else { Err(VenueError::Bug("a step that is not in the record".into())) }
}

fn write_try(db: &Connection, step: &ChainStep, new: &Try) -> Result<(), VenueError> {
    db.execute(
        "INSERT INTO tries VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
        (
            new.hash.as_slice(),
            step.key.to_string(),
            step.step,
            new.raw.as_ref(),
            new.fees.max_fee.to_string(),
            new.fees.tip.to_string(),
            new.cancel,
            int(new.at_ms),
        ),
    )
    .map(drop)
    .map_err(store)
}

pub(super) fn int(n: u64) -> i64 {
    i64::try_from(n).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::super::fees::Fees;
    use super::super::step::StepCall;
    use super::*;
    use alloy_primitives::{B256, Bytes, U256};
    use golem_core::Tick;

    const A: EffectKey = EffectKey::new(Tick(1), 0);
    const B: EffectKey = EffectKey::new(Tick(1), 1);

    fn step(key: EffectKey, n: u32, nonce: u64) -> ChainStep {
        let call = StepCall {
            to: Address::with_last_byte(9),
            data: Bytes::from_static(b"\x01\x02"),
            gas_limit: 21_000,
            value: U256::from(n),
        };
        ChainStep { key, step: n, nonce, call, at_ms: 5, end: None }
    }
    fn attempt(n: u8) -> Try {
        let fees = Fees { max_fee: u128::MAX, tip: 7 };
        Try { hash: B256::with_last_byte(n), raw: Bytes::from(vec![n; 3]), fees, cancel: n == 2, at_ms: u64::from(n) }
    }

    #[test]
    fn what_was_written_is_there_after_opening_again() {
        let dir = tempfile::tempdir().unwrap();
        let (path, me) = (dir.path().join("sent.db"), Address::with_last_byte(1));
        let mut record = ChainRecord::open(&path, me, 7).unwrap();
        record.begin(&step(A, 0, 4), &attempt(1)).unwrap();
        record.begin(&step(B, 3, 2), &attempt(9)).unwrap();
        record.again(&step(A, 0, 4), &attempt(2)).unwrap();
        drop(record);
        let mut record = ChainRecord::open(&path, me, 7).unwrap();
        assert_eq!(record.steps(A).unwrap(), [step(A, 0, 4)]);
        assert_eq!(record.steps(B).unwrap(), [step(B, 3, 2)], "with the coin that goes along");
        record.end(&step(B, 3, 2), &StepEnd::Displaced).unwrap();
        assert_eq!(record.tries(A, 0).unwrap(), [attempt(1), attempt(2)]);
        assert_eq!((record.next_nonce().unwrap(), record.pending().unwrap().len()), (5, 1));
        record.end(&step(A, 0, 4), &StepEnd::Displaced).unwrap();
        assert_eq!(record.ended(9).unwrap()[0].end, Some(StepEnd::Displaced));
        assert!(record.pending().unwrap().is_empty());
    }

    #[test]
    fn neither_a_step_nor_a_nonce_is_written_twice() {
        let dir = tempfile::tempdir().unwrap();
        let mut record = ChainRecord::open(&dir.path().join("sent.db"), Address::ZERO, 7).unwrap();
        record.begin(&step(A, 0, 4), &attempt(1)).unwrap();
        assert!(record.begin(&step(A, 0, 5), &attempt(3)).is_err(), "the same step under another nonce");
        assert!(record.begin(&step(B, 0, 4), &attempt(4)).is_err(), "another step under the same nonce");
        assert_eq!(record.pending().unwrap().len(), 1);
        assert!(record.tries(B, 0).unwrap().is_empty(), "nothing of a refused step is left");
    }

    #[test]
    fn another_account_or_chain_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("sent.db");
        ChainRecord::open(&path, Address::ZERO, 7).unwrap();
        for (account, chain) in [(Address::with_last_byte(1), 7), (Address::ZERO, 8)] {
            assert!(matches!(ChainRecord::open(&path, account, chain), Err(VenueError::Changed(_))));
        }
    }
}
