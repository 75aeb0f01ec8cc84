//! The server as a node: blocks, receipts, logs and past states that agree with one another, and strict parameters.

use super::common::{Served, number, plain, served, sign, signer};
use alloy_primitives::{Address, Bloom, BloomInput, Bytes, U256, hex};
use alloy_sol_types::SolCall;
use golem_chain::serve::{METHODS, ServeLimits};
use golem_wallet::abi::Erc20;
use serde_json::{Value, json};

/// A chain on which three transfers of dollars have happened.
fn lived(served: &Served) -> (Address, Address) {
    let (key, friend) = (signer(1), Address::repeat_byte(0xbb));
    served.fund(key.address(), 100);
    for nonce in 0..3 {
        let transfer = Erc20::transferCall { to: friend, value: U256::from(nonce + 1) };
        let raw = sign(plain(nonce, served.site.places.usdc, 0, Bytes::from(transfer.abi_encode())), &key);
        served.call("eth_sendRawTransaction", json!([raw]));
    }
    (key.address(), friend)
}

fn holds(served: &Served, who: Address, block: Value) -> U256 {
    let data = hex::encode_prefixed(Erc20::balanceOfCall { account: who }.abi_encode());
    number(&served.call("eth_call", json!([{ "to": served.site.places.usdc, "input": data }, block])))
}

#[test]
fn blocks_receipts_and_logs_agree_with_one_another() {
    let Some(served) = served(ServeLimits::default()) else { return };
    lived(&served);
    let latest: u64 = number(&served.call("eth_blockNumber", json!([]))).to();
    assert_eq!(latest, 4);
    let mut parent = json!(format!("{:#066x}", 0));
    let mut everything = Vec::new();
    for n in 0..=latest {
        let tag = json!(format!("{n:#x}"));
        let block = served.call("eth_getBlockByNumber", json!([tag, false]));
        let whole = served.call("eth_getBlockByHash", json!([block["hash"], true]));
        assert_eq!((&block["number"], &block["parentHash"]), (&tag, &parent));
        let receipts = served.call("eth_getBlockReceipts", json!([tag]));
        let receipts = receipts.as_array().expect("a list");
        let count = number(&served.call("eth_getBlockTransactionCountByNumber", json!([tag])));
        assert_eq!(count, U256::from(receipts.len()));
        let (mut gas, mut bloom) = (U256::ZERO, Bloom::ZERO);
        for (index, receipt) in receipts.iter().enumerate() {
            let hash = &receipt["transactionHash"];
            assert_eq!(&block["transactions"][index], hash);
            assert_eq!(&served.call("eth_getTransactionReceipt", json!([hash])), receipt);
            let told = served.call("eth_getTransactionByHash", json!([hash]));
            let at = json!([tag, format!("{index:#x}")]);
            assert_eq!(told, served.call("eth_getTransactionByBlockNumberAndIndex", at));
            assert_eq!(told, whole["transactions"][index]);
            gas += number(&receipt["gasUsed"]);
            assert_eq!(number(&receipt["cumulativeGasUsed"]), gas);
            let logs = receipt["logs"].as_array().expect("a list");
            for log in logs {
                assert_eq!(number(&log["logIndex"]), U256::from(everything.len() - first(&everything, &block["hash"])));
                let address: Address = serde_json::from_value(log["address"].clone()).expect("an address");
                assert!(bloom_of(&receipt["logsBloom"]).contains_input(BloomInput::Raw(address.as_slice())));
                everything.push(log.clone());
            }
            bloom.accrue_bloom(&bloom_of(&receipt["logsBloom"]));
        }
        assert_eq!(number(&block["gasUsed"]), gas);
        assert_eq!(bloom_of(&block["logsBloom"]), bloom);
        let by_hash = served.call("eth_getLogs", json!([{ "blockHash": block["hash"] }]));
        assert_eq!(by_hash.as_array().map(Vec::len), Some(everything.len() - first(&everything, &block["hash"])));
        parent = block["hash"].clone();
    }
    let all = served.call("eth_getLogs", json!([{ "fromBlock": "earliest", "toBlock": "latest" }]));
    assert_eq!(all, json!(everything));
    served.stop();
}

fn first(logs: &[Value], block: &Value) -> usize {
    logs.iter().position(|log| &log["blockHash"] == block).unwrap_or(logs.len())
}

fn bloom_of(value: &Value) -> Bloom {
    serde_json::from_value(value.clone()).expect("a bloom")
}

