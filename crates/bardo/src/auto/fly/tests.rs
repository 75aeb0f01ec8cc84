//! Machines against a server that speaks the API over real sockets, and does what a test tells it to.

use super::*;
use crate::cli::{Cli, Command, GolemCommand};
use clap::Parser;
use golem_clade::succession::CompiledHeir;
use golem_core::Usdc;
use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

const DEAD: GolemId = GolemId([7; 16]);
const TOKEN: &str = "fo1_very_secret_token";

/// What goes wrong with the request of a number.
#[derive(Clone, Copy, PartialEq)]
enum Mishap {
    /// Answered with this status, and nothing is done.
    Status(u16),
    /// Done, and the connection breaks before the answer.
    DoneUnheard,
    /// Nothing is done, and no answer comes.
    Silence,
    /// Not JSON.
    Nonsense,
    /// Done, and the answer says the token back with an error.
    Echo,
}

#[derive(Default)]
struct Cloud {
    machines: BTreeMap<String, Value>,
    volumes: BTreeMap<String, Value>,
    made: u32,
    started: u32,
    seen: Vec<(String, String, Value)>,
    unauthorized: u32,
    /// Machines never come to stand.
    stuck: bool,
}

/// What goes wrong with the next requests, by method and path.
type Mishaps = BTreeMap<(String, String), Vec<Mishap>>;

struct Server {
    url: String,
    cloud: Arc<Mutex<Cloud>>,
    mishaps: Arc<Mutex<Mishaps>>,
}

impl Server {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let server = Self { url, cloud: Arc::default(), mishaps: Arc::default() };
        let (cloud, mishaps) = (server.cloud.clone(), server.mishaps.clone());
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (cloud, mishaps) = (cloud.clone(), mishaps.clone());
                std::thread::spawn(move || serve(stream, &cloud, &mishaps));
            }
        });
        server
    }
    /// The next requests of this kind go wrong like this, one after the other.
    fn mishaps(&self, method: &str, path: &str, all: &[Mishap]) {
        self.mishaps.lock().unwrap().insert((method.to_owned(), path.to_owned()), all.to_vec());
    }
    fn berth(&self) -> FlyBerth {
        let config = FlyConfig {
            api: self.url.clone(),
            app: "my-app".to_owned(),
            image: "bardo:1".to_owned(),
            region: "fra".to_owned(),
            cpus: 2,
            memory_mb: 1_024,
            timeout_s: 2,
            ..FlyConfig::default()
        };
        let line = FlyLine::new(&config.api, TOKEN, config.timeout_s).unwrap();
        FlyBerth { config, line }
    }
    fn counts(&self) -> (usize, u32, u32) {
        let cloud = self.cloud.lock().unwrap();
        (cloud.machines.len(), cloud.made, cloud.started)
    }
}

