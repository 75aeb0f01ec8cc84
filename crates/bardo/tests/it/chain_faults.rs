//! Faults of the embedded chain, through the real binary: no effect is lost to a kill, no other file is taken for the chain
//! a golem lived on, and a snapshot brings both back.

#![allow(clippy::print_stderr, reason = "a skipped test says so")]

use crate::kit;

use kit::{Home, copy_into};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

/// Another home that is the same to the last byte.
fn twin(home: &Home) -> Home {
    let other = Home::new();
    copy_into(home.path(), other.path());
    other
}

fn chain(home: &Home, name: &str) -> PathBuf {
    home.path().join("chains").join(name).join("chain.db")
}

fn lose(path: &Path) {
    for suffix in ["", "-wal", "-shm"] {
        let mut name = path.as_os_str().to_owned();
        name.push(suffix);
        let _absent = std::fs::remove_file(PathBuf::from(name));
    }
}

pub(crate) const VICTIM: &[&str] = &[
    "--chain",
    "embedded",
    "--budget",
    "30",
    "--template",
    "eth-dca",
    "--set",
    "fleet.hears=false",
    "--set",
    "mortality.immortal=true",
];

fn strace() -> bool {
    if std::env::var_os("BARDO_SKIP_STRACE").is_some() {
        eprintln!("skipped: strace is missing");
        return false;
    }
    true
}

/// Run under strace with a kill at a system call; true when the process died of it.
fn killed(home: &Home, call: &str, when: usize, ticks: &str) -> bool {
    let status = Command::new("strace")
        .args(["-f", "-qq", "-o", "/dev/null", "-e", &format!("trace={call}")])
        .args(["-e", &format!("inject={call}:signal=SIGKILL:when={when}")])
        .arg(env!("CARGO_BIN_EXE_bardo"))
        .args(["golem", "run", "g", "--speed", "max", "--quiet", "--ticks", ticks])
        .env("BARDO_HOME", home.path())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .expect("strace starts");
    !status.success()
}

/// How often a run makes a system call.
fn counted(home: &Home, call: &str, ticks: &str) -> usize {
    let log = home.path().join("calls");
    let status = Command::new("strace")
        .args(["-f", "-qq", "-o"])
        .arg(&log)
        .args(["-e", &format!("trace={call}")])
        .arg(env!("CARGO_BIN_EXE_bardo"))
        .args(["golem", "run", "g", "--speed", "max", "--quiet", "--ticks", ticks])
        .env("BARDO_HOME", home.path())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .expect("strace starts");
    assert!(status.success());
    let calls =
        std::fs::read_to_string(&log).unwrap().lines().filter(|line| line.contains(&format!("{call}("))).count();
    std::fs::remove_file(log).unwrap();
    calls
}

/// Kill a run of this golem between every two writes, let each finish, and hold it against the one that nobody killed.
fn sweep(ready: &Home, ticks: u64) {
    let text = ticks.to_string();
    let (calm, tick) = (twin(ready), |home: &Home| home.json(&["golem", "list"])[0]["tick"].as_u64().unwrap_or(0));
    let until = tick(ready) + ticks;
    calm.live("g", Some(ticks));
    let want = (calm.hash("g"), trades(&calm));
    assert!(want.1 > trades(ready), "a run without an act proves nothing");
    let mut swept = 0;
    for call in ["fsync", "pwrite64"] {
        let all = counted(&twin(ready), call, &text);
        // In the slice: a few, and more of them late, where intent, chain and receipt follow each other.
        let points: Vec<usize> = match kit::long() {
            true => (1..=all).collect(),
            false => (0..7).map(|n| all - all * n * n / 49).filter(|when| *when > 0).collect(),
        };
        for when in points {
            let home = twin(ready);
            if !killed(&home, call, when, &text) {
                continue;
            }
            swept += 1;
            let left = until - tick(&home);
            if left > 0 {
                home.live("g", Some(left));
            }
            assert_eq!((home.hash("g"), trades(&home)), want, "killed at {call} {when} of {all}");
            let report = home.json(&["golem", "verify", "g"]);
            assert_eq!(report["ok"], true, "{call} {when}: {report:#}");
        }
    }
    assert!(swept >= 8, "only {swept} points were swept");
}

fn trades(home: &Home) -> u64 {
    let said = home.bardo(&["golem", "status", "g", "--json"]);
    if said.code == 0 { said.json()["trades"].as_u64().unwrap() } else { 0 }
}

