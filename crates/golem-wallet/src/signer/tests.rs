//! The signer against a table of thefts, and against random changes to what it would sign.

mod going;
mod kit;
mod mutations;

use super::*;
use crate::abi::{Erc20, NonfungiblePositionManager as Positions, SwapRouter, SwapRouter02, Weth9};
use crate::cover::RouterKind;
use alloy_consensus::transaction::RlpEcdsaDecodableTx;
use alloy_primitives::{TxKind, U256};
use alloy_sol_types::SolCall;
use golem_core::{Asset, HomeSum, Homeward, Usdc};
use kit::*;

#[test]
fn everything_an_action_needs_is_signed_by_the_key() {
    for at in orders() {
        for action in actions().into_iter().chain(goings()) {
            let signer = signer(at, &[action]);
            for (nonce, (part, mut tx)) in parts(&at, &action).into_iter().enumerate() {
                tx.nonce = nonce as u64;
                let signed = signer.sign(&action, tx.clone(), &CAPS).unwrap();
                assert_eq!((signed.part, signed.nonce), (part, nonce as u64));
                let read = TxEip1559::eip2718_decode(&mut signed.raw.as_ref()).unwrap();
                assert_eq!((read.tx(), *read.hash()), (&tx, signed.hash));
                assert_eq!(read.recover_signer().unwrap(), signer.address());
            }
        }
    }
}

#[test]
fn an_action_of_no_admitted_permit_is_not_signed() {
    let at = orders()[0];
    let mine = Action::Buy { pay: Usdc(5), min_out: Asset(5) };
    for other in actions().into_iter().chain(goings()) {
        for (_, tx) in parts(&at, &other) {
            assert_eq!(signer(at, &[mine]).sign(&other, tx.clone(), &CAPS), Err(TxNotCovered::Action));
            assert_eq!(
                Signer::new(key(), at).homeward(way()).sign(&other, tx.clone(), &CAPS),
                Err(TxNotCovered::Action)
            );
            // Nor under the name of the action that is permitted.
            assert!(signer(at, &[mine]).sign(&mine, tx, &CAPS).is_err());
        }
    }
}

#[test]
fn the_same_part_is_signed_again_with_the_same_nonce_only() {
    let at = orders()[0];
    let action = actions()[0];
    let tx = |nonce, fee| TxEip1559 { nonce, max_fee_per_gas: fee, ..parts(&at, &action).remove(1).1 };
    let once = signer(at, &[action]);
    once.sign(&action, tx(7, 100), &CAPS).unwrap();
    once.sign(&action, tx(7, 200), &CAPS).unwrap();
    assert_eq!(once.sign(&action, tx(8, 100), &CAPS), Err(TxNotCovered::Twice));
    // A permit for the same action twice is one for two nonces.
    let twice = signer(at, &[action, action]);
    twice.sign(&action, tx(7, 100), &CAPS).unwrap();
    twice.sign(&action, tx(8, 100), &CAPS).unwrap();
    twice.sign(&action, tx(7, 200), &CAPS).unwrap();
    assert_eq!(twice.sign(&action, tx(9, 100), &CAPS), Err(TxNotCovered::Twice));
}

/// A burn may bring less than foreseen; what is put in again is then less than was permitted, and never more.
#[test]
fn a_mint_may_be_smaller_than_permitted_and_never_larger_or_asked_less_of() {
    for at in orders() {
        let [.., mint, _, _, _, _] = actions();
        let Action::Mint { position, range, pay, give, min_pay, min_give } = mint else { panic!() };
        let with = |pay, give, min_pay, min_give| Action::Mint { position, range, pay, give, min_pay, min_give };
        let smaller = with(Usdc(pay.0 - 1), Asset(give.0 / 2), min_pay, min_give);
        let cases = [
            (smaller, None),
            (with(pay, give, Usdc(min_pay.0 + 1), min_give), None),
            (with(Usdc(pay.0 + 1), give, min_pay, min_give), Some(TxNotCovered::Action)),
            (with(pay, Asset(give.0 + 1), min_pay, min_give), Some(TxNotCovered::Action)),
            (with(pay, give, Usdc(min_pay.0 - 1), min_give), Some(TxNotCovered::Action)),
            (with(pay, Asset(give.0 / 2), min_pay, Asset(min_give.0 - 1)), Some(TxNotCovered::Action)),
        ];
        for (action, refused) in cases {
            let signer = signer(at, &[mint]);
            for (nonce, (part, mut tx)) in parts(&at, &action).into_iter().enumerate() {
                tx.nonce = nonce as u64;
                let signed = signer.sign(&action, tx, &CAPS);
                assert_eq!(signed.map(|s| s.part), refused.map_or(Ok(part), Err), "{action:?}");
            }
        }
        // A part of it and the whole of it are not two things.
        let signer = signer(at, &[mint]);
        let act = |action: &Action, nonce| TxEip1559 { nonce, ..parts(&at, action).pop().unwrap().1 };
        signer.sign(&smaller, act(&smaller, 5), &CAPS).unwrap();
        assert_eq!(signer.sign(&mint, act(&mint, 6), &CAPS), Err(TxNotCovered::Twice));
        signer.sign(&mint, act(&mint, 5), &CAPS).unwrap();
        assert_eq!(signer.sign(&smaller, act(&smaller, 6), &CAPS), Err(TxNotCovered::Twice));
    }
}

