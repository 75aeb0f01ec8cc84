//! What a golem asks in which order: a warning goes between the questions of a long exchange, no grave is dug before the last word, and
//! whoever was away for longer than the log goes back takes a backup again.

use crate::kit::Golem;
use crate::marks::said;
use golem_core::{Hash, Tick, Timestamp, VirtualTime};
use golem_ferry::{BackupTaken, FerryPassenger, GraveSaid, LivingSigns, PassengerSigns, crossed_once};
use golem_wallet::CladeKey;
use std::collections::BTreeSet;
use std::net::TcpListener;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use styx_wire::frame::{decode, encode};
use styx_wire::{
    ChainHead, Challenge, DeltaKind, DeltaReceipt, GolemFrame, LogId, PulseTerms, RelayFrame, SignedDelta, Welcome,
};
use tokio_tungstenite::tungstenite::{Message, accept};

/// A relay that keeps everything.
struct Keeping {
    listener: TcpListener,
    pieces: BTreeSet<Hash>,
    chain: Option<ChainHead>,
    /// Its log begins later than whoever comes has read.
    expired: bool,
}

impl Keeping {
    fn begin() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        Self { listener, pieces: BTreeSet::new(), chain: None, expired: false }
    }
    fn port(&self) -> u16 {
        self.listener.local_addr().unwrap().port()
    }
    fn keep(&mut self, delta: &SignedDelta) -> DeltaReceipt {
        let head = delta.reached();
        self.chain = Some(head);
        DeltaReceipt::Kept { id: head.id, position: head.seq }
    }
    fn answer(&mut self, asked: GolemFrame) -> (&'static str, Option<RelayFrame>) {
        match asked {
            GolemFrame::Hello(_) => {
                let log = LogId([7; 16]);
                let (chain, cursor) = (self.chain, 0);
                ("hello", Some(RelayFrame::Welcome(Welcome { log, head: 0, oldest: 1, cursor, chain, least_epoch: 0 })))
            }
            GolemFrame::Siblings { .. } => {
                ("siblings", Some(RelayFrame::Siblings { siblings: Vec::new(), more: false }))
            }
            GolemFrame::Follow { .. } => ("follows", self.expired.then_some(RelayFrame::Expired { oldest: 9 })),
            GolemFrame::Took { .. } => ("took", None),
            GolemFrame::Archives => ("archives", Some(RelayFrame::Done)),
            GolemFrame::Push(deltas) => {
                let is = |kind| deltas.iter().any(|delta| delta.head.kind == kind);
                let word = match (is(DeltaKind::Death), is(DeltaKind::Warning)) {
                    (true, _) => "death",
                    (false, true) => "warning",
                    (false, false) => "entries",
                };
                (word, Some(RelayFrame::Ack(deltas.iter().map(|delta| self.keep(delta)).collect())))
            }
            GolemFrame::Offer(manifest) => {
                let missing = manifest.words.chunks.into_iter().filter(|name| !self.pieces.contains(name)).collect();
                ("offer", Some(RelayFrame::Want(missing)))
            }
            GolemFrame::Chunk(piece) => {
                self.pieces.insert(Hash::of(&piece.0));
                ("piece", Some(RelayFrame::Done))
            }
            GolemFrame::Graves { .. } => ("graves", Some(RelayFrame::Graves { graves: Vec::new(), more: false })),
            GolemFrame::Sense(_) => ("sense", Some(RelayFrame::Field(Vec::new()))),
            GolemFrame::Deposit(_) => ("mark", Some(RelayFrame::Done)),
            GolemFrame::Bury(_) => ("grave", Some(RelayFrame::Done)),
            _ => ("else", Some(RelayFrame::Done)),
        }
    }
    /// One line, to its end: what was asked, in its order. `asked` hears each, and how often it was asked before, before it is answered.
    fn line(&mut self, mut asked: impl FnMut(&str, usize)) -> Vec<&'static str> {
        let mut socket = accept(self.listener.accept().unwrap().0).unwrap();
        let challenge = RelayFrame::Challenge(Challenge { log: LogId([7; 16]), nonce: Hash([1; 32]) });
        socket.send(Message::Binary(encode(&challenge).into())).unwrap();
        let mut all = Vec::new();
        while let Ok(message) = socket.read() {
            let Message::Binary(bytes) = message else { continue };
            let (word, answer) = self.answer(decode(&bytes).unwrap());
            asked(word, all.iter().filter(|before| **before == word).count());
            all.push(word);
            if answer.is_some_and(|frame| socket.send(Message::Binary(encode(&frame).into())).is_err()) {
                break;
            }
        }
        all
    }
}

