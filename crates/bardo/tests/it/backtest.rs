//! Backtests: figures held against other code, deaths beside the account, equal terms for the baselines, clear errors.

use crate::kit::{Home, Said, count, long};
use serde_json::Value;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

const TEMPLATES: [&str; 4] = ["lp-management", "trend-following", "eth-dca", "stable-yield"];
const HEADER: &str = "timestamp,open,high,low,close,volume";

/// 2022-01-01, midnight.
const START: i64 = 1_640_995_200;

/// Hourly bars of a made-up market: calm, then wild, with missing bars, bars without volume and a jump.
fn made_up(path: &Path, hours: i64) {
    let (mut text, mut price, mut state) = (format!("{HEADER}\n"), 2_000.0_f64, 7_u64);
    let mut uniform = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 53) as f64
    };
    for n in 0..hours {
        let open = price;
        let wild = if n % 500 > 250 { 0.02 } else { 0.006 };
        let jump = if n == 777 { 0.75 } else { 1.0 };
        price *= jump * (1.0 + wild * (uniform() + uniform() - 1.0) + 0.004 * (n as f64 / 60.0).sin());
        let (high, low) = (open.max(price) * (1.0 + wild * uniform()), open.min(price) * (1.0 - wild * uniform()));
        let volume = if n % 97 == 5 { 0.0 } else { 500.0 + 2_000.0 * uniform() };
        if !(300..303).contains(&n) && n != 1_001 {
            writeln!(text, "{},{open},{high},{low},{price},{volume}", START + n * 3_600).unwrap();
        }
    }
    std::fs::write(path, text).unwrap();
}

/// Where market data lies, and three stretches of it, none of them cut at midnights or months.
fn windows(home: &Home) -> (PathBuf, [[String; 2]; 3]) {
    let days = |from: &str, to: &str| [from.to_owned(), to.to_owned()];
    let recorded = std::env::var_os("BARDO_TEST_DATA")
        .map(|dir| Path::new(&dir).join("eth_usdt_swap_1h_2020-01_2023-12.csv"))
        .filter(|path| path.exists());
    match recorded {
        Some(path) if long() => (
            path,
            [
                days("2020-02-20T05:00:00Z", "2021-02-20"),
                days("2021-05-01", "2022-05-03T17:00:00Z"),
                days("2022-10-28T22:00:00Z", "2023-11-03"),
            ],
        ),
        Some(path) => (
            path,
            [
                days("2020-02-27T05:00:00Z", "2020-03-20"),
                days("2021-05-08", "2021-06-03T17:00:00Z"),
                days("2022-10-28T22:00:00Z", "2022-11-18"),
            ],
        ),
        None => {
            let path = home.path().join("made_up.csv");
            made_up(&path, if long() { 20_000 } else { 1_600 });
            let ends = if long() { "2024-02-01" } else { "2022-02-27T09:00:00Z" };
            (
                path,
                [
                    days("2022-01-01", "2022-01-23T07:00:00Z"),
                    days("2022-01-20", "2022-02-14"),
                    days("2022-02-08", ends),
                ],
            )
        }
    }
}

fn recompute(python: &Path, out: &Path, data: &Path, [from, to]: &[String; 2], extra: &[&str]) {
    let tool = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tools/check_backtest.py");
    let mut command = Command::new(python);
    command.arg(tool).arg(out).arg("--data").arg(data).args(["--from", from, "--to", to]).args(extra);
    let said: Said = command.output().expect("python3 starts").into();
    assert_eq!(said.code, 0, "{}: {}\n{}", out.display(), said.out, said.err);
    let compared: u64 = said.out.split_whitespace().next().and_then(|n| n.parse().ok()).expect("a count");
    assert!(compared > 1_000, "{}", said.out);
}