fn serve(mut stream: TcpStream, cloud: &Mutex<Cloud>, mishaps: &Mutex<BTreeMap<(String, String), Vec<Mishap>>>) {
    let mut bytes = Vec::new();
    let mut buffer = [0; 65_536];
    let (head, length) = loop {
        let Ok(n) = stream.read(&mut buffer) else { return };
        if n == 0 {
            return;
        }
        bytes.extend_from_slice(&buffer[..n]);
        if let Some(end) = bytes.windows(4).position(|w| w == b"\r\n\r\n") {
            let head = String::from_utf8(bytes[..end].to_vec()).unwrap();
            let length =
                head.lines().find_map(|l| l.to_lowercase().strip_prefix("content-length: ").map(str::to_owned));
            break (head, length.map_or(0, |l| l.parse::<usize>().unwrap()));
        }
    };
    let begin = head.len() + 4;
    while bytes.len() < begin + length {
        let n = stream.read(&mut buffer).unwrap();
        bytes.extend_from_slice(&buffer[..n]);
    }
    let body: Value = serde_json::from_slice(&bytes[begin..begin + length]).unwrap_or(Value::Null);
    let mut words = head.lines().next().unwrap().split(' ');
    let (method, target) = (words.next().unwrap().to_owned(), words.next().unwrap().to_owned());
    let (path, query) = target.split_once('?').unwrap_or((&target, ""));
    let path = path.strip_prefix("/v1/apps/my-app/").unwrap().to_owned();
    let allowed = head.to_lowercase().contains(&format!("authorization: bearer {TOKEN}"));
    let kind = path.split('/').next_back().unwrap_or_default().to_owned();
    let mishap = mishaps
        .lock()
        .unwrap()
        .get_mut(&(method.clone(), kind))
        .and_then(|all| (!all.is_empty()).then(|| all.remove(0)));
    let answer = |stream: &mut TcpStream, status: u16, body: &str| {
        let _ =
            write!(stream, "HTTP/1.1 {status} X\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}", body.len());
    };
    match mishap {
        Some(Mishap::Status(status)) => return answer(&mut stream, status, "{\"error\":\"not now\"}"),
        Some(Mishap::Silence) => return std::thread::sleep(std::time::Duration::from_secs(4)),
        Some(Mishap::Nonsense) => return answer(&mut stream, 200, "<html>"),
        _ => {}
    }
    let mut cloud = cloud.lock().unwrap();
    cloud.seen.push((method.clone(), target.clone(), body.clone()));
    if !allowed {
        cloud.unauthorized += 1;
        return answer(&mut stream, 401, "{\"error\":\"unauthorized\"}");
    }
    let (status, said) = cloud.answer(&method, &path, query, &body);
    drop(cloud);
    match mishap {
        Some(Mishap::DoneUnheard) => {}
        Some(Mishap::Echo) => answer(&mut stream, 400, &format!("{{\"error\":\"{TOKEN} is not welcome\"}}")),
        _ => answer(&mut stream, status, &said.to_string()),
    }
}

impl Cloud {
    fn answer(&mut self, method: &str, path: &str, query: &str, body: &Value) -> (u16, Value) {
        let parts: Vec<&str> = path.split('/').collect();
        match (method, &parts[..]) {
            ("GET", ["machines"]) => {
                let wanted = query.strip_prefix("metadata.bardo_death=").unwrap_or_default();
                let ours = |m: &&Value| m["config"]["metadata"]["bardo_death"] == wanted;
                (200, self.machines.values().filter(ours).cloned().collect())
            }
            ("POST", ["machines"]) => {
                if self.machines.values().any(|m| m["name"] == body["name"]) {
                    return (409, json!({ "error": "already_exists: unique machine name violation" }));
                }
                self.made += 1;
                let id = format!("m{}", self.made);
                let state = if self.stuck { "creating" } else { "created" };
                let machine = json!({ "id": id, "name": body["name"], "state": state, "region": body["region"], "config": body["config"] });
                self.machines.insert(id, machine.clone());
                (200, machine)
            }
            ("GET", ["machines", id]) => self.machines.get(*id).map_or((404, json!({})), |m| (200, m.clone())),
            ("GET", ["machines", id, "wait"]) => {
                let state = query.split('&').find_map(|p| p.strip_prefix("state=")).unwrap_or_default();
                match self.machines.get(*id) {
                    Some(m) if m["state"] == state => (200, json!({ "ok": true })),
                    Some(_) => (408, json!({ "error": "deadline_exceeded" })),
                    None => (404, json!({})),
                }
            }
            ("POST", ["machines", id, "start"]) => match self.machines.get_mut(*id) {
                Some(m) => {
                    m["state"] = json!("started");
                    self.started += 1;
                    (200, json!({ "previous_state": "created" }))
                }
                None => (404, json!({})),
            },
            ("DELETE", ["machines", id]) => match self.machines.remove(*id) {
                Some(_) => (200, json!({ "ok": true })),
                None => (404, json!({})),
            },
            ("GET", ["volumes"]) => (200, self.volumes.values().cloned().collect()),
            ("POST", ["volumes"]) => {
                let id = format!("vol_{}", self.volumes.len() + 1);
                let volume = json!({ "id": id, "name": body["name"], "state": "created" });
                self.volumes.insert(id, volume.clone());
                (200, volume)
            }
            ("DELETE", ["volumes", id]) => match self.volumes.remove(*id) {
                Some(_) => (200, json!({ "ok": true })),
                None => (404, json!({})),
            },
            other => panic!("nobody asks for {other:?}"),
        }
    }
}

