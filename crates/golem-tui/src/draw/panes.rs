//! Panes: a titled frame with items of some lines each, the chosen one always in sight.

use super::DrawStage;
use crate::state::TuiView;
use ratatui::Frame;
use ratatui::layout::{Alignment, Constraint, Layout, Rect};
use ratatui::style::Style;
use ratatui::text::Line;
use ratatui::widgets::{Block, BorderType, Paragraph};

/// Some lines that belong together.
pub type PaneItem = Vec<Line<'static>>;

/// A frame with a title; what one looks at has a double one.
pub fn framed(frame: &mut Frame<'_>, area: Rect, title: &str, focused: bool, style: Style) -> Rect {
    let kind = if focused { BorderType::Double } else { BorderType::Plain };
    let block = Block::bordered().border_type(kind).border_style(style).title(format!(" {title} "));
    let inner = block.inner(area);
    frame.render_widget(block, area);
    inner
}

/// The panes of a view: the one that is looked at where there is little room, otherwise all of them.
pub fn panes(
    frame: &mut Frame<'_>,
    area: Rect,
    stage: &DrawStage<'_>,
    view: TuiView,
    draw: &mut dyn FnMut(&mut Frame<'_>, Rect, usize, bool),
) {
    let (titles, chosen) = (view.panes(), stage.state.panes[view as usize]);
    if area.width < 120 || area.height < 30 {
        draw(frame, area, chosen.min(titles.len() - 1), true);
        // The others are beside it.
        let words = format!(" {} of {} ←→ ", chosen + 1, titles.len());
        let at = Rect { height: 1.min(area.height), width: area.width.saturating_sub(1), ..area };
        frame.render_widget(Paragraph::new(words).alignment(Alignment::Right), at);
        return;
    }
    let columns = Layout::horizontal([Constraint::Fill(1), Constraint::Fill(1)]).split(area);
    let half = titles.len().div_ceil(2);
    for (column, panes) in columns.iter().zip([0..half, half..titles.len()]) {
        let rows = Layout::vertical(vec![Constraint::Fill(1); panes.len().max(1)]).split(*column);
        for (area, pane) in rows.iter().zip(panes) {
            draw(frame, *area, pane, pane == chosen);
        }
    }
}

/// Items from top to bottom, scrolled so that the chosen one is seen.
pub fn items(frame: &mut Frame<'_>, area: Rect, all: &[PaneItem], chosen: Option<usize>, empty: &str, dim: Style) {
    if all.is_empty() {
        frame.render_widget(
            Paragraph::new(empty.to_owned()).style(dim).wrap(ratatui::widgets::Wrap { trim: true }),
            area,
        );
        return;
    }
    let height = usize::from(area.height);
    let chosen = chosen.unwrap_or(0).min(all.len() - 1);
    // As far up as possible with the whole of the chosen one still in sight.
    let mut first = chosen;
    let mut used = all[chosen].len();
    while let Some(before) = first.checked_sub(1) {
        if used + all[before].len() > height {
            break;
        }
        used += all[before].len();
        first = before;
    }
    let lines: Vec<Line<'static>> = all[first..].iter().flatten().take(height).cloned().collect();
    frame.render_widget(Paragraph::new(lines), area);
}

/// A text folded to a width, after a head on its first line.
pub fn folded(head: &str, text: &str, width: u16, style: Style) -> PaneItem {
    let text = golem_core::words::one_line(text, usize::MAX);
    golem_view::wrap::fold(head, &text, usize::from(width)).into_iter().map(|l| Line::styled(l, style)).collect()
}

/// The same, marked where it is the chosen one.
pub fn marked(item: PaneItem, chosen: bool, style: Style) -> PaneItem {
    if !chosen {
        return item;
    }
    item.into_iter().enumerate().map(|(n, line)| if n == 0 { line.patch_style(style) } else { line }).collect()
}

/// The pane of a view with its items.
pub fn list(
    frame: &mut Frame<'_>,
    area: Rect,
    stage: &DrawStage<'_>,
    at: (TuiView, usize, bool),
    title: &str,
    empty: &str,
    make: &dyn Fn(u16) -> Vec<PaneItem>,
) {
    let (view, pane, focused) = at;
    let style = if focused { stage.palette.accent() } else { stage.palette.dim() };
    let inner = framed(frame, area, title, focused, style);
    let row = stage.state.row(view, pane);
    let all = make(inner.width);
    let chosen = row.min(all.len().saturating_sub(1));
    let all: Vec<PaneItem> = all
        .into_iter()
        .enumerate()
        .map(|(n, item)| marked(item, focused && n == chosen, stage.palette.chosen()))
        .collect();
    items(frame, inner, &all, Some(row), empty, stage.palette.dim());
}
