//! The owner's library, as a person uses it: what a death leaves, once, whatever happens to the process; bundles as files; and
//! newborns that are equipped from them.

#![allow(clippy::print_stderr, reason = "a skipped test says so")]

use crate::kit;

use kit::Home;
use serde_json::Value;
use std::collections::BTreeSet;
use std::process::{Command, Stdio};

const KIND: &[&str] = &["--template", "eth-dca", "--set", "mortality.immortal=true"];

/// A golem that has learnt something, and whose life is over.
fn dead(home: &Home, name: &str, seed: u64) {
    home.create(name, seed, KIND);
    home.live(name, Some(6_000));
    home.ok(&["golem", "kill", name, "--reason", "enough", "--yes"]);
    let told = home.live(name, None);
    assert_eq!(told["alive"], false, "{told}");
}

/// What a library holds, without what moves with the hour.
fn held(home: &Home) -> BTreeSet<(String, String)> {
    let told = home.json(&["library", "list"]);
    let of = |e: &Value| {
        (e["id"].as_str().unwrap().to_owned(), format!("{} {} {}", e["confidence"], e["inflow"], e["validated_by"]))
    };
    told["entries"].as_array().unwrap().iter().map(of).collect()
}

fn deposits(home: &Home) -> usize {
    home.json(&["library", "list"])["deposits"].as_array().unwrap().len()
}

/// What a golem has from elsewhere: provenance and stored confidence.
fn from_elsewhere(home: &Home, name: &str) -> Vec<(String, u64)> {
    let said = home.ok(&["grimoire", "export", name]).out;
    let rows = said.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let entries = rows.filter_map(|row| row.get("entry").cloned());
    entries
        .map(|e| {
            (e["body"]["provenance"].as_str().unwrap().to_owned(), e["standing"]["confidence_bp"].as_u64().unwrap())
        })
        .filter(|(provenance, _)| provenance != "self_generated" && provenance != "dream")
        .collect()
}

