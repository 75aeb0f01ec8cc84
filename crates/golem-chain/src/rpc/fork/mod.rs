//! A fork of somebody's chain: their contracts and state under a state of our own, on which everything can be tried and
//! the market is ours to move. What it looked at can be kept, and the same be tried again without the chain.

mod act;
mod book;
mod evm;
mod market;
mod mean;
mod reads;

pub(super) use act::{nothing, taken};

use super::fees::GasRule;
use super::owned::ReceiptOwned;
use super::touched::{Backing, ForkStage, TouchedState};
use crate::calls::Places;
use alloy_primitives::{Address, Bytes, U256};
use evm::{Far, ForkState, GAS, OpenBlock, Ran, Tx};
use golem_core::{Action, Asset, Book, HomeSum, Homeward, Point, Usdc};
use golem_venue::pool::Round;
use golem_venue::{Account, ChainKind, Done, Header, MarketTrade, MeanTick, Traded, Venue, VenueError, View, spot};
use market::ForkMarket;
use std::collections::BTreeMap;

/// A transaction of somebody's, as it stands in a block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Theirs {
    /// Who sent it.
    pub from: Address,
    /// Whom it called; nobody when it made a contract.
    pub to: Option<Address>,
    /// Ether that went with it.
    pub value: U256,
    /// What it said.
    pub data: Bytes,
    /// Gas that it could use.
    pub gas_limit: u64,
}

/// A fork.
#[derive(Debug, Clone)]
pub struct Fork {
    stage: ForkStage,
    places: Places,
    /// How the chain charges.
    rule: GasRule,
    state: ForkState,
    open: OpenBlock,
    /// What happened on it, so that earlier points of it can be had again.
    past: Vec<Happened>,
    market: Option<ForkMarket>,
    /// What accounts were given in all, as far as this fork knows.
    given: BTreeMap<Address, Usdc>,
    /// The account whose bookings are known, and what it owns by them.
    owner: Option<(Address, ReceiptOwned)>,
}

#[derive(Debug, Clone)]
enum Happened {
    Block(Header),
    Sent(Tx),
    /// Our own doing behind the chain's back: a transaction that takes no place, a slot, the market's hands, a gift.
    Made(Tx),
    Set(Address, U256, U256),
    Hands(ForkMarket),
    Gave(Address, Usdc),
    Booked(ReceiptOwned),
}

impl Fork {
    /// A fork over something that can be read, at the beginning of the block it is to be inside of.
    #[must_use]
    pub fn over(backing: impl Backing + 'static, places: Places) -> Self {
        let stage = *backing.stage();
        Self::on(Far::new(backing), stage, places)
    }

    fn on(far: Far, stage: ForkStage, places: Places) -> Self {
        let ForkStage { point, timestamp, base_fee, .. } = stage;
        let open = OpenBlock { number: point.block, timestamp, base_fee, index: 0 };
        Self {
            stage,
            places,
            rule: GasRule::default(),
            state: ForkState::new(far),
            open,
            past: Vec::new(),
            market: None,
            given: BTreeMap::new(),
            owner: stage.owner,
        }
    }

    /// The same where the chain charges like this.
    #[must_use]
    pub fn charging(self, rule: GasRule) -> Self {
        Self { rule, ..self }
    }

    /// How the chain charges.
    pub(super) fn rule(&self) -> GasRule {
        self.rule
    }

    /// What the node behind the chain answers past the machine; nothing where there is none.
    pub(super) fn ask_node(&self, to: Address, data: &Bytes) -> Result<Option<Bytes>, VenueError> {
        self.state.db.ask_node(to, data)
    }

    /// Where it was taken.
    #[must_use]
    pub fn stage(&self) -> &ForkStage {
        &self.stage
    }

    /// Everything of the chain that this fork, and every fork it shares its reads with, has looked at.
    #[must_use]
    pub fn touched(&self) -> TouchedState {
        self.state.db.touched()
    }

    /// A fork over the same reads as they were at first: nothing of this one has happened on it.
    #[must_use]
    pub fn afresh(&self) -> Self {
        Self::on(self.state.db.clone(), self.stage, self.places).charging(self.rule)
    }

    /// Let transactions happen that stood before the point in its block.
    ///
    /// # Errors
    /// When what they need cannot be read.
    pub fn replay(&mut self, theirs: &[Theirs]) -> Result<(), VenueError> {
        for t in theirs {
            let Theirs { from, to, value, data, gas_limit } = t.clone();
            self.send(Tx { from, to, value, data, gas_limit, ..Tx::default() })?;
        }
        Ok(())
    }

    pub(super) fn places(&self) -> Places {
        self.places
    }

    fn point(&self) -> Point {
        Point { block: self.open.number, index: self.open.index }
    }

    /// Let a transaction happen.
    fn send(&mut self, tx: Tx) -> Result<Ran, VenueError> {
        let (ran, done) = evm::run(&mut self.state, self.stage.chain_id, &self.open, &tx)?;
        evm::keep(&mut self.state, done);
        self.open.index = self.open.index.saturating_add(1);
        self.past.push(Happened::Sent(tx));
        Ok(ran)
    }

    /// Let something happen that takes no place in the block.
    fn make(&mut self, tx: Tx) -> Result<Ran, VenueError> {
        let (ran, done) = evm::run(&mut self.state, self.stage.chain_id, &self.open, &tx)?;
        evm::keep(&mut self.state, done);
        self.past.push(Happened::Made(tx));
        Ok(ran)
    }

    fn set(&mut self, address: Address, slot: U256, value: U256) -> Result<(), VenueError> {
        evm::set(&mut self.state, address, slot, value)?;
        self.past.push(Happened::Set(address, slot, value));
        Ok(())
    }

