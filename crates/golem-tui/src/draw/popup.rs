//! What lies over a view: help, the golems to choose from, orders, a question, a page.

use super::DrawStage;
use super::panes::{PaneItem, framed, items, marked};
use super::plot::bar;
use crate::source::LifeCard;
use crate::state::{OWNER_ORDERS, PromptFor, TuiPopup};
use golem_life::LifeStanding;
use golem_view::wrap::{cut, fold};
use golem_view::{money, time};
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::Line;
use ratatui::widgets::{Clear, Paragraph};

const HELP: &[(&str, &str)] = &[
    ("1-5, Tab", "Overview, Mind, Dreams, Fate, Log"),
    ("← → (h l)", "chart or pane beside this one"),
    ("↑ ↓ (j k)", "rows; PgUp PgDn Home End"),
    ("Enter", "open what is chosen"),
    ("g", "all golems of this home; n there makes one"),
    ("/", "search what it knows; in the log: filter it"),
    ("e", "in the log: events, or every fact"),
    ("r", "live its life again; r goes back to the present"),
    ("space + -", "in a replay: play and pause, faster, slower"),
    (", . < >", "in a replay: scrub, and finely; Home End"),
    ("o", "orders: pause, resume, halt, feed, dream, kill"),
    ("a x", "in staging: approve, reject; n: dream now"),
    ("d", "of the dead: the death screen and what follows"),
    ("? q Ctrl-C", "this page, leave, leave from anywhere"),
    ("", ""),
    ("phases", "T thriving, S stable, C conservation, D declining, X terminal"),
    ("marks", "▲ opens, ▼ closes, † somebody died here; ╌ paid for with a life"),
];

pub fn draw(frame: &mut Frame<'_>, area: Rect, stage: &DrawStage<'_>) {
    match &stage.state.popup {
        TuiPopup::Nothing | TuiPopup::Death { .. } | TuiPopup::Wizard(_) => {}
        TuiPopup::Help => help(frame, area, stage),
        TuiPopup::Picker { row } => picker(frame, area, stage, *row),
        TuiPopup::Orders { row } => orders(frame, area, stage, *row),
        TuiPopup::Prompt { why, text } => {
            let title = match why {
                PromptFor::Search => "what do you want to know?",
                PromptFor::Filter => "only lines with (nothing: all of them)",
                PromptFor::Feed => "how many USDC?",
            };
            let inner = over(frame, middle(area, 64, 3), title, stage);
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

fn help(frame: &mut Frame<'_>, area: Rect, stage: &DrawStage<'_>) {
    let inner = over(frame, middle(area, 78, HELP.len() as u16 + 2), "help · any key closes it", stage);
    let lines: Vec<Line<'_>> = HELP.iter().map(|(key, what)| Line::raw(format!(" {key:<11} {what}"))).collect();
    frame.render_widget(Paragraph::new(lines), inner);
}

fn picker(frame: &mut Frame<'_>, area: Rect, stage: &DrawStage<'_>, row: usize) {
    let cards = &stage.scene.cards;
    let title = format!("golems: {} · Enter look, n new one, q leave", cards.len());
    let height = (cards.len() as u16).saturating_add(3).clamp(5, area.height);
    let inner = over(frame, middle(area, 78, height), &title, stage);
    let alive = cards.iter().filter(|c| c.standing != Some(LifeStanding::Dead)).count();
    let head = format!(" {:<20} {:<22} {:>9} {:>11} {:>11}", "name", format!("{alive} alive"), "turn", "age", "USDC");
    let [top, rest] = ratatui::layout::Layout::vertical([
        ratatui::layout::Constraint::Length(1),
        ratatui::layout::Constraint::Fill(1),
    ])
    .areas(inner);
    frame.render_widget(Paragraph::new(head).style(stage.palette.dim()), top);
    let all: Vec<PaneItem> =
        cards.iter().enumerate().map(|(n, c)| marked(card(c, stage), n == row, stage.palette.chosen())).collect();
    items(frame, rest, &all, Some(row), " nobody yet: n makes one; or bardo demo", stage.palette.dim());
}

fn card(c: &LifeCard, stage: &DrawStage<'_>) -> PaneItem {
    let state = match (&c.problem, &c.died_of, c.phase, c.standing) {
        (Some(_), ..) => "damaged".to_owned(),
        (_, Some(of), ..) => format!("† dead of {of}"),
        (_, _, Some(phase), Some(LifeStanding::Alive)) => {
            format!("{} {phase:<12}", bar(c.vitality.unwrap_or(0.0), 5))
        }
        (_, _, _, Some(standing)) => standing.name().to_owned(),
        _ => "newborn".to_owned(),
    };
    let live = if c.running { "●" } else { " " };
    let worth = c.worth.map_or(String::new(), money::usdc);
    let style = match c.phase {
        Some(phase) if c.died_of.is_none() => stage.palette.phase(phase),
        _ => stage.palette.dim(),
    };
    let text = format!(
        "{live}{:<20} {:<22} {:>9} {:>11} {worth:>11}",
        cut(&c.name, 20),
        cut(&state, 22),
        money::grouped(u128::from(c.tick.0)),
        time::age(c.age_days)
    );
    vec![Line::styled(text, style)]
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
