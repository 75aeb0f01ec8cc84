//! Heirs: one for each death, given what the dead knew and nothing from the future, whoever is killed on the way.

#![allow(clippy::print_stderr, reason = "a skipped test says so")]

use crate::golden::OTHERWISE;
use crate::kit::{self, Home};
use golem_clade::barrier::Crossings;
use golem_clade::heirloom::Heirloom;
use golem_clade::provenance::{Lineage, Passport, TravellingEntry};
use golem_clade::world_time::{LifeClock, WorldTimes};
use golem_core::{Birth, GolemId, VirtualTime};
use golem_grimoire::grimoire::Foreign;
use golem_grimoire::standing::Support;
use golem_grimoire::{
    Claim, Entry, EntryBody, EntryKind, EntryOrigin, EntryStatus, Provenance, RuleAction, Standing, WarningSeverity,
};
use golem_home::bundle;
use golem_runtime::Reader;
use serde_json::Value;
use std::process::{Command, Stdio};

/// A home in which somebody has lived for two days and was ended.
pub fn grave() -> Home {
    let home = Home::new();
    home.create("elder", 7, &[]);
    home.live("elder", Some(6_000));
    home.ok(&["golem", "kill", "elder", "--yes", "--reason", "time"]);
    home
}

fn successor(home: &Home, extra: &[&str]) -> Value {
    home.json(&[&["golem", "successor", "elder", "--yes", "--seed", "8"], extra].concat())
}

fn inherit() -> Vec<&'static str> {
    [&["--inherit-grimoire"][..], &OTHERWISE[..]].concat()
}

#[test]
fn one_death_has_one_successor_and_it_inherits_once() {
    let home = grave();
    let shown = successor(&home, &[&inherit()[..], &["--dry-run"]].concat());
    assert_eq!((shown["dry_run"].as_bool(), home.json(&["golem", "list"]).as_array().unwrap().len()), (Some(true), 1));
    let preview = &shown["preview"];
    let entries = preview["entries"].as_u64().unwrap();
    assert!(entries > 0, "{shown:#}");
    let sum = |key: &str| preview[key].as_array().unwrap().iter().map(|n| n.as_u64().unwrap()).sum::<u64>();
    assert_eq!((sum("before"), sum("after"), sum("trusted")), (entries, entries, entries));
    assert!(preview["trusted"].as_array().unwrap()[5..].iter().all(|n| n == 0), "nothing above its ceiling: {preview}");
    assert_eq!(preview["from_the_dead"], preview["entries"]);
    let covered: u64 = preview["domains"].as_array().unwrap().iter().map(|d| d[1].as_u64().unwrap()).sum();
    assert_eq!(covered, entries);

    let heir = successor(&home, &inherit());
    assert_eq!((heir["generation"].as_u64(), heir["already"].as_bool()), (Some(1), Some(false)));
    let again = successor(&home, &inherit());
    assert_eq!((&again["id"], again["already"].as_bool()), (&heir["id"], Some(true)));
    assert_eq!(again["inherited"], heir["inherited"]);
    home.live("elder-1", Some(3_000));
    let taken = home.json_lines(&["golem", "logs", "elder-1", "-n", "100000", "--only", "inheritance"]);
    let intakes: Vec<&Value> = taken.iter().filter(|f| f["type"] == "inheritance.taken_in").collect();
    let [intake] = &intakes[..] else { panic!("it inherits once: {taken:?}") };
    assert_eq!(intake["offered"], heir["inherited"]);
    assert!(intake["on_trial"].as_u64().unwrap() > 0, "{intake}");
    assert_eq!(home.json(&["golem", "replay", "elder-1"])["ok"], true);
    assert_eq!(home.json(&["golem", "verify", "elder-1"])["ok"], true);
    // Its owner sees of what it was left and has not proven what that waits for.
    let rows = home.json_lines(&["grimoire", "export", "elder-1"]);
    let left = rows.iter().filter_map(|row| row.get("entry")).filter(|e| e["body"]["provenance"] == "testament");
    let shown: Vec<String> =
        left.map(|e| home.ok(&["grimoire", "show", "elder-1", e["id"].as_str().unwrap()]).out).collect();
    assert!(shown.iter().any(|page| page.contains("  on trial    ")), "{shown:?}");
    let other = successor(&home, &[&inherit()[..], &["--another", "--name", "other"]].concat());
    assert_ne!(other["id"], heir["id"]);
    let line = home.json(&["lineage", "elder"]);
    assert_eq!(line.as_array().unwrap().len(), 3);
    for (format, part) in [("text", "\u{2514} elder-1"), ("dot", "->"), ("mermaid", "-->")] {
        assert!(home.ok(&["lineage", "elder-1", "--format", format]).out.contains(part), "{format}");
    }
    let graves = home.json(&["graveyard"]);
    assert_eq!((graves[0]["name"].as_str(), graves.as_array().unwrap().len()), (Some("elder"), 1));
    assert!(graves[0]["last_words"].as_str().is_some_and(|words| !words.is_empty()), "{graves}");
}

