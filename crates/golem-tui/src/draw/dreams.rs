//! Dreams: when it dreamt, what it made of it, and what waits for the waking world or for its owner's word.

use super::DrawStage;
use super::panes::{PaneItem, folded, framed, list, panes};
use crate::source::DreamTold;
use crate::state::TuiView;
use golem_core::Timestamp;
use golem_grimoire::staging::Proposal;
use golem_view::story::in_words;
use golem_view::wrap::counted;
use golem_view::{money, time};
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::Style;
use ratatui::text::Line;
use ratatui::widgets::Paragraph;

pub fn draw(frame: &mut Frame<'_>, area: Rect, stage: &DrawStage<'_>) {
    let [top, rest] = Layout::vertical([Constraint::Length(5), Constraint::Fill(1)]).areas(area);
    timeline(frame, top, stage);
    panes(frame, rest, stage, TuiView::Dreams, &mut |frame, area, pane, focused| {
        let at = (TuiView::Dreams, pane, focused);
        match pane {
            0 => list(frame, area, stage, at, "journal", "no dreams yet", &|w| {
                stage.scene.dreams.iter().map(|d| dream(d, w, stage)).collect()
            }),
            _ => list(frame, area, stage, at, "staging", "nothing is staged", &|w| {
                stage.scene.staging.iter().map(|p| proposal(p, w, stage)).collect()
            }),
        }
    });
}

/// Its life from left to right with its dreams on it, and what they came to.
fn timeline(frame: &mut Frame<'_>, area: Rect, stage: &DrawStage<'_>) {
    let palette = stage.palette;
    let inner = framed(frame, area, "dreams over its life", false, palette.dim());
    let width = usize::from(inner.width).saturating_sub(2);
    let born = stage.scene.life.as_ref().map_or(0, |life| life.born_at.0);
    let until = stage.scene.status().map_or(born, |s| s.at.0);
    let place = |at: Timestamp| {
        let share = at.0.saturating_sub(born).max(0) as f64 / (until.saturating_sub(born)).max(1) as f64;
        ((share * width as f64) as usize).min(width.saturating_sub(1))
    };
    let mut row = vec!['·'; width];
    for dream in &stage.scene.dreams {
        if let Some(cell) = row.get_mut(place(dream.entry.timestamp)) {
            // More is seen than less: a dream of which something came true, one that proposed, one that was.
            let mark = match dream.entry.later {
                later if later.confirmed > 0 => '◆',
                later if later.proposed > 0 => '◇',
                _ => '○',
            };
            let rank = |c: char| ['·', '○', '◇', '◆'].iter().position(|known| *known == c).unwrap_or(0);
            if rank(mark) > rank(*cell) {
                *cell = mark;
            }
        }
    }
    let past = stage.scene.as_of(stage.state.shown_age());
    if let Some(cell) = past.and_then(|(_, then)| row.get_mut(place(then))) {
        *cell = '┃';
    }
    let row: String = row.into_iter().collect();
    let words = match (stage.scene.status().and_then(|s| s.dreams.as_ref()), past) {
        (None, _) => "it does not dream: dreams were off at birth".to_owned(),
        (Some(_), Some(_)) => {
            let dreams = &stage.scene.dreams;
            let came: u64 = dreams.iter().map(|d| u64::from(d.entry.later.confirmed)).sum();
            let count = counted(dreams.len(), "dream");
            format!("by then {count}, {came} proposed and come true, {} staged", stage.scene.staging.len())
        }
        (Some(d), None) => format!(
            "{} dreams, {} staged, {} came true, {} did not; urgency {:.2}; cost {} USDC",
            d.cycles,
            d.staged,
            d.promoted,
            d.refuted,
            d.state.urgency,
            money::usdc(d.cost)
        ),
    };
    let key = "○ dreamt  ◇ proposed something  ◆ something of it came true";
    let lines = vec![
        Line::styled(format!(" {row}"), palette.accent()),
        Line::raw(format!(" {words}")),
        Line::styled(format!(" {key}"), palette.dim()),
    ];
    frame.render_widget(Paragraph::new(lines), inner);
}

fn dream(d: &DreamTold, width: u16, stage: &DrawStage<'_>) -> PaneItem {
    let e = &d.entry;
    let later = e.later;
    let style = if later.confirmed > 0 { stage.palette.good() } else { Style::new() };
    let about = e.onset.theme.as_ref().map_or(String::new(), |theme| format!(" of {theme}"));
    let words = format!(
        "{}{about}: {} replayed, {} other ways tried, {} threats, {} proposed, {} came true; quality {:.2}",
        e.id,
        e.phase1_summary.episodes_replayed,
        e.phase2_summary.counterfactuals_generated,
        e.phase2_summary.threats_simulated.len(),
        later.proposed,
        later.confirmed,
        e.dream_quality_score
    );
    folded(&format!(" {}  ", time::moment(e.timestamp)), &words, width, style)
}

fn proposal(p: &Proposal, width: u16, stage: &DrawStage<'_>) -> PaneItem {
    let text = in_words(&p.change.text());
    let (hits, all) = (p.trial.hits, p.trial.hits + p.trial.misses);
    let words = format!("{text} ({hits} of {all} came true)");
    let mut item =
        folded(&format!(" {:>4}  {:.2}  ", p.number, f64::from(p.confidence_bp) / 1e4), &words, width, Style::new());
    item.extend(folded(
        "              ",
        &format!("when {} then {}", p.claim.when, p.claim.then),
        width,
        stage.palette.dim(),
    ));
    item
}
