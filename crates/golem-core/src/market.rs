//! What a golem can see of a market in one turn, checked at the boundary.

use crate::reference::ReferencePrice;
use crate::unit::Positive;
use crate::venue::{Book, Gifts};
use serde::{Deserialize, Serialize};

/// The state of the protocol that the golem trades on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProtocolState {
    /// As usual.
    #[default]
    Normal,
    /// Slow, paused or in trouble.
    Degraded,
    /// Changed its rules lately.
    Upgraded,
}

impl ProtocolState {
    /// All three, in the order in which probabilities are written.
    pub const ALL: [Self; 3] = [Self::Normal, Self::Degraded, Self::Upgraded];
    /// Its place in [`Self::ALL`].
    #[must_use]
    pub fn index(self) -> usize {
        self as usize
    }
    /// The word used in facts and expressions.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Normal => "normal",
            Self::Degraded => "degraded",
            Self::Upgraded => "upgraded",
        }
    }
}

/// What a door reports, unchecked. A missing field means that this world does not have it.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct RawObservation {
    /// USDC per unit of the asset.
    pub price: Option<f64>,
    /// Gas price in gwei.
    pub gas_gwei: Option<f64>,
    /// Fees per unit of liquidity, as a fraction per day.
    pub fee_yield: Option<f64>,
    /// Traded volume in USDC since the last observation.
    pub volume: Option<f64>,
    /// State of the protocol.
    pub protocol: Option<ProtocolState>,
    /// What the golem holds on its chain, when it holds anything.
    pub book: Option<Book>,
    /// What the price is held against, where there is anything.
    pub reference: Option<ReferencePrice>,
    /// What strangers have put into its account, when that has changed.
    pub gifts: Option<Gifts>,
    /// USDC per unit of another asset that is traded elsewhere, where anybody tells.
    pub lead_price: Option<f64>,
}

/// What has passed the boundary: every number finite and above zero.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Observation {
    /// USDC per unit of the asset.
    pub price: Option<Positive>,
    /// Gas price in gwei.
    pub gas_gwei: Option<Positive>,
    /// Fees per unit of liquidity, as a fraction per day.
    pub fee_yield: Option<Positive>,
    /// Traded volume in USDC since the last observation.
    pub volume: Option<Positive>,
    /// State of the protocol.
    pub protocol: Option<ProtocolState>,
    /// What the golem holds on its chain, when it holds anything.
    pub book: Option<Book>,
    /// What the price is held against, where there is anything.
    pub reference: Option<ReferencePrice>,
    /// How many fields were there and did not pass.
    pub rejected: u8,
    /// What strangers have put into its account, when that has changed.
    pub gifts: Option<Gifts>,
    /// USDC per unit of another asset that is traded elsewhere, where anybody tells.
    pub lead_price: Option<Positive>,
}

impl RawObservation {
    /// Check every field; what does not pass is left out and counted.
    #[must_use]
    pub fn admit(&self) -> Observation {
        let mut rejected = 0;
        let mut pass = |x: Option<f64>| {
            let good = x.and_then(Positive::new);
            rejected += u8::from(x.is_some() && good.is_none());
            good
        };
        let (price, gas_gwei, fee_yield) = (pass(self.price), pass(self.gas_gwei), pass(self.fee_yield));
        // A bar without trades has a volume of zero: that is a fact, not a fault, and there is nothing to learn from it.
        let volume = pass(self.volume.filter(|v| *v != 0.0));
        let lead_price = pass(self.lead_price);
        let (protocol, book, reference, gifts) = (self.protocol, self.book, self.reference, self.gifts);
        Observation { price, gas_gwei, fee_yield, volume, protocol, book, reference, rejected, gifts, lead_price }
    }
}

impl Observation {
    /// What is left of it when the pool's price cannot be believed: nothing that follows from that price. The reference
    /// stays, with both prices in it.
    #[must_use]
    pub fn without_pool(self) -> Self {
        Self { price: None, fee_yield: None, volume: None, book: None, ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn nothing_unchecked_passes(a: u64, b: u64, c: u64, d: u64) {
            let f = |x| Some(f64::from_bits(x));
            let raw = RawObservation { price: f(a), gas_gwei: f(b), fee_yield: f(c), volume: f(d), ..Default::default() };
            let seen = raw.admit();
            let fields = [seen.price, seen.gas_gwei, seen.fee_yield];
            for x in fields.iter().chain([&seen.volume]).flatten() {
                prop_assert!(x.get().is_finite() && x.get() > 0.0);
            }
            let missing = fields.iter().filter(|x| x.is_none()).count();
            prop_assert!(usize::from(seen.rejected) >= missing);
        }
    }
}
