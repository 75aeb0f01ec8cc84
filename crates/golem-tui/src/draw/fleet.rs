//! All golems of a home at a glance: what they come to together, a row for each, and more of the one that is chosen.

use super::DrawStage;
use super::panes::{framed, marked};
use super::plot::bar;
use crate::fleet::{FleetKind, FleetSort, FleetTotals};
use crate::source::LifeCard;
use golem_daimon::suffering::Band;
use golem_life::Status;
use golem_view::wrap::{counted, cut};
use golem_view::{money, time};
use ratatui::Frame;
use ratatui::layout::{Alignment, Constraint, Layout, Rect};
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;

/// From so many columns on there is room for all of a row.
const WIDE: u16 = 118;

/// A column: what it is ordered by, its title, its width, whether it stands at the right, and what is in it.
struct FleetColumn {
    sort: Option<FleetSort>,
    title: &'static str,
    width: usize,
    right: bool,
    text: fn(&LifeCard) -> String,
}

/// A column at the left of its place, and one at the right of it.
fn left(sort: FleetSort, title: &'static str, width: usize, text: fn(&LifeCard) -> String) -> FleetColumn {
    FleetColumn { sort: Some(sort), title, width, right: false, text }
}
fn right(sort: FleetSort, title: &'static str, width: usize, text: fn(&LifeCard) -> String) -> FleetColumn {
    FleetColumn { right: true, ..left(sort, title, width, text) }
}

fn columns(width: u16) -> Vec<FleetColumn> {
    let wide = width >= WIDE;
    let mut all = vec![
        left(FleetSort::Name, "name", if wide { 24 } else { 13 }, |c| c.name.clone()),
        left(FleetSort::State, "state", if wide { 18 } else { 12 }, LifeCard::state),
        right(FleetSort::Vitality, "vital", 5, |c| living(c, |s| Some(format!("{:.2}", s.vitality.composite)))),
    ];
    if wide {
        let gauge = |c: &LifeCard| living(c, |s| Some(bar(s.vitality.composite, 10)));
        all.push(FleetColumn { sort: None, ..left(FleetSort::Vitality, "", 10, gauge) });
    }
    all.extend([
        right(FleetSort::Worth, "USDC", 9, |c| c.status.as_deref().map_or(String::new(), |s| money::usdc(s.worth()))),
        right(FleetSort::Runway, "runway", 6, |c| living(c, |s| Some(left_to_it(s)))),
        right(FleetSort::Alive, "alive", 5, |c| living(c, |s| Some(another_day(s)))),
        left(FleetSort::Suffering, "suffering", 10, |c| living(c, |s| s.band.map(|band| band.name().to_owned()))),
        left(FleetSort::Mood, "mood", 10, |c| living(c, |s| s.affect.as_ref().map(|a| a.mood.name().to_owned()))),
    ]);
    if wide {
        let plain = |title, width, text| FleetColumn { sort: None, ..right(FleetSort::Name, title, width, text) };
        all.push(plain("trades", 7, |c| c.status.as_deref().map_or(String::new(), |s| s.trades.to_string())));
        all.push(plain("age", 11, |c| c.status.as_deref().map_or(String::new(), |s| time::age(lived(s)))));
        let used: usize = all.iter().map(|column| column.width + 1).sum();
        let rest = usize::from(width).saturating_sub(used + 3);
        all.push(FleetColumn {
            sort: None,
            ..left(FleetSort::Name, "last", rest, |c| c.last_trade.clone().unwrap_or_else(|| c.doing()))
        });
    }
    all
}

/// What only the living have.
fn living(card: &LifeCard, of: impl FnOnce(&Status) -> Option<String>) -> String {
    card.status.as_deref().filter(|s| s.death.is_none()).and_then(of).unwrap_or_default()
}

/// Until its money is burnt; in a vigil it is.
fn left_to_it(s: &Status) -> String {
    if s.vigil.is_some() { "vigil".to_owned() } else { s.projected_life_h.map_or("-".to_owned(), runway) }
}

/// The chance of another day, where the dice decide about it.
fn another_day(s: &Status) -> String {
    if s.vigil.is_some() { "-".to_owned() } else { chance(s.survival_24h) }
}

