//! Who is let in, and what each route says.

use crate::kit::Owned;
use golem_home::HomeReader;
use golem_serve::{ROUTES, WebAddress, WebFault, WebLimits, start};
use serde_json::{Value, json};

/// All that a page of this server may do: any part that is left out, or made wider, is a hole.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; \
                      base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

#[test]
fn nobody_gets_in_without_the_token_or_from_elsewhere() {
    let owned = Owned::new();
    owned.lived("ada", 30);
    let client = owned.serve();
    let (host, token) = (format!("host: {}", client.host()), format!("authorization: Bearer {}", client.token));
    let paths: Vec<(bool, String)> = ROUTES.iter().map(|r| (r.is_post(), r.path.replace("{id}", "ada"))).collect();
    for (post, path) in &paths {
        let first = format!("{} {path}", if *post { "POST" } else { "GET" });
        let basic = format!("authorization: Basic {}", client.token);
        let wrong = format!("authorization: Bearer {}", client.token.chars().rev().collect::<String>());
        for lines in [&[&host[..]][..], &[&host, &basic], &[&host, &wrong], &[&host, &token, &token]] {
            let said = client.raw(&first, lines, "");
            assert_eq!(said.code, 401, "{path}: {said:?}");
            assert!(!said.body.contains("ada") && said.json()["error"]["hint"].is_string(), "{said:?}");
            assert!(said.head.to_lowercase().contains("www-authenticate: bearer"), "{said:?}");
        }
        for (line, code) in [("origin: http://evil.example", 403), ("sec-fetch-site: cross-site", 403)] {
            assert_eq!(client.raw(&first, &[&host, &token, line], "").code, code, "{path}: {line}");
        }
        let rebound = client.raw(&first, &["host: evil.example", &token], "");
        assert_eq!(rebound.code, 421, "{path}: {rebound:?}");
        // One name beside another, and a name in the address that is not the one in the head.
        let both = client.raw(&first, &[&host, "host: evil.example", &token], "");
        assert!([400, 421].contains(&both.code), "{path}: {both:?}");
        let twice = client.raw(&first, &[&host, &host, &token], "");
        assert!([400, 421].contains(&twice.code), "{path}: {twice:?}");
        let (method, _) = first.split_once(' ').unwrap();
        let whole = format!("{method} http://evil.example{path}");
        assert_eq!(client.raw(&whole, &[&host, &token], "").code, 421, "{path}");
    }
    // The page itself holds nothing of anybody's, and is there for whoever opens it by its own name.
    for path in ["/", "/golem/ada", "/obituary/ada", "/graveyard", "/library", "/style.css", "/app.js"] {
        let said = client.raw(&format!("GET {path}"), &[&host], "");
        assert_eq!(said.code, 200, "{path}");
        let head = said.head.to_lowercase();
        let policies: Vec<&str> = head.lines().filter_map(|l| l.strip_prefix("content-security-policy: ")).collect();
        assert_eq!(policies, [POLICY], "{path}: each of its parts, and no other policy beside it");
        for line in [
            "x-content-type-options: nosniff",
            "x-frame-options: deny",
            "referrer-policy: no-referrer",
            "cross-origin-resource-policy: same-origin",
            "cross-origin-opener-policy: same-origin",
        ] {
            assert!(head.lines().any(|said| said == line), "{line}: {head}");
        }
        assert!(!head.contains("access-control-allow"), "{head}");
        assert_eq!(client.raw(&format!("GET {path}"), &["host: evil.example"], "").code, 421);
    }
    client.server.stop();
}

