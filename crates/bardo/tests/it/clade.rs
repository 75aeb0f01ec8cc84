//! Siblings over a real relay, each in a process of its own.

use crate::kit::Home;
use golem_clade::kin::{KinLetter, KinWord};
use golem_core::{Regime, Timestamp};
use serde_json::Value;
use std::process::Child;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};
use styx::desk::RelayDesk;
use styx::shelf::DirectoryShelf;
use styx::store::{SqliteStore, StoreIdentity};
use styx::{RelayAddress, RelayServer, start};
use styx_wire::LogId;

/// A relay in this process.
pub struct Relay {
    _dir: tempfile::TempDir,
    server: RelayServer,
}

impl Relay {
    pub fn begin() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let identity = StoreIdentity { log: LogId([1; 16]), secret: [1; 32] };
        let store = Arc::new(SqliteStore::open(&dir.path().join("styx.db"), identity).unwrap());
        let shelf = Arc::new(DirectoryShelf::open(&dir.path().join("pieces")).unwrap());
        let server = start(RelayDesk::new(store, shelf), RelayAddress::loopback()).unwrap();
        Self { _dir: dir, server }
    }
    pub fn url(&self) -> String {
        format!("ws://{}", self.server.address())
    }
    /// Golems that are here, and deltas that were kept.
    fn counts(&self) -> (u64, u64) {
        let counts = self.server.counts();
        (counts.connections.load(Relaxed), counts.kept.load(Relaxed))
    }
}

/// A golem that speaks with its siblings, in a world that they share.
pub fn sibling(home: &Home, relay: &Relay, name: &str, seed: u64, extra: &[&str]) {
    let url = format!("styx.relay={}", relay.url());
    let sets = ["--set", "styx.enabled=true", "--set", &url, "--set", "world.seed=7"];
    home.create(name, seed, &[&sets[..], extra].concat());
}

fn lives(home: &Home, name: &str, ticks: u64) -> Child {
    home.start(&["golem", "run", name, "--speed", "max", "--quiet", "--ticks", &ticks.to_string()])
}

/// The facts of one kind.
fn facts(home: &Home, name: &str, kind: &str) -> Vec<Value> {
    let all = home.json_lines(&["golem", "logs", name, "-n", "100000"]);
    all.into_iter().filter(|fact| fact["type"] == kind).collect()
}

