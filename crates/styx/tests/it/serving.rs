//! The relay at its sockets: siblings hear each other, strangers hear nothing, and stopping loses nothing.

use crate::client::{Client, dial, hear, say};
use crate::kit::{Owner, Teller, Tried, golem, identity, owner, stores, word};
use golem_core::{GolemId, Hash, Regime, VirtualTime};
use std::sync::Arc;
use std::time::{Duration, Instant};
use styx::clock::WallTime;
use styx::desk::RelayDesk;
use styx::shelf::ModelShelf;
use styx::store::{KeptRowKey, ModelStore, RowRoom};
use styx::{RelayAddress, RelayServer};
use styx_wire::archive::{BackupOf, back_up, restore};
use styx_wire::*;

pub fn relay_over(tried: &Tried, limits: RelayLimits) -> RelayServer {
    let store = Arc::clone(&tried.store);
    let desk = RelayDesk {
        store,
        shelf: Arc::new(ModelShelf::default()),
        clock: Arc::new(WallTime),
        limits,
        public: true,
        owners: None,
        newcomers: Arc::default(),
    };
    styx::start(desk, RelayAddress::loopback()).unwrap()
}

pub fn model_relay(limits: RelayLimits) -> RelayServer {
    let store = Arc::new(ModelStore::new(identity(1)));
    relay_over(&Tried { name: "model", store, dir: None }, limits)
}

pub fn run(test: impl Future<Output = ()>) {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(test);
}

fn family(owner: &Arc<Owner>, n: u8) -> Vec<Teller> {
    (0..n).map(|i| Teller::new(owner, golem(10 + i))).collect()
}

#[test]
fn siblings_hear_each_other_and_nobody_else_does() {
    for tried in stores() {
        let server = relay_over(&tried, RelayLimits::default());
        let at = server.address();
        run(async {
            let (one, two) = (Arc::new(owner(1)), Arc::new(owner(2)));
            let mut ours = family(&one, 3);
            let mut theirs = family(&two, 1);
            let mut clients = Vec::new();
            for teller in &ours {
                clients.push(Client::of(at, teller).await);
            }
            let mut stranger = Client::of(at, &theirs[0]).await;
            for client in &mut clients {
                client.follow(0).await;
            }
            stranger.follow(0).await;
            let told: Vec<SignedDelta> = (0..3).map(|n| ours[0].tell(DeltaKind::Insight, &[n])).collect();
            let receipts = clients[0].push(told.clone()).await;
            assert!(receipts.iter().all(|r| matches!(r, DeltaReceipt::Kept { .. })), "{receipts:?}");
            for client in &mut clients[1..] {
                assert_eq!(client.read(3).await, told, "{}", tried.name);
            }
            assert_eq!(one.group.open(&told[0].payload.0), Some(vec![0]));
            let own = theirs[0].tell(DeltaKind::Insight, b"alone");
            stranger.push(vec![own]).await;
            let heard = hear(&mut stranger.socket).await;
            assert_eq!(
                heard,
                Some(RelayFrame::Deltas { deltas: Vec::new(), upto: 1 }),
                "its own, and nothing of others"
            );
            let nothing = tokio::time::timeout(Duration::from_millis(200), hear(&mut stranger.socket)).await;
            assert!(nothing.is_err(), "{}: {nothing:?}", tried.name);
            // Who was away hears it all, and goes on from its cursor after that.
            let mut late = Teller::new(&one, golem(30));
            let mut client = Client::of(at, &late).await;
            assert_eq!((client.welcome.cursor, client.welcome.head), (0, 3));
            client.follow(0).await;
            assert_eq!(client.read(3).await, told);
            client.push(vec![late.tell(DeltaKind::Validation, b"so it is")]).await;
            drop(client);
            let again = Client::of(at, &late).await;
            assert_eq!((again.welcome.cursor, again.welcome.chain), (3, Some(late.head)));
        });
        server.stop();
    }
}

