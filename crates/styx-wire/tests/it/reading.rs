//! A reader that does not trust the relay.

use crate::kit::{Owner, chain, golem, owner};
use golem_core::VirtualTime;
use proptest::prelude::*;
use styx_wire::reader::{ReadFault, TakenDelta};
use styx_wire::*;

fn reader(one: &Owner, siblings: &[u8]) -> ChainReader {
    let mut reader = ChainReader::new(one.id, OriginKey::of(&golem(200)));
    for n in siblings {
        reader.certified(&one.certify(&golem(*n)), 1_500, 600).unwrap();
    }
    reader
}

#[test]
fn strangers_are_not_read() {
    let (one, two) = (owner(1), owner(2));
    let mut reader = reader(&one, &[3]);
    let ours = chain(&one, &golem(3), &[DeltaKind::Insight]);
    let theirs = chain(&two, &golem(3), &[DeltaKind::Insight]);
    let uncertified = chain(&one, &golem(4), &[DeltaKind::Insight]);
    assert_eq!(reader.take(&ours[0]), Ok(TakenDelta::New));
    assert_eq!(reader.take(&theirs[0]), Err(ReadFault::Delta(DeltaFault::WrongOwner)));
    assert_eq!(reader.take(&uncertified[0]), Err(ReadFault::Unknown));
    assert_eq!(reader.certified(&two.certify(&golem(4)), 1_500, 600), Err(CertificateFault::WrongOwner));
    reader.close(4);
    assert_eq!(reader.take(&ours[0]), Err(ReadFault::Unknown), "its epoch was closed");
}

/// Links are remembered one by one up to a bound; what is older is known by its number, and takes no effect again.
#[test]
fn what_was_forgotten_is_not_taken_again() {
    let (one, key) = (owner(1), golem(3));
    let mut reader = reader(&one, &[3]);
    let (mut head, mut first) = (ChainHead::root(one.id, OriginKey::of(&key)), None);
    for n in 0..4_100_u64 {
        let delta = SignedDelta::next(&key, one.id, head, DeltaKind::Insight, VirtualTime(n), Vec::new());
        head = delta.reached();
        assert_eq!(reader.take(&delta), Ok(TakenDelta::New));
        first.get_or_insert(delta);
    }
    assert_eq!(reader.take(&first.unwrap()), Ok(TakenDelta::Known));
}

#[test]
fn what_a_relay_hides_is_seen() {
    let one = owner(1);
    let (a, b) = (golem(3), golem(4));
    let all = chain(&one, &a, &[DeltaKind::Insight; 5]);
    let origin = OriginKey::of(&a);
    let mut here = reader(&one, &[3, 4]);
    for n in [0, 1, 3] {
        here.take(&all[n]).unwrap();
    }
    assert_eq!(here.missing(), [ReaderNotice::Withheld { origin, from: 3, upto: 3 }]);
    here.take(&all[2]).unwrap();
    assert_eq!(here.missing(), []);
    // The end of a chain is hidden: a sibling that was shown more tells.
    let mut there = reader(&one, &[3, 4]);
    all.iter().for_each(|d| assert_eq!(there.take(d), Ok(TakenDelta::New)));
    assert_eq!(here.compared(&there.heads()), []);
    assert_eq!(here.missing(), [ReaderNotice::Withheld { origin, from: 5, upto: 5 }]);
    // A beginning that is not shown, and is not said to have expired.
    let mut late = reader(&one, &[3]);
    late.take(&all[3]).unwrap();
    assert_eq!(late.missing(), [ReaderNotice::Withheld { origin, from: 1, upto: 3 }]);
    late.beginning_expired();
    assert_eq!(late.missing(), []);
    // Two views.
    let mut other = chain(&one, &a, &[DeltaKind::Warning]);
    other.extend(chain(&one, &b, &[DeltaKind::Insight]));
    let mut split = reader(&one, &[3, 4]);
    split.take(&other[0]).unwrap();
    let mut first = reader(&one, &[3, 4]);
    first.take(&all[0]).unwrap();
    assert_eq!(first.compared(&split.heads()), [ReaderNotice::Split { origin, seq: 1 }]);
    assert_eq!(first.take(&other[0]), Err(ReadFault::Delta(DeltaFault::Forked)));
}

