//! `bardo lab heirs`: whether who inherits loses less in its first days than who does not, and what that is worth.

use super::paired::{PairLineTold, text};
use super::{arms, page, refused, setup};
use crate::cli::LabHeirs;
use crate::fail::Fail;
use crate::home::Home;
use crate::out::Out;
use crate::page_file::PagePlace;
use golem_core::Usdc;
use golem_lab::compare::cores;
use golem_lab::heir_pairs::{HeirPairsPlan, heir_pairs, judge_pairs};
use std::sync::atomic::{AtomicU64, Ordering};

/// What each of them is given.
const BUDGET: Usdc = Usdc::whole(10_000);
const LEAD: &str = "The heir of who lived in the same world less who was born without a parent, on the same path.";
const READ_SO: &str =
    "The heir less the newborn on the same path; less loss is better. Intervals hold together, at 95 %.";
/// Pairs between two words of how far it is.
const SPEAK_EVERY: u64 = 20;

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
    let lines: Vec<PairLineTold> = judged.iter().map(PairLineTold::of).collect();
    let words = text(&lines, &["worth"], READ_SO);
    if let Some(dir) = &args.out {
        let json = serde_json::to_string_pretty(&lines).map_err(|e| Fail::Bug(e.to_string()))?;
        std::fs::write(dir.join("lines.json"), json + "\n")?;
    }
    to.write(&page::printed("Heirs and newborns", LEAD, &words, &judged), out)?;
    out.result(&lines, || words)
}
