//! What was looked through and what waits to be sent, in a file beside the golem. A notice stands in it before it is sent and leaves
//! it after, so that a crash sends it again and never loses it.

use super::notice::{NoticeSense, OwnerNotice};
use super::settings::{NotifyChannel, NotifyFile, NotifySettings};
use crate::fail::Fail;
use crate::home::{Home, Place};
use crate::stamp::{life_stamp, stamp};
use golem_clade::succession::KeptNotice;
use golem_core::{Seq, Timestamp};
use golem_runtime::{Reader, replace_file};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, VecDeque};
use std::os::unix::fs::{MetadataExt, fchown};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

/// Facts looked through at once.
const PAGE: u32 = 1_000;
/// Notices that wait for a channel, at most: the oldest go first, and are counted.
const MOST_WAITING: usize = 500;

/// From where a golem is looked at that has no ledger yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LookFrom {
    /// It was born since the process began.
    Birth,
    /// Here it stood when the process began: the last fact, and how many notices of its succession there were.
    Mark(Option<Seq>, usize),
    /// The process does not run it: its files say.
    Unknown,
}

/// The file's content.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct NotifyLedger {
    /// Every fact up to here was looked at; none before the first.
    scanned: Option<Seq>,
    /// Notices of the owner's books about this golem's succession that were looked at.
    succession: usize,
    sense: NoticeSense,
    pub channels: BTreeMap<String, ChannelQueue>,
}

/// What is known of a channel.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ChannelQueue {
    pub waiting: VecDeque<OwnerNotice>,
    /// Failures in a row, since when, and what was said last.
    pub failures: u32,
    pub since: Option<Timestamp>,
    pub said: String,
    pub sent: u64,
    /// Those that were received and refused, or had to make room.
    pub given_up: u64,
}

impl NotifyLedger {
    fn path(dir: &Path) -> PathBuf {
        dir.join("notify.json")
    }

    /// Of a golem; none before it was looked at for the first time.
    pub fn find(dir: &Path) -> Result<Option<Self>, Fail> {
        let path = Self::path(dir);
        let bytes = match std::fs::read(&path) {
            Ok(bytes) => bytes,
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(e) => return Err(Fail::world(format!("cannot read {}: {e}", path.display()))),
        };
        serde_json::from_slice(&bytes).map(Some).map_err(|e| {
            let hint = "delete it: notices begin anew with what happens from then on";
            Fail::world_hint(format!("{} is damaged: {e}", path.display()), hint)
        })
    }

    /// Write it down, to last.
    pub fn keep(&self, dir: &Path) -> Result<(), Fail> {
        let bytes = serde_json::to_vec(self).map_err(|e| Fail::Bug(e.to_string()))?;
        let path = Self::path(dir);
        replace_file(&path, &bytes)?;
        give_to_owner(&path, dir);
        Ok(())
    }

    /// Begin to look at a golem, unless that was begun before.
    pub fn begin(place: &Place, home: &Home, books: &[KeptNotice], from: LookFrom) -> Result<(), Fail> {
        match Self::find(&place.dir)? {
            Some(_) => Ok(()),
            None => Self::first(place, home, books, from)?.keep(&place.dir),
        }
    }

    /// As it stands before the first look. Past is what nobody can have wanted to know: what came before the process that looks,
    /// or, where that does not know, before the golem's last run and before `notify.toml` was written. An heir of one that is
    /// looked at is looked at from its first turn.
    pub fn first(place: &Place, home: &Home, books: &[KeptNotice], from: LookFrom) -> Result<Self, Fail> {
        let reader = Reader::open(&place.dir)?;
        let last = || Ok::<_, Fail>(reader.last_facts(None, 1)?.last().map(|row| row.seq));
        let of_it = books.iter().filter(|notice| notice.dead == place.id);
        let (scanned, succession) = match from {
            LookFrom::Birth => (None, 0),
            LookFrom::Mark(scanned, succession) => (scanned, succession),
            LookFrom::Unknown => {
                let written = stamp(&home.path().join(NotifyFile::NAME)).map(|(at, _)| at);
                let parent = reader.origin()?.birth.parent;
                let is_known = parent.is_some_and(|parent| Self::path(&home.golem_dir(parent)).exists());
                let lived = life_stamp(&place.dir).into_iter().flatten().map(|(at, _)| at).max();
                let scanned = match written {
                    _ if is_known => None,
                    Some(written) if lived.is_some_and(|lived| lived > written) => reader.before_last_run()?,
                    _ => last()?,
                };
                let since = written.and_then(|at| at.duration_since(UNIX_EPOCH).ok()).map_or(0, |age| age.as_secs());
                let since = Timestamp(i64::try_from(since).unwrap_or(i64::MAX));
                (scanned, of_it.filter(|notice| notice.at < since).count())
            }
        };
        Ok(Self { scanned, succession, ..Self::default() })
    }

