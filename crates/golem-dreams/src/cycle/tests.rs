//! A cycle in a room, for tests of what its stages make of what they find.

use super::thinking::PlannedAsk;
use super::{DreamCycle, DreamMemory, DreamModels, DreamRoom, DreamRules, DreamWeights, HeldNow, LineOfDreams};
use crate::ask::DreamQuestion;
use crate::config::{DreamConfig, DreamMoney, DreamPhasesConfig, ReplayPrioritization};
use crate::fact::DreamFact;
use crate::imagine::samples::{acted, buy, gained, watched};
use crate::journal::{DreamEnd, DreamProvenance};
use crate::liminal::{FragmentStatus, HoriStage, LiminalFragment};
use crate::replay::ReplayKnown;
use crate::replay::kit::on_axis;
use crate::schedule::clocks::modulation;
use crate::schedule::testing::{config, seen};
use crate::schedule::{DreamBounds, DreamLegacy, DreamScheduler, DreamTrigger};
use crate::seen::DreamSeen;
use crate::state::{DreamPhase, DreamTier};
use golem_core::door::ForkFrom;
use golem_core::happening::{Happening, ScenarioEvent};
use golem_core::{Asset, Dice, GolemId, Intent, Point, Regime, Strand, Tick, Usdc, VirtualTime};
use golem_grimoire::entry::EntryOrigin;
use golem_grimoire::series::MinedClaim;
use golem_grimoire::standing::Support;
use golem_grimoire::{Claim, Entry, EntryBody, EntryStatus, Episode, EpisodeId, Grimoire, Marks, Remembered, Standing};
use golem_mortality::{BehavioralPhase, Domain};
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

