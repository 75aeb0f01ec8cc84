//! The rules over every store: who is let in, fields, graves, archives, and what time takes away.

use crate::kit::{BEGIN, DAY, Owner, Teller, desk, golem, owner, stores, word};
use golem_core::{GolemId, Hash, Regime, VirtualTime};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use styx::desk::{DeskFault, RelayDesk};
use styx::store::WriteBatch;
use styx_wire::archive::{BackupOf, back_up, restore};
use styx_wire::*;

const HOUR: u64 = 3_600_000;

fn come(desk: &RelayDesk, owner: &Owner, key: &ed25519_dalek::SigningKey) -> Result<Welcome, DeskFault> {
    let challenge = Challenge { log: desk.store.identity().log, nonce: Hash::of(b"fresh") };
    let hello = Hello::answer(key, owner.certify(key), &challenge, "here");
    desk.admit(&hello, &challenge).map(|admitted| admitted.welcome)
}

#[test]
fn epochs_close_for_good_and_only_by_their_owner() {
    let (one, two, key) = (owner(1), owner(2), golem(3));
    for tried in stores() {
        let (desk, _) = desk(&tried);
        assert_eq!(come(&desk, &one, &key).unwrap().least_epoch, 0);
        let close = |by: &Owner, least_epoch| ClosedEpochs {
            owner: one.id,
            least_epoch,
            issued_s: 1,
            signature: by.sign(&ClosedEpochs::signing_hash(one.id, least_epoch, 1)),
        };
        assert_eq!(desk.close(&close(&two, 4)), Err(DeskFault::Certificate(CertificateFault::Forged)));
        assert_eq!(desk.close(&close(&one, 4)), Ok(4));
        assert_eq!(desk.close(&close(&one, 2)), Ok(4), "{}: replayed", tried.name);
        assert_eq!(come(&desk, &one, &key), Err(DeskFault::Certificate(CertificateFault::Revoked)));
        assert_eq!(desk.siblings(one.id, 0).unwrap().0, [], "the revoked are not told");
        assert!(come(&desk, &two, &key).is_ok(), "another owner's epochs are its own");
    }
}

#[test]
fn one_key_is_one_golem_until_its_epoch_is_closed() {
    let (one, key) = (owner(1), golem(3));
    for tried in stores() {
        let (desk, _) = desk(&tried);
        let comes = |name: u8, epoch| {
            let mut certificate = one.certify(&key);
            certificate.words.golem = GolemId([name; 16]);
            certificate.words.epoch = epoch;
            certificate.signature = one.sign(&certificate.words.signing_hash());
            let challenge = Challenge { log: desk.store.identity().log, nonce: Hash::of(b"fresh") };
            desk.admit(&Hello::answer(&key, certificate, &challenge, "here"), &challenge).map(|_| ())
        };
        assert_eq!(comes(1, 1), Ok(()));
        assert_eq!(comes(1, 2), Ok(()));
        for epoch in 1..4 {
            assert_eq!(comes(2, epoch), Err(DeskFault::Refused(RefuseReason::OtherGolem)), "{}", tried.name);
        }
        let signature = one.sign(&ClosedEpochs::signing_hash(one.id, 3, 1));
        desk.close(&ClosedEpochs { owner: one.id, least_epoch: 3, issued_s: 1, signature }).unwrap();
        assert_eq!(comes(2, 3), Ok(()), "the owner has taken it from the first");
    }
}

#[test]
fn seven_days_are_kept_and_a_little_more_and_no_more() {
    let one = Arc::new(owner(1));
    for tried in stores() {
        let (desk, clock) = desk(&tried);
        let mut a = Teller::new(&one, golem(3));
        let deltas = vec![a.tell(DeltaKind::Insight, b"x")];
        desk.store.commit(BEGIN, &WriteBatch { deltas, ..WriteBatch::default() }).unwrap();
        for (at, left) in [(7 * DAY, 1), (7 * DAY + HOUR / 2, 1), (7 * DAY + HOUR, 0)] {
            clock.0.store(BEGIN + at, Ordering::SeqCst);
            assert_eq!(desk.page(one.id, 0, 9).unwrap().len(), left, "{} at {at}", tried.name);
        }
        desk.sweep().unwrap();
        // A clock that was ahead and went back brings nothing back that was swept, and loses nothing that was not.
        clock.0.store(BEGIN, Ordering::SeqCst);
        assert_eq!(desk.bounds(one.id).unwrap().head, 1);
    }
}

