//! What a transaction really does, read from its own bytes, held against what was permitted.
//!
//! Nothing that built the transaction is believed: destination and calldata are decoded here again, every field is
//! compared, and bytes that the canonical encoding would not contain are refused.

use crate::abi::{Erc20, NonfungiblePositionManager as Positions, SwapRouter, SwapRouter02, Weth9};
use crate::not_covered::TxNotCovered;
use alloy_consensus::TxEip1559;
use alloy_primitives::aliases::{I24, U24};
use alloy_primitives::{Address, TxKind, U256};
use alloy_sol_types::SolCall;
use golem_core::venue::VenueId;
use golem_core::{Action, Asset, Hash, HomeSum, Usdc};
use serde::{Deserialize, Serialize};

/// The largest calldata of anything we sign is below a kilobyte.
const LONGEST_CALL: usize = 4_096;

/// Which of the two routers of Uniswap v3 a venue has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RouterKind {
    /// `SwapRouter`: the deadline is among the swap's own parameters.
    #[default]
    V1,
    /// `SwapRouter02`: the deadline is the multicall's around it.
    V2,
}

/// Where a venue stands: pinned by the owner or by the chain that we made ourselves, never by what a golem reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VenueAddresses {
    /// The chain.
    pub chain_id: u64,
    /// The venue.
    pub venue: VenueId,
    /// Hash over the code of its contracts.
    pub code: Hash,
    /// USDC.
    pub usdc: Address,
    /// The asset.
    pub weth: Address,
    /// The pool of the two.
    pub pool: Address,
    /// The pool's fee, in millionths.
    pub fee: u32,
    /// The swap router.
    pub router: Address,
    /// Which of the two it is.
    pub router_kind: RouterKind,
    /// The position manager.
    pub positions: Address,
}

/// What no transaction may exceed, whatever was permitted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Caps {
    /// Gas units.
    pub gas_limit: u64,
    /// Wei per unit of gas, tip included.
    pub max_fee_per_gas: u128,
    /// The last second, of the chain's clock, at which it may still be carried out.
    pub deadline: u64,
}

/// What a covered transaction is to the action that covers it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CoverPart {
    /// The allowance of USDC that the action needs.
    AllowUsdc,
    /// The allowance of the asset that the action needs.
    AllowAsset,
    /// The action itself.
    Act,
    /// An allowance taken back.
    Revoke,
    /// Nothing, so that the nonce is used up.
    Cancel,
}

/// One action, and everything a transaction is held against.
pub(crate) struct Covered<'a> {
    pub me: Address,
    /// Where money goes home to; the birth record's word.
    pub home: Option<Address>,
    pub at: &'a VenueAddresses,
    pub action: &'a Action,
    pub caps: &'a Caps,
}

/// What needs no permit since it moves nothing: taking an allowance back, and using up a nonce.
pub(crate) fn harmless(
    me: Address,
    at: &VenueAddresses,
    caps: &Caps,
    tx: &TxEip1559,
) -> Result<CoverPart, TxNotCovered> {
    let to = envelope(at, caps, tx)?;
    if to == me && tx.input.is_empty() {
        return Ok(CoverPart::Cancel);
    }
    ensure(to == at.usdc || to == at.weth, TxNotCovered::Destination)?;
    let call: Erc20::approveCall = decode(&tx.input)?;
    ensure(call.spender == at.router || call.spender == at.positions, TxNotCovered::Spender)?;
    ensure(call.value.is_zero(), TxNotCovered::Allowance)?;
    Ok(CoverPart::Revoke)
}

