//! What CONTRIBUTING says is there: its commands run something, since a filter that matches no test passes and shows nothing, and what
//! it tells to add has a place.

use super::{PLAN, root, sources};
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

/// Every test of a folder by its modules, as a filter sees it.
fn tests(dir: &Path) -> Vec<String> {
    let mut all = Vec::new();
    for (file, text) in sources(dir) {
        let file = file.strip_prefix(dir).unwrap().with_extension("");
        let modules: Vec<&str> = file.iter().filter_map(|part| part.to_str()).collect();
        let own =
            modules.into_iter().filter(|part| !["mod", "lib", "main"].contains(part)).collect::<Vec<_>>().join("::");
        all.extend(tests_of(&text).into_iter().map(|name| format!("{own}::{name}")));
    }
    all
}

/// The tests of a file: neither what helps them nor what no run tries.
fn tests_of(text: &str) -> Vec<String> {
    let (mut all, mut inner, mut is_test) = (Vec::new(), String::new(), false);
    for line in text.lines().map(str::trim_start) {
        let line = line.strip_prefix("pub ").unwrap_or(line);
        if let Some(name) = line.strip_prefix("mod ").and_then(|rest| rest.strip_suffix(" {")) {
            inner = format!("{name}::");
        }
        is_test = (is_test || line == "#[test]") && !line.starts_with("#[ignore");
        if let Some(rest) = line.strip_prefix("async ").unwrap_or(line).strip_prefix("fn ") {
            let name = rest.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default();
            all.extend(std::mem::take(&mut is_test).then(|| format!("{inner}{name}")));
        }
    }
    all
}

#[test]
fn only_what_is_run_is_a_test() {
    let text = "#[test]\nfn a() {}\nfn b() {}\n#[test]\n#[ignore = \"why\"]\nfn c() {}\nmod tests {\n    /// Said.\n    #[test]\n    \
                #[allow(x)]\n    fn d() {}\n    fn e() {}\n}\n";
    assert_eq!(tests_of(text), ["a", "tests::d"]);
}

/// Whatever the page says between backticks.
fn set_apart(page: &str) -> impl Iterator<Item = &str> {
    page.split('`').skip(1).step_by(2)
}

fn page() -> String {
    std::fs::read_to_string(root().join("CONTRIBUTING.md")).unwrap()
}

#[test]
fn every_filter_of_the_page_matches_a_test() {
    let page = page();
    let commands = set_apart(&page).filter(|word| word.contains("cargo test"));
    let (mut known, mut held, mut idle) = (BTreeMap::new(), 0, Vec::new());
    for command in commands {
        let run = PromisedRun::read(command);
        for place in run.crates.iter().flat_map(|name| run.places(name)) {
            known.entry(place).or_insert_with_key(|place| if place.is_dir() { tests(place) } else { Vec::new() });
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

/// A tool, an example or a bench that is gone is a promise that nobody can hold the house to.
#[test]
fn every_tool_example_and_bench_of_the_page_is_there() {
    let (page, mut held) = (page(), 0);
    for command in set_apart(&page) {
        let words: Vec<&str> = command.split_whitespace().collect();
        let after = |option: &str| words.iter().position(|word| *word == option).and_then(|at| words.get(at + 1));
        for tool in words.iter().filter(|word| word.starts_with("tools/")) {
            assert!(root().join(tool).is_file(), "{tool} of `{command}`");
            held += 1;
        }
        for (option, folder) in [("--example", "examples"), ("--bench", "benches")] {
            let (Some(room), Some(name)) = (after("-p"), after(option)) else { continue };
            let home = root().join("crates").join(room).join(folder);
            let there = home.join(format!("{name}.rs")).is_file() || home.join(name).join("main.rs").is_file();
            assert!(there, "{name} of `{command}`");
            held += 1;
        }
    }
    assert!(held > 25, "the commands were not found: {held}");
}

/// Whoever adds something finds how, and every place that is named.
#[test]
fn the_page_tells_how_to_add_what_is_added() {
    let page = page();
    let how = page.split("## How to add").nth(1).and_then(|rest| rest.split("\n## ").next()).expect("how to add");
    for what in ["A setting", "A fact", "A command", "A forecaster"] {
        assert!(how.contains(&format!("\n**{what}.**")), "how to add {what}");
    }
    let mut held = 0;
    for place in set_apart(how).filter(|word| word.contains('/') && !word.contains(' ')) {
        if PLAN.iter().any(|(room, ..)| place.split('/').next() == Some(room)) {
            assert!(root().join("crates").join(place).exists(), "{place}");
            held += 1;
        }
    }
    assert!(held > 10, "the places were not found: {held}");
}
