//! What it costs a golem that somebody pushes its pool: the same life with and without the pushes, side by side.

use crate::subject::{Subject, account, hands_of, newborn};
use crate::world::{Synthetic, SyntheticConfig};
use golem_core::Usdc;
use golem_core::door::World;
use golem_life::Settings;
use golem_mind::policy::Template;
use golem_venue::VenueError;
use golem_venue::floor::{FloorWorld, SharedFloor};
use golem_venue::scenario::{Happening, Scenario, ScenarioEvent};

/// Somebody pushes so often: once in a reference's window.
const EVERY_TICKS: u64 = 45;
/// The two-sided 95 % point of Student's t for 20 lives; with fewer it is a little more.
const T: f64 = 2.093;

/// How a floor is made for a seed, a world and its weather.
pub type MakeFloor<'a> = dyn Fn(u64, Synthetic, Scenario) -> Result<SharedFloor, VenueError> + 'a;

/// The pool pushed by so many basis points for one block, again and again; by nothing, never.
#[must_use]
pub fn pushes(bps: i32, ticks: u64) -> Scenario {
    let what = Happening::OracleDistortion { push_bps: bps, every_ticks: EVERY_TICKS };
    let event = ScenarioEvent { at_tick: EVERY_TICKS, for_ticks: ticks.max(1), what };
    let events = if bps == 0 { Vec::new() } else { vec![event] };
    Scenario { name: "pushes".to_owned(), about: String::new(), events }
}

/// A golem that trades within a few thousand ticks: trends of hours, and a purchase every seven ticks, which meets any of the
/// pushed ticks in time. By its defaults it would buy once a day, always a tick after a push, and the two would never meet.
#[must_use]
pub fn busy_settings(template: Template) -> Settings {
    let mut settings = Settings::default();
    let policy = &mut settings.policy;
    policy.template = template;
    let (trend, dca) = (&mut policy.trend_following, &mut policy.eth_dca);
    (trend.fast_hours, trend.slow_hours, trend.breakout_hours, trend.entry_sigmas) = (2, 6, 2, 0.05);
    (dca.every_ticks, dca.amount_usdc) = (7, Usdc::whole(25));
    settings
}

/// What a golem is worth after so many ticks in a pushed pool.
///
/// # Errors
/// When no market can begin in that world.
pub fn worth_after(
    seed: u64,
    settings: &Settings,
    (bps, ticks): (i32, u64),
    make: &MakeFloor<'_>,
) -> Result<Usdc, VenueError> {
    let world = || Synthetic::new(SyntheticConfig::default(), seed).map_err(|e| VenueError::Bug(format!("{e:?}")));
    let (secret, genesis) = newborn(seed, Usdc::whole(10_000), settings, &world()?);
    let (floor, who) = (make(seed, world()?, pushes(bps, ticks))?, account(&genesis));
    let seen = FloorWorld::new(floor.clone(), who, 0).like(Some(genesis.interval_s), world()?.ends_at());
    let mut subject = Subject::on(&genesis, &secret, Box::new(seen), Box::new(hands_of(&genesis, floor)));
    subject.turns(ticks);
    Ok(subject.status().worth())
}

/// Costs of pushing, as shares of what the golem is worth without it, one for each seed.
#[derive(Debug, Clone, PartialEq)]
pub struct Costs(pub Vec<f64>);

impl Costs {
    /// Their mean.
    #[must_use]
    pub fn mean(&self) -> f64 {
        self.0.iter().sum::<f64>() / self.0.len().max(1) as f64
    }
    /// Half of the mean's 95 % interval.
    #[must_use]
    pub fn margin(&self) -> f64 {
        let (n, mean) = (self.0.len().max(2) as f64, self.mean());
        let variance = self.0.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / (n - 1.0);
        T * libm::sqrt(variance / n)
    }
}

/// What pushing costs over these seeds, for each push in turn.
///
/// # Errors
/// When no market can begin in those worlds.
pub fn costs(
    seeds: impl Iterator<Item = u64>,
    settings: &Settings,
    (pushes, ticks): (&[i32], u64),
    make: &MakeFloor<'_>,
) -> Result<Vec<Costs>, VenueError> {
    let mut all = vec![Costs(Vec::new()); pushes.len()];
    for seed in seeds {
        let without = worth_after(seed, settings, (0, ticks), make)?.as_f64();
        for (costs, bps) in all.iter_mut().zip(pushes) {
            let with = worth_after(seed, settings, (*bps, ticks), make)?.as_f64();
            costs.0.push((without - with) / without);
        }
    }
    Ok(all)
}
