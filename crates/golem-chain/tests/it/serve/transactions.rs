//! Transactions from outside: what is taken, what is refused and in which words, and what is left behind.

use super::common::{Line, Served, config, contracts, hexed, loopback, number, plain, served, sign, signer};
use alloy_consensus::{TxEip2930, TxEip7702, TxLegacy};
use alloy_eips::eip2930::{AccessList, AccessListItem};
use alloy_primitives::{Address, B256, Bytes, TxKind, U256, keccak256};
use alloy_sol_types::SolCall;
use golem_chain::embedded::{EmbeddedChain, EmbeddedConfig};
use golem_chain::serve::{ServeLimits, start};
use golem_wallet::abi::Erc20;
use serde_json::json;

const ID: u64 = EmbeddedConfig::CHAIN_ID;

fn send(served: &Served, raw: &Bytes) -> serde_json::Value {
    served.call("eth_sendRawTransaction", json!([raw]))
}

fn refusal(served: &Served, raw: &Bytes) -> (i64, String) {
    served.fault("eth_sendRawTransaction", json!([raw]))
}

fn legacy(nonce: u64, to: Address, chain_id: Option<u64>) -> TxLegacy {
    let price = 3_000_000_000;
    let (gas_limit, to) = (30_000, TxKind::Call(to));
    TxLegacy { chain_id, nonce, gas_price: price, gas_limit, to, value: U256::from(7), input: Bytes::new() }
}

#[test]
fn every_kind_of_transaction_is_mined_at_once_under_its_own_hash() {
    let Some(served) = served(ServeLimits::default()) else { return };
    let (key, friend) = (signer(1), Address::repeat_byte(0xaa));
    served.fund(key.address(), 1_000);
    let item = AccessListItem { address: friend, storage_keys: vec![B256::repeat_byte(1)] };
    let listed = TxEip2930 {
        chain_id: ID,
        nonce: 1,
        gas_price: 2_500_000_000,
        gas_limit: 50_000,
        to: TxKind::Call(friend),
        value: U256::from(7),
        access_list: AccessList(vec![item]),
        input: Bytes::new(),
    };
    let raws =
        [sign(legacy(0, friend, Some(ID)), &key), sign(listed, &key), sign(plain(2, friend, 7, Bytes::new()), &key)];
    // What a unit of gas costs: the price, the price, and the base fee with the tip.
    let prices = [3_000_000_000u64, 2_500_000_000, 2_001_000_000];
    let gas = [21_000u64, 21_000 + 2_400 + 1_900, 21_000];
    for (kind, raw) in raws.iter().enumerate() {
        let before = number(&served.call("eth_getBalance", json!([key.address()])));
        let hash = send(&served, raw);
        assert_eq!(hash, json!(keccak256(raw)));
        let receipt = served.call("eth_getTransactionReceipt", json!([hash]));
        assert_eq!(receipt["type"], format!("{kind:#x}"));
        assert_eq!(receipt["status"], "0x1");
        assert_eq!(number(&receipt["gasUsed"]), U256::from(gas[kind]));
        assert_eq!(receipt["gasUsed"], receipt["cumulativeGasUsed"]);
        assert_eq!(number(&receipt["effectiveGasPrice"]), U256::from(prices[kind]));
        let after = number(&served.call("eth_getBalance", json!([key.address(), "latest"])));
        assert_eq!(before - after, U256::from(7 + gas[kind] * prices[kind]));
        let told = served.call("eth_getTransactionByHash", json!([hash]));
        assert_eq!(told["blockNumber"], receipt["blockNumber"]);
        assert_eq!(told["from"], json!(key.address()));
        assert_eq!(told["nonce"], format!("{kind:#x}"));
        assert_eq!(told["accessList"].is_array(), kind > 0);
        let v = number(&told["v"]);
        assert!(if kind == 0 { v >= U256::from(2 * ID + 35) } else { v < U256::from(2) }, "{told}");
        let block = served.call("eth_getBlockByNumber", json!([receipt["blockNumber"], true]));
        assert_eq!(block["transactions"], json!([told]));
        assert_eq!(block["hash"], receipt["blockHash"]);
    }
    assert_eq!(number(&served.call("eth_getBalance", json!([friend]))), U256::from(21));
    assert_eq!(served.call("eth_getTransactionCount", json!([key.address(), "pending"])), "0x3");
    served.stop();
}

