//! Our own tokens do what their standards say, and the odd ones are odd in the way they should be.

use super::common::{account, chain};
use super::layout::ask;
use alloy_primitives::{Address, B256, Bytes, U256, keccak256};
use alloy_signer::SignerSync;
use alloy_signer_local::PrivateKeySigner;
use alloy_sol_types::{SolCall, SolStruct, SolValue, eip712_domain, sol};
use golem_chain::contracts::{OddToken, odd_token};
use golem_chain::embedded::{EmbeddedChain, Ran, SignedOutside, Tx};
use golem_core::Usdc;
use golem_venue::Venue;
use golem_wallet::abi::{Erc20, Weth9};

sol! {
    struct Permit { address owner; address spender; uint256 value; uint256 nonce; uint256 deadline; }
    struct TransferWithAuthorization {
        address from; address to; uint256 value; uint256 validAfter; uint256 validBefore; bytes32 nonce;
    }
    struct ReceiveWithAuthorization {
        address from; address to; uint256 value; uint256 validAfter; uint256 validBefore; bytes32 nonce;
    }
    struct CancelAuthorization { address authorizer; bytes32 nonce; }
    interface Odd {
        function mint(address to, uint256 value) external;
        function rebase(uint256 scale) external;
    }
}

/// A chain, and an account of it whose key we have.
struct Town {
    chain: EmbeddedChain,
    key: PrivateKeySigner,
    sent: u64,
}

impl Town {
    fn new() -> Option<Self> {
        let mut chain = chain(true)?;
        let key = PrivateKeySigner::from_bytes(&B256::repeat_byte(5)).unwrap();
        for who in [key.address().into_array(), account(1).0] {
            chain.fund_to(golem_venue::Account(who), Usdc::whole(1_000)).unwrap();
        }
        let mut town = Self { chain, key, sent: 0 };
        // The second account has ether to send with, and nothing else.
        let (one, two) = (Address::from(account(1).0), Address::from(account(2).0));
        assert!(town.send(one, Some(two), U256::from(10).pow(U256::from(20)), Bytes::new()).success);
        Some(town)
    }
    fn usdc(&self) -> Address {
        self.chain.site().places.usdc
    }
    fn send(&mut self, from: Address, to: Option<Address>, value: U256, data: Bytes) -> Ran {
        self.sent += 1;
        let tx = Tx { from, to, value, data, gas_limit: 5_000_000, max_fee: 20_000_000_000, ..Tx::default() };
        let hash = keccak256(self.sent.to_be_bytes());
        self.chain.submit(&tx, SignedOutside { hash, envelope: Bytes::new() }).unwrap()
    }
    fn tell(&mut self, from: Address, to: Address, call: &impl SolCall) -> Result<(), String> {
        let ran = self.send(from, Some(to), U256::ZERO, call.abi_encode().into());
        let why = alloy_sol_types::decode_revert_reason(&ran.output).unwrap_or_default();
        if ran.success { Ok(()) } else { Err(why.trim_start_matches("revert: ").to_owned()) }
    }
    fn sign(&self, what: &impl SolStruct, chain_id: u64) -> (u8, B256, B256) {
        let domain = eip712_domain! {
            name: "USD Coin", version: "2", chain_id: chain_id, verifying_contract: self.usdc(),
        };
        let signature = self.key.sign_hash_sync(&what.eip712_signing_hash(&domain)).unwrap();
        (27 + u8::from(signature.v()), signature.r().into(), signature.s().into())
    }
    fn held(&mut self, token: Address, who: Address) -> U256 {
        ask(&mut self.chain, token, &Erc20::balanceOfCall { account: who })
    }
}

