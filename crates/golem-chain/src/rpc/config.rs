//! Settings of a chain that is reached over JSON-RPC. No default names a host or a contract: whose node and whose
//! contracts are trusted is the owner's to say.

use super::fees::GasRule;
use alloy_primitives::{Address, B256};
use golem_core::Problem;
use golem_core::words::is_plain_path;
use golem_wallet::RouterKind;
use reqwest::Url;
use serde::{Deserialize, Serialize};
use std::fmt;

/// How a node is reached, believed and paid.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RpcConfig {
    /// The nodes. One is believed alone; two must agree; of more, the greater part must.
    pub urls: Vec<String>,
    /// Variables of the environment that each hold the address of a further node: for addresses with a key in them.
    pub url_env: Vec<String>,
    /// Whether a node on another machine may be spoken to over plain http, where anybody on the way can read and change
    /// what is said.
    pub allow_remote_http: bool,
    /// The chain's id. Nodes of another chain are refused.
    pub chain_id: u64,
    /// The contracts.
    pub addresses: Addresses,
    /// Which router stands there: v1 (SwapRouter) or v2 (SwapRouter02).
    pub router: RouterKind,
    /// How the chain charges for a transaction.
    pub gas: GasRule,
    /// Blocks on top of a transaction's own, until it counts as settled.
    pub confirmations: u64,
    /// Age beyond which a head is not believed to be the head, in seconds.
    pub max_age_s: u64,
    /// Blocks that a node may lag behind the others, or run ahead of them.
    pub max_lag: u64,
    /// The longest wait for one answer.
    pub request_timeout_ms: u64,
    /// The longest wait for all answers of one turn, retries included: an approval and a swap, each with its
    /// confirmations, on a chain with a block every twelve seconds.
    pub turn_budget_ms: u64,
    /// The longest answer that is read, in bytes.
    pub max_answer_bytes: usize,
    /// How often a question is asked again after everybody failed to answer it.
    pub retries: u32,
    /// The most that a unit of gas may cost, tip included, in gwei.
    pub max_fee_gwei: u64,
    /// The most that is offered on top of the base fee, in gwei.
    pub max_tip_gwei: u64,
    /// What is offered on top of the base fee where the nodes tell no tips of late, in wei.
    pub tip_wei: u64,
    /// Time after which an unmined transaction is offered for more.
    pub bump_after_ms: u64,
    /// How often it is offered for more before it is taken back.
    pub max_bumps: u32,
    /// Age at which a transaction found unsent after a restart is taken back instead of sent.
    pub stale_after_s: u64,
    /// How long a settled transaction is watched for a reorganisation, in blocks.
    pub watch_blocks: u64,
    /// Seconds between a swap's signature and its deadline on the chain.
    pub deadline_s: u64,
    /// Pause between two looks for a receipt.
    pub poll_ms: u64,
}

/// Where the contracts stand. A code hash that is given is held against the chain from the first contact on.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Addresses {
    /// USDC.
    pub usdc: Pinned,
    /// The asset, wrapped.
    pub asset: Pinned,
    /// The pool of both.
    pub pool: Pinned,
    /// The factory that made the pool.
    pub factory: Pinned,
    /// The swap router.
    pub router: Pinned,
    /// The position manager.
    pub positions: Pinned,
}

/// A contract and, if the owner knows them, the hashes of its code and of the code that it runs as a proxy.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pinned {
    /// Where.
    pub at: Address,
    /// Keccak-256 of its code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code_hash: Option<B256>,
    /// Keccak-256 of the code that its implementation slot points to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub implementation_hash: Option<B256>,
}

impl Pinned {
    /// A contract of which nothing else is known.
    #[must_use]
    pub fn at(at: Address) -> Self {
        Self { at, ..Self::default() }
    }
}

