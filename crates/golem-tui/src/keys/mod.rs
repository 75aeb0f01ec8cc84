//! What a key does: a step of the state machine, and perhaps a deed for the world outside. Pure.

mod fleet;
mod popup;
mod wizard;

use crate::scene::{LifeScene, clean};
use crate::source::ScreenOrder;
use crate::state::{PromptFor, TuiDeed, TuiPopup, TuiState, TuiView};
use crate::wizard::WizardStep;
use golem_view::trade::Trade;
use golem_view::{money, time};

/// A key, whoever sent it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyPress {
    Char(char),
    Enter,
    Esc,
    Backspace,
    Tab,
    BackTab,
    Up,
    Down,
    Left,
    Right,
    PageUp,
    PageDown,
    Home,
    End,
    /// Ctrl-C.
    Stop,
}

/// Time has passed: a replay moves, a message goes, a clock of the wizard runs out, a death is noticed.
pub fn pass(state: &mut TuiState, scene: &LifeScene, now_ms: u64) -> Option<TuiDeed> {
    state.now_ms = now_ms.max(state.now_ms);
    let ended = state.deck.pass(state.now_ms, scene.end());
    if state.message.as_ref().is_some_and(|(_, until)| *until <= state.now_ms) {
        state.message = None;
    }
    if let Some(golem) = scene.golem.filter(|_| scene.is_dead() && state.popup == TuiPopup::Nothing && !state.at_fleet)
    {
        // A replay that comes to a death shows it again; a death that is new is shown once.
        if ended || (state.deck.live && state.mourned != Some(golem)) {
            state.mourn(golem);
        }
    }
    match &mut state.popup {
        TuiPopup::Wizard(wizard) => wizard::pass(wizard, state.now_ms),
        _ => None,
    }
}

/// Rows of a page.
const PAGE: usize = 10;
/// A step of scrubbing, and a small one, as shares of a life.
const STEP: f64 = 0.02;
const SMALL: f64 = 0.002;

/// One key.
pub fn press(state: &mut TuiState, scene: &LifeScene, key: KeyPress) -> Option<TuiDeed> {
    if key == KeyPress::Stop {
        state.over = true;
        return Some(TuiDeed::Quit);
    }
    // Whoever presses a key has read what was said; the keys that help here stand in the same row.
    state.message = None;
    let deed = match std::mem::take(&mut state.popup) {
        popup if key == KeyPress::Char('?') && has_help(state, &popup) => {
            state.popup = TuiPopup::Help(Box::new(patient(popup, state.now_ms)));
            None
        }
        TuiPopup::Nothing if state.at_fleet => fleet::press(state, scene, key),
        TuiPopup::Nothing => on_view(state, scene, key),
        other => popup::press(state, scene, other, key),
    };
    // Where nobody is looked at, all of them are.
    state.at_fleet |= scene.golem.is_none();
    deed
}

/// Whether a question mark asks for help here: not where it is part of what is typed, and not where any key means the same.
fn has_help(state: &TuiState, popup: &TuiPopup) -> bool {
    match popup {
        TuiPopup::Help(_) | TuiPopup::Prompt { .. } => false,
        TuiPopup::Wizard(wizard) => wizard.editing.is_none(),
        TuiPopup::Death { since_ms, .. } => state.death_scene(*since_ms).is_none(),
        _ => true,
    }
}

/// Whoever reads help loses no time by it: the clock of the pull is held.
fn patient(mut popup: TuiPopup, now_ms: u64) -> TuiPopup {
    if let TuiPopup::Wizard(wizard) = &mut popup
        && wizard.step == WizardStep::Pull
        && wizard.held.is_none()
    {
        wizard.hold(now_ms);
    }
    popup
}