#[test]
fn three_of_one_owner_and_one_of_another() {
    let (relay, ours, theirs) = (Relay::begin(), Home::new(), Home::new());
    for (name, seed) in [("ada", 1), ("bob", 2), ("cid", 3)] {
        sibling(&ours, &relay, name, seed, &[]);
    }
    sibling(&theirs, &relay, "eve", 4, &[]);
    // Ada and eve live; bob and cid are away, and catch up.
    for mut child in [lives(&ours, "ada", 6_000), lives(&theirs, "eve", 500)] {
        assert!(child.wait().unwrap().success());
    }
    let told = ours.json(&["clade", "status", "ada"]);
    assert!(told[0]["told"].as_u64().unwrap() > 0, "{told}");
    assert!(told[0]["backed_up_tick"].as_u64().unwrap() >= 5_800, "{told}");
    ours.ok(&["golem", "kill", "ada", "--yes", "--reason", "enough"]);
    assert!(lives(&ours, "ada", 50).wait().unwrap().success());
    ours.ok(&["clade", "sync", "bob"]);
    for mut child in [lives(&ours, "bob", 6_500), lives(&ours, "cid", 6_500), lives(&theirs, "eve", 6_000)] {
        assert!(child.wait().unwrap().success());
    }
    let ada = facts(&ours, "bob", "clade.heard").first().map(|fact| fact["from"].clone()).expect("bob heard of ada");
    for name in ["bob", "cid"] {
        let heard = facts(&ours, name, "clade.heard");
        assert!(heard.iter().any(|fact| fact["from"] == ada), "{name} heard of ada");
        let orders = facts(&ours, name, "owner.order");
        let deaths = orders.iter().filter(|o| o["ask"] == "peer" && o["died"] == true && o["from"] == "ada").count();
        assert_eq!(deaths, 1, "{name}: by relay and by courier it is one letter");
        // Everything that was heard is an input: lived again without a relay it is the same life.
        ours.ok(&["golem", "replay", name]);
    }
    assert!(facts(&theirs, "eve", "clade.heard").is_empty(), "nothing crosses owners");
    assert_eq!(theirs.json(&["clade", "siblings", "eve"]).as_array().map(Vec::len), Some(0));
    assert!(!ours.json(&["clade", "siblings", "cid"]).as_array().unwrap().is_empty());
    assert_eq!(
        theirs.json(&["archive", "list", "eve"]).as_array().unwrap().iter().filter(|a| a["golem"] == ada).count(),
        0
    );
    // The field: a mark of one is smelt by its siblings, and by no stranger, who smells what it left itself.
    let strange = || theirs.json(&["pheromone", "sense", "eve"]).as_array().map(Vec::len);
    let before = strange();
    ours.ok(&["pheromone", "deposit", "bob", "--layer", "threat", "--class", "gas_spike", "--domain", "gas_condition"]);
    let smelt = ours.json(&["pheromone", "sense", "cid", "--layer", "threat"]);
    assert_eq!((smelt[0]["class"].as_str(), smelt[0]["intensity"].as_f64() > Some(0.9)), (Some("gas_spike"), true));
    assert_eq!(strange(), before);
    // All three are gone; a fourth begins with what the relay keeps of them.
    std::fs::remove_dir_all(ours.path().join("golems")).unwrap();
    sibling(&ours, &relay, "dora", 5, &[]);
    let kept = ours.json(&["archive", "list", "dora"]);
    assert!(kept.as_array().unwrap().len() >= 3, "{kept}");
    ours.ok(&["clade", "sync", "dora"]);
    assert!(lives(&ours, "dora", 3_000).wait().unwrap().success());
    assert!(!facts(&ours, "dora", "clade.heard").is_empty(), "what was backed up is handed on, and examined");
    let file = ours.path().join("restored.jsonl");
    let restored = ours.json(&["archive", "restore", "dora", "--out", &file.display().to_string()]);
    assert_eq!(restored["entries"].as_u64(), Some(std::fs::read_to_string(&file).unwrap().lines().count() as u64));
}

/// Whoever runs until nobody looks any more.
struct Living(Child);

impl Drop for Living {
    fn drop(&mut self) {
        let _gone = self.0.kill();
        let _gone = self.0.wait();
    }
}

/// A sibling that rests between two turns of real time has what is urgent in its inbox within a second after the relay has it.
#[test]
fn what_is_urgent_is_with_a_sibling_within_a_second() {
    let (relay, home) = (Relay::begin(), Home::new());
    sibling(&home, &relay, "ada", 5, &[]);
    sibling(&home, &relay, "bob", 6, &[]);
    home.live("ada", Some(20));
    let file = |name: &str| {
        let id = home.json(&["golem", "status", name])["id"].as_str().unwrap().to_owned();
        rusqlite::Connection::open(home.path().join("golems").join(id).join("golem.db")).unwrap()
    };
    let wait = |what: &str, most: Duration, there: &dyn Fn() -> bool| {
        let begun = Instant::now();
        while !there() {
            assert!(begun.elapsed() < most, "{what} within {most:?}");
            std::thread::sleep(Duration::from_millis(2));
        }
    };
    wait("ada has gone", Duration::from_secs(60), &|| relay.counts().0 == 0);
    let _bob = Living(home.start(&["golem", "run", "bob", "--quiet"]));
    wait("bob is there", Duration::from_secs(60), &|| relay.counts().0 == 1);
    std::thread::sleep(Duration::from_millis(500));
    let word = KinWord::Regime { was: Regime::RangeBound, is: Regime::Volatile };
    let letter = KinLetter { at: Timestamp(0), word };
    let sql = "INSERT INTO outbox(key, tick, kind, body, state) VALUES ('9/alert/0', 1, 'alert', ?1, 'pending')";
    file("ada").execute(sql, [letter.text()]).unwrap();
    let (before, inbox) = (relay.counts().1, file("bob"));
    let _ada = Living(home.start(&["clade", "sync", "ada"]));
    wait("the relay keeps it", Duration::from_secs(60), &|| relay.counts().1 > before);
    let sql = "SELECT count(*) FROM inbox WHERE key LIKE 'kin/%'";
    let came = || inbox.query_row(sql, [], |row| row.get::<_, i64>(0)).unwrap() > 0;
    wait("bob has it", Duration::from_secs(1), &came);
}

