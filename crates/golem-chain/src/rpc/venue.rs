//! Somebody's chain as a venue: read at the head that enough nodes agree on, tried on forks, acted on through hands.
//!
//! The market of such a chain is not ours to move. Without hands, nothing can be sent at all.

use super::fork::{Fork, Theirs};
use super::hands::AccountHands;
use super::head::{Head, ask_block, block};
use super::node::{Node, WallClock};
use super::owned::ReceiptOwned;
use super::pins::{CodeFound, Pins, code_hashes, hold_decimals};
use super::remote::Remote;
use super::touched::{ForkStage, TouchedState};
use super::wire::{NodeAsk, NodeFault, decoded};
use super::{Flow, RpcConfig};
use crate::calls::Places;
use alloy_primitives::{Address, B256, Bytes, U64, U256};
use golem_core::door::{ClaimReply, ClaimRequest};
use golem_core::patience::Chance;
use golem_core::venue::Gifts;
use golem_core::{Action, Book, HomeSum, Homeward, Point, Usdc};
use golem_venue::{Account, ChainKind, Done, MeanTick, Venue, VenueError, View};
use serde::Deserialize;
use serde_json::json;

/// A chain behind nodes.
pub struct RpcVenue {
    pub(super) node: Node,
    pub(super) config: RpcConfig,
    pub(super) places: Places,
    pub(super) hands: Option<AccountHands>,
    pub(super) odd: Vec<OddFlow>,
    /// What the hands' account owns by its own receipts.
    pub(super) owned: ReceiptOwned,
    pins: Pins,
    chain_id: u64,
    /// The fork that this head is read through. Nothing ever happens on it.
    here: Option<Fork>,
    /// What the previews of this turn looked at.
    pub(super) previewed: Option<TouchedState>,
    /// What the owner should know of the chain before trading on it.
    pub(super) warning: Option<String>,
}

/// A token that did something else than it said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OddFlow {
    /// The token.
    pub token: Address,
    /// The transaction.
    pub hash: B256,
    /// What it said and what it did.
    pub flow: Flow,
}

impl RpcVenue {
    /// The chain of a configuration. Its nodes are met, and its contracts held against their pins and against each other.
    ///
    /// # Errors
    /// When it cannot be reached, or is not the chain it should be.
    pub fn open(config: &RpcConfig, chance: Chance, clock: WallClock) -> Result<Self, VenueError> {
        if let Some(problem) = config.problems().first() {
            return Err(VenueError::Bug(format!("settings were not checked: {problem}")));
        }
        let a = &config.addresses;
        let places = Places {
            usdc: a.usdc.at,
            weth: a.asset.at,
            pool: a.pool.at,
            factory: a.factory.at,
            router: a.router.at,
            router_kind: config.router,
            positions: a.positions.at,
        };
        let node = Node::new(config, chance, clock)?;
        let chain_id = node.chain_id()?;
        let pins = Pins::of(a);
        let mut venue = Self {
            node,
            config: config.clone(),
            places,
            hands: None,
            odd: Vec::new(),
            owned: ReceiptOwned::default(),
            pins,
            chain_id,
            here: None,
            previewed: None,
            warning: None,
        };
        venue.hold_tokens()?;
        venue.here()?.meet()?;
        venue.hold_observations()?;
        Ok(venue)
    }