#[test]
fn a_warning_does_not_wait_behind_a_week_of_entries() {
    let limits = RelayLimits {
        frames: BucketRate { per_hour: 1_000_000, burst: 1_000_000 },
        knowledge: BucketRate { per_hour: 1_000_000, burst: 1_000_000 },
        owner_entries: BucketRate { per_hour: 1_000_000, burst: 1_000_000 },
        window: 64,
        ..RelayLimits::default()
    };
    let server = model_relay(limits);
    let at = server.address();
    run(async {
        let one = Arc::new(owner(1));
        let mut tellers = family(&one, 2);
        let mut teller = Client::of(at, &tellers[0]).await;
        for _ in 0..10 {
            let batch = (0..64).map(|n| tellers[0].tell(DeltaKind::Insight, &[n])).collect();
            teller.push(batch).await;
        }
        let mut slow = Client::of(at, &tellers[1]).await;
        slow.follow(0).await;
        // It takes nothing, so the log stands still for it; the warning comes all the same.
        let warning = tellers[0].tell(DeltaKind::Warning, b"the pool is drained");
        let begun = Instant::now();
        teller.push(vec![warning.clone()]).await;
        loop {
            match hear(&mut slow.socket).await.unwrap() {
                RelayFrame::Urgent(logged) => {
                    assert_eq!(logged.delta, warning);
                    break;
                }
                RelayFrame::Deltas { upto, .. } => assert!(upto <= 128, "{upto}"),
                other => panic!("{other:?}"),
            }
        }
        assert!(begun.elapsed() < Duration::from_secs(1), "{:?}", begun.elapsed());
        drop(tellers.pop());
    });
    server.stop();
}

#[test]
fn stopping_keeps_what_was_acknowledged_and_says_goodbye() {
    let tried = crate::kit::sqlite();
    let server = relay_over(&tried, RelayLimits::default());
    let at = server.address();
    let one = Arc::new(owner(1));
    run(async {
        let mut teller = Teller::new(&one, golem(3));
        let mut client = Client::of(at, &teller).await;
        let deltas: Vec<SignedDelta> = (0..20).map(|n| teller.tell(DeltaKind::Insight, &[n])).collect();
        let pushing = tokio::spawn(async move {
            let receipts = client.push(deltas).await;
            (receipts, hear(&mut client.socket).await)
        });
        tokio::time::sleep(Duration::from_millis(100)).await;
        let stopping = tokio::task::spawn_blocking(move || server.stop());
        let (receipts, goodbye) = pushing.await.unwrap();
        assert_eq!(goodbye, Some(RelayFrame::Refuse(RefuseReason::Stopping)));
        assert_eq!(receipts.iter().filter(|r| matches!(r, DeltaReceipt::Kept { .. })).count(), 20);
        stopping.await.unwrap();
        assert_eq!(tried.store.page(one.id, 0, 0, 99).unwrap().len(), 20);
    });
}

pub fn pulse(teller: &Teller, count: u64) -> SignedPulse {
    let words = PulseWords {
        owner: teller.owner.id,
        origin: teller.origin(),
        count,
        tick: 2,
        at: VirtualTime(3),
        phase: word("stable"),
        vitality: 700,
        terms: PulseTerms::Immortal,
        dreaming: true,
        chain: teller.head,
    };
    SignedPulse::of(&teller.key, words)
}

#[test]
fn what_nobody_waits_for_is_kept_by_stopping_too_and_never_goes_back() {
    for tried in stores() {
        let one = Arc::new(owner(1));
        let (mut a, b) = (Teller::new(&one, golem(3)), Teller::new(&one, golem(4)));
        for (count, last) in [(5, 5), (4, 5), (6, 6)] {
            let server = relay_over(&tried, RelayLimits::default());
            run(async {
                let mut here = Client::of(server.address(), &a).await;
                here.push(vec![a.tell(DeltaKind::Insight, &[count])]).await;
                let mut there = Client::of(server.address(), &b).await;
                assert_eq!(there.ask(GolemFrame::Pulse(pulse(&b, u64::from(count)))).await, Some(RelayFrame::Done));
                there.follow(there.welcome.cursor).await;
                there.read(1).await;
                // Answered after what was said before it was heard.
                assert!(there.ask(GolemFrame::Graves { after: None }).await.is_some());
            });
            server.stop();
            let key = KeptRowKey { room: RowRoom::Pulse, owner: one.id, key: b.origin().0.to_vec() };
            let row: SignedPulse = styx_wire::frame::read_kept(&tried.store.row(&key).unwrap().unwrap()).unwrap();
            assert_eq!((row.words.count, tried.store.cursor(one.id, b.origin()).unwrap()), (last, a.head.seq));
        }
    }
}

