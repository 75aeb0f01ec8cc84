//! What a dreamer tells of its dreams, and what it sees of itself for them: parameters that move, beliefs that are spoken
//! against, what reality makes of its dreams, alarms while it falls asleep, its state at night, and what makes it want to
//! sleep.

use crate::dreaming::{dreamer, told, until};
use crate::life_kit::{Turn, Watched};
use crate::puppet_kit::{Puppet, Seen, says, settings};
use crate::woken::is_start;
use golem_core::door::{ForkFrom, ForkReply, ForkRequest, ForkRun, Hands};
use golem_core::fact::FactBody as _;
use golem_core::intent::Holdings;
use golem_core::model::ModelRequest;
use golem_core::observed::Field;
use golem_core::{GolemId, Intent, Preview, ProtocolState, Receipt, Tick, Usdc, VirtualTime};
use golem_dreams::config::{DreamScheduleMode, UrgencyConfig};
use golem_dreams::journal::{
    DreamEnd, DreamJournalEntry, DreamOutputClass, GrimoireUpdate, ThreatCoverage, ThreatSimulated,
};
use golem_dreams::{DreamFact, DreamPhase, DreamTier};
use golem_grimoire::change::NamedTable;
use golem_grimoire::standing::Support;
use golem_grimoire::{Claim, Entry, EntryBody, EntryKind, EntryOrigin, EntryStatus, Remembered, Standing};
use golem_lab::Subject;
use golem_lab::world::place;
use golem_life::drive::InMemory;
use golem_life::{Ask, Being, Fact, LifeStanding, Settings};
use golem_mind::policy::Template;
use golem_mortality::GolemMode;
use golem_mortality::config::Measure;
use golem_mortality::economic::Partition;
use golem_venue::floor::FloorHands;
use golem_venue::scenario::{Happening, Scenario, ScenarioEvent};
use serde_json::json;
use std::collections::BTreeSet;
use std::f64::consts::{SQRT_2, TAU};

const DAY: u64 = 2_160;

/// It asks a model asleep and at no other time.
fn sleeper() -> Settings {
    let mut settings = Settings { dream: dreamer(DreamTier::Hardened).dream, ..settings() };
    settings.diagnostics.enabled = false;
    settings.dream.imagination.duplicate_similarity = 1.0;
    let thinking = &mut settings.thinking;
    (thinking.t1, thinking.t2, thinking.dreams) = (false, false, Some([true, true]));
    (thinking.daily_usdc, thinking.daily_calls, thinking.daily_tokens) = (Usdc::whole(10), 5_000, 50_000_000);
    settings
}

/// It dreams when its owner says so, and at no other time.
fn obedient(mut settings: Settings) -> Settings {
    settings.dream.schedule.mode = DreamScheduleMode::Owner;
    settings.dream.windows.windows.clear();
    settings
}

/// Its model has something to say only where it is asked to make something up.
fn with_ideas(settings: &Settings, mut ideas: impl FnMut() -> String + Send + 'static) -> Watched {
    let script = move |request: &ModelRequest| {
        if request.prompt.starts_with("dream-creative") { says(&ideas()) } else { says("{}") }
    };
    let puppet = Puppet { script: Box::new(script), seen: Seen::default() };
    Watched::born(3, 1_000, settings).with_models(puppet)
}

/// The journal of the cycle that ended in this turn, if one did.
fn ended(turn: &Turn) -> Option<DreamJournalEntry> {
    let (_, body) = turn.rows(NamedTable::Dream).find(|(key, _)| !key.ends_with("/later"))?;
    Some(serde_json::from_str(body).expect("it can be read"))
}

