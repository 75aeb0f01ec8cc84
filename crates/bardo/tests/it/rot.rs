//! Rot: bits of every file and rows of every table of a golem are changed, lost or doubled, one at a time. Whoever runs it
//! then refuses with a reason, or lives the same life.

use crate::kit;

use kit::{Home, count};
use rusqlite::Connection;
use rusqlite::types::Value;
use std::fs;
use std::path::{Path, PathBuf};

const LIVED: u64 = 1_450;
/// Over the next digest, so that a state that differs is seen.
const MORE: u64 = 600;

/// A golem with orders behind it and before it, a snapshot's worth of life, and how its life goes on.
struct Whole {
    home: Home,
    dir: PathBuf,
    /// How far it has come.
    lived: u64,
    /// The chain's head after the turns to come.
    head: String,
}

impl Whole {
    fn new(leave_log: bool) -> Self {
        let home = Home::new();
        let dir = home.create("rot", 12, &[]);
        home.live("rot", Some(700));
        home.ok(&["golem", "feed", "rot", "--usdc", "5"]);
        home.live("rot", Some(LIVED - 700));
        home.ok(&["golem", "tell", "rot", "wait for me"]);
        let head = {
            let copy = Twin::of(&home, &dir);
            copy.go_on(LIVED).expect("a whole one lives on")
        };
        let mut lived = LIVED;
        if leave_log {
            // Killed in the middle: what it lived stands in the log.
            let mut child = home.start(&["golem", "run", "rot", "--speed", "x400"]);
            let tip = || home.json(&["golem", "list"])[0]["tick"].as_u64();
            while tip() < Some(LIVED + 5) {
                std::thread::sleep(std::time::Duration::from_millis(20));
            }
            child.kill().unwrap();
            child.wait().unwrap();
            assert!(fs::metadata(dir.join("golem.db-wal")).unwrap().len() > 20_000);
            lived = tip().unwrap();
        }
        Self { home, dir, lived, head }
    }
}

/// A copy of a home with one golem, to be spoilt.
struct Twin {
    home: Home,
    dir: PathBuf,
}

impl Twin {
    fn of(home: &Home, dir: &Path) -> Self {
        let copy = Home::new();
        let to = copy.path().join(dir.strip_prefix(home.path()).unwrap());
        copy_dir(dir, &to);
        Self { home: copy, dir: to }
    }

    /// Live on to the turn at which lives are compared: the head, or the reason why not. Turns that nobody was told of may
    /// be gone, and are lived again.
    fn go_on(&self, mut lived: u64) -> Result<String, String> {
        loop {
            let left = (LIVED + MORE - lived).to_string();
            let said =
                self.home.bardo(&["golem", "run", "rot", "--speed", "max", "--quiet", "--json", "--ticks", &left]);
            assert!(!said.err.contains("panicked"), "{said:?}");
            if said.code != 0 {
                assert!(said.err.len() + said.out.len() > 20, "{said:?}: without a reason");
                return Err(format!("{said:?}"));
            }
            let told = said.json();
            match told["tick"].as_u64() {
                Some(tick) if tick == LIVED + MORE => return Ok(told["hash"].as_str().unwrap().to_owned()),
                Some(tick) if tick < LIVED + MORE => lived = tick,
                other => panic!("stands at {other:?}"),
            }
        }
    }
}

fn copy_dir(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy_dir(&entry.path(), &target)
        } else {
            drop(fs::copy(entry.path(), target))
        }
    }
}

fn dice(n: usize, of: u32) -> usize {
    golem_core::Dice::open(77, golem_core::Strand::World).bits(n as u64, of) as usize
}

