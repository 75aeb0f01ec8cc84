//! Who imports whom: down the layers, and never in a circle.

use super::{PLAN, Purity, root, sources, without_tests};
use std::collections::{BTreeMap, BTreeSet};

/// Modules that once imported each other because of one misplaced helper: room, who, whom not.
const CIRCLES: &[(&str, &str, &str)] = &[
    ("bardo", "birth", "run_loop"),
    ("bardo", "chain", "commands"),
    ("bardo", "courier", "run_loop"),
    ("bardo", "run_loop", "commands"),
    ("golem-cage", "cage", "judge"),
    ("golem-cage", "cage", "reference"),
    ("golem-cage", "fact", "audit"),
    ("golem-cage", "open", "judge"),
    ("golem-chain", "embedded/archive", "embedded::state"),
    ("golem-chain", "rpc/fork", "outcome"),
    ("golem-chain", "rpc/head", "node"),
    ("golem-daimon", "gate/denied", "verdict"),
    ("golem-grimoire", "credit", "admission"),
    ("golem-grimoire", "curator/warnings", "actions"),
    ("golem-grimoire", "playbook/spell", "render"),
    ("golem-grimoire", "staging/watch", "sweep"),
    ("golem-home", "retell", "obituary"),
    ("golem-inference", "config", "adapter"),
    ("golem-mind", "policy", "deliberate"),
    ("golem-mind", "senses/body", "probe"),
    ("golem-runtime", "batch", "models"),
    ("golem-runtime", "db", "schema"),
    ("golem-runtime", "known", "store"),
    ("golem-runtime", "models", "batch"),
    ("golem-runtime", "reader", "memory"),
    ("golem-runtime", "reader", "store"),
    ("golem-runtime", "runner", "models"),
    ("golem-runtime", "schema", "memory"),
];

/// Rooms in which no module imports another that imports it, by whatever way round. A module is a file or a folder of the
/// room's root; in the chain's room, of one of its two halves.
const NO_CIRCLES: &[(&str, usize)] = &[
    ("golem-cage", 1),
    ("golem-chain", 2),
    ("golem-clade", 1),
    ("golem-core", 1),
    ("golem-daimon", 1),
    ("golem-dreams", 1),
    ("golem-ferry", 1),
    ("golem-grimoire", 1),
    ("golem-home", 1),
    ("golem-inference", 1),
    ("golem-lab", 1),
    ("golem-life", 1),
    ("golem-mcp", 1),
    ("golem-mind", 1),
    ("golem-mortality", 1),
    ("golem-runtime", 1),
    ("golem-serve", 1),
    ("golem-trace", 1),
    ("golem-tui", 1),
    ("golem-venue", 1),
    ("golem-view", 1),
    ("golem-wallet", 1),
    ("styx", 1),
    ("styx-wire", 1),
];

/// Crates that a pure room may not depend on, by any name.
const DOORS: &[&str] = &[
    "alloy",
    "axum",
    "clap",
    "getrandom",
    "indicatif",
    "jsonschema",
    "ratatui",
    "reqwest",
    "revm",
    "rusqlite",
    "rustix",
    "signal-hook",
    "tokio",
];

/// Crates that only one room may use.
const ONLY: &[(&str, &[&str])] = &[
    ("revm", &["golem-chain"]),
    ("axum", &["golem-chain", "golem-serve", "styx"]),
    // A terminal has one owner.
    ("ratatui", &["golem-tui"]),
    // Held against our own rules, in tests.
    ("jsonschema", &[]),
    // Models are reached through one door.
    ("candle-core", &["golem-inference"]),
    ("golem-inference", &["golem-home", "bardo"]),
    ("rusqlite", &["golem-chain", "golem-ferry", "golem-runtime", "styx"]),
    ("golem-wallet", &["golem-chain", "golem-home", "bardo"]),
    // Dice are addressed, never streamed; keys come from the operating system.
    ("rand", &[]),
];

fn dependencies(name: &str) -> Vec<String> {
    let text = std::fs::read_to_string(root().join("crates").join(name).join("Cargo.toml")).unwrap();
    let table: toml::Table = text.parse().unwrap();
    table["dependencies"].as_table().unwrap().keys().cloned().collect()
}

#[test]
fn imports_go_down_the_layers() {
    for (name, allowed, purity) in PLAN {
        for dependency in dependencies(name) {
            let sibling = dependency.starts_with("golem-") || dependency.starts_with("styx") || dependency == "bardo";
            assert!(!sibling || allowed.contains(&dependency.as_str()), "{name} imports {dependency}");
            assert!(
                *purity == Purity::Impure || !DOORS.contains(&dependency.as_str()),
                "{name} opens a door: {dependency}"
            );
        }
    }
}