#[test]
fn the_past_is_there_under_every_name() {
    let Some(served) = served(ServeLimits::default()) else { return };
    let (key, friend) = lived(&served);
    let want = [0u64, 0, 1, 3, 6];
    for (n, sum) in want.iter().enumerate() {
        let block = served.call("eth_getBlockByNumber", json!([format!("{n:#x}"), false]));
        let names = [
            json!(format!("{n:#x}")),
            json!({ "blockNumber": format!("{n:#x}") }),
            json!({ "blockHash": block["hash"] }),
            json!({ "blockHash": block["hash"], "requireCanonical": true }),
        ];
        for name in names {
            assert_eq!(holds(&served, friend, name.clone()), U256::from(*sum), "{name}");
            let nonce = served.call("eth_getTransactionCount", json!([key, name]));
            assert_eq!(number(&nonce), U256::from(n.saturating_sub(1)));
        }
    }
    for tag in ["latest", "safe", "finalized", "pending"] {
        assert_eq!(holds(&served, friend, json!(tag)), U256::from(6));
    }
    assert_eq!(holds(&served, friend, json!("earliest")), U256::ZERO);
    assert_eq!(served.fault("eth_getBalance", json!([key, "0x5"])).0, -32001);
    assert_eq!(served.call("eth_getBlockByNumber", json!(["0x5", false])), Value::Null);
    assert_eq!(served.call("eth_getBlockByNumber", json!(["pending", false]))["number"], "0x5");
    // A contract that answers block.number and block.timestamp sees the block that was asked for.
    for (opcode, field) in [("43", "number"), ("42", "timestamp")] {
        let code = format!("0x{opcode}60005260206000f3");
        let block = served.call("eth_getBlockByNumber", json!(["0x2", false]));
        let seen = number(&served.call("eth_call", json!([{ "data": code }, "0x2"])));
        assert_eq!(seen, number(&block[field]), "{field}");
    }
    let usdc = served.site.places.usdc;
    let code = |block: &str| served.call("eth_getCode", json!([usdc, block]));
    assert_eq!(code("0x0"), code("latest"));
    assert_eq!(served.call("eth_getCode", json!([key])), "0x");
    let word = served.call("eth_getStorageAt", json!([served.site.places.pool, "0x0", "0x1"]));
    let padded = format!("{:#066x}", 0);
    assert_eq!(word, served.call("eth_getStorageAt", json!([served.site.places.pool, padded])));
    assert!(word.as_str().is_some_and(|w| w.len() == 66) && !number(&word).is_zero());
    served.stop();
}

#[test]
fn logs_are_found_by_contract_topics_and_range_up_to_a_limit() {
    let limits = ServeLimits { logs: 5, log_blocks: 4, ..ServeLimits::default() };
    let Some(served) = served(limits) else { return };
    let (key, friend) = lived(&served);
    let usdc = served.site.places.usdc;
    let word = |who: Address| json!(who.into_word());
    let transfer = json!("0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef");
    let count = |filter: Value| served.call("eth_getLogs", json!([filter])).as_array().map(Vec::len);
    let within = |more: Value| {
        let mut filter = json!({ "fromBlock": "0x1", "toBlock": "0x4", "address": usdc });
        filter.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
        filter
    };
    assert_eq!(count(within(json!({ "topics": [transfer, word(key)] }))), Some(3));
    assert_eq!(count(within(json!({ "topics": [null, null, word(friend)] }))), Some(3));
    assert_eq!(count(within(json!({ "topics": [[transfer], [word(friend), word(key)]] }))), Some(3));
    assert_eq!(count(within(json!({ "topics": [word(key)] }))), Some(0));
    assert_eq!(count(within(json!({ "fromBlock": "0x3", "topics": [transfer] }))), Some(2));
    assert_eq!(count(within(json!({ "address": [friend] }))), Some(0));
    assert_eq!(count(json!({ "address": usdc })), Some(1), "without a range, the latest block");
    assert_eq!(count(json!({ "fromBlock": "0x100", "toBlock": "0x200" })), Some(0));
    assert_eq!(count(json!({ "fromBlock": "pending" })), Some(0));
    let (code, told) = served.fault("eth_getLogs", json!([{ "fromBlock": "0x0", "toBlock": "latest" }]));
    assert!(code == -32005 && told.contains("4 blocks"), "{told}");
    let (code, told) = served.fault("eth_getLogs", json!([{ "fromBlock": "0x0", "toBlock": "0x1" }]));
    assert!(code == -32005 && told.contains("more than 5 results"), "{told}");
    assert_eq!(served.fault("eth_getLogs", json!([{ "fromBlock": "0x2", "toBlock": "0x1" }])).0, -32602);
    assert_eq!(served.fault("eth_getLogs", json!([{ "blockHash": word(key) }])).0, -32001);
    served.stop();
}

