//! The page that a golem keeps for people beside its file. The golem is the only one that writes it, always as a whole;
//! what an owner makes of it is noticed, read, and handed to the golem as input. It is never overwritten unread.

use crate::durable::replace;
use crate::error::Error;
use golem_core::Hash;
use golem_life::Page;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// The longest page that is read.
const MOST_BYTES: u64 = 256 << 10;

/// One page on disk, and what is known of it.
#[derive(Debug)]
pub(crate) struct KeptPage {
    path: PathBuf,
    /// What was written or read last.
    known: Option<Hash>,
    /// How the file looked then, so that it need not be read at every turn.
    looked: Option<(SystemTime, u64)>,
    pub(crate) revision: u64,
}

impl KeptPage {
    pub(crate) fn at(path: PathBuf) -> Self {
        Self { path, known: None, looked: None, revision: 0 }
    }

    /// The text, when it is another than the one that is known and not the golem's own. What cannot be read is not there;
    /// what is too long or no text is left alone.
    pub(crate) fn edited(&mut self, is_own: impl FnOnce(&str) -> bool) -> Option<String> {
        let looks = looks(&self.path)?;
        if self.looked == Some(looks) || looks.1 > MOST_BYTES {
            return None;
        }
        let text = String::from_utf8(std::fs::read(&self.path).ok()?).ok()?;
        self.looked = Some(looks);
        let hash = Hash::of(text.as_bytes());
        // After a crash an older page of the golem's own may stand there: that is no edit.
        (self.known.replace(hash) != Some(hash) && !is_own(&text)).then_some(text)
    }

    /// Put a newer page there, unless somebody has just changed the old one: that is read first, at the next turn.
    pub(crate) fn write(&mut self, page: &Page) -> Result<(), Error> {
        let new = Hash::of(page.text.as_bytes());
        // What is there and cannot be read may be an owner's work all the same, and only a file is read at all.
        let found = match std::fs::symlink_metadata(&self.path) {
            Err(e) if e.kind() == ErrorKind::NotFound => None,
            _ => match looks(&self.path).and_then(|_| std::fs::read(&self.path).ok()) {
                Some(bytes) => Some(Hash::of(&bytes)),
                None => {
                    self.looked = None;
                    return Ok(());
                }
            },
        };
        if found.is_some() && found != self.known && found != Some(new) {
            self.looked = None;
            return Ok(());
        }
        if found != Some(new) {
            replace(&self.path, page.text.as_bytes())?;
        }
        (self.known, self.looked) = (Some(new), looks(&self.path));
        self.revision = page.revision;
        Ok(())
    }
}

fn looks(path: &Path) -> Option<(SystemTime, u64)> {
    let found = std::fs::symlink_metadata(path).ok().filter(std::fs::Metadata::is_file)?;
    Some((found.modified().ok()?, found.len()))
}
