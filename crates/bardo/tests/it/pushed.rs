//! Somebody pushes the pool on the real contracts: what that costs a golem, by paired lives (`BARDO_LONG=1`), and that it is
//! the same as on paper, to the unit.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a table, and a skipped test says so")]

use golem_chain::contracts::{self, Contracts};
use golem_chain::embedded::{EmbeddedChain, EmbeddedConfig};
use golem_core::door::World as _;
use golem_core::{NOMINAL_TICK_S, Secret, Strand};
use golem_lab::pushing::{Costs, MakeFloor, busy_settings, worth_after};
use golem_lab::subject::paper_in;
use golem_lab::world::Synthetic;
use golem_life::Settings;
use golem_mind::policy::Template;
use golem_venue::VenueError;
use golem_venue::floor::{Floor, FloorPlan, SharedFloor, WorldOutside};
use golem_venue::market::{MarketConfig, Outside};
use golem_venue::scenario::Scenario;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;

fn contracts() -> Option<Contracts> {
    let shelf = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/tools/contracts");
    match contracts::fetch_or_load(&shelf, |_| ()) {
        Ok(contracts) => Some(contracts),
        Err(why) => {
            assert!(std::env::var_os("CI").is_none(), "the contracts are needed here: {why}");
            eprintln!("skipped: {why}");
            None
        }
    }
}

/// A floor over the real contracts, in memory.
fn embedded(contracts: &Contracts, seed: u64, world: Synthetic, weather: Scenario) -> Result<SharedFloor, VenueError> {
    let plan = FloorPlan {
        market: MarketConfig::default(),
        dice: Secret::from_seed(seed).dice(Strand::Market),
        epoch: world.epoch(),
        step_ticks: world.natural_interval_s().unwrap_or(NOMINAL_TICK_S) / NOMINAL_TICK_S,
        scenario: Some(weather),
    };
    let mut outside = WorldOutside(world);
    let begin = outside.save();
    let first = outside.at(0).expect("a first tick");
    outside.restore(&begin).map_err(VenueError::Bug)?;
    let genesis = plan.genesis(false, &first);
    // Nobody asks for its history: nothing of it is written down.
    let config = EmbeddedConfig { write_every: u64::MAX, ..EmbeddedConfig::new(genesis.clone()) };
    let chain = EmbeddedChain::open_in_memory(contracts, &config).map_err(|e| VenueError::Bug(e.to_string()))?;
    Ok(SharedFloor::new(Floor::new(plan, &genesis, Box::new(chain), Box::new(outside))?))
}

#[test]
fn a_pushed_life_on_the_real_contracts_is_worth_the_same_as_on_paper() {
    let Some(contracts) = contracts() else { return };
    let real = |seed, world, weather| embedded(&contracts, seed, world, weather);
    let paper = |seed, world, weather| paper_in(seed, world, Some(weather));
    for (template, bps) in Template::ALL.into_iter().zip([-1_000, 300, 1_000, -300]) {
        let worth = |make: &MakeFloor<'_>| worth_after(11, &busy_settings(template), (bps, 900), make).unwrap();
        let (on_paper, idle) = (worth(&paper), worth_after(11, &idle(), (bps, 900), &paper).unwrap());
        assert_eq!(worth(&real), on_paper, "{template} pushed by {bps}");
        assert!(on_paper != idle || template == Template::StableYield, "{template} never did anything");
    }
}

/// A golem that only pays its rent.
fn idle() -> Settings {
    let mut settings = busy_settings(Template::LpManagement);
    settings.mind.trading = false;
    settings
}

/// One life of the table: whose template, which seed, pushed by how much.
type Job = (Template, u64, i32);

/// What a golem is worth after each of these lives, on as many cores as there are. What they share (the contracts, the
/// life without pushes that four others are held against) is made once.
fn worths(contracts: &Contracts, jobs: &[Job], ticks: u64) -> Vec<f64> {
    let (next, done) = (AtomicUsize::new(0), Mutex::new(vec![f64::NAN; jobs.len()]));
    let work = || {
        let real = |seed, world, weather| embedded(contracts, seed, world, weather);
        loop {
            let n = next.fetch_add(1, Relaxed);
            let Some(&(template, seed, bps)) = jobs.get(n) else { break };
            let worth = worth_after(seed, &busy_settings(template), (bps, ticks), &real).unwrap().as_f64();
            done.lock().unwrap()[n] = worth;
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(work);
        }
    });
    done.into_inner().unwrap()
}

/// The long campaign (`BARDO_LONG=1`, in a release build): 20 seeds of 20,000 ticks, all templates and pushes.
#[test]
fn pushing_the_real_contracts_costs_a_golem_next_to_nothing() {
    if std::env::var_os("BARDO_LONG").is_none() {
        return;
    }
    let Some(contracts) = contracts() else { return };
    let number = |name: &str, or: u64| std::env::var(name).ok().and_then(|n| n.parse().ok()).unwrap_or(or);
    let (seeds, ticks) = (number("BARDO_SEEDS", 20), number("BARDO_TICKS", 20_000));
    let by = [0, -1_000, -300, 300, 1_000];
    let jobs: Vec<Job> = Template::ALL
        .into_iter()
        .flat_map(|template| (1..=seeds).flat_map(move |seed| by.map(|bps| (template, seed, bps))))
        .collect();
    let began = std::time::Instant::now();
    let worths = worths(&contracts, &jobs, ticks);
    println!("{} lives of {ticks} ticks in {} s", jobs.len(), began.elapsed().as_secs());
    let per_template = usize::try_from(seeds).unwrap() * by.len();
    for (template, worths) in Template::ALL.into_iter().zip(worths.chunks(per_template)) {
        for (n, bps) in by.iter().enumerate().skip(1) {
            let costs = Costs(worths.chunks(by.len()).map(|lives| (lives[0] - lives[n]) / lives[0]).collect());
            println!("{template:<18} {bps:>6} bps {:>9.4} +- {:.4} %", 100.0 * costs.mean(), 100.0 * costs.margin());
            assert!(costs.mean() <= 0.003, "{template} pushed by {bps}");
        }
    }
}
