//! `bardo predictions ID`: what a golem has foretold, how well, and what came of it.

use crate::cli::Predictions;
use crate::fail::Fail;
use crate::home::Home;
use crate::lines::folded;
use crate::out::Out;
use golem_core::{Tick, VirtualTime};
use golem_grimoire::change::NamedTable;
use golem_life::Status;
use golem_mind::{Prediction, Scores};
use golem_mortality::Domain;
use golem_runtime::Reader;
use serde_json::json;

/// Show them.
pub fn run(args: &Predictions, home: &Home, out: &Out) -> Result<(), Fail> {
    let domain = args.domain.as_deref().map(named).transpose()?;
    let reader = Reader::open(&home.golem(&args.id)?.dir)?;
    let status: Option<Status> = reader
        .status()?
        .map(|row| serde_json::from_str(&row.body))
        .transpose()
        .map_err(|e| Fail::Bug(e.to_string()))?;
    let wanted = |d: Domain| domain.is_none_or(|only| only == d);
    let scores: Vec<Scores> = status.into_iter().flat_map(|s| s.forecasts).filter(|s| wanted(s.domain)).collect();
    let mut settled: Vec<Prediction> = Vec::new();
    for row in reader.memory().named(NamedTable::Prediction, args.as_of.map(Tick), u32::MAX)? {
        let one: Prediction = serde_json::from_str(&row.body).map_err(|e| Fail::Bug(format!("a prediction: {e}")))?;
        if wanted(one.domain) {
            settled.push(one);
        }
        if settled.len() >= args.top as usize {
            break;
        }
    }
    out.result(&json!({ "scores": scores, "settled": settled }), || {
        let mut lines = vec![format!(
            "{:<18} {:>8} {:>5} {:>7} {:>8} {:>8} {:>7} {:>6} {:>7}",
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

fn named(word: &str) -> Result<Domain, Fail> {
    let folded = word.replace('-', "_");
    Domain::ALL.into_iter().find(|d| d.name() == folded).ok_or_else(|| {
        let names: Vec<&str> = Domain::ALL.into_iter().map(Domain::name).collect();
        Fail::hint(format!("there is no domain {word}"), format!("there are {}", names.join(", ")))
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
        "{:<18} {:>8} {:>5} {:>7} {:>8} {:>8} {:>7} {:>6} {:>7}",
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
