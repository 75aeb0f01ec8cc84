//! The rules of affect, held against the numbers of the design, row by row.

use crate::affect_kit;

use affect_kit::samples;
use golem_daimon::affect::{
    AffectConfig, AffectSample, AppraisalModel, BadAppraisal, Divergence, Emotion, Event, EventKind, Ground, Grounds,
    Intensity, ModelAppraisal, MoodWord, Pad, Plutchik, RULES, appraise, blend, economic_anxiety, epistemic_vertigo,
    mortality_emotion, mortality_grounds, stochastic_dread,
};
use golem_mortality::BehavioralPhase;
use proptest::prelude::*;

use Plutchik::{Anger, Anticipation, Disgust, Fear, Joy, Sadness, Surprise, Trust};

fn near(pad: Pad, want: [f64; 3]) -> bool {
    pad.distance(Pad::from(want)) < 1e-12
}

#[test]
fn every_event_is_appraised_as_the_design_says() {
    let table = [
        (Event::TradeProfit { pct: 4.0 }, Joy, [0.6, 0.3, 0.5], 0.4, 0.8, false),
        (Event::TradeProfit { pct: 0.2 }, Joy, [0.6, 0.3, 0.5], 0.1, 0.8, false),
        (Event::TradeProfit { pct: 80.0 }, Joy, [0.6, 0.3, 0.5], 0.9, 0.8, false),
        (Event::TradeLoss { pct: 5.0 }, Sadness, [-0.5, 0.2, -0.3], 0.25, 0.9, false),
        (Event::TradeLoss { pct: 5.1 }, Fear, [-0.5, 0.7, -0.3], 0.255, 0.9, false),
        (Event::TradeLoss { pct: 60.0 }, Fear, [-0.5, 0.7, -0.3], 0.9, 0.9, false),
        (Event::PredictionMiss { error: 0.1 }, Surprise, [-0.1, 0.6, -0.2], 0.2, 0.7, false),
        (Event::PredictionMiss { error: 0.5 }, Surprise, [-0.1, 0.6, -0.2], 0.5, 0.7, false),
        (Event::PredictionMiss { error: 0.9 }, Surprise, [-0.3, 0.6, -0.2], 0.8, 0.7, false),
        (Event::RegimeShift, Surprise, [-0.2, 0.7, -0.3], 0.6, 0.9, true),
        (Event::SiblingDeath, Sadness, [-0.4, 0.3, -0.2], 0.6, 0.5, true),
        (Event::KnowledgeValidated, Trust, [0.3, -0.1, 0.3], 0.4, 0.4, false),
        (Event::KnowledgeContradicted, Disgust, [-0.3, 0.2, 0.1], 0.4, 0.5, false),
        (Event::DreamOutcome { ok: true }, Joy, [0.3, 0.1, 0.4], 0.4, 0.4, false),
        (Event::DreamOutcome { ok: false }, Surprise, [-0.2, 0.4, -0.1], 0.5, 0.4, false),
        (Event::DreamThreat { tier: 1 }, Fear, [-0.4 * 0.8, 0.5 * 0.8, -0.3], 0.8, 0.6, true),
        (Event::DreamThreat { tier: 2 }, Fear, [-0.4 * 0.5, 0.5 * 0.5, -0.3], 0.5, 0.5, false),
        (Event::DreamThreat { tier: 3 }, Fear, [-0.4 * 0.3, 0.5 * 0.3, -0.3], 0.3, 0.4, false),
        (Event::DreamThreat { tier: 200 }, Fear, [-0.4 * 0.3, 0.5 * 0.3, -0.3], 0.3, 0.4, false),
        (Event::Unknown, Anticipation, [0.0, 0.1, 0.0], 0.1, 0.1, false),
    ];
    for (event, label, pad, strength, relevance, mandatory) in &table {
        let got = appraise(event, &AffectSample::default(), Pad::NEUTRAL).unwrap();
        assert_eq!((got.emotion.label, got.rule.mandatory), (*label, *mandatory), "{event:?}");
        assert!(near(got.emotion.pad, *pad), "{event:?}: {}", got.emotion.pad);
        assert!((got.emotion.strength.get() - strength).abs() < 1e-12, "{event:?}");
        assert!((got.rule.relevance - relevance).abs() < 1e-12, "{event:?}");
    }
}

