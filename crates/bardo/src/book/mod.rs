//! The book's references, made from the program itself and held against the pages that are kept in `docs/reference`; and
//! every command that a page of the house names, held against what can be typed.

mod commands;
mod events;
mod fields;
mod settings;
mod typed;

use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The page that is kept is the page that is made. Golden texts are blessed by the same word.
fn keep(page: &str, about: &str, body: &str) {
    let renew = "INSTA_UPDATE=always cargo test --release -p bardo --bin bardo book::";
    let made = format!("<!-- Made by the program: {renew} -->\n\n{about}\n{}\n", body.trim());
    let path = root().join("docs/reference").join(page);
    if std::env::var("INSTA_UPDATE").is_ok_and(|word| word == "always") {
        std::fs::write(&path, &made).unwrap();
    }
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    let differs = made.lines().zip(kept.lines().chain(std::iter::repeat(""))).find(|(made, kept)| made != kept);
    assert!(
        made == kept,
        "docs/reference/{page} is not what the program says. Renew it: {renew}\n  first difference (program, page): {differs:?}"
    );
}

/// Words within a cell of a table.
fn cell(words: &str) -> String {
    words.split_whitespace().collect::<Vec<_>>().join(" ").replace('|', "\\|").replace('<', "&lt;")
}

/// Code within a cell of a table.
fn code(words: &str) -> String {
    format!("`{}`", words.replace('|', "\\|"))
}