#[test]
fn every_route_answers_with_what_the_reader_says() {
    let owned = Owned::new();
    let dir = owned.lived("ada", 300);
    let client = owned.serve();
    let home = HomeReader::open(owned.home());
    for route in ROUTES.iter().filter(|r| !r.is_post() && !r.path.ends_with("events")) {
        let words: Vec<&str> = route.words.iter().map(|word| word.name).collect();
        let words = match words[..] {
            ["q", ..] => "?q=gas",
            ["entry"] => "?entry=00",
            _ => "",
        };
        let path = format!("{}{words}", route.path.replace("{id}", "ada"));
        let said = client.get(&path);
        // It lives and has left nothing, does not dream, has no page yet, and nothing begins so.
        let none = ["dream", "dream_stats", "playbook_lint", "playbook_diff", "grimoire_entry", "library_entry"];
        let code = match route.name {
            "testament" => 404,
            name if none.contains(&name) => 409,
            // Whether it was surprised yet is its own affair.
            "grimoire_why" => said.code,
            _ => 200,
        };
        assert_eq!(said.code, code, "{path}: {said:?}");
        assert!(said.head.to_lowercase().contains("cache-control: no-store"), "{path}");
    }
    let told = |path: &str| client.get(path).json();
    assert_eq!(told("/api/golems/ada/status")["tick"], json!(300));
    assert_eq!(told("/api/golems/ada/vitals"), serde_json::to_value(home.vitals("ada").unwrap()).unwrap());
    assert_eq!(told("/api/golems")[0]["name"], json!("ada"));
    assert_eq!(told("/api/golems")[0]["glance"]["vitality"], told("/api/golems/ada/status")["vitality"]);
    let series = told("/api/golems/ada/series?points=10");
    assert!(series.as_array().unwrap().len() <= 11 && series[0]["vitality"]["composite"].is_number(), "{series}");
    let facts = told("/api/golems/ada/facts?limit=5");
    let first = facts[0]["seq"].as_u64().unwrap();
    let again = told(&format!("/api/golems/ada/facts?limit=5&after={first}"));
    assert_eq!(again.as_array().unwrap()[..], facts.as_array().unwrap()[1..]);
    assert!(told("/api/golems/ada/suffering")["remedies"].is_object());
    let id = dir.file_name().unwrap().to_str().unwrap();
    assert_eq!(told(&format!("/api/golems/{}/status", &id[..6]))["name"], json!("ada"));
    let metrics = client.get("/metrics").body;
    for line in [
        "bardo_golems{standing=\"alive\"} 1",
        &format!("bardo_golem_turns{{golem=\"ada\",id=\"{id}\"}} 300"),
        "# TYPE bardo_serve_streams gauge",
    ] {
        assert!(metrics.lines().any(|l| l == line), "{line} in {metrics}");
    }
    client.server.stop();
}

#[test]
fn what_is_asked_wrongly_is_refused_with_a_hint() {
    let owned = Owned::new();
    owned.lived("ada", 10);
    owned.born("unborn-yet");
    let client = owned.serve();
    for (path, code) in [
        ("/api/golems/eve/status", 404),
        ("/api/golems/unborn-yet/status", 409),
        ("/api/golems/ada/testament", 404),
        ("/api/golems/ada/facts?limit=0", 400),
        ("/api/golems/ada/facts?limit=many", 400),
        ("/api/golems/ada/facts?lmit=3", 400),
        ("/api/golems/ada/grimoire", 400),
        ("/api/golems/%ff/status", 400),
        ("/api/golems/a/b/status", 404),
        ("/api/golems//status", 404),
        ("/api/nothing", 404),
        ("/api/golems/..%2f..%2fetc/status", 404),
    ] {
        let said = client.get(path);
        assert_eq!(said.code, code, "{path}: {said:?}");
        let error = &said.json()["error"];
        assert!(error["message"].is_string() && error["hint"].is_string() && error["kind"].is_string(), "{said:?}");
    }
    let [host, token] = [format!("host: {}", client.host()), format!("authorization: Bearer {}", client.token)];
    for (first, allow) in [
        ("DELETE /api/golems/ada/status", "get"),
        ("POST /api/golems/ada/status", "get"),
        ("TRACE /metrics", "get"),
        ("GET /api/golems/ada/orders", "post"),
        ("POST /", "get, head"),
    ] {
        let said = client.raw(first, &[&host, &token], "");
        assert!(said.code == 405 && said.head.to_lowercase().contains(&format!("\r\nallow: {allow}\r\n")), "{said:?}");
    }
    let bad = client.raw("GET /api/golems/ada/events", &[&host, &token, "last-event-id: x"], "");
    assert_eq!(bad.code, 400, "{bad:?}");
    client.server.stop();
}

