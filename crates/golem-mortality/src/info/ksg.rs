//! Mutual information of two continuous vectors by the first algorithm of Kraskov, Stögbauer and Grassberger.
//!
//! Source: "Estimating mutual information", Phys. Rev. E 69, 066138 (2004), eq. 8:
//! `I = psi(k) + psi(N) - mean[psi(n_x + 1) + psi(n_y + 1)]` nats, where e is a point's distance to its k-th neighbour
//! in the joint space (largest axis) and n_x, n_y count the other points *strictly* closer than e in each marginal.
//! An estimate may be slightly below zero; that is noise around zero and is left for the caller to see.

use super::axes::{Jitter, finite_rows, z_scored};
use super::digamma::{digamma, digamma_of_counts};
use super::marginal::MarginalSide;
use super::neighbours::{ShiftedColumn, kth_distances};
use pulp::{Simd, WithSimd};

/// Two vectors seen together many times, ready to be asked how much one says about the other.
#[derive(Debug, Clone, PartialEq)]
pub struct KsgSample {
    x: MarginalSide,
    y: MarginalSide,
    n: usize,
    psi: Vec<f64>,
}

impl KsgSample {
    /// Takes columns as they are: no scaling, no jitter. `None` when a side is empty, lengths differ, or a number is
    /// not finite.
    #[must_use]
    pub fn raw(x: Vec<Vec<f64>>, y: Vec<Vec<f64>>) -> Option<Self> {
        let n = x.first()?.len();
        y.first()?;
        let sound = |axis: &Vec<f64>| axis.len() == n && axis.iter().all(|v| v.is_finite());
        (x.iter().all(sound) && y.iter().all(sound)).then(|| Self::new(x, y, n))
    }

    /// Makes columns comparable first: holes out, constants out, z-scored ([`z_scored`]), ties broken ([`Jitter`]).
    #[must_use]
    pub fn standardised(x: Vec<Vec<f64>>, y: Vec<Vec<f64>>, jitter: f64, uniform: &mut dyn FnMut() -> f64) -> Self {
        let x_axes = x.len();
        let rows = finite_rows(&x.into_iter().chain(y).collect::<Vec<_>>());
        let n = rows.first().map_or(0, Vec::len);
        let mut jitter = Jitter::new(jitter, uniform);
        let mut ready = |columns: &[Vec<f64>]| -> Vec<Vec<f64>> {
            let mut axes: Vec<_> = columns.iter().filter_map(|c| z_scored(c)).collect();
            axes.iter_mut().for_each(|axis| jitter.apply(axis));
            axes
        };
        let (x, y) = rows.split_at(x_axes.min(rows.len()));
        let x = ready(x);
        let y = ready(y);
        Self::new(x, y, n)
    }

    fn new(x: Vec<Vec<f64>>, y: Vec<Vec<f64>>, n: usize) -> Self {
        Self { x: MarginalSide::new(x), y: MarginalSide::new(y), n, psi: digamma_of_counts(n) }
    }

    /// How many pairs there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.n
    }

    /// True when there is no pair.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.n == 0
    }

    /// True when a side never changes. A constant says nothing about anything.
    #[must_use]
    pub fn is_constant(&self) -> bool {
        self.x.is_empty() || self.y.is_empty()
    }

    /// Mutual information in bits. `None` when there are not more than `k` pairs or too many axes.
    #[must_use]
    pub fn bits(&self, k: usize) -> Option<f64> {
        self.shifted_bits(k, 0)
    }

    /// The same when each x is paired with the y that came `shift` pairs later, around the end.
    ///
    /// Each side keeps its own history, only their pairing is broken, so what remains is false information.
    #[must_use]
    pub fn shifted_bits(&self, k: usize, shift: usize) -> Option<f64> {
        Some(self.shifted_nats(k, shift)? / std::f64::consts::LN_2)
    }

    fn shifted_nats(&self, k: usize, shift: usize) -> Option<f64> {
        if k == 0 || self.n <= k {
            return None;
        }
        if self.is_constant() {
            return Some(0.0);
        }
        let shift = shift % self.n;
        let joint: Vec<ShiftedColumn<'_>> = self.x.columns(0).chain(self.y.columns(shift)).collect();
        let distances = kth_distances(&joint, k)?;
        let sum = pulp::Arch::new().dispatch(Counts { sample: self, distances: &distances, shift });
        let n = self.n as f64;
        Some(digamma(k as f64) + digamma(n) - sum / n)
    }
}

/// The sum over all points of what their counts of closer points say, by the widest instructions that the machine has.
struct Counts<'a> {
    sample: &'a KsgSample,
    distances: &'a [f64],
    shift: usize,
}

impl WithSimd for Counts<'_> {
    type Output = f64;
    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> f64 {
        let KsgSample { x, y, n, psi } = self.sample;
        let later = |row: usize| if row + self.shift < *n { row + self.shift } else { row + self.shift - n };
        let rows = self.distances.iter().enumerate();
        rows.map(|(row, &distance)| psi[x.closer_than(row, distance)] + psi[y.closer_than(later(row), distance)]).sum()
    }
}

/// Kraskov's estimate in bits for columns as they are. See [`KsgSample::raw`] and [`KsgSample::bits`] for when it is `None`.
#[must_use]
pub fn ksg_bits(x: Vec<Vec<f64>>, y: Vec<Vec<f64>>, k: usize) -> Option<f64> {
    KsgSample::raw(x, y)?.bits(k)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_estimated_is_none() {
        let line = vec![vec![1.0, 2.0, 3.0]];
        assert_eq!(ksg_bits(line.clone(), line.clone(), 3), None);
        assert_eq!(ksg_bits(line.clone(), line.clone(), 0), None);
        assert_eq!(ksg_bits(Vec::new(), line.clone(), 1), None);
        assert_eq!(ksg_bits(vec![vec![1.0, 2.0]], line.clone(), 1), None);
        assert_eq!(ksg_bits(vec![vec![1.0, f64::NAN, 0.0]], line.clone(), 1), None);
        assert_eq!(ksg_bits(vec![vec![f64::MAX, f64::MIN, 0.0]], line.clone(), 2), None);
        assert_eq!(ksg_bits(vec![vec![1.0, 4.0, 9.0]; 8], line, 1), None);
    }

    #[test]
    fn a_constant_side_knows_nothing() {
        let clock: Vec<f64> = (0..50).map(f64::from).collect();
        let sample = KsgSample::standardised(vec![vec![7.0; 50]], vec![clock], 1e-10, &mut || 0.5);
        assert!(sample.is_constant());
        assert_eq!(sample.bits(3), Some(0.0));
    }

    #[test]
    fn a_copy_knows_a_lot_and_a_shifted_copy_nothing() {
        let mut noise = vec![0.0; 500];
        Jitter::new(1.0, &mut || 0.25).apply(&mut noise);
        let sample = KsgSample::standardised(vec![noise.clone()], vec![noise], 1e-10, &mut || 0.5);
        assert!(sample.bits(3).unwrap() > 4.0);
        assert!(sample.shifted_bits(3, 250).unwrap().abs() < 0.2);
    }
}