#[test]
fn everything_else_that_a_golem_asks_is_answered() {
    let server = model_relay(RelayLimits::default());
    let at = server.address();
    run(async {
        let one = Arc::new(owner(1));
        let (a, b) = (Teller::new(&one, golem(3)), Teller::new(&one, golem(4)));
        let (mut here, mut there) = (Client::of(at, &a).await, Client::of(at, &b).await);
        let pulse = pulse(&a, 1);
        assert_eq!(here.ask(GolemFrame::Pulse(pulse.clone())).await, Some(RelayFrame::Done));
        assert_eq!(hear(&mut there.socket).await, Some(RelayFrame::Pulse(pulse.clone())), "a sibling hears it");
        // They are in the list with whatever is written next.
        let begun = Instant::now();
        loop {
            let Some(RelayFrame::Siblings { siblings, more: false }) =
                there.ask(GolemFrame::Siblings { from: 0 }).await
            else {
                panic!()
            };
            if siblings.len() == 2 && siblings.contains(&(one.certify(&a.key), Some(pulse.clone()))) {
                break;
            }
            assert!(begun.elapsed() < Duration::from_secs(2), "{siblings:?}");
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        let key = ScentKey {
            layer: PheromoneLayer::Threat,
            class: word("crash"),
            domain: word("eth"),
            regime: Regime::Volatile,
        };
        let left = PheromoneDeposit { scope: FieldScope::Clade, key, intensity: 900 };
        assert_eq!(here.ask(GolemFrame::Deposit(left)).await, Some(RelayFrame::Done));
        let query = SenseQuery { scope: FieldScope::Clade, layer: None, domain: Some(word("eth")) };
        let Some(RelayFrame::Field(smelt)) = there.ask(GolemFrame::Sense(query)).await else { panic!() };
        assert!(smelt.len() == 1 && smelt[0].intensity >= 899);
        // A backup over the socket, and back at a sibling.
        let mut text = vec![0; 150_000];
        blake3::Hasher::new().finalize_xof().fill(&mut text);
        let of = BackupOf { owner: one.id, golem: GolemId([3; 16]), tick: 200, at: VirtualTime(1) };
        let (manifest, pieces) = back_up(&a.key, &one.group, of, &text).unwrap();
        let unasked = pieces.values().next().unwrap().clone();
        assert_eq!(here.ask(GolemFrame::Chunk(Blob(unasked))).await, Some(RelayFrame::Refuse(RefuseReason::Absent)));
        let Some(RelayFrame::Want(missing)) = here.ask(GolemFrame::Offer(manifest.clone())).await else { panic!() };
        assert_eq!(missing.len(), pieces.len());
        for name in missing {
            assert_eq!(here.ask(GolemFrame::Chunk(Blob(pieces[&name].clone()))).await, Some(RelayFrame::Done));
        }
        assert_eq!(here.ask(GolemFrame::Offer(manifest.clone())).await, Some(RelayFrame::Want(Vec::new())));
        let Some(RelayFrame::Manifest { manifest: found, more: 0 }) = there.ask(GolemFrame::Archives).await else {
            panic!()
        };
        assert_eq!(*found, manifest);
        let mut back = std::collections::BTreeMap::new();
        for name in &found.words.chunks {
            let Some(RelayFrame::Chunk(Blob(piece))) = there.ask(GolemFrame::Fetch { chunk: *name }).await else {
                panic!()
            };
            back.insert(*name, piece);
        }
        let who = (one.id, of.golem);
        assert_eq!(restore(&found, &one.certify(&a.key), who, &one.group, &back), Ok(text));
        let grave = GraveWords {
            certificate: one.certify(&a.key),
            generation: 0,
            cause: word("economic"),
            tick: 9,
            at: VirtualTime(9),
            last: a.head,
            testament: Hash::of(b"t"),
            marks: Vec::new(),
            public: false,
            private: Hash::default(),
        };
        let stone = SignedGrave::of(&a.key, grave, Vec::new());
        assert_eq!(there.ask(GolemFrame::Bury(Box::new(stone.clone()))).await, Some(RelayFrame::Done), "by a sibling");
        let graves = RelayFrame::Graves { graves: vec![stone], more: false };
        assert_eq!(there.ask(GolemFrame::Graves { after: None }).await, Some(graves));
        let mut dead = Teller::new(&one, golem(3));
        let late = here.push(vec![dead.tell(DeltaKind::Warning, b"boo")]).await;
        assert!(matches!(late[0], DeltaReceipt::Refused { reason: RefuseReason::Dead, .. }), "{late:?}");
    });
    server.stop();
}

#[test]
fn a_newer_connection_of_the_same_golem_takes_its_place() {
    let server = model_relay(RelayLimits::default());
    let at = server.address();
    run(async {
        let one = Arc::new(owner(1));
        let teller = Teller::new(&one, golem(3));
        let mut first = Client::of(at, &teller).await;
        let mut second = Client::of(at, &teller).await;
        assert_eq!(hear(&mut first.socket).await, Some(RelayFrame::Refuse(RefuseReason::Replaced)));
        second.follow(0).await;
        let answer = second.ask(GolemFrame::Graves { after: None }).await;
        assert!(matches!(answer, Some(RelayFrame::Graves { .. })));
    });
    server.stop();
}

#[test]
fn it_listens_on_this_machine_unless_told() {
    let store = Arc::new(ModelStore::new(identity(1)));
    let desk = RelayDesk {
        store,
        shelf: Arc::new(ModelShelf::default()),
        clock: Arc::new(WallTime),
        limits: RelayLimits::default(),
        public: false,
        owners: None,
        newcomers: Arc::default(),
    };
    let at = RelayAddress { listen: "0.0.0.0:0".parse().unwrap(), ..RelayAddress::loopback() };
    let refused = styx::start(desk, at).err().unwrap();
    assert!(matches!(refused, styx::RelayStartFault::NotLoopback(_)) && refused.hint().is_some());
}

#[test]
fn a_relay_that_lost_its_disk_gets_everything_again() {
    let one = Arc::new(owner(1));
    let mut teller = Teller::new(&one, golem(3));
    let outbox: Vec<SignedDelta> = (0..5).map(|n| teller.tell(DeltaKind::Insight, &[n])).collect();
    for log in [1, 2] {
        let store = Arc::new(ModelStore::new(identity(log)));
        let server = relay_over(&Tried { name: "model", store, dir: None }, RelayLimits::default());
        let at = server.address();
        run(async {
            let mut client = Client::of(at, &teller).await;
            assert_eq!((client.welcome.log, client.welcome.chain), (LogId([log; 16]), None));
            let receipts = client.push(outbox.clone()).await;
            assert!(receipts.iter().all(|r| matches!(r, DeltaReceipt::Kept { .. })));
            let mut sibling = Client::of(at, &Teller::new(&one, golem(4))).await;
            sibling.follow(0).await;
            assert_eq!(sibling.read(5).await, outbox);
        });
        server.stop();
    }
}

#[test]
fn a_hello_is_for_the_relay_that_was_dialled() {
    let server = model_relay(RelayLimits::default());
    let at = server.address();
    run(async {
        let (one, key) = (owner(1), golem(3));
        for (dialled, let_in) in
            [(format!("localhost:{}", at.port()), true), ("evil.example:443".to_owned(), false), (String::new(), false)]
        {
            let mut socket = dial(at).await;
            let Some(RelayFrame::Challenge(challenge)) = hear(&mut socket).await else { panic!() };
            let hello = Hello::answer(&key, one.certify(&key), &challenge, &dialled);
            say(&mut socket, &GolemFrame::Hello(Box::new(hello))).await;
            let answer = hear(&mut socket).await;
            assert_eq!(matches!(answer, Some(RelayFrame::Welcome(_))), let_in, "{dialled}: {answer:?}");
        }
    });
    server.stop();
}

/// Two relays over one store; what is told at one is heard at the other.
fn heard_at_another_relay(shared: bool, hints: Option<String>) {
    let store = Arc::new(ModelStore::new(identity(1)));
    let servers: Vec<RelayServer> = (0..2)
        .map(|_| {
            let desk = RelayDesk::new(Arc::<ModelStore>::clone(&store), Arc::new(ModelShelf::default()));
            styx::start(desk, RelayAddress { shared, hints: hints.clone(), ..RelayAddress::loopback() }).unwrap()
        })
        .collect();
    run(async {
        let one = Arc::new(owner(1));
        let mut teller = Teller::new(&one, golem(3));
        let mut here = Client::of(servers[0].address(), &teller).await;
        let mut there = Client::of(servers[1].address(), &Teller::new(&one, golem(4))).await;
        there.follow(0).await;
        for n in 0..3 {
            let told = teller.tell(DeltaKind::Insight, &[n]);
            let begun = Instant::now();
            here.push(vec![told.clone()]).await;
            assert_eq!(there.read(1).await, [told]);
            assert!(begun.elapsed() < Duration::from_secs(3), "{:?}", begun.elapsed());
        }
    });
    servers.into_iter().for_each(RelayServer::stop);
}

#[test]
fn relays_that_share_a_store_look_for_themselves() {
    heard_at_another_relay(true, None);
}

#[cfg(feature = "nats")]
#[test]
fn relays_that_share_a_store_wake_each_other() {
    match std::env::var("STYX_TEST_NATS") {
        Ok(url) => heard_at_another_relay(false, Some(url)),
        Err(_) => eprintln!("SKIPPED: NATS was not asked for (STYX_TEST_NATS; see tools/styx-servers)"),
    }
}

#[test]
fn hints_that_cannot_be_are_said_at_the_start() {
    let desk = RelayDesk::new(Arc::new(ModelStore::new(identity(1))), Arc::new(ModelShelf::default()));
    let at = RelayAddress { hints: Some("nats://127.0.0.1:1".to_owned()), ..RelayAddress::loopback() };
    let refused = styx::start(desk, at).err().unwrap();
    assert!(matches!(refused, styx::RelayStartFault::Hints(_)) && refused.hint().is_some(), "{refused}");
}
