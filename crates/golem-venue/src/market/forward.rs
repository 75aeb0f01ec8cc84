//! Running a market forward on a fork: the future that recorded outside prices, or a scenario, would have brought.

use super::{Market, MarketStep, OutsideTick};
use crate::scenario::Scenario;
use crate::venue::{Venue, VenueError};

/// No run is longer than this: half a year of nominal ticks.
const MOST_TICKS: usize = 400_000;

/// Let a market go on upon a fork, one step for each outside tick, with a scenario that begins with the first of them. The
/// market is taken by value: nothing that happens here reaches the one that was copied.
///
/// # Errors
/// When the fork cannot go on, or when the scenario is unsound.
pub fn run_forward(
    fork: &mut dyn Venue,
    path: impl Iterator<Item = OutsideTick>,
    mut market: Market,
    scenario: Option<&Scenario>,
) -> Result<Vec<MarketStep>, VenueError> {
    let first = market.next_tick();
    if let Some(scenario) = scenario {
        // What was read from text has been checked, so that this cannot be the owner's fault.
        market.inject(&scenario.events, first).map_err(|problems| {
            let told: Vec<String> = problems.iter().map(ToString::to_string).collect();
            VenueError::Bug(format!("scenario {}: {}", scenario.name, told.join("; ")))
        })?;
    }
    (first..).zip(path.take(MOST_TICKS)).map(|(tick, outside)| market.step(fork, tick, &outside)).collect()
}
