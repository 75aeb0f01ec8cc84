//! The page of figures is made by its tool and by nobody else: every part in its order, with what was measured or without, and the
//! commit that all of it is of.

use super::root;

fn read(name: &str) -> String {
    std::fs::read_to_string(root().join(name)).unwrap()
}

/// What the tool measures, in its order: the title of each part, and the command that measures it.
fn parts() -> Vec<(String, String)> {
    let tool = read("tools/benchmarks");
    let list = tool.split("\nPARTS = [\n").nth(1).and_then(|rest| rest.split("\n]\n").next()).expect("parts");
    let quoted = |line: &str| line.split('"').skip(1).step_by(2).map(str::to_owned).collect::<Vec<_>>();
    list.lines().map(quoted).map(|words| (words[1].clone(), words[2].clone())).collect()
}

#[test]
fn the_page_of_figures_is_what_its_tool_writes() {
    let (page, parts) = (read("BENCHMARKS.md"), parts());
    let mut sections = page.split("\n## ");
    let head = sections.next().unwrap_or_default();
    let commit = head.split("at commit `").nth(1).and_then(|rest| rest.split('`').next()).unwrap_or_default();
    assert!(commit.len() >= 7 && commit.chars().all(|c| c.is_ascii_hexdigit()), "of which commit: {head}");
    assert!(!head.contains('|'), "no figure stands outside of a part: {head}");
    let sections: Vec<(&str, &str)> = sections.filter_map(|section| section.split_once('\n')).collect();
    let titles: Vec<&str> = sections.iter().map(|(title, _)| *title).collect();
    assert_eq!(titles, parts.iter().map(|(title, _)| title.as_str()).collect::<Vec<_>>());
    for ((title, body), (_, command)) in sections.iter().zip(&parts) {
        // What was not measured on that commit has no figure of another.
        let bare = body.trim() == format!("Not measured on this commit: `{command}`.");
        let measured = body.trim_start().starts_with(&format!("`{command}`\n\n| what | aim | measured |\n"));
        assert!(bare || measured, "{title}: {body}");
    }
}
