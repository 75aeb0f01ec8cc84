//! Why a command did not do what was asked, in the kinds that the exit code tells apart.

use std::fmt;

/// What went wrong. The kinds are never mixed: each has its exit code and its tone.
#[derive(Debug)]
pub enum Fail {
    /// The world said no (exit 1).
    World(String),
    /// The owner said something wrong (exit 2); the second text is a hint.
    Owner(String, Option<String>),
    /// A gate of ours refused, although the world is there and nothing was said wrong (exit 3).
    Refused(String),
    /// A bug of ours (exit 70).
    Bug(String),
    /// Whoever read our output has left: stop in silence.
    Hangup,
}

impl Fail {
    /// The owner said something wrong.
    pub fn owner(message: impl Into<String>) -> Self {
        Self::Owner(message.into(), None)
    }
    /// The owner said something wrong, and this would be right.
    pub fn hint(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::Owner(message.into(), Some(hint.into()))
    }
    /// The world said no.
    pub fn world(message: impl Into<String>) -> Self {
        Self::World(message.into())
    }
    /// What a look into a golem's file found, if anything. What is wrong with the file is told by whoever opens it to live
    /// in it; a disk that fails is told at once, since the next look may succeed.
    pub fn unless_readable<T>(found: Result<T, golem_runtime::Error>) -> Result<Option<T>, Self> {
        match found {
            Ok(found) => Ok(Some(found)),
            Err(e @ golem_runtime::Error::Io { .. }) => Err(e.into()),
            Err(_) => Ok(None),
        }
    }
    /// The exit code.
    pub fn code(&self) -> u8 {
        match self {
            Self::World(_) => 1,
            Self::Owner(..) => 2,
            Self::Refused(_) => 3,
            Self::Bug(_) => 70,
            Self::Hangup => 0,
        }
    }
    /// The kind in a word, for `--json`.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::World(_) => "world",
            Self::Owner(..) => "owner",
            Self::Refused(_) => "refused",
            Self::Bug(_) => "bug",
            Self::Hangup => "hangup",
        }
    }
    /// The hint, where there is one.
    pub fn hint_text(&self) -> Option<&str> {
        match self {
            Self::Owner(_, hint) => hint.as_deref(),
            Self::Bug(_) => Some("please report it, with the output of `bardo doctor`"),
            _ => None,
        }
    }
}

impl fmt::Display for Fail {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::World(m) | Self::Owner(m, _) | Self::Refused(m) => f.write_str(m),
            Self::Bug(m) => write!(f, "a bug of ours: {m}"),
            Self::Hangup => f.write_str("output closed"),
        }
    }
}

impl From<std::io::Error> for Fail {
    fn from(e: std::io::Error) -> Self {
        if e.kind() == std::io::ErrorKind::BrokenPipe { Self::Hangup } else { Self::World(e.to_string()) }
    }
}

impl From<golem_runtime::Error> for Fail {
    fn from(e: golem_runtime::Error) -> Self {
        let text = e.to_string();
        match e.kind() {
            golem_runtime::Kind::World => Self::World(text),
            golem_runtime::Kind::Bug => Self::Bug(text),
            golem_runtime::Kind::Owner => match text.rsplit_once("; hint: ") {
                Some((what, hint)) => Self::hint(what, hint),
                None => Self::owner(text),
            },
        }
    }
}
