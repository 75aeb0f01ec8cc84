//! Keys of the succession wizard.

use super::KeyPress;
use crate::source::ScreenOrder;
use crate::state::{TuiDeed, TuiPopup, TuiState};
use crate::wizard::{SuccessionWizard, TEMPLATES, WizardStep};
use golem_core::words::is_hidden;

/// The longest value of a line.
const LONGEST: usize = 80;

/// One key; the wizard is put back unless it is left.
pub fn press(state: &mut TuiState, mut wizard: SuccessionWizard, key: KeyPress) -> Option<TuiDeed> {
    let now_ms = state.now_ms;
    if wizard.editing.is_some() {
        typed(&mut wizard, key);
        state.popup = TuiPopup::Wizard(Box::new(wizard));
        return None;
    }
    let deed = match (wizard.step, key) {
        (WizardStep::Birth, KeyPress::Enter | KeyPress::Esc | KeyPress::Char('q' | ' ')) => {
            return wizard.born.map(|(born, ..)| TuiDeed::Attach(born));
        }
        (_, KeyPress::Esc) => match wizard.beside(false).filter(|_| wizard.step != WizardStep::Birth) {
            Some(before) => {
                (wizard.step, wizard.row, wizard.problem) = (before, 0, None);
                None
            }
            None => {
                // Back to where it was opened.
                if wizard.dead.is_some() {
                    state.at_grave(0);
                }
                return None;
            }
        },
        (WizardStep::Confirm, KeyPress::Enter | KeyPress::Char('y')) if !wizard.waiting => confirm(&mut wizard),
        (_, KeyPress::Tab | KeyPress::Right) => forward(&mut wizard, now_ms),
        (WizardStep::Inheritance | WizardStep::Pull, KeyPress::Enter) => forward(&mut wizard, now_ms),
        (WizardStep::Strategy, KeyPress::PageDown | KeyPress::PageUp) => {
            wizard.advise_on(key == KeyPress::PageDown);
            None
        }
        (WizardStep::Strategy, KeyPress::Char('t')) => {
            let taken = wizard.take_advice();
            state.say(format!("{taken} of its advice taken"));
            None
        }
        (WizardStep::Inheritance | WizardStep::Confirm, KeyPress::Char('i')) if wizard.dead.is_some() => {
            wizard.inherit = !wizard.inherit;
            ask(&mut wizard)
        }
        (WizardStep::Inheritance | WizardStep::Confirm, KeyPress::Char('f')) if wizard.dead.is_some() => {
            wizard.force_similarity = !wizard.force_similarity;
            None
        }
        (WizardStep::Pull, KeyPress::Char(' ')) => {
            let row = wizard.row;
            if row < wizard.remains.len() && !wizard.marked.remove(&row) {
                wizard.marked.insert(row);
            }
            None
        }
        (WizardStep::Pull, KeyPress::Char('h')) => {
            wizard.hold(now_ms);
            None
        }
        (WizardStep::Strategy | WizardStep::Funding, KeyPress::Enter) => {
            edit(&mut wizard);
            None
        }
        (_, key) => {
            wizard.row = super::popup::moved(wizard.row, wizard.rows(), key);
            None
        }
    };
    state.popup = TuiPopup::Wizard(Box::new(wizard));
    deed
}

/// The time to take entries is over, or it is not.
pub fn pass(wizard: &mut SuccessionWizard, now_ms: u64) -> Option<TuiDeed> {
    let over = wizard.step == WizardStep::Pull && wizard.held.is_none() && wizard.left_ms(now_ms) == Some(0);
    if over { forward(wizard, now_ms) } else { None }
}

fn forward(wizard: &mut SuccessionWizard, now_ms: u64) -> Option<TuiDeed> {
    let leaving = wizard.step;
    let next = wizard.beside(true).filter(|next| *next != WizardStep::Birth)?;
    if wizard.waiting || (leaving == WizardStep::Strategy && wizard.offer.is_none()) {
        return None;
    }
    (wizard.step, wizard.row, wizard.problem) = (next, 0, None);
    match (leaving, next) {
        // What was changed is held against the dead one's way of life.
        (WizardStep::Strategy, _) => ask(wizard),
        (_, WizardStep::Pull) if wizard.remains.is_empty() => {
            wizard.waiting = true;
            wizard.dead.map(TuiDeed::Remains)
        }
        (_, WizardStep::Pull) => {
            // Whoever comes back has what was left of the time, and a moment at least.
            let left = wizard.left_ms(now_ms).unwrap_or(0).max(5_000);
            wizard.pull_until = Some(now_ms.saturating_add(left));
            None
        }
        (WizardStep::Pull, _) => {
            let (golem, entries) = (wizard.dead?, wizard.chosen());
            if entries.is_empty() {
                return None;
            }
            Some(TuiDeed::Command(ScreenOrder::Pull { golem, entries }))
        }
        (WizardStep::Funding, _) if wizard.dead.is_some() => ask(wizard),
        (WizardStep::Funding, _) => {
            if let Err(why) = wizard.fresh_wish() {
                (wizard.step, wizard.problem) = (WizardStep::Funding, Some(why));
            }
            None
        }
        _ => None,
    }
}

fn ask(wizard: &mut SuccessionWizard) -> Option<TuiDeed> {
    match wizard.wish()? {
        Ok(wish) => {
            wizard.waiting = true;
            Some(TuiDeed::Offer(wish))
        }
        Err(why) => {
            (wizard.step, wizard.problem) = (WizardStep::Funding, Some(why));
            None
        }
    }
}

fn confirm(wizard: &mut SuccessionWizard) -> Option<TuiDeed> {
    let command = match wizard.wish() {
        Some(wish) => wish.map(ScreenOrder::Summon),
        None => wizard.fresh_wish().map(ScreenOrder::Create),
    };
    match command {
        Ok(command) => {
            wizard.waiting = true;
            Some(TuiDeed::Command(command))
        }
        Err(why) => {
            wizard.problem = Some(why);
            None
        }
    }
}

/// Begin to type into the chosen line; a way to trade is the next one of those there are.
fn edit(wizard: &mut SuccessionWizard) {
    let row = wizard.row;
    let Some(field) = wizard.fields().and_then(|fields| fields.get_mut(row)) else { return };
    if field.key == "template" || field.key == "policy.template" {
        let at = TEMPLATES.iter().position(|t| *t == field.value).map_or(0, |at| (at + 1) % TEMPLATES.len());
        field.value = TEMPLATES[at].to_owned();
        return;
    }
    wizard.editing = Some(field.value.clone());
}

fn typed(wizard: &mut SuccessionWizard, key: KeyPress) {
    let Some(mut text) = wizard.editing.take() else { return };
    match key {
        KeyPress::Esc => return,
        KeyPress::Enter | KeyPress::Tab => {
            let row = wizard.row;
            if let Some(field) = wizard.fields().and_then(|fields| fields.get_mut(row)) {
                field.value = text.trim().to_owned();
            }
            return;
        }
        KeyPress::Backspace => drop(text.pop()),
        KeyPress::Char(c) if !is_hidden(c) && text.chars().count() < LONGEST => text.push(c),
        _ => {}
    }
    wizard.editing = Some(text);
}
