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

/// The steps that one look at the turn's file shows, in the order in which they follow each other.
const CALLS: &[&str] = &[
    ".hear(",
    ".inherit(",
    ".sense(",
    ".decide(",
    ".book_all(",
    ".remember(",
    ".reflect(",
    ".pay(",
    ".feel(",
    ".diagnose(",
    ".run_lifespan(",
];

#[test]
fn the_turns_file_calls_its_verbs_in_their_order() {
    let text = std::fs::read_to_string(root().join("crates/golem-life/src/turn.rs")).unwrap();
    let places: Vec<usize> = CALLS.iter().map(|call| text.find(&format!("self{call}")).expect(call)).collect();
    assert!(places.is_sorted(), "{:?}", CALLS.iter().zip(&places).collect::<Vec<_>>());
    for call in CALLS {
        assert_eq!(text.matches(&format!("self{call}")).count(), 1, "{call} stands in one place of the turn");
    }
}
