//! A golem's whole equipment on a node: a town, a proxy before it, a venue with hands, a cage. What a receipt says is held
//! against the chain.

use crate::kit::{Proxy, Town};
use crate::rpc::nodes::{config, wall_ms};
use alloy_primitives::{Address, Bytes, U256};
use golem_cage::{Cage, CageAsk, CageConfig, GoingLeave, Spent};
use golem_chain::calls::Call;
use golem_chain::rpc::{AccountHands, Fork, RpcConfig, RpcVenue, Sender, Theirs, TouchedState};
use golem_core::birth::Identity;
use golem_core::door::EffectKey;
use golem_core::intent::{Asset, Intent, Outcome};
use golem_core::venue::VenueId;
use golem_core::verification::flows;
use golem_core::{
    Action, Birth, Hash, HomeAddress, Homeward, Preview, Receipt, ReferenceKind, ReferencePrice, Tick, Timestamp, Usdc,
    VirtualTime,
};
use golem_venue::{Account, Actor, Venue, VenueError, act};
use golem_wallet::{Key, Signer, VenueAddresses};
use serde_json::{Value, json};
use tempfile::TempDir;

/// A golem's whole equipment on a node.
pub struct Golem {
    pub town: Town,
    pub proxy: Proxy,
    pub config: RpcConfig,
    pub dir: TempDir,
    pub venue: RpcVenue,
    pub cage: Cage,
    pub rules: CageConfig,
    pub who: Address,
    pub tick: u64,
    pub permit: u64,
    /// What may leave the books.
    pub leave: GoingLeave,
    /// The millisecond at which its clock stands still; the machine's clock without one.
    pub stopped_ms: Option<u64>,
}

pub const SECRET: [u8; 32] = [9; 32];

impl Golem {
    pub fn new(town: Town) -> Self {
        Self::by(town, None)
    }

    pub fn by(town: Town, stopped_ms: Option<u64>) -> Self {
        Self::charged(town, stopped_ms, |_| ())
    }

    /// The same with settings of its own.
    pub fn charged(town: Town, stopped_ms: Option<u64>, change: impl Fn(&mut RpcConfig)) -> Self {
        let proxy = Proxy::before(&town.anvil.address);
        let mut config = config(vec![proxy.url()]);
        config.addresses = town.addresses();
        config.turn_budget_ms = 20_000;
        config.request_timeout_ms = 2_000;
        config.bump_after_ms = 10_000;
        config.max_answer_bytes = 8 << 20;
        config.router = town.site.places.router_kind;
        change(&mut config);
        let who = Key::of(&SECRET).expect("a key").address();
        town.fund(who, 10_000);
        let dir = tempfile::tempdir().expect("a directory");
        let venue = open(&config, &dir, stopped_ms);
        // Limits are not under test here.
        let rules = CageConfig {
            per_tx_share_bps: 10_000,
            per_hour_share_bps: 100_000,
            per_day_share_bps: 1_000_000,
            per_tx_usdc: Usdc::whole(1_000_000),
            per_hour_usdc: Usdc::whole(1_000_000),
            per_day_usdc: Usdc::whole(1_000_000),
            max_position_bps: 10_000,
            max_exposure_bps: 10_000,
            max_slippage_bps: 1_000,
            loop_repeats: 20,
            ..CageConfig::default()
        };
        let (cage, leave) = (Cage::default(), GoingLeave::default());
        Self { town, proxy, config, dir, venue, cage, rules, who, tick: 0, permit: 0, leave, stopped_ms }
    }

    /// As after a restart: only the record is left.
    pub fn restart(&mut self) {
        self.venue = open(&self.config, &self.dir, self.stopped_ms);
    }

    pub fn preview(&mut self, intent: Intent) -> Preview {
        self.venue.begin_turn();
        let who = self.account();
        let actor = Actor { who, home: Some(way()) };
        let preview = act::preview(&mut self.venue, actor, &[intent], None).pop().expect("a preview");
        at_its_reference(preview)
    }

    pub fn account(&self) -> Account {
        Account(self.who.into())
    }

    pub fn permit(&mut self, preview: &Preview) -> Spent {
        self.tick += 1;
        let (tick, now) = (Tick(self.tick), VirtualTime(self.tick * 40_000));
        let nav = Usdc::whole(10_000);
        let ask = CageAsk { tick, now, nav, preview };
        let permit = self.cage.ask_by_leave(&ask, &mut self.leave, &self.rules, &mut Vec::new());
        permit.unwrap_or_else(|denial| panic!("{denial}: {preview:?}")).spend(tick).expect("a fresh permit")
    }

    pub fn act(&mut self, preview: &Preview) -> Result<Receipt, VenueError> {
        let spent = self.permit(preview);
        let key = self.key();
        let receipt = self.venue.act(key, preview, &spent);
        self.permit = spent.permit().id();
        if let Ok(receipt) = &receipt {
            self.close(receipt);
        }
        receipt
    }

    /// The last permit is used up: this came of it.
    pub fn close(&mut self, receipt: &Receipt) {
        self.cage.settle(self.permit, Tick(self.tick), receipt, &mut Vec::new());
    }

    /// What the golem told the router and the position manager after a block.
    pub fn told_since(&self, block: u64) -> Vec<Bytes> {
        let who = |value: &Value| value.as_str().and_then(|text| text.parse::<Address>().ok());
        let places = self.town.site.places;
        let mut told = Vec::new();
        for number in block + 1..=self.town.anvil.height() {
            let found = self.town.anvil.call("eth_getBlockByNumber", json!([format!("{number:#x}"), true]));
            let all = found["transactions"].as_array().expect("transactions");
            let ours = all.iter().filter(|tx| who(&tx["from"]) == Some(self.who));
            let acts =
                ours.filter(|tx| who(&tx["to"]).is_some_and(|to| [places.router, places.positions].contains(&to)));
            told.extend(acts.map(|tx| serde_json::from_value::<Bytes>(tx["input"].clone()).expect("data")));
        }
        told
    }

