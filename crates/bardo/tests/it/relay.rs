//! `bardo styx` as a person uses it: a relay that runs, says how it is, lets in whom it should, and ends without losing a word.

#![allow(dead_code, unused_imports, unexpected_cfgs, reason = "the golem's side is that of the relay's own tests")]

#[path = "../../../styx/tests/it/client.rs"]
mod client;
#[path = "../../../styx/tests/it/kit.rs"]
mod kit;

use crate::kit::{Home, Running, Said};
use client::Client;
use kit::{Teller, golem, owner};
use serde_json::Value;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::PathBuf;
use std::sync::Arc;
use styx_wire::{DeltaKind, DeltaReceipt, RefuseReason};

fn starting(home: &Home, more: &[&str]) -> Running {
    Running::start(home, &[&["styx", "run"], more].concat())
}

fn door(relay: &Running) -> SocketAddr {
    relay.address().parse().unwrap()
}

fn run<T>(test: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(test)
}

fn shared(file: &str) -> String {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../styx/tests/it/tls").join(file);
    path.display().to_string()
}

#[test]
fn it_is_asked_how_it_is_and_stops_without_losing_a_word() {
    let home = Home::new();
    let relay = starting(&home, &[]);
    assert!(relay.url().starts_with("ws://127.0.0.1:") && relay.url().ends_with("/v1/styx/ws"), "{}", relay.told);
    let (at, one) = (door(&relay), Arc::new(owner(1)));
    let mut teller = Teller::new(&one, golem(3));
    // It is told to stop while golems are telling: what it has acknowledged by then is kept, and nothing is kept twice.
    let acknowledged = run(async {
        let mut client = Client::of(at, &teller).await;
        let mut acknowledged = 0;
        for n in 0..90 {
            if n == 40 {
                relay.tell_to_stop();
            }
            if !client::say(
                &mut client.socket,
                &styx_wire::GolemFrame::Push(vec![teller.tell(DeltaKind::Insight, &[n])]),
            )
            .await
            {
                break;
            }
            match client.answer().await {
                Some(styx_wire::RelayFrame::Ack(receipts)) => {
                    assert!(matches!(receipts[..], [DeltaReceipt::Kept { .. }]), "{receipts:?}");
                    acknowledged += 1;
                }
                last => {
                    let goodbye = Some(styx_wire::RelayFrame::Refuse(RefuseReason::Stopping));
                    assert!(last.is_none() || last == goodbye, "{last:?}");
                    break;
                }
            }
        }
        acknowledged
    });
    assert!((40..90).contains(&acknowledged), "{acknowledged}");
    assert_eq!(relay.code(), Some(0), "a request to stop is followed");
    // The same file, another process.
    let relay = starting(&home, &[]);
    let first = home.json(&["styx", "status", "--relay", relay.url()]);
    assert_eq!((&first["ready"], &first["golems"], &first["log"]), (&true.into(), &0.into(), &Value::Null), "{first}");
    let chain = run(async { Client::of(door(&relay), &teller).await.welcome.chain.unwrap().seq });
    assert!(chain == acknowledged || chain == acknowledged + 1, "{chain} kept of {acknowledged} acknowledged");
    let id = format!("0x{}", one.id);
    let token = home.json(&["styx", "token", &id])["token"].as_str().unwrap().to_owned();
    assert_eq!(home.ok(&["styx", "token", &id]).out.trim(), token, "the same, however it is asked for");
    let file = home.path().join("owner.token");
    std::fs::write(&file, &token).unwrap();
    let url = relay.url().to_owned();
    let asked = ["styx", "status", "--relay", &url, "--token-file", file.to_str().unwrap()];
    let told = home.json(&asked);
    assert_eq!(told["log"]["head"], chain, "{told}");
    assert_eq!(told["siblings"].as_array().unwrap().len(), 1, "{told}");
    let words = home.ok(&asked).out;
    assert!(words.starts_with("ready; ") && words.contains(&format!("the owner's log is at {chain}")), "{words}");
    // Another owner's token is none of this one's, and one that was changed is nobody's.
    std::fs::write(&file, token.replacen(&token[..1], if token.starts_with('0') { "1" } else { "0" }, 1)).unwrap();
    let said = home.bardo(&asked);
    assert!(said.code == 1 && said.err.contains("hint: ") && !said.err.contains(&token), "{said:?}");
    // One at a time on a file.
    let said = home.bardo(&["styx", "run", "--listen", "127.0.0.1:0"]);
    assert!(said.code == 3 && said.err.contains("another relay runs") && said.err.contains("hint: "), "{said:?}");
    relay.tell_to_stop();
    assert_eq!(relay.code(), Some(0));
    let said = home.bardo(&asked[..2]);
    assert!(said.code == 1 && said.err.contains("bardo styx run"), "{said:?}");
}

