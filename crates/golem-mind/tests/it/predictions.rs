//! Predictions as people see them: stored before the fact, settled after, scored against naive; and intervals that hold
//! what they promise.

use crate::kit;
use golem_core::Elapsed;
use golem_mind::Learning;
use golem_mind::forecast::TARGET;
use golem_mortality::Domain;
use golem_mortality::epistemic::DomainSkill;
use kit::{Life, Market};

const DAY: u64 = 2_160;
const LEVELS: [Domain; 4] =
    [Domain::PriceDirection, Domain::VolatilityRegime, Domain::YieldTrend, Domain::GasCondition];

fn lived(seed: u64, days: u64, learning: Learning, mut each: impl FnMut(&Life)) -> Life {
    let (mut life, mut market) = (Life::new(), Market::new(seed));
    for _ in 0..days * DAY {
        life.turn(&market.tick().admit(), Elapsed::nominal(1), learning);
        each(&life);
    }
    life
}

#[test]
fn four_outcomes_in_five_lie_inside() {
    for domain in LEVELS {
        let mut all = Vec::new();
        for seed in 1..=4 {
            let scores =
                lived(seed, 25, Learning::FULL, |_| {}).mind.forecasters().scores(domain, &DomainSkill::default());
            let inside = scores.coverage.expect("judged");
            assert!((inside - TARGET).abs() < 0.08, "{domain}, seed {seed}: {inside}");
            all.push(inside);
        }
        let mean = all.iter().sum::<f64>() / all.len() as f64;
        assert!((mean - TARGET).abs() < 0.04, "{domain}: {mean}");
    }
}

#[test]
fn a_prediction_is_stored_before_the_fact_and_never_changes() {
    let mut said = std::collections::BTreeMap::new();
    let mut settled = 0;
    lived(3, 3, Learning::FULL, |life| {
        for domain in Domain::ALL {
            let all = life.mind.forecasters().predictions(domain, usize::MAX);
            for p in &all {
                let words = (p.predicted, p.naive, p.interval, p.due);
                let first = said.entry((domain, p.made)).or_insert_with(|| {
                    assert!(p.came.is_none() && p.made == life.now, "{domain}: first seen when it was made");
                    words
                });
                assert_eq!(*first, words, "{domain}");
                assert!(p.interval.is_none_or(|[low, high]| low <= high));
                if let Some(came) = p.came {
                    assert!(came.at >= p.due && p.due == p.made.after(domain.horizon()));
                    assert_eq!(came.inside, p.holds(came.actual));
                }
            }
            assert!(all.iter().filter(|p| p.came.is_some()).count() <= 12, "bounded");
        }
        let kept: Vec<_> = life.mind.forecasters().settled_at(life.now).collect();
        assert!(kept.iter().all(|p| p.came.is_some_and(|c| c.at == life.now)));
        settled += kept.len();
    });
    assert!(settled > 200, "{settled}");
}

#[test]
fn scores_agree_with_a_plain_sum() {
    let life = lived(2, 12, Learning::FULL, |_| {});
    for domain in Domain::ALL {
        let scores = life.mind.forecasters().scores(domain, &DomainSkill::default());
        assert_eq!(scores.settled, u64::from(life.score.count(domain)), "{domain}");
        if scores.settled == 0 {
            assert_eq!((scores.skill, scores.overall, scores.hit_rate), (None, None, None));
            continue;
        }
        let overall = scores.overall.expect("settled");
        // The kit's figure is naive / (naive + model).
        let of_both = 1.0 / (2.0 - overall);
        assert!((of_both - life.score.overall(domain)).abs() < 1e-6, "{domain}: {overall}");
        let weights: f64 = scores.weights.iter().map(|w| w.weight).sum();
        assert!((weights - 1.0).abs() < 1e-9 && scores.weights.len() == 4, "{domain}: {:?}", scores.weights);
        assert_eq!(
            scores.weights.last().map(|w| w.model.as_ref()),
            Some(if LEVELS[1..].contains(&domain) { "half-way" } else { "naive" })
        );
    }
}

#[test]
fn naive_is_beaten_in_three_domains_on_a_synthetic_market() {
    for seed in 1..=4 {
        let life = lived(seed, 20, Learning::FULL, |_| {});
        let beaten: Vec<_> = Domain::ALL.into_iter().filter(|d| life.score.overall(*d) > 0.52).collect();
        assert!(beaten.len() >= 3, "seed {seed}: {}", life.score.show());
    }
}

/// A panel is as good as the better of its members: one alone would lose somewhere.
#[test]
fn weights_differ_between_domains() {
    let life = lived(1, 20, Learning::FULL, |_| {});
    let best = |domain| {
        let weights = life.mind.forecasters().scores(domain, &DomainSkill::default()).weights;
        weights.into_iter().max_by(|a, b| a.weight.total_cmp(&b.weight)).map(|w| w.model)
    };
    assert_eq!(best(Domain::PriceDirection).as_deref(), Some("naive"), "a random walk");
    assert_ne!(best(Domain::VolatilityRegime).as_deref(), Some("half-way"));
    assert_ne!(best(Domain::GasCondition).as_deref(), Some("half-way"));
}
