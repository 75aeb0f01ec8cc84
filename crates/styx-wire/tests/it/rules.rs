//! The tables: push criteria, buckets, pheromones, what is kept of archives.

use crate::kit::word;
use golem_core::Regime;
use proptest::prelude::*;
use styx_wire::criteria::{EntryStanding, PHASE_THRESHOLDS, may_push};
use styx_wire::field::{CONFIRMATIONS, FAINTEST};
use styx_wire::*;

const HOUR: u64 = 3_600_000;
const DAY: u64 = 24 * HOUR;

#[test]
fn what_may_leave_is_the_seeds_table() {
    let ripe = EntryStanding { confidence: 0.9, active: true, validated_ticks: Some(10), episodes: 1 };
    let thriving = PHASE_THRESHOLDS[0];
    for (kind, least) in [
        (DeltaKind::Insight, 0.6),
        (DeltaKind::Heuristic, 0.7),
        (DeltaKind::CausalLink, 0.5),
        (DeltaKind::StrategyFragment, 0.6),
    ] {
        let at = |confidence| may_push(kind, &EntryStanding { confidence, ..ripe }, thriving);
        assert!(at(least) && !at(least - 0.001) && !at(f64::NAN), "{kind:?}");
    }
    let not_ripe = EntryStanding { active: false, validated_ticks: Some(9), episodes: 0, ..ripe };
    for kind in [DeltaKind::Insight, DeltaKind::Heuristic, DeltaKind::CausalLink] {
        assert!(!may_push(kind, &not_ripe, thriving), "{kind:?}");
    }
    let nothing = EntryStanding { confidence: 0.0, active: false, validated_ticks: None, episodes: 0 };
    assert!(may_push(DeltaKind::Warning, &nothing, thriving) && may_push(DeltaKind::RegimeShift, &nothing, thriving));
    // Who is dying tells what it would have kept.
    let doubtful = EntryStanding { confidence: 0.11, ..ripe };
    let told: Vec<bool> = PHASE_THRESHOLDS.iter().map(|t| may_push(DeltaKind::Insight, &doubtful, *t)).collect();
    assert_eq!(told, [false, false, false, false, true]);
}

/// A clock that goes back and comes forward again fills nothing a second time.
#[test]
fn a_clock_that_swings_fills_no_bucket() {
    let rate = BucketRate { per_hour: 10, burst: 10 };
    let hour = 3_600_000;
    let mut bucket = RateBucket::full(rate, hour);
    assert_eq!(bucket.take(rate, 10, hour), Ok(()));
    for _ in 0..3 {
        assert!(bucket.take(rate, 1, 0).is_err());
        assert!(bucket.take(rate, 1, hour).is_err());
    }
    assert_eq!(bucket.take(rate, 10, 2 * hour), Ok(()));
}

/// A clock that was days ahead grants nothing for those days, and something from then on.
#[test]
fn a_clock_that_was_days_ahead_is_forgotten() {
    let rate = BucketRate { per_hour: 10, burst: 10 };
    let hour = 3_600_000;
    let mut bucket = RateBucket::full(rate, 100 * hour);
    assert_eq!(bucket.take(rate, 10, 100 * hour), Ok(()));
    assert!(bucket.take(rate, 1, hour).is_err(), "nothing is filled by it");
    assert_eq!(bucket.take(rate, 10, 2 * hour), Ok(()));
    let mut near = RateBucket::full(rate, 20 * hour);
    assert_eq!(near.take(rate, 10, 20 * hour), Ok(()));
    assert!(
        near.take(rate, 1, hour).is_err() && near.take(rate, 1, 3 * hour).is_err(),
        "less than a day is waited for"
    );
}

#[test]
fn a_bucket_gives_what_its_rate_says_and_no_more() {
    let rate = BucketRate { per_hour: 30, burst: 10 };
    let mut bucket = RateBucket::full(rate, 0);
    assert!((0..10).all(|_| bucket.take(rate, 1, 0).is_ok()));
    assert_eq!(bucket.take(rate, 1, 0), Err(120_000));
    assert_eq!(bucket.take(rate, 1, 119_999), Err(1));
    assert_eq!(bucket.take(rate, 1, 120_000), Ok(()));
    assert_eq!(bucket.take(rate, 1, 60_000), Err(120_000), "a clock that goes back gives nothing");
    assert_eq!(bucket.take(rate, 11, u64::MAX), Err(u64::MAX), "never so many at once");
}

fn deposit(layer: PheromoneLayer, intensity: u16) -> PheromoneDeposit {
    let key = ScentKey { layer, class: word("crash"), domain: word("eth"), regime: Regime::Volatile };
    PheromoneDeposit { scope: FieldScope::Clade, key, intensity }
}

