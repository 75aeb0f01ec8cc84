//! Heirlooms as files: the one signed form in which what a golem leaves crosses a home, and the form in which an heir's own file
//! keeps it. Both have exactly one spelling; whatever was altered, cut off or signed by somebody else is refused with a reason.
//!
//! A bundle is a line `bardo bundle 1 {seal}` and the heirloom as it was signed. A golem's id follows from its name, its key and its
//! commitment, so the seal proves by itself who left it.

use crate::fail::Fail;
use ed25519_dalek::{Signature, Signer, SigningKey, VerifyingKey};
use golem_clade::heirloom::{Heirloom, MOST_HEIRLOOM_BYTES};
use golem_clade::inheritance::{Inheritance, InheritanceChoice};
use golem_core::birth::Identity;
use golem_core::{Hash, Name, plain};
use golem_runtime::Origin;
use serde::{Deserialize, Serialize};
use std::path::Path;

const BUNDLE: &str = "bardo bundle 1 ";
const GIVEN: &str = "bardo inheritance 1 ";
/// What is signed begins with this, so that no signature of another kind passes for one.
const SIGNED: &[u8] = b"bardo 2026 heirloom signature\n";
/// The longest first line.
const MOST_LINE: usize = 16 * 1024;

/// Who signed a bundle, and the signature.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct BundleSeal {
    name: Name,
    public_key: Hash,
    commitment: Hash,
    /// The two halves of an ed25519 signature.
    signature: [Hash; 2],
}

/// A golem's heirloom, signed by it.
pub fn sign(origin: &Origin, heirloom: &Heirloom) -> Vec<u8> {
    let canonical = heirloom.canonical();
    let signature = SigningKey::from_bytes(&origin.signing_key).sign(&signed(&canonical)).to_bytes();
    let (mut first, mut second) = ([0; 32], [0; 32]);
    first.copy_from_slice(&signature[..32]);
    second.copy_from_slice(&signature[32..]);
    let birth = &origin.birth;
    let seal = BundleSeal {
        name: birth.name.clone(),
        public_key: birth.public_key,
        commitment: birth.commitment,
        signature: [Hash(first), Hash(second)],
    };
    [format!("{BUNDLE}{}\n", plain::json(&seal)).into_bytes(), canonical].concat()
}

/// Read a bundle. What cannot be believed is refused.
pub fn read(bytes: &[u8]) -> Result<Heirloom, Fail> {
    if bytes.len() > MOST_HEIRLOOM_BYTES + MOST_LINE {
        return Err(refuse(format!("it has {} bytes, which is more than any bundle", bytes.len())));
    }
    let (words, canonical) = line(bytes, BUNDLE).ok_or_else(|| refuse("it does not begin like a bundle"))?;
    let seal: BundleSeal = serde_json::from_str(words).map_err(|e| refuse(format!("its seal cannot be read: {e}")))?;
    if plain::json(&seal) != words {
        return Err(refuse("its seal is not in its one form"));
    }
    let key = VerifyingKey::from_bytes(&seal.public_key.0).map_err(|_| refuse("its seal names a key that is none"))?;
    let signature = Signature::from_bytes(&halves(seal.signature));
    if key.verify_strict(&signed(canonical), &signature).is_err() {
        return Err(refuse("its signature does not fit: it was altered, or somebody else signed it"));
    }
    let heirloom = Heirloom::read(canonical).map_err(|e| Fail::hint(format!("no bundle: {e}"), e.lifted_by()))?;
    let signer = Identity { name: &seal.name, public_key: seal.public_key, commitment: seal.commitment }.id();
    if signer != heirloom.lineage.golem {
        let whose = heirloom.lineage.golem;
        return Err(refuse(format!("it is said to be left by {whose}, and {signer} signed it")));
    }
    Ok(heirloom)
}

/// Read a bundle from a file.
pub fn load(path: &Path) -> Result<Vec<u8>, Fail> {
    let bytes = std::fs::read(path).map_err(|e| {
        Fail::hint(format!("cannot read {}: {e}", path.display()), "write one: bardo golem heirloom ID --out FILE")
    })?;
    read(&bytes).map(|_| bytes)
}

/// The form in which an heir's file keeps what it is given: the choice, and the bundle as it came.
pub fn give(choice: &InheritanceChoice, bundle: &[u8]) -> Vec<u8> {
    [format!("{GIVEN}{}\n", plain::json(choice)).as_bytes(), bundle].concat()
}

