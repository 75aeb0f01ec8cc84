//! The course of an account as parts of a page: what it was worth beside what else could have been done, its falls, its phases,
//! and what it did on the price. Whoever writes a report of a life or of a backtest asks here, so that both look the same.

use crate::metrics::{Ratios, Sample};
use crate::money;
use crate::page::{
    ChartMark, LinePlot, MarkShape, PagePart, PageTable, PlotLine, PlotPoint, PlotUnit, RibbonPlot, RibbonSpan, thinned,
};
use crate::time;
use crate::trade::{Totals, Trade, What};
use golem_core::{Timestamp, Usdc};
use golem_mortality::BehavioralPhase;

/// A ratio for a year says nothing of fewer days.
const SHARPE_DAYS: u64 = 14;

/// Points of a line that a chart can show.
const POINTS: usize = 700;
/// Marks that a chart can show; the largest acts are.
const MARKS: usize = 250;
/// Acts that are told in words; the largest are.
const TOLD: usize = 24;

/// An account over time.
#[derive(Debug, Clone, Default)]
pub struct AccountCourse {
    /// What it was worth, from its first moment.
    pub mine: Vec<Sample>,
    /// What else could have been done with the money, by name.
    pub others: Vec<(String, Vec<Sample>)>,
    /// USDC for one ETH.
    pub prices: Vec<(Timestamp, f64)>,
    /// The phase from a moment on.
    pub phases: Vec<(Timestamp, BehavioralPhase)>,
    /// When its life ended, or would have.
    pub ended_at: Option<Timestamp>,
}

impl AccountCourse {
    /// Where it begins.
    #[must_use]
    pub fn from(&self) -> Timestamp {
        self.mine.first().map_or_else(Timestamp::default, |sample| sample.at)
    }

    fn until(&self) -> Timestamp {
        self.mine.last().map_or_else(Timestamp::default, |sample| sample.at)
    }

    /// Days since the beginning.
    fn day(&self, at: Timestamp) -> f64 {
        at.0.saturating_sub(self.from().0) as f64 / 86_400.0
    }

    fn extent(&self) -> Option<(f64, f64)> {
        Some((0.0, self.day(self.until())))
    }

    fn line(&self, name: &str, points: impl Iterator<Item = (Timestamp, f64)>) -> PlotLine {
        let points = points.map(|(at, y)| PlotPoint { x: self.day(at), y, band: None }).collect();
        PlotLine { name: name.to_owned(), points: thinned(points, POINTS) }
    }

    /// All accounts, this one first.
    fn all(&self) -> impl Iterator<Item = (&str, &[Sample])> {
        let others = self.others.iter().map(|(name, samples)| (name.as_str(), &samples[..]));
        std::iter::once(("the golem", &self.mine[..])).chain(others)
    }

    /// What all of them were worth.
    #[must_use]
    pub fn worth(&self, note: &str) -> PagePart {
        let lines = self.all().map(|(name, samples)| self.line(name, samples.iter().map(|s| (s.at, s.worth.as_f64()))));
        PagePart::Lines(LinePlot {
            caption: format!("Worth in USDC.{}{note}", if note.is_empty() { "" } else { " " }),
            across: self.across(),
            lines: lines.collect(),
            marks: self.end_mark(&self.mine.iter().map(|s| (s.at, s.worth.as_f64())).collect::<Vec<_>>()),
            marked: self.end_key(),
            extent: self.extent(),
            ..LinePlot::default()
        })
    }

    /// How far each lay below its highest point so far.
    #[must_use]
    pub fn drawdown(&self) -> PagePart {
        let falls = |samples: &[Sample]| {
            let mut peak = Usdc::ZERO;
            let below = |s: &Sample| {
                peak = peak.max(s.worth);
                (s.at, if peak == Usdc::ZERO { 0.0 } else { s.worth.0 as f64 / peak.0 as f64 - 1.0 })
            };
            samples.iter().map(below).collect::<Vec<_>>()
        };
        let lines = self.all().map(|(name, samples)| self.line(name, falls(samples).into_iter()));
        PagePart::Lines(LinePlot {
            caption: "Drawdown: how far each lay below its highest worth so far.".to_owned(),
            across: self.across(),
            unit: PlotUnit::Percent,
            lines: lines.collect(),
            extent: self.extent(),
            ..LinePlot::default()
        })
    }

