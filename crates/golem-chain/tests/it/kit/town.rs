//! A node with the whole of Uniswap on it, put there by the same transactions as on a chain of our own; a market that can
//! be told to trade; and accounts with money.

use super::Anvil;
use alloy_primitives::aliases::{I24, U24, U160};
use alloy_primitives::{Address, B256, Bytes, I256, U256, hex, keccak256};
use alloy_sol_types::{SolCall, SolEvent, sol};
use golem_chain::contracts::{self, Contracts, OddToken, odd_token};
use golem_chain::embedded::{DeployStep, Site, endowment, script};
use golem_chain::rpc::{Addresses, Pinned};
use golem_core::Usdc;
use golem_venue::{GenesisConfig, spot};
use golem_wallet::RouterKind;
use golem_wallet::abi::{Erc20, NonfungiblePositionManager as Positions, UniswapV3Pool as Pool, Weth9};
use serde_json::{Value, json};
use std::path::Path;
use std::sync::OnceLock;

sol! {
    interface Maker {
        function mint(address to, uint256 value) external;
        function giveUpTo(address who, uint256 total) external payable;
        function swap(bool zeroForOne, int256 amount, uint160 limit) external returns (int256, int256);
        function rebase(uint256 scale) external;
    }
}

/// Observations that reach back six minutes, with a block a second.
const OBSERVATIONS: u16 = 400;

/// Which tokens the town has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tokens {
    /// Ours.
    Plain,
    /// A dollar that keeps so many basis points of every transfer.
    Fee(u64),
    /// An asset whose balances change by themselves.
    Rebasing,
}

/// A node with contracts.
pub struct Town {
    pub anvil: Anvil,
    pub site: Site,
}

fn uniswap() -> &'static Contracts {
    static CONTRACTS: OnceLock<Contracts> = OnceLock::new();
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/tools/contracts");
    CONTRACTS.get_or_init(|| contracts::fetch_or_load(&dir, |_| ()).expect("the Uniswap contracts"))
}

/// A pool at two thousand dollars, of which twenty thousand move it by a hundredth.
pub fn genesis(usdc_is_token0: bool) -> GenesisConfig {
    let price = spot::sqrt_price_of(2_000.0, usdc_is_token0);
    GenesisConfig::deep(usdc_is_token0, price, Usdc::whole(20_000), 1_700_000_000, 1_000_000_000)
}

impl Town {
    /// A town with our own tokens.
    pub fn new(usdc_is_token0: bool) -> Self {
        Self::with(usdc_is_token0, Tokens::Plain)
    }

    /// A town with odd tokens.
    pub fn with(usdc_is_token0: bool, tokens: Tokens) -> Self {
        Self::on(Anvil::start(), usdc_is_token0, tokens)
    }

    /// A town on a node, whose pool keeps enough observations for blocks of a second.
    pub fn on(anvil: Anvil, usdc_is_token0: bool, tokens: Tokens) -> Self {
        let town = Self::forgetful(anvil, usdc_is_token0, tokens);
        town.keep_observations(OBSERVATIONS);
        town
    }

    /// Let so many seconds pass in one block, in which the pool sees its price stand still.
    pub fn age(&self, seconds: u64) {
        let head = self.anvil.call("eth_getBlockByNumber", json!(["latest", false]));
        let digits = head["timestamp"].as_str().expect("a time").trim_start_matches("0x").to_owned();
        let then = u64::from_str_radix(&digits, 16).expect("a time") + seconds;
        self.anvil.call("evm_setNextBlockTimestamp", json!([then]));
        self.anvil.mine(1);
    }

    /// Let the pool keep so many observations.
    pub fn keep_observations(&self, count: u16) {
        let more = Pool::increaseObservationCardinalityNextCall { observationCardinalityNext: count };
        self.as_market(Some(self.site.places.pool), &more.abi_encode().into(), U256::ZERO);
    }

