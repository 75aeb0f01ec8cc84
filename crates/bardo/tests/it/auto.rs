//! Successors that come by themselves: one for each death, paid once from the owner's treasury, whoever is killed on the way.

#![allow(clippy::print_stderr, reason = "a skipped test says so")]

use crate::kit::{self, Home};
use golem_core::Tick;
use golem_grimoire::testament::{
    ConfigAdvice, PlaybookAdvice, RuleFate, Testament, TestamentSentence, TestamentSource,
};
use serde_json::Value;
use std::process::{Command, Stdio};

const AUTO: [&str; 4] = ["--set", "succession.auto=true", "--set", "succession.inherit_grimoire=false"];

/// A golem whose owner wants it succeeded, and so much credit.
fn elder(credit: Option<&str>, extra: &[&str]) -> Home {
    let home = Home::new();
    home.create("elder", 7, &[&AUTO[..], extra].concat());
    home.live("elder", Some(600));
    if let Some(usdc) = credit {
        home.ok(&["treasury", "add", usdc, "--key", "first"]);
    }
    home
}

fn kill(home: &Home) -> kit::Said {
    home.bardo(&["golem", "kill", "elder", "--yes", "--reason", "time"])
}

fn treasury(home: &Home) -> Value {
    let told = home.json(&["treasury", "show"]);
    let n = |key: &str| told[key].as_u64().unwrap();
    assert_eq!(n("credited_micro_usdc"), n("free_micro_usdc") + n("held_micro_usdc") + n("moved_micro_usdc"));
    told
}

fn golems(home: &Home) -> usize {
    home.json(&["golem", "list"]).as_array().unwrap().len()
}

#[test]
fn a_death_brings_one_heir_that_is_paid_for_once() {
    let home = elder(Some("70"), &[]);
    let said = kill(&home);
    assert!(said.code == 0 && said.err.contains("elder-1 succeeds elder"), "{said:?}");
    for _ in 0..2 {
        let told = treasury(&home);
        assert_eq!(
            (told["free_micro_usdc"].as_u64(), told["moved_micro_usdc"].as_u64()),
            (Some(20_000_000), Some(50_000_000))
        );
        let case = &told["successions"][0];
        assert_eq!((case["standing"].as_str(), case["step"].as_str()), (Some("lives"), Some("done")));
        let agents = told["identities"].as_array().unwrap();
        assert_eq!((agents.len(), agents[1]["of"]["generation"].as_u64()), (2, Some(1)));
        assert_eq!(agents[0]["of"]["lineage"], agents[1]["of"]["lineage"]);
        let again = home.json(&["golem", "successor", "elder", "--auto"]);
        assert_eq!((&again["id"], golems(&home)), (&case["heir"], 2));
    }
    let line = home.json(&["lineage", "elder"]);
    assert_eq!(line.as_array().unwrap().len(), 2);
    home.live("elder-1", Some(50));
    assert_eq!(home.json(&["golem", "replay", "elder-1"])["ok"], true);
    // The owner may still make another by hand, and that is not the treasury's.
    let by_hand = home.json(&["golem", "successor", "elder", "--no-inherit", "--yes"]);
    assert_eq!(by_hand["already"], true);
}

#[test]
fn without_credit_nobody_is_born_until_the_owner_gives_some() {
    let home = elder(None, &[]);
    let said = kill(&home);
    assert!(said.code == 0 && said.err.contains("no successor yet") && said.err.contains("treasury add"), "{said:?}");
    assert_eq!(golems(&home), 1);
    let said = home.bardo(&["golem", "successor", "elder", "--auto"]);
    assert!(said.code == 3 && said.err.contains("0.00 USDC of credit are free"), "{said:?}");
    home.ok(&["treasury", "add", "49.999999"]);
    assert_eq!(home.bardo(&["golem", "successor", "elder", "--auto"]).code, 3);
    home.ok(&["treasury", "add", "0.000001", "--key", "last"]);
    home.ok(&["treasury", "add", "0.000001", "--key", "last"]);
    let heir = home.json(&["golem", "successor", "elder", "--auto"]);
    assert_eq!((heir["step"].as_str(), golems(&home)), (Some("done"), 2));
    assert_eq!(treasury(&home)["free_micro_usdc"].as_u64(), Some(0));
    let said = home.bardo(&["treasury", "add", "0"]);
    assert!(said.code == 2 && said.err.contains("nothing is no amount"), "{said:?}");
}

