//! `bardo lab clock`: whether the epistemic clock tells the truth, by one command.

use super::{page, refused};
use crate::cli::{LabClock, LabPace};
use crate::fail::Fail;
use crate::home::Home;
use crate::out::Out;
use crate::page_file::PagePlace;
use golem_core::Usdc;
use golem_lab::clock::{ClockPlan, ClockReport, causes, couplings, minds};

const LEAD: &str = "Minds that learn, that stopped learning and that turned round, and what golems die of.";
/// What each golem of the first table is given: money is not what it is about.
const BUDGET: Usdc = Usdc::whole(1_000);

/// Run it. Lines are told as they come; the tables are the result.
pub fn run(args: &LabClock, home: &Home, yes: bool, out: &Out) -> Result<(), Fail> {
    if args.lives == 0 || args.days == 0 || args.budgets.is_empty() {
        return Err(Fail::hint("there is nothing to live", "give at least one life, one day and one budget"));
    }
    let to = PagePlace::of(&args.report, home, "clock", false, yes)?;
    let pace_s = match args.pace {
        LabPace::Hour => 3_600,
        LabPace::Tick => golem_core::NOMINAL_TICK_S,
    };
    let plan = ClockPlan {
        worlds: args.worlds.clone(),
        lives: args.lives,
        days: args.days,
        pace_s: Some(pace_s),
        seed: args.seed,
        budget: BUDGET,
        threads: args.threads.unwrap_or(0),
        whole: args.whole,
    };
    let (minds, _) = minds(&plan, &|line| out.say(&line.text())).map_err(refused)?;
    let mut report = ClockReport { minds, ..ClockReport::default() };
    if !args.minds_only {
        let mut worlds = args.worlds.clone();
        worlds.extend(args.causes.iter().filter(|w| !args.worlds.contains(w)).cloned());
        report.causes = causes(&plan, &worlds, &args.budgets, &|line| out.say(&line.text())).map_err(refused)?;
        report.couplings = couplings(&plan, &|line| out.say(&line.text())).map_err(refused)?;
    }
    to.write(&page::printed("The epistemic clock", LEAD, &report.text(), &[]), out)?;
    out.result(&report, || report.text())
}