fn heir() -> CompiledHeir {
    CompiledHeir {
        name: "elder-1".parse().unwrap(),
        settings: "[golem]\n".to_owned(),
        budget: Usdc::whole(50),
        inherits: true,
        without: vec![golem_core::Hash([0xab; 32])],
    }
}

fn provision(berth: &mut FlyBerth) -> Result<String, BerthRefusal> {
    berth.provision(&BerthOrder { dead: DEAD, will: &heir(), bundle: b"a signed bundle" })
}

#[test]
fn one_death_has_one_machine_of_the_same_region_and_size() {
    let server = Server::start();
    let mut berth = server.berth();
    for _ in 0..3 {
        assert_eq!(provision(&mut berth), Ok("machine m1".to_owned()));
        assert_eq!(server.counts(), (1, 1, 0), "ready, and not begun");
    }
    for _ in 0..2 {
        assert_eq!(berth.boot("machine m1", None), Ok(()));
        assert_eq!(server.counts(), (1, 1, 1), "begun once");
    }
    let cloud = server.cloud.lock().unwrap();
    let (_, _, asked) = cloud.seen.iter().find(|(m, p, _)| m == "POST" && p.ends_with("/machines")).unwrap();
    let config = &asked["config"];
    assert_eq!(
        (&asked["region"], &asked["skip_launch"], &config["image"]),
        (&json!("fra"), &json!(true), &json!("bardo:1"))
    );
    assert_eq!(config["guest"], json!({ "cpu_kind": "shared", "cpus": 2, "memory_mb": 1_024 }));
    assert_eq!(config["mounts"][0]["volume"], "vol_1");
    assert_eq!(config["files"][1]["raw_value"], "YSBzaWduZWQgYnVuZGxl");
    begins_in_the_image(config);
    assert!(!asked.to_string().contains(TOKEN), "a machine is not told the token");
    assert_eq!(cloud.unauthorized, 0);
}

/// What the machine does can be done in the image that this project makes: it is typed behind the image's own program, and is a
/// command; nothing stands where the program is.
fn begins_in_the_image(config: &Value) {
    let image = include_str!("../../../../../contrib/container/Containerfile");
    let program = image.lines().find_map(|line| line.strip_prefix("ENTRYPOINT ")).unwrap();
    let program: Vec<String> = serde_json::from_str(program).unwrap();
    assert!(config["init"]["exec"].is_null() && config["init"]["entrypoint"].is_null(), "{config}");
    let cmd = config["init"]["cmd"].as_array().unwrap().iter().map(|word| word.as_str().unwrap().to_owned());
    let typed = program.iter().cloned().chain(cmd);
    let Ok(Cli { command: Some(Command::Golem(GolemCommand::Create(asked))), .. }) = Cli::try_parse_from(typed) else {
        panic!("no command of ours: {config}")
    };
    let heir = heir();
    assert!(asked.live && asked.name == heir.name && asked.budget == heir.budget && asked.without == heir.without);
    let files = [asked.config.unwrap(), asked.heirloom.unwrap()];
    for (n, file) in files.iter().enumerate() {
        assert_eq!(config["files"][n]["guest_path"], file.to_str().unwrap());
        assert!(!file.starts_with(&program[0]), "there is the program");
    }
}

#[test]
fn whoever_heard_no_answer_finds_the_machine_again() {
    for mishap in
        [Mishap::DoneUnheard, Mishap::Echo, Mishap::Status(429), Mishap::Status(503), Mishap::Silence, Mishap::Nonsense]
    {
        let server = Server::start();
        server.mishaps("POST", "machines", &[mishap]);
        let refusal = provision(&mut server.berth()).unwrap_err();
        assert!(!refusal.why.contains(TOKEN), "{refusal:?}");
        assert_eq!(refusal.by_itself, mishap != Mishap::Echo, "{refusal:?}");
        // Another process comes back.
        assert_eq!(provision(&mut server.berth()), Ok("machine m1".to_owned()));
        assert_eq!(server.counts().1, 1, "one machine was ever made");
        assert_eq!(server.cloud.lock().unwrap().volumes.len(), 1);
    }
}