/// Hours in a few characters.
fn runway(hours: f64) -> String {
    match hours {
        h if !h.is_finite() => "-".to_owned(),
        h if h < 48.0 => format!("{:.0} h", h.max(0.0)),
        h if h < 24.0 * 9_999.0 => format!("{:.0} d", h / 24.0),
        _ => "> 27 y".to_owned(),
    }
}

/// The chance of another day in a few characters.
fn chance(p: f64) -> String {
    if p >= 0.9995 { "100%".to_owned() } else { format!("{:.1}%", p.max(0.0) * 100.0) }
}

/// Turns of dying are no part of a life's length.
fn lived(s: &Status) -> f64 {
    s.death.as_ref().map_or(s.age_days, |death| death.age.age().as_days())
}

pub fn draw(frame: &mut Frame<'_>, area: Rect, stage: &DrawStage<'_>) {
    let [head, sums, list, about] =
        Layout::vertical([Constraint::Length(1), Constraint::Length(1), Constraint::Fill(1), Constraint::Length(5)])
            .areas(area);
    let (cards, palette) = (&stage.scene.cards, stage.palette);
    let totals = FleetTotals::of(cards);
    header(frame, head, stage, &totals);
    frame.render_widget(Paragraph::new(cut(&sum_words(&totals), usize::from(sums.width))), sums);
    let desk = &stage.state.fleet;
    let rows = desk.rows(cards);
    let inner = framed(frame, list, &list_title(stage, rows.len()), true, palette.accent());
    if rows.is_empty() {
        let words = match (cards.is_empty(), stage.scene.unread) {
            (true, 0) => " There is no golem in this home.\n n makes one; or: bardo golem create NAME, bardo demo",
            (true, _) => " reading",
            _ => " nobody like that: Esc shows all of them",
        };
        frame.render_widget(Paragraph::new(words).style(palette.dim()), inner);
    } else {
        table(frame, inner, stage, &rows);
    }
    detail(frame, about, stage, rows.get(desk.row(&rows)).copied());
}

fn header(frame: &mut Frame<'_>, area: Rect, stage: &DrawStage<'_>, totals: &FleetTotals) {
    let all = Paragraph::new(format!(" bardo · {}", counted(stage.scene.cards.len(), "golem")));
    frame.render_widget(all.style(stage.palette.strong()), area);
    let trouble = if totals.troubled > 0 { format!("! {} in trouble  ", totals.troubled) } else { String::new() };
    let words = format!("{trouble}● {} running  ? help  q quit ", totals.running);
    frame.render_widget(Paragraph::new(words).style(stage.palette.dim()).alignment(Alignment::Right), area);
}

fn sum_words(t: &FleetTotals) -> String {
    let mut words = format!(" {} alive · {} dying · {} dead", t.alive, t.dying, t.dead);
    for (n, what) in [(t.damaged, "damaged"), (t.unread, "being read")] {
        if n > 0 {
            words.push_str(&format!(" · {n} {what}"));
        }
    }
    words.push_str(&format!(" · worth {} USDC", money::usdc(t.worth)));
    if t.dead > 0 {
        words.push_str(&format!(" ({} left by the dead)", money::usdc(t.left)));
    }
    words
}

fn list_title(stage: &DrawStage<'_>, shown: usize) -> String {
    let desk = &stage.state.fleet;
    let mut title = format!("{shown} of {} · by {}", stage.scene.cards.len(), desk.sort.name());
    if desk.reversed {
        title.push_str(", turned");
    }
    if desk.kind != FleetKind::All {
        title.push_str(&format!(" · {}", desk.kind.name()));
    }
    if !desk.filter.is_empty() {
        title.push_str(&format!(" · with {:?}", cut(&desk.filter, 20)));
    }
    title
}

