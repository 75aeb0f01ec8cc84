//! Who may come in, and with how much: addresses, hosts, origins, sizes, patience, and the way out.

use super::common::{Line, config, contracts, loopback, served};
use golem_chain::embedded::EmbeddedChain;
use golem_chain::serve::{ServeError, ServeLimits, start};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

const ASK: &[u8] = br#"{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[]}"#;

#[test]
fn an_address_that_others_can_reach_is_refused() {
    let Some(contracts) = contracts() else { return };
    for address in ["0.0.0.0:0", "[::]:0", "10.0.0.1:8545", "[::ffff:127.0.0.1]:0", "192.0.2.1:80"] {
        let chain = EmbeddedChain::open_in_memory(contracts, &config()).expect("a chain");
        let refused = start(chain, address.parse().expect("an address"), ServeLimits::default());
        assert!(matches!(refused, Err(ServeError::NotLoopback(_))), "{address}: {refused:?}");
    }
    let chain = || EmbeddedChain::open_in_memory(contracts, &config()).expect("a chain");
    let first = start(chain(), loopback(), ServeLimits::default()).expect("a server");
    let taken = start(chain(), first.address(), ServeLimits::default());
    assert!(matches!(taken, Err(ServeError::Listen { .. })), "{taken:?}");
    first.stop().expect("a clean end");
}

#[test]
fn only_programs_and_pages_of_this_machine_are_answered() {
    let Some(served) = served(ServeLimits::default()) else { return };
    let port = served.running.address().port();
    let hosts = [
        ("Host: localhost\r\n".to_owned(), true),
        (format!("Host: localhost:{port}\r\n"), true),
        (format!("Host: 127.0.0.1:{port}\r\n"), true),
        ("Host: [::1]:8545\r\n".to_owned(), true),
        (String::new(), false),
        ("Host: \r\n".to_owned(), false),
        ("Host: evil.example\r\n".to_owned(), false),
        (format!("Host: evil.example:{port}\r\n"), false),
        ("Host: localhost.evil.example\r\n".to_owned(), false),
        ("Host: 127.0.0.1.evil.example\r\n".to_owned(), false),
        ("Host: 0.0.0.0\r\n".to_owned(), false),
        ("Host: localhost\r\nHost: evil.example\r\n".to_owned(), false),
    ];
    let origins = [
        ("", true),
        ("Origin: http://localhost:3000\r\n", true),
        ("Origin: https://127.0.0.1\r\n", true),
        ("Origin: http://[::1]:5173\r\n", true),
        ("Origin: null\r\n", false),
        ("Origin: https://evil.example\r\n", false),
        ("Origin: http://localhost.evil.example\r\n", false),
        ("Origin: http://localhost@evil.example\r\n", false),
        ("Origin: file://\r\n", false),
        ("Origin: http://localhost\r\nOrigin: http://evil.example\r\n", false),
    ];
    for (host, known) in &hosts {
        for (origin, near) in &origins {
            let headers = format!("{host}{origin}Content-Type: application/json\r\n");
            let (status, body) = served.line().post_as(&headers, ASK).expect("an answer");
            // What hyper itself finds malformed it answers with 400.
            let fits = if *known && *near { status == 200 } else { status == 403 || status == 400 };
            assert!(fits, "{headers:?}: {status} {body}");
            assert_eq!(status == 200, body.contains("0x7a69"), "{headers:?}: {body}");
        }
    }
    let mut line = served.line();
    line.send(b"POST http://evil.example/ HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n").expect("sent");
    assert_eq!(line.answer().map(|a| a.0), Some(403));
    let mut line = served.line();
    line.send(b"OPTIONS / HTTP/1.1\r\nHost: localhost\r\nOrigin: http://evil.example\r\n\r\n").expect("sent");
    assert_eq!(line.answer().map(|a| a.0), Some(403));
    served.stop();
}