impl Addresses {
    /// All of them, with their keys.
    #[must_use]
    pub fn all(&self) -> [(&'static str, Pinned); 6] {
        [
            ("usdc", self.usdc),
            ("asset", self.asset),
            ("pool", self.pool),
            ("factory", self.factory),
            ("router", self.router),
            ("positions", self.positions),
        ]
    }
}

impl Default for RpcConfig {
    fn default() -> Self {
        Self {
            urls: Vec::new(),
            url_env: Vec::new(),
            allow_remote_http: false,
            chain_id: 0,
            addresses: Addresses::default(),
            router: RouterKind::V1,
            gas: GasRule::Ethereum,
            confirmations: 2,
            max_age_s: 120,
            max_lag: 3,
            request_timeout_ms: 4_000,
            turn_budget_ms: 150_000,
            max_answer_bytes: 8 << 20,
            retries: 3,
            max_fee_gwei: 100,
            max_tip_gwei: 3,
            tip_wei: 1_000_000_000,
            bump_after_ms: 36_000,
            max_bumps: 4,
            stale_after_s: 120,
            watch_blocks: 64,
            deadline_s: 120,
            poll_ms: 500,
        }
    }
}

impl RpcConfig {
    /// The defaults with every key that there is, also those that they leave out.
    #[must_use]
    pub fn every_key() -> Self {
        let hash = Some(B256::ZERO);
        let any = Pinned { at: Address::ZERO, code_hash: hash, implementation_hash: hash };
        let addresses = Addresses { usdc: any, asset: any, pool: any, factory: any, router: any, positions: any };
        Self { addresses, ..Self::default() }
    }
}

/// The chain id of development nodes.
const DEVELOPMENT: u64 = 31_337;

impl RpcConfig {
    /// Whether it is a chain for trying things out, whose time need not be everybody's: every node on this machine, and the
    /// chain id that development nodes have. A loopback address alone may be a way to somebody's real chain.
    #[must_use]
    pub fn is_local(&self) -> bool {
        let here = |text: &String| Url::parse(text).ok().and_then(|url| url.host_str().map(is_loopback));
        self.chain_id == DEVELOPMENT && !self.urls.is_empty() && self.urls.iter().all(|url| here(url) == Some(true))
    }
    /// Every problem, with its key.
    #[must_use]
    pub fn problems(&self) -> Vec<Problem> {
        let mut all = self.node_problems();
        if self.chain_id == 0 {
            let hint = "say which chain it is: 1 is Ethereum, 8453 is Base, 31337 a development node";
            all.push(Problem::new("chain_id", hint));
        }
        let places = self.addresses.all();
        for (i, (key, pinned)) in places.iter().enumerate() {
            let key = format!("addresses.{key}");
            if pinned.at.is_zero() {
                all.push(Problem::new(key, "say where the contract stands: { at = \"0x...\" }"));
            } else if let Some((other, _)) = places[..i].iter().find(|(_, other)| other.at == pinned.at) {
                all.push(Problem::new(
                    key,
                    format!("{other} stands there already; each contract has an address of its own"),
                ));
            }
        }
        for (key, x, low, high) in [
            ("confirmations", self.confirmations, 0, 1_000),
            ("max_age_s", self.max_age_s, 1, 86_400),
            ("max_lag", self.max_lag, 0, 1_000),
            ("request_timeout_ms", self.request_timeout_ms, 10, 60_000),
            ("turn_budget_ms", self.turn_budget_ms, 100, 600_000),
            ("max_answer_bytes", self.max_answer_bytes as u64, 1 << 16, 1 << 28),
            ("retries", u64::from(self.retries), 0, 20),
            ("max_fee_gwei", self.max_fee_gwei, 1, 100_000),
            ("max_tip_gwei", self.max_tip_gwei, 0, 10_000),
            ("tip_wei", self.tip_wei, 0, 10_000_000_000_000),
            ("bump_after_ms", self.bump_after_ms, 50, 3_600_000),
            ("max_bumps", u64::from(self.max_bumps), 0, 20),
            ("stale_after_s", self.stale_after_s, 1, 86_400),
            ("watch_blocks", self.watch_blocks, 1, 10_000),
            ("deadline_s", self.deadline_s, 5, 86_400),
            ("poll_ms", self.poll_ms, 5, 60_000),
        ] {
            if !(low..=high).contains(&x) {
                let message = format!("{x} is out of range; it must lie between {low} and {high}");
                all.push(Problem::new(key, message));
            }
        }
        if self.request_timeout_ms > self.turn_budget_ms {
            all.push(Problem::new("request_timeout_ms", "one answer may not take longer than the turn_budget_ms"));
        }
        if self.watch_blocks < self.confirmations {
            all.push(Problem::new("watch_blocks", "watch at least as many blocks as there are confirmations"));
        }
        all
    }
}

impl RpcConfig {
    /// What is wrong with the nodes that are named.
    fn node_problems(&self) -> Vec<Problem> {
        let mut all = Vec::new();
        if self.urls.is_empty() && self.url_env.is_empty() {
            all.push(Problem::new("urls", "name at least one node, such as http://127.0.0.1:8545"));
        }
        for (i, url) in self.urls.iter().enumerate() {
            let key = format!("urls.{i}");
            if let Some(why) = bad_url(url, self.allow_remote_http) {
                all.push(Problem::new(&key, why));
            }
            if self.urls[..i].contains(url) {
                all.push(Problem::new(key, "the same node twice cannot confirm itself; name another"));
            }
        }
        for (i, name) in self.url_env.iter().enumerate() {
            if !is_variable(name) {
                // The value is not repeated: it may be an address with a key that was put into the wrong place.
                let hint = "name the variable that holds the address, such as BARDO_NODE_URL";
                all.push(Problem::new(format!("url_env.{i}"), hint));
            }
        }
        all
    }

