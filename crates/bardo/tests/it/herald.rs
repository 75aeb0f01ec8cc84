//! Notices that must not be lost in silence: settings that come late, locks of others, crashes, hooks that hang, and golems that are
//! taken away.

use crate::kit::{Home, Said};
use crate::notify::{Receiver, SLOW, kinds, model_that_fails, settings, webhook};
use serde_json::Value;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant, SystemTime};

fn told(receiver: &Receiver) -> Vec<Value> {
    receiver.got().iter().map(|(_, notice)| notice.clone()).collect()
}

fn wait_for(what: &str, is_so: impl Fn() -> bool) {
    let until = Instant::now() + Duration::from_secs(40);
    while !is_so() {
        assert!(Instant::now() < until, "{what}");
        std::thread::sleep(Duration::from_millis(30));
    }
}

fn kill(home: &Home, name: &str) -> Said {
    home.ok(&["golem", "kill", name, "--yes", "--reason", "x"])
}

/// Nobody goes round here: its settings are elsewhere for so long.
fn kill_unseen(home: &Home, name: &str) {
    let (file, away) = (home.path().join("notify.toml"), home.path().join("away.toml"));
    std::fs::rename(&file, &away).unwrap();
    kill(home, name);
    std::fs::rename(&away, &file).unwrap();
}

/// While golems live, settings come, or become readable: what happened since the process began is told.
#[test]
fn settings_that_come_while_golems_live_are_read() {
    for first in [None, Some("[[notify.channels]]\nname = \"x\"\ncomand = [\"y\"]\n")] {
        let (home, receiver) = (Home::new(), Receiver::start(200));
        home.create("old", 4, &[]);
        kill(&home, "old");
        let dir = home.create("ada", 5, &[]);
        home.create("bob", 6, &["--set", "mortality.immortal=true"]);
        home.live("ada", Some(20));
        if let Some(text) = first {
            settings(&home, text);
        }
        let mut child = home.start(&["golem", "run", "ada", "bob", "--speed", "x1000"]);
        std::fs::write(dir.join("kill-switch"), "").unwrap();
        wait_for("ada dies", || home.json(&["golem", "status", "ada"])["standing"] == "dead");
        settings(&home, &webhook(&receiver.url));
        wait_for("its death is told", || receiver.got().len() >= 2);
        child.kill().unwrap();
        child.wait().unwrap();
        let all = told(&receiver);
        assert_eq!(kinds(&all), ["kill", "death"], "{first:?}: {all:?}");
        assert!(all.iter().all(|notice| notice["name"] == "ada"), "the past is past: {all:?}");
    }
}

/// Whoever was to look was killed before the first look: what was lived since the settings were written is told all the same.
#[test]
fn the_first_look_tells_what_was_lived_since_the_settings_were_written() {
    let (home, receiver) = (Home::new(), Receiver::start(200));
    home.create("old", 4, &[]);
    kill(&home, "old");
    // A model that failed in a run of before is past.
    let thinks = model_that_fails(&home);
    home.create("ada", 5, &["--config", thinks.to_str().unwrap()]);
    home.live("ada", Some(1_500));
    std::thread::sleep(Duration::from_millis(20));
    settings(&home, &webhook(&receiver.url));
    std::thread::sleep(Duration::from_millis(20));
    kill_unseen(&home, "ada");
    // What nobody has looked for is not nothing.
    let doctor = home.bardo(&["doctor"]);
    assert!(doctor.code == 1 && doctor.out.contains("2 notices of ada for notify channel hook"), "{doctor:?}");
    assert!(!doctor.out.contains("of old"), "{doctor:?}");
    home.ok(&["notify", "send"]);
    let all = told(&receiver);
    assert_eq!(kinds(&all), ["kill", "death"], "{all:?}");
    assert!(all.iter().all(|notice| notice["name"] == "ada"), "{all:?}");
    // By the golem's own time, and by the wall.
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap().as_secs();
    let year = (1970 + now / 31_556_952).to_string();
    for notice in &all {
        assert!(notice["told_at"].as_str().unwrap().starts_with(&year), "{notice}");
        assert_ne!(notice["at"], notice["told_at"]);
    }
    assert_eq!(home.bardo(&["doctor"]).code, 0);
}

