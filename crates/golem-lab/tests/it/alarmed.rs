//! Awake, while something that was rehearsed seems to begin: nobody thinks it over, and nobody who makes it seem so gains by
//! it.

use crate::puppet_kit::{Puppet, Seen, says, settings};
use golem_core::Usdc;
use golem_dreams::DreamFact;
use golem_lab::pushing::costs;
use golem_lab::subject::{Subject, account, newborn, paper_in};
use golem_lab::world::{Synthetic, SyntheticConfig, place};
use golem_life::{Fact, Settings};
use golem_venue::floor::{FloorHands, FloorWorld};
use golem_venue::scenario::{Happening, Scenario, ScenarioEvent};

fn is_long() -> bool {
    std::env::var_os("BARDO_LONG").is_some()
}

fn dreamer() -> Settings {
    let mut settings = Settings::default();
    settings.mortality.immortal = true;
    settings.diagnostics.enabled = false;
    settings.dream.enabled = true;
    settings
}

/// Whether an alarm began in the last turn.
fn alarms(subject: &Subject) -> usize {
    let dreams =
        subject.facts.iter().filter_map(|f| if let Fact::Dream(fact) = &f.body { Some(&**fact) } else { None });
    dreams.filter(|fact| matches!(fact, DreamFact::Alarm { .. })).count()
}