/// Backtest four templates over three windows, poor and rich, and let other code judge each.
fn judged(python: &Path, extra: &[&str]) {
    let home = Home::new();
    let (data, windows) = windows(&home);
    let (mut closed, mut fees, mut deaths) = (0, 0, 0);
    for (n, window) in windows.iter().enumerate() {
        for template in TEMPLATES {
            let out = home.path().join(format!("{template}-{n}"));
            let [budget, rent] = [["10000", "0.007"], ["60", "0.2"], ["3000", "0.007"]][n];
            let rent = format!("mortality.economic.compute_usdc_per_hour=\"{rent}\"");
            let (file, dir) = (data.display().to_string(), out.display().to_string());
            // Some deaths end the account, others stand beside it.
            let stop = if n == 1 && template != "lp-management" { "--stop-at-death" } else { "--quiet" };
            let told = home.json(&[
                "backtest",
                "--data",
                &file,
                "--template",
                template,
                "--from",
                &window[0],
                "--to",
                &window[1],
                "--budget",
                budget,
                "--export",
                &dir,
                "--set",
                &rent,
                stop,
            ]);
            recompute(python, &out, &data, window, extra);
            closed += told["closed"]["count"].as_u64().unwrap();
            fees += told["liquidity"]["fees_micro_usdc"].as_u64().unwrap_or_default();
            deaths += u64::from(told["died"].as_bool().unwrap());
            let written: Value = serde_json::from_slice(&std::fs::read(out.join("report.json")).unwrap()).unwrap();
            assert_eq!(written, told, "the file says what was said");
        }
    }
    assert!(closed > 20 && fees > 0 && deaths > 0, "{closed} closed, {fees} of fees, {deaths} deaths prove little");
}

#[test]
fn every_figure_is_what_other_code_finds() {
    judged(Path::new("python3"), &[]);
}

/// Read a file, change it, write it back, and see whether other code notices.
fn notices(out: &Path, file: &str, data: &Path, change: impl Fn(&str) -> String) -> bool {
    let path = out.join(file);
    let kept = std::fs::read_to_string(&path).unwrap();
    let changed = change(&kept);
    assert_ne!(kept, changed, "{file} was not changed");
    std::fs::write(&path, changed).unwrap();
    let tool = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tools/check_backtest.py");
    let said: Said = Command::new("python3").arg(tool).arg(out).arg("--data").arg(data).output().unwrap().into();
    std::fs::write(&path, kept).unwrap();
    assert!(!said.err.contains("Traceback"), "{}", said.err);
    said.code == 1
}

#[test]
fn the_other_code_notices_what_is_a_millionth_wrong() {
    let home = Home::new();
    let (data, out) = (home.path().join("bars.csv"), home.path().join("out"));
    made_up(&data, 500);
    home.ok(&["backtest", "--data", data.to_str().unwrap(), "--export", out.to_str().unwrap(), "--quiet"]);
    // One figure after another, by three millionths.
    let figures = [
        "/ratios/sharpe",
        "/ratios/sortino",
        "/ratios/calmar",
        "/ratios/cagr",
        "/ratios/volatility",
        "/max_drawdown",
        "/buy_and_hold_ratios/sharpe",
        "/no_learning_ratios/sharpe",
        "/closed/win_rate",
        "/closed/profit_factor",
        "/liquidity/lvr_usdc",
        "/liquidity/fees_micro_usdc",
        "/months/0/change",
        "/money/open_micro_usdc",
        "/final_nav_micro_usdc",
        "/data/largest_move/change",
    ];
    for figure in figures {
        let alter = |text: &str| {
            let mut report: Value = serde_json::from_str(text).unwrap();
            let at = report.pointer_mut(figure).unwrap_or_else(|| panic!("{figure}"));
            *at = match at.as_i64() {
                Some(whole) => (whole + 3 + whole.abs() * 3 / 1_000_000).into(),
                None => (at.as_f64().unwrap_or_else(|| panic!("{figure} is missing")) * 1.000_003).into(),
            };
            report.to_string()
        };
        assert!(notices(&out, "report.json", &data, alter), "{figure}");
    }
    let drop_a_line = |text: &str| {
        let mut lines: Vec<&str> = text.lines().collect();
        lines.remove(lines.len() / 2);
        lines.join("\n") + "\n"
    };
    assert!(notices(&out, "trades.csv", &data, drop_a_line));
    assert!(notices(&out, "prices.csv", &data, drop_a_line));
}

/// The definitions of a library that traders use.
#[test]
fn every_ratio_is_what_an_established_library_finds() {
    if !long() {
        return;
    }
    let venv = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/tools/metrics");
    let python = venv.join("bin/python");
    let run = |command: &mut Command| assert!(command.status().expect("python3 starts").success(), "{command:?}");
    if !python.exists() {
        run(Command::new("python3").args(["-m", "venv"]).arg(&venv));
    }
    run(Command::new(&python).args([
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
        "empyrical-reloaded==0.5.12",
        "pandas==3.1.1",
        "numpy==2.4.6",
        "pytz==2026.6",
    ]));
    judged(&python, &["--library"]);
}

