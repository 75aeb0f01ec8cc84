//! Rows as bits: which of them a condition or a consequence held in, 64 in a word, so that a whole series is looked
//! through in a few steps.

const WORD: usize = u64::BITS as usize;

/// A yes or no for each of some rows, oldest first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RowBits {
    words: Vec<u64>,
    rows: usize,
}

impl RowBits {
    /// The rows whose value holds.
    #[inline]
    pub(super) fn of<T: Copy>(values: &[T], holds: impl Fn(T) -> bool) -> Self {
        let mut words = Vec::with_capacity(values.len().div_ceil(WORD));
        let (whole, rest) = values.as_chunks::<WORD>();
        words.extend(whole.iter().map(|chunk| word(&chunk.map(|x| u8::from(holds(x))))));
        if !rest.is_empty() {
            let mut bytes = [0; WORD];
            for (byte, x) in bytes.iter_mut().zip(rest) {
                *byte = u8::from(holds(*x));
            }
            words.push(word(&bytes));
        }
        Self { words, rows: values.len() }
    }
    /// Rows in which both are true.
    pub(super) fn and(mut self, other: &Self) -> Self {
        self.words.iter_mut().zip(&other.words).for_each(|(a, b)| *a &= b);
        self
    }
    /// Rows in which either is true.
    pub(super) fn or(mut self, other: &Self) -> Self {
        self.words.iter_mut().zip(&other.words).for_each(|(a, b)| *a |= b);
        self
    }
    /// All rows, true or not.
    pub(super) fn rows(&self) -> usize {
        self.rows
    }
    /// Rows in which it is true.
    pub(super) fn count(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }
    /// Whether it is true in a row; no row beyond the last one is.
    pub(super) fn get(&self, row: usize) -> bool {
        self.words.get(row / WORD).is_some_and(|word| word >> (row % WORD) & 1 == 1)
    }
    /// What each row finds so many rows later; beyond the last one there is nothing.
    pub(super) fn ahead(&self, by: usize) -> Self {
        let (whole, part) = (by / WORD, by % WORD);
        let at = |at: usize| self.words.get(at).copied().unwrap_or(0);
        let joined = |place: usize| {
            let low = at(place + whole) >> part;
            if part == 0 { low } else { low | at(place + whole + 1) << (WORD - part) }
        };
        Self { words: (0..self.words.len()).map(joined).collect(), rows: self.rows }
    }
    /// The first row from one on in which both are true.
    pub(super) fn next_of_both(&self, other: &Self, row: usize) -> Option<usize> {
        let mut at = row / WORD;
        let both = |at: usize| Some(self.words.get(at)? & other.words.get(at)?);
        let mut word = both(at)? & (u64::MAX << (row % WORD));
        while word == 0 {
            at += 1;
            word = both(at)?;
        }
        Some(at * WORD + word.trailing_zeros() as usize)
    }
    /// The first row from one on in which it is true.
    pub(super) fn next(&self, row: usize) -> Option<usize> {
        let mut at = row / WORD;
        let mut word = *self.words.get(at)? & (u64::MAX << (row % WORD));
        while word == 0 {
            at += 1;
            word = *self.words.get(at)?;
        }
        Some(at * WORD + word.trailing_zeros() as usize)
    }
    /// How often two rows next to each other differ.
    pub(super) fn changes(&self) -> usize {
        let Some(pairs) = self.rows.checked_sub(1) else { return 0 };
        let differ = |at: usize| {
            let after = self.words.get(at + 1).map_or(0, |word| word << (WORD - 1));
            let word = self.words[at] ^ (self.words[at] >> 1 | after);
            // The last row has none after it.
            let last = (pairs - at * WORD).min(WORD);
            if last == WORD { word } else { word & ((1 << last) - 1) }
        };
        (0..pairs.div_ceil(WORD)).map(|at| differ(at).count_ones() as usize).sum()
    }
}

/// Bytes of zero and one as the bits of a word, the first one lowest.
#[inline]
fn word(bytes: &[u8; WORD]) -> u64 {
    // Each of the eight ones in a row of bytes is carried to a place of its own in the highest byte.
    const GATHER: u64 = 0x0102_0408_1020_4080;
    let (eights, _) = bytes.as_chunks::<8>();
    eights.iter().rev().fold(0, |word, eight| word << 8 | u64::from_le_bytes(*eight).wrapping_mul(GATHER) >> 56)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn bits_say_what_a_list_says(rows in prop::collection::vec(any::<bool>(), 0..300), from in 0usize..320) {
            let bits = RowBits::of(&rows, |x| x);
            prop_assert_eq!(bits.rows(), rows.len());
            prop_assert_eq!(bits.count(), rows.iter().filter(|x| **x).count());
            prop_assert_eq!(bits.changes(), rows.windows(2).filter(|w| w[0] != w[1]).count());
            prop_assert_eq!(bits.next(from), (from..rows.len()).find(|row| rows[*row]));
            prop_assert_eq!(bits.get(from), rows.get(from) == Some(&true));
            let ahead: Vec<bool> = (0..rows.len()).map(|row| rows.get(row + from) == Some(&true)).collect();
            prop_assert_eq!(bits.ahead(from), RowBits::of(&ahead, |x| x));
            let both = (from..rows.len()).find(|row| rows[*row] && ahead[*row]);
            prop_assert_eq!(bits.next_of_both(&bits.ahead(from), from), both);
            let other: Vec<bool> = rows.iter().rev().copied().collect();
            let both: Vec<bool> = rows.iter().zip(&other).map(|(a, b)| *a && *b).collect();
            let either: Vec<bool> = rows.iter().zip(&other).map(|(a, b)| *a || *b).collect();
            prop_assert_eq!(bits.clone().or(&RowBits::of(&other, |x| x)), RowBits::of(&either, |x| x));
            prop_assert_eq!(bits.and(&RowBits::of(&other, |x| x)), RowBits::of(&both, |x| x));
        }
    }
}
