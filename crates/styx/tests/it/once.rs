//! What a golem that has read everything is sent, and how far the relay believes that somebody has read.

use crate::client::{Client, hear, say};
use crate::kit::{Teller, golem, owner, sqlite};
use crate::serving::{model_relay, relay_over, run};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};
use styx_wire::*;

/// A warning is the next of the log for whoever has been told everything before it: it comes at once, and once.
#[test]
fn who_has_been_told_everything_hears_a_warning_once() {
    let server = model_relay(RelayLimits::default());
    let at = server.address();
    run(async {
        let one = Arc::new(owner(1));
        let mut a = Teller::new(&one, golem(3));
        let mut teller = Client::of(at, &a).await;
        let mut listener = Client::of(at, &Teller::new(&one, golem(4))).await;
        listener.follow(0).await;
        // Answered once it follows.
        assert!(listener.ask(GolemFrame::Graves { after: None }).await.is_some());
        let mut told = Vec::new();
        for kind in [DeltaKind::Warning, DeltaKind::RegimeShift, DeltaKind::Insight, DeltaKind::Death] {
            let delta = a.tell(kind, b"news");
            teller.push(vec![delta.clone()]).await;
            let position = told.len() as u64 + 1;
            let logged = LoggedDelta { position, delta: delta.clone() };
            let heard = hear(&mut listener.socket).await;
            assert_eq!(heard, Some(RelayFrame::Deltas { deltas: vec![logged], upto: position }), "{kind:?}");
            told.push(delta);
        }
        let more = tokio::time::timeout(Duration::from_millis(200), hear(&mut listener.socket)).await;
        assert!(more.is_err(), "nothing of it comes again: {more:?}");
        // Who comes later reads the same.
        let mut late = Client::of(at, &Teller::new(&one, golem(5))).await;
        late.follow(0).await;
        assert_eq!(late.read(4).await, told);
    });
    let counts = server.counts();
    assert_eq!((counts.sent.load(Relaxed), counts.urgent.load(Relaxed)), (5, 3));
    server.stop();
}

/// Who waits for a part of the log hears what is urgent ahead of it, and then everything in its order.
#[test]
fn who_waits_for_more_of_the_log_hears_a_warning_ahead_of_it() {
    let server = model_relay(RelayLimits::default());
    let at = server.address();
    run(async {
        let one = Arc::new(owner(1));
        let mut a = Teller::new(&one, golem(3));
        let mut teller = Client::of(at, &a).await;
        let mut listener = Client::of(at, &Teller::new(&one, golem(4))).await;
        listener.follow(0).await;
        assert!(listener.ask(GolemFrame::Graves { after: None }).await.is_some());
        let both = vec![a.tell(DeltaKind::Insight, b"slowly"), a.tell(DeltaKind::Warning, b"at once")];
        teller.push(both.clone()).await;
        let urgent = RelayFrame::Urgent(LoggedDelta { position: 2, delta: both[1].clone() });
        assert_eq!(hear(&mut listener.socket).await, Some(urgent));
        assert_eq!(listener.read(2).await, both);
    });
    server.stop();
}

/// What is told of how far somebody has read is written soon, again and again; what was not sent is not believed.
#[test]
fn nobody_has_read_what_was_not_sent() {
    let tried = sqlite();
    let server = relay_over(&tried, RelayLimits { window: 4, ..RelayLimits::default() });
    let at = server.address();
    let one = Arc::new(owner(1));
    let reader = Teller::new(&one, golem(4));
    let cursor = || tried.store.cursor(one.id, reader.origin()).unwrap();
    let comes_to = async |n: u64| {
        let begun = Instant::now();
        while cursor() != n {
            assert!(begun.elapsed() < Duration::from_secs(5), "{}, not {n}", cursor());
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    run(async {
        let mut a = Teller::new(&one, golem(3));
        let mut teller = Client::of(at, &a).await;
        let mut listener = Client::of(at, &reader).await;
        say(&mut listener.socket, &GolemFrame::Took { upto: 7 }).await;
        listener.follow(0).await;
        for n in 1..=3 {
            teller.push(vec![a.tell(DeltaKind::Insight, &[n])]).await;
            listener.read(1).await;
            comes_to(u64::from(n)).await;
        }
        for upto in [u64::MAX, 9, 2] {
            say(&mut listener.socket, &GolemFrame::Took { upto }).await;
        }
        // Answered after what was said before it was heard.
        assert!(listener.ask(GolemFrame::Graves { after: None }).await.is_some());
        teller.push((0..9).map(|n| a.tell(DeltaKind::Insight, &[n])).collect()).await;
        listener.read(1).await;
        comes_to(12).await;
    });
    server.stop();
    assert_eq!(cursor(), 12, "and no further than there is");
}

/// A golem that says that it has read what it was not sent is sent no more for it: its window is as wide as before.
#[test]
fn a_window_opens_by_what_was_sent() {
    let server = model_relay(RelayLimits { window: 1, ..RelayLimits::default() });
    let at = server.address();
    run(async {
        let one = Arc::new(owner(1));
        let mut a = Teller::new(&one, golem(3));
        let mut teller = Client::of(at, &a).await;
        let mut listener = Client::of(at, &Teller::new(&one, golem(4))).await;
        listener.follow(0).await;
        say(&mut listener.socket, &GolemFrame::Took { upto: 1_000 }).await;
        assert!(listener.ask(GolemFrame::Graves { after: None }).await.is_some());
        for n in 0..3 {
            teller.push(vec![a.tell(DeltaKind::Insight, &[n])]).await;
            tokio::time::sleep(Duration::from_millis(60)).await;
        }
        let first = hear(&mut listener.socket).await;
        assert!(matches!(&first, Some(RelayFrame::Deltas { upto: 1, .. })), "{first:?}");
        let more = tokio::time::timeout(Duration::from_millis(200), hear(&mut listener.socket)).await;
        assert!(more.is_err(), "it has not said that it took the first: {more:?}");
    });
    server.stop();
}
