//! The file of an owner's library: what is written is read, a rotten bit is refused or changes nothing, nobody's file is touched,
//! and writers wait for each other.

use golem_core::{Dice, Strand};
use golem_runtime::{Error, LibraryFile, ShelfChange, ShelfRow, TreasuryFile};
use std::fs;
use std::path::Path;

fn open(path: &Path) -> LibraryFile {
    LibraryFile::open(path, || Ok([7; 32])).unwrap()
}

fn put(table: &str, key: &str, body: Option<&str>) -> ShelfChange {
    ShelfChange { table: table.to_owned(), key: key.to_owned(), body: body.map(str::to_owned) }
}

fn write(file: &mut LibraryFile, changes: Vec<ShelfChange>) {
    file.change(|_| Ok::<_, Error>((changes, ()))).unwrap();
}

fn row(table: &str, key: &str, body: &str) -> ShelfRow {
    ShelfRow { table: table.to_owned(), key: key.to_owned(), body: body.to_owned() }
}

#[test]
fn what_is_written_is_read_in_order() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("library.db");
    assert!(LibraryFile::find(&path).unwrap().is_none() && !path.exists(), "looking makes nothing");
    let mut file = open(&path);
    write(&mut file, vec![put("b", "2", Some("two")), put("a", "9", Some("nine")), put("a", "1", Some("one"))]);
    write(&mut file, vec![put("a", "1", Some("uno")), put("b", "2", None), put("b", "never", None)]);
    let want = vec![row("a", "1", "uno"), row("a", "9", "nine")];
    assert_eq!(file.rows().unwrap(), want);
    drop(file);
    let mut again = LibraryFile::find(&path).unwrap().unwrap();
    assert_eq!((again.rows().unwrap(), again.signing_key().unwrap()), (want.clone(), [7; 32]));
    // The first key stays.
    assert_eq!(LibraryFile::open(&path, || Ok([8; 32])).unwrap().signing_key().unwrap(), [7; 32]);
    // What fails half way has changed nothing.
    let failed = open(&path).change(|rows| {
        assert_eq!(rows, want);
        Err::<(Vec<ShelfChange>, ()), Error>(Error::Broken)
    });
    assert!(failed.is_err() && open(&path).rows().unwrap() == want);
}

#[test]
fn nobody_elses_file_is_touched() {
    let dir = tempfile::tempdir().unwrap();
    let golem = dir.path().join("foreign.db");
    rusqlite_free(&golem);
    for (name, bytes) in [
        ("empty.db", Vec::new()),
        ("text.db", b"not a database at all, but long enough".repeat(40)),
        ("foreign.db", fs::read(&golem).unwrap()),
    ] {
        let path = dir.path().join(name);
        fs::write(&path, &bytes).unwrap();
        let refused = LibraryFile::open(&path, || Ok([7; 32])).unwrap_err();
        assert!(matches!(refused, Error::NoLibrary { .. }), "{name}: {refused}");
        assert!(LibraryFile::find(&path).is_err());
        assert_eq!(fs::read(&path).unwrap(), bytes, "{name} is as it was");
    }
    let (real, link) = (dir.path().join("real.db"), dir.path().join("link.db"));
    open(&real);
    std::os::unix::fs::symlink(&real, &link).unwrap();
    assert!(matches!(LibraryFile::open(&link, || Ok([7; 32])), Err(Error::Symlink { .. })));
}

/// A database of SQLite that is none of ours: a library with another id in its header.
fn rusqlite_free(path: &Path) {
    let mut file = open(path);
    write(&mut file, vec![put("a", "1", Some("one"))]);
    drop(file);
    let mut bytes = fs::read(path).unwrap();
    bytes[68..72].copy_from_slice(&[0, 0, 0, 9]);
    fs::write(path, bytes).unwrap();
}

