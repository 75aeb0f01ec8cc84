//! The distance from each point to its k-th nearest neighbour, in the largest-axis (Chebyshev) norm, by a k-d tree.
//!
//! The tree is the `kiddo` crate, which wants the number of axes at compile time; hence the table of dimensions at the
//! end. Nothing here scales the axes: that is done before.

use kiddo::{Chebyshev, Eytzinger, KdTree, VecOfArenas};
use std::num::NonZero;

/// Points in one leaf. Sixteen was the fastest of 8, 16, 32, 64 and 128 for a thousand points in five dimensions.
const LEAF: usize = 16;

/// The most axes that two sides may have together.
pub const MAX_AXES: usize = 8;

/// For each point its distance to the k-th nearest *other* point.
///
/// `axes` are read in order, all of the same length. `None` when there are no axes or more than [`MAX_AXES`], when
/// k is zero, when there are not more than k points, or when distances overflow.
pub(super) fn kth_distances(axes: &[Column<'_>], k: usize) -> Option<Vec<f64>> {
    match axes.len() {
        1 => search::<1>(axes, k),
        2 => search::<2>(axes, k),
        3 => search::<3>(axes, k),
        4 => search::<4>(axes, k),
        5 => search::<5>(axes, k),
        6 => search::<6>(axes, k),
        7 => search::<7>(axes, k),
        8 => search::<8>(axes, k),
        _ => None,
    }
}

/// One axis, read from `shift` on and around the end: a circular shift without a copy.
#[derive(Clone, Copy)]
pub(super) struct Column<'a> {
    pub(super) values: &'a [f64],
    pub(super) shift: usize,
}

impl Column<'_> {
    fn values_from_shift(&self) -> impl Iterator<Item = f64> + '_ {
        let (before, after) = self.values.split_at(self.shift.min(self.values.len()));
        after.iter().chain(before).copied()
    }
}

fn search<const D: usize>(axes: &[Column<'_>], k: usize) -> Option<Vec<f64>> {
    let n = axes.first()?.values.len();
    if k == 0 || n <= k {
        return None;
    }
    let mut points = vec![[0.0; D]; n];
    for (d, axis) in axes.iter().enumerate() {
        for (point, value) in points.iter_mut().zip(axis.values_from_shift()) {
            point[d] = value;
        }
    }
    type Tree<const D: usize> = KdTree<f64, u32, Eytzinger, VecOfArenas<f64, u32, D, LEAF>, D, LEAF>;
    let tree: Tree<D> = KdTree::new_from_slice(&points).ok()?;
    // A point is its own nearest neighbour at distance zero, so the k-th other one is the (k + 1)-th found; with
    // duplicates it does not matter which of the zeros is the point itself.
    let wanted = NonZero::new(k + 1)?;
    let mut scratch = tree.create_scratch::<Chebyshev<f64>>();
    points
        .iter()
        .map(|point| {
            let found =
                tree.query(point).nearest_n::<Chebyshev<f64>>(wanted).unsorted().with_scratch(&mut scratch).execute();
            let far = found.iter().fold(0.0, |far: f64, hit| far.max(hit.distance));
            (found.len() == wanted.get() && far.is_finite()).then_some(far)
        })
        .collect()
}
