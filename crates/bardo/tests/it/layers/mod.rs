//! The house plan, held against the code: who may import whom, and what pure rooms never touch.

mod figures;
mod imports;
mod licences;
mod promised;
mod purity;
mod readers;
mod turn;
mod versions;
mod words;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Each room, the siblings it may import, and whether its rules are pure.
const PLAN: &[(&str, &[&str], Purity)] = &[
    ("golem-core", &[], Purity::Pure),
    ("golem-cage", &["golem-core"], Purity::Pure),
    ("golem-mortality", &["golem-core"], Purity::Pure),
    ("golem-daimon", &["golem-core", "golem-mortality"], Purity::Pure),
    ("golem-mind", &["golem-core", "golem-grimoire", "golem-mortality"], Purity::Pure),
    ("golem-grimoire", &["golem-core", "golem-mortality"], Purity::Pure),
    ("golem-dreams", &["golem-core", "golem-grimoire", "golem-mortality"], Purity::Pure),
    ("golem-clade", &["golem-core", "golem-grimoire", "golem-mortality", "styx-wire"], Purity::Pure),
    (
        "golem-life",
        &[
            "golem-cage",
            "golem-clade",
            "golem-core",
            "golem-daimon",
            "golem-dreams",
            "golem-grimoire",
            "golem-mortality",
            "golem-mind",
        ],
        Purity::Pure,
    ),
    ("golem-venue", &["golem-cage", "golem-core"], Purity::Pure),
    (
        "golem-view",
        &[
            "golem-cage",
            "golem-core",
            "golem-daimon",
            "golem-dreams",
            "golem-grimoire",
            "golem-life",
            "golem-mind",
            "golem-mortality",
        ],
        Purity::Pure,
    ),
    (
        "golem-lab",
        &[
            "golem-cage",
            "golem-clade",
            "golem-core",
            "golem-daimon",
            "golem-dreams",
            "golem-grimoire",
            "golem-life",
            "golem-mind",
            "golem-mortality",
            "golem-venue",
        ],
        Purity::Impure,
    ),
    ("golem-runtime", &["golem-core", "golem-grimoire", "golem-life"], Purity::Impure),
    (
        "golem-tui",
        &[
            "golem-clade",
            "golem-core",
            "golem-daimon",
            "golem-dreams",
            "golem-grimoire",
            "golem-life",
            "golem-mind",
            "golem-mortality",
            "golem-view",
        ],
        Purity::Impure,
    ),
    ("golem-wallet", &["golem-cage", "golem-core", "styx-wire"], Purity::Impure),
    ("golem-chain", &["golem-cage", "golem-core", "golem-venue", "golem-wallet"], Purity::Impure),
    ("golem-inference", &["golem-core"], Purity::Impure),
    (
        "golem-home",
        &[
            "golem-cage",
            "golem-chain",
            "golem-clade",
            "golem-core",
            "golem-daimon",
            "golem-dreams",
            "golem-grimoire",
            "golem-inference",
            "golem-lab",
            "golem-life",
            "golem-mind",
            "golem-mortality",
            "golem-runtime",
            "golem-tui",
            "golem-venue",
            "golem-view",
            "golem-wallet",
        ],
        Purity::Impure,
    ),
    (
        "golem-serve",
        &[
            "golem-core",
            "golem-ferry",
            "golem-grimoire",
            "golem-home",
            "golem-life",
            "golem-mortality",
            "golem-runtime",
            "golem-view",
        ],
        Purity::Impure,
    ),
    ("golem-ferry", &["golem-clade", "golem-core", "golem-life", "golem-runtime", "styx-wire"], Purity::Impure),
    ("golem-trace", &["golem-core"], Purity::Impure),
    ("golem-mcp", &["golem-core", "golem-home"], Purity::Impure),
    ("styx-wire", &["golem-core"], Purity::Pure),
    ("styx", &["golem-core", "styx-wire"], Purity::Impure),
    (
        "bardo",
        &[
            "golem-cage",
            "golem-chain",
            "golem-clade",
            "golem-core",
            "golem-daimon",
            "golem-dreams",
            "golem-ferry",
            "golem-grimoire",
            "golem-home",
            "golem-inference",
            "golem-lab",
            "golem-life",
            "golem-mcp",
            "golem-mind",
            "golem-mortality",
            "golem-runtime",
            "golem-serve",
            "golem-trace",
            "golem-tui",
            "golem-venue",
            "golem-view",
            "golem-wallet",
            "styx",
            "styx-wire",
        ],
        Purity::Impure,
    ),
];

#[derive(PartialEq)]
enum Purity {
    Pure,
    Impure,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
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

/// A file without its tests: what `#[cfg(test)]` marks is one item, wherever it stands, and all that follows it is code again. Lines
/// keep their numbers.
fn without_tests(text: &str) -> String {
    let mut code = String::with_capacity(text.len());
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if line.trim() != "#[cfg(test)]" {
            code.push_str(line);
        } else {
            // The item ends with the semicolon or the bracket that stands as deep as its mark.
            let deep = indent(line);
            for item in lines.by_ref() {
                code.push('\n');
                if indent(item) == deep && item.ends_with([';', '}']) {
                    break;
                }
            }
        }
        code.push('\n');
    }
    code
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

#[test]
fn only_what_is_marked_is_a_test() {
    let text = "use a;\n#[cfg(test)]\nuse b;\nfn c() {}\n#[cfg(test)]\nmod tests;\n\nimpl D {\n    #[cfg(test)]\n    #[must_use]\n    fn e(&self) -> u8 {\n        let f = 1;\n        f\n    }\n    fn g(&self) {}\n    #[cfg(test)]\n    const H: u8 = 1;\n    fn i(&self) {}\n}\n#[cfg(test)]\nmod tests {\n    use super::*;\n    fn j() {\n        k();\n    }\n}\n";
    let code = without_tests(text);
    let left: Vec<&str> = code.lines().filter(|line| !line.trim().is_empty()).collect();
    assert_eq!(left, ["use a;", "fn c() {}", "impl D {", "    fn g(&self) {}", "    fn i(&self) {}", "}"]);
    assert_eq!(code.lines().count(), text.lines().count());
}
