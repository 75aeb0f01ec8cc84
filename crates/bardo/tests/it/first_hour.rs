//! The README and the examples, line by line, as a stranger types them: in a shell, from a fresh home, in their order.
//! Every line goes well, says nothing that runs out of a terminal, and leaves nobody without a hint.

#![allow(clippy::print_stderr, reason = "a skipped line says so")]

use crate::kit::Said;
use crate::rpc::node::http;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const WIDTH: usize = 80;

pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// The lines of a page that are to be typed. Whatever else is set apart would be something that nobody tries.
fn lines(page: &str) -> Vec<String> {
    let text = std::fs::read_to_string(root().join(page)).unwrap();
    let typed: Vec<String> = text.lines().filter_map(|line| line.strip_prefix("    ")).map(ToOwned::to_owned).collect();
    for line in &typed {
        let known = ["bardo ", "cargo run ", "./test", "(umask 077; "].iter().any(|word| line.starts_with(word));
        assert!(known, "{page}: {line:?} is set apart, and is no line to be typed");
    }
    assert!(typed.len() > 10, "{page}: {typed:?}");
    typed
}

/// A stranger's machine: a home directory without `.bardo`, the repository's examples, and `bardo` in the path.
pub(crate) struct Stranger {
    home: tempfile::TempDir,
    served: Vec<Child>,
}

impl Stranger {
    pub(crate) fn new(model: &str) -> Self {
        let home = tempfile::tempdir().unwrap();
        let (bin, examples) = (home.path().join("bin"), home.path().join("work/examples"));
        std::fs::create_dir_all(&bin).unwrap();
        std::fs::create_dir_all(&examples).unwrap();
        std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_bardo"), bin.join("bardo")).unwrap();
        for entry in std::fs::read_dir(root().join("examples")).unwrap().flatten() {
            let text = std::fs::read_to_string(entry.path()).unwrap();
            // The model of the examples listens on the port that llama.cpp has by default; here on a free one.
            std::fs::write(examples.join(entry.file_name()), text.replace("http://127.0.0.1:8080/v1", model)).unwrap();
        }
        Self { home, served: Vec::new() }
    }

    /// The contracts, fetched once for all tests; false where they cannot be had, which is never so in continuous
    /// integration.
    fn has_contracts(&self) -> bool {
        let tools = root().join("target/tools");
        let mut fetch = Command::new(env!("CARGO_BIN_EXE_bardo"));
        let said = Said::from(fetch.args(["contracts", "fetch"]).env("BARDO_HOME", &tools).output().unwrap());
        if said.code != 0 {
            assert!(std::env::var_os("CI").is_none(), "{said:?}");
            eprintln!("skipped: {}", said.err);
            return false;
        }
        let kept = self.home.path().join(".bardo/contracts");
        std::fs::create_dir_all(&kept).unwrap();
        for entry in std::fs::read_dir(tools.join("contracts")).unwrap().flatten().filter(|e| e.path().is_file()) {
            std::fs::copy(entry.path(), kept.join(entry.file_name())).unwrap();
        }
        true
    }

    pub(crate) fn shell(&self, line: &str) -> Command {
        let path = std::env::var("PATH").unwrap_or_default();
        let mut shell = Command::new("sh");
        shell.args(["-c", line]).current_dir(self.home.path().join("work")).stdin(Stdio::null());
        shell.env("HOME", self.home.path()).env("PATH", format!("{}/bin:{path}", self.home.path().display()));
        shell.env_remove("BARDO_HOME").env_remove("BARDO_MODELS").env_remove("BARDO_NODES").env("NO_COLOR", "1");
        shell.env_remove("COLUMNS");
        shell
    }

    /// Type a line. What never ends by itself is told to once it has said what it is.
    fn types(&mut self, line: &str) {
        let began = Instant::now();
        match line {
            "./test" => {
                let mode = std::fs::metadata(root().join("test")).unwrap().permissions().mode();
                assert!(mode & 0o111 != 0, "./test can be run");
            }
            _ if line.starts_with("bardo chain serve") => self.serves(line, &["[chain.rpc]", "positions = "]),
            // The port of the README may be somebody's; any other does.
            _ if line.starts_with("bardo serve") => {
                let line = line.replacen("bardo serve", "bardo serve --listen 127.0.0.1:0", 1);
                self.serves(&line, &["open http://127.0.0.1:"]);
            }
            _ => {
                let line = line.replace("cargo run --release -- ", "bardo ");
                check(&line, &self.shell(&line).output().unwrap().into());
            }
        }
        eprintln!("{:>6.1} s  {line}", began.elapsed().as_secs_f64());
    }

    /// What serves others is there once it has said so, and ends well when it is told to.
    fn serves(&mut self, line: &str, until_said: &[&str]) {
        let (typed, stays) = match line.strip_suffix('&') {
            Some(typed) => (typed, true),
            None => (line, false),
        };
        let (out, err) = (self.home.path().join("served.out"), self.home.path().join("served.err"));
        let file = |path: &Path| std::fs::File::create(path).unwrap();
        let mut child = self.shell(&format!("exec {typed}")).stdout(file(&out)).stderr(file(&err)).spawn().unwrap();
        let said = |path: &Path| std::fs::read_to_string(path).unwrap_or_default();
        let kept = typed.split_once("> ").map(|(_, name)| self.home.path().join("work").join(name.trim()));
        let told = || said(kept.as_ref().unwrap_or(&out));
        let until = Instant::now() + Duration::from_secs(60);
        let whole = || until_said.iter().all(|words| told().contains(words));
        while !whole() && child.try_wait().unwrap().is_none() && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(50));
        }
        assert!(whole(), "{line}: {:?} {:?}", told(), said(&err));
        if stays {
            check(line, &Said { code: 0, out: told(), err: said(&err) });
            self.served.push(child);
            return;
        }
        assert!(Command::new("kill").args(["-TERM", &child.id().to_string()]).status().unwrap().success());
        let code = child.wait().unwrap().code().unwrap_or(-1);
        check(line, &Said { code, out: told(), err: said(&err) });
    }
}

