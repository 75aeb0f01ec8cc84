//! Sums: whatever decides is covered by one, and it is held against what was read. A row carries its own; a set of rows,
//! from which one could be missing, has a total that does not depend on their order.

use crate::embedded::world::StateKey;
use alloy_primitives::U256;

/// Bytes of a row's sum.
const BYTES: usize = 8;

/// The sum of a row of a table.
pub(super) fn sum(table: &str, parts: &[&[u8]]) -> [u8; BYTES] {
    let hash = hash(table, parts);
    let mut sum = [0; BYTES];
    sum.copy_from_slice(&hash[..BYTES]);
    sum
}

/// The sum as a column.
pub(super) fn column(table: &str, parts: &[&[u8]]) -> i64 {
    i64::from_le_bytes(sum(table, parts))
}

/// Bytes with the sum of their row behind them.
pub(super) fn seal(table: &str, name: &[u8], mut bytes: Vec<u8>) -> Vec<u8> {
    let sum = sum(table, &[name, &bytes]);
    bytes.extend_from_slice(&sum);
    bytes
}

/// The bytes that were sealed under this name. `None` when they are others.
pub(super) fn open<'a>(table: &str, name: &[u8], sealed: &'a [u8]) -> Option<&'a [u8]> {
    let (bytes, found) = sealed.split_at_checked(sealed.len().checked_sub(BYTES)?)?;
    (sum(table, &[name, bytes]) == *found).then_some(bytes)
}

/// The whole hash behind a sum: parts cannot be shifted against each other.
pub(super) fn hash(table: &str, parts: &[&[u8]]) -> [u8; 32] {
    let mut hasher = blake3::Hasher::new();
    hasher.update(table.as_bytes());
    for part in parts {
        hasher.update(&(part.len() as u64).to_le_bytes()).update(part);
    }
    *hasher.finalize().as_bytes()
}

/// The total of a set: every member in it exactly once, in whatever order.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Total {
    /// How many there are.
    count: u64,
    sum: [u64; 4],
}

impl Total {
    /// As it is written.
    pub fn put(self, bytes: &mut Vec<u8>) {
        [self.count].into_iter().chain(self.sum).for_each(|n| bytes.extend_from_slice(&n.to_le_bytes()));
    }
    /// As it was read; the rest is left.
    pub fn get(bytes: &mut &[u8]) -> Option<Self> {
        let mut number = || -> Option<u64> {
            let (word, rest) = bytes.split_first_chunk::<8>()?;
            *bytes = rest;
            Some(u64::from_le_bytes(*word))
        };
        Some(Self { count: number()?, sum: [number()?, number()?, number()?, number()?] })
    }
    /// A member comes in.
    pub fn add(&mut self, member: &[u8; 32]) {
        self.count = self.count.wrapping_add(1);
        for (sum, word) in self.sum.iter_mut().zip(words(member)) {
            *sum = sum.wrapping_add(word);
        }
    }
    /// A member goes.
    pub fn take(&mut self, member: &[u8; 32]) {
        self.count = self.count.wrapping_sub(1);
        for (sum, word) in self.sum.iter_mut().zip(words(member)) {
            *sum = sum.wrapping_sub(word);
        }
    }
}

fn words(member: &[u8; 32]) -> impl Iterator<Item = u64> {
    member.chunks_exact(8).map(|word| word.iter().rev().fold(0, |all, byte| all << 8 | u64::from(*byte)))
}

/// A key and its present value, as a member of the state.
pub(super) fn value(key: StateKey, value: U256) -> [u8; 32] {
    hash("value", &[&key.to_bytes(), &value.to_be_bytes::<32>()])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_bit_of_a_sealed_row_counts() {
        let sealed = seal("t", b"name", b"something".to_vec());
        assert_eq!(open("t", b"name", &sealed), Some(&b"something"[..]));
        assert_eq!(open("u", b"name", &sealed), None);
        assert_eq!(open("t", b"mane", &sealed), None);
        for bit in 0..sealed.len() * 8 {
            let mut bad = sealed.clone();
            bad[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(open("t", b"name", &bad), None, "bit {bit}");
        }
        assert_eq!(open("t", b"name", &sealed[..7]), None);
    }

    #[test]
    fn a_total_knows_what_is_missing_and_not_in_which_order_it_came() {
        let member = |n: u8| hash("m", &[&[n]]);
        let of = |all: &[u8]| {
            let mut total = Total::default();
            all.iter().for_each(|n| total.add(&member(*n)));
            total
        };
        assert_eq!(of(&[1, 2, 3]), of(&[3, 1, 2]));
        assert_ne!(of(&[1, 2, 3]), of(&[1, 2]));
        assert_ne!(of(&[1, 2, 3]), of(&[1, 2, 4]));
        let mut total = of(&[1, 2, 3]);
        total.take(&member(2));
        assert_eq!(total, of(&[3, 1]));
    }
}
