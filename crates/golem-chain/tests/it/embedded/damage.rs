//! Rot in a chain's file: whatever bit or row of it changes, the file is refused with a reason, or everything that can be
//! read from it is the same. An older file is not taken for the one that somebody has seen.

use super::common::{account, contracts, genesis};
use super::script::{act, sample};
use alloy_primitives::{B256, U256, keccak256};
use golem_chain::contracts::Contracts;
use golem_chain::embedded::{ChainError, ChainMark, EmbeddedChain, EmbeddedConfig, SignedOutside, Tx};
use golem_core::intent::Refusal;
use golem_core::{Hash, Intent, Point, RawObservation, Receipt};
use golem_venue::floor::{FloorGround, KeptStep, NotedEffect};
use golem_venue::{Header, Venue};
use rusqlite::Connection;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

const STEPS: u64 = 40;

fn config() -> EmbeddedConfig {
    EmbeddedConfig { write_every: u64::MAX, ..EmbeddedConfig::new(genesis(true)) }
}

fn cases() -> usize {
    if std::env::var_os("BARDO_LONG").is_some() { 2_600 } else { 220 }
}

/// The hash of what was signed outside at a step, where anything was.
fn outside(tick: u64) -> B256 {
    keccak256(tick.to_be_bytes())
}

/// A short history with something in every table, written in several parts; its marks.
fn history(path: &Path, contracts: &Contracts) -> Vec<ChainMark> {
    let mut chain = EmbeddedChain::open(path, contracts, &config()).unwrap();
    let mut marks = vec![chain.mark().unwrap()];
    for (tick, op) in (0..STEPS).zip(sample(3, STEPS as usize)) {
        chain.begin_block(Header { timestamp: 1_700_000_100 + tick * 12, base_fee: 7 }).unwrap();
        // Once the first account has ether, it sends some of it by an envelope that was signed outside.
        if tick % 8 == 5 {
            let tx = Tx {
                from: account(1).0.into(),
                to: Some(account(2).0.into()),
                value: U256::from(tick),
                gas_limit: 100_000,
                max_fee: 20_000_000_000,
                ..Tx::default()
            };
            let envelope = format!("signed at step {tick}").into_bytes().into();
            assert!(chain.submit(&tx, SignedOutside { hash: outside(tick), envelope }).unwrap().success);
        }
        act(&mut chain, &op);
        let seen = RawObservation { price: Some(2_000.0 + tick as f64), ..RawObservation::default() };
        let kept = KeptStep::new(tick, chain.head(), &seen, 0.0);
        FloorGround::keep(&mut chain, &kept, b"market").unwrap();
        if tick % 5 == 0 {
            let receipt = Receipt::kept_back(Intent::Hold, Refusal::Withheld);
            FloorGround::note_effect(
                &mut chain,
                &format!("golem/{tick}/0"),
                &NotedEffect { receipt, head: Hash([7; 32]) },
            )
            .unwrap();
            FloorGround::commit(&mut chain, format!("market after {tick}").as_bytes()).unwrap();
            marks.push(chain.mark().unwrap());
        }
    }
    FloorGround::commit(&mut chain, b"market at last").unwrap();
    marks.push(chain.mark().unwrap());
    marks
}

/// Everything that anybody can read from a chain.
fn read(path: &Path) -> Result<Vec<String>, ChainError> {
    let mut chain = EmbeddedChain::resume(path)?;
    let store = |e: golem_venue::VenueError| ChainError::Unread(e.to_string());
    let mut all = vec![
        format!("{:?} {:?} {:?}", chain.head(), chain.open_block(), chain.mark()),
        format!("{} {:?}", chain.digest()?, chain.market_state()),
        format!("{:?} {:?}", chain.view().map_err(store)?, chain.whole_pool()?),
        format!("{:?}", chain.effect_keys(b"e")?),
    ];
    for who in 1..=3 {
        all.push(format!("{:?}", chain.book(account(who)).map_err(store)?));
    }
    for tick in 0..STEPS {
        let kept = FloorGround::recall(&mut chain, tick).map_err(store)?;
        all.push(format!("{:?}", kept.ok_or_else(|| ChainError::Unread(format!("step {tick} is missing")))?));
        let done = FloorGround::effect(&mut chain, &format!("golem/{tick}/0")).map_err(store)?;
        all.push(format!("{done:?}"));
        all.push(format!("{:?}", chain.transaction_named(outside(tick))?));
    }
    for number in 0..=chain.open_block().number {
        let block = chain.block(number)?;
        let count = block.as_ref().map_or(0, |b| b.transactions);
        all.push(format!("{block:?}"));
        for index in 0..count {
            all.push(format!("{:?}", chain.transaction(Point { block: number, index })?));
        }
    }
    for block in [1, 9, 23, 38] {
        let mut fork = chain.fork(Point { block, index: 0 })?;
        all.push(format!("{block}: {} {:?}", fork.digest()?, fork.book(account(1)).map_err(store)?));
    }
    Ok(all)
}

