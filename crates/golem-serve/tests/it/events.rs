//! Live events: none is missed, whoever comes back, however many listen, and whoever does not.

use crate::kit::{Client, Owned};
use golem_serve::WebLimits;
use serde_json::json;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

#[test]
fn whoever_comes_back_misses_nothing() {
    let owned = Owned::new();
    let dir = owned.lived("ada", 50);
    owned.says(&dir, 1_200);
    let client = owned.serve();
    // Everything from the first fact on, out of the file.
    let mut all = client.listen("/api/golems/ada/events?after=0", None);
    let mut heard: Vec<u64> = (0..700).map(|_| all.next_fact().unwrap()).collect();
    drop(all);
    // The server is another one by now, and the client is where it was.
    client.server.stop();
    let until = owned.says(&dir, 300);
    let client = owned.serve();
    let last = heard.last().unwrap().to_string();
    let mut again = client.listen("/api/golems/ada/events", Some(&last));
    let mut hear_until = |until: u64| {
        while *heard.last().unwrap() < until {
            heard.push(again.next_fact().unwrap());
        }
        let reader = golem_runtime::Reader::open(&dir).unwrap();
        let kept = reader.facts(Some(golem_core::Seq(0)), None, 100_000).unwrap();
        assert_eq!(heard, kept.iter().map(|row| row.seq.0).collect::<Vec<_>>());
    };
    hear_until(until);
    // And what happens from here on comes live.
    hear_until(owned.says(&dir, 20));
    client.server.stop();
}

#[test]
fn how_it_stands_comes_with_the_place_of_the_last_fact() {
    let owned = Owned::new();
    let dir = owned.lived("ada", 5);
    let client = owned.serve();
    let mut quiet = client.listen("/api/golems/ada/events?facts=none", None);
    owned.live(&dir, 30);
    loop {
        let (id, kind, data) = quiet.next().unwrap();
        assert_eq!(kind, "status", "only how it stands was asked for");
        if data["tick"] == json!(35) {
            let reader = golem_runtime::Reader::open(&dir).unwrap();
            let last = reader.last_facts(None, 1).unwrap()[0].seq.0;
            assert_eq!(id, last.to_string());
            break;
        }
    }
    client.server.stop();
}

/// Fifty clients and a golem of which a thousand things a second are told; beside them one that never reads. Nobody misses
/// anything but who was dropped, and a golem that lives meanwhile is not kept.
#[test]
fn fifty_listen_to_a_thousand_events_a_second_and_one_stalls() {
    let owned = Owned::new();
    let dir = owned.lived("ada", 5);
    let client = owned.serve_with(WebLimits { stall: Duration::from_secs(1), ..WebLimits::default() });
    let first = owned.says(&dir, 1);
    let stalled = client.listen("/api/golems/ada/events?after=0", None);
    let place = first.to_string();
    let listening: Vec<_> = (0..50).map(|_| client.listen("/api/golems/ada/events", Some(&place))).collect();
    let ears: Vec<_> = listening
        .into_iter()
        .map(|mut ear| {
            std::thread::spawn(move || {
                let heard = (0..5_000).map(|_| ear.next_fact().expect("the stream goes on"));
                heard.collect::<Vec<_>>()
            })
        })
        .collect();
    let (begun, mut slowest) = (Instant::now(), Duration::ZERO);
    for n in 1..=50 {
        let told = Instant::now();
        owned.says(&dir, 100);
        slowest = slowest.max(told.elapsed());
        std::thread::sleep(Duration::from_millis(100 * n).saturating_sub(begun.elapsed()));
    }
    for ear in ears {
        assert_eq!(ear.join().unwrap(), (first + 1..=first + 5_000).collect::<Vec<_>>(), "a gap");
    }
    assert!(slowest < Duration::from_secs(2), "nobody who writes waits for who listens: {slowest:?}");
    // Who never reads fills its socket and is dropped.
    let until = Instant::now() + Duration::from_secs(60);
    while !client.get("/metrics").body.lines().any(|line| line == "bardo_serve_stalled_total 1") {
        assert!(Instant::now() < until, "who stalls is dropped");
        owned.says(&dir, 2_000);
    }
    drop(stalled);
    client.server.stop();
}

