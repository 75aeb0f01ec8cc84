//! Whatever a page of the house tells people to type can be typed.

use super::root;
use crate::cli::Cli;
use clap::Parser;
use clap::error::ErrorKind;
use std::path::{Path, PathBuf};

/// The pages that people wrote.
fn pages() -> Vec<PathBuf> {
    let mut pages: Vec<PathBuf> =
        ["README.md", "CONTRIBUTING.md", "GLOSSARY.md", "ARCHITECTURE.md", "examples/README.md"]
            .map(|page| root().join(page))
            .to_vec();
    gather(&root().join("docs"), &mut pages);
    pages
}

fn gather(dir: &Path, pages: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(dir).unwrap().flatten() {
        let path = entry.path();
        match path.is_dir() {
            true if path.ends_with("docs/reference") => {}
            true => gather(&path, pages),
            false if path.extension().is_some_and(|e| e == "md") => pages.push(path),
            false => {}
        }
    }
}

/// Where a line of a page stands.
#[derive(PartialEq, Clone, Copy)]
enum Stands {
    None,
    Typed,
    Printed,
}

/// The lines of a page that are set apart to be typed, and what it names within its sentences.
fn typed(text: &str) -> (Vec<String>, Vec<String>) {
    let (mut lines, mut named, mut stands, mut held) = (Vec::new(), Vec::new(), Stands::None, String::new());
    for line in text.lines() {
        if let Some(info) = line.trim_start().strip_prefix("```") {
            let opens = if info.starts_with("sh") { Stands::Typed } else { Stands::Printed };
            stands = if stands == Stands::None { opens } else { Stands::None };
            continue;
        }
        match (stands, line.strip_prefix("    ")) {
            (Stands::Typed, _) => lines.push(format!("{held}{line}")),
            (Stands::None, Some(line)) => lines.push(line.to_owned()),
            (Stands::None, None) => named.extend(line.split('`').skip(1).step_by(2).map(ToOwned::to_owned)),
            (Stands::Printed, _) => {}
        }
        held.clear();
        if let Some(last) = lines.last().and_then(|l| l.strip_suffix('\\')).filter(|_| stands == Stands::Typed) {
            held = last.to_owned();
            lines.pop();
        }
    }
    (lines, named)
}

/// The words of a command line as a shell takes them apart, up to what belongs to the shell itself.
fn words(line: &str) -> Vec<String> {
    let (mut all, mut word, mut quote, mut depth) = (Vec::new(), String::new(), None, 0_u32);
    for c in line.chars() {
        match (quote, c) {
            (Some(q), c) if c == q => quote = None,
            (None, '"' | '\'') => quote = Some(c),
            (None, '(') if word.ends_with('$') => depth += 1,
            (None, ')') if depth > 0 => depth -= 1,
            (None, ' ') if depth == 0 => all.extend(Some(std::mem::take(&mut word)).filter(|w| !w.is_empty())),
            _ => word.push(c),
        }
    }
    all.extend(Some(word).filter(|w| !w.is_empty()));
    let end = all.iter().position(|w| ["|", "||", "&&", "&", ">", ";"].contains(&w.as_str()) || w.starts_with('#'));
    all.truncate(end.unwrap_or(all.len()));
    all
}

/// What of a line is for `bardo`, if anything.
fn for_bardo(line: &str) -> Option<Vec<String>> {
    let all = words(line.trim_start_matches("$ ").trim_start_matches("sudo -u bardo "));
    all.first().is_some_and(|w| w == "bardo").then_some(all)
}

/// How many of these words of all pages are for bardo, and which of them it refuses for such a reason.
fn refused(of: impl Fn(&str) -> Vec<String>, why: impl Fn(ErrorKind) -> bool) -> (usize, Vec<String>) {
    let (mut count, mut wrong) = (0, Vec::new());
    for page in pages() {
        for said in of(&std::fs::read_to_string(&page).unwrap()) {
            let Some(words) = for_bardo(&said) else { continue };
            count += 1;
            if let Err(e) = Cli::try_parse_from(&words)
                && why(e.kind())
            {
                let first = e.to_string().lines().next().unwrap_or_default().to_owned();
                wrong.push(format!("{}: {said}\n    {first}", page.display()));
            }
        }
    }
    (count, wrong)
}

#[test]
fn whatever_is_set_apart_to_be_typed_can_be_typed() {
    let (count, wrong) =
        refused(|text| typed(text).0, |kind| !matches!(kind, ErrorKind::DisplayHelp | ErrorKind::DisplayVersion));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(count > 100, "only {count} lines were found");
}

/// What a sentence names may lack words, and may say ID for an id. It may not name a command or an option that is not there.
#[test]
fn whatever_a_sentence_names_is_there() {
    let unknown = [ErrorKind::UnknownArgument, ErrorKind::InvalidSubcommand, ErrorKind::ArgumentConflict];
    let (count, wrong) = refused(|text| typed(text).1, |kind| unknown.contains(&kind));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(count > 50, "only {count} were found");
}

#[test]
fn lines_are_taken_apart_as_a_shell_does() {
    let of = |line: &str| for_bardo(line).map(|words| words.join("|"));
    assert_eq!(
        of("bardo golem halt a --reason \"look here\"  # why"),
        Some("bardo|golem|halt|a|--reason|look here".to_owned())
    );
    assert_eq!(
        of("bardo x --set h=$(bardo wallet address s) || true"),
        Some("bardo|x|--set|h=$bardo wallet address s".to_owned())
    );
    assert_eq!(of("sudo -u bardo bardo doctor > file"), Some("bardo|doctor".to_owned()));
    assert_eq!(of("cargo run"), None);
    let (lines, named) = typed("a `bardo x`\n\n    bardo y\n\n```sh\nbardo \\\n  z\n```\n```text\nbardo 0.1\n```\n");
    assert_eq!((lines, named), (vec!["bardo y".to_owned(), "bardo   z".to_owned()], vec!["bardo x".to_owned()]));
}