/// A file of hours, and a golem on it that cannot last.
fn doomed(home: &Home) -> Vec<String> {
    let data = home.path().join("bars.csv");
    made_up(&data, 500);
    let words = ["backtest", "--data", &data.display().to_string(), "--template", "trend-following", "--budget", "20"];
    let dear = ["--set", "mortality.economic.compute_usdc_per_hour=\"0.1\""];
    words.iter().chain(&dear).map(ToString::to_string).collect()
}

fn told(home: &Home, words: &[String], more: &[&str]) -> Value {
    let words: Vec<&str> = words.iter().map(String::as_str).chain(more.iter().copied()).collect();
    home.json(&words)
}

#[test]
fn the_window_is_finished_and_the_death_stands_beside_it() {
    let home = Home::new();
    let words = doomed(&home);
    let (whole, cut) = (told(&home, &words, &[]), told(&home, &words, &["--stop-at-death"]));
    assert_eq!((&whole["died"], &whole["death"]["enforced"]), (&true.into(), &false.into()), "{whole:#}");
    assert_eq!(cut["death"]["enforced"], true);
    assert_eq!(whole["to"], whole["data"]["last"], "the window is finished");
    assert!(cut["to"].as_str() < whole["to"].as_str(), "{} {}", cut["to"], whole["to"]);
    for same in ["at", "cause", "worth_micro_usdc", "age_days"] {
        assert_eq!(whole["death"][same], cut["death"][same], "{same}: the same life until it died");
    }
    assert_ne!(
        whole["buy_and_hold_micro_usdc"], cut["buy_and_hold_micro_usdc"],
        "a baseline is read when the golem is"
    );
    let said = home.ok(&words.iter().map(String::as_str).collect::<Vec<_>>());
    let words = said.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("it would have died 2022-01-"), "{}", said.out);
}

#[test]
fn a_twin_that_lives_the_same_is_worth_the_same_at_every_moment() {
    let home = Home::new();
    let words = doomed(&home);
    // Its turns are rarer near its end: were it read at its own last turn, it would be read early.
    for more in [&["--set", "mind.learning=false"][..], &["--set", "mind.learning=false", "--stop-at-death"]] {
        let told = told(&home, &words, more);
        assert_eq!(told["final_nav_micro_usdc"], told["no_learning_micro_usdc"]);
        assert_eq!(told["ratios"], told["no_learning_ratios"]);
    }
}

#[test]
fn buying_and_holding_pays_gas_too() {
    let home = Home::new();
    let data = home.path().join("bars.csv");
    made_up(&data, 200);
    let data = data.display().to_string();
    let run = |gwei: &str| home.json(&["backtest", "--data", &data, "--template", "eth-dca", "--gas-gwei", gwei]);
    let (cheap, dear) = (run("0.05"), run("50"));
    let gas = |told: &Value| told["buy_and_hold_costs"]["gas_micro_usdc"].as_u64().unwrap();
    let paid = |told: &Value| told["buy_and_hold_costs"]["paid_micro_usdc"].as_u64().unwrap();
    let (a, b) = (gas(&cheap), gas(&dear));
    assert!(b.abs_diff(a * 1_000) <= 1_000, "{a} and {b}: gas that costs a thousand times as much");
    for told in [&cheap, &dear] {
        // Gas is dearer by a hair where more is bought: that hair is left over.
        let left = 10_000_000_000 - gas(told) - paid(told);
        assert!(left < 100_000, "{left} of everything it had");
    }
    assert_eq!((&cheap["gas"]["assumed_gwei"], &dear["gas"]["assumed_gwei"]), (&0.05.into(), &50.0.into()));
    assert!(cheap["buy_and_hold_micro_usdc"].as_u64() > dear["buy_and_hold_micro_usdc"].as_u64());
    let default = home.ok(&["backtest", "--data", &data, "--template", "eth-dca"]);
    let said = default.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains("0.05 gwei, assumed (set --gas-gwei)"), "the assumption is said: {}", default.out);
}