/// Anybody can add to a position, and the manager takes no deed back that holds something: then it must be possible to take
/// out what is one's own and keep the deed. The other way round a permit that leaves the deed never gives it back, and
/// whichever way it is closed, it is closed under one nonce.
#[test]
fn a_permit_to_close_covers_leaving_the_deed_and_not_the_other_way_round() {
    for at in orders() {
        for action in actions() {
            let Some(kept) = mutations::deed_kept(&action) else { continue };
            let act = |action: &Action, nonce| TxEip1559 { nonce, ..parts(&at, action).remove(0).1 };
            let closing = signer(at, &[action]);
            closing.sign(&action, act(&kept, 5), &CAPS).unwrap();
            assert_eq!(closing.sign(&action, act(&action, 6), &CAPS), Err(TxNotCovered::Twice));
            assert_eq!(closing.sign(&action, act(&kept, 6), &CAPS), Err(TxNotCovered::Twice));
            closing.sign(&action, act(&action, 5), &CAPS).unwrap();
            let leaving = signer(at, &[kept]);
            assert_eq!(leaving.sign(&kept, act(&action, 5), &CAPS), Err(TxNotCovered::Inner));
            assert_eq!(leaving.sign(&action, act(&action, 5), &CAPS), Err(TxNotCovered::Action));
        }
    }
}

#[test]
fn a_newer_permit_ends_the_older_one_for_good() {
    let at = orders()[0];
    let [first, second, ..] = actions();
    let signer = signer(at, &[first]);
    let tx = parts(&at, &first).remove(1).1;
    signer.admitted().take(1, &[first]).unwrap();
    signer.admitted().take(2, &[second]).unwrap();
    assert_eq!(signer.sign(&first, tx, &CAPS), Err(TxNotCovered::Action));
    assert_eq!(signer.admitted().take(1, &[first]), Err(TxNotCovered::Forgotten));
    assert_eq!(signer.admitted().take(2, &[first]), Err(TxNotCovered::Forgotten));
    signer.admitted().take(2, &[second]).unwrap();
}

#[test]
fn taking_back_an_allowance_and_using_up_a_nonce_need_no_permit() {
    let at = orders()[0];
    let signer = Signer::new(key(), at);
    let cancel = TxEip1559 { to: TxKind::Call(signer.address()), nonce: 9, ..envelope(&at) };
    assert_eq!(signer.sign_harmless(cancel.clone(), &CAPS).unwrap().part, CoverPart::Cancel);
    for token in [at.usdc, at.weth] {
        for spender in [at.router, at.positions] {
            let revoke = call(&at, token, &Erc20::approveCall { spender, value: U256::ZERO });
            assert_eq!(signer.sign_harmless(revoke.clone(), &CAPS).unwrap().part, CoverPart::Revoke);
            assert_eq!(signer.sign(&actions()[5], revoke, &CAPS).unwrap().part, CoverPart::Revoke);
            let approve = call(&at, token, &Erc20::approveCall { spender, value: U256::from(1) });
            assert_eq!(signer.sign_harmless(approve, &CAPS), Err(TxNotCovered::Allowance));
        }
    }
    let paying = TxEip1559 { value: U256::from(1), ..cancel.clone() };
    assert_eq!(signer.sign_harmless(paying, &CAPS), Err(TxNotCovered::Value));
    let speaking = TxEip1559 { input: vec![0].into(), ..cancel.clone() };
    assert_eq!(signer.sign_harmless(speaking, &CAPS), Err(TxNotCovered::Destination));
    let away = TxEip1559 { to: TxKind::Call(THIEF), ..cancel };
    assert_eq!(signer.sign_harmless(away, &CAPS), Err(TxNotCovered::Destination));
}