#[test]
fn goals_take_their_point_from_the_general_formula() {
    let sample =
        AffectSample { fitness: 0.7, vitality: 0.6, prediction_error: 0.2, anomalies: 2, ..AffectSample::default() };
    let personality = Pad::new(0.4, 0.2, -0.5);
    let (aroused, dominant) = (0.15 * 2.0 + 0.5 * 0.2 + 0.35 * 0.2, 0.5 * 0.4 + 0.3 * 0.6 + 0.2 * -0.5);
    for (event, label, pleased) in [(Event::GoalCompleted, Joy, 0.48), (Event::GoalFailed, Sadness, -0.48)] {
        let got = appraise(&event, &sample, personality).unwrap().emotion;
        assert_eq!(got.label, label);
        assert!(near(got.pad, [pleased, aroused, dominant]), "{}", got.pad);
    }
}

#[test]
fn nothing_is_felt_without_its_figure() {
    for x in [0.0, -0.0, -3.0, f64::NAN, f64::NEG_INFINITY] {
        for event in [Event::TradeProfit { pct: x }, Event::TradeLoss { pct: x }, Event::PredictionMiss { error: x }] {
            assert!(appraise(&event, &AffectSample::default(), Pad::NEUTRAL).is_none(), "{event:?}");
        }
    }
    assert!(appraise(&Event::DreamThreat { tier: 0 }, &AffectSample::default(), Pad::NEUTRAL).is_none());
}

#[test]
fn every_row_rests_on_what_its_event_gives() {
    let mut last = None;
    for row in RULES {
        assert!(Grounds::of(row.kind).bear(row.label), "{row:?}");
        assert!((0.0..=1.0).contains(&row.relevance));
        // Rows of a kind stand together with rising figures, or the choice among them would be wrong.
        if let Some((kind, above)) = last {
            assert!(kind < row.kind || (kind == row.kind && above < row.above), "{row:?}");
        }
        last = Some((row.kind, row.above));
    }
    let bears = [
        (Ground::Gain, [Joy, Trust, Anticipation].as_slice()),
        (Ground::Threat, &[Fear, Sadness, Disgust, Anger, Anticipation]),
        (Ground::Deviation, &[Surprise, Sadness, Disgust, Anger, Anticipation]),
        (Ground::Loss, &[Sadness, Disgust, Anger, Anticipation]),
    ];
    for (ground, words) in bears {
        for label in Plutchik::ALL {
            assert_eq!(Grounds::NONE.and(ground).bear(label), words.contains(&label), "{ground:?} {label:?}");
        }
    }
    assert!(!Grounds::of(EventKind::Unknown).bear(Joy) && Grounds::NONE.bear(Anticipation));
}

#[test]
fn mortality_is_felt_as_the_design_says() {
    let s = |balance_ratio, runway_days, fitness, fitness_trend, hazard| AffectSample {
        balance_ratio,
        runway_days,
        fitness,
        fitness_trend,
        hazard,
        ..AffectSample::default()
    };
    let anxiety = [
        (s(1.0, Some(50.0), 0.5, 0.0, 0.0), Anticipation, 0.01, [-0.005, 0.006, 0.1]),
        (s(0.6, Some(2.0), 0.5, 0.0, 0.0), Anticipation, 0.45, [-0.225, 0.27, 0.1]),
        (s(0.5, Some(1.0), 0.5, 0.0, 0.0), Fear, 0.75, [-0.375, 0.45, -0.3]),
        (s(0.2, Some(0.0), 0.5, 0.0, 0.0), Fear, 0.9, [-0.45, 0.54, -0.6]),
        (s(0.0, None, 0.5, 0.0, 0.0), Anticipation, 0.5, [-0.25, 0.3, -0.8]),
        (s(7.0, None, 0.5, 0.0, 0.0), Anticipation, 0.0, [0.0, 0.0, 0.1]),
    ];
    for (sample, label, strength, pad) in anxiety {
        let e = economic_anxiety(&sample);
        assert_eq!(e.label, label);
        assert!((e.strength.get() - strength).abs() < 1e-12 && near(e.pad, pad), "{e:?}");
    }
    let vertigo = [
        (0.19, 0.0, Disgust, 0.8, [-0.7, 0.3, -0.6]),
        (0.4, -0.02, Fear, 0.3, [-0.4, 0.59, -0.3]),
        (0.3, -0.05, Fear, 0.56, [-0.4, 0.5 + 0.3 * 0.56, -0.3]),
        (0.3, -0.5, Fear, 0.7, [-0.4, 0.71, -0.3]),
        (0.6, -0.03, Anticipation, 0.3, [-0.1, 0.2, 0.1]),
        (0.6, -0.011, Anticipation, 0.2, [-0.1, 0.2, 0.1]),
        (0.6, -0.01, Trust, 0.2, [0.1, -0.1, 0.2]),
        (0.34, 0.0, Anticipation, 0.2, [-0.1, 0.2, 0.1]),
    ];
    for (fitness, trend, label, strength, pad) in vertigo {
        let e = epistemic_vertigo(&s(1.0, None, fitness, trend, 0.0));
        assert_eq!(e.label, label, "{fitness} {trend}");
        assert!((e.strength.get() - strength).abs() < 1e-12 && near(e.pad, pad), "{e:?}");
    }
    for (hazard, strength) in [(0.0, 0.05), (1e-6, 0.05), (2e-4, 0.2), (1e-3, 0.4), (f64::NAN, 0.05)] {
        let e = stochastic_dread(&s(1.0, None, 0.5, 0.0, hazard));
        assert!((e.strength.get() - strength).abs() < 1e-12 && near(e.pad, [0.0, strength, 0.2]));
    }
}

