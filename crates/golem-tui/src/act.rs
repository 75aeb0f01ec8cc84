//! Deeds that a key asked for, done through the door; what comes back goes where it belongs.

use crate::scene::LifeScene;
use crate::source::LifeSource;
use crate::state::{TuiDeed, TuiPopup, TuiState};

/// Do one.
pub fn perform(deed: TuiDeed, state: &mut TuiState, scene: &mut LifeScene, source: &mut dyn LifeSource) {
    match deed {
        TuiDeed::Quit => state.over = true,
        TuiDeed::Attach(golem) => attach(state, scene, source, golem),
        TuiDeed::Search(words) => {
            let Some(golem) = scene.golem else { return };
            match source.search(golem, &words) {
                Ok(found) => {
                    if found.is_empty() {
                        state.say("nothing is known about that");
                    }
                    (scene.asked, scene.found) = (words, found);
                }
                Err(why) => state.fail(&why),
            }
        }
        TuiDeed::Offer(wish) => {
            let offer = source.offer(&wish);
            if let TuiPopup::Wizard(wizard) = &mut state.popup {
                wizard.offered(offer);
            }
        }
        TuiDeed::Remains(golem) => {
            let (remains, now_ms) = (source.remains(golem), state.now_ms);
            if let TuiPopup::Wizard(wizard) = &mut state.popup {
                wizard.laid_out(remains, now_ms);
            }
        }
        TuiDeed::Command(command) => {
            let told = source.command(&command);
            state.done(&command, told);
        }
    }
}

fn attach(state: &mut TuiState, scene: &mut LifeScene, source: &mut dyn LifeSource, golem: golem_core::GolemId) {
    scene.attach(golem);
    let fresh = TuiState::new(state.reduced_motion);
    *state = TuiState { view: state.view, now_ms: state.now_ms, ..fresh };
    match source.now(golem) {
        Ok(life) => {
            scene.life = Some(life);
            // Whoever was dead before one looked is not dying now.
            if scene.is_dead() {
                state.mourned = Some(golem);
                state.say("it is dead: d shows its death, r lives its life again");
            }
        }
        Err(why) => state.fail(&why),
    }
}
