//! Addresses of models that carry a key: given by the environment's name, replaced between runs, and in clear nowhere, also
//! where a server says them back.

use crate::kit::{Home, Said, nowhere};
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::sync::{Arc, Mutex};

const VARIABLE: &str = "BARDO_TEST_MODELS_URL";
const KEYS: [&str; 3] =
    ["0123456789abcdef0123456789abcdef", "fedcba9876543210fedcba9876543210", "00ff00ff00ff00ff00ff00ff00ff00ff"];
const VERDICT: &str = r#"{"stance":"follow","confidence":1,"reason":"as /KEY/ says"}"#;

/// A server that asks for the first two keys in the path, and says the path back wherever it can.
struct KeyedModels {
    address: String,
    paths: Arc<Mutex<Vec<String>>>,
}

impl KeyedModels {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let (address, paths) = (listener.local_addr().unwrap().to_string(), Arc::<Mutex<Vec<String>>>::default());
        let asked = paths.clone();
        std::thread::spawn(move || {
            for mut stream in listener.incoming().flatten() {
                let (mut bytes, mut chunk) = (Vec::new(), [0; 8_192]);
                while !is_whole(&bytes) {
                    match stream.read(&mut chunk) {
                        Ok(n) if n > 0 => bytes.extend_from_slice(&chunk[..n]),
                        _ => break,
                    }
                }
                let text = String::from_utf8_lossy(&bytes).into_owned();
                let path = text.split(' ').nth(1).unwrap_or_default().to_owned();
                let key = path.split('/').nth(1).unwrap_or_default();
                let (status, said) = if !KEYS[..2].contains(&key) {
                    (401, json!({ "error": { "message": format!("no key: {key}, in {path}") } }))
                } else if path.ends_with("/embeddings") {
                    (404, json!({ "error": { "message": format!("nothing at {path}") } }))
                } else {
                    let choice = json!({ "message": { "role": "assistant", "content": VERDICT.replace("KEY", key) } });
                    let used = json!({ "prompt_tokens": 200, "completion_tokens": 20 });
                    (200, json!({ "id": path, "model": format!("small {path}"), "choices": [choice], "usage": used }))
                };
                asked.lock().unwrap().push(path);
                let said = said.to_string();
                let length = said.len();
                let head = format!("HTTP/1.1 {status} x\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n");
                let _left = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(said.as_bytes()));
            }
        });
        Self { address, paths }
    }
    fn url(&self, key: usize) -> String {
        format!("http://{}/{}/v1", self.address, KEYS[key])
    }
    /// How often it was asked with this key since the last time, and that no other came.
    fn asked_with(&self, key: usize) -> usize {
        let paths = std::mem::take(&mut *self.paths.lock().unwrap());
        assert!(paths.iter().all(|path| path.starts_with(&format!("/{}/v1/", KEYS[key]))), "{paths:?}");
        paths.len()
    }
}

fn is_whole(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes).to_lowercase();
    let Some((head, body)) = text.split_once("\r\n\r\n") else { return false };
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")?.trim().parse().ok());
    body.len() >= length.unwrap_or(0)
}

const SETTINGS: &str = r#"
[mortality]
immortal = true
[mind.gate]
base_deliberation_threshold = 0.05
[mind.context]
tokens = [600, 600]
[inference]
max_daily_calls = 400
retries = 0
[inference.embedder]
kind = "openai"
base_url_env = "BARDO_TEST_MODELS_URL"
model = "vectors"
width = 8
input_usdc_per_mtok = "0.02"
[[inference.providers]]
name = "local"
kind = "openai"
base_url_env = "BARDO_TEST_MODELS_URL"
model_t1 = "small"
price_t1 = { input_usdc_per_mtok = "1.00", output_usdc_per_mtok = "4.00" }
"#;

/// A home in which every word that comes out is looked at.
struct Quiet(Home);