#[test]
fn a_damaged_library_keeps_nobody_from_being_born_whose_predecessors_file_bears_witness() {
    let home = grave();
    let bundle = home.path().join("elder.heirloom").display().to_string();
    home.ok(&["golem", "heirloom", "elder", "--out", &bundle]);
    let ruin = |home: &Home| {
        for side in ["-wal", "-shm"] {
            let _none = std::fs::remove_file(home.path().join(format!("library.db{side}")));
        }
        std::fs::write(home.path().join("library.db"), "no library at all").unwrap();
    };
    ruin(&home);
    let args = [&["golem", "successor", "elder", "--yes", "--seed", "8"], &inherit()[..]].concat();
    let said = home.bardo(&[&args[..], &["--json"]].concat());
    assert!(said.code == 0 && said.err.contains("library cannot be read") && said.err.contains("hint:"), "{said:?}");
    let heir: Value = serde_json::from_str(&said.out).unwrap();
    assert!(heir["inherited"].as_u64().unwrap() > 0, "{heir}");
    let again = home.json(&args);
    assert_eq!((&again["id"], again["already"].as_bool()), (&heir["id"], Some(true)), "and it is the only one");
    // Without the dead one's own file nobody else bears witness.
    let other = Home::new();
    ruin(&other);
    let refused = other.bardo(&["golem", "create", "late", "--heirloom", &bundle]);
    assert!(refused.code != 0 && refused.err.contains("hint:") && refused.err.contains("library"), "{refused:?}");
    assert!(!refused.err.contains("panicked"), "{refused:?}");
}

#[test]
fn the_living_have_no_successors_and_a_fresh_start_inherits_nothing() {
    let home = Home::new();
    home.create("elder", 7, &[]);
    let said = home.bardo(&["golem", "successor", "elder", "--inherit-grimoire", "--yes"]);
    assert!(said.code == 2 && said.err.contains("is alive") && said.err.contains("golem kill"), "{said:?}");
    let said = home.bardo(&["golem", "successor", "elder", "--yes"]);
    assert!(said.code == 2 && said.err.contains("--no-inherit"), "{said:?}");
    let home = grave();
    let said = home.bardo(&["golem", "restore", "elder"]);
    assert!(said.code == 2 && said.err.contains("bardo golem successor"), "{said:?}");
    let heir = successor(&home, &["--no-inherit"]);
    assert_eq!((heir["inherited"].as_u64(), heir["generation"].as_u64()), (Some(0), Some(1)));
    home.live("elder-1", Some(200));
    assert_eq!(home.json(&["golem", "replay", "elder-1"])["ok"], true);
    let said =
        home.bardo(&["golem", "successor", "elder", "--another", "--inherit-grimoire", "--domains", "apples", "--yes"]);
    assert!(said.code == 2 && said.err.contains("apples") && said.err.contains("there is:"), "{said:?}");
}

