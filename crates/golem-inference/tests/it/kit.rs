//! A small server that does exactly what a test tells it to, over real sockets, and remembers what it was asked.

use golem_core::Usdc;
use golem_core::model::{ModelMessage, ModelPurpose, ModelRequest, ModelTier};
use golem_inference::config::{InferenceConfig, ProviderConfig};
use golem_inference::{Inference, ModelPrice, ProviderKind};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// What the server does with one connection.
#[derive(Clone)]
pub enum Act {
    /// A whole answer.
    Say(u16, Vec<(&'static str, String)>, Vec<u8>),
    /// These bytes and then the end, whatever they promise.
    Raw(Vec<u8>),
    /// So many bytes of JSON in one string.
    Big(usize),
    /// Bytes without end.
    Endless,
    /// A byte every now and then.
    Drip,
    /// Nothing, until the other side goes.
    Hang,
    /// Close without a word.
    Close,
}

/// A question as it came over the wire.
#[derive(Debug, Clone)]
pub struct Seen {
    pub path: String,
    pub headers: BTreeMap<String, String>,
    pub text: String,
}

impl Seen {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap()
    }
}

pub struct Server {
    pub url: String,
    seen: Arc<Mutex<Vec<Seen>>>,
    /// How many bytes of an answer went out before the other side closed.
    pub cut: Receiver<usize>,
}

impl Server {
    /// Acts in their order; the last one is repeated.
    pub fn start(acts: Vec<Act>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let seen = Arc::new(Mutex::new(Vec::new()));
        let (tell, cut) = channel();
        let log = Arc::clone(&seen);
        std::thread::spawn(move || {
            for (i, stream) in listener.incoming().enumerate() {
                let Ok(mut stream) = stream else { return };
                let Some(question) = read(&mut stream) else { continue };
                log.lock().unwrap().push(question);
                let act = acts[i.min(acts.len() - 1)].clone();
                let tell = tell.clone();
                // One who hangs must not keep the next one waiting.
                std::thread::spawn(move || {
                    let _ = tell.send(perform(stream, act));
                });
            }
        });
        Self { url, seen, cut }
    }
    pub fn seen(&self) -> Vec<Seen> {
        self.seen.lock().unwrap().clone()
    }
}

fn read(stream: &mut TcpStream) -> Option<Seen> {
    let mut bytes = Vec::new();
    let mut chunk = [0; 4_096];
    let (head, mut body) = loop {
        match stream.read(&mut chunk) {
            Ok(n) if n > 0 => bytes.extend_from_slice(&chunk[..n]),
            _ => return None,
        }
        if let Some(at) = bytes.windows(4).position(|w| w == b"\r\n\r\n") {
            break (String::from_utf8_lossy(&bytes[..at]).into_owned(), bytes[at + 4..].to_vec());
        }
    };
    let mut lines = head.lines();
    let path = lines.next()?.split(' ').nth(1)?.to_owned();
    let pairs = lines.filter_map(|l| l.split_once(": "));
    let headers: BTreeMap<String, String> = pairs.map(|(k, v)| (k.to_lowercase(), v.to_owned())).collect();
    let length: usize = headers.get("content-length").and_then(|v| v.parse().ok()).unwrap_or(0);
    while body.len() < length {
        match stream.read(&mut chunk) {
            Ok(n) if n > 0 => body.extend_from_slice(&chunk[..n]),
            _ => return None,
        }
    }
    Some(Seen { path, headers, text: String::from_utf8(body).unwrap() })
}

fn perform(mut stream: TcpStream, act: Act) -> usize {
    let open = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n";
    match act {
        Act::Say(status, headers, body) => {
            let mut head = format!("HTTP/1.1 {status} x\r\ncontent-length: {}\r\nconnection: close\r\n", body.len());
            headers.iter().for_each(|(k, v)| head.push_str(&format!("{k}: {v}\r\n")));
            head.push_str("\r\n");
            let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(&body));
            body.len()
        }
        Act::Raw(bytes) => {
            let _ = stream.write_all(&bytes);
            bytes.len()
        }
        Act::Big(size) => {
            let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n\"", size + 2);
            let _ = stream.write_all(head.as_bytes());
            pour(&mut stream, size)
        }
        Act::Endless => {
            let _ = stream.write_all(open);
            pour(&mut stream, usize::MAX)
        }
        Act::Drip => {
            let _ = stream.write_all(open);
            // The wait for a word that never comes is the pause between two bytes.
            stream.set_read_timeout(Some(Duration::from_millis(20))).unwrap();
            let mut sent = 0;
            while stream.write_all(b" ").is_ok() {
                sent += 1;
                if stream.read(&mut [0; 8]).is_ok() {
                    break;
                }
            }
            sent
        }
        Act::Hang => stream.read(&mut [0; 8]).unwrap_or(0),
        Act::Close => 0,
    }
}

