//! A look at a chain before anything lives on it: whether every contract that settings name stands there and is what it is
//! called, how deep the pool is and how far back it remembers, how old the head is, and what a transaction costs.
//!
//! First contact stops at the first thing that does not fit; here everything is looked at, and told.

use super::config::RpcConfig;
use super::contact::{PoolMemory, memory, pace_ms, unfit_words};
use super::fork::Fork;
use super::node::{Node, WallClock};
use super::pins::{code_hashes, hold_decimals};
use super::remote::Remote;
use super::touched::ForkStage;
use crate::calls::Places;
use alloy_primitives::aliases::{U24, U160};
use alloy_primitives::{Address, KECCAK256_EMPTY, U256};
use golem_core::patience::Chance;
use golem_core::{Action, Asset, Point, Usdc};
use golem_venue::pool::{FEE, Round};
use golem_venue::{VenueError, spot};
use golem_wallet::abi::QuoterV2;
use serde::Serialize;

/// What was found of one thing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SurveyRow {
    /// What was looked at.
    pub what: String,
    /// Whether it is as it should be.
    pub ok: bool,
    /// What was found, and what is wrong with it.
    pub found: String,
}

/// The dollars whose price is asked for, to know how deep the pool is.
const PROBE: u64 = 10_000_000_000;
/// The gas of a swap with its approval, for a price.
const SWAP_GAS: u64 = 160_000;

struct ChainSurvey {
    rows: Vec<SurveyRow>,
}

impl ChainSurvey {
    fn note(&mut self, what: &str, found: Result<String, String>) -> bool {
        let (ok, found) = match found {
            Ok(found) => (true, found),
            Err(why) => (false, why),
        };
        self.rows.push(SurveyRow { what: what.to_owned(), ok, found });
        ok
    }
}

/// Look at everything that settings name, and at a quoter where one is known. One row for each, whatever it came to.
#[must_use]
pub fn survey(config: &RpcConfig, quoter: Option<Address>, chance: Chance, clock: WallClock) -> Vec<SurveyRow> {
    let mut survey = ChainSurvey { rows: Vec::new() };
    let node = match Node::new(config, chance, clock) {
        Ok(node) => node,
        Err(e) => {
            survey.note("node", Err(unfit_words(e)));
            return survey.rows;
        }
    };
    let head = match node.head() {
        Ok(head) => head,
        Err(e) => {
            // A node of another chain has no head that could be looked at.
            let what = if matches!(e, VenueError::Changed(_)) { "chain id" } else { "head" };
            survey.note(what, Err(unfit_words(e)));
            return survey.rows;
        }
    };
    survey.note("chain id", Ok(config.chain_id.to_string()));
    let age = (node.now_ms() / 1_000).saturating_sub(head.timestamp);
    survey.note("head", Ok(format!("block {}, {age} s old", head.number)));
    let mut contracts: Vec<(&str, Address)> =
        config.addresses.all().iter().map(|(name, pin)| (*name, pin.at)).collect();
    contracts.extend(quoter.map(|at| ("quoter", at)));
    let at: Vec<Address> = contracts.iter().map(|(_, at)| *at).collect();
    let hashes = match code_hashes(&node, &head, &at) {
        Ok(hashes) => hashes,
        Err(e) => {
            survey.note("code", Err(unfit_words(e)));
            return survey.rows;
        }
    };
    let mut whole = true;
    for ((name, at), hash) in contracts.iter().zip(hashes) {
        let bare = hash.is_zero() || hash == KECCAK256_EMPTY;
        let found = if bare { Err(format!("{at}: there is no code")) } else { Ok(at.to_string()) };
        whole &= survey.note(name, found);
    }
    if !whole {
        return survey.rows;
    }
    let decimals = hold_decimals(&node, &head, &config.addresses);
    survey.note("decimals", decimals.map(|()| "usdc 6, asset 18".to_owned()).map_err(unfit_words));
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
    let stage = ForkStage {
        chain_id: config.chain_id,
        point: Point { block: head.number.saturating_add(1), index: 0 },
        below: head,
        timestamp: head.timestamp.saturating_add(1),
        base_fee: head.next_base_fee(config.gas),
        owner: None,
    };
    let pace = pace_ms(&node, &head);
    let mut fork = Fork::over(Remote::at(node, stage), places).charging(config.gas);
    let together = fork.meet().map(|()| "pool, factory, router and position manager are each other's".to_owned());
    survey.note("together", together.map_err(unfit_words));
    if let Some(quoter) = quoter {
        survey.note("depth", fork.depth(quoter).map_err(unfit_words));
    }
    let memory = pace.and_then(|pace| Ok(memory(places.pool, fork.observations()?, pace.unwrap_or_default())));
    let memory = memory.map_err(unfit_words).and_then(|memory| match memory {
        PoolMemory::Long(words) | PoolMemory::Short(words) => Ok(words),
        PoolMemory::TooShort(words) => Err(words),
    });
    survey.note("observations", memory);
    survey.note("price", fork.price_of_ether().map_err(unfit_words));
    survey.note("a swap costs", fork.price_of_swap().map_err(unfit_words));
    survey.rows
}

impl Fork {
    /// What ten thousand dollars would move, by the quoter's own word.
    fn depth(&mut self, quoter: Address) -> Result<String, VenueError> {
        let p = self.places();
        let params = QuoterV2::QuoteExactInputSingleParams {
            tokenIn: p.usdc,
            tokenOut: p.weth,
            amountIn: U256::from(PROBE),
            fee: U24::from(FEE),
            sqrtPriceLimitX96: U160::ZERO,
        };
        let before = spot::price_of(self.pool_seen()?.sqrt_price_x96, p.usdc_is_token0());
        let quote = self.told("quoter", quoter, &QuoterV2::quoteExactInputSingleCall { params })?;
        let after = spot::price_of(spot::wide(U256::from(quote.sqrtPriceX96After)), p.usdc_is_token0());
        let moved = (after / before - 1.0) * 100.0;
        let said = format!("10,000 USDC move the price by {moved:.3} %");
        if moved.is_finite() && moved < 10.0 {
            Ok(said)
        } else {
            Err(VenueError::Unfit(format!("{said}: too shallow to trade in")))
        }
    }

    fn price_of_ether(&mut self) -> Result<String, VenueError> {
        let price = spot::price_of(self.pool_seen()?.sqrt_price_x96, self.places().usdc_is_token0());
        Ok(format!("{price:.2} USDC for an ether"))
    }

    /// What buying for ten dollars costs now: the gas, and what is taken for its bytes on the chain below.
    fn price_of_swap(&mut self) -> Result<String, VenueError> {
        let (p, base_fee) = (self.places(), u128::from(self.stage().base_fee));
        let buy = Action::Buy { pay: Usdc::whole(10), min_out: Asset(1) };
        let mut below = 0u128;
        let calls = p.approvals(&buy).into_iter().chain([p.act(Address::repeat_byte(0x0b), &buy, u64::MAX)]);
        for call in calls {
            below = below.saturating_add(self.data_fee(call.to, &call.data, U256::ZERO)?);
        }
        let price = self.pool_seen()?.sqrt_price_x96;
        let dollars = |wei: u128| spot::asset_to_usdc(Asset(wei), price, p.usdc_is_token0(), Round::Up);
        let gas = u128::from(SWAP_GAS).saturating_mul(base_fee);
        Ok(format!("about {} USDC for gas and {} for the chain below", dollars(gas), dollars(below)))
    }
}