/// Every file below a directory that is worth a bit: not what takes up room only, not the page that owners may edit.
fn files(dir: &Path) -> Vec<PathBuf> {
    let mut all = Vec::new();
    for entry in fs::read_dir(dir).unwrap().map(|e| e.unwrap().path()) {
        let name = entry.file_name().unwrap().to_string_lossy().into_owned();
        match entry.is_dir() {
            true => all.extend(files(&entry)),
            false if name.starts_with("ballast") || name == "PLAYBOOK.md" || name == "lock" => {}
            false => all.push(entry),
        }
    }
    all.sort();
    all
}

/// Run one case: the same life, or a reason.
fn judge(whole: &Whole, copy: &Twin, what: &str) -> bool {
    match copy.go_on(whole.lived) {
        Ok(head) => {
            assert_eq!(head, whole.head, "{what}: another life");
            false
        }
        Err(_) => true,
    }
}

#[test]
fn bits_of_every_file() {
    let mut refused = 0;
    for (leave_log, cases) in [(false, count(30, 400)), (true, count(40, 600))] {
        let whole = Whole::new(leave_log);
        let files = files(&whole.dir);
        for n in 0..cases {
            let copy = Twin::of(&whole.home, &whole.dir);
            let path = copy.dir.join(files[n % files.len()].strip_prefix(&whole.dir).unwrap());
            let mut bytes = fs::read(&path).unwrap();
            if bytes.is_empty() {
                continue;
            }
            let at = dice(n, 1) % bytes.len();
            bytes[at] ^= 1 << (dice(n, 2) % 8);
            fs::write(&path, &bytes).unwrap();
            let name = path.strip_prefix(&copy.dir).unwrap().display().to_string();
            refused += usize::from(judge(&whole, &copy, &format!("bit of byte {at} of {name} (log: {leave_log})")));
        }
    }
    assert!(refused > 0, "nothing was noticed");
}

/// What is done to a row.
#[derive(Debug, Clone, Copy)]
enum Spoil {
    Delete,
    Change(usize),
    Null(usize),
    /// The same row once more, under another key where it has one.
    Double,
}

#[test]
fn rows_of_every_table() {
    let whole = Whole::new(false);
    let db = Connection::open(whole.dir.join("golem.db")).unwrap();
    let tables: Vec<String> = db
        .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%' AND name <> 'sqlite_sequence'")
        .unwrap()
        .query_map([], |row| row.get(0))
        .unwrap()
        .map(Result::unwrap)
        .collect();
    drop(db);
    assert!(tables.len() > 15, "{tables:?}");
    let (mut refused, mut tried) = (0, 0);
    for n in 0..count(130, 1_800) {
        let copy = Twin::of(&whole.home, &whole.dir);
        let db = Connection::open(copy.dir.join("golem.db")).unwrap();
        let table = &tables[n % tables.len()];
        let Some(what) = spoil(&db, table, n) else { continue };
        drop(db);
        tried += 1;
        refused += usize::from(judge(&whole, &copy, &format!("{table}: {what}")));
    }
    assert!(refused > 0 && tried > count(60, 1_000), "{refused} of {tried}");
}

