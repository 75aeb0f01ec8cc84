//! Dreams from outside: the journal and what came of it, the owner's word on what is staged, and a dreamer that is killed again
//! and again.

use crate::kit;

use kit::Home;
use std::time::Duration;

/// A golem that has something to lose, and dreams soon.
pub const DREAMER: [&str; 8] = [
    "--budget",
    "1000",
    "--set",
    "dream.enabled=true",
    "--set",
    "dream.first_dream.stable=20",
    "--set",
    "dream.first_dream.thriving=20",
];

#[test]
fn dreams_are_told_and_what_they_propose_is_the_owners_to_judge() {
    let home = Home::new();
    home.create("ada", 7, &DREAMER);
    home.live("ada", Some(3_000));
    let stats = home.json(&["dream", "stats", "ada"]);
    assert!(stats["cycles"].as_u64().unwrap() >= 5 && stats["runs"].as_u64().unwrap() > 20, "{stats}");
    assert_eq!(stats["cost_micro_usdc"], 0, "by rules alone a dream costs nothing");
    for key in ["promoted", "refuted", "precision", "came_true", "cost_per_confirmed_micro_usdc"] {
        assert!(stats.get(key).is_some(), "{key}: {stats}");
    }
    let told = home.ok(&["dream", "stats", "ada"]).out;
    assert!(["precision", "threats", "since birth"].iter().all(|word| told.contains(word)), "{told}");
    let journal = home.json(&["dream", "journal", "ada", "--last", "3"]);
    let dreams = journal["dreams"].as_array().unwrap();
    assert_eq!(dreams.len(), 3, "{journal}");
    for dream in dreams {
        let silent = dream["nothing_because"].as_array().is_none_or(Vec::is_empty);
        assert!(!silent || dream["later"]["proposed"].as_u64().is_some_and(|n| n > 0), "a silent dream: {dream}");
        // What answers a threat is told, or what is missing.
        for threat in dream["phase2_summary"]["threats_simulated"].as_array().unwrap() {
            let missing = threat["gaps"].as_array().is_some_and(|gaps| !gaps.is_empty());
            assert_eq!(missing, threat["coverage"] != "covered", "{threat}");
        }
    }
    // Of an earlier turn is told what was dreamt by then, and what had come of it.
    let book =
        |words: &[&str]| home.json(&[&["dream", "journal", "ada", "--last", "400"], words].concat())["dreams"].take();
    let (all, then) = (book(&[]), book(&["--as-of", "1500"]));
    let (all, then) = (all.as_array().unwrap(), then.as_array().unwrap());
    assert!(!then.is_empty() && then.len() < all.len(), "{} of {}", then.len(), all.len());
    let since = &all[all.len() - then.len()..];
    assert!(since.iter().zip(then).all(|(now, then)| now["id"] == then["id"]), "the same dreams");
    let judged = |dreams: &[serde_json::Value]| -> u64 {
        let of =
            |d: &serde_json::Value| ["confirmed", "refuted", "expired"].map(|word| d["later"][word].as_u64().unwrap());
        dreams.iter().flat_map(of).sum()
    };
    assert!(judged(then) < judged(since), "{} by then, {} since", judged(then), judged(since));
    assert_eq!(book(&["--as-of", "0"]), serde_json::json!([]));
    assert_eq!(home.json(&["dream", "staging", "ada", "--as-of", "0"])["staged"], serde_json::json!([]));
    let first = home.ok(&["dream", "show", "ada", "1"]).out;
    assert!(first.starts_with("dream/1 ") && first.contains("since then"), "{first}");
    let staged = home.json(&["dream", "staging", "ada"]);
    let number = staged["staged"][0]["number"].as_u64().expect("something is staged");
    let said = home.ok(&["dream", "staging", "ada", "reject", &number.to_string()]);
    home.live("ada", Some(10));
    let left = home.json(&["dream", "staging", "ada"]);
    let still = left["staged"].as_array().unwrap().iter().any(|p| p["number"] == number);
    assert!(!still, "{said:?}: {left}");
    assert_eq!(home.bardo(&["dream", "staging", "ada", "approve"]).code, 2, "which one?");
    assert_eq!(home.bardo(&["dream", "show", "ada", "999999"]).code, 2);
    home.create("bob", 8, &[]);
    home.live("bob", Some(20));
    for word in [&["stats", "bob"][..], &["now", "bob"], &["wake", "bob", "--reason", "day"]] {
        let awake = home.bardo(&[&["dream"], word].concat());
        assert!(awake.code == 2 && awake.err.contains("dream.enabled=true"), "{awake:?}");
    }
}

