//! A home with golems in it that live without a market, a server, and a client that speaks plain HTTP.

use ed25519_dalek::SigningKey;
use golem_core::birth::Identity;
use golem_core::door::{Idle, InProcess, NoModels, World};
use golem_core::{Birth, Hash, Name, Secret, Timestamp, Usdc};
use golem_home::Home;
use golem_home::golem_file::GolemFile;
use golem_home::{origins, world};
use golem_life::Life;
use golem_runtime::{Around, OpenOptions, Options, Origin, Pace, RealClock, Runner, StopFlag, Store, Until};
use golem_serve::{WebAddress, WebLimits, WebServer, start};
use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

pub struct Owned {
    dir: tempfile::TempDir,
}

type Runs = Runner<Life, Box<dyn World>, InProcess<Idle>>;

impl Owned {
    pub fn new() -> Self {
        Self { dir: tempfile::tempdir().unwrap() }
    }
    pub fn home(&self) -> Home {
        Home::find(Some(self.dir.path().to_owned())).unwrap()
    }
    /// A golem that has not lived yet.
    pub fn born(&self, name: &str) -> PathBuf {
        self.born_with(name, |_| {})
    }
    /// The same, with other settings.
    pub fn born_with(&self, name: &str, shape: impl FnOnce(&mut GolemFile)) -> PathBuf {
        let (name, secret): (Name, _) = (name.parse().unwrap(), Secret::from_seed(name.len() as u64));
        let key = Hash::of(name.as_str().as_bytes());
        let mut file = GolemFile::default();
        file.golem.name = name.to_string();
        file.heartbeat.tick_interval_s = 40;
        shape(&mut file);
        let public_key = Hash(SigningKey::from_bytes(&key.0).verifying_key().to_bytes());
        let identity = Identity { name: &name, public_key, commitment: secret.commitment() };
        let birth: Birth = identity.first_ancestor(true, Timestamp(0), Usdc::whole(50), file.life().hash());
        let settings = file.to_toml().unwrap();
        let dir = self.home().golem_dir(birth.id);
        let origin = Origin {
            birth,
            settings_given: settings.clone(),
            settings_resolved: settings.clone(),
            secret,
            signing_key: key.0,
            inheritance: None,
        };
        golem_runtime::make_dir(dir.parent().unwrap()).unwrap();
        golem_runtime::create(&dir, &origin).unwrap();
        std::fs::write(dir.join("golem.toml"), settings).unwrap();
        dir
    }
    /// Open it for living.
    pub fn runner(&self, dir: &std::path::Path) -> Runs {
        let store = Store::open(dir, OpenOptions::default(), Timestamp(0)).unwrap();
        let (genesis, file) =
            (origins::genesis(store.origin()).unwrap(), origins::settings_of(store.origin()).unwrap());
        let around = Around {
            options: Options { pace: Pace::Max, snapshots: false, series_every: 10, ..Options::default() },
            clock: Arc::new(RealClock::default()),
            stop: StopFlag::default(),
            listener: None,
            models: Box::new(NoModels),
        };
        Runner::open(store, &genesis, world::build(&file.world).unwrap(), InProcess(Idle), around).unwrap()
    }
    /// A golem that has lived so many turns.
    pub fn lived(&self, name: &str, turns: u64) -> PathBuf {
        let dir = self.born(name);
        self.live(&dir, turns);
        dir
    }
    pub fn live(&self, dir: &std::path::Path, turns: u64) {
        let mut runner = self.runner(dir);
        runner.run(Until { turns: Some(turns), return_when_paused: true }).unwrap();
        runner.close().unwrap();
    }
    /// Facts as a life writes them, but so many of them: a calm golem says little.
    pub fn says(&self, dir: &std::path::Path, count: i64) -> u64 {
        let mut file = rusqlite::Connection::open(dir.join("golem.db")).unwrap();
        file.busy_timeout(Duration::from_secs(5)).unwrap();
        let all = file.transaction().unwrap();
        let last: i64 = all.query_row("SELECT coalesce(max(seq), 0) FROM facts", [], |row| row.get(0)).unwrap();
        for n in 1..=count {
            let body = format!("{{\"n\":{n},\"words\":\"{}\"}}", "of no kind that is known ".repeat(8));
            let sql = "INSERT INTO facts(seq, tick, at, name, cause, body) VALUES (?1, 1, 0, 'test.said', NULL, ?2)";
            all.execute(sql, (last + n, body)).unwrap();
        }
        all.commit().unwrap();
        u64::try_from(last + count).unwrap()
    }
    pub fn serve(&self) -> Client {
        self.serve_with(WebLimits::default())
    }
    pub fn serve_with(&self, limits: WebLimits) -> Client {
        let at = WebAddress { listen: "127.0.0.1:0".parse().unwrap(), anywhere: false };
        let server = start(self.home(), at, limits).unwrap();
        Client { token: server.token().words().to_owned(), server }
    }
}