    /// Addresses that would be stored in clear and may carry a key.
    #[must_use]
    pub fn exposed(&self) -> Vec<Problem> {
        let exposed = |(i, text): (usize, &String)| {
            let url = Url::parse(text).ok().filter(carries_key)?;
            let what = format!("{} may carry a key, and settings are stored in clear", redacted(&url));
            let hint = "put it into the environment and name the variable: chain.rpc.url_env = [\"BARDO_NODE_URL\"]";
            Some(Problem::new(format!("urls.{i}"), format!("{what}; {hint}")))
        };
        self.urls.iter().enumerate().filter_map(exposed).collect()
    }

    /// The same with the addresses that the environment holds, which is asked by name.
    ///
    /// # Errors
    /// Every name that holds nothing, and every address that cannot be used.
    pub fn with_environment(&self, get: impl Fn(&str) -> Option<String>) -> Result<Self, Vec<Problem>> {
        let mut all = self.clone();
        let mut missing = Vec::new();
        for (i, name) in std::mem::take(&mut all.url_env).iter().enumerate() {
            match get(name).map(|text| text.trim().to_owned()).filter(|text| !text.is_empty()) {
                Some(url) => all.urls.push(url),
                None => {
                    let what = format!("the environment has no {name}; export it before the golem is run");
                    missing.push(Problem::new(format!("url_env.{i}"), what));
                }
            }
        }
        if missing.is_empty() {
            missing = all.node_problems();
        }
        if missing.is_empty() { Ok(all) } else { Err(missing) }
    }

    /// As it may be shown: addresses that may carry a key are cut to where they lead.
    #[must_use]
    pub fn shown(&self) -> Self {
        let cut = |text: &String| match Url::parse(text) {
            Ok(url) if carries_key(&url) => redacted(&url),
            Ok(_) => text.clone(),
            Err(_) => "?".to_owned(),
        };
        Self { urls: self.urls.iter().map(cut).collect(), ..self.clone() }
    }
}

/// Whether an address has anything in it that may be a key: a user, a query, or a word of its path that no person wrote.
fn carries_key(url: &Url) -> bool {
    let beside = url.password().is_some() || url.query().is_some() || url.fragment().is_some();
    beside || !url.username().is_empty() || !is_plain_path(url.path())
}

/// Whether a name can be one of the environment's.
fn is_variable(name: &str) -> bool {
    let word = |b: u8| b.is_ascii_alphanumeric() || b == b'_';
    !name.is_empty() && name.len() <= 100 && !name.as_bytes()[0].is_ascii_digit() && name.bytes().all(word)
}

fn bad_url(text: &str, allow_remote_http: bool) -> Option<&'static str> {
    match Url::parse(text) {
        Ok(url) if url.scheme() == "http" && !allow_remote_http && !url.host_str().is_some_and(is_loopback) => Some(
            "over plain http anybody on the way can read and change what this node says; use https, or accept it with allow_remote_http = true",
        ),
        Ok(url) if matches!(url.scheme(), "http" | "https") && url.has_host() => None,
        Ok(_) => Some("only http and https addresses of a host are spoken to"),
        // The text itself is not repeated: it may carry a password.
        Err(_) => Some("not an address; write it as http://host:port or https://host/path"),
    }
}

