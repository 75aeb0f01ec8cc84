//! A table; on a narrow page each row becomes a small list of its own.

use super::escape::escaped;

/// Columns and rows of words. The first column names the row.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PageTable {
    pub caption: String,
    pub head: Vec<String>,
    pub rows: Vec<Vec<String>>,
}

impl PageTable {
    pub(super) fn html(&self) -> String {
        let numeric: Vec<bool> = (0..self.head.len()).map(|n| self.is_numeric(n)).collect();
        let class = |n: usize| if numeric.get(n).copied().unwrap_or(false) { " class=\"num\"" } else { "" };
        let head: String =
            self.head.iter().enumerate().map(|(n, h)| format!("<th{}>{}</th>", class(n), escaped(h))).collect();
        let cell = |(n, words): (usize, &String)| {
            let label = self.head.get(n).map_or("", String::as_str);
            let tag = if n == 0 { "th" } else { "td" };
            format!("<{tag}{} data-label=\"{}\">{}</{tag}>", class(n), escaped(label), escaped(words))
        };
        let row = |row: &Vec<String>| format!("<tr>{}</tr>\n", row.iter().enumerate().map(cell).collect::<String>());
        let caption = match self.caption.is_empty() {
            true => String::new(),
            false => format!("<caption>{}</caption>", escaped(&self.caption)),
        };
        let body: String = self.rows.iter().map(row).collect();
        format!("<table>{caption}<thead><tr>{head}</tr></thead>\n<tbody>\n{body}</tbody></table>")
    }

    /// Whether every cell of a column that says something begins like a number.
    fn is_numeric(&self, column: usize) -> bool {
        let mut cells = self.rows.iter().filter_map(|row| row.get(column)).filter(|cell| !cell.is_empty()).peekable();
        let figure = |cell: &String| {
            let rest = cell.trim_start_matches(['+', '-', '\u{2212}', '±', '<', '>', '~', ' ']);
            rest.starts_with(|c: char| c.is_ascii_digit()) && rest.chars().filter(|c| c.is_alphabetic()).count() <= 4
        };
        column > 0 && cells.peek().is_some() && cells.all(figure)
    }
}