    /// A town whose pool keeps as many observations as on a chain of our own, where blocks are longer.
    pub fn forgetful(anvil: Anvil, usdc_is_token0: bool, tokens: Tokens) -> Self {
        Self::built(anvil, usdc_is_token0, tokens, RouterKind::V1)
    }

    /// A town with the second router.
    pub fn with_second_router(anvil: Anvil, usdc_is_token0: bool) -> Self {
        let town = Self::built(anvil, usdc_is_token0, Tokens::Plain, RouterKind::V2);
        town.keep_observations(OBSERVATIONS);
        town
    }

    /// Let a contract stand at a place, made by its own constructor.
    pub fn stand_at(&self, at: Address, creation: &Bytes) {
        let made = self.as_market(None, creation, U256::ZERO);
        let runtime = self.anvil.call("eth_getCode", json!([made["contractAddress"], "latest"]));
        self.anvil.call("anvil_setCode", json!([at, runtime]));
        self.anvil.mine(1);
    }

    fn built(anvil: Anvil, usdc_is_token0: bool, tokens: Tokens, router: RouterKind) -> Self {
        let (site, mut steps) = script(uniswap(), &genesis(usdc_is_token0), router);
        odd(&mut steps, tokens, &site);
        anvil.call("anvil_impersonateAccount", json!([site.market]));
        anvil.call("anvil_setBalance", json!([site.market, format!("{:#x}", endowment())]));
        let town = Self { anvil, site };
        for step in &steps {
            if step.value > U256::from(u128::MAX) {
                town.wrap(step.value);
            } else {
                town.as_market(step.to, &step.data, step.value);
            }
        }
        if let Tokens::Fee(bps) = tokens {
            // Liquidity had to come in without the fee: the pool counts what arrives.
            let code = [odd_token(OddToken::Fee).as_ref(), &U256::from(bps).to_be_bytes::<32>()].concat();
            let made = town.as_market(None, &code.into(), U256::ZERO);
            let runtime = town.anvil.call("eth_getCode", json!([made["contractAddress"], "latest"]));
            town.anvil.call("anvil_setCode", json!([site.places.usdc, runtime]));
            town.anvil.mine(1);
        }
        town
    }

    /// The market wraps more ether than anvil lets one transaction carry: what that would leave behind is written down.
    fn wrap(&self, value: U256) {
        let (weth, market) = (self.site.places.weth, self.site.market);
        let slot = keccak256([market.into_word(), B256::ZERO].concat());
        self.anvil.call("anvil_setStorageAt", json!([weth, slot, B256::from(value)]));
        self.anvil.call("anvil_setBalance", json!([weth, format!("{value:#x}")]));
    }

    /// Where the contracts stand, for settings.
    pub fn addresses(&self) -> Addresses {
        let p = self.site.places;
        let at = Pinned::at;
        Addresses {
            usdc: at(p.usdc),
            asset: at(p.weth),
            pool: at(p.pool),
            factory: at(p.factory),
            router: at(p.router),
            positions: at(p.positions),
        }
    }

    /// A transaction of the market's account, which is mined at once.
    pub fn as_market(&self, to: Option<Address>, data: &Bytes, value: U256) -> Value {
        let hash = self.post_as_market(to, data, value);
        let receipt = self.anvil.receipt(&hash);
        assert_eq!(receipt["status"], "0x1", "a transaction of the market: {receipt}");
        receipt
    }

    /// A transaction of the market's account, mined or not.
    pub fn post_as_market(&self, to: Option<Address>, data: &Bytes, value: U256) -> Value {
        let mut tx =
            json!({ "from": self.site.market, "data": data, "value": format!("{value:#x}"), "gas": "0x1c00000" });
        if let Some(to) = to {
            tx["to"] = json!(to);
        }
        self.anvil.call("eth_sendTransaction", json!([tx]))
    }

