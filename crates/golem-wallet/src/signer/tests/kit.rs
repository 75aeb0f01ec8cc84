//! Honest transactions for every kind of action, built here from the contracts' documentation.

// The contracts' own words for their fields.
#![allow(non_snake_case)]

use super::*;
use crate::abi::NonfungiblePositionManager::{
    CollectParams, DecreaseLiquidityParams, IncreaseLiquidityParams, MintParams,
};
use alloy_primitives::address;
use alloy_primitives::aliases::{I24, U24, U160};
use golem_core::Hash;
use golem_core::venue::{Range, VenueId};
use std::sync::LazyLock;

pub const POSITION: u64 = 42;
pub const THIEF: Address = address!("bad0bad0bad0bad0bad0bad0bad0bad0bad0bad0");
pub const CAPS: Caps = Caps { gas_limit: 1_000_000, max_fee_per_gas: 1_000, deadline: 2_000_000_000 };

/// The golem's own account.
pub static ME: LazyLock<Address> = LazyLock::new(|| key().address());

pub fn key() -> Key {
    crate::derive_golem_key(&[3; 32])
}

/// The venue with both orders of its tokens, and with either router.
pub fn orders() -> [VenueAddresses; 4] {
    let (low, high) = (address!("1111111111111111111111111111111111111111"), Address::repeat_byte(0xee));
    let (first, second) = (RouterKind::V1, RouterKind::V2);
    let all = [(low, high, first), (high, low, first), (low, high, second), (high, low, second)];
    all.map(|(usdc, weth, router_kind)| VenueAddresses {
        chain_id: 31_337,
        venue: VenueId::UniswapV3,
        code: Hash([7; 32]),
        usdc,
        weth,
        pool: Address::repeat_byte(0x33),
        fee: 500,
        router: Address::repeat_byte(0x44),
        router_kind,
        positions: Address::repeat_byte(0x55),
    })
}

/// The address that was fixed at birth.
pub static HOME: LazyLock<Address> = LazyLock::new(|| way().address().bytes().into());

/// The way home, as a birth record has it.
pub fn way() -> Homeward {
    let name: golem_core::Name = "ada".parse().unwrap();
    let identity = golem_core::birth::Identity { name: &name, public_key: Hash([1; 32]), commitment: Hash([2; 32]) };
    let birth = identity.first_ancestor(true, golem_core::Timestamp(0), Usdc(1), Hash([3; 32]));
    let home = golem_core::HomeAddress::new([0x77; 20]);
    Homeward::fixed(&golem_core::Birth { home, ..birth }).unwrap()
}

/// What leaves the books.
pub fn goings() -> [Action; 4] {
    [
        Action::Home { sum: HomeSum::Usdc(Usdc(25_000_000)) },
        Action::Home { sum: HomeSum::Asset(Asset(8 * Asset::WHOLE / 1_000)) },
        Action::Home { sum: HomeSum::Coin(Asset(Asset::WHOLE / 50)) },
        Action::Unwrap { give: Asset(Asset::WHOLE / 50) },
    ]
}

pub fn actions() -> [Action; 7] {
    let (range, pay, give) =
        (Range { lower: -199_900, upper: 196_250 }, Usdc(25_000_000), Asset(8 * Asset::WHOLE / 1_000));
    let mint = |position| Action::Mint { position, range, pay, give, min_pay: Usdc(24_900_000), min_give: Asset(7) };
    let burn =
        |close| Action::Burn { position: POSITION, liquidity: 1 << 70, min_out: Usdc(11), min_asset: Asset(12), close };
    [
        Action::Buy { pay, min_out: Asset(7 * Asset::WHOLE / 1_000) },
        Action::Sell { give, min_out: Usdc(24_000_000) },
        mint(None),
        mint(Some(POSITION)),
        burn(false),
        burn(true),
        Action::Collect { position: POSITION },
    ]
}

/// A signer that has admitted one permit with these actions.
pub fn signer(at: VenueAddresses, actions: &[Action]) -> Signer {
    let signer = Signer::new(key(), at).homeward(way());
    signer.admitted().take(1, actions).unwrap();
    signer
}

pub fn envelope(at: &VenueAddresses) -> TxEip1559 {
    TxEip1559 {
        chain_id: at.chain_id,
        nonce: 3,
        gas_limit: 500_000,
        max_fee_per_gas: 900,
        max_priority_fee_per_gas: 2,
        to: TxKind::Call(*ME),
        ..TxEip1559::default()
    }
}

pub fn call(at: &VenueAddresses, to: Address, call: &impl SolCall) -> TxEip1559 {
    TxEip1559 { to: TxKind::Call(to), input: call.abi_encode().into(), ..envelope(at) }
}

pub fn word_of(tx: &TxEip1559, n: usize) -> U256 {
    U256::from_be_slice(&tx.input[4 + 32 * n..36 + 32 * n])
}

pub fn set_word(tx: &mut TxEip1559, n: usize, word: U256) {
    let mut data = tx.input.to_vec();
    data[4 + 32 * n..36 + 32 * n].copy_from_slice(&word.to_be_bytes::<32>());
    tx.input = data.into();
}

