//! Killed at random points of a death and of what follows it: on paper, on contracts in this process, and on a real node. Wherever that is, it
//! settles once, leaves one testament and one deposit, has one successor that inherits once, and no money is made or lost.

use super::node::anvil;
use super::stage::{DOLLARS, Node, Stage};
use crate::kit::{self, Home, count};
use golem_core::{Dice, Strand};
use serde_json::{Value, json};
use std::path::Path;
use std::process::{Command, Stdio};

/// What changes something on disk or goes out to a node.
const CALLS: [&str; 8] = ["pwrite64", "write", "fsync", "fdatasync", "rename", "openat", "unlink", "sendto"];

/// A golem whose end is ordered, and the commands by which it comes to it and to an heir.
struct Doomed {
    name: &'static str,
    home: Home,
    ready: Home,
    dies: Vec<String>,
}

/// What stands at the end.
#[derive(Debug, PartialEq)]
struct Ended {
    settled: Vec<Value>,
    went_home: Vec<Value>,
    testaments: usize,
    deposits: Value,
    left: Value,
    worth: [Value; 2],
}

fn strace() -> bool {
    Command::new("strace").arg("-V").stdout(Stdio::null()).status().is_ok_and(|status| status.success())
}

/// Put a folder back as it was.
fn again(from: &Path, to: &Path) {
    for entry in std::fs::read_dir(to).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() { std::fs::remove_dir_all(path).unwrap() } else { std::fs::remove_file(path).unwrap() }
    }
    kit::copy_into(from, to);
}

impl Doomed {
    /// `home` is as it is before the first turn of dying.
    fn new(name: &'static str, home: Home, dies: &[&str]) -> Self {
        let ready = Home::new();
        kit::copy_into(home.path(), ready.path());
        Self { name, home, ready, dies: dies.iter().map(|&word| word.to_owned()).collect() }
    }

    fn heir(&self) -> Vec<String> {
        let words =
            ["golem", "successor", self.name, "--yes", "--seed", "8", "--inherit-grimoire", "--force-similarity"];
        words.iter().map(|&word| word.to_owned()).collect()
    }

    /// Run it under strace, killed at the n-th call of a kind, or to its end with all of them counted.
    fn run(&self, words: &[String], kill: Option<(&str, u64)>) -> Option<[u64; CALLS.len()]> {
        let log = self.ready.path().join("calls");
        let mut command = Command::new("strace");
        command.args(["-f", "-qq", "-o"]).arg(&log);
        match kill {
            Some((call, when)) => {
                command.args(["-e", &format!("trace={call}")]);
                command.args(["-e", &format!("inject={call}:signal=SIGKILL:when={when}")]);
            }
            None => drop(command.args(["-e", &format!("trace={}", CALLS.join(","))])),
        }
        command.arg(env!("CARGO_BIN_EXE_bardo")).args(words).env("BARDO_HOME", self.home.path());
        let done = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status();
        let done = done.expect("strace starts").success();
        let told = std::fs::read_to_string(&log).unwrap_or_default();
        let _absent = std::fs::remove_file(&log);
        let of = |call: &str| told.lines().filter(|line| line.contains(&format!(" {call}("))).count() as u64;
        done.then(|| CALLS.map(of))
    }

    fn is_dead(&self) -> bool {
        let said = self.home.bardo(&["golem", "status", self.name, "--json"]);
        said.code == 0 && said.json()["standing"] == "dead"
    }

    /// Both to their ends, as an owner would, and one turn in which the heir takes in what it was left.
    fn finish(&self) {
        for _ in 0..30 {
            if self.is_dead() {
                break;
            }
            let words: Vec<&str> = self.dies.iter().map(String::as_str).collect();
            let _stopped = self.home.bardo(&words);
        }
        assert!(self.is_dead(), "it does not come to its end");
        let words: Vec<String> = self.heir();
        self.home.ok(&words.iter().map(String::as_str).collect::<Vec<_>>());
    }

