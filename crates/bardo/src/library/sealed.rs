//! A bundle as one signed file: a line with the key and its signature, then the bundle in its one form.
//!
//! What a signature does not fit is refused. What nobody has signed, or somebody unknown, is a stranger's: it comes in like
//! something bought.

use crate::fail::Fail;
use ed25519_dalek::{Signature, Signer, SigningKey, VerifyingKey};
use golem_clade::heirloom::MOST_HEIRLOOM_BYTES;
use golem_clade::library::KnowledgeBundle;
use golem_core::Hash;
use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::path::Path;

/// How the first line begins.
const MAGIC: &str = "bardo signed 1";
/// What is signed begins with this, so that no signature over anything else fits.
const CONTEXT: &[u8] = b"bardo 2026 signed bundle\0";
/// The longest first line.
const MOST_HEAD: usize = 256;

/// A bundle from a file.
pub struct SealedBundle {
    /// What is in it.
    pub bundle: KnowledgeBundle,
    /// Whose signature fits it; none when nobody signed it.
    pub signer: Option<Hash>,
}

/// Write one to a new file. It appears whole or not at all.
pub fn write_sealed(bundle: &KnowledgeBundle, key: &SigningKey, path: &Path) -> Result<usize, Fail> {
    if std::fs::symlink_metadata(path).is_ok() {
        return Err(Fail::hint(format!("{} exists already", path.display()), "say another --out, or move it away"));
    }
    let bytes = seal(bundle, key);
    let name = path.file_name().ok_or_else(|| Fail::owner(format!("{} has no name", path.display())))?;
    let parent = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let part = parent.join(format!(".{}.part-{}", name.to_string_lossy(), std::process::id()));
    let write = || -> std::io::Result<()> {
        let mut file = OpenOptions::new().write(true).create(true).truncate(true).open(&part)?;
        file.write_all(&bytes)?;
        file.sync_all()?;
        std::fs::rename(&part, path)?;
        File::open(parent)?.sync_all()
    };
    write().map_err(|e| {
        // Half a file helps nobody; that it could not be removed changes nothing about the first error.
        let _gone = std::fs::remove_file(&part);
        Fail::world(format!("cannot write {}: {e}", path.display()))
    })?;
    Ok(bytes.len())
}

/// Read one, and check whatever signature it has.
pub fn open_sealed(path: &Path) -> Result<SealedBundle, Fail> {
    let cannot = |e: std::io::Error| {
        Fail::hint(format!("cannot read {}: {e}", path.display()), "give a file that bardo library export has written")
    };
    let mut bytes = Vec::new();
    let most = (MOST_HEIRLOOM_BYTES + MOST_HEAD + 1) as u64;
    File::open(path).and_then(|file| file.take(most).read_to_end(&mut bytes)).map_err(cannot)?;
    unseal(&bytes).map_err(|fail| match fail {
        Fail::Refused(what, hint) => Fail::Refused(format!("{}: {what}", path.display()), hint),
        Fail::Owner(what, hint) => Fail::Owner(format!("{}: {what}", path.display()), hint),
        other => other,
    })
}

fn seal(bundle: &KnowledgeBundle, key: &SigningKey) -> Vec<u8> {
    let body = bundle.canonical();
    let signature = key.sign(&[CONTEXT, &body].concat()).to_bytes();
    let (public, halves) = (Hash(key.verifying_key().to_bytes()), signature.as_chunks::<32>().0);
    let words: String = halves.iter().map(|half| Hash(*half).to_string()).collect();
    let mut bytes = format!("{MAGIC} {public} {words}\n").into_bytes();
    bytes.extend(body);
    bytes
}

fn unseal(bytes: &[u8]) -> Result<SealedBundle, Fail> {
    let (signed, body) = match bytes.strip_prefix(MAGIC.as_bytes()) {
        None => (None, bytes),
        Some(rest) => {
            let end = rest.iter().take(MOST_HEAD).position(|b| *b == b'\n');
            let end = end.ok_or_else(|| Fail::refused("its first line is broken"))?;
            (Some(signature(&rest[..end])?), &rest[end + 1..])
        }
    };
    let signer = match signed {
        None => None,
        Some((key, signature)) => {
            let fits = key.verify_strict(&[CONTEXT, body].concat(), &signature);
            fits.map_err(|_| Fail::refused("it is not what its signer signed: it was altered or damaged"))?;
            Some(Hash(key.to_bytes()))
        }
    };
    let bundle = KnowledgeBundle::read(body).map_err(|e| Fail::hint(e.to_string(), e.lifted_by()))?;
    Ok(SealedBundle { bundle, signer })
}

/// A key and a signature, each in its one spelling.
fn signature(line: &[u8]) -> Result<(VerifyingKey, Signature), Fail> {
    let broken = || Fail::refused("its first line holds no key and signature");
    let line = std::str::from_utf8(line).map_err(|_| broken())?;
    let (key, words) = line.strip_prefix(' ').and_then(|rest| rest.split_once(' ')).ok_or_else(broken)?;
    let (first, second) = words.split_at_checked(64).ok_or_else(broken)?;
    let hash = |text: &str| text.parse::<Hash>().ok().filter(|hash| hash.to_string() == text).ok_or_else(broken);
    let (first, second) = (hash(first)?, hash(second)?);
    let mut bytes = [0; 64];
    bytes[..32].copy_from_slice(&first.0);
    bytes[32..].copy_from_slice(&second.0);
    let key = VerifyingKey::from_bytes(&hash(key)?.0).map_err(|_| broken())?;
    Ok((key, Signature::from_bytes(&bytes)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use golem_core::Timestamp;

    #[test]
    fn a_signed_bundle_comes_back_and_no_altered_one_does() {
        let name = "kit".parse().unwrap();
        let bundle = KnowledgeBundle { name, archetype: None, written: Timestamp(7), holdings: Vec::new() };
        let key = SigningKey::from_bytes(&[9; 32]);
        let bytes = seal(&bundle, &key);
        let back = unseal(&bytes).ok().unwrap();
        assert_eq!((back.bundle, back.signer), (bundle.clone(), Some(Hash(key.verifying_key().to_bytes()))));
        for at in 0..bytes.len() {
            for bit in 0..8 {
                let mut spoilt = bytes.clone();
                spoilt[at] ^= 1 << bit;
                assert!(unseal(&spoilt).is_err(), "bit {bit} of byte {at}");
            }
        }
        let unsigned = unseal(&bundle.canonical()).ok().unwrap();
        assert_eq!(unsigned.signer, None, "what nobody signed is read as a stranger's");
        assert!(unseal(b"").is_err() && unseal(b"bardo signed 1 ").is_err());
    }
}