/// Numbers that look random and are the same every time.
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n.max(1)
    }
}

const TABLES: [&str; 9] = ["meta", "blocks", "transactions", "signed", "keys", "runs", "codes", "effects", "heads"];

/// Change something in a copy: where and what, in words, or nothing when there was nothing to change.
fn harm(path: &Path, case: usize, dice: &mut Dice) -> Option<(&'static str, String)> {
    // A third are bits of the file as it lies there, the others bits and rows of every table in turn.
    if case.is_multiple_of(3) {
        let mut bytes = std::fs::read(path).unwrap();
        let at = dice.below(bytes.len() as u64) as usize;
        let bit = dice.below(8);
        bytes[at] ^= 1 << bit;
        std::fs::write(path, bytes).unwrap();
        return Some(("file", format!("bit {bit} of byte {at}")));
    }
    // Counted without that third: a multiple of three would leave the same tables out every time.
    let table = TABLES[(case - case / 3 - 1) % TABLES.len()];
    let db = Connection::open(path).unwrap();
    let rows: i64 = db.query_row(&format!("SELECT count(*) FROM {table}"), [], |r| r.get(0)).unwrap();
    if rows == 0 {
        return None;
    }
    let columns: Vec<String> = {
        let mut all = db.prepare(&format!("SELECT name FROM pragma_table_info('{table}')")).unwrap();
        all.query_map([], |r| r.get(0)).unwrap().map(Result::unwrap).collect()
    };
    let (key, row) = (&columns[0], dice.below(rows as u64));
    let pick = format!("(SELECT {key} FROM {table} ORDER BY {key} LIMIT 1 OFFSET {row})");
    if case % 4 == 1 {
        db.execute(&format!("DELETE FROM {table} WHERE {key} = {pick}"), []).unwrap();
        return Some((table, format!("row {row} of {table} deleted")));
    }
    let column = &columns[dice.below(columns.len() as u64) as usize];
    let value: rusqlite::types::Value =
        db.query_row(&format!("SELECT {column} FROM {table} WHERE {key} = {pick}"), [], |r| r.get(0)).unwrap();
    use rusqlite::types::Value;
    let flip = |bytes: &mut Vec<u8>, dice: &mut Dice| {
        let at = dice.below(bytes.len() as u64) as usize;
        bytes[at] ^= 1 << dice.below(8);
    };
    let other = match value {
        Value::Integer(n) => Value::Integer(n ^ (1 << dice.below(if n > 1 << 20 { 62 } else { 20 }))),
        Value::Blob(mut bytes) if !bytes.is_empty() => {
            flip(&mut bytes, dice);
            Value::Blob(bytes)
        }
        Value::Text(text) => Value::Text(text.chars().rev().collect()),
        _ => return None,
    };
    // A row that takes another's place is refused by the database itself.
    db.execute(&format!("UPDATE {table} SET {column} = ?1 WHERE {key} = {pick}"), [other]).ok()?;
    Some((table, format!("{column} of row {row} of {table}")))
}

fn copy(from: &Path, to: &Path) {
    for suffix in ["-wal", "-shm", ".lock"] {
        let mut name = to.as_os_str().to_owned();
        name.push(suffix);
        let _absent = std::fs::remove_file(PathBuf::from(name));
    }
    std::fs::copy(from, to).unwrap();
}

