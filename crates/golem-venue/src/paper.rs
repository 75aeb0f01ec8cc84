//! The paper venue: the pool, the position manager and everybody's accounts as plain numbers. No contracts, no chain, no
//! download; the same amounts to the last unit.
//!
//! It keeps its own history, so any point it has passed can be forked, unless somebody else can make its past again.

mod execute;
mod history;
mod saved;
mod state;

pub use saved::RestoreError;
pub use state::PaperHolder;

use crate::genesis::GenesisConfig;
use crate::pool::{Owner, Pool, PoolError};
use crate::spot::{self, number};
use crate::venue::{Account, ChainKind, Done, Header, MarketTrade, MeanTick, Traded, Venue, VenueError, View};
use crate::worth;
use golem_core::{Action, Book, Hash, HomeSum, Homeward, Point, Usdc};
use history::{History, HistoryEntry};
use state::PaperState;

/// The paper chain's id: one that development chains use and no public one does.
pub const CHAIN_ID: u64 = 1337;

/// A chain without contracts.
#[derive(Debug, Clone)]
pub struct PaperVenue {
    state: PaperState,
    /// None where the past is made again by whoever stands on it.
    history: Option<History>,
    code: Hash,
}

impl PaperVenue {
    /// The beginning: the market's liquidity is in place, and the first block is open.
    ///
    /// # Errors
    /// When the pool cannot begin like that.
    pub fn genesis(config: &GenesisConfig) -> Result<Self, PoolError> {
        let mut pool = Pool::new(number(config.sqrt_price_x96))?;
        for &(range, liquidity) in &config.liquidity {
            let delta = i128::try_from(liquidity).map_err(|_| PoolError::Overflow)?;
            pool.change(Owner::Market, range, delta)?;
        }
        Ok(Self::at(PaperState::new(pool, config)))
    }

    /// A venue whose history begins here.
    fn at(state: PaperState) -> Self {
        Self { history: Some(History::new(&state)), state, code: Hash::of(b"paper uniswap-v3 1") }
    }

    /// A venue that remembers nothing but the present: for a floor, which can make the past again.
    #[must_use]
    pub fn without_history(self) -> Self {
        Self { history: None, ..self }
    }

    /// Where it stands.
    pub(crate) fn at_point(&self) -> Point {
        self.state.point
    }
    /// Bytes of the present, roughly, as if it shared nothing.
    pub(crate) fn weight(&self) -> usize {
        self.state.weight()
    }
    /// A copy of the present alone.
    pub(crate) fn present(&self) -> Self {
        Self { state: self.state.clone(), history: None, code: self.code }
    }

    /// The pool, to be looked at.
    #[must_use]
    pub fn pool(&self) -> &Pool {
        &self.state.pool
    }
    /// What an account has, to be looked at.
    #[must_use]
    pub fn holder(&self, who: Account) -> PaperHolder {
        self.state.holder(who)
    }
    /// Everybody who has ever held something.
    pub fn holders(&self) -> impl Iterator<Item = (&Account, &PaperHolder)> {
        self.state.accounts.iter()
    }
    /// False when only the present is known.
    pub(crate) fn remembers(&self) -> bool {
        self.history.is_some()
    }
    /// Where its history begins: the first point that can be forked.
    #[must_use]
    pub fn begins(&self) -> Point {
        self.history.as_ref().map_or(self.state.point, History::begins)
    }
    /// Bytes that its history takes, roughly.
    #[must_use]
    pub fn history_bytes(&self) -> usize {
        self.history.as_ref().map_or(0, History::weight)
    }

    /// The present state as bytes. The history before it is not in them.
    ///
    /// # Errors
    /// [`VenueError::Bug`] only.
    pub fn save(&self) -> Result<Vec<u8>, VenueError> {
        saved::to_bytes(&self.state).map_err(|e| VenueError::Bug(e.to_string()))
    }
    /// The venue that was saved; its history begins there.
    ///
    /// # Errors
    /// When the bytes are not those of a venue.
    pub fn restore(bytes: &[u8]) -> Result<Self, RestoreError> {
        saved::from_bytes(bytes).map(Self::at)
    }