/// In a pool with three times the usual trade another width than the usual one is best.
#[test]
fn advice_that_life_has_borne_out_moves_the_parameter_and_is_told() {
    let tuned = (8_101..8_105).find_map(|seed| {
        let mut place = place("flat", seed).expect("a world");
        place.market.noise_share = 1.5;
        let settings = dreamer(DreamTier::Core);
        let mut golem = Subject::placed(seed, Usdc::whole(10_000), &settings, place).expect("a market");
        (0..12 * DAY).find_map(|_| {
            let before = golem.life().strategy().clone();
            golem.turn();
            let dreams =
                golem.facts.iter().filter_map(|f| if let Fact::Dream(fact) = &f.body { Some(&**fact) } else { None });
            let told: Vec<DreamFact> = dreams.filter(|f| matches!(f, DreamFact::Tuned { .. })).cloned().collect();
            let after = golem.life().strategy().clone();
            assert_eq!(told.is_empty(), before == after, "what is told has moved, and nothing else: {told:?}");
            (!told.is_empty()).then_some((before, after, told))
        })
    });
    let (before, after, told) = tuned.expect("no advice was followed in four lives of twelve days");
    for fact in &told {
        let DreamFact::Tuned { parameter, value, because, .. } = fact else { unreachable!("only those were kept") };
        assert_eq!(after.get(parameter), Some(*value), "{because}");
        assert_ne!(before.get(parameter), after.get(parameter), "{because}");
        assert!(because.starts_with(parameter.as_str()) && because.contains("better than"), "{because}");
    }
}

#[test]
fn what_speaks_against_a_belief_is_flagged_and_left_to_whoever_judges_it() {
    let when = "market.gas_ratio > 40.0";
    let claim = Claim { when: when.into(), then: "market.return_90 > 0.0".into(), unless: None, after_ticks: 60 };
    let origin = EntryOrigin { golem: GolemId([1; 16]), generation: 0 };
    let text = "After a storm of fees prices come back.".to_owned();
    let body = EntryBody { claim: Some(claim), ..EntryBody::own(EntryKind::Insight, text, origin, VirtualTime(0)) };
    let standing = Standing::first(EntryStatus::Active, 8_000, Support::default(), VirtualTime(0));
    let known = Entry::new(body, standing);
    let (id, finding, then) = (known.id, "Nobody buys while blocks are crowded.", "market.return_90 < 0.0");
    let idea = json!({"text": finding, "when": when, "then": then, "after_ticks": 60, "fails_when": "never"});
    let said = json!({ "ideas": [idea] }).to_string();
    let known = Remembered { entries: vec![(known, None)], ..Remembered::default() };
    let mut golem = with_ideas(&obedient(sleeper()), move || said.clone()).remembering(known);
    let stands = |golem: &Watched| {
        let entry = golem.life.grimoire().unwrap().shelf().entry(id).expect("it is known");
        (entry.is_in_use(), entry.standing.confidence_bp)
    };
    let staged = |golem: &Watched| {
        let mut open = golem.life.grimoire().unwrap().staging().proposals();
        open.any(|p| p.claim.when == when && p.claim.then == then)
    };
    golem.turns(400);
    golem.asked(vec![Ask::Dream]);
    let mut flagged = Vec::new();
    let entry = (0..3_000).find_map(|_| {
        let before = stands(&golem);
        let turn = golem.turn();
        for fact in told(&turn) {
            if let DreamFact::Contradiction { entry, finding, .. } = fact {
                flagged.push((*entry, finding.clone()));
                assert_eq!(stands(&golem), before, "a dream resolves nothing");
            }
        }
        ended(&turn)
    });
    let entry = entry.expect("it dreams");
    let summary = &entry.phase3_summary;
    let journal: Vec<_> = summary.contradictions_flagged.iter().map(|f| (f.entry, f.text.clone())).collect();
    assert_eq!(flagged, journal, "what is flagged is told, and the other way round");
    assert!(flagged.contains(&(id, finding.to_owned())), "{summary:?}");
    golem.turns(100);
    assert!(stands(&golem).0 && !staged(&golem), "nothing came of it by itself");
    assert!(!summary.grimoire_updates.iter().any(|u| u.text == finding), "{summary:?}");
}

