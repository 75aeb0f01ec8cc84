//! What living costs, as whole micro-USDC and basis points.

use crate::config::EconomicConfig;
use golem_core::{Elapsed, Usdc};

/// Insurance snapshots fall due every six virtual hours.
pub const SNAPSHOT_PERIOD: Elapsed = Elapsed::secs(6 * 3_600);
/// A virtual day.
pub const DAY: Elapsed = Elapsed::secs(86_400);
/// A virtual hour.
pub const HOUR: Elapsed = Elapsed::secs(3_600);

/// The running costs and reserve rules of one golem.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Prices {
    /// Rent per virtual hour.
    pub compute_per_hour: Usdc,
    /// One insurance snapshot.
    pub snapshot: Usdc,
    /// Feed per virtual day.
    pub data_per_day: Usdc,
    /// The least reserve.
    pub reserve_floor: Usdc,
    /// Share of funding, in basis points.
    pub reserve_bps: u32,
    /// Share of funding that is operating credit, in basis points.
    pub operating_bps: u32,
    /// Share of profit that refills it, in basis points.
    pub refill_bps: u32,
}

/// A fraction as whole basis points.
#[must_use]
pub fn bps(x: f64) -> u32 {
    (x.clamp(0.0, 1.0) * 10_000.0 + 0.5) as u32
}

impl Prices {
    /// From settings.
    #[must_use]
    pub fn of(config: &EconomicConfig) -> Self {
        // Whoever is self-hosted pays no rent: the owner does, out of band.
        let rent = |price: Usdc| if config.enabled { price } else { Usdc::ZERO };
        Self {
            compute_per_hour: rent(config.compute_usdc_per_hour),
            snapshot: rent(config.snapshot_usdc),
            data_per_day: rent(config.data_usdc_per_day),
            reserve_floor: config.death_reserve_floor_usdc,
            reserve_bps: bps(config.death_reserve_proportional),
            operating_bps: bps(config.operating_share),
            refill_bps: bps(config.refill_share),
        }
    }

    /// What a virtual day costs whatever is done: machine, feed and insurance.
    #[must_use]
    pub fn rent_per_day(&self) -> Usdc {
        let snapshots = self.snapshot.ratio(DAY.0, SNAPSHOT_PERIOD.0);
        self.compute_per_hour.ratio(DAY.0, HOUR.0).plus(self.data_per_day).plus(snapshots)
    }

    /// What falls due between two ages at a price per period, to the micro-USDC and without drift: the difference of
    /// two rounded totals, so that many short turns cost exactly what one long turn costs.
    #[must_use]
    pub fn due(price: Usdc, period: Elapsed, from: Elapsed, to: Elapsed) -> Usdc {
        price.ratio(to.0, period.0).minus(price.ratio(from.0, period.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_short_turns_cost_what_one_long_turn_costs() {
        let (hour, price) = (Elapsed::secs(3_600), Usdc(7_000));
        let total: u64 =
            (0..2_160u64).map(|i| Prices::due(price, hour, Elapsed::nominal(i), Elapsed::nominal(i + 1)).0).sum();
        assert_eq!(total, 24 * 7_000);
    }
}
