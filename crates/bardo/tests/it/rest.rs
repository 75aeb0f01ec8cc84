//! The API and the command line say the same: every read is asked for over HTTP and typed, of the living and of the dead.

use crate::dreams::DREAMER;
use crate::kit::{Home, Running};
use golem_serve::{ROUTES, RouteKind};
use serde_json::Value;
use std::collections::BTreeSet;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

/// What is asked, where in the answer the same stands, and what is typed; `ID` stands for a golem.
const READS: &[(&str, &str, &str)] = &[
    ("/api/golems", "", "golem list"),
    ("/api/golems/ID/status", "", "golem status ID"),
    ("/api/golems/ID/vitals", "", "golem vitals ID"),
    ("/api/golems/ID/forecast", "", "golem vitals ID --forecast"),
    ("/api/golems/ID/trades?last=7", "", "golem trades ID --last 7"),
    ("/api/golems/ID/logs?last=9", "", "golem logs ID --last 9"),
    ("/api/golems/ID/predictions?top=5", "", "predictions ID --top 5"),
    ("/api/golems/ID/suffering", "", "suffering show ID"),
    ("/api/golems/ID/suffering/history", "", "suffering history ID"),
    ("/api/golems/ID/dreams?last=3", "", "dream journal ID --last 3"),
    ("/api/golems/ID/dreams/show", "", "dream show ID"),
    ("/api/golems/ID/dreams/stats", "", "dream stats ID"),
    ("/api/golems/ID/staging", "", "dream staging ID"),
    ("/api/golems/ID/phages", "", "golem phages ID"),
    ("/api/golems/ID/playbook", "/playbook", "playbook show ID"),
    ("/api/golems/ID/playbook/lint", "", "playbook lint ID"),
    ("/api/golems/ID/playbook/diff", "", "playbook diff ID"),
    ("/api/golems/ID/grimoire?q=gas%20price&top=4", "", "grimoire search ID gas price --top 4"),
    ("/api/golems/ID/grimoire/entry?entry=ENTRY", "", "grimoire show ID ENTRY"),
    ("/api/golems/ID/grimoire/why", "", "grimoire why ID"),
    ("/api/golems/ID/grimoire/stats", "", "grimoire stats ID"),
    ("/api/golems/ID/testament", "", "golem testament ID"),
    ("/api/golems/ID/obituary", "", "golem story ID"),
    ("/api/golems/ID/clade", "", "clade status ID"),
    ("/api/golems/ID/siblings", "", "clade siblings ID"),
    ("/api/golems/ID/lineage", "", "lineage ID"),
    ("/api/golems/ID/config", "", "golem config ID"),
    ("/api/golems/ID/models", "", "models list ID"),
    ("/api/golems/ID/verify", "", "golem verify ID"),
    ("/api/golems/ID/replay", "", "golem replay ID"),
    ("/api/golems/ID/snapshots", "", "golem restore ID --list"),
    ("/api/graveyard", "/graves", "graveyard"),
    ("/api/library", "", "library list"),
    ("/api/library/search?q=price", "", "library search price"),
    ("/api/library/entry?entry=HELD", "", "library show HELD"),
    ("/api/library/bundles", "", "library bundle"),
    ("/api/treasury", "", "treasury show"),
    ("/api/config", "", "config show"),
];

/// Reads that no command prints so: facts are typed as words (`golem logs`), points and causes are drawn.
const DRAWN: [&str; 3] = ["facts", "series", "causes"];

/// A server of a home.
struct Served {
    _running: Running,
    address: String,
    token: String,
}

impl Served {
    fn start(home: &Home) -> Self {
        let running = Running::start(home, &["serve"]);
        let (address, token) = (running.address().to_owned(), running.told["token"].as_str().unwrap().to_owned());
        Self { _running: running, address, token }
    }
    fn get(&self, path: &str) -> (u16, Value) {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        let head = format!("host: {}\r\nauthorization: Bearer {}\r\nconnection: close", self.address, self.token);
        stream.write_all(format!("GET {path} HTTP/1.1\r\n{head}\r\n\r\n").as_bytes()).unwrap();
        let mut said = String::new();
        stream.read_to_string(&mut said).unwrap();
        let (head, body) = said.split_once("\r\n\r\n").unwrap();
        let code = head.split(' ').nth(1).and_then(|code| code.parse().ok()).unwrap();
        (code, serde_json::from_str(body).unwrap_or_else(|e| panic!("{path}: {e}: {said}")))
    }
}

