//! What a liquidity position is expected to earn, and how wide it should be.

use super::desk::{ADD, Desk, REMOVE, SWAP};
use crate::math::{DAY, HOUR, ratio};
use crate::outlook::Outlook;
use crate::pool::Span;

/// What is left of a forecast's distance from the usual over the life of a position, which outlives the hour that the
/// forecast is for; in logarithms.
const LASTS: f64 = 0.5;
/// Widths that are tried, in times of the one that is asked for: the wider, the less often it is left.
const WIDTHS: [f64; 4] = [1.0, 1.5, 2.0, 3.0];

/// A level over the life of a position.
fn lasting(forecast: f64, usual: Option<f64>) -> f64 {
    usual.map_or(forecast, |usual| usual + LASTS * (forecast - usual))
}

/// Log volatility over the life of a position.
pub(super) fn lasting_log_vol(outlook: &Outlook) -> Option<f64> {
    outlook.log_vol.map(|forecast| lasting(forecast, outlook.usual_log_vol))
}

/// Variance a day over the life of a position.
fn lasting_variance(outlook: &Outlook) -> Option<f64> {
    lasting_log_vol(outlook).map(|v| libm::exp(2.0 * v) * DAY / HOUR)
}

/// Half-width of a range in basis points, in daily deviations; 0 is the full range. Narrower than one deviation would be
/// left within the day.
pub(super) fn width_bps(range_sigmas: f64, outlook: &Outlook) -> u32 {
    width_of(range_sigmas, lasting_variance(outlook))
}

fn width_of(range_sigmas: f64, variance: Option<f64>) -> u32 {
    let Some(variance) = variance.filter(|_| range_sigmas > 0.0) else { return 0 };
    let wide = range_sigmas.max(1.0) * libm::sqrt(variance) * 1e4;
    if wide < 20_000.0 { (wide as u32).max(50) } else { 0 }
}

/// The width that is expected to earn most, and what it earns: the one that is asked for, or a wider one where leaving and
/// entering again costs more than the narrower one brings.
pub(super) fn best_width(desk: &Desk<'_>, range_sigmas: f64) -> (u32, Option<f64>) {
    // What does not hang on the width is reckoned once.
    let (variance, flows) = (lasting_variance(desk.outlook), PoolFlows::of(desk.outlook));
    let net_of = |width: u32| flows.map(|flows| flows.net(desk, around(width)));
    let asked = width_of(range_sigmas, variance);
    let mut best = (asked, net_of(asked));
    for times in &WIDTHS[1..] {
        let wider = width_of(range_sigmas * times, variance);
        let net = net_of(wider);
        if net > best.1 {
            best = (wider, net);
        }
    }
    best
}

/// A range of a half-width; none is the full range.
fn around(width_bps: u32) -> Option<Span> {
    (width_bps > 0).then(|| Span::around(0.0, width_bps))
}

/// What a position in a range is expected to earn a day, as a share of it: fees less what arbitrage takes, both
/// scaled by its concentration, less the trade of half of it and the gas each time the price leaves the range.
///
/// Fees must come from a protocol that works; arbitrage takes variance over eight per unit of time from a constant
/// product (Milionis et al. 2022), whatever the protocol does. A price leaves a range of s deviations after s^2 days on
/// average (the mean exit time of a random walk).
///
/// No range is the full range.
pub(super) fn net_yield_within(desk: &Desk<'_>, range: Option<Span>) -> Option<f64> {
    PoolFlows::of(desk.outlook).map(|flows| flows.net(desk, range))
}

/// What an unbounded position earns a day, fees less what arbitrage takes, and the variance behind that.
#[derive(Debug, Clone, Copy)]
struct PoolFlows {
    variance: f64,
    net: f64,
}

impl PoolFlows {
    fn of(outlook: &Outlook) -> Option<Self> {
        let variance = lasting_variance(outlook)?;
        let log_yield = lasting(outlook.log_yield?, outlook.usual_log_yield);
        let fees = libm::exp(log_yield) * outlook.p_normal().unwrap_or(1.0);
        Some(Self { variance, net: fees - variance / 8.0 })
    }

    fn net(self, desk: &Desk<'_>, range: Option<Span>) -> f64 {
        let Some(range) = range else { return self.net };
        let half = range.half();
        let days = ratio(half * half, self.variance);
        let gas = ratio(desk.gas * (REMOVE + SWAP + ADD), desk.micro(desk.stand.liquidity.max(USUAL_POSITION)));
        range.concentration(range.middle()) * self.net - ratio(0.5 * desk.cost + gas, days)
    }
}

/// A position before there is one, as a share of capital.
const USUAL_POSITION: f64 = 0.2;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::{Permissions, PolicyConfig, Valuation};
    use golem_core::intent::Holdings;

    /// Hourly deviations of 0.7 % and a yield of 0.05 % a day.
    fn outlook() -> Outlook {
        let (log_vol, log_yield) = (Some(libm::log(0.007)), Some(libm::log(0.0005)));
        Outlook { log_vol, usual_log_vol: log_vol, log_yield, ..Default::default() }
    }

    #[test]
    fn a_range_is_as_wide_as_the_volatility_asks_for() {
        let wild = Outlook { log_vol: Some(libm::log(0.028)), ..outlook() };
        let unknown = Outlook { log_vol: None, ..outlook() };
        for (sigmas, seen, expected) in [
            (0.0, outlook(), 0),
            (6.0, outlook(), 2_057),
            (0.2, outlook(), 342),
            (6.0, wild, 4_115),
            (6.0, unknown, 0),
            (20.0, Outlook { log_vol: Some(0.0), ..wild }, 0),
        ] {
            assert_eq!(width_bps(sigmas, &seen), expected, "{sigmas} deviations");
        }
    }

    #[test]
    fn concentration_multiplies_fees_and_arbitrage_alike() {
        let (outlook, config, may) = (outlook(), PolicyConfig::default(), Permissions::ALL);
        let (holdings, value) = (Holdings::default(), Valuation::default());
        let desk = Desk::of(&outlook, (&holdings, &value), &may, &config, 2_000.0);
        let variance = 0.007 * 0.007 * 24.0;
        let full = 0.0005 - variance / 8.0;
        assert!((net_yield_within(&desk, around(0)).unwrap() - full).abs() < 1e-12);
        // A fifth to each side: 11.477 times, and half of ten basis points each time it is left.
        let days = libm::log(1.2) * libm::log(1.2) / variance;
        let expected = 11.477 * full - 0.0005 / days;
        assert!((net_yield_within(&desk, around(2_000)).unwrap() - expected).abs() < 1e-6);
        let broken = Outlook { protocol: Some([0.0, 1.0, 0.0]), ..outlook };
        let desk = Desk { outlook: &broken, ..desk };
        assert!((net_yield_within(&desk, around(0)).unwrap() + variance / 8.0).abs() < 1e-12, "arbitrage goes on");
    }
}
