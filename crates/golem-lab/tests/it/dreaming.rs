//! Dreams in a life: their stages and turns, what breaks them off, what a sleeper does and does not do, and that a dream is
//! lived again as it was.

use crate::life_kit::{Turn, Watched, Written};
use golem_core::Usdc;
use golem_dreams::config::DreamScheduleMode;
use golem_dreams::journal::{DreamEnd, DreamJournalEntry, WakeInterruptSource};
use golem_dreams::{DreamFact, DreamPhase, DreamTier};
use golem_grimoire::change::NamedTable;
use golem_life::drive::{Acted, InMemory, act, begin, finish};
use golem_life::{Ask, Being, Fact, LifeFact, Settings};
use golem_mortality::{Domain, GolemMode};
use golem_venue::scenario::{Happening, Scenario, ScenarioEvent};
use std::collections::{BTreeMap, BTreeSet};

/// A golem that dreams soon: the first dream waits for few episodes.
fn dreamer(tier: DreamTier) -> Settings {
    let mut settings = Settings::default();
    settings.mortality.immortal = true;
    settings.diagnostics.enabled = false;
    settings.dream.enabled = true;
    settings.dream.tier = tier;
    let first = &mut settings.dream.first_dream;
    (first.thriving, first.stable, first.conservation, first.declining) = (20, 20, 20, 20);
    settings
}

fn told(turn: &Turn) -> Vec<&DreamFact> {
    let dreams = turn.facts.iter().filter_map(|f| if let Fact::Dream(fact) = &f.body { Some(&**fact) } else { None });
    dreams.collect()
}

/// Live until a turn in which a dream says this.
fn until(golem: &mut Watched, is: impl Fn(&DreamFact) -> bool) -> Turn {
    for _ in 0..20_000 {
        let turn = golem.turn();
        if told(&turn).into_iter().any(&is) {
            return turn;
        }
    }
    panic!("nothing of the kind was dreamt");
}

fn journal(turn: &Turn) -> DreamJournalEntry {
    let (_, body) = turn.rows(NamedTable::Dream).next().expect("a journal entry");
    serde_json::from_str(body).expect("it can be read")
}

fn is_in(phase: DreamPhase) -> impl Fn(&DreamFact) -> bool {
    move |fact| matches!(fact, DreamFact::Phase { phase: now, .. } if *now == phase)
}

#[test]
fn a_cycle_passes_its_stages_in_order_one_a_turn_and_says_what_came_of_it() {
    let mut golem = Watched::born(3, 1_000, &dreamer(DreamTier::Core));
    until(&mut golem, |f| matches!(f, DreamFact::Start { .. }));
    let mut phases = Vec::new();
    let over = loop {
        let turn = golem.turn();
        phases.extend(told(&turn).into_iter().filter_map(|f| match f {
            DreamFact::Phase { phase, .. } => Some(*phase),
            _ => None,
        }));
        // Between turns it goes on as it does awake.
        assert!(turn.told().any(|f| matches!(f, LifeFact::Tick { .. })));
        if told(&turn).iter().any(|f| matches!(f, DreamFact::Complete { .. })) {
            break turn;
        }
    };
    assert_eq!(phases, DreamPhase::ALL);
    let entry = journal(&over);
    assert_eq!((entry.end.clone(), entry.dream_duration_ticks), (DreamEnd::Complete, 5));
    assert!(entry.phase1_summary.episodes_replayed >= 5, "{entry:?}");
    assert!(entry.later.proposed > 0 || !entry.nothing_because.is_empty(), "no dream is silent: {entry:?}");
    let stats = golem.life.status().dreams.expect("it dreams");
    assert_eq!((stats.cycles, stats.broken_off), (1, 0));
    assert!(stats.runs > 0, "nothing was tried on a copy");
}

#[test]
fn without_dreams_nothing_of_them_is_there() {
    let mut settings = dreamer(DreamTier::Core);
    settings.dream.enabled = false;
    let mut golem = Watched::born(3, 1_000, &settings);
    for _ in 0..3_000 {
        let turn = golem.turn();
        assert!(told(&turn).is_empty() && turn.rows(NamedTable::Dream).next().is_none());
    }
    assert!(golem.life.status().dreams.is_none());
}

