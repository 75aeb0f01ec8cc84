//! Dreams in a life: their stages and turns, what breaks them off, what a sleeper does and does not do, and that a dream is
//! lived again as it was.

use crate::life_kit::{Turn, Watched};
use golem_dreams::journal::{DreamEnd, DreamJournalEntry, WakeInterruptSource};
use golem_dreams::{DreamFact, DreamPhase, DreamTier};
use golem_grimoire::change::NamedTable;
use golem_life::{Ask, Being, Fact, Life, LifeFact, Settings};
use golem_mortality::{Domain, GolemMode};

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
            continue;
        }
        let last = golem.asked(vec![Ask::Kill { reason: "enough".into() }]);
        let died = told(&last).iter().any(|f| matches!(f, DreamFact::Interrupted { source: None, .. }));
        assert!(died || phase == DreamPhase::HypnopompicReturn || phase == DreamPhase::Integration, "{phase} {tier:?}");
        if died {
            assert_eq!(journal(&last).end, DreamEnd::Died);
        }
        assert_eq!(golem.life.status().mode, GolemMode::Dying, "{phase}");
        golem.turns(10);
    }
}

#[test]
fn a_dream_that_was_saved_in_whatever_stage_goes_on_as_if_nothing_had_happened() {
    for tier in [DreamTier::Core, DreamTier::Hardened] {
        let settings = dreamer(tier);
        let mut golem = Watched::born(3, 1_000, &settings);
        golem.turns(400);
        golem.asked(vec![Ask::Dream]);
        until(&mut golem, |f| matches!(f, DreamFact::Start { .. }));
        let mut phases = 0;
        while golem.life.status().dreams.is_some_and(|d| d.state.current_phase.is_some()) {
            let saved = golem.life.save();
            let (genesis, secret) = golem.origin();
            // The memory's rows are the file's business: what is asked here is the state of the dream itself.
            let again = Life::restore(genesis, secret, &saved, golem_grimoire::Remembered::default()).expect("it fits");
            let seen = |life: &Life| {
                let mut dreams = life.status().dreams.expect("it dreams");
                dreams.state.episode_count = 0;
                dreams
            };
            assert_eq!(seen(&again), seen(&golem.life), "{tier:?}");
            phases += 1;
            golem.turn();
        }
        assert!(phases >= 5, "{phases}");
    }
}

#[test]
fn a_market_that_moves_by_a_tenth_within_five_minutes_wakes_it() {
    let mut settings = dreamer(DreamTier::Hardened);
    settings.dream.wake_interrupts.market_thresholds[0].change_percent = 0.01;
    let mut golem = Watched::born(3, 1_000, &settings);
    golem.turns(400);
    golem.asked(vec![Ask::Dream]);
    let woken = until(&mut golem, |f| matches!(f, DreamFact::Interrupted { .. }));
    let by_market =
        |f: &&DreamFact| matches!(f, DreamFact::Interrupted { source: Some(WakeInterruptSource::MarketThreshold), .. });
    assert!(told(&woken).iter().any(by_market), "{:?}", told(&woken));
    settings.dream.wake_interrupts.enabled = false;
    let mut golem = Watched::born(3, 1_000, &settings);
    golem.turns(400);
    golem.asked(vec![Ask::Dream]);
    until(&mut golem, |f| matches!(f, DreamFact::Complete { .. }));
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