#[test]
fn a_bundle_founds_an_heir_in_another_home_and_no_other_bytes_do() {
    let (home, away) = (grave(), Home::new());
    let path = home.path().join("elder.bundle");
    let out = path.display().to_string();
    let left = home.json(&["golem", "heirloom", "elder", "--out", &out]);
    let bytes = std::fs::read(&path).unwrap();
    let again = home.path().join("again.bundle");
    home.ok(&["golem", "heirloom", "elder", "--out", &again.display().to_string()]);
    assert_eq!(std::fs::read(&again).unwrap(), bytes, "one golem, one form");
    let heir = away.json(&["golem", "create", "heir", "--seed", "9", "--heirloom", &out]);
    assert_eq!(
        heir["inherited"].as_u64(),
        left["preview"]["entries"].as_u64().zip(left["preview"]["questions"].as_u64()).map(|(a, b)| a + b)
    );
    away.live("heir", Some(100));
    let taken = away.json_lines(&["golem", "logs", "heir", "-n", "1000", "--only", "inheritance"]);
    assert!(taken[0]["on_trial"].as_u64().unwrap() > 0, "{taken:?}");
    assert_eq!(away.json(&["golem", "replay", "heir"])["ok"], true);
    for (what, at) in
        [("seal", 40), ("head", bytes.iter().position(|b| *b == b'\n').unwrap() + 10), ("body", bytes.len() - 20)]
    {
        let mut bad = bytes.clone();
        bad[at] ^= 1;
        let file = home.path().join("bad.bundle");
        std::fs::write(&file, &bad).unwrap();
        let said = away.bardo(&["golem", "create", "other", "--heirloom", &file.display().to_string()]);
        assert!(said.code == 2 && said.err.contains("no bundle"), "{what}: {said:?}");
    }
    // Somebody who relives an earlier year is told nothing that was learnt later.
    let mut bars = String::from("timestamp,open,high,low,close,volume\n");
    for hour in 0..240 {
        let price = 2_000.0 + f64::from(hour % 24);
        bars.push_str(&format!(
            "{},{price},{},{},{price},100\n",
            1_640_995_200 + hour * 3_600,
            price + 2.0,
            price - 2.0
        ));
    }
    let csv = home.path().join("2022.csv");
    std::fs::write(&csv, bars).unwrap();
    let world = format!("world.path={}", csv.display());
    let set = ["--set", "world.kind=csv", "--set", &world];
    away.json(&[&["golem", "create", "past", "--seed", "9", "--heirloom", &out][..], &set[..]].concat());
    away.live("past", Some(20));
    let taken = away.json_lines(&["golem", "logs", "past", "-n", "1000", "--only", "inheritance"]);
    let (offered, refused) = (&taken[0]["offered"], &taken[0]["refused"]["not_yet_learnt"]);
    assert!(offered == refused && offered.as_u64() > Some(0), "{taken:?}");
}

pub fn copied(from: &Home, to: &Home, id: &str) {
    let (from, to) = (from.path().join("golems").join(id), to.path().join("golems").join(id));
    std::fs::create_dir_all(&to).unwrap();
    for file in std::fs::read_dir(from).unwrap().map(Result::unwrap).filter(|f| f.file_type().unwrap().is_file()) {
        std::fs::copy(file.path(), to.join(file.file_name())).unwrap();
    }
}

#[test]
fn a_copy_of_the_grave_knows_of_the_heir_and_an_heir_that_cannot_be_read_is_one() {
    let (home, away) = (grave(), Home::new());
    let dead = home.json(&["golem", "status", "elder"])["id"].as_str().unwrap().to_owned();
    let heir = successor(&home, &inherit());
    let id = heir["id"].as_str().unwrap();
    let ask = |home: &Home, extra: &[&str]| {
        home.bardo(&[&["golem", "successor", "elder", "--yes", "--seed", "9"], &inherit()[..], extra].concat())
    };
    // The folder is copied after the birth: its file says who the heir is, wherever it lies.
    copied(&home, &away, &dead);
    let said = ask(&away, &[]);
    assert_eq!(said.code, 3, "{said:?}");
    assert!(said.err.contains(id) && said.err.contains("--another") && !said.err.contains("doctor"), "{said:?}");
    assert_eq!(away.json(&["golem", "list"]).as_array().unwrap().len(), 1, "nobody was born there");
    assert_eq!(ask(&away, &["--another", "--name", "other"]).code, 0, "the owner says so again");
    // The heir's file is broken: it is an heir all the same.
    let file = home.path().join("golems").join(id).join("golem.db");
    let bytes = std::fs::read(&file).unwrap();
    std::fs::write(&file, b"not a golem").unwrap();
    let said = ask(&home, &["--name", "second"]);
    assert!(said.code == 3 && said.err.contains("cannot be read"), "{said:?}");
    // Or gone altogether: the library of this home was told.
    std::fs::write(&file, bytes).unwrap();
    std::fs::rename(home.path().join("golems").join(id), home.path().join("elsewhere")).unwrap();
    let said = ask(&home, &["--name", "second"]);
    assert!(said.code == 3 && said.err.contains(id), "{said:?}");
    // An older copy of the grave, from before the birth, does not say; the library does.
    let grave = home.path().join("golems").join(&dead).join("golem.db");
    let sqlite = rusqlite::Connection::open(&grave).unwrap();
    assert_eq!(sqlite.execute("DELETE FROM meta WHERE key LIKE 'heir/%'", []).unwrap(), 1);
    drop(sqlite);
    let said = ask(&home, &["--name", "second"]);
    assert!(said.code == 3 && said.err.contains("the library of this home"), "{said:?}");
}

