//! The venue trait: what every chain under a golem answers.

use golem_core::door::{ClaimReply, ClaimRequest};
use golem_core::intent::{Asset, Refusal};
use golem_core::venue::{LogKind, PoolSeen, Range, Wide};
use golem_core::{Action, Book, Hash, HomeSum, Homeward, Point, Usdc};
use serde::{Deserialize, Serialize};
use std::fmt;

/// An account on a chain.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
pub struct Account(pub [u8; 20]);

impl fmt::Display for Account {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("0x")?;
        self.0.iter().try_for_each(|b| write!(f, "{b:02x}"))
    }
}

impl fmt::Debug for Account {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl From<Homeward> for Account {
    fn from(way: Homeward) -> Self {
        Self(way.address().bytes())
    }
}

/// Who acts, and where its money goes home to, if anywhere. Without a way home nothing is ever sent to anybody.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Actor {
    pub who: Account,
    pub home: Option<Homeward>,
}

impl From<Account> for Actor {
    fn from(who: Account) -> Self {
        Self { who, home: None }
    }
}

/// Which kind of chain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChainKind {
    /// Exact arithmetic, no contracts.
    #[default]
    Paper,
    /// Real contracts in this process.
    Embedded,
    /// Real contracts on somebody's node.
    Rpc,
}

/// The venue at a point.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct View {
    /// Where in the chain's history: everything before this point has happened.
    pub point: Point,
    /// Time of the block, in seconds since 1970.
    pub timestamp: u64,
    /// Its base fee, in wei.
    pub base_fee: u128,
    pub pool: PoolSeen,
    /// Fees per unit of liquidity since the pool began, token0 and token1, times 2^128.
    pub fee_growth: [Wide; 2],
    /// Which token USDC is.
    pub usdc_is_token0: bool,
    /// Hash over the code of the venue's contracts.
    pub code: Hash,
}

/// A mean of the pool's tick over some time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MeanTick {
    /// The mean, rounded down.
    pub tick: i32,
    /// How many seconds it covers.
    pub seconds: u32,
}

/// What a new block says of itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Header {
    /// Its time, in seconds since 1970; later than the block before.
    pub timestamp: u64,
    /// Its base fee, in wei.
    pub base_fee: u128,
}

/// What the market itself does to the pool, with means of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum MarketTrade {
    /// Swap whatever it takes until the pool's price is exactly this.
    ToPrice {
        /// Square root of token1 per token0, times 2^96.
        sqrt_price_x96: Wide,
    },
    /// Swap USDC for the asset.
    Buy { pay: Usdc },
    /// Swap the asset for USDC.
    Sell { give: Asset },
    /// Add liquidity of the market's own.
    Provide { range: Range, liquidity: u128 },
    /// Take liquidity of the market's own out, with its fees.
    Withdraw {
        range: Range,
        /// How much, at most what the market has there.
        liquidity: u128,
    },
}

/// What a trade of the market moved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Traded {
    /// USDC that the pool took (positive) or gave (negative).
    pub usdc: i128,
    /// The asset that the pool took or gave.
    pub asset: i128,
    /// Initialised ticks crossed.
    pub crossed: u32,
}

/// What one action did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Done {
    /// Why it did nothing, if so; gas is paid all the same, unless it was never sent.
    pub refused: Option<Refusal>,
    /// Change of the account's USDC.
    pub usdc: i128,
    /// Change of the account's asset.
    pub asset: i128,
    /// Change of the position's liquidity.
    pub liquidity: i128,
    /// The position that was opened or changed.
    pub position: Option<u64>,
    /// Initialised ticks crossed.
    pub crossed: u32,
    /// Gas units charged (see `gas`).
    pub gas_charged: u64,
    /// Gas units that contracts really used; 0 where there are none.
    pub gas_used: u64,
    /// The coin that it cost, in wei, where that is known better than by the units and the base fee: what was really paid, and
    /// what a rollup takes for its bytes on the chain below.
    #[serde(default)]
    pub wei: Option<u128>,
    /// What was logged, in order.
    pub logs: Vec<LogKind>,
    /// Where its first transaction stands.
    pub point: Point,
}

impl Done {
    /// What an action has done that has done nothing yet, or never will.
    #[must_use]
    pub fn nothing(point: Point, refused: Option<Refusal>) -> Self {
        Self {
            refused,
            usdc: 0,
            asset: 0,
            liquidity: 0,
            position: None,
            crossed: 0,
            gas_charged: 0,
            gas_used: 0,
            wei: None,
            logs: Vec::new(),
            point,
        }
    }
}

