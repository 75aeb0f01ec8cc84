//! A ribbon: what held from when until when, as one strip of colours with its legend. It can stand below charts and fit them.

use super::escape::escaped;
use super::scale::{PlotScale, PlotUnit};
use std::fmt::Write as _;

/// Stretches of something, one after the other.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RibbonPlot {
    pub caption: String,
    /// What runs to the right, such as `days`.
    pub across: String,
    /// What there can be, in the order of the legend.
    pub kinds: Vec<String>,
    pub spans: Vec<RibbonSpan>,
    /// From where to where it is shown at least, so that plots below each other fit.
    pub extent: Option<(f64, f64)>,
}

/// One stretch.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct RibbonSpan {
    pub from: f64,
    pub to: f64,
    /// Which of the kinds.
    pub kind: usize,
}

/// Colours of a ribbon.
const COLOURS: usize = 6;
const HEIGHT: f64 = 20.0;

impl RibbonPlot {
    pub(super) fn html(&self) -> String {
        let known = |span: &&RibbonSpan| span.from.is_finite() && span.to.is_finite() && span.to >= span.from;
        let ends = self.spans.iter().filter(known).flat_map(|span| [span.from, span.to]);
        let extent = self.extent.into_iter().flat_map(|(from, to)| [from, to]);
        let scale = PlotScale::around(ends.chain(extent), PlotUnit::Plain);
        let mut out = format!(
            "<figure class=\"lines ribbon\"><figcaption>{}</figcaption>\n<div class=\"key\">",
            escaped(&self.caption)
        );
        let all: f64 = self.spans.iter().filter(known).map(|span| span.to - span.from).sum();
        for (n, kind) in self.kinds.iter().enumerate() {
            let held: f64 = self.spans.iter().filter(known).filter(|s| s.kind == n).map(|s| s.to - s.from).sum();
            // What never was need not be told apart.
            if held > 0.0 && all.is_finite() {
                let share = 100.0 * (held / all);
                let told = if share > 0.0 && share < 1.0 { "&lt; 1".to_owned() } else { format!("{share:.0}") };
                let _infallible = write!(out, "<span class=\"r{}\">{} {told} %</span>", n % COLOURS, escaped(kind));
            }
        }
        let rect = |span: &RibbonSpan| {
            let (from, to) = (scale.at(span.from), scale.at(span.to));
            let kind = span.kind % COLOURS;
            format!("<rect class=\"r{kind}\" x=\"{from:.2}\" width=\"{:.2}\" y=\"0\" height=\"{HEIGHT}\"/>", to - from)
        };
        let _infallible = write!(
            out,
            "</div>\n<div class=\"box\"><svg viewBox=\"0 0 100 {HEIGHT}\" preserveAspectRatio=\"none\" aria-hidden=\"true\">{}</svg>{}\
             </div><div class=\"across\">{}</div></figure>",
            self.spans.iter().filter(known).map(rect).collect::<String>(),
            scale.foot(),
            escaped(&self.across)
        );
        out
    }
}
