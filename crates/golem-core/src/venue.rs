//! What a venue tells a golem: where it stands in the chain's history, what is held there, what an intent would do, and
//! what it did. All of it is input, and all of it is recorded.

use crate::hash::Hash;
use crate::intent::{Asset, HomeSum, Intent, Outcome, Refusal};
use crate::money::Usdc;
use crate::reference::ReferencePrice;
use serde::{Deserialize, Serialize};
use std::fmt;

/// A place in a chain's history: the state before transaction `index` of `block`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
pub struct Point {
    /// The block.
    pub block: u64,
    /// How many of its transactions have already happened.
    pub index: u32,
}

impl fmt::Display for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.block, self.index)
    }
}

/// 256 bits as four limbs, lowest first: carried and compared here, reckoned with elsewhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Wide(pub [u64; 4]);

impl fmt::Display for Wide {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [a, b, c, d] = self.0;
        write!(f, "0x{d:016x}{c:016x}{b:016x}{a:016x}")
    }
}

impl Serialize for Wide {
    fn serialize<S: serde::Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        if s.is_human_readable() { s.collect_str(self) } else { self.0.serialize(s) }
    }
}

impl<'de> Deserialize<'de> for Wide {
    fn deserialize<D: serde::Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        if !d.is_human_readable() {
            return <[u64; 4]>::deserialize(d).map(Self);
        }
        let text = String::deserialize(d)?;
        let digits = text.strip_prefix("0x").filter(|s| s.len() == 64 && s.is_ascii());
        let digits = digits.ok_or_else(|| serde::de::Error::custom("64 hex digits after 0x are expected"))?;
        let mut limbs = [0; 4];
        for (limb, at) in limbs.iter_mut().rev().zip((0..64).step_by(16)) {
            *limb = u64::from_str_radix(&digits[at..at + 16], 16).map_err(serde::de::Error::custom)?;
        }
        Ok(Self(limbs))
    }
}

/// A venue that intents can be carried out on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum VenueId {
    /// The Uniswap v3 pool of USDC and the asset.
    #[default]
    UniswapV3,
    /// The Uniswap v2 pair of the same.
    UniswapV2,
}

/// The pool as it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct PoolSeen {
    /// Square root of token1 per token0, times 2^96.
    pub sqrt_price_x96: Wide,
    /// The tick it lies in.
    pub tick: i32,
    /// Liquidity in range.
    #[serde(with = "crate::digits")]
    pub liquidity: u128,
}

/// A range of ticks of the pool, lower inclusive, upper exclusive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Range {
    /// Lower tick.
    pub lower: i32,
    /// Upper tick.
    pub upper: i32,
}

/// An open liquidity position.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct PositionSeen {
    /// Its number with the position manager.
    pub id: u64,
    /// Its range.
    pub range: Range,
    /// Its liquidity.
    #[serde(with = "crate::digits")]
    pub liquidity: u128,
    /// Fees owed in USDC, up to now.
    pub fees: Usdc,
    /// Fees owed in the asset, up to now.
    pub fees_asset: Asset,
}

/// What a golem holds on the chain at a point, and what it is worth there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Book {
    /// Where in the chain's history.
    pub point: Point,
    /// USDC in the account.
    pub usdc: Usdc,
    /// The asset in the account.
    pub asset: Asset,
    /// The open position.
    pub position: Option<PositionSeen>,
    /// The pool.
    pub pool: PoolSeen,
    /// What it is worth.
    pub worth: Appraisal,
}

/// What stands in an account that its golem never booked: strangers put it there, or an owner who has not said so. It is
/// told and never counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Gifts {
    /// The asset.
    pub asset: Asset,
    /// Liquidity in the golem's own position.
    #[serde(with = "crate::digits")]
    pub liquidity: u128,
    /// Positions.
    pub positions: u64,
    /// The chain's own coin, which pays for gas: no book has it.
    pub coin: Asset,
}

/// The worth of what is held besides USDC, by exact arithmetic over the pool's state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Appraisal {
    /// USDC that would come in if the position were removed and all of the asset sold now, in that order, before gas.
    pub unwound: Usdc,
    /// Gas of doing so.
    pub gas: Usdc,
    /// The position at the spot price, without fees.
    pub position: Usdc,
    /// Uncollected fees at the spot price.
    pub fees: Usdc,
    /// All of the asset at the spot price, in the account and in the position.
    pub exposure: Usdc,
}

