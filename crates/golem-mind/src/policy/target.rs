//! Where an lp-management portfolio should be, from what the forecasts say. The numbers are used as they are: a mind
//! that forecasts badly trades badly.

use super::desk::Desk;
use super::earn::{best_width, lasting_log_vol};
use super::tables::LpManagement;
use crate::math::{DAY, HOUR, clip, unit};

/// Shares of capital.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Target {
    /// In the asset itself.
    pub asset: f64,
    /// In the liquidity position; `None` when nothing is known about its yield, and then it stays as it is.
    pub liquidity: Option<f64>,
    /// Where the asset would be without a forecast of returns.
    pub base: f64,
    /// What a share of capital in the asset is expected to earn while a forecast lasts.
    pub asset_edge: f64,
    /// What liquidity is expected to earn a day.
    pub net_yield: f64,
    /// Expected variance per day.
    pub variance: f64,
    /// Half-width of the range it should have.
    pub width_bps: u32,
}

impl Target {
    /// From the outlook, or nothing when there is no idea of volatility.
    ///
    /// Exposure is the base share scaled to usual volatility (Moreira and Muir 2017) plus forecast return over aversion
    /// times variance (Merton 1969). What is inside the liquidity position counts.
    pub(super) fn from(desk: &Desk<'_>, p: &LpManagement) -> Option<Self> {
        let outlook = desk.outlook;
        // A position outlives the hour of a forecast: it is sized by the volatility that lasts.
        let log_vol = lasting_log_vol(outlook)?;
        let variance = outlook.daily_variance()?;
        let mean = outlook.mean_return.unwrap_or(0.0);
        let calm = clip(outlook.usual_log_vol.unwrap_or(log_vol) - log_vol, 1.0);
        let base = p.base_exposure * libm::exp(calm);
        let tilt = clip(mean / (p.risk_aversion * variance * HOUR / DAY), 1.0);
        let (risk, most) = (unit(desk.may.risk), unit(p.max_exposure));
        let (width_bps, net_yield) = best_width(desk, p.range_sigmas);
        let liquidity = net_yield.map(|net| unit(p.max_liquidity) * unit(net / p.full_yield) * risk);
        let inside = liquidity.map_or(desk.stand.inside * desk.stand.liquidity, |l| desk.mixture() * l);
        Some(Self {
            asset: (unit(base + tilt).min(most) * risk - inside).max(0.0),
            liquidity,
            base: (unit(base).min(most) * risk - inside).max(0.0),
            asset_edge: mean * p.signal_horizons,
            net_yield: net_yield.unwrap_or(0.0),
            variance,
            width_bps,
        })
    }

    /// What moving the asset share from `held` to the target is expected to bring, as a share of capital: the forecast
    /// return while it lasts, and for the way towards the base share the utility of being there, half of aversion
    /// times variance times the squared distance, for as long as one stays there.
    pub(super) fn asset_benefit(&self, held: f64, p: &LpManagement, stay_days: f64) -> f64 {
        let gap = self.asset - held;
        let to_base = self.base - held;
        let way = if gap * to_base > 0.0 { gap.abs().min(to_base.abs()) } else { 0.0 };
        gap * self.asset_edge + 0.5 * p.risk_aversion * self.variance * stay_days * way * way
    }
    /// The same for liquidity: what it earns, or no longer loses, while it is held.
    pub(super) fn liquidity_benefit(&self, held: f64, p: &LpManagement) -> f64 {
        self.liquidity.map_or(0.0, |target| (target - held) * self.net_yield * p.hold_days)
    }
}
