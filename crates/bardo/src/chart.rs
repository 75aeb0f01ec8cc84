//! Small charts for a terminal: one line of blocks, or a few rows with an axis.

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

/// A chart of `rows` lines with its least and greatest value at the left.
pub fn chart(values: &[f64], width: usize, rows: usize) -> Vec<String> {
    let columns = columns(values, width);
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
    let decimals = if x.abs() < 1e3 { 3 } else { 0 };
    format!("{x:>9.decimals$}")
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
    fn any_series_can_be_drawn() {
        for values in [vec![], vec![f64::NAN], vec![0.5], vec![1.0; 1000], (0..500).map(f64::from).collect::<Vec<_>>()]
        {
            for (width, rows) in [(0, 3), (1, 1), (60, 4), (2000, 2)] {
                let lines = chart(&values, width, rows);
                assert!(lines.iter().all(|l| l.chars().count() <= 11 + width.max(10)), "{lines:?}");
            }
        }
        assert_eq!(bar(0.92), "█████████░");
    }
}
