//! Scripted attackers: nobody crosses, nothing falls, and the honest are served meanwhile.

use crate::client::{Client, dial, hear, say};
use crate::kit::{Teller, golem, owner};
use crate::serving::{model_relay, run};
use futures_util::{SinkExt, StreamExt};
use std::sync::Arc;
use std::time::{Duration, Instant};
use styx_wire::*;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio_tungstenite::tungstenite::Message;

#[test]
fn whoever_is_not_let_in_hears_one_word() {
    let server = model_relay(RelayLimits::default());
    let at = server.address();
    run(async {
        let (one, two, key) = (owner(1), owner(2), golem(3));
        let good = one.certify(&key);
        let mut expired = one.words(&key);
        expired.expires_s = 2_000;
        let expired = OwnerCertificate { words: expired, signature: one.sign(&expired.signing_hash()) };
        let stolen = one.certify(&golem(4));
        let mut forged = good;
        forged.signature = two.sign(&good.words.signing_hash());
        let mut other = good;
        other.words.owner = two.id;
        let mut said = std::collections::BTreeSet::new();
        for certificate in [expired, stolen, forged, other] {
            let mut socket = dial(at).await;
            let Some(RelayFrame::Challenge(challenge)) = hear(&mut socket).await else { panic!() };
            let hello = Hello::answer(&key, certificate, &challenge, &at.to_string());
            say(&mut socket, &GolemFrame::Hello(Box::new(hello))).await;
            said.insert(format!("{:?}", hear(&mut socket).await));
        }
        // A hello that was heard elsewhere, said again.
        let mut first = dial(at).await;
        let Some(RelayFrame::Challenge(challenge)) = hear(&mut first).await else { panic!() };
        let hello = GolemFrame::Hello(Box::new(Hello::answer(&key, good, &challenge, &at.to_string())));
        let mut second = dial(at).await;
        hear(&mut second).await;
        say(&mut second, &hello).await;
        said.insert(format!("{:?}", hear(&mut second).await));
        assert_eq!(said.into_iter().collect::<Vec<_>>(), ["Some(Refuse(NotAdmitted))"]);
        say(&mut first, &hello).await;
        assert!(matches!(hear(&mut first).await, Some(RelayFrame::Welcome(_))), "where it was meant it opens");
    });
    server.stop();
}

#[test]
fn what_others_signed_and_what_was_changed_is_not_kept() {
    let server = model_relay(RelayLimits::default());
    let at = server.address();
    run(async {
        let (one, two) = (Arc::new(owner(1)), Arc::new(owner(2)));
        let (mut a, mut b) = (Teller::new(&one, golem(3)), Teller::new(&one, golem(4)));
        let mut stranger = Teller::new(&two, golem(3));
        let mut client = Client::of(at, &a).await;
        let own = a.tell(DeltaKind::Insight, b"mine");
        let mut turned = own.clone();
        turned.signature = turned.signature.with_bit_turned(9);
        let long = SignedDelta::next(
            &a.key,
            one.id,
            ChainHead::root(one.id, a.origin()),
            DeltaKind::Warning,
            golem_core::VirtualTime(0),
            vec![0; 5_000],
        );
        let bad =
            vec![b.tell(DeltaKind::Insight, b"a sibling's"), stranger.tell(DeltaKind::Insight, b"x"), turned, long];
        let receipts = client.push(bad).await;
        let reasons: Vec<RefuseReason> = receipts
            .iter()
            .map(|r| match r {
                DeltaReceipt::Refused { reason, .. } => *reason,
                other => panic!("{other:?}"),
            })
            .collect();
        let no = RefuseReason::NotAccepted;
        assert_eq!(reasons, [no, no, no, RefuseReason::TooLarge]);
        // A replay is answered as what it is, and takes effect once.
        let first = client.push(vec![own.clone()]).await;
        assert_eq!(client.push(vec![own.clone(), own]).await, [first[0], first[0]]);
        assert_eq!(server.counts().kept.load(std::sync::atomic::Ordering::Relaxed), 1);
    });
    server.stop();
}

