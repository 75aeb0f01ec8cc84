//! Keys while all golems are looked at.

use super::KeyPress;
use super::popup::moved;
use crate::fleet::FleetKind;
use crate::scene::LifeScene;
use crate::state::{PromptFor, TuiDeed, TuiPopup, TuiState};
use crate::wizard::SuccessionWizard;

/// One key.
pub fn press(state: &mut TuiState, scene: &LifeScene, key: KeyPress) -> Option<TuiDeed> {
    let rows = state.fleet.rows(&scene.cards);
    let row = state.fleet.row(&rows);
    match key {
        KeyPress::Char('q') => {
            state.over = true;
            return Some(TuiDeed::Quit);
        }
        KeyPress::Enter => {
            let card = rows.get(row)?;
            // What its file said is all that there is to see of it.
            if let Some(why) = &card.problem {
                state.say(format!("{}: {why} · bardo doctor", card.name));
                return None;
            }
            return Some(TuiDeed::Attach(card.id));
        }
        KeyPress::Char('s') => state.fleet.sort_on(),
        KeyPress::Char('S') => state.fleet.reversed = !state.fleet.reversed,
        KeyPress::Char('f') => state.fleet.kind_on(),
        KeyPress::Char('/') => {
            let text = state.fleet.filter.clone();
            state.popup = TuiPopup::Prompt { why: PromptFor::Fleet, text };
        }
        KeyPress::Char('n') => state.popup = TuiPopup::Wizard(Box::new(SuccessionWizard::fresh())),
        KeyPress::Char('g') => state.at_fleet = scene.golem.is_none(),
        KeyPress::Esc | KeyPress::Backspace => {
            (state.fleet.kind, state.fleet.filter) = (FleetKind::All, String::new());
        }
        _ => state.fleet.chosen = rows.get(moved(row, rows.len(), key)).map(|card| card.id),
    }
    None
}
