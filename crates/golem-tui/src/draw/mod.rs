//! Screens: functions of what is known and of where one looks.

mod cards;
mod death;
mod dreams;
mod fate;
mod fleet;
mod log;
mod mind;
mod overview;
mod panes;
mod plot;
mod popup;
mod wizard;

use crate::palette::Palette;
use crate::scene::{LifeScene, ShownMoment};
use crate::state::{TuiPopup, TuiState, TuiView};
use golem_life::LifeStanding;
use golem_view::wrap::cut;
use golem_view::{money, time};
use ratatui::Frame;
use ratatui::layout::{Alignment, Constraint, Layout, Rect};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Paragraph, Wrap};

/// The least terminal that everything fits into, in columns and rows.
pub const LEAST_SIZE: (u16, u16) = (80, 24);

/// Everything a screen needs.
pub(crate) struct DrawStage<'a> {
    pub state: &'a TuiState,
    pub scene: &'a LifeScene,
    pub palette: Palette,
    /// The moment that is shown; none before the first turn.
    pub moment: Option<ShownMoment>,
}

impl DrawStage<'_> {
    /// A title over what no replay takes back: what stands under it is of the present.
    fn of_now(&self, title: &str) -> String {
        let past = self.scene.as_of(self.state.shown_age()).is_some();
        if past { format!("{title}, as of now") } else { title.to_owned() }
    }
}

/// Draw all of it.
pub fn draw(frame: &mut Frame<'_>, state: &TuiState, scene: &LifeScene, palette: Palette) {
    let area = frame.area();
    if area.width < LEAST_SIZE.0 || area.height < LEAST_SIZE.1 {
        let (w, h) = LEAST_SIZE;
        let words = format!("This terminal has {}x{} cells; bardo needs {w}x{h}.\nq leaves.", area.width, area.height);
        frame.render_widget(Paragraph::new(words).wrap(Wrap { trim: true }), area);
        return;
    }
    let stage = DrawStage { state, scene, palette, moment: scene.moment(state.shown_age()) };
    let (lies, helped) = match &state.popup {
        TuiPopup::Help(under) => (&**under, true),
        other => (other, false),
    };
    match lies {
        TuiPopup::Death { since_ms, row } => death::draw(frame, area, &stage, *since_ms, *row),
        TuiPopup::Wizard(wizard) => wizard::draw(frame, area, &stage, wizard),
        _ => {
            let [rest, foot] = Layout::vertical([Constraint::Fill(1), Constraint::Length(1)]).areas(area);
            if state.at_fleet {
                fleet::draw(frame, rest, &stage);
            } else {
                life(frame, rest, &stage);
            }
            footer(frame, foot, &stage);
            popup::draw(frame, Rect { y: rest.y + 2, height: rest.height - 2, ..rest }, &stage, lies);
        }
    }
    if helped {
        popup::help(frame, area, &stage, lies);
    }
}

/// One golem: who it is, the views, and the one that is looked at.
fn life(frame: &mut Frame<'_>, area: Rect, stage: &DrawStage<'_>) {
    let [head, tabs, body] =
        Layout::vertical([Constraint::Length(1), Constraint::Length(1), Constraint::Fill(1)]).areas(area);
    header(frame, head, stage);
    tab_bar(frame, tabs, stage);
    match (&stage.moment, stage.state.view) {
        (None, _) => nobody(frame, body, stage),
        (Some(moment), TuiView::Overview) => overview::draw(frame, body, stage, moment),
        (_, TuiView::Mind) => mind::draw(frame, body, stage),
        (_, TuiView::Dreams) => dreams::draw(frame, body, stage),
        (_, TuiView::Fate) => fate::draw(frame, body, stage),
        (Some(moment), TuiView::Log) => log::draw(frame, body, stage, moment),
    }
}

fn header(frame: &mut Frame<'_>, area: Rect, stage: &DrawStage<'_>) {
    let palette = stage.palette;
    let right = deck_words(stage);
    let room = usize::from(area.width).saturating_sub(right.chars().count() + 3);
    let mut spans = vec![Span::raw(" ")];
    match (&stage.moment, stage.scene.status()) {
        (Some(m), Some(status)) => {
            let dead = stage.state.deck.live && stage.scene.is_dead();
            let name = if dead { format!("† {}", stage.scene.name()) } else { stage.scene.name().to_owned() };
            spans.push(Span::styled(name, palette.strong()));
            spans.push(Span::raw(" · "));
            let standing = match status.standing {
                _ if !stage.state.deck.live => String::new(),
                LifeStanding::Alive => String::new(),
                other => format!("{}, ", other.name()),
            };
            spans.push(Span::styled(format!("{standing}{}", m.phase), palette.phase(m.phase)));
            let (turn, age, at) = (money::grouped(u128::from(m.tick.0)), time::age(m.age_days), time::moment(m.at));
            // The moment is what one looks for, so it goes last of all, and whole.
            let ways =
                [format!(" · turn {turn} · {age} old · {at}"), format!(" · {age} old · {at}"), format!(" · {at}")];
            let taken: usize = spans.iter().map(|s| s.content.chars().count()).sum();
            let fits = ways.iter().position(|way| taken + way.chars().count() <= room).unwrap_or(2);
            spans.extend(ways.into_iter().nth(fits).map(Span::raw));
        }
        _ => spans.push(Span::styled("bardo", palette.strong())),
    }
    let mut line = Line::from(spans);
    let text: String = line.spans.iter().map(|s| s.content.as_ref()).collect();
    if text.chars().count() > room {
        line = Line::styled(cut(&text, room), palette.strong());
    }
    frame.render_widget(Paragraph::new(line), area);
    frame.render_widget(Paragraph::new(format!("{right} ")).alignment(Alignment::Right), area);
}