fn on_view(state: &mut TuiState, scene: &LifeScene, key: KeyPress) -> Option<TuiDeed> {
    match key {
        KeyPress::Char('q') => {
            state.over = true;
            return Some(TuiDeed::Quit);
        }
        KeyPress::Char('g') | KeyPress::Esc | KeyPress::Backspace => state.to_fleet(scene.golem),
        KeyPress::Char(c @ '1'..='5') => state.view = TuiView::ALL[c as usize - '1' as usize],
        KeyPress::Tab => state.view = TuiView::ALL[(state.view as usize + 1) % 5],
        KeyPress::BackTab => state.view = TuiView::ALL[(state.view as usize + 4) % 5],
        KeyPress::Char('d') if scene.is_dead() => {
            if let Some(golem) = scene.golem {
                state.mourn(golem);
            }
        }
        KeyPress::Char('r') => {
            state.deck.toggle();
            state.say(if state.deck.live { "the present" } else { "its life from the beginning" });
        }
        KeyPress::Char('/') => {
            let why = if state.view == TuiView::Log { PromptFor::Filter } else { PromptFor::Search };
            state.popup = TuiPopup::Prompt { why, text: String::new() };
        }
        KeyPress::Char('o') => return order(state, scene),
        _ if !state.deck.live && on_deck(state, scene, key) => {}
        _ => return on_pane(state, scene, key),
    }
    None
}

/// Keys of a replay. True where the key was one.
fn on_deck(state: &mut TuiState, scene: &LifeScene, key: KeyPress) -> bool {
    let (end, deck) = (scene.end(), &mut state.deck);
    match key {
        KeyPress::Char(' ') => deck.play_or_pause(end),
        KeyPress::Char('+' | '=') => deck.faster(),
        KeyPress::Char('-') => deck.slower(),
        KeyPress::Char('.') => deck.scrub(STEP, end),
        KeyPress::Char(',') => deck.scrub(-STEP, end),
        KeyPress::Char('>') => deck.scrub(SMALL, end),
        KeyPress::Char('<') => deck.scrub(-SMALL, end),
        KeyPress::Home if state.view == TuiView::Overview => deck.scrub(-1.0, end),
        KeyPress::End if state.view == TuiView::Overview => deck.scrub(1.0, end),
        _ => return false,
    }
    true
}

/// Keys of the pane that is looked at.
fn on_pane(state: &mut TuiState, scene: &LifeScene, key: KeyPress) -> Option<TuiDeed> {
    let (view, pane) = (state.view, state.pane());
    let panes = view.panes().len();
    let most = count(scene, state, view, pane).saturating_sub(1);
    let row = &mut state.rows[view as usize][pane.min(3)];
    match key {
        KeyPress::Right | KeyPress::Char('l') => state.panes[view as usize] = (pane + 1) % panes,
        KeyPress::Left | KeyPress::Char('h') => state.panes[view as usize] = (pane + panes - 1) % panes,
        KeyPress::Down | KeyPress::Char('j') => *row = row.saturating_add(1).min(most),
        KeyPress::Up | KeyPress::Char('k') => *row = row.saturating_sub(1).min(most),
        KeyPress::PageDown => *row = row.saturating_add(PAGE).min(most),
        KeyPress::PageUp => *row = row.saturating_sub(PAGE).min(most),
        KeyPress::Home => *row = 0,
        KeyPress::End => *row = most,
        KeyPress::Char('e') if view == TuiView::Log => state.events_only = !state.events_only,
        KeyPress::Char('a' | 'x') if (view, pane) == (TuiView::Dreams, 1) => {
            let (golem, proposal) = (scene.golem?, scene.staging.get(*row)?.number);
            let approved = key == KeyPress::Char('a');
            return Some(TuiDeed::Command(ScreenOrder::Judge { golem, proposal, approved }));
        }
        KeyPress::Char('n') if view == TuiView::Dreams => {
            return Some(TuiDeed::Command(ScreenOrder::Dream(scene.golem?)));
        }
        KeyPress::Char('t') if (view, pane) == (TuiView::Fate, 1) => {
            return Some(TuiDeed::Testament(scene.graves.get(*row)?.id));
        }
        KeyPress::Char('s') if (view, pane) == (TuiView::Fate, 1) => {
            return Some(TuiDeed::Snapshot(scene.graves.get(*row)?.id));
        }
        KeyPress::Enter => return open(state, scene),
        _ => {}
    }
    None
}

