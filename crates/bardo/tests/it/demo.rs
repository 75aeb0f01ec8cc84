//! The first thing a stranger sees: one command, a whole life as a story, an obituary whose money adds up.
//! `INSTA_UPDATE=always cargo test -p bardo --test it demo::` blesses a change of the pages; the diff is the review.

use crate::kit;

use kit::{Home, Said};
use serde_json::Value;

/// The width that every line keeps.
const WIDTH: usize = 80;

fn fits(text: &str) {
    for line in text.lines() {
        assert!(line.chars().count() <= WIDTH, "{} columns: {line}", line.chars().count());
    }
}

/// Live a demo to its end; its page, and the name of its golem.
fn lived(home: &Home, seed: u64, budget: &str) -> (String, String) {
    let word = seed.to_string();
    let mut demo = home.command(&["demo", "--seed", &word, "--budget", budget, "--speed", "max"]);
    let said: Said = demo.env_remove("COLUMNS").output().expect("bardo starts").into();
    assert_eq!(said.code, 0, "{said:?}");
    fits(&said.out);
    fits(&said.err);
    assert!(said.err.contains("is born with"), "talk goes to stderr: {}", said.err);
    assert!(said.err.lines().count() < 40, "chapters, not a log: {}", said.err);
    (said.out, format!("demo-{seed}"))
}

/// The lines of the reckoning: what, and how many micro-USDC.
fn reckoning(page: &str) -> Vec<(String, i64)> {
    let from = page.find("its money, in USDC").expect("a reckoning");
    let until = page.find("what else could have been left").expect("its end");
    let line = |line: &str| {
        let mut words = line.split_whitespace();
        let (what, amount) = (words.next()?, words.next()?);
        let (whole, micro) = amount.split_once('.')?;
        let sign = if whole.starts_with('-') { -1 } else { 1 };
        let whole: i64 = whole.trim_start_matches(['+', '-']).parse().ok()?;
        assert_eq!(micro.len(), 6, "to the micro-USDC: {line}");
        Some((what.to_owned(), sign * (whole * 1_000_000 + micro.parse::<i64>().ok()?)))
    };
    page[from..until].lines().skip(1).filter_map(line).collect()
}

fn facts(home: &Home, name: &str, only: &str) -> Vec<Value> {
    let logs = home.ok(&["golem", "logs", name, "--only", only, "--json", "-n", "1000000"]);
    logs.out.lines().map(|line| serde_json::from_str(line).expect("a fact")).collect()
}

/// The page's sum against the golem's own record: what stood in its account before and after each act, what it paid, and
/// what rent comes to by the prices it was born with.
fn adds_up(home: &Home, name: &str, page: &str) {
    let lines = reckoning(page);
    let of = |what: &str| lines.iter().find(|(is, _)| is == what).map_or(0, |(_, amount)| *amount);
    let (left, others) = lines.split_last().expect("lines");
    assert_eq!(left.0, "left");
    assert_eq!(others.iter().map(|(_, amount)| amount).sum::<i64>(), left.1, "{lines:?}");
    let status = home.json(&["golem", "status", name]);
    let kept = |key: &str| status[key].as_i64().unwrap_or_else(|| panic!("{key}: {status}"));
    let went = status["home"]["worth_micro_usdc"].as_i64().unwrap_or(0);
    assert_eq!(left.1, kept("balance_micro_usdc") + went, "what is left, wherever it is");
    assert_eq!(of("given"), kept("funded_micro_usdc"));
    let moved: i64 = facts(home, name, "action.outcome")
        .iter()
        .filter(|act| act["tx_receipt"]["outcome"]["sent_home"].is_null())
        .map(|act| act["post_state"]["usdc"].as_i64().unwrap() - act["pre_state"]["usdc"].as_i64().unwrap())
        .sum();
    // Crumbs that no sale pays for go home as they are.
    let home_of = |key: &str| status["home"][key].as_i64().unwrap_or(0);
    let crumbs = went - (home_of("usdc_micro_usdc") - home_of("spent_before_micro_usdc"));
    let held = kept("positions_micro_usdc") + crumbs;
    assert_eq!(of("trading"), moved + held, "what came back, went in and is held");
    let gas: i64 = facts(home, name, "action.outcome")
        .iter()
        .map(|act| act["tx_receipt"]["gas_used"]["cost"].as_i64().unwrap())
        .sum();
    assert_eq!(of("gas") + of("dying"), -gas, "what every receipt says, those of the settlement too");
    // Rent by its prices: an hour of the machine, a day of data, a snapshot every six hours. Dying costs gas alone.
    let seconds = status["death"]["age"].as_i64().expect("a death") / 1_000;
    let economic = &home.json(&["golem", "config", name])["mortality"]["economic"];
    let price = |key: &str| {
        let text = economic[key].as_str().map_or_else(|| economic[key].to_string(), str::to_owned);
        (text.parse::<f64>().unwrap() * 1e6).round() as i64
    };
    let due = price("compute_usdc_per_hour") * seconds / 3_600
        + price("data_usdc_per_day") * seconds / 86_400
        + price("snapshot_usdc") * (seconds / 21_600);
    assert_eq!(of("rent") + of("owed"), -due, "{economic}");
}

