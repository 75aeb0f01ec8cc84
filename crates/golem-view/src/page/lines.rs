//! Lines over time (or over anything), each with a band around it where one is known.

use super::escape::escaped;
use super::marks::{self, ChartMark, MarkShape};
use super::scale::{PlotScale, PlotUnit};
use std::fmt::Write as _;

/// A chart of lines.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LinePlot {
    pub caption: String,
    /// What runs to the right, such as `days`.
    pub across: String,
    pub unit: PlotUnit,
    /// At most six of them can be told apart.
    pub lines: Vec<PlotLine>,
    /// What happened on the way.
    pub marks: Vec<ChartMark>,
    /// What each shape of mark stands for.
    pub marked: Vec<(MarkShape, String)>,
    /// From where to where it is shown at least, so that plots below each other fit.
    pub extent: Option<(f64, f64)>,
    /// From what to what its axis reaches at least, where numbers have bounds that are said.
    pub reach: Option<(f64, f64)>,
}

/// One line.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PlotLine {
    pub name: String,
    pub points: Vec<PlotPoint>,
}

/// A point, and the band around it.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct PlotPoint {
    pub x: f64,
    pub y: f64,
    /// From and to.
    pub band: Option<(f64, f64)>,
}

/// Colours that can be told apart.
const COLOURS: usize = 6;

impl LinePlot {
    pub(super) fn html(&self) -> String {
        let points = || self.lines.iter().flat_map(|line| &line.points).filter(|p| p.x.is_finite() && p.y.is_finite());
        let heights = points().flat_map(|p| [Some(p.y), p.band.map(|b| b.0), p.band.map(|b| b.1)]).flatten();
        let marks = || self.marks.iter().filter(|m| m.x.is_finite() && m.y.is_finite());
        let extent = self.extent.into_iter().flat_map(|(from, to)| [from, to]);
        let reach = self.reach.into_iter().flat_map(|(low, high)| [low, high]);
        let up = PlotScale::around(heights.chain(marks().map(|m| m.y)).chain(reach), self.unit);
        let places = points().map(|p| p.x).chain(marks().map(|m| m.x)).chain(extent);
        let across = PlotScale::around(places, PlotUnit::Plain);
        let mut out =
            format!("<figure class=\"lines\"><figcaption>{}</figcaption>\n<div class=\"key\">", escaped(&self.caption));
        for (n, line) in self.lines.iter().enumerate() {
            let _infallible = write!(out, "<span class=\"c{}\">{}</span>", n % COLOURS, escaped(&line.name));
        }
        out.extend(self.marked.iter().map(|(shape, words)| shape.key(words)));
        let heights: String = up
            .ticks
            .iter()
            .map(|t| format!("<span style=\"bottom:{:.2}%\">{}</span>", up.at(*t), up.tick(*t)))
            .collect();
        let grid: String = up
            .ticks
            .iter()
            .map(|t| {
                format!("<line class=\"grid\" x1=\"0\" x2=\"100\" y1=\"{0:.2}\" y2=\"{0:.2}\"/>", 100.0 - up.at(*t))
            })
            .collect();
        let _infallible = write!(
            out,
            "</div>\n<div class=\"box\"><div class=\"heights\">{heights}</div><svg viewBox=\"0 0 100 100\" \
             preserveAspectRatio=\"none\" aria-hidden=\"true\">{grid}{}{}</svg>{}{}</div><div class=\"across\">{}</div></figure>",
            self.drawn(|line| line.band(&across, &up)),
            self.drawn(|line| line.path(&across, &up)),
            marks::layer(&self.marks, &across, &up),
            across.foot(),
            escaped(&self.across)
        );
        out
    }

    fn drawn(&self, draw: impl Fn(&PlotLine) -> String) -> String {
        self.lines
            .iter()
            .enumerate()
            .map(|(n, line)| format!("<g class=\"c{}\">{}</g>", n % COLOURS, draw(line)))
            .collect()
    }
}

impl PlotLine {
    /// Pieces of the line without holes: what is not a number leaves one.
    fn pieces(&self) -> impl Iterator<Item = &[PlotPoint]> {
        self.points.split(|p| !(p.x.is_finite() && p.y.is_finite())).filter(|piece| !piece.is_empty())
    }

    fn path(&self, across: &PlotScale, up: &PlotScale) -> String {
        let piece = |piece: &[PlotPoint]| {
            let places = piece.iter().map(|p| format!("{:.2},{:.2}", across.at(p.x), 100.0 - up.at(p.y)));
            format!("<polyline class=\"path\" points=\"{}\"/>", places.collect::<Vec<_>>().join(" "))
        };
        self.pieces().map(piece).collect()
    }

    fn band(&self, across: &PlotScale, up: &PlotScale) -> String {
        let place = |x: f64, y: f64| format!("{:.2},{:.2}", across.at(x), 100.0 - up.at(y));
        let piece = |piece: &[PlotPoint]| {
            let banded = || piece.iter().filter_map(|p| p.band.map(|(low, high)| (p.x, low, high)));
            let there = banded().map(|(x, low, _)| place(x, low));
            let back = banded().map(|(x, _, high)| place(x, high)).collect::<Vec<_>>().into_iter().rev();
            match banded().nth(1) {
                None => String::new(),
                Some(_) => {
                    format!("<polygon class=\"band\" points=\"{}\"/>", there.chain(back).collect::<Vec<_>>().join(" "))
                }
            }
        };
        self.pieces().map(piece).collect()
    }
}
