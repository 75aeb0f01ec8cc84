//! The note beside the file: the last start and turn this machine knows of, so that an older file put back is noticed.

use crate::dir::GolemDir;
use crate::durable;
use crate::error::Error;
use std::fs;
use std::io::ErrorKind;

/// How far a life is known to have come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(crate) struct Mark {
    /// Number of the start.
    pub(crate) epoch: u64,
    /// Last committed turn at the time of the note.
    pub(crate) tick: u64,
}

impl Mark {
    /// The note; `None` when there is none, as in a directory that was copied without it.
    pub(crate) fn read(dir: &GolemDir) -> Result<Option<Self>, Error> {
        let path = dir.epoch();
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(e) if e.kind() == ErrorKind::NotFound => return Ok(None),
            Err(e) => return Err(Error::io(&path, "read", &e)),
        };
        let mut words = text.split_ascii_whitespace().map(str::parse);
        match (words.next(), words.next(), words.next()) {
            (Some(Ok(epoch)), Some(Ok(tick)), None) => Ok(Some(Self { epoch, tick })),
            _ => Err(Error::damaged(&path, "expected a start number and a turn")),
        }
    }
    pub(crate) fn write(self, dir: &GolemDir) -> Result<(), Error> {
        durable::replace(&dir.epoch(), format!("{} {}\n", self.epoch, self.tick).as_bytes())
    }
}
