//! One golem, one writer: locks, fences, rollbacks, and files that are none of ours.

use crate::toy::*;
use golem_core::Tick;
use golem_life::Being;
use golem_runtime::memory::Detail;
use golem_runtime::*;
use rusqlite::Connection;
use std::fs;

#[test]
fn a_second_process_is_turned_away_with_the_holders_pid() {
    let tmp = tempfile::tempdir().unwrap();
    newborn(tmp.path());
    let store = store(tmp.path());
    let epoch = Reader::open(tmp.path()).unwrap().epoch().unwrap();
    let refused = Store::open(tmp.path(), OpenOptions::default(), NOW).unwrap_err();
    assert!(matches!(refused, Error::Locked { pid: Some(pid), .. } if pid == std::process::id()), "{refused}");
    assert!(refused.to_string().contains(&format!("already running as process {}", std::process::id())));
    assert_eq!(Reader::open(tmp.path()).unwrap().epoch().unwrap(), epoch, "nothing was touched");
    let found = health(tmp.path()).unwrap();
    assert_eq!((found.running, found.pid), (true, Some(std::process::id())));
    store.close().unwrap();
    assert!(!health(tmp.path()).unwrap().running);
    self::store(tmp.path()).close().unwrap();
}

#[test]
fn who_lost_the_lock_writes_nothing() {
    let tmp = tempfile::tempdir().unwrap();
    newborn(tmp.path());
    let nature = Nature::default();
    let mut a = open(tmp.path(), &nature, Pace::Real);
    a.run(turns(10)).unwrap();
    fs::remove_file(tmp.path().join("lock")).unwrap();
    let mut b = open(tmp.path(), &nature, Pace::Real);
    let fenced = a.run(turns(1)).unwrap_err();
    assert!(matches!(fenced, Error::Fenced { ours: 1, found: 2 }), "{fenced}");
    assert!(matches!(a.run(turns(1)), Err(Error::Broken)), "and it stays stopped");
    assert_eq!(Reader::open(tmp.path()).unwrap().tip().unwrap().0, Tick(10));
    assert!(a.close().is_err());
    b.run(turns(10)).unwrap();
    b.close().unwrap();
    assert_eq!(verify_chain(tmp.path()).unwrap().ticks, 20);
    assert!(replayed(tmp.path(), &nature).ok);
}

#[test]
fn a_fenced_close_is_not_clean() {
    let tmp = tempfile::tempdir().unwrap();
    newborn(tmp.path());
    let a = open(tmp.path(), &Nature::default(), Pace::Max);
    fs::remove_file(tmp.path().join("lock")).unwrap();
    let _b = store(tmp.path());
    assert!(matches!(a.close(), Err(Error::Fenced { .. })));
}

#[test]
fn an_older_file_put_back_is_noticed() {
    let tmp = tempfile::tempdir().unwrap();
    newborn(tmp.path());
    let nature = Nature::default();
    let db = tmp.path().join("golem.db");
    let mut runner = open(tmp.path(), &nature, Pace::Max);
    runner.run(turns(100)).unwrap();
    runner.close().unwrap();
    let old = fs::read(&db).unwrap();
    let mut runner = open(tmp.path(), &nature, Pace::Max);
    runner.run(turns(100)).unwrap();
    runner.close().unwrap();
    fs::write(&db, &old).unwrap();

    let refused = Store::open(tmp.path(), OpenOptions::default(), NOW).unwrap_err();
    assert!(matches!(refused, Error::RolledBack { found_epoch: 1, known_epoch: 2, .. }), "{refused}");
    assert_eq!(refused.kind(), ErrorKind::Owner);
    let accepted =
        Store::open(tmp.path(), OpenOptions { accept_rollback: true, ..OpenOptions::default() }, NOW).unwrap();
    assert_eq!(accepted.start().epoch, 3, "above every start that ever was");
    accepted.close().unwrap();
    let notes = Reader::open(tmp.path()).unwrap().notes().unwrap();
    assert_eq!((notes[0].tick, notes[0].what.as_str()), (Tick(100), "rolled back from tick 200 (start 2)"));
    let mut runner = open(tmp.path(), &nature, Pace::Max);
    runner.run(turns(100)).unwrap();
    assert_eq!(runner.being().tick(), Tick(200));
    runner.close().unwrap();

    // Within one start: the turn gives it away.
    let fresh = tempfile::tempdir().unwrap();
    newborn(fresh.path());
    let before = fs::read(fresh.path().join("golem.db")).unwrap();
    let mut runner = open(fresh.path(), &nature, Pace::Max);
    runner.run(turns(5)).unwrap();
    runner.close().unwrap();
    let after = fs::read(fresh.path().join("golem.db")).unwrap();
    fs::write(fresh.path().join("golem.db"), before).unwrap();
    assert!(matches!(Store::open(fresh.path(), OpenOptions::default(), NOW), Err(Error::RolledBack { .. })));
    fs::write(fresh.path().join("golem.db"), after).unwrap();
    store(fresh.path()).close().unwrap();
}

