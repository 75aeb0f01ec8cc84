//! Nothing stands in a room that nobody asks for.

use super::{PLAN, indent, root, sources, without_tests};
use std::collections::{BTreeMap, BTreeSet};

/// What tests, benches and examples alone ask for, and may: how a test looks into a room, or a rule whose place in a life is told in
/// `docs/decisions.md` as still to come.
const ASKED_BY_TESTS: &[&str] = &[
    // How a test looks at what a life keeps to itself, or sets a scene.
    "AWAKE",
    "FREE",
    "genesis_hash",
    "holders",
    "is_exact",
    "is_not_worse",
    "known_by",
    "loopback",
    "mined_in",
    "move_of",
    "next_within_word",
    "p_dead_within",
    "past_bytes",
    "read_knowledge",
    "record_effect",
    "taken_at",
    "tried_so_far",
    "verify_audit",
    "whole_pool",
    "with_bit_turned",
    // Doors by which tests, benches and examples come to what a life reaches by others.
    "METHODS",
    "LAWS",
    "MAX_AXES",
    "assess_redundancy",
    "compute_vitality",
    "fee_teller",
    "fetch_or_load_aave",
    "gas_slack",
    "ksg_bits",
    "odd_token",
    "parse_assessment",
    "run_forward",
    "serve_here",
    // Golems whose pool is pushed, by tests on either chain and an example.
    "busy_settings",
    // Heirs and readers of exports, lived by an example.
    "export_after",
    "heir_in",
    // The rule in one line, against which the way it is computed in a life is held.
    "inherited_confidence",
    // Lending: arithmetic and a market that no golem uses yet.
    "bank_lent",
    "lending_reserve",
    "let_bank",
    "of_bps",
    "open_lending",
    "usage_bps",
    // What siblings do: nothing tells a golem of it yet.
    "note_redundancy",
    "redundancy_due",
];

/// Every word of every room without its tests, counted.
fn words_said() -> BTreeMap<String, usize> {
    let mut said = BTreeMap::new();
    for code in rooms() {
        for word in asked_in(&code).split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty()) {
            *said.entry(word.to_owned()).or_default() += 1;
        }
    }
    said
}

/// Code without what it only passes on: to stand in a `pub use` under one's own name is not to be asked for.
fn asked_in(code: &str) -> String {
    let (mut kept, mut passes_on) = (String::with_capacity(code.len()), false);
    for line in code.lines() {
        passes_on |= line.trim_start().starts_with("pub use ");
        if !passes_on || line.contains(" as ") {
            kept.push_str(line);
            kept.push('\n');
        }
        passes_on &= !line.contains(';');
    }
    kept
}

/// The code of all rooms, file by file, without tests and comments.
fn rooms() -> Vec<String> {
    let mut all = Vec::new();
    for (name, ..) in PLAN {
        for (file, text) in sources(&root().join("crates").join(name).join("src")) {
            if !file.ends_with("tests.rs") && !file.components().any(|part| part.as_os_str() == "tests") {
                let code = without_tests(&text);
                all.push(
                    code.lines().map(|line| line.split("//").next().unwrap_or_default()).collect::<Vec<_>>().join("\n"),
                );
            }
        }
    }
    all
}

/// The name of whatever public a line defines.
fn defined(line: &str) -> Option<&str> {
    let line = line.trim_start().strip_prefix("pub ")?;
    let kinds = ["const fn ", "async fn ", "fn ", "struct ", "enum ", "trait ", "const ", "static ", "type "];
    let rest = kinds.iter().find_map(|kind| line.strip_prefix(kind))?;
    let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
    Some(&rest[..end])
}

#[test]
fn nothing_public_is_without_a_reader() {
    let said = words_said();
    let rooms = rooms();
    let unread: BTreeSet<&str> = rooms
        .iter()
        .flat_map(|code| code.lines())
        .filter_map(defined)
        .filter(|name| said.get(*name) == Some(&1))
        .collect();
    let allowed: BTreeSet<&str> = ASKED_BY_TESTS.iter().copied().collect();
    let idle: Vec<_> = allowed.difference(&unread).collect();
    assert!(idle.is_empty(), "these are asked for by now, or gone: {idle:?}");
    let dead: Vec<_> = unread.difference(&allowed).collect();
    assert!(dead.is_empty(), "nobody asks for these: {dead:?}");
}

/// Tables of settings whose keys are words for something else, and are read by those words.
const KEYED_BY_WORDS: &[&str] = &["mind.context.source_caps_bps"];