fn is_loopback(host: &str) -> bool {
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost" || bare.parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

/// Where a node is, without whatever could be a secret: user, password, path and query are left out.
#[must_use]
pub fn redacted(url: &Url) -> String {
    let port = url.port().map(|p| format!(":{p}")).unwrap_or_default();
    format!("{}://{}{port}", url.scheme(), url.host_str().unwrap_or("?"))
}

/// Shows no more of an address than [`redacted`] does.
impl fmt::Debug for RpcConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let urls: Vec<String> =
            self.urls.iter().map(|u| Url::parse(u).map_or_else(|_| "?".into(), |u| redacted(&u))).collect();
        f.debug_struct("RpcConfig").field("urls", &urls).field("chain_id", &self.chain_id).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sound() -> RpcConfig {
        let at = |n| Pinned::at(Address::with_last_byte(n));
        RpcConfig {
            urls: vec!["http://127.0.0.1:8545".into()],
            chain_id: DEVELOPMENT,
            addresses: Addresses {
                usdc: at(1),
                asset: at(2),
                pool: at(3),
                factory: at(4),
                router: at(5),
                positions: at(6),
            },
            ..RpcConfig::default()
        }
    }

    #[test]
    fn the_defaults_lack_only_what_the_owner_must_say() {
        let keys: Vec<String> = RpcConfig::default().problems().into_iter().map(|p| p.key).collect();
        let contracts = ["usdc", "asset", "pool", "factory", "router", "positions"].map(|c| format!("addresses.{c}"));
        assert_eq!(keys, [&["urls", "chain_id"].map(str::to_owned)[..], &contracts].concat());
        assert_eq!(sound().problems(), []);
    }

    #[test]
    fn every_wrong_setting_is_named() {
        type Change = fn(&mut RpcConfig);
        let cases: [(&str, Change); 13] = [
            ("urls.0", |c| c.urls[0] = "not an address".into()),
            ("urls.0", |c| c.urls[0] = "ftp://host".into()),
            ("urls.1", |c| c.urls.push(c.urls[0].clone())),
            ("max_age_s", |c| c.max_age_s = 0),
            ("max_fee_gwei", |c| c.max_fee_gwei = 0),
            ("request_timeout_ms", |c| c.turn_budget_ms = 1_000),
            ("watch_blocks", |c| (c.confirmations, c.watch_blocks) = (9, 8)),
            ("addresses.pool", |c| c.addresses.pool.at = Address::ZERO),
            ("addresses.factory", |c| c.addresses.factory = c.addresses.pool),
            ("chain_id", |c| c.chain_id = 0),
            ("urls.0", |c| c.urls[0] = "http://node.example".into()),
            ("urls.0", |c| c.urls[0] = "http://10.0.0.7:8545".into()),
            ("url_env.0", |c| c.url_env = vec!["https://node.example".into()]),
        ];
        for (key, change) in cases {
            let mut config = sound();
            change(&mut config);
            assert_eq!(config.problems().iter().map(|p| p.key.as_str()).collect::<Vec<_>>(), [key]);
        }
    }

    #[test]
    fn a_node_elsewhere_over_plain_http_needs_a_word() {
        let remote = |scheme: &str, allow_remote_http| {
            let urls = vec![format!("{scheme}://node.example:8545")];
            RpcConfig { urls, allow_remote_http, ..sound() }.problems().is_empty()
        };
        assert!(!remote("http", false) && remote("http", true) && remote("https", false));
    }

    #[test]
    fn an_address_with_a_key_comes_from_the_environment_and_never_from_the_settings() {
        for (url, exposed) in [
            ("http://127.0.0.1:8545", false),
            ("http://127.0.0.1:8545/rpc/v1", false),
            ("https://node.example/ext/bc/C/rpc", false),
            ("https://node.example/v3/0123456789abcdef0123456789abcdef", true),
            ("https://me:hunter2@node.example", true),
            ("https://token@node.example", true),
            ("https://node.example/?key=hunter2", true),
            ("https://node.example/#hunter2", true),
        ] {
            let config = RpcConfig { urls: vec![url.into()], ..sound() };
            assert_eq!(!config.exposed().is_empty(), exposed, "{url}");
            let told = format!("{:?} {:?}", config.exposed(), config.shown().urls);
            assert!(!exposed || !["hunter2", "0123456789abcdef", "token@"].iter().any(|s| told.contains(s)), "{told}");
        }
        let named = RpcConfig { urls: Vec::new(), url_env: vec!["NODE".into()], ..sound() };
        assert_eq!((named.problems(), named.exposed()), (Vec::new(), Vec::new()));
        let secret = "https://node.example/v3/0123456789abcdef0123456789abcdef";
        let found = named.with_environment(|name| (name == "NODE").then(|| format!("{secret}\n"))).unwrap();
        assert_eq!((found.urls, found.url_env), (vec![secret.to_owned()], Vec::new()));
        let key = |all: Vec<Problem>| all.into_iter().map(|p| p.key).collect::<Vec<_>>();
        assert_eq!(key(named.with_environment(|_| None).unwrap_err()), ["url_env.0"]);
        let plain = named.with_environment(|_| Some("http://node.example/hunter2".into())).unwrap_err();
        assert!(!format!("{plain:?}").contains("hunter2"), "{plain:?}");
        assert_eq!(key(plain), ["urls.0"]);
    }

    #[test]
    fn a_chain_is_local_when_all_its_nodes_are() {
        let local = |urls: &[&str]| {
            let urls = urls.iter().map(ToString::to_string).collect();
            RpcConfig { urls, chain_id: DEVELOPMENT, ..sound() }.is_local()
        };
        assert!(local(&["http://127.0.0.1:8545", "http://localhost:1", "http://[::1]:8545"]));
        assert!(!local(&["http://127.0.0.1:8545", "https://node.example"]));
        assert!(!local(&["http://127.0.0.1.node.example"]) && !local(&[]) && !local(&["127.0.0.1:8545"]));
        let tunnel = RpcConfig { urls: vec!["http://127.0.0.1:8545".into()], chain_id: 1, ..sound() };
        assert!(!tunnel.is_local(), "a way to a real chain is no playground");
    }

    #[test]
    fn no_secret_of_an_address_is_shown() {
        let mut config = sound();
        config.urls = vec!["https://me:hunter2@node.example:8443/v3/apikey?token=abc".into(), "hunter2".into()];
        let shown = format!("{config:?} {:?}", config.problems());
        for secret in ["hunter2", "apikey", "abc", "me:"] {
            assert!(!shown.contains(secret), "{secret} in {shown}");
        }
        assert!(shown.contains("https://node.example:8443"));
    }

    #[test]
    fn a_key_that_does_not_exist_is_refused() {
        assert!(serde_json::from_str::<RpcConfig>(r#"{"max_fee": 3}"#).is_err());
        assert!(serde_json::from_str::<RpcConfig>(r#"{"addresses": {"pol": {"at": "0x00"}}}"#).is_err());
        let text = serde_json::to_string(&sound()).unwrap();
        assert_eq!(serde_json::from_str::<RpcConfig>(&text).unwrap(), sound());
    }
}
