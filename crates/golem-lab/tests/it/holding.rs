//! Holding is an action: it has episodes, regret against the best of the other choices, and a counterfactual that says which.

use crate::life_kit::Watched;
use golem_core::Intent;
use golem_grimoire::Episode;
use golem_grimoire::choices::OtherChoice;
use golem_life::Settings;

fn is_holding(episode: &Episode) -> bool {
    episode.deed.as_ref().is_some_and(|deed| deed.intent == Intent::Hold)
}

#[test]
fn a_day_of_holding_is_written_down_and_judged_by_what_else_there_was_to_do() {
    let mut settings = Settings::default();
    settings.mortality.immortal = true;
    let mut golem = Watched::born(4, 500, &settings);
    golem.turns(2_160);
    let shelf = golem.life.grimoire().unwrap().shelf();
    let held: Vec<_> = shelf.episodes().filter(|(episode, _)| is_holding(episode)).collect();
    // One in an hour at most.
    assert!((12..=24).contains(&held.len()), "{}", held.len());
    let judged: Vec<_> = held.iter().filter_map(|(_, marks)| Some((marks.regret_bps?, marks.instead?))).collect();
    assert!(judged.len() + 2 >= held.len(), "{} of {} came due", judged.len(), held.len());
    for (regret, instead) in &judged {
        assert!(instead.choice != OtherChoice::Hold, "{instead:?}");
        assert!((regret - instead.bps.max(0.0)).abs() < 1e-3, "{regret} {instead:?}");
    }
    assert!(judged.iter().any(|(regret, _)| *regret > 0.0), "something else would have been better at times");
    // Trades are counted without it.
    assert!(held.iter().all(|(episode, _)| episode.deed.as_ref().is_some_and(|deed| deed.trade == 0)));
}
