//! Pictures of the terminal for README and book, as drawings: what is on the screen, cell by cell, in its colours.

use crate::kit::{Person, TestHome};
use golem_tui::KeyPress::Enter;
use ratatui::buffer::{Buffer, Cell};
use ratatui::style::{Color, Modifier};
use std::fmt::Write;
use std::path::Path;

/// A cell, in pixels.
const CELL: (f64, f64) = (8.4, 18.0);
const PAPER: &str = "#14161b";
const INK: &str = "#d8d4cc";

/// The picture that is kept is what the screen shows. Golden texts are blessed by the same word.
fn keep(name: &str, person: &mut Person) {
    person.palette.color = true;
    let made = drawn(person.cells(), name);
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/pictures").join(format!("terminal-{name}.svg"));
    if std::env::var("INSTA_UPDATE").is_ok_and(|word| word == "always") {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, &made).unwrap();
    }
    let renew = "INSTA_UPDATE=always cargo test --release -p golem-tui --test it pictures::";
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(made == kept, "{} is not what the screen shows. Renew it: {renew}", path.display());
}

fn drawn(buffer: &Buffer, name: &str) -> String {
    let (columns, rows) = (buffer.area.width, buffer.area.height);
    let (width, height) = (f64::from(columns) * CELL.0 + 24.0, f64::from(rows) * CELL.1 + 24.0);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" role=\"img\" aria-label=\"bardo on a terminal: {name}\" \
         font-family=\"'DejaVu Sans Mono',Menlo,Consolas,monospace\" font-size=\"14\">\n\
         <rect width=\"100%\" height=\"100%\" rx=\"8\" fill=\"{PAPER}\"/>\n<g transform=\"translate(12 12)\">\n"
    );
    for y in 0..rows {
        let mut x = 0;
        while x < columns {
            let look = looks(&buffer[(x, y)]);
            let end = (x..columns).find(|at| looks(&buffer[(*at, y)]) != look).unwrap_or(columns);
            let words: String = (x..end).map(|at| buffer[(at, y)].symbol()).collect();
            run(&mut svg, (x, y), end - x, &words, &look);
            x = end;
        }
    }
    svg.push_str("</g>\n</svg>\n");
    svg
}

/// How a cell looks: ink, paper where it is not the screen's, and the rest of its style.
fn looks(cell: &Cell) -> (String, Option<String>, &'static str) {
    let (ink, paper) = (hex(cell.fg), hex(cell.bg));
    let (ink, paper) = match cell.modifier.contains(Modifier::REVERSED) {
        true => (paper.unwrap_or_else(|| PAPER.to_owned()), Some(ink.unwrap_or_else(|| INK.to_owned()))),
        false => (ink.unwrap_or_else(|| INK.to_owned()), paper),
    };
    let style = match (cell.modifier.contains(Modifier::BOLD), cell.modifier.contains(Modifier::DIM)) {
        (true, _) => " font-weight=\"bold\"",
        (false, true) => " opacity=\"0.6\"",
        (false, false) => "",
    };
    (ink, paper, style)
}

fn run(
    svg: &mut String,
    (x, y): (u16, u16),
    cells: u16,
    words: &str,
    (ink, paper, style): &(String, Option<String>, &str),
) {
    let (left, top, wide) = (f64::from(x) * CELL.0, f64::from(y) * CELL.1, f64::from(cells) * CELL.0);
    if let Some(paper) = paper {
        let _whole = writeln!(
            svg,
            "<rect x=\"{left:.1}\" y=\"{top:.0}\" width=\"{wide:.1}\" height=\"{}\" fill=\"{paper}\"/>",
            CELL.1
        );
    }
    // What is blank at either end is no ink.
    let lead = words.chars().count() - words.trim_start().chars().count();
    let words = words.trim();
    if words.is_empty() {
        return;
    }
    let (left, wide) = (left + lead as f64 * CELL.0, words.chars().count() as f64 * CELL.0);
    // Blanks that no renderer may put together.
    let words = words.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace(' ', "\u{a0}");
    let base = top + 13.5;
    let _whole = writeln!(
        svg,
        "<text x=\"{left:.1}\" y=\"{base:.1}\" textLength=\"{wide:.1}\" lengthAdjust=\"spacingAndGlyphs\" fill=\"{ink}\"{style}>{words}</text>"
    );
}

fn hex(color: Color) -> Option<String> {
    let named = match color {
        Color::Reset => return None,
        Color::Rgb(r, g, b) => return Some(format!("#{r:02x}{g:02x}{b:02x}")),
        Color::Black => "#14161b",
        Color::Red => "#e0626c",
        Color::Green => "#8fbf6b",
        Color::Yellow => "#e0b465",
        Color::Blue => "#6a9fe0",
        Color::Magenta => "#c184d8",
        Color::Cyan => "#5fb8c4",
        Color::Gray | Color::White => "#d8d4cc",
        Color::DarkGray => "#7a7d84",
        other => panic!("{other} has no place in a picture yet"),
    };
    Some(named.to_owned())
}

#[test]
fn of_the_overview() {
    keep("overview", &mut Person::looking_at(TestHome::living, (110, 34)));
}

#[test]
fn of_all_golems() {
    let mut person = Person::at_fleet(40, (110, 34));
    person.says("ssssss");
    keep("fleet", &mut person);
}

#[test]
fn of_the_mind() {
    let mut person = Person::looking_at(TestHome::living, (110, 34));
    person.state.reduced_motion = true;
    person.says("/gas");
    person.types([Enter]);
    keep("mind", &mut person);
}

#[test]
fn of_a_stone() {
    let mut person = Person::looking_at(TestHome::dead, (80, 24));
    person.says("d");
    person.waits(5_000);
    keep("death", &mut person);
}

#[test]
fn a_picture_is_well_formed_whatever_is_on_the_screen() {
    let mut buffer = Buffer::empty(ratatui::layout::Rect::new(0, 0, 12, 1));
    buffer.set_string(0, 0, "a<b>&c \"d\"", ratatui::style::Style::new().add_modifier(Modifier::REVERSED));
    let svg = drawn(&buffer, "x");
    assert!(svg.contains("a&lt;b&gt;&amp;c\u{a0}\"d\"") && svg.contains(INK), "{svg}");
    assert_eq!(svg.matches('<').count(), svg.matches('>').count());
}