/// Change one row of a table; says what was done, or nothing where there is nothing to change.
fn spoil(db: &Connection, table: &str, n: usize) -> Option<String> {
    let columns: Vec<(String, bool)> = db
        .prepare(&format!("SELECT name, pk > 0 FROM pragma_table_info('{table}')"))
        .unwrap()
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))
        .unwrap()
        .map(Result::unwrap)
        .collect();
    let rows: i64 = db.query_row(&format!("SELECT count(*) FROM \"{table}\""), [], |row| row.get(0)).unwrap();
    let rows = usize::try_from(rows).unwrap();
    if rows == 0 {
        return None;
    }
    // Half of the time one of the newest, which are the ones that are believed.
    let at = if dice(n, 3).is_multiple_of(2) { rows - 1 - dice(n, 4) % rows.min(20) } else { dice(n, 4) % rows };
    let keys: Vec<&String> = columns.iter().filter(|(_, key)| *key).map(|(name, _)| name).collect();
    let by = match keys.is_empty() {
        true => vec!["rowid".to_owned()],
        false => keys.iter().map(|k| format!("\"{k}\"")).collect(),
    };
    let read = format!("SELECT {} FROM \"{table}\" LIMIT 1 OFFSET {at}", by.join(", "));
    let key: Vec<Value> =
        db.query_row(&read, [], |row| (0..by.len()).map(|k| row.get(k)).collect::<Result<_, _>>()).unwrap();
    let place: Vec<String> = by.iter().enumerate().map(|(k, name)| format!("{name} IS ?{}", k + 1)).collect();
    let place = place.join(" AND ");
    let how = match dice(n, 5) % (columns.len() + 3) {
        0 => Spoil::Delete,
        1 => Spoil::Null(dice(n, 6) % columns.len()),
        2 => Spoil::Double,
        column => Spoil::Change(column - 3),
    };
    let params = rusqlite::params_from_iter(key.iter().cloned());
    let done = match how {
        Spoil::Delete => db.execute(&format!("DELETE FROM \"{table}\" WHERE {place}"), params),
        Spoil::Null(c) => {
            db.execute(&format!("UPDATE \"{table}\" SET \"{}\" = NULL WHERE {place}", columns[c].0), params)
        }
        Spoil::Double => {
            let read = format!("SELECT * FROM \"{table}\" WHERE {place}");
            let read_row = |row: &rusqlite::Row<'_>| (0..columns.len()).map(|c| row.get(c)).collect::<Result<_, _>>();
            let mut row: Vec<Value> = db.query_row(&read, params, read_row).unwrap();
            if let Some(c) = columns.iter().rposition(|(_, key)| *key) {
                row[c] = changed(row[c].clone(), dice(n, 7));
            }
            let places = vec!["?"; row.len()].join(", ");
            db.execute(&format!("INSERT INTO \"{table}\" VALUES ({places})"), rusqlite::params_from_iter(row))
        }
        Spoil::Change(c) => {
            let column = &columns[c].0;
            let old: Value = db
                .query_row(
                    &format!("SELECT \"{column}\" FROM \"{table}\" WHERE {place}"),
                    rusqlite::params_from_iter(key.iter().cloned()),
                    |row| row.get(0),
                )
                .unwrap();
            let mut params: Vec<Value> = key.clone();
            params.push(changed(old, dice(n, 7)));
            let sql = format!("UPDATE \"{table}\" SET \"{column}\" = ?{} WHERE {place}", by.len() + 1);
            db.execute(&sql, rusqlite::params_from_iter(params))
        }
    };
    // A rule of the table may forbid it, which is a refusal too.
    (done.ok()? == 1).then(|| format!("row {at}, {how:?} of {columns:?}"))
}

fn changed(value: Value, by: usize) -> Value {
    match value {
        Value::Null => Value::Integer(1),
        Value::Integer(n) => Value::Integer(n ^ (1 << (by % 20))),
        Value::Real(x) => Value::Real(x * 1.5 + 1.0),
        Value::Text(text) if text.is_empty() => Value::Text("x".into()),
        Value::Text(text) => {
            // A digit where there is one, so that it stays well formed and says something else.
            let at = text.bytes().enumerate().filter(|(_, b)| b.is_ascii_digit()).map(|(n, _)| n).collect::<Vec<_>>();
            let mut bytes = text.into_bytes();
            match at.get(by % at.len().max(1)) {
                Some(n) => bytes[*n] = b'0' + (bytes[*n] - b'0' + 1) % 10,
                None => bytes[0] ^= 1,
            }
            Value::Text(String::from_utf8_lossy(&bytes).into_owned())
        }
        Value::Blob(mut bytes) => {
            let at = by % bytes.len().max(1);
            match bytes.get_mut(at) {
                Some(byte) => *byte ^= 1 << (by % 8),
                None => bytes.push(1),
            }
            Value::Blob(bytes)
        }
    }
}
