//! Where passphrases come from: a terminal, an open file descriptor or a private file. Never an argument, which every
//! process on the machine can read, and never the environment.

use crate::error::{Error, Exposed};
use crate::private_file;
use std::fmt;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use zeroize::{Zeroize, Zeroizing};

mod terminal;

/// Longer than anything typed, shorter than anything mistaken for a passphrase.
const LONGEST: usize = 1_024;

/// The fewest characters that seal anything: whoever has the file can try as many as a machine can reckon.
const LEAST: usize = 10;
/// The fewest different bytes among them.
const LEAST_DIFFERENT: usize = 4;

/// A passphrase, wiped from memory when dropped.
pub struct Passphrase(Zeroizing<Vec<u8>>);

impl Passphrase {
    /// From raw bytes: one line end at the end does not belong to it.
    pub fn new(mut bytes: Zeroizing<Vec<u8>>) -> Result<Self, Error> {
        if bytes.last() == Some(&b'\n') {
            bytes.pop();
            if bytes.last() == Some(&b'\r') {
                bytes.pop();
            }
        }
        match bytes.len() {
            0 => Err(Error::EmptyPassphrase),
            n if n > LONGEST => Err(Error::LongPassphrase(LONGEST)),
            _ => Ok(Self(bytes)),
        }
    }
    /// Refuse to seal anything new with what is guessed in no time. What was sealed before opens as ever.
    pub(crate) fn fit_to_seal(&self) -> Result<(), Error> {
        let different: std::collections::BTreeSet<&u8> = self.0.iter().collect();
        let characters = String::from_utf8_lossy(&self.0).chars().count();
        if characters < LEAST || different.len() < LEAST_DIFFERENT { Err(Error::WeakPassphrase(LEAST)) } else { Ok(()) }
    }
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.0
    }
}

impl fmt::Debug for Passphrase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Passphrase(hidden)")
    }
}

/// Where a passphrase comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PassphraseSource {
    /// Whoever sits at the terminal.
    Prompt,
    /// A descriptor that the caller has opened for us.
    Descriptor(u32),
    /// A file that nobody else can reach.
    File(PathBuf),
}

impl PassphraseSource {
    /// The passphrase that opens something there is.
    pub fn existing(&self, of: &str) -> Result<Passphrase, Error> {
        match self {
            Self::Prompt => terminal::ask(&format!("Passphrase of {of}: ")),
            Self::Descriptor(n) => from_descriptor(*n),
            Self::File(path) => private_file::read(path, LONGEST + 2).and_then(Passphrase::new),
        }
    }

    /// The passphrase that shall seal something new: whoever types it types it twice.
    pub fn chosen(&self, of: &str) -> Result<Passphrase, Error> {
        if *self != Self::Prompt {
            return self.existing(of);
        }
        let first = terminal::ask(&format!("New passphrase of {of}: "))?;
        let again = terminal::ask("The same again: ")?;
        if first.bytes() == again.bytes() { Ok(first) } else { Err(Error::Mistyped) }
    }
}

/// The system's own name for an open descriptor is opened again: taking it over by number could not be done safely.
fn from_descriptor(n: u32) -> Result<Passphrase, Error> {
    let path = PathBuf::from(format!("/dev/fd/{n}"));
    let file = File::open(&path).map_err(|e| Error::io("read the passphrase from", &path, e))?;
    read_all(file, &path).and_then(Passphrase::new)
}

/// Read at most what a passphrase may be long, without leaving copies behind in a grown buffer.
fn read_all(mut from: impl Read, path: &Path) -> Result<Zeroizing<Vec<u8>>, Error> {
    let mut bytes = Zeroizing::new(Vec::with_capacity(LONGEST + 3));
    let mut chunk = Zeroizing::new([0; 256]);
    while bytes.len() < LONGEST + 3 {
        let room = (LONGEST + 3 - bytes.len()).min(chunk.len());
        match from.read(&mut chunk[..room]) {
            Ok(0) => break,
            Ok(n) => bytes.extend_from_slice(&chunk[..n]),
            Err(e) if e.kind() == std::io::ErrorKind::Interrupted => {}
            Err(e) if e.kind() == std::io::ErrorKind::IsADirectory => {
                return Err(Error::exposed(path, Exposed::NotAFile));
            }
            Err(e) => return Err(Error::io("read the passphrase from", path, e)),
        }
        chunk.zeroize();
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &[u8]) -> Result<Vec<u8>, Error> {
        Passphrase::new(Zeroizing::new(text.to_vec())).map(|p| p.bytes().to_vec())
    }

    #[test]
    fn one_line_end_does_not_belong_to_it() {
        for (given, meant) in [
            (&b"open"[..], &b"open"[..]),
            (b"open\n", b"open"),
            (b"open\r\n", b"open"),
            (b"open\n\n", b"open\n"),
            (b" open ", b" open "),
            (b"open\r", b"open\r"),
            (&[0xff, 0, 0x80, b'\n'], &[0xff, 0, 0x80]),
        ] {
            assert_eq!(of(given).unwrap(), meant);
        }
    }

    #[test]
    fn nothing_and_too_much_are_refused() {
        for empty in [&b""[..], b"\n", b"\r\n"] {
            assert!(matches!(of(empty), Err(Error::EmptyPassphrase)));
        }
        assert!(of(&vec![b'x'; LONGEST]).is_ok());
        assert!(matches!(of(&vec![b'x'; LONGEST + 1]), Err(Error::LongPassphrase(_))));
        let endless = read_all(std::io::repeat(b'x'), Path::new("endless")).and_then(Passphrase::new);
        assert!(matches!(endless, Err(Error::LongPassphrase(_))));
    }

    #[test]
    fn what_is_guessed_in_no_time_seals_nothing() {
        for (text, fit) in [
            ("x", false),
            ("123456789", false),
            ("aaaaaaaaaaaaaaaa", false),
            ("abababababab", false),
            ("öäüöäüöäü", false),
            ("open sesame", true),
            ("öäüß öäüß x", true),
        ] {
            let passphrase = Passphrase::new(Zeroizing::new(text.as_bytes().to_vec())).unwrap();
            assert_eq!(passphrase.fit_to_seal().is_ok(), fit, "{text}");
        }
    }

    #[test]
    fn a_passphrase_does_not_show_itself() {
        let shown = format!("{:?}", Passphrase::new(Zeroizing::new(b"open sesame".to_vec())).unwrap());
        assert!(!shown.contains("sesame"), "{shown}");
    }

    #[test]
    fn it_comes_through_a_descriptor() {
        use std::io::Write;
        use std::os::fd::AsRawFd;
        let (reader, mut writer) = std::io::pipe().unwrap();
        writer.write_all(b"through the pipe\n").unwrap();
        drop(writer);
        let n = u32::try_from(reader.as_raw_fd()).unwrap();
        assert_eq!(PassphraseSource::Descriptor(n).existing("x").unwrap().bytes(), b"through the pipe");
        assert!(matches!(PassphraseSource::Descriptor(987_654).existing("x"), Err(Error::Io { .. })));
    }
}
