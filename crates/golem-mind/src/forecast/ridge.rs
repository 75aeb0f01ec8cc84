//! Ridge regression with forgetting, in information form.
//!
//! This is recursive least squares (Plackett 1950; forgetting as in Ljung and Soderstrom 1983), kept as sums instead of
//! a covariance: what is not excited for a while fades towards the penalty, so the covariance cannot wind up, and no
//! rounding can make it indefinite. Six inputs cost about as much to solve anew as to update.

use crate::math::clip;
use serde::{Deserialize, Serialize};

/// Inputs, the constant included.
pub const DIM: usize = 6;
const PACKED: usize = DIM * (DIM + 1) / 2;
/// No weight on standardised inputs is ever that large for a reason.
const LARGEST_WEIGHT: f64 = 10.0;

/// Weights and the sums they follow from.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Ridge {
    /// Lower triangle of the sum of x x', row by row.
    gram: [f64; PACKED],
    /// Sum of x y.
    moment: [f64; DIM],
    weights: [f64; DIM],
}

/// The rows of the triangle one after another, spelled out: a few are solved in every turn, and every place is known when this
/// is compiled. Each sum is in the order of its columns and begins as an empty one does.
macro_rules! rows {
    ($l:ident $d:ident $w:ident $penalty:ident; $($i:literal: $($j:literal [$($k:literal)*]),*;)*) => {$(
        $(
            let dot = -0.0 $(+ $l[const { at($i, $k) }] * $l[const { at($j, $k) }] * $d[$k])*;
            $l[const { at($i, $j) }] = ($l[const { at($i, $j) }] - dot) / $d[$j];
            $w[$i] -= $l[const { at($i, $j) }] * $w[$j];
        )*
        let own = -0.0 $(+ $l[const { at($i, $j) }] * $l[const { at($i, $j) }] * $d[$j])*;
        $d[$i] = ($l[const { at($i, $i) }] + $penalty - own).max(1e-9);
    )*};
}

impl Ridge {
    /// The forecast for these inputs.
    #[must_use]
    pub fn predict(&self, x: &[f64; DIM]) -> f64 {
        self.weights.iter().zip(x).map(|(w, x)| w * x).sum()
    }
    /// Take in one pair with a weight, after fading what is known by `keep`. The weights follow at [`Self::solve`].
    pub fn absorb(&mut self, x: &[f64; DIM], y: f64, weight: f64, keep: f64) {
        let mut k = 0;
        for i in 0..DIM {
            let wx = weight * x[i];
            for xj in &x[..=i] {
                self.gram[k] = keep * self.gram[k] + wx * xj;
                k += 1;
            }
            self.moment[i] = keep * self.moment[i] + wx * y;
        }
    }
    /// Solve (gram + penalty) w = moment by L D L'. The penalty is what pulls the weights towards 0, in pairs.
    pub fn solve(&mut self, penalty: f64) {
        let mut l = self.gram;
        let mut d = [0.0; DIM];
        let mut w = self.moment;
        rows!(l d w penalty;
            0: ;
            1: 0 [];
            2: 0 [], 1 [0];
            3: 0 [], 1 [0], 2 [0 1];
            4: 0 [], 1 [0], 2 [0 1], 3 [0 1 2];
            5: 0 [], 1 [0], 2 [0 1], 3 [0 1 2], 4 [0 1 2 3];
        );
        for i in (0..DIM).rev() {
            w[i] /= d[i];
            for k in i + 1..DIM {
                w[i] -= l[at(k, i)] * w[k];
            }
        }
        self.weights = w.map(|w| clip(w, LARGEST_WEIGHT));
    }
}

/// Where a cell of the lower triangle stands.
const fn at(row: usize, column: usize) -> usize {
    row * (row + 1) / 2 + column
}

#[cfg(test)]
mod tests {
    use super::*;
    use golem_core::{Dice, Strand};