/// Who asks for the page again and again, without a token, and reads none of it loses its seat: otherwise a few hundred of them would
/// keep the owner out for as long as they like.
#[test]
fn who_asks_and_does_not_read_is_gone_and_its_seat_is_free() {
    let owned = Owned::new();
    owned.lived("ada", 5);
    let stall = Duration::from_secs(1);
    let client = owned.serve_with(WebLimits { stall, connections: 4, ..WebLimits::default() });
    let ask = format!("GET /golem.js HTTP/1.1\r\nhost: {}\r\n\r\n", client.host()).repeat(1_200);
    let deaf: Vec<TcpStream> = (0..4)
        .map(|_| {
            let mut stream = TcpStream::connect(client.server.address()).unwrap();
            stream.set_write_timeout(Some(Duration::from_millis(500))).unwrap();
            // What the server does not take any more stays with whoever sends it.
            let _full = stream.write_all(ask.as_bytes());
            stream
        })
        .collect();
    // The one who counts them takes the seat of one.
    let until = Instant::now() + Duration::from_secs(30);
    let stalled = || figure(&client, "bardo_serve_stalled_total").unwrap_or(0);
    while stalled() < 3 {
        assert!(Instant::now() < until, "the seats of who does not read stay taken: {}", stalled());
        std::thread::sleep(Duration::from_millis(200));
    }
    assert!(gets_in(&client));
    drop(deaf);
    client.server.stop();
}

/// A figure of the server; none where it was not told.
fn figure(client: &Client, name: &str) -> Option<u64> {
    let page = client.get("/metrics").body;
    page.lines().find_map(|line| line.strip_prefix(name)?.trim().parse().ok())
}

/// Strangers who do all that may be done without a token, in time and again and again, have every seat: the owner gets in at the first
/// knock, what the owner listens to goes on, and no more than the seats are ever taken.
#[test]
fn the_owner_gets_in_whoever_has_the_seats() {
    let owned = Owned::new();
    let dir = owned.lived("ada", 5);
    let client = owned.serve_with(WebLimits { connections: 8, ..WebLimits::default() });
    let until = owned.says(&dir, 1);
    let mut hears = client.listen("/api/golems/ada/events", Some(&until.to_string()));
    let (address, host) = (client.server.address(), client.host());
    let over = Arc::new(AtomicBool::new(false));
    let strangers: Vec<_> = (0..24)
        .map(|n| {
            let (over, host) = (Arc::clone(&over), host.clone());
            std::thread::spawn(move || {
                let ask = format!("GET /golem.js HTTP/1.1\r\nhost: {host}\r\n\r\n");
                let mut said = vec![0; if n % 2 == 0 { 64 } else { 64 << 10 }];
                while !over.load(Ordering::Relaxed) {
                    let Ok(mut stream) = TcpStream::connect(address) else { continue };
                    stream.set_read_timeout(Some(Duration::from_millis(300))).unwrap();
                    // Half of them read a little at a time, and steadily; the other half asks for more as soon as it has all.
                    let asks = if n % 2 == 0 { ask.repeat(50) } else { ask.clone() };
                    while !over.load(Ordering::Relaxed) && stream.write_all(asks.as_bytes()).is_ok() {
                        match stream.read(&mut said) {
                            Ok(0) | Err(_) => break,
                            Ok(_) => std::thread::sleep(Duration::from_millis(20)),
                        }
                    }
                }
            })
        })
        .collect();
    std::thread::sleep(Duration::from_millis(300));
    for n in 0..20 {
        assert!(gets_in(&client), "knock {n}");
        std::thread::sleep(Duration::from_millis(30));
    }
    let told = owned.says(&dir, 50);
    while hears.next_fact().expect("the owner's stream goes on") < told {}
    over.store(true, Ordering::Relaxed);
    for stranger in strangers {
        stranger.join().unwrap();
    }
    client.server.stop();
}

/// Who gives way is gone at once: seats that are taken twice would be no limit.
#[test]
fn whoever_gives_way_is_gone() {
    let owned = Owned::new();
    owned.lived("ada", 5);
    let patient = Duration::from_secs(60);
    let client = owned.serve_with(WebLimits { connections: 3, head: patient, stall: patient, ..WebLimits::default() });
    let mut sits: Vec<TcpStream> = (0..5)
        .map(|_| {
            let stream = TcpStream::connect(client.server.address()).unwrap();
            stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
            // Whoever was let in last is there before the next one comes.
            std::thread::sleep(Duration::from_millis(50));
            stream
        })
        .collect();
    for gone in &mut sits[..2] {
        assert!(matches!(gone.read(&mut [0; 1]), Ok(0)), "the first two of five gave way");
    }
    for stays in &mut sits[2..] {
        stays.set_read_timeout(Some(Duration::from_millis(200))).unwrap();
        assert!(stays.read(&mut [0; 1]).is_err(), "and nobody else");
    }
    drop(sits);
    client.server.stop();
}