#[test]
fn several_seeds_are_each_themselves_and_their_spread_is_told() {
    let home = Home::new();
    let data = home.path().join("bars.csv");
    made_up(&data, 250);
    let data = data.display().to_string();
    let run = |more: &[&str]| home.json(&[&["backtest", "--data", &data, "--budget", "500"][..], more].concat());
    let all = run(&["--seed", "7", "--seeds", "3"]);
    let alone: Vec<Value> = ["7", "8", "9"].map(|seed| run(&["--seed", seed])).into();
    let navs: Vec<f64> = alone.iter().map(|t| t["final_nav_micro_usdc"].as_u64().unwrap() as f64 / 1e6).collect();
    for (run, alone) in all["seeds"]["runs"].as_array().unwrap().iter().zip(&alone) {
        for field in ["seed", "final_nav_micro_usdc", "no_learning_micro_usdc", "buy_and_hold_micro_usdc", "trades"] {
            assert_eq!(run[field], alone[field], "{field}");
        }
    }
    assert_eq!(all["final_nav_micro_usdc"], alone[0]["final_nav_micro_usdc"], "the report is the first seed's");
    let mut sorted = navs.clone();
    sorted.sort_by(f64::total_cmp);
    let spread = &all["seeds"]["final_nav_usdc"];
    let near =
        |key: &str, x: f64| assert!((spread[key].as_f64().unwrap() - x).abs() < 1e-9, "{key}: {spread} {navs:?}");
    near("mean", navs.iter().sum::<f64>() / 3.0);
    near("min", sorted[0]);
    near("median", sorted[1]);
    near("max", sorted[2]);
    assert!(sorted[0] < sorted[2], "seeds that are all the same prove nothing");
}

/// On bars that are longer than the window of a mean the last closed bar is what prices are held against.
#[test]
fn on_hourly_bars_prices_are_held_against_the_last_closed_one() {
    let home = Home::new();
    let data = home.path().join("bars.csv");
    made_up(&data, 250);
    let data = data.display().to_string();
    let words = ["backtest", "--data", &data, "--budget", "500"];
    let told = home.json(&words);
    assert_eq!((&told["reference"]["kind"], &told["reference"]["window_s"]), (&"last_bar".into(), &3_600.into()));
    let text = home.ok(&words).out;
    assert!(text.contains("against the last closed bar (60 min)"), "{text}");
    // A golem whose turns are shorter than the window asks for the mean, and says so.
    home.create("ada", 5, &[]);
    home.live("ada", Some(50));
    assert_eq!(home.json(&["golem", "status", "ada"])["cage"]["reference"]["kind"], "pool_mean");
}

#[test]
fn nothing_is_wider_than_a_terminal() {
    let home = Home::new();
    let data = home.path().join("bars.csv");
    made_up(&data, count(1_100, 3_000) as i64);
    let data = data.display().to_string();
    for (budget, more) in
        [("1000000", &["--trades"][..]), ("10", &["--trades", "--seeds", "2"]), ("1", &[]), ("1000000000", &[])]
    {
        let words = [&["backtest", "--data", &data, "--budget", budget][..], more].concat();
        let said = home.ok(&words);
        for line in said.out.lines().chain(said.err.lines()) {
            assert!(line.chars().count() <= 80, "{budget}: {line:?}");
        }
        assert_eq!(budget == "1000000000", said.out.contains("too shallow"), "{}", said.out);
        for part in ["Sharpe", "drawdown", "buy and hold", "2022-02", "CAGR", "missing", "at the end"] {
            assert!(said.out.contains(part), "{part}: {}", said.out);
        }
    }
}

#[test]
fn the_money_adds_up_to_the_micro() {
    let home = Home::new();
    let words = doomed(&home);
    for more in [&[][..], &["--template", "lp-management", "--budget", "5000"], &["--stop-at-death"]] {
        let words: Vec<String> = if more.contains(&"--budget") { words[..3].to_vec() } else { words.clone() };
        let told = told(&home, &words, more);
        let m = |key: &str| told["money"][format!("{key}_micro_usdc")].as_i64().unwrap();
        let sum = m("given") + m("realised") + m("open") - m("gas") - m("living") - m("owed");
        assert!(more.contains(&"--budget") || m("living") > m("given") / 2, "a life that cost nothing proves little");
        assert_eq!(sum, told["final_nav_micro_usdc"].as_i64().unwrap());
        assert_eq!(m("realised"), told["trade_totals"]["realised_micro_usdc"].as_i64().unwrap());
    }
}