fn threat(intensity: u16, domain: &str, scope: FieldScope) -> PheromoneDeposit {
    let key = ScentKey {
        layer: PheromoneLayer::Threat,
        class: word("crash"),
        domain: word(domain),
        regime: Regime::Volatile,
    };
    PheromoneDeposit { scope, key, intensity }
}

fn sense(scope: FieldScope) -> SenseQuery {
    SenseQuery { scope, layer: None, domain: None }
}

#[test]
fn fields_are_apart_fade_and_do_not_say_who() {
    let (one, two) = (owner(1), owner(2));
    let origins: Vec<OriginKey> = (3..6).map(|n| OriginKey::of(&golem(n))).collect();
    for tried in stores() {
        let (desk, clock) = desk(&tried);
        let left = threat(1_000, "eth", FieldScope::Clade);
        desk.deposit(one.id, origins[0], &left).unwrap();
        desk.deposit(one.id, origins[0], &left).unwrap();
        desk.deposit(one.id, origins[1], &left).unwrap();
        let smelt = desk.sense(one.id, &sense(FieldScope::Clade)).unwrap();
        assert_eq!((smelt.len(), smelt[0].confirmations), (1, 1), "{}", tried.name);
        assert_eq!(desk.sense(two.id, &sense(FieldScope::Clade)).unwrap(), [], "nothing crosses");
        assert_eq!(desk.sense(two.id, &sense(FieldScope::Public)).unwrap(), []);
        let told = format!("{smelt:?}");
        assert!(origins.iter().all(|o| !told.contains(&o.to_string())));
        clock.0.store(BEGIN + 3 * HOUR, Ordering::SeqCst);
        assert_eq!(desk.sense(one.id, &sense(FieldScope::Clade)).unwrap()[0].intensity, 500, "confirmed once");
        clock.0.store(BEGIN + 20 * HOUR, Ordering::SeqCst);
        assert_eq!(desk.sweep().unwrap().marks, 1);
        for bad in [0, 1_001] {
            let nothing = threat(bad, "eth", FieldScope::Clade);
            assert!(desk.deposit(one.id, origins[0], &nothing).is_err());
        }
    }
}

#[test]
fn a_crowd_of_new_owners_raises_nothing() {
    for tried in stores() {
        let (desk, clock) = desk(&tried);
        let left = threat(500, "eth", FieldScope::Public);
        let origin = OriginKey::of(&golem(3));
        for n in 1..30 {
            let sybil = owner(n);
            come(&desk, &sybil, &golem(3)).unwrap();
            desk.deposit(sybil.id, origin, &left).unwrap();
        }
        let smelt = desk.sense(owner(40).id, &sense(FieldScope::Public)).unwrap();
        assert_eq!((smelt.len(), smelt[0].confirmations, smelt[0].intensity), (1, 0, 500), "{}", tried.name);
        // Opportunities raise risk: nobody hears of them from strangers.
        let mut greed = left.clone();
        greed.key.layer = PheromoneLayer::Opportunity;
        assert_eq!(desk.deposit(owner(1).id, origin, &greed), Err(RefuseReason::Absent.into()));
        // One owner leaves so many marks and no more, with however many golems.
        let most = desk.limits.marks_per_source;
        let taken = (0..most as u8 + 5)
            .filter(|n| {
                let mark = threat(500, &format!("d{n}"), FieldScope::Public);
                desk.deposit(owner(2).id, OriginKey::of(&golem(*n + 1)), &mark).is_ok()
            })
            .count();
        assert_eq!(taken, most);
        // Who has been known for a day counts.
        clock.0.store(BEGIN + DAY + HOUR, Ordering::SeqCst);
        desk.deposit(owner(1).id, origin, &left).unwrap();
        desk.deposit(owner(2).id, origin, &left).unwrap();
        let smelt = desk.sense(owner(40).id, &sense(FieldScope::Public)).unwrap();
        assert_eq!(smelt[0].confirmations, 1);
        let closed = RelayDesk { public: false, ..desk };
        assert_eq!(closed.sense(owner(1).id, &sense(FieldScope::Public)), Err(RefuseReason::Absent.into()));
    }
}

