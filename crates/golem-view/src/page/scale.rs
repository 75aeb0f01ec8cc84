//! From numbers to places and to words: an axis with round ticks, in percent of the plot's width or height.

/// How the numbers of a plot are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PlotUnit {
    #[default]
    Plain,
    /// Shares, which people read in percent.
    Percent,
}

/// A span of numbers with round ticks.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct PlotScale {
    low: f64,
    high: f64,
    pub ticks: Vec<f64>,
    step: f64,
    unit: PlotUnit,
}

/// About so many ticks.
const TICKS: f64 = 8.0;

impl PlotScale {
    /// Around these numbers; whatever is not finite is left out, and nothing at all is around 0.
    pub(super) fn around(values: impl Iterator<Item = f64>, unit: PlotUnit) -> Self {
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for value in values.filter(|v| v.is_finite() && v.abs() < 1e300) {
            (low, high) = (low.min(value), high.max(value));
        }
        if low > high {
            (low, high) = (-1.0, 1.0);
        }
        let least: f64 = if unit == PlotUnit::Percent { 1e-6 } else { 1e-9 };
        if high - low < least.max(1e-12 * low.abs()) {
            let pad = (0.5 * low.abs()).max(1.0);
            (low, high) = (low - pad, high + pad);
        }
        let pad = 0.04 * (high - low);
        let (low, high) = (low - pad, high + pad);
        let step = round_step((high - low) / TICKS);
        let first = libm::ceil(low / step);
        let ticks = (0..20).map(|n| (first + f64::from(n)) * step).take_while(|t| *t <= high).collect();
        Self { low, high, ticks, step, unit }
    }

    /// Where a number lies, in percent from the left; what lies outside is at the edge.
    pub(super) fn at(&self, value: f64) -> f64 {
        let place = 100.0 * (value - self.low) / (self.high - self.low);
        if place.is_nan() { 0.0 } else { place.clamp(0.0, 100.0) }
    }

    /// A tick in words.
    pub(super) fn tick(&self, value: f64) -> String {
        // No tick says -0.
        let value = if value.abs() < 0.5 * self.step { 0.0 } else { value };
        match self.unit {
            PlotUnit::Percent => format!("{} %", number(100.0 * value, 100.0 * self.step)),
            PlotUnit::Plain => number(value, self.step),
        }
    }

    /// Lines at the ticks of this axis, as a plot's background.
    pub(super) fn grid(&self, height: f64) -> String {
        let line = |t: &f64| {
            let x = self.at(*t);
            let class = if t.abs() < 0.5 * self.step { "zero" } else { "grid" };
            format!("<line class=\"{class}\" x1=\"{x:.2}\" x2=\"{x:.2}\" y1=\"0\" y2=\"{height}\"/>")
        };
        self.ticks.iter().map(line).collect()
    }

    /// The ticks in words below a plot.
    pub(super) fn foot(&self) -> String {
        let word = |t: &f64| format!("<span style=\"left:{:.2}%\">{}</span>", self.at(*t), self.tick(*t));
        // On a narrow page every second one must do.
        format!("<div class=\"ticks\">{}</div>", self.ticks.iter().map(word).collect::<String>())
    }
}

/// 1, 2 or 5 times a power of ten, at least as large.
fn round_step(least: f64) -> f64 {
    let power = libm::pow(10.0, libm::floor(libm::log10(least)));
    let factor = [1.0, 2.0, 5.0, 10.0].into_iter().find(|f| f * power >= least * 0.999_999).unwrap_or(10.0);
    factor * power
}

/// A number with as many decimals as its step has.
fn number(value: f64, step: f64) -> String {
    let decimals = (-libm::floor(libm::log10(step.abs().max(1e-12)) + 1e-9)).clamp(0.0, 9.0) as usize;
    match value.abs() {
        huge if huge >= 1e7 => format!("{value:.2e}"),
        _ => format!("{value:.decimals$}").replace('-', "\u{2212}"),
    }
}

/// A difference with its sign, to three digits of what it is measured in.
#[must_use]
pub fn signed(value: f64, unit: PlotUnit) -> String {
    let (value, tail) = match unit {
        PlotUnit::Percent => (100.0 * value, " %"),
        PlotUnit::Plain => (value, ""),
    };
    if !value.is_finite() {
        return "?".to_owned();
    }
    let sign = match value {
        v if v > 0.0 => "+",
        v if v < 0.0 => "\u{2212}",
        _ => "",
    };
    let size = value.abs();
    let decimals = match size {
        s if s >= 100.0 => 0,
        s if s >= 10.0 => 1,
        s if s >= 0.01 || s <= 0.0 => 2,
        s if s >= 0.001 => 3,
        s if s >= 0.0001 => 4,
        _ => 6,
    };
    if size >= 1e7 { format!("{sign}{size:.2e}{tail}") } else { format!("{sign}{size:.decimals$}{tail}") }
}