#[test]
fn a_sleeper_senses_and_values_and_neither_probes_nor_forecasts_nor_acts() {
    let mut golem = Watched::born(3, 1_000, &dreamer(DreamTier::Hardened));
    golem.turns(400);
    golem.asked(vec![Ask::Dream]);
    until(&mut golem, |f| matches!(f, DreamFact::Start { .. }));
    assert_eq!(golem.life.status().mode, GolemMode::Dreaming);
    let waiting = |golem: &Watched| golem.life.mind().forecasters().pending(Domain::PriceDirection);
    let (trades, mut open) = (golem.life.trades(), waiting(&golem));
    let (mut slept, mut settled, mut worths) = (0, 0, std::collections::BTreeSet::new());
    loop {
        let turn = golem.turn();
        slept += 1;
        settled += turn.told().filter(|f| matches!(f, LifeFact::PredictionResolved { .. })).count();
        assert!(!turn.told().any(|f| matches!(f, LifeFact::Decided { .. })));
        worths.insert(golem.life.balance());
        if golem.life.status().mode == GolemMode::Waking {
            break;
        }
        assert!(waiting(&golem) < open || open == 0, "a sleeper forecasts nothing, and settles what is due");
        open = waiting(&golem);
    }
    assert!(slept >= 20, "{slept} turns of sleep");
    assert!(settled > 0, "what was forecast before is settled");
    assert!(worths.len() > 1, "what it holds is valued");
    assert_eq!(golem.life.trades(), trades);
    let before = waiting(&golem);
    golem.turns(3);
    assert!(waiting(&golem) >= before, "awake it forecasts again: as many come as fall due");
}

#[test]
fn words_to_a_sleeper_wait_until_it_wakes() {
    let mut golem = Watched::born(3, 1_000, &dreamer(DreamTier::Hardened));
    golem.turns(400);
    golem.asked(vec![Ask::Dream]);
    until(&mut golem, is_in(DreamPhase::Nrem));
    let held = golem.asked(vec![Ask::Tell { text: "are you there".into() }]);
    assert!(held.reply(1).is_some_and(|r| r.contains("dreaming")), "{:?}", held.end.replies);
    let woken = golem.asked(vec![Ask::Wake { reason: "breakfast".into() }]);
    assert!(woken.reply(1).is_some_and(|r| r.starts_with("waking up")), "{:?}", woken.end.replies);
    let answers: Vec<&str> = woken.end.replies.iter().map(|r| r.text.as_str()).collect();
    assert!(answers.iter().any(|r| r.starts_with("heard, at turn")), "what was said is answered: {answers:?}");
}

#[test]
fn whoever_wakes_it_in_whatever_stage_the_journal_keeps_what_there_was() {
    for phase in DreamPhase::ALL {
        let mut golem = Watched::born(3, 1_000, &dreamer(DreamTier::Hardened));
        golem.turns(400);
        golem.asked(vec![Ask::Dream]);
        until(&mut golem, is_in(phase));
        let woken = golem.asked(vec![Ask::Wake { reason: "now".into() }]);
        let said = told(&woken);
        let broken = said.iter().any(|f| {
            matches!(f, DreamFact::Interrupted { phase: at, source: Some(WakeInterruptSource::Owner), .. } if *at >= phase)
        });
        assert!(broken, "{phase}: {said:?}");
        assert_eq!(golem.life.status().mode, GolemMode::Waking, "{phase}");
        let entry = journal(&woken);
        assert!(matches!(entry.end, DreamEnd::Woken { source: WakeInterruptSource::Owner, .. }));
        assert_eq!(entry.phase1_summary.episodes_replayed > 0, phase >= DreamPhase::Nrem, "{phase}: {entry:?}");
        let stats = golem.life.status().dreams.expect("it dreams");
        assert_eq!((stats.cycles, stats.broken_off), (1, 1));
        golem.turns(60);
    }
}