/// Whether an answer says all that was printed, but for digits that move with the hour; it may say more for who draws it.
fn says(answer: &Value, printed: &Value, at: &str) -> Result<(), String> {
    match (answer, printed) {
        (Value::Number(a), Value::Number(b)) => {
            let (a, b) = (a.as_f64().unwrap(), b.as_f64().unwrap());
            if (a - b).abs() <= 1e-3 * a.abs().max(1.0) { Ok(()) } else { Err(format!("{at}: {a} and {b}")) }
        }
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            a.iter().zip(b).enumerate().try_for_each(|(n, (a, b))| says(a, b, &format!("{at}/{n}")))
        }
        (Value::Object(a), Value::Object(b)) => b.iter().try_for_each(|(key, b)| {
            let a = a.get(key).ok_or_else(|| format!("{at}/{key} is not said"))?;
            says(a, b, &format!("{at}/{key}"))
        }),
        (a, b) if a == b => Ok(()),
        (a, b) => Err(format!("{at}: {a} and {b}")),
    }
}

/// Whether an answer is what the description says of it: every field of it is described, is there, and is of its kind.
fn fits(told: &Value, shape: &Value, at: &str) -> Result<(), String> {
    let is = |word: &Value| match word.as_str() {
        Some("object") => told.is_object(),
        Some("array") => told.is_array(),
        Some("string") => told.is_string(),
        Some("integer") => told.is_u64() || told.is_i64(),
        Some("number") => told.is_number(),
        Some("boolean") => told.is_boolean(),
        Some("null") => told.is_null(),
        _ => false,
    };
    let kinds = match &shape["type"] {
        Value::Null => return Ok(()),
        Value::Array(all) => all.clone(),
        one => vec![one.clone()],
    };
    if !kinds.iter().any(is) {
        return Err(format!("{at}: {told} is not of {kinds:?}"));
    }
    if let (Some(all), Some(items)) = (told.as_array(), shape.get("items")) {
        return all.iter().enumerate().try_for_each(|(n, one)| fits(one, items, &format!("{at}/{n}")));
    }
    let (Some(fields), Some(known)) = (told.as_object(), shape["properties"].as_object()) else { return Ok(()) };
    let required = shape["required"].as_array().unwrap();
    if let Some(missing) = required.iter().find(|name| !fields.contains_key(name.as_str().unwrap())) {
        return Err(format!("{at}: {missing} is missing"));
    }
    fields.iter().try_for_each(|(name, value)| match known.get(name) {
        Some(shape) => fits(value, shape, &format!("{at}/{name}")),
        None if shape["additionalProperties"] == true => Ok(()),
        None => Err(format!("{at}: {name} is not described")),
    })
}

#[test]
fn every_read_says_what_the_command_line_says_of_the_living_and_the_dead() {
    let home = Home::new();
    home.create("ada", 7, &DREAMER);
    home.live("ada", Some(3_000));
    home.create("bob", 3, &["--template", "eth-dca"]);
    home.live("bob", Some(1_500));
    home.ok(&["golem", "kill", "bob", "--reason", "enough", "--yes"]);
    home.live("bob", None);
    let held = home.json(&["library", "list"])["entries"][0]["id"].as_str().expect("he left something").to_owned();
    let known = home.json_lines(&["grimoire", "export", "ada"]);
    let entry = known.iter().find_map(|row| row["entry"]["id"].as_str()).expect("it knows something").to_owned();
    let served = Served::start(&home);
    let mut asked = BTreeSet::new();
    let (_, described) = served.get("/api/openapi.json");
    let shape =
        |path: &str| &described["paths"][path]["get"]["responses"]["200"]["content"]["application/json"]["schema"];
    for name in DRAWN {
        let (code, told) = served.get(&format!("/api/golems/ada/{name}"));
        let shape = shape(&format!("/api/golems/{{id}}/{name}"));
        assert!(code == 200 && told.is_array(), "{name}: {told}");
        assert!(shape["items"]["properties"].is_object(), "{name} is described");
        fits(&told, shape, name).unwrap();
    }
    for (path, part, typed) in READS {
        for golem in ["ada", "bob", "nobody"] {
            let filled = |text: &str| text.replace("ID", golem).replace("ENTRY", &entry).replace("HELD", &held);
            let (code, told) = served.get(&filled(path));
            let typed = filled(typed);
            let said = home.bardo(&[&typed.split(' ').collect::<Vec<_>>()[..], &["--json"]].concat());
            asked.insert(path.split('?').next().unwrap().replace("ID", "{id}"));
            if said.code != 0 {
                assert!(code >= 400 && told["error"]["hint"].is_string(), "{typed}: {said:?}: {told}");
                continue;
            }
            assert_eq!(code, 200, "{typed}: {told}");
            let shape = shape(&path.split('?').next().unwrap().replace("ID", "{id}"));
            assert!(shape["properties"].is_object() || shape["items"]["properties"].is_object(), "{path} is described");
            fits(&told, shape, path).unwrap();
            let mut printed: Vec<Value> =
                serde_json::Deserializer::from_str(&said.out).into_iter().map(Result::unwrap).collect();
            // Logs are a line for each fact.
            let lines = typed.starts_with("golem logs");
            let printed = if lines { Value::Array(printed) } else { printed.remove(0) };
            if let Err(why) = says(told.pointer(part).unwrap(), &printed, "") {
                panic!("{path} of {golem} and `bardo {typed}`: {why}");
            }
        }
    }
    let reads = ROUTES.iter().filter(|r| matches!(r.kind, RouteKind::Read(_) | RouteKind::Relive(_)));
    let left: Vec<_> = reads.filter(|r| !asked.contains(r.path) && !DRAWN.contains(&r.name)).map(|r| r.path).collect();
    assert!(left.is_empty(), "reads that are compared with nothing: {left:?}");
}