/// One dream that thinks well of itself, and all that it proposes is untrue.
#[test]
fn what_reality_says_of_dreams_makes_them_poor_and_their_owner_is_told_once() {
    let mut settings = obedient(sleeper());
    settings.dream.consolidation.max_staged_revisions = 64;
    let mut golem = with_ideas(&settings, || {
        let ideas = [
            (
                "Whoever pays well for blocks is about to get rich.",
                "market.gas_ratio > 0.5",
                "market.return_90 > 0.04",
                30,
            ),
            ("Quiet chains double overnight.", "market.gas_ratio < 3.0", "market.return_90 > 0.05", 60),
            ("After breakfast everything is lost.", "market.hour > 1.0", "market.return_90 < -0.04", 45),
        ];
        let told = |(text, when, then, after): (&str, &str, &str, u32)| json!({"text": text, "when": when, "then": then, "after_ticks": after, "fails_when": "always"});
        json!({ "ideas": ideas.map(told) }).to_string()
    });
    golem.turns(400);
    golem.asked(vec![Ask::Dream]);
    let (mut qualities, mut untrue, mut poor) = (Vec::new(), 0, Vec::new());
    let mut said = None;
    for _ in 0..17 * DAY {
        let turn = golem.turn();
        said = said.or_else(|| ended(&turn));
        for fact in told(&turn) {
            match fact {
                DreamFact::Complete { quality, .. } => qualities.push(*quality),
                DreamFact::Judged { came_true, .. } => untrue += u32::from(!came_true),
                DreamFact::Poor { quality, days } => poor.push((*quality, *days)),
                _ => {}
            }
        }
    }
    let stats = golem.life.status().dreams.expect("it dreams");
    // By itself it was not poor: what makes it poor is that none of it came true.
    assert!(qualities.len() == 1 && qualities[0] > 0.2, "{qualities:?}");
    assert!(untrue >= 3, "{untrue} were untrue: {stats:?}, {said:?}");
    let [(quality, days)] = poor[..] else { panic!("told {poor:?} after {qualities:?}: {stats:?}") };
    assert!((0.0..0.2).contains(&quality) && days == 14, "{quality} for {days} days");
}

/// What the edge of its first sleep brought, in some weather.
fn fragments(settings: &Settings, event: Option<ScenarioEvent>) -> u32 {
    let weather = |event| Scenario { name: "jolt".into(), about: "Something happens.".into(), events: vec![event] };
    let (mut golem, _) = Watched::in_weather(3, 1_000, settings, event.map(weather));
    let turn = until(&mut golem, |f| matches!(f, DreamFact::Onset { .. }));
    let seen = told(&turn).into_iter().find_map(|f| match f {
        DreamFact::Onset { fragments, .. } => Some(*fragments),
        _ => None,
    });
    seen.expect("it was told")
}

#[test]
fn who_is_startled_while_it_falls_asleep_has_no_thoughts_there() {
    let mut settings = dreamer(DreamTier::Core);
    // What would wake it later does not keep it awake before.
    settings.dream.wake_interrupts.enabled = false;
    let mut calm = Watched::born(3, 1_000, &settings);
    until(&mut calm, is_start);
    let bed = calm.life.tick().0;
    assert!(fragments(&settings, None) > 0, "in calm weather thoughts come up");
    let fall = Happening::Shock { bps: -1_200, over_ticks: 2, reverts: false };
    let drain = Happening::LiquidityDrain { share_bps: 8_000 };
    let trouble = Happening::Protocol { state: ProtocolState::Degraded };
    // What passes is seen for a while only, and a fall is believed some turns later: each is tried around that turn.
    for (what, from) in [(fall, bed - 12..bed + 1), (drain, bed..bed + 4), (trouble, bed - 1..bed)] {
        let mut tried = from.map(|at_tick| fragments(&settings, Some(ScenarioEvent { at_tick, for_ticks: 720, what })));
        assert!(tried.any(|n| n == 0), "{what:?}: it went on dreaming");
    }
}