#[test]
fn what_cannot_be_is_refused_in_words_that_clients_know_and_leaves_no_trace() {
    let Some(served) = served(ServeLimits::default()) else { return };
    let (key, poor, friend) = (signer(1), signer(2), Address::repeat_byte(0xaa));
    served.fund(key.address(), 1_000);
    let first = sign(plain(0, friend, 1, Bytes::new()), &key);
    send(&served, &first);
    let height = served.call("eth_blockNumber", json!([]));
    let usual = || plain(1, friend, 1, Bytes::new());
    let odd = |change: &dyn Fn(&mut alloy_consensus::TxEip1559)| {
        let mut tx = usual();
        change(&mut tx);
        sign(tx, &key)
    };
    let delegation = TxEip7702 {
        chain_id: ID,
        nonce: 1,
        gas_limit: 100_000,
        max_fee_per_gas: 3_000_000_000,
        to: friend,
        ..TxEip7702::default()
    };
    let mut longer = sign(usual(), &key).to_vec();
    longer.push(0);
    let mut broken = sign(usual(), &key).to_vec();
    let at = broken.len() - 70;
    broken[at] ^= 0x55;
    let beggar = sign(plain(0, friend, 1, Bytes::new()), &poor);
    let table: Vec<(&str, Bytes, i64, &str)> = vec![
        ("again", first.clone(), -32000, "already known"),
        ("old nonce", odd(&|t| (t.nonce, t.gas_limit) = (0, 50_000)), -32000, "nonce too low"),
        ("far nonce", odd(&|t| t.nonce = 9), -32000, "nonce too high"),
        ("last nonce", odd(&|t| t.nonce = u64::MAX), -32000, "nonce too high"),
        ("other chain", odd(&|t| t.chain_id = 1), -32000, "invalid chain id"),
        ("any chain", sign(legacy(1, friend, None), &key), -32000, "replay-protected"),
        ("poor", beggar, -32000, "insufficient funds"),
        ("too much", odd(&|t| t.value = U256::MAX), -32000, "insufficient funds"),
        ("dear", odd(&|t| t.max_fee_per_gas = u128::MAX), -32000, "insufficient funds"),
        ("cheap", odd(&|t| t.max_fee_per_gas = 1_999_999_999), -32000, "max fee per gas less than block base fee"),
        ("tip", odd(&|t| t.max_priority_fee_per_gas = 4_000_000_000), -32000, "max priority fee per gas higher"),
        ("little gas", odd(&|t| t.gas_limit = 20_999), -32000, "intrinsic gas too low"),
        ("no gas", odd(&|t| t.gas_limit = 0), -32000, "intrinsic gas too low"),
        ("much gas", odd(&|t| t.gas_limit = 60_000_001), -32000, "exceeds block gas limit"),
        ("type 4", sign(delegation, &key), -32000, "not supported"),
        ("more after it", longer.into(), -32602, "not a transaction"),
        ("nothing", Bytes::new(), -32602, "not a transaction"),
        ("noise", Bytes::from(vec![0x02, 0xc0]), -32602, "not a transaction"),
        ("type 9", Bytes::from(vec![0x09, 0xc0]), -32602, "not a transaction"),
    ];
    for (name, raw, code, words) in table {
        let (got, told) = refusal(&served, &raw);
        assert!(got == code && told.contains(words), "{name}: {got} {told}");
    }
    // Changed after it was signed, it is somebody else's: somebody who has nothing, or nobody.
    let (code, told) = refusal(&served, &broken.into());
    assert!((code == -32000 || code == -32602) && !told.contains("bug"), "{code} {told}");
    assert_eq!(served.call("eth_blockNumber", json!([])), height);
    assert_eq!(served.call("eth_getTransactionCount", json!([key.address()])), "0x1");
    send(&served, &sign(usual(), &key));
    served.stop();
}

#[test]
fn a_signature_in_its_other_form_is_refused() {
    let Some(served) = served(ServeLimits::default()) else { return };
    let key = signer(1);
    served.fund(key.address(), 1_000);
    use alloy_consensus::{SignableTransaction, TxEnvelope};
    use alloy_eips::eip2718::Encodable2718;
    use alloy_signer::SignerSync;
    let tx = plain(0, Address::repeat_byte(0xaa), 1, Bytes::new());
    let fair = key.sign_hash_sync(&tx.signature_hash()).expect("a signature");
    let order: U256 = "0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141".parse().expect("a number");
    let other = alloy_primitives::Signature::new(fair.r(), order - fair.s(), !fair.v());
    let raw: Bytes = TxEnvelope::from(tx.into_signed(other)).encoded_2718().into();
    let (code, told) = refusal(&served, &raw);
    assert!(code == -32000 && told.contains("invalid sender"), "{code} {told}");
    served.stop();
}

