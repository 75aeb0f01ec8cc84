//! Deeds that a key asked for, done through the door; what comes back goes where it belongs.

use crate::scene::{LifeScene, believed_lines, clean, testament_lines};
use crate::source::LifeSource;
use crate::state::{TuiDeed, TuiPopup, TuiState};
use golem_core::GolemId;
use golem_view::wrap::counted;

/// Do one.
pub fn perform(deed: TuiDeed, state: &mut TuiState, scene: &mut LifeScene, source: &mut dyn LifeSource) {
    match deed {
        TuiDeed::Quit => state.over = true,
        TuiDeed::Attach(golem) => attach(state, scene, source, golem),
        TuiDeed::Search(words) => {
            let Some(golem) = scene.golem else { return };
            match source.search(golem, &words, scene.as_of(state.shown_age()).map(|(turn, _)| turn)) {
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
        TuiDeed::Testament(golem) => match source.testament(golem) {
            Ok(Some(signed)) => {
                let title = format!("testament of † {}", grave_name(scene, golem));
                state.popup = TuiPopup::Reader { title, lines: testament_lines(&signed), top: 0 };
            }
            Ok(None) => state.say("it left no testament that anybody may read here"),
            Err(why) => state.fail(&why),
        },
        TuiDeed::Snapshot(golem) => match source.snapshot(golem) {
            Ok(entries) if entries.is_empty() => state.say("it believed nothing"),
            Ok(entries) => {
                let title = format!("grimoire of † {}: {}", grave_name(scene, golem), counted(entries.len(), "entry"));
                state.popup = TuiPopup::Reader { title, lines: believed_lines(&entries), top: 0 };
            }
            Err(why) => state.fail(&why),
        },
        TuiDeed::Command(command) => {
            let told = source.command(&command);
            state.done(&command, told);
        }
    }
}

fn grave_name(scene: &LifeScene, golem: GolemId) -> String {
    scene.graves.iter().find(|g| g.id == golem).map_or_else(|| golem.to_string(), |g| clean(&g.name))
}

fn attach(state: &mut TuiState, scene: &mut LifeScene, source: &mut dyn LifeSource, golem: GolemId) {
    scene.attach(golem);
    let fresh = TuiState::new(state.reduced_motion);
    let mut fleet = std::mem::take(&mut state.fleet);
    fleet.chosen = Some(golem);
    *state = TuiState { at_fleet: false, fleet, view: state.view, now_ms: state.now_ms, ..fresh };
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