/// What is told of a cycle that is over, by its journal; how many runs there were is told there alone.
fn completed(entry: &DreamJournalEntry, told: Option<&DreamFact>) -> DreamFact {
    let (nrem, rem, all) = (&entry.phase1_summary, &entry.phase2_summary, &entry.phase3_summary);
    let insight = |u: &&GrimoireUpdate| u.class == DreamOutputClass::NovelInsight && u.proposal.is_some();
    let insights_crystallized = all.grimoire_updates.iter().filter(insight).count() as u32;
    let Some(DreamFact::Complete { runs, quality, .. }) = told else { panic!("nothing is told of {}", entry.id) };
    assert!((quality - entry.dream_quality_score).abs() < 1e-9, "{quality} {}", entry.dream_quality_score);
    DreamFact::Complete {
        cycle_id: entry.id.clone(),
        episodes_replayed: nrem.episodes_replayed,
        counterfactuals_generated: rem.counterfactuals_generated,
        insights_crystallized,
        heuristics_proposed: entry.later.proposed - insights_crystallized,
        episodes_depotentiated: rem.emotional_episodes_processed,
        playbook_edits: all.playbook_revisions_staged.len() as u32,
        runs: *runs,
        quality: *quality,
        cost: entry.total_cost_usdc,
        nothing_because: entry.nothing_because.clone(),
    }
}

#[test]
fn what_a_cycle_tells_is_what_its_journal_says() {
    let mut golem = Watched::born(3, 1_000, &dreamer(DreamTier::Core));
    let mut names = BTreeSet::new();
    for cycle in 0..40 {
        if names.contains("dream.threat") && names.contains("dream.onset") {
            break;
        }
        until(&mut golem, is_start);
        let (mut threats, mut onset, mut made, mut against) = (Vec::new(), None, 0, 0);
        let (mut complete, mut ways) = (None, 0);
        let entry = loop {
            let turn = golem.turn();
            for fact in told(&turn) {
                names.insert(fact.name());
                match fact {
                    DreamFact::Threat { threat, tier, coverage, best_response, .. } => {
                        threats.push((threat.clone(), *tier, *coverage, best_response.clone()));
                    }
                    DreamFact::Onset { theme, fragments, kept, .. } => onset = Some((theme.clone(), *fragments, *kept)),
                    DreamFact::Hypothesis { .. } => made += 1,
                    DreamFact::Contradiction { .. } => against += 1,
                    DreamFact::Counterfactual { .. } => ways += 1,
                    DreamFact::Complete { .. } => complete = Some((*fact).clone()),
                    _ => {}
                }
            }
            if let Some(entry) = ended(&turn) {
                break entry;
            }
        };
        let rem = &entry.phase2_summary;
        let answered = |t: &ThreatSimulated| t.coverage == ThreatCoverage::Covered;
        assert!(
            rem.threats_simulated.iter().all(|t| t.gaps.is_empty() == answered(t)),
            "{cycle}: what is missing is told"
        );
        let lived = rem.threats_simulated.iter();
        let lived = lived.map(|t| (t.threat_id.clone(), t.tier, t.coverage, t.best_response.clone()));
        assert_eq!(threats, lived.collect::<Vec<_>>(), "{cycle}");
        if let Some(onset) = onset {
            assert_eq!(onset, (entry.onset.theme.clone(), entry.onset.fragments, entry.onset.kept), "{cycle}");
        }
        assert_eq!(made, rem.creative_hypotheses.len(), "{cycle}");
        assert_eq!(ways, rem.counterfactuals_generated.min(4), "{cycle}");
        if entry.end == DreamEnd::Complete {
            assert_eq!(complete, Some(completed(&entry, complete.as_ref())), "{cycle}");
        }
        assert_eq!(against, entry.phase3_summary.contradictions_flagged.len(), "{cycle}");
    }
    assert!(names.contains("dream.threat") && names.contains("dream.onset"), "{names:?}");
}