#[test]
fn what_a_death_leaves_reaches_a_newborn_also_after_everything_is_lost() {
    let home = Home::new();
    assert!(home.ok(&["library", "list"]).out.contains("empty") && !home.path().join("library.db").exists());
    dead(&home, "ada", 5);
    let left = held(&home);
    assert!(!left.is_empty(), "six thousand turns teach something");
    assert!(left.iter().all(|(_, told)| told.contains("death_deposit")), "{left:?}");
    // The same death again changes nothing.
    home.live("ada", Some(1));
    assert_eq!((held(&home), deposits(&home)), (left.clone(), 1));

    // Looking at it.
    let first = left.iter().next().unwrap().0.clone();
    let shown = home.json(&["library", "show", &first[..12]]);
    assert_eq!(shown["id"], first.as_str());
    let text = shown["text"].as_str().unwrap();
    let found = home.json(&["library", "search", text]);
    assert!(found["entries"].as_array().unwrap().iter().any(|e| e["text"] == text), "{found}");
    let offered = home.json(&["golem", "create", "bo", "--template", "eth-dca", "--dry-run"]);
    assert_eq!(offered["library"]["bundle"], "eth-dca-starter", "{offered}");
    assert!(
        home.ok(&["golem", "create", "bo", "--template", "eth-dca", "--dry-run"])
            .out
            .contains("--bundle eth-dca-starter")
    );
    assert!(home.json(&["golem", "create", "bo", "--template", "stable-yield", "--dry-run"])["library"].is_null());

    // A newborn of this home is equipped at birth, and takes it on trial in its first turn.
    home.json(&["golem", "create", "eve", "--seed", "9", "--template", "eth-dca", "--bundle", "eth-dca-starter"]);
    home.live("eve", Some(3));
    let got = from_elsewhere(&home, "eve");
    assert!(!got.is_empty() && got.iter().all(|(provenance, bp)| provenance == "testament" && *bp <= 9_900), "{got:?}");
    assert_eq!(home.json(&["golem", "replay", "eve"])["ok"], true, "it is a recorded input");
    let n = home.json(&["library", "show", &first[..12]])["equipped"].as_u64().unwrap();
    assert!(n <= 1);

    // One signed file.
    let file = home.path().join("kit.bundle");
    let path = file.to_str().unwrap();
    home.ok(&["library", "bundle", "mine", "eth-dca-starter", "--template", "eth-dca"]);
    let told = home.json(&["library", "export", "mine", "--out", path]);
    let key = told["key"].as_str().unwrap();
    assert_eq!(home.bardo(&["library", "export", "mine", "--out", path]).code, 2, "nothing is written over");

    // Everything is lost; a new home has the file, and the key.
    let anew = Home::new();
    let told = anew.json(&["library", "import", path, "--trust", key]);
    assert_eq!((told["own"].as_bool(), told["name"].as_str()), (Some(true), Some("mine")));
    anew.create("ivy", 11, KIND);
    let told = anew.json(&["library", "equip", "ivy", "mine"]);
    assert!(told["waiting"].as_u64().unwrap() > 0, "{told}");
    anew.live("ivy", Some(3));
    let got = from_elsewhere(&anew, "ivy");
    assert!(!got.is_empty() && got.iter().all(|(provenance, _)| provenance == "testament"), "{got:?}");

    // Whoever does not know the key has a stranger's word.
    let stranger = Home::new();
    let told = stranger.json(&["golem", "create", "kai", "--seed", "12", "--template", "eth-dca", "--bundle", path]);
    assert!(told["equipped"].as_u64().unwrap() > 0, "{told}");
    stranger.live("kai", Some(3));
    let got = from_elsewhere(&stranger, "kai");
    assert!(got.iter().all(|(provenance, bp)| provenance == "marketplace" && *bp <= 3_000), "{got:?}");
    let bought = stranger.json(&["library", "list"]);
    assert!(bought["entries"].as_array().unwrap().iter().all(|e| e["confidence"].as_f64().unwrap() <= 0.3), "{bought}");

    // Altered, cut or signed by somebody else it is refused.
    let bytes = std::fs::read(&file).unwrap();
    let spoilt = home.path().join("spoilt.bundle");
    let mut other = bytes.clone();
    let at = other.len() / 2;
    other[at] ^= 1;
    std::fs::write(&spoilt, other).unwrap();
    let spoilt = spoilt.to_str().unwrap();
    assert_eq!(stranger.bardo(&["library", "import", spoilt]).code, 3);
    assert_eq!(stranger.bardo(&["library", "import", path, "--trust", &"ab".repeat(32)]).code, 3);
    std::fs::write(home.path().join("text"), "hello").unwrap();
    assert_eq!(stranger.bardo(&["library", "import", home.path().join("text").to_str().unwrap()]).code, 2);
}

#[test]
fn the_owner_takes_from_the_living_what_they_are_sure_of() {
    let home = Home::new();
    home.create("ada", 5, KIND);
    home.live("ada", Some(6_000));
    let all = home.json(&["library", "pull", "ada", "--all"]);
    assert_eq!(all["inflow"], "live_export");
    let unsure = all["refused"].as_array().unwrap().iter().find(|r| r["code"] == 900).cloned();
    let listed = home.json(&["library", "list"]);
    for e in listed["entries"].as_array().unwrap() {
        assert!(e["confidence"].as_f64().unwrap() >= 0.5, "{e}");
    }
    if let Some(unsure) = unsure {
        let id = unsure["id"].as_str().unwrap();
        let said = home.bardo(&["library", "pull", "ada", id]);
        assert_eq!(said.code, 3, "{said:?}");
        assert_eq!(home.json(&["library", "pull", "ada", id, "--anyway"])["inflow"], "manual_pull");
    }
    for (args, code) in [
        (&["library", "show", "ffffffff"][..], 2),
        (&["library", "equip", "ada", "no-such-bundle"], 2),
        (&["library", "equip", "nobody", "x"], 2),
        (&["library", "pull", "ada", "zz"], 2),
        (&["library", "bundle", "eth-dca-starter", "--template", "eth-dca"], 2),
        (&["golem", "create", "bo", "--bundle", "no-such-bundle"], 2),
    ] {
        let said = home.bardo(args);
        assert_eq!(said.code, code, "{args:?}: {said:?}");
        assert!(said.err.contains("hint: "), "{said:?}");
    }
    assert!(home.bardo(&["golem", "status", "bo"]).code == 2, "nobody was born");
    // A library that is none, or is damaged, is left as it is, and keeps nobody from living.
    let path = home.path().join("library.db");
    std::fs::remove_file(home.path().join("library.db-wal")).ok();
    std::fs::remove_file(home.path().join("library.db-shm")).ok();
    std::fs::write(&path, "hello").unwrap();
    let said = home.bardo(&["library", "list"]);
    assert_eq!((said.code, std::fs::read(&path).unwrap()), (2, b"hello".to_vec()), "{said:?}");
    assert_eq!(home.bardo(&["doctor"]).code, 1);
    home.ok(&["golem", "create", "bo", "--template", "eth-dca"]);
}