#[test]
fn a_transaction_that_reverts_is_mined_and_a_call_says_why() {
    let Some(served) = served(ServeLimits::default()) else { return };
    let (key, usdc) = (signer(1), served.site.places.usdc);
    served.fund(key.address(), 10);
    let transfer = |value: u64| {
        let call = Erc20::transferCall { to: Address::repeat_byte(0xaa), value: U256::from(value) };
        Bytes::from(call.abi_encode())
    };
    let too_much = json!({ "from": key.address(), "to": usdc, "data": transfer(11_000_000) });
    for method in ["eth_call", "eth_estimateGas"] {
        let answer = served.line().ask(method, json!([too_much]));
        assert_eq!(answer["error"]["code"], 3, "{answer}");
        assert!(answer["error"]["message"].as_str().is_some_and(|m| m.starts_with("execution reverted")), "{answer}");
        assert!(answer["error"]["data"].as_str().is_some_and(|d| d.starts_with("0x")), "{answer}");
    }
    let hash = send(&served, &sign(plain(0, usdc, 0, transfer(11_000_000)), &key));
    let receipt = served.call("eth_getTransactionReceipt", json!([hash]));
    assert_eq!((&receipt["status"], &receipt["logs"]), (&json!("0x0"), &json!([])));
    let hash = send(&served, &sign(plain(1, usdc, 0, transfer(4_000_000)), &key));
    let receipt = served.call("eth_getTransactionReceipt", json!([hash]));
    assert_eq!((&receipt["status"], receipt["logs"].as_array().map(Vec::len)), (&json!("0x1"), Some(1)));
    let enough = json!({ "from": key.address(), "to": usdc, "data": transfer(1) });
    let gas: u64 = number(&served.call("eth_estimateGas", json!([enough]))).to();
    let short = json!({ "from": key.address(), "to": usdc, "data": transfer(1), "gas": format!("{:#x}", gas - 1) });
    assert!(served.line().ask("eth_call", json!([short])).get("error").is_some(), "one unit less is too little");
    let exact = json!({ "from": key.address(), "to": usdc, "data": transfer(1), "gas": format!("{gas:#x}") });
    served.call("eth_call", json!([exact]));
    served.stop();
}

#[test]
fn the_development_account_is_that_of_its_key() {
    let key = golem_chain::serve::DEVELOPMENT.key;
    assert_eq!(key, hexed(keccak256("bardo development account").as_slice()));
    let signer: alloy_signer_local::PrivateKeySigner = key.parse().expect("a key");
    assert_eq!(signer.address(), golem_chain::serve::DEVELOPMENT.address);
}

#[test]
fn what_was_answered_is_in_the_file() {
    let Some(contracts) = contracts() else { return };
    let dir = tempfile::tempdir().expect("a folder");
    let path = dir.path().join("chain.db");
    let key = signer(1);
    let chain = EmbeddedChain::open(&path, contracts, &config()).expect("a chain");
    let running = start(chain, loopback(), ServeLimits::default()).expect("a server");
    let mut line = Line::to(running.address());
    line.call("bardo_fundAccount", json!([key.address(), "0x989680"]));
    let raw = sign(plain(0, Address::repeat_byte(0xaa), 5, Bytes::new()), &key);
    let hash = line.call("eth_sendRawTransaction", json!([hexed(&raw)]));
    let told = line.call("eth_getTransactionReceipt", json!([hash]));
    let block = line.call("eth_getBlockByNumber", json!(["latest", true]));
    running.stop().expect("a clean end");

    let running =
        start(EmbeddedChain::resume(&path).expect("the chain"), loopback(), ServeLimits::default()).expect("again");
    let mut line = Line::to(running.address());
    assert_eq!(line.call("eth_getTransactionReceipt", json!([hash])), told);
    assert_eq!(line.call("eth_getBlockByNumber", json!(["latest", true])), block);
    assert_eq!(line.fault("eth_sendRawTransaction", json!([hexed(&raw)])).0, -32000);
    running.stop().expect("a clean end");
}