#[test]
fn what_belongs_to_one_room_stays_there() {
    for (name, ..) in PLAN {
        for dependency in dependencies(name) {
            let owners = ONLY.iter().find(|(d, _)| *d == dependency).map(|(_, rooms)| *rooms);
            assert!(owners.is_none_or(|rooms| rooms.contains(name)), "{name} uses {dependency}");
        }
    }
}

#[test]
fn circles_do_not_come_back() {
    for (room, who, whom) in CIRCLES {
        let src = root().join("crates").join(room).join("src");
        for (file, text) in sources(&src) {
            let module = file.strip_prefix(&src).unwrap().with_extension("");
            if module.starts_with(who) {
                let import =
                    |from: &str| ["::", ";", ",", "}"].iter().any(|end| text.contains(&format!("{from}::{whom}{end}")));
                assert!(!import("crate") && !import("super"), "{room}: {} imports {whom} again", module.display());
            }
        }
    }
}

#[test]
fn nobody_imports_whoever_imports_it() {
    for (room, depth) in NO_CIRCLES {
        let imports = imports(room, *depth);
        for who in imports.keys() {
            // Everything that can be reached from it, with the way there.
            let (mut seen, mut next) = (BTreeMap::new(), vec![(who.clone(), who.clone())]);
            while let Some((at, way)) = next.pop() {
                for to in imports.get(&at).into_iter().flatten() {
                    let way = format!("{way} -> {to}");
                    assert!(to != who, "{room}: {way}");
                    if seen.insert(to.clone(), ()).is_none() {
                        next.push((to.clone(), way));
                    }
                }
            }
        }
    }
}

/// The modules of a room, each with those that it imports from.
fn imports(room: &str, depth: usize) -> BTreeMap<String, BTreeSet<String>> {
    let src = root().join("crates").join(room).join("src");
    let name = |path: &[String]| path.iter().take(depth).cloned().collect::<Vec<_>>().join("/");
    let files: Vec<(Vec<String>, String)> = sources(&src)
        .into_iter()
        .map(|(file, text)| {
            let file = file.strip_prefix(&src).unwrap().with_extension("");
            let mut path: Vec<String> = file.iter().map(|part| part.to_string_lossy().into_owned()).collect();
            path.retain(|part| part != "mod" && part != "lib");
            (path, without_tests(&text))
        })
        .collect();
    let modules: BTreeSet<&Vec<String>> = files.iter().map(|(path, _)| path).collect();
    let mut found: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (path, text) in &files {
        for used in uses(text, path) {
            // The longest beginning that is a module; what a folder's own file says belongs to nobody in it.
            let whole = (1..=used.len()).rev().map(|n| used[..n].to_vec()).find(|part| modules.contains(part));
            let (who, whom) = (name(path), whole.as_deref().map(name).unwrap_or_default());
            if path.len() >= depth && whom != who && !whom.is_empty() && whole.is_some_and(|w| w.len() >= depth) {
                found.entry(who).or_default().insert(whom);
            }
        }
    }
    found
}

/// Every path into the room that a text names, from the room's root.
fn uses(text: &str, path: &[String]) -> Vec<Vec<String>> {
    let code: String =
        text.lines().map(|line| line.split("//").next().unwrap_or_default()).collect::<Vec<_>>().join(" ");
    let mut all = Vec::new();
    for (at, word) in ["crate::", "super::"].iter().flat_map(|w| code.match_indices(w)) {
        let before = &code[..at];
        let tail = &code[at + word.len()..];
        if before.ends_with("::") || before.ends_with(|c: char| c.is_alphanumeric() || c == '_') {
            continue;
        }
        let mut base = if word == "crate::" { Vec::new() } else { path[..path.len().saturating_sub(1)].to_vec() };
        let mut tail = tail;
        while let Some(rest) = tail.strip_prefix("super::") {
            base.pop();
            tail = rest;
        }
        expand(tail, &base, &mut all);
    }
    all
}

/// The paths of a tree of names, up to its end.
fn expand(tail: &str, base: &[String], all: &mut Vec<Vec<String>>) {
    let end = tail.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(tail.len());
    let (name, rest) = tail.split_at(end);
    let here: Vec<String> = base.iter().cloned().chain((!name.is_empty()).then(|| name.to_owned())).collect();
    if let Some(inner) = rest.strip_prefix("::") {
        return expand(inner, &here, all);
    }
    all.push(here);
    let Some(inner) = rest.strip_prefix('{') else { return };
    let (mut depth, mut from) = (0, 0);
    for (at, c) in inner.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => return expand(inner[from..at].trim(), base, all),
            '}' => depth -= 1,
            ',' if depth == 0 => {
                expand(inner[from..at].trim(), base, all);
                from = at + 1;
            }
            _ => {}
        }
    }
}
