//! `bardo chain serve` as a person uses it: starts, answers the tools that people have, stops when told, and is never
//! there for other machines.

#![allow(clippy::print_stderr, reason = "a skipped test says so")]

use crate::kit::{Home, Running, Said};
use crate::rpc::node::http;
use serde_json::{Value, json};
use std::net::{Ipv4Addr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::Command;

/// False, and said so: never in continuous integration.
fn skipped(why: &str) -> bool {
    assert!(std::env::var_os("CI").is_none(), "{why}");
    eprintln!("skipped: {why}");
    false
}

fn served(home: &Home, more: &[&str]) -> Running {
    Running::start(home, &[&["chain", "serve"], more].concat())
}

fn call(served: &Running, method: &str, params: Value) -> Value {
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params }).to_string();
    let answer: Value = http::post(served.address(), &body).unwrap().parse().unwrap();
    assert!(answer.get("error").is_none(), "{method}: {answer}");
    answer["result"].clone()
}

/// Ask it to stop; its exit code.
fn stop(served: Running) -> Option<i32> {
    served.tell_to_stop();
    served.code()
}

/// The cast that npm brings, fetched once.
fn cast() -> Option<PathBuf> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/tools/npm");
    let binary = dir.join("node_modules/@foundry-rs/cast-linux-amd64/bin/cast");
    std::fs::create_dir_all(&dir).unwrap();
    // Other test binaries may come here at once; npm must not.
    let lock = std::fs::File::create(dir.join(".lock")).unwrap();
    lock.lock().unwrap();
    if !binary.exists() {
        if !dir.join("package.json").exists() {
            std::fs::write(dir.join("package.json"), "{\"private\":true}").unwrap();
        }
        let mut npm = Command::new("npm");
        npm.args(["install", "--ignore-scripts", "--no-audit", "--no-fund", "@foundry-rs/cast@1.7.1"]);
        match npm.current_dir(&dir).output() {
            Ok(done) if done.status.success() => {}
            Ok(done) => return skipped(&String::from_utf8_lossy(&done.stderr)).then_some(binary),
            Err(e) => return skipped(&format!("npm: {e}")).then_some(binary),
        }
    }
    Some(binary)
}

#[test]
fn it_answers_until_it_is_told_to_stop() {
    let Some(home) = Home::with_contracts() else { return };
    let served = served(&home, &[]);
    assert!(served.address().starts_with("127.0.0.1:"), "{}", served.told);
    assert_eq!(call(&served, "eth_chainId", json!([])), "0x7a69");
    for contract in ["usdc", "weth", "pool", "factory", "router", "position_manager"] {
        let code = call(&served, "eth_getCode", json!([served.told[contract], "latest"]));
        assert!(code.as_str().unwrap().len() > 100, "{contract}: {code}");
    }
    if let Some(cast) = cast() {
        let cast = |words: &[&str]| {
            let mut command = Command::new(&cast);
            command.args(words).args(["--rpc-url", served.url()]).env("NO_COLOR", "1");
            let said = Said::from(command.output().unwrap());
            assert_eq!(said.code, 0, "cast {words:?}: {said:?}");
            said.out.trim().to_owned()
        };
        let account = &served.told["development_account"];
        let (who, key) = (account["address"].as_str().unwrap(), account["key"].as_str().unwrap());
        // The first block after an hour of age is done, in which its pool has come to a mean price.
        assert_eq!(cast(&["block-number"]), "2");
        assert!(cast(&["balance", who]).parse::<u128>().unwrap() > 10u128.pow(18));
        let usdc = served.told["usdc"].as_str().unwrap();
        assert!(cast(&["call", usdc, "balanceOf(address)(uint256)", who]).starts_with("100000000000 "));
        cast(&["send", "0x00000000000000000000000000000000000000aa", "--value", "7", "--private-key", key]);
        assert_eq!(cast(&["balance", "0x00000000000000000000000000000000000000aa"]), "7");
        assert_eq!(cast(&["block-number"]), "3");
    }
    assert_eq!(stop(served), Some(0), "a request to stop is followed");
}

#[test]
fn a_chain_of_the_home_is_served_as_a_copy() {
    let Some(home) = Home::with_contracts() else { return };
    home.create("ada", 5, &["--chain", "embedded"]);
    home.live("ada", Some(60));
    let before = home.hash("ada");
    let served = served(&home, &["--chain", "home"]);
    assert!(served.told.get("development_account").is_none(), "nobody else has a key there: {}", served.told);
    let height = call(&served, "eth_blockNumber", json!([]));
    assert!(height.as_str().unwrap() > "0x1");
    let busy = home.bardo(&["golem", "run", "ada", "--ticks", "1", "--speed", "max"]);
    assert!(busy.code == 1 || busy.code == 2, "a chain has one owner at a time: {busy:?}");
    assert!(busy.err.contains("chain"), "{busy:?}");
    assert_eq!(stop(served), Some(0));
    home.live("ada", Some(10));
    assert!(home.json(&["golem", "replay", "ada"])["ok"].as_bool().unwrap());
    assert_ne!(home.hash("ada"), before);
}

#[test]
fn what_it_cannot_do_is_said_with_a_hint() {
    let held = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let taken = held.local_addr().unwrap().to_string();
    let Some(home) = Home::with_contracts() else { return };
    let cases: [(&[&str], i32, &str); 8] = [
        (&["--listen", "0.0.0.0:0"], 2, "hint: "),
        (&["--listen", "[::]:0"], 2, "hint: "),
        (&["--listen", "192.0.2.1:8545"], 2, "hint: "),
        (&["--listen", "8545"], 2, "--listen"),
        (&["--listen", "localhost"], 2, "--listen"),
        (&["--chain", "nowhere"], 2, "hint: "),
        (&["--chain", "../golems"], 2, "--chain"),
        (&["--port", "8545"], 2, "--port"),
    ];
    for (args, code, words) in cases {
        let said = home.bardo(&[&["chain", "serve"], args].concat());
        assert_eq!(said.code, code, "{args:?}: {said:?}");
        assert!(said.err.contains(words) && said.out.is_empty(), "{args:?}: {said:?}");
    }
    let said = home.bardo(&["chain", "serve", "--listen", &taken]);
    assert!(said.code == 1 && said.err.contains(&taken), "{said:?}");
}
