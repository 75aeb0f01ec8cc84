//! Dead is final, and dying takes its time: what is on record stands, what is tampered with is found, and nobody hears of a
//! death before it happened.

use crate::kit;

use kit::Home;
use serde_json::Value;
use std::path::Path;

/// Chance kills within some hundreds of turns.
const FRAIL: [&str; 8] = [
    "--set",
    "mortality.stochastic.base_hazard_rate=0.0001",
    "--set",
    "mortality.stochastic.age_hazard_coefficient=0.001",
    "--set",
    "mortality.stochastic.max_hazard_rate=0.01",
    "--set",
    "grimoire.enabled=false",
];

/// A frail golem that has died by chance, and the turn in which its death was recorded.
fn died(home: &Home, name: &str) -> (std::path::PathBuf, u64) {
    let dir = home.create(name, 7, &FRAIL);
    home.live(name, None);
    let status = home.json(&["golem", "status", name]);
    assert_eq!(status["standing"], "dead");
    assert!(status["death"]["cause"]["Stochastic"].is_object(), "{}", status["death"]);
    (dir, status["death"]["tick"].as_u64().unwrap())
}

#[test]
fn the_dead_are_not_restored() {
    let home = Home::new();
    let (dir, _) = died(&home, "late");
    let refused = || {
        let said = home.bardo(&["golem", "restore", "late"]);
        assert_eq!(said.code, 2, "{said:?}");
        assert!(said.err.contains("dead is final") && said.err.contains("successor"), "{said:?}");
    };
    refused();
    let verify = home.json(&["golem", "verify", "late"]);
    assert!(verify["ok"] == true && verify["revealed_secret"].is_string(), "{verify}");
    refused();
    assert!(dir.join("dead").exists(), "a stone beside its file says so too");
    for order in [&["golem", "feed", "late", "--usdc", "5"][..], &["golem", "resume", "late"]] {
        let said = home.bardo(order);
        assert!(said.code == 2 && said.err.contains("stays dead") && said.err.contains("successor"), "{said:?}");
    }
}

/// Change the row in which the file shows its golem.
fn tamper(dir: &Path, change: impl Fn(&mut Value) -> &'static str) {
    let conn = rusqlite::Connection::open(dir.join("golem.db")).unwrap();
    let body: String = conn.query_row("SELECT body FROM status", [], |row| row.get(0)).unwrap();
    let mut shown: Value = serde_json::from_str(&body).unwrap();
    let standing = change(&mut shown);
    shown["standing"] = standing.into();
    conn.execute("UPDATE status SET standing = ?1, body = ?2", (standing, shown.to_string())).unwrap();
}

/// What verify says of a file that was tampered with; it reveals nothing.
fn caught(home: &Home, name: &str) -> String {
    let said = home.bardo(&["golem", "verify", name, "--json"]);
    assert_ne!(said.code, 0, "{said:?}");
    assert!(!said.out.contains("\"revealed_secret\":\""), "{said:?}");
    format!("{}{}", said.out, said.err)
}

#[test]
fn a_death_that_was_not_due_is_found() {
    let home = Home::new();
    let (late, _) = died(&home, "late");
    let conn = rusqlite::Connection::open(late.join("golem.db")).unwrap();
    let body: String = conn.query_row("SELECT body FROM status", [], |row| row.get(0)).unwrap();
    let death = serde_json::from_str::<Value>(&body).unwrap()["death"].clone();
    // A golem in its best years, shown as dead of chance: its secret must not be revealed.
    let dir = home.create("young", 8, &[]);
    home.live("young", Some(300));
    assert_eq!(home.bardo(&["golem", "verify", "young"]).code, 0);
    tamper(&dir, |shown| {
        shown["death"] = death.clone();
        "dead"
    });
    let said = caught(&home, "young");
    assert!(said.contains("that was not due"), "{said}");
}

#[test]
fn a_death_that_was_skipped_is_found() {
    let home = Home::new();
    let (dir, tick) = died(&home, "late");
    tamper(&dir, |shown| {
        shown["death"] = Value::Null;
        "alive"
    });
    let said = caught(&home, "late");
    assert!(said.contains(&format!("turn {tick}: a death (stochastic) that was skipped")), "{said}");
}

#[test]
fn an_altered_roll_is_found() {
    let home = Home::new();
    let (dir, tick) = died(&home, "late");
    tamper(&dir, |shown| {
        shown["death"]["roll"] = 0.25.into();
        "dead"
    });
    let said = caught(&home, "late");
    assert!(said.contains(&format!("turn {tick}: an altered roll")), "{said}");
    // Nor can the hazard be made to fit afterwards.
    let home = Home::new();
    let dir = home.create("young", 8, &[]);
    home.live("young", Some(2_100));
    let conn = rusqlite::Connection::open(dir.join("golem.db")).unwrap();
    let hazard = "json_extract(body, '$.hazard_rate')";
    let sql = format!(
        "UPDATE series SET body = json_set(body, '$.hazard_rate', {hazard} / 2) WHERE tick = (SELECT max(tick) FROM series)"
    );
    assert_eq!(conn.execute(&sql, []).unwrap(), 1);
    let said = caught(&home, "young");
    assert!(said.contains("an altered hazard") || said.contains("does not fit"), "{said}");
}