#[test]
fn wrong_parameters_are_told_and_unknown_methods_too() {
    let Some(served) = served(ServeLimits::default()) else { return };
    let who = Address::repeat_byte(1);
    let hash = format!("{:#066x}", 1);
    let table = [
        ("eth_chainId", json!([1]), -32602),
        ("eth_getBalance", json!([]), -32602),
        ("eth_getBalance", json!([who, "latest", 1]), -32602),
        ("eth_getBalance", json!(["0x1234"]), -32602),
        ("eth_getBalance", json!([who, "0x01"]), -32602),
        ("eth_getBalance", json!([who, 1]), -32602),
        ("eth_getBalance", json!([who, "newest"]), -32602),
        ("eth_getBalance", json!([who, { "blockHash": hash }]), -32001),
        ("eth_getStorageAt", json!([who, "0x"]), -32602),
        ("eth_call", json!([]), -32602),
        ("eth_call", json!([[]]), -32602),
        ("eth_call", json!([{ "to": who, "colour": "0x1" }]), -32602),
        ("eth_call", json!([{ "to": who, "data": "0x1" }]), -32602),
        ("eth_call", json!([{ "to": who, "data": "0x11", "input": "0x22" }]), -32602),
        ("eth_call", json!([{ "to": who, "gasPrice": "0x1", "maxFeePerGas": "0x1" }]), -32602),
        ("eth_call", json!([{ "to": who, "chainId": "0x1" }]), -32602),
        ("eth_call", json!([{ "to": who }, "latest", { who.to_string(): { "balance": "0x1" } }]), -32602),
        ("eth_call", json!([{ "to": who, "value": "0x1" }]), -32000),
        ("eth_sendRawTransaction", json!(["0xzz"]), -32602),
        ("eth_getTransactionByHash", json!([who]), -32602),
        ("eth_getBlockByNumber", json!(["latest", "true"]), -32602),
        ("eth_getBlockByNumber", json!([]), -32602),
        ("eth_getBlockByHash", json!(["latest", true]), -32602),
        ("eth_feeHistory", json!(["0x1", "latest", [50, 10]]), -32602),
        ("eth_feeHistory", json!([-1, "latest"]), -32602),
        ("bardo_fundAccount", json!([who, 1]), -32602),
        ("eth_newFilter", json!([{}]), -32601),
        ("eth_sendTransaction", json!([{}]), -32601),
        ("personal_unlockAccount", json!([]), -32601),
        ("", json!([]), -32601),
    ];
    for (method, params, want) in table {
        let (code, told) = served.fault(method, params.clone());
        assert!(code == want && !told.is_empty(), "{method} {params}: {code} {told}");
    }
    for (method, params) in [
        ("eth_getTransactionByHash", json!([hash])),
        ("eth_getTransactionReceipt", json!([hash])),
        ("eth_getBlockByHash", json!([hash, false])),
        ("eth_getTransactionByBlockNumberAndIndex", json!(["0x0", "0xffff"])),
    ] {
        assert_eq!(served.call(method, params), Value::Null, "{method}");
    }
    assert_eq!(served.call("net_version", json!([])), "31337");
    assert_eq!(served.call("eth_syncing", json!([])), false);
    assert_eq!(served.call("eth_accounts", json!([])), json!([]));
    assert!(METHODS.len() > 25);
    served.stop();
}

#[test]
fn fees_are_told_for_every_block_and_the_next() {
    let Some(served) = served(ServeLimits::default()) else { return };
    lived(&served);
    let history = served.call("eth_feeHistory", json!(["0x3", "latest", [0, 50, 100]]));
    assert_eq!(history["oldestBlock"], "0x2");
    assert_eq!(history["baseFeePerGas"], json!(["0x77359400", "0x77359400", "0x77359400", "0x77359400"]));
    assert_eq!(history["reward"][0], json!(["0xf4240", "0xf4240", "0xf4240"]));
    assert!(history["gasUsedRatio"][2].as_f64().is_some_and(|r| r > 0.0 && r < 0.01), "{history}");
    let few = served.call("eth_feeHistory", json!([9_999, "0x1"]));
    assert_eq!((few["oldestBlock"].clone(), few["gasUsedRatio"].as_array().map(Vec::len)), (json!("0x0"), Some(2)));
    assert_eq!(served.call("eth_gasPrice", json!([])), "0x77359400");
    assert_eq!(served.call("eth_maxPriorityFeePerGas", json!([])), "0x0");
    served.stop();
}