    /// The phases that it went through; nothing where they are not known.
    #[must_use]
    pub fn phases(&self) -> Option<PagePart> {
        let mut spans: Vec<RibbonSpan> = Vec::new();
        let ends = self.phases.iter().skip(1).map(|(at, _)| *at).chain([self.ended_at.unwrap_or(self.until())]);
        for ((from, phase), to) in self.phases.iter().zip(ends) {
            let (from, to, kind) =
                (self.day(*from), self.day(to), BehavioralPhase::Thriving as usize - *phase as usize);
            match spans.last_mut() {
                Some(last) if last.kind == kind => last.to = to.max(last.to),
                _ => spans.push(RibbonSpan { from, to: to.max(from), kind }),
            }
        }
        if spans.is_empty() {
            return None;
        }
        Some(PagePart::Ribbon(RibbonPlot {
            caption: "Phases, and their share of the time.".to_owned(),
            across: self.across(),
            kinds: BehavioralPhase::ALL.iter().rev().map(|phase| phase.name().to_owned()).collect(),
            spans,
            extent: self.extent(),
        }))
    }

    /// How each ended, in figures.
    #[must_use]
    pub fn table(&self) -> PagePart {
        let row = |(name, samples): (&str, &[Sample])| {
            let (ratios, end) = (Ratios::of(samples), samples.last().map_or(Usdc::ZERO, |s| s.worth));
            let figure = |x: Option<f64>| x.map_or_else(|| "-".to_owned(), |x| format!("{x:.2}"));
            let (change, fall) = (money::change(ratios.change), money::percent(ratios.depth()));
            let sharpe = ratios.sharpe.filter(|_| ratios.days >= SHARPE_DAYS);
            vec![name.to_owned(), money::usdc(end), change, fall, figure(sharpe)]
        };
        PagePart::Table(PageTable {
            caption: String::new(),
            head: ["account", "USDC at the end", "change", "deepest fall", "Sharpe"].map(str::to_owned).to_vec(),
            rows: self.all().map(row).collect(),
        })
    }

    /// What it did, on the price, with its largest acts in words.
    #[must_use]
    pub fn trades(&self, trades: &[Trade]) -> Vec<PagePart> {
        let done: Vec<&Trade> = trades.iter().filter(|t| t.is_done()).collect();
        let shown = largest(&done, MARKS);
        let mark = |t: &&Trade| {
            let y = t.price.filter(|p| p.is_finite()).or_else(|| at(&self.prices, t.at))?;
            let words = format!("{}: {}", time::moment(t.at), t.sentence());
            Some(ChartMark { x: self.day(t.at), y, shape: shape(t.what), words })
        };
        let mut marks: Vec<ChartMark> = shown.iter().filter_map(mark).collect();
        let mut marked: Vec<(MarkShape, String)> = Vec::new();
        for (shape, words) in [(MarkShape::Up, "bought"), (MarkShape::Down, "sold"), (MarkShape::Dot, "in the pool")] {
            if marks.iter().any(|mark| mark.shape == shape) {
                marked.push((shape, words.to_owned()));
            }
        }
        marks.extend(self.end_mark(&self.prices));
        marked.extend(self.end_key());
        let few = match done.len() {
            n if n > MARKS => format!(" The largest {MARKS} of {n} acts are marked."),
            _ => String::new(),
        };
        let mut parts = vec![PagePart::Lines(LinePlot {
            caption: format!("Price of ETH in USDC, and what it did.{few}"),
            across: self.across(),
            lines: vec![self.line("price", self.prices.iter().copied())],
            marks,
            marked,
            extent: self.extent(),
            ..LinePlot::default()
        })];
        parts.push(PagePart::Facts(totals(trades)));
        if !done.is_empty() {
            parts.push(PagePart::Table(told(&done)));
        }
        parts
    }

    fn across(&self) -> String {
        format!("days since {}", time::moment(self.from()))
    }

    fn end_mark(&self, line: &[(Timestamp, f64)]) -> Vec<ChartMark> {
        let mark = |ended: Timestamp| {
            let words = format!("{}: it died", time::moment(ended));
            Some(ChartMark { x: self.day(ended), y: at(line, ended)?, shape: MarkShape::Cross, words })
        };
        self.ended_at.and_then(mark).into_iter().collect()
    }

    fn end_key(&self) -> Vec<(MarkShape, String)> {
        self.ended_at.map(|_| (MarkShape::Cross, "died".to_owned())).into_iter().collect()
    }
}

/// The last value at or before a moment, or the first one.
fn at(line: &[(Timestamp, f64)], moment: Timestamp) -> Option<f64> {
    let after = line.partition_point(|(at, _)| *at <= moment);
    line.get(after.saturating_sub(1)).map(|(_, value)| *value)
}

