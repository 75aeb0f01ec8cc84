//! One word, one meaning, in one place.

use super::{PLAN, root, sources, without_tests};
use std::collections::BTreeMap;

/// What is said in one file and nowhere else: words of code, and the file that may say them.
const ONCE: &[(&str, &str)] = &[
    // One wrapper around the machine: a transaction as it takes it, and how it says that one ended.
    ("TxEnv {", "golem-chain/src/evm.rs"),
    ("ExecutionResult::Success", "golem-chain/src/evm.rs"),
    ("SpecId::PRAGUE", "golem-chain/src/evm.rs"),
    // The doors are shared words, and so is what passes through them.
    ("pub trait World:", "golem-core/src/door/world.rs"),
    ("pub trait Hands<", "golem-core/src/door/hands.rs"),
    ("pub trait KeyedHands<", "golem-core/src/door/hands.rs"),
    ("pub trait Models:", "golem-core/src/door/models.rs"),
    ("pub struct EffectKey ", "golem-core/src/door/effect.rs"),
    ("pub struct Amended ", "golem-core/src/door/effect.rs"),
    ("pub struct EmbedRequest ", "golem-core/src/door/vectors.rs"),
    ("pub struct EmbedReply ", "golem-core/src/door/vectors.rs"),
    // What was booked of a node's chain.
    ("pub struct Booked ", "golem-chain/src/rpc/booked.rs"),
    // One word for what became of an effect.
    ("enum Reconciled", "golem-core/src/door/effect.rs"),
    ("    NeverSent,", "golem-core/src/door/effect.rs"),
    // One rule for what stands on something that was not done.
    ("pub struct Footing ", "golem-core/src/footing.rs"),
    // One table of the bands.
    ("enum Band ", "golem-daimon/src/band.rs"),
    ("0.35, 0.55, 0.75", "golem-daimon/src/band.rs"),
    // One place that makes strangers' words plain, and knows what is hidden in them.
    (".is_control()", "golem-core/src/words.rs"),
    ("'\\u{2060}'..='\\u{2069}'", "golem-core/src/words.rs"),
];

/// Names of types that may stand for two things: every room has an `Error`, and names it with the room.
const TWO_MEANINGS: &[&str] = &["Error"];

#[test]
fn what_is_said_once_is_said_once() {
    for (words, place) in ONCE {
        let mut found = Vec::new();
        for (name, ..) in PLAN {
            for (file, text) in sources(&root().join("crates").join(name).join("src")) {
                let code = without_tests(&text);
                found.extend(code.contains(words).then_some(file));
            }
        }
        assert!(
            matches!(&found[..], [only] if only.ends_with(place)),
            "{words} in {found:?}, and not in {place} alone"
        );
    }
}

/// The binary gives a golem its footing on a node's chain and knows no rule of it: what was booked, what the chain took back and what
/// a receipt comes to are the chain's own room.
#[test]
fn rules_of_a_nodes_chain_stand_in_its_room() {
    let code = without_tests(&std::fs::read_to_string(root().join("crates/bardo/src/chain/node.rs")).unwrap());
    for word in ["\nimpl", "Amended", "Outcome", "Receipt", "Reconciled", "Refusal"] {
        assert!(!code.contains(word), "{word:?} in bardo/src/chain/node.rs");
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
            if place.components().any(|part| ["tests", "tests.rs"].iter().any(|t| part.as_os_str() == *t)) {
                continue;
            }
            let code = without_tests(&text);
            for word in code.lines().filter_map(types_defined) {
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

/// The page of words says each of them once: what it is used for besides says whose word it is.
#[test]
fn a_word_of_the_glossary_stands_for_one_thing() {
    let page = std::fs::read_to_string(root().join("GLOSSARY.md")).unwrap();
    let rows = page.lines().filter_map(|line| line.strip_prefix("| ")?.split(" | ").next());
    let mut words: Vec<&str> = rows.filter(|row| *row != "word").flat_map(|row| row.split(", ")).collect();
    assert!(words.len() > 250, "the words were not found: {}", words.len());
    words.sort_unstable();
    let twice: Vec<&str> = words.windows(2).filter(|two| two[0] == two[1]).map(|two| two[0]).collect();
    assert!(twice.is_empty(), "one word, several meanings: {twice:?}");
}

/// The name of the type that a line defines, also within a module or a macro. An indented `type` is a trait's own name for a
/// type, and a comment defines nothing.
fn types_defined(line: &str) -> Option<&str> {
    let (line, indented) = (line.trim_start(), line.starts_with(char::is_whitespace));
    let line = match line.strip_prefix("pub") {
        Some(rest) => rest.strip_prefix('(').and_then(|r| r.split_once(')')).map_or(rest, |(_, r)| r).trim_start(),
        None => line,
    };
    let words: &[&str] = &["struct ", "enum ", "trait ", "type "];
    let rest = words[..words.len() - usize::from(indented)].iter().find_map(|word| line.strip_prefix(word))?;
    let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
    Some(&rest[..end])
}

#[test]
fn the_name_of_a_fact_stands_once() {
    let names = [
        golem_cage::CageFact::NAMES,
        golem_dreams::DreamFact::NAMES,
        golem_daimon::affect::AffectFact::NAMES,
        golem_daimon::gate::GateFact::NAMES,
        golem_daimon::suffering::SufferingFact::NAMES,
        golem_life::LifeFact::NAMES,
        golem_mortality::MortalityFact::NAMES,
    ];
    let mut code = String::new();
    for (name, ..) in PLAN {
        for text in sources(&root().join("crates").join(name).join("src")).values() {
            code.push_str(&without_tests(text));
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
