//! Logarithms of a whole column: the steps of `libm`, taken for several cells at once, with the same bits.

#![allow(clippy::excessive_precision, reason = "the constants stand as they were published")]

use pulp::{Arch, Simd, WithSimd};

/// The logarithm of each cell that is above nothing; NaN of the others.
pub(super) fn logs(cells: &[f32]) -> Vec<f64> {
    let mut logs = vec![0.0; cells.len()];
    Arch::new().dispatch(CellLogs { cells, logs: &mut logs });
    logs
}

struct CellLogs<'a> {
    cells: &'a [f32],
    logs: &'a mut [f64],
}

impl WithSimd for CellLogs<'_> {
    type Output = ();
    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        for (log, cell) in self.logs.iter_mut().zip(self.cells) {
            *log = log_of(f64::from(*cell));
        }
    }
}

const LN2_HI: f64 = 6.931_471_803_691_238_164_90e-01;
const LN2_LO: f64 = 1.908_214_929_270_587_700_02e-10;
const LG: [f64; 7] = [
    6.666_666_666_666_735_130e-01,
    3.999_999_999_940_941_908e-01,
    2.857_142_874_366_239_149e-01,
    2.222_219_843_214_978_396e-01,
    1.818_357_216_161_805_012e-01,
    1.531_383_769_920_937_332e-01,
    1.479_819_860_511_658_591e-01,
];

/// Of a double that was a single, so that it is never too small to have all its bits.
#[inline(always)]
fn log_of(x: f64) -> f64 {
    const SHIFT: u64 = (0x3ff0_0000 - 0x3fe6_a09e) << 32;
    let bits = x.to_bits().wrapping_add(SHIFT);
    // The exponent as a float, without a conversion that few processors have for several at once.
    let exponent = f64::from_bits(0x4330_0000_0000_0000 | bits >> 52) - (4_503_599_627_370_496.0 + 1_023.0);
    let reduced = f64::from_bits((bits & 0x000f_ffff_ffff_ffff).wrapping_add(0x3fe6_a09e << 32));
    let f = reduced - 1.0;
    let half = 0.5 * f * f;
    let s = f / (2.0 + f);
    let z = s * s;
    let w = z * z;
    let even = w * (LG[1] + w * (LG[3] + w * LG[5]));
    let odd = z * (LG[0] + w * (LG[2] + w * (LG[4] + w * LG[6])));
    let log = s * (half + (odd + even)) + exponent * LN2_LO - half + f + exponent * LN2_HI;
    if x > 0.0 { if x == f64::INFINITY { x } else { log } } else { f64::NAN }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4_096))]
        #[test]
        fn a_column_has_the_logarithms_of_its_cells_to_the_bit(
            cells in prop::collection::vec(prop_oneof![any::<f32>(), 0.0f32..2.0, 0.999f32..1.001, 1.0f32..1e6, Just(1.0), Just(0.0)], 0..40),
        ) {
            for (log, cell) in logs(&cells).into_iter().zip(cells) {
                let plain = if cell > 0.0 { libm::log(f64::from(cell)) } else { f64::NAN };
                prop_assert!(log.to_bits() == plain.to_bits() || (log.is_nan() && plain.is_nan()), "{} {} {}", cell, log, plain);
            }
        }
    }
}
