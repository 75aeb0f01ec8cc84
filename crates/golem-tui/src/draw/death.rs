//! The death screen: a golem that falls apart, the stone, a life in figures, of what it died, its last words, and what can come after
//! it.

use super::DrawStage;
use crate::sprite::{LitCell, SCENE_MS, dispersal, mixed, stone, stone_height};
use golem_life::Status;
use golem_view::cause::cause;
use golem_view::wrap::{columns, cut, fold};
use golem_view::{money, time};
use ratatui::Frame;
use ratatui::layout::{Alignment, Constraint, Layout, Rect};
use ratatui::text::Line;
use ratatui::widgets::{Block, Paragraph};

/// What can come after a death.
const CHOICES: [(&str, &str); 4] = [
    ("Summon Successor", "an heir of what it knew"),
    ("View Death Reflection", "its whole testament"),
    ("Browse Graveyard", "all the dead of this home"),
    ("Start Fresh", "somebody new, with nothing of it"),
];

pub fn draw(frame: &mut Frame<'_>, area: Rect, stage: &DrawStage<'_>, since_ms: u64, row: usize) {
    let seed = stage.scene.golem.map_or(0, |id| id.0.iter().fold(1, |sum, byte| mixed(sum, u64::from(*byte))));
    if let Some(passed) = stage.state.death_scene(since_ms) {
        cells(frame, &dispersal(passed as f64 / SCENE_MS as f64, area, seed), stage);
        let hint = Paragraph::new("any key: on to the stone").style(stage.palette.dim()).alignment(Alignment::Center);
        frame.render_widget(hint, Rect { y: area.bottom() - 1, height: 1, ..area });
        return;
    }
    let Some(status) = stage.scene.status() else { return };
    let tall = area.height >= 36;
    let [_, top, figures, of, words, heir, menu, hint] = Layout::vertical([
        Constraint::Length(u16::from(tall) * 2),
        Constraint::Length(stone_height(area.height)),
        Constraint::Length(if tall { 6 } else { 4 }),
        Constraint::Length(2),
        Constraint::Fill(1),
        Constraint::Length(u16::from(stage.scene.halted_heir.is_some())),
        Constraint::Length(4),
        Constraint::Length(1),
    ])
    .areas(area);
    let born = stage.scene.life.as_ref().map_or(status.at, |life| life.born_at);
    let died = status.death.as_ref().map_or(status.at, |death| born.after(death.age.age()));
    let (from, until) = (time::day(born), time::day(died));
    let name = cut(stage.scene.name(), 15);
    cells(frame, &stone(top, [&name, &from, &until], seed), stage);
    table(frame, figures, status, stage);
    let why = status.death.as_ref().map_or("it is alive".to_owned(), |death| cause(&death.cause));
    let why = Paragraph::new(fold("", &why, usize::from(area.width.min(100)) - 4).join("\n"));
    frame.render_widget(why.alignment(Alignment::Center).style(stage.palette.strong()), of);
    last_words(frame, words, stage);
    if let Some(why) = &stage.scene.halted_heir {
        let words = cut(&format!("no successor came by itself: {why}"), usize::from(area.width) - 2);
        frame.render_widget(Paragraph::new(words).alignment(Alignment::Center).style(stage.palette.warn()), heir);
    }
    choices(frame, menu, stage, row);
    let hint_words = match &stage.state.message {
        Some((words, _)) => cut(words, usize::from(area.width) - 2),
        None => "1-4 or ↑↓ Enter · Esc looks at its life · ? help".to_owned(),
    };
    frame.render_widget(Paragraph::new(hint_words).style(stage.palette.dim()).alignment(Alignment::Center), hint);
}

/// Cells of a picture, in greys.
pub(super) fn cells(frame: &mut Frame<'_>, all: &[LitCell], stage: &DrawStage<'_>) {
    let buf = frame.buffer_mut();
    for cell in all {
        if let Some(at) = buf.cell_mut((cell.x, cell.y)) {
            at.set_char(cell.symbol).set_style(stage.palette.grey(cell.light));
        }
    }
}

/// A life in figures.
fn table(frame: &mut Frame<'_>, area: Rect, s: &Status, stage: &DrawStage<'_>) {
    let age = s.death.as_ref().map_or(s.age_days, |death| death.age.age().as_days());
    let said = stage.scene.testament.as_ref().map(|t| &t.testament.statistics);
    let or_dash = |text: Option<String>| text.unwrap_or_else(|| "-".to_owned());
    let figures: Vec<(&str, String)> = vec![
        ("lived", time::age(age)),
        ("turns", money::grouped(u128::from(s.tick.0))),
        ("trades", or_dash(said.map(|f| format!("{} ({} won)", f.trades_executed, f.trades_won)))),
        ("given", format!("{} USDC", money::usdc(s.funded))),
        ("left", format!("{} USDC", money::usdc(s.worth()))),
        ("earned", money::signed(s.earned)),
        ("skill", format!("{:.3}", s.vitality.epistemic)),
        ("rules", or_dash(said.map(|f| format!("{}, {} entries", f.rules, f.entries_active)))),
        ("dreams", or_dash(s.dreams.as_ref().map(|d| format!("{}, {} true", d.cycles, d.promoted)))),
    ];
    let each = 25;
    let lines: Vec<Line<'_>> = figures
        .chunks(3)
        .map(|some| {
            let row: String = some.iter().map(|(name, value)| format!("{name:<7}{:<18}", cut(value, 17))).collect();
            Line::raw(format!("{row:<width$}", width = each * 3))
        })
        .collect();
    let width = (each as u16 * 3).min(area.width);
    let at = Rect {
        x: area.x + (area.width - width) / 2,
        y: area.y + u16::from(area.height > 3),
        width,
        height: area.height.saturating_sub(1),
    };
    frame.render_widget(Paragraph::new(lines), at.intersection(area));
}

fn last_words(frame: &mut Frame<'_>, area: Rect, stage: &DrawStage<'_>) {
    let said = stage.scene.testament.as_ref().map(|t| t.testament.last_words.text().to_owned());
    let text = said.map_or("it left no testament".to_owned(), |words| format!("\"{words}\""));
    let width = area.width.min(78);
    let lines = fold("", &golem_core::words::one_line(&text, usize::MAX), usize::from(width) - 4);
    let height = (lines.len() as u16).saturating_add(2).min(area.height);
    let at = Rect { x: area.x + (area.width - width) / 2, y: area.y, width, height };
    let room = usize::from(height.saturating_sub(2));
    let mut lines: Vec<String> = lines;
    if lines.len() > room {
        lines.truncate(room);
        if let Some(last) = lines.last_mut() {
            *last = format!("{}…", cut(last, usize::from(width).saturating_sub(6)));
        }
    }
    let block = Block::bordered().title(" last words ").border_style(stage.palette.dim());
    frame.render_widget(Paragraph::new(lines.join("\n")).block(block).alignment(Alignment::Center), at);
}

fn choices(frame: &mut Frame<'_>, area: Rect, stage: &DrawStage<'_>, row: usize) {
    let lines: Vec<Line<'_>> = CHOICES
        .iter()
        .enumerate()
        .map(|(n, (name, what))| {
            let text = format!(" {} {name:<22} {what} ", n + 1);
            let text = format!("{text:<60}");
            if n == row { Line::styled(text, stage.palette.chosen()) } else { Line::raw(text) }
        })
        .collect();
    let width = lines.iter().map(|l| columns(&l.to_string()) as u16).max().unwrap_or(0).min(area.width);
    let at = Rect { x: area.x + (area.width - width) / 2, width, ..area };
    frame.render_widget(Paragraph::new(lines), at);
}