/// What it bought; what it sold when it died is not counted.
fn bought(home: &Home) -> usize {
    let all = home.json(&["golem", "trades", "g"]);
    all.as_array().unwrap().iter().filter(|trade| trade["what"] == "buy").count()
}

#[test]
fn no_kill_between_two_writes_loses_the_first_act() {
    let (Some(home), true) = (Home::with_contracts(), strace()) else { return };
    home.create("g", 6301, VICTIM);
    sweep(&home, 2);
}

/// A death that closes what is held, killed between every two writes: it is closed once, on the chain and in the books.
#[test]
fn no_kill_between_two_writes_settles_a_death_twice_or_not_at_all() {
    let (Some(home), true) = (Home::with_contracts(), strace()) else { return };
    let dir = home.create("g", 6301, VICTIM);
    home.live("g", Some(2));
    assert!(home.json(&["golem", "status", "g"])["positions_micro_usdc"].as_u64() > Some(0), "it holds something");
    std::fs::write(dir.join("kill-switch"), "").unwrap();
    let whole = twin(&home);
    whole.live("g", None);
    let dead = whole.json(&["golem", "status", "g"]);
    assert_eq!((&dead["standing"], &dead["positions_micro_usdc"]), (&"dead".into(), &0.into()));
    // Its account on the contracts is empty, and everything stands at home.
    assert_eq!(dead["balance_micro_usdc"], 0, "{dead:#}");
    assert!(dead["home"]["usdc_micro_usdc"].as_u64() > Some(1_000_000), "{dead:#}");
    sweep(&home, dead["tick"].as_u64().unwrap() - 2);
}

#[test]
fn no_kill_between_two_writes_loses_the_first_act_after_a_feed() {
    let (Some(home), true) = (Home::with_contracts(), strace()) else { return };
    let buys = ["policy.cooldown_ticks=3", "policy.eth_dca.every_ticks=10", "policy.eth_dca.amount_usdc=\"8\""];
    let buys: Vec<&str> = buys.iter().flat_map(|set| ["--set", *set]).collect();
    home.create("g", 6301, &[VICTIM, &buys[..]].concat());
    home.live("g", Some(20));
    // Far more than it had: of what it buys next, not all could be paid without it.
    home.ok(&["golem", "feed", "g", "--usdc", "500"]);
    sweep(&home, 30);
}

/// Killed between its intent and its receipt: the turn is open, and whether the act happened is known on the chain alone.
fn with_an_open_turn(ready: &Home) -> Home {
    let all = counted(&twin(ready), "fsync", "2");
    let is_open = |home: &Home| {
        let id = home.json(&["golem", "list"])[0]["id"].as_str().unwrap().to_owned();
        let file = rusqlite::Connection::open(home.path().join("golems").join(id).join("golem.db")).unwrap();
        file.query_row("SELECT count(*) FROM half", [], |row| row.get::<_, i64>(0)).unwrap() == 1
    };
    let tried = (1..=all).rev().map(|when| {
        let home = twin(ready);
        killed(&home, "fsync", when, "2");
        home
    });
    tried.into_iter().find(is_open).expect("no kill leaves a turn open")
}

#[test]
fn killed_while_another_process_holds_the_chain_it_records_what_is_true() {
    let (Some(ready), true) = (Home::with_contracts(), strace()) else { return };
    ready.create("g", 6301, VICTIM);
    let home = with_an_open_turn(&ready);
    let name = home.path().join("chains").read_dir().unwrap().next().unwrap().unwrap().file_name();
    let kill = ["golem", "kill", "g", "--yes", "--reason", "enough"];
    let held = |home: &Home| {
        let lock = chain(home, name.to_str().unwrap()).with_file_name("chain.db.lock");
        let lock = std::fs::File::options().write(true).open(lock).unwrap();
        lock.lock().unwrap();
        lock
    };
    // Nobody can say what became of the act: nothing is said of it, and the order waits.
    let lock = held(&home);
    let said = home.bardo(&kill);
    assert!(said.code == 1 && said.err.contains("its order waits"), "{said:?}");
    let list = home.json(&["golem", "list"]);
    assert!(list[0]["standing"] != "dead" && list[0]["problem"].is_null(), "{list:#}");
    drop(lock);
    home.live("g", None);
    let calm = twin(&ready);
    calm.live("g", Some(2));
    assert!(bought(&home) > 0 && bought(&home) <= bought(&calm), "the act happened, and is on record");
    // With no turn open nothing is to be asked: it dies at once, and keeps what it cannot sell.
    let before = calm.json(&["golem", "status", "g"])["positions_micro_usdc"].clone();
    let lock = held(&calm);
    calm.ok(&kill);
    drop(lock);
    assert_eq!(calm.json(&["golem", "status", "g"])["positions_micro_usdc"], before);
    for home in [&home, &calm] {
        assert_eq!(home.json(&["golem", "status", "g"])["standing"], "dead");
        assert_eq!(home.json(&["golem", "verify", "g"])["ok"], true);
    }
}

