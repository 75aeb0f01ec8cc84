//! Who wakes a sleeper, in whatever stage, and that it stays awake then: its owner, the market, its fleet.

use crate::dreaming::{dreamer, is_in, journal, told, until};
use crate::life_kit::Watched;
use golem_dreams::config::{DreamScheduleMode, MarketThreshold};
use golem_dreams::journal::{DreamEnd, WakeInterruptSource};
use golem_dreams::{DreamFact, DreamPhase, DreamTier};
use golem_life::{Ask, Being, Settings};
use golem_mortality::{Domain, GolemMode};
use golem_venue::scenario::{Happening, Scenario, ScenarioEvent};
use std::collections::BTreeSet;

/// A cry of a sibling.
fn cry() -> Ask {
    let (from, text) = ("sibling".to_owned(), "the market falls".to_owned());
    Ask::Peer { from, text, died: false, at: golem_core::Timestamp(0) }
}

#[test]
fn whoever_wakes_it_in_whatever_stage_the_journal_keeps_what_there_was() {
    let stages = DreamPhase::ALL.into_iter().flat_map(|phase| [(phase, DreamTier::Hardened), (phase, DreamTier::Core)]);
    let wakers =
        [(Ask::Wake { reason: "now".into() }, WakeInterruptSource::Owner), (cry(), WakeInterruptSource::CladeAlert)];
    for ((phase, tier), (ask, waker)) in stages.flat_map(|stage| wakers.clone().map(|waker| (stage, waker))) {
        let mut golem = Watched::born(3, 1_000, &dreamer(tier));
        golem.turns(400);
        golem.asked(vec![Ask::Dream]);
        until(&mut golem, is_in(phase));
        if golem.life.status().dreams.is_some_and(|d| d.state.current_phase.is_none()) {
            // The last stage of a core cycle is over with its turn.
            assert_eq!((phase, tier), (DreamPhase::HypnopompicReturn, DreamTier::Core));
            continue;
        }
        let woken = golem.asked(vec![ask]);
        let said = told(&woken);
        let broken = said.iter().any(
            |f| matches!(f, DreamFact::Interrupted { phase: at, source: Some(by), .. } if *at >= phase && *by == waker),
        );
        assert!(broken, "{waker:?} {phase} {tier:?}: {said:?}");
        assert_eq!(golem.life.status().mode, GolemMode::Waking, "{waker:?} {phase} {tier:?}");
        let entry = journal(&woken);
        assert!(matches!(entry.end, DreamEnd::Woken { source, .. } if source == waker), "{:?}", entry.end);
        let replayed = entry.phase1_summary.episodes_replayed > 0;
        assert_eq!(replayed, phase >= DreamPhase::Nrem, "{waker:?} {phase} {tier:?}: {entry:?}");
        let stats = golem.life.status().dreams.expect("it dreams");
        assert!(stats.broken_off == 1 && (tier == DreamTier::Core || stats.cycles == 1), "{stats:?}");
        golem.turns(60);
    }
}

/// A sleeper by its owner's windows alone: it falls asleep at night, and at no other time.
fn night_sleeper() -> Settings {
    let mut settings = dreamer(DreamTier::Hardened);
    settings.dream.schedule.mode = DreamScheduleMode::Owner;
    settings
}

pub(crate) fn is_start(fact: &DreamFact) -> bool {
    matches!(fact, DreamFact::Start { .. })
}

/// It is not woken for nothing: whoever wakes it in its window has it awake for a while.
#[test]
fn who_is_woken_at_night_looks_ahead_in_the_next_turn_and_stays_awake_for_an_interval() {
    for phase in [DreamPhase::HypnagogicOnset, DreamPhase::Nrem, DreamPhase::Rem] {
        let mut golem = Watched::born(3, 1_000, &night_sleeper());
        until(&mut golem, is_in(phase));
        let woken = golem.asked(vec![Ask::Wake { reason: "now".into() }]);
        assert!(told(&woken).iter().any(|f| matches!(f, DreamFact::Interrupted { .. })), "{phase}");
        assert_eq!(golem.life.status().mode, GolemMode::Waking, "{phase}: it fell asleep again in the same turn");
        let waiting = |golem: &Watched| golem.life.mind().forecasters().pending(Domain::PriceDirection);
        let before = waiting(&golem);
        for n in 1..50 {
            let turn = golem.turn();
            assert!(!told(&turn).into_iter().any(is_start), "{phase}: asleep after {n} turns");
            assert_eq!(golem.life.status().mode, GolemMode::Waking);
            assert!(n > 1 || waiting(&golem) >= before, "{phase}: who is awake looks ahead, as many as fall due");
        }
        let stats = golem.life.status().dreams.expect("it dreams");
        assert_eq!((stats.cycles, stats.broken_off), (1, 1), "{phase}: no cycle was burnt");
    }
}

/// The price falls by so much within four turns, from a turn on, and stays there.
fn fall(at_tick: u64, bps: i32) -> Scenario {
    let what = Happening::Shock { bps, over_ticks: 4, reverts: false };
    let events = vec![ScenarioEvent { at_tick, for_ticks: 720, what }];
    Scenario { name: "fall".into(), about: "The price falls.".into(), events }
}

/// The turn in which it falls asleep at night.
fn bedtime(settings: &Settings) -> u64 {
    let mut golem = Watched::born(3, 1_000, settings);
    until(&mut golem, is_start);
    golem.life.tick().0
}

