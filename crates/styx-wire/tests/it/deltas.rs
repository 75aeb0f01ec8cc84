//! Deltas: signed, whole, of one owner, and in their place.

use crate::kit::{chain, golem, owner};
use golem_core::{Hash, VirtualTime};
use styx_wire::*;

#[test]
fn each_thing_that_is_wrong_has_its_word() {
    let (one, two, key) = (owner(1), owner(2), golem(3));
    let all = chain(&one, &key, &[DeltaKind::Insight, DeltaKind::Warning, DeltaKind::Heuristic]);
    assert!(all.iter().all(|delta| delta.check(one.id).is_ok()));
    assert_eq!(all[0].check(two.id), Err(DeltaFault::WrongOwner));
    let with = |change: &dyn Fn(&mut SignedDelta)| {
        let mut delta = all[1].clone();
        change(&mut delta);
        delta.check(one.id)
    };
    let forged = Err(DeltaFault::Forged);
    assert_eq!(with(&|d| d.head.kind = DeltaKind::RegimeShift), forged);
    assert_eq!(with(&|d| d.head.at = VirtualTime(99)), forged);
    assert_eq!(with(&|d| d.head.seq = 3), forged);
    assert_eq!(with(&|d| d.head.previous = Hash::of(b"x")), forged);
    assert_eq!(with(&|d| d.head.anew = true), forged);
    assert_eq!(with(&|d| d.head.origin = OriginKey::of(&golem(4))), forged);
    assert_eq!(with(&|d| d.signature = d.signature.with_bit_turned(77)), forged);
    assert_eq!(with(&|d| d.head.owner = two.id), Err(DeltaFault::WrongOwner));
    assert_eq!(with(&|d| d.head.seq = 0), Err(DeltaFault::NoPlace));
    assert_eq!(with(&|d| d.head.seq = 1), Err(DeltaFault::NoPlace));
    assert_eq!(with(&|d| d.payload.0[0] ^= 1), Err(DeltaFault::Content));
    let long = |kind, n| {
        let root = ChainHead::root(one.id, OriginKey::of(&key));
        SignedDelta::next(&key, one.id, root, kind, VirtualTime(0), vec![0; n]).check(one.id)
    };
    for (kind, most) in [(DeltaKind::Warning, limits::URGENT_BYTES), (DeltaKind::Insight, limits::PAYLOAD_BYTES)] {
        assert_eq!((long(kind, most), long(kind, most + 1)), (Ok(()), Err(DeltaFault::TooLarge)));
    }
}

#[test]
fn a_chain_has_one_next_link() {
    let (one, key) = (owner(1), golem(3));
    let all = chain(&one, &key, &[DeltaKind::Insight; 4]);
    let at = |n: usize| Some(all[n].reached());
    assert_eq!(all[0].follows(Some(ChainHead::root(one.id, OriginKey::of(&key)))), Ok(()));
    assert_eq!(all[2].follows(at(1)), Ok(()));
    assert_eq!(all[3].follows(at(1)), Err(DeltaFault::Gap { expected: 3 }));
    assert_eq!(all[1].follows(at(1)), Err(DeltaFault::Forked), "replayed, for who does not know it");
    assert_eq!(all[2].follows(None), Ok(()), "a relay that lost its disk takes what there is");
    let elsewhere = ChainHead { seq: 2, id: Hash::of(b"another second") };
    assert_eq!(all[2].follows(Some(elsewhere)), Err(DeltaFault::Forked));
    // Its origin says itself that what came before is lost.
    let mut anew = all[3].clone();
    anew.head.anew = true;
    anew.signature = WireSignature::of(&key, &anew.head.id());
    assert_eq!((anew.check(one.id), anew.follows(at(0))), (Ok(()), Ok(())));
}
