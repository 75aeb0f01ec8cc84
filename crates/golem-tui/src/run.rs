//! The loop that owns the terminal: keys in, screens out, and the terminal as it was when it ends, however it ends.

use crate::act::perform;
use crate::draw::draw;
use crate::feed::SceneFeed;
use crate::keys::{KeyPress, pass, press};
use crate::palette::Palette;
use crate::scene::LifeScene;
use crate::source::LifeSource;
use crate::state::{TuiDeed, TuiPopup, TuiState};
use golem_core::GolemId;
use ratatui::crossterm::event::{self, Event, KeyCode, KeyEventKind, KeyModifiers};
use std::io;
use std::time::{Duration, Instant};

/// A frame while something moves, and while nothing does.
const MOVING: Duration = Duration::from_millis(66);
const RESTING: Duration = Duration::from_millis(200);

/// How to show.
#[derive(Debug, Clone, Copy)]
pub struct TuiOptions {
    pub color: bool,
    pub reduced_motion: bool,
    /// Who is looked at first; none for all of them.
    pub golem: Option<GolemId>,
}

/// Show a home until its owner leaves. `stopped` ends it from outside.
///
/// # Errors
/// What the terminal said.
pub fn run(source: &mut dyn LifeSource, options: TuiOptions, stopped: &dyn Fn() -> bool) -> io::Result<()> {
    // It also puts the terminal back when something panics.
    let mut terminal = ratatui::try_init()?;
    let done = shown(&mut terminal, source, options, stopped);
    ratatui::try_restore()?;
    done
}

fn shown(
    terminal: &mut ratatui::DefaultTerminal,
    source: &mut dyn LifeSource,
    options: TuiOptions,
    stopped: &dyn Fn() -> bool,
) -> io::Result<()> {
    let (begun, palette) = (Instant::now(), Palette { color: options.color });
    let (mut state, mut scene) = (TuiState::new(options.reduced_motion), LifeScene::default());
    let mut feed = SceneFeed::default();
    if let Some(golem) = options.golem {
        perform(TuiDeed::Attach(golem), &mut state, &mut scene, source);
    }
    while !state.over && !stopped() {
        feed.refresh(&mut state, &mut scene, source);
        if let Some(deed) = pass(&mut state, &scene, begun.elapsed().as_millis() as u64) {
            perform(deed, &mut state, &mut scene, source);
        }
        terminal.draw(|frame| draw(frame, &state, &scene, palette))?;
        let unread = if state.at_fleet { scene.unread > 0 } else { !scene.caught_up && scene.golem.is_some() };
        let wait = if unread {
            Duration::ZERO
        } else if is_moving(&state) {
            MOVING
        } else {
            RESTING
        };
        if !event::poll(wait)? {
            continue;
        }
        // All keys that are there, before anything is drawn again.
        while event::poll(Duration::ZERO)? {
            let Some(key) = key(&event::read()?) else { continue };
            if let Some(deed) = press(&mut state, &scene, key) {
                perform(deed, &mut state, &mut scene, source);
            }
            if state.over {
                break;
            }
        }
    }
    Ok(())
}

fn is_moving(state: &TuiState) -> bool {
    let shows = matches!(state.popup, TuiPopup::Death { .. } | TuiPopup::Wizard(_));
    (state.deck.playing && !state.deck.live && !state.at_fleet) || (shows && !state.reduced_motion)
}

fn key(event: &Event) -> Option<KeyPress> {
    let Event::Key(key) = event else { return None };
    if key.kind == KeyEventKind::Release {
        return None;
    }
    let control = key.modifiers.contains(KeyModifiers::CONTROL);
    Some(match key.code {
        KeyCode::Char('c') if control => KeyPress::Stop,
        KeyCode::Char(_) if control || key.modifiers.contains(KeyModifiers::ALT) => return None,
        KeyCode::Char(c) => KeyPress::Char(c),
        KeyCode::Enter => KeyPress::Enter,
        KeyCode::Esc => KeyPress::Esc,
        KeyCode::Backspace => KeyPress::Backspace,
        KeyCode::Tab => KeyPress::Tab,
        KeyCode::BackTab => KeyPress::BackTab,
        KeyCode::Up => KeyPress::Up,
        KeyCode::Down => KeyPress::Down,
        KeyCode::Left => KeyPress::Left,
        KeyCode::Right => KeyPress::Right,
        KeyCode::PageUp => KeyPress::PageUp,
        KeyCode::PageDown => KeyPress::PageDown,
        KeyCode::Home => KeyPress::Home,
        KeyCode::End => KeyPress::End,
        KeyCode::F(1) => KeyPress::Char('?'),
        _ => return None,
    })
}
