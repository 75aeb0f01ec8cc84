//! How numbers are written: quickly, since a prompt is made every cycle, and so that none shows a band that was not
//! reached.

use std::fmt::{self, Write};

/// A load or a severity with two decimals, cut and not rounded: 0.899 must not read as a crisis. The small push keeps a
/// sum of decimals at the decimal it stands for.
pub(super) fn two(x: f64) -> Two {
    Two(libm::floor(x * 100.0 + 1e-7) / 100.0)
}

pub(super) struct Two(f64);

impl fmt::Display for Two {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = String::new();
        self.push(&mut text);
        f.write_str(&text)
    }
}

impl Two {
    pub(super) fn push(&self, out: &mut String) {
        push_fixed(self.0, 2, out);
    }
}

/// A number with up to two decimals, rounded. Four times as fast as the general way, which a number too large for this
/// takes.
pub(super) fn push_fixed(x: f64, decimals: usize, out: &mut String) {
    let scale = [1.0, 10.0, 100.0][decimals.min(2)];
    let scaled = libm::rint(x * scale);
    if decimals > 2 || scaled.is_nan() || scaled.abs() >= 1e15 {
        // Writing to a string cannot fail.
        let _done = write!(out, "{x:.decimals$}");
        return;
    }
    if scaled < 0.0 {
        out.push('-');
    }
    let mut left = scaled.abs() as u64;
    let mut digits = [b'0'; 20];
    let mut from = digits.len();
    // At least the decimals and one digit before them.
    while left > 0 || digits.len() - from <= decimals {
        from -= 1;
        digits[from] = b'0' + (left % 10) as u8;
        left /= 10;
    }
    let point = digits.len() - decimals;
    for (i, digit) in digits.iter().enumerate().skip(from) {
        if i == point && decimals > 0 {
            out.push('.');
        }
        out.push(char::from(*digit));
    }
}

/// Ten cells, rounded up: `[##########]` at 0.92.
pub(super) fn bar(severity: f64) -> &'static str {
    const BARS: [&str; 11] = [
        "[..........]",
        "[#.........]",
        "[##........]",
        "[###.......]",
        "[####......]",
        "[#####.....]",
        "[######....]",
        "[#######...]",
        "[########..]",
        "[#########.]",
        "[##########]",
    ];
    let cells = libm::ceil(severity * 10.0 - 1e-9).clamp(0.0, 10.0) as usize;
    BARS.get(cells).copied().unwrap_or(BARS[10])
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn bars_round_up() {
        for (severity, cells) in [(0.0, 0), (0.001, 1), (0.2, 2), (0.21, 3), (0.3, 3), (0.9, 9), (0.92, 10), (1.0, 10)]
        {
            assert_eq!(bar(severity).matches('#').count(), cells, "{severity}");
            assert_eq!(bar(severity).len(), 12);
        }
    }

    #[test]
    fn loads_are_cut_and_not_rounded() {
        for (x, want) in
            [(0.0, "0.00"), (0.899_99, "0.89"), (0.29, "0.29"), (0.1 + 0.2, "0.30"), (1.0, "1.00"), (0.35, "0.35")]
        {
            assert_eq!(two(x).to_string(), want);
        }
    }

    proptest! {
        #[test]
        fn quick_numbers_read_as_the_general_way_writes_them(x in prop_oneof![-1e4..1e4, any::<f64>()], decimals in 0..3_usize) {
            let mut quick = String::new();
            push_fixed(x, decimals, &mut quick);
            let general = format!("{x:.decimals$}");
            // At a half the two may round to different sides.
            let close = match (quick.parse::<f64>(), general.parse::<f64>()) {
                (Ok(a), Ok(b)) if a.is_finite() => (a - b).abs() <= libm::pow(10.0, -(decimals as f64)) * 1.001,
                _ => quick == general,
            };
            prop_assert!(close, "{quick} {general}");
            let after = |text: &str| text.split_once('.').map_or(0, |(_, d)| d.len());
            prop_assert!(!x.is_finite() || after(&quick) == after(&general), "{quick} {general}");
        }
    }
}
