//! Somebody pushes the pool for one block in forty-five: what that costs a golem, by paired lives.

use golem_cage::CageFact;
use golem_core::Usdc;
use golem_lab::pushing::{costs, pushes};
use golem_lab::subject::{Subject, account, newborn, paper_in};
use golem_lab::world::{Synthetic, SyntheticConfig};
use golem_life::{Fact, LifeFact, Settings};
use golem_mind::policy::Template;
use golem_venue::floor::{FloorHands, FloorWorld};

/// The most that pushing may cost on average, as a share of net asset value.
const MOST: f64 = 0.003;

fn of(template: Template) -> Settings {
    let mut settings = Settings::default();
    settings.policy.template = template;
    settings
}

/// A slice of the long campaign (`BARDO_LONG=1`: 20 seeds of 20,000 ticks, all pushes).
#[test]
fn pushing_costs_a_golem_next_to_nothing() {
    let long = std::env::var_os("BARDO_LONG").is_some();
    let (seeds, ticks, by): (u64, u64, &[i32]) =
        if long { (20, 20_000, &[-1_000, -300, 300, 1_000]) } else { (2, 1_500, &[-1_000, 300]) };
    for template in Template::ALL {
        let make = |seed, world, weather| paper_in(seed, world, Some(weather));
        let all = costs(11..11 + seeds, &of(template), (by, ticks), &make).unwrap();
        for (costs, bps) in all.iter().zip(by) {
            assert!(costs.mean() <= MOST, "{template} pushed by {bps}: {} +- {}", costs.mean(), costs.margin());
        }
    }
}

/// Without the rule the same pushes take money: the test above measures something. Whoever trades seldom meets a pushed block
/// seldom: this one follows every trend of an hour.
#[test]
fn a_golem_that_believes_a_pushed_price_pays_for_it() {
    let mut wary = of(Template::TrendFollowing);
    let trend = &mut wary.policy.trend_following;
    (trend.fast_hours, trend.slow_hours, trend.breakout_hours, trend.entry_sigmas) = (2, 6, 2, 0.05);
    let mut gullible = wary.clone();
    (gullible.cage.max_off_reference_bps, gullible.cage.reference_wait_turns) = (5_000, 1);
    let make = |seed, world, weather| paper_in(seed, world, Some(weather));
    let [lost, kept] = [&gullible, &wary].map(|who| costs(11..15, who, (&[-1_000], 9_000), &make).unwrap());
    eprintln!("{lost:?} {kept:?}");
    assert!(lost[0].mean() > 3.0 * MOST, "{:?}", lost[0]);
    assert!(kept[0].mean() <= MOST, "{:?}", kept[0]);
}

/// In a pushed block nothing is sold, removed, moved or opened, and no breaker trips by it.
#[test]
fn nothing_is_given_up_in_a_pushed_block() {
    for template in Template::ALL {
        let (mut settings, seed) = (of(template), 11);
        // Trends of hours, so that one is followed within the two thousand ticks.
        let trend = &mut settings.policy.trend_following;
        (trend.fast_hours, trend.slow_hours, trend.breakout_hours) = (2, 6, 2);
        trend.entry_sigmas = 0.05;
        let world = || Synthetic::new(SyntheticConfig::default(), seed).unwrap();
        let (secret, genesis) = newborn(seed, Usdc::whole(10_000), &settings, &world());
        let floor = paper_in(seed, world(), Some(pushes(-1_000, 2_000))).unwrap();
        let seen = FloorWorld::new(floor.clone(), account(&genesis), 0).like(Some(genesis.interval_s), None);
        let hands = FloorHands::new(floor.clone(), account(&genesis));
        let mut subject = Subject::on(&genesis, &secret, Box::new(seen), Box::new(hands));
        let mut done = 0;
        for _ in 0..2_000 {
            subject.turn();
            let pushed = floor.hold().tick().unwrap().is_multiple_of(45);
            for fact in &subject.facts {
                match &fact.body {
                    Fact::Life(LifeFact::Decided { action }) => {
                        assert!(!pushed, "{template} did {} in a pushed block", action.name());
                        done += 1;
                    }
                    Fact::Cage(fact) if matches!(**fact, CageFact::Breaker { .. }) => {
                        assert!(!pushed, "{template}: {fact:?}");
                    }
                    _ => {}
                }
            }
        }
        assert!(done > 0 || template == Template::StableYield, "{template} never did anything");
    }
}