#[test]
fn the_state_of_a_sleeper_is_what_the_facts_of_its_night_say() {
    let mut settings = sleeper();
    settings.dream.schedule.mode = DreamScheduleMode::Owner;
    let said = r#"{"ideas":[{"text":"Dear gas comes before a fall.","when":"market.gas_ratio > 1.3","then":"market.return_90 < 0.0","after_ticks":60}]}"#;
    let mut golem = with_ideas(&settings, || said.to_owned());
    let (mut starts, mut began, mut last) = (0, Tick::default(), Tick::default());
    let (mut spent, mut made, mut whole) = (Usdc::ZERO, 0, None);
    let (mut awake, mut costs, mut ideas) = (0, BTreeSet::new(), BTreeSet::new());
    // The first night of its owner's windows, and an hour after it.
    while awake < 90 {
        let turn = golem.turn();
        for fact in &turn.facts {
            let Fact::Dream(dream) = &fact.body else { continue };
            match &**dream {
                DreamFact::Start { .. } => {
                    (starts, began, last) = (starts + 1, fact.tick, fact.tick);
                    (spent, made, whole) = (Usdc::ZERO, 0, None);
                }
                DreamFact::Asked { cost, .. } => spent = spent.plus(*cost),
                DreamFact::Hypothesis { .. } => made += 1,
                DreamFact::Complete { .. } | DreamFact::Interrupted { .. } => last = fact.tick,
                _ => {}
            }
        }
        let state = golem.life.status().dreams.expect("it dreams").state;
        assert_eq!((state.cycle_number, state.last_dream_tick), (starts, last));
        if state.mode == GolemMode::Dreaming {
            awake = 0;
            let seen = (state.total_cycles_this_window, state.budget_spent, state.hypotheses_generated);
            assert_eq!((seen, state.dream_start_tick), ((starts, spent, made), began), "turn {}", golem.life.tick());
            let both = state.budget_spent.plus(state.budget_remaining);
            assert!(both > Usdc::ZERO && both == *whole.get_or_insert(both), "{state:?}");
            costs.insert(state.budget_spent);
            ideas.insert(state.hypotheses_generated);
        } else {
            awake += u32::from(starts > 0);
            assert_eq!((state.dream_start_tick, state.budget_spent), (Tick::default(), Usdc::ZERO));
        }
        assert!(golem.life.tick().0 < 6_000, "it does not come to an end");
    }
    assert!(starts > 0 && costs.len() > 2 && ideas.len() > 1, "{starts} cycles, {costs:?}, {ideas:?}");
}

/// Whoever dies without warning leaves the draft: what its one last dream came to stands there already.
#[test]
fn a_draft_of_the_testament_tells_of_the_emergency_dream() {
    let mut settings = dreamer(DreamTier::Core);
    settings.mortality.immortal = false;
    settings.mortality.stochastic.enabled = false;
    let mut golem = Watched::born(11, 4, &settings);
    // In the file a draft stands as text; of a dream alone only figures do.
    let says =
        |golem: &Watched, words: &str| golem.life.save().join().windows(words.len()).any(|w| w == words.as_bytes());
    let (mut emergency, mut dreamt) = (None, None);
    while dreamt.is_none() {
        for fact in &golem.turn().facts {
            let Fact::Dream(dream) = &fact.body else { continue };
            if let DreamFact::Start { cycle_id, trigger, .. } = &**dream
                && trigger == "emergency"
            {
                emergency = Some(cycle_id.clone());
                assert!(!says(&golem, "My last dream replayed"), "nothing was dreamt yet");
            }
            if let DreamFact::Complete { cycle_id, episodes_replayed, .. } = &**dream
                && emergency.as_ref() == Some(cycle_id)
            {
                dreamt = Some((*episodes_replayed, fact.tick.0));
            }
        }
        assert!(golem.life.tick().0 < 60_000 && golem.life.standing() != LifeStanding::Dead, "no emergency dream");
    }
    let (replayed, tick) = dreamt.expect("it was dreamt");
    let words = format!("My last dream replayed {replayed} episodes at turn {tick}");
    // A draft is kept once in fifty turns, and none any more by who is dying.
    while !says(&golem, &words) {
        assert!(
            golem.life.tick().0 <= tick + 50 && golem.life.standing() == LifeStanding::Alive,
            "no draft says {words}"
        );
        golem.turn();
    }
}

