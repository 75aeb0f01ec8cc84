//! A crash is not a death: killed at any moment, at any system call, a life resumes and ends with the same fingerprint.

#![allow(clippy::print_stderr, reason = "a skipped test says so")]

use crate::kit;

use golem_runtime::CRASH_LOOP;
use kit::{Home, count};
use std::process::{Command, Stdio};
use std::time::Duration;

/// How long a life is that is killed again and again.
fn ticks() -> u64 {
    count(9_000, 60_000) as u64
}

/// The fingerprint of the same life, uninterrupted.
fn undisturbed(seed: u64, ticks: &str, extra: &[&str]) -> String {
    let home = Home::new();
    home.create("victim", seed, extra);
    home.json(&["golem", "run", "victim", "--speed", "max", "--quiet", "--ticks", ticks])["hash"]
        .as_str()
        .unwrap()
        .to_owned()
}

fn tip(home: &Home) -> u64 {
    let golem = &home.json(&["golem", "list"])[0];
    assert!(golem["problem"].is_null(), "{golem:#}");
    golem["tick"].as_u64().unwrap()
}

#[test]
fn killed_at_random_moments_it_ends_the_same() {
    let kills = count(25, 1_000);
    let (mut done, mut life) = (0, 0u64);
    // A life that has been killed to its end is followed by another, until the count is full.
    while done < kills {
        life += 1;
        let want = undisturbed(life, &ticks().to_string(), &[]);
        let home = Home::new();
        home.create("victim", life, &[]);
        let (mut last, mut barren) = (0, 0);
        while done < kills && tip(&home) < ticks() {
            let left = (ticks() - tip(&home)).to_string();
            let mut child = home.start(&["golem", "run", "victim", "--speed", "max", "--ticks", &left]);
            // Spread the kills over start-up, turns and commits.
            let pause = 2 + (done as u64 * 7_919 + life * 104_729) % 400;
            std::thread::sleep(Duration::from_millis(pause));
            // On a slow machine a start may take longer than all the pauses. As many starts without a turn as make a crash
            // loop are lived on carefully, which is another life: before that, one start is let come to a turn.
            while barren + 2 >= CRASH_LOOP && tip(&home) == last && child.try_wait().unwrap().is_none() {
                std::thread::sleep(Duration::from_millis(20));
            }
            let _ended = child.kill();
            child.wait().unwrap();
            done += 1;
            let now = tip(&home);
            assert!(now >= last, "tick went back from {last} to {now}");
            barren = if now > last { 0 } else { barren + 1 };
            last = now;
        }
        let left = ticks() - tip(&home);
        if left > 0 {
            home.live("victim", Some(left));
        }
        assert_eq!(home.hash("victim"), want, "life {life} after {done} kills");
    }
}

/// System calls that change something on disk, each swept by itself: `when=` counts per call name.
const MUTATING: &[&str] = &[
    "pwrite64",
    "write",
    "fdatasync",
    "fsync",
    "ftruncate",
    "unlink",
    "rename",
    "openat",
    "mkdir",
    "fallocate",
    "mmap",
];

/// Short slices of life, each a whole process: open, a few turns, commit, checkpoint, close. Killed at its mutating system
/// calls one after the other and gone on with, all of them must end like the one that was left alone, and pass the check.
/// Returns how many kills there were.
fn sweep(prepared: &Home, turns: u64, most: usize, check: impl Fn(&Home, &str)) -> usize {
    sweep_to(SweptEnd::Same, prepared, turns, most, check)
}

/// How a life ends that was killed on the way.
#[derive(Clone, Copy, PartialEq)]
enum SweptEnd {
    /// As the one that was left alone.
    Same,
    /// Whole: somebody was asked, and who was killed before it had the answer asks again and pays for both.
    Whole,
}