#[test]
fn a_thousand_rotten_bits_are_refused_or_change_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("library.db");
    let mut file = open(&path);
    let many =
        (0..300).map(|n| put("holding", &format!("{n:04}"), Some(&format!("{{\"n\": {n}}}").repeat(1 + n % 40))));
    write(&mut file, many.collect());
    let whole = file.rows().unwrap();
    drop(file);
    let bytes = fs::read(&path).unwrap();
    let dice = Dice::open(20_260_101, Strand::World);
    let (mut refused, mut harmless) = (0, 0);
    for n in 0..1_000u64 {
        // Every tenth in the first page, where a byte says what the others mean.
        let within = if n % 10 == 0 { 4_096 } else { bytes.len() };
        let at = dice.bits(n, 0) as usize % within;
        let mut spoilt = bytes.clone();
        spoilt[at] ^= 1 << (dice.bits(n, 1) % 8);
        let copy = dir.path().join("copy.db");
        for side in ["", "-wal", "-shm"] {
            let _none = fs::remove_file(dir.path().join(format!("copy.db{side}")));
        }
        fs::write(&copy, spoilt).unwrap();
        let read = LibraryFile::find(&copy).and_then(|found| {
            let mut found = found.expect("it is there");
            Ok((found.rows()?, found.signing_key()?))
        });
        match read {
            Ok((rows, key)) => {
                assert!(rows == whole && key == [7; 32], "byte {at} was believed");
                harmless += 1;
            }
            Err(Error::Bug(what)) => panic!("byte {at}: {what}"),
            Err(_) => refused += 1,
        }
    }
    assert!(refused > 500 && harmless > 0, "{refused} refused, {harmless} harmless");
}

#[test]
fn a_row_that_is_lost_added_or_moved_is_noticed() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("library.db");
    let mut file = open(&path);
    write(&mut file, vec![put("a", "1", Some("one")), put("a", "2", Some("two"))]);
    drop(file);
    let bytes = fs::read(&path).unwrap();
    // The text of one row in place of the other's, of the same length: each byte is one that was written, not there.
    let mut swapped = bytes.clone();
    let at = bytes.windows(3).position(|w| w == b"one").unwrap();
    swapped[at..at + 3].copy_from_slice(b"two");
    fs::write(&path, swapped).unwrap();
    let told = LibraryFile::find(&path).unwrap().unwrap().rows().unwrap_err();
    assert!(matches!(&told, Error::Damaged { what, .. } if what.contains("sum")), "{told}");
}

#[test]
fn writers_wait_for_each_other_and_lose_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("library.db");
    let one = |who: u64| {
        let path = path.clone();
        std::thread::spawn(move || {
            for n in 0..40 {
                // Opened anew each time, and made by whoever is first.
                open(&path)
                    .change(|rows| {
                        let count: u64 = rows.iter().find(|r| r.key == "count").map_or(0, |r| r.body.parse().unwrap());
                        let changes = vec![
                            put("a", "count", Some(&(count + 1).to_string())),
                            put("b", &format!("{who}-{n}"), Some("x")),
                        ];
                        Ok::<_, Error>((changes, ()))
                    })
                    .unwrap();
            }
        })
    };
    let all: Vec<_> = (0..4).map(one).collect();
    all.into_iter().for_each(|thread| thread.join().unwrap());
    let rows = open(&path).rows().unwrap();
    assert_eq!(rows.len(), 161);
    assert_eq!(rows[0], row("a", "count", "160"), "no change came between another's reading and writing");
    let leftovers: Vec<_> = fs::read_dir(dir.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert!(leftovers.iter().all(|name| name.to_string_lossy().starts_with("library.db")), "{leftovers:?}");
}

#[test]
fn a_treasury_is_no_library_and_a_library_no_treasury() {
    let dir = tempfile::tempdir().unwrap();
    let (books, money) = (dir.path().join("library.db"), dir.path().join("treasury.db"));
    assert!(TreasuryFile::find(&money).unwrap().is_none() && !money.exists(), "looking makes nothing");
    open(&books);
    let mut file = TreasuryFile::open(&money).unwrap();
    file.change(|_| Ok::<_, Error>((vec![put("credit", "a", Some("1"))], ()))).unwrap();
    assert_eq!(TreasuryFile::find(&money).unwrap().unwrap().rows().unwrap(), vec![row("credit", "a", "1")]);
    assert!(matches!(TreasuryFile::open(&books), Err(Error::NoTreasury { .. })));
    assert!(matches!(LibraryFile::open(&money, || Ok([7; 32])), Err(Error::NoLibrary { .. })));
    drop(file);
    // A body that is not the one that was written is found, and no empty treasury stands in for it.
    let mut bytes = fs::read(&money).unwrap();
    let at = bytes.windows(8).position(|w| w == b"credita1").unwrap();
    bytes[at + 7] = b'9';
    fs::write(&money, bytes).unwrap();
    assert!(matches!(TreasuryFile::open(&money).unwrap().rows(), Err(Error::Damaged { .. })));
}