#[test]
fn a_garbled_note_is_an_error_and_a_missing_one_is_not() {
    let tmp = tempfile::tempdir().unwrap();
    newborn(tmp.path());
    store(tmp.path()).close().unwrap();
    fs::write(tmp.path().join("epoch"), "what").unwrap();
    assert!(matches!(Store::open(tmp.path(), OpenOptions::default(), NOW), Err(Error::Damaged { .. })));
    fs::remove_file(tmp.path().join("epoch")).unwrap();
    store(tmp.path()).close().unwrap();
}

type Make = Box<dyn Fn(&std::path::Path)>;

#[test]
fn foreign_files_are_left_alone() {
    let cases: [(&str, Make); 4] = [
        ("empty", Box::new(|p| fs::write(p, "").unwrap())),
        ("text", Box::new(|p| fs::write(p, "not a database at all, just words, many words".repeat(100)).unwrap())),
        ("sqlite", Box::new(|p| Connection::open(p).unwrap().execute_batch("CREATE TABLE t(x)").unwrap())),
        (
            "other id",
            Box::new(|p| {
                let conn = Connection::open(p).unwrap();
                conn.execute_batch("PRAGMA application_id = 7; CREATE TABLE t(x); PRAGMA journal_mode = WAL").unwrap();
            }),
        ),
    ];
    for (name, make) in cases {
        let tmp = tempfile::tempdir().unwrap();
        let db = tmp.path().join("golem.db");
        make(&db);
        let before = fs::read(&db).unwrap();
        assert!(matches!(Store::open(tmp.path(), OpenOptions::default(), NOW), Err(Error::Foreign { .. })), "{name}");
        assert!(matches!(Reader::open(tmp.path()), Err(Error::Foreign { .. })), "{name}");
        assert!(matches!(Inbox::open(tmp.path()), Err(Error::Foreign { .. })), "{name}");
        assert!(matches!(create(tmp.path(), &origin(1)), Err(Error::Exists { .. })), "{name}");
        assert_eq!(fs::read(&db).unwrap(), before, "{name}");
        let mut names: Vec<_> = fs::read_dir(tmp.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
        names.sort();
        assert_eq!(names, ["golem.db", "lock"], "{name}");
    }
}

#[test]
fn looking_for_nobody_creates_nothing() {
    let tmp = tempfile::tempdir().unwrap();
    let nobody = tmp.path().join("nobody");
    assert!(matches!(Reader::open(&nobody), Err(Error::NoGolem { .. })));
    assert!(matches!(Inbox::open(&nobody), Err(Error::NoGolem { .. })));
    assert!(matches!(Store::open(&nobody, OpenOptions::default(), NOW), Err(Error::NoGolem { .. })));
    assert!(!nobody.exists());
    assert!(matches!(Store::open(tmp.path(), OpenOptions::default(), NOW), Err(Error::NoGolem { .. })));
    assert_eq!(fs::read_dir(tmp.path()).unwrap().count(), 0);
}

#[test]
fn a_golem_is_born_once_and_privately() {
    use std::os::unix::fs::PermissionsExt;
    let tmp = tempfile::tempdir().unwrap();
    let dir = tmp.path().join("toy");
    // What a crash during an earlier birth left.
    fs::create_dir(&dir).unwrap();
    fs::write(dir.join("golem.db.new"), "half").unwrap();
    newborn(&dir);
    assert!(matches!(create(&dir, &origin(2)), Err(Error::Exists { .. })));
    assert_eq!(fs::metadata(dir.join("golem.db")).unwrap().permissions().mode() & 0o777, 0o600);
    let other = tmp.path().join("other");
    newborn(&other);
    assert_eq!(fs::metadata(&other).unwrap().permissions().mode() & 0o777, 0o700);
    assert!(create(&tmp.path().join("no/parent"), &origin(1)).is_err());
}

#[test]
fn an_old_file_is_migrated_and_a_newer_one_refused() {
    let tmp = tempfile::tempdir().unwrap();
    newborn(tmp.path());
    let nature = Nature::default();
    let mut runner = open(tmp.path(), &nature, Pace::Max);
    runner.run(turns(10)).unwrap();
    runner.close().unwrap();
    let conn = Connection::open(tmp.path().join("golem.db")).unwrap();
    let newer = "notes, asked, episode_words, episodes, marks, entries, standings, named, vectors, \
                 remembered, taken, past, state_pieces";
    for table in newer.split(", ") {
        conn.execute_batch(&format!("DROP TABLE {table};")).unwrap();
    }
    for (table, column) in [("checkpoint", "totals"), ("inbox", "sum"), ("starts", "safe")] {
        conn.execute_batch(&format!("ALTER TABLE {table} DROP COLUMN {column};")).unwrap();
    }
    conn.execute_batch("PRAGMA user_version = 1;").unwrap();
    drop(conn);
    assert!(Reader::open(tmp.path()).unwrap().notes().unwrap().is_empty(), "a reader does not migrate");
    assert_eq!(health(tmp.path()).unwrap().schema, 1);
    let mut runner = open(tmp.path(), &nature, Pace::Max);
    assert_eq!(health(tmp.path()).unwrap().schema, 12);
    runner.run(turns(10)).unwrap();
    assert_eq!(runner.head(), head_after(20, &nature));
    runner.close().unwrap();

    let conn = Connection::open(tmp.path().join("golem.db")).unwrap();
    conn.execute_batch("PRAGMA user_version = 99;").unwrap();
    drop(conn);
    let before = fs::read(tmp.path().join("golem.db")).unwrap();
    let refused = Store::open(tmp.path(), OpenOptions::default(), NOW).unwrap_err();
    assert!(refused.to_string().contains("made by a newer bardo"), "{refused}");
    assert!(matches!(Reader::open(tmp.path()), Err(Error::Newer { found: 99, .. })));
    assert_eq!(fs::read(tmp.path().join("golem.db")).unwrap(), before);
}

#[test]
fn memory_of_an_older_file_is_read_and_migrated() {
    let tmp = tempfile::tempdir().unwrap();
    newborn(tmp.path());
    let nature = Nature { remembers: true, ..Nature::default() };
    let mut runner = open(tmp.path(), &nature, Pace::Max);
    runner.run(turns(345)).unwrap();
    runner.close().unwrap();
    // As the fourth version had it: named rows without a row id, reports among them, no vectors from elsewhere.
    let conn = Connection::open(tmp.path().join("golem.db")).unwrap();
    conn.execute_batch(
        "DROP TABLE vectors; DROP TABLE remembered; DROP TABLE taken; DROP TABLE past; DROP TABLE state_pieces;
         ALTER TABLE checkpoint DROP COLUMN totals; ALTER TABLE inbox DROP COLUMN sum;
         ALTER TABLE asked DROP COLUMN sum; ALTER TABLE starts DROP COLUMN safe;
         ALTER TABLE named RENAME TO newer;
         CREATE TABLE named(place TEXT NOT NULL, key TEXT NOT NULL, tick INTEGER NOT NULL, text TEXT NOT NULL,
             body TEXT NOT NULL, PRIMARY KEY (place, key, tick)) STRICT, WITHOUT ROWID;
         INSERT INTO named SELECT * FROM newer;
         DROP TABLE newer;
         PRAGMA user_version = 4;",
    )
    .unwrap();
    drop(conn);
    let before = Reader::open(tmp.path()).unwrap().memory().remembered(None, Detail::All).unwrap();
    assert_eq!((before.episodes.len(), before.rows.len(), before.vectors.len()), (34, 1, 0));
    let conn = Connection::open(tmp.path().join("golem.db")).unwrap();
    conn.execute_batch("INSERT INTO named VALUES ('cycle', '1', 5, '', '{}')").unwrap();
    drop(conn);
    open(tmp.path(), &nature, Pace::Max).close().unwrap();
    assert_eq!(health(tmp.path()).unwrap().schema, 12);
    let after = Reader::open(tmp.path()).unwrap().memory().remembered(None, Detail::All).unwrap();
    assert_eq!(after.rows, before.rows);
    assert!(after.episodes.iter().all(|(.., vector)| vector.is_none()), "vectors of eight bits are let go");
    assert_eq!(after.entries.len(), 3);
}

#[test]
fn readers_look_while_it_runs() {
    let tmp = tempfile::tempdir().unwrap();
    newborn(tmp.path());
    let nature = Nature::default();
    let reader = Reader::open(tmp.path()).unwrap();
    assert_eq!(reader.status().unwrap(), None, "before its first turn there is nothing to show");
    let mut runner = open(tmp.path(), &nature, Pace::Real);
    for n in 1..=30 {
        runner.run(turns(1)).unwrap();
        assert_eq!(reader.status().unwrap().unwrap().tick, Tick(n));
        assert_eq!(verify_chain(tmp.path()).unwrap().ticks, n);
    }
    assert!(replayed(tmp.path(), &nature).ok, "also while it runs");
    runner.close().unwrap();
}
