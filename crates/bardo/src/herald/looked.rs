//! A golem under watch, from round to round.

use crate::fail::Fail;
use golem_home::notify::NotifyLedger;
use golem_home::stamp::{FileStamp, stamp};
use std::path::Path;
use std::time::Instant;

/// What was looked through, and the files as they were then.
pub struct Looked {
    pub life: [FileStamp; 2],
    pub books: FileStamp,
    pub ledger: NotifyLedger,
    /// The ledger's file as it was last read or written.
    pub written: FileStamp,
    pub written_at: Instant,
}

impl Looked {
    /// As its ledger says.
    pub fn of(dir: &Path) -> Result<Self, Fail> {
        let ledger = NotifyLedger::find(dir)?.unwrap_or_default();
        let written = stamp(&dir.join("notify.json"));
        Ok(Self { life: [None, None], books: None, ledger, written, written_at: Instant::now() })
    }

    pub fn keep(&mut self, dir: &Path) -> Result<(), Fail> {
        self.ledger.keep(dir)?;
        (self.written, self.written_at) = (stamp(&dir.join("notify.json")), Instant::now());
        Ok(())
    }
}
