//! What cannot be written or sent at the moment: a line that breaks in the middle, and files that take nothing for a while. In the end nothing
//! is lost, and nothing doubled.

use crate::kit::{Golem, Relay};
use golem_ferry::{Ferry, FerryFile, RelayVisit, crossed_once};
use golem_wallet::CladeKey;
use rusqlite::Connection;
use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::time::{Duration, Instant};

fn owner(home: &Path) -> CladeKey {
    CladeKey::at(&home.join("clade").join("owner.key")).unwrap()
}

fn ferry(golem: &Golem, owner: &CladeKey, port: u16) -> Ferry {
    Ferry::begin(vec![golem.passenger(owner, port)], |_, _| {}).unwrap()
}

/// A relay, and a way to it that cuts each of the first connections after so many bytes. Says how often somebody came.
fn cutting(dir: &Path, after: Vec<usize>) -> (Relay, u16, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let (here, came) = (listener.local_addr().unwrap().port(), Arc::new(AtomicUsize::new(0)));
    let relay = Relay::behind(dir, here);
    let (port, counted) = (relay.port, Arc::clone(&came));
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let most = after.get(counted.fetch_add(1, SeqCst)).copied().unwrap_or(usize::MAX);
            let (one, two) = (stream.unwrap(), TcpStream::connect(("127.0.0.1", port)).unwrap());
            let passed = Arc::new(AtomicUsize::new(0));
            for (from, to) in [(&one, &two), (&two, &one)] {
                let (mut from, mut to) = (from.try_clone().unwrap(), to.try_clone().unwrap());
                let passed = Arc::clone(&passed);
                std::thread::spawn(move || {
                    let mut bytes = [0; 4_096];
                    while let Ok(n @ 1..) = from.read(&mut bytes) {
                        let over = passed.fetch_add(n, SeqCst) + n > most;
                        if over || to.write_all(&bytes[..n]).is_err() {
                            break;
                        }
                    }
                    let _gone = (from.shutdown(Shutdown::Both), to.shutdown(Shutdown::Both));
                });
            }
        }
    });
    (relay, here, came)
}

/// Enough for an archive of some pieces.
fn knowing(home: &Path, name: &str) -> Golem {
    let mut golem = Golem::born(home, name);
    golem.backup = (0..120).map(|n| golem.believes(n)).collect::<Vec<_>>().join("\n").into_bytes();
    assert!(golem.backup.len() > 100_000, "{}", golem.backup.len());
    golem.tick.store(450, SeqCst);
    golem
}

/// The line breaks while a backup is on its way: the next line brings the rest, although the golem stands where it stood.
#[test]
fn a_backup_that_was_cut_is_made_whole_by_the_next_line() {
    let dir = tempfile::tempdir().unwrap();
    let (relay, port, came) = cutting(&dir.path().join("relay"), vec![50_000]);
    let (owner, a) = (owner(dir.path()), knowing(dir.path(), "a"));
    let other = Golem::born(dir.path(), "other");
    let _line = ferry(&a, &owner, port);
    let until = Instant::now() + Duration::from_secs(20);
    while RelayVisit::of(other.passenger(&owner, relay.port)).archives().unwrap().is_empty() {
        assert!(Instant::now() < until, "it came {} times", came.load(SeqCst));
        std::thread::sleep(Duration::from_millis(100));
    }
    assert!(came.load(SeqCst) >= 2);
}