    /// A copy at a point, as its own type.
    ///
    /// # Errors
    /// [`VenueError::NoSuchPoint`].
    pub fn fork(&self, point: Point) -> Result<Self, VenueError> {
        if point == self.state.point {
            return Ok(Self::at(self.state.clone()));
        }
        let past = self.history.as_ref().and_then(|history| history.at(point));
        past.map(Self::at).ok_or(VenueError::NoSuchPoint(point))
    }

    fn record(&mut self, entry: impl FnOnce() -> HistoryEntry) -> Result<(), VenueError> {
        self.history.as_mut().map_or(Ok(()), |history| history.record(&entry(), &self.state))
    }
}

impl Venue for PaperVenue {
    fn kind(&self) -> ChainKind {
        ChainKind::Paper
    }
    fn chain_id(&self) -> u64 {
        CHAIN_ID
    }
    fn view(&mut self) -> Result<View, VenueError> {
        let PaperState { pool, point, timestamp, base_fee, usdc_is_token0, .. } = &self.state;
        Ok(View {
            point: *point,
            timestamp: *timestamp,
            base_fee: *base_fee,
            pool: pool.seen(),
            fee_growth: pool.fee_growth().map(spot::wide),
            usdc_is_token0: *usdc_is_token0,
            code: self.code,
        })
    }
    fn book(&mut self, who: Account) -> Result<Book, VenueError> {
        let at = self.state.surroundings();
        let holder = self.state.holder(who);
        let (position, worth) = worth::held(at, holder.deed.as_ref(), holder.asset);
        let (point, pool) = (self.state.point, at.pool.seen());
        Ok(Book { point, usdc: holder.usdc, asset: holder.asset, position, pool, worth })
    }
    fn execute(&mut self, who: Account, action: &Action) -> Result<Done, VenueError> {
        let done = self.state.execute(who, action);
        if self.state.point != done.point {
            self.record(|| HistoryEntry::Execute(who, *action))?;
        }
        Ok(done)
    }
    fn send_home(&mut self, who: Account, way: Homeward, sum: HomeSum) -> Result<Done, VenueError> {
        let done = self.state.send_home(who, way, sum);
        if self.state.point != done.point {
            self.record(|| HistoryEntry::SendHome(who, way, sum))?;
        }
        Ok(done)
    }
    fn fork_at(&mut self, point: Point) -> Result<Box<dyn Venue>, VenueError> {
        Ok(Box::new(self.fork(point)?))
    }
    fn copy(&mut self) -> Result<Box<dyn Venue>, VenueError> {
        Ok(Box::new(self.present()))
    }
    fn gas_cost(&mut self, units: u64) -> Result<Usdc, VenueError> {
        let PaperState { pool, base_fee, usdc_is_token0, .. } = &self.state;
        Ok(spot::gas_cost(units, *base_fee, pool.seen().sqrt_price_x96, *usdc_is_token0))
    }
    fn mean_tick(&mut self, seconds: u32) -> Result<Option<MeanTick>, VenueError> {
        Ok(self.state.observations.mean(self.state.timestamp, seconds))
    }
    fn fund_to(&mut self, who: Account, deposits: Usdc) -> Result<(), VenueError> {
        let before = self.state.point;
        self.state.fund_to(who, deposits);
        if self.state.point != before {
            self.record(|| HistoryEntry::Fund(who, deposits))?;
        }
        Ok(())
    }
    fn begin_block(&mut self, header: Header) -> Result<u64, VenueError> {
        self.state.begin_block(header);
        self.record(|| HistoryEntry::Block(header))?;
        Ok(self.state.point.block)
    }
    fn trade(&mut self, trade: &MarketTrade) -> Result<Traded, VenueError> {
        let before = self.state.point;
        let traded =
            self.state.trade(trade).map_err(|e| VenueError::Bug(format!("the market cannot do {trade:?}: {e}")))?;
        if self.state.point != before {
            self.record(|| HistoryEntry::Trade(*trade))?;
        }
        Ok(traded)
    }
}