/// What an heir is given, from its file.
pub fn given(bytes: &[u8]) -> Result<Inheritance, Fail> {
    let damaged = |why: String| Fail::world(format!("what it inherits cannot be read: {why}"));
    let (words, bundle) =
        line(bytes, GIVEN).ok_or_else(|| damaged("it does not begin like an inheritance".to_owned()))?;
    let choice: InheritanceChoice = serde_json::from_str(words).map_err(|e| damaged(e.to_string()))?;
    let heirloom = read(bundle).map_err(|e| damaged(e.to_string()))?;
    Ok(Inheritance { heirloom, choice })
}

fn line<'a>(bytes: &'a [u8], begins: &str) -> Option<(&'a str, &'a [u8])> {
    let end = bytes.iter().take(MOST_LINE).position(|b| *b == b'\n')?;
    let words = std::str::from_utf8(&bytes[..end]).ok()?.strip_prefix(begins)?;
    Some((words, &bytes[end + 1..]))
}

fn signed(canonical: &[u8]) -> Vec<u8> {
    [SIGNED, canonical].concat()
}

fn halves([first, second]: [Hash; 2]) -> [u8; 64] {
    let mut all = [0; 64];
    all[..32].copy_from_slice(&first.0);
    all[32..].copy_from_slice(&second.0);
    all
}

fn refuse(why: impl std::fmt::Display) -> Fail {
    Fail::hint(format!("no bundle: {why}"), "give the file as its golem signed it")
}

#[cfg(test)]
mod tests {
    use super::*;
    use golem_clade::heirloom::{Bequeather, LeftPages};
    use golem_clade::provenance::{Lineage, PassportBook};
    use golem_clade::world_time::LifeClock;
    use golem_core::{Secret, Timestamp, Usdc, VirtualTime};
    use golem_grimoire::playbook::PlaybookWriter;
    use golem_grimoire::shelf::Shelf;

    fn left_by(name: &str, seed: u64) -> (Origin, Heirloom) {
        let (secret, signing) = (Secret::from_seed(seed), SigningKey::from_bytes(&Hash::of(&seed.to_le_bytes()).0));
        let name: Name = name.parse().unwrap();
        let public_key = Hash(signing.verifying_key().to_bytes());
        let identity = Identity { name: &name, public_key, commitment: secret.commitment() };
        let origin = Origin {
            birth: identity.first_ancestor(true, Timestamp(0), Usdc::whole(50), Hash::of(b"{}")),
            settings_given: String::new(),
            settings_resolved: String::new(),
            secret,
            signing_key: signing.to_bytes(),
            inheritance: None,
        };
        let (lineage, shelf) = (Lineage::of(&origin.birth, None), Shelf::default());
        let writer = PlaybookWriter::new(origin.birth.name.clone(), origin.birth.id);
        let of = Bequeather {
            lineage: &lineage,
            clock: LifeClock { zero: Timestamp(0) },
            now: VirtualTime(1_000),
            shelf: &shelf,
            book: &PassportBook::default(),
            playbook: writer.playbook(),
            before: None,
            untried: &[],
            pages: LeftPages::default(),
            low_divergence: false,
        };
        let heirloom = Heirloom::assemble(&of, std::iter::empty(), std::iter::empty(), 10);
        (origin, heirloom)
    }

    #[test]
    fn what_was_signed_is_read_and_the_same_bytes_come_again() {
        let (origin, heirloom) = left_by("ada", 1);
        let bytes = sign(&origin, &heirloom);
        assert_eq!(bytes, sign(&origin, &heirloom));
        assert_eq!(read(&bytes).unwrap(), heirloom);
        let choice = InheritanceChoice { domains: vec!["gas_condition".into()], ..InheritanceChoice::default() };
        let kept = given(&give(&choice, &bytes)).unwrap();
        assert_eq!((kept.heirloom, kept.choice), (heirloom, choice));
    }

    #[test]
    fn no_altered_byte_passes_and_nobody_signs_for_another() {
        let (origin, heirloom) = left_by("ada", 1);
        let bytes = sign(&origin, &heirloom);
        for at in 0..bytes.len() {
            let mut altered = bytes.clone();
            altered[at] ^= 1;
            assert!(read(&altered).is_err(), "byte {at}");
        }
        for cut in [0, 1, 20, bytes.len() / 2, bytes.len() - 1] {
            assert!(read(&bytes[..cut]).is_err(), "cut at {cut}");
        }
        let (stranger, _) = left_by("eve", 2);
        let foreign = read(&sign(&stranger, &heirloom)).unwrap_err();
        assert!(foreign.to_string().contains("signed it"), "{foreign}");
        assert_eq!(foreign.code(), 2);
    }
}
