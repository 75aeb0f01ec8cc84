//! The channels through which affect colours behaviour, held against their formulas.

use crate::affect_kit;

use affect_kit::{plain, t};
use golem_daimon::affect::{
    Affect, AffectConfig, AffectSample, AppraisalModel, Channels, DreamMix, EXPLORATION, Event, FURTHEST_TEMPERAMENT,
    MOST_TIER_SHIFT, ModelAppraisal, MoodWord, Personality, Temperament, TierBias, baseline, drawn_temperament,
    tempered,
};

#[test]
fn the_channels_follow_their_formulas() {
    let config = plain();
    let neutral = Channels::NEUTRAL;
    // A newborn of this personality, before anything happens, and what it colours.
    let newborn = |pleasure, arousal, dominance| {
        let config = AffectConfig { personality: Personality { pleasure, arousal, dominance }, ..config.clone() };
        Affect::new(&config).channels(&config)
    };
    let near = |a: f64, b: f64| (a - b).abs() < 1e-12;
    assert_eq!(newborn(0.0, 0.0, 0.0), neutral);
    let anxious = newborn(-0.4, 0.5, -0.2);
    assert!(near(anxious.exploration, 1.0 - 0.12 - 0.1 - 0.02) && near(anxious.risk, 0.8));
    assert!(near(anxious.tier.t0, -0.15 * 0.22) && near(anxious.tier.t1, -0.10 * 0.22) && !anxious.tier.at_most_t1);
    assert_eq!(anxious.dreams, DreamMix { replay: 1.0, creative: 1.0, threat: 2.0 });
    let confident = newborn(0.6, -0.5, 0.5);
    assert!(near(confident.exploration, 1.0 + 0.18 + 0.1 + 0.05) && near(confident.risk, 1.0));
    assert!(near(confident.sharing, 0.1));
    assert!(near(confident.sharing_threshold(0.55), 0.45));
    let depleted = newborn(-0.3, -0.4, -0.3);
    assert!(depleted.tier.at_most_t1 && near(depleted.tier.t0, -0.15 * 0.01));
    let despairing = newborn(-0.9, -0.2, -0.9);
    assert!(near(despairing.sharing, -0.05) && near(despairing.sharing_threshold(0.6), 0.65));
    // A loud probe is never muffled: no threshold above the usual, no cap.
    let muffled = TierBias { t0: 0.07, t1: 0.05, at_most_t1: true };
    assert_eq!(muffled.with_probe(true), TierBias::default());
    assert_eq!(muffled.with_probe(false), muffled);
}

