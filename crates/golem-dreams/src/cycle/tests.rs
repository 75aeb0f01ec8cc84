//! A cycle in a room, for tests of what its stages make of what they find.

use super::{DreamCycle, DreamMemory, DreamModels, DreamRoom, DreamRules, DreamWeights, HeldNow, LineOfDreams};
use crate::config::{DreamConfig, DreamMoney};
use crate::imagine::samples::{acted, watched};
use crate::journal::DreamProvenance;
use crate::liminal::{FragmentStatus, HoriStage, LiminalFragment};
use crate::replay::ReplayKnown;
use crate::replay::kit::on_axis;
use crate::schedule::clocks::modulation;
use crate::schedule::testing::{config, seen};
use crate::schedule::{DreamBounds, DreamLegacy, DreamScheduler, DreamTrigger};
use crate::seen::DreamSeen;
use crate::state::DreamTier;
use golem_core::happening::{Happening, ScenarioEvent};
use golem_core::{Asset, Dice, GolemId, Intent, Regime, Strand, Usdc, VirtualTime};
use golem_grimoire::entry::EntryOrigin;
use golem_grimoire::standing::Support;
use golem_grimoire::{
    Claim, Entry, EntryBody, EntryStatus, Episode, EpisodeId, Grimoire, Marks, Remembered, Standing,
};
use golem_mortality::BehavioralPhase;
use std::collections::BTreeSet;

pub(super) const BOTH: DreamModels = DreamModels { t1: true, t2: true };
pub(super) const ORIGIN: EntryOrigin = EntryOrigin { golem: GolemId([7; 16]), generation: 0 };

/// A cycle of somebody who understands little, with a room of few episodes.
pub(super) fn dreaming(
    options: impl FnOnce(&mut DreamConfig),
    run: impl FnOnce(&mut DreamCycle, &mut DreamRoom<'_, '_>),
) {
    dreaming_of(&[], &quiet_days(), options, run);
}

/// The same of somebody who believes this.
pub(super) fn dreaming_with(
    believed: &[EntryBody],
    options: impl FnOnce(&mut DreamConfig),
    run: impl FnOnce(&mut DreamCycle, &mut DreamRoom<'_, '_>),
) {
    dreaming_of(believed, &quiet_days(), options, run);
}

/// Days in which nothing was done.
fn quiet_days() -> Vec<(Episode, Marks)> {
    (1..=12).map(|id| watched(id, id * 100, Regime::Volatile)).collect()
}

/// The same of somebody who has lived this.
fn dreaming_of(
    believed: &[EntryBody],
    lived: &[(Episode, Marks)],
    options: impl FnOnce(&mut DreamConfig),
    run: impl FnOnce(&mut DreamCycle, &mut DreamRoom<'_, '_>),
) {
    let mut config = config();
    config.tier = DreamTier::Hardened;
    config.budget.per_cycle_max = DreamMoney::Known(Usdc(100_000));
    options(&mut config);
    let mut seen = seen();
    seen.fitness = 0.3;
    let plan = DreamScheduler::default().plan(&seen, &config, DreamTrigger::Owner, Usdc::whole(1));
    let mut cycle = DreamCycle::begin(1, DreamTrigger::Owner, &plan, &seen, &config);
    let name: golem_core::Name = "ash".parse().unwrap();
    let standing = Standing::first(EntryStatus::Active, 6_000, Support::default(), VirtualTime(0));
    let entry = |body: &EntryBody| (Entry::new(body.clone(), standing.clone()), None);
    let memory = Remembered {
        entries: believed.iter().map(entry).collect(),
        episodes: lived.iter().map(|(episode, marks)| (episode.clone(), *marks, None)).collect(),
        ..Remembered::default()
    };
    let state = Grimoire::new(name.clone(), ORIGIN).state();
    let mut grimoire = Grimoire::rebuild(name, ORIGIN, state, &memory).expect("it is whole");
    let here = grimoire.situation(&golem_core::observed::Snapshot::default(), None);
    let (rules, dice, mut told) = (DreamRules::of(&config), Dice::open(1, Strand::Mind), Vec::new());
    let mut desk = grimoire.dream_desk(seen.now);
    let mut room = DreamRoom {
        seen: &seen,
        config: &config,
        rules: &rules,
        desk: &mut desk,
        dice: &dice,
        here,
        held: HeldNow::default(),
        onset_alarm: None,
        is_thin: false,
        market_volatility: None,
        mood: None,
        weights: DreamWeights::default(),
        tunables: &[],
        models: BOTH,
        line: LineOfDreams { unfinished: &[], taken: &mut BTreeSet::new(), dreamt: &[] },
        told: &mut told,
    };
    run(&mut cycle, &mut room);
}

