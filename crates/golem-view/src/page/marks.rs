//! Marks on a chart: small figures at a place, each with words for whoever points at it. They stand over the plot as text, so
//! that they keep their shape however wide it is drawn, and shape says what colour says.

use super::escape::escaped;
use super::scale::PlotScale;

/// Something that happened at a place of a chart.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ChartMark {
    pub x: f64,
    pub y: f64,
    pub shape: MarkShape,
    /// What happened there.
    pub words: String,
}

/// What a mark looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum MarkShape {
    /// Something more of what the chart shows.
    Up,
    /// Something less of it.
    Down,
    /// Something beside it.
    #[default]
    Dot,
    /// The end.
    Cross,
}

impl MarkShape {
    fn class(self) -> &'static str {
        match self {
            Self::Up => "up",
            Self::Down => "down",
            Self::Dot => "dot",
            Self::Cross => "cross",
        }
    }
    fn figure(self) -> &'static str {
        match self {
            Self::Up => "▲",
            Self::Down => "▼",
            Self::Dot => "◆",
            Self::Cross => "†",
        }
    }
    /// As it stands in the legend.
    pub(super) fn key(self, words: &str) -> String {
        format!("<span class=\"marked {}\"><b>{}</b> {}</span>", self.class(), self.figure(), escaped(words))
    }
}

/// All marks over a plot; what is not a number has no place.
pub(super) fn layer(marks: &[ChartMark], across: &PlotScale, up: &PlotScale) -> String {
    if marks.is_empty() {
        return String::new();
    }
    let one = |mark: &ChartMark| {
        let words = escaped(&mark.words);
        format!(
            "<span class=\"mark {}\" style=\"left:{:.2}%;bottom:{:.2}%\" title=\"{words}\">{}</span>",
            mark.shape.class(),
            across.at(mark.x),
            up.at(mark.y),
            mark.shape.figure()
        )
    };
    let placed = marks.iter().filter(|mark| mark.x.is_finite() && mark.y.is_finite());
    format!("<div class=\"marks\" aria-hidden=\"true\">{}</div>", placed.map(one).collect::<String>())
}
