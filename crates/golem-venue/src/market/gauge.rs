//! The gauge: turns one view after another into what a golem observes. It needs nothing but views, so that it reads every
//! kind of chain alike.

use super::price::{self, FEE};
use crate::spot::price_f64;
use crate::venue::View;
use alloy_primitives::U256;
use golem_core::venue::Wide;
use golem_core::{ProtocolState, RawObservation};
use serde::{Deserialize, Serialize};

/// Relaxation time of the fee yield's moving mean, in seconds: an hour, or eight looks where looks are rare.
pub const FEE_YIELD_WINDOW_S: u64 = 3_600;
/// One look replaces at most this much of the mean, as a relaxation: an eighth.
const LARGEST_STEP: f64 = 0.125;
/// The mean of fewer looks than this says more about one trade than about the pool.
const FEWEST_LOOKS: u32 = 10;
const DAY_S: f64 = 86_400.0;
const TWO_128: f64 = (1_u128 << 127) as f64 * 2.0;
/// A yield below this is none: no trade for more than a day.
const LEAST_YIELD: f64 = 1e-12;

/// What has been seen of a pool so far.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct PoolGauge {
    last: Option<View>,
    /// Fees per unit of value, and the days they took, both fading at the same rate: their ratio is a yield per day that is
    /// unbiased from the first look on.
    fees: f64,
    days: f64,
    /// How many looks are in it.
    looks: u32,
}

/// What happened in the pool between two views.
struct Between {
    /// Fees of a full-range position, as a share of its value.
    fee_share: f64,
    /// Volume, in USDC.
    volume: f64,
}

impl PoolGauge {
    /// See the pool, and tell what there is to observe. The state of the protocol is whoever's word the caller has.
    pub fn observe(&mut self, view: &View, protocol: Option<ProtocolState>) -> RawObservation {
        let between = self.last.as_ref().and_then(|last| between(last, view));
        if let (Some(last), Some(between)) = (&self.last, &between) {
            let seconds = view.timestamp.saturating_sub(last.timestamp) as f64;
            let kept = libm::exp(-(seconds / FEE_YIELD_WINDOW_S as f64).min(LARGEST_STEP));
            self.fees = self.fees * kept + between.fee_share;
            self.days = self.days * kept + seconds / DAY_S;
            self.looks = self.looks.saturating_add(1);
        }
        self.last = Some(*view);
        let yielded = if self.days > 0.0 && self.looks >= FEWEST_LOOKS { self.fees / self.days } else { 0.0 };
        RawObservation {
            price: Some(price_f64(view)),
            gas_gwei: Some(view.base_fee as f64 / 1e9),
            fee_yield: (yielded > LEAST_YIELD).then_some(yielded),
            volume: between.map(|b| b.volume),
            protocol,
            ..RawObservation::default()
        }
    }
}

/// What happened between two views, if the second is no earlier than the first.
fn between(last: &View, view: &View) -> Option<Between> {
    let grown = |i: usize| growth(last.fee_growth[i], view.fee_growth[i]);
    let (grown0, grown1) = (grown(0)?, grown(1)?);
    if view.timestamp < last.timestamp {
        return None;
    }
    let root = price::root_of(view.pool.sqrt_price_x96);
    if root <= 0.0 {
        return None;
    }
    // A full-range unit of liquidity is worth twice the root in token1, and has earned grown0 * root^2 + grown1 of it.
    let fee_share = (grown0 * root + grown1 / root) / 2.0;
    // Liquidity may have changed in between: its mean is the nearest that two views can tell.
    let liquidity = (last.pool.liquidity as f64 + view.pool.liquidity as f64) / 2.0;
    let (usdc, asset) = if view.usdc_is_token0 { (grown0, grown1) } else { (grown1, grown0) };
    let fees = liquidity * (usdc / 1e6 + asset / 1e18 * price_f64(view));
    Some(Between { fee_share, volume: fees / FEE })
}

/// Growth from one to another per unit of liquidity. The counter wraps by design; one that went back (a chain taken back)
/// has not grown.
fn growth(from: Wide, to: Wide) -> Option<f64> {
    let grown = U256::from_limbs(to.0).wrapping_sub(U256::from_limbs(from.0));
    (!grown.bit(255)).then(|| price::to_f64(Wide(grown.into_limbs())) / TWO_128)
}