#[test]
fn budgets_hold_warnings_apart_and_the_chain_is_told_where_it_stands() {
    let server = model_relay(RelayLimits::default());
    let at = server.address();
    run(async {
        let one = Arc::new(owner(1));
        let mut a = Teller::new(&one, golem(3));
        let mut client = Client::of(at, &a).await;
        let kept =
            |receipts: &[DeltaReceipt]| receipts.iter().filter(|r| matches!(r, DeltaReceipt::Kept { .. })).count();
        let flood: Vec<SignedDelta> = (0..64).map(|n| a.tell(DeltaKind::Insight, &[n])).collect();
        assert_eq!(kept(&client.push(flood).await), 64);
        let flood: Vec<SignedDelta> = (0..64).map(|n| a.tell(DeltaKind::Insight, &[n])).collect();
        let receipts = client.push(flood.clone()).await;
        assert_eq!(kept(&receipts), 36, "a hundred an hour");
        let over = |r: &DeltaReceipt| matches!(r, DeltaReceipt::Refused { reason: RefuseReason::OverQuota { .. }, .. });
        assert!(receipts[36..].iter().all(over));
        // From the last one that was kept, warnings go on from a purse of their own: ten at once.
        a.head = flood[35].reached();
        let warnings: Vec<SignedDelta> = (0..15).map(|n| a.tell(DeltaKind::Warning, &[n])).collect();
        assert_eq!(kept(&client.push(warnings).await), 10);
        // Coming again fills no purse.
        drop(client);
        let mut client = Client::of(at, &a).await;
        a.head = client.welcome.chain.unwrap();
        assert_eq!(a.head.seq, 110);
        assert_eq!(kept(&client.push(vec![a.tell(DeltaKind::Warning, b"again")]).await), 0);
    });
    server.stop();
}

#[test]
fn what_is_no_frame_ends_the_connection_and_nothing_else() {
    let server = model_relay(RelayLimits::default());
    let at = server.address();
    run(async {
        let one = Arc::new(owner(1));
        let mut honest = Client::of(at, &Teller::new(&one, golem(9))).await;
        let evil = Teller::new(&one, golem(3));
        let long = vec![1; limits::FRAME_BYTES + 1];
        for bytes in [vec![], vec![9, 9, 9], vec![1, 200], vec![1, 1, 0xff, 0xff, 0xff, 0xff, 0x0f], long] {
            let mut client = Client::of(at, &evil).await;
            let _maybe_cut = client.socket.send(Message::Binary(bytes.into())).await;
            let last = hear(&mut client.socket).await;
            assert!(matches!(last, None | Some(RelayFrame::Refuse(_))), "{last:?}");
        }
        let mut client = Client::of(at, &evil).await;
        client.socket.send(Message::Text("{\"deep\":[[[[]]]]}".into())).await.unwrap();
        assert_eq!(hear(&mut client.socket).await, Some(RelayFrame::Refuse(RefuseReason::Malformed)));
        let answer = honest.ask(GolemFrame::Graves { after: None }).await;
        assert!(matches!(answer, Some(RelayFrame::Graves { .. })));
    });
    server.stop();
}