/// An open seed is known to everybody, and two golems of one have the same key to sign their lives with; to siblings each speaks with its own.
#[test]
fn two_golems_of_one_seed_are_two() {
    let (relay, home) = (Relay::begin(), Home::new());
    sibling(&home, &relay, "ada", 3, &[]);
    sibling(&home, &relay, "bob", 3, &[]);
    assert!(lives(&home, "ada", 6_000).wait().unwrap().success());
    assert!(lives(&home, "bob", 6_000).wait().unwrap().success());
    home.ok(&["clade", "sync", "ada"]);
    for name in ["ada", "bob"] {
        let standing = home.json(&["clade", "status", name]);
        assert_eq!(
            (&standing[0]["siblings"], &standing[0]["notices"]),
            (&1.into(), &serde_json::json!([])),
            "{standing}"
        );
        assert!(standing[0]["told"].as_u64().unwrap() > 0, "{standing}");
    }
    assert!(!facts(&home, "bob", "clade.heard").is_empty(), "one hears the other");
}

#[test]
fn a_relay_that_is_away_changes_nothing_and_is_said_with_a_hint() {
    let home = Home::new();
    let away = ["--set", "styx.enabled=true", "--set", "styx.relay=ws://127.0.0.1:9"];
    home.create("ada", 1, &away);
    home.create("bob", 1, &["--set", "styx.enabled=true"]);
    home.live("ada", Some(300));
    let said = home.bardo(&["clade", "sync", "ada"]);
    assert_eq!(said.code, 1);
    assert!(said.err.contains("cannot be reached") && said.err.contains("bardo styx status"), "{}", said.err);
    for (flag, why) in [("ws://example.com:1", "not be encrypted"), ("http://127.0.0.1:1", "no relay")] {
        let said = home.bardo(&["clade", "sync", "ada", "--relay", flag]);
        assert_eq!((said.code, said.err.contains(why)), (2, true), "{}", said.err);
    }
    home.create("deaf", 1, &[]);
    let deaf = home.bardo(&["clade", "sync", "deaf"]);
    assert!(deaf.code == 2 && deaf.err.contains("styx.enabled=true"), "{}", deaf.err);
}

/// Somebody has copied the owner's key: the owner takes another one, and the thief is let in nowhere, with whatever it certifies.
#[test]
fn who_has_copied_the_owners_key_is_shut_out() {
    let (relay, ours, thief) = (Relay::begin(), Home::new(), Home::new());
    sibling(&ours, &relay, "ada", 1, &[]);
    sibling(&thief, &relay, "eve", 2, &[]);
    ours.ok(&["clade", "sync", "ada"]);
    let key = |home: &Home| home.path().join("clade").join("owner.key");
    std::fs::create_dir_all(key(&thief).parent().unwrap()).unwrap();
    let _none_yet = std::fs::remove_file(key(&thief));
    std::fs::copy(key(&ours), key(&thief)).unwrap();
    thief.ok(&["clade", "sync", "eve"]);
    let siblings = |home: &Home, name: &str| home.json(&["clade", "siblings", name]).as_array().unwrap().len();
    assert_eq!(siblings(&thief, "eve"), 1, "until then it is a sibling");
    let told = ours.json(&["clade", "renew"]);
    assert_ne!(told["was"], told["is"]);
    let refused = thief.bardo(&["clade", "sync", "eve"]);
    assert!(refused.code != 0 && refused.err.contains("not admitted"), "{refused:?}");
    ours.ok(&["clade", "sync", "ada"]);
    assert_eq!(siblings(&ours, "ada"), 0, "among strangers nobody is met");
}
