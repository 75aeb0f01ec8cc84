//! Reports: one page for a life, dead or alive, that needs nothing else, says what the other commands say, and overwrites nothing.

use crate::kit::{Home, Said};
use serde_json::Value;
use std::path::Path;

fn page(home: &Home, name: &str, file: &str) -> (Value, String) {
    let out = home.path().join(file).display().to_string();
    let told = home.json(&["report", name, "--out", &out]);
    assert_eq!(told["path"].as_str(), Some(out.as_str()));
    let html = std::fs::read_to_string(&out).unwrap();
    assert_eq!(told["bytes"].as_u64(), Some(html.len() as u64));
    alone(&html);
    (told, html)
}

/// It runs nothing, and fetches nothing.
fn alone(html: &str) {
    for word in ["<script", "src=", "url(", "<link", "<iframe", "NaN", "@import"] {
        assert!(!html.contains(word), "{word}");
    }
    assert!(html.starts_with("<!DOCTYPE html>") && html.contains("default-src 'none'"));
    assert!(html.len() < 2_000_000, "{}", html.len());
}

#[test]
fn a_dead_golem_has_a_page_with_charts_trades_forecasts_and_its_last_words() {
    let home = Home::new();
    home.create("ada", 5, &["--budget", "100", "--template", "eth-dca", "--set", "dream.enabled=true"]);
    home.live("ada", Some(5_000));
    home.ok(&["golem", "kill", "ada", "--yes", "--reason", "</style><script>alert(1)</script>"]);
    let (told, html) = page(&home, "ada", "ada.html");
    for words in [
        "<title>† ada</title>",
        ">buy and hold<",
        ">hold USDC<",
        "Drawdown",
        "class=\"lines ribbon\"",
        ">▲</span>",
        "What it foretold",
        "price direction",
        "class=\"band\"",
        "What it dreamt",
        "How it felt",
        "Runway",
        "How it ended",
        "What I learned",
        "<blockquote>",
        "Its money",
        "bardo report ada",
    ] {
        assert!(html.contains(words), "{words}");
    }
    // The same figures as elsewhere.
    let story = home.json(&["golem", "story", "ada"]);
    for (here, there) in [
        ("worth_micro_usdc", "final_nav_micro_usdc"),
        ("buy_and_hold_micro_usdc", "holding_micro_usdc"),
        ("hold_usdc_micro_usdc", "nothing_micro_usdc"),
        ("given_micro_usdc", "funded_micro_usdc"),
        ("cause", "cause"),
        ("hash", "hash"),
        ("turns", "turns"),
    ] {
        assert_eq!(told[here], story[there], "{here}");
    }
    assert!(html.contains(told["hash"].as_str().unwrap()));
    // Every trade has its mark, and the golem's end is marked on both charts.
    let trades = home.json(&["golem", "trades", "ada"]);
    let done = trades.as_array().unwrap().iter().filter(|t| t["done"] == true).count();
    assert_eq!(html.matches("class=\"mark up\"").count() + html.matches("class=\"mark down\"").count(), done.min(250));
    assert_eq!(html.matches("class=\"mark cross\"").count(), 2);
    // Made again it is the same page.
    assert_eq!(page(&home, "ada", "again.html").1, html);
}

#[test]
fn the_living_have_a_page_too_and_nothing_is_overwritten() {
    let home = Home::new();
    home.create("bob", 6, &[]);
    let early = home.bardo(&["report", "bob"]);
    assert!(early.code == 2 && early.err.contains("has not taken a turn yet"), "{early:?}");
    home.live("bob", Some(1));
    let (_, first) = page(&home, "bob", "newborn.html");
    assert!(first.contains("<title>bob</title>") && !first.contains("How it ended"));
    home.live("bob", Some(700));
    let here = home.path().join("here");
    std::fs::create_dir(&here).unwrap();
    let report = |more: &[&str]| {
        let args = [&["report", "bob"], more].concat();
        crate::kit::Said::from(home.command(&args).current_dir(&here).output().unwrap())
    };
    let said = report(&[]);
    assert!(said.code == 0 && said.out.contains("bob.html"), "{said:?}");
    let html = std::fs::read_to_string(here.join("bob.html")).unwrap();
    assert!(html.contains("to survive them") && html.contains("runway"));
    let said = report(&[]);
    assert!(said.code == 2 && said.err.contains("is there already") && said.err.contains("--yes"), "{said:?}");
    assert_eq!(report(&["--yes"]).code, 0);
    let said = report(&["--out", "nowhere/bob.html"]);
    assert!(said.code == 2 && said.err.contains("no directory"), "{said:?}");
    assert_eq!(std::fs::read_dir(&here).unwrap().count(), 1);
    // While it runs it can be read, and lives on.
    let mut child = home.start(&["golem", "run", "bob", "--speed", "x2000"]);
    std::thread::sleep(std::time::Duration::from_millis(500));
    let said = report(&["--out", "running.html"]);
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(said.code, 0, "{said:?}");
}