#[test]
fn the_dollar_is_a_dollar() {
    let Some(mut town) = Town::new() else { return };
    let (usdc, one, two) = (town.usdc(), Address::from(account(1).0), Address::from(account(2).0));
    assert_eq!(ask(&mut town.chain, usdc, &Erc20::decimalsCall {}), 6);
    assert_eq!(ask(&mut town.chain, usdc, &Erc20::nameCall {}), "USD Coin");
    let supply = ask(&mut town.chain, usdc, &Erc20::totalSupplyCall {});
    assert_eq!(supply, U256::from(1) << 130);

    assert_eq!(town.tell(one, usdc, &Erc20::transferCall { to: two, value: U256::from(5) }), Ok(()));
    assert_eq!(town.held(usdc, two), U256::from(5));
    let too_much = Erc20::transferCall { to: two, value: U256::from(1u64 << 40) };
    assert_eq!(town.tell(one, usdc, &too_much), Err("USDC: balance".into()));
    assert_eq!(
        town.tell(one, usdc, &Erc20::transferCall { to: Address::ZERO, value: U256::from(1) }),
        Err("USDC: to nobody".into())
    );
    let mint = Odd::mintCall { to: one, value: U256::from(1) };
    assert_eq!(town.tell(one, usdc, &mint), Err("USDC: only the minter".into()));

    let from_one = |value: u64| Erc20::transferFromCall { from: one, to: two, value: U256::from(value) };
    assert_eq!(town.tell(two, usdc, &from_one(1)), Err("USDC: allowance".into()));
    assert_eq!(town.tell(one, usdc, &Erc20::approveCall { spender: two, value: U256::from(7) }), Ok(()));
    assert_eq!(town.tell(two, usdc, &from_one(4)), Ok(()));
    assert_eq!(town.tell(two, usdc, &from_one(4)), Err("USDC: allowance".into()));
    assert_eq!(town.tell(two, usdc, &from_one(3)), Ok(()));
    assert_eq!(ask(&mut town.chain, usdc, &Erc20::totalSupplyCall {}), supply, "nothing was made or lost");
}

#[test]
fn a_signature_approves_once() {
    let Some(mut town) = Town::new() else { return };
    let (usdc, owner, spender) = (town.usdc(), town.key.address(), Address::from(account(1).0));
    let id = town.chain.chain_id();
    let what = |nonce: u64, deadline: u64| Permit {
        owner,
        spender,
        value: U256::from(9),
        nonce: U256::from(nonce),
        deadline: U256::from(deadline),
    };
    let call =
        |p: &Permit, (v, r, s)| Erc20::permitCall { owner, spender, value: p.value, deadline: p.deadline, v, r, s };
    let late = what(0, 1);
    let expired = call(&late, town.sign(&late, id));
    assert_eq!(town.tell(spender, usdc, &expired), Err("USDC: permit expired".into()));
    let good = what(0, u64::MAX);
    let elsewhere = call(&good, town.sign(&good, id + 1));
    assert_eq!(town.tell(spender, usdc, &elsewhere), Err("USDC: not the owner's signature".into()));
    let signed = call(&good, town.sign(&good, id));
    // The twin of a signature is not one.
    let order = U256::from_str_radix("fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141", 16).unwrap();
    let twin =
        Erc20::permitCall { v: 55 - signed.v, s: (order - U256::from_be_bytes(signed.s.0)).into(), ..signed.clone() };
    assert_eq!(town.tell(spender, usdc, &twin), Err("USDC: malformed signature".into()));
    assert_eq!(town.tell(spender, usdc, &signed), Ok(()));
    assert_eq!(ask(&mut town.chain, usdc, &Erc20::allowanceCall { owner, spender }), U256::from(9));
    assert_eq!(town.tell(spender, usdc, &signed), Err("USDC: not the owner's signature".into()));
    assert_eq!(ask(&mut town.chain, usdc, &Erc20::noncesCall { owner }), U256::from(1));
}

