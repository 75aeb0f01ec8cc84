//! Lines over time in dots of Braille, marks on them, and bars: all of them drawn by what they are given, whatever it is.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

/// Columns for the numbers beside a plot.
const LABELS: u16 = 8;

/// A mark over a plot.
#[derive(Debug, Clone, PartialEq)]
pub struct PlotMark {
    pub x: f64,
    pub y: f64,
    pub symbol: char,
    pub style: Style,
}

/// A line over time with its scale.
pub struct TermPlot<'a> {
    pub points: &'a [(f64, f64)],
    pub style: Style,
    pub marks: &'a [PlotMark],
    /// The range of values; from the points where none is given.
    pub range: Option<(f64, f64)>,
    /// A number beside the plot.
    pub label: &'a dyn Fn(f64) -> String,
}

impl TermPlot<'_> {
    pub fn draw(&self, area: Rect, buf: &mut Buffer, dim: Style) {
        let area = area.intersection(buf.area);
        if area.width <= LABELS + 2 || area.height == 0 {
            return;
        }
        let field = Rect { x: area.x + LABELS, width: area.width - LABELS, ..area };
        let real: Vec<(f64, f64)> =
            self.points.iter().copied().filter(|(x, y)| x.is_finite() && y.is_finite()).collect();
        let (Some((x0, _)), Some((x1, _))) = (real.first(), real.last()) else {
            buf.set_stringn(field.x, field.y, "nothing on record yet", usize::from(field.width), dim);
            return;
        };
        let (low, high) = self.range.unwrap_or_else(|| spread(&real));
        let scale = TermScale { field, x0: *x0, x1: *x1, low, high };
        scale.line(&real, buf, self.style);
        for mark in self.marks {
            if let Some((x, y)) = scale.cell(mark.x, mark.y) {
                buf[(x, y)].set_char(mark.symbol).set_style(mark.style);
            }
        }
        for (value, y) in [(high, field.y), (low, field.bottom() - 1)] {
            let text = (self.label)(value);
            let text: String = text.chars().take(usize::from(LABELS) - 1).collect();
            buf.set_string(area.x, y, format!("{text:>7}"), dim);
            if field.height == 1 {
                break;
            }
        }
    }
}

/// The range of some values, never empty.
fn spread(points: &[(f64, f64)]) -> (f64, f64) {
    let low = points.iter().map(|p| p.1).fold(f64::INFINITY, f64::min);
    let high = points.iter().map(|p| p.1).fold(f64::NEG_INFINITY, f64::max);
    if high - low > high.abs() * 1e-6 {
        (low, high)
    } else {
        (low - 0.5 * low.abs().max(1e-6), high + 0.5 * high.abs().max(1e-6))
    }
}

struct TermScale {
    field: Rect,
    x0: f64,
    x1: f64,
    low: f64,
    high: f64,
}

impl TermScale {
    /// A point in dots: two to a column, four to a row.
    fn dot(&self, x: f64, y: f64) -> Option<(usize, usize)> {
        let (w, h) = (f64::from(self.field.width) * 2.0 - 1.0, f64::from(self.field.height) * 4.0 - 1.0);
        let across = if self.x1 > self.x0 { (x - self.x0) / (self.x1 - self.x0) } else { 1.0 };
        let up = if self.high > self.low { (y - self.low) / (self.high - self.low) } else { 0.5 };
        if !across.is_finite() || !up.is_finite() || !(-1e-9..=1.000_001).contains(&across) {
            return None;
        }
        let up = up.clamp(0.0, 1.0);
        Some(((across.clamp(0.0, 1.0) * w).round() as usize, ((1.0 - up) * h).round() as usize))
    }
    fn cell(&self, x: f64, y: f64) -> Option<(u16, u16)> {
        let (dx, dy) = self.dot(x, y)?;
        Some((self.field.x + (dx / 2) as u16, self.field.y + (dy / 4) as u16))
    }
    fn line(&self, points: &[(f64, f64)], buf: &mut Buffer, style: Style) {
        /// The bits of a cell of Braille, by column and row.
        const BITS: [[u32; 4]; 2] = [[0x01, 0x02, 0x04, 0x40], [0x08, 0x10, 0x20, 0x80]];
        let (w, h) = (usize::from(self.field.width), usize::from(self.field.height));
        let mut cells = vec![0_u32; w * h];
        let mut dot = |x: usize, y: usize| {
            if let Some(cell) = cells.get_mut((y / 4) * w + x / 2).filter(|_| x / 2 < w) {
                *cell |= BITS[x % 2][y % 4];
            }
        };
        let mut before: Option<(usize, usize)> = None;
        for (x, y) in points.iter().filter_map(|(x, y)| self.dot(*x, *y)) {
            let (bx, by) = before.unwrap_or((x, y));
            let steps = x.abs_diff(bx).max(y.abs_diff(by)).max(1);
            for n in 0..=steps {
                let at =
                    |a: usize, b: usize| (a as f64 + (b as f64 - a as f64) * n as f64 / steps as f64).round() as usize;
                dot(at(bx, x), at(by, y));
            }
            before = Some((x, y));
        }
        for (n, bits) in cells.into_iter().enumerate().filter(|(_, bits)| *bits != 0) {
            let (x, y) = (self.field.x + (n % w) as u16, self.field.y + (n / w) as u16);
            if let Some(symbol) = char::from_u32(0x2800 + bits) {
                buf[(x, y)].set_char(symbol).set_style(style);
            }
        }
    }
}

