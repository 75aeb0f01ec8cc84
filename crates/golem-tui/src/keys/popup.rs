//! Keys while something lies over the view.

use super::{KeyPress, PAGE, reflection, wizard};
use crate::scene::LifeScene;
use crate::source::ScreenOrder;
use crate::state::{OWNER_ORDERS, PromptFor, TuiDeed, TuiPopup, TuiState, TuiView};
use crate::wizard::SuccessionWizard;
use golem_core::words::is_hidden;

/// The longest text that can be typed.
const LONGEST: usize = 120;

/// One key; the popup is gone unless it is put back.
pub fn press(state: &mut TuiState, scene: &LifeScene, popup: TuiPopup, key: KeyPress) -> Option<TuiDeed> {
    match popup {
        TuiPopup::Nothing => None,
        TuiPopup::Help(under) => {
            state.popup = *under;
            None
        }
        TuiPopup::Prompt { why, text } => prompt(state, scene, why, text, key),
        TuiPopup::Orders { row } => orders(state, scene, row, key),
        TuiPopup::Sure { command, words } => match key {
            KeyPress::Char('y' | 'Y') => Some(TuiDeed::Command(command)),
            KeyPress::Esc | KeyPress::Char('n' | 'N' | 'q') => {
                state.say("not done");
                None
            }
            _ => {
                state.popup = TuiPopup::Sure { command, words };
                None
            }
        },
        TuiPopup::Reader { title, lines, top } => {
            let most = lines.len().saturating_sub(1);
            let top = match key {
                KeyPress::Esc | KeyPress::Char('q') | KeyPress::Backspace => {
                    // Whoever read a testament at a grave stands at the grave again.
                    if title.starts_with('†') && scene.is_dead() {
                        state.at_grave(1);
                    }
                    return None;
                }
                KeyPress::Down | KeyPress::Char('j') => top.saturating_add(1),
                KeyPress::Up | KeyPress::Char('k') => top.saturating_sub(1),
                KeyPress::PageDown | KeyPress::Char(' ') => top.saturating_add(PAGE),
                KeyPress::PageUp => top.saturating_sub(PAGE),
                KeyPress::Home => 0,
                KeyPress::End => most,
                _ => top,
            };
            state.popup = TuiPopup::Reader { title, lines, top: top.min(most) };
            None
        }
        TuiPopup::Death { since_ms, row } => death(state, scene, since_ms, row, key),
        TuiPopup::Wizard(wizard) => wizard::press(state, *wizard, key),
    }
}

pub(super) fn moved(row: usize, count: usize, key: KeyPress) -> usize {
    let most = count.saturating_sub(1);
    match key {
        KeyPress::Down | KeyPress::Char('j') | KeyPress::Tab => row.saturating_add(1).min(most),
        KeyPress::Up | KeyPress::Char('k') | KeyPress::BackTab => row.saturating_sub(1).min(most),
        KeyPress::PageDown => row.saturating_add(PAGE).min(most),
        KeyPress::PageUp => row.saturating_sub(PAGE).min(most),
        KeyPress::Home => 0,
        KeyPress::End => most,
        _ => row.min(most),
    }
}

fn prompt(state: &mut TuiState, scene: &LifeScene, why: PromptFor, mut text: String, key: KeyPress) -> Option<TuiDeed> {
    match key {
        KeyPress::Esc => {
            if why == PromptFor::Fleet {
                state.fleet.filter.clear();
            }
            return None;
        }
        KeyPress::Enter => {
            return match why {
                PromptFor::Fleet => None,
                PromptFor::Filter => {
                    state.filter = text.trim().to_owned();
                    state.rows[TuiView::Log as usize][0] = 0;
                    None
                }
                PromptFor::Search => {
                    (state.view, state.panes[TuiView::Mind as usize]) = (TuiView::Mind, 2);
                    state.rows[TuiView::Mind as usize][2] = 0;
                    (!text.trim().is_empty()).then(|| TuiDeed::Search(text.trim().to_owned()))
                }
                PromptFor::Feed => match (text.trim().parse(), scene.golem) {
                    (Ok(amount), Some(golem)) => Some(TuiDeed::Command(ScreenOrder::Feed(golem, amount))),
                    _ => {
                        state.say(format!("{text:?} is no amount of USDC, such as 10 or 12.5"));
                        None
                    }
                },
            };
        }
        KeyPress::Backspace => drop(text.pop()),
        KeyPress::Char(c) if !is_hidden(c) && text.chars().count() < LONGEST => text.push(c),
        _ => {}
    }
    if why == PromptFor::Fleet {
        // Golems are found while one types.
        text.trim().clone_into(&mut state.fleet.filter);
    }
    state.popup = TuiPopup::Prompt { why, text };
    None
}

fn orders(state: &mut TuiState, scene: &LifeScene, row: usize, key: KeyPress) -> Option<TuiDeed> {
    let golem = scene.golem?;
    let row = match key {
        KeyPress::Esc | KeyPress::Char('q') => return None,
        KeyPress::Char(c @ '1'..='6') => c as usize - '1' as usize,
        KeyPress::Enter => row,
        _ => {
            state.popup = TuiPopup::Orders { row: moved(row, OWNER_ORDERS.len(), key) };
            return None;
        }
    };
    let command = match row {
        0 => ScreenOrder::Pause(golem),
        1 => ScreenOrder::Resume(golem),
        2 => ScreenOrder::Halt(golem),
        3 => {
            state.popup = TuiPopup::Prompt { why: PromptFor::Feed, text: String::new() };
            return None;
        }
        4 => ScreenOrder::Dream(golem),
        _ => {
            let words = format!("{} will die, for ever.", scene.name());
            state.popup = TuiPopup::Sure { command: ScreenOrder::Kill(golem), words };
            return None;
        }
    };
    Some(TuiDeed::Command(command))
}

fn death(state: &mut TuiState, scene: &LifeScene, since_ms: u64, row: usize, key: KeyPress) -> Option<TuiDeed> {
    // Any key ends the scene before the stone.
    if state.death_scene(since_ms).is_some() {
        state.at_grave(row);
        return None;
    }
    let row = match key {
        KeyPress::Esc | KeyPress::Char('q') => return None,
        KeyPress::Char(c @ '1'..='4') => c as usize - '1' as usize,
        KeyPress::Enter => row,
        _ => {
            state.popup = TuiPopup::Death { since_ms, row: moved(row, 4, key) };
            return None;
        }
    };
    match row {
        0 => {
            let golem = scene.golem?;
            let wizard = SuccessionWizard::summon(golem, scene.name());
            let wish = wizard.wish()?.ok()?;
            state.popup = TuiPopup::Wizard(Box::new(wizard));
            Some(TuiDeed::Offer(wish))
        }
        1 => {
            match reflection(scene) {
                Some(reader) => state.popup = reader,
                None => {
                    state.at_grave(row);
                    state.say("it left no testament");
                }
            }
            None
        }
        2 => {
            (state.at_fleet, state.view, state.panes[TuiView::Fate as usize]) = (false, TuiView::Fate, 1);
            None
        }
        _ => {
            state.popup = TuiPopup::Wizard(Box::new(SuccessionWizard::fresh()));
            None
        }
    }
}