/// Write until there is enough, or nobody listens.
fn pour(stream: &mut TcpStream, size: usize) -> usize {
    let chunk = [b'a'; 65_536];
    let mut sent = 0;
    while sent < size && stream.write_all(&chunk[..chunk.len().min(size - sent)]).is_ok() {
        sent += chunk.len().min(size - sent);
    }
    sent
}

pub fn ok(body: &Value) -> Act {
    Act::Say(200, Vec::new(), body.to_string().into_bytes())
}

pub fn status(status: u16) -> Act {
    Act::Say(status, Vec::new(), br#"{"error":{"message":"no"}}"#.to_vec())
}

/// An answer of chat completions.
pub fn said(text: &str, usage: Value) -> Act {
    ok(&json!({
        "model": "small-1", "choices": [{ "message": { "role": "assistant", "content": text } }], "usage": usage
    }))
}

pub fn used(input: u64, output: u64) -> Value {
    json!({ "prompt_tokens": input, "completion_tokens": output })
}

/// What the small and the large model cost here: micro-USDC per million tokens.
pub const PRICE: ModelPrice = ModelPrice {
    input_usdc_per_mtok: Usdc(1_000_000),
    output_usdc_per_mtok: Usdc(4_000_000),
    cached_usdc_per_mtok: None,
    cache_write_usdc_per_mtok: None,
};

pub fn provider(name: &str, kind: ProviderKind, url: &str) -> ProviderConfig {
    let text = json!({ "name": name, "kind": kind, "base_url": url, "model_t1": "small", "model_t2": "large" });
    let mut config: ProviderConfig = serde_json::from_value(text).unwrap();
    (config.price_t1, config.price_t2) = (Some(PRICE), Some(PRICE));
    config
}

/// Settings with these providers and no time to lose.
pub fn settings(providers: Vec<ProviderConfig>) -> InferenceConfig {
    InferenceConfig { providers, max_answer_bytes: 1 << 16, request_timeout_ms: 5_000, ..InferenceConfig::default() }
}

/// A door to these servers, named a, b, c, without chance.
pub fn door(servers: &[&Server]) -> Inference {
    let names = ["a", "b", "c"];
    let each = servers.iter().zip(names).map(|(s, name)| provider(name, ProviderKind::Openai, &s.url));
    open(&settings(each.collect()))
}

pub fn open(config: &InferenceConfig) -> Inference {
    Inference::with_chance(config, Box::new(|| 0.0)).unwrap()
}

pub const SCHEMA: &str = r#"{"type":"object","properties":{"act":{"enum":["hold","buy"]},"why":{"type":"string"}},"required":["act","why"],"additionalProperties":false}"#;

pub fn request() -> ModelRequest {
    ModelRequest {
        purpose: ModelPurpose::Waking,
        tier: ModelTier::T1,
        prompt: "test@1".into(),
        system: "You decide.".into(),
        messages: vec![ModelMessage::Golem { text: "What now?".into() }],
        tools: Vec::new(),
        schema: String::new(),
        temperature: 0.7,
        max_output_tokens: 100,
        max_cost: Usdc(50_000),
        timeout_ms: 4_000,
        web: false,
    }
}

pub fn with_schema() -> ModelRequest {
    ModelRequest { schema: SCHEMA.into(), ..request() }
}

/// The worst that a question can cost, by the bytes that were really sent.
pub fn worst(seen: &Seen, max_output: u64) -> Usdc {
    PRICE.cost((seen.text.len() as u64).div_ceil(3), max_output)
}