#[test]
fn whatever_rots_is_refused_or_changes_nothing() {
    let Some(contracts) = contracts() else { return };
    let dir = tempfile::tempdir().unwrap();
    let (whole, bad) = (dir.path().join("whole.db"), dir.path().join("bad.db"));
    history(&whole, contracts);
    let same = read(&whole).unwrap();
    assert_eq!(EmbeddedChain::check(&whole).unwrap(), Vec::<String>::new());
    let (mut refused, mut unchanged, mut dice) = (0, 0, Dice(11));
    let mut harmed: BTreeMap<&str, usize> = BTreeMap::new();
    for case in 0..cases() {
        copy(&whole, &bad);
        let Some((place, what)) = harm(&bad, case, &mut dice) else { continue };
        *harmed.entry(place).or_default() += 1;
        let checked = EmbeddedChain::check(&bad);
        match read(&bad) {
            Ok(found) => {
                assert_eq!(found, same, "case {case}, {what}: another life");
                unchanged += 1;
            }
            Err(e) => {
                assert!(!matches!(e, ChainError::Bug(_)), "case {case}, {what}: {e}");
                assert!(checked.is_err() || checked.is_ok_and(|c| !c.is_empty()), "case {case}, {what}: unseen, {e}");
                refused += 1;
            }
        }
    }
    assert!(refused * 2 > cases(), "{refused} refused, {unchanged} unchanged of {}", cases());
    assert!(TABLES.iter().chain(&["file"]).all(|place| harmed.contains_key(place)), "{harmed:?}");
}

/// A gap among the steps shows what is missing between two of them; the last one has nothing behind it.
#[test]
fn the_last_step_is_missed() {
    let Some(contracts) = contracts() else { return };
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("chain.db");
    history(&path, contracts);
    let db = Connection::open(&path).unwrap();
    let gone = "DELETE FROM effects WHERE key = (SELECT max(key) FROM effects WHERE substr(key, 1, 1) = x'73')";
    assert_eq!(db.execute(gone, []).unwrap(), 1);
    drop(db);
    let said = EmbeddedChain::check(&path).unwrap().join("; ");
    assert!(said.contains("the last step is missing"), "{said}");
}

#[test]
fn a_file_goes_on_from_every_mark_that_was_taken_of_it_and_an_older_one_does_not() {
    let Some(contracts) = contracts() else { return };
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("chain.db");
    let marks = history(&path, contracts);
    for mark in &marks {
        assert_eq!(EmbeddedChain::goes_on_from(&path, mark), Ok(()));
    }
    let last = marks[marks.len() - 1];
    // The same beginning, and no more of it.
    let young = dir.path().join("young.db");
    drop(EmbeddedChain::open(&young, contracts, &config()).unwrap());
    assert_eq!(EmbeddedChain::goes_on_from(&young, &marks[0]), Ok(()));
    let older = EmbeddedChain::goes_on_from(&young, &last).unwrap_err();
    assert_eq!(older, ChainError::Older(format!("it was written 1 times, and {} are known", last.writes)));
    // As long, and another history.
    let mut other = EmbeddedChain::resume(&young).unwrap();
    while other.mark().unwrap().writes < last.writes {
        FloorGround::commit(&mut other, b"another market").unwrap();
    }
    drop(other);
    assert!(matches!(EmbeddedChain::goes_on_from(&young, &last), Err(ChainError::Older(_))));
    // Missing, or emptied: never begun anew in its place.
    let gone = dir.path().join("gone.db");
    std::fs::write(&gone, b"").unwrap();
    for path in [gone.clone(), dir.path().join("never.db")] {
        assert!(matches!(EmbeddedChain::goes_on_from(&path, &last), Err(ChainError::Absent(_))));
        assert!(matches!(EmbeddedChain::reopen(&path, contracts, &config()), Err(ChainError::Absent(_))));
    }
    assert_eq!(std::fs::metadata(&gone).unwrap().len(), 0);
    let db = Connection::open(&path).unwrap();
    db.execute("DELETE FROM meta", []).unwrap();
    drop(db);
    assert!(matches!(EmbeddedChain::open(&path, contracts, &config()), Err(ChainError::Damaged { .. })));
}
