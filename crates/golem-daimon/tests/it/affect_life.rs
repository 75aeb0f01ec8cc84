//! Affect over time: what is felt, how long, what it leaves behind, and what is told of it.

use crate::affect_kit;

use affect_kit::{plain, t};
use golem_core::fact::FactBody;
use golem_daimon::affect::baseline;
use golem_daimon::affect::{
    Affect, AffectConfig, AffectFact, AffectSample, AppraisalModel, Appraiser, Channels, Divergence, Event, EventKind,
    ModelAppraisal, MoodWord, Pad, Personality, Plutchik,
};
use golem_mortality::BehavioralPhase;

fn close(a: Pad, b: Pad) -> bool {
    a.distance(b) < 1e-12
}
fn names(facts: &[AffectFact]) -> Vec<&'static str> {
    facts.iter().map(FactBody::name).collect()
}
/// A golem that has lost its mind and its money, not yet its life.
fn wretched() -> AffectSample {
    AffectSample {
        vitality: 0.2,
        phase: BehavioralPhase::Declining,
        balance_ratio: 0.1,
        runway_days: Some(0.5),
        fitness: 0.1,
        ..AffectSample::default()
    }
}

#[test]
fn an_emotion_moves_the_mood_fades_and_is_told() {
    let (config, s) = (plain(), AffectSample::default());
    let mut affect = Affect::new(&config);
    let facts = affect.feel(t(1), &[Event::TradeLoss { pct: 10.0 }], None, &s, &config);
    let fear = Pad::new(-0.5, 0.7, -0.3).times(0.5);
    assert!(close(affect.mood(), fear.times(0.05)));
    assert!(close(affect.felt(), fear.times(1.05)));
    assert!(matches!(
        facts.as_slice(),
        [AffectFact::Appraisal { triggers, emotion: Plutchik::Fear, by: Appraiser::Rules, .. }]
            if triggers == &[EventKind::TradeLoss]
    ));
    // Half an hour later half of it is left, and the mood has been drawn back four times.
    assert_eq!(affect.feel(t(46), &[], None, &s, &config), []);
    let mood = fear.times(0.05 * 0.95f64.powi(4));
    assert!(close(affect.mood(), mood) && close(affect.felt(), mood.plus(fear.times(0.5))));
    affect.feel(t(91), &[], None, &s, &config);
    assert!(close(affect.felt(), affect.mood()));
    assert_eq!(affect.status(&config).unwrap().emotion, None);
}

#[test]
fn repetition_is_not_felt_but_what_is_strong_or_must_be_is() {
    let (config, s) = (plain(), AffectSample::default());
    let (small, large) = (Event::TradeLoss { pct: 2.0 }, Event::TradeLoss { pct: 12.0 });
    let mut affect = Affect::new(&config);
    let mut felt =
        |at, event| affect.feel(t(at), &[event], None, &s, &config).iter().any(|f| f.name() == "daimon.appraisal");
    // A loss every turn is felt once in fifteen ticks, not once in a life.
    let steady: Vec<u64> = (1..=40).filter(|n| felt(*n, small)).collect();
    assert_eq!(steady, [1, 16, 31]);
    assert!(felt(41, large) && felt(42, large) && !felt(43, small));
    assert!(felt(44, Event::RegimeShift) && felt(45, Event::RegimeShift));
    assert!(felt(46, Event::DreamThreat { tier: 1 }) && felt(47, Event::DreamThreat { tier: 1 }));
    assert!(felt(70, Event::DreamThreat { tier: 3 }) && !felt(71, Event::DreamThreat { tier: 3 }));
}

#[test]
fn however_many_events_a_turn_moves_the_mood_once() {
    let (config, s) = (plain(), AffectSample::default());
    let mut affect = Affect::new(&config);
    let facts = affect.feel(t(1), &[Event::RegimeShift; 1_000], None, &s, &config);
    assert!(matches!(&facts[..], [AffectFact::Appraisal { triggers, .. }] if triggers == &[EventKind::RegimeShift]));
    assert!(close(affect.mood(), Pad::new(-0.2, 0.7, -0.3).times(0.6 * 0.05)));
}

