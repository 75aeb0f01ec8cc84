//! The book: its boxes are typed by whoever reads it and print what it says, its links lead somewhere, and no page of it is lost.

use crate::first_hour::{Stranger, root};
use crate::kit::Said;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

const RENEW: &str =
    "boxes that leave nothing out are renewed by INSTA_UPDATE=always cargo test --release -p bardo --test it book::";

/// A box of a page: what stands behind its three marks, where its words are, and the words.
struct PageBox {
    info: String,
    at: std::ops::Range<usize>,
}

fn boxes(text: &str) -> Vec<PageBox> {
    let (mut all, mut open, mut at) = (Vec::new(), None, 0);
    for line in text.split_inclusive('\n') {
        let end = at + line.len();
        if let Some(info) = line.strip_prefix("```") {
            match open.take() {
                None => open = Some((info.trim().to_owned(), end)),
                Some((info, begin)) => all.push(PageBox { info, at: begin..at }),
            }
        }
        at = end;
    }
    assert!(open.is_none(), "a box is not closed");
    all
}

/// Whether something was printed as a page says; three dots stand for anything.
fn is_as_said(said: &str, page: &str) -> bool {
    let parts: Vec<&str> = page.trim().split("...").collect();
    let (Some(first), Some(last)) = (parts.first(), parts.last()) else { return false };
    let said = said.trim();
    let Some(mut rest) = said.strip_prefix(first) else { return false };
    if parts.len() == 1 {
        return rest.is_empty();
    }
    for part in &parts[1..parts.len() - 1] {
        let Some(found) = rest.find(part) else { return false };
        rest = &rest[found + part.len()..];
    }
    rest.ends_with(last)
}

/// Type what a page says is to be typed; what it says is printed must be. With `INSTA_UPDATE=always` a box that leaves nothing out
/// takes what was printed, as golden texts do.
fn type_page(page: &str) {
    let path = root().join("docs").join(page);
    let mut text = std::fs::read_to_string(&path).unwrap();
    let renew = std::env::var("INSTA_UPDATE").is_ok_and(|word| word == "always");
    let stranger = Stranger::new("http://127.0.0.1:1/v1");
    let (mut said, mut typed) = (None::<String>, 0);
    for n in 0..boxes(&text).len() {
        let PageBox { info, at } = boxes(&text).swap_remove(n);
        let words = text[at.clone()].to_owned();
        match info.as_str() {
            "sh" => {
                let run = Said::from(stranger.shell(&format!("exec 2>&1; set -e\n{words}")).output().unwrap());
                assert_eq!(run.code, 0, "{page}: {words}{}", run.out);
                (said, typed) = (Some(run.out), typed + 1);
            }
            "text" => {
                let said = said.take().unwrap_or_else(|| panic!("{page}: nothing was typed before {words:?}"));
                if renew && !words.contains("...") {
                    text.replace_range(at, &format!("{}\n", said.trim_end()));
                    std::fs::write(&path, &text).unwrap();
                } else {
                    assert!(
                        is_as_said(&said, &words),
                        "docs/{page} says\n{words}\nand this was printed:\n{said}\n{RENEW}"
                    );
                }
            }
            "sh skip" | "toml" | "ini" => {}
            other => panic!("docs/{page}: {other:?} is no kind of box"),
        }
    }
    assert!(typed > 0 || page == "going-live.md", "docs/{page} has nothing to type");
}

/// Chapters with boxes, each typed from a fresh home.
macro_rules! typed_pages {
    ($($test:ident, $page:literal;)+) => {
        $(#[test]
        fn $test() {
            type_page($page);
        })+
        #[test]
        fn every_page_with_boxes_is_typed() {
            let tested = BTreeSet::from([$($page),+]);
            for page in chapters().iter().filter(|page| !page.contains('/')) {
                let text = std::fs::read_to_string(root().join("docs").join(page)).unwrap();
                let has = boxes(&text).iter().any(|found| found.info == "sh");
                assert!(!has || tested.contains(page.as_str()), "docs/{page} has boxes that nobody types");
            }
        }
    };
}

typed_pages! {
    the_page_of_copies_works, "back-up.md";
    the_page_of_experiments_works, "experiments.md";
    the_page_of_a_first_life_works, "first-life.md";
    the_page_of_fleets_works, "fleet.md";
    the_page_of_going_live_reads_well, "going-live.md";
    the_page_of_keeping_running_works, "keep-running.md";
    the_page_of_playbooks_works, "playbook.md";
    the_page_of_reading_works, "reading-a-life.md";
    the_page_of_security_works, "security.md";
    the_page_of_templates_works, "templates.md";
}

