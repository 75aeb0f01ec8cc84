//! Situations: axes, normalising, comparing.

use golem_core::observed::{Field, Kind, Snapshot};
use golem_core::{Intent, Regime, Usdc};
use golem_grimoire::situation::{AXES, Normaliser, Reads, Situation, SituationAct, WIDTH};
use proptest::prelude::*;

fn seen(fields: &[(Field, f64)]) -> Snapshot {
    let mut out = Snapshot::new();
    for (field, x) in fields {
        out.set_number(*field, *x).unwrap();
    }
    out
}

fn axis(name: &str) -> usize {
    AXES.iter().position(|axis| axis.name == name).unwrap()
}

/// A hundred quiet observations of gas around 1.
fn quiet() -> Normaliser {
    let mut normaliser = Normaliser::default();
    for i in 0..100 {
        normaliser.observe(&seen(&[(Field::MarketGasRatio, 1.0 + 0.1 * f64::from(i % 5 - 2))]));
    }
    normaliser
}

fn gas(normaliser: &Normaliser, ratio: f64) -> f32 {
    normaliser.situation(&seen(&[(Field::MarketGasRatio, ratio)]), None).0[axis("gas ratio")]
}

#[test]
fn every_axis_reads_a_field_that_can_hold_it() {
    for axis in AXES {
        match axis.reads {
            Reads::Learnt(field, floor) | Reads::LearntLog(field, floor) => {
                assert!(field.kind() == Kind::Number && floor > 0.0, "{}", axis.name);
            }
            Reads::Fixed(field, _, factor) => assert!(field.kind() == Kind::Number && factor != 0.0, "{}", axis.name),
            Reads::Flag(field) => assert_eq!(field.kind(), Kind::Bool, "{}", axis.name),
            Reads::Word(field, words, _) => match field.kind() {
                Kind::Text(known) => assert!(known.iter().all(|w| words.contains(w)), "{}", axis.name),
                kind => panic!("{} reads a word from {kind:?}", axis.name),
            },
            Reads::Regime(_) | Reads::ActDirection | Reads::ActSize | Reads::ActKind => {}
        }
    }
    let regimes = AXES.iter().filter(|axis| matches!(axis.reads, Reads::Regime(_))).count();
    assert_eq!(regimes, Regime::ALL.len() - 1, "one each, none for unknown");
}

#[test]
fn what_was_not_observed_is_zero() {
    assert_eq!(quiet().situation(&Snapshot::new(), None), Situation::default());
}

#[test]
fn a_number_is_measured_in_its_own_deviations() {
    let normaliser = quiet();
    assert!(gas(&normaliser, 1.0).abs() < 0.3);
    assert!(gas(&normaliser, 1.2) > 1.0 && gas(&normaliser, 0.8) < -1.0);
    assert!((gas(&normaliser, 1e6) - 4.0).abs() < 1e-6, "clipped");
    assert_eq!(gas(&normaliser, 0.0), 0.0, "a ratio of nothing has no logarithm");
}

#[test]
fn before_anything_is_usual_a_learnt_axis_says_nothing() {
    let mut normaliser = Normaliser::default();
    for _ in 0..29 {
        normaliser.observe(&seen(&[(Field::MarketGasRatio, 1.0)]));
        assert_eq!(gas(&normaliser, 50.0), 0.0);
    }
    normaliser.observe(&seen(&[(Field::MarketGasRatio, 1.0)]));
    assert!(gas(&normaliser, 50.0) > 3.9);
}

#[test]
fn a_wild_number_changes_little_whenever_it_comes() {
    for when in [0, 5, 29, 30, 31, 70] {
        let (mut wild, mut calm) = (Normaliser::default(), Normaliser::default());
        for i in 0..100 {
            let usual = 1.0 + 0.1 * f64::from(i % 5 - 2);
            calm.observe(&seen(&[(Field::MarketGasRatio, usual)]));
            wild.observe(&seen(&[(Field::MarketGasRatio, if i == when { 1e12 } else { usual })]));
        }
        let (a, b) = (gas(&wild, 1.2), gas(&calm, 1.2));
        assert!((a - b).abs() < 0.5, "at {when}: {a} against {b}");
    }
}

