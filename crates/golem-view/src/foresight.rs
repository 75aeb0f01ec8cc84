//! What was foretold and what came, as parts of a page.

use crate::money;
use crate::page::{LinePlot, PagePart, PageTable, PlotLine, PlotPoint, PlotUnit};
use golem_mind::{Prediction, Scores};
use golem_mortality::Domain;

/// Predictions of a domain that a chart shows, and how many it takes.
const SHOWN: usize = 60;
const LEAST: usize = 4;

/// Scores by domain, and each domain's forecasts with their intervals beside what came. The newest settled ones come first.
#[must_use]
pub fn foretold(scores: &[Scores], settled: &[Prediction]) -> Vec<PagePart> {
    let scores: Vec<&Scores> = scores.iter().filter(|s| s.settled > 0).collect();
    if scores.is_empty() {
        return Vec::new();
    }
    let mut parts = vec![PagePart::Heading("What it foretold".to_owned()), PagePart::Table(table(&scores))];
    for scores in scores {
        parts.extend(chart(settled, scores.domain));
    }
    parts
}

fn table(scores: &[&Scores]) -> PageTable {
    let percent = |x: Option<f64>| x.map_or_else(|| "-".to_owned(), |x| format!("{:.0} %", x * 100.0));
    let saved =
        |x: Option<f64>| x.map_or_else(|| "-".to_owned(), |x| format!("{:+.1} %", x * 100.0).replace('-', "\u{2212}"));
    let row = |s: &&Scores| {
        let name = said(s.domain);
        vec![
            name,
            money::grouped(u128::from(s.settled)),
            percent(s.hit_rate),
            percent(s.coverage),
            saved(s.skill),
            saved(s.overall),
        ]
    };
    PageTable {
        caption: "Hits: the class (such as up, down or flat) was right. Inside: it came to lie within the interval, which is meant \
                  four times in five. Skill: the share of the naive rule's loss that was saved, in the last five days and since birth."
            .to_owned(),
        head: ["domain", "settled", "hits", "inside", "skill now", "skill in all"].map(str::to_owned).to_vec(),
        rows: scores.iter().map(row).collect(),
    }
}

fn said(domain: Domain) -> String {
    domain.name().replace('_', " ")
}

fn chart(settled: &[Prediction], domain: Domain) -> Option<PagePart> {
    let settled = settled.iter().filter(|p| p.domain == domain && p.interval.is_some());
    let mut shown: Vec<(&Prediction, f64)> = settled.filter_map(|p| Some((p, p.came?.actual))).take(SHOWN).collect();
    if shown.len() < LEAST {
        return None;
    }
    shown.reverse();
    let day = |p: &Prediction| p.due.age().as_days();
    let foretold = |(p, _): &(&Prediction, f64)| {
        let band = p.interval.map(|[low, high]| (low, high));
        PlotPoint { x: day(p), y: p.predicted, band }
    };
    let came = |(p, actual): &(&Prediction, f64)| PlotPoint { x: day(p), y: *actual, band: None };
    let inside = shown.iter().filter(|(p, actual)| p.holds(*actual) == Some(true)).count();
    let (what, unit) = measured(domain);
    Some(PagePart::Lines(LinePlot {
        caption: format!(
            "{}: {what}. Its last {} forecasts that are kept, with their intervals; {inside} came to lie inside.",
            crate::story::capital(&said(domain)),
            shown.len()
        ),
        across: "age in days when it fell due".to_owned(),
        unit,
        lines: vec![
            PlotLine { name: "foretold".to_owned(), points: shown.iter().map(foretold).collect() },
            PlotLine { name: "came".to_owned(), points: shown.iter().map(came).collect() },
        ],
        ..LinePlot::default()
    }))
}

/// What the numbers of a domain are.
fn measured(domain: Domain) -> (&'static str, PlotUnit) {
    match domain {
        Domain::PriceDirection => ("how far the price moves", PlotUnit::Percent),
        Domain::VolatilityRegime => ("logarithm of how much it moves about", PlotUnit::Plain),
        Domain::YieldTrend => ("logarithm of the pool's yield", PlotUnit::Plain),
        Domain::GasCondition => ("logarithm of the gas price", PlotUnit::Plain),
        Domain::ProtocolState => ("chance of a normal state", PlotUnit::Percent),
        Domain::ActionOutcome => ("what its own acts bring, in basis points", PlotUnit::Plain),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use golem_core::VirtualTime;
    use golem_mind::forecast::PredictionOutcome;

    fn settled(hour: u64, actual: f64) -> Prediction {
        let due = VirtualTime(hour * 3_600_000);
        let came = PredictionOutcome { at: due, actual, loss: 0.0, naive_loss: 0.0, hit: true, inside: None };
        let (interval, made) = (Some([-0.01, 0.01]), VirtualTime((hour - 1) * 3_600_000));
        Prediction { domain: Domain::PriceDirection, made, due, predicted: 0.0, interval, naive: 0.0, came: Some(came) }
    }

    #[test]
    fn a_chart_shows_what_was_said_with_its_interval_and_what_came_in_the_order_of_time() {
        // As a file gives them: the newest first.
        let all: Vec<Prediction> = (1..=100).rev().map(|n| settled(n, if n % 5 == 0 { 0.02 } else { 0.005 })).collect();
        let Some(PagePart::Lines(plot)) = chart(&all, Domain::PriceDirection) else { panic!("no chart") };
        let [said, came] = &plot.lines[..] else { panic!("two lines") };
        assert_eq!((said.points.len(), came.points.len()), (SHOWN, SHOWN));
        assert!(said.points.windows(2).all(|w| w[0].x < w[1].x) && said.points[0].band == Some((-0.01, 0.01)));
        assert!((said.points[SHOWN - 1].x - 100.0 / 24.0).abs() < 1e-9, "the newest stands last");
        assert!(plot.caption.contains("48 came to lie inside"), "{}", plot.caption);
        assert!(chart(&all[..3], Domain::PriceDirection).is_none(), "three say nothing");
        assert!(chart(&all, Domain::GasCondition).is_none());
    }
}
