//! What weighs on a golem, seen from outside: its load and what would ease it, its history, words from another system, and
//! what its fleet is told.

use crate::kit;

use kit::Home;
use serde_json::Value;

/// Settings under which a golem counts as senescent from its first hours, and is spared the end.
const THREATENED: [&str; 8] = [
    "--set",
    "mortality.immortal=true",
    "--set",
    "mortality.epistemic.measure=r_squared",
    "--set",
    "mortality.epistemic.senescence_threshold=0.6",
    "--set",
    "mortality.epistemic.recovery_threshold=0.9",
];

#[test]
fn a_load_is_shown_with_its_evidence_and_what_it_closes() {
    let home = Home::new();
    home.create("ada", 5, &THREATENED);
    let said = home.bardo(&["suffering", "show", "ada"]);
    assert_eq!(said.code, 2, "before its first turn there is nothing to show: {said:?}");
    home.live("ada", Some(12_500));
    let told = home.json(&["suffering", "show", "ada"]);
    let (load, raw) = (told["load"].as_f64().unwrap(), told["raw"].as_f64().unwrap());
    assert!((0.55..0.90).contains(&load) && raw >= load, "{told}");
    let band = if load < 0.75 { "high" } else { "severe" };
    assert_eq!(told["band"], band, "{told}");
    let threat = &told["stressors"][0];
    assert_eq!((&threat["name"], &threat["ledger"]), (&Value::from("existential_threat"), &Value::from("measured")));
    assert!(threat["evidence"].as_str().unwrap().contains("forecasts have gone stale, fitness 0."), "{threat}");
    assert!(threat["eases_when"].as_str().unwrap().contains("fitness above 0.9 (now 0."), "{threat}");
    assert!(!threat["eases_when"].as_str().unwrap().is_empty() && threat["distance"].is_string(), "{threat}");
    let locked = told["locked"].to_string();
    assert!(locked.contains(&format!("open is closed: suffering is {band}")), "{locked}");
    assert!(locked.contains("a suffering load below 0.55: see what eases each stressor (now 0."), "{locked}");
    // What can be done is data too: whoever reads it elsewhere tells the same.
    let remedy = told["remedies"]["existential_threat"].as_str().unwrap();
    assert!(remedy.starts_with("where money is short, feed it"), "{told}");
    let text = home.ok(&["suffering", "show", "ada"]).out;
    assert!(text.contains("locked ") && text.contains("what you can do: where money is short, feed it"), "{text}");
    // The same in the golem's own status, for people and for machines.
    let status = home.json(&["golem", "status", "ada"]);
    assert_eq!((&status["load"], &status["band"]), (&told["load"], &told["band"]));
    let text = home.ok(&["golem", "status", "ada"]).out;
    assert!(
        text.contains("will ease when:") && text.contains("existential_threat") && text.contains("locked"),
        "{text}"
    );
    assert!(home.json(&["golem", "replay", "ada"])["ok"].as_bool().unwrap());
}

/// By the usual measure a newborn is asked too: what is said to end the threat is what would end it.
#[test]
fn what_ends_the_threat_names_the_newborn_by_the_usual_measure() {
    let home = Home::new();
    let frozen = ["--set", "mortality.immortal=true", "--set", "mortality.epistemic.newborn_margin=-0.5"];
    home.create("ada", 5, &frozen);
    home.live("ada", Some(14_000));
    let told = home.json(&["suffering", "show", "ada"]);
    let threat = &told["stressors"][0];
    assert_eq!(threat["name"], "existential_threat", "{told}");
    for (key, words) in [
        ("evidence", " against a newborn"),
        ("eases_when", " and better than a newborn (now "),
        ("distance", " and better than a newborn"),
    ] {
        assert!(threat[key].as_str().unwrap().contains(words), "{key}: {threat}");
    }
}

