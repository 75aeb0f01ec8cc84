//! One side of a pair (the actions, or the responses): how many points lie closer than a given distance.
//!
//! The points are kept sorted along their widest axis. A binary search then leaves a window whose other axes are
//! compared in a straight loop that the compiler turns into vector instructions; at a thousand points this is several
//! times faster than range queries in a tree, because the windows of the Kraskov estimator are wide.

use super::neighbours::{AxisOrder, ShiftedColumn};

/// Points of one side, in the order of time and in the order of one axis.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct MarginalSide {
    axes: Vec<Vec<f64>>,
    /// The axes with the one that was sorted by in the first place.
    places: Vec<usize>,
    sorted: Vec<Vec<f64>>,
    /// The points in the order of that axis, and how wide it is.
    order: Vec<usize>,
    spread: f64,
}

impl MarginalSide {
    /// All axes must have the same length; the caller sees to that.
    pub(super) fn new(axes: Vec<Vec<f64>>) -> Self {
        let spreads = axes.iter().map(|axis| spread(axis)).enumerate();
        let widest = spreads.reduce(|a, b| if b.1 > a.1 { b } else { a });
        let Some((widest, spread)) = widest else {
            return Self { axes, places: Vec::new(), sorted: Vec::new(), order: Vec::new(), spread: 0.0 };
        };
        let mut places: Vec<usize> = (0..axes.len()).collect();
        places.swap(0, widest);
        let order = in_order(&axes[widest]);
        let by_order = |place: &usize| order.iter().map(|&row| axes[*place][row]).collect();
        let sorted = places.iter().map(by_order).collect();
        Self { axes, places, sorted, order, spread }
    }

    /// The axes, read from `shift` on; the widest one with its order.
    pub(super) fn columns(&self, shift: usize) -> impl Iterator<Item = ShiftedColumn<'_>> {
        self.axes.iter().enumerate().map(move |(axis, values)| {
            let order =
                (self.places.first() == Some(&axis)).then_some(AxisOrder { rows: &self.order, spread: self.spread });
            ShiftedColumn { values, shift, order }
        })
    }

    /// True when no axis is left: this side says nothing.
    pub(super) fn is_empty(&self) -> bool {
        self.axes.is_empty()
    }

    /// How many *other* points lie strictly closer to point `row` than `distance`, in the largest-axis norm.
    ///
    /// Strictly, because the estimator counts the points inside the cube and not those on its faces
    /// (Kraskov, Stögbauer, Grassberger 2004, eq. 8).
    #[inline(always)]
    pub(super) fn closer_than(&self, row: usize, distance: f64) -> usize {
        let Some((first, rest)) = self.sorted.split_first() else {
            return 0;
        };
        let at = |axis: usize| self.axes[self.places[axis]][row];
        let here = at(0);
        // Both conditions are monotone along a sorted axis also in floating point, so the window holds exactly the
        // points that a plain loop over all points would accept on this axis.
        let from = first.partition_point(|x| here - x >= distance);
        let to = first.partition_point(|x| x - here < distance).max(from);
        let window = from..to;
        let inside = match rest {
            [] => to - from,
            [a] => count1((&a[window], at(1)), distance),
            [a, b] => count2((&a[window.clone()], at(1)), (&b[window], at(2)), distance),
            more => window
                .filter(|&i| more.iter().enumerate().all(|(d, axis)| (axis[i] - at(d + 1)).abs() < distance))
                .count(),
        };
        // The point itself is inside, unless the distance is zero and nothing is.
        inside.saturating_sub(1)
    }
}

/// How far apart the middle half of an axis lies: one that is nearly always the same tells hardly any points apart.
fn spread(values: &[f64]) -> f64 {
    let (mut values, n) = (values.to_vec(), values.len());
    let mut at = |place: usize| *values.select_nth_unstable_by(place, f64::total_cmp).1;
    if n == 0 { 0.0 } else { at(n * 3 / 4) - at(n / 4) }
}

/// The rows in the order of their values.
fn in_order(values: &[f64]) -> Vec<usize> {
    // By bits that are in the order of the numbers, with the row behind them: pairs of whole numbers are sorted quickly.
    let rank = |x: f64| x.to_bits() ^ ((x.to_bits().cast_signed() >> 63).cast_unsigned() | 1 << 63);
    let mut pairs: Vec<(u64, usize)> = values.iter().enumerate().map(|(row, x)| (rank(*x), row)).collect();
    pairs.sort_unstable();
    pairs.into_iter().map(|(_, row)| row).collect()
}

type Slice<'a> = (&'a [f64], f64);

#[inline(always)]
fn count1((a, at_a): Slice<'_>, distance: f64) -> usize {
    // Wrapping sums: a checked addition would keep the loop scalar, and a count of slots cannot overflow.
    let inside = a.iter().fold(0_u64, |sum, x| sum.wrapping_add(u64::from((x - at_a).abs() < distance)));
    inside as usize
}

#[inline(always)]
fn count2((a, at_a): Slice<'_>, (b, at_b): Slice<'_>, distance: f64) -> usize {
    let inside = a.iter().zip(b).fold(0_u64, |sum, (x, y)| {
        let closer = ((x - at_a).abs() < distance) & ((y - at_b).abs() < distance);
        sum.wrapping_add(u64::from(closer))
    });
    inside as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_in_the_order_of_their_values() {
        let values = [0.5, -1.0, f64::INFINITY, -0.0, 0.0, 1e-300, -1e300, 0.5, f64::NEG_INFINITY];
        let mut plain: Vec<usize> = (0..values.len()).collect();
        plain.sort_by(|a, b| values[*a].total_cmp(&values[*b]));
        assert_eq!(in_order(&values), plain);
    }

    #[test]
    fn faces_are_outside_and_self_is_not_counted() {
        let line = MarginalSide::new(vec![vec![0.0, 1.0, 2.0, 4.0]]);
        assert_eq!(line.closer_than(1, 1.0), 0);
        assert_eq!(line.closer_than(1, 1.5), 2);
        assert_eq!(line.closer_than(1, 0.0), 0);
        let empty = MarginalSide::new(Vec::new());
        assert_eq!(empty.closer_than(7, 1.0), 0);
    }

    #[test]
    fn every_dimension_agrees_with_a_plain_loop() {
        for dims in 1..=5_usize {
            let axes: Vec<Vec<f64>> = (0..dims)
                .map(|d| (0..40_u32).map(|i| f64::from((i * 7 + 3) % (11 + d as u32 * 4))).collect())
                .collect();
            let side = MarginalSide::new(axes.clone());
            for row in 0..40 {
                for distance in [0.0, 0.5, 1.0, 3.0, 3.5, 100.0] {
                    let plain =
                        (0..40).filter(|&j| j != row && axes.iter().all(|a| (a[j] - a[row]).abs() < distance)).count();
                    assert_eq!(side.closer_than(row, distance), plain, "{dims} {row} {distance}");
                }
            }
        }
    }
}
