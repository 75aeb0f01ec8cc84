//! What the mind expects, in the numbers that the policy trades on.

use crate::pool::Span;
use crate::senses::PriceTrend;
use golem_core::ProtocolState;
use serde::{Deserialize, Serialize};

/// The forecasts of one turn, each for its domain's own horizon. `None` where the domain is silent.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Outlook {
    /// USDC per unit of the asset, as seen in this turn.
    pub price: Option<f64>,
    /// The better of the pool's price and its reference, in a turn in which the pool's is not believed: what must go is
    /// sold at that price or not at all.
    pub sale_price: Option<f64>,
    /// True when there is no reference to hold the pool's price against: what must go goes in parts.
    pub blind: bool,
    /// Expected log return over 90 nominal ticks.
    pub mean_return: Option<f64>,
    /// The same by the panel alone, without what experts know.
    pub panel_return: Option<f64>,
    /// Expected log realised volatility over 90 nominal ticks.
    pub log_vol: Option<f64>,
    /// The golem's usual log volatility, to hold the forecast against.
    pub usual_log_vol: Option<f64>,
    /// Expected log fee yield per day in 270 nominal ticks.
    pub log_yield: Option<f64>,
    /// What that usually is, to hold the forecast against.
    pub usual_log_yield: Option<f64>,
    /// Expected log gas price in 15 nominal ticks, gwei.
    pub log_gas: Option<f64>,
    /// Gas now over its mean of the last hour or so, as a log ratio.
    pub gas_excess: Option<f64>,
    /// Probabilities of normal, degraded and upgraded in 90 nominal ticks.
    pub protocol: Option<[f64; 3]>,
    /// Log of the price's mean over about a day.
    pub day_mean: Option<f64>,
    /// Where the price has been lately, for a policy that asks for it.
    pub trend: Option<PriceTrend>,
    /// The range of the open position, where the chain told it.
    pub range: Option<Span>,
    /// What a trade costs against the spot quote, in basis points, as far as own actions have taught it.
    pub cost_bps: Option<f64>,
}

impl Outlook {
    /// The same with other expectations of return, volatility, fee yield and gas, where there are any.
    #[must_use]
    pub fn expecting(&self, [mean_return, log_vol, log_yield, log_gas]: [Option<f64>; 4]) -> Self {
        let told = |own: Option<f64>, other: Option<f64>| own.map(|own| other.unwrap_or(own));
        Self {
            mean_return: told(self.mean_return, mean_return),
            log_vol: told(self.log_vol, log_vol),
            log_yield: told(self.log_yield, log_yield),
            log_gas: told(self.log_gas, log_gas),
            ..*self
        }
    }
    /// The smaller risk of this outlook and another, number by number: what is held and put into the pool grows with return and
    /// yield, and shrinks with volatility and with the price of gas. Mostly: a decision looks at what comes of both.
    #[must_use]
    pub fn smaller_risk(&self, other: &Self) -> Self {
        let either = |a: Option<f64>, b: Option<f64>, of: fn(f64, f64) -> f64| a.zip(b).map(|(a, b)| of(a, b)).or(a);
        Self {
            mean_return: either(self.mean_return, other.mean_return, f64::min),
            log_vol: either(self.log_vol, other.log_vol, f64::max),
            log_yield: either(self.log_yield, other.log_yield, f64::min),
            log_gas: either(self.log_gas, other.log_gas, f64::max),
            ..*self
        }
    }
    /// Expected variance of the log price over a day (Corsi 2009 calls its root the realised volatility).
    #[must_use]
    pub fn daily_variance(&self) -> Option<f64> {
        self.log_vol.map(|v| libm::exp(2.0 * v) * crate::math::DAY / crate::math::HOUR)
    }
    /// Expected gas price in gwei.
    #[must_use]
    pub fn gas_gwei(&self) -> Option<f64> {
        self.log_gas.map(libm::exp)
    }
    /// Probability that the protocol will be as usual.
    #[must_use]
    pub fn p_normal(&self) -> Option<f64> {
        self.protocol.map(|p| p[ProtocolState::Normal.index()])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_is_not_proven_here_raises_no_risk(
            with in prop::array::uniform4(-5.0..5.0_f64), without in prop::array::uniform4(-5.0..5.0_f64),
        ) {
            let of = |[mean_return, log_vol, log_yield, log_gas]: [f64; 4]| Outlook {
                mean_return: Some(mean_return),
                log_vol: Some(log_vol),
                log_yield: Some(log_yield),
                log_gas: Some(log_gas),
                ..Outlook::default()
            };
            let taken = of(with).smaller_risk(&of(with).expecting(without.map(Some)));
            for other in [of(with), of(without)] {
                prop_assert!(taken.mean_return <= other.mean_return && taken.log_yield <= other.log_yield);
                prop_assert!(taken.log_vol >= other.log_vol && taken.log_gas >= other.log_gas);
            }
            prop_assert_eq!(of(with).expecting([None; 4]), of(with));
            prop_assert_eq!(of(with).smaller_risk(&of(with)), of(with));
        }
    }
}