fn sweep_to(end: SweptEnd, prepared: &Home, turns: u64, most: usize, check: impl Fn(&Home, &str)) -> usize {
    let copy = || {
        let home = Home::new();
        kit::copy_into(prepared.path(), home.path());
        home
    };
    let (alone, ends) = (copy(), tip(prepared) + turns);
    alone.live("victim", Some(turns));
    let (want, mut swept) = (alone.hash("victim"), 0);
    for call in MUTATING {
        let mut when = 1;
        while when <= most {
            let home = copy();
            if !inject(&home, call, &format!("signal=SIGKILL:when={when}"), &turns.to_string()) {
                break;
            }
            swept += 1;
            let left = ends - tip(&home);
            if left > 0 {
                home.live("victim", Some(left));
            }
            let report = home.json(&["golem", "verify", "victim"]);
            assert_eq!(report["ok"], true, "{call} {when}: {report:#}");
            let same = report["hash"] == want.as_str();
            assert!(
                same || end == SweptEnd::Whole,
                "killed at {call} number {when}: {} and not {want}",
                report["hash"]
            );
            check(&home, &format!("killed at {call} number {when}"));
            // In the slice, early calls one by one and then wider steps.
            when += if kit::long() || when < 6 { 1 } else { 1 + when / 2 };
        }
    }
    swept
}

fn has_strace() -> bool {
    let has = std::env::var_os("BARDO_SKIP_STRACE").is_none();
    if !has {
        eprintln!("skipped: strace is missing");
    }
    has
}

#[test]
fn killed_at_every_mutating_system_call_it_ends_the_same() {
    if !has_strace() {
        return;
    }
    let home = Home::new();
    home.create("victim", 8, &[]);
    let swept = sweep(&home, 24, count(14, 10_000), |_, _| ());
    assert!(swept >= 20, "only {swept} points were swept");
}

/// The same with a dream in the slice.
#[test]
fn killed_at_every_mutating_system_call_of_a_dream_it_ends_the_same() {
    if !has_strace() {
        return;
    }
    let home = Home::new();
    home.create("victim", 7, &crate::dreams::DREAMER);
    let dreamt = |home: &Home| {
        let stats = home.json(&["dream", "stats", "victim"]);
        ["cycles", "runs"].map(|key| stats[key].as_u64().unwrap())
    };
    home.live("victim", Some(1_000));
    // Until a dream begins and runs its copies within the next slice.
    let lies_ahead = || {
        let ahead = Home::new();
        kit::copy_into(home.path(), ahead.path());
        ahead.live("victim", Some(12));
        let ([cycles, runs], [more, ran]) = (dreamt(&home), dreamt(&ahead));
        more > cycles && ran > runs
    };
    let found = (0..40).any(|_| lies_ahead() || home.live("victim", Some(6)).is_null());
    assert!(found, "it dreams");
    let swept = sweep(&home, 12, count(5, 10_000), |_, _| ());
    assert!(swept >= 12, "only {swept} points were swept");
}

/// Tell it to dream, and live until it sleeps.
fn fall_asleep(home: &Home) {
    home.live("victim", Some(1_000));
    home.ok(&["dream", "now", "victim"]);
    let sleeps = || home.json(&["dream", "stats", "victim"])["state"]["mode"] == "dreaming";
    let asleep = (0..100).any(|_| sleeps() || home.live("victim", Some(2)).is_null());
    assert!(asleep, "it does not fall asleep");
}

/// The same of one that sleeps, by rules alone.
#[test]
fn killed_at_every_mutating_system_call_of_a_sleepers_turns_it_ends_the_same() {
    if !has_strace() {
        return;
    }
    let home = Home::new();
    home.create("victim", 7, &[&crate::dreams::DREAMER[..], &["--set", "dream.tier=hardened"]].concat());
    fall_asleep(&home);
    let swept = sweep(&home, 12, count(3, 10_000), |home, at| {
        assert!(home.json(&["golem", "replay", "victim"])["ok"].as_bool().unwrap(), "{at}");
    });
    assert!(swept >= 12, "only {swept} points were swept");
}

