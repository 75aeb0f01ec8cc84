//! How old a golem was at each of its episodes, for a whole life. Between two episodes little time passes: of most only the
//! step from the one before is kept, in as many bytes as it needs, three or four rather than eight.

use golem_core::VirtualTime;

/// Ages of a block: so many steps are added up at most to find one of them.
const BLOCK: usize = 256;

/// The list, in order. Every block but the last is full, and holds no more room than it needs.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Ages {
    blocks: Vec<AgeBlock>,
    len: usize,
    last: VirtualTime,
}

#[derive(Debug, Clone, PartialEq)]
struct AgeBlock {
    first: VirtualTime,
    /// Of the others, each from the one before: seven bits to a byte, the lowest first, and the highest bit where more follow.
    steps: Vec<u8>,
}

impl Ages {
    /// Add an age that is not below any earlier one.
    pub fn push(&mut self, age: VirtualTime) {
        match self.blocks.last_mut() {
            Some(block) if !self.len.is_multiple_of(BLOCK) => {
                block.put(age.0.saturating_sub(self.last.0));
                if self.len % BLOCK == BLOCK - 1 {
                    block.steps.shrink_to_fit();
                }
            }
            _ => self.blocks.push(AgeBlock { first: age, steps: Vec::new() }),
        }
        self.len += 1;
        self.last = age;
    }
    pub fn last(&self) -> Option<VirtualTime> {
        (self.len > 0).then_some(self.last)
    }
    /// The age at a place.
    pub fn get(&self, at: usize) -> Option<VirtualTime> {
        self.blocks.get(at / BLOCK)?.ages().nth(at % BLOCK)
    }
    /// How many there were by then.
    pub fn by(&self, then: VirtualTime) -> usize {
        if self.last <= then {
            return self.len;
        }
        let begun = self.blocks.partition_point(|block| block.first <= then);
        let Some(whole) = begun.checked_sub(1) else { return 0 };
        whole * BLOCK + self.blocks.get(whole).map_or(0, |block| block.ages().take_while(|age| *age <= then).count())
    }
}

impl AgeBlock {
    fn put(&mut self, mut step: u64) {
        while step >= 0x80 {
            self.steps.push(step as u8 | 0x80);
            step >>= 7;
        }
        self.steps.push(step as u8);
    }
    fn ages(&self) -> impl Iterator<Item = VirtualTime> {
        let mut bytes = self.steps.iter();
        std::iter::successors(Some(self.first), move |before| {
            let (mut step, mut shift) = (0, 0);
            loop {
                let byte = u64::from(*bytes.next()?);
                step |= (byte & 0x7f) << shift;
                if byte < 0x80 {
                    return Some(VirtualTime(before.0 + step));
                }
                shift += 7;
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn it_is_a_list(
            steps in prop::collection::vec(prop_oneof![Just(0), 1..300_u64, 1..5_000_000_u64, 0..1_u64 << 50], 0..700),
            at in 0..800_usize,
            off in 0..2_u64,
        ) {
            let plain: Vec<u64> = steps.iter().scan(0, |age, step| { *age += step; Some(*age) }).collect();
            let mut ages = Ages::default();
            plain.iter().for_each(|age| ages.push(VirtualTime(*age)));
            prop_assert_eq!(ages.last(), plain.last().copied().map(VirtualTime));
            prop_assert_eq!(ages.get(at), plain.get(at).copied().map(VirtualTime));
            let then = (plain.get(at).copied().unwrap_or_default() + 1).saturating_sub(off);
            prop_assert_eq!(ages.by(VirtualTime(then)), plain.partition_point(|age| *age <= then));
        }
    }

    #[test]
    fn the_longest_life_has_its_ages() {
        let mut ages = Ages::default();
        [0, u64::MAX, u64::MAX].into_iter().for_each(|age| ages.push(VirtualTime(age)));
        assert_eq!(
            [0, 1, 2, 3].map(|at| ages.get(at).map(|age| age.0)),
            [Some(0), Some(u64::MAX), Some(u64::MAX), None]
        );
        assert_eq!((ages.by(VirtualTime(u64::MAX - 1)), ages.by(VirtualTime(u64::MAX))), (1, 3));
    }

    #[test]
    fn an_episode_an_hour_takes_four_bytes() {
        let mut ages = Ages::default();
        (0..4_096).for_each(|hour| ages.push(VirtualTime(hour * 3_600_000)));
        let held: usize = ages.blocks.iter().map(|block| block.steps.capacity()).sum();
        assert!(held <= 4 * 4_096, "{held} bytes");
    }
}
