//! Whole sessions with the clients that people use: cast, viem and ethers, fetched with npm.

use super::common::{Served, config, hexed, may_skip, served, signer};
use golem_chain::serve::ServeLimits;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

const PACKAGES: [&str; 3] = ["viem@2.57.1", "ethers@6.17.0", "@foundry-rs/cast@1.7.1"];

/// The folder with the clients; none when they cannot be had.
fn clients() -> Option<&'static Path> {
    static FETCHED: OnceLock<Option<PathBuf>> = OnceLock::new();
    FETCHED.get_or_init(fetch).as_deref()
}

fn fetch() -> Option<PathBuf> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/tools/npm");
    let there = || ["viem", "ethers", "@foundry-rs/cast"].iter().all(|p| dir.join("node_modules").join(p).exists());
    std::fs::create_dir_all(&dir).expect("a folder for tools");
    // Two test binaries may come here at once; npm must not.
    let lock = std::fs::File::create(dir.join(".lock")).expect("a lock file");
    lock.lock().expect("the lock");
    if !there() {
        if !dir.join("package.json").exists() {
            std::fs::write(dir.join("package.json"), "{\"private\":true}").expect("a package file");
        }
        let mut npm = Command::new("npm");
        npm.args(["install", "--ignore-scripts", "--no-audit", "--no-fund"]).args(PACKAGES).current_dir(&dir);
        match npm.output() {
            Ok(done) if done.status.success() => {}
            Ok(done) => {
                may_skip(&format!("npm: {}", String::from_utf8_lossy(&done.stderr)));
                return None;
            }
            Err(e) => {
                may_skip(&format!("npm: {e}"));
                return None;
            }
        }
    }
    dir.canonicalize().ok()
}

struct Cast<'a> {
    binary: PathBuf,
    served: &'a Served,
}

impl Cast<'_> {
    fn run(&self, words: &[&str]) -> Result<String, String> {
        let url = self.served.running.url();
        let mut command = Command::new(&self.binary);
        command.args(words).args(["--rpc-url", &url]).env("NO_COLOR", "1").env("FOUNDRY_DISABLE_NIGHTLY_WARNING", "1");
        let done = command.output().expect("cast runs");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
        if done.status.success() { Ok(text(&done.stdout)) } else { Err(text(&done.stderr)) }
    }
    fn get(&self, words: &[&str]) -> String {
        self.run(words).unwrap_or_else(|e| panic!("cast {words:?}: {e}"))
    }
    fn json(&self, words: &[&str]) -> Value {
        let text = self.get(&[words, &["--json"]].concat());
        serde_json::from_str(&text).unwrap_or_else(|_| panic!("cast {words:?}: {text}"))
    }
}

fn cast(dir: &Path) -> Option<PathBuf> {
    let scope = std::fs::read_dir(dir.join("node_modules/@foundry-rs")).ok()?;
    let binary = |entry: std::fs::DirEntry| {
        let name = entry.file_name().to_string_lossy().starts_with("cast-");
        name.then(|| entry.path().join(if cfg!(windows) { "bin/cast.exe" } else { "bin/cast" })).filter(|p| p.exists())
    };
    let found = scope.flatten().find_map(binary);
    if found.is_none() {
        may_skip("there is no cast for this machine");
    }
    found
}

