//! What a dreamer sees of itself before and while it sleeps: permits, orders, losses, and what is staged.

use crate::dreaming::{dreamer, told, until};
use crate::life_kit::Watched;
use golem_core::Usdc;
use golem_dreams::config::DreamScheduleMode;
use golem_dreams::{DreamFact, DreamTier};
use golem_life::{Ask, Being, Settings};
use golem_mortality::GolemMode;
use std::collections::BTreeMap;

#[test]
fn an_order_that_nothing_comes_of_within_a_day_lapses_and_that_is_told() {
    let mut settings = dreamer(DreamTier::Core);
    let first = &mut settings.dream.first_dream;
    (first.thriving, first.stable, first.conservation, first.declining) = (100_000, 100_000, 100_000, 100_000);
    let mut golem = Watched::born(3, 1_000, &settings);
    golem.turns(400);
    let from = golem.life.age();
    golem.asked(vec![Ask::Dream]);
    let lapsed = |f: &DreamFact| matches!(f, DreamFact::Blocked { why, .. } if why.contains("has lapsed"));
    until(&mut golem, lapsed);
    let days = golem.life.age().since(from).as_days();
    assert!((1.0..1.1).contains(&days), "{days}");
    for _ in 0..2_500 {
        assert!(!told(&golem.turn()).into_iter().any(lapsed), "once");
    }
}

/// Who has half of its money sent home has not lost it: what weighs on a dreamer is what was lost.
#[test]
fn money_that_goes_home_is_no_loss_to_dream_of() {
    let mut settings = dreamer(DreamTier::Hardened);
    settings.dream.schedule.mode = DreamScheduleMode::Owner;
    settings.dream.windows.windows.clear();
    let urgency = |ask: Option<Ask>| {
        let mut golem = Watched::born(3, 1_000, &settings);
        golem.turns(400);
        let before = golem.life.balance();
        golem.asked(ask.into_iter().collect());
        golem.turns(100);
        (golem.life.balance().0 as f64 / before.0 as f64, golem.life.status().dreams.expect("it dreams").state.urgency)
    };
    let (_, usual) = urgency(None);
    let (left, gone_home) = urgency(Some(Ask::Withdraw { amount: Some(Usdc::whole(500)) }));
    assert!(left < 0.65, "{left}");
    // A loss of half would weigh with the whole weight of losses, which is a tenth.
    assert!(gone_home - usual < 0.08, "{gone_home} against {usual}");
}

/// Trials of what is staged that moved.
fn trials(golem: &Watched) -> BTreeMap<u64, (u32, u32, u32, u32)> {
    let staging = golem.life.grimoire().expect("it remembers").staging();
    let one = |p: &golem_grimoire::staging::Proposal| {
        (p.number, (p.trial.opportunities, p.trial.hits, p.trial.misses, p.trial.unclear))
    };
    staging.proposals().map(one).collect()
}

#[test]
fn what_is_staged_goes_on_being_tested_while_it_sleeps() {
    let mut golem = Watched::born(3, 1_000, &dreamer(DreamTier::Hardened));
    let (mut slept, mut moved) = (0, 0);
    while slept < 200 {
        let before = trials(&golem);
        let asleep = golem.life.status().mode == GolemMode::Dreaming;
        golem.turn();
        if asleep {
            slept += 1;
            let after = trials(&golem);
            moved += after.iter().filter(|(n, trial)| before.get(*n).is_some_and(|was| was != *trial)).count();
        }
        assert!(golem.life.tick().0 < 20_000, "{slept} turns of sleep");
    }
    assert!(moved > 0, "nothing was tested in {slept} turns of sleep");
}

#[test]
fn an_order_to_dream_passes_the_same_gate() {
    let mut settings = dreamer(DreamTier::Core);
    settings.dream.first_dream.stable = 100_000;
    settings.dream.first_dream.thriving = 100_000;
    let mut golem = Watched::born(3, 1_000, &settings);
    golem.turns(400);
    let reply = golem.asked(vec![Ask::Dream]);
    let why = reply.reply(1).expect("an answer");
    assert!(why.contains("as soon as nothing stands in the way; now") && why.contains("episodes"), "{why}");
    for _ in 0..100 {
        let turn = golem.turn();
        assert!(!told(&turn).iter().any(|f| matches!(f, DreamFact::Start { .. })), "too few episodes");
    }
    let mut awake = Settings::default();
    awake.diagnostics.enabled = false;
    let reply = Watched::born(3, 1_000, &awake).asked(vec![Ask::Dream]);
    assert!(reply.reply(1).is_some_and(|r| r.contains("does not dream")));
}
