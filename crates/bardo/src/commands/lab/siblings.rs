//! `bardo lab siblings`: what golems gain, and lose, by telling each other what they find out.

use super::paired::{self, BUDGET, PairedPage};
use super::{arms, refused, setup};
use crate::cli::LabSiblings;
use crate::fail::Fail;
use crate::home::Home;
use crate::out::Out;
use crate::page_file::PagePlace;
use golem_lab::compare::cores;
use golem_lab::siblings::{SiblingsPlan, judge_groups, siblings_groups};

const PAGE: PairedPage = PairedPage {
    title: "Siblings",
    lead: "Golems that tell each other what they find out less the same golems in silence, on the same paths.",
    read_so: "Sharing less silence, in means over each group; novelty is what only one of a group believes. Intervals hold together, at 95 %.",
    shares: &["worth", "blow_loss", "novelty"],
};

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
    let (threads, dir) = (args.threads.unwrap_or_else(cores), args.out.as_deref());
    let lived = siblings_groups(&plan, &base, dir, threads, &paired::counted("groups", out)).map_err(refused)?;
    PAGE.tell(judge_groups(&lived), None, dir, to, out)
}
