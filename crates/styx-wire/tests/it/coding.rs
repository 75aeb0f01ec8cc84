//! Frames come back as they were sent, and no bytes bring a reader down.

use crate::kit::{chain, golem, owner, word};
use golem_core::{Hash, Regime};
use proptest::prelude::*;
use styx_wire::frame::{decode, encode};
use styx_wire::limits::{BATCH, FRAME_BYTES};
use styx_wire::*;

fn deposit() -> PheromoneDeposit {
    let key = ScentKey {
        layer: PheromoneLayer::Threat,
        class: word("crash"),
        domain: word("eth/usdc"),
        regime: Regime::Volatile,
    };
    PheromoneDeposit { scope: FieldScope::Clade, key, intensity: 700 }
}

#[test]
fn every_frame_comes_back() {
    let (owner, key) = (owner(1), golem(2));
    let deltas = chain(&owner, &key, &DeltaKind::ALL);
    let challenge = Challenge { log: LogId([3; 16]), nonce: Hash::of(b"n") };
    let certificate = owner.certify(&key);
    for frame in [
        GolemFrame::Hello(Box::new(Hello::answer(&key, certificate, &challenge, "127.0.0.1:7078"))),
        GolemFrame::Push(deltas.clone()),
        GolemFrame::Follow { after: u64::MAX },
        GolemFrame::Took { upto: 0 },
        GolemFrame::Deposit(deposit()),
        GolemFrame::Chunk(Blob(vec![7; 33 * 1024])),
        GolemFrame::Archives,
        GolemFrame::Token,
    ] {
        assert_eq!(decode::<GolemFrame>(&encode(&frame)), Ok(frame));
    }
    let logged = deltas.into_iter().enumerate().map(|(i, delta)| LoggedDelta { position: i as u64, delta }).collect();
    for frame in [
        RelayFrame::Challenge(challenge),
        RelayFrame::Deltas { deltas: logged, upto: 99 },
        RelayFrame::Refuse(RefuseReason::Gap { expected: 7 }),
        RelayFrame::Siblings { siblings: vec![(certificate, None)], more: true },
        RelayFrame::Ack(vec![DeltaReceipt::Kept { id: Hash::of(b"x"), position: 1 }; BATCH]),
    ] {
        assert_eq!(decode::<RelayFrame>(&encode(&frame)), Ok(frame));
    }
}

#[test]
fn what_is_no_frame_is_refused_with_its_word() {
    let good = encode(&GolemFrame::Follow { after: 5 });
    let cases: [(Vec<u8>, FrameFault); 6] = [
        (Vec::new(), FrameFault::Malformed),
        ([&good[..], &[0]].concat(), FrameFault::Malformed),
        (good[..good.len() - 1].to_vec(), FrameFault::Malformed),
        ([&[2], &good[1..]].concat(), FrameFault::Version),
        (vec![1; FRAME_BYTES + 1], FrameFault::TooLarge),
        // A push that claims four thousand million deltas.
        (vec![1, 1, 0xff, 0xff, 0xff, 0xff, 0x0f], FrameFault::Malformed),
    ];
    for (bytes, fault) in cases {
        assert_eq!(decode::<GolemFrame>(&bytes).unwrap_err(), fault, "{bytes:?}");
    }
    let many = GolemFrame::Push(chain(&owner(1), &golem(2), &[DeltaKind::Insight; BATCH + 1]));
    assert_eq!(decode::<GolemFrame>(&encode(&many)), Err(FrameFault::Malformed));
}

#[test]
fn a_full_batch_of_short_entries_fits_a_frame() {
    let all = chain(&owner(1), &golem(2), &[DeltaKind::Insight; BATCH]);
    assert!(encode(&GolemFrame::Push(all)).len() <= FRAME_BYTES);
    let most = GolemFrame::Offer(ArchiveManifest {
        words: ManifestWords {
            owner: owner(1).id,
            origin: OriginKey::of(&golem(2)),
            golem: golem_core::GolemId([1; 16]),
            tick: u64::MAX,
            at: golem_core::VirtualTime(u64::MAX),
            bytes: u64::MAX,
            whole: Hash::of(b"w"),
            chunks: vec![Hash::of(b"c"); limits::MANIFEST_CHUNKS],
        },
        signature: WireSignature::of(&golem(2), &Hash::of(b"s")),
    });
    assert!(encode(&most).len() <= FRAME_BYTES);
    assert!(encode(&GolemFrame::Chunk(Blob(vec![0; limits::CHUNK_BYTES]))).len() <= FRAME_BYTES);
    const { assert!(cut::MOST + seal::PIECE_BYTES <= limits::CHUNK_BYTES) };
}

proptest! {
    #[test]
    fn no_bytes_bring_it_down(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let versioned: Vec<u8> = [&[1], &bytes[..]].concat();
        for bytes in [&bytes, &versioned] {
            if let Ok(frame) = decode::<GolemFrame>(bytes) {
                let again = encode(&frame);
                prop_assert_eq!(decode::<GolemFrame>(&again).unwrap(), frame);
            }
            let _read = decode::<RelayFrame>(bytes);
        }
    }

    #[test]
    fn no_turned_bit_of_a_push_passes_for_another(at in any::<prop::sample::Index>(), bit in 0u8..8) {
        let (owner, key) = (owner(1), golem(2));
        let all = chain(&owner, &key, &[DeltaKind::Insight, DeltaKind::Warning]);
        let mut bytes = encode(&GolemFrame::Push(all.clone()));
        let n = at.index(bytes.len());
        bytes[n] ^= 1 << bit;
        if let Ok(GolemFrame::Push(read)) = decode(&bytes) {
            let taken: Vec<&SignedDelta> = read.iter().filter(|d| d.check(owner.id).is_ok()).collect();
            prop_assert!(taken.iter().all(|d| all.contains(d)));
        }
    }
}
