//! What it did with the money: trades and logs as people and programs read them, recomputed by other code.

use crate::kit::{Home, Said};
use std::path::Path;
use std::process::Command;

/// Each template with settings that keep it busy, and how many turns it takes to see it trade.
const LIVES: [(&str, u64, u64); 4] = [
    ("lp-management", 42, 9_000),
    ("trend-following", 22, 40_000),
    ("eth-dca", 23, 6_000),
    ("stable-yield", 24, 9_000),
];

fn live(home: &Home, template: &str, seed: u64, turns: u64, more: &[&str]) {
    let mut settings = vec!["--template", template, "--budget", "10000", "--set", "policy.cooldown_ticks=15"];
    settings.extend(["--set", "policy.eth_dca.every_ticks=60", "--set", "policy.eth_dca.amount_usdc=\"100\""]);
    settings.extend(more);
    home.create(template, seed, &settings);
    home.live(template, Some(turns));
}

/// Hold the table of trades against the raw facts, by the script that shares no code with it.
fn recomputed(home: &Home, name: &str) -> Said {
    let facts = home.ok(&["golem", "logs", name, "--json", "--last", "100000000", "--only", "action.outcome"]).out;
    let (raw, csv) = (home.path().join("facts.jsonl"), home.path().join("trades.csv"));
    std::fs::write(&raw, facts).unwrap();
    std::fs::write(&csv, home.ok(&["golem", "trades", name, "--csv"]).out).unwrap();
    let paid = home.ok(&["golem", "logs", name, "--json", "--last", "100000000", "--only", "economy.paid"]).out;
    let gas: u64 = paid
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap())
        .filter(|fact| fact["purpose"] == "gas" || fact["purpose"] == "settlement")
        .map(|fact| fact["amount_micro_usdc"].as_u64().unwrap())
        .sum();
    let earned = home.json(&["golem", "status", name])["earned_micro_usdc"].to_string();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tools/check_trades.py");
    let mut python = Command::new("python3");
    python.args([&script, &raw, &csv]).args([earned, gas.to_string()]);
    Said::from(python.output().expect("python3 starts"))
}

fn fits(words: &str) {
    for line in words.lines() {
        assert!(line.chars().count() <= 80, "{} columns: {line}", line.chars().count());
    }
}

fn seconds(at: &serde_json::Value) -> i64 {
    at.as_str().unwrap().parse::<golem_core::Timestamp>().unwrap().0
}

/// The figures under a table: the first number of the line that begins like this.
fn figure(table: &str, title: &str) -> i64 {
    let line = table.lines().find(|l| l.trim_start().starts_with(title)).unwrap_or_else(|| panic!("{title}: {table}"));
    let number = line.split_whitespace().find(|w| w.contains('.') && w.parse::<f64>().is_ok()).unwrap();
    number.replace('.', "").parse().unwrap()
}

#[test]
fn trades_agree_with_an_independent_recomputation_for_every_template() {
    let home = Home::new();
    for (template, seed, turns) in LIVES {
        live(&home, template, seed, turns, &[]);
        let checked = recomputed(&home, template);
        assert_eq!(checked.code, 0, "{template}: {}", checked.out);
        let (table, status) = (home.ok(&["golem", "trades", template]).out, home.json(&["golem", "status", template]));
        fits(&table);
        let [realised, gas, held, profit] =
            ["realised", "less gas", "plus gas still held", "profit"].map(|title| figure(&table, title));
        assert_eq!(realised - gas + held, profit, "{template}: the sum does not close\n{table}");
        assert_eq!(status["earned_micro_usdc"], realised, "{template}");
        let rows = home.json(&["golem", "trades", template]);
        assert_eq!(status["trades"], rows.as_array().unwrap().iter().filter(|t| t["done"] == true).count());
        for field in ["tick", "at", "what", "amount", "price", "fee", "gas_micro_usdc", "pnl_micro_usdc", "why"] {
            assert!(rows[0].get(field).is_some(), "{field}: {}", rows[0]);
        }
        // What is told as it happens, and what is told of it later.
        let told = home.ok(&["golem", "run", template, "--speed", "max", "--ticks", "1500"]).err;
        fits(&told);
        fits(&home.ok(&["golem", "logs", template, "-n", "3000"]).out);
    }
}

