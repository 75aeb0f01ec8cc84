//! What a golem did with its money: one trade for every act that was permitted, read from the facts of a life, whether
//! they come live, from a file or from a backtest.
//!
//! Profit is reckoned at average cost, in exact integers, as the golem's own books do. Gas of what opens (buying, adding)
//! is part of the cost of what it opened; all other gas counts at once. The pool's fee is in the amounts already.

mod collect;
mod cost;
mod csv;
mod json;
mod table;
mod words;

pub use collect::Trades;
pub use csv::{CSV_HEAD, csv_row};
pub use table::{table, total_lines};
pub use words::{clause, refusal, stance_words};

use golem_core::intent::{Asset, Outcome, Refusal};
use golem_core::{Intent, Tick, Timestamp, Usdc, UsdcDelta};
use golem_mind::policy::Because;
use serde::Serialize;

/// What the pool takes of everything that is swapped, in parts of a million.
pub const POOL_FEE: u32 = 500;

/// What kind of act.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum What {
    /// USDC for ETH.
    Buy,
    /// ETH for USDC.
    Sell,
    /// Both into the liquidity position.
    Add,
    /// Some or all of the position taken out, with its fees.
    Remove,
    /// The position's fees taken.
    Collect,
    /// The position moved to another range.
    Move,
}

impl What {
    /// All of them.
    pub const ALL: [Self; 6] = [Self::Buy, Self::Sell, Self::Add, Self::Remove, Self::Collect, Self::Move];

    /// In a word.
    #[must_use]
    pub fn word(self) -> &'static str {
        ["buy", "sell", "add", "remove", "collect", "move"][self as usize]
    }
    /// Of what was wanted; `None` for holding.
    #[must_use]
    pub fn of_intent(intent: &Intent) -> Option<Self> {
        Some(match intent {
            Intent::Hold | Intent::Home { .. } | Intent::Unwrap { .. } => return None,
            Intent::Buy { .. } => Self::Buy,
            Intent::Sell { .. } => Self::Sell,
            Intent::Add { .. } => Self::Add,
            Intent::Remove { .. } => Self::Remove,
            Intent::Collect => Self::Collect,
            Intent::Rebalance { .. } => Self::Move,
        })
    }
    /// Of what came of it; `None` where nothing did.
    #[must_use]
    pub fn of_outcome(outcome: &Outcome) -> Option<Self> {
        Some(match outcome {
            Outcome::Held | Outcome::Refused { .. } => return None,
            // Neither is a trade.
            Outcome::SentHome { .. } | Outcome::Unwrapped { .. } => return None,
            Outcome::Bought { .. } => Self::Buy,
            Outcome::Sold { .. } => Self::Sell,
            Outcome::Added { .. } => Self::Add,
            Outcome::Removed { .. } => Self::Remove,
            Outcome::Collected { .. } => Self::Collect,
            Outcome::Moved { .. } => Self::Move,
        })
    }
    /// True for what puts money to work: its gas is in the cost of what it opens.
    #[must_use]
    pub fn opens(self) -> bool {
        matches!(self, Self::Buy | Self::Add)
    }
}

/// What came of it, after the fact.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct Came {
    /// Amount out as it was predicted, against the spot quote, in basis points.
    pub predicted_bps: Option<f64>,
    /// Amount out as it was.
    pub actual_bps: Option<f64>,
    /// The price an hour later or, where the record is thinner, at the first moment after that.
    pub later: Option<PriceSeen>,
    /// The first act after it that took some of what it opened back out.
    pub exit: Option<PriceSeen>,
}

/// A price at a moment.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct PriceSeen {
    /// When.
    pub at: Timestamp,
    /// USDC for one ETH.
    pub price: f64,
}

