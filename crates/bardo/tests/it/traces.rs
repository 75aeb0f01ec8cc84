//! Traces from outside: a golem that is traced lives the same life, and a collector that stalls keeps nobody waiting.

use crate::kit::Home;
use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

/// What a collector is sent: the lines of the head, and the body.
struct Sent {
    head: Vec<String>,
    body: Value,
}

/// A collector; it takes all that it is sent.
fn collector() -> (String, Receiver<Sent>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let (told, heard) = channel();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let (told, mut stream) = (told.clone(), BufReader::new(stream.unwrap()));
            std::thread::spawn(move || {
                loop {
                    let (mut length, mut line, mut head) = (0, String::new(), Vec::new());
                    while stream.read_line(&mut line).unwrap_or(0) > 0 && line != "\r\n" {
                        let lower = line.to_lowercase();
                        length = lower.strip_prefix("content-length:").map_or(length, |n| n.trim().parse().unwrap());
                        head.push(line.trim_end().to_owned());
                        line.clear();
                    }
                    let mut body = vec![0; length];
                    if length == 0 || stream.read_exact(&mut body).is_err() {
                        return;
                    }
                    let _gone = told.send(Sent { head, body: serde_json::from_slice(&body).unwrap() });
                    let answered = stream.get_mut().write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}");
                    if answered.is_err() {
                        return;
                    }
                }
            });
        }
    });
    (url, heard)
}

const RUN: [&str; 7] = ["golem", "run", "ada", "--speed", "max", "--ticks", "300"];

#[test]
fn every_turn_is_a_trace_and_the_life_is_the_same() {
    let (home, plain) = (Home::new(), Home::new());
    for home in [&home, &plain] {
        home.create("ada", 7, &[]);
    }
    plain.ok(&RUN);
    let (url, heard) = collector();
    let mut run = home.command(&RUN);
    run.env("OTEL_EXPORTER_OTLP_ENDPOINT", &url)
        .env("OTEL_EXPORTER_OTLP_HEADERS", "authorization=Basic%20YTpi,x-more=1");
    let said = run.output().unwrap();
    let words = String::from_utf8(said.stderr).unwrap();
    assert!(said.status.success() && words.contains("traces: 300 spans sent, 0 dropped"), "{words}");
    let sent: Vec<Sent> = heard.try_iter().collect();
    for one in &sent {
        assert!(one.head.iter().any(|line| line == "authorization: Basic YTpi"), "decoded on the way: {:?}", one.head);
        assert!(one.head.iter().any(|line| line == "x-more: 1"), "{:?}", one.head);
    }
    let messages: Vec<Value> = sent.into_iter().map(|one| one.body).collect();
    let spans = messages.iter().flat_map(|m| m["resourceSpans"][0]["scopeSpans"][0]["spans"].as_array().unwrap());
    let ticks: Vec<u64> = spans
        .map(|span| {
            assert_eq!((&span["name"], span["traceId"].as_str().unwrap().len()), (&Value::from("golem.turn"), 32));
            let all = span["attributes"].as_array().unwrap();
            let tick = all.iter().find(|one| one["key"] == "golem.tick").unwrap();
            tick["value"]["intValue"].as_str().unwrap().parse().unwrap()
        })
        .collect();
    assert_eq!(ticks, (1..=300).collect::<Vec<u64>>());
    assert_eq!(home.hash("ada"), plain.hash("ada"), "looking on changes nothing");
}

#[test]
fn a_collector_that_stalls_or_is_none_keeps_nobody_from_living() {
    let home = Home::new();
    home.create("ada", 7, &[]);
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let silent = format!("http://{}", silent.local_addr().unwrap());
    for (url, told) in [
        (silent.as_str(), "0 spans sent, 300 dropped"),
        ("http://127.0.0.1:1", "0 spans sent"),
        ("nowhere", "no traces:"),
    ] {
        let before = Instant::now();
        let said = home.command(&RUN).env("OTEL_EXPORTER_OTLP_ENDPOINT", url).output().unwrap();
        let words = String::from_utf8(said.stderr).unwrap();
        assert!(said.status.success() && words.contains(told), "{url}: {words}");
        assert!(before.elapsed() < Duration::from_secs(30), "{url}: {:?}", before.elapsed());
    }
    let off = home.command(&RUN).env("OTEL_EXPORTER_OTLP_ENDPOINT", silent).env("OTEL_SDK_DISABLED", "true").output();
    assert!(!String::from_utf8(off.unwrap().stderr).unwrap().contains("traces"));
}