    #[test]
    fn finds_planted_weights_and_shrinks() {
        let truth = [0.5, -1.0, 2.0, 0.0, 0.25, -0.5];
        let dice = Dice::open(5, Strand::World);
        let mut ridge = Ridge::default();
        for t in 0..500 {
            let mut draws = dice.draws(t);
            let mut x = [1.0; DIM];
            x[1..].fill_with(|| draws.normals().0);
            let y: f64 = x.iter().zip(truth).map(|(x, w)| x * w).sum();
            ridge.absorb(&x, y, 1.0, 1.0);
        }
        ridge.solve(1e-6);
        for (w, t) in ridge.weights.iter().zip(truth) {
            assert!((w - t).abs() < 1e-6, "{:?}", ridge.weights);
        }
        ridge.solve(500.0);
        assert!(ridge.weights[2] > 0.8 && ridge.weights[2] < 1.2, "half the data says so, half the prior says 0");
    }

    /// Row by row, as it is meant.
    fn plainly_solved(ridge: &Ridge, penalty: f64) -> [f64; DIM] {
        let (mut l, mut d, mut w) = (ridge.gram, [0.0; DIM], ridge.moment);
        for i in 0..DIM {
            let row = i * (i + 1) / 2;
            for j in 0..i {
                let other = j * (j + 1) / 2;
                let dot: f64 = (0..j).map(|k| l[row + k] * l[other + k] * d[k]).sum();
                l[row + j] = (l[row + j] - dot) / d[j];
                w[i] -= l[row + j] * w[j];
            }
            let own: f64 = (0..i).map(|k| l[row + k] * l[row + k] * d[k]).sum();
            d[i] = (l[row + i] + penalty - own).max(1e-9);
        }
        for i in (0..DIM).rev() {
            w[i] /= d[i];
            for k in i + 1..DIM {
                w[i] -= l[k * (k + 1) / 2 + i] * w[k];
            }
        }
        w.map(|w| clip(w, LARGEST_WEIGHT))
    }

    #[test]
    fn rows_spelled_out_are_solved_like_rows_in_a_loop_to_the_bit() {
        let dice = Dice::open(6, Strand::World);
        let mut ridge = Ridge::default();
        for t in 0..400 {
            let mut draws = dice.draws(t);
            let x = std::array::from_fn(|i| match (t % 5, i) {
                (_, 0) => 1.0,
                // Inputs that are absent, the same, or turned round.
                (0, 3) => 0.0,
                (1, 4) => -0.0,
                (2, 2 | 5) => -1.0,
                _ => draws.normals().0,
            });
            ridge.absorb(&x, draws.normals().1, 0.3, if t % 7 == 0 { 0.9 } else { 1.0 });
            for penalty in [0.0, 1e-9, 3.0, 15.0] {
                let plain = plainly_solved(&ridge, penalty);
                ridge.solve(penalty);
                assert_eq!(ridge.weights.map(f64::to_bits), plain.map(f64::to_bits), "after {t} with {penalty}");
            }
        }
        let mut empty = Ridge::default();
        empty.solve(0.0);
        assert_eq!(empty.weights.map(f64::to_bits), plainly_solved(&Ridge::default(), 0.0).map(f64::to_bits));
    }

    #[test]
    fn nothing_winds_up_without_excitement() {
        let mut ridge = Ridge::default();
        for _ in 0..1_000_000 {
            ridge.absorb(&[1.0, 0.0, 0.0, 0.0, 0.0, 0.0], 0.5, 1.0, 0.99);
        }
        ridge.absorb(&[1.0, 3.0, 3.0, 3.0, 3.0, 3.0], 4.0, 1.0, 0.99);
        ridge.solve(2.0);
        assert!(ridge.weights.iter().all(|w| w.abs() < 1.0), "{:?}", ridge.weights);
        let mut empty = Ridge::default();
        empty.solve(0.0);
        assert!(empty.weights.iter().all(|w| w.abs() < 1e-12));
    }
}
