//! Golems on chains: the real contracts and paper agree to the unit, a crash between two files loses nothing and doubles
//! nothing, a chain is shared by one process at a time, and a backtest compares what it says.

use crate::kit;

use kit::{Home, count};
use serde_json::Value;
use std::path::Path;
use std::time::Duration;

fn worth(home: &Home, name: &str) -> Vec<Value> {
    let status = home.json(&["golem", "status", name]);
    let fields = [
        "balance_micro_usdc",
        "positions_micro_usdc",
        "capital_micro_usdc",
        "operating_micro_usdc",
        "spent_micro_usdc",
        "earned_micro_usdc",
        "trades",
        "price",
        "exposure",
    ];
    fields.iter().map(|f| status[f].clone()).collect()
}

#[test]
fn a_life_on_the_real_contracts_is_worth_the_same_as_on_paper() {
    let Some(home) = Home::with_contracts() else { return };
    for (seed, order) in [(7, "false"), (8, "true")] {
        let (on_chain, on_paper) = (format!("chain-{seed}"), format!("paper-{seed}"));
        let (order, name) = (format!("chain.usdc_is_token0={order}"), format!("chain.name=c{seed}"));
        home.create(&on_chain, seed, &["--budget", "2000", "--chain", "embedded", "--set", &order, "--set", &name]);
        home.create(&on_paper, seed, &["--budget", "2000", "--set", &order]);
        for _ in 0..3 {
            home.live(&on_chain, Some(700));
            home.live(&on_paper, Some(700));
            assert_eq!(worth(&home, &on_chain), worth(&home, &on_paper), "seed {seed}");
        }
        assert!(worth(&home, &on_chain)[6].as_u64().unwrap() > 2, "a life without trades proves nothing");
        assert!(home.json(&["golem", "replay", &on_chain])["ok"].as_bool().unwrap());
    }
}

/// The owner takes some, then the golem dies: contracts and paper send the same home, and nothing is left.
#[test]
fn what_goes_home_on_the_real_contracts_goes_home_on_paper() {
    let Some(home) = Home::with_contracts() else { return };
    const OWNER: &str = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed";
    let set = format!("chain.home=\"{OWNER}\"");
    let dca = ["--budget", "500", "--template", "eth-dca", "--set", &set];
    home.create("embedded", 9, &[&dca[..], &["--chain", "embedded", "--set", "chain.name=homing"]].concat());
    home.create("paper", 9, &dca);
    let live = |turns: Option<u64>| {
        for name in ["embedded", "paper"] {
            home.live(name, turns);
        }
    };
    let went = |name: &str| home.json(&["golem", "status", name])["home"].clone();
    live(Some(600));
    for amount in ["40", "all"] {
        for name in ["embedded", "paper"] {
            home.ok(&["golem", "withdraw", name, amount]);
        }
        live(Some(90));
        assert_eq!(worth(&home, "embedded"), worth(&home, "paper"), "{amount}");
        assert_eq!(went("embedded"), went("paper"), "{amount}");
    }
    assert!(went("paper")["usdc_micro_usdc"].as_u64() > Some(100_000_000), "{}", went("paper"));
    assert_eq!(home.json(&["golem", "status", "paper"])["positions_micro_usdc"], 0, "what it held was sold first");
    for name in ["embedded", "paper"] {
        home.ok(&["golem", "kill", name, "--reason", "enough", "--yes"]);
    }
    assert_eq!(worth(&home, "embedded"), worth(&home, "paper"));
    assert_eq!(went("embedded"), went("paper"));
    for name in ["embedded", "paper"] {
        let status = home.json(&["golem", "status", name]);
        assert_eq!((&status["standing"], &status["balance_micro_usdc"]), (&"dead".into(), &0.into()), "{status:#}");
        let logs = home.ok(&["golem", "logs", name, "--only", "dying.home", "--json"]).out;
        assert!(logs.contains(&OWNER.to_lowercase()) && logs.lines().count() == 1, "{logs}");
        let late = home.bardo(&["golem", "withdraw", name, "all"]);
        assert!(late.code == 2 && late.err.contains("is dead"), "{late:?}");
        assert!(home.json(&["golem", "replay", name])["ok"].as_bool().unwrap());
    }
}

