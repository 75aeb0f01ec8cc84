//! Lines of pairs that were lived beside each other, as people and programs read them.

use super::judged::figure;
use golem_lab::stats::ComparisonLine;
use serde::Serialize;

/// A line as others read it: one side less the other, which is named.
#[derive(Debug, Serialize)]
pub struct PairLineTold {
    world: String,
    outcome: String,
    pairs: u64,
    against: f64,
    difference: f64,
    low: Option<f64>,
    high: Option<f64>,
    margin: f64,
    verdict: String,
}

impl PairLineTold {
    pub fn of(line: &ComparisonLine) -> Self {
        let finite = |x: f64| Some(x).filter(|x| x.is_finite());
        Self {
            world: line.world.clone(),
            outcome: line.outcome.to_string(),
            pairs: line.pairs,
            against: line.mean_against,
            difference: line.mean,
            low: finite(line.low),
            high: finite(line.high),
            margin: line.margin,
            verdict: line.verdict.to_string(),
        }
    }

    fn text(&self, shares: &[&str]) -> String {
        let (share, number) = (shares.contains(&self.outcome.as_str()), |x: Option<f64>| x.unwrap_or(f64::NAN));
        let interval = [self.difference, number(self.low), number(self.high)].map(|x| figure(x, share));
        let [mean, low, high] = interval;
        format!(
            "{:<16} {:<16} {mean:>11} [{low}, {high}] {} pairs: {}",
            self.world, self.outcome, self.pairs, self.verdict
        )
    }
}

/// All lines, and how they are read. `shares` are outcomes told in per cent.
pub fn text(lines: &[PairLineTold], shares: &[&str], words: &str) -> String {
    lines.iter().map(|line| line.text(shares)).chain([words.to_owned()]).collect::<Vec<_>>().join("\n")
}