#[test]
fn orders_go_through_the_inbox_and_a_death_is_said_with_its_name() {
    let owned = Owned::new();
    let dir = owned.lived("ada", 10);
    let client = owned.serve();
    let at = "/api/golems/ada/orders";
    for (body, code) in [
        ("{\"order\":\"dance\"}", 400),
        ("{\"order\":\"feed\"}", 400),
        ("{\"order\":\"feed\",\"usdc\":\"0\"}", 409),
        ("{\"order\":\"feed\",\"usdc\":\"-1\"}", 400),
        ("{\"order\":\"feed\",\"usdc\":\"1\",\"more\":1}", 400),
        ("{\"order\":\"tell\",\"text\":\"  \"}", 409),
        ("{\"order\":\"kill\",\"reason\":\"x\"}", 400),
        ("{\"order\":\"kill\",\"reason\":\"x\",\"confirm\":\"eve\"}", 400),
        ("[]", 400),
        ("", 400),
    ] {
        let said = client.post(at, body);
        assert_eq!(said.code, code, "{body}: {said:?}");
    }
    let [host, token] = [format!("host: {}", client.host()), format!("authorization: Bearer {}", client.token)];
    let form = client.raw(&format!("POST {at}"), &[&host, &token, "content-type: text/plain"], "{\"order\":\"pause\"}");
    assert_eq!(form.code, 415, "a form of another page could send this");
    let long = format!("{{\"order\":\"tell\",\"text\":\"{}\"}}", "x".repeat(70_000));
    assert_eq!(client.post(at, &long).code, 413);
    let orders = || golem_runtime::Reader::open(&dir).unwrap().orders().unwrap().len();
    assert_eq!(orders(), 0, "nothing that was refused is in its inbox");
    let said = client.post(at, "{\"order\":\"feed\",\"usdc\":\"2.50\"}");
    assert_eq!((said.code, &said.json()["waiting"]), (200, &json!(true)), "{said:?}");
    let said = client.post(at, "{\"order\":\"kill\",\"reason\":\"enough\",\"confirm\":\"ada\"}");
    assert_eq!(said.code, 200, "{said:?}");
    assert_eq!(orders(), 2);
    owned.live(&dir, 200);
    let status = client.get("/api/golems/ada/status").json();
    assert_eq!(status["standing"], json!("dead"), "{}", status["death"]);
    let late = client.post(at, "{\"order\":\"pause\"}");
    assert_eq!(late.code, 409, "{late:?}");
    let story = client.get("/api/golems/ada/obituary").json();
    assert!(story["cause_in_words"].as_str().is_some_and(|words| words.contains("enough")), "{story}");
    assert!(story["last_words"].is_string(), "{story}");
    assert_eq!(client.get("/api/golems/ada/testament").code, 200);
    assert_eq!(client.get("/api/graveyard").json()["graves"][0]["name"], json!("ada"));
    client.server.stop();
}

#[test]
fn the_description_says_every_route_and_no_other() {
    let owned = Owned::new();
    let client = owned.serve();
    let told = client.get("/api/openapi.json").json();
    let paths = told["paths"].as_object().unwrap();
    let mut described: Vec<(String, bool)> = Vec::new();
    for (path, operations) in paths {
        for (method, operation) in operations.as_object().unwrap() {
            described.push((path.clone(), method == "post"));
            let named: Vec<&str> = path.split(['{', '}']).skip(1).step_by(2).collect();
            let parameters = operation["parameters"].as_array().unwrap();
            let in_path: Vec<&Value> = parameters.iter().filter(|p| p["in"] == "path").map(|p| &p["name"]).collect();
            assert_eq!(json!(named), json!(in_path), "{path}");
            assert!(operation["responses"]["401"].is_object() && operation["operationId"].is_string(), "{path}");
        }
    }
    let mut served: Vec<(String, bool)> = ROUTES.iter().map(|r| (r.path.to_owned(), r.is_post())).collect();
    described.sort();
    served.sort();
    assert_eq!(described, served);
    client.server.stop();
}

#[test]
fn another_address_needs_a_word() {
    let owned = Owned::new();
    let at = |anywhere| WebAddress { listen: "0.0.0.0:0".parse().unwrap(), anywhere };
    let refused = start(owned.home(), at(false), WebLimits::default()).unwrap_err();
    assert!(matches!(refused, WebFault::NotLoopback(_)) && refused.hint().is_some_and(|h| h.contains("--anywhere")));
    assert!(!owned.home().path().join(golem_serve::TOKEN_FILE).exists(), "nothing was begun");
    start(owned.home(), at(true), WebLimits::default()).unwrap().stop();
}
