//! What a golem knows, seen from outside: statistics, search, reasons, the playbook and an owner's edit of it.

use crate::kit;

use kit::Home;
use serde_json::Value;
use std::path::PathBuf;

/// A golem that has lived long enough to know something.
fn lived(home: &Home, turns: u64) -> PathBuf {
    let dir = home.create("ada", 5, &["--template", "eth-dca", "--set", "mortality.immortal=true"]);
    home.live("ada", Some(turns));
    dir
}

#[test]
fn what_is_known_can_be_counted_found_and_explained() {
    let home = Home::new();
    lived(&home, 6_000);
    let stats = home.json(&["grimoire", "stats", "ada"]);
    assert!(stats["episodes"].as_u64().unwrap() > 20, "{stats}");
    assert!(stats["active"].as_u64().unwrap() > 0, "{stats}");
    let junk = |key: &str| stats["junk"][key].as_u64().unwrap();
    // What is young and has not been used yet is counted too; nothing else should be.
    assert_eq!(
        (junk("junk"), junk("duplicates") + junk("contradicted") + junk("faded")),
        (junk("unused"), 0),
        "{stats}"
    );
    assert!((stats["junk_share"].as_f64().unwrap() - junk("junk") as f64 / junk("active") as f64).abs() < 1e-9);
    assert!(junk("junk") * 4 <= junk("active"), "{stats}");
    for key in ["archived", "candidates", "quarantined", "burnt", "edges", "staged"] {
        assert!(stats[key].is_u64(), "{key} in {stats}");
    }
    let found = home.json(&["grimoire", "search", "ada", "weather", "buy", "--top", "3"]);
    let hits = found["entries"].as_array().unwrap();
    assert!(!hits.is_empty() && hits.len() <= 3, "{found}");
    assert!(!found["episodes"].as_array().unwrap().is_empty(), "{found}");
    let id = hits[0]["id"].as_str().unwrap();
    let shown = home.json(&["grimoire", "show", "ada", &id[..10]]);
    assert_eq!(shown["id"].as_str().unwrap(), id);
    let why = home.json(&["grimoire", "why", "ada"]);
    let hits = why["recall"]["hits"].as_array().unwrap();
    for hit in hits {
        let terms = hit["why"]["terms"].as_array().unwrap();
        let sum: f64 = terms.iter().map(|term| term[2].as_f64().unwrap()).sum();
        // What is kept for people has four digits: half a unit of the last one for each term, and for the score.
        let most = 5e-5 * (terms.len() + 1) as f64;
        assert!(!terms.is_empty() && (sum - hit["score"].as_f64().unwrap()).abs() <= most, "{hit}");
    }
    assert!(home.json(&["golem", "replay", "ada"])["ok"].as_bool().unwrap());
}

#[test]
fn a_search_is_in_the_order_of_its_score_and_finds_nothing_where_nothing_fits() {
    let home = Home::new();
    lived(&home, 4_000);
    let scores = |found: &Value, of: &str| -> Vec<f64> {
        found[of].as_array().unwrap().iter().map(|hit| hit["score"].as_f64().unwrap()).collect()
    };
    for words in [&["weather", "buy"][..], &["gas"], &["why", "do", "forecasts", "lose"], &["volatility", "rises"]] {
        let found = home.json(&[&["grimoire", "search", "ada"], words, &["--top", "50"]].concat());
        for of in ["entries", "episodes"] {
            let scores = scores(&found, of);
            assert!(scores.is_sorted_by(|a, b| a >= b), "{words:?}: {of}: {scores:?}");
        }
    }
    // Whatever it believes is found by its own words.
    let said = home.ok(&["grimoire", "export", "ada"]).out;
    let rows = said.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let believed = rows
        .filter_map(|row| row.get("entry").cloned())
        .find(|e| e["standing"]["status"]["status"] == "active")
        .unwrap();
    let text = believed["body"]["text"].as_str().unwrap();
    let found = home.json(&["grimoire", "search", "ada", text]);
    assert_eq!(found["entries"][0]["text"], text, "{found}");
    let found = home.json(&["grimoire", "search", "ada", "weather", "buy", "--top", "3"]);
    let first = &found["episodes"][0];
    assert!(first["text"].as_str().unwrap().contains("buy") && first["score"] == 1.0, "both words first: {first}");
    for nothing in
        [&["zzz", "qqq"][..], &["the"], &["what", "is", "it"], &["marmalade", "sandwich"], &["piano", "lessons"]]
    {
        let said = home.ok(&[&["grimoire", "search", "ada"], nothing].concat());
        assert_eq!(said.out.trim(), "nothing is known about that", "{nothing:?}");
    }
}

#[test]
fn an_earlier_moment_knows_nothing_later() {
    let home = Home::new();
    lived(&home, 4_000);
    let learnt = |as_of: &str| -> Vec<(u64, u64)> {
        let said = home.bardo(&["grimoire", "export", "ada", "--as-of", as_of]);
        assert_eq!(said.code, 0, "{said:?}");
        let rows = said.out.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        let entries = rows.filter_map(|row| Some((row.get("entry")?.clone(),)));
        let of = |(e,): (Value,)| {
            let at = e["body"]["learnt_at"].as_u64().unwrap();
            (at, e["standing"]["last_validated"].as_u64().unwrap())
        };
        entries.map(of).collect()
    };
    let (early, late) = (learnt("1500"), learnt("4000"));
    assert!(early.len() < late.len(), "{} and {}", early.len(), late.len());
    // Turns of forty seconds, or twice that when it is poor.
    assert!(early.iter().all(|(at, validated)| *at.max(validated) <= 1_500 * 80_000));
    assert!(late.iter().any(|(at, _)| *at > 1_500 * 40_000));
}

#[test]
fn an_owners_rule_is_taken_kept_and_attributed_and_a_broken_one_is_told() {
    let home = Home::new();
    let dir = lived(&home, 300);
    let page = dir.join("PLAYBOOK.md");
    let text = home.bardo(&["playbook", "show", "ada"]).out;
    let rule =
        "\n## Be careful when gas is dear\n\n- when: `market.gas_ratio > 3.0`\n- do: risk 0.5\n- because: I say so\n";
    std::fs::write(&page, format!("{text}{rule}")).unwrap();
    assert_eq!(home.bardo(&["playbook", "lint", "ada"]).code, 0);
    home.live("ada", Some(60));
    let shown = home.json(&["playbook", "show", "ada"]).to_string();
    assert!(shown.contains("Be careful when gas is dear") && shown.contains("owner"), "{shown}");
    let kept = std::fs::read_to_string(&page).unwrap();
    assert!(kept.contains("Be careful when gas is dear"), "{kept}");
    let logs = home.bardo(&["golem", "logs", "ada", "--only", "playbook.edited", "--json"]).out;
    assert!(logs.contains("\"changes\":1"), "{logs}");

    let broken = kept.replace("market.gas_ratio > 3.0", "market.gas_ration >");
    std::fs::write(&page, &broken).unwrap();
    let said = home.bardo(&["playbook", "lint", "ada"]);
    assert_eq!(said.code, 2, "{said:?}");
    home.live("ada", Some(60));
    // What cannot be read stays, and is said to be out of force; the rule that was there still holds.
    let now = std::fs::read_to_string(&page).unwrap();
    assert!(now.contains("market.gas_ration >"), "{now}");
    assert!(home.json(&["golem", "replay", "ada"])["ok"].as_bool().unwrap());
}
