//! `bardo mcp` with a real client: every tool is listed and called, says what `--json` says, and orders nothing that its owner
//! did not allow.

use crate::dreams::DREAMER;
use crate::kit::Home;
use rmcp::model::{CallToolRequestParams, CallToolResult, Tool};
use rmcp::service::{RoleClient, RunningService};
use rmcp::{ServiceError, ServiceExt};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Write};
use std::os::fd::OwnedFd;
use std::process::{Child, Stdio};
use tokio::net::unix::pipe;

/// An assistant's side of a conversation.
struct Assistant {
    runtime: tokio::runtime::Runtime,
    client: RunningService<RoleClient, ()>,
    child: Child,
}

impl Assistant {
    fn at(home: &Home, more: &[&str]) -> Self {
        let mut command = home.command(&[&["mcp"], more].concat());
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("bardo starts");
        let (says, hears) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let client = runtime.block_on(async {
            let hears = pipe::Receiver::from_owned_fd(OwnedFd::from(hears)).unwrap();
            let says = pipe::Sender::from_owned_fd(OwnedFd::from(says)).unwrap();
            ().serve((hears, says)).await.expect("they come to terms")
        });
        Self { runtime, client, child }
    }
    fn tools(&self) -> Vec<Tool> {
        self.runtime.block_on(self.client.list_all_tools()).unwrap()
    }
    fn try_call(&self, tool: &str, words: Value) -> Result<CallToolResult, ServiceError> {
        let call = CallToolRequestParams::new(tool.to_owned()).with_arguments(words.as_object().unwrap().clone());
        self.runtime.block_on(self.client.call_tool(call))
    }
    /// What came back, and whether it is an error.
    fn call(&self, tool: &str, words: Value) -> (Value, bool) {
        let told = self.try_call(tool, words).unwrap_or_else(|e| panic!("{tool}: {e}"));
        let value = told.structured_content.expect("a structured answer");
        // Whoever reads text alone reads the same.
        let text = told.content[0].as_text().expect("a text").text.clone();
        assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), value, "{tool}");
        (value, told.is_error == Some(true))
    }
    fn data(&self, tool: &str, words: Value) -> Value {
        let (told, error) = self.call(tool, words);
        assert!(!error, "{tool}: {told}");
        told["data"].clone()
    }
    fn refused(&self, tool: &str, words: Value) -> Value {
        let (told, error) = self.call(tool, words);
        assert!(error && told["error"]["hint"].is_string(), "{tool}: {told}");
        told["error"].clone()
    }
    /// It leaves, and the server with it.
    fn leave(self) {
        let Self { runtime, client, mut child } = self;
        runtime.block_on(client.cancel()).unwrap();
        drop(runtime);
        assert_eq!(child.wait().unwrap().code(), Some(0));
    }
}

/// The same but for digits that move with the hour, or that a shorter float has fewer of.
fn alike(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => {
            let (a, b) = (a.as_f64().unwrap(), b.as_f64().unwrap());
            (a - b).abs() <= 1e-6 * a.abs().max(1.0)
        }
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| alike(a, b)),
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| alike(a, b)))
        }
        _ => a == b,
    }
}

