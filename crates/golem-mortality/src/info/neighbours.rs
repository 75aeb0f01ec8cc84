//! The distance from each point to its k-th nearest neighbour, in the largest-axis (Chebyshev) norm.
//!
//! The points are sorted along their widest axis, and those near enough on it are compared in straight loops: for a
//! thousand points in five dimensions that is several times faster than a tree, whose leaves nearly all have to be looked
//! at. The number of axes is known at compile time; hence the table of dimensions. Nothing here scales the axes: that is
//! done before.

use pulp::{Simd, WithSimd};

/// The most axes that two sides may have together.
pub const MAX_AXES: usize = 8;

/// For each point its distance to the k-th nearest *other* point.
///
/// `axes` are read in order, all of the same length, at least one of them with its order. `None` when there are no axes or
/// more than [`MAX_AXES`], when k is zero, when there are not more than k points, or when distances overflow.
pub(super) fn kth_distances(axes: &[ShiftedColumn<'_>], k: usize) -> Option<Vec<f64>> {
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
pub(super) struct ShiftedColumn<'a> {
    pub(super) values: &'a [f64],
    pub(super) shift: usize,
    /// Its points in their order, where somebody has sorted them.
    pub(super) order: Option<AxisOrder<'a>>,
}

/// The points of an axis in the order of their values, and how wide it is.
#[derive(Clone, Copy)]
pub(super) struct AxisOrder<'a> {
    pub(super) rows: &'a [usize],
    pub(super) spread: f64,
}

fn search<const D: usize>(axes: &[ShiftedColumn<'_>], k: usize) -> Option<Vec<f64>> {
    let n = axes.first()?.values.len();
    if k == 0 || n <= k || axes.iter().any(|axis| axis.values.len() != n || axis.shift > n) {
        return None;
    }
    // Distances are the same in whatever order the axes come, and the widest one leaves the most points out.
    let widest = |axis: &usize| axes[*axis].order.map_or(f64::NEG_INFINITY, |order| order.spread);
    let along = (0..D).reduce(|a, b| if widest(&b) > widest(&a) { b } else { a })?;
    let mut axes: [ShiftedColumn<'_>; D] = axes.try_into().ok()?;
    axes.swap(0, along);
    // A shift turns the rows round, and leaves the order of their values as it is.
    let from = axes[0].shift;
    let order: Vec<usize> =
        axes[0].order?.rows.iter().map(|&row| if row >= from { row - from } else { row + n - from }).collect();
    // A block beyond both ends, further away than anything: no end has to be looked for.
    let mut sorted: [Vec<f64>; D] = std::array::from_fn(|_| Vec::with_capacity(n + 2 * BLOCK));
    for (column, axis) in sorted.iter_mut().zip(&axes) {
        let (values, shift) = (axis.values, axis.shift);
        column.extend([f64::NEG_INFINITY; BLOCK]);
        column.extend(order.iter().map(|&row| values[if row + shift < n { row + shift } else { row + shift - n }]));
        column.extend([f64::INFINITY; BLOCK]);
    }
    let mut far = vec![0.0; n];
    let columns = sorted.each_ref().map(Vec::as_slice);
    pulp::Arch::new().dispatch(Search { columns, k, far: &mut far });
    let mut found = vec![0.0; n];
    for (&row, &distance) in order.iter().zip(&far) {
        found[row] = distance;
    }
    found.iter().all(|distance| distance.is_finite()).then_some(found)
}

/// Points that are compared at once.
const BLOCK: usize = 16;

/// The search over points in the order of one axis, by the widest instructions that the machine has.
struct Search<'a, const D: usize> {
    columns: [&'a [f64]; D],
    k: usize,
    far: &'a mut [f64],
}

impl<const D: usize> WithSimd for Search<'_, D> {
    type Output = ();
    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        // A point is its own nearest neighbour at distance zero, so the k-th other one is the (k + 1)-th found; with
        // duplicates it does not matter which of the zeros is the point itself.
        if self.k == USUAL {
            self.all(Nearest([f64::INFINITY; USUAL + 1]));
        } else {
            let nearest = Nearest(vec![f64::INFINITY; self.k + 1]);
            self.all(nearest);
        }
    }
}

/// The k that is asked for nearly always: how long its list is, is known at compile time.
const USUAL: usize = 3;