/// A line without its strings, and without the name that it gives a type or a value to.
fn said_beside_its_name(line: &str) -> String {
    let plain = line.trim_start().split('"').step_by(2).collect::<Vec<_>>().join(" ");
    let inner = plain.strip_prefix("pub").map_or(plain.as_str(), |rest| {
        rest.strip_prefix('(').and_then(|scope| scope.split_once(')')).map_or(rest, |(_, rest)| rest).trim_start()
    });
    let rest = inner.trim_start_matches(|c: char| c.is_alphanumeric() || c == '_');
    if rest.starts_with(':') && !rest.starts_with("::") { rest.to_owned() } else { plain }
}

/// Every word that a room says outside of strings, where it is not the name of what is defined or filled there, nor looked at for its
/// range alone.
fn words_read() -> BTreeSet<String> {
    let mut read = BTreeSet::new();
    for code in rooms() {
        let mut lines = code.lines();
        while let Some(line) = lines.next() {
            let begun = line.trim_start();
            if ["fn problems(", "pub fn problems(", "pub(crate) fn problems("].iter().any(|f| begun.starts_with(f)) {
                if !line.ends_with('}') {
                    let _closed = lines.by_ref().find(|l| indent(l) == indent(line) && l.ends_with('}'));
                }
                continue;
            }
            let said = said_beside_its_name(line);
            read.extend(said.split(|c: char| !c.is_alphanumeric() && c != '_').map(str::to_owned));
        }
    }
    read
}

#[test]
fn every_setting_is_read() {
    let page = std::fs::read_to_string(root().join("docs/reference/settings.md")).unwrap();
    let rows = page.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next());
    let keys: Vec<&str> = rows.filter(|key| !KEYED_BY_WORDS.iter().any(|table| key.starts_with(table))).collect();
    assert!(keys.len() > 400, "the settings were not found: {}", keys.len());
    let read = words_read();
    let unread: Vec<&&str> =
        keys.iter().filter(|key| !key.rsplit('.').next().is_some_and(|k| read.contains(k))).collect();
    assert!(unread.is_empty(), "nothing lives by these: {unread:?}");
}

#[test]
fn a_name_that_is_given_a_value_is_not_read_by_that() {
    for (line, left) in [
        ("    pub per_tx: Usdc,", ": Usdc,"),
        ("pub(crate) per_tx: Usdc,", ": Usdc,"),
        ("per_tx: Usdc(7),", ": Usdc(7),"),
        ("let cap = config.per_tx;", "let cap = config.per_tx;"),
        ("(\"per_tx\", 7)", "( , 7)"),
        ("Usdc::whole(per_tx)", "Usdc::whole(per_tx)"),
    ] {
        assert_eq!(said_beside_its_name(line), left);
    }
}

/// Every call and event that the shapes of contracts have is made or read by somebody: a room, or a test that is not about shapes.
#[test]
fn every_shape_of_a_contract_is_used() {
    let shapes = root().join("crates/golem-wallet/src/abi");
    let (mut words, mut users) = (BTreeSet::new(), String::new());
    for (name, ..) in PLAN {
        let room = root().join("crates").join(name);
        for dir in ["src", "tests"].map(|dir| room.join(dir)).into_iter().filter(|dir| dir.is_dir()) {
            for (file, text) in sources(&dir) {
                if !file.starts_with(&shapes) && !file.ends_with("golem-wallet/tests/it/abi.rs") {
                    words.extend(text.split(|c: char| !c.is_alphanumeric() && c != '_').map(str::to_owned));
                    users.push_str(&text);
                }
            }
        }
    }
    let (mut held, mut idle, mut contract) = (0, Vec::new(), String::new());
    for text in sources(&shapes).values() {
        for line in text.lines().map(str::trim_start) {
            let named = |kind: &str| line.strip_prefix(kind).and_then(|rest| rest.split(['(', ' ']).next());
            if let Some(name) = named("interface ") {
                contract = name.to_owned();
            }
            let used = match (named("function "), named("event ")) {
                (Some(call), _) => words.contains(&format!("{call}Call")),
                (None, Some(event)) => {
                    let alias = format!("{contract} as ");
                    let renamed = users.split(alias.as_str()).skip(1);
                    let names = renamed.filter_map(|rest| rest.split(|c: char| !c.is_alphanumeric()).next());
                    let names: BTreeSet<&str> = names.chain([contract.as_str()]).collect();
                    names.iter().any(|name| users.contains(&format!("{name}::{event}::")))
                }
                (None, None) => continue,
            };
            held += 1;
            idle.extend((!used).then(|| format!("{contract}: {line}")));
        }
    }
    assert!(held > 60, "the shapes were not found: {held}");
    assert!(idle.is_empty(), "nobody asks for these: {idle:#?}");
}
