//! Notices to an owner: through a real program and a real HTTP server, once more after every crash, and never at a golem's expense.

use crate::kit::Home;
use crate::rpc::node::anvil;
use crate::rpc::stage::{Node, Stage};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU16, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Turns of two dollars that are lived before the vigil.
const POOR: u64 = 6_000;

/// Good, after a while.
pub const SLOW: u16 = 1;

/// Answers with the status that is set; 0 never answers.
pub struct Receiver {
    pub url: String,
    status: Arc<AtomicU16>,
    /// Heads and bodies of what came.
    got: Arc<Mutex<Vec<(String, Value)>>>,
}

impl Receiver {
    pub fn start(status: u16) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/hook", listener.local_addr().unwrap());
        let (status, got) = (Arc::new(AtomicU16::new(status)), Arc::new(Mutex::new(Vec::new())));
        let (answers, kept) = (status.clone(), got.clone());
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (answers, kept) = (answers.clone(), kept.clone());
                std::thread::spawn(move || receive(&stream, &answers, &kept));
            }
        });
        Self { url, status, got }
    }

    pub fn got(&self) -> Vec<(String, Value)> {
        self.got.lock().unwrap().clone()
    }

    /// The notices of a kind.
    pub fn of_kind(&self, kind: &str) -> Vec<Value> {
        self.got().into_iter().map(|(_, notice)| notice).filter(|notice| notice["kind"] == kind).collect()
    }

    pub fn ids(&self) -> Vec<String> {
        self.got().iter().map(|(_, notice)| notice["id"].as_str().unwrap().to_owned()).collect()
    }

    pub fn set(&self, status: u16) {
        self.status.store(status, Ordering::SeqCst);
    }
}

fn receive(mut stream: &TcpStream, answers: &AtomicU16, kept: &Mutex<Vec<(String, Value)>>) {
    let mut reader = BufReader::new(stream);
    let (mut head, mut length) = (String::new(), 0);
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).unwrap_or(0) == 0 || line == "\r\n" {
            break;
        }
        let line = line.to_ascii_lowercase();
        length = line.strip_prefix("content-length: ").map_or(length, |n| n.trim().parse().unwrap());
        head.push_str(&line);
    }
    let mut body = vec![0; length];
    if reader.read_exact(&mut body).is_err() || body.is_empty() {
        return;
    }
    kept.lock().unwrap().push((head, serde_json::from_slice(&body).unwrap()));
    match answers.load(Ordering::SeqCst) {
        SLOW => {
            std::thread::sleep(Duration::from_millis(700));
            drop(write!(stream, "HTTP/1.1 200 x\r\ncontent-length: 0\r\n\r\n"));
        }
        0 => std::thread::sleep(Duration::from_secs(60)),
        status => drop(write!(stream, "HTTP/1.1 {status} x\r\nlocation: /other\r\ncontent-length: 0\r\n\r\n")),
    }
}

pub fn settings(home: &Home, text: &str) {
    let path = home.path().join("notify.toml");
    std::fs::write(&path, text).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
}

pub fn webhook(url: &str) -> String {
    format!("[[notify.channels]]\nname = \"hook\"\nkind = \"webhook\"\nurl = \"{url}\"\ntimeout_s = 1\n")
}

/// A program that appends what it reads to a file, and the channel that runs it.
fn program(home: &Home, name: &str, more: &str) -> (PathBuf, String) {
    let (path, heard) = (home.path().join(name), home.path().join(format!("{name}.heard")));
    std::fs::write(&path, format!("#!/bin/sh\ncat >> \"$1\"\n{more}\n")).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    let channel = format!(
        "[[notify.channels]]\nname = \"{name}\"\ncommand = [\"{}\", \"{}\"]\ntimeout_s = 2\n",
        path.display(),
        heard.display()
    );
    (heard, channel)
}