pub struct Client {
    pub server: WebServer,
    pub token: String,
}

/// What came back.
#[derive(Debug)]
pub struct Said {
    pub code: u16,
    pub head: String,
    pub body: String,
}

impl Said {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|e| panic!("{e}: {self:?}"))
    }
}

impl Client {
    pub fn host(&self) -> String {
        self.server.address().to_string()
    }
    /// A request with the lines of its head as they are.
    pub fn raw(&self, first: &str, lines: &[&str], body: &str) -> Said {
        let mut stream = TcpStream::connect(self.server.address()).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        let more: String = lines.iter().map(|line| format!("{line}\r\n")).collect();
        let length = body.len();
        let text = format!("{first} HTTP/1.1\r\n{more}content-length: {length}\r\nconnection: close\r\n\r\n{body}");
        stream.write_all(text.as_bytes()).unwrap();
        let mut all = String::new();
        stream.read_to_string(&mut all).unwrap();
        let (head, body) = all.split_once("\r\n\r\n").unwrap_or((&all, ""));
        let code = head.split(' ').nth(1).and_then(|code| code.parse().ok()).unwrap_or(0);
        let chunked = head.to_ascii_lowercase().contains("transfer-encoding: chunked");
        Said { code, head: head.to_owned(), body: if chunked { unchunked(body) } else { body.to_owned() } }
    }
    fn owner(&self) -> [String; 2] {
        [format!("host: {}", self.host()), format!("authorization: Bearer {}", self.token)]
    }
    pub fn get(&self, path: &str) -> Said {
        let [host, token] = self.owner();
        self.raw(&format!("GET {path}"), &[&host, &token], "")
    }
    pub fn post(&self, path: &str, body: &str) -> Said {
        let [host, token] = self.owner();
        self.raw(&format!("POST {path}"), &[&host, &token, "content-type: application/json"], body)
    }
    /// A stream that is read line by line.
    pub fn listen(&self, path: &str, last: Option<&str>) -> Listening {
        let [host, token] = self.owner();
        let last = last.map_or(String::new(), |id| format!("last-event-id: {id}\r\n"));
        let mut stream = TcpStream::connect(self.server.address()).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        stream.write_all(format!("GET {path} HTTP/1.1\r\n{host}\r\n{token}\r\n{last}\r\n").as_bytes()).unwrap();
        let mut lines = BufReader::new(stream);
        let mut line = String::new();
        lines.read_line(&mut line).unwrap();
        assert!(line.contains(" 200 "), "{line}");
        while line.trim() != "" {
            line.clear();
            lines.read_line(&mut line).unwrap();
        }
        Listening { lines, id: String::new(), kind: String::new() }
    }
}

pub struct Listening {
    lines: BufReader<TcpStream>,
    id: String,
    kind: String,
}

impl Listening {
    /// The next event: its id, its kind and its data; none at the end of the stream.
    pub fn next(&mut self) -> Option<(String, String, Value)> {
        loop {
            let mut line = String::new();
            if self.lines.read_line(&mut line).ok()? == 0 {
                return None;
            }
            // Sizes of chunks stand between the lines of events; none of them has a colon.
            if let Some(id) = line.strip_prefix("id: ") {
                self.id = id.trim().to_owned();
            } else if let Some(kind) = line.strip_prefix("event: ") {
                self.kind = kind.trim().to_owned();
            } else if let Some(data) = line.strip_prefix("data: ") {
                let data = serde_json::from_str(data).unwrap_or_else(|e| panic!("{e}: {data}"));
                return Some((self.id.clone(), self.kind.clone(), data));
            }
        }
    }
    /// The place of the next fact.
    pub fn next_fact(&mut self) -> Option<u64> {
        loop {
            let (id, kind, data) = self.next()?;
            if kind == "fact" {
                assert_eq!(data["seq"].as_u64(), id.parse().ok(), "the id of an event is its place");
                return id.parse().ok();
            }
        }
    }
}

fn unchunked(body: &str) -> String {
    let (mut rest, mut all) = (body, String::new());
    while let Some((size, tail)) = rest.split_once("\r\n") {
        let size = usize::from_str_radix(size.trim(), 16).unwrap_or(0);
        all.push_str(&tail[..size.min(tail.len())]);
        rest = tail.get(size + 2..).unwrap_or_default();
    }
    all
}