/// Only the rows that are in sight are made.
fn table(frame: &mut Frame<'_>, area: Rect, stage: &DrawStage<'_>, rows: &[&LifeCard]) {
    let (palette, columns) = (stage.palette, columns(area.width));
    let mut titles = vec![Span::raw(" ")];
    for column in &columns {
        let by = column.sort == Some(stage.state.fleet.sort);
        let style = if by { palette.strong() } else { palette.dim() };
        titles.push(Span::styled(fitted(column.title, column), style));
        titles.push(Span::raw(" "));
    }
    let mut lines = vec![Line::from(titles)];
    let (height, chosen) = (usize::from(area.height).saturating_sub(1), stage.state.fleet.row(rows));
    let first = chosen.saturating_sub(height / 2).min(rows.len().saturating_sub(height));
    for (n, card) in rows.iter().enumerate().skip(first).take(height) {
        lines.extend(marked(vec![row(card, &columns, stage)], n == chosen, palette.chosen()));
    }
    frame.render_widget(Paragraph::new(lines), area);
}

fn fitted(text: &str, column: &FleetColumn) -> String {
    let (text, width) = (cut(text, column.width), column.width);
    if column.right { format!("{text:>width$}") } else { format!("{text:<width$}") }
}

fn row(card: &LifeCard, columns: &[FleetColumn], stage: &DrawStage<'_>) -> Line<'static> {
    let palette = stage.palette;
    let mark = match (card.trouble().is_some(), card.running) {
        (true, _) => Span::styled("!", palette.bad()),
        (false, true) => Span::styled("●", palette.good()),
        (false, false) => Span::raw(" "),
    };
    let mut spans = vec![mark];
    for column in columns {
        let text = golem_core::words::one_line(&(column.text)(card), usize::MAX);
        spans.push(Span::styled(fitted(&text, column), style(card, column, stage)));
        spans.push(Span::raw(" "));
    }
    Line::from(spans)
}

fn style(card: &LifeCard, column: &FleetColumn, stage: &DrawStage<'_>) -> Style {
    let palette = stage.palette;
    let Some(s) = card.status.as_deref().filter(|s| s.death.is_none()) else { return palette.dim() };
    match column.sort {
        Some(FleetSort::Suffering) => match s.band {
            Some(Band::High | Band::Severe | Band::Crisis) => palette.bad(),
            Some(Band::Present) => palette.warn(),
            _ => Style::new(),
        },
        Some(FleetSort::Mood) => s.affect.as_ref().map_or(Style::new(), |affect| palette.mood(affect.mood_pad)),
        Some(FleetSort::State | FleetSort::Vitality) => palette.phase(s.phase),
        _ => Style::new(),
    }
}

/// More of the one that is chosen: what it does, what it did last, and why one should look at it.
fn detail(frame: &mut Frame<'_>, area: Rect, stage: &DrawStage<'_>, card: Option<&LifeCard>) {
    let palette = stage.palette;
    let title = card.map_or(String::new(), |card| golem_core::words::one_line(&card.name, 60));
    let inner = framed(frame, area, &title, false, palette.dim());
    let Some(card) = card else { return };
    let line = |words: String, style: Style| {
        let words = golem_core::words::one_line(&words, usize::MAX);
        Line::styled(format!(" {}", cut(&words, usize::from(inner.width).saturating_sub(2))), style)
    };
    let mut lines = Vec::new();
    if let Some(s) = card.status.as_deref() {
        let turn = money::grouped(u128::from(s.tick.0));
        let ends = s.death.as_ref().map_or_else(
            || format!("{:.0} % exposed", s.exposure * 100.0),
            |_| format!("{} of {} USDC left", money::usdc(s.worth()), money::usdc(s.funded)),
        );
        let earned = money::signed(s.earned);
        let words = format!("{} · turn {turn} · {} old · {ends} · earned {earned}", card.doing(), time::age(lived(s)));
        lines.push(line(words, Style::new()));
        let last = match (&card.last_trade, s.trades) {
            (Some(words), _) => format!("last: {words}"),
            (None, 0) => "it has not traded yet".to_owned(),
            (None, n) => format!("{}, none of late", counted(n as usize, "trade")),
        };
        lines.push(line(last, palette.dim()));
    } else if card.problem.is_none() && card.read {
        let words = format!("it has not taken a turn yet. Let it live: bardo golem run {} --speed max", card.name);
        lines.push(line(words, palette.dim()));
    }
    lines.extend(card.trouble().map(|why| line(format!("! {why}"), palette.bad())));
    frame.render_widget(Paragraph::new(lines), inner);
}