fn grave(owner: &Owner, key: &ed25519_dalek::SigningKey, last: ChainHead, public: bool) -> SignedGrave {
    let mark = StainMark { class: word("crash"), domain: word("eth"), regime: Regime::Volatile, severity: 800 };
    let words = GraveWords {
        certificate: owner.certify(key),
        generation: 2,
        cause: word("economic"),
        tick: 9,
        at: VirtualTime(7),
        last,
        testament: Hash::of(b"t"),
        marks: vec![mark],
        public,
        private: Hash::default(),
    };
    SignedGrave::of(key, words, b"sealed".to_vec())
}

#[test]
fn a_grave_is_dug_once_by_the_dead_and_its_blood_marks_the_place() {
    let (one, two) = (Arc::new(owner(1)), owner(2));
    for tried in stores() {
        let (desk, _) = desk(&tried);
        let mut a = Teller::new(&one, golem(3));
        let told = a.tell(DeltaKind::Insight, b"x");
        let stone = grave(&one, &a.key, a.head, true);
        let late = a.tell(DeltaKind::Insight, b"late");
        assert_eq!(desk.bury(two.id, &stone), Err(RefuseReason::NotAccepted.into()), "of another owner");
        let mut forged = stone.clone();
        forged.words.cause = word("none");
        assert_eq!(desk.bury(one.id, &forged), Err(RefuseReason::NotAccepted.into()));
        assert_eq!(desk.bury(one.id, &stone), Ok(true));
        assert_eq!(desk.bury(one.id, &stone), Ok(false), "{}: once", tried.name);
        let other = grave(&one, &a.key, ChainHead { seq: 99, id: Hash::of(b"z") }, false);
        assert_eq!(desk.bury(one.id, &other), Err(RefuseReason::Forked.into()));
        assert_eq!(desk.graves(one.id, None).unwrap(), (vec![stone], false));
        assert_eq!(desk.graves(two.id, None).unwrap(), (Vec::new(), false));
        let layers: Vec<PheromoneLayer> =
            desk.sense(one.id, &sense(FieldScope::Clade)).unwrap().iter().map(|s| s.key.layer).collect();
        assert_eq!(layers, [PheromoneLayer::Threat, PheromoneLayer::Wisdom]);
        assert_eq!(desk.notices().unwrap().len(), 1, "its golem allowed that");
        let batch = WriteBatch { deltas: vec![told, late], ..WriteBatch::default() };
        let outcomes = desk.store.commit(BEGIN, &batch).unwrap();
        assert!(matches!(outcomes[0], styx::store::AppendOutcome::Kept { .. }));
        assert_eq!(outcomes[1], styx::store::AppendOutcome::Refused(RefuseReason::Dead));
    }
}

