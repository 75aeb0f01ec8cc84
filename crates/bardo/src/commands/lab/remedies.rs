//! `bardo lab remedies`: whether a stressor is over sooner where the golem does something about it, and what that costs.

use super::{page, refused};
use crate::cli::LabRemedies;
use crate::fail::Fail;
use crate::home::Home;
use crate::out::Out;
use crate::page_file::PagePlace;
use golem_lab::remedies::{RemedyPlan, measure};
use std::sync::atomic::{AtomicUsize, Ordering};

const LEAD: &str = "How long each stressor lasts where the golem does something about it, and where it does not.";
/// Lives between two words of how far it is.
const TELL_EVERY: usize = 40;

/// Run it. The table is the result.
pub fn run(args: &LabRemedies, home: &Home, yes: bool, out: &Out) -> Result<(), Fail> {
    if args.seeds == 0 || args.days == 0 {
        return Err(Fail::hint("there is nothing to live", "give at least one path and one day"));
    }
    let to = PagePlace::of(&args.report, home, "remedies", false, yes)?;
    let plan = RemedyPlan {
        seeds: args.seeds,
        first_seed: args.seed,
        days: args.days,
        threads: args.threads.unwrap_or(0),
        ..RemedyPlan::default()
    };
    let lived = AtomicUsize::new(0);
    let report = measure(&plan, &|life| {
        let n = lived.fetch_add(1, Ordering::Relaxed) + 1;
        if n.is_multiple_of(TELL_EVERY) {
            out.say(&format!("{n} lives, the last with {}", life.stressor));
        }
    })
    .map_err(refused)?;
    to.write(&page::printed("Remedies", LEAD, &report.text(), &[]), out)?;
    out.result(&report, || report.text())
}