#[test]
fn a_life_with_crises_is_a_story_that_adds_up() {
    let home = Home::new();
    let (page, name) = lived(&home, 42, "50");
    adds_up(&home, &name, &page);
    insta::assert_snapshot!("demo_42", page);
    // The default life is about eleven weeks long, and the same story is told at any later time.
    let days = home.json(&["golem", "status", &name])["age_days"].as_f64().unwrap();
    assert!((65.0..90.0).contains(&days), "{days}");
    assert_eq!(home.ok(&["golem", "story", &name]).out, page);
}

#[test]
fn a_life_that_ends_early_is_a_story_that_adds_up() {
    let home = Home::new();
    let (page, name) = lived(&home, 5, "50");
    adds_up(&home, &name, &page);
    insta::assert_snapshot!("demo_5", page);
}

#[test]
fn a_life_that_starves_is_a_story_that_adds_up() {
    let home = Home::new();
    let (page, name) = lived(&home, 11, "4");
    adds_up(&home, &name, &page);
    insta::assert_snapshot!("demo_11_poor", page);
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
    assert_eq!(said["chapters"][0]["title"], "born");
    let again = home.json(&["demo", "--seed", "7", "--ticks", "3000", "--speed", "max"]);
    assert_eq!(said["final_nav_micro_usdc"], again["final_nav_micro_usdc"], "the same seed is the same life");
    assert_ne!(said["id"], again["id"], "two golems all the same");
    // One that was only watched for a while says how to go on.
    let page = home.ok(&["golem", "story", "demo-7"]).out;
    fits(&page);
    assert!(page.contains("bardo golem run demo-7 --speed max"), "{page}");
}

/// The last line of a demo is a command that can be typed as it stands: an heir, and none that would be refused as a copy.
#[test]
fn the_command_for_an_heir_is_accepted() {
    let home = Home::new();
    let (page, name) = lived(&home, 11, "4");
    assert!(page.contains("  leaves  "), "what would be inherited: {page}");
    let line = page.lines().find(|line| line.contains("golem successor")).expect("the command for an heir");
    let words: Vec<&str> = line.split("golem successor").nth(1).expect("its words").split_whitespace().collect();
    let options: Vec<&str> = words.iter().copied().filter(|word| word.starts_with("--")).collect();
    assert_eq!(words[0], name);
    let asked = [&["golem", "successor", &name], &options[..], &["--dry-run"]].concat();
    let shown = home.json(&asked);
    let inherits = options.contains(&"--inherit-grimoire");
    assert!(!inherits || shown["similarity"]["too_near"] == false, "{options:?}: {shown:#}");
    let born = home.json(&[&["golem", "successor", &name], &options[..], &["--yes"]].concat());
    assert_eq!((born["generation"].as_u64(), born["already"].as_bool()), (Some(1), Some(false)));
}