#[test]
fn another_chain_than_the_one_it_lived_on_is_refused() {
    let Some(home) = Home::with_contracts() else { return };
    home.create("g", 7, &["--chain", "embedded"]);
    home.live("g", Some(200));
    let young = std::fs::read(chain(&home, "home")).unwrap();
    home.live("g", Some(900));
    let whole = std::fs::read(chain(&home, "home")).unwrap();
    let (hash, worth) = (home.hash("g"), home.json(&["golem", "status", "g"])["balance_micro_usdc"].clone());
    let path = chain(&home, "home");
    type Harm = Box<dyn Fn()>;
    let (p, q, r) = (path.clone(), path.clone(), path.clone());
    let cases: [(&str, Harm, &str); 3] = [
        ("missing", Box::new(move || lose(&p)), "missing or empty"),
        (
            "emptied",
            Box::new(move || {
                lose(&q);
                std::fs::write(&q, b"").unwrap();
            }),
            "missing or empty",
        ),
        (
            "older",
            Box::new(move || {
                lose(&r);
                std::fs::write(&r, &young).unwrap();
            }),
            "are known",
        ),
    ];
    for (what, harm, why) in cases {
        harm();
        let said = home.bardo(&["golem", "run", "g", "--speed", "max", "--ticks", "5"]);
        assert_eq!(said.code, 2, "{what}: {said:?}");
        assert!(said.err.contains(why) && said.err.contains("restore g --chain"), "{what}: {}", said.err);
        let verified = home.bardo(&["golem", "verify", "g", "--json"]);
        assert!(verified.code == 1 && verified.json()["chain"].as_str().unwrap().contains(why), "{what}: {verified:?}");
        let doctor = home.bardo(&["doctor"]);
        assert!(doctor.code == 1 && doctor.out.contains("chain"), "{what}: {doctor:?}");
        lose(&path);
        std::fs::write(&path, &whole).unwrap();
        assert_eq!(home.hash("g"), hash, "{what}: it lived on nothing else");
    }
    assert_eq!(home.json(&["golem", "status", "g"])["balance_micro_usdc"], worth);
    assert_eq!(home.bardo(&["doctor"]).code, 0);
    home.live("g", Some(5));

    // One bit of a run that is read at no start: the doctor sees it before anybody needs it.
    let db = rusqlite::Connection::open(&path).unwrap();
    let sql = "UPDATE runs SET run = (SELECT substr(run, 1, 3) || x'55' || substr(run, 5) FROM runs LIMIT 1) \
               WHERE place = (SELECT min(place) FROM runs)";
    db.execute(sql, []).unwrap();
    drop(db);
    let doctor = home.bardo(&["doctor"]);
    assert!(doctor.code == 1 && doctor.out.contains("does not fit its sum"), "{doctor:?}");
}

#[test]
fn a_lost_chain_is_made_anew_from_the_golems_own_record() {
    let Some(home) = Home::with_contracts() else { return };
    // With less than this a trade every few turns would be too small to be worth its gas.
    home.create("g", 7, &["--chain", "embedded", "--budget", "2000", "--set", "policy.cooldown_ticks=10"]);
    home.live("g", Some(400));
    home.ok(&["golem", "feed", "g", "--usdc", "25"]);
    home.live("g", Some(1_000));
    let calm = twin(&home);
    lose(&chain(&home, "home"));
    let told = home.json(&["golem", "restore", "g", "--chain"]);
    assert_eq!(told["turns"], 1_400, "{told:#}");
    assert!(told["effects"].as_u64().unwrap() >= 4, "{told:#}");
    for (at, ticks) in [(1, 300), (2, 500)] {
        let (again, undisturbed) = (home.live("g", Some(ticks)), calm.live("g", Some(ticks)));
        assert_eq!(again["hash"], undisturbed["hash"], "{at}");
    }
    assert_eq!(home.json(&["golem", "verify", "g"])["ok"], true);
    assert_eq!(home.bardo(&["doctor"]).code, 0);

    // Where another has lived on it, its record is not the whole of it.
    home.create("h", 6, &["--chain", "embedded", "--set", "world.seed=7"]);
    home.live("h", Some(20));
    let said = home.bardo(&["golem", "restore", "g", "--chain"]);
    assert!(said.code == 2 && said.err.contains("shares the chain home with h"), "{said:?}");
}

