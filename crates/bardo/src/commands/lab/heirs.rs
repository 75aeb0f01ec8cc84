//! `bardo lab heirs`: whether who inherits loses less in its first days than who does not, and what that is worth.

use super::judged::figure;
use super::{arms, page, refused, setup};
use crate::cli::LabHeirs;
use crate::fail::Fail;
use crate::home::Home;
use crate::out::Out;
use crate::page_file::PagePlace;
use golem_core::Usdc;
use golem_lab::compare::cores;
use golem_lab::heir_pairs::{HeirPairsPlan, heir_pairs, judge_pairs};
use golem_lab::stats::ComparisonLine;
use serde::Serialize;
use std::sync::atomic::{AtomicU64, Ordering};

/// What each of them is given.
const BUDGET: Usdc = Usdc::whole(10_000);
const LEAD: &str = "The heir of who lived in the same world less who was born without a parent, on the same path.";
/// Pairs between two words of how far it is.
const SPEAK_EVERY: u64 = 20;

/// A line as others read it: the heir less the newborn.
#[derive(Debug, Serialize)]
struct HeirLine {
    world: String,
    outcome: String,
    pairs: u64,
    newborn: f64,
    difference: f64,
    low: Option<f64>,
    high: Option<f64>,
    margin: f64,
    verdict: String,
}

/// Live what is not there yet, and tell.
pub fn run(args: &LabHeirs, home: &Home, yes: bool, out: &Out) -> Result<(), Fail> {
    if args.paths == 0 || args.learnt == 0 || args.worlds.is_empty() {
        return Err(Fail::hint("there is nothing to live", "give at least one world, one path and one day"));
    }
    let to = PagePlace::of(&args.report, home, "heirs", false, yes)?;
    let base = arms::settings(&[])?.life();
    let plan = HeirPairsPlan {
        worlds: args.worlds.clone(),
        paths: args.paths,
        first_seed: args.seed,
        learnt: args.learnt,
        budget: BUDGET,
        settings: base.hash(),
        binary: setup::program()?,
    };
    let lived = AtomicU64::new(0);
    let told = |_: &_| {
        let n = lived.fetch_add(1, Ordering::Relaxed) + 1;
        if n.is_multiple_of(SPEAK_EVERY) {
            out.say(&format!("{n} pairs"));
        }
    };
    let threads = args.threads.unwrap_or_else(cores);
    let pairs = heir_pairs(&plan, &base, args.out.as_deref(), threads, &told).map_err(refused)?;
    let judged = judge_pairs(&pairs).map_err(|e| Fail::Bug(e.to_string()))?;
    let lines: Vec<HeirLine> = judged.iter().map(line).collect();
    if let Some(dir) = &args.out {
        let json = serde_json::to_string_pretty(&lines).map_err(|e| Fail::Bug(e.to_string()))?;
        std::fs::write(dir.join("lines.json"), json + "\n")?;
    }
    to.write(&page::printed("Heirs and newborns", LEAD, &text(&lines), &judged), out)?;
    out.result(&lines, || text(&lines))
}

fn line(line: &ComparisonLine) -> HeirLine {
    let finite = |x: f64| Some(x).filter(|x| x.is_finite());
    HeirLine {
        world: line.world.clone(),
        outcome: line.outcome.to_string(),
        pairs: line.pairs,
        newborn: line.mean_against,
        difference: line.mean,
        low: finite(line.low),
        high: finite(line.high),
        margin: line.margin,
        verdict: line.verdict.to_string(),
    }
}

fn text(lines: &[HeirLine]) -> String {
    let one = |l: &HeirLine| {
        let (share, number) = (l.outcome == "worth", |x: Option<f64>| x.unwrap_or(f64::NAN));
        let (mean, low, high) = (l.difference, number(l.low), number(l.high));
        let interval = [mean, low, high].map(|x| figure(x, share));
        let [mean, low, high] = interval;
        format!("{:<11} {:<16} {mean:>11} [{low}, {high}] {} pairs: {}", l.world, l.outcome, l.pairs, l.verdict)
    };
    let words = "The heir less the newborn on the same path; less loss is better. Intervals hold together, at 95 %.";
    lines.iter().map(one).chain([words.to_owned()]).collect::<Vec<_>>().join("\n")
}
