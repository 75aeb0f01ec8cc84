//! Somebody pushes the pool on the real contracts: what that costs a golem, by paired lives (`BARDO_LONG=1`), and that it is
//! the same as on paper, to the unit.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a table, and a skipped test says so")]

use golem_chain::contracts::{self, Contracts};
use golem_chain::embedded::{EmbeddedChain, EmbeddedConfig};
use golem_core::door::World as _;
use golem_core::{NOMINAL_TICK_S, Secret, Strand};
use golem_lab::pushing::{MakeFloor, costs, worth_after};
use golem_lab::subject::paper_in;
use golem_lab::world::Synthetic;
use golem_life::Settings;
use golem_mind::policy::Template;
use golem_venue::VenueError;
use golem_venue::floor::{Floor, Plan, SharedFloor, WorldOutside};
use golem_venue::market::{MarketConfig, Outside};
use golem_venue::scenario::Scenario;
use std::path::Path;

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
    let plan = Plan {
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
    let chain = EmbeddedChain::open_in_memory(contracts, &EmbeddedConfig::new(genesis.clone()))
        .map_err(|e| VenueError::Bug(e.to_string()))?;
    Ok(SharedFloor::new(Floor::new(plan, &genesis, Box::new(chain), Box::new(outside))?))
}

fn of(template: Template) -> Settings {
    let mut settings = Settings::default();
    settings.policy.template = template;
    settings
}

#[test]
fn a_pushed_life_on_the_real_contracts_is_worth_the_same_as_on_paper() {
    let Some(contracts) = contracts() else { return };
    let real = |seed, world, weather| embedded(&contracts, seed, world, weather);
    let paper = |seed, world, weather| paper_in(seed, world, Some(weather));
    for (template, bps) in [(Template::LpManagement, -1_000), (Template::TrendFollowing, 300)] {
        let worth = |make: &MakeFloor<'_>| worth_after(11, &of(template), (bps, 500), make).unwrap();
        assert_eq!(worth(&real), worth(&paper), "{template} pushed by {bps}");
    }
}

#[test]
fn pushing_the_real_contracts_costs_a_golem_next_to_nothing() {
    if std::env::var_os("BARDO_LONG").is_none() {
        return;
    }
    let Some(contracts) = contracts() else { return };
    let real = |seed, world, weather| embedded(&contracts, seed, world, weather);
    let number = |name: &str, or: u64| std::env::var(name).ok().and_then(|n| n.parse().ok()).unwrap_or(or);
    let (seeds, ticks) = (number("BARDO_SEEDS", 20), number("BARDO_TICKS", 20_000));
    let by = [-1_000, -300, 300, 1_000];
    for template in Template::ALL {
        let all = costs(1..=seeds, &of(template), (&by, ticks), &real).unwrap();
        for (costs, bps) in all.iter().zip(by) {
            println!("{template:<18} {bps:>6} bps {:>9.4} +- {:.4} %", 100.0 * costs.mean(), 100.0 * costs.margin());
            assert!(costs.mean() <= 0.003, "{template} pushed by {bps}");
        }
    }
}