/// Thoughts of the edge of sleep that can be combined.
fn think_of_hours(cycle: &mut DreamCycle, room: &DreamRoom<'_, '_>) {
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
                think_of_hours(cycle, room);
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

/// What is left of an episode by now.
fn marks(room: &DreamRoom<'_, '_>, id: u64) -> Marks {
    *room.desk.shelf().marks(EpisodeId(id)).expect("it was lived")
}

/// What the clocks say of a cycle is what it begins with.
#[test]
fn a_cycle_begins_as_the_clocks_bend_it() {
    for (fitness, age, confused, legacy) in [
        (0.49, 0.10, true, DreamLegacy::None),
        (0.50, 0.10, false, DreamLegacy::None),
        (0.50, 0.71, false, DreamLegacy::Biased),
        (0.49, 0.86, true, DreamLegacy::Full),
    ] {
        let mut now = seen();
        (now.fitness, now.age_ratio) = (fitness, age);
        let plan = DreamScheduler::default().plan(&now, &config(), DreamTrigger::Interval, Usdc::whole(1));
        let cycle = DreamCycle::begin(1, DreamTrigger::Interval, &plan, &now, &config());
        assert_eq!((cycle.what_confused_me, cycle.legacy), (confused, legacy), "{fitness} {age}");
    }
}

/// The shares that an owner sets are those of a cycle's turns and of its money.
#[test]
fn the_owners_shares_are_those_of_a_cycle() {
    let all_for_replay = |config: &mut DreamConfig| {
        config.phases = DreamPhasesConfig {
            nrem_allocation: Some(1.0),
            rem_allocation: Some(0.0),
            integration_allocation: Some(0.0),
        };
    };
    dreaming(all_for_replay, |cycle, _| {
        // Of 26 turns; every stage has one.
        assert_eq!(cycle.turns, [3, 22, 1, 1, 1]);
        for (phase, till_now) in DreamPhase::ALL.into_iter().zip([10_000, 95_000, 95_000, 95_000, 100_000]) {
            cycle.phase = phase;
            assert_eq!(cycle.may_cost(), Usdc(till_now), "{phase}");
        }
    });
}

#[test]
fn what_is_replayed_is_firmer_by_the_owners_step() {
    let latest = |config: &mut DreamConfig| {
        (config.replay.strength_step, config.replay.prioritization) = (0.25, ReplayPrioritization::Recency);
    };
    dreaming(latest, |cycle, room| {
        let pending = cycle.ask_nrem(room);
        cycle.take_nrem(&mut DreamMemory::default(), room, pending, &[]);
        assert!(!cycle.chosen.is_empty());
        for id in cycle.chosen.clone() {
            let marks = marks(room, id.0);
            assert!((marks.strength - 1.25).abs() < 1e-6 && marks.replays == 1, "{id:?}: {marks:?}");
        }
    });
}

/// What was felt strongly is calmed by what its owner leaves of it, where anything is imagined at all.
#[test]
fn what_stirred_is_calmed_by_the_owners_share_and_by_none_on_the_last_day() {
    for (imagines, left, calmed) in [(true, 0.5, 1), (false, 1.0, 0)] {
        let mut days = quiet_days();
        days[2].0.affect = Some([-0.5, 0.9, 0.4]);
        days[3].0.affect = Some([0.1, 0.3, 0.0]);
        dreaming_of(
            &[],
            &days,
            |config| config.imagination.depotentiation = 0.5,
            |cycle, room| {
                cycle.bounds.imagines = imagines;
                let mut memory = DreamMemory::default();
                let pending = cycle.ask_rem(&mut memory, room);
                cycle.take_rem(&mut memory, room, pending, &[]);
                let (hot, mild) = (marks(room, 3).stirs, marks(room, 4).stirs);
                assert!((hot - left).abs() < 1e-6 && (mild - 1.0).abs() < 1e-6, "{imagines}: {hot} {mild}");
                assert_eq!(cycle.journal.phase2_summary.emotional_episodes_processed, calmed);
            },
        );
    }
}

/// What another way would have brought more is what the act is regretted by, and it is told.
#[test]
fn what_would_have_been_better_is_regretted_and_told() {
    for (more, regret, lesson) in [(20, 20.0, "it would have been better"), (-20, 0.0, "what was done was better")] {
        dreaming_of(
            &[],
            &[acted(1, 100, Regime::Volatile, buy())],
            |_| {},
            |cycle, room| {
                let mut memory = DreamMemory::default();
                let pending = cycle.ask_rem(&mut memory, room);
                let runs = pending.runs();
                assert!(runs.len() > 1, "{runs:?}");
                let results: Vec<_> =
                    runs.iter().enumerate().map(|(n, run)| gained(if n == 0 { 0 } else { more }, run.steps)).collect();
                cycle.take_rem(&mut memory, room, pending, &results);
                assert_eq!(marks(room, 1).regret_bps, Some(regret));
                let tried = cycle.journal.phase2_summary.counterfactuals_generated;
                let said = room.told.iter().filter_map(|fact| match fact {
                    DreamFact::Counterfactual { outcome, lesson, .. } => Some((*outcome, lesson.as_str())),
                    _ => None,
                });
                let said: Vec<_> = said.collect();
                assert_eq!(said.len(), tried as usize, "{said:?}");
                assert!(said.iter().all(|(bps, said)| (bps - more as f64).abs() < 1e-9 && *said == lesson), "{said:?}");
            },
        );
    }
}

#[test]
fn a_core_cycle_rehearses_no_more_threats_than_its_owner_says() {
    for (most, many) in [(2, 2), (1, 1), (0, 0)] {
        dreaming(
            |config| config.imagination.core_threats = most,
            |cycle, room| {
                cycle.tier = DreamTier::Core;
                bounded(cycle, room, 0.3);
                room.held.holdings.asset = Asset(1_000_000_000_000_000_000);
                let asked = cycle.ask_rem(&mut DreamMemory::default(), room);
                assert_eq!(asked.many_threats(), many, "{most}");
            },
        );
    }
}

/// How freely a model imagines is the owner's, within what creation needs and analysis bears.
#[test]
fn the_owners_temperature_reaches_its_questions() {
    for (wished, creative, replay) in [(0.7, 0.8, 0.5), (0.9, 0.9, 0.5), (0.4, 0.8, 0.4)] {
        dreaming(
            |config| config.imagination.exploration_temperature = wished,
            |cycle, room| {
                cycle.phase = DreamPhase::Rem;
                cycle.begin_to_think(room);
                for (question, warmth) in [(DreamQuestion::Creative, creative), (DreamQuestion::Replay, replay)] {
                    cycle.thinking.queue.clear();
                    cycle.thinking.queue.push_back(PlannedAsk::new(question, vec!["a line".into()]));
                    let asked = cycle.request(room.config, BOTH, Usdc(9), 5).expect("it may ask");
                    assert!((f64::from(asked.temperature) - warmth).abs() < 1e-6, "{wished} {question:?}");
                }
            },
        );
    }
}

/// Half of its days were felt one way, half the other: what it feels now says which of them come up.
#[test]
fn what_comes_up_at_the_edge_of_sleep_goes_by_its_mood() {
    let felt = |id: u64| {
        let (mut episode, marks) = watched(id, id * 20, Regime::Volatile);
        episode.affect = Some([if id.is_multiple_of(2) { 0.8 } else { -0.8 }, 0.0, 0.0]);
        (episode, marks)
    };
    let days: Vec<_> = (1..=40).map(felt).collect();
    let glad_share = |mood: f32| {
        let mut drawn: Vec<u64> = Vec::new();
        for night in 0..20 {
            dreaming_of(
                &[],
                &days,
                |_| {},
                |cycle, room| {
                    room.mood = Some([mood, 0.0, 0.0]);
                    room.seen = with(room.seen, |seen| seen.tick = Tick(1_000 + night));
                    cycle.fall_asleep(room);
                    let drafts = cycle.thinking.queue.iter().filter_map(|ask| ask.fragment.as_ref());
                    drawn.extend(drafts.flat_map(|draft| draft.source_episodes.iter().map(|id| id.0)));
                },
            );
        }
        assert!(drawn.len() >= 20 * 4 * 2, "{}", drawn.len());
        drawn.iter().filter(|id| **id % 2 == 0).count() as f64 / drawn.len() as f64
    };
    let (glad, sad) = (glad_share(0.8), glad_share(-0.8));
    assert!(glad > 0.6 && sad < 0.4, "{glad} {sad}");
}

/// What crosses back is what the cycle found, did and cost, wherever it ended.
#[test]
fn the_report_is_what_the_cycle_found() {
    dreaming(
        |_| {},
        |cycle, room| {
            let claim = Claim {
                when: "market.gas_ratio > 2.0".to_owned(),
                then: "market.return_90 < 0.0".to_owned(),
                unless: None,
                after_ticks: 90,
            };
            let mined = MinedClaim { claim, hits: 30, n: 40, base_rate: 0.5, lift: 1.5, p_value: 0.001 };
            cycle.findings.mined = vec![(mined, Domain::PriceDirection)];
            cycle.findings.forgotten = vec![EpisodeId(3)];
            (cycle.runs, cycle.spent) = (7, Usdc(9));
            room.seen = with(room.seen, |seen| seen.tick = Tick(seen.tick.0 + 5));
            let mut memory = DreamMemory::default();
            let report = cycle.break_off(&mut memory, room, DreamEnd::Died);
            assert_eq!((report.cycle_id.as_str(), report.number, report.at), ("dream/1", 1, room.seen.tick));
            assert_eq!((report.runs, report.total_cost_usdc, report.duration_ticks), (7, Usdc(9), 5));
            let insights: Vec<_> =
                report.insights.iter().map(|i| (i.text.as_str(), i.provenance, i.confidence)).collect();
            let text = "When market.gas_ratio > 2.0, then market.return_90 < 0.0.";
            assert_eq!(insights, [(text, DreamProvenance::Replay, 0.75)]);
            assert_eq!(report.deletions, [EpisodeId(3)]);
            let journal = &report.journal;
            assert_eq!(report.hypotheses, journal.phase2_summary.creative_hypotheses);
            assert_eq!(report.threats, journal.phase2_summary.threats_simulated);
            assert_eq!((journal.id.as_str(), &journal.end), ("dream/1", &DreamEnd::Died));
            assert_eq!((journal.total_cost_usdc, journal.dream_duration_ticks), (Usdc(9), 5));
            assert!(!journal.nothing_because.is_empty(), "no dream is silent");
            let stats = memory.stats(crate::state::DreamState::default());
            assert_eq!((stats.broken_off, stats.runs, stats.cost), (1, 7, Usdc(9)));
        },
    );
}

/// A way on that would hurt what is held is laid to the acts of the open trade, and imagination looks at them first.
#[test]
fn what_is_ahead_of_the_open_trade_is_laid_to_its_acts_and_imagined_first() {
    for (in_trade, first) in [(true, 100), (false, 200)] {
        let mut lived = [acted(1, 100, Regime::Volatile, buy()), acted(2, 200, Regime::Volatile, buy())];
        lived[1].0.deed.as_mut().expect("it was done").trade = 2;
        dreaming_of(
            &[],
            &lived,
            |_| {},
            |cycle, room| {
                room.held.holdings.asset = Asset(1_000_000);
                (room.held.worth, room.held.trade, room.held.in_trade) = (Usdc::whole(100), 1, in_trade);
                let mut memory = DreamMemory::default();
                let pending = cycle.ask_nrem(room);
                // A tenth is lost on the first way on, and nothing on the others.
                let runs = pending.runs();
                let results: Vec<_> = runs
                    .iter()
                    .enumerate()
                    .map(|(n, run)| gained(if n == 0 { -1_000 } else { 0 }, run.steps))
                    .collect();
                cycle.take_nrem(&mut memory, room, pending, &results);
                let nrem = &cycle.journal.phase1_summary;
                let ahead: Vec<_> = nrem.credit_ahead.iter().map(|c| (c.episode, c.micro_usdc / 1_000_000)).collect();
                let laid_to: &[_] = if in_trade { &[(EpisodeId(1), -9)] } else { &[] };
                assert_eq!((&ahead[..], nrem.needs_attention.is_some()), (laid_to, in_trade), "{nrem:?}");
                let tried = cycle.ask_rem(&mut memory, room).runs();
                assert_eq!(tried[0].from, ForkFrom::Lived(Point { block: first, index: 0 }), "{in_trade}");
            },
        );
    }
}

/// What its line has dreamt before is nothing new to a creative session.
#[test]
fn what_its_line_has_dreamt_is_not_made_up_again() {
    let mut dreamt: Vec<String> = Vec::new();
    for night in 0..2 {
        let line = dreamt.clone();
        let mut made = Vec::new();
        dreaming(
            |_| {},
            |cycle, room| {
                room.seen = with(room.seen, |seen| seen.phase = BehavioralPhase::Declining);
                think_of_hours(cycle, room);
                room.line.dreamt = Box::leak(line.into_boxed_slice());
                cycle.create(room);
                made = cycle.findings.hypotheses.iter().map(|one| one.said.text.clone()).collect();
            },
        );
        assert_eq!(made.is_empty(), night > 0, "{made:?}");
        dreamt = made;
    }
}
