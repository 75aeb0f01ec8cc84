//! What one owner's questions take of the relay's processor and disk, and what others wait for it.

use crate::client::{Client, dial, hear, say};
use crate::kit::{BEGIN, Teller, desk, golem, identity, owner, sqlite};
use crate::serving::run;
use golem_core::{GolemId, OwnerId, VirtualTime};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::time::{Duration, Instant};
use styx::RelayAddress;
use styx::desk::RelayDesk;
use styx::shelf::ModelShelf;
use styx::store::{
    AppendOutcome, KeptRow, KeptRowKey, LogBounds, ModelStore, RecentUse, RelayStore, RowChange, RowRoom, StoreFault,
    StoreIdentity, WriteBatch,
};
use styx_wire::archive::{BackupOf, back_up};
use styx_wire::*;

/// A store that takes its time for lists, and counts its changes.
#[derive(Debug)]
struct Slow {
    inner: ModelStore,
    list: Duration,
    changes: AtomicUsize,
}

impl Slow {
    fn new(list: Duration) -> Arc<Self> {
        Arc::new(Self { inner: ModelStore::new(identity(1)), list, changes: AtomicUsize::new(0) })
    }
}

type Done<T> = Result<T, StoreFault>;

impl RelayStore for Slow {
    fn identity(&self) -> StoreIdentity {
        self.inner.identity()
    }
    fn commit(&self, now_ms: u64, batch: &WriteBatch) -> Done<Vec<AppendOutcome>> {
        self.inner.commit(now_ms, batch)
    }
    fn page(&self, owner: OwnerId, after: u64, since_ms: u64, most: usize) -> Done<Vec<LoggedDelta>> {
        self.inner.page(owner, after, since_ms, most)
    }
    fn bounds(&self, owner: OwnerId, since_ms: u64) -> Done<LogBounds> {
        self.inner.bounds(owner, since_ms)
    }
    fn chain(&self, owner: OwnerId, origin: OriginKey) -> Done<Option<ChainHead>> {
        self.inner.chain(owner, origin)
    }
    fn end_chain(&self, owner: OwnerId, origin: OriginKey, last: u64) -> Done<()> {
        self.inner.end_chain(owner, origin, last)
    }
    fn cursor(&self, owner: OwnerId, origin: OriginKey) -> Done<u64> {
        self.inner.cursor(owner, origin)
    }
    fn recent(&self, owner: OwnerId, origin: OriginKey, since_ms: u64) -> Done<RecentUse> {
        self.inner.recent(owner, origin, since_ms)
    }
    fn expire(&self, before_ms: u64) -> Done<u64> {
        self.inner.expire(before_ms)
    }
    fn row(&self, key: &KeptRowKey) -> Done<Option<Vec<u8>>> {
        self.inner.row(key)
    }
    fn rows(&self, after: &KeptRowKey, most: usize) -> Done<Vec<KeptRow>> {
        if after.room == RowRoom::Grave {
            std::thread::sleep(self.list);
        }
        self.inner.rows(after, most)
    }
    fn change(&self, key: &KeptRowKey, by: &mut dyn FnMut(Option<&[u8]>) -> RowChange) -> Done<()> {
        self.changes.fetch_add(1, SeqCst);
        self.inner.change(key, by)
    }
    fn owners_of(&self, room: RowRoom) -> Done<Vec<OwnerId>> {
        self.inner.owners_of(room)
    }
}

/// Two golems of one owner ask as fast as they are answered, and each answer takes 4 ms: they have a quarter of a desk together, and
/// whoever else asks is answered as ever.
#[test]
fn questions_of_one_owner_have_a_share_whoever_asks_them() {
    let server = styx::start(
        RelayDesk::new(Slow::new(Duration::from_millis(4)), Arc::new(ModelShelf::default())),
        RelayAddress::loopback(),
    )
    .unwrap();
    let at = server.address();
    let asking = async |who: Teller, n: usize| {
        let mut client = Client::of(at, &who).await;
        let begun = Instant::now();
        for _ in 0..n {
            let answer = client.ask(GolemFrame::Graves { after: None }).await;
            assert!(matches!(answer, Some(RelayFrame::Graves { .. })), "{answer:?}");
        }
        begun.elapsed()
    };
    run(async {
        let (one, two) = (Arc::new(owner(1)), Arc::new(owner(2)));
        let many = [3, 4].map(|n| asking(Teller::new(&one, golem(n)), 12));
        let [first, second] = many;
        let (first, second, other) = tokio::join!(first, second, asking(Teller::new(&two, golem(5)), 1));
        // 24 answers of 4 ms and 12 of a pause after each but the last; without a share it would be 96 ms.
        let both = first.max(second);
        assert!(both >= Duration::from_millis(23 * 16), "{both:?}");
        assert!(other < both / 2, "{other:?} of {both:?}");
    });
    server.stop();
}