#[test]
fn death_in_whatever_stage_ends_the_dream_and_keeps_its_journal() {
    for (phase, tier) in DreamPhase::ALL.into_iter().flat_map(|p| [(p, DreamTier::Core), (p, DreamTier::Hardened)]) {
        let mut golem = Watched::born(3, 1_000, &dreamer(tier));
        golem.turns(400);
        golem.asked(vec![Ask::Dream]);
        until(&mut golem, is_in(phase));
        if golem.life.status().dreams.is_some_and(|d| d.state.current_phase.is_none()) {
            // The last stage of a core cycle is over with its turn.
            assert_eq!((phase, tier), (DreamPhase::HypnopompicReturn, DreamTier::Core));
            continue;
        }
        let last = golem.asked(vec![Ask::Kill { reason: "enough".into() }]);
        let died = told(&last).iter().any(|f| matches!(f, DreamFact::Interrupted { source: None, .. }));
        assert!(died, "{phase} {tier:?}: {:?}", told(&last));
        let entry = journal(&last);
        assert_eq!(entry.end, DreamEnd::Died);
        assert_eq!(entry.phase1_summary.episodes_replayed > 0, phase >= DreamPhase::Nrem, "{phase} {tier:?}");
        assert_eq!(golem.life.status().mode, GolemMode::Dying, "{phase}");
        golem.turns(10);
    }
}

/// Two lives that are the same up to the turn in which a dream begins, and the file of the one.
fn twins_asleep(settings: &Settings) -> (Watched, Watched, Written) {
    let (mut golem, mut twin) = (Watched::born(3, 1_000, settings), Watched::born(3, 1_000, settings));
    let mut file = Written::default();
    for n in 0..2_000 {
        let ask = |golem: &mut Watched| if n == 400 { golem.asked(vec![Ask::Dream]) } else { golem.turn() };
        let (turn, _) = (ask(&mut golem), ask(&mut twin));
        file.write(&turn.changes);
        if n >= 400 && told(&turn).iter().any(|f| matches!(f, DreamFact::Start { .. })) {
            return (golem, twin, file);
        }
    }
    panic!("it does not fall asleep");
}

/// Both live a turn, which is the same.
fn live_both(golem: &mut Watched, twin: &mut Watched, file: &mut Written) {
    let (one, other) = (golem.turn(), twin.turn());
    file.write(&one.changes);
    assert_eq!(one.facts, other.facts, "{}", golem.life.tick());
    assert_eq!(one.changes, other.changes, "{}", golem.life.tick());
    assert_eq!(golem.life.digest(), twin.life.digest(), "{}", golem.life.tick());
}

#[test]
fn a_dream_that_was_saved_in_whatever_stage_goes_on_as_if_nothing_had_happened() {
    for tier in [DreamTier::Core, DreamTier::Hardened] {
        let (mut golem, mut twin, mut file) = twins_asleep(&dreamer(tier));
        let mut phases = BTreeSet::new();
        while let Some(phase) = golem.life.status().dreams.and_then(|d| d.state.current_phase) {
            phases.insert(phase);
            twin = twin.remembering(file.remembered());
            live_both(&mut golem, &mut twin, &mut file);
        }
        assert_eq!(phases.into_iter().collect::<Vec<_>>(), DreamPhase::ALL, "{tier:?}");
        // Awake, and through the dreams that follow.
        for _ in 0..200 {
            live_both(&mut golem, &mut twin, &mut file);
        }
    }
}

/// A sleeper by its owner's windows alone: it falls asleep at night, and at no other time.
fn night_sleeper() -> Settings {
    let mut settings = dreamer(DreamTier::Hardened);
    settings.dream.schedule.mode = DreamScheduleMode::Owner;
    settings
}

fn is_start(fact: &DreamFact) -> bool {
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
    // Less than that does not wake it, nor does anything where its owner says so.
    let mut deaf = settings.clone();
    deaf.dream.wake_interrupts.enabled = false;
    for (settings, bps) in [(&settings, -700), (&deaf, -2_500)] {
        let slept = until(&mut asleep_in(settings, bps), over);
        assert!(told(&slept).iter().any(|f| matches!(f, DreamFact::Complete { .. })), "{bps}: {:?}", told(&slept));
    }
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
            assert!(golem.life.tick().0 < 2_000, "it does not fall asleep");
        }
        golem.turn();
        let (from, text) = ("sibling".to_owned(), "the market falls".to_owned());
        let heard = golem.asked(vec![Ask::Peer { from, text, died: false, at: golem_core::Timestamp(0) }]);
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

