//! What blocks and our own transactions are called: hashes that carry the place they name, so that no index is needed to
//! find it again.
//!
//! They name, they do not vouch: this chain has one writer and no reorganisations, and a block that is made again after a
//! crash keeps its name. A transaction that was signed outside is called by its own hash.

use alloy_primitives::{B256, keccak256};

/// The names of one chain.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Names(pub B256);

impl Names {
    /// A block.
    pub fn block(self, number: u64) -> B256 {
        self.name(b'b', number)
    }
    /// A transaction, by its place among all.
    pub fn transaction(self, seq: u64) -> B256 {
        self.name(b't', seq)
    }
    /// The number of the block of this name.
    pub fn block_of(self, name: B256) -> Option<u64> {
        self.place(b'b', name)
    }
    /// The place of the transaction of this name.
    pub fn transaction_of(self, name: B256) -> Option<u64> {
        self.place(b't', name)
    }

    fn name(self, kind: u8, place: u64) -> B256 {
        let mut seed = [kind; 41];
        seed[1..33].copy_from_slice(self.0.as_slice());
        seed[33..].copy_from_slice(&place.to_be_bytes());
        let mut name = keccak256(seed);
        name[24..].copy_from_slice(&place.to_be_bytes());
        name
    }
    fn place(self, kind: u8, name: B256) -> Option<u64> {
        let place = u64::from_be_bytes(name[24..].try_into().ok()?);
        (self.name(kind, place) == name).then_some(place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_leads_back_to_its_place() {
        let (ours, theirs) = (Names(B256::repeat_byte(1)), Names(B256::repeat_byte(2)));
        for place in [0, 1, u64::MAX] {
            assert_eq!(ours.block_of(ours.block(place)), Some(place));
            assert_eq!(ours.transaction_of(ours.transaction(place)), Some(place));
            assert_eq!(ours.transaction_of(ours.block(place)), None);
            assert_eq!(ours.block_of(theirs.block(place)), None);
        }
    }
}
