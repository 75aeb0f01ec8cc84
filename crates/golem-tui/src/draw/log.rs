//! The log: every fact in words, the newest last, and what an owner looks for in it.

use super::DrawStage;
use super::panes::{folded, framed, items, marked};
use crate::keys::is_shown;
use crate::scene::ShownMoment;
use crate::state::TuiView;
use golem_view::time;
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;

pub fn draw(frame: &mut Frame<'_>, area: Rect, stage: &DrawStage<'_>, m: &ShownMoment) {
    let what = if stage.state.events_only { "events" } else { "every fact" };
    let filter = match stage.state.filter.as_str() {
        "" => String::new(),
        words => format!(" with {words:?}"),
    };
    let inner = framed(frame, area, &format!("log: {what}{filter}"), true, stage.palette.accent());
    // From the end back: what is newest is seen first, and rows count from there.
    let back = stage.state.row(TuiView::Log, 0);
    let until = stage.scene.told_until(m.tick);
    let shown = until.iter().rev().filter(|line| is_shown(stage.state, line));
    let some: Vec<_> = shown.skip(back).take(usize::from(inner.height)).collect();
    let lines: Vec<_> = some
        .into_iter()
        .rev()
        .map(|line| {
            let style = if line.event { Style::new() } else { stage.palette.dim() };
            folded(&format!(" {}  ", time::moment(line.at)), &line.words, inner.width, style)
        })
        .collect();
    let last = lines.len().checked_sub(1);
    let lines: Vec<_> = lines
        .into_iter()
        .enumerate()
        .map(|(n, item)| marked(item, back > 0 && Some(n) == last, stage.palette.chosen()))
        .collect();
    items(frame, inner, &lines, last, "nothing on record", stage.palette.dim());
}