/// All pages below a directory.
fn gather(dir: &Path, pages: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(dir).unwrap().flatten() {
        let path = entry.path();
        match path.is_dir() {
            true => gather(&path, pages),
            false if path.extension().is_some_and(|e| e == "md") => pages.push(path),
            false => {}
        }
    }
}

/// Where the links and pictures of a page lead; what is code links nowhere.
fn links(text: &str) -> Vec<String> {
    let mut plain = text.to_owned();
    for found in boxes(text).into_iter().rev() {
        plain.replace_range(found.at, "");
    }
    let mut found = Vec::new();
    for line in plain.lines().filter(|line| !line.starts_with("    ")) {
        let prose: String = line.split('`').step_by(2).collect::<Vec<_>>().join("``");
        for part in prose.split("](").skip(1) {
            found.extend(
                part.split(')').next().map(|target| target.split(['#', ' ']).next().unwrap_or_default().to_owned()),
            );
        }
    }
    found.retain(|target| !target.is_empty() && !target.contains("://") && !target.starts_with("mailto:"));
    found
}

/// The pages that the book's table of contents names.
fn chapters() -> Vec<String> {
    links(&std::fs::read_to_string(root().join("docs/SUMMARY.md")).unwrap())
}

#[test]
fn every_link_leads_somewhere() {
    let mut pages: Vec<PathBuf> = std::fs::read_dir(root())
        .unwrap()
        .flatten()
        .map(|e| e.path())
        .filter(|p| p.extension().is_some_and(|e| e == "md"))
        .collect();
    for dir in ["docs", "examples", "contrib", "crates"] {
        gather(&root().join(dir), &mut pages);
    }
    let (mut count, mut dead) = (0, Vec::new());
    for page in &pages {
        for target in links(&std::fs::read_to_string(page).unwrap()) {
            count += 1;
            if !page.parent().unwrap().join(&target).exists() {
                dead.push(format!("{}: {target}", page.display()));
            }
        }
    }
    assert!(dead.is_empty(), "links that lead nowhere:\n{}", dead.join("\n"));
    assert!(count > 80, "only {count} links were found");
}

#[test]
fn the_book_has_every_page_once() {
    let named = chapters();
    let docs = root().join("docs");
    let mut pages = Vec::new();
    gather(&docs, &mut pages);
    let mut there: Vec<String> =
        pages.iter().map(|p| p.strip_prefix(&docs).unwrap().to_str().unwrap().to_owned()).collect();
    there.retain(|page| page != "SUMMARY.md");
    there.sort();
    let mut sorted = named;
    sorted.sort();
    assert_eq!(sorted, there, "docs/SUMMARY.md (left) names each page of docs (right) once");
}

/// What stands outside of `docs` is not in the book: a link to it leads nowhere once the book is made, and has to be a name.
#[test]
fn no_link_leaves_the_book() {
    let docs = root().join("docs");
    let named = chapters();
    for page in &named {
        for target in links(&std::fs::read_to_string(docs.join(page)).unwrap()) {
            let mut at: Vec<&str> = page.split('/').collect();
            at.pop();
            for part in target.split('/') {
                match part {
                    ".." => assert!(at.pop().is_some(), "{page}: {target} is not in the book"),
                    "." => {}
                    part => at.push(part),
                }
            }
            let at = at.join("/");
            assert!(!at.ends_with(".md") || named.contains(&at), "{page}: {target} is no page of the book");
        }
    }
}

#[test]
fn what_a_page_says_is_held_against_what_is_printed() {
    for (said, page, holds) in [
        ("a\nb\nc", "a\nb\nc", true),
        ("a\nb\nc", "a\n...\nc", true),
        ("a\nb\nc", "...c", true),
        ("a\nb\nc", "a\n...", true),
        ("a\nb\nc", "a\n...\nb", false),
        ("a\nb\nc", "a", false),
        ("a\nb\nc", "b\n...", false),
        ("a\nb\nc", "...\nc\n...\nb\n...", false),
    ] {
        assert_eq!(is_as_said(said, page), holds, "{page:?}");
    }
    assert_eq!(links("see [a](b.md#c), `[x](y)` and ![p](q.png)\n\n    [no](no.md)\n"), ["b.md", "q.png"]);
}
