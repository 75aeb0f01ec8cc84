//! Small charts for a terminal: one line of blocks, or a few rows with an axis.

/// The most columns of a chart, its axis included: with an indent of two it fits into 60.
const WIDEST: usize = 58;
/// Columns of the axis: nine of a number, a blank and a tick.
const AXIS: usize = 11;

const BLOCKS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// Squeeze a series into so many columns by the mean of each; empty for an empty series.
fn columns(values: &[f64], width: usize) -> Vec<f64> {
    let finite: Vec<f64> = values.iter().copied().filter(|v| v.is_finite()).collect();
    if finite.is_empty() || width == 0 {
        return Vec::new();
    }
    let width = width.min(finite.len());
    (0..width)
        .map(|i| {
            let part =
                &finite[i * finite.len() / width..((i + 1) * finite.len() / width).max(i * finite.len() / width + 1)];
            part.iter().sum::<f64>() / part.len() as f64
        })
        .collect()
}

/// A chart of `rows` lines with its least and greatest value at the left, of at most `width` columns and never wider than
/// a narrow terminal.
pub fn chart(values: &[f64], width: usize, rows: usize) -> Vec<String> {
    let columns = columns(values, width.min(WIDEST - AXIS));
    let (Some(low), Some(high)) =
        (columns.iter().copied().min_by(f64::total_cmp), columns.iter().copied().max_by(f64::total_cmp))
    else {
        return vec!["(nothing recorded)".to_owned()];
    };
    let span = if high - low > 1e-12 { high - low } else { 1.0 };
    let levels = rows * 8;
    let heights: Vec<usize> = columns
        .iter()
        .map(|v| (((v - low) / span * (levels - 1) as f64).round() as usize).min(levels - 1) + 1)
        .collect();
    (0..rows)
        .rev()
        .map(|row| {
            let label = match row {
                r if r == rows - 1 => label(high),
                0 => label(low),
                _ => " ".repeat(9),
            };
            let cells: String = heights
                .iter()
                .map(|h| match h.saturating_sub(row * 8) {
                    0 => ' ',
                    n => BLOCKS[n.min(8) - 1],
                })
                .collect();
            format!("{label} ┤{cells}")
        })
        .collect()
}

/// Nine characters, with as many decimals as fit.
fn label(x: f64) -> String {
    match x.abs() {
        small if small < 1e3 => format!("{x:>9.3}"),
        large if large < 9e7 => format!("{x:>9.0}"),
        huge if huge < 9e13 => format!("{:>8.0}M", x / 1e6),
        _ => format!("{:>9}", "beyond"),
    }
}

/// A ten-cell bar of a fraction.
pub fn bar(x: f64) -> String {
    let cells = (x.clamp(0.0, 1.0) * 10.0).round() as usize;
    format!("{}{}", "█".repeat(cells), "░".repeat(10 - cells))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_series_can_be_drawn_and_fits() {
        let wild = vec![-1e18, 3.0, 7.5e9, f64::INFINITY, -12_345_678.0];
        let many = (0..500).map(f64::from).collect::<Vec<_>>();
        for values in [vec![], vec![f64::NAN], vec![0.5], vec![1.0; 1000], many, wild] {
            for (width, rows) in [(0, 3), (1, 1), (60, 4), (2000, 2)] {
                let lines = chart(&values, width, rows);
                assert!(lines.iter().all(|l| l.chars().count() <= WIDEST), "{lines:?}");
            }
        }
        assert_eq!(bar(0.92), "█████████░");
    }
}