/// A golem that speaks with siblings, before anybody has met it.
#[test]
fn how_a_golem_stands_with_its_clade_is_read_as_it_is_typed() {
    let home = Home::new();
    home.create("cara", 4, &["--set", "styx.enabled=true"]);
    let typed = home.json(&["clade", "status", "cara"]);
    assert!(typed[0]["owner"].is_string() && typed[0]["relay"].is_string(), "{typed}");
    let served = Served::start(&home);
    let (code, told) = served.get("/api/golems/cara/clade");
    assert_eq!((code, &told), (200, &typed));
    let (code, told) = served.get("/api/golems/cara/siblings");
    assert_eq!((code, told), (200, home.json(&["clade", "siblings", "cara"])));
}

/// Whoever looks at a copy of a golem within its home would give orders to the one that lives where it belongs.
#[test]
fn a_copy_is_not_told_as_the_golem_that_it_is_of() {
    let home = Home::new();
    let dir = home.create("ada", 7, &[]);
    home.live("ada", Some(20));
    let own = dir.file_name().unwrap().to_str().unwrap();
    let other = format!("{}{}", if own.starts_with('0') { '1' } else { '0' }, &own[1..]);
    crate::kit::copy_into(&dir, &dir.with_file_name(&other));
    let served = Served::start(&home);
    assert_eq!(served.get(&format!("/api/golems/{own}/status")).0, 200);
    let (code, told) = served.get(&format!("/api/golems/{other}/status"));
    assert_eq!(code, 409, "{told}");
    assert!(told.to_string().contains("lives in this home already"), "{told}");
}

/// Heads stand over their figures at the least width.
#[test]
fn figures_of_forecasts_stand_under_their_heads() {
    let home = Home::new();
    home.create("ada", 7, &[]);
    home.live("ada", Some(1_500));
    let printed = home.command(&["predictions", "ada"]).env("COLUMNS", "80").output().unwrap();
    let text = String::from_utf8(printed.stdout).unwrap();
    let ends = |line: &str| -> Vec<usize> {
        let all: Vec<char> = line.chars().collect();
        (18..all.len()).filter(|n| all[*n] != ' ' && all.get(n + 1).is_none_or(|c| *c == ' ')).collect()
    };
    let lines: Vec<&str> = text.lines().collect();
    let heads = ends(lines[0]);
    assert!(heads.len() == 8, "{text}");
    let rows: Vec<&str> = lines.iter().copied().skip(1).take_while(|l| !l.starts_with("skill:")).collect();
    let figures: Vec<&str> = rows.into_iter().filter(|line| !line.starts_with(' ')).collect();
    assert!(figures.len() > 3, "{text}");
    for row in figures {
        let here = ends(row);
        assert!(heads.iter().all(|end| here.contains(end)) && row.chars().count() <= 80, "{row}\n{text}");
    }
}
