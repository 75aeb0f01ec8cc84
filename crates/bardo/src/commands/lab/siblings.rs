//! `bardo lab siblings`: what golems gain, and lose, by telling each other what they find out.

use super::paired::{PairLineTold, text};
use super::{arms, page, refused, setup};
use crate::cli::LabSiblings;
use crate::fail::Fail;
use crate::home::Home;
use crate::out::Out;
use crate::page_file::PagePlace;
use golem_core::Usdc;
use golem_lab::compare::cores;
use golem_lab::siblings::{SiblingsPlan, judge_groups, siblings_groups};
use std::sync::atomic::{AtomicU64, Ordering};

/// What each of them is given.
const BUDGET: Usdc = Usdc::whole(10_000);
const LEAD: &str = "Golems that tell each other what they find out less the same golems in silence, on the same paths.";
const READ_SO: &str = "Sharing less silence, in means over each group; novelty is what only one of a group believes. Intervals hold together, at 95 %.";
/// Groups between two words of how far it is.
const SPEAK_EVERY: u64 = 20;

/// Live what is not there yet, and tell.
pub fn run(args: &LabSiblings, home: &Home, yes: bool, out: &Out) -> Result<(), Fail> {
    if args.groups == 0 || args.days == 0 || args.worlds.is_empty() || args.members < 2 {
        return Err(Fail::hint(
            "there is nothing to live",
            "give at least one world, one group of two golems and one day",
        ));
    }
    let to = PagePlace::of(&args.report, home, "siblings", false, yes)?;
    let base = arms::settings(&[])?.life();
    let plan = SiblingsPlan {
        worlds: args.worlds.clone(),
        groups: args.groups,
        first_seed: args.seed,
        members: args.members,
        days: args.days,
        budget: BUDGET,
        settings: base.hash(),
        binary: setup::program()?,
    };
    let lived = AtomicU64::new(0);
    let told = |_: &_| {
        let n = lived.fetch_add(1, Ordering::Relaxed) + 1;
        if n.is_multiple_of(SPEAK_EVERY) {
            out.say(&format!("{n} groups"));
        }
    };
    let threads = args.threads.unwrap_or_else(cores);
    let groups = siblings_groups(&plan, &base, args.out.as_deref(), threads, &told).map_err(refused)?;
    let judged = judge_groups(&groups).map_err(|e| Fail::Bug(e.to_string()))?;
    let lines: Vec<PairLineTold> = judged.iter().map(PairLineTold::of).collect();
    let words = text(&lines, &["worth", "blow_loss", "novelty"], READ_SO);
    if let Some(dir) = &args.out {
        let json = serde_json::to_string_pretty(&lines).map_err(|e| Fail::Bug(e.to_string()))?;
        std::fs::write(dir.join("lines.json"), json + "\n")?;
    }
    to.write(&page::printed("Siblings", LEAD, &words, &judged), out)?;
    out.result(&lines, || words)
}
