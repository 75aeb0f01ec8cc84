//! Runs: the values of one key over a stretch of transactions, in few bytes; and zeros shortened.

use super::seal;
use crate::embedded::world::StateKey;
use alloy_primitives::U256;

/// Bits of a place that count transactions; the rest is the key's id.
const SEQ_BITS: u32 = 39;
/// The last transaction that there can be.
pub(super) const LAST: u64 = (1 << SEQ_BITS) - 1;
/// Entries of a run at most, so that it stays within a page and is read in a microsecond.
pub(super) const LONGEST: usize = 64;

/// Where a run stands: the key's id above, its last transaction below. `None` when either is too large.
pub(super) fn place(id: i64, seq: u64) -> Option<i64> {
    let seq = i64::try_from(seq).ok().filter(|s| *s < 1 << SEQ_BITS)?;
    let fits = (0..1 << (63 - SEQ_BITS)).contains(&id);
    fits.then_some(id << SEQ_BITS | seq)
}

/// The transaction of a place.
pub(super) fn seq_of(place: i64) -> u64 {
    place.cast_unsigned() & LAST
}

/// The key's id of a place.
pub(super) fn id_of(place: i64) -> i64 {
    place >> SEQ_BITS
}

/// A run with its sum behind it: over the key, its place, and the last transaction of the run before it, so that none can
/// be missing without a word.
pub(super) fn seal(key: StateKey, place: i64, before: Option<u64>, mut run: Vec<u8>) -> Vec<u8> {
    let sum = sum(key, place, before, &run);
    run.extend_from_slice(&sum);
    run
}

/// The run that was sealed like that. `None` when it is another one.
pub(super) fn open(key: StateKey, place: i64, before: Option<u64>, sealed: &[u8]) -> Option<&[u8]> {
    let (run, found) = sealed.split_last_chunk()?;
    (sum(key, place, before, run) == *found).then_some(run)
}

fn sum(key: StateKey, place: i64, before: Option<u64>, run: &[u8]) -> [u8; 8] {
    let before = before.unwrap_or(u64::MAX).to_le_bytes();
    seal::sum("run", &[&key.to_bytes(), &place.to_le_bytes(), &before, run])
}

/// A run: the value before, and each transaction with the value after it.
pub(super) fn write(before: U256, entries: &[(u64, U256)]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(8 + 34 * (entries.len() + 1));
    put_value(&mut bytes, before);
    let mut last = 0;
    for (seq, value) in entries {
        put_number(&mut bytes, seq - last);
        put_value(&mut bytes, *value);
        last = *seq;
    }
    bytes
}

/// The value before a transaction, or the last one of the run. `None` when the run is damaged.
pub(super) fn value_before(run: &[u8], seq: u64) -> Option<U256> {
    let mut rest = run;
    let (mut value, mut at) = (take_value(&mut rest)?, 0u64);
    while !rest.is_empty() {
        at = at.checked_add(take_number(&mut rest)?)?;
        let after = take_value(&mut rest)?;
        if at >= seq {
            break;
        }
        value = after;
    }
    Some(value)
}

fn put_value(bytes: &mut Vec<u8>, value: U256) {
    let digits = value.to_be_bytes::<32>();
    let digits = &digits[value.leading_zeros() / 8..];
    bytes.push(digits.len() as u8);
    bytes.extend_from_slice(digits);
}

fn take_value(rest: &mut &[u8]) -> Option<U256> {
    let (len, after) = rest.split_first()?;
    let (digits, after) = after.split_at_checked(usize::from(*len))?;
    *rest = after;
    (*len <= 32).then(|| U256::from_be_slice(digits))
}

fn put_number(bytes: &mut Vec<u8>, mut n: u64) {
    while n >= 128 {
        bytes.push((n & 127) as u8 | 128);
        n >>= 7;
    }
    bytes.push(n as u8);
}

fn take_number(rest: &mut &[u8]) -> Option<u64> {
    let mut n = 0u64;
    for shift in (0..64).step_by(7) {
        let (byte, after) = rest.split_first()?;
        *rest = after;
        n |= u64::from(byte & 127).checked_shl(shift)?;
        if byte & 128 == 0 {
            return Some(n);
        }
    }
    None
}

/// Bytes with every run of zeros written as a zero and its length: what contracts are told is mostly zeros.
pub(super) fn shorten(bytes: &[u8]) -> Vec<u8> {
    let mut short = Vec::with_capacity(bytes.len() / 2);
    let mut rest = bytes;
    while let Some((first, after)) = rest.split_first() {
        if *first != 0 {
            short.push(*first);
            rest = after;
            continue;
        }
        let zeros = rest.iter().take(255).take_while(|b| **b == 0).count();
        short.extend([0, zeros as u8]);
        rest = &rest[zeros..];
    }
    short
}

/// The bytes that were shortened. `None` when they were not.
pub(super) fn lengthen(short: &[u8]) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(short.len() * 2);
    let mut rest = short.iter();
    while let Some(&byte) = rest.next() {
        match byte {
            0 => bytes.resize(bytes.len() + usize::from(*rest.next()?), 0),
            _ => bytes.push(byte),
        }
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_run_tells_the_value_before_any_transaction(
            before in any::<[u64; 4]>(),
            steps in proptest::collection::vec((1u64..1000, any::<[u64; 4]>(), 0usize..4), 1..40),
        ) {
            let mut seq = 0;
            let mut entries = Vec::new();
            for (gap, mut limbs, small) in steps {
                seq += gap;
                limbs[4 - small..].fill(0);
                entries.push((seq, U256::from_limbs(limbs)));
            }
            let before = U256::from_limbs(before);
            let run = write(before, &entries);
            for at in 0..seq + 2 {
                let expected = entries.iter().take_while(|(s, _)| *s < at).last().map_or(before, |(_, v)| *v);
                prop_assert_eq!(value_before(&run, at), Some(expected));
            }
            // A run that was cut short is not read as another one.
            prop_assert_ne!(value_before(&run[..run.len() - 1], u64::MAX), Some(entries[entries.len() - 1].1));
        }

        #[test]
        fn shortened_bytes_come_back(bytes in proptest::collection::vec(prop_oneof![Just(0u8), any::<u8>()], 0..700)) {
            prop_assert_eq!(lengthen(&shorten(&bytes)), Some(bytes));
        }
    }

    #[test]
    fn places_order_by_key_then_transaction() {
        assert!(place(1, u64::from(u32::MAX)) < place(2, 0));
        assert!(place(2, 0) < place(2, 1));
        assert_eq!(place(1 << 24, 0), None);
        assert_eq!(place(0, 1 << 39), None);
        assert!(place((1 << 24) - 1, (1 << 39) - 1).is_some());
    }
}