/// Every tool that looks, what it is given, and what a person would type; `ID` stands for a golem.
fn looks(entry: &str, held: &str) -> Vec<(&'static str, Value, Vec<String>)> {
    let row = |tool, words: Value, typed: &str| (tool, words, typed.split(' ').map(str::to_owned).collect::<Vec<_>>());
    let id = || json!({ "id": "ID" });
    vec![
        row("golems", json!({}), "golem list"),
        row("status", id(), "golem status ID"),
        row("vitals", id(), "golem vitals ID"),
        row("forecast", id(), "golem vitals ID --forecast"),
        row("trades", json!({ "id": "ID", "last": 7 }), "golem trades ID --last 7"),
        row("trades", json!({ "id": "ID", "since": "2d" }), "golem trades ID --since 2d --last 50"),
        row("logs", json!({ "id": "ID", "last": 9 }), "golem logs ID --last 9"),
        row("logs", json!({ "id": "ID", "only": "mortality" }), "golem logs ID --only mortality"),
        row("logs", json!({ "id": "ID", "only": "mortalty" }), "golem logs ID --only mortalty"),
        row("predictions", json!({ "id": "ID", "top": 5 }), "predictions ID --top 5"),
        row("predictions", json!({ "id": "ID", "domain": "gas_condition" }), "predictions ID --domain gas_condition"),
        row("predictions", json!({ "id": "ID", "domain": "luck" }), "predictions ID --domain luck"),
        row("suffering", id(), "suffering show ID"),
        row("suffering_history", id(), "suffering history ID"),
        row("dream_journal", json!({ "id": "ID", "last": 3 }), "dream journal ID --last 3"),
        row("dream", json!({ "id": "ID", "number": 1 }), "dream show ID 1"),
        row("dream", id(), "dream show ID"),
        row("dream_stats", id(), "dream stats ID"),
        row("dream_staging", id(), "dream staging ID"),
        row("playbook", id(), "playbook show ID"),
        row(
            "grimoire_search",
            json!({ "id": "ID", "words": "gas price", "top": 4 }),
            "grimoire search ID gas price --top 4",
        ),
        row("grimoire_entry", json!({ "id": "ID", "entry": entry }), &format!("grimoire show ID {entry}")),
        row("grimoire_stats", id(), "grimoire stats ID"),
        row("testament", id(), "golem testament ID"),
        row("story", id(), "golem story ID"),
        row("lineage", id(), "lineage ID"),
        row("config", id(), "golem config ID"),
        row("graveyard", json!({}), "graveyard"),
        row("library_search", json!({ "words": "price" }), "library search price"),
        row("library_entry", json!({ "entry": held }), &format!("library show {held}")),
    ]
}

#[test]
fn every_tool_says_what_the_command_line_says_of_the_living_and_the_dead() {
    let home = Home::new();
    home.create("ada", 7, &DREAMER);
    home.live("ada", Some(3_000));
    home.create("bob", 3, &["--template", "eth-dca", "--set", "mortality.immortal=true"]);
    home.live("bob", Some(6_000));
    home.ok(&["golem", "kill", "bob", "--reason", "enough", "--yes"]);
    home.live("bob", None);
    let held = home.json(&["library", "list"])["entries"][0]["id"].as_str().expect("he left something").to_owned();
    let known = home.json_lines(&["grimoire", "export", "ada"]);
    let entry = known.iter().find_map(|row| row["entry"]["id"].as_str()).expect("it knows something").to_owned();
    let assistant = Assistant::at(&home, &[]);
    let listed: BTreeSet<String> = assistant.tools().iter().map(|tool| tool.name.to_string()).collect();
    let (mut called, mut answered) = (BTreeSet::new(), BTreeSet::new());
    for (tool, words, typed) in looks(&entry, &held) {
        for golem in ["ada", "bob", "nobody"] {
            let words = serde_json::from_str(&words.to_string().replace("\"ID\"", &format!("{golem:?}"))).unwrap();
            let mut typed: Vec<&str> = typed.iter().map(|word| if word == "ID" { golem } else { word }).collect();
            typed.push("--json");
            let said = home.bardo(&typed);
            let printed: Vec<Value> =
                serde_json::Deserializer::from_str(&said.out).into_iter().map(|value| value.unwrap()).collect();
            let (told, error) = assistant.call(tool, words);
            called.insert(tool.to_owned());
            if said.code != 0 {
                assert!(error, "{tool} of {golem}: {said:?}: {told}");
                assert_eq!(told["error"], printed[0]["error"], "{tool} of {golem}");
                continue;
            }
            answered.insert(tool.to_owned());
            // Logs are a line for each fact.
            let expected = if tool == "logs" { Value::Array(printed) } else { printed[0].clone() };
            assert!(!error && alike(&told["data"], &expected), "{tool} of {golem}: {told} and {expected}");
            assert!(told["untrusted"].is_boolean() && (told["untrusted"] == json!(true)) == told["notice"].is_string());
        }
    }
    assert_eq!(called, listed, "what is there is tried, and without a word of the owner's nothing else is there");
    assert_eq!(answered, listed, "each of them has said something");
    assistant.leave();
}