#[test]
fn dying_takes_turns_in_which_nothing_is_ordered_and_a_stop_changes_nothing() {
    let whole = Home::new();
    let (_, tick) = died(&whole, "slow");
    let home = Home::new();
    home.create("slow", 7, &FRAIL);
    home.live("slow", Some(tick));
    let status = home.json(&["golem", "status", "slow"]);
    assert_eq!((&status["standing"], &status["mode"]), (&"dying".into(), &"dying".into()));
    assert_eq!(status["death"]["tick"], tick, "recorded, and not yet final");
    let fed = status["funded_micro_usdc"].clone();
    for order in [
        &["golem", "feed", "slow", "--usdc", "50"][..],
        &["golem", "kill", "slow", "--yes", "--reason", "enough"],
        &["golem", "pause", "slow"],
    ] {
        let said = home.bardo(order);
        assert!(said.code == 2 && said.err.contains("is dying"), "{said:?}");
    }
    for turn in 1..=6u64 {
        home.live("slow", Some(1));
        let status = home.json(&["golem", "status", "slow"]);
        assert_eq!(status["standing"], if turn < 6 { "dying" } else { "dead" });
        assert_eq!(status["funded_micro_usdc"], fed);
    }
    assert_eq!(home.hash("slow"), whole.hash("slow"), "six stops later it is the same life");
    let logs = home.ok(&["golem", "logs", "slow", "--only", "mortality.d", "--json"]).out;
    let told: Vec<Value> = logs.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let names: Vec<&str> = told.iter().map(|f| f["type"].as_str().unwrap()).collect();
    let stage = "mortality.dying_stage";
    assert_eq!(names, ["mortality.dying", stage, stage, stage, stage, stage, stage, "mortality.dead"]);
    assert!(told[0]["roll"].is_f64() && told[0]["cause"].is_object(), "{}", told[0]);
    assert_eq!((&told[2]["stage"], &told[2]["outcome"]), (&"settlement".into(), &"nothing was open".into()));
}

/// Its death is on record and its last turns are not over: no list, tree or yard says that it is dead.
#[test]
fn whoever_is_dying_is_called_dead_nowhere() {
    let home = Home::new();
    home.create("elder", 5, &[]);
    home.live("elder", Some(50));
    home.ok(&["golem", "kill", "elder", "--yes", "--reason", "enough"]);
    let asked = ["golem", "successor", "elder", "--name", "heir", "--no-inherit", "--force-similarity", "--yes"];
    let heir = home.json(&[&asked[..], &["--seed", "6"]].concat());
    home.live("heir", Some(50));
    let dir = home.path().join("golems").join(heir["id"].as_str().unwrap());
    std::fs::write(dir.join("kill-switch"), "").unwrap();
    while home.live("heir", Some(1))["standing"] == "alive" {}
    let status = home.json(&["golem", "status", "heir"]);
    assert_eq!(status["standing"], "dying");
    let list = home.ok(&["golem", "list"]).out;
    let of = |name: &str| list.lines().find(|line| line.starts_with(name)).unwrap();
    assert!(of("elder").contains("dead of") && of("heir").contains("dying of"), "{list}");
    let graves = home.json(&["graveyard"]);
    let named: Vec<&str> = graves.as_array().unwrap().iter().map(|grave| grave["name"].as_str().unwrap()).collect();
    assert_eq!(named, ["elder"], "what the other leaves is not settled yet");
    let line = home.json(&["lineage", "heir"]);
    assert_eq!((&line[1]["standing"], &line[1]["cause"]), (&"dying".into(), &Value::Null), "{line}");
    let tree = home.ok(&["lineage", "heir"]).out;
    assert!(
        tree.contains("\u{2020} elder") && tree.contains("\u{2514} heir") && tree.contains("\u{b7} dying"),
        "{tree}"
    );
    let story = home.json(&["golem", "story", "heir"]);
    assert_eq!((&story["standing"], &story["cause"]), (&"dying".into(), &"kill_switch".into()), "{story}");
    let told = home.ok(&["golem", "story", "heir"]).out;
    assert!(!told.contains('\u{2020}') && told.contains("let it come to its end"), "{told}");
    home.live("heir", None);
    assert_eq!(home.json(&["graveyard"]).as_array().unwrap().len(), 2);
    assert!(home.ok(&["golem", "story", "heir"]).out.starts_with('\u{2020}'));
}