/// A lock that cannot be opened is no process that goes round, and one that is held is no silence.
#[test]
fn who_cannot_go_round_says_so() {
    let (home, receiver) = (Home::new(), Receiver::start(200));
    settings(&home, &webhook(&receiver.url));
    home.create("ada", 5, &[]);
    let lock = home.path().join("notify.lock");
    std::fs::create_dir(&lock).unwrap();
    let said = home.bardo(&["golem", "kill", "ada", "--yes", "--reason", "x"]);
    assert!(said.code == 0 && said.err.contains("nobody is notified: cannot open"), "{said:?}");
    let said = home.bardo(&["notify", "send"]);
    assert!(said.code == 1 && said.err.contains("notify.lock") && !said.out.contains("nothing waits"), "{said:?}");
    let said = home.bardo(&["doctor"]);
    assert!(said.code == 1 && said.out.contains("nobody is notified: cannot open"), "{said:?}");
    std::fs::remove_dir(&lock).unwrap();
    let held = std::fs::File::create(&lock).unwrap();
    held.lock().unwrap();
    let said = home.bardo(&["notify", "send"]);
    assert!(said.code == 1 && said.err.contains("another process") && !said.out.contains("nothing waits"), "{said:?}");
    drop(held);
    assert!(home.ok(&["notify", "send"]).out.contains("nothing waits"));
    assert_eq!(kinds(&told(&receiver)), ["kill", "death"]);
}

/// Whoever can open the lock can hold it, and nobody is told anything any more: neither the home nor the lock is anybody else's, also
/// where programs of before left them open.
#[test]
fn no_stranger_can_hold_the_herald_out() {
    let (above, receiver) = (Home::new(), Receiver::start(200));
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode();
    let made = above.path().join("of/an/owner");
    let at = |args: &[&str]| {
        let mut command = above.command(args);
        let said = Said::from(command.env("BARDO_HOME", &made).output().unwrap());
        assert_eq!(said.code, 0, "{said:?}");
    };
    at(&["golem", "create", "ada", "--seed", "5"]);
    assert_eq!(mode(&made) & 0o077, 0, "the home");
    let text = webhook(&receiver.url);
    std::fs::write(made.join("notify.toml"), text).unwrap();
    let lock = made.join("notify.lock");
    at(&["notify", "send"]);
    assert_eq!(mode(&lock) & 0o077, 0, "a new lock");
    std::fs::set_permissions(&lock, std::fs::Permissions::from_mode(0o644)).unwrap();
    at(&["notify", "send"]);
    assert_eq!(mode(&lock) & 0o077, 0, "one of before");
}

fn give(path: &Path, to: u32) {
    chown(path, Some(to), Some(to)).unwrap();
    if path.is_dir() {
        std::fs::read_dir(path).unwrap().flatten().for_each(|entry| give(&entry.path(), to));
    }
}

/// What the system's own user made in a home keeps its owner from nothing. Nobody else can be somebody else.
#[test]
fn another_user_who_sends_silences_nobody() {
    const OTHER: u32 = 65_534;
    let (home, receiver) = (Home::new(), Receiver::start(200));
    if std::fs::metadata(home.path()).unwrap().uid() != 0 {
        return;
    }
    home.create("ada", 5, &[]);
    settings(&home, &webhook(&receiver.url));
    give(home.path(), OTHER);
    home.ok(&["notify", "send"]);
    let as_owner = |args: &[&str]| Said::from(home.command(args).uid(OTHER).gid(OTHER).output().unwrap());
    let said = as_owner(&["golem", "kill", "ada", "--yes", "--reason", "x"]);
    assert_eq!((said.code, kinds(&told(&receiver))), (0, vec!["kill", "death"]), "{said:?}");
    // Also one that is still the other's, as programs of before made them.
    let lock = home.path().join("notify.lock");
    std::fs::remove_file(&lock).unwrap();
    std::fs::write(&lock, "").unwrap();
    std::fs::set_permissions(&lock, std::fs::Permissions::from_mode(0o644)).unwrap();
    let said = as_owner(&["notify", "send"]);
    assert!(said.code == 0 && said.out.contains("nothing waits"), "{said:?}");
    std::fs::set_permissions(&lock, std::fs::Permissions::from_mode(0o600)).unwrap();
    let said = as_owner(&["notify", "send"]);
    assert!(said.code == 1 && said.err.contains("notify.lock"), "{said:?}");
}