/// How many rows a pane has.
pub(crate) fn count(scene: &LifeScene, state: &TuiState, view: TuiView, pane: usize) -> usize {
    match (view, pane) {
        (TuiView::Overview, _) => scene.trades.all().len(),
        (TuiView::Mind, 0) => scene.forecasts.len(),
        (TuiView::Mind, 1) => scene.playbook.len(),
        (TuiView::Mind, 2) => scene.found.len(),
        (TuiView::Mind, _) => scene.causes.len(),
        (TuiView::Dreams, 0) => scene.dreams.len(),
        (TuiView::Dreams, _) => scene.staging.len(),
        (TuiView::Fate, 0) => scene.line.len(),
        (TuiView::Fate, 1) => scene.graves.len(),
        (TuiView::Fate, _) => scene.library.len(),
        (TuiView::Log, _) => scene.told.iter().filter(|line| is_shown(state, line)).count(),
    }
}

/// Whether a line is in the log.
pub(crate) fn is_shown(state: &TuiState, line: &crate::scene::ToldLine) -> bool {
    let filter = &state.filter;
    let has = |text: &str| text.to_lowercase().contains(&filter.to_lowercase());
    (line.event || !state.events_only) && (filter.is_empty() || has(&line.words) || has(line.kind))
}

/// What Enter opens: a trade, a dream, a golem of the line, a grave.
fn open(state: &mut TuiState, scene: &LifeScene) -> Option<TuiDeed> {
    let (view, pane) = (state.view, state.pane());
    let row = state.row(view, pane);
    match (view, pane) {
        (TuiView::Overview, _) => {
            let moment = scene.moment(state.shown_age())?;
            let all = scene.trades_until(moment.tick);
            let trade = all.iter().rev().nth(row.min(all.len().checked_sub(1)?))?;
            let title = format!("trade of {}", time::moment(trade.at));
            state.popup = TuiPopup::Reader { title, lines: trade_lines(trade), top: 0 };
            None
        }
        (TuiView::Dreams, 0) => {
            let dream = scene.dreams.get(row)?;
            let (title, lines) = (dream.entry.id.clone(), dream.page.clone());
            state.popup = TuiPopup::Reader { title, lines, top: 0 };
            None
        }
        (TuiView::Fate, 0) => scene.line.get(row)?.id.map(TuiDeed::Attach),
        (TuiView::Fate, 1) => Some(TuiDeed::Attach(scene.graves.get(row)?.id)),
        (TuiView::Mind, 2) => {
            let why = PromptFor::Search;
            state.popup = TuiPopup::Prompt { why, text: scene.asked.clone() };
            None
        }
        _ => None,
    }
}

/// All that is known of a trade.
fn trade_lines(trade: &Trade) -> Vec<String> {
    let price = trade.price.map_or("unknown".to_owned(), money::price);
    let rows = [
        ("turn", money::grouped(u128::from(trade.tick.0))),
        ("did", trade.sentence()),
        ("price", format!("{price} USDC for one ETH")),
        ("gas", format!("{} USDC", money::usdc(trade.gas))),
        ("why", trade.why.clone()),
        ("since then", trade.aftermath()),
    ];
    let said = rows.into_iter().filter(|(_, words)| !words.is_empty());
    said.map(|(what, words)| clean(&format!("{what}: {words}"))).collect()
}

/// The orders of an owner, one after the other in a small menu.
fn order(state: &mut TuiState, scene: &LifeScene) -> Option<TuiDeed> {
    match (scene.golem, scene.is_dead()) {
        (Some(_), false) => state.popup = TuiPopup::Orders { row: 0 },
        (_, true) => state.say("the dead take no orders; d shows its death, and what can come after it"),
        _ => state.say("nobody is looked at"),
    }
    None
}

/// The death reflection: the arc of the life in moods, then the whole testament.
pub(crate) fn reflection(scene: &LifeScene) -> Option<TuiPopup> {
    let lines = crate::scene::testament_lines(scene.testament.as_ref()?);
    Some(TuiPopup::Reader { title: format!("† {}", scene.name()), lines, top: 0 })
}