/// What changes something on disk.
const MUTATING: &[&str] = &["pwrite64", "write", "fsync", "fdatasync", "rename", "openat", "mkdir", "unlink"];

#[test]
fn killed_while_an_heir_is_made_there_is_one_heir_that_inherits_once() {
    let there = Command::new("strace").arg("-V").stdout(Stdio::null()).status().is_ok_and(|s| s.success());
    if !there {
        assert!(std::env::var_os("CI").is_none(), "strace is needed here");
        eprintln!("skipped: no strace");
        return;
    }
    let prepared = grave();
    let asked = [&["golem", "successor", "elder", "--yes", "--seed", "8", "--quiet"][..], &inherit()[..]].concat();
    let mut killed = 0;
    for call in MUTATING {
        let mut when = 1;
        loop {
            let home = Home::new();
            kit::copy_into(prepared.path(), home.path());
            let done = Command::new("strace")
                .args(["-f", "-qq", "-o", "/dev/null", "-e", &format!("trace={call}")])
                .args(["-e", &format!("inject={call}:signal=SIGKILL:when={when}")])
                .arg(env!("CARGO_BIN_EXE_bardo"))
                .args(&asked)
                .env("BARDO_HOME", home.path())
                .stdin(Stdio::null())
                .stdout(Stdio::null())
                .status()
                .expect("strace starts");
            if done.success() || when > kit::count(40, 400) {
                break;
            }
            killed += 1;
            let heir = successor(&home, &inherit());
            let all = home.json(&["golem", "list"]);
            assert_eq!(all.as_array().unwrap().len(), 2, "killed at {call} number {when}: {all:#}");
            let place = home.path().join("golems").join(heir["id"].as_str().unwrap());
            assert!(place.join("golem.toml").exists(), "killed at {call} number {when}");
            home.live("elder-1", Some(5));
            let taken = home.json_lines(&["golem", "logs", "elder-1", "-n", "1000", "--only", "inheritance"]);
            assert_eq!(taken.len(), 1, "killed at {call} number {when}: {taken:?}");
            when += if kit::long() || when < 4 { 1 } else { 1 + when / 2 };
        }
    }
    assert!(killed > 20, "killed {killed} times");
}

/// What a machine elsewhere does each time that it starts: whoever is not there yet is born, and lives; nobody is born twice.
#[test]
fn born_to_live_is_one_command_that_bears_nobody_twice() {
    let (home, away) = (grave(), Home::new());
    let bundle = home.path().join("elder.bundle").display().to_string();
    home.ok(&["golem", "heirloom", "elder", "--out", &bundle]);
    let lived = || -> u64 {
        let all = away.json(&["golem", "list"]);
        all[0]["tick"].as_u64().unwrap_or_default()
    };
    for _ in 0..2 {
        let before = if away.path().join("golems").exists() { lived() } else { 0 };
        let words = ["golem", "create", "heir", "--seed", "9", "--heirloom", &bundle, "--live"];
        let fast = ["--set", "heartbeat.tick_interval_s=1"];
        let mut child = away.start(&[&words[..], &fast[..]].concat());
        let begun = std::time::Instant::now();
        while !away.path().join("golems").exists() || lived() <= before {
            assert!(begun.elapsed().as_secs() < 60 && child.try_wait().unwrap().is_none(), "it does not live");
            std::thread::sleep(std::time::Duration::from_millis(100));
        }
        assert!(Command::new("kill").args(["-TERM", &child.id().to_string()]).status().unwrap().success());
        assert!(child.wait().unwrap().success(), "a stop is no failure");
        assert_eq!(away.json(&["golem", "list"]).as_array().unwrap().len(), 1);
    }
    let said = away.bardo(&["golem", "create", "heir", "--live", "--dry-run"]);
    assert!(said.code == 2 && said.err.contains("--dry-run"), "{said:?}");
}

