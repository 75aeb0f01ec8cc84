//! Words folded to a width, so that nothing runs out of a terminal.

/// The width that every line keeps.
pub const WIDTH: usize = 80;

/// How many columns a text takes: one for each character.
#[must_use]
pub fn columns(text: &str) -> usize {
    text.chars().count()
}

/// Fold a text: the first line begins with `head`, the others with as many blanks. Words that are longer than a line are
/// cut.
#[must_use]
pub fn fold(head: &str, text: &str, width: usize) -> Vec<String> {
    let indent = columns(head).min(width / 2);
    let room = width.saturating_sub(columns(head)).max(8);
    let (mut lines, mut line) = (Vec::new(), String::new());
    for word in text.split_whitespace() {
        let mut word = word;
        loop {
            let used = if line.is_empty() { 0 } else { columns(&line) + 1 };
            if used + columns(word) <= room {
                if used > 0 {
                    line.push(' ');
                }
                line.push_str(word);
                break;
            }
            if !line.is_empty() {
                lines.push(std::mem::take(&mut line));
                continue;
            }
            let at = word.char_indices().nth(room).map_or(word.len(), |(at, _)| at);
            let (cut, rest) = word.split_at(at);
            lines.push(cut.to_owned());
            word = rest;
        }
    }
    if !line.is_empty() || lines.is_empty() {
        lines.push(line);
    }
    let blank = " ".repeat(indent);
    lines.iter().enumerate().map(|(i, l)| format!("{}{l}", if i == 0 { head } else { &blank })).collect()
}

/// At most so many characters, with a mark where something was left out.
#[must_use]
pub fn cut(text: &str, most: usize) -> String {
    if columns(text) <= most {
        return text.to_owned();
    }
    let kept: String = text.chars().take(most.saturating_sub(1)).collect();
    format!("{}…", kept.trim_end())
}
/// So many of something, by its name for one of them: `1 entry`, `2 entries`.
#[must_use]
pub fn counted(n: usize, one: &str) -> String {
    let (stem, ending) = match one.strip_suffix('y') {
        Some(stem) if !stem.ends_with(['a', 'e', 'o', 'u']) => (stem, "ies"),
        _ if one.ends_with('s') => (one, "es"),
        _ => (one, "s"),
    };
    if n == 1 { format!("1 {one}") } else { format!("{n} {stem}{ending}") }
}
