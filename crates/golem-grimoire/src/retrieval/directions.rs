//! The situations of older episodes, each brought to length 1 and rounded to whole numbers. Of 24 axes a third is usually 0
//! (three of four weathers, what was not held, what was not done): only those that are not are kept, and which they are.

use crate::situation::WIDTH;

/// Directions of a block: so many are stepped over at most to find one of them.
const BLOCK: usize = 256;

/// The largest number in a direction.
const FINEST: f32 = i16::MAX as f32;

const _: () = assert!(WIDTH <= u32::BITS as usize, "one bit for each axis");

/// The list. Every block but the last is full, and holds no more room than it needs.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Directions {
    blocks: Vec<DirectionBlock>,
    len: usize,
}

#[derive(Debug, Clone, PartialEq, Default)]
struct DirectionBlock {
    /// Of each direction, the axes that are not 0.
    axes: Vec<u32>,
    /// Their numbers, one direction after the other.
    numbers: Vec<i16>,
}

impl Directions {
    pub fn len(&self) -> usize {
        self.len
    }
    /// Add one, rounded.
    pub fn push(&mut self, direction: &[f32; WIDTH]) {
        if self.len.is_multiple_of(BLOCK) {
            self.blocks.push(DirectionBlock { axes: Vec::with_capacity(BLOCK), numbers: Vec::new() });
        }
        self.len += 1;
        if let Some(block) = self.blocks.last_mut() {
            block.push(direction.map(|x| (x * FINEST).round() as i16));
            if block.axes.len() == BLOCK {
                block.numbers.shrink_to_fit();
            }
        }
    }
    /// All from a place on, as they were but for the rounding.
    pub fn from(&self, at: usize) -> impl Iterator<Item = [f32; WIDTH]> {
        let mut blocks = self.blocks.get(at / BLOCK..).unwrap_or_default().iter();
        let first = blocks.next().map(|block| block.from(at % BLOCK));
        first.into_iter().flatten().chain(blocks.flat_map(|block| block.from(0)))
    }
}

impl DirectionBlock {
    fn push(&mut self, direction: [i16; WIDTH]) {
        let mut axes = 0;
        for (axis, x) in direction.into_iter().enumerate().filter(|(_, x)| *x != 0) {
            axes |= 1 << axis;
            self.numbers.push(x);
        }
        self.axes.push(axes);
    }
    fn from(&self, at: usize) -> impl Iterator<Item = [f32; WIDTH]> {
        let (over, axes) = self.axes.split_at(at.min(self.axes.len()));
        let stepped_over: u32 = over.iter().map(|axes| axes.count_ones()).sum();
        let mut numbers = self.numbers.get(stepped_over as usize..).unwrap_or_default().iter();
        axes.iter().map(move |axes| {
            let (mut direction, mut axes) = ([0_i16; WIDTH], *axes);
            while axes != 0 {
                if let (Some(x), Some(number)) = (direction.get_mut(axes.trailing_zeros() as usize), numbers.next()) {
                    *x = *number;
                }
                axes &= axes - 1;
            }
            direction.map(|x| f32::from(x) / FINEST)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn it_is_a_list(all in prop::collection::vec(0..9_u32, 0..700), at in 0..800_usize) {
            let one = |seed: &u32| -> [f32; WIDTH] {
                std::array::from_fn(|i| match seed * 7 + i as u32 * 5 {
                    n if n % 3 == 0 => 0.0,
                    n => (n % 41) as f32 / 20.0 - 1.0,
                })
            };
            let plain: Vec<_> = all.iter().map(one).collect();
            let mut directions = Directions::default();
            plain.iter().for_each(|direction| directions.push(direction));
            prop_assert_eq!(directions.len(), plain.len());
            let rounded = plain.iter().map(|d| d.map(|x| f32::from((x * FINEST).round() as i16) / FINEST));
            let expected: Vec<_> = rounded.skip(at).collect();
            prop_assert_eq!(directions.from(at).collect::<Vec<_>>(), expected);
        }
    }

    #[test]
    fn what_is_nothing_takes_no_room() {
        let mut directions = Directions::default();
        // As in most lives: sixteen axes of 24.
        let usual = std::array::from_fn(|i| if i % 3 == 0 { 0.0 } else { 0.25 });
        (0..10 * BLOCK).for_each(|_| directions.push(&usual));
        let held = |block: &DirectionBlock| 4 * block.axes.capacity() + 2 * block.numbers.capacity();
        assert_eq!(directions.blocks.iter().map(held).sum::<usize>(), 10 * BLOCK * 36);
    }
}