/// What the elder leaves, with one thing in it that it is made to have known: a bundle that it has signed.
fn leaves_this(home: &Home, one: impl FnOnce(&mut Heirloom, &Birth) -> (Entry, Passport)) -> String {
    let id = home.json(&["golem", "status", "elder"])["id"].as_str().unwrap().to_owned();
    let origin = Reader::open(&home.path().join("golems").join(id)).unwrap().origin().unwrap();
    let plain = home.path().join("plain.bundle");
    home.ok(&["golem", "heirloom", "elder", "--out", plain.to_str().unwrap()]);
    let mut left = bundle::read(&std::fs::read(plain).unwrap()).unwrap();
    let (entry, passport) = one(&mut left, &origin.birth);
    left.entries = vec![TravellingEntry { entry: Foreign { body: entry.body, standing: entry.standing }, passport }];
    (left.questions, left.validations, left.passages) = Default::default();
    let path = home.path().join("one.bundle");
    std::fs::write(&path, bundle::sign(&origin, &left)).unwrap();
    path.display().to_string()
}

/// What a dead golem leaves, as if it had stood in the third generation of a line that has each time proven one rule.
pub fn line_that_has_proven(home: &Home) -> String {
    leaves_this(home, proven_by_three)
}

fn proven_by_three(left: &mut Heirloom, birth: &Birth) -> (Entry, Passport) {
    let [first, second] = [GolemId([1; 16]), GolemId([2; 16])];
    left.lineage = Lineage { id: first, generation: 2, ancestors: vec![first, second], ..left.lineage.clone() };
    let learnt_by = EntryOrigin { golem: first, generation: 0 };
    let claim = Claim {
        when: "market.gas_ratio > 2.0".to_owned(),
        then: "market.fee_yield_ratio > 1.1".to_owned(),
        unless: None,
        after_ticks: 20,
    };
    let text = "While gas costs twice the usual, half the risk is enough.".to_owned();
    let body = EntryBody {
        claim: Some(claim),
        action: Some(RuleAction::Risk { factor: 0.5 }),
        provenance: Provenance::Testament,
        ..EntryBody::own(EntryKind::Heuristic, text, learnt_by, VirtualTime(0))
    };
    let first_seen = Standing::first(EntryStatus::Active, 9_000, Support::default(), VirtualTime(0));
    let entry = Entry::new(body, Standing { validated: 9, own_validation: true, ..first_seen });
    let born = birth.born_at;
    let own = Crossings::learnt_by(birth.id, 9_000);
    let passport = Passport {
        root: entry.hash,
        learnt_by,
        lineage: first,
        times: WorldTimes { true_from: born, true_until: None, learnt: born },
        crossings: Crossings { survived: 2, validated_here: true, ..own },
        blood: None,
        errand: None,
    };
    (entry, passport)
}

/// What three generations have each proven stands in the heir's own settings before it is born, and is lived by from its first turn;
/// a line that nobody here knows only says so of itself.
#[test]
fn what_a_line_has_proven_lands_in_the_heirs_settings_and_a_strangers_word_for_it_does_not() {
    const RULE: &str = "when market.gas_ratio > 2.0: risk 0.5";
    let (home, away) = (grave(), Home::new());
    let bundle = line_that_has_proven(&home);
    let born = |home: &Home, name: &str, extra: &[&str]| {
        let said = home.json(&[&["golem", "create", name, "--seed", "9", "--heirloom", &bundle], extra].concat());
        let settings = std::fs::read_to_string(format!("{}/golem.toml", said["dir"].as_str().unwrap())).unwrap();
        let list = |key: &str| said[key].as_array().unwrap().iter().map(|r| r.as_str().unwrap().to_owned()).collect();
        let [given, left_out]: [Vec<String>; 2] = ["defaults", "untrusted_defaults"].map(list);
        assert_eq!(settings.contains(RULE), given == [RULE], "{settings}");
        assert_eq!(given.len() + left_out.len(), 1, "{said}");
        given == [RULE]
    };
    assert!(born(&home, "kin", &[]), "its grave is here");
    assert!(!born(&away, "guest", &[]), "a stranger's word");
    assert!(born(&away, "trusted", &["--trust-defaults"]));
    let rules = |name: &str| {
        away.live(name, Some(2));
        away.json(&["playbook", "show", name]).to_string()
    };
    let [trusted, guest] = ["trusted", "guest"].map(rules);
    assert!(trusted.contains("gas_ratio > 2.0") && !guest.contains("gas_ratio > 2.0"), "{trusted}\n{guest}");
    assert_eq!(away.json(&["golem", "replay", "trusted"])["ok"], true);
}

