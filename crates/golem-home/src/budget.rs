//! What a budget means, for `create` and for the obituary: the rule is the economic clock's and the policy's, the market's
//! prices come from the world.

use crate::golem_file::{ChainWord, GolemFile};
use crate::world;
use golem_core::{RawObservation, Usdc, VirtualTime};
use golem_mortality::economic::Prices;
use golem_mortality::economic::budget::{BudgetMeaning, meaning};

/// At the prices that its world begins with. On a node's chain nobody has looked yet, so gas is left out.
pub fn at_birth(budget: Usdc, file: &GolemFile) -> BudgetMeaning {
    let seen = if file.chain.kind == ChainWord::Rpc { None } else { first_look(file) };
    let (gas, price) = seen.map_or((None, None), |seen| (seen.gas_gwei, seen.price));
    at_prices(budget, file, gas, price)
}

/// What is seen of a world in the first turn; none when it cannot be built any more.
pub fn first_look(file: &GolemFile) -> Option<RawObservation> {
    let mut world = world::build(&file.world).ok()?;
    let first_turn = world::interval_s(file.heartbeat.tick_interval_s, world.as_ref());
    world.observe(VirtualTime(first_turn.saturating_mul(1_000)))
}

/// At a gas price and a price of the asset, where they are known.
pub fn at_prices(budget: Usdc, file: &GolemFile, gas_gwei: Option<f64>, price: Option<f64>) -> BudgetMeaning {
    let least = gas_gwei.zip(price).and_then(|(gas, price)| file.policy.smallest_useful_trade(gas, price));
    meaning(budget, &Prices::of(&file.mortality.economic), least)
}
