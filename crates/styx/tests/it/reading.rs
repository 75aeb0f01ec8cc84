//! Reads over HTTP: what anybody may know, what an owner may, and that neither is more than it says.

use crate::client::Client;
use crate::kit::{Teller, golem, owner};
use crate::serving::{model_relay, run};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use styx_wire::*;

fn get(at: SocketAddr, path: &str, more: &str) -> (u16, String) {
    let mut stream = TcpStream::connect(at).unwrap();
    write!(stream, "GET {path} HTTP/1.1\r\nhost: {at}\r\nconnection: close\r\n{more}\r\n").unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).unwrap();
    let code = text.split(' ').nth(1).unwrap().parse().unwrap();
    (code, text.split_once("\r\n\r\n").unwrap().1.to_owned())
}

#[test]
fn health_figures_and_a_description_are_for_anybody() {
    let server = model_relay(RelayLimits::default());
    let at = server.address();
    for path in ["/health", "/ready", "/v1/styx/pulse", "/v1/styx/public"] {
        let (code, body) = get(at, path, "");
        assert_eq!(code, 200, "{path}: {body}");
        let _json: serde_json::Value = serde_json::from_str(&body).unwrap();
    }
    let (_, figures) = get(at, "/metrics", "");
    assert!(figures.contains("# TYPE styx_kept_total counter\nstyx_kept_total 0\n"), "{figures}");
    let (_, text) = get(at, "/openapi.json", "");
    let described: serde_json::Value = serde_json::from_str(&text).unwrap();
    for path in described["paths"].as_object().unwrap().keys() {
        let code = get(at, path, "").0;
        let known = described["paths"][path]["get"]["responses"].get(code.to_string());
        assert!(known.is_some(), "{path} answered {code}");
    }
    assert_eq!(get(at, "/nothing", "").0, 404);
    assert_eq!(get(at, "/health", "origin: https://evil.example\r\n").0, 403, "no page from elsewhere asks");
    server.stop();
}

#[test]
fn an_owner_reads_its_own_with_its_token_and_nothing_else() {
    let server = model_relay(RelayLimits::default());
    let at = server.address();
    let (one, two) = (Arc::new(owner(1)), Arc::new(owner(2)));
    let mut tokens = Vec::new();
    run(async {
        for owner in [&one, &two] {
            let mut teller = Teller::new(owner, golem(3));
            let mut client = Client::of(at, &teller).await;
            client.push(vec![teller.tell(DeltaKind::Insight, b"x")]).await;
            let Some(RelayFrame::Token(token)) = client.ask(GolemFrame::Token).await else { panic!() };
            tokens.push(token);
        }
    });
    let with = |token: &str, path: &str| get(at, path, &format!("authorization: Bearer {token}\r\n"));
    for path in ["log", "siblings", "graveyard", "archives", "field"] {
        let path = format!("/v1/styx/{path}");
        assert_eq!(get(at, &path, "").0, 401, "{path}");
        assert_eq!(with(&tokens[0], &path).0, 200, "{path}");
        // Another owner's name with this one's proof.
        let mixed = format!("{}.{}", two.id, tokens[0].split_once('.').unwrap().1);
        assert_eq!(with(&mixed, &path).0, 401);
        for bad in ["", ".", "x.y", &tokens[0][1..]] {
            assert_eq!(with(bad, &path).0, 401, "{path} {bad}");
        }
    }
    let siblings = with(&tokens[0], "/v1/styx/siblings").1;
    assert!(!siblings.contains(&two.id.to_string()), "{siblings}");
    // Closing an epoch closes its tokens.
    run(async {
        let mut client = Client::of(at, &Teller::new(&one, golem(4))).await;
        let close = ClosedEpochs {
            owner: one.id,
            least_epoch: 4,
            issued_s: 1,
            signature: one.sign(&ClosedEpochs::signing_hash(one.id, 4, 1)),
        };
        assert_eq!(client.ask(GolemFrame::Close(close)).await, Some(RelayFrame::Done));
    });
    assert_eq!(with(&tokens[0], "/v1/styx/log").0, 401);
    assert_eq!(with(&tokens[1], "/v1/styx/log").0, 200);
    server.stop();
}
