//! The rules that a golem lives by, as its file has them, and what an owner has made of the page beside it.

use crate::fail::Fail;
use crate::home::Place;
use crate::origins::settings_of;
use golem_core::Tick;
use golem_grimoire::change::NamedTable;
use golem_grimoire::playbook::{PlaybookWriter, diff, lint, read};
use golem_runtime::memory::Detail;
use golem_runtime::{GolemDir, Reader};
use serde::Serialize;
use std::io::ErrorKind;

/// The playbook in the golem's file; an empty one before its first rule.
pub fn playbook(place: &Place, as_of: Option<Tick>) -> Result<PlaybookWriter, Fail> {
    let reader = Reader::open(&place.dir)?;
    let all = reader.memory().remembered(as_of, Detail::Learnt)?;
    let found = all.rows.iter().find(|(table, key, _)| *table == NamedTable::Playbook && key == PlaybookWriter::KEY);
    match found {
        Some((_, _, body)) => PlaybookWriter::restore(body).map_err(|e| Fail::Bug(format!("the stored playbook: {e}"))),
        None => {
            let birth = reader.origin()?.birth;
            Ok(PlaybookWriter::new(birth.name, birth.id))
        }
    }
}

/// What becomes of a page that nobody can read.
const LEFT: &str = "the golem leaves it as it is, until it is a text again or taken away";

/// The page beside the golem's file, as it is now.
fn page(place: &Place) -> Result<String, Fail> {
    let path = GolemDir::of_golem(&place.dir)?.playbook();
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

/// What `playbook lint --json` prints; others rely on these names.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct PageLint {
    /// What keeps the page, or a rule of it, from being taken.
    pub problems: Vec<String>,
    /// What is taken, and may not be meant so.
    pub findings: Vec<String>,
}

/// What is wrong with the page.
pub fn check(place: &Place) -> Result<PageLint, Fail> {
    let text = page(place)?;
    let template = settings_of(&Reader::open(&place.dir)?.origin()?)?.policy.template;
    let parameters: Vec<&'static str> = template.parameters().iter().map(|p| p.key).collect();
    let mut told = PageLint::default();
    match read(&text, &parameters) {
        Err(all) => told.problems.extend(all.iter().map(ToString::to_string)),
        Ok(reading) => {
            told.problems.extend(reading.problems.iter().map(ToString::to_string));
            told.findings.extend(lint(&reading.playbook, &parameters).iter().map(ToString::to_string));
        }
    }
    Ok(told)
}

/// What `playbook diff --json` prints; others rely on these names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PageDiff {
    /// Whether somebody has changed the page.
    pub edited: bool,
    pub diff: String,
}

/// What the page says otherwise.
pub fn compare(place: &Place) -> Result<PageDiff, Fail> {
    let (writer, text) = (playbook(place, None)?, page(place)?);
    let found = read(&text, &[]).map_err(|problems| {
        let all: Vec<String> = problems.iter().map(ToString::to_string).collect();
        Fail::owner(all.join("\n"))
    })?;
    Ok(PageDiff { edited: !found.untouched, diff: diff(writer.playbook(), &found.playbook).to_string() })
}