    fn ended(&self, at: &str) -> Ended {
        let facts = self.home.json_lines(&["golem", "logs", self.name, "--last", "100000"]);
        let of = |kind: &str| facts.iter().filter(|f| f["type"] == kind).cloned().collect::<Vec<_>>();
        let (home, name) = (&self.home, self.name);
        let line = home.json(&["lineage", name]);
        assert_eq!(line.as_array().map(Vec::len), Some(2), "{at}: one successor: {line:#}");
        let report = home.json(&["golem", "verify", name]);
        assert_eq!(report["ok"], true, "{at}: {report:#}");
        let status = home.json(&["golem", "status", name]);
        // When it came, by the wall, is another matter.
        let library = home.json(&["library", "list"]);
        let deposits = library["entries"].as_array().unwrap().iter().map(|held| held["id"].clone());
        let deposits =
            json!({ "of": library["deposits"].as_array().unwrap().len(), "entries": deposits.collect::<Vec<_>>() });
        Ended {
            settled: of("dying.settled"),
            went_home: of("dying.home"),
            testaments: of("testament.written").len(),
            deposits,
            left: home.json(&["golem", "testament", name]),
            worth: [status["balance_micro_usdc"].clone(), status["home"].clone()],
        }
    }
}

/// Kill it so often, each time at a random point of a random kind of what it does from the first turn of dying to its heir's birth; then let
/// it end, and see. Returns how many kills and how many deaths there were.
fn campaign(doomed: &Doomed, kills: usize, seed: u64, before: impl Fn(), check: impl Fn(&str)) -> [usize; 2] {
    let mut draws = Dice::open(seed, Strand::World).draws(0);
    let mut below = |n: u64| ((draws.uniform() * n as f64) as u64).min(n.saturating_sub(1));
    let counts = [doomed.dies.clone(), doomed.heir()].map(|words| doomed.run(&words, None).expect("it ends by itself"));
    check("nobody was killed");
    let (mut done, mut deaths) = (0, 0);
    while done < kills {
        before();
        again(doomed.ready.path(), doomed.home.path());
        deaths += 1;
        let mut at = String::new();
        // One in two is killed again where it goes on.
        for _ in 0..3 {
            let part = usize::from(doomed.is_dead());
            let (words, all) = ([doomed.dies.clone(), doomed.heir()][part].clone(), &counts[part]);
            let mut place = below(all.iter().sum());
            let kind = all.iter().position(|n| place.checked_sub(*n).map(|left| place = left).is_none()).unwrap_or(0);
            let was_killed = doomed.run(&words, Some((CALLS[kind], place + 1))).is_none();
            done += usize::from(was_killed);
            at += &format!(" {part}:{} {}", CALLS[kind], place + 1);
            if below(2) == 0 {
                break;
            }
        }
        doomed.finish();
        check(&format!("killed at{at}"));
    }
    [done, deaths]
}

#[allow(clippy::print_stdout, reason = "a campaign says its counts")]
fn tell(chain: &str, [kills, deaths]: [usize; 2]) {
    println!("{chain}: {kills} kills in {deaths} deaths");
}

fn alike(doomed: &Doomed) -> impl Fn(&str) {
    let want = std::cell::OnceCell::new();
    move |at: &str| {
        let ended = doomed.ended(at);
        let first = want.get_or_init(|| doomed.ended(at));
        assert_eq!(&ended, first, "{at}");
        assert_eq!([ended.settled.len(), ended.went_home.len(), ended.testaments], [1, 1, 1], "{at}");
        inherits_once(doomed, at);
    }
}

fn inherits_once(doomed: &Doomed, at: &str) {
    let heir = format!("{}-1", doomed.name);
    doomed.home.live(&heir, Some(3));
    let taken = doomed.home.json_lines(&["golem", "logs", &heir, "-n", "1000", "--only", "inheritance"]);
    let intakes = taken.iter().filter(|f| f["type"] == "inheritance.taken_in").count();
    assert_eq!(intakes, 1, "{at}: it inherits once: {taken:?}");
}

#[test]
fn killed_anywhere_on_paper_a_death_is_one_death_and_has_one_heir() {
    if !strace() {
        return;
    }
    let home = Home::new();
    let dir = home.create("elder", 3, &["--budget", "200", "--template", "eth-dca"]);
    home.live("elder", Some(2_500));
    std::fs::write(dir.join("kill-switch"), "").unwrap();
    let doomed = Doomed::new("elder", home, &["golem", "run", "elder", "--speed", "max", "--quiet"]);
    tell("paper", campaign(&doomed, count(6, 1_000), 1, || (), alike(&doomed)));
}

