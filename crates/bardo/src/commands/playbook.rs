//! `bardo playbook show|lint|diff ID`: the rules a golem lives by, and what an owner has made of them.

use crate::cli::PlaybookCommand;
use crate::fail::Fail;
use crate::home::Home;
use crate::lines::folded;
use crate::out::{Out, as_value};
use golem_core::Tick;
use golem_home::rules::{self, PageLint, playbook};

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

fn check(id: &str, home: &Home, out: &Out) -> Result<(), Fail> {
    let found = rules::check(&home.golem(id)?)?;
    let (PageLint { problems, findings }, told) = (&found, as_value(&found)?);
    out.result(&told, || {
        let all: Vec<String> = problems.iter().chain(findings).cloned().collect();
        if all.is_empty() { "nothing to complain about".to_owned() } else { folded(&all.join("\n")) }
    })?;
    if problems.is_empty() { Ok(()) } else { Err(problems_found(problems.len(), id)) }
}

fn problems_found(count: usize, id: &str) -> Fail {
    let what = if count == 1 { "a problem".to_owned() } else { format!("{count} problems") };
    Fail::hint(format!("{what} in the playbook"), format!("what it lives by as long: bardo playbook show {id}"))
}

fn compare(id: &str, home: &Home, out: &Out) -> Result<(), Fail> {
    let found = rules::compare(&home.golem(id)?)?;
    let words = &found.diff;
    out.result(&as_value(&found)?, || {
        if words.trim().is_empty() { "the page says what the golem lives by".to_owned() } else { words.clone() }
    })
}