impl<const D: usize> Search<'_, D> {
    /// The distance of every point.
    #[inline(always)]
    fn all<L: AsRef<[f64]> + AsMut<[f64]>>(self, mut nearest: Nearest<L>) {
        let Self { columns, far, .. } = self;
        let first = columns[0];
        for (at, far) in far.iter_mut().enumerate() {
            let here: [f64; D] = std::array::from_fn(|d| columns[d][at + BLOCK]);
            nearest.0.as_mut().fill(f64::INFINITY);
            let (mut left, mut right) = (at + BLOCK / 2, at + BLOCK / 2 + BLOCK);
            nearest.look(&columns, &here, left);
            // Outwards, block by block, until both ends are too far away on the first axis alone. Distances along a
            // sorted axis are monotone also in floating point.
            loop {
                let rightwards = first[right] - here[0] < nearest.farthest();
                if rightwards {
                    nearest.look(&columns, &here, right);
                    right += BLOCK;
                }
                let leftwards = here[0] - first[left - 1] < nearest.farthest();
                if leftwards {
                    left -= BLOCK;
                    nearest.look(&columns, &here, left);
                }
                if !rightwards && !leftwards {
                    break;
                }
            }
            *far = nearest.farthest();
        }
    }
}

/// The smallest distances so far, in rising order.
struct Nearest<L>(L);

impl<L: AsRef<[f64]> + AsMut<[f64]>> Nearest<L> {
    #[inline(always)]
    fn farthest(&self) -> f64 {
        self.0.as_ref().last().copied().unwrap_or(f64::INFINITY)
    }

    /// Look at the block that begins at a place.
    #[inline(always)]
    fn look<const D: usize>(&mut self, columns: &[&[f64]; D], here: &[f64; D], begin: usize) {
        let mut distances = [0.0; BLOCK];
        for d in 0..D {
            let Some(block) = columns[d][begin..].first_chunk::<BLOCK>() else { return };
            for i in 0..BLOCK {
                let apart = (block[i] - here[d]).abs();
                distances[i] = if apart > distances[i] { apart } else { distances[i] };
            }
        }
        let (mut nearer, farthest) = (false, self.farthest());
        for distance in distances {
            nearer |= distance < farthest;
        }
        if nearer {
            distances.into_iter().for_each(|distance| self.put(distance));
        }
    }

    #[inline(always)]
    fn put(&mut self, distance: f64) {
        if distance >= self.farthest() {
            return;
        }
        // It takes the last place, and each that is farther moves down by one.
        let list = self.0.as_mut();
        for at in (1..list.len()).rev() {
            let before = list[at - 1];
            list[at] = if before > distance {
                before
            } else if list[at] > distance {
                distance
            } else {
                list[at]
            };
        }
        if let Some(nearest) = list.first_mut()
            && *nearest > distance
        {
            *nearest = distance;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_distance_is_what_a_plain_loop_finds() {
        for dims in 1..=MAX_AXES {
            // Ties, runs and holes: remainders of squares, some of them all over the place.
            let axes: Vec<Vec<f64>> = (0..dims as u64)
                .map(|d| (0..203u64).map(|i| ((i * i * (7 + d) + 3 * i) % (53 + 90 * d)) as f64 / 7.0).collect())
                .collect();
            let orders: Vec<Vec<usize>> = axes
                .iter()
                .map(|axis| {
                    let mut rows: Vec<usize> = (0..203).collect();
                    rows.sort_by(|a, b| axis[*a].total_cmp(&axis[*b]));
                    rows
                })
                .collect();
            // Along whichever axis it is: all but the last have an order, and the one in the middle is the widest.
            let order = |d: usize| AxisOrder { rows: &orders[d], spread: if d == dims / 2 { 2.0 } else { 1.0 } };
            let columns: Vec<ShiftedColumn<'_>> = axes
                .iter()
                .enumerate()
                .map(|(d, values)| ShiftedColumn {
                    values,
                    shift: 17 * d,
                    order: (d == 0 || d + 1 < dims).then(|| order(d)),
                })
                .collect();
            let at = |d: usize, row: usize| axes[d][(row + 17 * d) % 203];
            for k in [1, 3, 8, 202] {
                let found = kth_distances(&columns, k).expect("enough points");
                for (row, distance) in found.into_iter().enumerate() {
                    let apart = |other: usize| (0..dims).map(|d| (at(d, other) - at(d, row)).abs()).fold(0.0, f64::max);
                    let mut all: Vec<f64> = (0..203).filter(|other| *other != row).map(apart).collect();
                    all.sort_by(f64::total_cmp);
                    assert_eq!(distance.to_bits(), all[k - 1].to_bits(), "{dims} axes, k {k}, row {row}");
                }
            }
        }
    }
}
