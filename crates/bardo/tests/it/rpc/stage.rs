//! A node, a home with a wallet, and a golem that buys every few turns.

use crate::kit::{Home, Running};
use crate::rpc::books;
use crate::rpc::node::{Anvil, Tokens, Town, http};
use alloy_primitives::Address;
use serde_json::{Value, json};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Child;

/// What the golem is given.
pub const DOLLARS: u64 = 50_000;

/// Where its owner has its money: an address with its checksum.
pub const HOME: &str = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed";

/// The chain to live on.
pub enum Node {
    /// A real node with the contracts on it.
    Anvil(Box<Town>),
    /// Our own chain, served by our own binary.
    Served(Running),
}

impl Node {
    pub fn anvil(usdc_is_token0: bool) -> Self {
        let town = Town::on(Anvil::start(), usdc_is_token0, Tokens::Plain);
        // Long enough for a mean price.
        town.age(400);
        Self::Anvil(Box::new(town))
    }

    pub fn served() -> Self {
        let home = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/tools");
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_bardo"));
        command.args(["chain", "serve", "--listen", "127.0.0.1:0", "--json"]).env("BARDO_HOME", home);
        Self::Served(Running::of(command))
    }

    /// Host and port.
    pub fn address(&self) -> String {
        match self {
            Self::Anvil(town) => town.anvil.address.clone(),
            Self::Served(running) => running.address().to_owned(),
        }
    }

    /// Contracts by the names that settings have for them.
    pub fn contracts(&self) -> Vec<(&'static str, String)> {
        match self {
            Self::Anvil(town) => {
                town.addresses().all().into_iter().map(|(name, pinned)| (name, pinned.at.to_string())).collect()
            }
            Self::Served(Running { told, .. }) => {
                let names = [("usdc", "usdc"), ("asset", "weth"), ("pool", "pool"), ("factory", "factory")];
                let names = names.into_iter().chain([("router", "router"), ("positions", "position_manager")]);
                names.map(|(name, theirs)| (name, told[theirs].as_str().unwrap().to_owned())).collect()
            }
        }
    }

    pub fn call(&self, method: &str, params: Value) -> Value {
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params }).to_string();
        let text = http::post(&self.address(), &body).unwrap();
        let mut answer: Value = text.parse().unwrap();
        assert!(answer.get("error").is_none(), "{method}: {answer}");
        answer["result"].take()
    }

    fn fund(&self, who: Address) {
        match self {
            Self::Anvil(town) => town.fund(who, DOLLARS),
            Self::Served(_) => {
                self.call("bardo_fundAccount", json!([who, format!("{:#x}", DOLLARS * 1_000_000)]));
            }
        }
    }
}

/// A golem called ada, and everything around it.
pub struct Stage {
    pub node: Node,
    pub home: Home,
    pub dir: PathBuf,
    pub passphrase: PathBuf,
    pub who: Address,
    /// The account's ether at birth, in wei.
    pub ether: u128,
}

/// A file that only its owner can read.
pub fn private(path: &Path, text: &str) {
    std::fs::write(path, text).unwrap();
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o600)).unwrap();
}

impl Stage {
    pub fn new(node: Node) -> Self {
        let mut stage = Self::unfunded(node);
        stage.node_funds();
        stage
    }

    pub fn unfunded(node: Node) -> Self {
        Self::with(node, |settings, _| settings)
    }

    /// Give the account what the golem is to have.
    pub fn node_funds(&mut self) {
        self.node.fund(self.who);
        self.ether = self.number("eth_getBalance");
    }

    /// With other settings, made of these and the node's host and port.
    pub fn with(node: Node, change: impl Fn(String, &str) -> String) -> Self {
        let home = Home::new();
        let passphrase = home.path().join("passphrase");
        private(&passphrase, "open sesame\n");
        let file = passphrase.to_str().unwrap();
        let who = home.json(&["wallet", "new", "main", "--passphrase-file", file])["address"].clone();
        let who: Address = who.as_str().unwrap().parse().unwrap();
        let settings = home.path().join("settings.toml");
        std::fs::write(&settings, change(toml(&node), &node.address())).unwrap();
        let budget = DOLLARS.to_string();
        let dir = home.create("ada", 7, &["--config", settings.to_str().unwrap(), "--budget", &budget]);
        Self { node, home, dir, passphrase, who, ether: 0 }
    }

    /// From settings of somebody's own, with some of them said otherwise.
    pub fn of(node: Node, settings: &Path, sets: &[String]) -> Self {
        let home = Home::new();
        let passphrase = home.path().join("passphrase");
        private(&passphrase, "open sesame\n");
        let file = passphrase.to_str().unwrap();
        let who = home.json(&["wallet", "new", "main", "--passphrase-file", file])["address"].clone();
        let who: Address = who.as_str().unwrap().parse().unwrap();
        let budget = DOLLARS.to_string();
        let mut args = vec!["--config", settings.to_str().unwrap(), "--budget", &budget];
        args.extend(sets.iter().flat_map(|set| ["--set", set.as_str()]));
        let dir = home.create("ada", 7, &args);
        Self { node, home, dir, passphrase, who, ether: 0 }
    }