/// Killed while it tells of the last death: whoever starts everybody again tells it, and ends well.
#[test]
fn the_last_death_is_told_by_whoever_would_run_everybody() {
    let (home, receiver) = (Home::new(), Receiver::start(0));
    settings(&home, &webhook(&receiver.url).replace("timeout_s = 1", "timeout_s = 60"));
    let empty = home.bardo(&["golem", "run", "--all"]);
    assert!(empty.code == 2 && empty.err.contains("golem create"), "{empty:?}");
    home.create("solo", 5, &[]);
    let mut child = home.start(&["golem", "kill", "solo", "--yes", "--reason", "x"]);
    wait_for("it is being told", || !receiver.got().is_empty());
    child.kill().unwrap();
    child.wait().unwrap();
    let first = receiver.ids()[0].clone();
    receiver.set(200);
    let said = home.bardo(&["golem", "run", "--all"]);
    assert!(said.code == 0 && said.out.contains("all golems of this home are dead"), "{said:?}");
    assert_eq!(receiver.ids()[1], first);
    assert_eq!(kinds(&told(&receiver)[1..]), ["kill", "death"]);
    assert_eq!(home.json(&["golem", "run", "--all"]), serde_json::json!([]));
    assert_eq!(receiver.got().len(), 3, "and once");
}

/// Six deaths through a slow hook are on their way together, and whoever waits is told for whom.
#[test]
fn slow_hooks_are_waited_for_together() {
    let (home, receiver) = (Home::new(), Receiver::start(200));
    settings(&home, &webhook(&receiver.url).replace("timeout_s = 1", "timeout_s = 9"));
    let names: Vec<String> = (0..6).map(|seed| format!("g{seed}")).collect();
    for (seed, name) in (0..).zip(&names) {
        home.create(name, seed, &[]);
        home.live(name, Some(2));
    }
    // Whoever lives here tells of everybody: from here on nobody does.
    names.iter().for_each(|name| kill_unseen(&home, name));
    assert!(receiver.got().is_empty());
    receiver.set(SLOW);
    let begun = Instant::now();
    let said = home.ok(&["notify", "send"]);
    assert_eq!(receiver.got().len(), 12);
    assert!(begun.elapsed() < Duration::from_secs(6), "one after the other they take eight: {:?}", begun.elapsed());
    assert!(said.err.contains("notices are on their way (hook)"), "{said:?}");
    // Each golem's in their order.
    for seed in 0..6 {
        let all: Vec<Value> = told(&receiver).into_iter().filter(|n| n["name"] == format!("g{seed}")).collect();
        assert_eq!(kinds(&all), ["kill", "death"], "g{seed}");
    }
}

/// Many die in one second, and the hook takes its time over each: nobody's end waits for it, and each is told, in its order, with ids that
/// tell repeats. Only what was on its way when the time was over may come again.
#[test]
fn many_deaths_at_once_through_a_slow_hook_are_each_told() {
    let (home, receiver) = (Home::new(), Receiver::start(SLOW));
    settings(&home, &webhook(&receiver.url).replace("timeout_s = 1", "timeout_s = 9"));
    let many = if std::env::var_os("BARDO_LONG").is_some() { 400 } else { 24 };
    for seed in 0..many {
        let dir = home.create(&format!("g{seed}"), seed, &[]);
        std::fs::write(dir.join("kill-switch"), "").unwrap();
    }
    home.ok(&["golem", "run", "--all", "--speed", "max", "--quiet"]);
    let dead = home.json(&["golem", "list"]).as_array().unwrap().iter().filter(|g| g["standing"] == "dead").count();
    assert_eq!(dead as u64, many, "nobody's end waits for a hook");
    receiver.set(200);
    home.ok(&["notify", "send"]);
    let (mut ids, all) = (receiver.ids(), receiver.ids().len());
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len() as u64, 2 * many);
    assert!(all - ids.len() <= 8, "{} came again", all - ids.len());
    for seed in 0..many {
        let name = format!("g{seed}");
        let mut own: Vec<Value> = told(&receiver).into_iter().filter(|n| n["name"] == name.as_str()).collect();
        own.dedup_by(|a, b| a["id"] == b["id"]);
        assert_eq!(kinds(&own), ["kill", "death"], "{name}");
    }
}

/// What waited for a channel that its owner took away is not sent when one of that name comes back.
#[test]
fn a_channel_that_is_gone_keeps_nothing_for_later() {
    let (home, receiver) = (Home::new(), Receiver::start(500));
    settings(&home, &webhook(&receiver.url));
    home.create("ada", 5, &[]);
    kill(&home, "ada");
    assert!(!receiver.got().is_empty());
    settings(&home, &webhook(&receiver.url).replace("\"hook\"", "\"other\""));
    home.bardo(&["notify", "send"]);
    receiver.set(200);
    let before = receiver.got().len();
    settings(&home, &webhook(&receiver.url));
    home.ok(&["notify", "send"]);
    assert_eq!(receiver.got().len(), before, "{:?}", told(&receiver));
}

