//! Long lines on a narrow terminal: folded at blanks, under the column where their words began. A word that is longer than
//! a line stays whole: it is a path or an address, and somebody wants to copy it.

use golem_view::wrap::{WIDTH, columns};

/// A text in lines that fit, as far as its words do.
pub fn folded(text: &str) -> String {
    folded_to(text, width())
}

/// What a terminal says of itself in `COLUMNS`, or the width that every page of ours keeps.
fn width() -> usize {
    let said = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    said.map_or(WIDTH, |columns: usize| columns.clamp(WIDTH, 1_000))
}

fn folded_to(text: &str, width: usize) -> String {
    text.lines().flat_map(|line| fold(line, width)).collect::<Vec<_>>().join("\n")
}

fn fold(line: &str, width: usize) -> Vec<String> {
    if columns(line) <= width {
        return vec![line.to_owned()];
    }
    let hang = hang(line);
    let (head, words) = line.split_at(line.char_indices().nth(hang).map_or(0, |(at, _)| at));
    let (mut lines, mut next) = (Vec::new(), head.to_owned());
    let mut empty = true;
    for word in words.split(' ').filter(|word| !word.is_empty()) {
        if !empty && columns(&next) + 1 + columns(word) > width {
            lines.push(std::mem::replace(&mut next, " ".repeat(hang)));
            empty = true;
        }
        if !empty {
            next.push(' ');
        }
        next.push_str(word);
        empty = false;
    }
    lines.push(next);
    lines
}

/// The column under which a line goes on: behind its title (`error: `, `  budget      `), or a little in.
fn hang(line: &str) -> usize {
    let indent = columns(line) - columns(line.trim_start());
    let rest = &line[line.len() - line.trim_start().len()..];
    for title in ["error: ", "hint: "] {
        if rest.starts_with(title) {
            return indent + title.len();
        }
    }
    let titled = rest.find("  ").filter(|at| columns(&rest[..*at]) < 24).map(|at| {
        let gap = rest[at..].len() - rest[at..].trim_start().len();
        indent + columns(&rest[..at]) + gap
    });
    titled.filter(|column| *column <= WIDTH / 2).unwrap_or(indent)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_line_goes_on_under_its_words() {
        let words = "rent takes so much of it every single day that nobody could live on it for longer than a month";
        let told = folded_to(&format!("  budget      {words}\nshort"), 80);
        let lines: Vec<&str> = told.lines().collect();
        assert_eq!((lines.len(), lines[2]), (3, "short"), "{told}");
        assert!(lines[1].starts_with("              ") && !lines[1].starts_with("               "), "{told}");
        assert!(folded_to(&format!("error: {words}"), 80).lines().nth(1).unwrap().starts_with("       "), "{told}");
        let path = format!("/tmp/{}", "x".repeat(100));
        assert_eq!(folded_to(&path, 80), path, "a path stays whole");
    }

    proptest! {
        #[test]
        fn folding_loses_no_word_and_fits(line in "[ ]{0,6}[a-zä]{1,9}([ ]{1,3}[a-zö:]{1,12}){0,40}") {
            let told = folded_to(&line, 80);
            prop_assert_eq!(told.split_whitespace().collect::<Vec<_>>(), line.split_whitespace().collect::<Vec<_>>());
            prop_assert!(told.lines().all(|l| columns(l) <= WIDTH), "{}", told);
        }
    }
}
