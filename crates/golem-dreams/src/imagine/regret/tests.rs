//! What many findings come to.

use super::*;
use crate::imagine::samples::at;
use proptest::prelude::*;

const KEYS: [&str; 2] = ["lp_management.max_exposure", "lp_management.range_sigmas"];

fn finding(episode: u64, tick: u64, action: &str, alternative: Alternative, better_bps: f64) -> RegretFinding {
    let action = action.to_owned();
    RegretFinding {
        episode: EpisodeId(episode),
        age: at(tick),
        action,
        regime: Regime::Volatile,
        alternative,
        better_bps,
    }
}

fn said(gains: &[f64], apart: u64, action: &str, alternative: Alternative) -> Vec<ImaginedHypothesis> {
    let mut book = RegretBook::default();
    book.learn(gains.iter().zip(0..).map(|(g, i)| finding(i, i * apart, action, alternative, *g)));
    book.hypotheses(&ImaginationParams::default(), &KEYS)
}

#[test]
fn three_independent_runs_that_agree_make_a_hypothesis() {
    let buys = |gains: &[f64], apart| said(gains, apart, "buy", Alternative::NotAtAll);
    assert_eq!(buys(&[10.0, 11.0, 12.0], 90).len(), 1);
    assert_eq!(buys(&[10.0, 11.0], 90).len(), 0, "two are too few");
    assert_eq!(buys(&[10.0, 11.0, 12.0], 89).len(), 0, "the same hour twice is one hour");
    assert_eq!(buys(&[1.0, 5.0, 12.0], 90).len(), 0, "luck explains it");
    assert_eq!(buys(&[-10.0, -11.0, -12.0], 90).len(), 0);
    assert_eq!(buys(&[0.9, 0.91, 0.92], 90).len(), 0, "less than a basis point is nothing");
    let one = &buys(&[10.0, 11.0, 12.0], 90)[0];
    assert_eq!(
        (one.runs, one.regime, one.said.provenance),
        (3, Some(Regime::Volatile), DreamProvenance::Counterfactual)
    );
    assert!((one.said.executed_bps.unwrap() - 11.0).abs() < 1e-9 && (one.said.confidence - 0.2).abs() < 1e-12);
    assert_eq!(one.said.seed_episodes, [EpisodeId(2), EpisodeId(1), EpisodeId(0)]);
    assert_eq!(
        one.said.text,
        "To buy in volatile weather would have been better not at all: 11.0 basis points in the mean of 3 runs, \
         give or take 0.6."
    );
}

#[test]
fn what_follows_and_what_to_do_about_it() {
    use Alternative as A;
    let width = |factor| Some(RuleAction::Scale { parameter: KEYS[1].to_owned(), factor });
    let half = Some(RuleAction::Risk { factor: 0.5 });
    let (fall, rise, fees) = ("market.return_90 < 0.0", "market.return_90 > 0.0", "market.fee_yield_ratio > 1.0");
    let travel = "market.return_90 < -0.003 || market.return_90 > 0.003";
    let table = [
        ("buy", A::NotAtAll, fall, Some(RuleAction::StandAside)),
        ("add", A::Opposite, fall, Some(RuleAction::StandAside)),
        ("buy", A::Smaller, fall, half.clone()),
        ("buy", A::Later, fall, None),
        ("buy", A::Larger, rise, None),
        ("buy", A::Earlier, rise, None),
        ("sell", A::Larger, fall, half),
        ("sell", A::Earlier, fall, None),
        ("sell", A::NotAtAll, rise, None),
        ("remove", A::Opposite, rise, None),
        ("add", A::MuchNarrower, fees, width(0.5)),
        ("rebalance", A::Narrower, fees, width(0.7)),
        ("add", A::Wider, travel, width(1.4)),
        ("rebalance", A::MuchWider, travel, width(2.0)),
    ];
    for (action, alternative, then, does) in table {
        let all = said(&[10.0, 11.0, 12.0], 90, action, alternative);
        assert_eq!(all.len(), 1, "{action} {alternative}");
        assert_eq!((all[0].claim.then.as_str(), &all[0].action), (then, &does), "{action} {alternative}");
        assert_eq!((all[0].claim.when.as_str(), all[0].claim.after_ticks), ("market.regime == \"volatile\"", 90));
    }
    assert!(said(&[10.0, 11.0, 12.0], 90, "rebalance", A::NotAtAll).is_empty(), "the market says nothing about it");
    let mut book = RegretBook::default();
    let unknown = |i| RegretFinding { regime: Regime::Unknown, ..finding(i, 90 * i, "buy", A::NotAtAll, 10.0) };
    book.learn((0..5).map(unknown));
    assert!(book.hypotheses(&ImaginationParams::default(), &KEYS).is_empty(), "no weather is no condition");
}

#[test]
fn a_template_without_a_range_has_no_rule_for_it() {
    let mut book = RegretBook::default();
    book.learn((0..3).map(|i| finding(i, 90 * i, "add", Alternative::Wider, 10.0)));
    assert_eq!(book.hypotheses(&ImaginationParams::default(), &KEYS[..1])[0].action, None);
}

#[test]
fn a_hypothesis_is_said_again_when_twice_as_much_speaks_for_it() {
    let (mut book, params) = (RegretBook::default(), ImaginationParams::default());
    let mut said = Vec::new();
    for i in 0..13 {
        book.learn([finding(i, 90 * i, "buy", Alternative::NotAtAll, 10.0)]);
        // The same once more changes nothing.
        book.learn([finding(i, 90 * i, "buy", Alternative::NotAtAll, 99.0)]);
        said.extend(book.hypotheses(&params, &KEYS).iter().map(|h| h.runs));
    }
    assert_eq!(said, [3, 6, 12]);
}

#[test]
fn the_book_is_bounded_and_reads_back() {
    let mut book = RegretBook::default();
    book.learn(
        (0..2_000).map(|i| finding(i, i, "buy", Alternative::NotAtAll, if i % 7 == 0 { f64::NAN } else { 1.0 })),
    );
    assert_eq!(book.len(), MOST_FINDINGS);
    assert!(book.has(EpisodeId(1_999), Alternative::NotAtAll) && !book.has(EpisodeId(1), Alternative::NotAtAll));
    let text = serde_json::to_string(&book).unwrap();
    assert_eq!(serde_json::from_str::<RegretBook>(&text).unwrap(), book);
}

proptest! {
    #[test]
    fn coin_flips_seldom_become_hypotheses(seed in any::<u64>()) {
        // 40 kinds of 6 findings each, symmetric around nothing: one in twenty, so 2 of 40 in the mean.
        let dice = golem_core::Dice::open(seed, golem_core::Strand::World);
        let mut many = 0;
        for kind in 0..40 {
            let mut draws = dice.draws(kind);
            let gains: Vec<f64> = (0..6).map(|_| draws.normals().0 * 20.0).collect();
            many += said(&gains, 90, "buy", Alternative::NotAtAll).len();
        }
        prop_assert!(many <= 12, "{many} of 40");
    }
}