#[test]
fn a_dreamer_that_is_killed_again_and_again_lives_the_same_life() {
    let (home, other) = (Home::new(), Home::new());
    home.create("ada", 7, &DREAMER);
    kit::copy_into(home.path(), other.path());
    for n in 0..kit::count(8, 60) as u64 {
        let mut child = home.start(&["golem", "run", "ada", "--speed", "max", "--ticks", "400"]);
        std::thread::sleep(Duration::from_millis(60 + 37 * (n % 11)));
        let _ended = child.kill();
        let _status = child.wait();
    }
    // A busy machine lets it live a few hundred turns between the kills, which is less than to its first dream.
    let tick = || home.json(&["golem", "status", "ada"])["tick"].as_u64().unwrap();
    home.live("ada", Some(2_000_u64.saturating_sub(tick()).max(50)));
    let turns = tick();
    other.live("ada", Some(turns));
    assert_eq!(home.hash("ada"), other.hash("ada"), "after {turns} turns");
    assert!(home.json(&["golem", "replay", "ada"])["ok"].as_bool().unwrap());
    assert!(home.json(&["dream", "stats", "ada"])["cycles"].as_u64().unwrap() > 0, "it dreamt in {turns} turns");
}

/// A sleeper whose waking model cannot be reached, and whose dreams have one of their own.
pub fn sleeper(private: &str) -> String {
    let dream = r#"
[dream]
enabled = true
tier = "hardened"
dream_inference_provider = "private"
[dream.first_dream]
stable = 20
thriving = 20
"#;
    format!("{dream}{}", kit::private_model(private, "dream"))
}

#[test]
fn a_sleeper_asks_whom_its_owner_named_for_dreams_and_is_lived_again_without_anybody() {
    let home = Home::new();
    let file = home.path().join("sleeper.toml");
    let url = crate::first_hour::model_that_says("lanterns over the water", "length");
    std::fs::write(&file, sleeper(&url)).unwrap();
    let file = file.to_str().unwrap();
    home.create("ada", 7, &["--budget", "1000", "--config", file]);
    home.live("ada", Some(800));
    home.ok(&["dream", "now", "ada"]);
    home.live("ada", Some(150));
    let facts = |only: &str| -> Vec<serde_json::Value> {
        let said = home.ok(&["golem", "logs", "ada", "--only", only, "--json", "-n", "100000"]);
        said.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    };
    let asked = facts("dream.asked");
    let of = |name: &str| asked.iter().filter(|f| f["question"] == name).count();
    assert!(of("dream-onset@1") >= 4 && of("dream-replay@1") >= 1 && of("dream-return@1") >= 1, "{asked:?}");
    let thoughts = asked.iter().filter(|f| f["came"] == "a thought").count();
    assert!(thoughts >= 1, "a thought that was cut off is one: {asked:?}");
    let tries = facts("inference.end");
    let private: Vec<_> = tries.iter().filter(|f| f["provider"] == "private").collect();
    assert!(private.len() >= asked.len(), "{} of {}", private.len(), asked.len());
    let cost = |of: &[&serde_json::Value], key: &str| of.iter().map(|f| f[key].as_u64().unwrap()).sum::<u64>();
    let told = cost(&asked.iter().collect::<Vec<_>>(), "cost_micro_usdc");
    assert!(told > 0 && told == cost(&private, "cost"), "{told}");
    let stats = home.json(&["dream", "stats", "ada"]);
    assert_eq!(stats["cost_micro_usdc"].as_u64(), Some(told), "{stats}");
    let page = home.ok(&["dream", "show", "ada", "1"]).out;
    assert!(page.contains("models ") && page.contains("brought nothing"), "{page}");
    assert!(home.json(&["golem", "replay", "ada"])["ok"].as_bool().unwrap());
    assert!(home.json(&["golem", "verify", "ada"])["ok"].as_bool().unwrap());

    let odd = std::fs::read_to_string(file).unwrap().replace("provider = \"private\"", "provider = \"nobody\"");
    std::fs::write(file, odd).unwrap();
    let refused = home.bardo(&["golem", "create", "bob", "--config", file]);
    assert!(refused.code != 0 && refused.err.contains("dream.dream_inference_provider"), "{refused:?}");
}