/// The same of one that asks a model asleep: whenever it is killed, every answer is paid for, by the dream that asked.
#[test]
fn killed_at_every_mutating_system_call_while_it_asks_a_model_asleep_nothing_is_asked_for_nothing() {
    if !has_strace() {
        return;
    }
    let home = Home::new();
    let file = home.path().join("sleeper.toml");
    let url = crate::first_hour::model_that_says("lanterns over the water", "stop");
    std::fs::write(&file, crate::dreams::sleeper(&url)).unwrap();
    home.create("victim", 7, &["--budget", "1000", "--config", file.to_str().unwrap()]);
    fall_asleep(&home);
    // Awake it can reach nobody: whatever it has paid a model for was dreamt.
    let paid = |home: &Home| {
        let told = home.ok(&["golem", "logs", "victim", "--only", "economy.paid", "--json", "-n", "100000"]).out;
        let facts = told.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
        let to_models = facts.filter(|fact| fact["purpose"] == "inference");
        to_models.map(|fact| fact["amount_micro_usdc"].as_u64().unwrap()).sum::<u64>()
    };
    let before = paid(&home);
    let swept = sweep_to(SweptEnd::Whole, &home, 8, count(3, 10_000), |home, at| {
        let stats = home.json(&["dream", "stats", "victim"]);
        let cost = stats["cost_micro_usdc"].as_u64().unwrap() + stats["state"]["budget_spent"].as_u64().unwrap();
        assert_eq!(cost, paid(home), "{at}: {stats}");
        assert!(cost > before, "{at}: nobody was asked");
        assert!(home.json(&["golem", "replay", "victim"])["ok"].as_bool().unwrap(), "{at}");
    });
    assert!(swept >= 12, "only {swept} points were swept");
}

/// The same with a phage alive, and its end, in the slice.
#[test]
fn killed_at_every_mutating_system_call_around_the_end_of_a_phage_it_ends_the_same() {
    if !has_strace() {
        return;
    }
    let home = Home::new();
    home.create("victim", 7, &crate::phages::PARENT);
    home.live("victim", Some(210));
    let left = |home: &Home| home.json(&["golem", "phages", "victim"])["alive"][0]["turns_left"].as_u64();
    let near = (0..400).any(|_| left(&home).is_some_and(|n| n <= 8) || home.live("victim", Some(6)).is_null());
    assert!(near, "one is about to die");
    let died =
        |home: &Home| home.ok(&["golem", "logs", "victim", "--only", "phage.died", "--json"]).out.lines().count();
    let before = died(&home);
    let swept = sweep(&home, 12, count(5, 10_000), |home, at| assert!(died(home) > before, "{at}: its end is told"));
    assert!(swept >= 12, "only {swept} points were swept");
}

