//! What is heard before it is proven, and how belief and level are shared among what is tried.

use super::*;
use crate::experts::wager::LEVEL;

const HORIZON: Elapsed = Elapsed::nominal(90);

fn searching(tried: Vec<Tried>) -> ResidualSearch {
    let learners = vec![[Learner::new(Way::Either); DOMAINS.len()]; tried.len()];
    ResidualSearch { tried, learners, ..ResidualSearch::default() }
}

fn alone(when: TriedWhen) -> Tried {
    Tried { when, input: None, turned_by: None, only: None }
}

fn beyond(bound: u32) -> Tried {
    alone(TriedWhen::Beyond { field: Field::MarketGasRatio, above: true, bound: f64::from(bound) })
}

/// The n-th of a row that is worth `effect` in the mean, with as much to either side of it.
fn came(n: u64, effect: f64) -> f64 {
    effect + if n.is_multiple_of(2) { 1.0 } else { -1.0 }
}

#[test]
fn at_even_odds_by_its_own_record_a_condition_is_heard_before_it_is_proven_and_below_it_is_not() {
    let conditions: u32 = 40;
    let mut search = searching((0..conditions).map(beyond).collect());
    let (mut silent, mut hunches, mut proofs) = (0, 0, 0);
    for block in 0..400 {
        let side = (block & 1) as usize;
        search.begin(0, side);
        let when = (VirtualTime(block * HORIZON.0), HORIZON);
        search.take((0, side), &[(0, 1.0)], came(block, 0.7), 1.0, when);
        let learner = search.learners[0][0];
        // One among forty, by what it brought and by no more than its wager has won.
        let record = (0.5 * learner.lead()).min(learner.evidence().log_value());
        let even = record >= f64::from(conditions).ln();
        let found = search.ripe(|_| false);
        assert_eq!(!found.is_empty(), even, "block {block}: {record} for one among {conditions}");
        match found.first() {
            Some(one) if one.proven => proofs += 1,
            Some(one) => {
                hunches += 1;
                assert!((one.prior * f64::from(conditions) - 1.0).abs() < 1e-12);
                assert!(!learner.evidence().proves(one.level), "it is no more than a hunch");
            }
            None => silent += 1,
        }
    }
    assert!(silent > 5 && hunches > 5 && proofs > 5, "{silent} silent, {hunches} hunches, {proofs} proofs");
}

/// So many of every kind that there is.
fn of_every_kind(many: [u32; KINDS]) -> Vec<Tried> {
    let (gas, hour) = (Field::MarketGasRatio, Field::MarketHour);
    let by = |turned_by, only| Tried { when: TriedWhen::Always, input: Some(gas), turned_by, only };
    let kind = |kind: usize, n: u32| {
        let (from, to) = (f64::from(n), f64::from(n + 1));
        match kind {
            0 => by(None, None),
            1 => by(Some(Field::MarketVolume), Some(Domain::PriceDirection)),
            2 => alone(TriedWhen::Outside { field: Field::MarketShock, low: -to, high: to }),
            3 => beyond(n),
            4 => alone(TriedWhen::Is { field: Field::MarketRegime, word: n as u8 }),
            5 => alone(TriedWhen::Between { field: hour, from, to }),
            6 => Tried { only: Some(Domain::GasCondition), ..alone(TriedWhen::Between { field: hour, from, to }) },
            _ => alone(TriedWhen::Between { field: Field::MarketGasSpikeTicks, from, to }),
        }
    };
    many.into_iter().enumerate().flat_map(|(k, many)| (0..many).map(move |n| kind(k, n))).collect()
}

/// What each kind has of the belief about a domain, all of its hypotheses together.
fn belief(search: &ResidualSearch, domain: Domain) -> [f64; KINDS] {
    let (counts, mut sums) = (search.kinds(domain), [0.0; KINDS]);
    for tried in search.tried.iter().filter(|t| t.only.is_none_or(|only| only == domain)) {
        sums[tried.kind()] += ResidualSearch::share(&counts, tried);
    }
    sums
}

#[test]
fn many_hypotheses_of_one_kind_take_nothing_from_another() {
    let (few, many) = ([1, 1, 2, 3, 4, 6, 8, 5], [9, 4, 2, 300, 4, 6, 96, 5]);
    for (domain, kinds) in
        [(Domain::PriceDirection, 7), (Domain::VolatilityRegime, 6), (Domain::YieldTrend, 6), (Domain::GasCondition, 7)]
    {
        for each in [few, many] {
            let sums = belief(&searching(of_every_kind(each)), domain);
            let held: Vec<f64> = sums.into_iter().filter(|s| *s > 0.0).collect();
            assert_eq!(held.len(), kinds, "{domain}");
            assert!(held.iter().all(|s| (s * kinds as f64 - 1.0).abs() < 1e-9), "{domain}: {sums:?}");
        }
    }
}

#[test]
fn what_is_found_has_the_share_of_its_kind_in_belief_and_in_level() {
    // Three bounds beside thousands of hours, or beside a few: the same share of both.
    let found = |hours: u32| {
        let mut search = searching(of_every_kind([0, 0, 0, 3, 0, hours, 0, 0]));
        for block in 0..400 {
            let side = (block & 1) as usize;
            search.begin(0, side);
            search.take((0, side), &[(0, 1.0)], came(block, 1.0), 1.0, (VirtualTime(block * HORIZON.0), HORIZON));
        }
        search.ripe(|_| false).into_iter().next().expect("an effect of one usual error")
    };
    for one in [found(2), found(3_000)] {
        let share = 1.0 / 6.0;
        assert!((one.prior - share).abs() < 1e-12, "{}", one.prior);
        // Half of the level is for what is searched, half of that for the first round, a quarter for each domain.
        assert!((one.level - LEVEL * 0.5 * 0.5 * share / 4.0).abs() < 1e-12, "{}", one.level);
    }
}
