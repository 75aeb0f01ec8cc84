//! Thousands of requests that nobody should send: each has a valid answer, and afterwards everything is as before.

use super::common::{Line, Served, plain, served, sign, signer};
use alloy_primitives::{Address, Bytes};
use golem_chain::serve::{METHODS, ServeLimits};
use proptest::collection::{btree_map, vec};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use serde_json::{Value, json};

/// The same storm every time.
fn weather(seed: u8) -> TestRunner {
    TestRunner::new_with_rng(Config::default(), TestRng::from_seed(RngAlgorithm::ChaCha, &[seed; 32]))
}

fn draw<T: std::fmt::Debug>(strategy: &impl Strategy<Value = T>, runner: &mut TestRunner) -> T {
    strategy.new_tree(runner).expect("a value").current()
}

/// Words that mean something to the server, and some that almost do.
fn word(served: &Served) -> impl Strategy<Value = Value> + Clone + use<> {
    let p = served.site.places;
    let known = vec![
        json!(p.usdc),
        json!(p.pool),
        json!(p.router),
        json!(Address::ZERO),
        json!("latest"),
        json!("pending"),
        json!("earliest"),
        json!("0x0"),
        json!("0x1"),
        json!("0x2"),
        json!("0xffffffffffffffff"),
        json!("0x"),
        json!("0x70a08231"),
        json!("0x5b600056"),
        json!("0x3660006000373660006000f0600052602060005260206000f3"),
        json!(format!("0x{}", "f".repeat(64))),
        json!(format!("0x{}", "00".repeat(32))),
        json!(true),
        json!(null),
        json!({ "blockNumber": "0x1" }),
        json!("0x60fe60005360016000fd"),
        json!([]),
        json!({}),
        json!(-1),
        json!(1.5e300),
    ];
    prop_oneof![
        6 => prop::sample::select(known),
        1 => "0x[0-9a-f]{0,70}".prop_map(Value::String),
        1 => ".{0,20}".prop_map(Value::String),
        1 => any::<i64>().prop_map(|n| json!(n)),
    ]
}

fn any_json(served: &Served) -> impl Strategy<Value = Value> + use<> {
    let fields = vec![
        "from",
        "to",
        "data",
        "input",
        "value",
        "gas",
        "gasPrice",
        "maxFeePerGas",
        "nonce",
        "accessList",
        "fromBlock",
        "toBlock",
        "blockHash",
        "address",
        "topics",
        "type",
        "id",
        "method",
    ];
    word(served).prop_recursive(4, 24, 5, move |inner| {
        let field = prop_oneof![8 => prop::sample::select(fields.clone()).prop_map(str::to_owned), 1 => ".{0,8}"];
        prop_oneof![
            vec(inner.clone(), 0..5).prop_map(Value::Array),
            btree_map(field, inner, 0..5).prop_map(|map| json!(map)),
        ]
    })
}

/// A call of a known method with whatever parameters.
fn any_call(served: &Served) -> impl Strategy<Value = Value> + use<> {
    let method = prop_oneof![9 => prop::sample::select(METHODS.to_vec()).prop_map(str::to_owned), 1 => ".{0,30}"];
    let params = vec(prop_oneof![word(served), any_json(served)], 0..4);
    (method, params, any_json(served), 0..12u8).prop_map(|(method, params, other, kind)| match kind {
        0 => json!({ "jsonrpc": "2.0", "id": other, "method": method, "params": params }),
        1 => json!({ "jsonrpc": other, "id": 1, "method": method, "params": params }),
        2 => json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": other }),
        3 => other,
        _ => json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params }),
    })
}

/// An answer is one object, or a list of them, with either a result or an error of a known code.
fn valid(text: &str) -> bool {
    let one = |answer: &Value| {
        let error = &answer["error"];
        let code = error["code"].as_i64();
        let told = error["message"].as_str().is_some_and(|m| !m.is_empty() && m.len() < 5_000);
        let known =
            code.is_some_and(|c| c == 3 || [-32700, -32600, -32601, -32602, -32000, -32001, -32005].contains(&c));
        answer["jsonrpc"] == "2.0" && (answer.get("result").is_some() != (known && told))
    };
    match serde_json::from_str(text) {
        Ok(Value::Array(answers)) => !answers.is_empty() && answers.iter().all(one),
        Ok(answer) => one(&answer),
        Err(_) => false,
    }
}