/// The same with a whole death in the slice, of a golem that holds something.
#[test]
fn killed_at_every_mutating_system_call_of_dying_it_settles_once_and_leaves_one_testament() {
    if !has_strace() {
        return;
    }
    let home = Home::new();
    let dir = home.create("victim", 3, &["--budget", "200", "--template", "eth-dca"]);
    home.live("victim", Some(400));
    std::fs::write(dir.join("kill-switch"), "").unwrap();
    let whole = Home::new();
    kit::copy_into(home.path(), whole.path());
    whole.live("victim", None);
    let told = |home: &Home, name: &str| home.ok(&["golem", "logs", "victim", "--only", name, "--json"]).out;
    let settled = told(&whole, "dying.settled");
    assert!(settled.contains(r#""what":"asset""#), "it held something: {settled}");
    let left = whole.json(&["golem", "testament", "victim"]);
    let went = told(&whole, "dying.home");
    assert!(went.contains(r#""sum":{"usdc":"#) && went.lines().count() == 1, "its money went home: {went}");
    let money = |home: &Home| {
        let status = home.json(&["golem", "status", "victim"]);
        (status["balance_micro_usdc"].clone(), status["home"].clone())
    };
    let (turns, had) = (tip(&whole) - tip(&home), money(&whole));
    let swept = sweep(&home, turns, count(7, 10_000), |home, at| {
        assert_eq!(told(home, "dying.settled"), settled, "{at}: one settlement, the same");
        assert_eq!(told(home, "dying.home"), went, "{at}: it goes home once");
        assert_eq!(told(home, "testament.written").lines().count(), 1, "{at}: one testament");
        assert_eq!(home.json(&["golem", "testament", "victim"]), left, "{at}");
        assert_eq!(money(home), had, "{at}");
    });
    assert!(swept >= 20, "only {swept} points were swept");
}

/// Run under strace with a fault; true when the process died of it.
fn inject(home: &Home, call: &str, fault: &str, ticks: &str) -> bool {
    injected(home, call, fault, ticks).0 != Some(0)
}

/// Run under strace with a fault: its exit code, what it said, and the call that failed, if one did.
fn injected(home: &Home, call: &str, fault: &str, ticks: &str) -> (Option<i32>, String, Option<String>) {
    let log = home.path().join("strace.log");
    let output = Command::new("strace")
        .args(["-f", "-qq", "-y", "-o"])
        .arg(&log)
        .args(["-e", &format!("trace={call}"), "-e", &format!("inject={call}:{fault}")])
        .arg(env!("CARGO_BIN_EXE_bardo"))
        .args(["golem", "run", "victim", "--speed", "max", "--quiet", "--ticks", ticks])
        .env("BARDO_HOME", home.path())
        .stdin(Stdio::null())
        .output()
        .expect("strace starts");
    let calls = std::fs::read(&log).unwrap_or_default();
    let hit = String::from_utf8_lossy(&calls).lines().find(|line| line.contains("INJECTED")).map(str::to_owned);
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned(), hit)
}

#[test]
fn a_full_disk_or_a_failing_one_is_survived() {
    if !has_strace() {
        return;
    }
    let want = undisturbed(9, "24", &[]);
    for (calls, error) in
        [(&["pwrite64", "write", "fsync", "fdatasync"][..], "EIO"), (&["pwrite64", "fallocate", "write"][..], "ENOSPC")]
    {
        for call in calls {
            let mut hits = 0;
            for when in (1..=count(9, 60)).step_by(if kit::long() { 1 } else { 4 }) {
                let home = Home::new();
                home.create("victim", 9, &[]);
                let (code, said, hit) = injected(&home, call, &format!("error={error}:when={when}"), "24");
                let at = format!("{error} at {call} number {when}: {code:?} {said} {hit:?}");
                hits += usize::from(hit.is_some());
                // What is made anew at every start may fail in silence, and so may SQLite's sync of a directory: we sync
                // it again ourselves.
                let counts = |call: &str| {
                    (call.contains("golem.db") && !call.contains("golem.db-shm")) || call.contains("/epoch")
                };
                if error == "EIO" && hit.is_some_and(|call| counts(&call)) {
                    assert!(code != Some(0) || !said.is_empty(), "in silence: {at}");
                    assert!(!said.contains("disk full"), "{at}");
                }
                let left = 24 - tip(&home);
                if left > 0 {
                    home.live("victim", Some(left));
                }
                let report = home.json(&["golem", "verify", "victim"]);
                assert_eq!(report["hash"], want.as_str(), "{at}: {report:#}");
            }
            assert!(hits > 0, "the binary never calls {call}: nothing was tested");
        }
    }
}

/// The calls of a trace with their threads, in the order in which they ended: one that another thread interrupted in the
/// trace is put together again.
fn whole_calls(trace: &str) -> Vec<(&str, String)> {
    let (mut begun, mut whole) = (std::collections::BTreeMap::new(), Vec::new());
    for (thread, call) in trace.lines().filter_map(|line| line.split_once(' ')) {
        match (call.split_once("<unfinished"), call.split_once("resumed>")) {
            (Some((head, _)), _) => drop(begun.insert(thread, head.to_owned())),
            (None, Some((_, tail))) => whole.push((thread, begun.remove(thread).unwrap_or_default() + tail)),
            (None, None) => whole.push((thread, call.to_owned())),
        }
    }
    whole
}

/// Whether every thread whose open failed opened it after that: to read only at once, or anew when a run that ended
/// meanwhile has taken the log away.
fn opened_again(calls: &str) -> bool {
    let calls = whole_calls(calls);
    calls
        .iter()
        .enumerate()
        .filter(|(_, (_, call))| call.contains("INJECTED"))
        .all(|(n, (thread, _))| calls[n + 1..].iter().any(|(other, call)| other == thread && !call.contains(" = -1")))
}

/// A golem that was killed, its life in its log: the log fails when it is read, written, synced or cut.
#[test]
fn a_failing_log_is_never_passed_over_in_silence() {
    if !has_strace() {
        return;
    }
    let home = Home::new();
    let dir = home.create("victim", 9, &[]);
    let log = dir.join("golem.db-wal");
    let filled = || std::fs::metadata(&log).is_ok_and(|log| log.len() > 0);
    // The first writes are of whoever looks before the run; which one is the first of the log follows from that.
    let killed = |when: u32| inject(&home, "pwrite64", &format!("signal=SIGKILL:when={when}"), "24");
    assert!((24..=120).step_by(8).any(|when| killed(when) && filled()), "killed before it could close");
    let files: Vec<(String, Vec<u8>)> = ["golem.db", "golem.db-wal", "epoch", "golem.toml"]
        .into_iter()
        .map(|name| (name.to_owned(), std::fs::read(dir.join(name)).unwrap()))
        .collect();
    let put_back = || {
        for name in ["golem.db-wal", "golem.db-shm"] {
            let _absent = std::fs::remove_file(dir.join(name));
        }
        files.iter().for_each(|(name, bytes)| std::fs::write(dir.join(name), bytes).unwrap());
    };
    home.live("victim", Some(5));
    let (want, mut tried) = (home.hash("victim"), 0);
    for call in ["openat", "pread64", "pwrite64", "fsync", "ftruncate"] {
        for when in 1..=count(3, 200) {
            put_back();
            let trace = home.path().join("strace.log");
            let output = Command::new("strace")
                .args(["-f", "-qq", "-y", "-o"])
                .arg(&trace)
                .args(["-P", log.to_str().unwrap(), "-e", &format!("trace={call}")])
                .args(["-e", &format!("inject={call}:error=EIO:when={when}")])
                .arg(env!("CARGO_BIN_EXE_bardo"))
                .args(["golem", "run", "victim", "--speed", "max", "--quiet", "--ticks", "5"])
                .env("BARDO_HOME", home.path())
                .stdin(Stdio::null())
                .output()
                .expect("strace starts");
            let calls = String::from_utf8_lossy(&std::fs::read(&trace).unwrap_or_default()).into_owned();
            if !calls.contains("INJECTED") {
                break;
            }
            tried += 1;
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            let at = format!("{call} number {when} of the log: {:?} {said}", output.status.code());
            assert!(!said.contains("disk full"), "{at}");
            // What cannot be opened to be written is opened again by whoever only reads: it has missed nothing, and the
            // life is whole.
            if call == "openat" && opened_again(&calls) && output.status.code() == Some(0) {
                assert_eq!(home.hash("victim"), want, "{at}");
                continue;
            }
            assert!(output.status.code() != Some(0) || !said.is_empty(), "in silence: {at}\n{calls}");
        }
    }
    assert!(tried >= 6, "only {tried} calls");
}