#[test]
fn files_and_windows_that_cannot_be_lived_in_are_refused_with_a_hint() {
    let home = Home::new();
    let bar = |at: i64, price: f64| format!("{},{price},{price},{price},{price},5\n", START + at * 3_600);
    let file = |name: &str, rows: &[String]| {
        let path = home.path().join(name);
        std::fs::write(&path, format!("{HEADER}\n{}", rows.concat())).unwrap();
        path.display().to_string()
    };
    let sound = file("sound", &(0..50).map(|n| bar(n, 2_000.0)).collect::<Vec<_>>());
    let bad = [
        (file("one", &[bar(0, 2_000.0)]), &[][..], "1 usable bars"),
        (file("none", &[]), &[], "has no rows"),
        (file("unordered", &[bar(0, 1.0), bar(2, 1.0), bar(1, 1.0)]), &[], "does not come after"),
        (file("twice", &[bar(0, 1.0), bar(1, 1.0), bar(1, 1.0)]), &[], "does not come after"),
        (file("zero", &[bar(0, 1.0), bar(1, 0.0), bar(2, 1.0)]), &[], "is too low"),
        (file("huge", &[bar(0, 1.0), bar(1, 1e30), bar(2, 1.0)]), &[], "no price that a pool can hold"),
        (file("tiny", &[bar(0, 1.0), bar(1, 1e-30), bar(2, 1.0)]), &[], "no price that a pool can hold"),
        (home.path().join("nowhere.csv").display().to_string(), &[], "cannot be read"),
        (sound.clone(), &["--from", "2030-01-01"], "it covers 2022-01-01T00:00:00Z to 2022-01-03T02:00:00Z"),
        (sound.clone(), &["--to", "2020-01-01"], "has no bars in the window"),
        (sound.clone(), &["--from", "2022-01-02", "--to", "2022-01-01"], "begins at 2022-01-02"),
        (sound.clone(), &["--from", "2022-01-01T03:00:00Z", "--to", "2022-01-01T04:00:00Z"], "1 usable bars"),
        (sound.clone(), &["--from", "yesterday"], "is no time"),
        (sound.clone(), &["--budget", "0"], "not enough to live on"),
        (sound.clone(), &["--budget", "99999999999"], "more than"),
        (sound.clone(), &["--gas-gwei", "-1"], "gas_gwei"),
        (sound.clone(), &["--gas-gwei", "NaN"], "gas_gwei"),
        (sound.clone(), &["--chain", "rpc"], "a node's chain"),
        (sound.clone(), &["--seed", "18446744073709551615", "--seeds", "2"], "not so many seeds"),
        (sound.clone(), &["--export", &sound], "cannot write into"),
        (sound.clone(), &["--export", home.path().to_str().unwrap()], "is not empty"),
    ];
    for (path, more, why) in bad {
        let said = home.bardo(&[&["backtest", "--data", &path, "--quiet"][..], more].concat());
        assert_eq!(said.code, 2, "{path} {more:?}: {said:?}");
        let words = said.err.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words.contains(why) && words.contains("hint: "), "{why}: {}", said.err);
        assert!(said.out.is_empty(), "{}", said.out);
    }
    for seeds in ["0", "1001", "x"] {
        assert_eq!(home.bardo(&["backtest", "--data", &sound, "--seeds", seeds]).code, 2, "{seeds}");
    }
}

#[test]
fn a_market_that_stands_still_and_one_that_runs_away_are_lived_through() {
    let home = Home::new();
    let path = home.path().join("odd.csv");
    let odd: [&dyn Fn(i64) -> f64; 4] =
        [&|_| 2_000.0, &|n| 1e-6 * 1.2_f64.powi(n as i32), &|n| 1e12 / 1.2_f64.powi(n as i32), &|n| {
            if n % 2 == 0 { 1.0 } else { 1_000_000.0 }
        }];
    for price in odd {
        let rows: String = (0..80)
            .map(|n| {
                let p = price(n);
                // A week is missing after every twentieth bar.
                format!(
                    "{},{p},{p},{p},{p},{}\n",
                    START + (n + n / 20 * 168) * 3_600,
                    if n % 3 == 0 { 0.0 } else { 1e9 }
                )
            })
            .collect();
        std::fs::write(&path, format!("{HEADER}\n{rows}")).unwrap();
        for template in TEMPLATES {
            let told = home.json(&["backtest", "--data", path.to_str().unwrap(), "--template", template, "--quiet"]);
            assert_eq!((&told["data"]["missing"], &told["data"]["gaps"]), (&504.into(), &3.into()));
            assert_eq!(told["to"], told["data"]["last"]);
        }
    }
}