#[test]
fn it_serves_whom_it_was_told_to_and_shows_its_certificate() {
    let home = Home::new();
    let (cert, key) = (shared("cert.pem"), shared("key.pem"));
    let (one, two) = (owner(1), owner(2));
    let id = format!("0x{}", one.id);
    let relay = starting(&home, &["--owner", &id, "--tls-cert", &cert, "--tls-key", &key]);
    let asked = format!("https://localhost:{}", door(&relay).port());
    assert!(home.json(&["styx", "status", "--relay", &asked, "--ca", &cert])["ready"].as_bool().unwrap());
    let said = home.bardo(&["styx", "status", "--relay", &asked]);
    assert!(said.code == 1 && said.err.contains("--ca"), "a certificate that nobody vouched for: {said:?}");
    drop(relay);
    let relay = starting(&home, &["--owner", &id]);
    run(async {
        assert!(Client::enter(door(&relay), &one, &golem(3)).await.is_ok());
        let refused = Client::enter(door(&relay), &two, &golem(3)).await.err();
        assert_eq!(refused, Some(Some(RefuseReason::NotAdmitted)));
    });
}

#[test]
fn what_it_cannot_do_is_said_with_a_hint() {
    let home = Home::new();
    let held = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let taken = held.local_addr().unwrap().to_string();
    let nobody = format!("http://{taken}");
    let cert = shared("cert.pem");
    let cases: &[(&[&str], i32, &str)] = &[
        (&["run", "--listen", "0.0.0.0:0"], 2, "--anywhere"),
        (&["run", "--listen", "8080"], 2, "--listen"),
        (&["run", "--listen", &taken], 1, &taken),
        (&["run", "--threads", "0"], 2, "--threads"),
        (&["run", "--store", "mysql://me:secret@host/x"], 2, "sqlite:PATH"),
        (&["run", "--store", "sqlite:"], 2, "sqlite:PATH"),
        (&["run", "--store", "sqlite:/proc/nowhere/relay.db"], 1, "hint: "),
        (&["run", "--archive", ""], 2, "--archive"),
        (&["run", "--nats", "nats://127.0.0.1:1"], 2, "postgres://"),
        (&["run", "--name", "styx.example.org"], 2, "styx.example.org:443"),
        (&["run", "--name", "a b:1"], 2, "styx.example.org:443"),
        (&["run", "--owner", "0x12"], 2, "40 digits"),
        (&["run", "--tls-cert", &cert], 2, "--tls-key"),
        (&["run", "--tls-cert", &cert, "--tls-key", &cert], 2, "PEM"),
        (&["run", "--tls-cert", "/nowhere", "--tls-key", "/nowhere"], 2, "PEM"),
        (&["status", "--relay", "ftp://127.0.0.1"], 2, "http://127.0.0.1:7078"),
        (&["status", "--relay", "http://a b/"], 2, "http://127.0.0.1:7078"),
        (&["status", "--relay", "http://127.0.0.1:1"], 1, "bardo styx run"),
        (&["status", "--relay", &nobody, "--token-file", "/nowhere"], 2, "styx token"),
        (&["status", "--relay", &nobody, "--ca", "/dev/null"], 2, "PEM"),
        (&["token"], 2, "<OWNER>"),
        (&["token", "zz"], 2, "40 digits"),
        (&["token", &"ab".repeat(20), "--store", "sqlite:/nowhere/relay.db"], 1, "bardo styx run"),
    ];
    for (args, code, words) in cases {
        let said = home.bardo(&[&["styx"], *args].concat());
        assert_eq!(said.code, *code, "{args:?}: {said:?}");
        assert!(said.err.contains(words) && said.out.is_empty(), "{args:?}: {said:?}");
        assert!(said.err.contains("hint: ") || said.err.contains("--help"), "{args:?}: {said:?}");
        assert!(!said.err.contains("secret"), "{args:?}: {said:?}");
    }
    // To ask for a token makes no relay.
    let file = home.path().join("other.db");
    let store = format!("sqlite:{}", file.display());
    assert!(home.bardo(&["styx", "token", &"ab".repeat(20), "--store", &store]).code == 1 && !file.exists());
}

/// What others build with more in it says so; this one says what is missing.
#[cfg(not(any(feature = "styx-postgres", feature = "styx-nats", feature = "styx-s3")))]
#[test]
fn what_this_build_is_without_is_said() {
    let home = Home::new();
    for (args, feature) in [
        (["--store", "postgres://me:secret@127.0.0.1:1/x"], "styx-postgres"),
        (["--archive", "s3://bucket/folder"], "styx-s3"),
    ] {
        let said = home.bardo(&[&["styx", "run", "--listen", "127.0.0.1:0"], &args[..]].concat());
        assert!(said.code == 2 && said.err.contains(feature) && !said.err.contains("secret"), "{said:?}");
    }
}