impl Drop for Stranger {
    fn drop(&mut self) {
        for child in &mut self.served {
            let _gone = child.kill();
            let _gone = child.wait();
        }
    }
}

/// What no line of ours may do.
fn check(line: &str, said: &Said) {
    assert_eq!(said.code, 0, "{line}: {said:?}");
    assert!(!said.err.contains("panicked"), "{line}: {said:?}");
    let (errors, hints) = (said.err.matches("error: ").count(), said.err.matches("hint: ").count());
    assert!(errors <= hints, "{line}: an error without a hint: {said:?}");
    // An address with a key in it stays whole, so that it can be clicked.
    let address = |words: &&str| !words.contains("/#token=");
    for words in said.out.lines().chain(said.err.lines()).filter(address) {
        assert!(words.chars().count() <= WIDTH, "{line}: {} columns: {words:?}", words.chars().count());
    }
    assert!(!said.out.is_empty() || line.starts_with('('), "{line} says something");
}

/// A model that thinks, and says yes.
fn model() -> String {
    model_that_says("<think>Do I agree?</think>yes", "stop")
}

/// A model that always says the same: a server on this machine that speaks as OpenAI does. Its address.
pub(crate) fn model_that_says(words: &'static str, finish: &'static str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/v1", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let (mut bytes, mut chunk) = (Vec::new(), [0; 8_192]);
            let whole = |bytes: &[u8]| {
                let text = String::from_utf8_lossy(bytes).to_lowercase();
                let Some((head, body)) = text.split_once("\r\n\r\n") else { return false };
                let length = head.lines().find_map(|l| l.strip_prefix("content-length: ")?.trim().parse().ok());
                body.len() >= length.unwrap_or(0)
            };
            while !whole(&bytes) {
                match stream.read(&mut chunk) {
                    Ok(n) if n > 0 => bytes.extend_from_slice(&chunk[..n]),
                    _ => break,
                }
            }
            let said = serde_json::json!({ "model": "small-model", "choices": [{ "finish_reason": finish,
                "message": { "role": "assistant", "content": words } }],
                "usage": { "prompt_tokens": 20, "completion_tokens": 9 } });
            let said = said.to_string();
            let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\nconnection: close\r\n\r\n", said.len());
            let _left = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(said.as_bytes()));
        }
    });
    url
}

fn follow(page: &str) {
    let mut stranger = Stranger::new(&model());
    let chains = stranger.has_contracts();
    for line in lines(page) {
        let needs = ["--chain embedded", "chain serve", "brun", "nora"].iter().any(|word| line.contains(word));
        if chains || !needs {
            stranger.types(&line);
        }
    }
}

#[test]
fn the_readme_works_line_by_line() {
    follow("README.md");
}

#[test]
fn the_examples_work_line_by_line() {
    follow("examples/README.md");
}

#[test]
fn what_chain_serve_prints_is_the_example_and_can_be_pasted() {
    let stranger = Stranger::new("http://127.0.0.1:1/v1");
    if !stranger.has_contracts() {
        return;
    }
    let mut child =
        stranger.shell("exec bardo chain serve --listen 127.0.0.1:0").stdout(Stdio::piped()).spawn().unwrap();
    let mut printed = String::new();
    let mut stdout = child.stdout.take().unwrap();
    let mut chunk = [0; 4_096];
    while !printed.contains("positions = ") || !printed.ends_with('\n') {
        match stdout.read(&mut chunk) {
            Ok(n) if n > 0 => printed.push_str(&String::from_utf8_lossy(&chunk[..n])),
            _ => break,
        }
    }
    let url = printed.lines().find_map(|l| l.strip_prefix("urls = [\"")?.strip_suffix("\"]")).unwrap().to_owned();
    let asked = r#"{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[]}"#;
    assert!(http::post(url.trim_start_matches("http://"), asked).unwrap().contains("0x7a69"));
    let _gone = child.kill();
    let _gone = child.wait();
    let example = std::fs::read_to_string(root().join("examples/node.toml")).unwrap();
    let block = &example[example.find("\n[chain]\n").unwrap()..];
    assert_eq!(printed.replace(&url, "http://127.0.0.1:8545").trim(), block.trim());
}

#[test]
fn the_example_settings_have_no_problem() {
    let home = crate::kit::Home::new();
    for name in ["local-model.toml", "fleet.toml", "node.toml", "base.toml"] {
        let path = root().join("examples").join(name);
        let mut command = home.command(&["golem", "create", "one", "--dry-run", "--config", path.to_str().unwrap()]);
        let said = Said::from(command.current_dir(root()).output().unwrap());
        match name {
            // Its wallet is the owner's to make, and that is all it lacks.
            "node.toml" | "base.toml" => assert!(said.err.contains("there is no wallet called \"main\""), "{said:?}"),
            _ => assert_eq!(said.code, 0, "{name}: {said:?}"),
        }
    }
}
