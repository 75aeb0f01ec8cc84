//! A look at an account from bar to bar, beside whoever owns it: everybody in a backtest is read at the same moments.

use crate::chain::{self, Stand};
use crate::fail::Fail;
use golem_core::door::World;
use golem_core::venue::PositionSeen;
use golem_core::{Book, Elapsed, NOMINAL_TICK_S, Timestamp, Usdc, VirtualTime};
use golem_venue::floor::{FloorWorld, SharedFloor};
use golem_venue::{Account, spot};
use golem_view::metrics::Held;

/// The watch over one account.
pub struct Watch {
    world: FloorWorld,
    pub floor: SharedFloor,
    pub who: Account,
    usdc_is_token0: bool,
    epoch: Timestamp,
    step: Elapsed,
    ends: VirtualTime,
}

/// What there was to see at a bar, before anybody acted in it.
#[derive(Debug, Clone, Copy)]
pub struct BarSeen {
    /// The pool's price.
    pub price: f64,
    pub gas_gwei: f64,
}

impl Watch {
    /// Over the account of a stand.
    pub fn over(stand: &Stand) -> Result<Self, Fail> {
        let floor = stand.floor.clone().ok_or_else(|| Fail::Bug("a backtest without a floor".into()))?;
        let (interval, who) = (stand.world.natural_interval_s(), stand.who);
        let ends = stand.world.ends_at().ok_or_else(|| Fail::Bug("a history without an end".into()))?;
        let usdc_is_token0 = floor.hold().ground().view().map_err(|e| chain::trouble(&e))?.usdc_is_token0;
        Ok(Self {
            world: FloorWorld::new(floor.clone(), who, 0).like(interval, Some(ends)),
            floor,
            who,
            usdc_is_token0,
            epoch: stand.world.epoch(),
            step: Elapsed::secs(interval.unwrap_or(NOMINAL_TICK_S)),
            ends,
        })
    }

    /// The ages at which everybody is read: the first bar, every one after it, and the end of the history.
    pub fn ages(&self) -> impl Iterator<Item = VirtualTime> + use<> {
        let (step, ends) = (self.step, self.ends);
        std::iter::successors(Some(VirtualTime::default()), move |age| (*age < ends).then(|| age.after(step).min(ends)))
    }

    /// The moment of an age.
    pub fn moment(&self, age: VirtualTime) -> Timestamp {
        self.epoch.after(age.age())
    }

    /// Let the market go on to this age, and look.
    pub fn look(&mut self, age: VirtualTime) -> Result<BarSeen, Fail> {
        let seen = self.world.observe(age);
        if let Some(trouble) = self.floor.hold().trouble() {
            return Err(chain::trouble(trouble));
        }
        let seen = seen.ok_or_else(|| Fail::Bug(format!("the history has nothing at {}", self.moment(age))))?;
        Ok(BarSeen { price: seen.price.unwrap_or_default(), gas_gwei: seen.gas_gwei.unwrap_or_default() })
    }

    /// What the account holds now.
    pub fn book(&self) -> Result<Book, Fail> {
        self.floor.hold().ground().book(self.who).map_err(|e| chain::trouble(&e))
    }

    /// The pool's price in a book.
    pub fn price(&self, book: &Book) -> f64 {
        spot::price_of(book.pool.sqrt_price_x96, self.usdc_is_token0)
    }

    /// A position as it lies in the pool.
    pub fn held(&self, position: &PositionSeen) -> Held {
        let PositionSeen { range, liquidity, .. } = *position;
        Held { range, liquidity, usdc_is_token0: self.usdc_is_token0 }
    }
}

/// What all positions of a book would fetch, after gas.
pub fn fetched(book: &Book) -> Usdc {
    book.worth.unwound.minus(book.worth.gas)
}