#[test]
fn a_trifle_does_not_end_a_great_fear() {
    let (config, s) = (plain(), AffectSample::default());
    let mut affect = Affect::new(&config);
    affect.feel(t(1), &[Event::TradeLoss { pct: 18.0 }], None, &s, &config);
    affect.feel(t(2), &[Event::Unknown], None, &s, &config);
    assert_eq!(affect.status(&config).unwrap().emotion, Some(Plutchik::Fear));
    affect.feel(t(85), &[Event::TradeProfit { pct: 3.0 }], None, &s, &config);
    assert_eq!(affect.status(&config).unwrap().emotion, Some(Plutchik::Joy));
}

#[test]
fn moods_return_to_the_personality_whatever_the_length_of_turns() {
    let personality = Personality { pleasure: 0.3, arousal: -0.2, dominance: 0.1 };
    let config = AffectConfig { personality, ..plain() };
    let mut affect = Affect::new(&config);
    assert_eq!(affect.mood(), baseline(&config));
    let shocks = [Event::TradeLoss { pct: 20.0 }, Event::RegimeShift, Event::SiblingDeath];
    for n in 0..50 {
        affect.feel(t(n), &shocks, None, &AffectSample::default(), &config);
    }
    let low = affect.mood();
    assert!(low.distance(baseline(&config)) > 0.3);
    let (mut fine, mut coarse) = (affect.clone(), affect);
    let mut last = low.distance(baseline(&config));
    for n in 50..4_050 {
        fine.feel(t(n), &[], None, &AffectSample::default(), &config);
        let now = fine.mood().distance(baseline(&config));
        assert!(now <= last + 1e-15);
        last = now;
    }
    coarse.feel(t(4_049), &[], None, &AffectSample::default(), &config);
    assert!(last < 1e-6 && coarse.mood().distance(fine.mood()) < 1e-9);
}

#[test]
fn a_rate_out_of_range_counts_as_the_nearest_in_range() {
    let step = |mood_decay_rate| {
        let config = AffectConfig { mood_decay_rate, ..plain() };
        let mut affect = Affect::new(&config);
        affect.feel(t(1), &[Event::RegimeShift], None, &AffectSample::default(), &config);
        affect.mood()
    };
    for (rate, as_if) in [(-7.0, 0.80), (0.0, 0.80), (1.0, 0.99), (f64::INFINITY, 0.99), (f64::NAN, 0.95)] {
        assert_eq!(step(rate), step(as_if), "{rate}");
    }
    assert!(step(0.80).arousal() > step(0.95).arousal() && step(0.95).arousal() > step(0.99).arousal());
}

#[test]
fn a_mood_is_told_when_it_has_moved_and_not_before() {
    let (config, s) = (plain(), AffectSample::default());
    let mut affect = Affect::new(&config);
    let (mut told, mut last) = (0, Pad::NEUTRAL);
    for n in 0..60 {
        for fact in affect.feel(t(n), &[Event::TradeProfit { pct: 20.0 }], None, &s, &config) {
            if let AffectFact::MoodChange { from, to, mood } = fact {
                assert!(from == last && from.distance(to) > 0.15 && to == affect.mood());
                assert_eq!(mood, MoodWord::Exuberant);
                (told, last) = (told + 1, to);
            }
        }
        assert!(affect.mood().distance(last) <= 0.15);
    }
    assert!((2..=6).contains(&told), "{told}");
}

