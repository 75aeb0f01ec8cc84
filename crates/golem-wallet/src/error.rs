//! What can go wrong with a key's file or its passphrase. No variant ever carries a secret.

use std::path::{Path, PathBuf};

/// Why a wallet could not be read, written or opened.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The system said no.
    #[error("cannot {what} {}: {source}", path.display())]
    Io {
        /// What was tried.
        what: &'static str,
        /// With which file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The file breaks a rule that secrets live by.
    #[error("{} {}", path.display(), why)]
    Unsafe {
        /// Which file or directory.
        path: PathBuf,
        /// Which rule.
        why: Exposed,
    },
    /// It exists already, and a key is never overwritten.
    #[error("{} exists already", .0.display())]
    Exists(PathBuf),
    /// No wallet goes by this name.
    #[error("there is no wallet called {0}")]
    Missing(String),
    /// Not a keystore that can be read.
    #[error("not a keystore of version 3: {0}")]
    Malformed(String),
    /// Its key derivation is too cheap to guess through.
    #[error("the keystore is weakly sealed: {0}")]
    Weak(String),
    /// Its key derivation would cost more than anything sensible does.
    #[error("the keystore asks for absurd work: {0}")]
    Absurd(String),
    /// The passphrase does not open it, or the file was changed.
    #[error("the passphrase does not open the keystore")]
    WrongPassphrase,
    /// It opened, and holds another key than it says.
    #[error("the keystore does not hold the key of the address written in it")]
    WrongAddress,
    /// 32 bytes that are no key on the curve, or not 32 bytes.
    #[error("this is not a private key")]
    NotAKey,
    /// No passphrase was given.
    #[error("the passphrase is empty")]
    EmptyPassphrase,
    /// A passphrase that can be guessed.
    #[error("the passphrase is too short to protect anything: it needs at least {0} characters, not all alike")]
    WeakPassphrase(usize),
    /// A passphrase longer than anyone types.
    #[error("the passphrase is longer than {0} bytes")]
    LongPassphrase(usize),
    /// The two times it was typed differ.
    #[error("the two passphrases differ")]
    Mistyped,
    /// There is nobody to ask.
    #[error("there is no terminal to ask for the passphrase")]
    NoTerminal,
    /// Whoever was asked went away.
    #[error("no passphrase was given")]
    Cancelled,
    /// The system has no randomness to give.
    #[error("the system has no randomness to give: {0}")]
    Randomness(String),
}

/// How a file lies open to others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Exposed {
    /// Mode bits for group or others.
    #[error("can be reached by others than its owner")]
    ToOthers,
    /// A directory in which others could put another file in its place.
    #[error("is a directory that others can write to")]
    WritableDirectory,
    /// It belongs to somebody else.
    #[error("belongs to another user")]
    NotOurs,
    /// It only points somewhere else.
    #[error("is a symbolic link")]
    Symlink,
    /// A pipe, device or directory.
    #[error("is not a plain file")]
    NotAFile,
    /// Far larger than what it should be.
    #[error("is larger than any keystore or passphrase")]
    TooLarge,
    /// One `git add` away from being published.
    #[error("lies in a git work tree")]
    InGit,
}

impl Error {
    /// What the owner can do about it, where there is something.
    #[must_use]
    pub fn hint(&self) -> Option<&'static str> {
        Some(match self {
            Self::Unsafe { why, .. } => match why {
                Exposed::ToOthers => "make it yours alone: chmod 600 FILE",
                Exposed::WritableDirectory => "make the directory yours alone: chmod 700 DIR",
                Exposed::NotOurs => "run as its owner, or copy it",
                Exposed::Symlink => "give the path of the file itself",
                Exposed::NotAFile => "give a plain file; a passphrase from a pipe goes by --passphrase-fd",
                Exposed::TooLarge => "give the keystore or passphrase itself",
                Exposed::InGit => "keep keys and passphrases outside of anything that git watches",
            },
            Self::Exists(_) => "choose another name; a key is never overwritten",
            Self::Missing(_) => "see which there are: bardo wallet list",
            Self::Weak(_) => "seal it anew: bardo wallet import NAME --from FILE",
            Self::WeakPassphrase(_) => "take four or five words that have nothing to do with each other",
            Self::NotAKey => "a private key is 64 hex digits",
            Self::NoTerminal => "say where it comes from: --passphrase-fd N or --passphrase-file FILE",
            _ => return None,
        })
    }
    /// True when the machine is at fault, not what the owner said.
    #[must_use]
    pub fn is_worlds(&self) -> bool {
        matches!(self, Self::Io { .. } | Self::Randomness(_))
    }
    pub(crate) fn io(what: &'static str, path: &Path, e: impl Into<std::io::Error>) -> Self {
        Self::Io { what, path: path.to_owned(), source: e.into() }
    }
    pub(crate) fn exposed(path: &Path, why: Exposed) -> Self {
        Self::Unsafe { path: path.to_owned(), why }
    }
}
