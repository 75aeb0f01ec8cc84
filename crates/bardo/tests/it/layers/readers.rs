//! Nothing stands in a room that nobody asks for.

use super::{PLAN, root, sources, without_tests};
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
    "whole_pool",
    "with_bit_turned",
    // Golems whose pool is pushed, by tests on either chain and an example.
    "busy_settings",
    // Heirs and readers of exports, lived by an example.
    "export_after",
    "heir_in",
    // More paths where an interval is too wide: by hand, with the figure that a page prints.
    "more_units",
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
        for word in code.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty()) {
            *said.entry(word.to_owned()).or_default() += 1;
        }
    }
    said
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
