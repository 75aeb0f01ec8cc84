//! What a golem knows leaves it in files that others read, and comes to another golem through its gate.

use crate::kit;

use golem_core::{Hash, VirtualTime};
use golem_grimoire::{Entry, EntryBody, EntryStatus, Standing};
use kit::Home;
use serde_json::{Value, json};
use std::path::Path;

/// The formats that this build writes, beside JSON lines.
fn formats() -> Vec<&'static str> {
    let all = [("parquet", cfg!(feature = "parquet")), ("lance", cfg!(feature = "lance"))];
    all.into_iter().filter(|(_, there)| *there).map(|(name, _)| name).collect()
}

/// Every entry that a golem has ever had.
fn entries(home: &Home, name: &str) -> Vec<Value> {
    let said = home.ok(&["grimoire", "export", name]);
    let lines = said.out.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    lines.filter_map(|line| line.get("entry").cloned()).collect()
}

fn of(entries: &[Value], provenance: &str) -> Vec<Value> {
    entries.iter().filter(|e| e["body"]["provenance"] == provenance).cloned().collect()
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

#[test]
fn what_one_golem_learnt_another_takes_in_once() {
    let home = Home::new();
    home.create("ada", 5, &["--set", "mortality.immortal=true"]);
    home.live("ada", Some(6_000));
    let file = home.path().join("ada.jsonl");
    let told = home.json(&["grimoire", "export", "ada", "--out", text(&file)]);
    let here = entries(&home, "ada");
    assert_eq!(told["entries"].as_u64().unwrap() as usize, here.len(), "{told}");
    assert!(!here.is_empty());

    home.create("bob", 6, &["--set", "mortality.immortal=true"]);
    let looked = home.json(&["grimoire", "import", "bob", text(&file), "--dry-run"]);
    assert_eq!((looked["sent"].as_u64(), looked["orders"].as_array().map(Vec::len)), (Some(0), Some(0)), "{looked}");
    home.live("bob", Some(5));
    assert!(of(&entries(&home, "bob"), "clade").is_empty());

    let sent = home.json(&["grimoire", "import", "bob", text(&file)]);
    let skipped = sent["skipped"].as_array().unwrap().len();
    assert_eq!(sent["sent"], looked["entries"], "{sent}");
    assert_eq!(sent["sent"].as_u64().unwrap() as usize + skipped, here.len(), "every entry is sent or told of: {sent}");
    assert_eq!(sent["waiting"].as_u64().unwrap() as usize, sent["orders"].as_array().unwrap().len(), "{sent}");
    home.live("bob", Some(5));
    let learnt = of(&entries(&home, "bob"), "clade");
    assert!(!learnt.is_empty(), "{sent}");
    for entry in &learnt {
        let there = here.iter().find(|e| e["body"]["text"] == entry["body"]["text"]).expect("ada said so");
        assert_ne!(there["body"]["origin"]["golem"], "0".repeat(32));
        assert_eq!(entry["body"]["origin"]["golem"], "0".repeat(32), "nobody has proven where it came from");
        let confidence = |e: &Value| e["standing"]["confidence_bp"].as_u64().unwrap();
        assert!(confidence(entry) < confidence(there), "believed less than where it was learnt: {entry} {there}");
        assert_eq!(entry["standing"]["own_validation"], false);
    }
    let words = learnt[0]["body"]["text"].as_str().unwrap();
    let found = home.json(&["grimoire", "search", "bob", words]);
    assert!(found["entries"].as_array().unwrap().iter().any(|hit| hit["text"] == words), "{found}");

    home.ok(&["grimoire", "import", "bob", text(&file)]);
    home.live("bob", Some(5));
    assert_eq!(of(&entries(&home, "bob"), "clade").len(), learnt.len(), "a second import adds nothing");
    assert!(home.json(&["golem", "replay", "bob"])["ok"].as_bool().unwrap());

    for format in formats() {
        let dir = home.path().join(format);
        home.ok(&["grimoire", "export", "ada", "--format", format, "--out", text(&dir)]);
        let same = home.json(&["grimoire", "import", "bob", text(&dir), "--dry-run"]);
        assert_eq!(same["entries"], looked["entries"], "{same}");
        assert_eq!(same["skipped"].as_array().unwrap().len(), skipped, "{same}");
    }
}

/// An entry that a golem would send on.
fn entry(words: &str) -> Entry {
    let body: EntryBody = serde_json::from_value(json!({
        "kind": "warning", "text": words, "claim": null, "action": null, "edge": null, "severity": "low",
        "time_to_live": null, "decay_class": "structural", "domain": null, "regime": null, "provenance": "self_generated",
        "origin": { "golem": "00000000000000000000000000000001", "generation": 0 }, "is_bloodstain": false,
        "is_question": false, "tags": [], "prototype": null, "true_from": 0, "learnt_at": 0, "episodes": [1, 2],
        "parents": []
    }))
    .unwrap();
    let standing: Standing = serde_json::from_value(json!({
        "status": { "status": "active" }, "confidence_bp": 9000, "quality": 0.5, "validated": 9, "contradicted": 0,
        "validators": 1, "own_validation": true, "dream_validated": false, "strength": 2.0, "uses": 3, "retrievals": 4,
        "last_validated": 0, "true_until": null, "low_cycles": 0
    }))
    .unwrap();
    Entry::new(body, standing)
}

#[test]
fn a_bad_line_is_told_by_its_number_and_the_others_go() {
    let home = Home::new();
    home.create("bob", 6, &[]);
    let line = |entry: &Entry| json!({ "entry": entry, "embedding": null }).to_string().into_bytes();
    let (good, bare) = (entry("Gas is dear on Mondays"), entry("A pool without depth cannot be left"));
    let bare = json!({ "body": bare.body, "standing": bare.standing }).to_string().into_bytes();
    let mut forged = entry("Buy at any price");
    forged.hash = Hash([7; 32]);
    let mut gone = entry("The moon decides");
    gone.standing.status = EntryStatus::Burnt(VirtualTime(1));
    let table: Vec<(Vec<u8>, Option<&str>)> = vec![
        (b"{\"episode\":{},\"marks\":{}}".to_vec(), None),
        (line(&good), None),
        (b"{\"entry\":{\"body\":{}}}".to_vec(), Some("missing field")),
        (b"\xff\xfe garbage".to_vec(), Some("in column")),
        (line(&forged), Some("hash")),
        (Vec::new(), None),
        (line(&gone), Some("burnt")),
        (line(&good), Some("already")),
        (bare, None),
        (line(&entry("two\nlines")), Some("control characters")),
        (line(&entry(&"long ".repeat(600))), Some("too long")),
        (b"{\"row\":\"edge\",\"key\":\"k\",\"body\":{\"weight\":1}}".to_vec(), None),
    ];
    let file = home.path().join("mixed.jsonl");
    std::fs::write(&file, table.iter().map(|(line, _)| line.clone()).collect::<Vec<_>>().join(&b"\n"[..])).unwrap();
    let told = home.json(&["grimoire", "import", "bob", text(&file)]);
    assert_eq!((&told["sent"], &told["others"]), (&json!(2), &json!(2)), "{told}");
    let skipped: Vec<_> = told["skipped"].as_array().unwrap().iter().collect();
    let wanted: Vec<_> = table.iter().zip(1u64..).filter_map(|((_, why), n)| Some((n, (*why)?))).collect();
    assert_eq!(skipped.len(), wanted.len(), "{told}");
    for (found, (number, why)) in skipped.iter().zip(wanted) {
        assert_eq!(found["line"], number, "{told}");
        assert!(found["why"].as_str().unwrap().contains(why), "{found}");
    }
    home.live("bob", Some(3));
    let learnt = of(&entries(&home, "bob"), "clade");
    assert_eq!(learnt.len(), 2, "{learnt:?}");
    assert!(learnt.iter().all(|e| e["body"]["episodes"] == json!([])), "{learnt:?}");
}

#[test]
fn a_running_golem_says_what_it_made_of_it() {
    let home = Home::new();
    home.create("bob", 6, &["--set", "mortality.immortal=true"]);
    let mut child = home.start(&["golem", "run", "bob", "--speed", "x400"]);
    let lives = || home.bardo(&["golem", "status", "bob", "--json"]);
    let lives = || serde_json::from_str::<Value>(&lives().out).is_ok_and(|s| s["tick"].as_u64() > Some(0));
    assert!((0..400).any(|_| lives() || {
        std::thread::sleep(std::time::Duration::from_millis(25));
        false
    }));
    let file = home.path().join("one.jsonl");
    std::fs::write(&file, json!({ "entry": entry("Gas is dear on Mondays") }).to_string()).unwrap();
    let told = home.json(&["grimoire", "import", "bob", text(&file)]);
    home.ok(&["golem", "kill", "bob", "--reason", "done", "--yes"]);
    assert!(child.wait().unwrap().success());
    assert_eq!((&told["running"], &told["waiting"]), (&json!(true), &json!(0)), "{told}");
    assert!(told["replies"][0].as_str().unwrap().starts_with("learnt 1"), "{told}");
    assert_eq!(home.bardo(&["grimoire", "import", "bob", text(&file)]).code, 2, "the dead learn nothing");
}

#[test]
fn many_entries_travel_in_orders_that_fit() {
    let home = Home::new();
    home.create("bob", 6, &[]);
    let file = home.path().join("many.jsonl");
    let lines = |count: usize, words: &str| {
        let of = |n| json!({ "entry": entry(&format!("{n} {words}")) }).to_string();
        std::fs::write(&file, (0..count).map(of).collect::<Vec<_>>().join("\n")).unwrap();
    };
    for (count, words) in [(1, ""), (33, "short"), (9, &"a very long tale ".repeat(80)[..])] {
        lines(count, words);
        let told = home.json(&["grimoire", "import", "bob", text(&file)]);
        assert_eq!(told["sent"], count, "{told}");
        let orders = told["orders"].as_array().unwrap().len();
        assert!(orders >= count.div_ceil(16) && (orders < count || count == 1), "{told}");
    }
}

#[test]
fn an_export_writes_over_nothing_and_says_what_it_needs() {
    let home = Home::new();
    home.create("ada", 5, &[]);
    let (file, dir) = (home.path().join("there.jsonl"), home.path().join("full"));
    std::fs::write(&file, "mine").unwrap();
    std::fs::create_dir(&dir).unwrap();
    std::fs::write(dir.join("mine"), "mine").unwrap();
    let missing = home.path().join("missing");
    let (page, forged) = (home.path().join("page.md"), home.path().join("forged.parquet"));
    std::fs::write(&page, "# A page\nnothing else").unwrap();
    std::fs::write(&forged, "PAR1").unwrap();
    let mut table: Vec<(Vec<&str>, &str)> = vec![
        (vec!["export", "ada", "--out", text(&file)], "exists already"),
        (vec!["export", "ada", "--format", "parquet"], "--out DIR"),
        (vec!["export", "ada", "--format", "lance"], "--out DIR"),
        (vec!["import", "ada", text(&missing)], "there is no"),
        (vec!["import", "ada", text(&page)], "can be sent: line 1: "),
        (
            vec!["import", "ada", text(&forged)],
            if formats().contains(&"parquet") { "cannot be read" } else { "--features parquet" },
        ),
        (vec!["import", "ada", text(&dir)], "neither entries.parquet nor entries.lance"),
    ];
    for (format, hint) in [("parquet", "--features parquet"), ("lance", "--features lance")] {
        let says = if formats().contains(&format) { "is not an empty directory" } else { hint };
        table.push((vec!["export", "ada", "--format", format, "--out", text(&dir)], says));
    }
    for (args, says) in table {
        let said = home.bardo(&[&["grimoire"][..], &args].concat());
        assert_eq!(said.code, 2, "{args:?}: {said:?}");
        assert!(said.err.contains(says), "{args:?}: {said:?}");
    }
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "mine");
    assert_eq!(std::fs::read_dir(&dir).unwrap().count(), 1);
}