#[test]
fn a_copy_is_refused_and_no_setting_passes_over_that() {
    let home = Home::new();
    let said = home.bardo(&["golem", "create", "x", "--set", "succession.strategy_drift_allowed=0"]);
    assert!(said.code == 2 && said.err.contains("succession.strategy_drift_allowed"), "{said:?}");
    home.create("elder", 7, &["--set", "succession.auto=true"]);
    home.live("elder", Some(30));
    home.ok(&["treasury", "add", "70"]);
    let said = kill(&home);
    assert!(said.err.contains("0.15 is asked") && said.err.contains("lines are the same in both"), "{said:?}");
    assert_eq!((golems(&home), treasury(&home)["held_micro_usdc"].as_u64()), (1, Some(0)));
    // By hand it goes on from there.
    let heir = home.json(&["golem", "successor", "elder", "--no-inherit", "--yes"]);
    assert_eq!(heir["generation"].as_u64(), Some(1));
    let said = home.bardo(&["golem", "successor", "elder", "--auto"]);
    assert!(said.code == 3 && said.err.contains("has a successor already"), "{said:?}");
    assert_eq!(golems(&home), 2);
}

#[test]
fn the_owners_word_at_home_comes_after_that_at_birth() {
    let home = elder(Some("70"), &[]);
    std::fs::write(home.path().join("succession.toml"), "[succession]\nauto = false\n").unwrap();
    kill(&home);
    assert_eq!(golems(&home), 1);
    let said = home.bardo(&["golem", "successor", "elder", "--auto"]);
    assert!(said.code == 2 && said.err.contains("succession.toml"), "{said:?}");
    for (text, part) in
        [("[other]\nx = 1\n", "nothing to do with"), ("[succession]\nauot = true\n", "auot"), ("[[", "succession.toml")]
    {
        std::fs::write(home.path().join("succession.toml"), text).unwrap();
        let said = home.bardo(&["golem", "successor", "elder", "--auto"]);
        assert!(said.code == 2 && said.err.contains(part), "{text}: {said:?}");
    }
    std::fs::write(home.path().join("succession.toml"), "[succession]\nauto = true\nbudget_usdc = \"60\"\n").unwrap();
    let heir = home.json(&["golem", "successor", "elder", "--auto"]);
    assert_eq!((heir["budget_micro_usdc"].as_u64(), golems(&home)), (Some(60_000_000), 2));
}

#[test]
fn a_line_lives_on_in_one_run_until_the_credit_is_gone() {
    let home = Home::new();
    let poor = ["--budget", "1", "--set", "succession.budget_usdc=1", "--set", "succession.cool_down_s=0"];
    home.create("elder", 7, &[&AUTO[..], &poor].concat());
    home.ok(&["treasury", "add", "2.5"]);
    let told = home.live("elder", None);
    assert_eq!((told["standing"].as_str(), told["name"].as_str()), (Some("dead"), Some("elder-2")));
    assert_eq!(told["succeeds"].as_array().unwrap().len(), 2);
    assert_eq!((golems(&home), treasury(&home)["free_micro_usdc"].as_u64()), (3, Some(500_000)));
    let graves = home.json(&["graveyard"]);
    assert_eq!(graves.as_array().unwrap().len(), 3);
    // The fleet goes the same way.
    home.ok(&["treasury", "add", "1"]);
    home.ok(&["golem", "successor", "elder-2", "--auto"]);
    home.create("other", 9, &[]);
    home.ok(&["golem", "kill", "other", "--yes", "--reason", "time"]);
    home.create("third", 9, &poor[..2]);
    let all = home.json(&["golem", "run", "--all", "--speed", "max", "--quiet"]);
    assert_eq!(all.as_array().unwrap().len(), 2, "{all:#}");
    assert_eq!(treasury(&home)["free_micro_usdc"].as_u64(), Some(500_000));
}

#[test]
fn on_a_chain_with_contracts_the_identity_stands_in_one_and_the_heir_joins_where_the_dead_one_left() {
    let Some(home) = Home::with_contracts() else { return };
    home.create("elder", 7, &[&AUTO[..], &["--chain", "embedded"]].concat());
    home.live("elder", Some(40));
    home.ok(&["treasury", "add", "100"]);
    let said = kill(&home);
    assert!(said.code == 0 && said.err.contains("elder-1 succeeds elder"), "{said:?}");
    let told = treasury(&home);
    let agent = told["successions"][0]["identity"]["agent"].as_str().unwrap();
    assert!(agent.starts_with("eip155:31337:0x") && agent.ends_with(":2"), "{told:#}");
    assert!(home.path().join("chains/identity/chain.db").exists());
    assert_eq!(told["moved_micro_usdc"].as_u64(), Some(50_000_000));
    home.live("elder-1", Some(20));
    for name in ["elder", "elder-1"] {
        assert_eq!(home.json(&["golem", "replay", name])["ok"], true, "{name}");
        assert_eq!(home.json(&["golem", "verify", name])["ok"], true, "{name}");
    }
}

