//! The house plan, held against the code: who may import whom, and what pure rooms never touch.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Each room, the siblings it may import, and whether its rules are pure.
const PLAN: &[(&str, &[&str], Purity)] = &[
    ("golem-core", &[], Purity::Pure),
    ("golem-cage", &["golem-core"], Purity::Pure),
    ("golem-mortality", &["golem-core"], Purity::Pure),
    ("golem-daimon", &["golem-core", "golem-mortality"], Purity::Pure),
    ("golem-mind", &["golem-core", "golem-grimoire", "golem-mortality"], Purity::Pure),
    ("golem-grimoire", &["golem-core", "golem-mortality"], Purity::Pure),
    (
        "golem-life",
        &["golem-cage", "golem-core", "golem-daimon", "golem-grimoire", "golem-mortality", "golem-mind"],
        Purity::Pure,
    ),
    ("golem-venue", &["golem-cage", "golem-core"], Purity::Pure),
    (
        "golem-view",
        &["golem-cage", "golem-core", "golem-daimon", "golem-grimoire", "golem-life", "golem-mind", "golem-mortality"],
        Purity::Pure,
    ),
    ("golem-lab", &["golem-cage", "golem-core", "golem-mortality", "golem-life", "golem-venue"], Purity::Impure),
    ("golem-runtime", &["golem-core", "golem-grimoire", "golem-life"], Purity::Impure),
    ("golem-wallet", &["golem-cage", "golem-core"], Purity::Impure),
    ("golem-chain", &["golem-cage", "golem-core", "golem-venue", "golem-wallet"], Purity::Impure),
    ("golem-inference", &["golem-core"], Purity::Impure),
    (
        "bardo",
        &[
            "golem-cage",
            "golem-chain",
            "golem-core",
            "golem-daimon",
            "golem-grimoire",
            "golem-inference",
            "golem-lab",
            "golem-life",
            "golem-mind",
            "golem-mortality",
            "golem-runtime",
            "golem-venue",
            "golem-view",
            "golem-wallet",
        ],
        Purity::Impure,
    ),
];

#[derive(PartialEq)]
enum Purity {
    Pure,
    Impure,
}

/// What no pure room may say: clocks, IO, unaddressed chance, maps without order, and logarithms of this machine only.
const NEVER: &[&str] = &[
    "std::time",
    "std::fs",
    "std::io",
    "std::net",
    "std::env",
    "std::process",
    "std::thread",
    "SystemTime",
    "Instant::",
    "HashMap",
    "HashSet",
    "use rand",
    "getrandom",
    "println!",
    "eprintln!",
    "async fn",
    ".exp()",
    ".ln()",
    ".log2()",
    ".log10()",
    ".powf(",
    ".powi(",
    ".sin()",
    ".cos()",
    ".sin_cos()",
    ".tanh()",
    ".ln_1p()",
    ".exp_m1()",
    ".cbrt()",
    ".unwrap()",
    ".expect(\"",
    "panic!(",
    "unreachable!(",
];

/// What a pure room may say all the same, and where: it gives up over plain data that has no plain form, and what spells
/// numbers writes into memory through a trait that could also write elsewhere.
const EXEMPT: &[(&str, &str)] = &[("golem-core/src/plain.rs", "panic!("), ("golem-grimoire/src/lean.rs", "std::io")];

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
    ("golem-core", 1),
    ("golem-daimon", 1),
    ("golem-grimoire", 1),
    ("golem-inference", 1),
    ("golem-lab", 1),
    ("golem-life", 1),
    ("golem-mind", 1),
    ("golem-mortality", 1),
    ("golem-runtime", 1),
    ("golem-venue", 1),
    ("golem-view", 1),
    ("golem-wallet", 1),
];

/// What is said in one file and nowhere else: words of code, and the file that may say them.
const ONCE: &[(&str, &str)] = &[
    // One wrapper around the machine: a transaction as it takes it, and how it says that one ended.
    ("TxEnv {", "golem-chain/src/evm.rs"),
    ("ExecutionResult::Success", "golem-chain/src/evm.rs"),
    ("SpecId::PRAGUE", "golem-chain/src/evm.rs"),
    // One word for what became of an effect.
    ("enum Reconciled", "golem-core/src/door/effect.rs"),
    ("    NeverSent,", "golem-core/src/door/effect.rs"),
    // One table of the bands.
    ("enum Band ", "golem-daimon/src/band.rs"),
    ("0.35, 0.55, 0.75", "golem-daimon/src/band.rs"),
];

/// Names of types that may stand for two things: every room has an `Error`, and names it with the room.
const TWO_MEANINGS: &[&str] = &["Error"];

