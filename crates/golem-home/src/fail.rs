//! Why a command did not do what was asked, in the kinds that the exit code tells apart.

use std::fmt;

/// What went wrong. The kinds are never mixed: each has its exit code and its tone.
#[derive(Debug)]
pub enum Fail {
    /// The world said no (exit 1); the second text is a hint.
    World(String, Option<String>),
    /// The owner said something wrong (exit 2); the second text is a hint.
    Owner(String, Option<String>),
    /// A gate of ours refused, although the world is there and nothing was said wrong (exit 3); the second text is a hint.
    Refused(String, Option<String>),
    /// A bug of ours (exit 70).
    Bug(String),
    /// Whoever read our output has left: stop in silence.
    Hangup,
}

/// What the system says when it says no, and what would help. Errors of the world come as words from every room; the
/// system's own words in them are the same everywhere.
const REMEDIES: [(&[&str], &str); 5] = [
    (
        &["No space left on device", "disk full", "disk is full", "Disk quota exceeded"],
        "make room on the disk, then go on: what was told is kept (bardo doctor says how much room there is)",
    ),
    (
        &[
            "Read-only file system",
            "Permission denied",
            "Operation not permitted",
            "readonly database",
            "Not a directory",
        ],
        "bardo needs a place that it may write to: --home DIR, or BARDO_HOME=DIR",
    ),
    (&["Address already in use"], "somebody listens there: take another port (--listen 127.0.0.1:0 takes a free one)"),
    (&["Too many open files"], "let it open more files: ulimit -n 4096"),
    (&["Input/output error"], "the disk may be failing: bardo doctor, then copy the home elsewhere"),
];
/// What helps to find out where nothing else is known.
const LOOK: &str = "bardo doctor looks at this machine, this home and every golem's file";
/// What helps against a golem's file that says nothing, or something else than was written to it.
const MEND: &str = "bardo doctor says what is wrong; bardo golem restore ID --list shows the snapshots that it can be brought back from";
const HELP: &str = "see what can be typed: bardo help, or --help after any command";

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
        Self::World(message.into(), None)
    }
    /// The world said no, and this may help.
    pub fn world_hint(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::World(message.into(), Some(hint.into()))
    }
    /// A gate of ours refused.
    pub fn refused(message: impl Into<String>) -> Self {
        Self::Refused(message.into(), None)
    }
    /// A gate of ours refused, and this would lift it.
    pub fn refused_hint(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::Refused(message.into(), Some(hint.into()))
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
            Self::World(..) => 1,
            Self::Owner(..) => 2,
            Self::Refused(..) => 3,
            Self::Bug(_) => 70,
            Self::Hangup => 0,
        }
    }
    /// The kind in a word, for `--json`.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::World(..) => "world",
            Self::Owner(..) => "owner",
            Self::Refused(..) => "refused",
            Self::Bug(_) => "bug",
            Self::Hangup => "hangup",
        }
    }
    /// What may help. Nobody is told no without a word of what to do.
    pub fn hint_text(&self) -> Option<&str> {
        match self {
            Self::Owner(_, Some(hint)) | Self::World(_, Some(hint)) | Self::Refused(_, Some(hint)) => Some(hint),
            Self::Owner(what, None) => Some(remedy(what).unwrap_or(HELP)),
            Self::World(what, None) | Self::Refused(what, None) => Some(remedy(what).unwrap_or(LOOK)),
            Self::Bug(_) => Some("please report it, with the output of `bardo doctor`"),
            Self::Hangup => None,
        }
    }
}

/// What helps against what the system says.
fn remedy(what: &str) -> Option<&'static str> {
    let says = |words: &&[&str]| words.iter().any(|word| what.contains(word));
    REMEDIES.iter().find(|(words, _)| says(words)).map(|(_, remedy)| *remedy)
}

impl fmt::Display for Fail {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::World(m, _) | Self::Owner(m, _) | Self::Refused(m, _) => f.write_str(m),
            Self::Bug(m) => write!(f, "a bug of ours: {m}"),
            Self::Hangup => f.write_str("output closed"),
        }
    }
}

impl From<std::io::Error> for Fail {
    fn from(e: std::io::Error) -> Self {
        if e.kind() == std::io::ErrorKind::BrokenPipe { Self::Hangup } else { Self::world(e.to_string()) }
    }
}

impl From<golem_runtime::Error> for Fail {
    fn from(e: golem_runtime::Error) -> Self {
        let text = e.to_string();
        match e {
            golem_runtime::Error::Foreign { .. } => return Self::hint(text, MEND),
            golem_runtime::Error::Damaged { .. } => return Self::world_hint(text, MEND),
            _ => {}
        }
        match e.kind() {
            golem_runtime::ErrorKind::World => Self::world(text),
            golem_runtime::ErrorKind::Bug => Self::Bug(text),
            golem_runtime::ErrorKind::Owner => match text.rsplit_once("; hint: ") {
                Some((what, hint)) => Self::hint(what, hint),
                None => Self::owner(text),
            },
        }
    }
}

impl From<golem_wallet::Error> for Fail {
    fn from(e: golem_wallet::Error) -> Self {
        match e.hint() {
            _ if e.is_worlds() => Self::world(e.to_string()),
            Some(hint) => Self::hint(e.to_string(), hint),
            None => Self::owner(e.to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_the_world_says_there_is_a_hint() {
        for (errno, part) in [
            (28, "make room"),
            (122, "make room"),
            (30, "--home DIR"),
            (13, "--home DIR"),
            (1, "--home DIR"),
            (20, "--home DIR"),
            (98, "another port"),
            (24, "ulimit"),
            (5, "failing"),
            (71, "bardo doctor"),
        ] {
            let fail = Fail::from(std::io::Error::from_raw_os_error(errno));
            assert!(
                fail.hint_text().is_some_and(|hint| hint.contains(part)),
                "{errno}: {fail}: {:?}",
                fail.hint_text()
            );
        }
        assert!(Fail::owner("no").hint_text().is_some_and(|hint| hint.contains("--help")));
        assert_eq!(Fail::hint("no", "yes").hint_text(), Some("yes"));
        let path = || std::path::PathBuf::from("golem.db");
        let foreign = golem_runtime::Error::Foreign { path: path(), why: "rubbish".to_owned() };
        let damaged = golem_runtime::Error::Damaged { path: path(), tick: None, what: "a hole".to_owned() };
        for (fail, code) in [(Fail::from(foreign), 2), (Fail::from(damaged), 1)] {
            let hint = fail.hint_text().unwrap_or_default();
            assert!(fail.code() == code && hint.contains("doctor") && hint.contains("golem restore"), "{fail}: {hint}");
        }
    }
}