/// Values as a row of small bars, each the mean of its stretch; on a scale from 0 to 1.
pub fn sparks(values: &[f64], width: usize) -> String {
    const STEPS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    stretches(values.len(), width)
        .map(|(from, to)| {
            let some = &values[from..to];
            let mean = some.iter().sum::<f64>() / some.len().max(1) as f64;
            STEPS[((mean.clamp(0.0, 1.0) * 7.0).round() as usize).min(7)]
        })
        .collect()
}

/// So many stretches of so many things, in order; fewer where there are fewer things.
pub fn stretches(count: usize, width: usize) -> impl Iterator<Item = (usize, usize)> {
    let width = width.min(count);
    (0..width).map(move |n| (n * count / width, ((n + 1) * count / width).max(n * count / width + 1)))
}

/// A bar of so many columns.
pub fn bar(share: f64, width: usize) -> String {
    let share = if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 };
    let full = (share * width as f64).round() as usize;
    format!("{}{}", "█".repeat(full.min(width)), "░".repeat(width.saturating_sub(full)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sparks_rise_with_what_they_show() {
        let rising: Vec<f64> = (0..100).map(|n| f64::from(n) / 99.0).collect();
        assert_eq!(sparks(&rising, 8), "▁▂▃▄▅▆▇█");
        assert_eq!(sparks(&[], 8), "");
        assert_eq!(sparks(&[f64::NAN, 2.0, -1.0], 3), "▁█▁");
        assert_eq!(bar(0.5, 10), "█████░░░░░");
        assert_eq!(bar(f64::NAN, 3), "░░░");
    }

    #[test]
    fn a_plot_goes_from_corner_to_corner_with_its_marks() {
        let area = Rect { x: 0, y: 0, width: 28, height: 4 };
        let mut buf = Buffer::empty(area);
        let points: Vec<(f64, f64)> = (0..=10).map(|n| (f64::from(n), f64::from(n))).collect();
        let marks = [PlotMark { x: 5.0, y: 5.0, symbol: '†', style: Style::new() }];
        let label = |v: f64| format!("{v:.1}");
        TermPlot { points: &points, style: Style::new(), marks: &marks, range: None, label: &label }.draw(
            area,
            &mut buf,
            Style::new(),
        );
        let row = |y: u16| (0..28).map(|x| buf[(x, y)].symbol()).collect::<String>();
        assert!(row(0).starts_with("   10.0") && row(3).starts_with("    0.0"), "{:?} {:?}", row(0), row(3));
        assert!(row(0).ends_with(|c: char| c > '\u{2800}') && row(3).chars().nth(8).is_some_and(|c| c > '\u{2800}'));
        assert!((0..4).any(|y| row(y).contains('†')));
    }

    #[test]
    fn nothing_that_it_is_given_breaks_it() {
        let label = |v: f64| format!("{v}");
        for (w, h) in [(0, 0), (1, 1), (9, 3), (11, 1), (40, 10)] {
            for points in [
                vec![],
                vec![(0.0, 1.0)],
                vec![(1.0, f64::NAN), (f64::INFINITY, 2.0)],
                vec![(2.0, 1e300), (1.0, -1e300)],
            ] {
                let area = Rect { x: 0, y: 0, width: w, height: h };
                let mut buf = Buffer::empty(area);
                let marks = [PlotMark { x: f64::NAN, y: 1.0, symbol: 'x', style: Style::new() }];
                TermPlot { points: &points, style: Style::new(), marks: &marks, range: None, label: &label }.draw(
                    area,
                    &mut buf,
                    Style::new(),
                );
            }
        }
    }
}