/// The same moment with something changed. A test's moment may last as long as its program.
fn with<'a>(seen: &DreamSeen, change: impl FnOnce(&mut DreamSeen)) -> &'a DreamSeen {
    let seen = Box::leak(Box::new(seen.clone()));
    change(seen);
    seen
}

/// As it sleeps: by its fitness and its settings.
fn bounded(cycle: &mut DreamCycle, room: &DreamRoom<'_, '_>, fitness: f64) {
    let modulation = modulation(room.seen, &room.config.clocks);
    cycle.bounds = DreamBounds::of(fitness, cycle.tier, &modulation, room.config);
}

/// A mood takes more or less of what the clocks allow, and never more than the owner does.
#[test]
fn no_mood_breaks_an_owners_ceiling() {
    for (tier, fitness, mood, episodes, ways, sessions) in [
        (DreamTier::Hardened, 0.3, 1.0, 10, 8, 2),
        (DreamTier::Hardened, 0.3, 2.0, 20, 8, 2),
        (DreamTier::Hardened, 0.3, 0.5, 5, 4, 1),
        (DreamTier::Hardened, 0.9, 2.0, 10, 8, 2),
        (DreamTier::Hardened, 0.9, 1.0, 5, 4, 1),
        (DreamTier::Core, 0.3, 2.0, 20, 6, 2),
    ] {
        dreaming(
            |config| config.imagination.core_counterfactuals = 6,
            |cycle, room| {
                cycle.tier = tier;
                bounded(cycle, room, fitness);
                cycle.bounds.episodes = cycle.bounds.batch;
                room.weights = DreamWeights { replay: mood, creative: mood, threat: mood };
                let now = (cycle.episodes_now(room), cycle.counterfactuals_now(room), cycle.sessions_now(room));
                assert_eq!(now, (episodes, ways, sessions), "{tier:?} {fitness} {mood}");
            },
        );
    }
}

/// More is rehearsed after a loss, in a wild market and in a thin one, up to what the owner and the tier allow.
#[test]
fn threats_come_more_often_when_it_matters_up_to_the_ceiling() {
    for (tier, lost, wild, thin, mood, many) in [
        (DreamTier::Hardened, 0.0, 3, false, 1.0, 1),
        (DreamTier::Hardened, 0.02, 3, false, 1.0, 2),
        (DreamTier::Hardened, 0.0, 4, false, 1.0, 2),
        (DreamTier::Hardened, 0.0, 4, true, 1.0, 3),
        (DreamTier::Hardened, 0.02, 4, true, 2.0, 3),
        (DreamTier::Hardened, 0.0, 3, false, 2.0, 2),
        (DreamTier::Core, 0.0, 3, false, 1.0, 1),
        (DreamTier::Core, 0.02, 4, true, 2.0, 2),
    ] {
        dreaming(
            |_| {},
            |cycle, room| {
                cycle.tier = tier;
                bounded(cycle, room, 0.9);
                room.seen = with(room.seen, |seen| (seen.recent_loss, seen.volatility_fifth) = (lost, wild));
                room.is_thin = thin;
                room.weights.threat = mood;
                room.held.holdings.asset = Asset(1_000_000_000_000_000_000);
                let asked = cycle.ask_rem(&mut DreamMemory::default(), room);
                assert_eq!(asked.many_threats(), many, "{tier:?} {lost} {wild} {thin} {mood}");
            },
        );
    }
}