fn heard(path: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

pub fn kinds(all: &[Value]) -> Vec<&str> {
    all.iter().map(|notice| notice["kind"].as_str().unwrap()).collect()
}

#[test]
fn a_kill_and_a_death_are_told_by_program_and_webhook_and_change_no_life() {
    let (home, receiver) = (Home::new(), Receiver::start(200));
    let (file, log) = program(&home, "log", "");
    settings(&home, &format!("{log}{}token_env = \"HOOK_TOKEN\"\n", webhook(&receiver.url)));
    let dir = home.create("ada", 5, &[]);
    home.live("ada", Some(300));
    assert!(receiver.got().is_empty(), "nothing is told before anything happened");
    // It clears the screen, turns the direction, and says something that nobody sees.
    let evil = "the\nend <b>\u{1b}[2J\u{202e}\u{e0041}";
    let mut kill = home.command(&["golem", "kill", "ada", "--yes", "--reason", evil]);
    let said = kill.env("HOOK_TOKEN", "t0ken").output().unwrap();
    assert!(said.status.success(), "{said:?}");
    let (by_program, by_hook) = (heard(&file), receiver.got());
    assert_eq!(kinds(&by_program), ["kill", "death"]);
    // Programs print what they are given: it is spelled so that nothing of it acts, and read it is what was said.
    let raw = std::fs::read_to_string(&file).unwrap();
    assert!(!raw.chars().any(|c| c != '\n' && golem_core::words::is_hidden(c)), "{raw:?}");
    assert!(by_program.iter().any(|notice| notice["fact"].to_string().contains('\u{202e}')), "{by_program:?}");
    assert_eq!(by_program, by_hook.iter().map(|(_, notice)| notice.clone()).collect::<Vec<_>>());
    let id = home.json(&["golem", "list"])[0]["id"].as_str().unwrap().to_owned();
    for (head, notice) in &by_hook {
        let of = notice["id"].as_str().unwrap();
        assert!(of.starts_with(&format!("{id}/")) && head.contains(&format!("idempotency-key: {of}")), "{head} {of}");
        assert!(
            head.contains("authorization: bearer t0ken") && head.contains("content-type: application/json"),
            "{head}"
        );
        assert!(notice["words"].as_str().unwrap().contains("the end") && notice["name"] == "ada", "{notice}");
        let seq = notice["id"].as_str().unwrap().rsplit('/').next().unwrap();
        let logs = home.ok(&["golem", "logs", "ada", "-n", "1000", "--json"]).out;
        let mut facts = logs.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        let fact = facts.find(|f| f["seq"].as_u64() == seq.parse().ok());
        assert_eq!(fact.map(|f| f["type"].clone()), Some(notice["fact"]["type"].clone()), "of a fact on record");
    }
    // Nobody is told twice by whoever comes later.
    home.ok(&["notify", "send"]);
    assert_eq!((heard(&file).len(), receiver.got().len()), (2, 2));
    assert!(dir.join("notify.json").exists());
    // The same life where nobody is told: the same record, and no file beside it.
    let alone = Home::new();
    let other = alone.create("ada", 5, &[]);
    alone.live("ada", Some(300));
    alone.ok(&["golem", "kill", "ada", "--yes", "--reason", evil]);
    assert_eq!(alone.hash("ada"), home.hash("ada"));
    assert!(!other.join("notify.json").exists() && !alone.path().join("notify.lock").exists());
}

#[test]
fn a_channel_that_hangs_or_fails_slows_nobody_and_the_doctor_tells_of_it() {
    let (home, receiver) = (Home::new(), Receiver::start(0));
    let (file, log) = program(&home, "log", "exit 3");
    settings(&home, &format!("{log}{}", webhook(&receiver.url)));
    home.create("ada", 5, &[]);
    home.ok(&["golem", "kill", "ada", "--yes", "--reason", "x"]);
    home.create("bob", 6, &["--set", "mortality.immortal=true"]);
    // Two notices of ada wait for two channels that fail, one of them after a second of silence.
    let begun = Instant::now();
    let mut child = home.start(&["golem", "run", "bob", "--speed", "max", "--ticks", "4000"]);
    let until = begun + Duration::from_secs(40);
    while home.json(&["golem", "list"])[1]["tick"] != 4_000 {
        assert!(Instant::now() < until, "its turns wait for nobody");
        std::thread::sleep(Duration::from_millis(50));
    }
    // The last round tries each channel once: the silent one costs its second, and no more.
    let done = Instant::now();
    child.wait().unwrap();
    assert!(done.elapsed() < Duration::from_secs(15), "{:?}", done.elapsed());
    let doctor = || home.bardo(&["doctor"]);
    home.ok(&["notify", "send"]);
    home.ok(&["notify", "send"]);
    let told = doctor();
    for words in
        ["notify channel hook keeps failing", "no answer within 1 s", "notify channel log keeps failing", "2 notices"]
    {
        assert!(told.code == 1 && told.out.contains(words), "{words}: {told:?}");
    }
    assert!(!told.out.contains(&receiver.url), "an address may be a key");
    // What was tried again and again is the same notice.
    let ids = receiver.ids();
    assert!(ids.len() >= 3 && ids.iter().all(|id| *id == ids[0]), "{ids:?}");
    // Mended, everything arrives, in order and once.
    let before = (receiver.ids().len(), heard(&file).len());
    receiver.set(204);
    let (_, log) = program(&home, "log", "");
    settings(&home, &format!("{log}{}", webhook(&receiver.url)));
    assert_eq!(home.json(&["notify", "send"])["waiting"], 0);
    assert_eq!(kinds(&heard(&file)[before.1..]), ["kill", "death"]);
    let after: Vec<Value> = receiver.got()[before.0..].iter().map(|(_, notice)| notice.clone()).collect();
    assert_eq!(kinds(&after), ["kill", "death"]);
    assert_eq!(doctor().code, 0);
}

/// A golem dies, its notice is on its way to somebody who does not answer, and the process is killed: whoever comes next sends the
/// same notice again.
#[test]
fn killed_while_it_sends_it_sends_again_with_the_same_id() {
    let (home, receiver) = (Home::new(), Receiver::start(0));
    settings(&home, &webhook(&receiver.url).replace("timeout_s = 1", "timeout_s = 60"));
    let dir = home.create("ada", 5, &[]);
    home.live("ada", Some(20));
    let mut child = home.start(&["golem", "run", "ada", "--speed", "x1000"]);
    std::thread::sleep(Duration::from_millis(300));
    std::fs::write(dir.join("kill-switch"), "").unwrap();
    let until = Instant::now() + Duration::from_secs(40);
    while receiver.got().is_empty() {
        assert!(Instant::now() < until, "nobody was told");
        std::thread::sleep(Duration::from_millis(20));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let first = receiver.ids()[0].clone();
    receiver.set(200);
    // Whether its dying had come to its end or not: it is lived on, and everything is told.
    let _dead = home.bardo(&["golem", "run", "ada", "--speed", "max", "--quiet"]);
    home.ok(&["notify", "send"]);
    let ids = receiver.ids();
    assert_eq!(ids[1], first, "{ids:?}");
    let all: Vec<Value> = receiver.got()[1..].iter().map(|(_, notice)| notice.clone()).collect();
    assert_eq!(kinds(&all), ["kill", "death"], "{ids:?}");
}

/// Committed, and nobody has looked yet: as after a crash between the two.
#[test]
fn what_was_committed_before_anybody_looked_is_told_all_the_same() {
    let (home, receiver) = (Home::new(), Receiver::start(200));
    home.create("old", 4, &[]);
    home.ok(&["golem", "kill", "old", "--yes", "--reason", "x"]);
    settings(&home, &webhook(&receiver.url));
    home.create("ada", 5, &[]);
    home.live("ada", Some(20));
    let (file, away) = (home.path().join("notify.toml"), home.path().join("away.toml"));
    std::fs::rename(&file, &away).unwrap();
    home.ok(&["golem", "kill", "ada", "--yes", "--reason", "x"]);
    std::fs::rename(&away, &file).unwrap();
    home.ok(&["notify", "send"]);
    let told: Vec<Value> = receiver.got().iter().map(|(_, notice)| notice.clone()).collect();
    assert_eq!(kinds(&told), ["kill", "death"]);
    assert!(
        told.iter().all(|notice| notice["name"] == "ada"),
        "the past of one that nobody looked at is past: {told:?}"
    );
}

#[test]
fn a_succession_that_halts_is_told() {
    let (home, receiver) = (Home::new(), Receiver::start(200));
    settings(&home, &format!("[notify]\nkinds = [\"failed_succession\"]\n{}", webhook(&receiver.url)));
    home.create("elder", 7, &["--set", "succession.auto=true", "--set", "succession.inherit_grimoire=false"]);
    home.live("elder", Some(50));
    home.ok(&["golem", "kill", "elder", "--yes", "--reason", "time"]);
    let told = receiver.got();
    assert_eq!(told.len(), 1, "{told:?}");
    let words = told[0].1["words"].as_str().unwrap();
    assert!(words.contains("elder has no successor") && words.contains("treasury add"), "{words}");
    assert!(told[0].1["id"].as_str().unwrap().ends_with("/succession/0"), "{told:?}");
}

/// Settings of a golem whose model nobody serves.
pub fn model_that_fails(home: &Home) -> PathBuf {
    let file = home.path().join("thinks.toml");
    let text = "[mortality]\nimmortal = true\n[mind.gate]\nbase_deliberation_threshold = 0.05\n[inference]\nmax_daily_calls = 20\n\
                retries = 0\n[[inference.providers]]\nname = \"local\"\nkind = \"openai\"\nbase_url = \"http://127.0.0.1:1\"\n\
                model_t1 = \"small\"\nprice_t1 = { input_usdc_per_mtok = \"1.00\", output_usdc_per_mtok = \"4.00\" }\n";
    std::fs::write(&file, text).unwrap();
    file
}

#[test]
fn a_model_that_fails_again_and_again_is_told() {
    let (home, receiver) = (Home::new(), Receiver::start(200));
    settings(&home, &webhook(&receiver.url));
    let file = model_that_fails(&home);
    home.create("ada", 5, &["--config", file.to_str().unwrap()]);
    home.live("ada", Some(1_500));
    let told = receiver.got();
    let words = told.first().map(|(_, notice)| notice["words"].as_str().unwrap().to_owned()).unwrap_or_default();
    assert!(words.contains("model local (small) failed 3 times in a row"), "{told:?}");
    assert_eq!(told.iter().filter(|(_, n)| n["kind"] == "model_trouble").count(), 1, "once: {told:?}");
}

/// Its facts of a name, and the ids that notices of them have.
fn facts(home: &Home, name: &str, only: &str) -> (Vec<Value>, Vec<String>) {
    let facts = home.json_lines(&["golem", "logs", name, "--only", only, "--last", "100000"]);
    let id = home.json(&["golem", "status", name])["id"].as_str().unwrap().to_owned();
    let ids = facts.iter().map(|fact| format!("{id}/{}", fact["seq"])).collect();
    (facts, ids)
}

/// Where only its owner can help the owner hears at once, and not again with every try.
#[test]
fn a_succession_that_finds_no_place_is_told() {
    let (home, receiver) = (Home::new(), Receiver::start(200));
    settings(&home, &webhook(&receiver.url));
    let sets = [
        "succession.auto=true",
        "succession.inherit_grimoire=false",
        "succession.provision.kind=fly",
        "succession.provision.fly.app=heirs",
        "succession.provision.fly.image=bardo",
        "succession.provision.fly.token_env=NO_SUCH_TOKEN",
    ];
    home.create("elder", 7, &sets.map(|set| ["--set", set]).concat());
    home.live("elder", Some(600));
    home.ok(&["treasury", "add", "70"]);
    home.bardo(&["golem", "kill", "elder", "--yes", "--reason", "time"]);
    home.bardo(&["golem", "successor", "elder", "--auto"]);
    home.ok(&["notify", "send"]);
    let told = receiver.of_kind("failed_succession");
    assert_eq!(told.len(), 1, "{told:?}");
    let words = told[0]["words"].as_str().unwrap();
    assert!(words.contains("no place for a successor") && words.contains("NO_SUCH_TOKEN; export it"), "{words}");
    assert_eq!((&told[0]["name"], &told[0]["fact"]["notice"]), (&Value::from("elder"), &Value::from("queued")));
}

/// Its money is over: the notice says how long it has and which command helps, and with that it lives on.
#[test]
fn a_golem_that_runs_out_of_money_says_how_it_is_saved() {
    let (home, receiver) = (Home::new(), Receiver::start(200));
    settings(&home, &format!("[notify]\nkinds = [\"crisis\", \"death\"]\n{}", webhook(&receiver.url)));
    home.create("poor", 11, &["--budget", "2"]);
    home.live("poor", Some(POOR));
    assert!(receiver.got().is_empty(), "nobody is alarmed before: {:?}", receiver.got());
    while receiver.got().is_empty() {
        home.live("poor", Some(40));
    }
    let told = receiver.got();
    let [(_, notice)] = &told[..] else { panic!("{told:?}") };
    let (vigils, of_vigils) = facts(&home, "poor", "mortality.vigil");
    assert_eq!((&notice["kind"], vigils.len()), (&Value::from("crisis"), 1), "{notice}");
    assert_eq!(notice["id"], of_vigils[0].as_str());
    let words = notice["words"].as_str().unwrap();
    assert!(words.starts_with("poor ") && words.contains("dies in 50 turns unless"), "{words}");
    let (_, advice) = words.split_once(": bardo ").unwrap();
    let advice: Vec<&str> = advice.split_whitespace().map(|word| if word == "N" { "40" } else { word }).collect();
    home.ok(&advice);
    home.live("poor", Some(500));
    let status = home.json(&["golem", "status", "poor"]);
    assert_eq!((&status["standing"], &status["vigil"]), (&Value::from("alive"), &Value::Null), "it is saved");
    home.ok(&["notify", "send"]);
    assert_eq!(receiver.got().len(), 1, "that it is well again is no alarm: {:?}", receiver.got());
}

/// On a node's chain gas is paid in a coin that is not of our making: that it runs short is told, once.
#[test]
fn coin_for_gas_that_runs_short_on_a_nodes_chain_is_told_once() {
    if anvil::is_missing() {
        return;
    }
    let (stage, receiver) = (Stage::new(Node::anvil(true)), Receiver::start(200));
    settings(&stage.home, &webhook(&receiver.url));
    stage.live_until_it_traded();
    assert!(receiver.got().is_empty(), "there is enough: {:?}", receiver.got());
    // Enough for a few acts at the price of the day, and not for closing everything and going home.
    let low = format!("{:#x}", 1_000_000_000_000_000u128);
    stage.town().anvil.call("anvil_setBalance", json!([stage.who, low]));
    stage.town().anvil.call("anvil_setNextBlockBaseFeePerGas", json!(["0x3b9aca00"]));
    stage.town().anvil.mine(1);
    for _ in 0..3 {
        stage.live(2);
    }
    let of_gas = |fact: &&Value| fact["because"] == "gas";
    let outcomes = stage.facts("action.outcome");
    let first = outcomes.iter().find(of_gas).expect("it sees to its gas");
    let told = receiver.of_kind("low_gas");
    assert_eq!((told.len(), receiver.got().len()), (1, 1), "{:?}", receiver.got());
    assert!(told[0]["id"].as_str().unwrap().ends_with(&format!("/{}", first["seq"])), "{told:?} {first}");
    let words = told[0]["words"].as_str().unwrap();
    assert_eq!(words, "ada runs short of the coin that pays for gas, and trades for more of it");
}

#[test]
fn what_is_received_and_refused_is_given_up_and_redirects_lead_nowhere() {
    let (home, receiver) = (Home::new(), Receiver::start(422));
    settings(&home, &format!("[notify]\nkinds = [\"kill\", \"death\"]\n{}", webhook(&receiver.url)));
    home.create("ada", 5, &[]);
    home.ok(&["golem", "kill", "ada", "--yes", "--reason", "x"]);
    for _ in 0..4 {
        home.ok(&["notify", "send"]);
    }
    // Five refusals: those behind it are not kept waiting.
    let ids = receiver.ids();
    assert!(ids[..5].iter().all(|id| *id == ids[0]), "{ids:?}");
    receiver.set(200);
    assert_eq!(home.json(&["notify", "send"])["waiting"], 0);
    assert_eq!(receiver.got().last().unwrap().1["kind"], "death");
    let told = home.bardo(&["doctor"]);
    assert!(told.code == 1 && told.out.contains("1 notice of ada had to be given up"), "{told:?}");
    receiver.set(302);
    let said = home.bardo(&["notify", "test"]);
    assert!(said.code == 1 && said.out.contains("points elsewhere"), "{said:?}");
}

#[test]
fn channels_are_tried_by_hand_and_are_given_no_secrets() {
    let (home, receiver) = (Home::new(), Receiver::start(200));
    let nothing = home.bardo(&["notify", "test"]);
    assert!(
        nothing.code == 2 && nothing.err.contains("notify.toml") && nothing.err.contains("config show notify"),
        "{nothing:?}"
    );
    let (file, log) = program(&home, "log", "env > \"$1.env\"; sleep 0");
    let secret = format!(
        "[[notify.channels]]\nname = \"hook\"\nkind = \"webhook\"\nurl_env = \"HOOK_URL\"\n{log}env = [\"WANTED\"]\n"
    );
    settings(&home, &secret);
    let mut test = home.command(&["notify", "test", "--json"]);
    let test = test.env("HOOK_URL", &receiver.url).env("BARDO_PASSPHRASE", "s3cret").env("WANTED", "yes");
    let said = crate::kit::Said::from(test.output().unwrap());
    assert_eq!(
        (said.code, said.json()[0]["ok"].as_bool(), said.json()[1]["ok"].as_bool()),
        (0, Some(true), Some(true)),
        "{said:?}"
    );
    assert!(receiver.got()[0].1["test"] == true && heard(&file)[0]["test"] == true);
    let env = std::fs::read_to_string(format!("{}.env", file.display())).unwrap();
    assert!(env.contains("WANTED=yes") && !env.contains("s3cret") && !env.contains("HOOK_URL"), "{env}");
    // What is wrong is said, without the address.
    let said = home.bardo(&["notify", "test"]);
    assert!(said.code == 1 && said.out.contains("hook: NOT sent: the environment has no usable HOOK_URL"), "{said:?}");
    let mut far = home.command(&["notify", "test", "hook"]);
    let said = crate::kit::Said::from(far.env("HOOK_URL", "http://example.org/k3y").output().unwrap());
    assert!(said.code == 1 && said.out.contains("https") && !said.out.contains("k3y"), "{said:?}");
    let said = home.bardo(&["notify", "test", "pigeon"]);
    assert!(said.code == 2 && said.err.contains("hook, log"), "{said:?}");
    // A program that never ends is ended, with what it began.
    let (_, slow) = program(&home, "slow", "sleep 500 & wait");
    settings(&home, &slow);
    let begun = Instant::now();
    let said = home.bardo(&["notify", "test"]);
    assert!(said.code == 1 && said.out.contains("took longer than 2 s"), "{said:?}");
    assert!(begun.elapsed() < Duration::from_secs(20));
    // Settings that nobody can read are told, and keep no golem from living.
    settings(&home, "[[notify.channels]]\nname = \"x\"\ncomand = [\"y\"]\n");
    home.create("ada", 5, &[]);
    let said = home.bardo(&["golem", "run", "ada", "--speed", "max", "--ticks", "5"]);
    assert!(said.code == 0 && said.err.contains("did you mean command"), "{said:?}");
    assert_eq!(home.bardo(&["doctor"]).code, 1);
}