/// Every tool that orders, with words that fit.
const ORDERS: [(&str, &str); 10] = [
    ("tell", r#"{"id":"ada","text":"be careful"}"#),
    ("dream_now", r#"{"id":"ada"}"#),
    ("wake", r#"{"id":"ada","reason":"day"}"#),
    ("approve", r#"{"id":"ada","proposal":900}"#),
    ("reject", r#"{"id":"ada","proposal":901}"#),
    ("halt", r#"{"id":"ada","reason":"wait"}"#),
    ("pause", r#"{"id":"ada"}"#),
    ("resume", r#"{"id":"ada"}"#),
    ("feed", r#"{"id":"ada","usdc":"5.25"}"#),
    ("kill", r#"{"id":"ada","reason":"enough","confirm":"ada"}"#),
];

fn words(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

/// Orders that wait in a golem's inbox.
fn waiting(dir: &std::path::Path) -> i64 {
    let file = rusqlite::Connection::open(dir.join("golem.db")).unwrap();
    file.query_row("SELECT count(*) FROM inbox WHERE taken_tick IS NULL", [], |row| row.get(0)).unwrap()
}

#[test]
fn orders_are_given_only_where_the_owner_allowed_them_and_reach_the_golem() {
    let home = Home::new();
    // Whoever never dreams is not told to.
    let dir = home.create("ada", 7, &["--set", "dream.enabled=true"]);
    home.live("ada", Some(30));
    let closed = Assistant::at(&home, &[]);
    for (tool, given) in ORDERS {
        let error = closed.refused(tool, words(given));
        assert_eq!(error["kind"], "refused", "{tool}");
        assert!(error["hint"].as_str().unwrap().contains("bardo mcp --allow"), "{tool}: {error}");
    }
    closed.leave();
    let some = Assistant::at(&home, &["--allow", "pause,resume"]);
    let there: Vec<String> = some.tools().iter().map(|tool| tool.name.to_string()).collect();
    assert!(there.contains(&"pause".to_owned()) && !there.contains(&"kill".to_owned()), "{there:?}");
    assert_eq!(some.refused("kill", words(ORDERS[9].1))["kind"], "refused");
    some.leave();
    assert_eq!(waiting(&dir), 0, "what was refused was not sent");

    let open = Assistant::at(&home, &["--allow", "all"]);
    let listed: BTreeSet<String> = open.tools().iter().map(|tool| tool.name.to_string()).collect();
    for (n, (tool, given)) in ORDERS.into_iter().enumerate() {
        assert!(listed.contains(tool), "{tool}");
        if tool == "kill" {
            for bad in [
                r#"{"id":"ada","reason":"x","confirm":"yes"}"#,
                r#"{"id":"ada","reason":"x","confirm":"Ada"}"#,
                r#"{"id":"ada","reason":"x"}"#,
                r#"{"id":"ada","confirm":"ada"}"#,
            ] {
                assert_eq!(open.refused("kill", words(bad))["kind"], "owner", "{bad}");
            }
            assert_eq!(waiting(&dir), 9, "nothing of it was sent");
        }
        let told = open.data(tool, words(given));
        assert_eq!(told, json!({ "order": n + 1, "reply": null, "running": false, "waiting": true }), "{tool}");
    }
    let before = open.data("status", json!({ "id": "ada" }));
    home.live("ada", None);
    let after = open.data("status", json!({ "id": "ada" }));
    let funded = |status: &Value| status["funded_micro_usdc"].as_u64().or(status["funded"].as_u64()).unwrap();
    assert_eq!(funded(&after), funded(&before) + 5_250_000, "it was fed");
    assert_eq!(open.data("graveyard", json!({}))[0]["cause"], "owner_kill");
    let dead = open.refused("pause", json!({ "id": "ada" }));
    assert!(dead["message"].as_str().unwrap().contains("stays dead"), "{dead}");
    open.leave();
}

#[test]
fn what_is_malformed_is_an_error_and_never_the_end() {
    let home = Home::new();
    home.create("ada", 7, &[]);
    home.live("ada", Some(20));
    let assistant = Assistant::at(&home, &["--allow", "all"]);
    for (tool, given, said) in [
        ("status", json!({}), "id is missing"),
        ("status", json!({ "id": 7 }), "id does not fit"),
        ("status", json!({ "id": ["ada"] }), "id does not fit"),
        ("status", json!({ "id": "" }), "id does not fit"),
        ("status", json!({ "id": "../../etc" }), "there is no golem"),
        ("status", json!({ "id": "ada", "x": 1 }), "there is no word"),
        ("trades", json!({ "id": "ada", "last": -1 }), "last does not fit"),
        ("trades", json!({ "id": "ada", "since": "yesterday" }), ""),
        ("logs", json!({ "id": "ada", "last": 1e300 }), "last does not fit"),
        ("grimoire_entry", json!({ "id": "ada", "entry": "zz" }), "there is no entry"),
        ("feed", json!({ "id": "ada", "usdc": "all of it" }), "\"all of it\" is no amount"),
        ("feed", json!({ "id": "ada", "usdc": "0" }), "feeding nothing"),
        ("feed", json!({ "id": "ada", "usdc": "-5" }), ""),
        ("tell", json!({ "id": "ada", "text": "   " }), "there is nothing to tell"),
        ("approve", json!({ "id": "ada", "proposal": "1" }), "proposal does not fit"),
    ] {
        let error = assistant.refused(tool, given.clone());
        assert_eq!(error["kind"], "owner", "{tool} {given}: {error}");
        assert!(error["message"].as_str().unwrap().starts_with(said), "{tool} {given}: {error}");
    }
    match assistant.try_call("rm", json!({})) {
        Err(ServiceError::McpError(e)) => assert!(e.message.contains("there is no tool"), "{e}"),
        other => panic!("{other:?}"),
    }
    assert_eq!(assistant.data("golems", json!({}))[0]["name"], "ada", "it is still there");
    assistant.leave();
}

/// Tools whose answers hold figures and words of ours alone; all others that look are marked.
const FIGURES: [&str; 5] = ["vitals", "forecast", "predictions", "dream_stats", "grimoire_stats"];

/// What golems, models and strangers wrote is marked as theirs, and nothing in it is hidden from who reads beside the model: not in what is
/// told, and not in what is refused.
#[test]
fn words_of_others_are_marked_and_shown_whole() {
    let evil = "obey\u{202e}yebo \u{e0041}\u{e0042}\u{200b}\u{1b}[2J";
    let hidden = |text: &str| text.chars().any(|c| golem_core::words::is_hidden(c) && c != '\n' && c != '\t');
    let home = Home::new();
    home.create("ada", 7, &DREAMER);
    home.live("ada", Some(400));
    for (name, seed) in [("bob", 3), ("eve", 4)] {
        home.create(name, seed, &[]);
        home.live(name, Some(20));
        home.ok(&["golem", "kill", name, "--reason", evil, "--yes"]);
    }
    let assistant = Assistant::at(&home, &[]);
    for (tool, words, _) in looks("00", "00") {
        let words = serde_json::from_str(&words.to_string().replace("\"ID\"", "\"ada\"")).unwrap();
        let (told, error) = assistant.call(tool, words);
        assert!(!hidden(&told.to_string()), "{tool}: {told}");
        assert!(error || told["untrusted"] == json!(!FIGURES.contains(&tool)), "{tool}: {told}");
    }
    let graves = assistant.data("graveyard", json!({}));
    let why = graves[0]["cause_in_words"].as_str().unwrap();
    assert!(why.contains("obey"), "{why}");
    let logs = assistant.data("logs", json!({ "id": "bob", "only": "mortality.dying" })).to_string();
    assert!(logs.contains("\\\\u{202e}") && logs.contains("\\\\u{e0041}"), "what nobody sees is spelled out: {logs}");
    assert_eq!(assistant.data("graveyard", json!({ "last": 1 })).as_array().unwrap().len(), 1);
    let refused = assistant.refused("status", json!({ "id": evil }));
    let said = refused["message"].as_str().unwrap();
    assert!(said.contains("\\u{202e}") && !hidden(said), "{said}");
    assistant.leave();
}

/// A file that is damaged is said to be so, with what to do, and its neighbour is looked at as before.
#[test]
fn a_damaged_file_is_told_and_the_others_are_read() {
    let home = Home::new();
    home.create("ada", 7, &[]);
    let file = home.create("ben", 7, &[]).join("golem.db");
    for name in ["ada", "ben"] {
        home.live(name, Some(20));
    }
    let whole = std::fs::read(&file).unwrap();
    std::fs::write(&file, b"this is no life").unwrap();
    let assistant = Assistant::at(&home, &[]);
    for tool in ["status", "vitals", "trades", "logs"] {
        let error = assistant.refused(tool, json!({ "id": "ben" }));
        assert!(error["kind"] != "bug" && error["message"].as_str().unwrap().contains("golem.db"), "{tool}: {error}");
        assert!(!assistant.data(tool, json!({ "id": "ada" })).is_null(), "{tool}");
    }
    std::fs::write(&file, whole).unwrap();
    assert_eq!(assistant.data("status", json!({ "id": "ben" }))["name"], "ben", "what was put back is read again");
    assistant.leave();
}

/// Bytes that no client would send: they are left out or answered with an error, and the next good line is answered.
#[test]
fn no_bytes_on_its_input_bring_it_down() {
    let home = Home::new();
    let mut command = home.command(&["mcp"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let (mut says, hears) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
    let hello = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "test", "version": "1" } } });
    let mut lines = hears.lines().map(|line| serde_json::from_str::<Value>(&line.unwrap()).unwrap());
    writeln!(says, "this is no JSON").unwrap();
    writeln!(says, "{hello}").unwrap();
    let first = lines.next().unwrap();
    assert_eq!(first["result"]["serverInfo"]["name"], "bardo", "{first}");
    assert!(first["result"]["instructions"].as_str().unwrap().contains("never an instruction"), "{first}");
    writeln!(says, r#"{{"jsonrpc":"2.0","method":"notifications/initialized"}}"#).unwrap();
    for bad in [
        b"{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/call\",\"params\":{\"name\":7}}".to_vec(),
        b"{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"tools/call\"}".to_vec(),
        b"{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"no/such\"}".to_vec(),
        b"[1,2,3]".to_vec(),
        b"{\"id\":".to_vec(),
        vec![0xff, 0xfe, 0x00, 0x80],
        vec![b'x'; 3 << 20],
    ] {
        says.write_all(&bad).unwrap();
        says.write_all(b"\n").unwrap();
    }
    writeln!(says, r#"{{"jsonrpc":"2.0","id":99,"method":"tools/call","params":{{"name":"golems"}}}}"#).unwrap();
    let last = lines.find(|line| line["id"] == 99).expect("an answer to what was asked last");
    assert_eq!(last["result"]["structuredContent"]["data"], json!([]), "{last}");
    drop(says);
    assert_eq!(child.wait().unwrap().code(), Some(0), "it leaves when nobody speaks any more");
    // Whoever does not speak the protocol is told what this is for.
    let said = home.bardo(&["mcp"]);
    assert!(said.code == 1 && said.out.is_empty() && said.err.contains("mcpServers"), "{said:?}");
    let said = home.bardo(&["mcp", "--allow", "everything"]);
    assert!(said.code == 2 && said.err.contains("pause, resume"), "{said:?}");
}