    fn next_block(&mut self, header: Header) -> Result<u64, VenueError> {
        let wrong = || VenueError::Bug(format!("a base fee of {} wei does not fit", header.base_fee));
        let base_fee = u64::try_from(header.base_fee).map_err(|_| wrong())?;
        self.open =
            OpenBlock { number: self.open.number.saturating_add(1), timestamp: header.timestamp, base_fee, index: 0 };
        self.past.push(Happened::Block(header));
        Ok(self.open.number)
    }

    /// The fork as it was at an earlier point of itself: what happened until then happens again.
    fn earlier(&self, point: Point) -> Result<Self, VenueError> {
        let mut again = self.afresh();
        for happened in &self.past {
            if again.point() == point {
                return Ok(again);
            }
            match happened.clone() {
                Happened::Block(header) => drop(again.next_block(header)?),
                Happened::Sent(tx) => drop(again.send(tx)?),
                Happened::Set(address, slot, value) => again.set(address, slot, value)?,
                Happened::Made(tx) => drop(again.make(tx)?),
                Happened::Hands(market) => again.takes_hands(market),
                Happened::Gave(who, all) => again.gave(who, all),
                Happened::Booked(brought) => again.book_as_own(brought),
            }
        }
        if again.point() == point { Ok(again) } else { Err(VenueError::NoSuchPoint(point)) }
    }

    fn takes_hands(&mut self, market: ForkMarket) {
        self.market = Some(market);
        self.past.push(Happened::Hands(market));
    }

    fn gave(&mut self, who: Address, all: Usdc) {
        self.given.insert(who, all);
        self.past.push(Happened::Gave(who, all));
    }

    fn book_as_own(&mut self, brought: ReceiptOwned) {
        if let Some((_, owned)) = &mut self.owner {
            *owned = owned.plus(brought);
            self.past.push(Happened::Booked(brought));
        }
    }

    /// What an account owns by its own bookings, where they are known.
    fn owned(&self, who: Address) -> Option<ReceiptOwned> {
        self.owner.filter(|(owner, _)| *owner == who).map(|(_, owned)| owned)
    }

    /// What so much gas costs at a fee per unit.
    pub(super) fn gas_cost_at(&mut self, units: u64, fee: u128) -> Result<Usdc, VenueError> {
        let (price, usdc_is_token0) = (self.pool_seen()?.sqrt_price_x96, self.places.usdc_is_token0());
        Ok(spot::gas_cost(units, fee, price, usdc_is_token0))
    }

    /// What so much coin is worth in USDC, rounded up.
    pub(super) fn coin_worth(&mut self, wei: u128) -> Result<Usdc, VenueError> {
        let (price, usdc_is_token0) = (self.pool_seen()?.sqrt_price_x96, self.places.usdc_is_token0());
        Ok(spot::asset_to_usdc(Asset(wei), price, usdc_is_token0, Round::Up))
    }

    /// What a call would do now: whether it would succeed, the gas of it, and what it would return.
    ///
    /// # Errors
    /// When what it needs cannot be read.
    pub fn attempt(&mut self, from: Address, to: Address, data: Bytes) -> Result<(bool, u64, Bytes), VenueError> {
        self.attempt_with(from, to, data, U256::ZERO)
    }

    /// The same with coin.
    pub(super) fn attempt_with(
        &mut self,
        from: Address,
        to: Address,
        data: Bytes,
        value: U256,
    ) -> Result<(bool, u64, Bytes), VenueError> {
        let tx = Tx { value, ..self.call(from, to, data) };
        let (ran, _) = evm::run(&mut self.state, self.stage.chain_id, &self.open, &tx)?;
        Ok((ran.success, ran.gas_used, ran.output))
    }

    fn call(&self, from: Address, to: Address, data: Bytes) -> Tx {
        Tx { from, to: Some(to), data, gas_limit: GAS, ..Tx::default() }
    }
}

impl Venue for Fork {
    fn kind(&self) -> ChainKind {
        ChainKind::Rpc
    }
    fn chain_id(&self) -> u64 {
        self.stage.chain_id
    }
    fn view(&mut self) -> Result<View, VenueError> {
        self.see()
    }
    fn book(&mut self, who: Account) -> Result<Book, VenueError> {
        self.keep_book(who.0.into())
    }
    fn execute(&mut self, who: Account, action: &Action) -> Result<Done, VenueError> {
        self.carry_out(who.0.into(), action)
    }
    fn send_home(&mut self, who: Account, way: Homeward, sum: HomeSum) -> Result<Done, VenueError> {
        self.carry_home(who.0.into(), way, sum)
    }
    fn fork_at(&mut self, point: Point) -> Result<Box<dyn Venue>, VenueError> {
        Ok(Box::new(if point == self.point() { self.clone() } else { self.earlier(point)? }))
    }
    fn gas_cost(&mut self, units: u64) -> Result<Usdc, VenueError> {
        self.gas_cost_at(units, u128::from(self.open.base_fee))
    }
    /// By the price alone: more of the chain is not looked at for it.
    fn cost_of(&mut self, done: &Done) -> Result<Usdc, VenueError> {
        match done.wei {
            Some(wei) => self.coin_worth(wei),
            None => self.gas_cost(done.gas_charged),
        }
    }
    fn mean_tick(&mut self, seconds: u32) -> Result<Option<MeanTick>, VenueError> {
        self.mean_over(seconds)
    }
    fn fund_to(&mut self, who: Account, deposits: Usdc) -> Result<(), VenueError> {
        self.give_up_to(who.0.into(), deposits)
    }
    fn begin_block(&mut self, header: Header) -> Result<u64, VenueError> {
        self.next_block(header)
    }
    fn trade(&mut self, trade: &MarketTrade) -> Result<Traded, VenueError> {
        self.let_trade(trade)
    }
}