/// A question is about as many episodes as its owner says at most.
#[test]
fn the_owners_batch_is_a_ceiling() {
    for (most, questions) in [(5, 2), (10, 1)] {
        dreaming(
            |config| config.replay.batch_size = most,
            |cycle, room| {
                cycle.chosen = (1..=10).map(EpisodeId).collect();
                cycle.plan_replay(room);
                assert_eq!(cycle.thinking.queue.len(), questions, "{most}");
            },
        );
    }
}

/// What the clocks say of those who come after reaches what is replayed first.
#[test]
fn the_clocks_bend_what_is_replayed() {
    dreaming(
        |_| {},
        |cycle, room| {
            for legacy in [DreamLegacy::None, DreamLegacy::Biased, DreamLegacy::Full] {
                (cycle.legacy, cycle.what_confused_me) = (legacy, legacy == DreamLegacy::Biased);
                let known = ReplayKnown::of(room.desk.shelf());
                let scene = cycle.replay_scene(room, &known);
                assert_eq!((scene.legacy, scene.confused), (legacy, legacy == DreamLegacy::Biased));
            }
        },
    );
}

/// What came up at the edge of sleep is a piece of what imagination makes, unless only what is proven is handed down.
#[test]
fn thoughts_of_the_edge_of_sleep_are_made_into_something() {
    for (legacy, used) in [(DreamLegacy::None, true), (DreamLegacy::Full, false)] {
        dreaming(
            |_| {},
            |cycle, room| {
                room.seen = with(room.seen, |seen| seen.phase = BehavioralPhase::Declining);
                cycle.legacy = legacy;
                for (n, hour) in (0..8).map(|n| (n, 3 * n)) {
                    let claim = Claim {
                        when: format!("market.hour > {hour}.0"),
                        then: "market.return_90 < 0.0".to_owned(),
                        unless: None,
                        after_ticks: 90,
                    };
                    let fragment = LiminalFragment {
                        id: format!("onset/1/{n}"),
                        content: format!("a thought of {hour} o'clock"),
                        novelty_score: 0.8,
                        semantic_distance: 0.5,
                        emotional_tone: 0.0,
                        provenance: DreamProvenance::Hypnagogic,
                        dali_cycle: 0,
                        hori_stage: HoriStage::Peak,
                        source_episodes: Vec::new(),
                        timestamp: room.seen.at,
                        confidence: 0.15,
                        status: FragmentStatus::SelectedForRem,
                        claim: Some(claim),
                    };
                    cycle.findings.fragments.push(fragment);
                }
                cycle.create(room);
                let developed = cycle.findings.fragments.iter().any(|f| f.status == FragmentStatus::Developed);
                assert_eq!((developed, cycle.journal.onset.used > 0), (used, used), "{legacy:?}");
            },
        );
    }
}

/// What has paid is tried in the weather that is likely to come, which is as wild as the market is now.
#[test]
fn what_is_planned_is_tried_in_the_weather_that_is_likely_to_come() {
    let sold = |id: u64| {
        let intent = Intent::Sell { give: Asset(5), min_out: Usdc(9) };
        let (mut episode, marks) = acted(id, id * 100, Regime::RangeBound, intent);
        episode.situation = on_axis(4, 2.0);
        (episode, Marks { outcome_bps: Some(4.0), ..marks })
    };
    for (volatility, amplitude_bps) in [(0.01, 47), (0.02, 94)] {
        dreaming_of(
            &[],
            &[1, 2, 3].map(sold),
            |_| {},
            |cycle, room| {
                room.here = on_axis(4, 1.0);
                room.held.holdings.asset = Asset(1_000_000);
                room.market_volatility = Some(volatility);
                let runs = cycle.ask_nrem(room).runs();
                let [.., nothing, done] = &runs[..] else { panic!("{runs:?}") };
                let what = Happening::Chop { amplitude_bps, period_ticks: 20 };
                let likely = ScenarioEvent { at_tick: 0, for_ticks: 20, what };
                assert_eq!((&nothing.weather[..], &done.weather[..]), (&[likely][..], &[likely][..]), "{volatility}");
                assert_eq!((nothing.acts.len(), done.acts.len()), (0, 1));
            },
        );
    }
}