    /// The town, where there is one.
    pub fn town(&self) -> &Town {
        let Node::Anvil(town) = &self.node else { panic!("not on a town's node") };
        town
    }

    fn run<'a>(&'a self, rest: &[&'a str]) -> Vec<&'a str> {
        let file = self.passphrase.to_str().unwrap();
        [&["golem", "run", "ada", "--speed", "max", "--quiet", "--passphrase-file", file], rest].concat()
    }

    /// Live so many turns.
    pub fn live(&self, turns: u64) {
        let told = self.home.json(&self.run(&["--ticks", &turns.to_string()]));
        assert_eq!(told["stopped_by"], "the turns asked for", "{told}");
    }

    /// Start living, and leave it to it.
    pub fn start(&self) -> Child {
        self.home.start(&self.run(&[]))
    }

    /// Live to the end, however often it must be begun.
    pub fn die(&self) {
        for _ in 0..20 {
            let said = self.home.bardo(&self.run(&["--ticks", "60"]));
            if self.standing() == "dead" {
                return;
            }
            assert_eq!(said.code, 0, "{said:?}");
        }
        panic!("it does not die: {}", self.home.json(&["golem", "status", "ada"]));
    }

    pub fn standing(&self) -> String {
        self.home.json(&["golem", "status", "ada"])["standing"].as_str().unwrap().to_owned()
    }

    /// What stands at home, in USDC and asset.
    pub fn at_home(&self) -> [i128; 2] {
        let (who, contracts) = (HOME.parse().unwrap(), self.node.contracts());
        let chain = books::Chain { node: &self.node, contracts, who };
        ["usdc", "asset"].map(|token| chain.balance(token))
    }

    /// Live until the last turn has traded.
    pub fn live_until_it_traded(&self) {
        self.live(10);
        for _ in 0..10 {
            let before = self.trades();
            self.live(1);
            if self.trades() > before {
                return;
            }
        }
        panic!("it does not trade")
    }

    /// Trades so far, by its status.
    pub fn trades(&self) -> u64 {
        self.home.json(&["golem", "status", "ada"])["trades"].as_u64().unwrap()
    }

    /// Its facts of one name.
    pub fn facts(&self, name: &str) -> Vec<Value> {
        let said = self.home.ok(&["golem", "logs", "ada", "--json", "--last", "100000"]);
        let facts = said.out.lines().map(|line| line.parse::<Value>().unwrap());
        facts.filter(|fact| fact["type"] == name).collect()
    }

    pub fn number(&self, method: &str) -> u128 {
        books::number(&self.node.call(method, json!([self.who, "latest"])))
    }

    /// Its books are the chain's, to the unit.
    pub fn agrees(&self) {
        let (books, beside) = self.chain_says();
        assert_eq!(beside, 0, "nothing but gas, and what went home, left the account's ether");
        self.agrees_with(&books);
    }

    /// What the chain says, and the coin that was taken beside the gas.
    pub fn chain_says(&self) -> (books::Books, u128) {
        let chain = books::Chain { node: &self.node, contracts: self.node.contracts(), who: self.who };
        chain.read(self.ether)
    }

    pub fn agrees_with(&self, chain: &books::Books) {
        let said = books::said(&self.dir);
        assert_eq!(&said, chain, "the journal and the chain");
        let status = self.home.json(&["golem", "status", "ada"]);
        let part = |key: &str| i128::from(status[key].as_u64().unwrap_or_else(|| panic!("{key}: {status:#}")));
        // What was spent off the chain and went home all the same is in both sums.
        let twice = i128::from(status["home"]["spent_before_micro_usdc"].as_u64().unwrap_or(0));
        let ledger = part("capital_micro_usdc") + part("operating_micro_usdc") + part("spent_micro_usdc") - twice;
        let given = i128::from(DOLLARS) * 1_000_000;
        assert_eq!(ledger, given + said.usdc, "the ledger and the chain: {status:#}");
    }
}

/// Settings for a node that mines what it gets at once.
fn toml(node: &Node) -> String {
    let mut text = format!(
        "[chain]\nkind = \"rpc\"\nwallet = \"main\"\nhome = \"{HOME}\"\n[chain.rpc]\nchain_id = 31337\nurls = [\"http://{}\"]\nconfirmations = 0\n\
         max_age_s = 86400\npoll_ms = 10\n[policy]\ntemplate = \"eth-dca\"\ncooldown_ticks = 1\n[policy.eth_dca]\n\
         every_ticks = 3\namount_usdc = \"50\"\n[chain.rpc.addresses]\n",
        node.address()
    );
    for (name, at) in node.contracts() {
        text += &format!("{name} = {{ at = \"{at}\" }}\n");
    }
    text
}