/// The same for a newcomer that takes a sibling's backup.
#[test]
fn a_newcomer_whose_line_breaks_takes_the_backup_with_the_next() {
    let dir = tempfile::tempdir().unwrap();
    let (relay, port, came) = cutting(&dir.path().join("relay"), vec![50_000]);
    let (owner, a) = (owner(dir.path()), knowing(dir.path(), "a"));
    crossed_once(a.passenger(&owner, relay.port), |_| {}).unwrap();
    let heir = Golem::born(dir.path(), "heir");
    let _line = ferry(&heir, &owner, port);
    // A hundred an hour of one source; the rest waits.
    heir.hears(100);
    assert!(came.load(SeqCst) >= 2);
    let until = Instant::now() + Duration::from_secs(10);
    while heir.kept().1.queue.waiting() != 20 {
        assert!(Instant::now() < until, "{} wait", heir.kept().1.queue.waiting());
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// Whoever looks while the file is being made sees nothing, and no fault.
#[test]
fn a_file_that_is_being_made_is_none() {
    let dir = tempfile::tempdir().unwrap();
    let a = Golem::born(dir.path(), "a");
    let empty = |sql: &str| {
        Connection::open(a.dir.join("ferry.db")).unwrap().execute_batch(sql).unwrap();
        FerryFile::look(&a.dir).unwrap().is_none()
    };
    assert!(FerryFile::look(&a.dir).unwrap().is_none());
    assert!(empty(""));
    assert!(empty("PRAGMA journal_mode = WAL; PRAGMA application_id = 1717924466;"));
    assert!(empty("CREATE TABLE state(one INTEGER PRIMARY KEY, body BLOB NOT NULL);"), "nothing was kept yet");
}

/// From now on a table of a golem's file takes nothing, until that is over.
fn refusing(file: &Path, table: &str, over: bool) {
    let conn = Connection::open(file).unwrap();
    conn.busy_timeout(Duration::from_secs(5)).unwrap();
    let change = match over {
        false => format!("CREATE TRIGGER no BEFORE INSERT ON {table} BEGIN SELECT RAISE(ABORT, 'no room'); END"),
        true => "DROP TRIGGER no".to_owned(),
    };
    conn.execute_batch(&change).unwrap();
}

/// A letter's mark and its delta are one write: where the delta cannot be kept, the letter was not told, also for who goes on.
#[test]
fn what_could_not_be_kept_was_not_told() {
    let dir = tempfile::tempdir().unwrap();
    let relay = Relay::begin(&dir.path().join("relay"));
    let (owner, a, b) = (owner(dir.path()), Golem::born(dir.path(), "a"), Golem::born(dir.path(), "b"));
    crossed_once(a.passenger(&owner, relay.port), |_| {}).unwrap();
    let file = a.dir.join("ferry.db");
    refusing(&file, "told", false);
    a.tells(0);
    assert!(crossed_once(a.passenger(&owner, relay.port), |_| {}).is_err());
    let (_, state) = a.kept();
    assert_eq!((state.outbox, state.head.seq), (0, 0), "the mark stands before the letter");
    // A line that stays tries again by itself.
    let (_line, _other) = (ferry(&a, &owner, relay.port), ferry(&b, &owner, relay.port));
    a.tells(1);
    std::thread::sleep(Duration::from_millis(1_500));
    refusing(&file, "told", true);
    b.hears(2);
    std::thread::sleep(Duration::from_millis(500));
    assert_eq!((a.kept().0.waiting().unwrap(), b.inbox().len()), (0, 2));
}

/// A golem's inbox takes nothing for a while: what came meanwhile is handed on once it does.
#[test]
fn what_could_not_be_handed_on_was_not_taken() {
    let dir = tempfile::tempdir().unwrap();
    let relay = Relay::begin(&dir.path().join("relay"));
    let (owner, a, b) = (owner(dir.path()), Golem::born(dir.path(), "a"), Golem::born(dir.path(), "b"));
    refusing(&b.dir.join("golem.db"), "inbox", false);
    let (_line, _other) = (ferry(&a, &owner, relay.port), ferry(&b, &owner, relay.port));
    (0..3).for_each(|n| a.tells(n));
    std::thread::sleep(Duration::from_millis(2_000));
    assert!(b.inbox().is_empty());
    refusing(&b.dir.join("golem.db"), "inbox", true);
    b.hears(3);
}