    /// Give it hands. What they remember of contracts' code is held against the chain from now on.
    ///
    /// # Errors
    /// When their record cannot be used.
    pub fn take_hands(&mut self, mut hands: AccountHands) -> Result<(), VenueError> {
        let head = self.node.head()?;
        for CodeFound { name, hash, .. } in self.pins.hold(&self.node, &head)? {
            let met = hands.sender.record().pin(&name, hash)?;
            self.pins.remember(&name, met);
            if met != hash {
                return Err(VenueError::Changed(format!(
                    "{name} has the code {hash}, and {met} when it was first met"
                )));
            }
        }
        self.owned = hands.sender.record().owned(None)?;
        self.hands = Some(hands);
        Ok(())
    }
    /// Its hands.
    pub fn hands(&mut self) -> Option<&mut AccountHands> {
        self.hands.as_mut()
    }
    /// The nodes, for whoever sends over them too.
    #[must_use]
    pub fn node(&self) -> Node {
        self.node.clone()
    }
    /// What the owner should know of the chain before trading on it.
    #[must_use]
    pub fn warning(&self) -> Option<&str> {
        self.warning.as_deref()
    }
    /// Where the contracts stand.
    #[must_use]
    pub fn places(&self) -> Places {
        self.places
    }
    /// Begin a turn: its time for the chain begins now, and the head is looked for anew.
    pub fn begin_turn(&mut self) {
        self.node.begin_turn();
        self.previewed = None;
    }
    /// The wishes of this turn were previewed: what they looked at is kept for all of them. After the first has been
    /// carried out the head is another one, and knows nothing of it any more.
    pub fn keep_previewed(&mut self) {
        self.previewed = self.touched();
    }
    /// Everything that was looked at on forks of this head: beside an intent, it lets the preview be tried again without
    /// the chain.
    #[must_use]
    pub fn touched(&self) -> Option<TouchedState> {
        self.here.as_ref().map(Fork::touched)
    }
    /// Tokens that did something else than they said since this was last asked.
    pub fn take_odd(&mut self) -> Vec<OddFlow> {
        std::mem::take(&mut self.odd)
    }

    /// What stands in the hands' account that it never booked; with it the USDC there that no receipt explains, which is what
    /// the owner gave and what strangers did.
    ///
    /// # Errors
    /// When the chain cannot be used now.
    pub fn gifts(&mut self) -> Result<(Gifts, i128), VenueError> {
        let who = self.hands.as_ref().ok_or(VenueError::NotOurs)?.account();
        let explained = self.owned.usdc;
        let here = self.here()?;
        let (usdc, _) = here.balances(who)?;
        Ok((here.gifts(who)?, i128::from(usdc.0).saturating_sub(explained)))
    }

    /// Both tokens count as this house does.
    pub(super) fn hold_tokens(&mut self) -> Result<(), VenueError> {
        let head = self.node.head()?;
        hold_decimals(&self.node, &head, &self.config.addresses)
    }

    /// The fork at the head.
    pub(super) fn here(&mut self) -> Result<&mut Fork, VenueError> {
        let head = self.node.head()?;
        let point = Point { block: head.number.saturating_add(1), index: 0 };
        let stage = ForkStage {
            chain_id: self.chain_id,
            point,
            below: head,
            timestamp: head.timestamp.saturating_add(1),
            base_fee: head.next_base_fee(self.config.gas),
            owner: self.hands.as_ref().map(|hands| (hands.account(), self.owned)),
        };
        let earlier = match self.here.take() {
            Some(here) if here.stage() == &stage => return Ok(self.here.insert(here)),
            other => other.map(|fork| fork.touched()),
        };
        let pinned = self.pins.hold(&self.node, &head)?;
        let mut remote = Remote::at(self.node.clone(), stage);
        if let Some(earlier) = earlier {
            let same: Vec<(Address, B256)> = pinned.iter().filter_map(|f| Some((f.at?, f.hash))).collect();
            remote.fetch_ahead(&earlier, &same);
        }
        Ok(self.here.insert(Fork::over(remote, self.places).charging(self.config.gas)))
    }

    /// The head as it is now, and the fork there.
    pub(super) fn look_again(&mut self) -> Result<Head, VenueError> {
        self.node.look_again()
    }

