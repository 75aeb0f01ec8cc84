//! A golem's side that is killed between any two of its writes: what it said is heard once by its siblings, and what they said once by it.
//!
//! The victim is this test program again, told by its environment which golem to carry, and killed by strace at the n-th call of a kind. A
//! slice runs here; `BARDO_LONG=1` kills it at every call.

use crate::kit::{Golem, Relay};
use golem_core::Timestamp;
use golem_ferry::crossed_once;
use golem_wallet::CladeKey;
use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::Ordering::SeqCst;

const CARRY: &str = "FERRY_TEST_CARRY";
/// What writes a file or a socket.
const CALLS: [&str; 5] = ["pwrite64", "fdatasync", "fsync", "ftruncate", "sendto"];

fn owner(home: &Path) -> CladeKey {
    CladeKey::at(&home.join("owner.key")).unwrap()
}

/// The victim knows enough for a backup of several pieces.
fn victim(home: &Path) -> Golem {
    let mut b = Golem::found(home, "b");
    b.tick.store(450, SeqCst);
    b.backup = (0..40).map(|n| b.believes(n)).collect::<Vec<_>>().join("\n").into_bytes();
    b
}

/// Not a test: the one that is killed.
#[test]
fn carry() {
    let Ok(what) = std::env::var(CARRY) else { return };
    let (port, home) = what.split_once(' ').unwrap();
    let (home, port) = (Path::new(home), port.parse().unwrap());
    crossed_once(victim(home).passenger(&owner(home), port), |_| {}).unwrap();
}

/// Carry for the victim; false when it was killed at the n-th call of a kind.
fn carried(home: &Path, port: u16, call: &str, n: usize) -> bool {
    let done = Command::new("strace")
        .args(["-f", "-qq", "-o", "/dev/null", "-e", &format!("trace={call}")])
        .args(["-e", &format!("inject={call}:signal=KILL:when={n}")])
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", "killed::carry", "--test-threads", "1"])
        .env(CARRY, format!("{port} {}", home.display()))
        .stdin(Stdio::null())
        .output()
        .expect("strace starts");
    let said = String::from_utf8_lossy(&done.stdout);
    assert!(done.status.code() == Some(0) || !said.contains("panicked"), "{call} {n}: {said}");
    done.status.code() == Some(0)
}

fn word(text: &str) -> String {
    serde_json::to_string(&golem_life::Word { text: text.to_owned(), died: false, at: Timestamp(1_500) }).unwrap()
}

/// Four things of a sibling wait, three of its own; it is killed, and carried again. Says whether it was killed at all.
fn tried(dir: &Path, relay: &Relay, call: &str, n: usize) -> bool {
    let home = dir.join(format!("{call}{n}"));
    let (a, b) = (Golem::born(&home, "a"), Golem::born(&home, "b"));
    let owner = owner(&home);
    (0..3).for_each(|n| a.tells(n));
    a.says("peer", "2/peer/0", &word("help"));
    crossed_once(a.passenger(&owner, relay.port), |_| {}).unwrap();
    (0..2).for_each(|n| b.tells(n));
    b.says("peer", "2/peer/0", &word("help too"));
    let whole = carried(&home, relay.port, call, n);
    let at = format!("killed at {call} {n}");
    let heard = |golem: &Golem| golem.inbox().into_iter().map(|(key, _)| key).collect::<Vec<_>>();
    if whole {
        assert_eq!((heard(&b).len(), b.kept().0.waiting().unwrap()), (4, 0), "{at}, which never came");
        return false;
    }
    // What the relay was told to be taken is in the inbox: it is not shown again.
    let state = crossed_once(victim(&home).passenger(&owner, relay.port), |_| {}).unwrap();
    assert_eq!(b.kept().0.waiting().unwrap(), 0, "{at}: everything is kept by the relay");
    assert_eq!(state.backed_up.map(|tick| tick.0), Some(450), "{at}");
    crossed_once(a.passenger(&owner, relay.port), |_| {}).unwrap();
    for (golem, words) in [(&b, 4), (&a, 3)] {
        // The sibling also finds the backup, of which it takes what is under keys of their own.
        let keys: Vec<String> = heard(golem).into_iter().filter(|key| !key.starts_with("archive/")).collect();
        assert_eq!(keys.len(), words, "{at}: {keys:?}");
        assert_eq!(keys.iter().collect::<BTreeSet<_>>().len(), words, "{at}: {keys:?}");
        assert!(golem.kept().0.notices(9).unwrap().is_empty(), "{at}: {:?}", golem.kept().0.notices(9));
    }
    true
}

#[test]
fn killed_at_every_write_it_says_and_hears_everything_once() {
    if std::env::var_os("BARDO_SKIP_STRACE").is_some() {
        eprintln!("skipped: strace is missing");
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let relay = Relay::begin(&dir.path().join("relay"));
    let (long, mut kills) = (std::env::var_os("BARDO_LONG").is_some(), 0);
    for (i, call) in CALLS.into_iter().enumerate() {
        // The slice begins elsewhere in each kind, and goes in wider and wider steps.
        let mut n = if long { 1 } else { 1 + i };
        while tried(dir.path(), &relay, call, n) {
            kills += 1;
            n += if long { 1 } else { 3 + n / 2 };
        }
    }
    eprintln!("{kills} kills");
    assert!(kills >= 10, "only {kills} kills");
}