#[test]
fn what_is_no_call_by_http_has_its_status() {
    let Some(served) = served(ServeLimits::default()) else { return };
    let host = "Host: localhost\r\n";
    let plain = served.line().post_as(&format!("{host}Content-Type: text/plain\r\n"), ASK);
    assert_eq!(plain.map(|a| a.0), Some(415));
    let form = served.line().post_as(host, ASK);
    assert_eq!(form.map(|a| a.0), Some(415));
    for (first, want) in [("GET / HTTP/1.1", 405), ("DELETE / HTTP/1.1", 405), ("POST /other HTTP/1.1", 404)] {
        let mut line = served.line();
        line.send(format!("{first}\r\n{host}Content-Length: 0\r\n\r\n").as_bytes()).expect("sent");
        assert_eq!(line.answer().map(|a| a.0), Some(want), "{first}");
    }
    let told = served.line().post(br#"{"jsonrpc":"2.0","method":"eth_chainId"}"#);
    assert_eq!(told, Some((204, String::new())), "a notification has no answer");
    served.stop();
}

#[test]
fn a_request_that_is_too_large_is_refused_and_the_largest_is_not() {
    let Some(served) = served(ServeLimits::default()) else { return };
    let padded = |size: usize| {
        let mut body = ASK.to_vec();
        body.resize(size, b' ');
        body
    };
    assert_eq!(served.line().post(&padded(1 << 20)).map(|a| a.0), Some(200));
    // The answer may come while the body is still being sent, and be lost with it.
    let refused = served.line().post(&padded((1 << 20) + 1));
    assert!(matches!(&refused, None | Some((413, _))), "{refused:?}");
    let mut line = served.line();
    let head =
        "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n";
    line.send(head.as_bytes()).expect("sent");
    let chunk = [b"10000\r\n".as_slice(), &[b' '; 0x10000], b"\r\n"].concat();
    let sent = (0..64).try_for_each(|_| line.send(&chunk));
    let refused = line.answer();
    assert!(sent.is_err() || matches!(&refused, None | Some((413, _))), "{refused:?}");
    assert_eq!(served.call("eth_chainId", json!([])), "0x7a69");
    served.stop();
}

#[test]
fn batches_are_answered_in_order_and_have_a_limit() {
    let limits = ServeLimits { answer: 20_000, ..ServeLimits::default() };
    let Some(served) = served(limits) else { return };
    let call = |id: usize, method: &str| json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": [] });
    let batch = |n: usize| json!((0..n).map(|id| call(id, "eth_chainId")).collect::<Vec<_>>()).to_string();
    let (_, text) = served.line().post(batch(100).as_bytes()).expect("an answer");
    let answers: Vec<Value> = serde_json::from_str(&text).expect("a list");
    assert!(answers.iter().enumerate().all(|(at, a)| a["id"] == at && a["result"] == "0x7a69"), "{text}");
    let (status, text) = served.line().post(batch(101).as_bytes()).expect("an answer");
    assert!(status == 200 && text.contains("-32600"), "{text}");

    let mixed = json!([call(1, "eth_chainId"), 7, call(2, "nonsense"), { "jsonrpc": "2.0", "method": "eth_chainId" }]);
    let (_, text) = served.line().post(mixed.to_string().as_bytes()).expect("an answer");
    let answers: Vec<Value> = serde_json::from_str(&text).expect("a list");
    let codes: Vec<_> = answers.iter().map(|a| a["error"]["code"].as_i64()).collect();
    assert_eq!(codes, [None, Some(-32600), Some(-32601)], "a notification has no answer: {text}");
    let silent = json!([{ "jsonrpc": "2.0", "method": "eth_chainId" }]).to_string();
    assert_eq!(served.line().post(silent.as_bytes()), Some((204, String::new())));

    // Answers that together are too long: the first come whole, the others say why they do not.
    let code =
        |id: usize| json!({ "jsonrpc": "2.0", "id": id, "method": "eth_getCode", "params": [served.site.places.usdc] });
    let (_, text) =
        served.line().post(json!((0..20).map(code).collect::<Vec<_>>()).to_string().as_bytes()).expect("one");
    let answers: Vec<Value> = serde_json::from_str(&text).expect("a list");
    assert!(answers[0]["result"].is_string() && answers[19]["error"]["code"] == -32005, "{}", text.len());
    assert!(text.len() < 25_000);
    served.stop();
}

#[test]
fn whoever_dawdles_is_cut_off_and_others_are_served() {
    let patience = Duration::from_millis(300);
    let limits = ServeLimits { head: patience, body: patience, connections: 4, ..ServeLimits::default() };
    let Some(served) = served(limits) else { return };
    let mut slow: Vec<Line> = (0..4).map(|_| served.line()).collect();
    slow[0].send(b"POST / HTTP/1.1\r\nHost: loc").expect("sent");
    slow[1]
        .send(b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 50\r\n\r\n{")
        .expect("sent");
    // All seats are taken, two of them by nobody who says anything: this one waits for theirs.
    let since = Instant::now();
    assert_eq!(served.call("eth_chainId", json!([])), "0x7a69");
    assert!(since.elapsed() < Duration::from_secs(10), "{:?}", since.elapsed());
    assert_eq!(slow[1].answer().map(|a| a.0), Some(408));
    assert!(slow[0].answer().is_none_or(|a| a.0 == 408));
    served.stop();
}

#[test]
fn two_hundred_that_drip_keep_no_good_client_out() {
    let Some(served) = served(ServeLimits::default()) else { return };
    // Twice: with seats for all of them, and with more than there are seats.
    for many in [200, 600] {
        let mut slow: Vec<Line> = Vec::new();
        let mut good = served.line();
        assert_eq!(good.call("eth_chainId", json!([])), "0x7a69");
        for n in 0..many {
            let mut line = served.line();
            let part: &[u8] = match n % 3 {
                0 => b"POST /",
                1 => b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: appl",
                _ => {
                    b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 90\r\n\r\n{\"j"
                }
            };
            line.send(part).expect("sent");
            slow.push(line);
            if n % 20 == 0 {
                // A letter more from each that still has its seat: none of them is silent, and none of them finishes.
                for line in &mut slow {
                    let _cut_off = line.send(b"x");
                }
                let since = Instant::now();
                assert_eq!(served.call("eth_chainId", json!([])), "0x7a69", "a new one among {n}");
                assert_eq!(good.call("eth_chainId", json!([])), "0x7a69", "one that was there before {n}");
                assert!(since.elapsed() < Duration::from_secs(5), "{:?} among {n}", since.elapsed());
            }
        }
        assert_eq!(served.call("eth_chainId", json!([])), "0x7a69");
    }
    served.stop();
}

#[test]
fn stopping_gives_the_chain_back_and_frees_the_address() {
    let Some(served) = served(ServeLimits::default()) else { return };
    let address = served.running.address();
    let mut idle = served.line();
    assert_eq!(idle.call("eth_blockNumber", json!([])), "0x0");
    served.fund(alloy_primitives::Address::repeat_byte(5), 10);
    let since = Instant::now();
    let chain = served.stop();
    assert!(since.elapsed() < Duration::from_secs(4), "an idle connection holds nobody up");
    assert_eq!(chain.open_block().number, 2);
    let again = start(chain, address, ServeLimits::default()).expect("the address is free");
    assert_eq!(Line::to(address).call("eth_blockNumber", json!([])), "0x1");
    again.stop().expect("a clean end");
}