/// All transactions of an action, each with what it is.
pub fn parts(at: &VenueAddresses, action: &Action) -> Vec<(CoverPart, TxEip1559)> {
    let me = *ME;
    let deadline = U256::from(CAPS.deadline);
    let (usdc, asset) = (|u: Usdc| U256::from(u.0), |a: Asset| U256::from(a.0));
    let sorted = |u: U256, a: U256| if at.usdc < at.weth { (u, a) } else { (a, u) };
    let approve =
        |token: Address, spender: Address, value: U256| call(at, token, &Erc20::approveCall { spender, value });
    let swap = |tokenIn, tokenOut, amountIn, amountOutMinimum| {
        if at.router_kind == RouterKind::V2 {
            let params = SwapRouter02::ExactInputSingle02Params {
                tokenIn,
                tokenOut,
                fee: U24::from(at.fee),
                recipient: me,
                amountIn,
                amountOutMinimum,
                sqrtPriceLimitX96: U160::ZERO,
            };
            let data = vec![SwapRouter02::exactInputSingleCall { params }.abi_encode().into()];
            return (CoverPart::Act, call(at, at.router, &SwapRouter02::multicallCall { deadline, data }));
        }
        let params = SwapRouter::ExactInputSingleParams {
            tokenIn,
            tokenOut,
            fee: U24::from(at.fee),
            recipient: me,
            deadline,
            amountIn,
            amountOutMinimum,
            sqrtPriceLimitX96: U160::ZERO,
        };
        (CoverPart::Act, call(at, at.router, &SwapRouter::exactInputSingleCall { params }))
    };
    let collect = |id: u64| Positions::collectCall {
        params: CollectParams { tokenId: U256::from(id), recipient: me, amount0Max: u128::MAX, amount1Max: u128::MAX },
    };
    match *action {
        Action::Buy { pay, min_out } => vec![
            (CoverPart::AllowUsdc, approve(at.usdc, at.router, usdc(pay))),
            swap(at.usdc, at.weth, usdc(pay), asset(min_out)),
        ],
        Action::Sell { give, min_out } => vec![
            (CoverPart::AllowAsset, approve(at.weth, at.router, asset(give))),
            swap(at.weth, at.usdc, asset(give), usdc(min_out)),
        ],
        Action::Mint { position, range, pay, give, min_pay, min_give } => {
            let (amount0Desired, amount1Desired) = sorted(usdc(pay), asset(give));
            let (amount0Min, amount1Min) = sorted(usdc(min_pay), asset(min_give));
            let act = match position {
                Some(id) => {
                    let tokenId = U256::from(id);
                    let params = IncreaseLiquidityParams {
                        tokenId,
                        amount0Desired,
                        amount1Desired,
                        amount0Min,
                        amount1Min,
                        deadline,
                    };
                    call(at, at.positions, &Positions::increaseLiquidityCall { params })
                }
                None => {
                    let params = MintParams {
                        token0: at.usdc.min(at.weth),
                        token1: at.usdc.max(at.weth),
                        fee: U24::from(at.fee),
                        tickLower: I24::try_from(range.lower).unwrap(),
                        tickUpper: I24::try_from(range.upper).unwrap(),
                        amount0Desired,
                        amount1Desired,
                        amount0Min,
                        amount1Min,
                        recipient: me,
                        deadline,
                    };
                    call(at, at.positions, &Positions::mintCall { params })
                }
            };
            vec![
                (CoverPart::AllowUsdc, approve(at.usdc, at.positions, usdc(pay))),
                (CoverPart::AllowAsset, approve(at.weth, at.positions, asset(give))),
                (CoverPart::Act, act),
            ]
        }
        Action::Burn { position, liquidity, min_out, min_asset, close } => {
            let tokenId = U256::from(position);
            let (amount0Min, amount1Min) = sorted(usdc(min_out), asset(min_asset));
            let params = DecreaseLiquidityParams { tokenId, liquidity, amount0Min, amount1Min, deadline };
            let mut data = vec![
                Positions::decreaseLiquidityCall { params }.abi_encode().into(),
                collect(position).abi_encode().into(),
            ];
            if close {
                data.push(Positions::burnCall { tokenId }.abi_encode().into());
            }
            vec![(CoverPart::Act, call(at, at.positions, &Positions::multicallCall { data }))]
        }
        Action::Collect { position } => vec![(CoverPart::Act, call(at, at.positions, &collect(position)))],
        Action::Unwrap { give } => {
            vec![(CoverPart::Act, call(at, at.weth, &Weth9::withdrawCall { wad: asset(give) }))]
        }
        Action::Home { sum } => {
            let transfer = |token, value| call(at, token, &Erc20::transferCall { to: *HOME, value });
            let tx = match sum {
                HomeSum::Usdc(amount) => transfer(at.usdc, usdc(amount)),
                HomeSum::Asset(amount) => transfer(at.weth, asset(amount)),
                HomeSum::Coin(wei) => TxEip1559 { to: TxKind::Call(*HOME), value: asset(wei), ..envelope(at) },
            };
            vec![(CoverPart::Act, tx)]
        }
    }
}