#[test]
fn near_the_end_there_is_acceptance() {
    let poor = AffectSample { balance_ratio: 0.0, runway_days: Some(0.1), fitness: 0.1, ..AffectSample::default() };
    for (vitality, accepts) in [(0.099, true), (0.0, true), (f64::NAN, true), (0.1, false), (1.0, false)] {
        let e = mortality_emotion(&AffectSample { vitality, phase: BehavioralPhase::of(vitality), ..poor });
        let acceptance =
            e.label == Anticipation && near(e.pad, [-0.1, 0.4, 0.3]) && (e.strength.get() - 0.8).abs() < 1e-12;
        assert_eq!(acceptance, accepts, "{vitality}: {e:?}");
    }
}

#[test]
fn several_emotions_become_one() {
    let joy = Emotion::new(Joy, [0.6, 0.2, 0.4], 0.2);
    let fear = Emotion::new(Fear, [-0.4, 0.8, -0.4], 0.6);
    let one = blend(&[joy, fear]).unwrap();
    assert_eq!(one.label, Fear);
    assert!((one.strength.get() - 0.6).abs() < 1e-12 && near(one.pad, [-0.15, 0.65, -0.2]), "{one:?}");
    assert_eq!(blend(&[]), None);
    let nothing = Emotion::new(Joy, [1.0, 1.0, 1.0], 0.0);
    assert_eq!(blend(&[nothing, nothing]), Some(nothing));
}

#[test]
fn strengths_and_moods_have_their_words() {
    for (x, word) in [
        (0.0, Intensity::Mild),
        (0.299, Intensity::Mild),
        (0.3, Intensity::Moderate),
        (0.699, Intensity::Moderate),
        (0.7, Intensity::Intense),
        (f64::NAN, Intensity::Mild),
    ] {
        assert_eq!(Intensity::of(x), word, "{x}");
    }
    for (pad, word) in [
        ([0.0, 0.0, 0.0], "even"),
        ([0.1, 0.1, 0.0], "even"),
        ([0.2, 0.2, 0.2], "exuberant"),
        ([0.2, 0.2, -0.2], "excited"),
        ([0.2, -0.2, 0.2], "confident"),
        ([0.2, -0.2, -0.2], "docile"),
        ([-0.2, 0.2, 0.2], "hostile"),
        ([-0.2, 0.2, -0.2], "anxious"),
        ([-0.2, -0.2, 0.2], "disdainful"),
        ([-0.2, -0.2, -0.2], "depleted"),
        ([-0.51, 0.9, -0.31], "despairing"),
        ([-0.51, -0.9, -0.31], "despairing"),
    ] {
        assert_eq!(MoodWord::of(Pad::from(pad)).name(), word, "{pad:?}");
    }
}