#[test]
fn only_new_pieces_travel_and_a_backup_comes_back_with_proof() {
    let (one, two, key) = (owner(1), owner(2), golem(3));
    let origin = OriginKey::of(&key);
    for tried in stores() {
        let (desk, clock) = desk(&tried);
        let mut text = vec![0; 200_000];
        blake3::Hasher::new().finalize_xof().fill(&mut text);
        let of = BackupOf { owner: one.id, golem: GolemId([3; 16]), tick: 200, at: VirtualTime(1) };
        let (first, pieces) = back_up(&key, &one.group, of, &text).unwrap();
        let missing = desk.offer(one.id, origin, &first).unwrap();
        assert_eq!(missing.len(), pieces.len());
        assert_eq!(desk.manifests(one.id).unwrap(), [], "{}: not before all of it is there", tried.name);
        for name in &missing {
            assert_eq!(desk.keep_chunk(one.id, &pieces[name]).unwrap(), *name);
        }
        assert_eq!(desk.offer(one.id, origin, &first).unwrap(), []);
        assert_eq!(desk.offer(one.id, origin, &first).unwrap(), [], "again is once");
        assert_eq!(desk.manifests(one.id).unwrap().len(), 1);
        text.extend_from_slice(b"one more lesson");
        let (second, more) = back_up(&key, &one.group, BackupOf { tick: 400, ..of }, &text).unwrap();
        let missing = desk.offer(one.id, origin, &second).unwrap();
        assert!(missing.len() <= 2, "{} travel", missing.len());
        for name in &missing {
            desk.keep_chunk(one.id, &more[name]).unwrap();
        }
        desk.offer(one.id, origin, &second).unwrap();
        // Somebody else's: neither offered for this owner, nor fetched by another.
        assert!(desk.offer(two.id, origin, &second).is_err());
        assert_eq!(desk.fetch(two.id, second.words.chunks[0]), Err(RefuseReason::Absent.into()));
        let back = second.words.chunks.iter().map(|name| (*name, desk.fetch(one.id, *name).unwrap())).collect();
        let newest = desk.manifests(one.id).unwrap()[0].1.clone();
        assert_eq!(restore(&newest, &one.certify(&key), (one.id, of.golem), &one.group, &back), Ok(text.clone()));
        // Ninety days later nothing is left, neither rows nor pieces.
        clock.0.store(BEGIN + 91 * DAY, Ordering::SeqCst);
        let swept = desk.sweep().unwrap();
        assert_eq!(swept.manifests, 2);
        assert!(swept.chunks as usize >= pieces.len());
        assert_eq!(desk.fetch(one.id, second.words.chunks[0]), Err(RefuseReason::Absent.into()));
    }
}

#[test]
fn a_piece_that_rotted_is_asked_for_again() {
    let (one, key) = (owner(1), golem(3));
    let tried = crate::kit::sqlite();
    let (desk, _) = desk(&tried);
    let of = BackupOf { owner: one.id, golem: GolemId([3; 16]), tick: 200, at: VirtualTime(1) };
    let (manifest, pieces) = back_up(&key, &one.group, of, b"short").unwrap();
    let (name, piece) = pieces.iter().next().unwrap();
    desk.keep_chunk(one.id, piece).unwrap();
    assert_eq!(desk.offer(one.id, OriginKey::of(&key), &manifest).unwrap(), []);
    let hex = name.to_string();
    let path = tried.dir.as_ref().unwrap().path().join("pieces").join(one.id.to_string());
    std::fs::write(path.join(&hex[..2]).join(&hex[2..]), b"rotten").unwrap();
    assert_eq!(desk.fetch(one.id, *name), Err(RefuseReason::Absent.into()));
    assert_eq!(desk.offer(one.id, OriginKey::of(&key), &manifest).unwrap(), [*name]);
    desk.keep_chunk(one.id, piece).unwrap();
    assert_eq!(desk.fetch(one.id, *name).unwrap(), *piece);
}

#[test]
fn pulses_are_the_golems_own_and_never_older() {
    let (one, key) = (owner(1), golem(3));
    let origin = OriginKey::of(&key);
    for tried in stores() {
        let (desk, _) = desk(&tried);
        come(&desk, &one, &key).unwrap();
        let pulse = |count, by: &ed25519_dalek::SigningKey| {
            let words = PulseWords {
                owner: one.id,
                origin,
                count,
                tick: 1,
                at: VirtualTime(1),
                phase: word("stable"),
                vitality: 700,
                terms: PulseTerms::Mortal,
                dreaming: false,
                chain: ChainHead::root(one.id, origin),
            };
            SignedPulse::of(by, words)
        };
        assert_eq!(desk.pulse(one.id, origin, &pulse(2, &key)), Ok(true));
        assert_eq!(desk.pulse(one.id, origin, &pulse(1, &key)), Ok(false), "{}: replayed", tried.name);
        assert!(desk.pulse(one.id, origin, &pulse(3, &golem(4))).is_err());
        assert!(desk.pulse(owner(2).id, origin, &pulse(3, &key)).is_err());
        assert_eq!(desk.siblings(one.id, 0).unwrap().0[0].1.as_ref().map(|p| p.words.count), Some(2));
    }
}

