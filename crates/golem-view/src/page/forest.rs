//! A forest plot: an interval a row on one scale, with the margin within which nothing matters shaded.

use super::escape::escaped;
use super::scale::{PlotScale, PlotUnit, signed};
use std::fmt::Write as _;

/// Intervals on one scale.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ForestPlot {
    pub caption: String,
    pub unit: PlotUnit,
    pub rows: Vec<ForestRow>,
}

/// One interval.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ForestRow {
    /// What rows belong under; told where it changes.
    pub group: String,
    pub label: String,
    pub low: f64,
    pub mean: f64,
    pub high: f64,
    /// Shaded on both sides of 0; none with 0.
    pub margin: f64,
    /// What it says, such as `better`.
    pub note: String,
    pub tone: Tone,
}

/// How a row looks, beside what it says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Tone {
    Good,
    Bad,
    /// Nothing that matters.
    Calm,
    #[default]
    Open,
}

impl Tone {
    fn class(self) -> &'static str {
        match self {
            Self::Good => "good",
            Self::Bad => "bad",
            Self::Calm => "calm",
            Self::Open => "open",
        }
    }
}

const HEIGHT: f64 = 20.0;

impl ForestPlot {
    pub(super) fn html(&self) -> String {
        // One line that nobody can tell anything about must not make points of all others.
        let wide = 8.0 * self.rows.iter().map(|r| r.mean.abs().max(r.margin)).fold(0.0, f64::max);
        let known = self.rows.iter().flat_map(|r| [r.low, r.high]).filter(|v| v.is_finite());
        let ends = known.map(|v| v.max(-wide).min(wide));
        let all = ends.chain(self.rows.iter().flat_map(|r| [r.mean, r.margin, -r.margin, 0.0]));
        let scale = PlotScale::around(all, self.unit);
        let mut out = format!("<figure class=\"forest\"><figcaption>{}</figcaption>\n", escaped(&self.caption));
        let mut group = "";
        for row in &self.rows {
            if row.group != group {
                group = &row.group;
                let _infallible = writeln!(out, "<h3>{}</h3>", escaped(group));
            }
            let _infallible = writeln!(out, "{}", row.html(&scale, self.unit));
        }
        let _infallible = write!(out, "<div class=\"row\"><div></div>{}<div></div></div></figure>", scale.foot());
        out
    }
}

impl ForestRow {
    fn html(&self, scale: &PlotScale, unit: PlotUnit) -> String {
        let known = self.low.is_finite() && self.high.is_finite();
        let said = match known {
            true => format!(
                "{} <small>{} to {}</small>",
                signed(self.mean, unit),
                signed(self.low, unit),
                signed(self.high, unit)
            ),
            false => "<small>no interval yet</small>".to_owned(),
        };
        let (low, high, mean) = (scale.at(self.low), scale.at(self.high), scale.at(self.mean));
        let middle = HEIGHT / 2.0;
        let margin = match self.margin > 0.0 {
            true => {
                let (from, to) = (scale.at(-self.margin), scale.at(self.margin));
                format!(
                    "<rect class=\"margin\" x=\"{from:.2}\" width=\"{:.2}\" y=\"0\" height=\"{HEIGHT}\"/>",
                    to - from
                )
            }
            false => String::new(),
        };
        let whisker = match known {
            true => format!(
                "<line class=\"whisker\" x1=\"{low:.2}\" x2=\"{high:.2}\" y1=\"{middle}\" y2=\"{middle}\"/>\
                 <line class=\"mean\" x1=\"{mean:.2}\" x2=\"{mean:.2}\" y1=\"4\" y2=\"16\"/>"
            ),
            false => String::new(),
        };
        format!(
            "<div class=\"row {}\"><div class=\"label\">{}</div><svg viewBox=\"0 0 100 {HEIGHT}\" preserveAspectRatio=\"none\" \
             aria-hidden=\"true\">{margin}{}{whisker}</svg><div class=\"said\">{said} <b>{}</b></div></div>",
            self.tone.class(),
            escaped(&self.label),
            scale.grid(HEIGHT),
            escaped(&self.note),
        )
    }
}