fn shape(what: What) -> MarkShape {
    match what {
        What::Buy => MarkShape::Up,
        What::Sell => MarkShape::Down,
        What::Add | What::Remove | What::Collect | What::Move => MarkShape::Dot,
    }
}

/// The acts that moved most, in the order in which they happened.
fn largest<'a>(all: &[&'a Trade], most: usize) -> Vec<&'a Trade> {
    let mut order: Vec<(u64, usize)> = all.iter().enumerate().map(|(n, t)| (size(t), n)).collect();
    order.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
    order.truncate(most);
    order.sort_by_key(|(_, n)| *n);
    order.into_iter().filter_map(|(_, n)| all.get(n).copied()).collect()
}

/// How much money an act moved.
fn size(trade: &Trade) -> u64 {
    let asset = trade.price.map_or(0.0, |p| (trade.asset as f64 / 1e18 * p * 1e6).abs());
    trade.usdc.0.unsigned_abs().max(if asset.is_finite() { asset as u64 } else { 0 })
}

fn totals(trades: &[Trade]) -> Vec<(String, String)> {
    let sums = Totals::of(trades);
    [
        ("acts", format!("{} carried out, {} refused", sums.done, sums.refused)),
        ("closed, gas in the cost", format!("{} USDC", money::signed(sums.profit))),
        ("fees earned", format!("{} USDC", money::usdc(sums.fee_earned))),
        ("fees paid to the pool", format!("{} USDC", money::usdc(sums.fee_paid))),
        ("gas", format!("{} USDC", money::usdc(sums.gas))),
    ]
    .map(|(name, what)| (name.to_owned(), what))
    .to_vec()
}

fn told(done: &[&Trade]) -> PageTable {
    let row = |t: &&Trade| vec![time::moment(t.at), t.sentence(), t.why.clone(), t.aftermath()];
    let caption = match done.len() {
        n if n > TOLD => format!("Its {TOLD} largest acts of {n}."),
        _ => "Every act.".to_owned(),
    };
    PageTable {
        caption,
        head: ["when", "what", "why", "what came of it"].map(str::to_owned).to_vec(),
        rows: largest(done, TOLD).iter().map(row).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn course() -> AccountCourse {
        let at = |day: i64| Timestamp(1_767_225_600 + day * 86_400);
        let samples = |worths: &[u64]| -> Vec<Sample> {
            worths.iter().zip(0..).map(|(w, day)| Sample { at: at(day), worth: Usdc(w * 1_000_000) }).collect()
        };
        AccountCourse {
            mine: samples(&[100, 120, 60, 90]),
            others: vec![("hold USDC".to_owned(), samples(&[100, 99, 98, 97]))],
            prices: (0..4).map(|day| (at(day), 2_000.0 + 10.0 * day as f64)).collect(),
            phases: vec![
                (at(0), BehavioralPhase::Thriving),
                (at(1), BehavioralPhase::Thriving),
                (at(2), BehavioralPhase::Terminal),
            ],
            ended_at: Some(at(3)),
        }
    }

    fn lines(part: PagePart) -> LinePlot {
        match part {
            PagePart::Lines(plot) => plot,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_fall_is_measured_from_the_highest_point_so_far() {
        let plot = lines(course().drawdown());
        let mine: Vec<f64> = plot.lines[0].points.iter().map(|p| p.y).collect();
        assert_eq!(mine, [0.0, 0.0, -0.5, -0.25]);
        assert_eq!(plot.lines[1].name, "hold USDC");
    }

    #[test]
    fn stretches_of_one_phase_are_one_and_end_with_the_life() {
        let Some(PagePart::Ribbon(ribbon)) = course().phases() else { panic!("no ribbon") };
        let told: Vec<(f64, f64, &str)> =
            ribbon.spans.iter().map(|s| (s.from, s.to, ribbon.kinds[s.kind].as_str())).collect();
        assert_eq!(told, [(0.0, 2.0, "thriving"), (2.0, 3.0, "terminal")]);
        assert!(AccountCourse::default().phases().is_none());
    }

    #[test]
    fn the_end_is_marked_where_the_line_is() {
        let plot = lines(course().worth(""));
        assert_eq!(plot.marks.len(), 1);
        assert!((plot.marks[0].y - 90.0).abs() < 1e-9 && (plot.marks[0].x - 3.0).abs() < 1e-9);
        // An account that was never looked at has a page too.
        let nobody = AccountCourse::default();
        let mut page = crate::page::ReportPage::new("nobody", "");
        page.add(nobody.worth("")).add(nobody.drawdown()).add(nobody.table());
        page.parts.extend(nobody.trades(&[]));
        assert!(!page.html().contains("NaN"));
    }
}