/// A shelf elsewhere, by its URL: a directory here, S3 where one was named.
#[cfg(feature = "s3")]
#[test]
fn pieces_lie_wherever_a_url_says() {
    use styx::shelf::{ChunkShelf, ObjectShelf};
    let dir = tempfile::tempdir().unwrap();
    let mut urls = vec![format!("file://{}", dir.path().display())];
    match std::env::var("STYX_TEST_S3") {
        Ok(url) => urls.push(url),
        Err(_) => eprintln!("SKIPPED: S3 was not asked for (STYX_TEST_S3, and AWS_* for its options)"),
    }
    for url in urls {
        let options = std::env::vars().map(|(k, v)| (k.to_lowercase(), v)).filter(|(k, _)| k.starts_with("aws_"));
        let shelf = ObjectShelf::open(&url, options.filter(|_| url.starts_with("s3:"))).unwrap();
        let (one, two, piece) = (owner(1).id, owner(2).id, b"a piece");
        let name = Hash::of(piece);
        assert_eq!(shelf.get(one, name).unwrap(), None, "{url}");
        shelf.put(one, name, piece).unwrap();
        shelf.put(one, name, piece).unwrap();
        assert_eq!(shelf.get(one, name).unwrap().as_deref(), Some(&piece[..]), "{url}");
        assert_eq!(shelf.get(two, name).unwrap(), None, "of one owner alone");
        shelf.put(one, Hash::of(b"other"), b"not what its name says").unwrap();
        assert_eq!(shelf.get(one, Hash::of(b"other")).unwrap(), None, "what rotted is not handed out");
        shelf.remove(one, name).unwrap();
        shelf.remove(one, name).unwrap();
        assert_eq!(shelf.get(one, name).unwrap(), None);
    }
}

#[test]
fn crowds_of_owners_fill_neither_the_store_nor_the_field() {
    for tried in stores() {
        let (mut desk, _) = desk(&tried);
        desk.limits.newcomers = BucketRate { per_hour: 1, burst: 3 };
        desk.limits.marks_per_field = 2;
        let came: Vec<bool> = (1..6).map(|n| come(&desk, &owner(n), &golem(3)).is_ok()).collect();
        assert_eq!(came, [true, true, true, false, false], "{}", tried.name);
        assert!(come(&desk, &owner(1), &golem(4)).is_ok(), "who is known comes again");
        let left: Vec<bool> = (0..4)
            .map(|n| {
                desk.deposit(owner(1).id, OriginKey::of(&golem(3)), &threat(500, &format!("d{n}"), FieldScope::Clade))
                    .is_ok()
            })
            .collect();
        assert_eq!(left, [true, true, false, false]);
        let alone = RelayDesk { owners: Some([owner(2).id].into()), ..desk };
        assert!(come(&alone, &owner(2), &golem(3)).is_ok());
        assert_eq!(come(&alone, &owner(1), &golem(3)).unwrap_err().reason(), RefuseReason::NotAdmitted);
    }
}

#[test]
fn who_is_long_gone_is_forgotten() {
    let (one, key) = (owner(1), golem(3));
    for tried in stores() {
        let (desk, clock) = desk(&tried);
        let mut words = one.words(&key);
        words.expires_s = BEGIN / 1_000 + 60;
        let certificate = OwnerCertificate { words, signature: one.sign(&words.signing_hash()) };
        let challenge = Challenge { log: desk.store.identity().log, nonce: Hash::of(b"fresh") };
        desk.admit(&Hello::answer(&key, certificate, &challenge, "here"), &challenge).unwrap();
        for (days, left) in [(80, 1), (91, 0)] {
            clock.0.store(BEGIN + days * DAY, Ordering::SeqCst);
            desk.sweep().unwrap();
            assert_eq!(desk.siblings(one.id, 0).unwrap().0.len(), left, "{} after {days} days", tried.name);
        }
    }
}