#[test]
fn grief_begins_deepens_fades_and_ends() {
    let (config, s) = (plain(), AffectSample::default());
    let mut affect = Affect::new(&config);
    let first = affect.feel(t(0), &[Event::SiblingDeath], None, &s, &config);
    assert_eq!(names(&first), ["daimon.grief", "daimon.appraisal"]);
    let again = affect.feel(t(60), &[Event::SiblingDeath], None, &s, &config);
    assert!(again.contains(&AffectFact::Grief { open: true, deaths: 2 }));
    assert_eq!(affect.status(&config).unwrap().grieving, 2);
    // A small joy is felt, and the grief prevails.
    affect.feel(t(61), &[Event::TradeProfit { pct: 2.0 }], None, &s, &config);
    assert_eq!(affect.status(&config).unwrap().emotion, Some(Plutchik::Sadness));
    assert!(affect.felt().dominance() > -0.2 * 0.6);
    // The emotion of the event is over after 90; the grief goes on to 100 after the second death.
    affect.feel(t(155), &[], None, &s, &config);
    let status = affect.status(&config).unwrap();
    assert_eq!(status.emotion, Some(Plutchik::Sadness));
    assert!((status.strength - 0.6 * 0.05).abs() < 1e-12 && status.channels.risk < 1.0);
    let over = affect.feel(t(160), &[], None, &s, &config);
    assert_eq!(over, [AffectFact::Grief { open: false, deaths: 2 }]);
    assert_eq!(affect.status(&config).unwrap().emotion, None);
    let long = AffectConfig { grief_duration_ticks: 500, ..config };
    let mut mourner = Affect::new(&long);
    mourner.feel(t(0), &[Event::SiblingDeath], None, &s, &long);
    assert_eq!(mourner.feel(t(499), &[], None, &s, &long), []);
    assert_eq!(mourner.feel(t(500), &[], None, &s, &long), [AffectFact::Grief { open: false, deaths: 1 }]);
}

#[test]
fn mortality_is_looked_at_now_and_then_and_told_when_it_looks_otherwise() {
    let config = AffectConfig::default();
    let mut affect = Affect::new(&config);
    let mut told = Vec::new();
    // The phase falls at 220, between two regular looks.
    for n in 0..381 {
        let sample = if n < 220 { AffectSample::default() } else { wretched() };
        let facts = affect.feel(t(n), &[], None, &sample, &config);
        told.extend(facts.iter().filter(|f| f.name() == "daimon.appraisal").map(|f| (n, f.clone())));
    }
    let [(0, calm), (220, low)] = told.as_slice() else { panic!("{told:?}") };
    assert!(matches!(calm, AffectFact::Appraisal { emotion: Plutchik::Trust, .. }));
    assert!(matches!(low, AffectFact::Appraisal { emotion: Plutchik::Fear | Plutchik::Disgust, .. }));
    // An explicit word about the end is heard at once, long before the next look; and the end itself is accepted.
    let dying = AffectSample { vitality: 0.05, ..wretched() };
    let facts = affect.feel(t(381), &[Event::Mortality], None, &dying, &config);
    assert!(matches!(facts.as_slice(), [AffectFact::Appraisal { emotion: Plutchik::Anticipation, .. }]), "{facts:?}");
    let deaf = AffectConfig { mortality_aware_affect: false, ..config };
    assert_eq!(Affect::new(&deaf).feel(t(1), &[Event::Mortality], None, &dying, &deaf), []);
}