/// However an heir is made, what its line has proven stands in its settings: here of somebody who was born as a stranger, without
/// them, and has learnt of it by its inheritance alone.
#[test]
fn what_a_line_has_proven_is_given_to_an_heir_by_hand_and_to_one_that_comes_by_itself() {
    const RULE: &str = "when market.gas_ratio > 2.0: risk 0.5";
    let (elders, home) = (grave(), Home::new());
    let bundle = line_that_has_proven(&elders);
    let guest = home.json(&["golem", "create", "guest", "--seed", "9", "--heirloom", &bundle]);
    assert_eq!((guest["defaults"].as_array().map(Vec::len), &guest["untrusted_defaults"][0]), (Some(0), &RULE.into()));
    home.live("guest", Some(20));
    home.ok(&["golem", "kill", "guest", "--yes", "--reason", "time"]);
    crate::auto::advises(&home, "guest");
    let by_hand = ["golem", "successor", "guest", "--inherit-grimoire", "--take-advice", "--yes"];
    let shown = home.json(&[&by_hand[..], &["--dry-run"]].concat());
    assert_eq!(shown["defaults"].as_array().map(Vec::as_slice), Some(&[RULE.into()][..]), "{shown:#}");
    home.ok(&["treasury", "add", "70"]);
    for asked in [&by_hand[..], &["golem", "successor", "guest", "--auto"]] {
        let copy = Home::new();
        kit::copy_into(home.path(), copy.path());
        let heir = copy.json(asked);
        let id = heir["heir"].as_str().or(heir["id"].as_str()).unwrap();
        let settings = std::fs::read_to_string(copy.path().join("golems").join(id).join("golem.toml")).unwrap();
        assert!(settings.contains(RULE), "{asked:?}: {settings}");
        copy.live(id, Some(2));
        assert!(copy.json(&["playbook", "show", id]).to_string().contains("gas_ratio > 2.0"), "{asked:?}");
    }
}

/// A life is judged by what its own settings ask of it: the same heir, once by what is usual and once where nothing is asked.
#[test]
fn what_is_asked_of_a_life_stands_in_its_settings() {
    let home = grave();
    let asked =
        ["min_playbook_divergence=0", "min_novel_entries=0", "min_invalidated_entries=0", "min_question_ratio=0"];
    let sets: Vec<String> = asked
        .iter()
        .chain(&["require_explicit_gaps=false"])
        .flat_map(|one| ["--set".to_owned(), format!("succession.divergence.{one}")])
        .collect();
    let sets: Vec<&str> = sets.iter().map(String::as_str).collect();
    for (name, sets, is_low) in [("usual", &[][..], true), ("free", &sets[..], false)] {
        successor(&home, &[&inherit()[..], &["--another", "--name", name], sets].concat());
        home.live(name, Some(30));
        home.ok(&["golem", "kill", name, "--yes", "--reason", "time"]);
        let testament = home.json(&["golem", "testament", name])["testament"].clone();
        let judged = &testament["divergence"];
        assert_eq!(
            (judged["low_divergence"].as_bool(), judged["missing"] == Value::Array(vec![])),
            (Some(is_low), !is_low)
        );
        let page = testament["final_playbook"].as_str().unwrap();
        assert_eq!(page.contains("> low_divergence: "), is_low, "its successor reads it below the rules: {page}");
        let line = home.json(&["lineage", name]);
        let member = line.as_array().unwrap().iter().find(|member| member["name"] == name).unwrap();
        assert_eq!((member["verdict"] == "Individuated", &member["verdict"]), (!is_low, &judged["verdict"]));
        let file = home.path().join(format!("{name}.bundle"));
        home.ok(&["golem", "heirloom", name, "--out", file.to_str().unwrap()]);
        let left = bundle::read(&std::fs::read(file).unwrap()).unwrap();
        assert_eq!(left.low_divergence, is_low, "and what it leaves carries the flag");
    }
}

