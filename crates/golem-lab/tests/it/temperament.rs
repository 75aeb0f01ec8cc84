//! Temperament: drawn at birth from a golem's own dice where the owner wishes, so that a fleet is not one golem many times.

use crate::life_kit::Watched;
use golem_core::Usdc;
use golem_daimon::affect::{FURTHEST_TEMPERAMENT, Pad, Temperament};
use golem_grimoire::Remembered;
use golem_lab::Subject;
use golem_lab::subject::{account, floor_of, newborn};
use golem_lab::world::place;
use golem_life::{Being, LifeFact, Settings};
use golem_venue::floor::{FloorHands, FloorWorld};
use std::collections::BTreeSet;

fn settings(temperament: Temperament) -> Settings {
    let mut settings = Settings::default();
    settings.mortality.immortal = true;
    settings.diagnostics.enabled = false;
    settings.mortality.affect.temperament = temperament;
    settings
}

/// A golem with dice of its own in a world that is the same for all.
fn sibling(world: &str, seed: u64, settings: &Settings) -> Subject {
    let there = place(world, 5).expect("a world");
    let (secret, genesis) = newborn(seed, Usdc::whole(500), settings, &there.world);
    let (floor, who) = (floor_of(5, there.world, there.market, None).expect("a market"), account(&genesis));
    let seen = FloorWorld::new(floor.clone(), who, 0).like(Some(genesis.interval_s), None);
    Subject::on(&genesis, &secret, Box::new(seen), Box::new(FloorHands::new(floor, who)))
}

/// What is told at birth.
fn told_at_birth(seed: u64, settings: &Settings) -> Option<Pad> {
    let turn = Watched::born(seed, 500, settings).turn();
    let told = turn.told().find_map(|fact| match fact {
        LifeFact::Born { temperament, .. } => Some(*temperament),
        _ => None,
    });
    told.expect("it is born in its first turn")
}

#[test]
fn a_seed_has_one_temperament_and_others_have_others() {
    let drawn = settings(Temperament::Drawn);
    let all: Vec<Pad> = (0..200).map(|seed| told_at_birth(seed, &drawn).expect("drawn")).collect();
    for (seed, pad) in all.iter().enumerate().step_by(20) {
        assert_eq!(told_at_birth(seed as u64, &drawn), Some(*pad), "the same seed, the same temperament");
    }
    for (n, pad) in all.iter().enumerate() {
        assert!(all[..n].iter().all(|other| other != pad), "{pad} twice");
    }
    for axis in [Pad::pleasure, Pad::arousal, Pad::dominance] {
        let most = all.iter().map(|pad| axis(*pad).abs()).fold(0.0, f64::max);
        assert!(most <= FURTHEST_TEMPERAMENT && most > 0.9 * FURTHEST_TEMPERAMENT, "{most}");
    }
    assert_eq!(told_at_birth(1, &settings(Temperament::Given)), None);
}

#[test]
fn it_is_kept_over_a_restart_and_shown() {
    let mut drawn = settings(Temperament::Drawn);
    drawn.grimoire.enabled = false;
    let (mut through, mut again) = (Watched::born(3, 500, &drawn), Watched::born(3, 500, &drawn));
    through.turns(400);
    again.turns(200);
    let shown = |golem: &Watched| golem.life.status().affect.and_then(|a| a.temperament);
    let born = shown(&again).expect("shown");
    let mut again = again.remembering(Remembered::default());
    assert_eq!(shown(&again), Some(born));
    again.turns(200);
    assert_eq!(through.life.status(), again.life.status());
}

/// How far feelings let it try what is new, turn by turn, as a mean over a life.
fn mean_exploration(mut golem: Subject, turns: u64) -> f64 {
    let felt = (0..turns).map(|_| {
        golem.turn();
        golem.status().affect.expect("it feels").channels.exploration
    });
    felt.sum::<f64>() / turns as f64
}

/// Twenty golems in one world: given, they feel as one golem twenty times; drawn, they are twenty.
#[test]
fn a_drawn_fleet_feels_differently_in_one_world() {
    let fleet = |temperament| {
        let settings = settings(temperament);
        (0..20).map(|seed| mean_exploration(sibling("default", seed, &settings), 600)).collect::<Vec<f64>>()
    };
    let spread = |all: &[f64]| {
        let mean = all.iter().sum::<f64>() / all.len() as f64;
        (all.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / all.len() as f64).sqrt()
    };
    let [given, drawn] = [Temperament::Given, Temperament::Drawn].map(fleet);
    assert!(spread(&drawn) > 0.01 && spread(&given) < 0.1 * spread(&drawn), "{} {}", spread(&given), spread(&drawn));
    let mut kinds = drawn.clone();
    kinds.sort_by(f64::total_cmp);
    kinds.dedup();
    assert!(kinds.len() >= 10, "at least ten ways to feel about one market: {kinds:?}");
}

/// Whoever likes to try leans further on its own hunches, and that is money: what they end with after twelve days differs.
#[test]
fn a_drawn_fleet_acts_differently_in_one_world() {
    let kinds = |temperament| {
        let settings = settings(temperament);
        let ends_with = |seed| {
            let mut golem = sibling("contagion", seed, &settings);
            golem.turns(12 * 2_160);
            golem.status().balance
        };
        (0..6).map(ends_with).collect::<BTreeSet<Usdc>>()
    };
    let [given, drawn] = [Temperament::Given, Temperament::Drawn].map(kinds);
    assert!(drawn.len() >= 5 && given.len() < drawn.len(), "{given:?} {drawn:?}");
}