#[test]
fn killed_between_two_files_it_ends_the_same() {
    let Some(home) = Home::with_contracts() else { return };
    const TICKS: u64 = 6_000;
    let busy = ["--chain", "embedded", "--set", "policy.cooldown_ticks=10", "--set", "chain.name=calm"];
    home.create("calm", 5, &busy);
    let want = home.live("calm", Some(TICKS))["hash"].clone();
    let victim_home = Home::with_contracts().unwrap();
    victim_home.create("calm", 5, &busy);
    let tip = || victim_home.json(&["golem", "list"])[0]["tick"].as_u64().unwrap();
    for n in 0..count(12, 400) as u64 {
        let left = TICKS.saturating_sub(tip());
        if left == 0 {
            break;
        }
        let left = left.to_string();
        let mut child = victim_home.start(&["golem", "run", "calm", "--speed", "max", "--ticks", &left]);
        std::thread::sleep(Duration::from_millis(30 + (n * 7_919) % 500));
        let _ended = child.kill();
        child.wait().unwrap();
    }
    let left = TICKS - tip();
    if left > 0 {
        victim_home.live("calm", Some(left));
    }
    assert_eq!(victim_home.hash("calm"), want.as_str().unwrap());
    assert_eq!(worth(&victim_home, "calm"), worth(&home, "calm"));
}

#[test]
fn golems_share_a_chain_in_one_process_and_not_in_two() {
    let Some(home) = Home::with_contracts() else { return };
    home.create("ada", 5, &["--chain", "embedded"]);
    home.live("ada", Some(300));
    // A later one joins where the chain stands, in the world of whoever is there; another world is refused.
    home.create("bob", 6, &["--chain", "embedded"]);
    let stranger = home.bardo(&["golem", "create", "eve", "--chain", "embedded", "--set", "world.seed=9"]);
    assert_eq!(stranger.code, 2, "{stranger:?}");
    assert!(stranger.err.contains("chain.name"), "{}", stranger.err);
    home.live("bob", Some(1));
    let born = home.json(&["golem", "status", "bob"])["at"].clone();
    assert!(born.as_str().unwrap() > "2026-01-01T03:00:00Z", "{born}");

    let mut both = home.start(&["golem", "run", "ada", "bob", "--speed", "max"]);
    let turns = |name: &str| home.json(&["golem", "status", name])["tick"].as_u64().unwrap();
    for _ in 0..400 {
        std::thread::sleep(Duration::from_millis(50));
        if turns("ada") > 900 && turns("bob") > 600 {
            break;
        }
    }
    home.create("cyd", 7, &["--set", "chain.kind=embedded", "--set", "chain.name=other", "--set", "world.seed=5"]);
    let alone = home.bardo(&["golem", "run", "cyd", "--speed", "max", "--ticks", "5", "--quiet"]);
    assert_eq!(alone.code, 0, "another chain is free: {alone:?}");
    let late = home.bardo(&["golem", "create", "dee", "--chain", "embedded", "--seed", "8", "--set", "world.seed=5"]);
    both.kill().unwrap();
    both.wait().unwrap();
    assert!(late.code == 1 || late.code == 2, "the chain is in use: {late:?}");
    assert!(late.err.contains("chain"), "{}", late.err);
    let (ada, bob) = (turns("ada"), turns("bob"));
    assert!(ada > 900 && bob > 600, "{ada} and {bob} turns");
    for name in ["ada", "bob"] {
        assert!(home.json(&["golem", "replay", name])["ok"].as_bool().unwrap(), "{name}");
    }
}

/// Hourly bars with a wave in them.
fn bars(path: &Path, hours: usize) {
    use std::fmt::Write;
    let mut text = "timestamp,open,high,low,close,volume\n".to_owned();
    let mut price: f64 = 1_500.0;
    for n in 0..hours {
        let open = price;
        price *= 1.0 + 0.01 * (n as f64 * 0.4).sin() + 0.0005;
        let (high, low) = (open.max(price) * 1.002, open.min(price) * 0.998);
        writeln!(text, "{},{open},{high},{low},{price},900", 1_640_995_200 + n * 3_600).unwrap();
    }
    std::fs::write(path, text).unwrap();
}

