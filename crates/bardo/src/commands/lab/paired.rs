//! What was lived beside each other: how far it is, and its lines as people and programs read them.

use super::judged::figure;
use super::page;
use crate::fail::Fail;
use crate::out::Out;
use crate::page_file::PagePlace;
use golem_core::Usdc;
use golem_lab::stats::{ComparisonLine, PairingError};
use serde::Serialize;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

/// What each golem is given.
pub const BUDGET: Usdc = Usdc::whole(10_000);
/// Pairs between two words of how far it is.
const SPEAK_EVERY: u64 = 20;

/// A line as others read it: one side less the other, which is named.
#[derive(Debug, Serialize)]
struct PairLineTold {
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
    fn of(line: &ComparisonLine) -> Self {
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

/// Says now and then how many of something were lived.
pub fn counted<T>(what: &'static str, out: &Out) -> impl Fn(&T) + Sync {
    let lived = AtomicU64::new(0);
    move |_| {
        let n = lived.fetch_add(1, Ordering::Relaxed) + 1;
        if n.is_multiple_of(SPEAK_EVERY) {
            out.say(&format!("{n} {what}"));
        }
    }
}

/// What a page of pairs says beside its lines.
pub struct PairedPage {
    pub title: &'static str,
    pub lead: &'static str,
    /// How lines are read.
    pub read_so: &'static str,
    /// Outcomes that are told in per cent.
    pub shares: &'static [&'static str],
}

/// What a rule over all lines of a page says of them.
type PageRule<'a> = dyn Fn(&[ComparisonLine]) -> String + 'a;

impl PairedPage {
    /// Tell what came of it: to the folder, the page and whoever asked; and what a rule over all lines says, where there is one.
    pub fn tell(
        &self,
        judged: Result<Vec<ComparisonLine>, PairingError>,
        rule: Option<&PageRule<'_>>,
        dir: Option<&Path>,
        to: PagePlace,
        out: &Out,
    ) -> Result<(), Fail> {
        let judged = judged.map_err(|e| Fail::Bug(e.to_string()))?;
        let lines: Vec<PairLineTold> = judged.iter().map(PairLineTold::of).collect();
        let rule = rule.map(|rule| rule(&judged));
        let told = lines.iter().map(|line| line.text(self.shares)).chain([self.read_so.to_owned()]).chain(rule.clone());
        let words = told.collect::<Vec<_>>().join("\n");
        if let Some(dir) = dir {
            let json = serde_json::to_string_pretty(&lines).map_err(|e| Fail::Bug(e.to_string()))?;
            std::fs::write(dir.join("lines.json"), json + "\n")?;
            if let Some(rule) = rule {
                std::fs::write(dir.join("rule.txt"), rule + "\n")?;
            }
        }
        to.write(&page::printed(self.title, self.lead, &words, &judged), out)?;
        out.result(&lines, || words)
    }
}
