//! What is tried: conditions a field can be in, and what may follow. Plain thresholds and words, so that every pair can
//! be written as a claim.

use super::Series;
use super::statistic::{memory, one_digit, two_digits};
use golem_core::observed::{Field, Kind};

/// Fields whose unusual values are tried as conditions. Levels that drift (price, gwei) have no usual value.
const DRIVERS: &[Field] = &[
    Field::MarketVolatilityRatio,
    Field::MarketGasRatio,
    Field::MarketFeeYieldRatio,
    Field::MarketVolumeRatio,
    Field::MarketReturn15,
    Field::MarketReturn90,
];
/// Fields whose words are tried as conditions.
const WORDS: &[Field] = &[Field::MarketRegime, Field::MarketProtocol];
/// The shares of rows beyond which a value is unusual.
const TAILS: &[f64] = &[0.05, 0.1, 0.2];
/// What may follow, with fixed bounds: ratios to the usual level.
const RATIOS: &[(Field, bool, f64)] = &[
    (Field::MarketVolatilityRatio, true, 1.5),
    (Field::MarketFeeYieldRatio, true, 1.5),
    (Field::MarketFeeYieldRatio, true, 2.0),
    (Field::MarketFeeYieldRatio, true, 3.0),
    (Field::MarketGasRatio, true, 1.5),
    (Field::MarketGasRatio, false, 0.67),
    (Field::MarketVolumeRatio, true, 2.0),
];
/// Returns and the ticks they look back over: they follow a condition only when they begin after it.
const RETURNS: &[(Field, usize)] = &[(Field::MarketReturn15, 15), (Field::MarketReturn90, 90)];
/// Looks at a target that are closer together than this may still count as two, however long its memory seems.
const LONGEST_MEMORY: usize = 180;

/// A condition and where it held.
pub(super) struct Condition {
    pub field: Field,
    pub text: String,
    /// Which of the field's ends, or which word: conditions of one kind are alternatives of each other.
    pub kind: u8,
    /// Rows in which it held, from the oldest.
    pub rows: Vec<usize>,
}

/// What may follow and where it did.
pub(super) struct Target {
    pub field: Field,
    pub text: String,
    pub up: bool,
    pub held: Vec<Option<bool>>,
    /// Nominal ticks that the field looks back over.
    pub window: usize,
    /// Rows apart at which two looks count as two.
    pub memory: usize,
}

/// A comparison as an expression.
fn compared(field: Field, above: bool, bound: f64) -> String {
    format!("{field} {} {bound:?}", if above { ">" } else { "<" })
}

fn beyond(x: f32, above: bool, bound: f64) -> Option<bool> {
    // In doubles, as the expression will be asked.
    x.is_finite().then(|| if above { f64::from(x) > bound } else { f64::from(x) < bound })
}

/// The rows that are known and hold, in doubles, as the expression will be asked.
fn rows(column: &[f32], holds: impl Fn(f64) -> bool) -> Vec<usize> {
    let mut rows = Vec::with_capacity(column.len() / 4);
    for (row, x) in column.iter().enumerate() {
        if x.is_finite() && holds(f64::from(*x)) {
            rows.push(row);
        }
    }
    rows
}

/// A whole number that is in the order of the floats, and its float.
fn rank(x: f32) -> i32 {
    turned(x.to_bits().cast_signed())
}
fn ranked(rank: i32) -> f32 {
    f32::from_bits(turned(rank).cast_unsigned())
}
/// Of a negative one every bit but the sign.
fn turned(bits: i32) -> i32 {
    bits ^ ((bits >> 31).cast_unsigned() >> 1).cast_signed()
}

/// Everything that is tried as a condition, in a fixed order.
pub(super) fn conditions(series: &Series) -> Vec<Condition> {
    let (mut all, mut column) = (Vec::<Condition>::new(), Vec::new());
    for &field in DRIVERS {
        series.column(field, &mut column);
        let mut known: Vec<i32> = column.iter().filter(|x| x.is_finite()).map(|x| rank(*x)).collect();
        if known.is_empty() || known.len() < series.len() / 2 {
            continue;
        }
        for (&tail, above) in TAILS.iter().flat_map(|t| [(t, true), (t, false)]) {
            let at = ((known.len() - 1) as f64 * if above { 1.0 - tail } else { tail }) as usize;
            let bound = two_digits(f64::from(ranked(*known.select_nth_unstable(at).1)));
            let text = compared(field, above, bound);
            if all.iter().all(|c| c.text != text) {
                let rows = rows(&column, |x| if above { x > bound } else { x < bound });
                all.push(Condition { field, text, kind: u8::from(above), rows });
            }
        }
    }
    for &field in WORDS {
        let Kind::Text(words) = field.kind() else { continue };
        series.column(field, &mut column);
        for (kind, word) in (0u8..).zip(words) {
            let rows = rows(&column, |x| (x - f64::from(kind)).abs() < 0.5);
            all.push(Condition { field, text: format!("{field} == \"{word}\""), kind, rows });
        }
    }
    // What nearly always holds is no condition.
    all.retain(|c| c.rows.len() * 2 < series.len());
    all
}

/// Everything that is tried as a consequence, in a fixed order.
pub(super) fn targets(series: &Series) -> Vec<Target> {
    let (mut all, mut column) = (Vec::new(), Vec::new());
    let mut add = |field, column: &[f32], up, bound: f64, window| {
        let held: Vec<_> = column.iter().map(|x| beyond(*x, up, bound)).collect();
        let memory = memory(&held, LONGEST_MEMORY);
        all.push(Target { field, text: compared(field, up, bound), up, held, window, memory });
    };
    for &(field, up, bound) in RATIOS {
        series.column(field, &mut column);
        add(field, &column, up, bound, 0);
    }
    for &(field, window) in RETURNS {
        series.column(field, &mut column);
        let usual = one_digit(deviation(&column));
        if usual > 0.0 {
            add(field, &column, true, usual, window);
            add(field, &column, false, -usual, window);
        }
    }
    all
}

fn deviation(column: &[f32]) -> f64 {
    let known = || column.iter().filter(|x| x.is_finite()).map(|x| f64::from(*x));
    let n = known().count().max(1) as f64;
    let mean = known().sum::<f64>() / n;
    (known().map(|x| (x - mean) * (x - mean)).sum::<f64>() / n).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn ranks_are_in_the_order_of_the_numbers_and_come_back(a: f32, b: f32) {
            prop_assert_eq!(rank(a).cmp(&rank(b)), a.total_cmp(&b));
            prop_assert_eq!(ranked(rank(a)).to_bits(), a.to_bits());
        }
    }
}
