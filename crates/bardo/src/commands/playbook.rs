//! `bardo playbook show|lint|diff ID`: the rules a golem lives by, and what an owner has made of them.

use crate::cli::PlaybookCommand;
use crate::fail::Fail;
use crate::home::Home;
use crate::lines::folded;
use crate::out::Out;
use golem_core::Tick;
use golem_grimoire::playbook::{diff, lint, read};
use golem_home::rules::playbook;
use golem_runtime::{GolemDir, Reader};
use serde_json::json;
use std::io::ErrorKind;

/// Run one.
pub fn run(command: PlaybookCommand, home: &Home, out: &Out) -> Result<(), Fail> {
    match command {
        PlaybookCommand::Show { id, as_of } => {
            let writer = playbook(&home.golem(&id)?, as_of.map(Tick))?;
            out.result(writer.playbook(), || for_people(writer.text().trim_end()))
        }
        PlaybookCommand::Lint { id } => check(&id, home, out),
        PlaybookCommand::Diff { id } => compare(&id, home, out),
    }
}

/// The page within the width of a terminal. Lines of rules stay whole, so that it can be written back as it is shown.
fn for_people(text: &str) -> String {
    let line = |line: &str| if line.starts_with("- ") { line.to_owned() } else { folded(line) };
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

/// What becomes of a page that nobody can read.
const LEFT: &str = "the golem leaves it as it is, until it is a text again or taken away";

/// The page beside the golem's file, as it is now.
fn page(id: &str, home: &Home) -> Result<String, Fail> {
    let path = GolemDir::of_golem(&home.golem(id)?.dir)?.playbook();
    let wrong =
        |why: &dyn std::fmt::Display, hint: &str| Fail::hint(format!("cannot read {}: {why}", path.display()), hint);
    match std::fs::symlink_metadata(&path) {
        Err(e) if e.kind() == ErrorKind::NotFound => {
            return Err(wrong(&e, "it is written when the golem has its first rule"));
        }
        // Anything else would have to be waited for, or has no end.
        Ok(found) if !found.is_file() => return Err(wrong(&"it is not a file", LEFT)),
        _ => {}
    }
    match std::fs::read(&path).map(String::from_utf8) {
        Ok(Ok(text)) => Ok(text),
        Ok(Err(_)) => Err(wrong(&"it is not UTF-8 text", LEFT)),
        Err(e) => Err(wrong(&e, LEFT)),
    }
}

fn parameters(id: &str, home: &Home) -> Result<Vec<&'static str>, Fail> {
    let origin = Reader::open(&home.golem(id)?.dir)?.origin()?;
    let template = crate::birth::settings_of(&origin)?.policy.template;
    Ok(template.parameters().iter().map(|p| p.key).collect())
}

fn check(id: &str, home: &Home, out: &Out) -> Result<(), Fail> {
    let (text, parameters) = (page(id, home)?, parameters(id, home)?);
    let (mut problems, mut findings) = (Vec::new(), Vec::new());
    match read(&text, &parameters) {
        Err(all) => problems.extend(all.iter().map(ToString::to_string)),
        Ok(reading) => {
            problems.extend(reading.problems.iter().map(ToString::to_string));
            findings.extend(lint(&reading.playbook, &parameters).iter().map(ToString::to_string));
        }
    }
    let told = json!({ "problems": problems, "findings": findings });
    out.result(&told, || {
        let all: Vec<String> = problems.iter().chain(&findings).cloned().collect();
        if all.is_empty() { "nothing to complain about".to_owned() } else { folded(&all.join("\n")) }
    })?;
    if problems.is_empty() { Ok(()) } else { Err(problems_found(problems.len(), id)) }
}

fn problems_found(count: usize, id: &str) -> Fail {
    let what = if count == 1 { "a problem".to_owned() } else { format!("{count} problems") };
    Fail::hint(format!("{what} in the playbook"), format!("what it lives by as long: bardo playbook show {id}"))
}

fn compare(id: &str, home: &Home, out: &Out) -> Result<(), Fail> {
    let (writer, text) = (playbook(&home.golem(id)?, None)?, page(id, home)?);
    let found = read(&text, &[]).map_err(|problems| {
        let all: Vec<String> = problems.iter().map(ToString::to_string).collect();
        Fail::owner(all.join("\n"))
    })?;
    let between = diff(writer.playbook(), &found.playbook);
    let words = between.to_string();
    out.result(&json!({ "edited": !found.untouched, "diff": words }), || {
        if words.trim().is_empty() { "the page says what the golem lives by".to_owned() } else { words.clone() }
    })
}