/// Crates that a pure room may not depend on, by any name.
const DOORS: &[&str] = &[
    "alloy",
    "axum",
    "clap",
    "getrandom",
    "indicatif",
    "jsonschema",
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
    ("axum", &["golem-chain"]),
    // Held against our own rules, in tests.
    ("jsonschema", &[]),
    // Models are reached through one door.
    ("candle-core", &["golem-inference"]),
    ("golem-inference", &["bardo"]),
    ("rusqlite", &["golem-runtime", "golem-chain"]),
    ("golem-wallet", &["golem-chain", "bardo"]),
    // Dice are addressed, never streamed; keys come from the operating system.
    ("rand", &[]),
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn dependencies(name: &str) -> Vec<String> {
    let text = std::fs::read_to_string(root().join("crates").join(name).join("Cargo.toml")).unwrap();
    let table: toml::Table = text.parse().unwrap();
    table["dependencies"].as_table().unwrap().keys().cloned().collect()
}

#[test]
fn every_room_is_in_the_plan() {
    let mut rooms: Vec<String> = std::fs::read_dir(root().join("crates"))
        .unwrap()
        .map(|e| e.unwrap().file_name().into_string().unwrap())
        .collect();
    rooms.sort();
    let mut planned: Vec<&str> = PLAN.iter().map(|(name, ..)| *name).collect();
    planned.sort_unstable();
    assert_eq!(rooms, planned);
}

#[test]
fn imports_go_down_the_layers() {
    for (name, allowed, purity) in PLAN {
        for dependency in dependencies(name) {
            let sibling = dependency.starts_with("golem-") || dependency == "bardo" || dependency == "styx";
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
fn pure_rooms_stay_pure() {
    let mut found = Vec::new();
    for (name, _, _) in PLAN.iter().filter(|(.., purity)| *purity == Purity::Pure) {
        for (file, text) in sources(&root().join("crates").join(name).join("src")) {
            // Tests at the end of a file may do as they like.
            let code = text.split("#[cfg(test)]").next().unwrap_or_default();
            for (i, line) in code.lines().enumerate() {
                let line = line.split("//").next().unwrap_or_default();
                let exempt = |word: &str| EXEMPT.iter().any(|(place, said)| file.ends_with(place) && word == *said);
                for word in NEVER.iter().filter(|w| line.contains(**w) && !exempt(w)) {
                    found.push(format!("{}:{}: {word}", file.display(), i + 1));
                }
            }
        }
    }
    assert!(found.is_empty(), "pure rooms say what they must not:\n{}", found.join("\n"));
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
            (path, text.split("#[cfg(test)]").next().unwrap_or_default().to_owned())
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

#[test]
fn what_is_said_once_is_said_once() {
    for (words, place) in ONCE {
        let mut found = Vec::new();
        for (name, ..) in PLAN {
            for (file, text) in sources(&root().join("crates").join(name).join("src")) {
                let code = text.split("#[cfg(test)]").next().unwrap_or_default();
                found.extend(code.contains(words).then_some(file));
            }
        }
        assert!(
            matches!(&found[..], [only] if only.ends_with(place)),
            "{words} in {found:?}, and not in {place} alone"
        );
    }
}

/// One word, one meaning: whoever searches for a type finds one.
#[test]
fn a_type_name_stands_for_one_thing() {
    let mut defined: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (name, ..) in PLAN {
        let src = root().join("crates").join(name).join("src");
        for (file, text) in sources(&src) {
            let place = file.strip_prefix(&src).unwrap();
            if place.components().any(|part| part.as_os_str() == "tests") {
                continue;
            }
            let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
            for word in code.lines().filter_map(type_defined) {
                defined.entry(word.to_owned()).or_default().push(format!("{name}/{}", place.display()));
            }
        }
    }
    assert!(defined.len() > 500, "the types were not found: {}", defined.len());
    let twice = |word: &str| defined.get(word).is_some_and(|places| places.len() > 1);
    let idle: Vec<&&str> = TWO_MEANINGS.iter().filter(|word| !twice(word)).collect();
    assert!(idle.is_empty(), "these stand for one thing by now: {idle:?}");
    defined.retain(|word, places| places.len() > 1 && !TWO_MEANINGS.contains(&word.as_str()));
    assert!(defined.is_empty(), "one word, several meanings: {defined:#?}");
}

/// The name of the type that a line at the root of a file defines.
fn type_defined(line: &str) -> Option<&str> {
    let line = match line.strip_prefix("pub") {
        Some(rest) => rest.strip_prefix('(').and_then(|r| r.split_once(')')).map_or(rest, |(_, r)| r).trim_start(),
        None => line,
    };
    let rest = ["struct ", "enum ", "trait ", "type "].iter().find_map(|word| line.strip_prefix(word))?;
    let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
    Some(&rest[..end])
}

/// What "cannot fail" must not fail in silence: an empty text would be hashed, stored and believed.
#[test]
fn nothing_is_serialised_to_nothing() {
    let forms = ["serde_json::to_", "postcard::to_"];
    for (name, ..) in PLAN {
        for (file, text) in sources(&root().join("crates").join(name).join("src")) {
            let code = text.split("#[cfg(test)]").next().unwrap_or_default().replace(char::is_whitespace, "");
            for part in forms.iter().flat_map(|form| code.split(form).skip(1)) {
                let call = part.split(';').next().unwrap_or_default();
                let call = &call[..call.find(")?").unwrap_or(call.len())];
                let silent = [".unwrap_or_default()", ".ok()"].iter().any(|end| call.contains(end));
                assert!(!silent, "{}: {call}", file.display());
            }
        }
    }
}

#[test]
fn the_name_of_a_fact_stands_once() {
    let names = [
        golem_cage::CageFact::NAMES,
        golem_daimon::affect::AffectFact::NAMES,
        golem_daimon::gate::GateFact::NAMES,
        golem_daimon::suffering::SufferingFact::NAMES,
        golem_life::LifeFact::NAMES,
        golem_mortality::MortalityFact::NAMES,
    ];
    let mut code = String::new();
    for (name, ..) in PLAN {
        for text in sources(&root().join("crates").join(name).join("src")).values() {
            code.push_str(text.split("#[cfg(test)]").next().unwrap_or_default());
        }
    }
    for name in names.concat() {
        assert_eq!(code.matches(&format!("\"{name}\"")).count(), 1, "{name}");
    }
}

#[test]
fn every_file_says_what_it_is_for() {
    for (name, ..) in PLAN {
        for (file, text) in sources(&root().join("crates").join(name).join("src")) {
            assert!(text.starts_with("//! "), "{} does not open with a sentence", file.display());
        }
    }
}

/// The steps of a turn, as the page on architecture lists them: each is a file of the life.
const VERBS: &[&str] = &[
    "hear", "sense", "decide", "weigh", "recall", "judge", "book", "remember", "reflect", "pay", "feel", "diagnose",
    "age",
];

#[test]
fn a_turn_is_made_of_its_verbs_and_driven_in_one_place() {
    let page = std::fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    let life = root().join("crates/golem-life/src");
    for verb in VERBS {
        assert!(life.join(format!("{verb}.rs")).is_file(), "no file for {verb}");
        assert!(page.lines().any(|line| line.split_whitespace().any(|word| word == *verb)), "the page lacks {verb}");
    }
    for (file, text) in sources(&life) {
        assert!(!text.contains("facts: &mut"), "{}: facts are in the turn's scratch", file.display());
    }
    // Whoever judges wishes drives a turn: only the driver does, and the witness that stands around a life.
    let mut drivers = Vec::new();
    for (name, ..) in PLAN {
        for (file, text) in sources(&root().join("crates").join(name).join("src")) {
            if text.contains(".consider(") {
                drivers.push(format!("{name}/{}", file.file_name().unwrap().to_string_lossy()));
            }
        }
    }
    assert_eq!(drivers, ["golem-life/drive.rs", "bardo/witness.rs"]);
}

#[test]
fn versions_stand_in_one_place() {
    for (name, ..) in PLAN {
        let text = std::fs::read_to_string(root().join("crates").join(name).join("Cargo.toml")).unwrap();
        let table: toml::Table = text.parse().unwrap();
        for section in ["dependencies", "dev-dependencies"] {
            let Some(entries) = table.get(section).and_then(toml::Value::as_table) else { continue };
            for (dependency, value) in entries {
                let workspace = value.get("workspace").and_then(toml::Value::as_bool) == Some(true);
                assert!(workspace, "{name}: {dependency} does not take its version from the workspace");
            }
        }
    }
}

#[test]
fn every_dependency_is_accounted_for() {
    let page = std::fs::read_to_string(root().join("docs/dependencies.md")).unwrap();
    let workspace: toml::Table = std::fs::read_to_string(root().join("Cargo.toml")).unwrap().parse().unwrap();
    for dependency in workspace["workspace"]["dependencies"].as_table().unwrap().keys() {
        let own = dependency.starts_with("golem-");
        assert!(own || page.contains(&format!("`{dependency}`")), "docs/dependencies.md does not mention {dependency}");
    }
}

fn sources(dir: &Path) -> BTreeMap<PathBuf, String> {
    let mut all = BTreeMap::new();
    for entry in std::fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            all.extend(sources(&path));
        } else if path.extension().is_some_and(|e| e == "rs") {
            let text = std::fs::read_to_string(&path).unwrap();
            all.insert(path, text);
        }
    }
    all
}
