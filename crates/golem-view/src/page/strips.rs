//! Strips: every single difference as a thin mark, so that a mean is seen with what it is the mean of.

use super::escape::escaped;
use super::scale::{PlotScale, PlotUnit, signed};
use std::fmt::Write as _;

/// Distributions on one scale.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct StripPlot {
    pub caption: String,
    pub unit: PlotUnit,
    pub rows: Vec<StripRow>,
}

/// One distribution.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct StripRow {
    pub label: String,
    pub values: Vec<f64>,
}

const HEIGHT: f64 = 20.0;

impl StripPlot {
    pub(super) fn html(&self) -> String {
        let scale = PlotScale::around(self.rows.iter().flat_map(|r| r.values.iter().copied()).chain([0.0]), self.unit);
        let mut out = format!("<figure class=\"strips\"><figcaption>{}</figcaption>\n", escaped(&self.caption));
        for row in &self.rows {
            let _infallible = writeln!(out, "{}", row.html(&scale, self.unit));
        }
        let _infallible = write!(out, "<div class=\"row\"><div></div>{}<div></div></div></figure>", scale.foot());
        out
    }
}

impl StripRow {
    fn html(&self, scale: &PlotScale, unit: PlotUnit) -> String {
        let mut known: Vec<f64> = self.values.iter().copied().filter(|v| v.is_finite()).collect();
        known.sort_by(f64::total_cmp);
        let mark = |class: &str, value: f64, from: f64, to: f64| {
            let x = scale.at(value);
            format!("<line class=\"{class}\" x1=\"{x:.2}\" x2=\"{x:.2}\" y1=\"{from}\" y2=\"{to}\"/>")
        };
        let marks: String = known.iter().map(|v| mark("each", *v, 4.0, 16.0)).collect();
        let (mean, said) = match known.len() {
            0 => (String::new(), "nothing".to_owned()),
            n => {
                let mean = known.iter().sum::<f64>() / n as f64;
                let middle = (known[(n - 1) / 2] + known[n / 2]) / 2.0;
                let said = format!("mean {} <small>median {}, n {n}</small>", signed(mean, unit), signed(middle, unit));
                (mark("mean", mean, 0.0, HEIGHT), said)
            }
        };
        format!(
            "<div class=\"row\"><div class=\"label\">{}</div><svg viewBox=\"0 0 100 {HEIGHT}\" preserveAspectRatio=\"none\" \
             aria-hidden=\"true\">{}{marks}{mean}</svg><div class=\"said\">{said}</div></div>",
            escaped(&self.label),
            scale.grid(HEIGHT),
        )
    }
}
