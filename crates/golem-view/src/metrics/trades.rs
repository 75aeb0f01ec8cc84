//! Closed trades: how many were won, and what the won ones brought against what the lost ones cost.

use crate::trade::Trade;
use golem_core::{Usdc, UsdcDelta};
use serde::Serialize;

/// Acts that closed something, summed up.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct Closed {
    /// How many.
    pub count: u64,
    pub won: u64,
    pub lost: u64,
    /// Share of them that were won.
    pub win_rate: Option<f64>,
    /// Gains over losses; missing where nothing was lost.
    pub profit_factor: Option<f64>,
    #[serde(rename = "gains_micro_usdc")]
    pub gains: Usdc,
    #[serde(rename = "losses_micro_usdc")]
    pub losses: Usdc,
    #[serde(rename = "best_micro_usdc")]
    pub best: Option<UsdcDelta>,
    #[serde(rename = "worst_micro_usdc")]
    pub worst: Option<UsdcDelta>,
}

impl Closed {
    /// Of a life's trades; what came to nothing and what closed nothing is left out.
    #[must_use]
    pub fn of(trades: &[Trade]) -> Self {
        Self::of_profits(trades.iter().filter(|t| t.is_done()).filter_map(|t| t.profit))
    }

    fn of_profits(profits: impl Iterator<Item = UsdcDelta>) -> Self {
        let mut all = Self::default();
        for profit in profits {
            all.count += 1;
            all.won += u64::from(profit.0 > 0);
            all.lost += u64::from(profit.0 < 0);
            let size = Usdc(profit.0.unsigned_abs());
            let side = if profit.0 > 0 { &mut all.gains } else { &mut all.losses };
            *side = side.plus(size);
            all.best = all.best.max(Some(profit));
            all.worst = Some(all.worst.map_or(profit, |worst| worst.min(profit)));
        }
        all.win_rate = (all.count > 0).then(|| all.won as f64 / all.count as f64);
        all.profit_factor = (all.losses > Usdc::ZERO).then(|| all.gains.0 as f64 / all.losses.0 as f64);
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gains_losses_and_those_that_are_neither() {
        let told = Closed::of_profits([30, -10, 0, 20, -15].map(UsdcDelta).into_iter());
        assert_eq!((told.count, told.won, told.lost), (5, 2, 2));
        assert_eq!((told.win_rate, told.profit_factor), (Some(0.4), Some(2.0)));
        assert_eq!((told.best, told.worst), (Some(UsdcDelta(30)), Some(UsdcDelta(-15))));
        let won = Closed::of_profits([UsdcDelta(5)].into_iter());
        assert_eq!((won.win_rate, won.profit_factor), (Some(1.0), None));
        assert_eq!(Closed::of_profits(std::iter::empty()), Closed::default());
    }
}