#[test]
fn an_unrelated_sibling_changes_nothing() {
    let alone = Home::new();
    alone.create("ada", 5, &[]);
    alone.live("ada", Some(3_000));
    let home = Home::new();
    home.create("ada", 5, &[]);
    home.create("eve", 7, &FRAIL);
    home.live("eve", None);
    home.live("ada", Some(1_500));
    home.create("zoe", 9, &[]);
    home.ok(&["golem", "kill", "zoe", "--yes", "--reason", "enough"]);
    home.live("ada", Some(1_500));
    assert_eq!(home.hash("ada"), alone.hash("ada"));
}

#[test]
fn nobody_hears_of_a_death_before_it_happened() {
    let home = Home::new();
    let lean = ["--set", "fleet.name=north", "--set", "grimoire.enabled=false", "--set", "mortality.immortal=true"];
    home.create("ada", 5, &lean);
    home.create("eve", 6, &lean);
    home.live("eve", Some(3_000));
    home.ok(&["golem", "kill", "eve", "--yes", "--reason", "enough"]);
    let died = home.json(&["golem", "status", "eve"])["age_ticks"].as_u64().unwrap();
    let heard = || home.ok(&["golem", "logs", "ada", "--only", "owner.order", "--json", "-n", "10"]).out;
    home.live("ada", Some(100));
    home.live("ada", Some(2_800));
    assert!(heard().trim().is_empty(), "eve is alive on day one: {}", heard());
    home.live("ada", Some(200));
    let letter: Value = serde_json::from_str(heard().lines().next().expect("a letter")).unwrap();
    assert!(letter["died"] == true && letter["text"].as_str().unwrap().contains("owner_kill"), "{letter}");
    assert_eq!(letter["tick"], died, "heard in the very turn that reached its time");
    assert!(home.json(&["golem", "verify", "ada"])["ok"].as_bool().unwrap());
}

#[test]
fn a_budget_is_explained_at_birth_and_in_the_obituary() {
    let home = Home::new();
    for (name, budget, trades) in [("tiny", "4", false), ("small", "40", true)] {
        let text = home.ok(&["golem", "create", name, "--seed", "3", "--budget", budget]).out;
        for part in ["rent 0.228", "a year", "the smallest useful trade", "a budget of 1387 USDC"] {
            assert!(text.contains(part), "{part:?} is missing:\n{text}");
        }
        assert_eq!(text.contains("will not trade at all"), !trades, "{text}");
    }
    let told = home.json(&["golem", "create", "dry", "--seed", "3", "--budget", "4", "--dry-run"])["budget"].clone();
    assert_eq!(
        (&told["rent_per_day_micro_usdc"], &told["break_even_budget_micro_usdc"]),
        (&228_000.into(), &1_387_000_000u64.into())
    );
    assert!(
        told["smallest_trade_micro_usdc"].as_u64().unwrap() > told["capital_micro_usdc"].as_u64().unwrap(),
        "{told}"
    );
    assert!(told["yield_a_year"].as_f64().unwrap() > 30.0, "{told}");
    home.ok(&["golem", "kill", "tiny", "--yes", "--reason", "told you"]);
    let text = home.ok(&["golem", "run", "tiny", "--speed", "max"]).out;
    assert!(text.contains("rent 0.228") && text.contains("will not trade at all"), "{text}");
}

/// What is told at birth comes true: just below the smallest useful trade nothing is ever bought, well above it something is.
/// Feeding later does not change what the budget at birth meant.
#[test]
fn the_smallest_useful_trade_is_where_lives_begin_to_trade() {
    let home = Home::new();
    let dca = ["--template", "eth-dca", "--set", "policy.eth_dca.every_ticks=10", "--set", "mortality.immortal=true"];
    let of = |budget: &str| {
        let words = [&["golem", "create", "dry", "--seed", "3", "--budget", budget, "--dry-run"], &dca[..]].concat();
        home.json(&words)["budget"].clone()
    };
    let told = of("50");
    let (least, capital) =
        (told["smallest_trade_micro_usdc"].as_f64().unwrap(), told["capital_micro_usdc"].as_f64().unwrap());
    let budget = |times: f64| format!("{:.2}", 50.0 * least * times / capital);
    for (name, times) in [("below", 0.95), ("above", 12.0)] {
        let budget = budget(times);
        let amount = format!("policy.eth_dca.amount_usdc={:.2}", least * f64::min(times, 1.5) / 1e6);
        home.create(name, 3, &[&["--budget", &budget, "--set", &amount], &dca[..]].concat());
        home.live(name, Some(2_000));
        let trades = home.json(&["golem", "status", name])["trades"].as_u64().unwrap();
        assert_eq!(trades > 0, times > 1.0, "{name}, born with {budget}");
    }
    home.ok(&["golem", "feed", "below", "--usdc", "100"]);
    home.live("below", Some(3));
    let text = home.ok(&["golem", "story", "below"]).out;
    assert!(text.contains("will not trade at all") && text.contains("it was fed 100"), "{text}");
}
