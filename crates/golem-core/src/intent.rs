//! The intent vocabulary: the closed list of what a golem can want to do with money, and what came of it.
//!
//! No variant carries an address or calldata; those belong to the door that carries an intent out.

use crate::money::Usdc;
use serde::{Deserialize, Serialize};
use std::fmt;

/// An amount of the volatile asset in its smallest unit (1e-18). Written as decimal text wherever people read it, since
/// most readers of JSON cannot hold it as a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Asset(pub u128);

impl Asset {
    /// None of it.
    pub const ZERO: Self = Self(0);
    /// Units in one whole.
    pub const WHOLE: u128 = 1_000_000_000_000_000_000;

    /// The sum, at most the largest amount there is.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
    /// The difference, at least nothing.
    #[must_use]
    pub fn minus(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
    /// For formulas that only describe: whole units as a float.
    #[must_use]
    pub fn as_f64(self) -> f64 {
        self.0 as f64 / 1e18
    }
    /// A float of whole units, rounded down; what is not a positive number is nothing.
    #[must_use]
    pub fn of_whole(x: f64) -> Self {
        if x > 0.0 { Self((x * 1e18).min(1e38) as u128) } else { Self::ZERO }
    }
}

impl fmt::Display for Asset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

impl Serialize for Asset {
    fn serialize<S: serde::Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        if s.is_human_readable() { s.collect_str(self) } else { self.0.serialize(s) }
    }
}

impl<'de> Deserialize<'de> for Asset {
    fn deserialize<D: serde::Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        if d.is_human_readable() {
            String::deserialize(d)?.parse().map(Self).map_err(serde::de::Error::custom)
        } else {
            u128::deserialize(d).map(Self)
        }
    }
}

/// What is sent home at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HomeSum {
    /// USDC.
    Usdc(Usdc),
    /// The asset.
    Asset(Asset),
    /// The chain's own coin, in its smallest unit: what is left of that which pays for gas.
    Coin(Asset),
}

impl HomeSum {
    /// The word used in facts and tables.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Usdc(_) => "usdc",
            Self::Asset(_) => "asset",
            Self::Coin(_) => "coin",
        }
    }
    /// What leaves the books with it: USDC and asset. The coin is in no book.
    #[must_use]
    pub fn booked(&self) -> (Usdc, Asset) {
        match *self {
            Self::Usdc(amount) => (amount, Asset::ZERO),
            Self::Asset(amount) => (Usdc::ZERO, amount),
            Self::Coin(_) => (Usdc::ZERO, Asset::ZERO),
        }
    }
    /// True when it is nothing at all.
    #[must_use]
    pub fn is_nothing(&self) -> bool {
        matches!(self, Self::Usdc(Usdc::ZERO) | Self::Asset(Asset::ZERO) | Self::Coin(Asset::ZERO))
    }
}

/// What a golem wants to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "intent", deny_unknown_fields)]
pub enum Intent {
    /// Nothing, on purpose.
    Hold,
    /// Swap USDC for the asset.
    Buy {
        /// What is paid, the pool's fee included, gas not.
        pay: Usdc,
        /// The least that must come back.
        min_out: Asset,
    },
    /// Swap the asset for USDC.
    Sell {
        /// What is given.
        give: Asset,
        /// The least that must come back.
        min_out: Usdc,
    },
    /// Put USDC and the asset into the liquidity position, in the ratio that its range asks for.
    Add {
        /// At most this much USDC.
        pay: Usdc,
        /// At most this much of the asset.
        give: Asset,
        /// Half-width of a new position's range in basis points of the price; 0 means the full range. An open position
        /// keeps its range.
        width_bps: u32,
        /// How far the price may move before it happens, in basis points; beyond that it is not done.
        tolerance_bps: u32,
    },
    /// Take a share out of the liquidity position, with all fees it has earned.
    Remove {
        /// The share, in basis points.
        share_bps: u32,
        /// How far the price may move before it happens, in basis points.
        tolerance_bps: u32,
    },
    /// Take the fees that the position has earned.
    Collect,
    /// Move the position to a new range around the price.
    Rebalance {
        /// Half-width of the new range.
        width_bps: u32,
        /// How far the price may move before it happens, in basis points.
        tolerance_bps: u32,
    },
    /// Send something home. No policy and no model has a word for it: it is granted by leave alone.
    Home {
        /// What, and how much.
        sum: HomeSum,
    },
    /// Turn some of the asset into the chain's coin, which pays for gas. By leave alone, too.
    Unwrap {
        /// How much.
        give: Asset,
    },
}

