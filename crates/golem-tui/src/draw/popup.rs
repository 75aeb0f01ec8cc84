//! What lies over a view: help, the golems to choose from, orders, a question, a page.

use super::DrawStage;
use super::panes::{PaneItem, framed, items, marked};
use crate::state::{OWNER_ORDERS, PromptFor, TuiPopup};
use golem_view::wrap::fold;
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::Line;
use ratatui::widgets::{Clear, Paragraph};

const HELP: &[(&str, &str)] = &[
    ("Esc, g", "all golems of this home"),
    ("1-5, Tab", "Overview, Mind, Dreams, Fate, Log"),
    ("← → (h l)", "chart or pane beside this one"),
    ("↑ ↓ (j k)", "rows; PgUp PgDn Home End"),
    ("Enter", "open what is chosen"),
    ("/", "search what it knows; in the log: filter it"),
    ("e", "in the log: events, or every fact"),
    ("r", "live its life again; r goes back to the present"),
    ("space + -", "in a replay: play and pause, faster, slower"),
    (", . < >", "in a replay: scrub, and finely; Home End"),
    ("o", "orders: pause, resume, halt, feed, dream, kill"),
    ("a x", "in staging: approve, reject; n: dream now"),
    ("t s", "in the graveyard: a testament, all that it believed"),
    ("d", "of the dead: the death screen and what follows"),
    ("? q Ctrl-C", "this page, leave, leave from anywhere"),
    ("phases", "T thriving, S stable, C conservation, D declining, X terminal"),
    ("marks", "▲ opens, ▼ closes, † somebody died here; ╌ paid for with a life"),
];

const FLEET_HELP: &[(&str, &str)] = &[
    ("↑ ↓ (j k)", "choose; PgUp PgDn Home End"),
    ("Enter", "look at it: five views, live or its life again"),
    ("s S", "order by the next column; the other way round"),
    ("f", "which: all, the living, those in trouble, the dead"),
    ("/", "only those with a word: a name, a state, a mood, running"),
    ("Esc", "all of them again"),
    ("n", "make a new golem"),
    ("g", "back to the one that was looked at"),
    ("? q Ctrl-C", "this page, leave, leave from anywhere"),
    ("", ""),
    ("marks", "● somebody lets it live now, ! it needs you, † dead"),
    ("alive", "the chance of another day; runway: until its money is burnt"),
];

const GRAVE_HELP: &[(&str, &str)] = &[
    ("1-4", "a successor, its reflection, the graveyard, a fresh start"),
    ("↑ ↓ Enter", "the same by choosing"),
    ("Esc", "its life; r there lives it again"),
    ("? Ctrl-C", "this page, leave"),
];

const WIZARD_HELP: &[(&str, &str)] = &[
    ("Tab, →", "the next step"),
    ("Esc", "the step before, and back to where it was opened"),
    ("↑ ↓", "choose a line"),
    ("Enter", "edit a setting; in the end: it shall be born"),
    ("t", "take the dead one's advice; PgUp PgDn: read on in it"),
    ("i", "inherit what it knew, or its settings alone"),
    ("f", "force it though it would be the dead one again"),
    ("space", "mark an entry that you take into your library"),
    ("h", "hold the clock of the 25 seconds, or let it run"),
    ("? Ctrl-C", "this page, leave"),
];