/// Whoever gives its owner half of what it has has lost nothing.
#[test]
fn what_an_owner_took_home_is_no_fall() {
    let home = Home::new();
    home.create("giver", 9, &["--budget", "500", "--template", "eth-dca"]);
    home.live("giver", Some(600));
    home.ok(&["golem", "withdraw", "giver", "200"]);
    home.live("giver", Some(2_000));
    let status = home.json(&["golem", "status", "giver"]);
    let (balance, went) = (status["balance_micro_usdc"].as_u64().unwrap(), status["home"]["worth_micro_usdc"].as_u64());
    assert!(went.is_some_and(|went| went > 150_000_000) && balance < 360_000_000, "{status:#}");
    let (told, html) = page(&home, "giver", "giver.html");
    assert_eq!(told["worth_micro_usdc"].as_u64(), went.map(|went| went + balance));
    assert!(told["max_drawdown"].as_f64().unwrap() < 0.25, "{told}");
    assert!(html.contains("USDC that its owner took home count on."));
}

/// Its death is on record, its last turns are not over: it is not dead yet.
#[test]
fn one_that_is_dying_is_not_called_dead() {
    let home = Home::new();
    let dir = home.create("ada", 5, &[]);
    home.live("ada", Some(200));
    std::fs::write(dir.join("kill-switch"), "").unwrap();
    while home.live("ada", Some(1))["standing"] == "alive" {}
    let (told, html) = page(&home, "ada", "dying.html");
    assert_eq!(told["standing"], "dying");
    assert!(html.contains("<title>ada</title>") && html.contains("It is dying of"), "{told}");
    for words in ["†", "died", "How it ended", "no testament", "class=\"mark cross\""] {
        assert!(!html.contains(words), "{words}");
    }
    assert!(html.contains("testament is being written"));
    let out = home.path().join("again.html").display().to_string();
    let said = home.ok(&["report", "ada", "--out", &out]).out;
    assert!(said.contains("is dying: ") && !said.contains("kill_switch"), "{said}");
    home.live("ada", None);
    // To nowhere but where it is read.
    let said = Said::from(home.command(&["report", "ada", "--out", "-"]).current_dir(home.path()).output().unwrap());
    assert!(said.code == 0 && said.out.starts_with("<!DOCTYPE html>") && said.out.trim_end().ends_with("</html>"));
    assert!(!home.path().join("-").exists(), "no file of that name");
    let (told, html) = page(&home, "ada", "dead.html");
    assert!(told["cause_in_words"].as_str().unwrap().contains(' '), "{told}");
    assert!(told["standing"] == "dead" && html.contains("† ada") && html.contains("How it ended"));
}

/// Who has a damaged file is told what mends it.
#[test]
fn a_damaged_file_has_a_hint_that_helps() {
    let home = Home::new();
    let dir = home.create("ada", 5, &[]);
    home.live("ada", Some(5));
    std::fs::write(dir.join("golem.db"), "rubbish".repeat(1_000)).unwrap();
    let said = home.bardo(&["report", "ada"]);
    assert!(said.code != 0 && said.err.contains("golem restore") && said.err.contains("bardo doctor"), "{said:?}");
    assert!(!said.err.contains("what can be typed"), "{said:?}");
}

/// A sealed testament is its owner's: nothing of it stands on a page that is sent around.
#[test]
fn a_sealed_testament_stays_sealed() {
    let home = Home::new();
    let key = home.path().join("owner.key").display().to_string();
    let public = home.json(&["wallet", "seal-key", &key])["sealed_to"].as_str().unwrap().to_owned();
    home.create("eve", 3, &["--set", &format!("testament.sealed_to={public}")]);
    home.live("eve", Some(200));
    home.ok(&["golem", "kill", "eve", "--yes", "--reason", "x"]);
    let (_, html) = page(&home, "eve", "eve.html");
    assert!(html.contains("no testament that anybody may read") && !html.contains("<blockquote>"));
}

