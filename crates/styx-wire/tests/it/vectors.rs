//! Whatever is forged, replayed, expired, revoked or of another owner is refused, each with its own word inside the house.

use crate::kit::{Owner, golem, owner, word};
use golem_core::{Hash, OwnerId, Regime, VirtualTime};
use styx_wire::*;

fn now() -> u64 {
    1_500
}

#[test]
fn a_certificate_stands_only_as_its_owner_signed_it() {
    let (one, two, key) = (owner(1), owner(2), golem(9));
    let good = one.certify(&key);
    assert_eq!(good.check(now(), 3), Ok(()));
    let with = |change: &dyn Fn(&mut CertificateWords)| {
        let mut words = one.words(&key);
        change(&mut words);
        words
    };
    // Changed after it was signed.
    for change in [
        &(|w: &mut CertificateWords| w.epoch += 1) as &dyn Fn(&mut CertificateWords),
        &|w| w.expires_s += 1,
        &|w| w.issued_s -= 1,
        &|w| w.origin = OriginKey::of(&golem(8)),
        &|w| w.golem.0[0] ^= 1,
        &|w| w.group = Hash::of(b"mine"),
        &|w| w.owner = OwnerId([7; 20]),
    ] {
        let changed = OwnerCertificate { words: with(change), ..good };
        assert_eq!(changed.check(now(), 3), Err(CertificateFault::Forged), "{changed:?}");
    }
    // Signed by somebody else for this owner.
    let forged = OwnerCertificate { words: good.words, signature: two.sign(&good.words.signing_hash()) };
    assert_eq!(forged.check(now(), 3), Err(CertificateFault::Forged));
    // Signed so, and worth nothing.
    let signed = |change: &dyn Fn(&mut CertificateWords)| one.certified(with(change));
    for (certificate, at, least, fault) in [
        (good, 2_000, 3, CertificateFault::Expired),
        (good, u64::MAX, 3, CertificateFault::Expired),
        (good, now(), 4, CertificateFault::Revoked),
        (good, 100, 3, CertificateFault::NotYet),
        (signed(&|w| w.issued_s = w.expires_s), now(), 3, CertificateFault::NotYet),
        (signed(&|w| w.origin = OriginKey([0; 32])), now(), 3, CertificateFault::WeakKey),
    ] {
        assert_eq!(certificate.check(at, least), Err(fault), "{certificate:?}");
    }
    assert_eq!(good.check(1_999, 3), Ok(()));
}

#[test]
fn a_sibling_reads_what_an_expired_one_left_for_as_long_as_it_is_kept() {
    let (one, key) = (owner(1), golem(9));
    let good = one.certify(&key);
    for (at, expected) in [(1_500, Ok(())), (2_600, Ok(())), (2_601, Err(CertificateFault::Expired))] {
        assert_eq!(good.check_as_sibling(one.id, at, 3, 600), expected, "{at}");
    }
    assert_eq!(good.check_as_sibling(owner(2).id, 1_500, 3, 600), Err(CertificateFault::WrongOwner));
    assert_eq!(good.check_as_sibling(one.id, 2_100, 4, 600), Err(CertificateFault::Revoked));
}

#[test]
fn signatures_of_owners_have_one_spelling() {
    let (one, key) = (owner(1), golem(9));
    let good = one.certify(&key);
    let order =
        alloy_primitives::U256::from_str_radix("fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141", 16)
            .unwrap();
    let s = order - alloy_primitives::U256::from_be_bytes(good.signature.s.0);
    let twin = OwnerSignature { s: Hash(s.to_be_bytes()), v: 55 - good.signature.v, ..good.signature };
    for signature in
        [twin, OwnerSignature { v: 0, ..good.signature }, OwnerSignature { r: Hash([0; 32]), ..good.signature }]
    {
        let bad = OwnerCertificate { signature, ..good };
        assert_eq!(bad.check(now(), 3), Err(CertificateFault::Malformed), "{signature:?}");
    }
}

#[test]
fn closing_epochs_takes_the_owner_of_them() {
    let (one, two) = (owner(1), owner(2));
    let signed = |by: &Owner, owner: OwnerId| ClosedEpochs {
        owner,
        least_epoch: 4,
        issued_s: 9,
        signature: by.sign(&ClosedEpochs::signing_hash(owner, 4, 9)),
    };
    assert_eq!(signed(&one, one.id).check(), Ok(()));
    assert_eq!(signed(&two, one.id).check(), Err(CertificateFault::Forged));
    assert_eq!(ClosedEpochs { least_epoch: 5, ..signed(&one, one.id) }.check(), Err(CertificateFault::Forged));
}

/// Whoever has copied an owner's key can certify in any epoch that is still to come: there is one in which nobody can.
#[test]
fn who_closes_everything_closes_it_for_good() {
    let one = owner(1);
    let in_epoch = |epoch| {
        let words = CertificateWords { epoch, ..one.certify(&golem(9)).words };
        OwnerCertificate { signature: one.sign(&words.signing_hash()), words }
    };
    assert_eq!(in_epoch(LAST_EPOCH - 1).check(now(), 3), Ok(()));
    for epoch in [3, LAST_EPOCH - 1, LAST_EPOCH] {
        assert_eq!(in_epoch(epoch).check(now(), LAST_EPOCH), Err(CertificateFault::Revoked));
    }
    assert_eq!(in_epoch(LAST_EPOCH).check(now(), 3), Err(CertificateFault::Revoked), "it is never opened");
}

