//! What comes through the bottleneck, for any grimoire.

use crate::kit::Chance;
use golem_clade::bottleneck::{BottleneckCandidate, INHERITANCE_BUDGET, compress_for_inheritance};
use golem_clade::knowledge_domain::KnowledgeDomain;
use golem_core::VirtualTime;
use golem_grimoire::EntryId;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

fn candidate(n: u32, domain: u32, quality: f64) -> BottleneckCandidate {
    let mut id = [0; 16];
    id[..4].copy_from_slice(&n.to_be_bytes());
    BottleneckCandidate {
        id: EntryId(id),
        domain: KnowledgeDomain::named(&format!("domain {domain}")),
        quality,
        last_validated: VirtualTime(0),
        is_bloodstain: false,
        survived: false,
    }
}

fn any_candidate() -> impl Strategy<Value = BottleneckCandidate> {
    let quality = prop_oneof![4 => 0.0..1.0, 1 => any::<f64>(), 2 => Just(0.5)];
    (0..200_u32, 0..12_u32, quality, 0..4_u64, prop::bool::weighted(0.2), prop::bool::weighted(0.2)).prop_map(
        |(n, domain, quality, last, is_bloodstain, survived)| BottleneckCandidate {
            last_validated: VirtualTime(last),
            is_bloodstain,
            survived,
            ..candidate(n, domain, quality)
        },
    )
}

/// Of several with one id, the one that counts, as the rule says it: the best.
fn distinct(all: &[BottleneckCandidate]) -> BTreeMap<EntryId, &BottleneckCandidate> {
    let mut best: BTreeMap<EntryId, &BottleneckCandidate> = BTreeMap::new();
    let worth = |c: &BottleneckCandidate| if c.quality.is_finite() { c.quality } else { f64::NEG_INFINITY };
    for c in all {
        let at = best.entry(c.id).or_insert(c);
        let order = worth(c).total_cmp(&worth(at)).then(c.last_validated.cmp(&at.last_validated));
        let order = order.then((c.is_bloodstain, c.survived).cmp(&(at.is_bloodstain, at.survived)));
        if order.then(at.domain.cmp(&c.domain)).is_gt() {
            *at = c;
        }
    }
    best
}

proptest! {
    #[test]
    fn as_many_as_there_is_room_for_and_none_twice(
        all in prop::collection::vec(any_candidate(), 0..120),
        budget in 0..80_usize,
    ) {
        let passed = compress_for_inheritance(&all, budget);
        let kept: BTreeSet<EntryId> = passed.kept.iter().copied().collect();
        let n = distinct(&all).len();
        prop_assert_eq!(passed.kept.len(), budget.min(n));
        prop_assert_eq!(kept.len(), passed.kept.len());
        prop_assert_eq!(passed.blood + passed.survived + passed.rotated + passed.filled, passed.kept.len());
    }

    #[test]
    fn the_order_of_the_grimoire_does_not_matter(
        (mut all, mixed) in prop::collection::vec(any_candidate(), 0..120)
            .prop_flat_map(|all| (Just(all.clone()), Just(all).prop_shuffle())),
        budget in 0..80_usize,
    ) {
        let passed = compress_for_inheritance(&all, budget);
        prop_assert_eq!(&compress_for_inheritance(&mixed, budget), &passed);
        all.reverse();
        prop_assert_eq!(&compress_for_inheritance(&all, budget), &passed);
    }

    #[test]
    fn blood_is_kept_up_to_half_the_best_of_it_first(
        all in prop::collection::vec(any_candidate(), 0..120),
        budget in 0..80_usize,
    ) {
        let (passed, known) = (compress_for_inheritance(&all, budget), distinct(&all));
        let kept: BTreeSet<EntryId> = passed.kept.iter().copied().collect();
        let blood: Vec<&BottleneckCandidate> = known.values().copied().filter(|c| c.is_bloodstain).collect();
        prop_assert_eq!(passed.blood, blood.len().min(budget / 2));
        let (stay, go): (Vec<&BottleneckCandidate>, Vec<&BottleneckCandidate>) = blood.into_iter().partition(|c| kept.contains(&c.id));
        let worth = |c: &BottleneckCandidate| if c.quality.is_finite() { c.quality } else { f64::NEG_INFINITY };
        for gone in &go {
            let better = stay.iter().filter(|c| worth(c) >= worth(gone)).count();
            prop_assert!(better >= budget / 2, "{:?} went, and {} better ones stayed", gone, better);
        }
        // What three generations validated has its quarter, whatever its quality.
        let survived: Vec<_> = known.values().filter(|c| c.survived).collect();
        let stay = survived.iter().filter(|c| kept.contains(&c.id)).count();
        prop_assert!(stay >= survived.len().min(budget / 4), "{} of {}", stay, survived.len());
    }

    #[test]
    fn no_small_domain_starves(
        all in prop::collection::vec(any_candidate(), 0..120),
        budget in 0..80_usize,
    ) {
        let (passed, known) = (compress_for_inheritance(&all, budget), distinct(&all));
        let turns = (budget - passed.blood - passed.survived) * 2 / 3;
        let fields: BTreeSet<_> = known.values().map(|c| &c.domain).collect();
        let with_a_place: BTreeSet<_> = passed.kept.iter().map(|id| &known[id].domain).collect();
        prop_assert!(with_a_place.len() >= fields.len().min(turns), "{} of {}", with_a_place.len(), fields.len());
    }
}

