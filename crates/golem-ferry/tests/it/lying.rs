//! A relay that lies: a golem hears nothing that its owner's golems did not say, and its own chain does not end for it.

use crate::kit::Golem;
use golem_clade::kin::GraveLetter;
use golem_clade::library::WorldCalendar;
use golem_core::{Hash, Tick, Timestamp};
use golem_ferry::{FerryFile, crossed_once};
use golem_wallet::CladeKey;
use std::net::TcpListener;
use styx_wire::frame::{decode, encode};
use styx_wire::{
    ChainHead, Challenge, DeltaKind, GolemFrame, GraveWords, HeadsReport, LogId, LoggedDelta, OriginKey, RelayFrame,
    SignedDelta, SignedGrave, Welcome,
};
use tokio_tungstenite::tungstenite::{Message, accept};

/// A relay that lets everybody in, says this, and answers what it is asked by these.
pub fn relay(chain: Option<ChainHead>, shown: Vec<RelayFrame>) -> u16 {
    // Its list of siblings never comes to an end.
    relay_of(chain, RelayFrame::Siblings { siblings: Vec::new(), more: true }, Vec::new(), shown)
}

/// The same, with these siblings and these graves.
fn relay_of(chain: Option<ChainHead>, siblings: RelayFrame, graves: Vec<SignedGrave>, shown: Vec<RelayFrame>) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let Ok(mut socket) = accept(stream.unwrap()) else { continue };
            let log = LogId([7; 16]);
            let say = |frame: &RelayFrame, socket: &mut tokio_tungstenite::tungstenite::WebSocket<_>| {
                socket.send(Message::Binary(encode(frame).into())).is_ok()
            };
            say(&RelayFrame::Challenge(Challenge { log, nonce: Hash([1; 32]) }), &mut socket);
            while let Ok(message) = socket.read() {
                let Message::Binary(bytes) = message else { continue };
                let answers = match decode::<GolemFrame>(&bytes).unwrap() {
                    GolemFrame::Hello(_) => {
                        vec![RelayFrame::Welcome(Welcome { log, head: 9, oldest: 1, cursor: 0, chain, least_epoch: 0 })]
                    }
                    GolemFrame::Siblings { .. } => vec![siblings.clone()],
                    GolemFrame::Follow { .. } => shown.clone(),
                    GolemFrame::Took { .. } => Vec::new(),
                    GolemFrame::Archives => vec![RelayFrame::Done],
                    GolemFrame::Graves { after } => {
                        let graves = if after.is_none() { graves.clone() } else { Vec::new() };
                        vec![RelayFrame::Graves { graves, more: true }]
                    }
                    GolemFrame::Sense(_) => vec![RelayFrame::Field(Vec::new())],
                    GolemFrame::Push(_) => vec![RelayFrame::Ack(Vec::new())],
                    _ => vec![RelayFrame::Done],
                };
                if !answers.iter().all(|frame| say(frame, &mut socket)) {
                    break;
                }
            }
        }
    });
    port
}

#[test]
fn a_number_that_no_life_comes_to_is_not_believed() {
    let dir = tempfile::tempdir().unwrap();
    let owner = CladeKey::at(&dir.path().join("clade").join("owner.key")).unwrap();
    let a = Golem::born(dir.path(), "a");
    let port = relay(Some(ChainHead { seq: u64::MAX - 3, id: Hash([9; 32]) }), Vec::new());
    assert!(crossed_once(a.passenger(&owner, port), |_| {}).is_err());
    let words = a.passenger(&owner, port).certificate.words;
    let (_, state) = FerryFile::open(&a.dir, words.owner, words.origin).unwrap();
    assert_eq!((state.head.seq, state.anew), (0, false));
}

#[test]
fn words_of_nobody_are_not_heard_and_acknowledgements_of_nothing_count_for_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let owner = CladeKey::at(&dir.path().join("clade").join("owner.key")).unwrap();
    let a = Golem::born(dir.path(), "a");
    let stranger = ed25519_dalek::SigningKey::from_bytes(&[3; 32]);
    let root = ChainHead::root(owner.owner(), OriginKey::of(&stranger));
    let at = golem_core::VirtualTime(1);
    let sealed = owner.group(1).public().seal(b"{}", &[5; 32]);
    let delta = SignedDelta::next(&stranger, owner.owner(), root, DeltaKind::Warning, at, sealed);
    let deltas = vec![LoggedDelta { position: 1, delta: delta.clone() }];
    let shown = vec![RelayFrame::Urgent(LoggedDelta { position: 1, delta }), RelayFrame::Deltas { deltas, upto: 1 }];
    let port = relay(None, shown);
    a.tells(0);
    let state = crossed_once(a.passenger(&owner, port), |_| {}).unwrap();
    assert!(a.inbox().is_empty());
    let (file, _) = a.kept();
    assert_eq!((file.waiting().unwrap(), state.head.seq), (1, 1), "what nobody has said to keep is told again");
    let notices = file.notices(9).unwrap();
    assert!(notices.iter().any(|(_, text)| text.contains("never certified")), "{notices:?}");
    assert_eq!(state.backed_up, None::<Tick>);
}