#[test]
fn a_backtest_tells_the_same_table_on_both_chains() {
    let Some(home) = Home::with_contracts() else { return };
    let data = home.path().join("bars.csv");
    bars(&data, 400);
    let data = data.display().to_string();
    let run = |chain: &str, template: &str| {
        home.json(&["backtest", "--data", &data, "--template", template, "--chain", chain, "--from", "2022-01-02"])
    };
    for template in ["lp-management", "eth-dca"] {
        let (mut paper, mut embedded) = (run("paper", template), run("embedded", template));
        assert_eq!(paper["chain"], "paper");
        for told in [&mut paper, &mut embedded] {
            told.as_object_mut().unwrap().remove("chain");
        }
        assert_eq!(paper, embedded, "{template}");
        for field in
            ["final_nav_micro_usdc", "buy_and_hold_micro_usdc", "hold_usdc_micro_usdc", "no_learning_micro_usdc"]
        {
            assert!(paper[field].as_u64().unwrap() > 1_000_000_000, "{field}: {paper:#}");
        }
        assert!(paper["trades"].as_u64().unwrap() > 0 && paper["max_drawdown"].as_f64().is_some());
        assert!(paper["from"].as_str().unwrap().starts_with("2022-01-02"), "{paper:#}");
    }
    let bad = home.bardo(&["backtest", "--data", &data, "--from", "yesterday"]);
    assert_eq!(bad.code, 2, "{bad:?}");
}

#[test]
fn weather_can_be_chosen_by_name_or_file_and_bad_weather_is_refused() {
    let home = Home::new();
    home.create("calm", 3, &["--set", "chain.scenario=calm"]);
    home.create("crash", 3, &["--set", "chain.scenario=crash"]);
    let (calm, crash) = (home.live("calm", Some(2_000)), home.live("crash", Some(2_000)));
    assert_ne!(calm["hash"], crash["hash"]);
    let price = |name: &str| home.json(&["golem", "status", name])["price"].as_f64().unwrap();
    assert!(price("crash") < price("calm") * 0.9, "{} and {}", price("crash"), price("calm"));
    let said = home.bardo(&["golem", "create", "lost", "--seed", "3", "--set", "chain.scenario=hurricane"]);
    assert_eq!(said.code, 2, "{said:?}");
    assert!(said.err.contains("known ones: calm"), "{}", said.err);
}

#[test]
fn a_file_that_went_back_is_refused_where_its_chain_went_on() {
    let Some(home) = Home::with_contracts() else { return };
    let dir = home.create("ada", 7, &["--budget", "2000", "--chain", "embedded", "--set", "chain.name=river"]);
    home.live("ada", Some(1));
    let kept = std::fs::read(dir.join("golem.db")).unwrap();
    let before = worth(&home, "ada")[6].as_u64().unwrap();
    home.live("ada", Some(2_100));
    assert!(worth(&home, "ada")[6].as_u64().unwrap() > before, "a life without trades proves nothing");
    std::fs::write(dir.join("golem.db"), kept).unwrap();
    let said = home.bardo(&["golem", "run", "ada", "--speed", "max", "--ticks", "10", "--accept-rollback"]);
    assert_eq!(said.code, 2, "{said:?}");
    assert!(said.err.contains("river knows that ada acted in turn"), "{}", said.err);
}

#[test]
fn where_the_contracts_cannot_be_had_paper_stands_in_and_says_so() {
    let home = Home::new();
    let create = ["golem", "create", "ada", "--seed", "3", "--chain", "embedded", "--json"];
    let said = home.command(&create).env("PATH", "/nowhere").output().unwrap();
    let (told, talk) = (String::from_utf8(said.stdout).unwrap(), String::from_utf8(said.stderr).unwrap());
    assert!(said.status.success(), "{talk}");
    assert_eq!(serde_json::from_str::<Value>(&told).unwrap()["chain"], "paper");
    assert!(talk.contains("the chain is paper instead of embedded"), "{talk}");
}