/// A hook that takes a connection and never answers, with more patience than anybody has: whoever ends a life gets its prompt back.
#[test]
fn a_hook_that_never_answers_is_waited_for_twenty_seconds_and_no_longer() {
    let home = Home::new();
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/", silent.local_addr().unwrap());
    settings(&home, &webhook(&url).replace("timeout_s = 1", "timeout_s = 60"));
    home.create("ada", 5, &[]);
    let begun = Instant::now();
    let said = kill(&home, "ada");
    let took = begun.elapsed();
    assert!(took > Duration::from_secs(18) && took < Duration::from_secs(40), "{took:?}");
    assert!(said.err.contains("at most 20 s more") && said.err.contains("could not be sent yet"), "{said:?}");
}

/// What waits is named at once, with the reason; and nobody takes it away without a word.
#[test]
fn what_was_not_sent_is_named_and_is_not_removed_in_silence() {
    let (home, receiver) = (Home::new(), Receiver::start(500));
    settings(&home, &webhook(&receiver.url));
    for (name, seed) in [("ada", 5), ("bob", 6)] {
        home.create(name, seed, &[]);
        let said = kill(&home, name);
        assert!(said.err.contains("could not be sent yet"), "{said:?}");
    }
    let said = home.bardo(&["doctor"]);
    for words in ["status 500", "2 notices of ada wait", "2 notices of bob wait", "hook failed (1 time"] {
        assert!(said.code == 1 && said.out.contains(words), "{words}: {said:?}");
    }
    let said = home.bardo(&["golem", "remove", "ada", "--yes"]);
    assert!(said.code == 3 && said.err.contains("2 notices of ada could not be sent"), "{said:?}");
    assert!(said.err.contains("--drop-notices") && home.json(&["golem", "list"])[0]["name"] == "ada", "{said:?}");
    let said = home.bardo(&["golem", "remove", "ada", "--yes", "--drop-notices", "--json"]);
    assert_eq!((said.code, said.json()["dropped_notices"].as_u64()), (0, Some(2)), "{said:?}");
    assert!(said.err.contains("2 notices of ada were never sent"), "{said:?}");
    // Where they can be sent they are.
    receiver.set(200);
    let before = receiver.got().len();
    let said = home.json(&["golem", "remove", "bob", "--yes"]);
    assert_eq!(said["dropped_notices"], 0);
    assert_eq!(kinds(&told(&receiver)[before..]), ["kill", "death"]);
    assert_eq!(home.json(&["golem", "list"]), serde_json::json!([]));
}

#[test]
fn an_address_that_others_can_read_is_told() {
    let (home, path) = (Home::new(), |home: &Home| home.path().join("notify.toml"));
    settings(&home, &webhook("https://hooks.example/s3cret"));
    assert_eq!(home.bardo(&["doctor"]).code, 0);
    std::fs::set_permissions(path(&home), std::fs::Permissions::from_mode(0o644)).unwrap();
    let said = home.bardo(&["doctor"]);
    assert!(said.code == 1 && said.out.contains("mode 644") && said.out.contains("chmod 600"), "{said:?}");
    assert!(!said.out.contains("s3cret"), "{said:?}");
    // The name of a variable is no secret.
    let named = webhook("x").replace("url = \"x\"", "url_env = \"HOOK\"");
    settings(&home, &named);
    std::fs::set_permissions(path(&home), std::fs::Permissions::from_mode(0o644)).unwrap();
    assert_eq!(home.bardo(&["doctor"]).code, 0);
}

/// Into a pipe, a journal or a log nobody is given the token of the page.
#[test]
fn the_token_of_the_page_is_not_written_where_nobody_looks_on() {
    use std::io::{BufRead, BufReader, Read};
    let home = Home::new();
    let mut serve = home.command(&["serve", "--listen", "127.0.0.1:0"]);
    let mut child = serve.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut first = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut first).unwrap();
    let token = std::fs::read_to_string(home.path().join("serve.token")).unwrap();
    std::thread::sleep(Duration::from_millis(100));
    child.kill().unwrap();
    let mut said = String::new();
    child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    child.wait().unwrap();
    assert!(first.starts_with("open http://127.0.0.1:") && said.contains("serve.token"), "{first} {said}");
    assert!(!first.contains(token.trim()) && !said.contains(token.trim()), "{first} {said}");
}