#[test]
fn each_share_ends_where_it_should() {
    // Poor blood, poor survivors and a rich rest, all in one domain: each gets exactly its share.
    let mut all: Vec<_> =
        (0..100).map(|n| BottleneckCandidate { is_bloodstain: true, ..candidate(n, 0, 0.1) }).collect();
    all.extend((100..200).map(|n| BottleneckCandidate { survived: true, ..candidate(n, 0, 0.2) }));
    all.extend((200..300).map(|n| candidate(n, 0, 0.9)));
    let passed = compress_for_inheritance(&all, 40);
    assert_eq!((passed.blood, passed.survived, passed.rotated, passed.filled), (20, 10, 6, 4));
    let of = |from: u32, to: u32| {
        let ids: BTreeSet<EntryId> = (from..to).map(|n| candidate(n, 0, 0.0).id).collect();
        passed.kept.iter().filter(|id| ids.contains(id)).count()
    };
    assert_eq!((of(0, 100), of(100, 200), of(200, 300)), (20, 10, 10));
}

#[test]
fn a_poor_small_domain_keeps_its_place_beside_a_rich_large_one() {
    let mut all: Vec<_> = (0..1_000).map(|n| candidate(n, 0, 0.9)).collect();
    all.extend((0..6).map(|d| candidate(2_000 + d, 1 + d, 0.01)));
    let kept: BTreeSet<EntryId> = compress_for_inheritance(&all, 30).kept.into_iter().collect();
    assert!((0..6).all(|d| kept.contains(&candidate(2_000 + d, 0, 0.0).id)), "{kept:?}");
}

/// Where there are more domains than turns, those with the best entries have them, whatever they are called.
#[test]
fn a_round_begins_with_the_domain_that_has_the_best_entry() {
    let all =
        [candidate(1, 1, 0.1), candidate(2, 2, 0.2), candidate(3, 3, 0.3), candidate(4, 9, 0.9), candidate(5, 9, 0.8)];
    let passed = compress_for_inheritance(&all, 3);
    assert_eq!((passed.rotated, passed.filled), (2, 1));
    assert_eq!(passed.kept, [all[3].id, all[4].id, all[2].id]);
}

#[test]
fn ties_are_decided_by_the_last_validation_and_then_by_the_id() {
    let late = |n, at| BottleneckCandidate { last_validated: VirtualTime(at), ..candidate(n, 0, 0.5) };
    let all = [late(1, 5), late(2, 9), late(3, 9), candidate(4, 0, f64::NAN), candidate(5, 0, f64::INFINITY)];
    let ids = |n: usize| compress_for_inheritance(&all, n).kept;
    let named = |ns: &[u32]| ns.iter().map(|n| candidate(*n, 0, 0.0).id).collect::<Vec<_>>();
    assert_eq!(ids(1), named(&[2]));
    assert_eq!(ids(3), named(&[2, 3, 1]));
    assert_eq!(ids(5), named(&[2, 3, 1, 4, 5]), "what is no number comes last");
    assert_eq!(INHERITANCE_BUDGET, 2_048);
}

/// Twenty thousand entries in three hundred fields, with ties, with numbers that are none, and in any order: the same 2,048, and soon.
#[test]
fn of_twenty_thousand_in_any_order_the_same_come_through_and_soon() {
    let mut chance = Chance(41);
    let mut all: Vec<BottleneckCandidate> = (0..20_000)
        .map(|n| {
            let quality = match n % 7 {
                0 => 0.5,
                1 => f64::NAN,
                2 => f64::INFINITY,
                _ => chance.unit(),
            };
            // Fields of very unlike size: one has a hundredth of all, one has ten.
            let domain = if n % 100 == 0 { 299 } else { (chance.unit() * chance.unit() * 299.0) as u32 };
            BottleneckCandidate {
                last_validated: VirtualTime(u64::from(n % 5)),
                is_bloodstain: n % 11 == 0,
                survived: n % 13 == 0,
                ..candidate(n, domain, quality)
            }
        })
        .collect();
    let first = compress_for_inheritance(&all, INHERITANCE_BUDGET).kept;
    assert_eq!(first.len(), 2_048);
    let mut quickest = std::time::Duration::MAX;
    for _ in 0..5 {
        for at in (1..all.len()).rev() {
            all.swap(at, chance.below(at + 1));
        }
        let begun = std::time::Instant::now();
        let kept = compress_for_inheritance(&all, INHERITANCE_BUDGET).kept;
        quickest = quickest.min(begun.elapsed());
        assert_eq!(kept, first, "the order in which they came decides nothing");
    }
    // The best of five: whatever else a machine does is none of its time. Without optimisation there is no promise.
    assert!(cfg!(debug_assertions) || quickest.as_millis() < 50, "{quickest:?}");
    let kept: BTreeSet<EntryId> = first.iter().copied().collect();
    let blood = all.iter().filter(|c| c.is_bloodstain && kept.contains(&c.id)).count();
    assert!((1_024..=1_300).contains(&blood), "the dead have up to half: {blood}");
    let fields = |of: &dyn Fn(&&BottleneckCandidate) -> bool| {
        all.iter().filter(of).map(|c| c.domain.clone()).collect::<BTreeSet<_>>().len()
    };
    assert_eq!(fields(&|c| kept.contains(&c.id)), fields(&|_| true), "no field starves");
}
