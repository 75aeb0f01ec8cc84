//! What goes home goes to the one address that was fixed at birth, of that token and to the unit; nothing else is signed in the
//! name of it.

use super::kit::*;
use super::*;
use proptest::prelude::*;

fn act(at: &VenueAddresses, action: &Action) -> TxEip1559 {
    parts(at, action).remove(0).1
}

/// Everything that a thief would change about a transfer, and what stops it.
#[test]
fn a_transfer_that_is_not_the_permitted_one_is_refused() {
    for at in orders() {
        let [usdc, asset, coin, unwrap] = goings();
        let to = |who: Address, n: u64| call(&at, at.usdc, &Erc20::transferCall { to: who, value: U256::from(n) });
        let value = |tx: TxEip1559, wei: u64| TxEip1559 { value: U256::from(wei), ..tx };
        let cases = [
            (usdc, to(THIEF, 25_000_000), TxNotCovered::NotHome),
            (usdc, to(*ME, 25_000_000), TxNotCovered::NotHome),
            (usdc, to(at.router, 25_000_000), TxNotCovered::NotHome),
            (usdc, to(*HOME, 25_000_001), TxNotCovered::Amount),
            (usdc, to(*HOME, 24_999_999), TxNotCovered::Amount),
            (usdc, to(*HOME, 0), TxNotCovered::Amount),
            (usdc, act(&at, &asset), TxNotCovered::Destination),
            (asset, act(&at, &usdc), TxNotCovered::Destination),
            (usdc, act(&at, &coin), TxNotCovered::Value),
            (usdc, value(to(*HOME, 25_000_000), 1), TxNotCovered::Value),
            (
                usdc,
                call(&at, at.usdc, &Erc20::transferFromCall { from: *ME, to: *HOME, value: U256::from(25_000_000) }),
                TxNotCovered::Call,
            ),
            (
                usdc,
                call(&at, at.usdc, &Erc20::approveCall { spender: *HOME, value: U256::from(25_000_000) }),
                TxNotCovered::Call,
            ),
            (
                usdc,
                call(&at, *HOME, &Erc20::transferCall { to: *HOME, value: U256::from(25_000_000) }),
                TxNotCovered::Destination,
            ),
            (coin, TxEip1559 { to: TxKind::Call(THIEF), ..act(&at, &coin) }, TxNotCovered::NotHome),
            (coin, TxEip1559 { to: TxKind::Create, ..act(&at, &coin) }, TxNotCovered::Destination),
            (coin, value(act(&at, &coin), 7), TxNotCovered::Value),
            (coin, TxEip1559 { input: vec![1].into(), ..act(&at, &coin) }, TxNotCovered::Call),
            (coin, act(&at, &usdc), TxNotCovered::Value),
            (unwrap, act(&at, &asset), TxNotCovered::Call),
            (
                unwrap,
                call(&at, at.usdc, &Weth9::withdrawCall { wad: word_of(&act(&at, &unwrap), 0) }),
                TxNotCovered::Destination,
            ),
            (unwrap, call(&at, at.weth, &Weth9::withdrawCall { wad: U256::from(1) }), TxNotCovered::Amount),
            (usdc, TxEip1559 { chain_id: 1, ..act(&at, &usdc) }, TxNotCovered::Chain),
            (usdc, TxEip1559 { gas_limit: CAPS.gas_limit + 1, ..act(&at, &usdc) }, TxNotCovered::GasLimit),
            (coin, TxEip1559 { max_fee_per_gas: CAPS.max_fee_per_gas + 1, ..act(&at, &coin) }, TxNotCovered::GasPrice),
        ];
        for (n, (action, tx, why)) in cases.into_iter().enumerate() {
            assert_eq!(signer(at, &[action]).sign(&action, tx, &CAPS).map(|s| s.part), Err(why), "case {n}");
        }
        // A word behind the call, or an unclean one before the address, is not the call.
        let mut long = act(&at, &usdc);
        long.input = [&long.input[..], &[0; 32]].concat().into();
        assert_eq!(signer(at, &[usdc]).sign(&usdc, long, &CAPS), Err(TxNotCovered::Encoding));
    }
}

#[test]
fn a_permit_to_go_is_used_once_and_ends_with_the_next() {
    let at = orders()[0];
    for action in goings() {
        let signer = signer(at, &[action]);
        let tx = |nonce| TxEip1559 { nonce, ..act(&at, &action) };
        signer.sign(&action, tx(5), &CAPS).unwrap();
        signer.sign(&action, TxEip1559 { max_fee_per_gas: 950, ..tx(5) }, &CAPS).unwrap();
        assert_eq!(signer.sign(&action, tx(6), &CAPS), Err(TxNotCovered::Twice), "{action:?}");
        signer.admitted().take(2, &actions()[..1]).unwrap();
        assert_eq!(signer.sign(&action, tx(5), &CAPS), Err(TxNotCovered::Action));
        assert_eq!(signer.admitted().take(1, &[action]), Err(TxNotCovered::Forgotten));
    }
}

#[test]
fn without_a_home_or_with_oneself_for_one_nothing_goes() {
    let at = orders()[0];
    let bare = Signer::new(key(), at);
    for action in &goings()[..3] {
        bare.admitted().take(1, &[*action]).unwrap();
        let refused = bare.sign(action, act(&at, action), &CAPS);
        assert_eq!(refused, Err(TxNotCovered::NotHome), "{action:?}");
        *bare.admitted() = super::super::Admitted::default();
    }
}

proptest! {
    /// Whatever an attacker decides to be permitted, and whatever it then wants signed: tokens leave the account only to the
    /// home that was fixed at birth.
    #[test]
    fn no_signed_transfer_pays_anybody_but_home(
        permitted in 0usize..11,
        to in prop_oneof![Just(*HOME), Just(THIEF), Just(*ME), any::<[u8; 20]>().prop_map(Address::from)],
        amount in prop_oneof![Just(25_000_000u64), any::<u64>()],
        kind in 0u8..5,
        order in 0usize..2,
    ) {
        let at = orders()[order];
        let all: Vec<Action> = actions().into_iter().chain(goings()).collect();
        let value = U256::from(amount);
        let tx = match kind {
            0 => call(&at, at.usdc, &Erc20::transferCall { to, value }),
            1 => call(&at, at.weth, &Erc20::transferCall { to, value }),
            2 => call(&at, at.usdc, &Erc20::transferFromCall { from: *ME, to, value }),
            3 => TxEip1559 { to: TxKind::Call(to), value, ..envelope(&at) },
            _ => call(&at, at.usdc, &Erc20::approveCall { spender: to, value }),
        };
        let signer = signer(at, &[all[permitted]]);
        for action in &all {
            if let Ok(signed) = signer.sign(action, tx.clone(), &CAPS) {
                let harmless = signed.part == CoverPart::Cancel && value.is_zero()
                    || signed.part == CoverPart::Revoke && value.is_zero();
                prop_assert!(harmless || kind < 4 && to == *HOME && *action == all[permitted], "{action:?} signed {tx:?}");
            }
        }
    }
}