pub fn draw(frame: &mut Frame<'_>, area: Rect, stage: &DrawStage<'_>, popup: &TuiPopup) {
    match popup {
        TuiPopup::Nothing | TuiPopup::Help(_) | TuiPopup::Death { .. } | TuiPopup::Wizard(_) => {}
        TuiPopup::Orders { row } => orders(frame, area, stage, *row),
        TuiPopup::Prompt { why, text } => {
            let title = match why {
                PromptFor::Search => "what do you want to know?",
                PromptFor::Filter => "only lines with (nothing: all of them)",
                PromptFor::Feed => "how many USDC?",
                PromptFor::Fleet => "only golems with (Enter keeps it, Esc: all of them)",
            };
            // Golems are found while one types, so they are not hidden.
            let low = Rect { y: area.bottom().saturating_sub(5), height: 5.min(area.height), ..area };
            let inner = over(frame, middle(if *why == PromptFor::Fleet { low } else { area }, 64, 3), title, stage);
            // The end of what is typed stays in sight.
            let room = usize::from(inner.width).saturating_sub(3);
            let from = text.chars().count().saturating_sub(room);
            let tail: String = text.chars().skip(from).collect();
            frame.render_widget(Paragraph::new(format!(" {tail}▏")), inner);
        }
        TuiPopup::Sure { words, .. } => {
            let inner = over(frame, middle(area, 64, 4), "are you sure?", stage);
            let lines = vec![Line::raw(format!(" {words}")), Line::styled(" y yes   n no", stage.palette.strong())];
            frame.render_widget(Paragraph::new(lines), inner);
        }
        TuiPopup::Reader { title, lines, top } => reader(frame, area, stage, title, lines, *top),
    }
}

fn middle(area: Rect, width: u16, height: u16) -> Rect {
    let (width, height) = (width.min(area.width), height.min(area.height));
    Rect { x: area.x + (area.width - width) / 2, y: area.y + (area.height - height) / 2, width, height }
}

fn over(frame: &mut Frame<'_>, area: Rect, title: &str, stage: &DrawStage<'_>) -> Rect {
    frame.render_widget(Clear, area);
    framed(frame, area, title, true, stage.palette.accent())
}

/// The keys of what lies under it.
pub fn help(frame: &mut Frame<'_>, area: Rect, stage: &DrawStage<'_>, under: &TuiPopup) {
    let keys = match under {
        TuiPopup::Death { .. } => GRAVE_HELP,
        TuiPopup::Wizard(_) => WIZARD_HELP,
        _ if stage.state.at_fleet => FLEET_HELP,
        _ => HELP,
    };
    let inner = over(frame, middle(area, 78, keys.len() as u16 + 2), "help · any key closes it", stage);
    let lines: Vec<Line<'_>> = keys.iter().map(|(key, what)| Line::raw(format!(" {key:<11} {what}"))).collect();
    frame.render_widget(Paragraph::new(lines), inner);
}

fn orders(frame: &mut Frame<'_>, area: Rect, stage: &DrawStage<'_>, row: usize) {
    let inner = over(frame, middle(area, 64, 8), &format!("orders for {}", stage.scene.name()), stage);
    let all: Vec<PaneItem> = OWNER_ORDERS
        .iter()
        .enumerate()
        .map(|(n, (name, what))| {
            let line = vec![Line::raw(format!(" {} {name:<8} {what}", n + 1))];
            marked(line, n == row, stage.palette.chosen())
        })
        .collect();
    items(frame, inner, &all, Some(row), "", stage.palette.dim());
}

fn reader(frame: &mut Frame<'_>, area: Rect, stage: &DrawStage<'_>, title: &str, lines: &[String], top: usize) {
    let wide = area.width.min(100);
    let inner = over(frame, middle(area, wide, area.height), &format!("{title} · ↑↓ read, Esc back"), stage);
    let width = usize::from(inner.width).saturating_sub(2).max(10);
    let mut shown: Vec<Line<'_>> = Vec::new();
    for line in lines.iter().skip(top) {
        if shown.len() >= usize::from(inner.height) {
            break;
        }
        let indent = line.len() - line.trim_start_matches(' ').len();
        let style = if line.starts_with('#') { stage.palette.strong() } else { Style::new() };
        let folded = fold(&" ".repeat(indent.min(20) + 1), line.trim_start(), width);
        shown.extend(folded.into_iter().map(|l| Line::styled(l, style)));
    }
    frame.render_widget(Paragraph::new(shown), inner);
}