/// One act.
#[derive(Debug, Clone, PartialEq)]
pub struct Trade {
    /// The turn.
    pub tick: Tick,
    /// Which act of that turn.
    pub number: u32,
    /// When.
    pub at: Timestamp,
    /// What kind.
    pub what: What,
    /// Why it came to nothing, if so.
    pub refused: Option<Refusal>,
    /// The chain took it back later.
    pub taken_back: bool,
    /// USDC that came in (above zero) or went out, gas not counted.
    pub usdc: UsdcDelta,
    /// ETH that came in or went out, in its smallest unit.
    pub asset: i128,
    /// USDC for one ETH: by what was swapped, or the price seen where nothing was.
    pub price: Option<f64>,
    /// What the pool took, at the price of the moment.
    pub fee_paid: Usdc,
    /// Fees of the position that came in, at the price of the moment.
    pub fee_earned: Usdc,
    /// What gas cost.
    pub gas: Usdc,
    /// Profit or loss as the golem's own books have it: average cost, gas not counted.
    pub realised: UsdcDelta,
    /// Profit or loss with gas in the cost; `None` where nothing is closed by it.
    pub profit: Option<UsdcDelta>,
    /// The clause of the policy that asked for it.
    pub because: Option<Because>,
    /// Why, in words.
    pub why: String,
    /// What came of it.
    pub came: Came,
}

impl Trade {
    /// True when it was carried out and still holds.
    #[must_use]
    pub fn is_done(&self) -> bool {
        self.refused.is_none() && !self.taken_back
    }
}

/// Sums over trades.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Totals {
    /// Acts carried out.
    pub done: u64,
    /// Acts that came to nothing.
    pub refused: u64,
    /// Profit and loss, gas in the cost.
    #[serde(rename = "pnl_micro_usdc")]
    pub profit: UsdcDelta,
    /// Profit and loss as the golem's books have it, gas not counted.
    #[serde(rename = "realised_micro_usdc")]
    pub realised: UsdcDelta,
    /// What the pool took.
    #[serde(rename = "fee_paid_micro_usdc")]
    pub fee_paid: Usdc,
    /// What positions earned and came in.
    #[serde(rename = "fee_earned_micro_usdc")]
    pub fee_earned: Usdc,
    /// All gas.
    #[serde(rename = "gas_micro_usdc")]
    pub gas: Usdc,
}

impl Totals {
    /// Of some trades.
    #[must_use]
    pub fn of<'a>(trades: impl IntoIterator<Item = &'a Trade>) -> Self {
        trades.into_iter().fold(Self::default(), |sum, trade| sum.with(trade))
    }

    fn with(mut self, trade: &Trade) -> Self {
        // What the chain took back moved nothing in the end, and cost nothing.
        if trade.taken_back {
            return self;
        }
        *(if trade.refused.is_some() { &mut self.refused } else { &mut self.done }) += 1;
        self.profit = plus(self.profit, trade.profit.unwrap_or_default());
        self.realised = plus(self.realised, trade.realised);
        self.fee_paid = self.fee_paid.plus(trade.fee_paid);
        self.fee_earned = self.fee_earned.plus(trade.fee_earned);
        self.gas = self.gas.plus(trade.gas);
        self
    }

    /// Gas that is in the cost of what is still held: `realised - gas + held = profit`, over a whole life.
    #[must_use]
    pub fn gas_held(&self) -> Usdc {
        let held = i128::from(self.profit.0) - i128::from(self.realised.0) + i128::from(self.gas.0);
        Usdc(u64::try_from(held).unwrap_or(0))
    }
}

fn plus(a: UsdcDelta, b: UsdcDelta) -> UsdcDelta {
    UsdcDelta(a.0.saturating_add(b.0))
}

/// USDC of an amount of ETH at a price, rounded to whole micro-USDC as the golem's books round it.
fn worth(asset: Asset, price: Option<f64>) -> Usdc {
    let micro = price.map_or(0.0, |p| asset.as_f64() * p * 1e6);
    if micro > 0.0 { Usdc((micro + 0.5).min(9e18) as u64) } else { Usdc::ZERO }
}
