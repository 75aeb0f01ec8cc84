//! Sums over the rows of `sent.db`: one beside each row, and one of them all. What was sent decides what is never sent again
//! and what is owned, so that a bit or a row that is not what was written is refused when the file is opened.
//!
//! Triggers of the connection keep them, whoever writes: a statement that changes a row changes its sum in the same
//! transaction.

use super::step::store;
use golem_venue::VenueError;
use rusqlite::functions::FunctionFlags;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OptionalExtension};
use std::collections::BTreeMap;

/// The tables: what names a row, and all of its columns.
const TABLES: [(&str, &[&str], &[&str]); 10] = [
    ("whose", &["one"], &["one", "account", "chain"]),
    ("steps", &["key", "step"], &["key", "step", "nonce", "callee", "data", "gas_limit", "at_ms", "end"]),
    ("coin", &["key", "step"], &["key", "step", "wei"]),
    ("tries", &["hash"], &["rowid", "hash", "key", "step", "raw", "max_fee", "tip", "cancel", "at_ms"]),
    ("touched", &["key"], &["key", "state"]),
    ("landed", &["block", "place"], &["block", "place", "key", "actions"]),
    ("code", &["hash"], &["hash", "code"]),
    ("blocks", &["number"], &["number", "hash"]),
    ("owned", &["n"], &["n", "key", "usdc", "asset", "liquidity", "position"]),
    ("pins", &["name"], &["name", "hash"]),
];

const SCHEMA: &str = "
    CREATE TABLE sums(place TEXT NOT NULL, row TEXT NOT NULL, sum BLOB NOT NULL, PRIMARY KEY (place, row)) WITHOUT ROWID;
    CREATE TABLE total(one INTEGER PRIMARY KEY CHECK (one = 1), count INTEGER NOT NULL, sum BLOB NOT NULL);
    INSERT INTO total VALUES (1, 0, zeroblob(16));
    PRAGMA user_version = 1;";

/// How many rows there are, and what they add up to, in no order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct RecordTotal {
    count: i64,
    sum: u128,
}

/// Hold every row against its sum and all of them against the total, and keep both from now on. A record that was begun
/// before there were sums is summed once.
pub(super) fn keep(db: &Connection) -> Result<(), VenueError> {
    functions(db).map_err(store)?;
    let version: i64 = db.query_row("PRAGMA user_version", [], |r| r.get(0)).map_err(store)?;
    if version == 0 {
        begin(db).map_err(store)?;
    }
    check(db)?;
    triggers(db).map_err(store)
}

/// What is wrong with the rows, if anything is.
pub(super) fn check(db: &Connection) -> Result<(), VenueError> {
    let damaged = |what: String| VenueError::Changed(format!("the record of what was sent is damaged: {what}"));
    // An index that leaves rows out would hide what was sent.
    let sound: String =
        db.query_row("PRAGMA integrity_check(1)", [], |r| r.get(0)).map_err(|e| damaged(e.to_string()))?;
    if sound != "ok" {
        return Err(damaged(sound));
    }
    let kept = kept(db).map_err(|e| damaged(e.to_string()))?;
    let mut found = RecordTotal::default();
    for (table, key, columns) in TABLES {
        for (row, sum) in rows(db, table, key, columns).map_err(|e| damaged(e.to_string()))? {
            if kept.get(&(table.to_owned(), row.clone())) != Some(&sum) {
                return Err(damaged(format!("{table} {row}: its sum does not fit")));
            }
            found = RecordTotal { count: found.count + 1, sum: found.sum.wrapping_add(sum) };
        }
    }
    let total = db
        .query_row("SELECT count, sum FROM total WHERE one = 1", [], |r| {
            Ok(RecordTotal { count: r.get(0)?, sum: u128::from_le_bytes(r.get(1)?) })
        })
        .optional()
        .map_err(|e| damaged(e.to_string()))?;
    if total != Some(found) || kept.len() as i64 != found.count {
        return Err(damaged("rows are missing, or there are some that were never written".to_owned()));
    }
    Ok(())
}

