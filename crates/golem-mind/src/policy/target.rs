//! Where the portfolio should be, from what the forecasts say. The numbers are used as they are: a mind that forecasts
//! badly trades badly.

use super::PolicyConfig;
use crate::math::{HOUR, clip, unit};
use crate::outlook::Outlook;

/// Shares of capital.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Target {
    /// In the asset itself.
    pub asset: f64,
    /// In the liquidity position; `None` when nothing is known about its yield, and then it stays as it is.
    pub liquidity: Option<f64>,
    /// Where the asset would be without a forecast of returns.
    pub base: f64,
    /// What a share of capital in the asset is expected to earn while a forecast lasts.
    pub asset_edge: f64,
    /// Expected fee yield less loss-versus-rebalancing, per day.
    pub net_yield: f64,
    /// Expected variance per day.
    pub variance: f64,
}

/// Half of a full-range position is the asset.
pub(crate) const LIQUIDITY_EXPOSURE: f64 = 0.5;

impl Target {
    /// From the outlook, or nothing when there is no price or no idea of volatility.
    ///
    /// Exposure is the base share scaled to usual volatility (Moreira and Muir 2017) plus forecast return over aversion
    /// times variance (Merton 1969). Liquidity is worth providing when fees exceed loss-versus-rebalancing, which is
    /// variance over eight per unit of time for a constant-product pool (Milionis et al. 2022).
    pub(crate) fn from(outlook: &Outlook, held_liquidity: f64, risk: f64, config: &PolicyConfig) -> Option<Self> {
        outlook.price?;
        let log_vol = outlook.log_vol?;
        let variance = outlook.daily_variance()?;
        let mean = outlook.mean_return.unwrap_or(0.0);
        let calm = clip(outlook.usual_log_vol.unwrap_or(log_vol) - log_vol, 1.0);
        let base = config.base_exposure * libm::exp(calm);
        let hourly = variance * HOUR / crate::math::DAY;
        let tilt = clip(mean / (config.risk_aversion * hourly), 1.0);
        let risk = unit(risk);
        let exposure = (base + tilt).clamp(0.0, unit(config.max_exposure)) * risk;
        // Fees are expected from a protocol that works; the loss to arbitrage comes either way.
        let works = outlook.p_normal().unwrap_or(1.0);
        let net_yield = outlook.daily_yield().map(|y| y * works - variance / 8.0);
        let liquidity = net_yield.map(|net| config.max_liquidity * unit(net / config.full_yield) * risk);
        let inside = LIQUIDITY_EXPOSURE * liquidity.unwrap_or(held_liquidity);
        let (asset, base) = ((exposure - inside).max(0.0), (base.min(config.max_exposure) * risk - inside).max(0.0));
        let net_yield = net_yield.unwrap_or(0.0);
        Some(Self { asset, liquidity, base, asset_edge: mean * config.signal_horizons, net_yield, variance })
    }

    /// What moving the asset share from `held` to the target is expected to bring, as a share of capital: the forecast
    /// return while it lasts, and for the way towards the base share the utility of being there, half of aversion
    /// times variance times the squared distance.
    pub(crate) fn asset_benefit(&self, held: f64, config: &PolicyConfig) -> f64 {
        let gap = self.asset - held;
        let to_base = self.base - held;
        let way = if gap * to_base > 0.0 { gap.abs().min(to_base.abs()) } else { 0.0 };
        gap * self.asset_edge + 0.5 * config.risk_aversion * self.variance * config.hold_days * way * way
    }
    /// The same for liquidity: what it earns, or no longer loses, while it is held.
    pub(crate) fn liquidity_benefit(&self, held: f64, config: &PolicyConfig) -> f64 {
        self.liquidity.map_or(0.0, |target| (target - held) * self.net_yield * config.hold_days)
    }
}