#[test]
fn killed_anywhere_on_the_contracts_a_death_is_one_death_and_has_one_heir() {
    let (Some(home), true) = (Home::with_contracts(), strace()) else { return };
    let buys = ["policy.cooldown_ticks=3", "policy.eth_dca.every_ticks=10", "policy.eth_dca.amount_usdc=\"8\""];
    let buys: Vec<&str> = buys.iter().flat_map(|set| ["--set", *set]).collect();
    let dir = home.create(
        "elder",
        3,
        &[&["--chain", "embedded", "--budget", "200", "--template", "eth-dca"], &buys[..]].concat(),
    );
    home.live("elder", Some(400));
    std::fs::write(dir.join("kill-switch"), "").unwrap();
    let doomed = Doomed::new("elder", home, &["golem", "run", "elder", "--speed", "max", "--quiet"]);
    tell("contracts", campaign(&doomed, count(4, 1_000), 2, || (), alike(&doomed)));
}

/// On somebody's node nothing is lived twice in the same way; what must be is told by the chain.
#[test]
fn killed_anywhere_on_a_node_a_death_is_one_death_and_has_one_heir() {
    if anvil::is_missing() || !strace() {
        return;
    }
    let mut stage = Stage::new(Node::anvil(true));
    stage.live_until_it_traded();
    stage.home.ok(&["golem", "kill", "ada", "--reason", "enough", "--yes"]);
    let file = stage.passphrase.to_str().unwrap().to_owned();
    let dies = ["golem", "run", "ada", "--speed", "max", "--quiet", "--passphrase-file", &file, "--ticks", "60"];
    let home = std::mem::replace(&mut stage.home, Home::new());
    let doomed = Doomed::new("ada", home, &dies);
    let town_call = |method: &str, params: Value| stage.town().anvil.call(method, params);
    let mark = std::cell::RefCell::new(town_call("evm_snapshot", json!([])));
    let before = || {
        // A mark is used up by going back to it.
        assert_eq!(town_call("evm_revert", json!([mark.borrow().clone()])), true);
        *mark.borrow_mut() = town_call("evm_snapshot", json!([]));
        town_call("anvil_setBlockTimestampInterval", json!([1]));
    };
    let check = |at: &str| {
        let ended = doomed.ended(at);
        assert_eq!([ended.settled.len(), ended.went_home.len(), ended.testaments], [1, 1, 1], "{at}");
        let own = stage.town().holdings(stage.who);
        assert_eq!(own, [0, 0], "{at}: nothing is left in the account");
        let (books, beside) = stage.chain_says();
        assert_eq!(beside, 0, "{at}: nothing but gas, and what went home, left the account's ether");
        let said = super::books::said(&stage.dir);
        assert_eq!(said, books, "{at}: the journal and the chain");
        // A kill may cost the gas that a sale had left: then the asset itself goes home, and the report says why it was not sold.
        let ([usdc, asset], sent) = (stage.at_home(), ended.went_home[0]["sent"].as_array().unwrap());
        let went = |kind: &str| sent.iter().filter(|one| !one["sum"][kind].is_null()).collect::<Vec<_>>();
        let [dollars] = went("usdc")[..] else { panic!("{at}: {sent:?}") };
        assert_eq!(dollars["sum"]["usdc"].as_i64().map(i128::from), Some(usdc), "{at}: once, all of it");
        let left: Vec<i128> =
            went("asset").iter().map(|one| one["sum"]["asset"].as_str().unwrap().parse().unwrap()).collect();
        assert_eq!(left.iter().sum::<i128>(), asset, "{at}: once, all of it");
        let unsold = ended.settled[0]["failed"].as_array().unwrap();
        assert_eq!(unsold.len(), left.len(), "{at}: what was not sold is told: {:#}", ended.settled[0]);
        let worth: i128 = unsold.iter().map(|one| i128::from(one["worth_micro_usdc"].as_u64().unwrap())).sum();
        assert!(usdc + worth > i128::from(DOLLARS) * 980_000, "{at}: {usdc} and {worth}");
        let heirs = doomed.home.json(&["golem", "list"]).as_array().map(Vec::len);
        assert_eq!(heirs, Some(2), "{at}");
    };
    tell("a node", campaign(&doomed, count(2, 1_000), 3, before, check));
}