/// Sums for rows that have none yet.
fn begin(db: &Connection) -> rusqlite::Result<()> {
    let tx = db.unchecked_transaction()?;
    tx.execute_batch(SCHEMA)?;
    let mut total = RecordTotal::default();
    for (table, key, columns) in TABLES {
        for (row, sum) in rows(&tx, table, key, columns)? {
            tx.execute("INSERT INTO sums VALUES (?1, ?2, ?3)", (table, row, &sum.to_le_bytes()[..]))?;
            total = RecordTotal { count: total.count + 1, sum: total.sum.wrapping_add(sum) };
        }
    }
    tx.execute("UPDATE total SET count = ?1, sum = ?2", (total.count, &total.sum.to_le_bytes()[..]))?;
    tx.commit()
}

/// The sums that stand beside the rows.
fn kept(db: &Connection) -> rusqlite::Result<BTreeMap<(String, String), u128>> {
    let mut query = db.prepare("SELECT place, row, sum FROM sums")?;
    let all = query.query_map([], |r| Ok(((r.get(0)?, r.get(1)?), u128::from_le_bytes(r.get(2)?))))?;
    all.collect()
}

/// The rows of a table by their names, with what each adds up to now. By the table itself: an index could leave out what
/// the table has.
fn rows(db: &Connection, table: &str, key: &[&str], columns: &[&str]) -> rusqlite::Result<Vec<(String, u128)>> {
    let sql = format!("SELECT {}, {} FROM {table} NOT INDEXED", named("", key), columns.join(", "));
    let mut query = db.prepare(&sql)?;
    let read = |r: &rusqlite::Row<'_>| {
        let values = (1..=columns.len()).map(|i| r.get_ref(i)).collect::<rusqlite::Result<Vec<_>>>()?;
        Ok((r.get(0)?, row_sum(table, &values)))
    };
    query.query_map([], read)?.collect()
}

/// What names a row, as a text of SQL over the columns of a row called `of`.
fn named(of: &str, key: &[&str]) -> String {
    key.iter().map(|column| format!("quote({of}{column})")).collect::<Vec<_>>().join(" || ' ' || ")
}

