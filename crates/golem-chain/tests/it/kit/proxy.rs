//! A proxy before a node that misbehaves as it is told, question by question.

use super::http;
use serde_json::{Value, json};
use std::io::{BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

/// What it does with a question.
pub enum Behave {
    /// Passes it on and the answer back.
    Pass,
    /// Answers with an HTTP status.
    Status(u16),
    /// Says nothing until the other side gives up.
    Hang,
    /// Sends a byte now and then until the other side gives up.
    Drip,
    /// Sends an answer without end.
    Huge,
    /// Sends this instead of an answer.
    Garbage(&'static str),
    /// Closes the connection.
    Cut,
    /// Passes it on, and closes the connection instead of answering.
    Forget,
    /// Answers this without asking the node.
    Answer(Value),
    /// Answers with an error without asking the node.
    Refuse(i64, &'static str),
    /// Passes it on and changes the answer's result.
    Change(Box<dyn FnOnce(&mut Value) + Send>),
    /// Passes it on twice; the second answer counts.
    Twice,
}

/// How it decides: by method and parameters.
pub type Rule = Box<dyn FnMut(&str, &Value) -> Behave + Send>;

/// A running proxy.
pub struct Proxy {
    /// Host and port.
    pub address: String,
    rule: Arc<Mutex<Rule>>,
    asked: Arc<AtomicUsize>,
    trips: Arc<AtomicUsize>,
}

impl Proxy {
    /// A proxy before a node, well-behaved until told otherwise.
    pub fn before(node: &str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("an address").to_string();
        let rule: Arc<Mutex<Rule>> = Arc::new(Mutex::new(Box::new(|_, _| Behave::Pass)));
        let (asked, trips) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let (shared, counts, node) = (rule.clone(), [asked.clone(), trips.clone()], node.to_owned());
        // It ends with the test's process; a thread that waits for nobody costs nothing.
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let (rule, counts, node) = (shared.clone(), counts.clone(), node.clone());
                thread::spawn(move || serve(stream, &node, &rule, &counts));
            }
        });
        Self { address, rule, asked, trips }
    }

    /// Where it is.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }
    /// From now on it behaves like this.
    pub fn behave(&self, rule: impl FnMut(&str, &Value) -> Behave + Send + 'static) {
        *self.rule.lock().expect("the rule") = Box::new(rule);
    }
    /// From now on it behaves.
    pub fn reform(&self) {
        self.behave(|_, _| Behave::Pass);
    }
    /// How many questions reached it.
    pub fn asked(&self) -> usize {
        self.asked.load(Ordering::SeqCst)
    }
    /// How many requests they came in: each costs a round trip.
    pub fn trips(&self) -> usize {
        self.trips.load(Ordering::SeqCst)
    }
}

fn serve(mut stream: TcpStream, node: &str, rule: &Mutex<Rule>, [asked, trips]: &[Arc<AtomicUsize>; 2]) -> Option<()> {
    let mut reader = BufReader::new(stream.try_clone().ok()?);
    while let Some((_, body)) = http::message(&mut reader).ok()? {
        trips.fetch_add(1, Ordering::SeqCst);
        let question: Value = serde_json::from_slice(&body).ok()?;
        let (single, questions) = match question {
            Value::Array(list) => (false, list),
            one => (true, vec![one]),
        };
        let mut answers = Vec::new();
        for question in &questions {
            asked.fetch_add(1, Ordering::SeqCst);
            let method = question["method"].as_str().unwrap_or_default();
            let behave = rule.lock().expect("the rule")(method, &question["params"]);
            match one(behave, question, node) {
                Said::Answer(answer) => answers.push(answer),
                Said::Wrong(wrong) => return misbehave(&mut stream, &mut reader, wrong),
            }
        }
        let text = if single { answers.pop()?.to_string() } else { Value::Array(answers).to_string() };
        http::answer(&mut stream, 200, text.as_bytes()).ok()?;
    }
    Some(())
}

enum Said {
    Answer(Value),
    Wrong(Behave),
}

fn one(behave: Behave, question: &Value, node: &str) -> Said {
    let id = &question["id"];
    let ask = || -> Option<Value> { serde_json::from_str(&http::post(node, &question.to_string()).ok()?).ok() };
    let answer = match behave {
        Behave::Pass => ask(),
        Behave::Twice => ask().and_then(|_| ask()),
        Behave::Answer(value) => Some(json!({"jsonrpc": "2.0", "id": id, "result": value})),
        Behave::Refuse(code, message) => {
            Some(json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}}))
        }
        Behave::Change(change) => ask().map(|mut answer| {
            change(&mut answer["result"]);
            answer
        }),
        Behave::Forget => {
            ask();
            None
        }
        wrong => return Said::Wrong(wrong),
    };
    answer.map_or(Said::Wrong(Behave::Cut), Said::Answer)
}

fn misbehave(stream: &mut TcpStream, reader: &mut BufReader<TcpStream>, how: Behave) -> Option<()> {
    match how {
        Behave::Status(status) => http::answer(stream, status, b"{}").ok(),
        Behave::Garbage(text) => http::answer(stream, 200, text.as_bytes()).ok(),
        // Ends when the other side closes the connection.
        Behave::Hang => reader.read_to_end(&mut Vec::new()).ok().map(drop),
        Behave::Drip => {
            write!(stream, "HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n").ok()?;
            while stream.write_all(b" ").is_ok() {
                thread::sleep(Duration::from_millis(10));
            }
            None
        }
        Behave::Huge => {
            write!(stream, "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n").ok()?;
            let block = vec![b' '; 1 << 16];
            while stream.write_all(&block).is_ok() {}
            None
        }
        _ => None,
    }
}
