//! llama.cpp's server with SmolLM2-135M, started for a test and ended with it. Shared by the tests of several rooms.
#![allow(clippy::print_stderr, reason = "a test says that it was skipped")]

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// The running server.
pub struct Llama {
    child: Child,
    /// Where it speaks OpenAI's language.
    pub url: String,
}

impl Llama {
    /// Start it; `None` where its tools are not installed. `room` is the manifest directory of the test's own room.
    pub fn start(room: &str) -> Option<Self> {
        let crates = Path::new(room).parent().unwrap();
        let python = std::env::var("BARDO_TEST_PYTHON")
            .unwrap_or_else(|_| crates.join("../target/tools/venv/bin/python").to_string_lossy().into_owned());
        let started = Command::new(&python)
            .arg(crates.join("golem-inference/tests/kit/serve_model.py"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn();
        let Ok(mut child) = started else {
            assert!(std::env::var_os("CI").is_none(), "there is no {python}, which serves the model");
            eprintln!("skipped: there is no model server; `./test` installs one");
            return None;
        };
        let mut url = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut url).unwrap();
        assert!(url.starts_with("http://127.0.0.1:"), "the model server did not start; run it by hand to see why");
        Some(Self { child, url: format!("{}/v1", url.trim()) })
    }
}

/// It ends when its standard input does; it is waited for, so that nothing is left behind.
impl Drop for Llama {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        let _ = self.child.wait();
    }
}
