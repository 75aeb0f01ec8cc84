//! A turn is made of its verbs.

use super::{PLAN, root, sources};

/// The steps of a turn, as the page on architecture lists them: each is a file of the life.
const VERBS: &[&str] = &[
    "hear", "inherit", "sense", "decide", "weigh", "recall", "judge", "book", "remember", "reflect", "pay", "feel",
    "diagnose", "age",
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
    assert_eq!(drivers, ["golem-life/drive.rs", "golem-home/witness.rs"]);
}
