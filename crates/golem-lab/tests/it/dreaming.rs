//! Dreams in a life: their stages and turns, what breaks them off, what a sleeper does and does not do, and that a dream is
//! lived again as it was.

use crate::life_kit::{Turn, Watched, Written};
use golem_dreams::journal::{DreamEnd, DreamJournalEntry};
use golem_dreams::{DreamFact, DreamPhase, DreamTier};
use golem_grimoire::change::NamedTable;
use golem_life::{Ask, Being, Fact, LifeFact, Settings};
use golem_mortality::{Domain, GolemMode};
use std::collections::BTreeSet;

/// A golem that dreams soon: the first dream waits for few episodes.
pub(crate) fn dreamer(tier: DreamTier) -> Settings {
    let mut settings = Settings::default();
    settings.mortality.immortal = true;
    settings.diagnostics.enabled = false;
    settings.dream.enabled = true;
    settings.dream.tier = tier;
    let first = &mut settings.dream.first_dream;
    (first.thriving, first.stable, first.conservation, first.declining) = (20, 20, 20, 20);
    settings
}

pub(crate) fn told(turn: &Turn) -> Vec<&DreamFact> {
    let dreams = turn.facts.iter().filter_map(|f| if let Fact::Dream(fact) = &f.body { Some(&**fact) } else { None });
    dreams.collect()
}

/// Live until a turn in which a dream says this.
pub(crate) fn until(golem: &mut Watched, is: impl Fn(&DreamFact) -> bool) -> Turn {
    for _ in 0..20_000 {
        let turn = golem.turn();
        if told(&turn).into_iter().any(&is) {
            return turn;
        }
    }
    panic!("nothing of the kind was dreamt");
}

pub(crate) fn journal(turn: &Turn) -> DreamJournalEntry {
    let (_, body) = turn.rows(NamedTable::Dream).next().expect("a journal entry");
    serde_json::from_str(body).expect("it can be read")
}

pub(crate) fn is_in(phase: DreamPhase) -> impl Fn(&DreamFact) -> bool {
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
    let (mut slept, mut settled, mut worths) = (0, 0, BTreeSet::new());
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
    for n in 0..2_500 {
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
