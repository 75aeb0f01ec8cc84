//! The file as it is written: Markdown that reads well and parses back to the same playbook.

use super::spell::{self, OUT_OF_FORCE};
use super::{KeptSection, Playbook, PlaybookSection, Rule};
use std::fmt::Write;

/// What an owner is told; it is not part of the playbook.
pub(super) const HELP: &str = "\
<!-- One rule per heading. `when` is a condition over observed fields, `do` is one of: scale `parameter` by FACTOR,
risk FACTOR, stand aside. Edit, add or delete rules as you like: the golem notices, checks and keeps your changes.
What it cannot read stays here, marked as not in force. Evidence, source and since are measured, not written. -->";

/// The whole file.
#[must_use]
pub fn render(playbook: &Playbook) -> String {
    let mut out = String::new();
    // Writing to a String cannot fail.
    let _infallible = write_all(&mut out, playbook);
    out
}

fn write_all(out: &mut String, playbook: &Playbook) -> std::fmt::Result {
    writeln!(out, "# Playbook of {}\n", playbook.name())?;
    writeln!(out, "- golem: {}", playbook.golem())?;
    writeln!(out, "- revision: {}", playbook.revision())?;
    writeln!(out, "- hash: {}", playbook.hash())?;
    if !playbook.struck().is_empty() {
        let ids: Vec<&str> = playbook.struck().iter().map(super::RuleId::as_str).collect();
        writeln!(out, "- struck: {}", ids.join(", "))?;
    }
    writeln!(out, "\n{HELP}")?;
    if !playbook.preamble().is_empty() {
        writeln!(out, "\n{}", playbook.preamble())?;
    }
    for section in playbook.sections() {
        match section {
            PlaybookSection::Rule(rule) => write_rule(out, rule)?,
            PlaybookSection::Kept(kept) => write_kept(out, kept)?,
        }
    }
    Ok(())
}

fn write_rule(out: &mut String, rule: &Rule) -> std::fmt::Result {
    let words = rule.words();
    writeln!(out, "\n## {}\n", words.title)?;
    for (key, value) in fields(rule) {
        // A list item with nothing after the colon keeps no trailing space.
        let gap = if value.is_empty() { "" } else { " " };
        writeln!(out, "- {key}:{gap}{value}")?;
    }
    if !words.note.is_empty() {
        writeln!(out, "\n{}", words.note)?;
    }
    Ok(())
}

fn write_kept(out: &mut String, kept: &KeptSection) -> std::fmt::Result {
    let (heading, rest) = kept.text.split_once('\n').unwrap_or((&kept.text, ""));
    writeln!(out, "\n{heading}")?;
    if let Some(problem) = &kept.problem {
        // The end of a comment inside it would let the rest out.
        writeln!(out, "{OUT_OF_FORCE}{} -->", problem.replace("--", "-"))?;
    }
    if !rest.is_empty() {
        writeln!(out, "{rest}")?;
    }
    Ok(())
}

/// The fields of a rule as they are spelled, in order.
pub(super) fn fields(rule: &Rule) -> [(&'static str, String); 8] {
    let words = rule.words();
    let (held, failed, episodes) = (words.validated, words.contradicted, words.episodes);
    [
        ("id", words.id.to_string()),
        ("when", format!("`{}`", words.when)),
        ("do", spell::action(&words.action)),
        ("because", words.because.clone()),
        ("confidence", spell::confidence(words.confidence_bp)),
        ("evidence", format!("{held} validated, {failed} contradicted, {episodes} episodes")),
        ("source", spell::source(words.source).to_owned()),
        ("since", spell::age(words.since)),
    ]
}