#[test]
fn a_models_block_is_checked_field_by_field() {
    let good = r#"{"emotion": " Fear ", "intensity": 0.6, "pad": [-0.5, 0.6, -0.3], "why": "loss"}"#;
    assert_eq!(ModelAppraisal::parse(good).unwrap().0, Emotion::new(Fear, [-0.5, 0.6, -0.3], 0.6));
    let long = format!("{}{good}", " ".repeat(2_000));
    for (text, want) in [
        ("", BadAppraisal::NotAnObject),
        ("fear", BadAppraisal::NotAnObject),
        ("[1]", BadAppraisal::NotAnObject),
        ("{}", BadAppraisal::Emotion),
        (r#"{"emotion": "bliss", "intensity": 0.6, "pad": [0, 0, 0]}"#, BadAppraisal::Emotion),
        (r#"{"emotion": 3, "intensity": 0.6, "pad": [0, 0, 0]}"#, BadAppraisal::Emotion),
        (r#"{"emotion": "joy", "intensity": 1.01, "pad": [0, 0, 0]}"#, BadAppraisal::Intensity),
        (r#"{"emotion": "joy", "intensity": "high", "pad": [0, 0, 0]}"#, BadAppraisal::Intensity),
        (r#"{"emotion": "joy", "pad": [0, 0, 0]}"#, BadAppraisal::Intensity),
        (r#"{"emotion": "joy", "intensity": 0.6, "pad": [0, 0]}"#, BadAppraisal::Pad),
        (r#"{"emotion": "joy", "intensity": 0.6, "pad": [0, 0, 0, 0]}"#, BadAppraisal::Pad),
        (r#"{"emotion": "joy", "intensity": 0.6, "pad": [0, 1e9, 0]}"#, BadAppraisal::Pad),
        (r#"{"emotion": "joy", "intensity": 0.6, "pad": {"p": 1}}"#, BadAppraisal::Pad),
        (long.as_str(), BadAppraisal::TooLong),
    ] {
        assert_eq!(ModelAppraisal::parse(text), Err(want), "{text}");
    }
}

#[test]
fn a_model_counts_only_near_the_rules_and_for_what_happened() {
    let rules = Emotion::new(Fear, [-0.5, 0.7, -0.3], 0.5);
    let lost = Grounds::of(EventKind::TradeLoss);
    let said = |label, pad: [f64; 3], strength| ModelAppraisal(Emotion::new(label, pad, strength));
    // As far as it may, to the last digit; a hair beyond.
    assert!(said(Anger, [0.5, 0.7, -0.3], 0.5).against(&rules, lost).is_ok());
    assert_eq!(said(Anger, [0.501, 0.7, -0.3], 0.5).against(&rules, lost), Err(Divergence::TooFar));
    assert_eq!(said(Joy, [-0.5, 0.7, -0.3], 0.5).against(&rules, lost), Err(Divergence::Ungrounded));
    // It may stress and play down, within limits.
    for (strength, counts) in [(1.0, 0.8), (0.6, 0.6), (0.0, 0.2)] {
        let got = said(Sadness, [-0.4, 0.2, -0.3], strength).against(&rules, lost).unwrap();
        assert!((got.strength.get() - counts).abs() < 1e-12 && got.label == Sadness);
    }
}

#[test]
fn every_problem_with_the_settings_is_named() {
    assert_eq!(AffectConfig::default().problems(), []);
    let text = r#"{"mood_decay_rate": 0.5, "grief_duration_ticks": 5, "appraisal_model": "chain-of-emotion",
                   "personality": {"arousal": 2.0}, "channels": {"risk": false}}"#;
    let bad: AffectConfig = serde_json::from_str(text).unwrap();
    assert_eq!(bad.appraisal_model, AppraisalModel::ChainOfEmotion);
    assert!(!bad.channels.risk && bad.channels.sharing);
    let keys: Vec<_> = bad.problems().into_iter().map(|p| p.key).collect();
    assert_eq!(keys, ["mood_decay_rate", "grief_duration_ticks", "personality.arousal"]);
    for unknown in [r#"{"mood": 1}"#, r#"{"channels": {"safety": false}}"#, r#"{"personality": {"p": 1}}"#] {
        assert!(serde_json::from_str::<AffectConfig>(unknown).is_err(), "{unknown}");
    }
}

/// A condition with figures as a life has them.
fn lifelike() -> impl Strategy<Value = AffectSample> {
    (0.0..1.0f64, 0.0..1.2f64, prop::option::of(0.0..60.0f64), 0.0..1.0f64, -0.2..0.2f64, 0.0..1e-3f64).prop_map(
        |(vitality, balance_ratio, runway_days, fitness, fitness_trend, hazard)| {
            let phase = BehavioralPhase::of(vitality);
            AffectSample {
                vitality,
                phase,
                balance_ratio,
                runway_days,
                fitness,
                fitness_trend,
                hazard,
                ..AffectSample::default()
            }
        },
    )
}

proptest! {
    #[test]
    fn what_is_felt_about_the_end_rests_on_the_condition(sample in prop_oneof![samples(), lifelike()]) {
        let e = mortality_emotion(&sample);
        prop_assert!(mortality_grounds(&sample).bear(e.label), "{:?} in {:?}", e, sample);
    }

    #[test]
    fn no_block_of_a_model_panics_or_escapes(text in ".{0,200}", x: f64, y: f64) {
        let _ = ModelAppraisal::parse(&text);
        let block = serde_json::json!({ "emotion": "anger", "intensity": x, "pad": [y, x, y] });
        if let Ok(read) = ModelAppraisal::read(&block) {
            prop_assert!((0.0..=1.0).contains(&x) && (-1.0..=1.0).contains(&y));
            prop_assert_eq!(read.0.pad, Pad::new(y, x, y));
        }
    }
}