/// One transaction's meaning, fully determined: no price is left open.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    /// Swap USDC for the asset.
    Buy {
        /// Exactly this is paid.
        pay: Usdc,
        /// The least that must come back.
        min_out: Asset,
    },
    /// Swap the asset for USDC.
    Sell {
        /// Exactly this is given.
        give: Asset,
        /// The least that must come back.
        min_out: Usdc,
    },
    /// Open a position, or add to the open one.
    Mint {
        /// The open position, if there is one.
        position: Option<u64>,
        /// The range.
        range: Range,
        /// At most this much USDC.
        pay: Usdc,
        /// At most this much of the asset.
        give: Asset,
        /// The least USDC that must be taken: bounds the price.
        min_pay: Usdc,
        /// The least of the asset that must be taken.
        min_give: Asset,
    },
    /// Take liquidity out, with all fees.
    Burn {
        /// The position.
        position: u64,
        /// How much.
        #[serde(with = "crate::digits")]
        liquidity: u128,
        /// The least USDC that must come out, fees not counted.
        min_out: Usdc,
        /// The least of the asset that must come out, fees not counted.
        min_asset: Asset,
        /// All of it: the position is closed.
        close: bool,
    },
    /// Take the fees.
    Collect {
        /// The position.
        position: u64,
    },
    /// Send something home; where that is, whoever carries it out was told by the birth record.
    Home {
        /// What, and exactly how much.
        sum: HomeSum,
    },
    /// Turn asset into the chain's coin, in the same account.
    Unwrap {
        /// Exactly this much.
        give: Asset,
    },
}

/// The events that the contracts of a venue are known to log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LogKind {
    /// A token's allowance was set.
    Approval,
    /// A token, or a position, changed hands.
    Transfer,
    /// The pool swapped.
    Swap,
    /// The pool took liquidity.
    Mint,
    /// The pool gave liquidity back.
    Burn,
    /// The pool, or the position manager, paid out.
    Collect,
    /// The position manager booked more liquidity.
    IncreaseLiquidity,
    /// The position manager booked less.
    DecreaseLiquidity,
    /// Something that no intent should cause.
    Other,
}

/// What an intent would do now: it was carried out on a throw-away copy of the chain.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Preview {
    /// What was asked.
    pub intent: Intent,
    /// Where it would happen.
    pub venue: VenueId,
    /// Hash over the code of the venue's contracts, as found.
    pub code: Hash,
    /// What would be sent, in this order. Empty when nothing would.
    pub actions: Vec<Action>,
    /// State before.
    pub before: Book,
    /// State after.
    pub after: Book,
    /// What would come of it. A refusal means that it would revert, or could not even be asked.
    pub outcome: Outcome,
    /// What it would cost.
    pub gas: Gas,
    /// What it would log.
    pub logs: Vec<LogKind>,
    /// What the pool's price is held against before value is given up, where there is anything.
    pub reference: Option<ReferencePrice>,
}

impl Preview {
    /// The preview of something that could not be previewed.
    #[must_use]
    pub fn refused(intent: Intent, why: Refusal) -> Self {
        Self {
            intent,
            venue: VenueId::default(),
            code: Hash::default(),
            actions: Vec::new(),
            before: Book::default(),
            after: Book::default(),
            outcome: Outcome::Refused { why },
            gas: Gas::default(),
            logs: Vec::new(),
            reference: None,
        }
    }
    /// Why it would not be carried out, if so.
    #[must_use]
    pub fn refusal(&self) -> Option<Refusal> {
        match self.outcome {
            Outcome::Refused { why } => Some(why),
            _ => None,
        }
    }
}

/// Gas of an intent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Gas {
    /// Units charged. On a chain of our own they come from a recorded table, so that all of them charge alike.
    pub charged: u64,
    /// Units the contracts really used, where there are contracts.
    pub used: u64,
    /// What is charged, at the gas price and the asset's price of the moment.
    pub cost: Usdc,
}

/// What came of an intent: the world's word, recorded as input.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Receipt {
    /// What was asked.
    pub intent: Intent,
    /// How it ended.
    pub outcome: Outcome,
    /// Gas paid, whatever the outcome.
    pub gas: Gas,
    /// State after, where the venue could tell.
    pub after: Option<Book>,
    /// Where in the chain's history its first transaction stands.
    pub point: Option<Point>,
    /// What was logged.
    pub logs: Vec<LogKind>,
}

impl Receipt {
    /// The receipt of something that never left the house.
    #[must_use]
    pub fn kept_back(intent: Intent, why: Refusal) -> Self {
        let outcome = if intent == Intent::Hold { Outcome::Held } else { Outcome::Refused { why } };
        Self { intent, outcome, gas: Gas::default(), after: None, point: None, logs: Vec::new() }
    }
    /// True unless it was refused, by whomever.
    #[must_use]
    pub fn was_done(&self) -> bool {
        !matches!(self.outcome, Outcome::Refused { .. })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_numbers_are_read_as_they_are_written() {
        let wide = Wide([1, 2, 3, u64::MAX]);
        let text = serde_json::to_string(&wide).unwrap();
        assert_eq!(text, "\"0xffffffffffffffff000000000000000300000000000000020000000000000001\"");
        assert_eq!(serde_json::from_str::<Wide>(&text).unwrap(), wide);
        assert!(serde_json::from_str::<Wide>("\"0x12\"").is_err());
    }

    #[test]
    fn a_point_orders_by_block_then_index() {
        assert!(Point { block: 1, index: 9 } < Point { block: 2, index: 0 });
    }
}
