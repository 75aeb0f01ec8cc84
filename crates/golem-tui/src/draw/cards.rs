//! Entries as cards. What was paid for with a life has daggers for corners, a dashed frame, ash beside it, and the dead one's mood
//! under its colour.

use super::DrawStage;
use super::panes::{PaneItem, folded};
use crate::source::LoreEntry;
use crate::sprite::{ash, mixed};
use golem_view::wrap::{columns, cut, fold};
use ratatui::text::{Line, Span};

/// Ash falls by a row in so many ms.
const FALL_MS: u64 = 400;
/// Columns of ash beside a card.
const DRIFT: usize = 8;

/// An entry.
pub fn entry(e: &LoreEntry, width: u16, stage: &DrawStage<'_>) -> PaneItem {
    let note = if e.note.is_empty() { String::new() } else { format!("; {}", e.note) };
    let text = format!("{} ({}{note})", e.text, e.kind);
    match &e.blood {
        None => folded(
            &format!(" {:.2}  ", e.confidence),
            &text,
            width,
            stage.palette.dim().remove_modifier(ratatui::style::Modifier::DIM),
        ),
        Some(_) => bloodstain(e, &text, width, stage),
    }
}

fn bloodstain(e: &LoreEntry, text: &str, width: u16, stage: &DrawStage<'_>) -> PaneItem {
    let Some(blood) = &e.blood else { return Vec::new() };
    let living = stage.moment.as_ref().and_then(|m| m.mood);
    let style = stage.palette.blood(living, blood.mood);
    let (dim, room) = (stage.palette.dim(), usize::from(width).saturating_sub(DRIFT).max(20));
    let seed = e.id.bytes().fold(7, |sum, byte| mixed(sum, u64::from(byte)));
    let beat = if stage.state.reduced_motion { 0 } else { stage.state.now_ms / FALL_MS };
    let drift =
        |row: usize| -> String { (0..DRIFT).map(|x| ash(seed, x as u16, row as u16, beat).unwrap_or(' ')).collect() };
    let inside = room - 4;
    let title = cut(&format!(" {:.2} · paid for by {} ", e.confidence, blood.of), inside);
    let mut rows = vec![format!("†{title}{}†", "╌".repeat((room - 2).saturating_sub(columns(&title))))];
    let clean = golem_core::words::one_line(text, usize::MAX);
    for line in fold("", &clean, inside) {
        rows.push(format!("╎ {line}{} ╎", " ".repeat(inside.saturating_sub(columns(&line)))));
    }
    rows.push(format!("†{}†", "╌".repeat(room - 2)));
    rows.into_iter()
        .enumerate()
        .map(|(n, row)| Line::from(vec![Span::styled(row, style), Span::styled(drift(n), dim)]))
        .collect()
}