/// One visit to the relay.
fn visited(relay: &mut Keeping, passenger: FerryPassenger, asked: impl FnMut(&str, usize) + Send) -> Vec<&'static str> {
    std::thread::scope(|scope| {
        let answering = scope.spawn(|| relay.line(asked));
        crossed_once(passenger, |_| {}).unwrap();
        answering.join().unwrap()
    })
}

fn owner(home: &Path) -> CladeKey {
    CladeKey::at(&home.join("owner.key")).unwrap()
}

/// Enough for an archive of some pieces.
fn much(golem: &Golem) -> Vec<u8> {
    (0..200).map(|n| golem.believes(n)).collect::<Vec<_>>().join("\n").into_bytes()
}

#[test]
fn a_warning_goes_before_the_rest_of_many_marks_and_of_a_backup() {
    let dir = tempfile::tempdir().unwrap();
    let (owner, mut a) = (owner(dir.path()), Golem::born(dir.path(), "a"));
    a.backup = much(&a);
    a.tick.store(450, SeqCst);
    (0..9).for_each(|n| a.tells(n));
    let mut relay = Keeping::begin();
    let passenger = a.passenger(&owner, relay.port());
    let asked = visited(&mut relay, passenger, |word, before| match (word, before) {
        ("mark", 0) => a.warns(100),
        ("piece", 0) => a.warns(101),
        _ => {}
    });
    for word in ["mark", "piece"] {
        let first = asked.iter().position(|said| *said == word).unwrap();
        let next: Vec<&str> = asked.iter().skip(first).take(3).copied().collect();
        assert_eq!(next, [word, "warning", word], "{asked:?}");
    }
}

/// Alive until somebody says that it is not.
struct Mortal {
    dead: Arc<AtomicBool>,
    backup: Vec<u8>,
}

impl PassengerSigns for Mortal {
    fn living(&self) -> Option<LivingSigns> {
        Some(LivingSigns {
            tick: Tick(450),
            at: VirtualTime(450 * 40_000),
            phase: "stable".to_owned(),
            vitality: 800,
            terms: PulseTerms::Mortal,
            dreaming: false,
            dead: self.dead.load(SeqCst),
        })
    }
    fn backup(&self) -> Option<BackupTaken> {
        Some(BackupTaken { tick: Tick(450), at: VirtualTime(450 * 40_000), clear: self.backup.clone() })
    }
    fn grave(&self) -> Option<GraveSaid> {
        self.dead.load(SeqCst).then(said)
    }
}

/// It dies while its backup is on its way: its last word is told, and then its grave.
#[test]
fn no_grave_is_dug_before_the_last_word() {
    let dir = tempfile::tempdir().unwrap();
    let owner = owner(dir.path());
    let last = golem_life::Word { text: "remember".to_owned(), died: true, at: Timestamp(1_600) };
    let last = serde_json::to_string(&last).unwrap();
    // Between two pieces, and when the whole of it is there.
    for (name, at) in [("a", ("piece", 1)), ("b", ("offer", 1))] {
        let golem = Golem::born(dir.path(), name);
        let (dead, mut relay) = (Arc::new(AtomicBool::new(false)), Keeping::begin());
        let port = relay.port();
        let passenger = || FerryPassenger {
            signs: Box::new(Mortal { dead: Arc::clone(&dead), backup: much(&golem) }),
            ..golem.passenger(&owner, port)
        };
        let mut asked = visited(&mut relay, passenger(), |word, before| {
            if (word, before) == at {
                golem.says("peer", "9/peer/0", &last);
                dead.store(true, SeqCst);
            }
        });
        asked.extend(visited(&mut relay, passenger(), |_, _| {}));
        let order: Vec<&str> = asked.iter().filter(|word| ["death", "grave"].contains(word)).copied().collect();
        assert_eq!(order, ["death", "grave"], "{at:?}: {asked:?}");
    }
}

#[test]
fn who_was_away_for_longer_than_the_log_goes_back_takes_a_backup_again() {
    let dir = tempfile::tempdir().unwrap();
    let owner = owner(dir.path());
    for (name, expired) in [("a", false), ("b", true)] {
        let (golem, mut relay) = (Golem::born(dir.path(), name), Keeping::begin());
        let port = relay.port();
        let mut visit = |expired| {
            relay.expired = expired;
            visited(&mut relay, golem.passenger(&owner, port), |_, _| {}).contains(&"archives")
        };
        let asked = [visit(false), visit(expired), visit(false)];
        assert_eq!(asked, [true, false, expired], "a newcomer does, and then only who missed something");
    }
}
