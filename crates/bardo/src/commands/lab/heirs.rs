//! `bardo lab heirs`: whether who inherits loses less in its first days than who does not, and what that is worth.

use super::paired::{self, BUDGET, PairedPage};
use super::{arms, refused, setup};
use crate::cli::LabHeirs;
use crate::fail::Fail;
use crate::home::Home;
use crate::out::Out;
use crate::page_file::PagePlace;
use golem_lab::compare::cores;
use golem_lab::heir_pairs::{HeirPairsPlan, heir_pairs, judge_pairs};
use golem_lab::heir_rule::HeirRule;

const PAGE: PairedPage = PairedPage {
    title: "Heirs and newborns",
    lead: "The heir of who lived in the same world less who was born without a parent, on the same path.",
    read_so: "The heir less the newborn on the same path; less loss is better. Intervals hold together, at 95 %.",
    shares: &["worth"],
};

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
    let (threads, dir) = (args.threads.unwrap_or_else(cores), args.out.as_deref());
    let lived = heir_pairs(&plan, &base, dir, threads, &paired::counted("pairs", out)).map_err(refused)?;
    PAGE.tell(judge_pairs(&lived), Some(&|lines| HeirRule::of(lines).to_string()), dir, to, out)
}