impl Quiet {
    fn bardo(&self, url: Option<&str>, args: &[&str]) -> Said {
        let mut command = self.0.command(args);
        command.env_remove(VARIABLE);
        if let Some(url) = url {
            command.env(VARIABLE, url);
        }
        let said = Said::from(command.output().unwrap());
        assert!(KEYS.iter().all(|key| !said.out.contains(key) && !said.err.contains(key)), "{args:?}: {said:?}");
        said
    }
    fn run(&self, url: Option<&str>) -> Said {
        self.bardo(url, &["golem", "run", "ada", "--speed", "max", "--quiet", "--ticks", "400"])
    }
    fn facts(&self, only: &str) -> Vec<Value> {
        let args = ["golem", "logs", "ada", "--only", only, "--last", "100000", "--json"];
        let said = self.bardo(None, &args);
        assert_eq!(said.code, 0, "{said:?}");
        match serde_json::from_str::<Value>(&said.out) {
            Ok(Value::Array(all)) => all,
            Ok(one) => vec![one],
            Err(_) => said.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect(),
        }
    }
}

#[test]
fn a_models_address_with_a_key_is_stored_and_shown_nowhere_and_can_be_replaced() {
    let (server, quiet) = (KeyedModels::start(), Quiet(Home::new()));
    let file = quiet.0.path().join("models.toml");
    std::fs::write(&file, SETTINGS).unwrap();
    let file = file.to_str().unwrap();
    let [good, other, bad] = [0, 1, 2].map(|key| server.url(key));

    // Looked at and tried before there is a golem: the model answers, the embedder is not there.
    let listed = quiet.bardo(Some(&good), &["models", "list", "--config", file]);
    assert!(listed.code == 0 && listed.out.contains("small") && server.asked_with(0) == 0, "{listed:?}");
    let tested = quiet.bardo(Some(&good), &["models", "test", "--config", file]);
    assert!(tested.code != 0 && tested.out.contains("answered") && tested.out.contains("status 404"), "{tested:?}");
    assert!(server.asked_with(0) >= 2);
    let refused = quiet.bardo(Some(&bad), &["models", "test", "--config", file]);
    assert!(refused.code != 0 && refused.out.contains("status 401 no key: [redacted]"), "{refused:?}");
    assert!(server.asked_with(2) >= 1);

    let born = quiet.bardo(Some(&good), &["golem", "create", "ada", "--seed", "5", "--config", file]);
    assert_eq!(born.code, 0, "{born:?}");
    // Without the variable, or with an address that nobody may speak to, it does not run, and says why.
    let missing = quiet.run(None);
    assert!(missing.code == 2 && missing.err.contains(VARIABLE), "{missing:?}");
    let plain = quiet.run(Some(&format!("http://models.example/{}/v1", KEYS[0])));
    assert!(plain.code == 2 && plain.err.contains("use https"), "{plain:?}");
    assert_eq!(server.asked_with(0), 0);

    // One run that is answered, one that is refused, one with another key: one life.
    let deliberated = || quiet.facts("mind.deliberated").len();
    assert_eq!(quiet.run(Some(&good)).code, 0);
    let first = deliberated();
    assert!(server.asked_with(0) > 0 && first > 0, "{first} deliberated");
    assert_eq!(quiet.run(Some(&bad)).code, 0, "it goes on by its rules");
    assert!(server.asked_with(2) > 0 && deliberated() == first);
    assert!(quiet.facts("mind.thought_failed").iter().any(|f| f["why"] == "refused"));
    assert_eq!(quiet.run(Some(&other)).code, 0);
    assert!(server.asked_with(1) > 0 && deliberated() > first);
    // What the server said back was heard, without the key.
    let ends = quiet.facts("inference.end");
    assert!(ends.iter().any(|f| f.to_string().contains("[redacted]")), "{ends:?}");

    for args in [
        &["golem", "status", "ada"][..],
        &["golem", "config", "ada"],
        &["golem", "logs", "ada"],
        &["golem", "story", "ada"],
        &["models", "list", "ada"],
        &["models", "list", "ada", "--json"],
        &["doctor"],
        &["golem", "replay", "ada"],
    ] {
        let said = quiet.bardo(Some(&other), args);
        assert!(said.code == 0 || args[0] == "doctor", "{args:?}: {said:?}");
    }
    KEYS.iter().for_each(|key| nowhere(quiet.0.path(), key));
    // Nobody else reads what the settings do say.
    for golem in std::fs::read_dir(quiet.0.path().join("golems")).unwrap() {
        let settings = std::fs::metadata(golem.unwrap().path().join("golem.toml")).unwrap();
        assert_eq!(settings.permissions().mode() & 0o777, 0o600);
    }
}