#[test]
fn cast_can_do_its_day() {
    let (Some(dir), Some(served)) = (clients(), served(ServeLimits::default())) else { return };
    let Some(binary) = cast(dir) else { return };
    let cast = Cast { binary, served: &served };
    let (key, friend) = (signer(1), signer(2).address().to_string());
    let (me, secret) = (key.address().to_string(), hexed(key.to_bytes().as_slice()));
    let (usdc, router) = (served.site.places.usdc.to_string(), served.site.places.router.to_string());

    assert_eq!(cast.get(&["chain-id"]), "31337");
    assert_eq!(cast.get(&["block-number"]), "0");
    assert_eq!(cast.get(&["balance", &me]), "0");
    served.fund(key.address(), 5_000);
    assert_eq!(cast.get(&["block-number"]), "1");
    assert!(cast.get(&["balance", &me]).len() > 20);
    assert_eq!(cast.get(&["call", &usdc, "balanceOf(address)(uint256)", &me]), "5000000000 [5e9]");
    assert_eq!(cast.get(&["call", &usdc, "symbol()(string)"]), "\"USDC\"");
    assert_eq!(cast.get(&["base-fee"]), config().genesis.base_fee.to_string());

    let sent = cast.json(&["send", &friend, "--value", "1ether", "--private-key", &secret]);
    assert_eq!((&sent["status"], &sent["type"], &sent["gasUsed"]), (&json!("0x1"), &json!("0x2"), &json!("0x5208")));
    assert_eq!(cast.get(&["balance", "--ether", &friend]), "1.000000000000000000");
    assert_eq!(cast.get(&["nonce", &me]), "1");
    let old = cast.json(&["send", &friend, "--value", "1", "--legacy", "--private-key", &secret]);
    assert_eq!((&old["status"], &old["type"]), (&json!("0x1"), &json!("0x0")));

    let approve = ["send", &usdc, "approve(address,uint256)", &router, "1000000", "--private-key", &secret];
    let approved = cast.json(&approve);
    let hash = approved["transactionHash"].as_str().expect("a hash");
    let receipt = cast.json(&["receipt", hash]);
    assert_eq!(receipt["logs"], approved["logs"]);
    assert_eq!(receipt["logs"].as_array().map(Vec::len), Some(1));
    assert_eq!(cast.get(&["call", &usdc, "allowance(address,address)(uint256)", &me, &router]), "1000000 [1e6]");
    let event = "Approval(address indexed,address indexed,uint256)";
    let logs = cast.json(&["logs", "--from-block", "0", "--to-block", "latest", "--address", &usdc, event, &me]);
    assert_eq!(logs[0]["transactionHash"].as_str(), Some(hash), "{logs}");

    let block = cast.json(&["block", "latest"]);
    assert_eq!(block["transactions"], json!([hash]));
    assert_eq!(
        cast.json(&["block", block["hash"].as_str().expect("a hash"), "--full"])["transactions"][0]["hash"],
        hash
    );
    assert_eq!(cast.json(&["block", "0"])["number"], "0x0");
    assert_eq!(cast.json(&["tx", hash])["from"].as_str().map(str::to_lowercase), Some(me.to_lowercase()));
    assert_eq!(cast.get(&["balance", "--block", "1", &friend]), "0");
    assert!(cast.get(&["code", &usdc]).len() > 100);
    let gas: u64 = cast.get(&["estimate", &friend, "--value", "1", "--from", &me]).parse().expect("gas");
    assert_eq!(gas, 21_000);

    let refused =
        cast.run(&["call", &usdc, "transfer(address,uint256)", &friend, "1"]).expect_err("nobody has no dollars");
    assert!(refused.contains("revert"), "{refused}");
    let poor = hexed(signer(9).to_bytes().as_slice());
    let refused = cast.run(&["send", &me, "--value", "1", "--private-key", &poor]).expect_err("no funds");
    assert!(refused.to_lowercase().contains("insufficient funds"), "{refused}");
    served.stop();
}

/// Run a script of ours that exits with success when everything was as it should be.
fn session(script: &str) {
    let (Some(dir), Some(served)) = (clients(), served(ServeLimits::default())) else { return };
    let p = served.site.places;
    let places = json!({
        "usdc": p.usdc, "weth": p.weth, "router": p.router, "pool": p.pool, "positions": p.positions,
        "quoter": served.site.quoter_v2,
    });
    let done = Command::new("node")
        .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/serve").join(script))
        .env("TOOLS", dir)
        .env("URL", served.running.url())
        .env("KEY", hexed(signer(3).to_bytes().as_slice()))
        .env("PLACES", places.to_string())
        .output();
    let done = match done {
        Ok(done) => done,
        Err(e) => {
            may_skip(&format!("node: {e}"));
            return;
        }
    };
    let words = [done.stdout, done.stderr].map(|w| String::from_utf8_lossy(&w).into_owned()).concat();
    assert!(done.status.success(), "{script}: {words}");
    assert!(words.contains("all as it should be"), "{script}: {words}");
    served.stop();
}

#[test]
fn viem_can_approve_swap_and_look_back() {
    session("viem.mjs");
}

#[test]
fn ethers_can_approve_swap_and_look_back() {
    session("ethers.mjs");
}
