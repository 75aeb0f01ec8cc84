//! `bardo demo`: a whole life to watch, chapter by chapter, ending in an obituary.

use super::tui;
use crate::birth::{Request, conceive};
use crate::chapters::Chapters;
use crate::cli::Demo;
use crate::fail::Fail;
use crate::golem_file::GolemFile;
use crate::home::{Home, Place};
use crate::obituary;
use crate::out::Out;
use crate::run_loop::{self, Ears, RunPlan};
use crate::screen::Nobody;
use golem_core::Name;
use golem_runtime::{Pace, Reader, WhyBack};

/// A life of about eleven weeks.
const DEFAULT_SEED: u64 = 42;
/// It dreams as often as this: fewer than it may by default, so that somebody can watch all of it within a minute.
const DREAMS_A_DAY: u32 = 6;
/// Watched on a terminal, a life passes at this many times real time: two virtual days a second.
const WATCHED: f64 = 172_800.0;

/// Live, watch, tell.
pub fn run(args: &Demo, home: &Home, home_flag: &str, out: &Out) -> Result<(), Fail> {
    let seed = args.seed.unwrap_or(DEFAULT_SEED);
    let name = free_name(home, seed)?;
    let mut file = GolemFile::default();
    file.world.seed = seed;
    file.dream.enabled = true;
    file.dream.core_max_cycles_per_day = DREAMS_A_DAY;
    let newborn = conceive(Request { name, budget: args.budget, seed: Some(seed), file, heir: None })?;
    let place = newborn.settle(home)?;
    let on_screen = !args.plain && !out.quiet && tui::is_possible(out);
    out.say(&format!("{} is born with {} USDC; its seed is {seed}, and the same seed is", place.name, args.budget));
    if !on_screen {
        out.say("the same life. Its chapters, as they happen (Ctrl-C ends the watching):");
        out.say("");
    }
    let speed = match args.speed {
        Some(pace) => pace,
        None if out.live => Pace::Times(WATCHED),
        None => Pace::Max,
    };
    let stop = run_loop::stop_on_signals()?;
    let plan = RunPlan {
        home,
        chains: Default::default(),
        passphrase: None,
        pace: Some(speed),
        clock: crate::clock::clock(),
        stop: stop.clone(),
        world: None,
        snapshots: true,
        models: None,
        nodes: None,
        accept_rollback: false,
        blind: false,
    };
    let why = match on_screen {
        true => watched(&place, &plan, args, *out)?,
        false => {
            let born_at = Reader::open(&place.dir)?.origin()?.birth.born_at;
            let watch = (!out.quiet).then(|| Chapters::of(&place.dir, born_at, args.ticks, *out));
            let ears = Ears { sink: None, watch, stop, name: place.name.clone(), out: *out, models: None };
            run_loop::run_one(run_loop::open(&place, &plan, ears)?, args.ticks)?
        }
    };
    if why == WhyBack::Stopped {
        out.say(&format!(
            "stopped, and nothing is lost; it goes on with:\n  bardo{home_flag} golem run {} --speed max",
            place.name
        ));
    }
    if why == WhyBack::Died && !on_screen {
        crate::testament::leave(&place, out);
    }
    out.say("");
    let told = obituary::read(&place.dir)?;
    out.result(&told, || obituary::text(&told, out, home_flag))
}

/// It lives beside the screen that shows it. Whoever leaves the screen ends the watching; a death is not undone by that.
fn watched(place: &Place, plan: &RunPlan<'_>, args: &Demo, out: Out) -> Result<WhyBack, Fail> {
    std::thread::scope(|scope| {
        let lives = scope.spawn(|| -> Result<WhyBack, Fail> {
            let (name, stop) = (place.name.clone(), plan.stop.clone());
            let ears = Ears::<Nobody> { sink: None, watch: None, stop, name, out, models: None };
            let why = run_loop::open(place, plan, ears).and_then(|runner| run_loop::run_one(runner, args.ticks))?;
            if why == WhyBack::Died {
                crate::testament::leave(place, &out);
            }
            Ok(why)
        });
        // Once it has ended by itself there is still something to see; a signal ends that, too.
        let shown = tui::show(Some(place.id), args.reduced_motion, plan.home, out, &|| plan.stop.is_raised());
        plan.stop.raise();
        let why = lives.join().map_err(|_| Fail::Bug("the life ended in a panic".to_owned()))?;
        shown.and(why)
    })
}

/// `demo-42`, or the next free name of that kind.
fn free_name(home: &Home, seed: u64) -> Result<Name, Fail> {
    let taken: Vec<String> = home.golems()?.into_iter().map(|p| p.name.to_string()).collect();
    let names = std::iter::once(format!("demo-{seed}")).chain((2..).map(|n| format!("demo-{seed}-{n}")));
    let free = names.into_iter().find(|n| !taken.contains(n)).unwrap_or_default();
    free.parse().map_err(|e: golem_core::ids::BadName| Fail::Bug(e.to_string()))
}