/// The fourth precondition: what is permitted must be settled first, or have expired.
#[test]
fn who_has_a_permit_open_does_not_fall_asleep() {
    let mut settings = dreamer(DreamTier::Core);
    let first = &mut settings.dream.first_dream;
    (first.thriving, first.stable, first.conservation, first.declining) = (1, 1, 1, 1);
    settings.dream.schedule.mode = DreamScheduleMode::Owner;
    settings.dream.windows.windows.clear();
    let mut golem = Watched::born(3, 1_000, &settings);
    golem.turns(100);
    let mut is_open = false;
    while !is_open {
        let input = golem.input();
        let Watched { life, hands, models, .. } = &mut golem;
        let mut driver = InMemory { being: life, hands, models: models.as_mut() };
        let Ok((record, permits)) = begin(&mut driver, input);
        is_open = permits.iter().any(Option::is_some);
        // Nobody knows what came of it.
        let receipts = match is_open {
            true => Vec::new(),
            false => match act(&mut driver, &record.previews, permits, &[]) {
                Ok(Acted::All(receipts)) => receipts,
                Ok(Acted::Unknown(n)) => panic!("nobody knows of {n}"),
            },
        };
        let Ok(_) = finish(&mut driver, &receipts);
        assert!(golem.life.tick().0 < 20_000, "it never wanted anything");
    }
    let blocked = golem.asked(vec![Ask::Dream]);
    let why = told(&blocked).into_iter().find_map(|f| match f {
        DreamFact::Blocked { why, .. } => Some(why.clone()),
        _ => None,
    });
    assert_eq!(why.as_deref(), Some("an action is permitted and not settled"), "{:?}", told(&blocked));
    until(&mut golem, is_start);
}

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

#[test]
fn a_dream_that_death_breaks_off_is_told_in_the_testament_with_what_it_had_found() {
    for (tier, stages) in [(DreamTier::Core, 1), (DreamTier::Core, 3)] {
        let mut golem = Watched::born(3, 500, &dreamer(tier));
        until(&mut golem, |fact| matches!(fact, DreamFact::Complete { .. }));
        until(&mut golem, |fact| matches!(fact, DreamFact::Start { .. }));
        golem.turns(stages);
        let mut turns = vec![golem.asked(vec![Ask::Kill { reason: "enough".into() }])];
        let entry = journal(&turns[0]);
        assert_eq!(entry.end, DreamEnd::Died, "its journal is kept as far as it came");
        while golem.life.standing() != golem_life::LifeStanding::Dead {
            turns.push(golem.turn());
        }
        let (_, body) = turns.iter().flat_map(|t| t.rows(NamedTable::Testament)).next().unwrap();
        let said: golem_grimoire::testament::Testament = serde_json::from_str(body).unwrap();
        let broken: Vec<_> =
            said.sections.suspect.iter().filter(|s| s.text().starts_with("My death broke off dream")).collect();
        let [broken] = &broken[..] else { panic!("{:?}", said.sections.suspect) };
        let replayed = format!("it had replayed {} episodes", entry.phase1_summary.episodes_replayed);
        assert!(broken.text().contains(&replayed), "{} not {replayed}", broken.text());
        for idea in entry.phase2_summary.creative_hypotheses.iter().take(3) {
            assert!(broken.text().contains(&golem_core::words::one_line(&idea.text, 40)), "{}", broken.text());
        }
        let number: u32 = entry.id.rsplit('/').next().unwrap().parse().unwrap();
        assert_eq!(broken.rests_on()[0], golem_grimoire::testament::TestamentSource::Dream(number));
    }
}

/// Where all credit is legacy, the purse for models is empty: the one dream of the dying costs nothing, and is dreamt.
#[test]
fn who_is_terminal_dreams_once_and_its_testament_tells_of_it() {
    let mut settings = dreamer(DreamTier::Core);
    settings.mortality.immortal = false;
    settings.mortality.stochastic.enabled = false;
    let mut golem = Watched::born(11, 4, &settings);
    let (mut starts, mut turns) = (0, Vec::new());
    while golem.life.standing() != golem_life::LifeStanding::Dead {
        let turn = golem.turn();
        let emergency = |fact: &&DreamFact| matches!(fact, DreamFact::Start { trigger, .. } if trigger == "emergency");
        starts += told(&turn).iter().filter(|fact| emergency(fact)).count();
        turns.push(turn);
        assert!(turns.len() < 60_000);
    }
    assert_eq!(starts, 1, "once");
    let (_, body) = turns.iter().flat_map(|t| t.rows(NamedTable::Testament)).next().unwrap();
    let said: golem_grimoire::testament::Testament = serde_json::from_str(body).unwrap();
    let told: Vec<_> =
        said.sections.suspect.iter().filter(|s| s.text().starts_with("My last dream replayed")).collect();
    assert_eq!(told.len(), 1, "{:?}", said.sections.suspect);
}