#[test]
fn a_link_that_follows_another_one_is_refused_whichever_comes_first() {
    let (one, key) = (owner(1), golem(3));
    let ours = chain(&one, &key, &[DeltaKind::Insight, DeltaKind::Insight]);
    let other = chain(&one, &key, &[DeltaKind::Warning, DeltaKind::Insight]);
    for (first, then) in [(&ours[0], &other[1]), (&other[1], &ours[0])] {
        let mut here = reader(&one, &[3]);
        assert_eq!(here.take(first), Ok(TakenDelta::New));
        assert_eq!(here.take(then), Err(ReadFault::Delta(DeltaFault::Forked)));
    }
}

#[test]
fn a_store_that_goes_back_is_seen_and_a_new_one_is_no_going_back() {
    let mut here = reader(&owner(1), &[3]);
    let (one, two) = (LogId([1; 16]), LogId([2; 16]));
    assert_eq!(here.welcomed(one, 10), None);
    here.shown(14);
    assert_eq!(here.welcomed(one, 13), Some(ReaderNotice::Rewound { was: 14, now: 13 }));
    assert_eq!(here.welcomed(one, 13), Some(ReaderNotice::Rewound { was: 14, now: 13 }), "and it stays seen");
    assert_eq!(here.welcomed(one, 14), None);
    assert_eq!(here.welcomed(two, 0), Some(ReaderNotice::NewLog));
}

#[test]
fn a_pulse_shows_the_end_of_a_chain() {
    let (one, key) = (owner(1), golem(3));
    let all = chain(&one, &key, &[DeltaKind::Insight; 2]);
    let pulse = |by: &ed25519_dalek::SigningKey| {
        let words = PulseWords {
            owner: one.id,
            origin: OriginKey::of(&key),
            count: 1,
            tick: 1,
            at: VirtualTime(1),
            phase: "stable".parse().unwrap(),
            vitality: 500,
            terms: PulseTerms::Mortal,
            dreaming: false,
            chain: all[1].reached(),
        };
        SignedPulse::of(by, words)
    };
    let mut here = reader(&one, &[3]);
    here.take(&all[0]).unwrap();
    here.pulsed(&pulse(&golem(9)));
    assert_eq!(here.missing(), [], "nobody else's word");
    here.pulsed(&pulse(&key));
    assert_eq!(here.missing(), [ReaderNotice::Withheld { origin: OriginKey::of(&key), from: 2, upto: 2 }]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    /// Duplicated and shuffled as the network likes: the same set, each once, and the same reader afterwards.
    #[test]
    fn ingest_has_no_order(order in prop::collection::vec(0usize..18, 18..60)) {
        let one = owner(1);
        let mut all = Vec::new();
        for n in [3, 4, 5] {
            all.extend(chain(&one, &golem(n), &[DeltaKind::Insight, DeltaKind::Warning, DeltaKind::Validation, DeltaKind::Insight, DeltaKind::Crisis, DeltaKind::Heads]));
        }
        let mut straight = reader(&one, &[3, 4, 5]);
        let taken = all.iter().filter(|d| straight.take(d) == Ok(TakenDelta::New)).count();
        prop_assert_eq!(taken, 18);
        let mut shuffled = reader(&one, &[3, 4, 5]);
        let mut effects = vec![0; 18];
        for i in order.iter().copied().chain((0..18).rev()) {
            effects[i] += usize::from(shuffled.take(&all[i]) == Ok(TakenDelta::New));
        }
        prop_assert_eq!(effects, vec![1; 18]);
        prop_assert_eq!(shuffled, straight);
    }
}
