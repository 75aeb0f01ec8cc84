//! Phages from outside: what `golem phages` tells, a life with them lived again, and a golem that is killed while they live.

use crate::kit;

use kit::Home;
use std::time::Duration;

/// Ten a day while it is well, so that one is nearly always alive.
pub const PARENT: [&str; 8] = [
    "--budget",
    "10000",
    "--set",
    "phages.enabled=true",
    "--set",
    "phages.per_day.thriving=10",
    "--set",
    "phages.per_day.stable=10",
];

#[test]
fn phages_are_told_and_a_life_with_them_replays() {
    let home = Home::new();
    home.create("ada", 7, &PARENT);
    home.live("ada", Some(4_000));
    let told = home.json(&["golem", "phages", "ada"]);
    assert!(told["born"].as_u64().unwrap() >= 10, "{told:#}");
    let ended: u64 = ["survived", "failed", "indifferent", "untested"].iter().map(|k| told[*k].as_u64().unwrap()).sum();
    assert_eq!(
        ended + told["alive"].as_array().unwrap().len() as u64,
        told["born"].as_u64().unwrap() + told["replicants"].as_u64().unwrap()
    );
    assert!(told["runs"].as_u64().unwrap() > 0 && told["felt"].as_f64().unwrap() <= 0.05, "{told:#}");
    let text = home.ok(&["golem", "phages", "ada"]).out;
    assert!(text.contains("  born ") && text.contains("  health ") && text.contains("  died "), "{text}");
    let logs = home.ok(&["golem", "logs", "ada", "--only", "phage.died", "--json"]).out;
    assert!(logs.lines().count() as u64 >= ended.min(5), "{logs}");
    let replayed = home.json(&["golem", "replay", "ada"]);
    assert_eq!(replayed["ok"], true, "{replayed:#}");
    home.create("bob", 8, &[]);
    home.live("bob", Some(20));
    let none = home.bardo(&["golem", "phages", "bob"]);
    assert!(
        none.code == 0 && none.out.contains("has no phages") && none.out.contains("phages.enabled=true"),
        "{none:?}"
    );
    assert!(home.json(&["golem", "phages", "bob"]).is_null());
    let bad = home.bardo(&["golem", "create", "eve", "--set", "phages.lifetime_turns=5"]);
    assert!(bad.code == 2 && bad.err.contains("phages.lifetime_turns"), "{bad:?}");
}

#[test]
fn a_parent_that_is_killed_again_and_again_lives_the_same_life() {
    let (home, other) = (Home::new(), Home::new());
    home.create("ada", 7, &PARENT);
    kit::copy_into(home.path(), other.path());
    for n in 0..kit::count(8, 60) as u64 {
        let mut child = home.start(&["golem", "run", "ada", "--speed", "max", "--ticks", "400"]);
        std::thread::sleep(Duration::from_millis(60 + 37 * (n % 11)));
        let _ended = child.kill();
        child.wait().unwrap();
    }
    let tick = home.json(&["golem", "list"])[0]["tick"].as_u64().unwrap();
    let turns = tick.max(2_000) + 40;
    home.live("ada", Some(turns - tick));
    other.live("ada", Some(turns));
    assert_eq!(home.hash("ada"), other.hash("ada"));
    assert_eq!(home.json(&["golem", "phages", "ada"]), other.json(&["golem", "phages", "ada"]));
}