fn bars(path: &Path) {
    let mut text = "timestamp,open,high,low,close,volume\n".to_owned();
    for n in 0..600_i64 {
        let price = 2_000.0 + 200.0 * (n as f64 / 40.0).sin();
        let next = 2_000.0 + 200.0 * ((n + 1) as f64 / 40.0).sin();
        let (high, low) = (price.max(next) * 1.002, price.min(next) * 0.998);
        text += &format!("{},{price},{high},{low},{next},900\n", 1_640_995_200 + n * 3_600);
    }
    std::fs::write(path, text).unwrap();
}

#[test]
fn a_backtest_ends_with_a_page() {
    let home = Home::new();
    let (data, out, dir) = (home.path().join("bars.csv"), home.path().join("test.html"), home.path().join("files"));
    bars(&data);
    let [data, out, dir] = [data, out, dir].map(|path| path.display().to_string());
    let args = [
        "backtest",
        "--data",
        &data,
        "--template",
        "trend-following",
        "--seeds",
        "2",
        "--report",
        &out,
        "--export",
        &dir,
    ];
    let told = home.json(&args);
    let html = std::fs::read_to_string(&out).unwrap();
    alone(&html);
    for words in [
        "the same, not learning",
        "buy and hold",
        "hold USDC",
        "Drawdown",
        "ribbon",
        "What it foretold",
        "What it learnt, and what that was worth",
        "The same golem without learning ended with",
        "of its guesses came true often enough to become knowledge",
        "off: --set dream.enabled=true",
        "Other seeds",
    ] {
        assert!(html.contains(words), "{words}");
    }
    assert!(told["trades"].as_u64().unwrap() > 0 && html.contains("class=\"mark up\""));
    // One for each seed among the files, and the two differ.
    let of = |seed: u64| std::fs::read_to_string(Path::new(&dir).join(format!("seed-{seed}/page.html"))).unwrap();
    assert!(of(42) != of(43) && !of(42).contains("Other seeds"));
    // Refused before anybody lives.
    let again = home.bardo(&args[..9]);
    assert!(again.code == 2 && again.err.contains("is there already"), "{again:?}");
    // Without a word it is kept in the home; with one it is not.
    home.ok(&args[..5]);
    home.ok(&[&args[..5], &["--no-report"]].concat());
    let kept: Vec<_> =
        std::fs::read_dir(home.path().join("reports")).unwrap().map(|f| f.unwrap().file_name()).collect();
    assert_eq!(kept, ["backtest-1.html"]);
    alone(&std::fs::read_to_string(home.path().join("reports/backtest-1.html")).unwrap());
}

#[test]
fn a_comparison_ends_with_a_page() {
    let home = Home::new();
    let out = home.path().join("compared.html").display().to_string();
    let args = [
        "lab",
        "compare",
        "--seeds",
        "2",
        "--days",
        "2",
        "--pace",
        "hour",
        "--switch",
        "mind.trading=true,false",
        "--worlds",
        "default,flat",
        "--report",
        &out,
    ];
    home.ok(&args);
    let html = std::fs::read_to_string(&out).unwrap();
    alone(&html);
    assert!(
        html.contains("class=\"forest\"")
            && html.contains(">default<")
            && html.contains(">flat<")
            && html.contains("exposure")
    );
    let again = home.bardo(&args);
    assert!(again.code == 2 && again.err.contains("is there already"), "{again:?}");
}

/// The other commands of the lab end with one too, with a plot where there are intervals.
#[test]
fn what_the_lab_prints_is_kept_as_a_page() {
    let home = Home::new();
    let heirs = ["lab", "heirs", "--worlds", "gas-hours", "--paths", "2", "--learnt", "4"];
    let remedies = ["lab", "remedies", "--seeds", "1", "--days", "2"];
    for (args, name) in [(&heirs[..], "heirs"), (&remedies, "remedies")] {
        let printed = home.ok(args);
        let html = std::fs::read_to_string(home.path().join(format!("reports/{name}-1.html"))).unwrap();
        alone(&html);
        let first = printed.out.lines().next().unwrap();
        assert!(html.contains("class=\"screen\"") && html.contains(first), "{first}");
        assert_eq!(html.contains("class=\"forest\""), name == "heirs");
    }
}