#[test]
fn a_snapshot_brings_golem_and_chain_back_together() {
    let Some(home) = Home::with_contracts() else { return };
    home.create("g", 5, &["--chain", "embedded", "--set", "policy.cooldown_ticks=10"]);
    // Snapshots need five seconds on the wall and six hours of the golem's time.
    let mut snapshots = Vec::new();
    for _ in 0..4 {
        let mut child = home.start(&["golem", "run", "g", "--speed", "x6000"]);
        std::thread::sleep(Duration::from_secs(7));
        Command::new("kill").args(["-TERM", &child.id().to_string()]).status().unwrap();
        assert!(child.wait().unwrap().success());
        snapshots = home.json(&["golem", "restore", "g", "--list"]).as_array().unwrap().clone();
        if snapshots.len() >= 2 {
            break;
        }
    }
    assert!(snapshots.len() >= 2, "{snapshots:?}");
    home.ok(&["golem", "feed", "g", "--usdc", "25"]);
    home.live("g", Some(300));
    let tick = home.json(&["golem", "status", "g"])["tick"].as_u64().unwrap();
    // The newest manifest is damaged: the one before it is taken, and that is said.
    let newest = snapshots.iter().map(|s| s["tick"].as_u64().unwrap()).max().unwrap();
    let golem = std::fs::read_dir(home.path().join("golems")).unwrap().flatten().next().unwrap().path();
    let manifest = golem.join(format!("snapshots/{newest}.json"));
    let text = std::fs::read_to_string(&manifest).unwrap();
    std::fs::write(&manifest, text.replacen("\"length\":", "\"length\":1", 1)).unwrap();
    let told = home.json(&["golem", "restore", "g"]);
    let back = told["tick"].as_u64().unwrap();
    assert!(back < newest, "{told:#}");
    assert!(told["skipped"].to_string().contains(&format!("{newest}.json")), "the damaged one is named: {told:#}");
    assert_eq!(told["lost"]["turns"], tick - back, "{told:#}");
    assert_eq!(told["lost"]["orders"], serde_json::json!(["feed 25.00 USDC"]), "{told:#}");
    assert_eq!(told["lost"]["fed_micro_usdc"], 25_000_000, "{told:#}");
    assert!(told["lost"]["worth_now_micro_usdc"].is_u64() && told["chain"]["turns"] == back, "{told:#}");
    // It runs, on a chain that knows nothing of what was taken back.
    home.live("g", Some(200));
    assert_eq!(home.json(&["golem", "status", "g"])["tick"], back + 200);
    assert_eq!(home.json(&["golem", "verify", "g"])["ok"], true);
    // The damaged manifest, and whatever else was insured of the life that was left, is set aside.
    assert_eq!(told["set_aside"], serde_json::json!([newest]), "{told:#}");
    assert!(!manifest.exists());
    assert_eq!(home.bardo(&["doctor"]).code, 0, "{:?}", home.bardo(&["doctor"]));
    // Whole again, it is still nothing that anybody is brought back to without asking for it.
    std::fs::write(golem.join(format!("snapshots/{newest}.json.aside-1")), &text).unwrap();
    let listed = home.json(&["golem", "restore", "g", "--list"]);
    let aside = listed.as_array().unwrap().iter().find(|s| s["tick"] == newest).unwrap();
    assert_eq!(aside["set_aside"], true, "{listed:#}");
    let again = home.json(&["golem", "restore", "g"]);
    assert_eq!(again["tick"], back, "{again:#}");
    let there = home.json(&["golem", "restore", "g", "--snapshot", &newest.to_string()]);
    assert_eq!((&there["tick"], &there["taken_back"]), (&newest.into(), &serde_json::json!([newest])), "{there:#}");
    home.live("g", Some(20));
    assert_eq!(home.json(&["golem", "verify", "g"])["ok"], true);
}