/// An elder of two days whose owner wants what it knew handed on, and which advises.
fn elder_with_advice(credit: Option<&str>) -> (Home, Option<String>) {
    let home = Home::new();
    home.create("elder", 7, &[]);
    home.live("elder", Some(6_000));
    kill(&home);
    let rule = advises(&home, "elder");
    if let Some(usdc) = credit {
        home.ok(&["treasury", "add", usdc, "--key", "first"]);
    }
    (home, rule)
}

/// The testament of a dead golem is made to say what makes an heir more than a copy (four settings of its strategy), and to advise
/// against the first rule that it lived by, which is told; and the owner wants heirs that come by themselves.
pub fn advises(home: &Home, name: &str) -> Option<String> {
    let id = home.json(&["golem", "status", name])["id"].as_str().unwrap().to_owned();
    let file = rusqlite::Connection::open(home.path().join("golems").join(id).join("golem.db")).unwrap();
    let told = home.json(&["golem", "testament", name])["testament"].to_string();
    let mut testament = Testament::read(&told).unwrap();
    let because = || TestamentSentence::of(TestamentSource::Turn(Tick(1)), "So I would live another time.");
    let advice = &mut testament.successor_recommendations;
    for (key, to) in [("max_exposure", "0.4"), ("band", "0.08"), ("hold_days", "5"), ("max_liquidity", "0.2")] {
        let key = format!("policy.lp_management.{key}");
        advice.config.push(ConfigAdvice { key, was: String::new(), to: to.to_owned(), because: because() });
    }
    let page = home.json(&["playbook", "show", name]);
    let rule = page["rules"].as_array().into_iter().flatten().find_map(|rule| rule["id"].as_str());
    if let Some(rule) = rule {
        let rule = rule.parse().unwrap();
        advice.playbook.retain(|a| a.rule != rule);
        advice.playbook.push(PlaybookAdvice { rule, change: RuleFate::Retire, because: because() });
    }
    // Said only now, so that nothing was decided before the testament said this.
    std::fs::write(home.path().join("succession.toml"), "[succession]\nauto = true\n").unwrap();
    testament.seal();
    let body = serde_json::to_string(&testament).unwrap();
    assert_eq!(file.execute("UPDATE named SET body = ?1 WHERE key = 'testament'", [body]).unwrap(), 1);
    rule.map(str::to_owned)
}

/// What comes by itself is an heir like any other: it is given what the dead one knew, once, but for what the testament advises
/// against; the grave and the library know of it, so that a copy of the grave brings no second one, by hand or by itself.
#[test]
fn an_heir_that_comes_by_itself_is_given_what_was_left_and_the_grave_knows_of_it() {
    let (home, _) = elder_with_advice(Some("70"));
    let heir = home.json(&["golem", "successor", "elder", "--auto"]);
    assert_eq!((heir["step"].as_str(), golems(&home)), (Some("done"), 2), "{heir:#}");
    home.live("elder-1", Some(3_000));
    let taken = home.json_lines(&["golem", "logs", "elder-1", "-n", "100000", "--only", "inheritance"]);
    let intakes: Vec<&Value> = taken.iter().filter(|f| f["type"] == "inheritance.taken_in").collect();
    let [intake] = &intakes[..] else { panic!("it inherits once: {taken:?}") };
    assert!(intake["on_trial"].as_u64().unwrap() > 0, "{intake}");
    assert_eq!(home.json(&["golem", "replay", "elder-1"])["ok"], true);
    let born = home.path().join("golems").join(heir["heir"].as_str().or(heir["id"].as_str()).unwrap());
    let settings = std::fs::read_to_string(born.join("golem.toml")).unwrap();
    assert!(settings.contains("0.08"), "it lives by the advice: {settings}");

    let dead = home.json(&["golem", "status", "elder"])["id"].as_str().unwrap().to_owned();
    for by_hand in [true, false] {
        let away = Home::new();
        crate::succession::copied(&home, &away, &dead);
        std::fs::write(away.path().join("succession.toml"), "[succession]\nauto = true\n").unwrap();
        away.ok(&["treasury", "add", "70"]);
        let said = match by_hand {
            true => away.bardo(&["golem", "successor", "elder", "--inherit-grimoire", "--take-advice", "--yes"]),
            false => away.bardo(&["golem", "successor", "elder", "--auto"]),
        };
        assert!(said.code == 3 && said.err.contains("successor"), "by hand {by_hand}: {said:?}");
        assert_eq!(golems(&away), 1, "nobody was born there");
        assert_eq!(treasury(&away)["free_micro_usdc"].as_u64(), Some(70_000_000));
    }
    // The library of this home was told as well.
    let grave = home.path().join("golems").join(&dead).join("golem.db");
    let file = rusqlite::Connection::open(&grave).unwrap();
    assert_eq!(file.execute("DELETE FROM meta WHERE key LIKE 'heir/%'", []).unwrap(), 1);
    drop(file);
    std::fs::rename(
        home.path().join("golems").join(heir["heir"].as_str().or(heir["id"].as_str()).unwrap()),
        home.path().join("elsewhere"),
    )
    .unwrap();
    let said =
        home.bardo(&["golem", "successor", "elder", "--inherit-grimoire", "--take-advice", "--yes", "--name", "b"]);
    assert!(said.code == 3 && said.err.contains("the library of this home"), "{said:?}");
}