#[test]
fn a_lasting_change_becomes_usual() {
    let mut normaliser = quiet();
    assert!(gas(&normaliser, 8.0) > 3.9);
    for _ in 0..3_000 {
        normaliser.observe(&seen(&[(Field::MarketGasRatio, 8.0)]));
    }
    assert!(gas(&normaliser, 8.0).abs() < 1.0, "{}", gas(&normaliser, 8.0));
}

#[test]
fn words_flags_and_acts_have_fixed_places() {
    let mut seen = Snapshot::new();
    seen.set(Field::MarketRegime, Regime::Volatile).unwrap();
    seen.set(Field::PositionInRange, false).unwrap();
    seen.set(Field::VitalityPhase, "terminal").unwrap();
    let buy = Intent::Buy { pay: Usdc(1), min_out: golem_core::Asset(0) };
    let here = Normaliser::default().situation(&seen, Some(SituationAct { intent: &buy, share: 0.25 }));
    let expected = [
        ("volatile", 2.0),
        ("range-bound", 0.0),
        ("in range", -1.0),
        ("phase", 2.0),
        ("direction of the act", 2.0),
        ("size of the act", 1.0),
        ("kind of the act", -2.0),
    ];
    for (name, x) in expected {
        assert_eq!(here.0[axis(name)], x, "{name}");
    }
    assert_eq!(here.describe(2), "volatile +2.0, phase +2.0");
    assert_eq!(Situation::default().describe(9), "nothing out of the ordinary");
}

#[test]
fn the_normaliser_is_the_same_after_a_stop() {
    for observations in [3, 100] {
        let mut normaliser = Normaliser::default();
        for i in 0..observations {
            normaliser.observe(&seen(&[(Field::MarketGasRatio, f64::from(i + 1)), (Field::MarketReturn90, 0.01)]));
        }
        let bytes = postcard::to_stdvec(&normaliser).unwrap();
        assert_eq!(postcard::from_bytes::<Normaliser>(&bytes).unwrap(), normaliser);
    }
}

fn situation() -> impl Strategy<Value = Situation> {
    prop::array::uniform24(-4f32..=4.0).prop_map(Situation)
}

proptest! {
    #[test]
    fn alike_is_symmetric_and_bounded(a in situation(), b in situation()) {
        prop_assert_eq!(a.cosine(&b), b.cosine(&a));
        prop_assert!((-1.0..=1.0).contains(&a.cosine(&b)));
        prop_assert_eq!(a.distance(&b), b.distance(&a));
        prop_assert_eq!(a.distance(&a), 0.0);
        let exact: f64 = a.0.iter().zip(b.0).map(|(x, y)| (f64::from(*x) - f64::from(y)).powi(2)).sum::<f64>().sqrt();
        prop_assert!((f64::from(a.distance(&b)) - exact).abs() < 1e-4);
        prop_assert!(a.norm() == 0.0 || (a.cosine(&a) - 1.0).abs() < 1e-6);
    }

    #[test]
    fn no_observation_breaks_it(bits in prop::collection::vec(any::<[u64; 4]>(), 1..80)) {
        let fields = [Field::MarketReturn15, Field::MarketGasRatio, Field::GolemDrawdown, Field::MarketVolatility];
        let mut normaliser = Normaliser::default();
        for bits in bits {
            let pairs: Vec<_> = fields.into_iter().zip(bits.map(f64::from_bits)).collect();
            let seen = seen(&pairs);
            normaliser.observe(&seen);
            let here = normaliser.situation(&seen, None);
            prop_assert!(here.0.iter().all(|x| (-4.0..=4.0).contains(x)), "{:?}", here);
        }
    }
}

#[test]
fn the_width_is_what_is_stored() {
    assert_eq!((WIDTH, AXES.len()), (24, 24));
}
