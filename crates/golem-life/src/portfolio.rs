//! What a golem holds in positions, what it paid for it, and what it would fetch now.
//!
//! A simple paper book: the asset itself and one full-range liquidity position, whose value follows the square root
//! of the price. Exact pool arithmetic comes with the chain; the seam is [`Portfolio::value`].

use golem_core::intent::{Asset, Holdings, Outcome};
use golem_core::unit::Positive;
use golem_core::{Elapsed, Observation, Usdc};
use serde::{Deserialize, Serialize};

/// Units of the asset per whole.
pub const NANO: f64 = 1e9;
/// Fee of the paper pool, in basis points.
const FEE_BPS: f64 = 5.0;

/// Share of a trade's spot value that comes out of the paper pool: the fee, and an impact that grows with size against
/// what the market trades between observations. Valuation and fills both go by it.
#[must_use]
pub fn kept(spot: Usdc, volume: Option<Positive>) -> f64 {
    let depth = volume.map_or(1e6, |v| v.get().clamp(1e4, 1e12)) * 50.0;
    let impact_bps = (spot.as_f64() / depth * 10_000.0).min(5_000.0);
    1.0 - (FEE_BPS + impact_bps) / 10_000.0
}

/// What selling an amount of the asset brings.
#[must_use]
pub fn sale(asset: Asset, price: Positive, volume: Option<Positive>) -> Usdc {
    let spot = asset_value(asset, price);
    micro(spot.0 as f64 * kept(spot, volume))
}

/// What taking shares out of the position brings: half of it is sold on the way.
#[must_use]
pub fn withdrawal(units: u64, price: Positive, volume: Option<Positive>) -> Usdc {
    let spot = units_value(units, price);
    micro(spot.0 as f64 * (1.0 + kept(spot, volume)) / 2.0)
}

/// Positions and their cost.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Portfolio {
    /// The volatile asset.
    pub asset: Asset,
    /// What it cost.
    pub asset_cost: Usdc,
    /// Shares of the liquidity position.
    pub units: u64,
    /// What they cost.
    pub units_cost: Usdc,
    /// Fees earned and not collected.
    pub fees: Usdc,
    /// Fractions of a micro-USDC of fees, carried so that small positions earn too.
    pub fee_carry: f64,
    /// The last price seen: positions are valued by it while none is seen.
    pub price: Option<Positive>,
    /// The last gas price seen, in gwei.
    pub gas_gwei: Option<Positive>,
    /// The last volume seen: what a sale would move the price by.
    pub volume: Option<Positive>,
}

/// Money that came back, and the profit in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Realised {
    /// What came in.
    pub got: Usdc,
    /// How much of it is profit.
    pub profit: Usdc,
    /// How much is missing to what it cost.
    pub loss: Usdc,
}

/// Rounds to whole micro-USDC; what is not a number is nothing.
#[must_use]
pub fn micro(x: f64) -> Usdc {
    if x > 0.0 { Usdc((x + 0.5).min(9e18) as u64) } else { Usdc::ZERO }
}

/// Value of an amount of the asset at a price.
#[must_use]
pub fn asset_value(asset: Asset, price: Positive) -> Usdc {
    micro(asset.0 as f64 / NANO * price.get() * 1e6)
}

/// Value of shares of the full-range position at a price: proportional to its square root.
#[must_use]
pub fn units_value(units: u64, price: Positive) -> Usdc {
    micro(units as f64 / NANO * libm::sqrt(price.get()) * 1e6)
}

impl Portfolio {
    /// See a turn's market: remember prices, accrue fees.
    pub fn see(&mut self, seen: &Observation, elapsed: Elapsed) {
        self.price = seen.price.or(self.price);
        self.gas_gwei = seen.gas_gwei.or(self.gas_gwei);
        self.volume = seen.volume.or(self.volume);
        if let (Some(price), Some(fee_yield), true) = (self.price, seen.fee_yield, self.units > 0) {
            // A yield that no pool pays is a fault of the feed: at most 10 % a day is believed.
            let daily = fee_yield.get().min(0.10);
            let earned = units_value(self.units, price).0 as f64 * daily * elapsed.as_days().min(30.0) + self.fee_carry;
            let whole = libm::floor(earned).clamp(0.0, 9e18);
            self.fee_carry = (earned - whole).clamp(0.0, 1.0);
            self.fees = self.fees.plus(Usdc(whole as u64));
        }
    }

    /// What all positions would fetch if they were unwound now, before gas.
    #[must_use]
    pub fn value(&self) -> Usdc {
        let Some(price) = self.price else { return self.asset_cost.plus(self.units_cost).plus(self.fees) };
        let asset = if self.asset.0 > 0 { sale(self.asset, price, self.volume) } else { Usdc::ZERO };
        let units = if self.units > 0 { withdrawal(self.units, price, self.volume) } else { Usdc::ZERO };
        asset.plus(units).plus(self.fees)
    }

    /// Share of a net asset value that follows the price.
    #[must_use]
    pub fn exposure(&self, nav: Usdc) -> f64 {
        let Some(price) = self.price else { return 0.0 };
        if nav == Usdc::ZERO {
            return 0.0;
        }
        let half = units_value(self.units, price).0 as f64 / 2.0;
        ((asset_value(self.asset, price).0 as f64 + half) / nav.0 as f64).clamp(0.0, 1.0)
    }

    /// How many positions are open.
    #[must_use]
    pub fn open(&self) -> u32 {
        u32::from(self.asset.0 > 0) + u32::from(self.units > 0)
    }

    /// What hands need to know.
    #[must_use]
    pub fn holdings(&self, capital: Usdc) -> Holdings {
        Holdings { capital, asset: self.asset, units: self.units, fees: self.fees }
    }

    /// Book an outcome. Money put in is the caller's to take from the ledger; money that came back is returned.
    pub fn book(&mut self, outcome: &Outcome) -> Realised {
        match *outcome {
            Outcome::Bought { paid, got } => {
                self.asset = Asset(self.asset.0.saturating_add(got.0));
                self.asset_cost = self.asset_cost.plus(paid);
                Realised::default()
            }
            Outcome::Added { paid, units } => {
                self.units = self.units.saturating_add(units);
                self.units_cost = self.units_cost.plus(paid);
                Realised::default()
            }
            Outcome::Sold { gave, got } => {
                let cost = self.asset_cost.ratio(gave.0.min(self.asset.0), self.asset.0);
                self.asset = Asset(self.asset.0.saturating_sub(gave.0));
                self.asset_cost = self.asset_cost.minus(cost);
                realised(got, cost)
            }
            Outcome::Removed { units, got } => {
                let cost = self.units_cost.ratio(units.min(self.units), self.units);
                self.units = self.units.saturating_sub(units);
                self.units_cost = self.units_cost.minus(cost);
                self.fees = Usdc::ZERO;
                realised(got, cost)
            }
            Outcome::Collected { got } => {
                self.fees = Usdc::ZERO;
                realised(got, Usdc::ZERO)
            }
            Outcome::Held | Outcome::Refused { .. } => Realised::default(),
        }
    }
}

fn realised(got: Usdc, cost: Usdc) -> Realised {
    Realised { got, profit: got.minus(cost), loss: cost.minus(got) }
}
