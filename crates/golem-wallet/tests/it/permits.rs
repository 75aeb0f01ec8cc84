//! From the cage to the signature: a real permit is admitted, and what it says is what can be signed.

use alloy_consensus::TxEip1559;
use alloy_primitives::aliases::{U24, U160};
use alloy_primitives::{Address, TxKind, U256};
use alloy_sol_types::SolCall;
use golem_cage::{Cage, CageAsk, CageConfig, Spent};
use golem_core::intent::Outcome;
use golem_core::venue::{Appraisal, Gas, PoolSeen, VenueId, Wide};
use golem_core::{Action, Asset, Book, Hash, Intent, Preview, ReferenceKind, ReferencePrice, Tick, Usdc, VirtualTime};
use golem_wallet::abi::{Erc20, SwapRouter};
use golem_wallet::{Caps, CoverPart, RouterKind, Signer, TxNotCovered, VenueAddresses, derive_golem_key};

const CODE: Hash = Hash([7; 32]);
const CAPS: Caps = Caps { gas_limit: 500_000, max_fee_per_gas: 50, deadline: 1_000 };
/// So much of the asset costs one micro-USDC.
const UNIT: u128 = 1 << 28;

fn venue() -> VenueAddresses {
    VenueAddresses {
        chain_id: 1,
        venue: VenueId::UniswapV3,
        code: CODE,
        usdc: Address::repeat_byte(1),
        weth: Address::repeat_byte(2),
        pool: Address::repeat_byte(3),
        fee: 500,
        router: Address::repeat_byte(4),
        router_kind: RouterKind::V1,
        positions: Address::repeat_byte(5),
    }
}

fn book(usdc: u64, asset: u64) -> Book {
    let worth = Appraisal { unwound: Usdc(asset), exposure: Usdc(asset), ..Appraisal::default() };
    let pool = PoolSeen { sqrt_price_x96: Wide([0, 1 << 18, 0, 0]), tick: 0, liquidity: 1 };
    Book { usdc: Usdc(usdc), asset: Asset(u128::from(asset) * UNIT), pool, worth, ..Book::default() }
}

/// Buy for so much, asked of a cage that has issued nothing yet or just a few.
fn permit(cage: &mut Cage, pay: u64) -> (Spent, Action) {
    let out = Asset(u128::from(pay) * UNIT);
    let action = Action::Buy { pay: Usdc(pay), min_out: out };
    let preview = Preview {
        intent: Intent::Buy { pay: Usdc(pay), min_out: out },
        venue: VenueId::UniswapV3,
        code: CODE,
        actions: vec![action],
        before: book(50_000_000, 0),
        after: book(50_000_000 - pay, pay),
        outcome: Outcome::Bought { paid: Usdc(pay), got: out },
        gas: Gas { charged: 100_000, used: 0, cost: Usdc(1_000) },
        logs: Vec::new(),
        reference: Some(ReferencePrice { kind: ReferenceKind::PoolMean, tick: 0, spot: 0, window_s: 1_800 }),
    };
    let ask = CageAsk { tick: Tick(1), now: VirtualTime(0), nav: Usdc(50_000_000), preview: &preview };
    let permit = cage.ask(&ask, &CageConfig::default(), &mut Vec::new()).unwrap();
    (permit.spend(Tick(1)).unwrap(), action)
}

fn transaction(to: Address, nonce: u64, input: Vec<u8>) -> TxEip1559 {
    TxEip1559 {
        chain_id: 1,
        nonce,
        gas_limit: 300_000,
        max_fee_per_gas: 40,
        max_priority_fee_per_gas: 1,
        to: TxKind::Call(to),
        input: input.into(),
        ..TxEip1559::default()
    }
}

fn swap(me: Address, nonce: u64, pay: u64) -> TxEip1559 {
    let params = SwapRouter::ExactInputSingleParams {
        tokenIn: venue().usdc,
        tokenOut: venue().weth,
        fee: U24::from(500),
        recipient: me,
        deadline: U256::from(1_000),
        amountIn: U256::from(pay),
        amountOutMinimum: U256::from(u128::from(pay) * UNIT),
        sqrtPriceLimitX96: U160::ZERO,
    };
    transaction(venue().router, nonce, SwapRouter::exactInputSingleCall { params }.abi_encode())
}

#[test]
fn a_permit_of_the_cage_is_signed_once_and_ends_with_the_next() {
    let mut cage = Cage::default();
    let (first, small) = permit(&mut cage, 5_000_000);
    let (second, large) = permit(&mut cage, 6_000_000);
    let signer = Signer::new(derive_golem_key(&[1; 32]), venue());
    let me = signer.address();
    assert_eq!(signer.sign(&small, swap(me, 0, 5_000_000), &CAPS), Err(TxNotCovered::Action));

    signer.admit(&first).unwrap();
    let approve = Erc20::approveCall { spender: venue().router, value: U256::from(5_000_000) }.abi_encode();
    assert_eq!(
        signer.sign(&small, transaction(venue().usdc, 0, approve), &CAPS).map(|s| s.part),
        Ok(CoverPart::AllowUsdc)
    );
    assert_eq!(signer.sign(&small, swap(me, 1, 5_000_000), &CAPS).map(|s| s.part), Ok(CoverPart::Act));
    signer.admit(&first).unwrap();
    assert_eq!(signer.sign(&small, swap(me, 2, 5_000_000), &CAPS), Err(TxNotCovered::Twice));
    assert_eq!(signer.sign(&small, swap(me, 2, 6_000_000), &CAPS), Err(TxNotCovered::Amount));
    assert_eq!(signer.sign(&large, swap(me, 2, 6_000_000), &CAPS), Err(TxNotCovered::Action));

    signer.admit(&second).unwrap();
    assert_eq!(signer.sign(&large, swap(me, 2, 6_000_000), &CAPS).map(|s| s.part), Ok(CoverPart::Act));
    assert_eq!(signer.admit(&first), Err(TxNotCovered::Forgotten));
}

#[test]
fn a_permit_for_other_code_or_another_venue_is_not_admitted() {
    let (spent, _) = permit(&mut Cage::default(), 5_000_000);
    for at in
        [VenueAddresses { code: Hash([8; 32]), ..venue() }, VenueAddresses { venue: VenueId::UniswapV2, ..venue() }]
    {
        let signer = Signer::new(derive_golem_key(&[1; 32]), at);
        assert_eq!(signer.admit(&spent), Err(TxNotCovered::Venue));
    }
}