/// A figure that is wrong by a hundredth of a cent is found: the script is no rubber stamp.
#[test]
fn the_recomputation_finds_what_is_wrong() {
    let home = Home::new();
    live(&home, "eth-dca", 23, 2_000, &[]);
    assert_eq!(recomputed(&home, "eth-dca").code, 0);
    let (raw, csv) = (home.path().join("facts.jsonl"), home.path().join("trades.csv"));
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tools/check_trades.py");
    let text = std::fs::read_to_string(&csv).unwrap();
    let gas = text.lines().nth(1).unwrap().split(',').nth(10).unwrap().to_owned();
    let other = format!("{:.6}", gas.parse::<f64>().unwrap() + 0.0001);
    std::fs::write(&csv, text.replacen(&gas, &other, 1)).unwrap();
    let said = Said::from(Command::new("python3").args([&script, &raw, &csv]).output().unwrap());
    assert_eq!(said.code, 1, "{}", said.out);
    assert!(said.out.contains("gas: told"), "{}", said.out);
}

#[test]
fn trades_on_the_embedded_chain_agree_too() {
    let Some(home) = Home::with_contracts() else { return };
    live(&home, "lp-management", 5, 400, &["--chain", "embedded", "--set", "policy.cooldown_ticks=10"]);
    let checked = recomputed(&home, "lp-management");
    assert_eq!(checked.code, 0, "{}", checked.out);
}

#[test]
fn trades_are_asked_for_by_time_and_number() {
    let home = Home::new();
    live(&home, "eth-dca", 23, 4_000, &[]);
    let all = home.json(&["golem", "trades", "eth-dca"]);
    let all = all.as_array().unwrap();
    assert!(all.len() > 12, "{}", all.len());
    let last = home.json(&["golem", "trades", "eth-dca", "--last", "5"]);
    assert_eq!(last.as_array().unwrap()[..], all[all.len() - 5..]);
    let since = all[4]["at"].as_str().unwrap();
    assert_eq!(home.json(&["golem", "trades", "eth-dca", "--since", since]).as_array().unwrap()[..], all[4..]);
    // Its own now, and not that of whoever asks.
    let now = seconds(&home.json(&["golem", "status", "eth-dca"])["at"]);
    let ago = format!("{}s", now - seconds(&all[6]["at"]));
    assert_eq!(home.json(&["golem", "trades", "eth-dca", "--since", &ago]).as_array().unwrap()[..], all[6..]);
    let csv = home.ok(&["golem", "trades", "eth-dca", "--csv", "-n", "2"]).out;
    assert_eq!((csv.lines().count(), csv.lines().next().unwrap().split(',').count()), (3, 18), "{csv}");
    assert!(home.ok(&["golem", "trades", "eth-dca", "-n", "2"]).out.contains("these are 2 of"));
    home.create("young", 1, &[]);
    assert_eq!(home.ok(&["golem", "trades", "young"]).out, "it has not traded yet\n");
    assert_eq!(home.json(&["golem", "trades", "young"]), serde_json::json!([]));
    for bad in [&["--csv", "--json"][..], &["--since", "yesterday"], &["--since", "12"]] {
        let said = home.bardo(&[&["golem", "trades", "eth-dca"], bad].concat());
        assert_eq!(said.code, 2, "{bad:?}: {said:?}");
        assert!(said.err.contains("hint"), "{bad:?}: {said:?}");
    }
}

#[test]
fn logs_speak_to_people_and_know_their_kinds() {
    let home = Home::new();
    live(&home, "lp-management", 42, 2_000, &[]);
    home.ok(&["golem", "feed", "lp-management", "--usdc", "5"]);
    home.live("lp-management", Some(5));
    let said = home.ok(&["golem", "logs", "lp-management", "-n", "100000"]).out;
    fits(&said);
    for shape in ["Usdc(", "{", "micro_usdc", "min_out", "0x", "Some(", "\"type\""] {
        assert!(!said.contains(shape), "{shape} in the logs");
    }
    assert!(said.contains("the owner feeds it 5.00 USDC"), "{said}");
    let only = home.ok(&["golem", "logs", "lp-management", "--only", "owner.order,economy.fed", "-n", "9"]).out;
    assert_eq!(only.lines().count(), 2, "{only}");
    let late = home.ok(&["golem", "logs", "lp-management", "--since", "1h", "-n", "100000", "--json"]).out;
    let early = home.ok(&["golem", "logs", "lp-management", "-n", "100000", "--json"]).out;
    assert!(late.lines().count() > 0 && late.lines().count() < early.lines().count() / 2);
    for (bad, hint) in [("mortallity", "did you mean mortality?"), ("zzz", "they begin with action")] {
        let said = home.bardo(&["golem", "logs", "lp-management", "--only", bad]);
        assert_eq!(said.code, 2, "{said:?}");
        assert!(said.err.contains("no facts that begin") && said.err.contains(hint), "{said:?}");
    }
}
