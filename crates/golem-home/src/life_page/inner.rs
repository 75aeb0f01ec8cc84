//! How a golem felt, what weighed on it, and its clocks.

use super::reading::LifeReading;
use golem_life::LifePoint;
use golem_view::page::{LinePlot, PagePart, PageTable, PlotLine, PlotPoint, PlotUnit, thinned};
use golem_view::time;

/// Points of a line that a chart can show.
const POINTS: usize = 500;
/// Days over which the cost of living is taken.
const BURN_DAYS: f64 = 1.0;

fn line(life: &LifeReading, name: &str, of: impl Fn(&LifePoint) -> Option<f64>) -> Option<PlotLine> {
    let point = |p: &LifePoint| Some(PlotPoint { x: p.age_days, y: of(p)?, band: None });
    let points: Vec<PlotPoint> = life.points.iter().filter_map(|(_, p)| point(p)).collect();
    (!points.is_empty()).then(|| PlotLine { name: name.to_owned(), points: thinned(points, POINTS) })
}

fn chart(caption: &str, unit: PlotUnit, lines: Vec<PlotLine>) -> PagePart {
    let (caption, across) = (caption.to_owned(), "age in days".to_owned());
    PagePart::Lines(LinePlot { caption, across, unit, lines, ..LinePlot::default() })
}

/// Mood and suffering; nothing for one that feels nothing.
pub(super) fn felt(life: &LifeReading) -> Vec<PagePart> {
    let mood: Vec<PlotLine> = [
        line(life, "pleasure", |p| p.mood.map(|mood| mood.pleasure())),
        line(life, "arousal", |p| p.mood.map(|mood| mood.arousal())),
        line(life, "dominance", |p| p.mood.map(|mood| mood.dominance())),
    ]
    .into_iter()
    .flatten()
    .collect();
    let load = line(life, "load", |p| p.load);
    if mood.is_empty() && load.is_none() {
        return Vec::new();
    }
    let mut parts = vec![PagePart::Heading("How it felt".to_owned())];
    if !mood.is_empty() {
        parts.push(chart("Mood, each axis from −1 to 1.", PlotUnit::Plain, mood));
    }
    if let Some(load) = load {
        let caption = "How heavy suffering was, from 0 to 1. It is measured, and decides about no clock.";
        let (caption, across) = (caption.to_owned(), "age in days".to_owned());
        // Who never suffered has a line at 0, which is the foot of the axis.
        let reach = Some((0.0, 1.0));
        parts.push(PagePart::Lines(LinePlot { caption, across, lines: vec![load], reach, ..LinePlot::default() }));
    }
    if !life.suffered.is_empty() {
        parts.push(PagePart::Table(PageTable {
            caption: "What weighed on it last, and what was over.".to_owned(),
            head: ["when", "what"].map(str::to_owned).to_vec(),
            rows: life.suffered.iter().map(|(at, words)| vec![time::moment(*at), words.clone()]).collect(),
        }));
    }
    parts
}

/// Vitality and its parts, and how long the money would have lasted.
pub(super) fn clocks(life: &LifeReading) -> Vec<PagePart> {
    let vitality: Vec<PlotLine> = [
        line(life, "vitality", |p| Some(p.vitality.composite)),
        line(life, "money", |p| Some(p.vitality.economic)),
        line(life, "knowledge", |p| Some(p.vitality.epistemic)),
        line(life, "age, of the reference lifespan", |p| Some(p.vitality.age_factor)),
    ]
    .into_iter()
    .flatten()
    .collect();
    if vitality.is_empty() {
        return Vec::new();
    }
    let mut parts = vec![
        PagePart::Heading("Its clocks".to_owned()),
        chart("Vitality, which the phases follow, and its parts.", PlotUnit::Percent, vitality),
    ];
    let runway = runway(life);
    if runway.len() > 1 {
        let caption =
            "Runway: days that its worth above the reserve would last at what living had cost in the day before.";
        let line = PlotLine { name: "days of living left".to_owned(), points: thinned(runway, POINTS) };
        parts.push(chart(caption, PlotUnit::Plain, vec![line]));
    }
    parts
}

fn runway(life: &LifeReading) -> Vec<PlotPoint> {
    let (mut points, mut before) = (Vec::new(), 0);
    for (n, (_, now)) in life.points.iter().enumerate() {
        while life.points.get(before + 1).is_some_and(|(_, p)| before + 1 < n && now.age_days - p.age_days >= BURN_DAYS)
        {
            before += 1;
        }
        let Some((_, then)) = life.points.get(before).filter(|_| before < n) else { continue };
        let (spent, days) = (now.spent.minus(then.spent).as_f64(), now.age_days - then.age_days);
        // Less than a quarter of a day says little about a day, and whoever pays nothing has no end of money.
        if days >= BURN_DAYS / 4.0 && spent > 0.0 {
            let above = now.balance.minus(life.status.reserve).as_f64();
            points.push(PlotPoint { x: now.age_days, y: above * days / spent, band: None });
        }
    }
    points
}