#[test]
fn long_powerlessness_is_told_and_a_small_success_leads_out() {
    let config = AffectConfig::default();
    let mut affect = Affect::new(&config);
    let mut began = None;
    for n in 0..=600 {
        for fact in affect.feel(t(n), &[], None, &wretched(), &config) {
            if let AffectFact::Helplessness { open, dominance } = fact {
                assert!(open && dominance < -0.3 && began.is_none());
                began = Some(n);
            }
        }
    }
    assert!(began.is_some_and(|n| n >= 200), "{began:?}");
    assert!(affect.status(&config).unwrap().helpless);
    // The same small success, felt by a helpless golem and by another.
    let small = [Event::TradeProfit { pct: 2.0 }];
    let strength = |affect: &mut Affect, sample: &AffectSample| {
        let facts = affect.feel(t(601), &small, None, sample, &config);
        let felt = facts.iter().find_map(|f| match f {
            AffectFact::Appraisal { triggers, pad, .. } if triggers == &[EventKind::TradeProfit] => Some(*pad),
            _ => None,
        });
        felt.unwrap()
    };
    let mut proud = Affect::new(&config);
    proud.feel(t(600), &[], None, &AffectSample::default(), &config);
    let (here, there) = (strength(&mut affect.clone(), &wretched()), strength(&mut proud, &AffectSample::default()));
    assert!((here.dominance() - there.dominance() - 0.3).abs() < 1e-12);
    // It breaks the spell, although what stood was stronger.
    let mut lifted = affect.clone();
    lifted.feel(t(601), &small, None, &wretched(), &config);
    let (before, after) = (affect.status(&config).unwrap(), lifted.status(&config).unwrap());
    assert!(before.strength > after.strength && after.emotion == Some(Plutchik::Joy), "{before} / {after}");
    // Steady small successes end it, although nothing else has changed; without them it lasts.
    let (mut ended, mut without) = (None, affect.clone());
    for n in 601..1_400 {
        assert_eq!(without.feel(t(n), &[], None, &wretched(), &config), []);
        for fact in affect.feel(t(n), &small, None, &wretched(), &config) {
            if let AffectFact::Helplessness { open: false, dominance } = fact {
                assert!(dominance > -0.2);
                ended.get_or_insert(n);
            }
        }
    }
    assert!(ended.is_some(), "{:?}", affect.status(&config));
}

#[test]
fn feelings_of_others_rub_off_within_limits() {
    let (config, s) = (plain(), AffectSample::default());
    let mut affect = Affect::new(&config);
    let panic = [Pad::new(-1.0, 1.0, -1.0); 40];
    let fact = affect.sync(t(0), &panic[..1], 0, &config).unwrap();
    assert_eq!(fact, AffectFact::Contagion { siblings: 1, warnings: 0, added: Pad::new(-0.3, 0.3, 0.0) });
    // A large fleet, again and again, with all its warnings: never more than .3, and never dominance.
    for n in 1..50 {
        affect.sync(t(n), &panic, 7, &config);
        affect.feel(t(n), &[], None, &s, &config);
        let felt = affect.felt();
        assert!(felt.arousal() <= 0.3 + 1e-12 && felt.pleasure() >= -0.3 - 1e-12 && felt.dominance().abs() < 1e-12);
    }
    // Half of it is gone after six hours; in the end all of it.
    affect.sync(t(50), &panic, 0, &config);
    affect.feel(t(50 + 540), &[], None, &s, &config);
    assert!(close(affect.felt(), Pad::new(-0.15, 0.15, 0.0)));
    affect.feel(t(50 + 540 * 12), &[], None, &s, &config);
    assert_eq!(affect.felt(), Pad::NEUTRAL);
    // One warning alone; none at all.
    let warned = Affect::new(&config).sync(t(0), &[], 1, &config);
    assert_eq!(warned, Some(AffectFact::Contagion { siblings: 0, warnings: 1, added: Pad::new(0.0, 0.1, 0.0) }));
    assert_eq!(Affect::new(&config).sync(t(0), &[], 0, &config), None);
    // Others' feelings colour the moment; they are not the golem's mood.
    assert_eq!(affect.mood(), Pad::NEUTRAL);
}

