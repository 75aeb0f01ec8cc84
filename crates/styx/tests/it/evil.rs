//! A relay that lies: it withholds, rewinds, splits its view, and changes what it passes on. Readers notice, or refuse.

use crate::client::{hear, say};
use crate::kit::{Owner, Teller, golem, owner};
use crate::serving::run;
use futures_util::{SinkExt, StreamExt};
use golem_core::Hash;
use std::net::SocketAddr;
use std::sync::Arc;
use styx_wire::frame::{decode, encode};
use styx_wire::reader::{ReadFault, TakenDelta};
use styx_wire::*;
use tokio::net::TcpListener;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::{accept_async, connect_async};

/// What it shows to whoever comes next: a head, and deltas.
#[derive(Clone)]
struct View {
    log: u8,
    head: u64,
    deltas: Vec<SignedDelta>,
}

/// Serve one view after the other, one to each connection.
async fn lie(views: Vec<View>) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let at = listener.local_addr().unwrap();
    tokio::spawn(async move {
        for view in views {
            let (stream, _) = listener.accept().await.unwrap();
            let mut socket = accept_async(stream).await.unwrap();
            let log = LogId([view.log; 16]);
            let mut send = async |frame: RelayFrame| socket.send(Message::Binary(encode(&frame).into())).await.unwrap();
            send(RelayFrame::Challenge(Challenge { log, nonce: Hash::of(b"n") })).await;
            let welcome = Welcome { log, head: view.head, oldest: 1, cursor: 0, chain: None, least_epoch: 0 };
            send(RelayFrame::Welcome(welcome)).await;
            let deltas = view.deltas.into_iter().enumerate();
            let deltas = deltas.map(|(i, delta)| LoggedDelta { position: i as u64 + 1, delta }).collect();
            send(RelayFrame::Deltas { deltas, upto: view.head }).await;
            while let Some(Ok(_)) = socket.next().await {}
        }
    });
    at
}

/// Read what is shown: notices at the door, what took effect, and what was refused.
async fn read(
    at: SocketAddr,
    owner: &Owner,
    reader: &mut ChainReader,
) -> (Option<ReaderNotice>, usize, Vec<ReadFault>) {
    let mut socket = connect_async(format!("ws://{at}/")).await.unwrap().0;
    let Some(RelayFrame::Challenge(challenge)) = hear(&mut socket).await else { panic!() };
    let key = golem(99);
    let hello = Hello::answer(&key, owner.certify(&key), &challenge, "here");
    say(&mut socket, &GolemFrame::Hello(Box::new(hello))).await;
    let Some(RelayFrame::Welcome(welcome)) = hear(&mut socket).await else { panic!() };
    let notice = reader.welcomed(welcome.log, welcome.head);
    let Some(RelayFrame::Deltas { deltas, upto }) = hear(&mut socket).await else { panic!() };
    reader.shown(upto);
    let (mut new, mut refused) = (0, Vec::new());
    for logged in deltas {
        match reader.take(&logged.delta) {
            Ok(taken) => new += usize::from(taken == TakenDelta::New),
            Err(fault) => refused.push(fault),
        }
    }
    (notice, new, refused)
}

fn reader(owner: &Owner, n: u8) -> ChainReader {
    let mut reader = ChainReader::new(owner.id, OriginKey::of(&golem(n)));
    reader.certified(&owner.certify(&golem(3)), 2_000, 600).unwrap();
    reader.certified(&owner.certify(&golem(4)), 2_000, 600).unwrap();
    reader
}

#[test]
fn withheld_rewound_split_and_changed_views_are_noticed() {
    run(async {
        let one = Arc::new(owner(1));
        let mut a = Teller::new(&one, golem(3));
        let all: Vec<SignedDelta> = (0..4).map(|n| a.tell(DeltaKind::Insight, &[n])).collect();
        let origin = a.origin();
        let view =
            |deltas: &[usize], head| View { log: 1, head, deltas: deltas.iter().map(|n| all[*n].clone()).collect() };
        let mut changed = all[1].clone();
        changed.payload.0[64] ^= 1;
        let mut other = Teller::new(&one, golem(3));
        let split = other.tell(DeltaKind::Warning, b"sell everything");
        let stranger = Teller::new(&Arc::new(owner(2)), golem(3)).tell(DeltaKind::Warning, b"theirs");
        let at = lie(vec![
            view(&[0, 1, 3], 4),
            view(&[], 2),
            View { log: 1, head: 4, deltas: vec![all[0].clone(), changed, split.clone(), stranger] },
            view(&[0, 1, 2], 4),
            View { log: 1, head: 4, deltas: vec![split] },
        ])
        .await;
        // It leaves out the third, and shows the fourth.
        let mut here = reader(&one, 98);
        assert_eq!(read(at, &one, &mut here).await, (None, 3, Vec::new()));
        assert_eq!(here.missing(), [ReaderNotice::Withheld { origin, from: 3, upto: 3 }]);
        // It comes back with less than it had.
        assert_eq!(read(at, &one, &mut here).await.0, Some(ReaderNotice::Rewound { was: 4, now: 2 }));
        // It changes one, shows another first one that the same key signed, and one of another owner.
        let mut there = reader(&one, 97);
        let (_, new, refused) = read(at, &one, &mut there).await;
        let faults = [DeltaFault::Content, DeltaFault::Forked, DeltaFault::WrongOwner].map(ReadFault::Delta);
        assert_eq!((new, refused), (1, faults.to_vec()));
        // It hides the end from one sibling: another's heads, and the pulse of who told it, show that.
        let mut third = reader(&one, 96);
        read(at, &one, &mut third).await;
        assert_eq!(third.missing(), []);
        third.compared(&here.heads());
        assert_eq!(third.missing(), [ReaderNotice::Withheld { origin, from: 4, upto: 4 }]);
        // It shows each sibling another first delta.
        let mut fourth = reader(&one, 95);
        read(at, &one, &mut fourth).await;
        let report: HeadsReport = decode(&encode(&fourth.heads())).unwrap();
        let mut first = reader(&one, 94);
        first.take(&all[0]).unwrap();
        assert_eq!(first.compared(&report), [ReaderNotice::Split { origin, seq: 1 }]);
    });
}