#[test]
fn a_hello_opens_one_relay_once() {
    let (one, key) = (owner(1), golem(9));
    let challenge = Challenge { log: LogId([1; 16]), nonce: Hash::of(b"now") };
    let hello = Hello::answer(&key, one.certify(&key), &challenge, "relay:1");
    assert!(hello.answers(&challenge));
    let later = Challenge { nonce: Hash::of(b"later"), ..challenge };
    let elsewhere = Challenge { log: LogId([2; 16]), ..challenge };
    assert!(!hello.answers(&later) && !hello.answers(&elsewhere), "replayed");
    assert!(!Hello { dialled: "evil:1".to_owned(), ..hello.clone() }.answers(&challenge));
    assert!(!Hello { certificate: one.certify(&golem(8)), ..hello }.answers(&challenge));
    assert!(!Hello::answer(&golem(8), one.certify(&key), &challenge, "relay:1").answers(&challenge), "not its key");
}

fn grave(by: &ed25519_dalek::SigningKey, certificate: OwnerCertificate) -> SignedGrave {
    let mark = StainMark { class: word("crash"), domain: word("eth/usdc"), regime: Regime::Volatile, severity: 800 };
    let words = GraveWords {
        certificate,
        generation: 2,
        cause: word("economic"),
        tick: 9,
        at: VirtualTime(7),
        last: ChainHead { seq: 3, id: Hash::of(b"last") },
        testament: Hash::of(b"t"),
        marks: vec![mark],
        public: false,
        private: Hash::of(b""),
    };
    SignedGrave::of(by, words, b"sealed".to_vec())
}

#[test]
fn blood_is_signed_by_the_dead_and_vouched_for_by_its_owner() {
    let (one, two, key) = (owner(1), owner(2), golem(9));
    let good = grave(&key, one.certify(&key));
    assert_eq!(good.check(3), Ok(()));
    assert_eq!(good.check(4), Err(GraveFault::Certificate(CertificateFault::Revoked)));
    // A living enemy, a sibling, an owner without the key, a certificate of somebody else.
    assert_eq!(grave(&golem(8), one.certify(&key)).check(3), Err(GraveFault::Forged));
    let mut vouched = one.certify(&key);
    vouched.signature = two.sign(&vouched.words.signing_hash());
    assert_eq!(grave(&key, vouched).check(3), Err(GraveFault::Certificate(CertificateFault::Forged)));
    let mut words = good.clone();
    words.words.cause = word("owner_kill");
    assert_eq!(words.check(3), Err(GraveFault::Forged));
    let mut private = good.clone();
    private.private.0.push(0);
    assert_eq!(private.check(3), Err(GraveFault::Content));
    let mut many = good;
    many.words.marks = vec![many.words.marks[0].clone(); limits::MARKS + 1];
    assert_eq!(many.check(3), Err(GraveFault::TooLarge));
}

#[test]
fn everybody_may_know_of_a_death_only_what_its_golem_allowed() {
    let (one, key) = (owner(1), golem(9));
    let silent = grave(&key, one.certify(&key));
    assert_eq!(PublicNotice::of_grave(&silent, 7_200_001), []);
    let words = GraveWords { public: true, ..silent.words };
    let told = PublicNotice::of_grave(&SignedGrave::of(&key, words, Vec::new()), 7_200_001);
    assert_eq!((told.len(), told[0].tenths, told[0].hour), (1, 8, 2));
    let text = format!("{told:?}");
    assert!(!text.contains(&one.id.to_string()) && !text.contains(&OriginKey::of(&key).to_string()));
}

#[test]
fn a_pulse_is_its_golems_own() {
    let (one, key) = (owner(1), golem(9));
    let words = PulseWords {
        owner: one.id,
        origin: OriginKey::of(&key),
        count: 1,
        tick: 2,
        at: VirtualTime(3),
        phase: word("stable"),
        vitality: 700,
        terms: PulseTerms::Immortal,
        dreaming: false,
        chain: ChainHead { seq: 1, id: Hash::of(b"h") },
    };
    let good = SignedPulse::of(&key, words.clone());
    assert!(good.stands());
    let lying = SignedPulse { words: PulseWords { terms: PulseTerms::Mortal, ..words.clone() }, ..good };
    assert!(!lying.stands(), "an immortal that says to be mortal through the relay");
    assert!(!SignedPulse::of(&key, PulseWords { vitality: 1_001, ..words }).stands());
}

#[test]
fn what_is_said_on_the_wire_tells_a_stranger_nothing() {
    let said: Vec<String> =
        [RefuseReason::NotAdmitted, RefuseReason::NotAccepted].iter().map(ToString::to_string).collect();
    for word in ["expired", "revoked", "owner", "signature", "epoch", "key"] {
        assert!(said.iter().all(|text| !text.contains(word)), "{word} in {said:?}");
    }
}