    /// A fork in the past, as far back as the nodes remember.
    pub(super) fn past(&mut self, point: Point) -> Result<Fork, VenueError> {
        let head = self.node.head()?;
        let missing = VenueError::NoSuchPoint(point);
        if point.block == 0 || point.block > head.number {
            return Err(missing);
        }
        let asks = [ask_block(point.block - 1), ask_block(point.block)];
        let [below, inside] = self.node.agreed(&asks, &|_, answer| block(answer))?[..] else {
            return Err(VenueError::Bug("two questions, other answers".into()));
        };
        // A node that no longer has the state of a block says so to the first question about it.
        let remembered = code_hashes(&self.node, &below, &[self.places.pool]);
        if remembered.map_err(|_| missing.clone())?.iter().any(B256::is_zero) {
            return Err(missing);
        }
        let (timestamp, base_fee) = (inside.timestamp, inside.base_fee_per_gas);
        let stage = ForkStage { chain_id: self.chain_id, point, below, timestamp, base_fee, owner: None };
        let mut fork = Fork::over(Remote::at(self.node.clone(), stage), self.places).charging(self.config.gas);
        if point.index > 0 {
            let theirs = self.transactions(&inside)?;
            let before = usize::try_from(point.index).ok().and_then(|n| theirs.get(..n)).ok_or(missing)?;
            fork.replay(before)?;
        }
        Ok(fork)
    }

    fn transactions(&self, of: &Head) -> Result<Vec<Theirs>, VenueError> {
        let ask = NodeAsk::new("eth_getBlockByHash", json!([of.hash, true]));
        let read = |_, answer| -> Result<Vec<WrittenTx>, NodeFault> { Ok(decoded::<Full>(answer)?.transactions) };
        let said = self.node.agreed(&[ask], &read)?.into_iter().flatten();
        Ok(said
            .map(|w| Theirs { from: w.from, to: w.to, value: w.value, data: w.input, gas_limit: w.gas.to() })
            .collect())
    }
}

#[derive(Deserialize)]
struct Full {
    transactions: Vec<WrittenTx>,
}

#[derive(Deserialize, PartialEq)]
struct WrittenTx {
    from: Address,
    to: Option<Address>,
    value: U256,
    input: Bytes,
    gas: U64,
}

impl Venue for RpcVenue {
    fn kind(&self) -> ChainKind {
        ChainKind::Rpc
    }
    fn chain_id(&self) -> u64 {
        self.chain_id
    }
    fn view(&mut self) -> Result<View, VenueError> {
        self.here()?.view()
    }
    fn book(&mut self, who: Account) -> Result<Book, VenueError> {
        self.here()?.book(who)
    }
    fn execute(&mut self, who: Account, action: &Action) -> Result<Done, VenueError> {
        self.carry_out(who.0.into(), action, None)
    }
    fn send_home(&mut self, who: Account, way: Homeward, sum: HomeSum) -> Result<Done, VenueError> {
        self.carry_out(who.0.into(), &Action::Home { sum }, Some(way))
    }
    fn fork_at(&mut self, point: Point) -> Result<Box<dyn Venue>, VenueError> {
        let here = self.here()?;
        if point == here.stage().point {
            return Ok(Box::new(here.clone()));
        }
        Ok(Box::new(self.past(point)?))
    }
    fn bear_out(&mut self, request: &ClaimRequest) -> ClaimReply {
        request.said(|claim| self.bears_out(claim))
    }
    fn mean_tick(&mut self, seconds: u32) -> Result<Option<MeanTick>, VenueError> {
        self.here()?.mean_over(seconds)
    }
    /// By the next base fee. What was done is charged as it was paid, tip included.
    fn gas_cost(&mut self, units: u64) -> Result<Usdc, VenueError> {
        self.here()?.gas_cost(units)
    }
    /// By the price alone: more of the chain is not looked at for it.
    fn cost_of(&mut self, done: &Done) -> Result<Usdc, VenueError> {
        match done.wei {
            Some(wei) => self.here()?.coin_worth(wei),
            None => self.gas_cost(done.gas_charged),
        }
    }
}
