//! What borrowers pay and suppliers get, by how much of a market is lent out.

use super::ray::{RAY, percent_mul, ray_div, ray_mul};
use serde::{Deserialize, Serialize};

/// A rate that grows slowly up to a point and steeply beyond it. Rates are a year's, with 27 decimals.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct RateCurve {
    /// The share that is best lent out.
    pub optimal: u128,
    /// The rate when nothing is.
    pub base: u128,
    /// What is added up to there.
    pub slope: u128,
    /// What is added beyond, up to everything.
    pub steep: u128,
}

impl RateCurve {
    /// From basis points.
    #[must_use]
    pub fn of_bps(optimal: u32, base: u32, slope: u32, steep: u32) -> Self {
        let ray = |bps: u32| u128::from(bps) * (RAY / 10_000);
        Self { optimal: ray(optimal), base: ray(base), slope: ray(slope), steep: ray(steep) }
    }

    /// What suppliers get and borrowers pay, with so much in the till and so much lent out. Nothing where the contracts would revert.
    pub(super) fn rates(&self, cash: u128, debt: u128, reserve_bps: u32) -> Option<MarketRates> {
        if debt == 0 {
            return Some(MarketRates { supply: 0, borrow: self.base });
        }
        let usage = ray_div(debt, cash.checked_add(debt)?)?;
        let more = if usage > self.optimal {
            let beyond = ray_div(usage - self.optimal, RAY.checked_sub(self.optimal)?)?;
            self.slope.checked_add(ray_mul(self.steep, beyond)?)?
        } else {
            ray_div(ray_mul(self.slope, usage)?, self.optimal)?
        };
        let borrow = self.base.checked_add(more)?;
        // A mean over debts of two kinds, of which there is one: its roundings stay.
        let wad = debt.checked_mul(1_000_000_000)?;
        let overall = ray_div(ray_mul(wad, borrow)?, wad)?;
        let supply = percent_mul(ray_mul(overall, usage)?, 10_000u32.checked_sub(reserve_bps)?)?;
        Some(MarketRates { supply, borrow })
    }
}

/// A year's rates, with 27 decimals.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct MarketRates {
    /// What suppliers get.
    pub supply: u128,
    /// What borrowers pay.
    pub borrow: u128,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Cash, debt: borrowers' and suppliers' rate in basis points, for a curve with a knee at 90 %.
    #[test]
    fn the_table_of_rates() {
        let curve = RateCurve::of_bps(9_000, 0, 400, 6_000);
        let bps = |rate: u128| rate as f64 / RAY as f64 * 1e4;
        for (cash, debt, borrow, supply) in [
            (100, 0, 0.0, 0.0),
            (50, 50, 222.222, 100.0),
            (10, 90, 400.0, 324.0),
            (5, 95, 3_400.0, 2_907.0),
            (0, 100, 6_400.0, 5_760.0),
        ] {
            let rates = curve.rates(cash * 1_000_000, debt * 1_000_000, 1_000).expect("rates");
            let near = |a: f64, b: f64| (a - b).abs() < 0.01;
            assert!(near(bps(rates.borrow), borrow) && near(bps(rates.supply), supply), "{cash} {debt}: {rates:?}");
        }
    }
}