    /// Give an account dollars, and ether for gas.
    pub fn fund(&self, who: Address, dollars: u64) {
        self.anvil.call("anvil_setBalance", json!([who, "0x8ac7230489e80000"]));
        let total = U256::from(dollars) * U256::from(1_000_000);
        let give = Maker::giveUpToCall { who, total }.abi_encode().into();
        self.as_market(Some(self.site.maker), &give, U256::ZERO);
    }

    /// What the market sends to swap dollars for the asset (or back).
    pub fn swap(&self, buy: bool, amount: U256) -> Bytes {
        let down = buy == self.site.places.usdc_is_token0();
        let (low, high) = (golem_venue::pool::MIN_RATIO, golem_venue::pool::MAX_RATIO);
        let limit = if down { low + U256::from(1) } else { high - U256::from(1) };
        let limit = U160::from(limit);
        Maker::swapCall { zeroForOne: down, amount: I256::from_raw(amount), limit }.abi_encode().into()
    }

    /// A number that a contract answers.
    pub fn read(&self, to: Address, call: &impl SolCall) -> U256 {
        let data = hex::encode_prefixed(call.abi_encode());
        let word = self.anvil.call("eth_call", json!([{ "to": to, "data": data }, "latest"]));
        word.as_str().and_then(|w| w.parse().ok()).unwrap_or_else(|| panic!("{word}"))
    }

    /// Dollars and asset of an account, in their smallest units.
    pub fn holdings(&self, who: Address) -> [u128; 2] {
        let p = self.site.places;
        [p.usdc, p.weth].map(|token| self.read(token, &Erc20::balanceOfCall { account: who }).to())
    }

    /// Somebody gives an account some of the asset.
    pub fn give_asset(&self, to: Address, amount: u128) {
        let (weth, value) = (self.site.places.weth, U256::from(amount));
        self.as_market(Some(weth), &Weth9::depositCall {}.abi_encode().into(), value);
        self.as_market(Some(weth), &Erc20::transferCall { to, value }.abi_encode().into(), U256::ZERO);
    }

    /// Somebody gives an account dollars.
    pub fn give_dollars(&self, to: Address, dollars: u64) {
        self.own_dollars();
        let value = U256::from(dollars) * U256::from(1_000_000);
        self.as_market(Some(self.site.places.usdc), &Erc20::transferCall { to, value }.abi_encode().into(), U256::ZERO);
    }

    fn own_dollars(&self) {
        let give = Maker::giveUpToCall { who: self.site.market, total: U256::from(1u64 << 50) };
        self.as_market(Some(self.site.maker), &give.abi_encode().into(), U256::ZERO);
    }

    /// Somebody allows the position manager to take tokens of theirs, and has some.
    fn open_purse(&self) {
        let p = self.site.places;
        self.own_dollars();
        self.as_market(Some(p.weth), &Weth9::depositCall {}.abi_encode().into(), U256::from(10u128.pow(21)));
        for token in [p.usdc, p.weth] {
            let approve = Erc20::approveCall { spender: p.positions, value: U256::MAX };
            self.as_market(Some(token), &approve.abi_encode().into(), U256::ZERO);
        }
    }

    /// Somebody opens a position for an account, with so many dollars and what belongs to them; its number.
    pub fn give_position(&self, to: Address, range: (i32, i32), dollars: f64) -> u64 {
        self.open_purse();
        let p = self.site.places;
        let [amount0, amount1] = self.amounts(dollars);
        let [token0, token1] = spot::ordered(p.usdc_is_token0(), p.usdc, p.weth);
        let tick = |t: i32| I24::try_from(t).expect("a tick");
        let params = Positions::MintParams {
            token0,
            token1,
            fee: U24::from(500),
            tickLower: tick(range.0),
            tickUpper: tick(range.1),
            amount0Desired: amount0,
            amount1Desired: amount1,
            amount0Min: U256::ZERO,
            amount1Min: U256::ZERO,
            recipient: to,
            deadline: U256::MAX,
        };
        let done = self.as_market(Some(p.positions), &Positions::mintCall { params }.abi_encode().into(), U256::ZERO);
        let logs = done["logs"].as_array().expect("logs");
        let more = json!(Positions::IncreaseLiquidity::SIGNATURE_HASH);
        let log = logs.iter().find(|log| log["topics"][0] == more).expect("a new position");
        log["topics"][1].as_str().expect("its number").parse::<U256>().expect("a number").to()
    }