/// Why it does not dream, once it is asked to, where the reason has these words.
fn blocked(settings: &Settings, usdc: u64, word: &str) -> Option<(String, Watched)> {
    let mut golem = Watched::born(3, usdc, settings);
    for n in 0..1_000 {
        let turn = if n == 300 { golem.asked(vec![Ask::Dream]) } else { golem.turn() };
        let why = told(&turn).into_iter().find_map(|f| match f {
            DreamFact::Blocked { why, .. } if why.contains(word) => Some(why.clone()),
            _ => None,
        });
        if let Some(why) = why {
            return Some((why, golem));
        }
    }
    None
}

/// The number that a sentence begins with.
fn number(why: &str) -> f64 {
    why.split(' ').next().and_then(|n| n.parse().ok()).unwrap_or_else(|| panic!("{why}"))
}

#[test]
fn what_blocks_a_dream_is_its_own_purse_and_its_own_time() {
    let mut settings = dreamer(DreamTier::Core);
    settings.dream.first_dream.stable = 1;
    settings.dream.first_dream.thriving = 1;
    settings.dream.budget.purse_floor = 0.99;
    let (why, golem) = blocked(&settings, 1_000, "of the operating credit is left for models").expect("a purse");
    let ledger = golem.life.ledger();
    let share = ledger.purses[Partition::Llm.index()].as_f64() / ledger.operating().as_f64() * 100.0;
    assert!(share > 0.0 && (number(&why) - share).abs() < 0.5, "{why}, and {share} % is");

    let mut settings = dreamer(DreamTier::Core);
    settings.dream.budget.purse_floor = 0.0;
    let clocks = &mut settings.dream.clocks;
    (clocks.hurry_below_h, clocks.consolidate_below_h, clocks.cease_below_h) = (10_000.0, 9_999.0, 9_998.0);
    let found = [10, 20, 50, 100].into_iter().find_map(|usdc| blocked(&settings, usdc, "hours of money are left"));
    let (why, golem) = found.expect("little time is left to somebody");
    let hours = golem.life.status().projected_life_h.expect("life costs something");
    assert!((number(&why) / hours - 1.0).abs() < 0.02, "{why}, and {hours} are");
}

/// The old dream for those who come after. Its age as a share of a whole life is all that tells the two apart.
#[test]
fn who_is_old_dreams_otherwise() {
    let dream = |old: bool| {
        let mut settings = dreamer(DreamTier::Core);
        // There is more to replay than either does.
        let first = &mut settings.dream.first_dream;
        (first.thriving, first.stable, settings.dream.replay.utility_floor) = (60, 60, 0.0);
        if old {
            // Both lie far below any age at which a dream is dreamt, and above none at all.
            (settings.dream.clocks.legacy_above, settings.dream.clocks.full_legacy_above) = (2e-6, 3e-6);
        }
        let mut golem = Watched::born(3, 1_000, &settings);
        let start = until(&mut golem, is_start);
        let at = start.facts[0].tick;
        (at, (0..200).find_map(|_| ended(&golem.turn())).expect("a journal"))
    };
    let ((young_at, young), (old_at, old)) = (dream(false), dream(true));
    assert_eq!(young_at, old_at, "up to their first dream they are the same");
    let replayed = |entry: &DreamJournalEntry| entry.phase1_summary.episodes_replayed;
    assert!(replayed(&old) > replayed(&young), "{} of the old, {} of the young", replayed(&old), replayed(&young));
}