    /// The gas of an action's own transaction, on a fork of its own with the approvals before it.
    pub fn gas_of(&self, here: &TouchedState, action: &Action, call: Call) -> i64 {
        let places = self.town.site.places;
        let mut fork = Fork::over(here.clone(), places);
        let approve = |Call { to, data }| {
            let value = U256::ZERO;
            Theirs { from: self.who, to: Some(to), value, data, gas_limit: 1_000_000 }
        };
        let approvals: Vec<Theirs> = places.approvals(action).into_iter().map(approve).collect();
        fork.replay(&approvals).expect("approvals");
        let (success, gas, _) = fork.attempt(self.who, call.to, call.data).expect("an attempt");
        assert!(success, "{action:?}");
        i64::try_from(gas).expect("fits")
    }

    pub fn key(&self) -> EffectKey {
        EffectKey::new(Tick(self.tick), 0)
    }

    /// Do it, and hold the chain against the receipt: the balances have changed by what it says and nothing is allowed
    /// to anybody any more.
    pub fn settle(&mut self, preview: &Preview) -> Receipt {
        let before = self.town.holdings(self.who);
        let receipt = self.act(preview).unwrap_or_else(|e| panic!("{e}: {preview:?}"));
        self.agrees(before, &receipt);
        receipt
    }

    pub fn agrees(&mut self, before: [u128; 2], receipt: &Receipt) {
        let after = self.town.holdings(self.who);
        let said = flows(&receipt.outcome);
        for (i, what) in ["usdc", "asset"].into_iter().enumerate() {
            let real = i128::try_from(after[i]).expect("fits") - i128::try_from(before[i]).expect("fits");
            assert_eq!(real, said[i], "{what}: {receipt:?}");
        }
        let book = receipt.after.expect("a book after");
        // What strangers gave is in the account and in no book.
        let given = if book.asset.0 == after[1] { 0 } else { self.venue.gifts().expect("gifts").0.asset.0 };
        assert_eq!([u128::from(book.usdc.0), book.asset.0 + given], after);
        let largest = self.town.allowances(self.who).into_iter().max().expect("allowances");
        assert!(largest <= U256::from(before[0].max(before[1]) / 1_000), "{largest} is still allowed");
    }
}

/// A node on a machine with other work may answer late: opening is tried again, as its owner would.
pub fn open(config: &RpcConfig, dir: &TempDir, stopped_ms: Option<u64>) -> RpcVenue {
    let mut late = None;
    for _ in 0..10 {
        match try_open(config, dir, stopped_ms) {
            Ok(venue) => return venue,
            Err(why @ VenueError::Unreachable(_)) => late = Some(why),
            Err(why) => panic!("{why}"),
        }
    }
    panic!("ten times: {late:?}")
}

fn try_open(config: &RpcConfig, dir: &TempDir, stopped_ms: Option<u64>) -> Result<RpcVenue, VenueError> {
    let clock = Box::new(move || stopped_ms.unwrap_or_else(wall_ms));
    let mut venue = RpcVenue::open(config, Box::new(|| 0.5), clock)?;
    venue.view()?;
    let signer = Signer::new(Key::of(&SECRET).expect("a key"), signer_addresses(&mut venue)).homeward(way());
    let sender = Sender::open(venue.node(), &dir.path().join("sent.db"), signer.address())?;
    venue.take_hands(AccountHands::new(sender, signer))?;
    Ok(venue)
}

/// Where its owner has its money.
pub fn way() -> Homeward {
    let name: golem_core::Name = "ada".parse().expect("a name");
    let identity = Identity { name: &name, public_key: Hash([1; 32]), commitment: Hash([2; 32]) };
    let birth = identity.first_ancestor(true, Timestamp(0), Usdc(1), Hash([3; 32]));
    Homeward::fixed(&Birth { home: HomeAddress::new([0x77; 20]), ..birth }).expect("an address")
}

pub fn buy(dollars: u64) -> Intent {
    Intent::Buy { pay: Usdc::whole(dollars), min_out: Asset(1) }
}

/// A buy whose least result is so many basis points below what the preview expects.
pub fn bounded(golem: &mut Golem, dollars: u64, bps: u128) -> Preview {
    let preview = golem.preview(buy(dollars));
    let Outcome::Bought { got, .. } = preview.outcome else { panic!("{preview:?}") };
    golem.preview(Intent::Buy { pay: Usdc::whole(dollars), min_out: Asset(got.0 - got.0 * bps / 10_000) })
}

pub fn signer_addresses(venue: &mut RpcVenue) -> VenueAddresses {
    let p = venue.places();
    VenueAddresses {
        chain_id: venue.chain_id(),
        venue: VenueId::UniswapV3,
        code: venue.view().expect("a view").code,
        usdc: p.usdc,
        weth: p.weth,
        pool: p.pool,
        fee: 500,
        router: p.router,
        router_kind: p.router_kind,
        positions: p.positions,
    }
}

/// The same preview in a pool that stands at its reference.
pub fn at_its_reference(preview: Preview) -> Preview {
    let tick = preview.before.pool.tick;
    let reference = ReferencePrice { kind: ReferenceKind::PoolMean, tick, spot: tick, window_s: 1_800 };
    Preview { reference: Some(reference), ..preview }
}