/// Memory of this process, in bytes; zero where it cannot be known.
fn memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap_or_default();
    line.split_whitespace().nth(1).and_then(|kb| kb.parse::<u64>().ok()).unwrap_or_default() * 1024
}

fn alive(served: &Served) {
    let key = signer(7);
    served.fund(key.address(), 1);
    let nonce = served.call("eth_getTransactionCount", json!([key.address()]));
    let nonce = u64::from_str_radix(nonce.as_str().expect("hex").trim_start_matches("0x"), 16).expect("a nonce");
    let raw = sign(plain(nonce, Address::repeat_byte(1), 1, Bytes::new()), &key);
    let hash = served.call("eth_sendRawTransaction", json!([raw]));
    assert_eq!(served.call("eth_getTransactionReceipt", json!([hash]))["status"], "0x1");
}

#[test]
fn odd_calls_have_valid_answers_and_change_nothing_else() {
    let Some(served) = served(ServeLimits::default()) else { return };
    alive(&served);
    let (strategy, mut runner) = (any_call(&served), weather(1));
    let before = memory();
    let mut line = served.line();
    for n in 0..5_000 {
        let call = match n % 25 {
            0 => json!((0..n % 30).map(|_| draw(&strategy, &mut runner)).collect::<Vec<_>>()),
            _ => draw(&strategy, &mut runner),
        };
        let text = call.to_string();
        let (status, answer) = line.post(text.as_bytes()).unwrap_or_else(|| panic!("no answer to {text}"));
        assert!(status == 204 || (status == 200 && valid(&answer)), "{text}\n{status} {answer}");
    }
    let grown = memory().saturating_sub(before);
    assert!(grown < 256 << 20, "{grown} bytes");
    alive(&served);
    served.stop();
}

#[test]
fn damaged_bodies_and_transactions_have_valid_answers() {
    let Some(served) = served(ServeLimits::default()) else { return };
    alive(&served);
    let key = signer(7);
    let raw = sign(plain(1, Address::repeat_byte(1), 1, Bytes::from(vec![7; 40])), &key);
    let mut runner = weather(2);
    let hurt = (any::<prop::sample::Index>(), any::<u8>(), 0..3u8);
    let damage = |bytes: &[u8], runner: &mut TestRunner| {
        let mut bytes = bytes.to_vec();
        for _ in 0..draw(&(1..4usize), runner) {
            let (at, with, how) = draw(&hurt, runner);
            let at = at.index(bytes.len().max(1));
            match how {
                0 if at < bytes.len() => bytes[at] = with,
                1 => bytes.insert(at, with),
                _ => bytes.truncate(at),
            }
        }
        bytes
    };
    let mut line = served.line();
    for n in 0..3_000 {
        let body = if n % 2 == 0 {
            let raw = Bytes::from(damage(&raw, &mut runner));
            json!({ "jsonrpc": "2.0", "id": 1, "method": "eth_sendRawTransaction", "params": [raw] })
                .to_string()
                .into_bytes()
        } else {
            let whole = json!({ "jsonrpc": "2.0", "id": 1, "method": "eth_getBlockByNumber", "params": ["0x1", true] });
            damage(whole.to_string().as_bytes(), &mut runner)
        };
        let (status, answer) = line.post(&body).expect("an answer");
        let text = String::from_utf8_lossy(&body);
        assert!(status == 204 || (status == 200 && valid(&answer)), "{text}\n{status} {answer}");
    }
    alive(&served);
    served.stop();
}

#[test]
fn noise_instead_of_http_is_refused() {
    let Some(served) = served(ServeLimits { head: std::time::Duration::from_millis(200), ..ServeLimits::default() })
    else {
        return;
    };
    let noise = prop_oneof![
        vec(any::<u8>(), 0..400),
        "(GET|POST|PUT|[A-Z]{1,9}) [ -~]{0,40} HTTP/[0-9]\\.[0-9]\r\n([A-Za-z-]{1,12}: [ -~]{0,30}\r\n){0,6}\r\n[ -~]{0,60}"
            .prop_map(String::into_bytes),
    ];
    let mut runner = weather(3);
    for _ in 0..300 {
        let bytes = draw(&noise, &mut runner);
        let mut line = Line::to(served.running.address());
        let _refused_early = line.send(&bytes);
        line.finish();
        if let Some((status, _)) = line.answer() {
            assert!((400..600).contains(&status), "{status}: {:?}", String::from_utf8_lossy(&bytes));
        }
    }
    alive(&served);
    served.stop();
}