/// Who was made by hand, and cannot be shown, keeps a second one from coming by itself.
#[test]
fn an_heir_by_hand_that_cannot_be_read_keeps_another_from_coming() {
    let (home, _) = elder_with_advice(Some("70"));
    let hand = home.json(&["golem", "successor", "elder", "--inherit-grimoire", "--take-advice", "--yes"]);
    let file = home.path().join("golems").join(hand["id"].as_str().unwrap()).join("golem.db");
    std::fs::write(file, b"not a golem").unwrap();
    let said = home.bardo(&["golem", "successor", "elder", "--auto"]);
    assert!(said.code == 3 && said.err.contains("has a successor"), "{said:?}");
    assert_eq!(treasury(&home)["free_micro_usdc"].as_u64(), Some(70_000_000), "nothing was paid");
}

/// What changes something on disk.
const MUTATING: &[&str] = &["pwrite64", "fsync", "fdatasync", "rename", "link", "mkdir", "unlink"];

#[test]
fn killed_anywhere_in_an_automatic_succession_there_is_one_heir_and_one_payment() {
    let there = Command::new("strace").arg("-V").stdout(Stdio::null()).status().is_ok_and(|s| s.success());
    if !there {
        assert!(std::env::var_os("CI").is_none(), "strace is needed here");
        eprintln!("skipped: no strace");
        return;
    }
    let (prepared, _) = elder_with_advice(Some("70"));
    let asked = ["golem", "successor", "elder", "--auto", "--quiet"];
    let mut killed = 0;
    for call in MUTATING {
        let mut when = 1;
        loop {
            let home = Home::new();
            kit::copy_into(prepared.path(), home.path());
            let done = Command::new("strace")
                .args(["-f", "-qq", "-o", "/dev/null", "-e", &format!("trace={call}")])
                .args(["-e", &format!("inject={call}:signal=SIGKILL:when={when}")])
                .arg(env!("CARGO_BIN_EXE_bardo"))
                .args(asked)
                .env("BARDO_HOME", home.path())
                .stdin(Stdio::null())
                .stdout(Stdio::null())
                .status()
                .expect("strace starts");
            if done.success() || when > kit::count(60, 600) {
                break;
            }
            killed += 1;
            treasury(&home);
            let heir = home.json(&["golem", "successor", "elder", "--auto"]);
            let told = treasury(&home);
            assert_eq!(golems(&home), 2, "killed at {call} number {when}");
            assert_eq!(told["moves"][0]["moved"]["heir"], heir["id"], "killed at {call} number {when}");
            assert_eq!(
                (told["free_micro_usdc"].as_u64(), told["moves"].as_array().unwrap().len()),
                (Some(20_000_000), 1),
                "killed at {call} number {when}"
            );
            assert_eq!(told["identities"].as_array().unwrap().len(), 2);
            home.live("elder-1", Some(3));
            let taken = home.json_lines(&["golem", "logs", "elder-1", "-n", "1000", "--only", "inheritance"]);
            let intakes = taken.iter().filter(|f| f["type"] == "inheritance.taken_in").count();
            assert_eq!(intakes, 1, "it inherits once, killed at {call} number {when}: {taken:?}");
            when += if kit::long() || when < 4 { 1 } else { 1 + when / 2 };
        }
    }
    assert!(killed > 20, "killed {killed} times");
}
