//! The first thing a stranger sees: one command, a whole life, an obituary.

use crate::kit;

use kit::Home;

#[test]
fn a_demo_ends_in_an_obituary() {
    let home = Home::new();
    let said = home.ok(&["demo", "--speed", "max"]);
    for part in ["died of", "lived", "money", "fitness over its life", "fingerprint", "golem verify", "golem replay"] {
        assert!(said.out.contains(part), "the obituary does not say {part:?}:\n{}", said.out);
    }
    assert!(said.err.contains("is born with"), "talk goes to stderr: {}", said.err);
    // The default life is about sixty days long.
    let told = home.json(&["golem", "status", "demo-42"]);
    let days = told["age_days"].as_f64().unwrap();
    assert!((50.0..75.0).contains(&days), "{days}");
}

#[test]
fn the_json_of_a_demo_is_what_others_rely_on() {
    let home = Home::new();
    let said = home.json(&["demo", "--seed", "7", "--ticks", "3000", "--speed", "max"]);
    for key in ["id", "cause", "age_ticks", "funded_micro_usdc", "final_nav_micro_usdc", "fitness"] {
        assert!(!said[key].is_null(), "{key} is missing: {said:#}");
    }
    assert_eq!(said["funded_micro_usdc"], 50_000_000);
    assert_eq!(said["cause"], "alive");
    let again = home.json(&["demo", "--seed", "7", "--ticks", "3000", "--speed", "max"]);
    assert_eq!(said["final_nav_micro_usdc"], again["final_nav_micro_usdc"], "the same seed is the same life");
    assert_ne!(said["id"], again["id"], "two golems all the same");
}
