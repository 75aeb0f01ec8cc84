//! What tests begin with.

use ed25519_dalek::SigningKey;
use golem_core::VirtualTime;
use styx_wire::*;

#[path = "owner.rs"]
mod owner;
pub use owner::{Owner, golem, owner_until};

pub fn owner(n: u8) -> Owner {
    owner_until(n, 2_000)
}

/// The first deltas of a golem, of these kinds.
pub fn chain(owner: &Owner, key: &SigningKey, kinds: &[DeltaKind]) -> Vec<SignedDelta> {
    let mut head = ChainHead::root(owner.id, OriginKey::of(key));
    let mut all = Vec::new();
    for (i, kind) in kinds.iter().enumerate() {
        let body = owner.group.public().seal(&[i as u8; 20], &[i as u8 + 1; 32]);
        let delta = SignedDelta::next(key, owner.id, head, *kind, VirtualTime(i as u64), body);
        head = delta.reached();
        all.push(delta);
    }
    all
}

pub fn word(text: &str) -> FieldWord {
    text.parse().unwrap()
}