#[test]
fn what_another_system_wrote_is_checked_and_comes_in_under_the_same_caps() {
    let home = Home::new();
    home.create("bob", 5, &[]);
    home.live("bob", Some(50));
    let file = home.path().join("suffering.json");
    let text = r#"{"active_stressors":[
        {"type":"wrapper_dependency","description":"I lean on\nwrappers","severity":0.9,"observable_condition":"I feel free","onset":"2026-05-03T01:27:00Z"},
        {"type":"Wrapper Dependency","description":"again","severity":7.5,"observable_condition":"x","onset":"2026-05-03T01:27:00Z"},
        {"type":"repeated_failure","description":"40/40","severity":0.8,"observable_condition":"failure rate below 30%","onset":"2026-05-03T01:27:00Z"}],
        "resolved_history":[{"type":"cognitive_drift","peak_severity":0.73,"resolution_note":"it passed"}]}"#;
    std::fs::write(&file, text).unwrap();
    let path = file.to_str().unwrap();
    let looked = home.json(&["suffering", "import", "bob", path, "--dry-run"]);
    assert!(!looked["lint"].as_array().unwrap().is_empty(), "{looked}");
    let said = home.bardo(&["suffering", "import", "bob", path]);
    assert_eq!(said.code, 0, "{said:?}");
    home.live("bob", Some(20));
    let told = home.json(&["suffering", "show", "bob"]);
    let names: Vec<&str> = told["stressors"].as_array().unwrap().iter().map(|s| s["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["wrapper_dependency"], "a canonical name is a request, not a severity: {told}");
    assert!(
        told["load"].as_f64().unwrap() <= 0.35,
        "what is only said adds little, however bad it is said to be: {told}"
    );
    assert!(!told["stressors"][0]["evidence"].as_str().unwrap().contains('\n'));
    std::fs::write(&file, "{").unwrap();
    assert_eq!(home.bardo(&["suffering", "import", "bob", path]).code, 2);
    // A whole past, of tens of kilobytes: every row arrives.
    let row = |i: usize| {
        let text = format!("number {i}: {}", "some words that say what it was like ".repeat(8));
        serde_json::json!({ "type": format!("worry {i}"), "description": text, "peak_severity": 0.6, "resolution_note": text })
    };
    let long = serde_json::json!({ "active_stressors": [], "resolved_history": (0..44).map(row).collect::<Vec<_>>() });
    assert!(long.to_string().len() > 20_000);
    std::fs::write(&file, long.to_string()).unwrap();
    assert_eq!(home.json(&["suffering", "import", "bob", path])["history"], 44);
    home.live("bob", Some(5));
    let history = home.json(&["suffering", "history", "bob", "--last", "100"]);
    let rows =
        history.as_array().unwrap().iter().filter(|f| f["stressor"].as_str().unwrap().starts_with("worry")).count();
    assert_eq!(rows, 44, "{history}");
}

#[test]
fn a_crisis_is_told_to_the_fleet_once_and_a_death_is_grieved() {
    let home = Home::new();
    let north = ["--set", "fleet.name=north"];
    home.create("ada", 5, &[&THREATENED[..], &north].concat());
    home.create("eve", 6, &["--set", "mortality.immortal=true", "--set", "fleet.name=north"]);
    home.live("eve", Some(20));
    home.live("ada", Some(23_000));
    let crises = home.ok(&["golem", "logs", "ada", "--only", "daimon.suffering_crisis", "--json"]).out;
    assert!(crises.contains("I am in crisis (suffering 0."), "{crises}");
    home.ok(&["golem", "kill", "ada", "--yes", "--reason", "enough"]);
    // A crisis is heard at its time, and a death no earlier.
    home.live("eve", Some(23_100));
    let heard = home.ok(&["golem", "logs", "eve", "--only", "owner.order", "--json"]).out;
    assert!(heard.contains("I am in crisis (suffering") && heard.contains("\"died\":true"), "{heard}");
    let grief = home.ok(&["golem", "logs", "eve", "--only", "daimon.grief", "--json"]).out;
    assert!(!grief.trim().is_empty() && grief.contains("daimon.grief"), "{grief}");
    let history = home.json(&["suffering", "history", "ada"]);
    assert!(history.as_array().unwrap().iter().any(|f| f["type"] == "daimon.suffering_respite"), "{history}");
    assert!(home.json(&["golem", "replay", "eve"])["ok"].as_bool().unwrap());
}

/// What a golem is like by nature: drawn at birth where the owner wishes it, told, shown, and found again by a replay.
#[test]
fn a_drawn_temperament_is_told_and_found_again() {
    let home = Home::new();
    let drawn = ["--set", "mortality.affect.temperament=drawn"];
    for (name, seed, sets) in [("ada", 5, &drawn[..]), ("bob", 6, &drawn[..]), ("cy", 5, &[])] {
        home.create(name, seed, sets);
        home.live(name, Some(300));
        assert!(home.json(&["golem", "replay", name])["ok"].as_bool().unwrap(), "{name}");
        assert!(home.json(&["golem", "verify", name])["ok"].as_bool().unwrap(), "{name}");
    }
    let born = |name: &str| home.json(&["golem", "status", name])["affect"]["temperament"].clone();
    assert!(born("ada").is_array() && born("bob").is_array() && born("ada") != born("bob"));
    assert_eq!(born("cy"), Value::Null, "given: nothing is told of it");
    assert!(home.ok(&["golem", "status", "ada"]).out.contains("by nature  "));
    assert!(!home.ok(&["golem", "status", "cy"]).out.contains("by nature"));
    let both = ["--set", "mortality.affect.personality.arousal=0.5"];
    let args = [&["golem", "create", "dee", "--seed", "7"][..], &drawn, &both].concat();
    let refused = home.bardo(&args);
    assert!(refused.code == 2 && refused.err.contains("mortality.affect.temperament"), "{refused:?}");
}