/// Whole calls that nobody permitted, to contracts that are pinned.
#[test]
fn other_calls_to_the_same_contracts_are_refused() {
    let (all, one) = (U256::MAX, U256::from(1));
    for at in orders() {
        let me = *ME;
        let (usdc, router, positions) = (at.usdc, at.router, at.positions);
        let bundle = |data: Vec<Vec<u8>>| data.into_iter().map(Into::into).collect::<Vec<Bytes>>();
        let thefts = [
            call(&at, usdc, &Erc20::transferCall { to: THIEF, value: one }),
            call(&at, usdc, &Erc20::transferCall { to: me, value: U256::ZERO }),
            call(&at, usdc, &Erc20::transferFromCall { from: me, to: THIEF, value: one }),
            call(&at, usdc, &Erc20::approveCall { spender: THIEF, value: U256::ZERO }),
            call(&at, usdc, &Erc20::approveCall { spender: THIEF, value: one }),
            call(&at, usdc, &Erc20::approveCall { spender: router, value: all }),
            call(&at, at.weth, &Erc20::approveCall { spender: router, value: all }),
            call(&at, at.weth, &Erc20::approveCall { spender: positions, value: all }),
            call(&at, at.weth, &Erc20::approveCall { spender: at.pool, value: one }),
            call(&at, at.weth, &Weth9::withdrawCall { wad: one }),
            call(&at, router, &SwapRouter::sweepTokenCall { token: usdc, amountMinimum: one, recipient: THIEF }),
            call(&at, router, &SwapRouter::unwrapWETH9Call { amountMinimum: one, recipient: me }),
            call(&at, router, &SwapRouter::refundETHCall {}),
            call(&at, router, &SwapRouter::multicallCall { data: vec![] }),
            call(&at, positions, &Positions::multicallCall { data: vec![] }),
            call(&at, positions, &Positions::burnCall { tokenId: one }),
            call(&at, positions, &Positions::approveCall { to: THIEF, tokenId: U256::from(POSITION) }),
            call(&at, positions, &Positions::setApprovalForAllCall { operator: THIEF, approved: true }),
            call(&at, positions, &Positions::transferFromCall { from: me, to: THIEF, tokenId: U256::from(POSITION) }),
            call(
                &at,
                positions,
                &Positions::multicallCall {
                    data: bundle(vec![
                        Positions::multicallCall { data: vec![] }.abi_encode(),
                        Positions::setApprovalForAllCall { operator: THIEF, approved: true }.abi_encode(),
                    ]),
                },
            ),
            TxEip1559 { to: TxKind::Create, input: vec![0x60; 40].into(), ..envelope(&at) },
            TxEip1559 { to: TxKind::Call(THIEF), ..envelope(&at) },
            TxEip1559 { to: TxKind::Call(at.pool), input: vec![0x12; 68].into(), ..envelope(&at) },
            TxEip1559 { to: TxKind::Call(usdc), ..envelope(&at) },
        ];
        for action in actions() {
            let signer = signer(at, &actions());
            for theft in &thefts {
                let said = signer.sign(&action, theft.clone(), &CAPS);
                assert!(said.is_err(), "{theft:?} was signed for {action:?}");
                assert!(signer.sign_harmless(theft.clone(), &CAPS).is_err());
            }
        }
    }
}

