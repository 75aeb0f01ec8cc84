//! A package's archive: nothing in it is read before its hash was checked, and then only the files that are wanted.

use super::{ContractsError, Package};
use sha2::{Digest, Sha512};
use std::io::Read;

/// The largest of the files is 1.2 MB.
const LARGEST: u64 = 8 * 1024 * 1024;

/// The files of a pinned package whose path is wanted, with their text.
pub(super) fn files(
    package: &Package,
    archive: &[u8],
    wanted: impl Fn(&str) -> bool,
) -> Result<Vec<(String, String)>, ContractsError> {
    let found = base64(&Sha512::digest(archive));
    if found != package.sha512 {
        let expected = package.sha512.to_owned();
        return Err(ContractsError::WrongHash { package: package.spec(), found, expected });
    }
    let unreadable = |why: std::io::Error| ContractsError::WrongCode {
        piece: package.spec(),
        why: format!("the archive cannot be read: {why}"),
    };
    let mut texts = Vec::new();
    let mut archive = tar::Archive::new(flate2::read::GzDecoder::new(archive));
    for entry in archive.entries().map_err(unreadable)? {
        let entry = entry.map_err(unreadable)?;
        let path = entry.path().map_err(unreadable)?.to_string_lossy().into_owned();
        if wanted(&path) {
            let mut text = String::new();
            entry.take(LARGEST).read_to_string(&mut text).map_err(unreadable)?;
            texts.push((path, text));
        }
    }
    Ok(texts)
}

/// Base64 with padding, as package registries write hashes.
fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let three = [chunk[0], *chunk.get(1).unwrap_or(&0), *chunk.get(2).unwrap_or(&0)];
        let bits = u32::from_be_bytes([0, three[0], three[1], three[2]]);
        for place in 0..4 {
            let digit = DIGITS[(bits >> (18 - 6 * place)) as usize & 63];
            text.push(if place <= chunk.len() { digit as char } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_written_as_everybody_writes_it() {
        for (bytes, text) in [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")] {
            assert_eq!(base64(bytes.as_bytes()), text);
        }
    }
}
