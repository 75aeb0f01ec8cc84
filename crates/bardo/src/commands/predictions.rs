//! `bardo predictions ID`: what a golem has foretold, how well, and what came of it.

use crate::cli::Predictions;
use crate::fail::Fail;
use crate::home::Home;
use crate::lines::folded;
use crate::out::Out;
use golem_core::{Tick, VirtualTime};
use golem_home::forecasts::{Foretold, domain, read};
use golem_mind::{Prediction, Scores};
use serde_json::json;

/// Show them.
pub fn run(args: &Predictions, home: &Home, out: &Out) -> Result<(), Fail> {
    let domain = args.domain.as_deref().map(domain).transpose()?;
    let Foretold { scores, settled } = read(&home.golem(&args.id)?, domain, args.as_of.map(Tick), args.top as usize)?;
    out.result(&json!({ "scores": scores, "settled": settled }), || {
        let mut lines = vec![format!(
            "{:<17} {:>7} {:>5} {:>7} {:>8} {:>7} {:>7} {:>5} {:>6}",
            "domain", "settled", "open", "skill", "half-way", "newborn", "life", "hits", "inside"
        )];
        lines.extend(scores.iter().flat_map(score));
        lines.push("skill: the share of loss saved in five days, against the last value, against half-way to the day's mean,".to_owned());
        lines.push("and against a newborn of its kind; life: against the last value since birth; four in five should lie inside".to_owned());
        if !settled.is_empty() {
            lines.push(String::new());
            lines.extend(settled.iter().map(one));
        }
        folded(&lines.join("\n"))
    })
}

/// A row of figures, and under it whom it believes.
fn score(s: &Scores) -> [String; 2] {
    let share = |x: Option<f64>| x.map_or_else(|| "-".to_owned(), |x| format!("{x:+.3}"));
    let percent = |x: Option<f64>| x.map_or_else(|| "-".to_owned(), |x| format!("{:.0} %", x * 100.0));
    let mut by: Vec<_> = s.weights.iter().filter(|w| w.weight >= 0.01).collect();
    by.sort_by(|a, b| b.weight.total_cmp(&a.weight));
    let by: Vec<String> = by.iter().map(|w| format!("{} {:.0} %", w.model, w.weight * 100.0)).collect();
    let figures = format!(
        "{:<17} {:>7} {:>5} {:>7} {:>8} {:>7} {:>7} {:>5} {:>6}",
        s.domain.name(),
        s.settled,
        s.pending,
        share(s.skill),
        share(s.half_way),
        share(s.newborn),
        share(s.overall),
        percent(s.hit_rate),
        percent(s.coverage),
    );
    [figures, format!("  believes  {}", by.join(", "))]
}

fn one(p: &Prediction) -> String {
    let hours = |t: VirtualTime| t.0 as f64 / 3_600_000.0;
    let range = p.interval.map_or_else(String::new, |[low, high]| format!(" in {low:.4} .. {high:.4}"));
    let came = p.came.map_or_else(
        || "open".to_owned(),
        |c| {
            let better = if c.loss <= c.naive_loss { "beats" } else { "worse than" };
            format!("came {:.4} ({better} naive)", c.actual)
        },
    );
    format!("{:>7.1} h  {:<17}  said {:.4}{range}, {came}", hours(p.made), p.domain.name(), p.predicted)
}