/// How much it wants to sleep, turn by turn, in a life that never does, in which prices fall once; and the most that it
/// suffered.
fn wishes(settings: &Settings) -> (Vec<f64>, f64) {
    let what = Happening::Shock { bps: -1_500, over_ticks: 30, reverts: false };
    let fall = vec![ScenarioEvent { at_tick: 600, for_ticks: 720, what }];
    let weather = Scenario { name: "fall".into(), about: "The price falls.".into(), events: fall };
    let (mut golem, _) = Watched::in_weather(3, 1_000, settings, Some(weather));
    let mut load: f64 = 0.0;
    let urgencies = (0..3_000).map(|_| {
        golem.turn();
        let status = golem.life.status();
        load = load.max(status.load.unwrap_or(0.0));
        status.dreams.expect("it could dream").state.urgency
    });
    (urgencies.collect(), load)
}

/// Twins that differ only in how much one cause weighs: if the life did not see that cause, they would be the same.
#[test]
fn each_cause_that_life_brings_makes_it_want_to_sleep() {
    type Weigh = fn(&mut UrgencyConfig, f64);
    let suffers = "what it suffers";
    let causes: [(&str, Weigh, [f64; 2]); 6] = [
        ("what was not expected", |u, x| u.surprise_full = x, [0.1, 100.0]),
        ("what no dream has replayed", |u, x| u.unreplayed_full = x, [1.0, 10_000.0]),
        ("what still stirs", |u, x| u.arousal_full = x, [0.05, 1.0]),
        ("what was lost", |u, x| u.loss_full = x, [0.001, 1.0]),
        ("what does not fit", |u, x| u.pattern_step = x, [0.1, 0.0]),
        (suffers, |u, x| u.suffering_step = x, [1.0, 0.0]),
    ];
    let mut settings = obedient(dreamer(DreamTier::Core));
    let first = &mut settings.dream.first_dream;
    (first.thriving, first.stable, first.conservation, first.declining) = (1, 1, 1, 1);
    settings.dream.budget.purse_floor = 0.0;
    for (cause, weigh, [much, little]) in causes {
        let lived = |by: f64| {
            let mut settings = settings.clone();
            weigh(&mut settings.dream.urgency, by);
            if cause == suffers {
                // It counts as senescent from its first days, and its existence is threatened.
                let epistemic = &mut settings.mortality.epistemic;
                epistemic.measure = Measure::RSquared;
                (epistemic.senescence_threshold, epistemic.recovery_threshold) = (0.60, 0.90);
            }
            wishes(&settings)
        };
        let ((more, load), (less, _)) = (lived(much), lived(little));
        let by: Vec<f64> = more.iter().zip(&less).map(|(more, less)| more - less).collect();
        let most = by.iter().copied().fold(0.0, f64::max);
        assert!(most > 0.005, "{cause}: {most} at most, while it suffered {load} at most");
    }
}

/// Hands that write down what they are asked to try on copies.
struct Listens<'a> {
    hands: &'a mut FloorHands,
    asked: Vec<ForkRun>,
}

impl<P> Hands<P> for Listens<'_>
where
    FloorHands: Hands<P>,
{
    fn is_external(&self) -> bool {
        <FloorHands as Hands<P>>::is_external(self.hands)
    }
    fn preview(&mut self, wishes: &[Intent], holdings: &Holdings) -> Vec<Preview> {
        <FloorHands as Hands<P>>::preview(self.hands, wishes, holdings)
    }
    fn act(&mut self, now: Tick, preview: &Preview, permit: P) -> Receipt {
        <FloorHands as Hands<P>>::act(self.hands, now, preview, permit)
    }
    fn redo(&mut self, preview: &Preview, receipt: &Receipt, holdings: &Holdings) -> Result<(), String> {
        <FloorHands as Hands<P>>::redo(self.hands, preview, receipt, holdings)
    }
    fn try_on_fork(&mut self, request: &ForkRequest, holdings: &Holdings) -> ForkReply {
        self.asked.extend(request.runs.iter().cloned());
        <FloorHands as Hands<P>>::try_on_fork(self.hands, request, holdings)
    }
}