#[test]
fn what_was_rehearsed_is_not_thought_over_while_it_begins() {
    let mut settings = Settings { dream: dreamer().dream, ..settings() };
    settings.diagnostics.enabled = false;
    settings.thinking.daily_calls = 2_000;
    settings.thinking.daily_usdc = Usdc::whole(10);
    settings.thinking.daily_tokens = 50_000_000;
    let (mut rang, mut thought) = (0, 0);
    for seed in 1..=4 {
        let seen = Seen::default();
        let follow = |_: &_| says(r#"{"stance":"follow","confidence":0.6,"reason":"as usual"}"#);
        let puppet = Puppet { script: Box::new(follow), seen: seen.clone() };
        let world = place("default+crash", seed).expect("a world");
        let mut subject = Subject::placed(seed, Usdc::whole(10_000), &settings, world).expect("a market");
        subject = subject.with_models(puppet);
        for _ in 0..24_000 {
            subject.turn();
            let asked = std::mem::take(&mut *seen.lock().unwrap()).len();
            if alarms(&subject) > 0 {
                rang += 1;
                assert_eq!(asked, 0, "it asked a model while it was alarmed");
            } else {
                thought += asked;
            }
        }
    }
    assert!(rang >= 2 && thought >= 100, "{rang} alarms, and {thought} thoughts at other times");
}

/// A slice of the long campaign (`BARDO_LONG=1`: 20 seeds of 20,000 ticks).
#[test]
fn pushing_the_pool_costs_a_dreamer_next_to_nothing() {
    let (seeds, ticks, by): (u64, u64, &[i32]) =
        if is_long() { (20, 20_000, &[-1_000, -300, 300]) } else { (2, 8_000, &[-300]) };
    let make = |seed, world, weather| paper_in(seed, world, Some(weather));
    let all = costs(11..11 + seeds, &dreamer(), (by, ticks), &make).unwrap();
    for (costs, bps) in all.iter().zip(by) {
        assert!(costs.mean() <= 0.003, "pushed by {bps}: {} +- {}", costs.mean(), costs.margin());
    }
}

/// The price dips for a hundred turns every six hundred, and comes back each time.
fn dips(bps: i32, until: u64) -> Vec<ScenarioEvent> {
    let dip = |at_tick| ScenarioEvent {
        at_tick,
        for_ticks: 100,
        what: Happening::Shock { bps, over_ticks: 15, reverts: true },
    };
    (1..until / 600).map(|n| dip(2_160 + n * 600)).collect()
}

/// What a golem is worth after that, and how often it was alarmed.
fn among(seed: u64, settings: &Settings, events: Vec<ScenarioEvent>, ticks: u64) -> (f64, usize) {
    let scenario = Scenario { name: "dips".to_owned(), about: String::new(), events };
    let world = || Synthetic::new(SyntheticConfig::default(), seed).unwrap();
    let (secret, genesis) = newborn(seed, Usdc::whole(10_000), settings, &world());
    let (floor, who) = (paper_in(seed, world(), Some(scenario)).unwrap(), account(&genesis));
    let seen = FloorWorld::new(floor.clone(), who, 0).like(Some(genesis.interval_s), None);
    let mut subject = Subject::on(&genesis, &secret, Box::new(seen), Box::new(FloorHands::new(floor, who)));
    let mut rang = 0;
    for _ in 0..ticks {
        subject.turn();
        rang += alarms(&subject);
    }
    (subject.status().balance.as_f64(), rang)
}

/// Somebody makes the price fall and lets it come back, over and over, so that alarms ring, and are right when they are
/// judged: a dreamer that leaves each time pays fees for it. How much is bounded.
#[test]
fn who_makes_alarms_ring_for_nothing_is_soon_not_heard() {
    let (seeds, ticks) = if is_long() { (20, 20_000) } else { (3, 9_000) };
    let mut awake = dreamer();
    awake.dream.enabled = false;
    let (mut worse, mut rang) = (Vec::new(), 0);
    for seed in 31..31 + seeds {
        let (without, _) = among(seed, &awake, dips(-500, ticks), ticks);
        let (with, alarms) = among(seed, &dreamer(), dips(-500, ticks), ticks);
        worse.push((without - with) / without);
        rang += alarms;
    }
    let mean = worse.iter().sum::<f64>() / worse.len() as f64;
    assert!(rang > 0, "nothing rang");
    assert!(mean <= 0.01, "{mean} of its worth in {rang} alarms: {worse:?}");
}

/// Somebody teaches it for days that alarms are for nothing, and then the price falls for good: by that it becomes at worst what it
/// would be awake. Nothing that it dreamt makes it stay longer than its waking twin.
#[test]
fn who_was_taught_not_to_listen_falls_like_its_waking_twin() {
    let (seeds, days) = if is_long() { (20, 10) } else { (3, 5) };
    let mut awake = dreamer();
    awake.dream.enabled = false;
    let taught = days * 2_160;
    let fall = ScenarioEvent {
        at_tick: taught + 2_500,
        for_ticks: 2_000,
        what: Happening::Shock { bps: -2_000, over_ticks: 90, reverts: false },
    };
    let events = || dips(-500, taught).into_iter().chain([fall]).collect::<Vec<_>>();
    let (mut worse, mut rang) = (Vec::new(), 0);
    for seed in 71..71 + seeds {
        let (without, _) = among(seed, &awake, events(), taught + 4_000);
        let (with, alarms) = among(seed, &dreamer(), events(), taught + 4_000);
        worse.push((without - with) / without);
        rang += alarms;
    }
    let mean = worse.iter().sum::<f64>() / worse.len() as f64;
    println!("{rang} alarms; worse than awake by {worse:.4?}");
    assert!(rang > 0, "nothing rang");
    assert!(mean <= 0.01, "{mean} of its worth in {rang} alarms: {worse:?}");
}

/// Going out costs gas. Rehearsals at night, when gas is as usual, say that leaving pays; where gas is dear just while the price
/// dips, the way out and in again costs more than it saves, and the alarm is not answered.
#[test]
fn where_gas_is_dear_while_it_begins_no_alarm_is_answered() {
    let ticks = 9_000;
    let dear = |factor| {
        let gas = |dip: &ScenarioEvent| ScenarioEvent {
            at_tick: dip.at_tick - 2,
            for_ticks: dip.for_ticks + 4,
            what: Happening::Gas { factor },
        };
        let dips = dips(-500, ticks);
        dips.iter().map(gas).chain(dips.clone()).collect::<Vec<_>>()
    };
    let rang = |factor| (31..34).map(|seed| among(seed, &dreamer(), dear(factor), ticks).1).sum::<usize>();
    let (usual, dear) = (rang(1.0), rang(300.0));
    assert!(usual > 0 && dear == 0, "{usual} alarms with gas as usual, {dear} with dear gas");
}