#[test]
fn a_signed_transfer_happens_once_in_its_time() {
    let Some(mut town) = Town::new() else { return };
    let (usdc, from, payee, other) =
        (town.usdc(), town.key.address(), Address::from(account(1).0), Address::from(account(2).0));
    let id = town.chain.chain_id();
    let now = town.chain.view().unwrap().timestamp;
    let held = town.held(usdc, payee);
    for (n, after, before, expected) in [
        (1u8, now, now + 9, Err("USDC: authorization not yet valid".to_owned())),
        (2, now - 1, now, Err("USDC: authorization expired".to_owned())),
        (3, now - 1, now + 1, Ok(())),
        (3, now - 1, now + 1, Err("USDC: authorization used or cancelled".to_owned())),
    ] {
        let (nonce, value) = (B256::repeat_byte(n), U256::from(11));
        let (valid_after, valid_before) = (U256::from(after), U256::from(before));
        let what = TransferWithAuthorization {
            from,
            to: payee,
            value,
            validAfter: valid_after,
            validBefore: valid_before,
            nonce,
        };
        let (v, r, s) = town.sign(&what, id);
        let call = Erc20::transferWithAuthorizationCall {
            from,
            to: payee,
            value,
            validAfter: valid_after,
            validBefore: valid_before,
            nonce,
            v,
            r,
            s,
        };
        // Anybody may bring it.
        assert_eq!(town.tell(other, usdc, &call), expected, "{n}");
    }
    assert_eq!(town.held(usdc, payee), held + U256::from(11));

    let nonce = B256::repeat_byte(8);
    let what = ReceiveWithAuthorization {
        from,
        to: payee,
        value: U256::from(2),
        validAfter: U256::ZERO,
        validBefore: U256::MAX,
        nonce,
    };
    let (v, r, s) = town.sign(&what, id);
    let receive = Erc20::receiveWithAuthorizationCall {
        from,
        to: payee,
        value: U256::from(2),
        validAfter: U256::ZERO,
        validBefore: U256::MAX,
        nonce,
        v,
        r,
        s,
    };
    assert_eq!(town.tell(other, usdc, &receive), Err("USDC: only the payee".into()));
    let (v, r, s) = town.sign(&CancelAuthorization { authorizer: from, nonce }, id);
    assert_eq!(town.tell(other, usdc, &Erc20::cancelAuthorizationCall { authorizer: from, nonce, v, r, s }), Ok(()));
    assert_eq!(town.tell(payee, usdc, &receive), Err("USDC: authorization used or cancelled".into()));
}

#[test]
fn ether_can_be_wrapped_and_unwrapped() {
    let Some(mut town) = Town::new() else { return };
    let (weth, who) = (town.chain.site().places.weth, Address::from(account(1).0));
    let deposited = town.send(who, Some(weth), U256::from(100), Weth9::depositCall {}.abi_encode().into());
    assert!(deposited.success);
    assert!(town.send(who, Some(weth), U256::from(20), Bytes::new()).success, "a plain payment is a deposit");
    assert_eq!(town.held(weth, who), U256::from(120));
    assert_eq!(town.tell(who, weth, &Weth9::withdrawCall { wad: U256::from(121) }), Err("WETH: balance".into()));
    assert_eq!(town.tell(who, weth, &Weth9::withdrawCall { wad: U256::from(50) }), Ok(()));
    assert_eq!(town.held(weth, who), U256::from(70));
    let all = town.chain.balance(weth).unwrap();
    assert_eq!(ask(&mut town.chain, weth, &Erc20::totalSupplyCall {}), all);
    // An allowance of all ones is never used up, as routers expect of this token.
    let (two, router) = (Address::from(account(2).0), town.key.address());
    assert_eq!(town.tell(who, weth, &Erc20::approveCall { spender: router, value: U256::MAX }), Ok(()));
    assert_eq!(town.tell(router, weth, &Erc20::transferFromCall { from: who, to: two, value: U256::from(5) }), Ok(()));
    assert_eq!(ask(&mut town.chain, weth, &Erc20::allowanceCall { owner: who, spender: router }), U256::MAX);
}

#[test]
fn the_odd_tokens_are_odd() {
    let Some(mut town) = Town::new() else { return };
    let (one, two) = (Address::from(account(1).0), Address::from(account(2).0));
    let make = |town: &mut Town, which, argument: &[u8]| {
        let code = [odd_token(which).as_ref(), argument].concat();
        town.send(one, None, U256::ZERO, code.into()).created.expect("a token")
    };
    for decimals in [0u8, 6, 18, 255] {
        let token = make(&mut town, OddToken::Decimals, &U256::from(decimals).abi_encode());
        assert_eq!(ask(&mut town.chain, token, &Erc20::decimalsCall {}), decimals);
    }
    let fee = make(&mut town, OddToken::Fee, &U256::from(250).abi_encode());
    let rebasing = make(&mut town, OddToken::Rebasing, &[]);
    for token in [fee, rebasing] {
        assert_eq!(town.tell(one, token, &Odd::mintCall { to: one, value: U256::from(10_000) }), Ok(()));
        assert_eq!(town.tell(one, token, &Erc20::transferCall { to: two, value: U256::from(4_000) }), Ok(()));
    }
    assert_eq!(town.held(fee, two), U256::from(3_900), "a fortieth stays with the token");
    assert_eq!(town.held(rebasing, two), U256::from(4_000));
    let halve = Odd::rebaseCall { scale: U256::from(500_000_000_000_000_000u64) };
    assert_eq!(town.tell(two, rebasing, &halve), Ok(()));
    assert_eq!(town.held(rebasing, two), U256::from(2_000));
}
