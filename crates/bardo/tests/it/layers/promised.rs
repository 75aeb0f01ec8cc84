//! The commands in CONTRIBUTING run something: a filter that matches no test passes, and shows nothing.

use super::{root, sources};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// A `cargo test` of the page: the crates, what of them, and the words that must be part of a test's name.
#[derive(Debug, Default, PartialEq)]
struct PromisedRun<'a> {
    crates: Vec<&'a str>,
    target: Option<(&'a str, &'a str)>,
    filters: Vec<&'a str>,
}

impl<'a> PromisedRun<'a> {
    fn read(command: &'a str) -> Self {
        let (mut run, mut words) =
            (Self::default(), command.split_whitespace().skip_while(|word| *word != "test").skip(1));
        while let Some(word) = words.next() {
            match word {
                "-p" => run.crates.extend(words.next()),
                "--test" | "--bin" | "--example" | "--bench" => run.target = words.next().map(|name| (word, name)),
                "--lib" => run.target = Some((word, "")),
                "--features" => drop(words.next()),
                option if option.starts_with('-') => {}
                filter => run.filters.push(filter),
            }
        }
        run
    }

    /// Where the tests of one of its crates stand.
    fn places(&self, name: &str) -> Vec<PathBuf> {
        let home = root().join("crates").join(name);
        match self.target {
            Some(("--test", tests)) => vec![home.join("tests").join(tests)],
            Some(_) => vec![home.join("src")],
            None => vec![home.join("src"), home.join("tests/it")],
        }
    }
}

/// Every function of a folder by its modules, as a filter sees it: more than there are tests, and all of them.
fn functions(dir: &Path) -> Vec<String> {
    let mut all = Vec::new();
    for (file, text) in sources(dir) {
        let file = file.strip_prefix(dir).unwrap().with_extension("");
        let modules: Vec<&str> = file.iter().filter_map(|part| part.to_str()).collect();
        let own =
            modules.into_iter().filter(|part| !["mod", "lib", "main"].contains(part)).collect::<Vec<_>>().join("::");
        let mut inner = String::new();
        for line in text.lines().map(str::trim_start) {
            let line = line.strip_prefix("pub ").unwrap_or(line);
            if let Some(name) = line.strip_prefix("mod ").and_then(|rest| rest.strip_suffix(" {")) {
                inner = format!("{name}::");
            }
            let line = line.strip_prefix("async ").unwrap_or(line);
            if let Some(rest) = line.strip_prefix("fn ") {
                let name = rest.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default();
                all.push(format!("{own}::{inner}{name}"));
            }
        }
    }
    all
}

#[test]
fn every_filter_of_the_page_matches_a_test() {
    let page = std::fs::read_to_string(root().join("CONTRIBUTING.md")).unwrap();
    let commands = page.split('`').skip(1).step_by(2).filter(|word| word.contains("cargo test"));
    let (mut known, mut held, mut idle) = (BTreeMap::new(), 0, Vec::new());
    for command in commands {
        let run = PromisedRun::read(command);
        for place in run.crates.iter().flat_map(|name| run.places(name)) {
            known.entry(place).or_insert_with_key(|place| if place.is_dir() { functions(place) } else { Vec::new() });
        }
        for filter in &run.filters {
            let mut places = run.crates.iter().flat_map(|name| run.places(name));
            held += 1;
            if !places.any(|place| known[&place].iter().any(|name| name.contains(filter))) {
                idle.push(format!("{filter} in `{command}`"));
            }
        }
    }
    assert!(held > 200, "the commands were not found: {held}");
    assert!(idle.is_empty(), "these match no test: {idle:#?}");
}

#[test]
fn a_command_is_read_as_cargo_reads_it() {
    let run = PromisedRun::read(
        "BARDO_LONG=1 cargo test --release -p a -p b --features x,y --test it -- one:: two --nocapture",
    );
    assert_eq!(
        run,
        PromisedRun { crates: vec!["a", "b"], target: Some(("--test", "it")), filters: vec!["one::", "two"] }
    );
}