    /// Where a golem stands before a process lets it live.
    pub fn mark(place: &Place, books: &[KeptNotice]) -> Result<LookFrom, Fail> {
        let last = Reader::open(&place.dir)?.last_facts(None, 1)?.last().map(|row| row.seq);
        Ok(LookFrom::Mark(last, books.iter().filter(|notice| notice.dead == place.id).count()))
    }

    /// How many wait, for these channels.
    pub fn waiting(&self, wanted: &NotifySettings) -> usize {
        let queue = |channel: &NotifyChannel| self.channels.get(&channel.name).map_or(0, |queue| queue.waiting.len());
        wanted.channels.iter().map(queue).sum()
    }

    /// Look through what was committed since, and put what is to be told into the queue of each channel that wants it. True when
    /// something was, or when a channel is gone with what waited for it: the file must say so.
    pub fn scan(
        &mut self,
        place: &Place,
        books: &[KeptNotice],
        wanted: &NotifySettings,
        now: Timestamp,
    ) -> Result<bool, Fail> {
        let reader = Reader::open(&place.dir)?;
        let last = reader.last_facts(None, 1)?.last().map(|row| row.seq);
        // A file that was brought back from a snapshot is lived on from there.
        if last < self.scanned {
            self.scanned = last;
        }
        let mut found = Vec::new();
        loop {
            let page = reader.facts(self.scanned, None, PAGE)?;
            let Some(end) = page.last().map(|row| row.seq) else { break };
            found.extend(page.iter().filter_map(|row| self.sense.see(row, place.id, place.name.as_str())));
            self.scanned = Some(end);
        }
        let of_it = books.iter().filter(|notice| notice.dead == place.id).enumerate().skip(self.succession);
        for (nth, notice) in of_it {
            found.extend(OwnerNotice::of_succession(notice, nth, place.name.as_str()));
            self.succession = nth + 1;
        }
        let any = !found.is_empty();
        found.iter_mut().for_each(|notice| notice.told_at = Some(now));
        for channel in &wanted.channels {
            let queue = self.channels.entry(channel.name.clone()).or_default();
            queue.waiting.extend(found.iter().filter(|notice| wanted.wants(channel, notice.kind)).cloned());
            while queue.waiting.len() > MOST_WAITING {
                queue.waiting.pop_front();
                queue.given_up += 1;
            }
        }
        // A channel that is gone keeps nothing back.
        let before = self.channels.len();
        self.channels.retain(|name, _| wanted.channels.iter().any(|channel| channel.name == *name));
        Ok(any || self.channels.len() < before)
    }
}

/// What another user made here (the system's own, most likely) belongs to whom the directory belongs to, or that one could not
/// go on with it. Whoever may not give it away is its owner already. A file that has other names, or is named through a link, is
/// somebody else's.
pub fn give_to_owner(path: &Path, dir: &Path) {
    let about = || {
        let file = std::fs::File::open(path)?;
        let (made, named) = (file.metadata()?, std::fs::symlink_metadata(path)?);
        let is_it = (made.dev(), made.ino(), made.nlink()) == (named.dev(), named.ino(), 1) && named.is_file();
        let above = std::fs::metadata(dir)?;
        if is_it && made.uid() != above.uid() { fchown(&file, Some(above.uid()), Some(above.gid())) } else { Ok(()) }
    };
    let _refused: std::io::Result<()> = about();
}

impl ChannelQueue {
    /// The first one was sent.
    pub fn delivered(&mut self) {
        self.waiting.pop_front();
        (self.failures, self.since, self.sent) = (0, None, self.sent.saturating_add(1));
        self.said.clear();
    }

    /// The first one could not be sent.
    pub fn failed(&mut self, why: &str, now: Timestamp) {
        self.failures = self.failures.saturating_add(1);
        self.since.get_or_insert(now);
        self.said = golem_core::words::one_line(why, 200);
    }

    /// The first one was received and refused too often: those behind it must not wait for it.
    pub fn give_up(&mut self) {
        self.waiting.pop_front();
        (self.failures, self.since) = (0, None);
        self.given_up = self.given_up.saturating_add(1);
    }
}
