//! What a golem did with its money: one trade for every act that was permitted, read from the facts of a life, whether
//! they come live, from a file or from a backtest.

use golem_core::fact::Envelope;
use golem_core::intent::Refusal;
use golem_core::{Tick, Timestamp, Usdc, UsdcDelta};
use golem_life::Fact;
use serde::Serialize;

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

/// What came of it, after the fact.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Came {
    /// Amount out as it was predicted, against the spot quote, in basis points.
    pub predicted_bps: Option<f64>,
    /// Amount out as it was.
    pub actual_bps: Option<f64>,
    /// The price an hour later or, where the record is thinner, at the first moment after that.
    pub price_later: Option<f64>,
    /// The profit that was made so far with what was bought or put in, after gas.
    pub closed: Option<UsdcDelta>,
    /// How much of it is closed, in basis points.
    pub closed_bps: u32,
}

/// One act.
#[derive(Debug, Clone, PartialEq, Serialize)]
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
    #[serde(serialize_with = "as_text")]
    pub asset: i128,
    /// USDC for one ETH: by what was swapped, or the pool's where nothing was.
    pub price: Option<f64>,
    /// What the pool took, at that price.
    pub fee_paid: Usdc,
    /// Fees of the position that came in, at that price.
    pub fee_earned: Usdc,
    /// What gas cost.
    pub gas: Usdc,
    /// Profit or loss as the golem's own books have it: average cost, gas not counted.
    pub realised: UsdcDelta,
    /// Profit or loss with gas in the cost of what is bought; `None` where nothing is closed by it.
    pub profit: Option<UsdcDelta>,
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

/// Sums over all trades.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Totals {
    /// Acts carried out.
    pub done: u64,
    /// Acts that came to nothing.
    pub refused: u64,
    /// Profit and loss, gas in the cost.
    pub profit: UsdcDelta,
    /// Profit and loss as the golem's books have it, gas not counted.
    pub realised: UsdcDelta,
    /// What the pool took.
    pub fee_paid: Usdc,
    /// What positions earned and came in.
    pub fee_earned: Usdc,
    /// All gas.
    pub gas: Usdc,
    /// Gas that is in the cost of what is still held: `realised - gas = profit - gas_held`.
    pub gas_held: Usdc,
}

/// The trades of a life, as its facts come by.
#[derive(Debug, Clone, Default)]
pub struct Trades {
    all: Vec<Trade>,
    totals: Totals,
}

impl Trades {
    /// Take a fact in; a trade when it completes one.
    pub fn see(&mut self, fact: &Envelope<Fact>) -> Option<&Trade> {
        let _ = fact;
        None
    }
    /// A price at a moment: fills in what became of earlier trades.
    pub fn price(&mut self, at: Timestamp, price: f64) {
        let _ = (at, price);
    }
    /// All of them, oldest first.
    #[must_use]
    pub fn all(&self) -> &[Trade] {
        &self.all
    }
    /// The sums.
    #[must_use]
    pub fn totals(&self) -> Totals {
        self.totals
    }
}

fn as_text<S: serde::Serializer>(x: &i128, s: S) -> Result<S::Ok, S::Error> {
    s.collect_str(x)
}