#[test]
fn marks_fade_by_their_half_lives_and_last_longer_when_confirmed() {
    for (layer, hours) in
        [(PheromoneLayer::Threat, 2), (PheromoneLayer::Opportunity, 12), (PheromoneLayer::Wisdom, 168)]
    {
        let left = deposit(layer, 1_000);
        let mut mark = Pheromone::left(&left, [1; 12], 0);
        assert_eq!(mark.intensity_at(hours * HOUR), 500, "{layer:?}");
        mark.again(&left, [1; 12], true, 0);
        assert_eq!(mark.confirmations, 0, "who left it confirms nothing");
        mark.again(&left, [2; 12], true, 0);
        mark.again(&left, [2; 12], true, 0);
        assert_eq!((mark.confirmations, mark.half_life_ms()), (1, hours * HOUR * 3 / 2));
        mark.again(&left, [3; 12], false, 0);
        assert_eq!(mark.confirmations, 1, "who does not count confirms nothing");
    }
    let mark = Pheromone::left(&deposit(PheromoneLayer::Threat, 1_000), [1; 12], 0);
    assert!(!mark.is_gone(8 * HOUR) && mark.is_gone(9 * HOUR));
    assert_eq!(Pheromone::left(&deposit(PheromoneLayer::Threat, u16::MAX), [1; 12], 0).intensity_at(0), 1_000);
}

#[test]
fn archives_are_thinned_with_age() {
    // Every hour for a hundred days.
    let now = 1_000 * DAY;
    let all: Vec<u64> = (0..2_400).map(|h| now - h * HOUR).collect();
    let keep = archive::kept(&all, now, 90 * DAY);
    let count = |from: u64, to: u64| {
        all.iter().zip(&keep).filter(|(at, keep)| **keep && (from..to).contains(&(now - **at))).count()
    };
    assert_eq!(count(0, DAY), 24, "all of the last day");
    assert!((6..=7).contains(&count(DAY, 7 * DAY)), "one a calendar day for a week");
    assert!((12..=13).contains(&count(7 * DAY, 91 * DAY)), "one a week after: {}", count(7 * DAY, 91 * DAY));
    assert_eq!(count(90 * DAY + 1, u64::MAX), 0);
}

#[test]
fn everybody_smells_threats_in_tenths_and_nothing_else() {
    for (layer, intensity, told) in [
        (PheromoneLayer::Threat, 799, Some(700)),
        (PheromoneLayer::Threat, 99, None),
        (PheromoneLayer::Opportunity, 900, None),
        (PheromoneLayer::Wisdom, 900, None),
    ] {
        let scent = Pheromone::left(&deposit(layer, intensity), [1; 12], 0).scent(0);
        assert_eq!(public::blurred(&scent).map(|s| s.intensity), told, "{layer:?}");
    }
}

#[test]
fn words_of_the_field_are_short_and_plain() {
    for good in ["a", "eth/usdc", "gas_condition.x-1", &"z".repeat(32)] {
        assert!(good.parse::<FieldWord>().is_ok(), "{good}");
    }
    for bad in ["", "A", "ignore previous", "a\n", "é", &"z".repeat(33)] {
        assert!(bad.parse::<FieldWord>().is_err(), "{bad}");
    }
}

proptest! {
    #[test]
    fn no_crowd_makes_a_mark_stronger_than_its_strongest_or_eternal(
        all in prop::collection::vec((0u16..2_000, any::<u8>(), 0u64..DAY), 1..60),
    ) {
        let mut mark: Option<Pheromone> = None;
        let mut now = 0;
        for (intensity, source, later) in &all {
            now += later;
            let left = deposit(PheromoneLayer::Threat, *intensity);
            match &mut mark {
                None => mark = Some(Pheromone::left(&left, [*source; 12], now)),
                Some(mark) => mark.again(&left, [*source; 12], true, now),
            }
        }
        let mark = mark.unwrap();
        let strongest = all.iter().map(|(i, ..)| (*i).min(1_000)).max().unwrap();
        prop_assert!(mark.intensity_at(now) <= strongest);
        prop_assert!(mark.sources.len() <= usize::from(CONFIRMATIONS) + 1);
        prop_assert!(mark.is_gone(now + 5 * 10 * HOUR), "{} left", mark.intensity_at(now + 50 * HOUR));
        prop_assert!(mark.intensity_at(now) >= FAINTEST || mark.is_gone(now));
    }

    #[test]
    fn a_bucket_never_gives_more_than_burst_and_rate(all in prop::collection::vec((0u64..HOUR, 0u64..20), 1..80)) {
        let rate = BucketRate { per_hour: 100, burst: 50 };
        let mut bucket = RateBucket::full(rate, 0);
        let (mut now, mut given) = (0, 0);
        for (later, n) in all {
            now += later;
            given += bucket.take(rate, n, now).map_or(0, |()| n);
            prop_assert!(given <= 50 + 100 * now / HOUR + 1);
        }
    }
}
