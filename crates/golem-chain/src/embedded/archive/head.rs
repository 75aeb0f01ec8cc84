//! The head of the archive: what the file holds after a write, in a few sums, each head on top of the one before. Whoever
//! has seen a head can tell later whether the file still goes on from there.

use super::seal::{Total, hash};
use crate::embedded::trail::Block;

/// Bytes of a head's name.
pub(super) const NAME: usize = 16;

/// The name of a head: it covers everything before.
pub(in crate::embedded) type HeadName = [u8; NAME];

/// What the file holds after its last write.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct ArchiveHead {
    /// How often it was written.
    pub writes: u64,
    /// The head before.
    pub before: HeadName,
    /// The open block: number, time, base fee, first transaction.
    pub open: [u64; 4],
    /// Transactions.
    pub seq: u64,
    /// Every key with its present value.
    pub state: Total,
    /// What golems did, with what came of it.
    pub effects: Total,
    /// The single facts.
    pub facts: Total,
}

impl ArchiveHead {
    /// What it is called.
    pub fn name(&self) -> HeadName {
        let bytes = self.to_bytes();
        let mut name = [0; NAME];
        name.copy_from_slice(&hash("head", &[&bytes])[..NAME]);
        name
    }
    /// As it is written. Plain numbers always can be.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(256);
        let numbers = [self.writes, self.seq].into_iter().chain(self.open);
        numbers.for_each(|n| bytes.extend_from_slice(&n.to_le_bytes()));
        bytes.extend_from_slice(&self.before);
        [self.state, self.effects, self.facts].iter().for_each(|total| total.put(&mut bytes));
        bytes
    }
    /// As it was read.
    pub fn from_bytes(mut bytes: &[u8]) -> Option<Self> {
        let mut number = || -> Option<u64> {
            let (word, rest) = bytes.split_first_chunk::<8>()?;
            bytes = rest;
            Some(u64::from_le_bytes(*word))
        };
        let (writes, seq) = (number()?, number()?);
        let open = [number()?, number()?, number()?, number()?];
        let (before, rest) = bytes.split_first_chunk::<NAME>()?;
        let mut rest = rest;
        let mut total = || Total::get(&mut rest);
        let (state, effects, facts) = (total()?, total()?, total()?);
        rest.is_empty().then_some(Self { writes, before: *before, open, seq, state, effects, facts })
    }
}

/// A block as the head has it.
pub(super) fn numbers(block: &Block) -> [u64; 4] {
    [block.number, block.timestamp, block.base_fee, block.first]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_is_read_as_it_was_written_and_every_part_has_a_say_in_its_name() {
        let mut head =
            ArchiveHead { writes: 7, before: [3; NAME], open: [1, 2, 3, 4], seq: 9, ..ArchiveHead::default() };
        head.state.add(&[5; 32]);
        assert_eq!(ArchiveHead::from_bytes(&head.to_bytes()), Some(head.clone()));
        assert_eq!(ArchiveHead::from_bytes(&head.to_bytes()[1..]), None);
        let mut others = vec![head.clone(); 6];
        others[0].writes += 1;
        others[1].before[0] += 1;
        others[2].open[2] += 1;
        others[3].seq += 1;
        others[4].effects.add(&[1; 32]);
        others[5].facts.add(&[1; 32]);
        assert!(others.iter().all(|other| other.name() != head.name()));
    }
}
