//! Backups: only what is new travels, and nothing comes back but what was backed up.

use crate::kit::{golem, owner};
use golem_core::{GolemId, Hash, VirtualTime};
use proptest::prelude::*;
use std::collections::BTreeMap;
use styx_wire::archive::{BackupOf, back_up, restore};
use styx_wire::*;

fn text(n: u64, bytes: usize) -> Vec<u8> {
    let mut out = vec![0; bytes];
    blake3::Hasher::new().update(&n.to_le_bytes()).finalize_xof().fill(&mut out);
    out
}

#[test]
fn what_was_put_in_the_middle_moves_few_pieces() {
    let (one, key) = (owner(1), golem(3));
    let of = BackupOf { owner: one.id, golem: GolemId([3; 16]), tick: 200, at: VirtualTime(1) };
    let before = text(1, 1 << 20);
    let mut after = before.clone();
    after.splice(500_000..500_000, b"one more lesson".iter().copied());
    let (first, kept) = back_up(&key, &one.group, of, &before).unwrap();
    let (second, pieces) = back_up(&key, &one.group, BackupOf { tick: 400, ..of }, &after).unwrap();
    let new = pieces.keys().filter(|name| !kept.contains_key(*name)).count();
    assert!(new <= 3 && first.words.chunks.len() > 30, "{new} of {} travel", second.words.chunks.len());
    let both: BTreeMap<_, _> = kept.into_iter().chain(pieces).collect();
    let who = (one.id, of.golem);
    assert_eq!(restore(&second, &one.certify(&key), who, &one.group, &both), Ok(after));
}

#[test]
fn swapped_truncated_and_tampered_backups_are_refused() {
    let (one, two, key) = (owner(1), owner(2), golem(3));
    let of = BackupOf { owner: one.id, golem: GolemId([3; 16]), tick: 200, at: VirtualTime(1) };
    let (manifest, pieces) = back_up(&key, &one.group, of, &text(1, 100_000)).unwrap();
    let (certificate, who) = (one.certify(&key), (one.id, of.golem));
    let with = |manifest: &ArchiveManifest, pieces: &BTreeMap<Hash, Vec<u8>>| {
        restore(manifest, &certificate, who, &one.group, pieces).unwrap_err()
    };
    let names = &manifest.words.chunks;
    let mut less = pieces.clone();
    less.remove(&names[1]);
    assert_eq!(with(&manifest, &less), RestoreFault::Missing(1));
    let mut bad = pieces.clone();
    bad.get_mut(&names[2]).unwrap()[40] ^= 1;
    assert_eq!(with(&manifest, &bad), RestoreFault::Damaged(2));
    let changed = |change: &dyn Fn(&mut ManifestWords)| {
        let mut other = manifest.clone();
        change(&mut other.words);
        with(&other, &pieces)
    };
    for change in [
        &(|w: &mut ManifestWords| w.tick = 400) as &dyn Fn(&mut ManifestWords),
        &|w| w.chunks.truncate(w.chunks.len() - 1),
        &|w| w.chunks.swap(0, 1),
        &|w| w.golem = GolemId([4; 16]),
    ] {
        assert_eq!(changed(change), RestoreFault::Manifest(ManifestFault::Forged));
    }
    assert_eq!(changed(&|w| w.owner = two.id), RestoreFault::Manifest(ManifestFault::Stranger));
    // Signed so by the golem itself, and not what the pieces make.
    for change in
        [&(|w: &mut ManifestWords| w.bytes -= 1) as &dyn Fn(&mut ManifestWords), &|w| w.whole = Hash::of(b"w")]
    {
        let mut other = manifest.clone();
        change(&mut other.words);
        other.signature = WireSignature::of(&key, &other.id());
        assert_eq!(with(&other, &pieces), RestoreFault::Whole);
    }
    // A sibling's backup under this golem's name, and this golem's under an owner's that is not its own.
    let (siblings, _) = back_up(&golem(5), &one.group, of, &text(1, 100_000)).unwrap();
    assert_eq!(with(&siblings, &pieces), RestoreFault::Manifest(ManifestFault::Stranger));
    let wrong = restore(&manifest, &two.certify(&key), who, &one.group, &pieces);
    assert_eq!(wrong, Err(RestoreFault::Certificate));
    assert_eq!(restore(&manifest, &certificate, who, &two.group, &pieces), Err(RestoreFault::Damaged(0)));
}

proptest! {
    #[test]
    fn pieces_are_the_whole_and_within_their_bounds(n in any::<u64>(), bytes in 0usize..200_000) {
        let whole = text(n, bytes);
        let pieces = cut::pieces(&whole);
        prop_assert!(pieces.concat() == whole);
        prop_assert!(pieces.iter().all(|p| p.len() <= cut::MOST));
        prop_assert!(pieces.iter().rev().skip(1).all(|p| p.len() >= cut::LEAST));
    }
}