    /// Somebody adds to anybody's position.
    pub fn add_to_position(&self, id: u64, dollars: f64) {
        self.open_purse();
        let call = self.increase(id, dollars);
        self.as_market(Some(self.site.places.positions), &call, U256::ZERO);
    }

    /// A transaction that adds a cent to anybody's position, to be sent by somebody who has opened a purse for it.
    pub fn dust(&self, id: u64) -> Value {
        self.open_purse();
        json!({ "from": self.site.market, "to": self.site.places.positions, "data": self.increase(id, 0.01),
            "gas": "0x1c00000" })
    }

    fn increase(&self, id: u64, dollars: f64) -> Bytes {
        let [amount0, amount1] = self.amounts(dollars);
        let params = Positions::IncreaseLiquidityParams {
            tokenId: U256::from(id),
            amount0Desired: amount0,
            amount1Desired: amount1,
            amount0Min: U256::ZERO,
            amount1Min: U256::ZERO,
            deadline: U256::MAX,
        };
        Positions::increaseLiquidityCall { params }.abi_encode().into()
    }

    fn amounts(&self, dollars: f64) -> [U256; 2] {
        let (usdc, asset) = (U256::from((dollars * 1e6) as u128), U256::from((dollars * 5e14) as u128));
        spot::ordered(self.site.places.usdc_is_token0(), usdc, asset)
    }

    /// An account sends some of its asset away, whoever has its key.
    pub fn take_asset(&self, from: Address, to: Address, amount: u128) {
        self.take(self.site.places.weth, from, to, amount);
    }

    /// The same with whole dollars.
    pub fn take_dollars(&self, from: Address, to: Address, dollars: u64) {
        self.take(self.site.places.usdc, from, to, u128::from(dollars) * 1_000_000);
    }

    fn take(&self, token: Address, from: Address, to: Address, amount: u128) {
        self.anvil.call("anvil_impersonateAccount", json!([from]));
        let data: Bytes = Erc20::transferCall { to, value: U256::from(amount) }.abi_encode().into();
        let tx = json!({ "from": from, "to": token, "data": data, "gas": "0x100000" });
        let hash = self.anvil.call("eth_sendTransaction", json!([tx]));
        assert_eq!(self.anvil.receipt(&hash)["status"], "0x1");
        self.anvil.call("anvil_stopImpersonatingAccount", json!([from]));
    }

    /// What an account still allows the router and the position manager to take.
    pub fn allowances(&self, owner: Address) -> Vec<U256> {
        let p = self.site.places;
        let pairs = [(p.usdc, p.router), (p.weth, p.router), (p.usdc, p.positions), (p.weth, p.positions)];
        let read = |(token, spender)| self.read(token, &Erc20::allowanceCall { owner, spender });
        pairs.map(read).to_vec()
    }
}

/// Put odd tokens in the place of ours.
fn odd(steps: &mut [DeployStep], tokens: Tokens, site: &Site) {
    match tokens {
        Tokens::Plain => {}
        Tokens::Fee(_) => steps[0].data = [odd_token(OddToken::Fee).as_ref(), &[0; 32]].concat().into(),
        Tokens::Rebasing => {
            steps[1].data = odd_token(OddToken::Rebasing);
            let deposit = steps.iter_mut().find(|s| !s.value.is_zero()).expect("the deposit of ether");
            let value = std::mem::take(&mut deposit.value);
            deposit.data = Maker::mintCall { to: site.market, value }.abi_encode().into();
        }
    }
}
