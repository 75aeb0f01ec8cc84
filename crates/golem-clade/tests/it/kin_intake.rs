//! How much of what siblings say is handed on, and in which order.

use crate::kit::golem;
use golem_clade::kin::{KinArrival, KinLimits, KinQueue};
use golem_clade::knowledge_domain::KnowledgeDomain;
use proptest::prelude::*;
use std::collections::BTreeSet;

fn arrival(n: usize, source: u8, urgent: bool, confidence_bp: u16, field: &str) -> KinArrival {
    let field = KnowledgeDomain::named(field);
    KinArrival {
        key: format!("{source}/{n}"),
        source: golem(source),
        urgent,
        confidence_bp,
        field,
        body: String::new(),
    }
}

const HOUR: u64 = 3_600_000;

#[test]
fn two_hundred_an_hour_a_hundred_of_one_source_and_warnings_beside_them() {
    let (mut queue, limits) = (KinQueue::default(), KinLimits::default());
    for n in 0..150 {
        for source in 1..=3 {
            queue.came(arrival(n, source, false, 5_000, "a"), &limits);
        }
    }
    for n in 1_000..1_040 {
        queue.came(arrival(n, 1, true, 5_000, "w"), &limits);
    }
    let of = |all: &[KinArrival], source, urgent| {
        all.iter().filter(|a| a.source == golem(source) && a.urgent == urgent).count()
    };
    let first = queue.take(1_000, &limits);
    assert_eq!((of(&first, 1, true), first.iter().filter(|a| !a.urgent).count()), (30, 200));
    assert!((1..=3).all(|source| of(&first, source, false) <= 100));
    assert!(first[..30].iter().all(|a| a.urgent), "warnings come first");
    assert_eq!(queue.take(HOUR, &limits).len(), 0, "within the hour there is no more");
    // Coming again fills no purse, nor does a clock that goes back.
    let mut again: KinQueue = serde_json::from_str(&serde_json::to_string(&queue).unwrap()).unwrap();
    assert_eq!((again.take(HOUR, &limits).len(), again.take(0, &limits).len()), (0, 0));
    assert_eq!(queue.take(HOUR + 1_000, &limits).len(), 210);
}

/// A machine whose clock was set far ahead, and back again: who listened meanwhile is not deaf until that day.
#[test]
fn a_clock_that_was_far_ahead_takes_an_hour_away_and_no_more() {
    let (mut queue, limits) = (KinQueue::default(), KinLimits { per_hour: 2, ..KinLimits::default() });
    let year = 365 * 24 * HOUR;
    for n in 0..6 {
        queue.came(arrival(n, 1, false, 5_000, "a"), &limits);
    }
    assert_eq!(queue.take(year, &limits).len(), 2);
    assert_eq!(queue.take(10 * HOUR, &limits).len(), 0, "nothing anew");
    assert_eq!(queue.take(11 * HOUR - 1, &limits).len(), 0);
    assert_eq!(queue.take(11 * HOUR, &limits).len(), 2);
}

#[test]
fn the_queue_is_bounded_and_what_is_least_goes() {
    let (mut queue, limits) = (KinQueue::default(), KinLimits { waiting: 10, ..KinLimits::default() });
    for n in 0..100 {
        queue.came(arrival(n, 1, false, 100 + n as u16, "a"), &limits);
    }
    queue.came(arrival(500, 1, true, 1, "w"), &limits);
    assert_eq!((queue.waiting(), queue.dropped()), (10, 91));
    let taken: Vec<u16> = queue.take(0, &limits).iter().map(|a| a.confidence_bp).collect();
    assert_eq!(taken, [1, 199, 198, 197, 196, 195, 194, 193, 192, 191]);
}

#[test]
fn news_comes_before_what_was_heard_often() {
    let (mut queue, limits) = (KinQueue::default(), KinLimits::default());
    for n in 0..3 {
        queue.came(arrival(n, 1, false, 9_000, "worn"), &limits);
    }
    assert_eq!(queue.take(0, &limits).len(), 3);
    queue.came(arrival(10, 1, false, 9_000, "worn"), &limits);
    queue.came(arrival(11, 2, false, 3_000, "fresh"), &limits);
    let taken: Vec<String> = queue.take(0, &limits).iter().map(|a| a.field.to_string()).collect();
    assert_eq!(taken, ["fresh", "worn"]);
}

#[test]
fn what_is_worth_the_same_is_handed_on_as_it_came_and_once() {
    let (mut queue, limits) = (KinQueue::default(), KinLimits::default());
    for n in [5, 3, 9, 3, 5, 1] {
        queue.came(arrival(n, 1, false, 5_000, "a"), &limits);
    }
    let taken: Vec<String> = queue.take(0, &limits).into_iter().map(|a| a.key).collect();
    assert_eq!(taken, ["1/5", "1/3", "1/9", "1/1"]);
}

/// Whoever invents a field for each thing that it says fills no memory.
#[test]
fn fields_are_remembered_as_many_as_may_wait() {
    let (mut queue, limits) = (KinQueue::default(), KinLimits { waiting: 3, ..KinLimits::default() });
    for n in 0..20 {
        queue.came(arrival(n, n as u8, false, 5_000, &format!("field {n}")), &limits);
        assert_eq!(queue.take(0, &limits).len(), 1);
    }
    let kept = serde_json::to_value(&queue).unwrap();
    assert_eq!(kept["fields"].as_object().unwrap().len(), 3, "{kept}");
}

proptest! {
    /// Whatever comes in whatever order: nothing twice, never more than is allowed in any hour, never more waiting than there is room.
    #[test]
    fn limits_hold_whatever_comes(
        steps in prop::collection::vec((0usize..40, 1u8..5, any::<bool>(), 0u16..10_000, 0u64..HOUR), 1..200),
    ) {
        let limits = KinLimits { per_hour: 12, per_source: 5, urgent_per_source: 3, waiting: 20 };
        let (mut queue, mut now, mut handed) = (KinQueue::default(), 0, Vec::new());
        let mut seen = BTreeSet::new();
        for (n, source, urgent, bp, pause) in steps {
            let came = arrival(n, source, urgent, bp, "a");
            // Whoever hands on keeps the keys of what was handed on: the inbox takes each once.
            if !seen.contains(&came.key) {
                queue.came(came, &limits);
            }
            now += pause / 4;
            for taken in queue.take(now, &limits) {
                prop_assert!(seen.insert(taken.key.clone()), "twice");
                handed.push((now, taken));
            }
            prop_assert!(queue.waiting() <= limits.waiting);
            let hour: Vec<_> = handed.iter().filter(|(at, _)| now - at < HOUR).map(|(_, a)| a).collect();
            prop_assert!(hour.iter().filter(|a| !a.urgent).count() <= limits.per_hour);
            for of in 1..5 {
                let from = |lane: bool| hour.iter().filter(|a| a.source == golem(of) && a.urgent == lane).count();
                prop_assert!(from(false) <= limits.per_source && from(true) <= limits.urgent_per_source);
            }
        }
    }
}