#[test]
fn a_market_that_moves_by_a_tenth_within_five_minutes_wakes_it() {
    let mut settings = night_sleeper();
    // No interval holds it back: what keeps it awake is the market.
    settings.dream.dream_cycle_interval = 1;
    let bed = bedtime(&settings);
    let asleep_in = |settings: &Settings, bps: i32| {
        let (mut golem, _) = Watched::in_weather(3, 1_000, settings, Some(fall(bed + 5, bps)));
        until(&mut golem, is_start);
        assert_eq!(golem.life.tick().0, bed, "the weather comes later");
        golem
    };
    let over = |f: &DreamFact| matches!(f, DreamFact::Interrupted { .. } | DreamFact::Complete { .. });
    let mut golem = asleep_in(&settings, -2_500);
    let woken = until(&mut golem, over);
    let by_market = told(&woken).into_iter().find_map(|f| match f {
        DreamFact::Interrupted { source: Some(WakeInterruptSource::MarketThreshold), reason, .. } => {
            Some(reason.clone())
        }
        _ => None,
    });
    assert!(by_market.is_some_and(|why| why.starts_with("ETH moved by -")), "{:?}", told(&woken));
    assert_eq!(golem.life.status().mode, GolemMode::Waking);
    for _ in 0..4 {
        assert!(!told(&golem.turn()).into_iter().any(is_start), "while that holds it would be woken again");
    }
    let stats = golem.life.status().dreams.expect("it dreams");
    assert_eq!((stats.cycles, stats.broken_off), (1, 1));
    // Who is to hear of less is woken by less.
    let mut keen = settings.clone();
    keen.dream.wake_interrupts.market_thresholds = vec![MarketThreshold { change_percent: 5.0, ..Default::default() }];
    let woken = until(&mut asleep_in(&keen, -700), over);
    let by_market =
        |f: &&DreamFact| matches!(f, DreamFact::Interrupted { source: Some(WakeInterruptSource::MarketThreshold), .. });
    assert!(told(&woken).iter().any(by_market), "{:?}", told(&woken));
    // Less than that does not wake it, nor does anything where its owner says so.
    let mut deaf = settings.clone();
    deaf.dream.wake_interrupts.enabled = false;
    for (settings, bps) in [(&settings, -700), (&deaf, -2_500)] {
        let slept = until(&mut asleep_in(settings, bps), over);
        assert!(told(&slept).iter().any(|f| matches!(f, DreamFact::Complete { .. })), "{bps}: {:?}", told(&slept));
    }
}

/// A fall is seen some turns after it has begun: each beginning around one dream is tried, and together they meet every stage.
#[test]
fn the_market_wakes_it_in_whatever_stage_and_the_journal_keeps_what_there_was() {
    let mut settings = dreamer(DreamTier::Hardened);
    settings.dream.schedule.mode = DreamScheduleMode::Owner;
    settings.dream.windows.windows.clear();
    let ordered = |weather: Option<Scenario>| {
        let (mut golem, _) = Watched::in_weather(3, 1_000, &settings, weather);
        golem.turns(400);
        golem.asked(vec![Ask::Dream]);
        golem
    };
    let mut calm = ordered(None);
    while calm.life.status().mode == GolemMode::Waking {
        calm.turn();
        assert!(calm.life.tick().0 < 5_000, "it does not fall asleep");
    }
    let bed = calm.life.tick().0;
    while calm.life.status().mode == GolemMode::Dreaming {
        calm.turn();
    }
    let awake = calm.life.tick().0;
    let mut met = BTreeSet::new();
    for begins in bed - 10..awake {
        let mut golem = ordered(Some(fall(begins, -2_500)));
        while golem.life.tick().0 < awake {
            let turn = golem.turn();
            let woken = told(&turn).into_iter().find_map(|f| match f {
                DreamFact::Interrupted { phase, source: Some(WakeInterruptSource::MarketThreshold), .. } => {
                    Some(*phase)
                }
                _ => None,
            });
            let Some(phase) = woken else { continue };
            let entry = journal(&turn);
            let by_market = WakeInterruptSource::MarketThreshold;
            assert!(matches!(entry.end, DreamEnd::Woken { source, .. } if source == by_market), "{:?}", entry.end);
            assert_eq!(golem.life.status().mode, GolemMode::Waking, "{phase}");
            // Replay's own first turn may be still to come.
            let replayed = entry.phase1_summary.episodes_replayed > 0;
            assert!(phase == DreamPhase::Nrem || replayed == (phase > DreamPhase::Nrem), "{phase}: {entry:?}");
            met.insert(phase);
            break;
        }
    }
    assert_eq!(met.into_iter().collect::<Vec<_>>(), DreamPhase::ALL);
}

/// The first cry of a fleet wakes it, and what follows within hours does not.
#[test]
fn a_fleet_wakes_a_sleeper_once_in_a_while() {
    let mut settings = dreamer(DreamTier::Hardened);
    (settings.dream.dream_cycle_interval, settings.dream.schedule.mode) = (1, DreamScheduleMode::Owner);
    settings.dream.windows.windows.clear();
    let mut golem = Watched::born(3, 1_000, &settings);
    golem.turns(400);
    let mut woke = Vec::new();
    for _ in 0..2 {
        golem.asked(vec![Ask::Dream]);
        while golem.life.status().mode == GolemMode::Waking {
            golem.turn();
            assert!(golem.life.tick().0 < 5_000, "it does not fall asleep");
        }
        golem.turn();
        let heard = golem.asked(vec![cry()]);
        woke.push(
            told(&heard)
                .into_iter()
                .any(|f| matches!(f, DreamFact::Interrupted { source: Some(WakeInterruptSource::CladeAlert), .. })),
        );
        while golem.life.status().mode == GolemMode::Dreaming {
            golem.turn();
        }
    }
    assert_eq!(woke, [true, false]);
}