#[test]
fn a_models_view_replaces_the_rules_only_where_it_counts() {
    let config = AffectConfig { appraisal_model: AppraisalModel::ChainOfEmotion, ..plain() };
    let read = |text| ModelAppraisal::parse(text).unwrap();
    let anger = read(r#"{"emotion": "anger", "intensity": 0.6, "pad": [-0.5, 0.6, 0.2]}"#);
    let joy = read(r#"{"emotion": "joy", "intensity": 0.9, "pad": [0.9, 0.5, 0.9]}"#);
    let far = read(r#"{"emotion": "sadness", "intensity": 0.9, "pad": [0.9, -0.9, 0.9]}"#);
    let (loss, s) = ([Event::TradeLoss { pct: 10.0 }], AffectSample::default());
    let by_rules = {
        let mut affect = Affect::new(&config);
        affect.feel(t(1), &loss, None, &s, &config);
        affect.mood()
    };
    let mut affect = Affect::new(&config);
    let facts = affect.feel(t(1), &loss, Some(&anger), &s, &config);
    assert!(matches!(facts.as_slice(), [AffectFact::Appraisal { emotion: Plutchik::Anger, by: Appraiser::Model, .. }]));
    assert!(close(affect.mood(), Pad::new(-0.5, 0.6, 0.2).times(0.6 * 0.05)));
    for (said, why) in [(joy, Divergence::Ungrounded), (far, Divergence::TooFar)] {
        let mut affect = Affect::new(&config);
        let facts = affect.feel(t(1), &loss, Some(&said), &s, &config);
        assert!(
            matches!(&facts[0], AffectFact::Divergence { why: w, distance: Some(_), .. } if *w == why),
            "{facts:?}"
        );
        assert!(matches!(&facts[1], AffectFact::Appraisal { emotion: Plutchik::Fear, by: Appraiser::Rules, .. }));
        assert_eq!(affect.mood(), by_rules);
    }
    // Nothing happened: nothing is felt, whatever a model says.
    let mut quiet = Affect::new(&config);
    let facts = quiet.feel(t(1), &[], Some(&anger), &s, &config);
    assert!(matches!(facts.as_slice(), [AffectFact::Divergence { why: Divergence::NoTrigger, rules: None, .. }]));
    assert_eq!(quiet.felt(), Pad::NEUTRAL);
    // Rules alone do not listen.
    let rules = AffectConfig { appraisal_model: AppraisalModel::RuleBased, ..config };
    let mut deaf = Affect::new(&rules);
    deaf.feel(t(1), &loss, Some(&anger), &s, &rules);
    assert_eq!(deaf.mood(), by_rules);
}

#[test]
fn switched_off_nothing_is_felt_told_or_coloured() {
    let off = AffectConfig { enabled: false, ..AffectConfig::default() };
    let disabled = AffectConfig { appraisal_model: AppraisalModel::Disabled, ..AffectConfig::default() };
    let events = [Event::TradeLoss { pct: 50.0 }, Event::SiblingDeath, Event::RegimeShift, Event::Mortality];
    for config in [off, disabled] {
        let mut affect = Affect::new(&config);
        let before = affect.clone();
        for n in 0..300 {
            assert_eq!(affect.feel(t(n), &events, None, &wretched(), &config), []);
            assert_eq!(affect.sync(t(n), &[Pad::new(-1.0, 1.0, -1.0)], 3, &config), None);
        }
        assert_eq!(affect, before);
        assert_eq!(affect.channels(&config), Channels::NEUTRAL);
        assert!(affect.snapshot(&config).is_none() && affect.status(&config).is_none());
    }
}

#[test]
fn a_status_reads_as_one_line() {
    let config = AffectConfig::default();
    let mut affect = Affect::new(&config);
    affect.feel(t(1), &[Event::SiblingDeath, Event::TradeLoss { pct: 15.0 }], None, &wretched(), &config);
    let line = affect.status(&config).unwrap().to_string();
    assert!(line.starts_with("mood ") && line.contains("grieving for 1") && line.contains("moves no limit"), "{line}");
    assert!(!line.contains('\n') && line.len() < 200);
    let json = serde_json::to_value(affect.status(&config).unwrap()).unwrap();
    assert_eq!(json["felt"].as_array().map(Vec::len), Some(3));
}
