//! What is sealed to a clade opens there, and nowhere else.

use crate::kit::owner;
use golem_core::Hash;
use proptest::prelude::*;
use styx_wire::*;

#[test]
fn only_the_group_opens_it() {
    let (one, two) = (owner(1), owner(2));
    let sealed = one.group.public().seal(b"use less gas", &[9; 32]);
    assert_eq!(sealed.len(), 12 + seal::SEAL_BYTES);
    assert_eq!(one.group.open(&sealed).as_deref(), Some(&b"use less gas"[..]));
    assert_eq!(two.group.open(&sealed), None);
    assert!(!sealed.windows(4).any(|w| w == b"less"), "nothing is in clear");
    assert_ne!(sealed, one.group.public().seal(b"use less gas", &[8; 32]));
    assert_eq!(GroupPublic::read(&Hash([0; 32])), None);
}

#[test]
fn a_piece_is_the_same_bytes_each_time_and_of_another_group_others() {
    let (one, two) = (owner(1), owner(2));
    let sealed = one.group.seal_piece(b"rows");
    assert_eq!(sealed, one.group.seal_piece(b"rows"));
    assert_ne!(sealed, two.group.seal_piece(b"rows"));
    assert_eq!(one.group.open_piece(&sealed).as_deref(), Some(&b"rows"[..]));
    assert_eq!(two.group.open_piece(&sealed), None);
}

proptest! {
    #[test]
    fn no_turned_bit_opens(clear in prop::collection::vec(any::<u8>(), 0..64), at in any::<prop::sample::Index>(), bit in 0u8..8) {
        let one = owner(1);
        let mut sealed = one.group.public().seal(&clear, &[7; 32]);
        let n = at.index(sealed.len());
        sealed[n] ^= 1 << bit;
        prop_assert_eq!(one.group.open(&sealed), None);
        let mut piece = one.group.seal_piece(&clear);
        let n = at.index(piece.len());
        piece[n] ^= 1 << bit;
        prop_assert_eq!(one.group.open_piece(&piece), None);
        prop_assert_eq!(one.group.open(&sealed[..n.min(sealed.len())]), None);
    }
}