/// What is carried on from the present swings as widely as the market is seen to.
#[test]
fn the_ways_ahead_are_as_wild_as_the_market_is_seen_to_be() {
    let mut settings = dreamer(DreamTier::Core);
    settings.phages.enabled = false;
    settings.policy.template = Template::EthDca;
    (settings.policy.eth_dca.amount_usdc, settings.policy.eth_dca.every_ticks) = (Usdc::whole(60), 180);
    let mut golem = Watched::born(3, 1_000, &settings);
    let mut swings = BTreeSet::new();
    while swings.len() < 3 {
        assert!(golem.life.tick().0 < 20_000, "{swings:?}");
        let input = golem.input();
        let Watched { life, hands, models, .. } = &mut golem;
        let mut hands = Listens { hands, asked: Vec::new() };
        InMemory { being: life, hands: &mut hands, models: models.as_mut() }.turn(input);
        let asked = hands.asked;
        let facts = std::mem::take(golem.life.facts());
        drop(golem.life.changes());
        let replays =
            |f: &Fact| matches!(f, Fact::Dream(d) if matches!(**d, DreamFact::Phase { phase: DreamPhase::Nrem, .. }));
        let carried_on = asked.iter().find(|run| run.from == ForkFrom::Present);
        let Some(run) = carried_on.filter(|_| facts.iter().any(|f| replays(&f.body))) else { continue };
        // The first of them is that the present weather goes on.
        let swing = run.weather.iter().find_map(|event| match event.what {
            Happening::Chop { amplitude_bps, .. } => Some(amplitude_bps),
            _ => None,
        });
        let seen = golem.life.observed().get(Field::MarketVolatility).and_then(|v| v.as_f64()).expect("it is seen");
        let widest = seen.min(0.5) / 90f64.sqrt() * f64::from(run.steps) * SQRT_2 / TAU * 1e4;
        let swing = swing.unwrap_or(0);
        assert!((f64::from(swing) - widest).abs() <= 1.0, "{swing} where {widest} was seen");
        swings.insert(swing);
    }
}

/// While the market is active an urgency that would do otherwise does not.
#[test]
fn an_active_market_keeps_it_awake_for_longer() {
    let wild = ScenarioEvent { at_tick: 300, for_ticks: 6_000, what: Happening::Volatility { factor: 8.0 } };
    let asleep_at = |opens_at: f64, added: f64| {
        let mut settings = dreamer(DreamTier::Hardened);
        settings.dream.schedule.mode = DreamScheduleMode::Autonomous;
        settings.dream.schedule.autonomous_threshold = opens_at;
        settings.dream.wake_interrupts.enabled = false;
        settings.dream.urgency.active_market = added;
        let weather = Scenario { name: "wild".into(), about: "It swings.".into(), events: vec![wild] };
        let (mut golem, _) = Watched::in_weather(3, 1_000, &settings, Some(weather));
        (0..3_000_u64).find(|_| told(&golem.turn()).into_iter().any(is_start)).unwrap_or(3_000)
    };
    let later: Vec<(u64, u64)> =
        [0.3, 0.4, 0.5, 0.6].into_iter().map(|at| (asleep_at(at, 0.0), asleep_at(at, 0.2))).collect();
    assert!(later.iter().all(|(usual, active)| active >= usual), "{later:?}");
    assert!(later.iter().any(|(usual, active)| active > usual), "{later:?}");
}
