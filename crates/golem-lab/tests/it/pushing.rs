//! Somebody pushes the pool for one block in forty-five: what that costs a golem, by paired lives.

use golem_cage::CageFact;
use golem_core::Usdc;
use golem_lab::pushing::{busy_settings, costs, pushes};
use golem_lab::subject::{Subject, account, newborn, paper_in};
use golem_lab::world::{Synthetic, SyntheticConfig};
use golem_life::{Fact, LifeFact, Settings};
use golem_mind::policy::Template;
use golem_venue::floor::{FloorHands, FloorWorld};

/// The most that pushing may cost on average, as a share of net asset value.
const MOST: f64 = 0.003;

/// A slice of the long campaign (`BARDO_LONG=1`: 20 seeds of 20,000 ticks, all pushes).
#[test]
fn pushing_costs_a_golem_next_to_nothing() {
    let long = std::env::var_os("BARDO_LONG").is_some();
    let (seeds, ticks, by): (u64, u64, &[i32]) =
        if long { (20, 20_000, &[-1_000, -300, 300, 1_000]) } else { (2, 1_500, &[-1_000, 300]) };
    for template in Template::ALL {
        let make = |seed, world, weather| paper_in(seed, world, Some(weather));
        let all = costs(11..11 + seeds, &busy_settings(template), (by, ticks), &make).unwrap();
        for (costs, bps) in all.iter().zip(by) {
            assert!(costs.mean() <= MOST, "{template} pushed by {bps}: {} +- {}", costs.mean(), costs.margin());
        }
    }
}

/// Without the rule a pushed price is paid, and with it is not: whoever buys again and again meets pushed blocks.
#[test]
fn a_golem_that_believes_a_pushed_price_pays_it() {
    let wary = busy_settings(Template::EthDca);
    let mut gullible = wary.clone();
    (gullible.cage.max_off_reference_bps, gullible.cage.reference_wait_turns) = (5_000, 1);
    for bps in [-1_000, 1_000] {
        let [believes, waits] = [&gullible, &wary].map(|who| acts(who, bps, 2_000));
        eprintln!("{bps}: {believes:?} {waits:?}");
        assert!(believes.1 > 0 && waits.0 > 20 && waits.1 == 0, "{believes:?} {waits:?}");
    }
}

/// In a pushed block nothing is sold, removed, moved or opened, and no breaker trips by it.
#[test]
fn nothing_is_given_up_in_a_pushed_block() {
    for template in Template::ALL {
        let settings = busy_settings(template);
        let (done, in_a_pushed_block, breakers) = acts(&settings, -1_000, 2_000);
        assert_eq!((in_a_pushed_block, breakers), (0, 0), "{template}, of {done} acts");
        assert!(done > 0 || template == Template::StableYield, "{template} never did anything");
    }
}

/// A life in which the pool is pushed for one block in forty-five: what it did, how much of that in a pushed
/// block, and how many breakers tripped there.
fn acts(settings: &Settings, bps: i32, ticks: u64) -> (u32, u32, u32) {
    let seed = 11;
    let world = || Synthetic::new(SyntheticConfig::default(), seed).unwrap();
    let (secret, genesis) = newborn(seed, Usdc::whole(10_000), settings, &world());
    let floor = paper_in(seed, world(), Some(pushes(bps, ticks))).unwrap();
    let seen = FloorWorld::new(floor.clone(), account(&genesis), 0).like(Some(genesis.interval_s), None);
    let hands = FloorHands::new(floor.clone(), account(&genesis));
    let mut subject = Subject::on(&genesis, &secret, Box::new(seen), Box::new(hands));
    let (mut done, mut pushed_acts, mut breakers) = (0, 0, 0);
    for _ in 0..ticks {
        subject.turn();
        let pushed = u32::from(floor.hold().tick().unwrap().is_multiple_of(45));
        for fact in &subject.facts {
            match &fact.body {
                Fact::Life(LifeFact::Decided { .. }) => {
                    done += 1;
                    pushed_acts += pushed;
                }
                Fact::Cage(fact) if matches!(**fact, CageFact::Breaker { .. }) => breakers += pushed,
                _ => {}
            }
        }
    }
    (done, pushed_acts, breakers)
}