impl Covered<'_> {
    /// Which part of the action a transaction is, if it is any.
    pub(crate) fn part(&self, tx: &TxEip1559) -> Result<CoverPart, TxNotCovered> {
        match *self.action {
            Action::Home { sum } => return self.home(sum, tx).map(|()| CoverPart::Act),
            Action::Unwrap { give } => return self.unwrap(give, tx).map(|()| CoverPart::Act),
            _ => {}
        }
        let to = envelope(self.at, self.caps, tx)?;
        match to {
            to if to == self.at.usdc || to == self.at.weth => self.allowance(to, &tx.input),
            to if to == self.at.router => self.swap(&tx.input).map(|()| CoverPart::Act),
            to if to == self.at.positions => self.position(&tx.input).map(|()| CoverPart::Act),
            _ => Err(TxNotCovered::Destination),
        }
    }

    /// A transfer to the one address that was fixed at birth, of exactly what was permitted: of a token by its own call, of the
    /// coin with no call at all.
    fn home(&self, sum: HomeSum, tx: &TxEip1559) -> Result<(), TxNotCovered> {
        let home = self.home.filter(|home| *home != self.me).ok_or(TxNotCovered::NotHome)?;
        let (token, amount) = match sum {
            HomeSum::Usdc(amount) => (self.at.usdc, U256::from(amount.0)),
            HomeSum::Asset(amount) => (self.at.weth, U256::from(amount.0)),
            HomeSum::Coin(amount) => {
                let to = envelope_with(U256::from(amount.0), self.at, self.caps, tx)?;
                ensure(to == home, TxNotCovered::NotHome)?;
                ensure(!tx.value.is_zero(), TxNotCovered::Amount)?;
                return ensure(tx.input.is_empty(), TxNotCovered::Call);
            }
        };
        let to = envelope(self.at, self.caps, tx)?;
        ensure(to == token, TxNotCovered::Destination)?;
        let call: Erc20::transferCall = decode(&tx.input)?;
        ensure(call.to == home, TxNotCovered::NotHome)?;
        ensure(call.value == amount && !amount.is_zero(), TxNotCovered::Amount)
    }

    /// Asset that becomes coin in the same account.
    fn unwrap(&self, give: Asset, tx: &TxEip1559) -> Result<(), TxNotCovered> {
        let to = envelope(self.at, self.caps, tx)?;
        ensure(to == self.at.weth, TxNotCovered::Destination)?;
        let call: Weth9::withdrawCall = decode(&tx.input)?;
        ensure(call.wad == U256::from(give.0) && give > Asset::ZERO, TxNotCovered::Amount)
    }

    /// At most what the action takes, for the one contract that takes it.
    fn allowance(&self, token: Address, data: &[u8]) -> Result<CoverPart, TxNotCovered> {
        let call: Erc20::approveCall = decode(data)?;
        let (spender, usdc, asset) = match *self.action {
            Action::Buy { pay, .. } => (self.at.router, pay, Asset::ZERO),
            Action::Sell { give, .. } => (self.at.router, Usdc::ZERO, give),
            Action::Mint { pay, give, .. } => (self.at.positions, pay, give),
            Action::Burn { .. } | Action::Collect { .. } => return Err(TxNotCovered::Call),
            Action::Home { .. } | Action::Unwrap { .. } => return Err(TxNotCovered::Call),
        };
        ensure(call.spender == spender, TxNotCovered::Spender)?;
        let (most, part) = if token == self.at.usdc {
            (U256::from(usdc.0), CoverPart::AllowUsdc)
        } else {
            (U256::from(asset.0), CoverPart::AllowAsset)
        };
        ensure(!call.value.is_zero() && call.value <= most, TxNotCovered::Allowance)?;
        Ok(part)
    }

    fn swap(&self, data: &[u8]) -> Result<(), TxNotCovered> {
        let (usdc, weth) = (self.at.usdc, self.at.weth);
        let (from, into, give, least) = match *self.action {
            Action::Buy { pay, min_out } => (usdc, weth, U256::from(pay.0), U256::from(min_out.0)),
            Action::Sell { give, min_out } => (weth, usdc, U256::from(give.0), U256::from(min_out.0)),
            _ => return Err(TxNotCovered::Call),
        };
        let p = match self.at.router_kind {
            RouterKind::V1 => decode::<SwapRouter::exactInputSingleCall>(data)?.params,
            RouterKind::V2 => within_multicall(data)?,
        };
        ensure(p.tokenIn == from && p.tokenOut == into, TxNotCovered::Tokens)?;
        self.fee(p.fee)?;
        self.to_me(p.recipient)?;
        self.in_time(p.deadline)?;
        // The second router takes nothing for all that it holds.
        ensure(p.amountIn == give && !give.is_zero(), TxNotCovered::Amount)?;
        ensure(p.amountOutMinimum >= least, TxNotCovered::Minimum)?;
        ensure(p.sqrtPriceLimitX96.is_zero(), TxNotCovered::PriceLimit)
    }

    fn position(&self, data: &[u8]) -> Result<(), TxNotCovered> {
        match *self.action {
            Action::Mint { position: None, .. } => self.mint(decode(data)?),
            Action::Mint { position: Some(id), .. } => self.increase(id, decode(data)?),
            Action::Burn { .. } => self.burn(decode(data)?),
            Action::Collect { position } => self.collect(position, decode(data)?),
            Action::Buy { .. } | Action::Sell { .. } => Err(TxNotCovered::Call),
            Action::Home { .. } | Action::Unwrap { .. } => Err(TxNotCovered::Call),
        }
    }

    fn mint(&self, call: Positions::mintCall) -> Result<(), TxNotCovered> {
        let Action::Mint { range, .. } = *self.action else { return Err(TxNotCovered::Call) };
        let p = call.params;
        let (token0, token1) = self.ordered(self.at.usdc, self.at.weth);
        ensure(p.token0 == token0 && p.token1 == token1, TxNotCovered::Tokens)?;
        self.fee(p.fee)?;
        let tick = |t: i32| I24::try_from(t).map_err(|_| TxNotCovered::Range);
        ensure(p.tickLower == tick(range.lower)? && p.tickUpper == tick(range.upper)?, TxNotCovered::Range)?;
        self.to_me(p.recipient)?;
        self.in_time(p.deadline)?;
        self.mint_amounts([p.amount0Desired, p.amount1Desired], [p.amount0Min, p.amount1Min])
    }

    fn increase(&self, id: u64, call: Positions::increaseLiquidityCall) -> Result<(), TxNotCovered> {
        let p = call.params;
        ensure(p.tokenId == U256::from(id), TxNotCovered::Position)?;
        self.in_time(p.deadline)?;
        self.mint_amounts([p.amount0Desired, p.amount1Desired], [p.amount0Min, p.amount1Min])
    }

    fn mint_amounts(&self, desired: [U256; 2], least: [U256; 2]) -> Result<(), TxNotCovered> {
        let Action::Mint { pay, give, min_pay, min_give, .. } = *self.action else { return Err(TxNotCovered::Call) };
        let (want0, want1) = self.ordered(U256::from(pay.0), U256::from(give.0));
        ensure(desired == [want0, want1], TxNotCovered::Amount)?;
        self.at_least(least, min_pay, min_give)
    }

    /// Taking liquidity out, collecting it, and closing the position when all of it is out: in this order, nothing else. One
    /// that strangers added to cannot be closed, so the last call may be left out: the same comes out to the same account for
    /// the same minima, and the deed stays with its owner.
    fn burn(&self, call: Positions::multicallCall) -> Result<(), TxNotCovered> {
        let Action::Burn { position, liquidity, min_out, min_asset, close } = *self.action else {
            return Err(TxNotCovered::Call);
        };
        let (decrease, collect) = match (call.data.as_slice(), close) {
            ([decrease, collect], _) => (decrease, collect),
            ([decrease, collect, burn], true) => {
                let burn: Positions::burnCall = decode(burn)?;
                ensure(burn.tokenId == U256::from(position), TxNotCovered::Position)?;
                (decrease, collect)
            }
            _ => return Err(TxNotCovered::Inner),
        };
        let p = decode::<Positions::decreaseLiquidityCall>(decrease)?.params;
        ensure(p.tokenId == U256::from(position), TxNotCovered::Position)?;
        ensure(p.liquidity == liquidity, TxNotCovered::Amount)?;
        self.in_time(p.deadline)?;
        self.at_least([p.amount0Min, p.amount1Min], min_out, min_asset)?;
        self.collect(position, decode(collect)?)
    }

    fn collect(&self, id: u64, call: Positions::collectCall) -> Result<(), TxNotCovered> {
        let p = call.params;
        ensure(p.tokenId == U256::from(id), TxNotCovered::Position)?;
        self.to_me(p.recipient)?;
        ensure(p.amount0Max == u128::MAX && p.amount1Max == u128::MAX, TxNotCovered::Amount)
    }

    fn at_least(&self, least: [U256; 2], usdc: Usdc, asset: Asset) -> Result<(), TxNotCovered> {
        let (least0, least1) = self.ordered(U256::from(usdc.0), U256::from(asset.0));
        ensure(least[0] >= least0 && least[1] >= least1, TxNotCovered::Minimum)
    }

    fn fee(&self, fee: U24) -> Result<(), TxNotCovered> {
        ensure(fee.to::<u32>() == self.at.fee, TxNotCovered::FeeTier)
    }

    fn to_me(&self, recipient: Address) -> Result<(), TxNotCovered> {
        ensure(recipient == self.me, TxNotCovered::Recipient)
    }

    fn in_time(&self, deadline: U256) -> Result<(), TxNotCovered> {
        ensure(deadline <= U256::from(self.caps.deadline), TxNotCovered::Deadline)
    }

    /// The pool orders its tokens by address.
    fn ordered<T>(&self, of_usdc: T, of_asset: T) -> (T, T) {
        if self.at.usdc < self.at.weth { (of_usdc, of_asset) } else { (of_asset, of_usdc) }
    }
}