fn row_sum(table: &str, values: &[ValueRef<'_>]) -> u128 {
    let mut hasher = blake3::Hasher::new_derive_key("bardo 2026 row of what was sent");
    let mut part = |kind: u8, bytes: &[u8]| {
        hasher.update(&[kind]).update(&(bytes.len() as u64).to_le_bytes()).update(bytes);
    };
    part(0, table.as_bytes());
    for value in values {
        match value {
            ValueRef::Null => part(1, &[]),
            ValueRef::Integer(n) => part(2, &n.to_le_bytes()),
            ValueRef::Real(x) => part(3, &x.to_bits().to_le_bytes()),
            ValueRef::Text(text) => part(4, text),
            ValueRef::Blob(bytes) => part(5, bytes),
        }
    }
    let mut sum = [0; 16];
    sum.copy_from_slice(&hasher.finalize().as_bytes()[..16]);
    u128::from_le_bytes(sum)
}

/// What the triggers reckon with.
fn functions(db: &Connection) -> rusqlite::Result<()> {
    let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC;
    db.create_scalar_function("row_sum", -1, flags, |given| {
        let values: Vec<ValueRef<'_>> = (1..given.len()).map(|i| given.get_raw(i)).collect();
        let table: String = given.get(0)?;
        Ok(row_sum(&table, &values).to_le_bytes().to_vec())
    })?;
    let add: fn(u128, u128) -> u128 = u128::wrapping_add;
    for (name, reckon) in [("sum_more", add), ("sum_less", u128::wrapping_sub)] {
        db.create_scalar_function(name, 2, flags, move |given| {
            let [sum, row]: [[u8; 16]; 2] = [given.get(0)?, given.get(1)?];
            Ok(reckon(u128::from_le_bytes(sum), u128::from_le_bytes(row)).to_le_bytes().to_vec())
        })?;
    }
    Ok(())
}

/// Triggers that live as long as the connection. A row that is written over counts as gone and new.
fn triggers(db: &Connection) -> rusqlite::Result<()> {
    let mut all = String::from("PRAGMA recursive_triggers = ON;");
    for (table, key, columns) in TABLES {
        let sum = |of: &str| {
            let values: Vec<String> = columns.iter().map(|column| format!("{of}{column}")).collect();
            format!("row_sum('{table}', {})", values.join(", "))
        };
        let gone = format!(
            "DELETE FROM sums WHERE place = '{table}' AND row = {}; \
             UPDATE total SET count = count - 1, sum = sum_less(sum, {});",
            named("OLD.", key),
            sum("OLD.")
        );
        let new = format!(
            "INSERT INTO sums VALUES ('{table}', {}, {sum}); \
             UPDATE total SET count = count + 1, sum = sum_more(sum, {sum});",
            named("NEW.", key),
            sum = sum("NEW.")
        );
        for (when, what) in [("INSERT", new.clone()), ("DELETE", gone.clone()), ("UPDATE", gone + &new)] {
            all += &format!("CREATE TEMP TRIGGER {table}_{when} AFTER {when} ON main.{table} BEGIN {what} END;");
        }
    }
    db.execute_batch(&all)
}

#[cfg(test)]
mod tests {
    use super::super::fees::Fees;
    use super::super::owned::ReceiptOwned;
    use super::super::record::ChainRecord;
    use super::super::step::{ChainStep, StepCall, StepEnd, Try};
    use super::*;
    use alloy_primitives::{Address, B256, Bytes, U256};
    use golem_core::door::EffectKey;
    use golem_core::{Action, Point, Tick};
    use std::path::Path;

    const ME: Address = Address::repeat_byte(3);

    /// A record with rows in nearly every table, some of them written over and some gone again.
    fn written(path: &Path) -> Result<(), VenueError> {
        let mut record = ChainRecord::open(path, ME, 7)?;
        for n in 0..40u64 {
            let key = EffectKey::new(Tick(n), 0);
            let call = StepCall {
                to: Address::with_last_byte(9),
                data: Bytes::from(vec![n as u8; 90]),
                gas_limit: 21_000,
                value: U256::from(n % 3),
            };
            let step = ChainStep { key, step: 0, nonce: n, call, at_ms: 5, end: None };
            let attempt = |n: u64, cancel| Try {
                hash: B256::with_last_byte(n as u8),
                raw: Bytes::from(vec![n as u8; 60]),
                fees: Fees { max_fee: 1 << 90, tip: 7 },
                cancel,
                at_ms: n,
            };
            record.begin(&step, &attempt(n, false))?;
            record.again(&step, &attempt(100 + n, true))?;
            record.end(&step, &StepEnd::Displaced)?;
            if n % 5 == 0 {
                record.reopen(&step, 99)?;
            }
            record.own(key, &ReceiptOwned { usdc: -5, asset: 5, liquidity: 1, position: Some(n) })?;
            record.own(key, &ReceiptOwned { usdc: -6, asset: 5, liquidity: 1, position: None })?;
            record.keep_landed(Point { block: n, index: 0 }, key, &[Action::Collect { position: n }])?;
            record.keep_landed(Point { block: n, index: 0 }, key, &[Action::Collect { position: n + 1 }])?;
            record.see_blocks(n, &[(n + 1, B256::with_last_byte(n as u8))], 12)?;
        }
        record.pin("pool", B256::with_last_byte(1))?;
        record.pin("pool", B256::with_last_byte(2))?;
        Ok(())
    }

    /// Everything that stands in it, table by table.
    fn all(path: &Path) -> Vec<(String, Vec<(String, u128)>)> {
        let db = Connection::open(path).unwrap();
        let read = |(table, key, columns): (&str, &[&str], &[&str])| {
            let mut found = rows(&db, table, key, columns).unwrap();
            found.sort();
            (table.to_owned(), found)
        };
        TABLES.map(read).to_vec()
    }

    #[test]
    fn what_is_written_adds_up_whoever_wrote_over_it() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("sent.db");
        written(&path).unwrap();
        ChainRecord::open(&path, ME, 7).unwrap();
        assert_eq!(all(&path).iter().map(|(_, rows)| rows.len()).sum::<usize>(), 1 + 40 + 26 + 80 + 40 + 12 + 40 + 1);
        // One from before there were sums is summed once.
        let db = Connection::open(&path).unwrap();
        db.execute_batch("DROP TABLE sums; DROP TABLE total; PRAGMA user_version = 0;").unwrap();
        drop(db);
        let before = all(&path);
        ChainRecord::open(&path, ME, 7).unwrap();
        ChainRecord::open(&path, ME, 7).unwrap();
        assert_eq!(all(&path), before);
    }

    #[test]
    fn a_row_that_was_not_written_so_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let (whole, path) = (dir.path().join("whole.db"), dir.path().join("sent.db"));
        written(&whole).unwrap();
        for change in [
            "UPDATE whose SET chain = '7 '",
            "UPDATE steps SET nonce = 900 WHERE nonce = 9",
            "UPDATE steps SET end = NULL WHERE nonce = 9",
            "UPDATE coin SET wei = '3' WHERE wei = '2'",
            "UPDATE tries SET cancel = 0",
            "UPDATE owned SET asset = '6' WHERE n = 3",
            "UPDATE blocks SET number = 90 WHERE number = 40",
            "UPDATE landed SET key = '1.1' WHERE block = 3",
            "UPDATE pins SET hash = zeroblob(32)",
            "DELETE FROM tries WHERE hash = (SELECT hash FROM tries LIMIT 1)",
            "DELETE FROM owned",
            "DELETE FROM owned WHERE n = 3; DELETE FROM sums WHERE place = 'owned' AND row = '3'",
            "INSERT INTO owned(key, usdc, asset, liquidity) VALUES ('99.0', '0', '1', '0')",
            "INSERT INTO pins VALUES ('router', zeroblob(32))",
            "UPDATE sums SET sum = zeroblob(16) WHERE place = 'pins'",
            "DELETE FROM total",
            "UPDATE total SET count = 1",
        ] {
            std::fs::copy(&whole, &path).unwrap();
            Connection::open(&path).unwrap().execute_batch(change).unwrap();
            let refused = ChainRecord::open(&path, ME, 7).err();
            let told = refused.map(|why| why.to_string()).unwrap_or_default();
            assert!(told.contains("the record of what was sent"), "{change}: {told}");
            assert!(ChainRecord::check(&path).is_err(), "{change}");
        }
    }

    #[test]
    fn a_bit_that_turned_is_refused_or_changes_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let (whole, path) = (dir.path().join("whole.db"), dir.path().join("sent.db"));
        written(&whole).unwrap();
        let (bytes, before) = (std::fs::read(&whole).unwrap(), all(&whole));
        let mut refused = 0;
        let cases = if std::env::var_os("BARDO_LONG").is_some() { 4_000 } else { 400 };
        for n in 0..cases {
            let at = (n * 7_919 + 13) % (bytes.len() * 8);
            let mut turned = bytes.clone();
            turned[at / 8] ^= 1 << (at % 8);
            for beside in ["sent.db-wal", "sent.db-shm"] {
                let _none = std::fs::remove_file(dir.path().join(beside));
            }
            std::fs::write(&path, turned).unwrap();
            match ChainRecord::open(&path, ME, 7) {
                Err(_) => refused += 1,
                Ok(record) => {
                    drop(record);
                    assert_eq!(all(&path), before, "bit {at} made another record");
                }
            }
        }
        assert!(refused > cases / 5, "{refused} of {cases} proves little");
    }
}
