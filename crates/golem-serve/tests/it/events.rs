//! Live events: none is missed, whoever comes back, however many listen, and whoever does not.

use crate::kit::Owned;
use golem_runtime::Until;
use golem_serve::WebLimits;
use serde_json::json;
use std::time::{Duration, Instant};

#[test]
fn whoever_comes_back_misses_nothing() {
    let owned = Owned::new();
    let dir = owned.lived("ada", 50);
    let client = owned.serve();
    // Everything from the first fact on, out of the file.
    let mut all = client.listen("/api/golems/ada/events?after=0", None);
    let mut heard: Vec<u64> = (0..40).map(|_| all.next_fact().unwrap()).collect();
    drop(all);
    owned.live(&dir, 50);
    // The server is another one by now, and the client is where it was.
    client.server.stop();
    let client = owned.serve();
    let last = heard.last().unwrap().to_string();
    let mut again = client.listen("/api/golems/ada/events", Some(&last));
    let reader = golem_runtime::Reader::open(&dir).unwrap();
    let kept: Vec<u64> =
        reader.facts(Some(golem_core::Seq(0)), None, 100_000).unwrap().iter().map(|r| r.seq.0).collect();
    while heard.last() != kept.last() {
        heard.push(again.next_fact().unwrap());
    }
    // And what happens from here on comes live.
    owned.live(&dir, 20);
    let kept: Vec<u64> =
        reader.facts(Some(golem_core::Seq(0)), None, 100_000).unwrap().iter().map(|r| r.seq.0).collect();
    while heard.last() != kept.last() {
        heard.push(again.next_fact().unwrap());
    }
    assert_eq!(heard, kept);
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

/// Fifty clients and a golem that says a thousand things a second; beside them one that never reads. Nobody misses anything
/// but who was dropped, and the golem is as quick as without them.
#[test]
fn fifty_listen_to_a_thousand_events_a_second_and_one_stalls() {
    let owned = Owned::new();
    let dir = owned.lived("ada", 5);
    let client = owned.serve_with(WebLimits { stall: Duration::from_secs(1), ..WebLimits::default() });
    let stalled = client.listen("/api/golems/ada/events?after=0", None);
    let listening: Vec<_> = (0..50).map(|_| client.listen("/api/golems/ada/events", None)).collect();
    let mut runner = owned.runner(&dir);
    let told = |dir: &std::path::Path| golem_runtime::Reader::open(dir).unwrap().last_facts(None, 1).unwrap()[0].seq.0;
    let (first, begun) = (told(&dir), Instant::now());
    let ears: Vec<_> = listening
        .into_iter()
        .map(|mut ear| {
            std::thread::spawn(move || {
                let mut heard = Vec::new();
                while heard.last().is_none_or(|last| *last < first + 4_000) {
                    heard.push(ear.next_fact().expect("the stream goes on"));
                }
                heard
            })
        })
        .collect();
    let mut slowest = Duration::ZERO;
    while told(&dir) < first + 4_200 {
        let turn = Instant::now();
        runner.run(Until { turns: Some(20), return_when_paused: true }).unwrap();
        slowest = slowest.max(turn.elapsed());
        // A thousand a second, and not all at once.
        let due = Duration::from_millis(told(&dir) - first);
        std::thread::sleep(due.saturating_sub(begun.elapsed()));
    }
    let took = begun.elapsed();
    for ear in ears {
        let heard = ear.join().unwrap();
        let want: Vec<u64> = (heard[0]..heard[0] + heard.len() as u64).collect();
        assert_eq!(heard, want, "a gap");
        assert!(heard[0] <= first + 1, "{} {first}", heard[0]);
    }
    assert!(begun.elapsed() < took + Duration::from_secs(5), "they are told as it happens");
    assert!(slowest < Duration::from_secs(2), "no golem waits for who listens: {slowest:?}");
    // Who never reads fills its socket and is dropped; the others are still there.
    let until = Instant::now() + Duration::from_secs(20);
    let dropped = || client.get("/metrics").body.lines().any(|l| l == "bardo_serve_stalled_total 1");
    while !dropped() {
        assert!(Instant::now() < until, "who stalls is dropped");
        runner.run(Until { turns: Some(400), return_when_paused: true }).unwrap();
    }
    drop(stalled);
    runner.close().unwrap();
    client.server.stop();
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
    // An id of another server says nothing: everybody is told of.
    let mut stranger = client.listen("/api/events", Some("0-1"));
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