/// Golems come in thousands after a relay was away: what their owner signed was looked at when they came first.
#[test]
fn a_certificate_is_examined_once_and_another_one_anew() {
    let tried = sqlite();
    let (desk, _) = desk(&tried);
    let (one, key) = (owner(1), golem(3));
    let challenge = Challenge { log: LogId([1; 16]), nonce: golem_core::Hash([7; 32]) };
    let come = |certificate| desk.admit(&Hello::answer(&key, certificate, &challenge, "here"), &challenge);
    let forged = |epoch| {
        let words = CertificateWords { epoch, ..one.words(&key) };
        OwnerCertificate { words, signature: owner(9).sign(&words.signing_hash()) }
    };
    assert!(come(forged(1)).is_err());
    assert!(come(one.certify(&key)).is_ok());
    assert!(come(forged(1)).is_err() && come(forged(2)).is_err(), "whoever is known is not believed everything");
    // What is remembered is not looked at again: only whoever writes the store could have put it there.
    let member = KeptRowKey { room: RowRoom::Member, owner: one.id, key: OriginKey::of(&key).0.to_vec() };
    let row = golem_core::plain::bytes(&forged(1));
    desk.store.change(&member, &mut |_| RowChange::Put(row.clone())).unwrap();
    assert!(come(forged(1)).is_ok());
    // Its time is, each time.
    let over = CertificateWords { expires_s: BEGIN / 1_000 - 1, ..one.words(&key) };
    let over = OwnerCertificate { words: over, signature: one.sign(&over.signing_hash()) };
    let row = golem_core::plain::bytes(&over);
    desk.store.change(&member, &mut |_| RowChange::Put(row.clone())).unwrap();
    assert!(come(over).is_err());
}

/// The list of siblings shows each with its own last pulse, also across pages and beside golems of closed epochs.
#[test]
fn each_sibling_is_shown_with_its_own_pulse() {
    let tried = sqlite();
    let (desk, _) = desk(&tried);
    let one = owner(1);
    let mut expected = BTreeMap::new();
    for n in 0..150_u8 {
        let mut tell = Teller::new(&Arc::new(owner(1)), ed25519_dalek::SigningKey::from_bytes(&[n + 1; 32]));
        // Every seventh is of an epoch that will be closed.
        let words = CertificateWords { epoch: 1 + u64::from(n % 7 != 0), ..one.words(&tell.key) };
        let certificate = OwnerCertificate { words, signature: one.sign(&words.signing_hash()) };
        let challenge = Challenge { log: LogId([1; 16]), nonce: golem_core::Hash([7; 32]) };
        desk.admit(&Hello::answer(&tell.key, certificate, &challenge, "here"), &challenge).unwrap();
        let pulse = crate::serving::pulse(&tell, u64::from(n) + 1);
        let pulses = n % 3 != 0;
        if pulses {
            desk.pulse(one.id, tell.origin(), &pulse).unwrap();
        }
        if n % 7 != 0 {
            expected.insert(tell.origin(), pulses.then_some(pulse));
        }
        tell.tell(DeltaKind::Insight, b"");
    }
    let signature = one.sign(&ClosedEpochs::signing_hash(one.id, 2, 1));
    desk.close(&ClosedEpochs { owner: one.id, least_epoch: 2, issued_s: 1, signature }).unwrap();
    let mut all = BTreeMap::new();
    loop {
        let (page, more) = desk.siblings(one.id, all.len() as u32).unwrap();
        all.extend(page.into_iter().map(|(certificate, pulse)| (certificate.words.origin, pulse)));
        if !more {
            break;
        }
    }
    assert_eq!(all, expected);
}

/// Whoever offers the same backup again and again has no transaction for each of its pieces.
#[test]
fn an_offer_that_comes_again_changes_nothing() {
    let store = Slow::new(Duration::ZERO);
    let desk = RelayDesk::new(Arc::<Slow>::clone(&store), Arc::new(ModelShelf::default()));
    let (one, key) = (owner(1), golem(3));
    let mut text = vec![0; 300_000];
    blake3::Hasher::new().finalize_xof().fill(&mut text);
    let of = BackupOf { owner: one.id, golem: GolemId([3; 16]), tick: 200, at: VirtualTime(1) };
    let (manifest, pieces) = back_up(&key, &one.group, of, &text).unwrap();
    let origin = OriginKey::of(&key);
    for _ in 0..3 {
        let missing = desk.offer(one.id, origin, &manifest).unwrap();
        assert_eq!(missing.len(), pieces.len());
    }
    assert_eq!(store.changes.load(SeqCst), 0);
    for piece in pieces.values() {
        desk.keep_chunk(one.id, piece).unwrap();
    }
    assert_eq!(desk.offer(one.id, origin, &manifest), Ok(Vec::new()), "it is kept");
    let before = store.changes.load(SeqCst);
    assert_eq!(desk.offer(one.id, origin, &manifest), Ok(Vec::new()));
    assert_eq!(store.changes.load(SeqCst), before);
}

/// From an address from which nothing good came nobody is heard, and is told so late: whoever knocks as fast as it can waits.
#[test]
fn who_is_not_heard_stands_outside_for_a_while() {
    let limits = RelayLimits { failures: BucketRate { per_hour: 1, burst: 1 }, ..RelayLimits::default() };
    let server = crate::serving::model_relay(limits);
    let at = server.address();
    run(async {
        let mut bad = dial(at).await;
        hear(&mut bad).await;
        assert!(say(&mut bad, &GolemFrame::Token).await);
        while hear(&mut bad).await.is_some() {}
        tokio::time::sleep(Duration::from_millis(50)).await;
        let begun = Instant::now();
        let refused = Client::enter(at, &owner(1), &golem(3)).await;
        assert!(refused.is_err());
        let took = begun.elapsed();
        assert!(took >= Duration::from_millis(900) && took < Duration::from_secs(3), "{took:?}");
        // No more than so many stand there.
        let mut crowd = Vec::new();
        for _ in 0..600 {
            crowd.push(tokio::net::TcpStream::connect(at).await.unwrap());
        }
        let mut sent_away = 0;
        for stream in &mut crowd {
            let mut byte = [0; 1];
            let read = tokio::io::AsyncReadExt::read(stream, &mut byte);
            sent_away += usize::from(tokio::time::timeout(Duration::from_millis(1), read).await.is_ok());
        }
        assert!(sent_away >= 80, "{sent_away} of 600 at once");
    });
    server.stop();
}