/// Nobody asks for it: a death after which three golems have come to the same makes the proposal.
#[test]
fn what_three_golems_came_to_is_proposed_by_itself() {
    let home = Home::new();
    for (n, name) in ["ada", "bea", "cyd"].into_iter().enumerate() {
        dead(&home, name, 5);
        assert_eq!(deposits(&home), n + 1);
        let all = home.json(&["library", "bundle"]);
        let names = all["bundles"].as_array().unwrap().iter().map(|b| b["name"].as_str().unwrap().to_owned());
        let proposed = names.filter(|name| name.starts_with("proposal-")).count();
        assert_eq!(proposed > 0, n == 2, "after the death of {name}: {all:#}");
    }
}

#[test]
fn several_processes_deposit_at_once_and_each_death_once() {
    let home = Home::new();
    dead(&home, "ada", 5);
    dead(&home, "bea", 6);
    let want = held(&home);
    for round in 0..3 {
        for side in ["", "-wal", "-shm"] {
            let _none = std::fs::remove_file(home.path().join(format!("library.db{side}")));
        }
        let mut all: Vec<_> = (0..4).map(|_| home.start(&["library", "list"])).collect();
        assert!(all.iter_mut().all(|child| child.wait().unwrap().success()), "round {round}");
        assert_eq!((held(&home), deposits(&home)), (want.clone(), 2), "round {round}");
    }
}

#[test]
fn killed_at_any_point_of_a_deposit_it_is_made_once() {
    if std::env::var_os("BARDO_SKIP_STRACE").is_some() {
        eprintln!("skipped: strace is missing");
        return;
    }
    let prepared = Home::new();
    dead(&prepared, "ada", 5);
    let want = held(&prepared);
    for side in ["", "-wal", "-shm"] {
        let _none = std::fs::remove_file(prepared.path().join(format!("library.db{side}")));
    }
    let mut swept = 0;
    for call in ["pwrite64", "fdatasync", "fsync", "linkat", "unlink", "openat", "write"] {
        for when in [1, 2, 3, 5, 8, 13, 30] {
            let home = Home::new();
            kit::copy_into(prepared.path(), home.path());
            let killed = Command::new("strace")
                .args(["-f", "-qq", "-o", "/dev/null", "-e", &format!("trace={call}")])
                .args(["-e", &format!("inject={call}:signal=SIGKILL:when={when}")])
                .arg(env!("CARGO_BIN_EXE_bardo"))
                .args(["library", "list", "--quiet"])
                .env("BARDO_HOME", home.path())
                .stdin(Stdio::null())
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .status()
                .expect("strace starts");
            if killed.success() {
                break;
            }
            swept += 1;
            assert_eq!((held(&home), deposits(&home)), (want.clone(), 1), "killed at {call} number {when}");
        }
    }
    assert!(swept >= 12, "only {swept} points were swept");
}