#[test]
fn the_risk_factor_goes_by_the_prevailing_emotion() {
    let config = AffectConfig { appraisal_model: AppraisalModel::ChainOfEmotion, ..plain() };
    let s = AffectSample::default();
    let risk = |events: &[Event], said: Option<&str>| {
        let mut affect = Affect::new(&config);
        let said = said.map(|text| ModelAppraisal::parse(text).unwrap());
        affect.feel(t(1), events, said.as_ref(), &s, &config);
        affect.channels(&config).risk
    };
    let anger = |strength| format!(r#"{{"emotion": "anger", "intensity": {strength}, "pad": [-0.2, 0.2, 0.1]}}"#);
    let table: &[(&[Event], Option<String>, f64)] = &[
        (&[], None, 1.0),
        (&[Event::TradeProfit { pct: 9.0 }], None, 1.0),
        (&[Event::KnowledgeValidated], None, 1.0),
        (&[Event::TradeLoss { pct: 2.0 }], None, 0.9),
        (&[Event::SiblingDeath], None, 0.8),
        (&[Event::TradeLoss { pct: 7.0 }], None, 0.8),
        // Intense, and agitated and unhappy besides: the floor holds.
        (&[Event::TradeLoss { pct: 18.0 }], None, 0.5),
        (&[Event::DreamThreat { tier: 1 }], None, 0.6),
        (&[Event::RegimeShift], None, 0.9),
        (&[Event::KnowledgeContradicted], None, 1.0),
        (&[Event::KnowledgeContradicted], Some(anger(0.2)), 1.05),
        (&[Event::KnowledgeContradicted], Some(anger(0.6)), 1.10),
        (&[Event::KnowledgeContradicted, Event::GoalFailed], Some(anger(1.0)), 1.15),
    ];
    for (events, said, want) in table {
        let got = risk(events, said.as_deref());
        assert!((got - want).abs() < 1e-12, "{events:?} {said:?}: {got}");
    }
}

#[test]
fn fear_never_explores_and_grief_adapts() {
    let (config, s) = (plain(), AffectSample::default());
    let after = |event| {
        let mut affect = Affect::new(&config);
        affect.feel(t(1), &[event], None, &s, &config);
        affect.channels(&config).exploration
    };
    assert!((after(Event::TradeLoss { pct: 18.0 }) - 1.0).abs() < 1e-12);
    assert!(after(Event::SiblingDeath) < 1.0 && after(Event::RegimeShift) < 1.0);
    assert!(after(Event::TradeProfit { pct: 9.0 }) > 1.0);
}

#[test]
fn dreams_keep_a_fifth_for_creation_and_open_nothing_that_is_closed() {
    let anxious = DreamMix { replay: 1.0, creative: 1.0, threat: 2.0 };
    let shares = DreamMix { replay: 0.6, creative: 0.2, threat: 0.2 };
    let mixed = anxious.on(shares);
    assert!((mixed.creative - 0.2).abs() < 1e-12 && mixed.threat > 0.2 && mixed.replay < 0.6);
    let sum = mixed.replay + mixed.creative + mixed.threat;
    assert!((sum - 1.0).abs() < 1e-12);
    let legacy = anxious.on(DreamMix { replay: 0.9, creative: 0.0, threat: 0.1 });
    assert!(legacy.creative.abs() < 1e-12 && (legacy.replay + legacy.threat - 1.0).abs() < 1e-12);
    assert_eq!(DreamMix::NEUTRAL.on(shares), shares);
}

#[test]
fn near_the_end_more_is_given_away() {
    let config = AffectConfig::default();
    let shared = |vitality: f64, config: &AffectConfig| {
        let mut affect = Affect::new(config);
        affect.feel(t(1), &[], None, &AffectSample { vitality, ..AffectSample::default() }, config);
        affect.channels(config).sharing_threshold(0.55)
    };
    assert!((shared(0.05, &config) - 0.3).abs() < 1e-12 && (shared(0.5, &config) - 0.55).abs() < 1e-12);
    assert!((shared(0.05, &plain()) - 0.55).abs() < 1e-12);
}

/// The furthest corners that can be drawn, and the middle of every face: at rest nothing touches a cap, nobody is
/// distressed, and nobody lacks strength.
#[test]
fn a_drawn_temperament_keeps_every_channel_within_its_caps() {
    let config = AffectConfig { temperament: Temperament::Drawn, ..plain() };
    let most = 1.0 - f64::EPSILON / 2.0;
    for n in 0..27 {
        let draws = [n % 3, n / 3 % 3, n / 9].map(|which| [0.0, 0.5, most][which]);
        let config = tempered(&config, draws);
        let born = Affect::new(&config);
        let c = born.channels(&config);
        assert!(c.exploration > 0.8 && c.exploration < 1.2, "{draws:?}: {c:?}");
        assert!(EXPLORATION.0 < 0.8 && EXPLORATION.1 > 1.2 && c.tier.t0.abs() < MOST_TIER_SHIFT / 4.0, "{c:?}");
        assert_eq!((c.risk, c.sharing, c.tier.at_most_t1), (1.0, 0.0, false), "{draws:?}");
        let axes = baseline(&config);
        for x in [axes.pleasure(), axes.arousal(), axes.dominance()] {
            assert!(x.abs() <= FURTHEST_TEMPERAMENT, "{axes}");
        }
        assert_eq!(drawn_temperament(&config), Some(axes));
        assert_ne!(MoodWord::of(axes), MoodWord::Depleted, "{axes}");
    }
}

#[test]
fn a_given_temperament_is_what_the_settings_say_whatever_is_drawn() {
    let given = AffectConfig { personality: Personality { pleasure: 0.7, ..Personality::default() }, ..plain() };
    assert_eq!(tempered(&given, [0.9, 0.1, 0.4]), given);
    assert_eq!(drawn_temperament(&given), None);
    let both = AffectConfig { temperament: Temperament::Drawn, ..given.clone() };
    let keys = |config: &AffectConfig| config.problems().into_iter().map(|p| p.key).collect::<Vec<_>>();
    assert_eq!((keys(&both), keys(&given)), (vec!["temperament".to_owned()], vec![]));
    let drawn = AffectConfig { personality: Personality::default(), ..both };
    assert!(keys(&drawn).is_empty());
    assert_ne!(tempered(&drawn, [0.9, 0.1, 0.4]), tempered(&drawn, [0.8, 0.1, 0.4]));
}