#[test]
fn trouble_with_any_request_passes_and_nothing_is_made_twice() {
    let kinds = [("GET", "machines"), ("GET", "volumes"), ("POST", "volumes"), ("POST", "machines")];
    for (method, path) in kinds {
        for mishap in [Mishap::Status(429), Mishap::Status(500), Mishap::DoneUnheard, Mishap::Nonsense] {
            let server = Server::start();
            server.mishaps(method, path, &[mishap, mishap]);
            for _ in 0..2 {
                let refusal = provision(&mut server.berth()).unwrap_err();
                assert!(refusal.by_itself, "{method} {path}: {refusal:?}");
                if method == "POST" && mishap == Mishap::DoneUnheard {
                    break;
                }
            }
            server.mishaps(method, path, &[]);
            assert_eq!(provision(&mut server.berth()), Ok("machine m1".to_owned()));
            assert_eq!((server.counts().1, server.cloud.lock().unwrap().volumes.len()), (1, 1), "{method} {path}");
        }
    }
    for status in [401, 403, 422] {
        let server = Server::start();
        server.mishaps("GET", "machines", &[Mishap::Status(status)]);
        assert!(!provision(&mut server.berth()).unwrap_err().by_itself, "{status} is the owner's to change");
    }
}

#[test]
fn a_machine_that_never_comes_to_stand_is_given_back() {
    let server = Server::start();
    server.cloud.lock().unwrap().stuck = true;
    assert!(provision(&mut server.berth()).unwrap_err().by_itself);
    assert_eq!(server.counts().0, 0);
    server.cloud.lock().unwrap().stuck = false;
    assert_eq!(provision(&mut server.berth()), Ok("machine m2".to_owned()));
    assert_eq!(server.counts().0, 1);
}

#[test]
fn starting_is_tried_again_and_releasing_takes_everything_of_this_death_alone() {
    let server = Server::start();
    let mut berth = server.berth();
    provision(&mut berth).unwrap();
    server.mishaps("POST", "start", &[Mishap::Status(503), Mishap::DoneUnheard]);
    assert!(berth.boot("machine m1", None).is_err());
    assert!(berth.boot("machine m1", None).is_err(), "done, and nobody heard of it");
    assert_eq!(berth.boot("machine m1", None), Ok(()));
    assert_eq!(server.counts(), (1, 1, 1));
    assert!(berth.boot("machine ../volumes", None).is_err(), "no address is made of a word");
    let other = json!({ "id": "m9", "name": machine_name(DEAD), "state": "started",
        "config": { "metadata": { "bardo_death": "somebody else" } } });
    server.cloud.lock().unwrap().machines.insert("m9".to_owned(), other);
    for _ in 0..2 {
        assert_eq!(berth.release(DEAD), Ok(()));
        let cloud = server.cloud.lock().unwrap();
        assert_eq!(
            (cloud.machines.keys().cloned().collect::<Vec<_>>(), cloud.volumes.len()),
            (vec!["m9".to_owned()], 0)
        );
    }
}

#[test]
fn without_a_token_nothing_is_asked() {
    let config = FlyConfig { token_env: "BARDO_TEST_NO_SUCH_TOKEN".to_owned(), ..FlyConfig::default() };
    let refusal = FlyBerth::new(&config).err().unwrap();
    assert!(!refusal.by_itself && refusal.why.contains("BARDO_TEST_NO_SUCH_TOKEN"));
}

#[test]
fn bytes_are_spelled_in_base64() {
    for (plain, spelled) in [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")] {
        assert_eq!(base64(plain.as_bytes()), spelled);
    }
}