#[test]
fn what_is_refused_is_named() {
    use TxNotCovered::*;
    type Change = fn(&mut TxEip1559);
    let at = orders()[0];
    let action = actions()[0];
    let swap = parts(&at, &action).remove(1).1;
    let table: [(Change, TxNotCovered); 15] = [
        (|tx| tx.chain_id += 1, Chain),
        (|tx| tx.value = U256::from(1), Value),
        (|tx| tx.access_list.0.push(Default::default()), AccessList),
        (|tx| tx.gas_limit = CAPS.gas_limit + 1, GasLimit),
        (|tx| tx.max_fee_per_gas = CAPS.max_fee_per_gas + 1, GasPrice),
        (|tx| tx.max_priority_fee_per_gas = tx.max_fee_per_gas + 1, GasPrice),
        (|tx| tx.to = TxKind::Create, Destination),
        (|tx| set_word(tx, 0, U256::from(1)), Tokens),
        (|tx| set_word(tx, 2, U256::from(3_000)), FeeTier),
        (|tx| set_word(tx, 3, U256::from_be_bytes(THIEF.into_word().0)), Recipient),
        (|tx| set_word(tx, 4, U256::from(CAPS.deadline + 1)), Deadline),
        (|tx| set_word(tx, 5, word_of(tx, 5) * U256::from(1_000)), Amount),
        (|tx| set_word(tx, 6, word_of(tx, 6) - U256::from(1)), Minimum),
        (|tx| set_word(tx, 7, U256::from(1)), PriceLimit),
        (|tx| set_word(tx, 0, U256::MAX), Encoding),
    ];
    for (change, wanted) in table {
        let mut tx = swap.clone();
        change(&mut tx);
        assert_eq!(signer(at, &[action]).sign(&action, tx, &CAPS), Err(wanted));
    }
}

/// What is particular to the second router: another call beside the swap, the first router's call, a swap without the multicall
/// that has the deadline, and the router's own words for the caller, for itself and for all that it holds.
#[test]
fn what_the_second_router_makes_of_a_call_is_known() {
    use TxNotCovered::*;
    let (first, second) = (orders()[0], orders()[2]);
    let action = actions()[0];
    let honest = parts(&second, &action).remove(1).1;
    let outer = SwapRouter02::multicallCall::abi_decode(&honest.input).unwrap();
    let inner = SwapRouter02::exactInputSingleCall::abi_decode(&outer.data[0]).unwrap();
    let with = |change: &dyn Fn(&mut SwapRouter02::ExactInputSingle02Params)| {
        let mut changed = inner.clone();
        change(&mut changed.params);
        let data = vec![changed.abi_encode().into()];
        call(&second, second.router, &SwapRouter02::multicallCall { deadline: outer.deadline, data })
    };
    let bundle = |data| call(&second, second.router, &SwapRouter02::multicallCall { deadline: outer.deadline, data });
    let sweep = SwapRouter::sweepTokenCall { token: second.weth, amountMinimum: U256::ZERO, recipient: THIEF };
    let swap = || outer.data[0].clone();
    let late = SwapRouter02::multicallCall { deadline: outer.deadline + U256::from(1), data: outer.data.clone() };
    let table = [
        (with(&|_| ()), None),
        (with(&|p| p.recipient = Address::with_last_byte(1)), Some(Recipient)),
        (with(&|p| p.recipient = Address::with_last_byte(2)), Some(Recipient)),
        (with(&|p| p.amountIn = U256::ZERO), Some(Amount)),
        (with(&|p| p.amountOutMinimum -= U256::from(1)), Some(Minimum)),
        (bundle(vec![]), Some(Inner)),
        (bundle(vec![swap(), swap()]), Some(Inner)),
        (bundle(vec![swap(), sweep.abi_encode().into()]), Some(Inner)),
        (bundle(vec![sweep.abi_encode().into()]), Some(Call)),
        (call(&second, second.router, &late), Some(Deadline)),
        (call(&second, second.router, &inner), Some(Call)),
        (call(&second, second.router, &SwapRouter::multicallCall { data: outer.data.clone() }), Some(Call)),
        (parts(&first, &action).remove(1).1, Some(Call)),
    ];
    for (n, (tx, refused)) in table.into_iter().enumerate() {
        let said = signer(second, &[action]).sign(&action, tx, &CAPS);
        assert_eq!(said.err(), refused, "case {n}");
    }
    assert_eq!(signer(first, &[action]).sign(&action, honest, &CAPS), Err(Call), "nor does the first take its call");
    // Nothing for something is never signed, whoever permitted it.
    let nothing = golem_core::Action::Buy { pay: Usdc::ZERO, min_out: Asset::ZERO };
    let tx = parts(&second, &nothing).remove(1).1;
    assert_eq!(signer(second, &[nothing]).sign(&nothing, tx, &CAPS), Err(Amount));
}

#[test]
fn a_signer_does_not_show_its_key() {
    let signer = signer(orders()[0], &actions());
    let secret = alloy_primitives::hex::encode(key().secret().as_ref());
    let shown = format!("{signer:?} {signer:#?} {:?}", signer.sign_harmless(envelope(&orders()[0]), &CAPS));
    assert!(!shown.contains(&secret) && shown.contains("Signer"), "{shown}");
}
