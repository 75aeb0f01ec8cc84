//! The page beside the file: written whole, noticed when it is edited, never overwritten unread.

use crate::toy::*;
use golem_life::Being;
use golem_runtime::*;
use std::path::Path;

fn paged(dir: &Path) -> ToyRunner {
    open(dir, &Nature { remembers: true, ..Nature::default() }, Pace::Real)
}

fn page(dir: &Path) -> String {
    std::fs::read_to_string(dir.join("PLAYBOOK.md")).unwrap_or_default()
}

#[test]
fn the_page_follows_the_golem_and_an_edit_is_heard_once() {
    let tmp = tempfile::tempdir().unwrap();
    newborn(tmp.path());
    let mut runner = paged(tmp.path());
    runner.run(turns(49)).unwrap();
    assert_eq!(page(tmp.path()), "");
    runner.run(turns(11)).unwrap();
    assert_eq!(page(tmp.path()), "own page 1");
    std::fs::write(tmp.path().join("PLAYBOOK.md"), "my own rule").unwrap();
    runner.run(turns(5)).unwrap();
    assert_eq!((runner.being().status().edits, page(tmp.path()).as_str()), (1, "my own rule"));
    runner.run(turns(40)).unwrap();
    assert_eq!((runner.being().status().edits, page(tmp.path()).as_str()), (1, "own page 2"));
    let head = runner.head();
    runner.close().unwrap();
    // The edit is part of the record.
    let nature = Nature { remembers: true, ..Nature::default() };
    let again = replay(tmp.path(), None, |o| Ok(Toy::born(&nature, &o.secret))).unwrap();
    assert!(again.ok && again.head == head, "{again:?}");
}

#[test]
fn a_page_of_its_own_from_before_a_crash_is_no_edit() {
    let tmp = tempfile::tempdir().unwrap();
    newborn(tmp.path());
    let mut runner = paged(tmp.path());
    runner.run(turns(120)).unwrap();
    drop(runner);
    std::fs::write(tmp.path().join("PLAYBOOK.md"), "own page 1").unwrap();
    let mut runner = paged(tmp.path());
    runner.run(turns(2)).unwrap();
    assert_eq!((runner.being().status().edits, page(tmp.path()).as_str()), (0, "own page 2"));
    // Gone is not edited either: it is written again with the next change.
    std::fs::remove_file(tmp.path().join("PLAYBOOK.md")).unwrap();
    runner.run(turns(40)).unwrap();
    assert_eq!((runner.being().status().edits, page(tmp.path()).as_str()), (0, "own page 3"));
}

#[test]
fn an_edit_between_looking_and_writing_is_kept() {
    let tmp = tempfile::tempdir().unwrap();
    newborn(tmp.path());
    let mut runner = paged(tmp.path());
    runner.run(turns(99)).unwrap();
    // At full speed the page is looked at once per group, and written after it.
    drop(runner);
    let mut runner = open(tmp.path(), &Nature { remembers: true, ..Nature::default() }, Pace::Max);
    runner.advance(1).unwrap();
    std::fs::write(tmp.path().join("PLAYBOOK.md"), "in between").unwrap();
    runner.run(turns(1)).unwrap();
    assert_eq!(page(tmp.path()), "in between");
    runner.run(turns(1)).unwrap();
    assert_eq!(runner.being().status().edits, 1);
}