/// What holds for every transaction that carries no coin. Returns where it goes.
fn envelope(at: &VenueAddresses, caps: &Caps, tx: &TxEip1559) -> Result<Address, TxNotCovered> {
    envelope_with(U256::ZERO, at, caps, tx)
}

/// What holds for every transaction that carries so much coin, whatever it does.
fn envelope_with(value: U256, at: &VenueAddresses, caps: &Caps, tx: &TxEip1559) -> Result<Address, TxNotCovered> {
    ensure(tx.chain_id == at.chain_id, TxNotCovered::Chain)?;
    ensure(tx.value == value, TxNotCovered::Value)?;
    ensure(tx.access_list.0.is_empty(), TxNotCovered::AccessList)?;
    ensure(tx.gas_limit <= caps.gas_limit, TxNotCovered::GasLimit)?;
    let (fee, tip) = (tx.max_fee_per_gas, tx.max_priority_fee_per_gas);
    ensure(fee <= caps.max_fee_per_gas && tip <= fee, TxNotCovered::GasPrice)?;
    match tx.to {
        TxKind::Call(to) => Ok(to),
        TxKind::Create => Err(TxNotCovered::Destination),
    }
}

/// The one swap within a multicall of the second router, with the multicall's deadline as its own. Anything beside it is
/// refused: the router's other calls move whatever it holds to whomever they name.
fn within_multicall(data: &[u8]) -> Result<SwapRouter::ExactInputSingleParams, TxNotCovered> {
    let outer: SwapRouter02::multicallCall = decode(data)?;
    let [swap] = outer.data.as_slice() else { return Err(TxNotCovered::Inner) };
    let p = decode::<SwapRouter02::exactInputSingleCall>(swap)?.params;
    Ok(SwapRouter::ExactInputSingleParams {
        tokenIn: p.tokenIn,
        tokenOut: p.tokenOut,
        fee: p.fee,
        recipient: p.recipient,
        deadline: outer.deadline,
        amountIn: p.amountIn,
        amountOutMinimum: p.amountOutMinimum,
        sqrtPriceLimitX96: p.sqrtPriceLimitX96,
    })
}

/// Decode a call, and only one that is encoded as everybody encodes it.
fn decode<C: SolCall>(data: &[u8]) -> Result<C, TxNotCovered> {
    ensure(data.len() <= LONGEST_CALL, TxNotCovered::Encoding)?;
    ensure(data.starts_with(&C::SELECTOR), TxNotCovered::Call)?;
    let call = C::abi_decode_validate(data).map_err(|_| TxNotCovered::Encoding)?;
    ensure(call.abi_encode() == data, TxNotCovered::Encoding)?;
    Ok(call)
}

fn ensure(holds: bool, otherwise: TxNotCovered) -> Result<(), TxNotCovered> {
    if holds { Ok(()) } else { Err(otherwise) }
}
