//! A real node for a test: anvil on a free port, with no accounts but the test's own, ended with the test.

use super::http;
use serde_json::{Value, json};
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// The version that is fetched.
const VERSION: &str = "1.7.1";

/// A running node.
pub struct Anvil {
    child: Child,
    /// Host and port.
    pub address: String,
}

impl Anvil {
    /// A node that mines each transaction at once, with a second between blocks.
    pub fn start() -> Self {
        Self::second_by_second(Self::with(&[]))
    }

    /// The same, with a first block of this second.
    pub fn since(second: u64) -> Self {
        Self::second_by_second(Self::with(&["--timestamp", &second.to_string()]))
    }

    fn second_by_second(node: Self) -> Self {
        // The contracts' own clock then depends on the script alone, not on the machine.
        node.call("anvil_setBlockTimestampInterval", json!([1]));
        node
    }

    /// A node with arguments of its own.
    pub fn with(args: &[&str]) -> Self {
        Self::run(&[&["--hardfork", "prague"], args].concat())
    }

    /// A node of the OP stack, with a second between blocks: it takes what the chain below costs from whoever sends.
    pub fn of_op_stack(args: &[&str]) -> Self {
        Self::second_by_second(Self::run(&[&["--network", "optimism", "--hardfork", "isthmus"], args].concat()))
    }

    fn run(args: &[&str]) -> Self {
        let mut child = Command::new(binary())
            .args(["--port", "0", "--accounts", "0"])
            .args(args)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("anvil starts");
        let mut lines = BufReader::new(child.stdout.take().expect("its output")).lines();
        let address = lines
            .by_ref()
            .map_while(Result::ok)
            .find_map(|line| line.strip_prefix("Listening on ").map(ToOwned::to_owned))
            .expect("anvil says where it listens");
        // What it says after that is read and forgotten: a full pipe would stop it.
        std::thread::spawn(move || lines.map_while(Result::ok).for_each(drop));
        Self { child, address }
    }

    /// Where it is.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Ask it, past everything that is under test.
    pub fn call(&self, method: &str, params: Value) -> Value {
        self.try_call(method, params).unwrap_or_else(|e| panic!("{method}: {e}"))
    }

    /// Ask it something that it may refuse.
    pub fn try_call(&self, method: &str, params: Value) -> Result<Value, String> {
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).to_string();
        let text = http::post(&self.address, &body).map_err(|e| e.to_string())?;
        let mut answer: Value = serde_json::from_str(&text).map_err(|e| format!("{e}: {text}"))?;
        match answer.get("error") {
            Some(error) => Err(error.to_string()),
            None => Ok(answer["result"].take()),
        }
    }

    /// A number that it answers.
    pub fn number(&self, method: &str, params: Value) -> u128 {
        let text = self.call(method, params);
        let digits = text.as_str().unwrap_or_else(|| panic!("{method}: {text}")).trim_start_matches("0x");
        u128::from_str_radix(digits, 16).unwrap_or_else(|_| panic!("{method}: {text}"))
    }

    /// Mine blocks.
    pub fn mine(&self, blocks: u64) {
        self.call("anvil_mine", json!([format!("{blocks:#x}")]));
    }

    /// The receipt of a transaction that is about to be mined.
    pub fn receipt(&self, hash: &Value) -> Value {
        let start = Instant::now();
        while start.elapsed() < Duration::from_secs(20) {
            let receipt = self.call("eth_getTransactionReceipt", json!([hash]));
            if !receipt.is_null() {
                return receipt;
            }
            std::thread::sleep(Duration::from_millis(2));
        }
        panic!("{hash} was not mined");
    }

    /// The number of its head.
    pub fn height(&self) -> u64 {
        u64::try_from(self.number("eth_blockNumber", json!([]))).expect("a height")
    }
}

impl Drop for Anvil {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// True when there is neither a node nor npm to fetch one: the test says so and is left out. Never so in continuous
/// integration.
#[allow(clippy::print_stderr, reason = "whoever runs the tests should see what was left out")]
pub fn is_missing() -> bool {
    let npm = || Command::new("npm").arg("--version").output().is_ok_and(|done| done.status.success());
    if std::env::var_os("BARDO_ANVIL").is_some() || packaged().exists() || npm() {
        return false;
    }
    assert!(std::env::var_os("CI").is_none(), "npm, which brings anvil, or BARDO_ANVIL with its path");
    eprintln!("skipped: npm is missing, which brings anvil");
    true
}

fn tools() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/tools/npm")
}

fn packaged() -> PathBuf {
    tools().join("node_modules/@foundry-rs/anvil-linux-amd64/bin/anvil")
}

/// The binary: `BARDO_ANVIL`, or the npm package below `target/tools`, fetched once.
fn binary() -> &'static Path {
    static FOUND: OnceLock<PathBuf> = OnceLock::new();
    FOUND.get_or_init(|| {
        if let Some(path) = std::env::var_os("BARDO_ANVIL") {
            return path.into();
        }
        if !packaged().exists() {
            fetch(&tools());
        }
        packaged()
    })
}

fn fetch(tools: &Path) {
    fs::create_dir_all(tools).expect("a directory for tools");
    // Two test binaries may come here at once; npm must not.
    let lock = fs::File::create(tools.join(".lock")).expect("a lock file");
    lock.lock().expect("the lock");
    let package = tools.join("package.json");
    if !package.exists() {
        fs::write(&package, "{\"private\":true}").expect("a package file");
    }
    let done = Command::new("npm")
        .args(["install", "--ignore-scripts", "--no-audit", "--no-fund", &format!("@foundry-rs/anvil@{VERSION}")])
        .current_dir(tools)
        .output()
        .expect("npm, which brings anvil, or BARDO_ANVIL with its path");
    assert!(done.status.success(), "npm: {}", String::from_utf8_lossy(&done.stderr));
}
