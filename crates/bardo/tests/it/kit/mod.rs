//! A home of one's own and the real binary, for tests that use it as a person would.
#![allow(dead_code)]

use serde_json::Value;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

/// A home that goes away with the test.
pub struct Home {
    dir: tempfile::TempDir,
}

/// What a command said.
#[derive(Debug)]
pub struct Said {
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl Said {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|e| panic!("not JSON ({e}): {self:?}"))
    }
}

impl From<Output> for Said {
    fn from(o: Output) -> Self {
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("output is UTF-8");
        Self { code: o.status.code().unwrap_or(-1), out: text(o.stdout), err: text(o.stderr) }
    }
}

/// True for the long campaign.
pub fn long() -> bool {
    std::env::var_os("BARDO_LONG").is_some()
}

/// A count for the slice, and one for the long campaign.
pub fn count(slice: usize, full: usize) -> usize {
    if long() { full } else { slice }
}

/// Every file below a directory has nothing of it.
pub fn nowhere(dir: &Path, secret: &str) {
    for entry in std::fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            nowhere(&path, secret);
        } else {
            let bytes = std::fs::read(&path).unwrap();
            let found = bytes.windows(secret.len()).any(|w| w == secret.as_bytes());
            assert!(!found, "{secret} is in {}", path.display());
        }
    }
}

/// Copy what is in a folder into another.
pub fn copy_into(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap().flatten() {
        let to = to.join(entry.file_name());
        match entry.path().is_dir() {
            true => copy_into(&entry.path(), &to),
            false => drop(std::fs::copy(entry.path(), to).unwrap()),
        }
    }
}

impl Home {
    pub fn new() -> Self {
        Self { dir: tempfile::tempdir().expect("a temporary directory") }
    }
    /// A home with the contracts in it; `None` where they cannot be had, which is never so in continuous integration.
    #[allow(clippy::print_stderr, reason = "a skipped test says so")]
    pub fn with_contracts() -> Option<Self> {
        let home = Self::new();
        let tools = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/tools");
        let said = Said::from(home.command(&["contracts", "fetch"]).env("BARDO_HOME", &tools).output().unwrap());
        if said.code != 0 {
            assert!(std::env::var_os("CI").is_none(), "the contracts are needed here: {}", said.err);
            eprintln!("skipped: {}", said.err);
            return None;
        }
        copy_into(&tools.join("contracts"), &home.path().join("contracts"));
        Some(home)
    }
    pub fn path(&self) -> &Path {
        self.dir.path()
    }
    /// The command, not started yet.
    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_bardo"));
        command.args(args).env("BARDO_HOME", self.path()).env("NO_COLOR", "1").stdin(Stdio::null());
        // Sentences are looked for as a whole; what fits a terminal is tested where that is the question.
        command.env("COLUMNS", "1000");
        command
    }
    /// Run it to its end.
    pub fn bardo(&self, args: &[&str]) -> Said {
        self.command(args).output().expect("bardo starts").into()
    }
    /// Run it, insist that it went well.
    pub fn ok(&self, args: &[&str]) -> Said {
        let said = self.bardo(args);
        assert_eq!(said.code, 0, "bardo {args:?}: {said:?}");
        said
    }
    /// Run it with `--json`, insist that it went well.
    pub fn json(&self, args: &[&str]) -> Value {
        let mut args = args.to_vec();
        args.push("--json");
        self.ok(&args).json()
    }
    /// Run it with `--json`, for a command that prints a line for each thing.
    pub fn json_lines(&self, args: &[&str]) -> Vec<Value> {
        let mut args = args.to_vec();
        args.push("--json");
        self.ok(&args).out.lines().map(|line| serde_json::from_str(line).expect("a line of JSON")).collect()
    }
    /// Start it and leave it running.
    pub fn start(&self, args: &[&str]) -> Child {
        self.command(args).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("bardo starts")
    }
    /// Create a golem; extra words are settings.
    pub fn create(&self, name: &str, seed: u64, extra: &[&str]) -> PathBuf {
        let seed = seed.to_string();
        let mut args = vec!["golem", "create", name, "--seed", &seed];
        args.extend(extra);
        PathBuf::from(self.json(&args)["dir"].as_str().expect("a directory"))
    }
    /// Run a golem flat out for so many turns, or to its end.
    pub fn live(&self, name: &str, ticks: Option<u64>) -> Value {
        let ticks = ticks.map(|t| t.to_string());
        let mut args = vec!["golem", "run", name, "--speed", "max", "--quiet"];
        if let Some(ticks) = &ticks {
            args.extend(["--ticks", ticks]);
        }
        self.json(&args)
    }
    /// The fingerprint of a life that nothing interrupted.
    pub fn hash(&self, name: &str) -> String {
        self.json(&["golem", "replay", name])["head"].as_str().expect("a head").to_owned()
    }
}

/// A command that serves until it is told to stop, and has said in one line of JSON where it is.
pub struct Running {
    child: Child,
    pub told: Value,
}

impl Running {
    pub fn start(home: &Home, words: &[&str]) -> Self {
        Self::of(home.command(&[words, &["--listen", "127.0.0.1:0", "--json"]].concat()))
    }
    pub fn of(mut command: Command) -> Self {
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("bardo starts");
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        Self { child, told: line.parse().unwrap_or_else(|_| panic!("it says where it is: {line:?}")) }
    }
    pub fn url(&self) -> &str {
        self.told["url"].as_str().unwrap()
    }
    /// Host and port.
    pub fn address(&self) -> &str {
        self.url().split('/').nth(2).unwrap()
    }
    /// Ask it to stop, as systemd does.
    pub fn tell_to_stop(&self) {
        let told = Command::new("kill").args(["-TERM", &self.child.id().to_string()]).status().unwrap();
        assert!(told.success());
    }
    /// Its exit code, once it has stopped.
    pub fn code(mut self) -> Option<i32> {
        self.child.wait().unwrap().code()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _gone = self.child.kill();
        let _gone = self.child.wait();
    }
}

/// Models: one that cannot be reached, and one for this purpose alone.
pub fn private_model(url: &str, purpose: &str) -> String {
    format!(
        r#"
[inference]
retries = 0
[[inference.providers]]
name = "public"
kind = "openai"
base_url = "http://127.0.0.1:9"
model_t1 = "small"
price_t1 = {{ input_usdc_per_mtok = "1.00", output_usdc_per_mtok = "4.00" }}
[[inference.providers]]
name = "private"
kind = "openai"
base_url = "{url}"
model_t1 = "small"
purposes = ["{purpose}"]
price_t1 = {{ input_usdc_per_mtok = "1.00", output_usdc_per_mtok = "4.00" }}
"#
    )
}