/// Whether this is the present, or where in a replay one is.
fn deck_words(stage: &DrawStage<'_>) -> String {
    let (deck, scene) = (stage.state.deck, stage.scene);
    if scene.golem.is_none() {
        return String::new();
    }
    if !scene.caught_up {
        return "reading".to_owned();
    }
    if deck.live {
        let running = scene.life.as_ref().is_some_and(|life| life.running);
        return if running { "● live" } else { "○ at rest" }.to_owned();
    }
    let share = if scene.end() > 0.0 { deck.at / scene.end() * 100.0 } else { 0.0 };
    let mark = if deck.playing { "▶" } else { "‖" };
    let speed =
        if deck.speed >= 1.0 { format!("{:.0} d/s", deck.speed) } else { format!("{:.1} h/s", deck.speed * 24.0) };
    format!("replay {mark} {speed} {share:.0} %")
}

fn tab_bar(frame: &mut Frame<'_>, area: Rect, stage: &DrawStage<'_>) {
    let mut spans = vec![Span::raw(" ")];
    for (n, view) in TuiView::ALL.into_iter().enumerate() {
        let style = if view == stage.state.view { stage.palette.chosen() } else { stage.palette.dim() };
        spans.push(Span::styled(format!(" {} {} ", n + 1, view.name()), style));
        spans.push(Span::raw(" "));
    }
    frame.render_widget(Paragraph::new(Line::from(spans)), area);
    let help = Paragraph::new("Esc golems  ? help  q quit ").style(stage.palette.dim()).alignment(Alignment::Right);
    frame.render_widget(help, area);
}

fn footer(frame: &mut Frame<'_>, area: Rect, stage: &DrawStage<'_>) {
    let (words, style) = match &stage.state.message {
        Some((words, _)) => (golem_core::words::one_line(words, usize::MAX), stage.palette.accent()),
        None => (hints(stage), stage.palette.dim()),
    };
    let words = cut(&words, usize::from(area.width).saturating_sub(2));
    frame.render_widget(Paragraph::new(format!(" {words}")).style(style), area);
}

/// The keys that help here.
fn hints(stage: &DrawStage<'_>) -> String {
    let state = stage.state;
    if state.at_fleet {
        let back = if stage.scene.golem.is_some() { "  g back to one" } else { "" };
        return format!("Enter look at it  ↑↓ move  s order  S turn it  f which  / find  n new one{back}");
    }
    if !state.deck.live && state.view == TuiView::Overview {
        return "space play/pause  + - speed  , . scrub  < > finely  r the present  ←→ chart".to_owned();
    }
    let end = if stage.scene.is_dead() { "d its death  " } else { "o orders  " };
    match (state.view, state.pane()) {
        (TuiView::Overview, _) => format!("←→ chart  ↑↓ Enter trades  r replay  / search  {end}Tab next view"),
        (TuiView::Mind, 2) => "/ search again  ←→ pane  ↑↓ move".to_owned(),
        (TuiView::Mind, _) => "←→ pane  ↑↓ move  / search what it knows".to_owned(),
        (TuiView::Dreams, 1) => "a approve  x reject  ←→ pane  ↑↓ move  n dream now".to_owned(),
        (TuiView::Dreams, _) => "Enter read  ←→ pane  ↑↓ move  n dream now".to_owned(),
        (TuiView::Fate, 1) => "Enter look at it  t testament  s grimoire  ←→ pane  ↑↓ move".to_owned(),
        (TuiView::Fate, 2) => "←→ pane  ↑↓ move".to_owned(),
        (TuiView::Fate, _) => "Enter look at it  ←→ pane  ↑↓ move".to_owned(),
        (TuiView::Log, _) => {
            let what = if state.events_only { "e every fact" } else { "e events only" };
            let filter = if state.filter.is_empty() { String::new() } else { format!("  only {:?}", state.filter) };
            format!("↑↓ older, newer  / filter  {what}{filter}")
        }
    }
}

fn nobody(frame: &mut Frame<'_>, area: Rect, stage: &DrawStage<'_>) {
    let words = match &stage.scene.life {
        Some(life) => {
            let name = &life.name;
            format!("{name} has not taken a turn yet.\nLet it live: bardo golem run {name} --speed max")
        }
        None => "It cannot be read.\nbardo doctor tells why; Esc shows all golems.".to_owned(),
    };
    let [_, middle, _] =
        Layout::vertical([Constraint::Fill(1), Constraint::Length(4), Constraint::Fill(1)]).areas(area);
    frame.render_widget(Paragraph::new(words).alignment(Alignment::Center), middle);
}