/// Who has shown the token keeps its seat: where owners have all of them, a stranger is sent away.
#[test]
fn no_stranger_takes_the_seat_of_an_owner() {
    let owned = Owned::new();
    let dir = owned.lived("ada", 5);
    let client = owned.serve_with(WebLimits { connections: 3, ..WebLimits::default() });
    let last = owned.says(&dir, 1);
    let mut hear: Vec<_> = (0..3).map(|_| client.listen("/api/golems/ada/events", Some(&last.to_string()))).collect();
    for _ in 0..10 {
        let mut stranger = TcpStream::connect(client.server.address()).unwrap();
        stranger.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
        let _reset = stranger.write_all(format!("GET / HTTP/1.1\r\nhost: {}\r\n\r\n", client.host()).as_bytes());
        assert!(!matches!(stranger.read(&mut [0; 12]), Ok(n) if n > 0), "there is no seat for a stranger");
    }
    let told = owned.says(&dir, 1);
    for ear in &mut hear {
        assert_eq!(ear.next_fact(), Some(told));
    }
    drop(hear);
    client.server.stop();
}

/// Whether there is a seat for the owner: who finds none is sent away without an answer.
fn gets_in(client: &Client) -> bool {
    let Ok(mut stream) = TcpStream::connect(client.server.address()) else { return false };
    stream.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
    let (host, token) = (client.host(), &client.token);
    let head = format!("host: {host}\r\nauthorization: Bearer {token}\r\nconnection: close\r\n\r\n");
    let mut said = [0; 12];
    stream.write_all(format!("GET /api/golems HTTP/1.1\r\n{head}").as_bytes()).is_ok()
        && stream.read_exact(&mut said).is_ok()
        && said == *b"HTTP/1.1 200"
}

#[test]
fn the_home_tells_how_everybody_stands_and_then_what_changes() {
    let owned = Owned::new();
    let dir = owned.lived("ada", 5);
    owned.lived("bob", 5);
    let client = owned.serve();
    let mut all = client.listen("/api/events", None);
    let mut names: Vec<String> = (0..2).map(|_| all.next().unwrap().2["name"].as_str().unwrap().to_owned()).collect();
    names.sort();
    assert_eq!(names, ["ada", "bob"]);
    owned.live(&dir, 5);
    let (id, kind, card) = all.next().unwrap();
    assert_eq!((kind.as_str(), &card["name"], &card["tick"]), ("golem", &json!("ada"), &json!(10)));
    drop(all);
    owned.live(&dir, 5);
    // Only who changed since is told of.
    let mut again = client.listen("/api/events", Some(&id));
    let (_, _, card) = again.next().unwrap();
    assert_eq!((&card["name"], &card["tick"]), (&json!("ada"), &json!(15)));
    // An id of another server says nothing: what was known is void, and everybody is told of.
    let mut stranger = client.listen("/api/events", Some("0-1"));
    assert_eq!(stranger.next().unwrap().1, "reset");
    let mut names: Vec<String> =
        (0..2).map(|_| stranger.next().unwrap().2["name"].as_str().unwrap().to_owned()).collect();
    names.sort();
    assert_eq!(names, ["ada", "bob"]);
    // Who is gone is gone.
    std::fs::remove_dir_all(&dir).unwrap();
    let (_, kind, _) = again.next().unwrap();
    assert_eq!(kind, "gone");
    client.server.stop();
}

/// A folder that is put back from a copy has another history: whoever watched the old one is told so, and misses nothing of
/// the new one.
#[test]
fn a_golem_that_was_put_back_is_told_anew() {
    let owned = Owned::new();
    let dir = owned.lived("ada", 50);
    let copy = owned.home().path().join("copy");
    let take = |from: &std::path::Path, to: &std::path::Path| {
        std::fs::create_dir_all(to).unwrap();
        for file in std::fs::read_dir(from).unwrap().map(Result::unwrap) {
            std::fs::copy(file.path(), to.join(file.file_name())).unwrap();
        }
    };
    take(&dir, &copy);
    let (kept, told) = (owned.says(&dir, 1) - 1, owned.says(&dir, 99));
    let client = owned.serve();
    let mut watching = client.listen("/api/golems/ada/events", Some(&kept.to_string()));
    while watching.next_fact().unwrap() < told {}
    // At once: whoever looks meanwhile would find nobody.
    std::fs::rename(&dir, owned.home().path().join("old")).unwrap();
    std::fs::rename(&copy, &dir).unwrap();
    let mut comes_back = client.listen("/api/golems/ada/events", Some(&told.to_string()));
    for ear in [&mut watching, &mut comes_back] {
        loop {
            let (id, kind, _) = ear.next().unwrap();
            assert_ne!(kind, "fact", "nothing of the new history is told before it is known to be new");
            if kind == "reset" {
                assert_eq!(id, kept.to_string());
                break;
            }
        }
    }
    owned.says(&dir, 3);
    for ear in [&mut watching, &mut comes_back] {
        assert_eq!((0..3).map(|_| ear.next_fact().unwrap()).collect::<Vec<_>>(), [kept + 1, kept + 2, kept + 3]);
    }
    std::fs::remove_dir_all(&dir).unwrap();
    let last = std::iter::from_fn(|| watching.next()).last();
    assert_eq!(last.unwrap().1, "gone", "and the stream of who was removed ends");
    client.server.stop();
}