#[test]
fn who_says_nothing_drips_or_floods_is_cut_off() {
    let limits = RelayLimits {
        hello_ms: 300,
        silence_ms: 400,
        frames: BucketRate { per_hour: 3_600, burst: 20 },
        connections_per_address: 4,
        ..RelayLimits::default()
    };
    let server = model_relay(limits);
    let at = server.address();
    run(async {
        let one = Arc::new(owner(1));
        // Never says hello.
        let mut mute = dial(at).await;
        hear(&mut mute).await;
        assert_eq!(hear(&mut mute).await, Some(RelayFrame::Refuse(RefuseReason::NotAdmitted)));
        // Says hello, and then nothing whole: control frames do not count as saying something.
        let mut drip = Client::of(at, &Teller::new(&one, golem(3))).await;
        let begun = Instant::now();
        let cut = loop {
            if begun.elapsed() > Duration::from_secs(5) {
                break false;
            }
            let _sent = drip.socket.send(Message::Ping(vec![0].into())).await;
            let heard = tokio::time::timeout(Duration::from_millis(50), drip.socket.next()).await;
            if matches!(heard, Ok(None | Some(Err(_) | Ok(Message::Close(_))))) {
                break true;
            }
        };
        assert!(cut, "still there after {:?}", begun.elapsed());
        // One byte of a frame after the other: masked with nothing, and of four thousand bytes.
        let mut drip = Client::of(at, &Teller::new(&one, golem(3))).await;
        let (begun, wire) = (Instant::now(), drip.socket.get_mut());
        for byte in [0x82, 0x80 | 126, 0x10, 0, 0, 0, 0, 0].into_iter().chain([1; 4_096]) {
            assert!(begun.elapsed() < Duration::from_secs(5), "it says a byte now and then, and is still there");
            let sent = wire.write_all(&[byte]).await;
            let heard = tokio::time::timeout(Duration::from_millis(50), wire.read(&mut [0; 64])).await;
            if sent.is_err() || matches!(heard, Ok(Ok(0) | Err(_))) {
                break;
            }
        }
        let mut flood = Client::of(at, &Teller::new(&one, golem(4))).await;
        let mut last = None;
        for _ in 0..40 {
            if !say(&mut flood.socket, &GolemFrame::Graves { after: None }).await {
                break;
            }
        }
        while let Some(frame) = hear(&mut flood.socket).await {
            last = Some(frame);
        }
        assert!(matches!(last, Some(RelayFrame::Refuse(RefuseReason::OverQuota { .. }))), "{last:?}");
        // From one address come so many and no more.
        let mut held = Vec::new();
        for _ in 0..6 {
            let mut stream = tokio::net::TcpStream::connect(at).await.unwrap();
            let _cut = stream.write_all(b"GET /health HTTP/1.1\r\n").await;
            held.push(stream);
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
        let mut open = 0;
        for stream in &mut held {
            let read = tokio::time::timeout(Duration::from_millis(50), stream.read(&mut [0; 8])).await;
            open += usize::from(read.is_err());
        }
        assert!(open <= 4, "{open}");
    });
    server.stop();
}

#[test]
fn an_address_from_which_nothing_good_came_is_not_heard_for_a_while() {
    let limits = RelayLimits { failures: BucketRate { per_hour: 1_800, burst: 3 }, ..RelayLimits::default() };
    let server = model_relay(limits);
    let at = server.address();
    run(async {
        let (one, forger) = (owner(1), owner(2));
        let knock = async |from: [u8; 4], honest: bool| {
            let socket = tokio::net::TcpSocket::new_v4().unwrap();
            socket.bind((std::net::Ipv4Addr::from(from), 0).into()).unwrap();
            let stream = socket.connect(at).await.unwrap();
            let opened = tokio_tungstenite::client_async(format!("ws://{at}{}", styx::SOCKET_PATH), stream).await;
            let Ok((mut socket, _)) = opened else { return false };
            let Some(RelayFrame::Challenge(challenge)) = hear(&mut socket).await else { return false };
            let mut certificate = one.certify(&golem(3));
            if !honest {
                certificate.signature = forger.sign(&certificate.words.signing_hash());
            }
            let hello = Hello::answer(&golem(3), certificate, &challenge, &at.to_string());
            say(&mut socket, &GolemFrame::Hello(Box::new(hello))).await;
            let last = hear(&mut socket).await;
            // Until it is closed: then it is written down.
            while !matches!(last, Some(RelayFrame::Welcome(_))) && hear(&mut socket).await.is_some() {}
            tokio::time::sleep(Duration::from_millis(20)).await;
            true
        };
        // Lines that break are nobody's fault.
        for _ in 0..6 {
            drop(Client::of(at, &Teller::new(&Arc::new(owner(3)), golem(3))).await);
        }
        let here = [127, 0, 0, 9];
        for _ in 0..3 {
            assert!(knock(here, false).await, "it is heard, and refused");
        }
        assert!(!knock(here, true).await, "whoever comes from there now is not even asked");
        assert!(knock([127, 0, 0, 8], true).await, "others are");
        tokio::time::sleep(Duration::from_millis(2_300)).await;
        assert!(knock(here, true).await, "and after a while those, too");
        // What is too long for a frame is: this address has said nothing else.
        let long = vec![1; limits::FRAME_BYTES + 1];
        for _ in 0..3 {
            let mut client = Client::of(at, &Teller::new(&Arc::new(owner(3)), golem(3))).await;
            let _maybe_cut = client.socket.send(Message::Binary(long.clone().into())).await;
            while hear(&mut client.socket).await.is_some() {}
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        assert!(Client::enter(at, &owner(3), &golem(3)).await.is_err());
    });
    server.stop();
}

#[test]
fn whatever_costs_the_relay_is_counted() {
    let rate = |burst| BucketRate { per_hour: 1, burst };
    let limits = RelayLimits { frames: rate(100), pulses: rate(2), ..RelayLimits::default() };
    let server = model_relay(limits);
    let at = server.address();
    run(async {
        let one = Arc::new(owner(1));
        let mut a = Teller::new(&one, golem(3));
        let mut client = Client::of(at, &a).await;
        // Two pulses, and then none, without being cut off: 4 of 100.
        for (count, done) in [(1, true), (2, true), (3, false), (4, false)] {
            let answer = client.ask(GolemFrame::Pulse(crate::serving::pulse(&a, count))).await;
            let over = matches!(answer, Some(RelayFrame::Refuse(RefuseReason::OverQuota { .. })));
            assert_eq!((answer == Some(RelayFrame::Done), over), (done, !done));
        }
        // Each delta counts, forged or told before: 64 more.
        let told: Vec<SignedDelta> = (0..64).map(|n| a.tell(DeltaKind::Insight, &[n])).collect();
        client.push(told.clone()).await;
        // Four questions, eight each.
        for _ in 0..4 {
            assert!(matches!(client.ask(GolemFrame::Graves { after: None }).await, Some(RelayFrame::Graves { .. })));
        }
        let last = client.ask(GolemFrame::Push(told)).await;
        assert!(matches!(last, Some(RelayFrame::Refuse(RefuseReason::OverQuota { .. }))), "{last:?}");
        // A forger pays before anybody looks: its purse is empty after what it may tell in an hour.
        let mut b = Teller::new(&one, golem(4));
        let mut client = Client::of(at, &b).await;
        let mut bad: Vec<SignedDelta> = (0..12).map(|n| b.tell(DeltaKind::Warning, &[n])).collect();
        bad.iter_mut().for_each(|delta| delta.signature = delta.signature.with_bit_turned(3));
        let receipts = client.push(bad).await;
        let over = |r: &DeltaReceipt| matches!(r, DeltaReceipt::Refused { reason: RefuseReason::OverQuota { .. }, .. });
        assert_eq!(receipts.iter().filter(|r| over(r)).count(), 2, "{receipts:?}");
        // Nothing has the place before the first: it is not taken for something that was told.
        let mut none = Teller::new(&one, golem(5));
        let mut client = Client::of(at, &none).await;
        let mut first = none.tell(DeltaKind::Insight, b"1");
        first.head.seq = 0;
        let receipts = client.push(vec![first]).await;
        assert!(
            matches!(receipts[..], [DeltaReceipt::Refused { reason: RefuseReason::NotAccepted, .. }]),
            "{receipts:?}"
        );
        assert_eq!(server.counts().kept.load(std::sync::atomic::Ordering::Relaxed), 64);
    });
    server.stop();
}

#[test]
fn who_does_not_read_is_cut_off_and_delays_nobody() {
    let limits = RelayLimits {
        send_ms: 300,
        frames: BucketRate { per_hour: 1_000_000, burst: 1_000_000 },
        knowledge: BucketRate { per_hour: 1_000_000, burst: 1_000_000 },
        owner_entries: BucketRate { per_hour: 1_000_000, burst: 1_000_000 },
        bytes: BucketRate { per_hour: 1 << 40, burst: 1 << 40 },
        window: 1_000_000,
        ..RelayLimits::default()
    };
    let server = model_relay(limits);
    let at = server.address();
    run(async {
        let one = Arc::new(owner(1));
        let mut a = Teller::new(&one, golem(3));
        let mut teller = Client::of(at, &a).await;
        let mut stuck = Client::of(at, &Teller::new(&one, golem(4))).await;
        stuck.follow(0).await;
        let mut slowest = Duration::ZERO;
        for _ in 0..300 {
            let batch: Vec<SignedDelta> = (0..6).map(|_| a.tell(DeltaKind::Insight, &[7; 8_000])).collect();
            let begun = Instant::now();
            teller.push(batch).await;
            slowest = slowest.max(begun.elapsed());
            if server.counts().slow.load(std::sync::atomic::Ordering::Relaxed) > 0 {
                break;
            }
        }
        tokio::time::sleep(Duration::from_millis(500)).await;
        assert_eq!(server.counts().slow.load(std::sync::atomic::Ordering::Relaxed), 1);
        assert!(slowest < Duration::from_secs(2), "{slowest:?}");
    });
    server.stop();
}

#[test]
fn a_flood_of_one_owner_does_not_drown_another() {
    let server = model_relay(RelayLimits::default());
    let at = server.address();
    let quiet = Arc::new(std::sync::atomic::AtomicBool::new(false));
    // Four golems of one owner say as much as they can, again and again, until they are cut off and come back.
    let floods: Vec<_> = (0..4)
        .map(|n| {
            let quiet = Arc::clone(&quiet);
            std::thread::spawn(move || {
                run(async {
                    let evil = Arc::new(owner(7));
                    let mut teller = Teller::new(&evil, golem(20 + n));
                    let spam: Vec<SignedDelta> = (0..40).map(|_| teller.tell(DeltaKind::Warning, &[1; 900])).collect();
                    while !quiet.load(std::sync::atomic::Ordering::SeqCst) {
                        let Ok(mut client) = Client::enter(at, &evil, &teller.key).await else { continue };
                        while say(&mut client.socket, &GolemFrame::Push(spam.clone())).await {
                            if quiet.load(std::sync::atomic::Ordering::SeqCst) {
                                return;
                            }
                        }
                    }
                });
            })
        })
        .collect();
    run(async {
        let one = Arc::new(owner(1));
        let mut teller = Teller::new(&one, golem(3));
        let mut client = Client::of(at, &teller).await;
        let mut took = Vec::new();
        for _ in 0..60 {
            let begun = Instant::now();
            let receipts = client.push(vec![teller.tell(DeltaKind::Insight, b"calm")]).await;
            assert!(matches!(receipts[0], DeltaReceipt::Kept { .. }), "{receipts:?}");
            took.push(begun.elapsed());
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        quiet.store(true, std::sync::atomic::Ordering::SeqCst);
        took.sort();
        assert!(took[58] < Duration::from_secs(1), "{took:?}");
    });
    for flood in floods {
        flood.join().unwrap();
    }
    let kept = server.counts().kept.load(std::sync::atomic::Ordering::Relaxed);
    assert!(kept <= 60 + 4 * 11, "{kept}: their purse is empty after ten each");
    server.stop();
}

#[test]
fn who_is_revoked_or_expires_is_not_told_any_more() {
    let server = model_relay(RelayLimits::default());
    let at = server.address();
    run(async {
        let one = Arc::new(owner(1));
        let mut stolen = Client::of(at, &Teller::new(&one, golem(3))).await;
        stolen.follow(0).await;
        // A golem of a later epoch closes those before: the other is cut off although it says nothing.
        let mut words = one.words(&golem(4));
        words.epoch = 4;
        let certificate = OwnerCertificate { words, signature: one.sign(&words.signing_hash()) };
        let mut socket = dial(at).await;
        let Some(RelayFrame::Challenge(challenge)) = hear(&mut socket).await else { panic!() };
        let hello = Hello::answer(&golem(4), certificate, &challenge, &at.to_string());
        say(&mut socket, &GolemFrame::Hello(Box::new(hello))).await;
        assert!(matches!(hear(&mut socket).await, Some(RelayFrame::Welcome(_))));
        let close = ClosedEpochs {
            owner: one.id,
            least_epoch: 4,
            issued_s: 1,
            signature: one.sign(&ClosedEpochs::signing_hash(one.id, 4, 1)),
        };
        say(&mut socket, &GolemFrame::Close(close)).await;
        assert_eq!(hear(&mut stolen.socket).await, Some(RelayFrame::Refuse(RefuseReason::NotAdmitted)));
        assert_eq!(hear(&mut socket).await, Some(RelayFrame::Done));
        // One whose time runs out while it is here.
        let two = owner(2);
        let now_s = std::time::UNIX_EPOCH.elapsed().unwrap().as_secs();
        let mut words = two.words(&golem(5));
        words.expires_s = now_s + 2;
        let certificate = OwnerCertificate { words, signature: two.sign(&words.signing_hash()) };
        let mut socket = dial(at).await;
        let Some(RelayFrame::Challenge(challenge)) = hear(&mut socket).await else { panic!() };
        let hello = Hello::answer(&golem(5), certificate, &challenge, &at.to_string());
        say(&mut socket, &GolemFrame::Hello(Box::new(hello))).await;
        assert!(matches!(hear(&mut socket).await, Some(RelayFrame::Welcome(_))));
        tokio::time::sleep(Duration::from_millis(2_100)).await;
        say(&mut socket, &GolemFrame::Graves { after: None }).await;
        assert_eq!(hear(&mut socket).await, Some(RelayFrame::Refuse(RefuseReason::NotAdmitted)));
    });
    server.stop();
}