impl Intent {
    /// The word used in facts and tables.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Hold => "hold",
            Self::Buy { .. } => "buy",
            Self::Sell { .. } => "sell",
            Self::Add { .. } => "add",
            Self::Remove { .. } => "remove",
            Self::Collect => "collect",
            Self::Rebalance { .. } => "rebalance",
            Self::Home { .. } => "home",
            Self::Unwrap { .. } => "unwrap",
        }
    }
    /// The same without the bounds of another day's price; the price may lie so far from where it stood. For copies of the chain,
    /// on which nothing can be lost.
    #[must_use]
    pub fn unbound(self, tolerance_bps: u32) -> Self {
        match self {
            Self::Buy { pay, .. } => Self::Buy { pay, min_out: Asset::ZERO },
            Self::Sell { give, .. } => Self::Sell { give, min_out: Usdc::ZERO },
            Self::Add { pay, give, width_bps, .. } => Self::Add { pay, give, width_bps, tolerance_bps },
            Self::Remove { share_bps, .. } => Self::Remove { share_bps, tolerance_bps },
            Self::Rebalance { width_bps, .. } => Self::Rebalance { width_bps, tolerance_bps },
            Self::Hold | Self::Collect | Self::Home { .. } | Self::Unwrap { .. } => self,
        }
    }
    /// True when it can only make the golem less exposed.
    #[must_use]
    pub fn only_reduces(&self) -> bool {
        match self {
            Self::Hold | Self::Sell { .. } | Self::Remove { .. } | Self::Collect => true,
            Self::Home { .. } | Self::Unwrap { .. } => true,
            Self::Buy { .. } | Self::Add { .. } | Self::Rebalance { .. } => false,
        }
    }
    /// True when it takes something out of the books: only who has leave may do that.
    #[must_use]
    pub fn needs_leave(&self) -> bool {
        matches!(self, Self::Home { .. } | Self::Unwrap { .. })
    }
}

/// What a golem holds by its own books, as far as hands and policies need to know it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Holdings {
    /// Everything the owner ever gave: what must have arrived on a chain of our own.
    pub deposits: Usdc,
    /// USDC that must stand in its account on the chain, by its own books.
    pub on_chain: Usdc,
    /// USDC that may be put to work.
    pub capital: Usdc,
    /// The volatile asset.
    pub asset: Asset,
    /// Liquidity of the position.
    #[serde(with = "crate::digits")]
    pub liquidity: u128,
    /// Fees the position has earned and not collected, at the spot price.
    pub fees: Usdc,
    /// True while the price is inside the position's range.
    pub in_range: bool,
}

/// How an intent ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// Nothing was done, as asked.
    Held,
    /// Asset bought.
    Bought {
        /// What was paid.
        paid: Usdc,
        /// What came in.
        got: Asset,
    },
    /// Asset sold.
    Sold {
        /// What was given.
        gave: Asset,
        /// What came in.
        got: Usdc,
    },
    /// Liquidity added.
    Added {
        /// What was put in.
        paid: Usdc,
        /// What was put in of the asset.
        gave: Asset,
        /// Liquidity received.
        #[serde(with = "crate::digits")]
        liquidity: u128,
    },
    /// Liquidity removed.
    Removed {
        /// Liquidity given back.
        #[serde(with = "crate::digits")]
        liquidity: u128,
        /// What came in, fees included.
        got: Usdc,
        /// What came in of the asset, fees included.
        got_asset: Asset,
    },
    /// Fees taken.
    Collected {
        /// What came in.
        got: Usdc,
        /// What came in of the asset.
        got_asset: Asset,
    },
    /// The position was moved: everything came out of the old range, and some of it went into the new one.
    Moved {
        /// What came out, fees included.
        got: Usdc,
        /// What came out of the asset, fees included.
        got_asset: Asset,
        /// What went in.
        paid: Usdc,
        /// What went in of the asset.
        gave: Asset,
        /// Liquidity in the old range.
        #[serde(with = "crate::digits")]
        had: u128,
        /// Liquidity in the new range.
        #[serde(with = "crate::digits")]
        liquidity: u128,
    },
    /// The world said no.
    Refused {
        /// Why.
        why: Refusal,
    },
    /// Something went home.
    SentHome {
        /// What, and how much.
        sum: HomeSum,
    },
    /// Asset became coin.
    Unwrapped {
        /// How much.
        gave: Asset,
    },
}

/// Why the world said no.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Refusal {
    /// Less would have come back than asked for.
    Slippage,
    /// Not enough to pay with.
    Funds,
    /// No price to trade at: no venue, or none that can be believed now.
    NoMarket,
    /// Nothing there to reduce.
    NoPosition,
    /// The golem's own loop kept it back: safe mode, or a full disk.
    Withheld,
    /// The golem's own rules kept it back: no permit.
    Denied,
    /// The contracts said no for another reason.
    Reverted,
    /// It was sent and taken back before it was carried out: too slow, or gas became too dear.
    Cancelled,
}
