//! A list that a whole life adds to. It grows block by block: nothing is copied, and it never holds twice the room it
//! needs, as a vector does that has just doubled.

/// Items of a block.
const BLOCK: usize = 256;

/// The list. Every block but the last is full.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Blocks<T>(Vec<Vec<T>>);

impl<T> Default for Blocks<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T> Blocks<T> {
    pub(crate) fn push(&mut self, item: T) {
        match self.0.last_mut() {
            Some(last) if last.len() < BLOCK => last.push(item),
            _ => {
                let mut block = Vec::with_capacity(BLOCK);
                block.push(item);
                self.0.push(block);
            }
        }
    }
    pub(crate) fn len(&self) -> usize {
        self.0.last().map_or(0, |last| (self.0.len() - 1) * BLOCK + last.len())
    }
    pub(crate) fn get(&self, at: usize) -> Option<&T> {
        self.0.get(at / BLOCK)?.get(at % BLOCK)
    }
    pub(crate) fn last(&self) -> Option<&T> {
        self.0.last()?.last()
    }
    /// The first place at which it does not hold, where it holds up to some place and not after.
    pub(crate) fn partition_point(&self, holds: impl Fn(&T) -> bool) -> usize {
        let whole = self.0.partition_point(|block| block.last().is_some_and(&holds));
        let within = self.0.get(whole).map_or(0, |block| block.partition_point(&holds));
        (whole * BLOCK + within).min(self.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn it_is_a_list(n in 0..1_100_usize, at in 0..1_200_usize) {
            let (mut blocks, plain): (_, Vec<usize>) = (Blocks::default(), (0..n).map(|i| 2 * i).collect());
            plain.iter().for_each(|x| blocks.push(*x));
            prop_assert_eq!(blocks.len(), plain.len());
            prop_assert_eq!((blocks.get(at), blocks.last()), (plain.get(at), plain.last()));
            prop_assert_eq!(blocks.partition_point(|x| *x < at), plain.partition_point(|x| *x < at));
            prop_assert!(blocks.0.iter().all(|block| block.capacity() == BLOCK));
        }
    }
}