fn warning(left: &mut Heirloom, birth: &Birth) -> (Entry, Passport) {
    let claim = Claim {
        when: "market.gas_ratio > 1.0".to_owned(),
        then: "market.volatility_ratio > 1.0".to_owned(),
        unless: None,
        after_ticks: 20,
    };
    let text = "When gas is dearer than usual, the weather turns within minutes.".to_owned();
    let origin = EntryOrigin { golem: birth.id, generation: birth.generation };
    let body = EntryBody {
        claim: Some(claim),
        severity: Some(WarningSeverity::High),
        ..EntryBody::own(EntryKind::Warning, text, origin, VirtualTime(0))
    };
    let first = Standing::first(EntryStatus::Active, 9_000, Support::default(), VirtualTime(0));
    let entry = Entry::new(body, Standing { validated: 9, own_validation: true, quality: 0.7, ..first });
    let passport = Passport::own(&entry, &left.lineage, LifeClock { zero: birth.born_at });
    (entry, passport)
}

/// Every entry says who learnt it, and what acting by it was worth goes back to whoever that was: by the entry, by what was recalled,
/// in the line, and in the testament.
#[test]
fn what_knowledge_of_another_was_worth_is_told_wherever_it_is_looked_at() {
    let home = grave();
    let bundle = leaves_this(&home, warning);
    let elder = home.json(&["golem", "status", "elder"])["id"].clone();
    let eager = ["template=eth-dca", "eth_dca.every_ticks=100"].map(|set| format!("policy.{set}"));
    let recalls = "mind.gate.base_deliberation_threshold=0.05";
    let sets = ["--set", &eager[0], "--set", &eager[1], "--set", recalls, "--heirloom", &bundle];
    home.create("heir", 9, &sets);
    let owed = (0..40).find_map(|_| {
        home.live("heir", Some(150));
        let owed = home.json(&["golem", "status", "heir"])["attributed"].clone();
        owed.as_array().is_some_and(|all| !all.is_empty()).then_some(owed)
    });
    let owed = owed.expect("the warning kept it from buying");
    let (rule, worth) = (owed[0]["by_rule"][0]["rule"].as_str().unwrap(), &owed[0]["by_rule"][0]);
    assert_eq!((&owed[0]["learnt_by"], owed.as_array().unwrap().len()), (&elder, 1));

    let shown = home.json(&["grimoire", "show", "heir", rule]);
    assert_eq!((&shown["learnt_by"], &shown["worth"], &shown["body"]["origin"]["golem"]), (&elder, worth, &elder));
    let words = home.ok(&["grimoire", "show", "heir", rule]).out;
    assert!(words.contains("  learnt by   elder") && words.contains(" bp beyond acting without it, over "), "{words}");
    let why = home.json(&["grimoire", "why", "heir"]);
    let recalled = why["of_others"].as_array().unwrap().iter().find(|of| of["entry"] == rule).unwrap();
    assert_eq!((&recalled["learnt_by"], &recalled["worth"]), (&elder, worth));
    let words = home.ok(&["grimoire", "why", "heir"]).out;
    assert!(words.contains("learnt by elder; ") && words.contains(" bp beyond acting without it"), "{words}");
    // What it learnt itself is nobody else's.
    let known = home.json_lines(&["grimoire", "export", "elder"]);
    let own = known.iter().find_map(|row| row.get("entry")).expect("the elder knew something");
    let shown = home.json(&["grimoire", "show", "elder", own["id"].as_str().unwrap()]);
    assert!(shown["learnt_by"].is_null() && shown["worth"].is_null(), "{shown}");

    let line = home.json(&["lineage", "heir"]);
    let [first, second] = &line.as_array().unwrap()[..] else { panic!("{line}") };
    assert_eq!((&second["attributed"], second["brought"].is_null()), (&owed, true));
    let brought = &first["brought"];
    assert_eq!(
        (&brought["bps"], &brought["trials"], brought["golems"].as_u64()),
        (&worth["bps"], &worth["trials"], Some(1))
    );
    let words = home.ok(&["lineage", "heir"]).out;
    assert!(words.contains(" bp by what elder learnt") && words.contains("what it learnt was worth "), "{words}");

    home.ok(&["golem", "kill", "heir", "--yes", "--reason", "time"]);
    let told = home.json(&["golem", "testament", "heir"])["testament"].clone();
    assert_eq!(told["attributed"], home.json(&["golem", "status", "heir"])["attributed"]);
    let page = home.ok(&["golem", "testament", "heir"]).out;
    assert!(page.contains("I had this from my parent; over "), "{page}");
    assert_eq!(home.json(&["golem", "replay", "heir"])["ok"], true);
}
