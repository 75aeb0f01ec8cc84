//! The first line of whatever crosses as a file: what it is, its version and the sum of the rest, in exactly one spelling.

use golem_core::Hash;

/// The longest first line.
const MOST_HEAD: usize = 128;

/// A kind of file, by its first line.
pub(crate) struct FirstLine {
    /// How it begins.
    pub(crate) magic: &'static str,
    /// The version that this code writes and reads.
    pub(crate) version: u16,
}

/// What is wrong with a first line.
pub(crate) enum FirstLineFault {
    NotOne,
    Version(u64),
    NotCanonical,
}

impl FirstLine {
    /// The line and what follows it, as bytes.
    pub(crate) fn before(&self, sum: Hash, body: &str) -> Vec<u8> {
        format!("{} {} {sum}\n{body}", self.magic, self.version).into_bytes()
    }

    /// The sum that it names, and the rest. The version is judged before anything else is looked at.
    pub(crate) fn read<'a>(&self, bytes: &'a [u8]) -> Result<(Hash, &'a [u8]), FirstLineFault> {
        self.parts(bytes).ok_or(FirstLineFault::NotOne)?
    }

    /// None for something else.
    fn parts<'a>(&self, bytes: &'a [u8]) -> Option<Result<(Hash, &'a [u8]), FirstLineFault>> {
        let end = bytes.iter().take(MOST_HEAD).position(|b| *b == b'\n')?;
        let (line, body) = (std::str::from_utf8(&bytes[..end]).ok()?, &bytes[end + 1..]);
        let rest = line.strip_prefix(self.magic)?.strip_prefix(' ')?;
        let (version, sum) = rest.split_once(' ')?;
        let number: u64 = version.parse().ok()?;
        if number != u64::from(self.version) {
            return Some(Err(FirstLineFault::Version(number)));
        }
        let sum: Hash = sum.parse().ok()?;
        // One version and one sum have one spelling.
        let spelled = format!("{number} {sum}") == rest;
        Some(if spelled { Ok((sum, body)) } else { Err(FirstLineFault::NotCanonical) })
    }
}