/// Two siblings were shown different words of a third under one number: what one of them has read is held against what was shown here.
#[test]
fn what_siblings_have_read_is_held_against_what_was_shown() {
    for lies in [true, false] {
        let dir = tempfile::tempdir().unwrap();
        let owner = CladeKey::at(&dir.path().join("clade").join("owner.key")).unwrap();
        let (a, b, c) = (Golem::born(dir.path(), "a"), Golem::born(dir.path(), "b"), Golem::born(dir.path(), "c"));
        let [of_b, of_c] = [&b, &c].map(|golem| golem.passenger(&owner, 1));
        let tell = |by: &golem_ferry::FerryPassenger, kind, clear: &[u8]| {
            let root = ChainHead::root(owner.owner(), OriginKey::of(&by.key));
            let sealed = owner.group(1).public().seal(clear, &[5; 32]);
            SignedDelta::next(&by.key, owner.owner(), root, kind, golem_core::VirtualTime(1), sealed)
        };
        let (shown, elsewhere) = (tell(&of_b, DeltaKind::Insight, b"{}"), tell(&of_b, DeltaKind::Insight, b"[]"));
        let read = if lies { elsewhere.reached() } else { shown.reached() };
        let heads = golem_core::plain::bytes(&HeadsReport(vec![(shown.head.origin, read)]));
        let report = tell(&of_c, DeltaKind::Heads, &heads);
        let deltas = [shown, report].into_iter().zip(1..).map(|(delta, position)| LoggedDelta { position, delta });
        let siblings = [&of_b, &of_c].map(|golem| (golem.certificate, None)).to_vec();
        let port = relay_of(
            None,
            RelayFrame::Siblings { siblings, more: false },
            Vec::new(),
            vec![RelayFrame::Deltas { deltas: deltas.collect(), upto: 2 }],
        );
        crossed_once(a.passenger(&owner, port), |_| {}).unwrap();
        let notices = a.kept().0.notices(9).unwrap();
        assert_eq!(notices.iter().any(|(_, text)| text.contains("two different words of")), lies, "{notices:?}");
    }
}

/// A grave is worth something where the dead one left it, and its owner vouches for it: what a relay, a stranger or a sibling digs is empty.
#[test]
fn graves_that_nobody_left_say_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let [owner, stranger] = ["ours", "theirs"].map(|name| CladeKey::at(&dir.path().join(name)).unwrap());
    let (a, b) = (Golem::born(dir.path(), "a"), Golem::born(dir.path(), "b"));
    let grave = |by: &CladeKey, signer: &ed25519_dalek::SigningKey| {
        let of = b.passenger(by, 1);
        let letter = GraveLetter {
            name: "b".to_owned(),
            cause: "economic".to_owned(),
            vitality: 0,
            calendar: WorldCalendar::Outside,
            at: Timestamp(1_800),
            blood: vec![b.stained(0)],
        };
        let words = GraveWords {
            certificate: of.certificate,
            generation: 0,
            cause: "economic".parse().unwrap(),
            tick: 9,
            at: golem_core::VirtualTime(9),
            last: ChainHead::root(by.owner(), OriginKey::of(&of.key)),
            testament: Hash::default(),
            marks: Vec::new(),
            public: false,
            private: Hash::default(),
        };
        SignedGrave::of(signer, words, owner.group(1).public().seal(&letter.bytes(9_000), &[7; 32]))
    };
    let (true_key, other_key) = (b.passenger(&owner, 1).key, a.passenger(&owner, 1).key);
    let none = || RelayFrame::Siblings { siblings: Vec::new(), more: false };
    let heard = |grave: SignedGrave| {
        let port = relay_of(None, none(), vec![grave], Vec::new());
        crossed_once(a.passenger(&owner, port), |_| {}).unwrap();
        let notices = a.kept().0.notices(9).unwrap();
        (a.inbox().len(), notices.iter().any(|(_, text)| text.contains("nobody of this owner left")))
    };
    for forged in [grave(&owner, &other_key), grave(&stranger, &true_key)] {
        assert_eq!(heard(forged), (0, true));
        std::fs::remove_file(a.dir.join("ferry.db")).unwrap();
    }
    assert_eq!(heard(grave(&owner, &true_key)), (1, false), "and the true one is heard");
}

/// What nobody keeps yet would hold up a warning behind it: nothing is signed until it is kept.
#[test]
fn nothing_is_signed_behind_what_waits() {
    let dir = tempfile::tempdir().unwrap();
    let owner = CladeKey::at(&dir.path().join("clade").join("owner.key")).unwrap();
    let a = Golem::born(dir.path(), "a");
    let deaf = relay(None, Vec::new());
    for n in 0..3 {
        a.tells(n);
        let state = crossed_once(a.passenger(&owner, deaf), |_| {}).unwrap();
        assert_eq!((state.head.seq, a.kept().0.waiting().unwrap()), (1, 1), "the rest waits in its outbox");
    }
}
