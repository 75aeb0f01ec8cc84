//! What these tests share: a served chain, just enough HTTP, and accounts that can sign.

use alloy_consensus::{SignableTransaction, TxEip1559, TxEnvelope};
use alloy_eips::eip2718::Encodable2718;
use alloy_primitives::{Address, B256, Bytes, Signature, TxKind, U256, hex};
use alloy_signer::SignerSync;
use alloy_signer_local::PrivateKeySigner;
use golem_chain::contracts::{self, Contracts, ContractsError};
use golem_chain::embedded::{EmbeddedChain, EmbeddedConfig, Site};
use golem_chain::serve::{RunningServer, ServeLimits, start};
use golem_core::Usdc;
use golem_venue::{GenesisConfig, spot};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::Duration;

/// True when a test may be left out for want of npm or a network: never in continuous integration.
#[allow(clippy::print_stderr)]
pub fn may_skip(why: &str) -> bool {
    assert!(std::env::var_os("CI").is_none(), "{why}");
    eprintln!("skipped: {why}");
    true
}

/// The build folder's place for what tests download.
pub fn tools() -> PathBuf {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| manifest.join("../../target"), PathBuf::from);
    target.join("tools")
}

pub fn contracts() -> Option<&'static Contracts> {
    static FETCHED: OnceLock<Option<Contracts>> = OnceLock::new();
    let fetch = || match contracts::fetch_or_load(&tools().join("contracts"), |_| ()) {
        Ok(contracts) => Some(contracts),
        Err(e @ (ContractsError::NpmMissing | ContractsError::Offline(_))) => {
            may_skip(&e.to_string());
            None
        }
        Err(e) => panic!("{e}"),
    };
    FETCHED.get_or_init(fetch).as_ref()
}

/// Ether at 2500 dollars, and a base fee of two gwei.
pub fn config() -> EmbeddedConfig {
    let price = spot::sqrt_price_of(2_500.0, true);
    EmbeddedConfig::new(GenesisConfig::deep(true, price, Usdc::whole(1_000_000), 1_700_000_000, 2_000_000_000))
}

/// A served chain in memory.
pub struct Served {
    pub running: RunningServer,
    pub site: Site,
}

pub fn loopback() -> SocketAddr {
    SocketAddr::from(([127, 0, 0, 1], 0))
}

pub fn served(limits: ServeLimits) -> Option<Served> {
    let chain = EmbeddedChain::open_in_memory(contracts()?, &config()).expect("a chain begins");
    let site = *chain.site();
    Some(Served { running: start(chain, loopback(), limits).expect("a server"), site })
}

impl Served {
    pub fn stop(self) -> EmbeddedChain {
        self.running.stop().expect("a clean end")
    }
    pub fn line(&self) -> Line {
        Line::to(self.running.address())
    }
    pub fn call(&self, method: &str, params: Value) -> Value {
        self.line().call(method, params)
    }
    pub fn fault(&self, method: &str, params: Value) -> (i64, String) {
        self.line().fault(method, params)
    }
    /// Give an account dollars, and ether for gas.
    pub fn fund(&self, who: Address, dollars: u64) -> Value {
        self.call("bardo_fundAccount", json!([who, format!("{:#x}", dollars * 1_000_000)]))
    }
}

/// One connection.
pub struct Line(BufReader<TcpStream>);

impl Line {
    pub fn to(address: SocketAddr) -> Self {
        let stream = TcpStream::connect(address).expect("a connection");
        stream.set_read_timeout(Some(Duration::from_secs(30))).expect("a timeout");
        stream.set_nodelay(true).expect("no delay");
        Self(BufReader::new(stream))
    }

    /// Send bytes as they are.
    pub fn send(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        self.0.get_mut().write_all(bytes)
    }

    /// Say that nothing more will come.
    pub fn finish(&mut self) {
        let _gone = self.0.get_mut().shutdown(std::net::Shutdown::Write);
    }

    /// Read one answer: its status and its body; none when the other side is done.
    pub fn answer(&mut self) -> Option<(u16, String)> {
        let mut first = String::new();
        self.0.read_line(&mut first).ok().filter(|n| *n > 0)?;
        let status = first.split(' ').nth(1)?.parse().ok()?;
        let mut length = 0;
        loop {
            let mut line = String::new();
            self.0.read_line(&mut line).ok().filter(|n| *n > 0)?;
            let line = line.trim().to_ascii_lowercase();
            if line.is_empty() {
                break;
            }
            if let Some(n) = line.strip_prefix("content-length:") {
                length = n.trim().parse().ok()?;
            }
        }
        let mut body = vec![0; length];
        self.0.read_exact(&mut body).ok()?;
        Some((status, String::from_utf8(body).ok()?))
    }

    /// Post a body with headers of the caller's choice.
    pub fn post_as(&mut self, headers: &str, body: &[u8]) -> Option<(u16, String)> {
        let head = format!("POST / HTTP/1.1\r\n{headers}Content-Length: {}\r\n\r\n", body.len());
        self.send(&[head.as_bytes(), body].concat()).ok()?;
        self.answer()
    }

    pub fn post(&mut self, body: &[u8]) -> Option<(u16, String)> {
        self.post_as("Host: localhost\r\nContent-Type: application/json\r\n", body)
    }

    pub fn ask(&mut self, method: &str, params: Value) -> Value {
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params }).to_string();
        let (status, text) = self.post(body.as_bytes()).expect("an answer");
        assert_eq!(status, 200, "{text}");
        serde_json::from_str(&text).expect("JSON")
    }

    pub fn call(&mut self, method: &str, params: Value) -> Value {
        let mut answer = self.ask(method, params);
        assert!(answer.get("error").is_none(), "{method}: {answer}");
        answer["result"].take()
    }

    pub fn fault(&mut self, method: &str, params: Value) -> (i64, String) {
        let answer = self.ask(method, params);
        let error = &answer["error"];
        (error["code"].as_i64().unwrap_or_else(|| panic!("{method}: {answer}")), error["message"].to_string())
    }
}

/// A key of these tests.
pub fn signer(n: u8) -> PrivateKeySigner {
    PrivateKeySigner::from_bytes(&B256::repeat_byte(n)).expect("a key")
}

/// Signed bytes.
pub fn sign<T>(tx: T, key: &PrivateKeySigner) -> Bytes
where
    T: SignableTransaction<Signature>,
    TxEnvelope: From<alloy_consensus::Signed<T>>,
{
    let signature = key.sign_hash_sync(&tx.signature_hash()).expect("a signature");
    TxEnvelope::from(tx.into_signed(signature)).encoded_2718().into()
}

/// A usual transaction.
pub fn plain(nonce: u64, to: Address, value: u64, input: Bytes) -> TxEip1559 {
    TxEip1559 {
        chain_id: EmbeddedConfig::CHAIN_ID,
        nonce,
        gas_limit: 1_000_000,
        max_fee_per_gas: 3_000_000_000,
        max_priority_fee_per_gas: 1_000_000,
        to: TxKind::Call(to),
        value: U256::from(value),
        access_list: Default::default(),
        input,
    }
}

/// A number in an answer.
pub fn number(value: &Value) -> U256 {
    value.as_str().and_then(|text| text.parse().ok()).unwrap_or_else(|| panic!("{value} is no number"))
}

/// Hex of bytes.
pub fn hexed(bytes: &[u8]) -> String {
    hex::encode_prefixed(bytes)
}