/// Why a venue could not answer at all.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum VenueError {
    /// The chain cannot be reached, or what it says cannot be believed now: hold.
    #[error("the chain cannot be used now: {0}")]
    Unreachable(String),
    /// It was sent, and what came of it is not known yet.
    #[error("sent, and not known to have happened or failed: {0}")]
    Unknown(String),
    /// This chain is not ours to move.
    #[error("this chain's market is not ours to move")]
    NotOurs,
    /// No such point in its history.
    #[error("{0} is not in this chain's history")]
    NoSuchPoint(Point),
    /// The chain is another one than it was: another id, or other code.
    #[error("not the chain it was: {0}")]
    Changed(String),
    /// What was said of the chain does not fit together, or not with the chain.
    #[error("the settings and the chain do not fit together: {0}")]
    Unfit(String),
    /// The chain's own file cannot be read or written.
    #[error("{0}")]
    Store(String),
    /// An error of ours.
    #[error("bug: {0}")]
    Bug(String),
}

/// A chain with the venue on it.
///
/// The head is always inside an open block: transactions go into it one after another, and [`Venue::begin_block`] closes
/// it and opens the next. Amounts are exact everywhere; two venues that are told the same do the same, to the unit.
pub trait Venue: Send {
    /// Which kind.
    fn kind(&self) -> ChainKind;
    /// The chain's id.
    fn chain_id(&self) -> u64;
    /// The head.
    ///
    /// # Errors
    /// When the chain cannot answer.
    fn view(&mut self) -> Result<View, VenueError>;
    /// What an account holds at the head, valued by exact arithmetic over the pool's state.
    ///
    /// # Errors
    /// When the chain cannot answer.
    fn book(&mut self, who: Account) -> Result<Book, VenueError>;
    /// Carry one action out at the head: one transaction, and the exact approvals before it. Never sends more, never
    /// approves more, than the action says.
    ///
    /// # Errors
    /// When the chain cannot answer. What the contracts refuse is no error.
    fn execute(&mut self, who: Account, action: &Action) -> Result<Done, VenueError>;
    /// Send something home, where the birth record says: one transaction, of exactly so much. No other act of an account pays
    /// anybody but itself and the pool.
    ///
    /// # Errors
    /// When the chain cannot answer, or does not know how. What the contracts refuse is no error.
    fn send_home(&mut self, who: Account, way: Homeward, sum: HomeSum) -> Result<Done, VenueError> {
        let _ = (who, way, sum);
        Err(VenueError::NotOurs)
    }
    /// A copy of the chain as it was at a point, with that transaction's timestamp, base fee and nonces. What happens on
    /// it touches nothing else, and on it the market is ours to move whatever chain it came from.
    ///
    /// # Errors
    /// When the point is not in its history.
    fn fork_at(&mut self, point: Point) -> Result<Box<dyn Venue>, VenueError>;
    /// A copy of the head, to be thrown away: like a fork of it, and nobody will ask it for its own past.
    ///
    /// # Errors
    /// When the chain cannot answer.
    fn copy(&mut self) -> Result<Box<dyn Venue>, VenueError> {
        let head = self.view()?.point;
        self.fork_at(head)
    }
    /// Gas of an action in USDC at the head: charged units, the base fee, and the pool's price, all rounded up.
    ///
    /// # Errors
    /// When the chain cannot answer.
    fn gas_cost(&mut self, units: u64) -> Result<Usdc, VenueError>;
    /// What an action cost in USDC at the head: by its gas, unless the chain knows the coin that it took.
    ///
    /// # Errors
    /// When the chain cannot answer.
    fn cost_of(&mut self, done: &Done) -> Result<Usdc, VenueError> {
        self.gas_cost(done.gas_charged)
    }

    /// The pool's mean tick by its own observations, over the last so many seconds before the open block, or over as many
    /// as they reach back. Nothing where the pool keeps none.
    ///
    /// # Errors
    /// When the chain cannot answer.
    fn mean_tick(&mut self, seconds: u32) -> Result<Option<MeanTick>, VenueError> {
        let _ = seconds;
        Ok(None)
    }

    /// Whether what is said of the chain is so, claim by claim. Where there is none, nobody can say.
    fn bear_out(&mut self, request: &ClaimRequest) -> ClaimReply {
        request.unanswered()
    }

    /// Make sure that an account was given so much USDC in all (and gas to move it) since the chain began.
    ///
    /// # Errors
    /// [`VenueError::NotOurs`] on somebody else's chain.
    fn fund_to(&mut self, who: Account, deposits: Usdc) -> Result<(), VenueError> {
        let _ = (who, deposits);
        Err(VenueError::NotOurs)
    }
    /// Close the open block and open the next; returns its number.
    ///
    /// # Errors
    /// [`VenueError::NotOurs`] on somebody else's chain.
    fn begin_block(&mut self, header: Header) -> Result<u64, VenueError> {
        let _ = header;
        Err(VenueError::NotOurs)
    }
    /// Let the market act.
    ///
    /// # Errors
    /// [`VenueError::NotOurs`] on somebody else's chain.
    fn trade(&mut self, trade: &MarketTrade) -> Result<Traded, VenueError> {
        let _ = trade;
        Err(VenueError::NotOurs)
    }
}
