//! Somebody who buys with everything at the golem's first turn and holds: the pool's fee, its depth and gas both ways, as
//! the pool would have taken them. It is reckoned on forks, so that the golem never meets it.

use golem_core::intent::Asset;
use golem_core::{Action, Usdc};
use golem_venue::floor::SharedFloor;
use golem_venue::gas;
use golem_venue::{MarketTrade, VenueError};

/// What was bought.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HolderBeside {
    got: Asset,
    /// What was too little to pay for gas, and stayed money.
    kept: Usdc,
}

impl HolderBeside {
    /// Buy now.
    pub fn buy(floor: &SharedFloor, budget: Usdc) -> Result<Self, VenueError> {
        let mut floor = floor.hold();
        let ground = floor.ground();
        let cost = ground.gas_cost(gas::charged(&Action::Buy { pay: budget, min_out: Asset(1) }, 0, 0, false))?;
        let pay = budget.minus(cost);
        if pay == Usdc::ZERO {
            return Ok(Self { got: Asset::ZERO, kept: budget });
        }
        let head = ground.view()?.point;
        let traded = ground.fork_at(head)?.trade(&MarketTrade::Buy { pay })?;
        Ok(Self { got: Asset(u128::try_from(-traded.asset).unwrap_or(0)), kept: Usdc::ZERO })
    }

    /// What selling it all now would leave.
    pub fn worth(self, floor: &SharedFloor) -> Result<Usdc, VenueError> {
        if self.got == Asset::ZERO {
            return Ok(self.kept);
        }
        let mut floor = floor.hold();
        let ground = floor.ground();
        let sell = Action::Sell { give: self.got, min_out: Usdc(0) };
        let cost = ground.gas_cost(gas::charged(&sell, 0, 0, false))?;
        let head = ground.view()?.point;
        let traded = ground.fork_at(head)?.trade(&MarketTrade::Sell { give: self.got })?;
        Ok(Usdc(u64::try_from(-traded.usdc).unwrap_or(0)).minus(cost))
    }
}
