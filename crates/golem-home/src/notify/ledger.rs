//! What was looked through and what waits to be sent, in a file beside the golem. A notice stands in it before it is sent and leaves
//! it after, so that a crash sends it again and never loses it.

use super::notice::{NoticeSense, OwnerNotice};
use super::settings::NotifySettings;
use crate::fail::Fail;
use crate::home::Place;
use golem_clade::succession::KeptNotice;
use golem_core::{Seq, Timestamp};
use golem_runtime::{Reader, replace_file};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, VecDeque};
use std::path::{Path, PathBuf};

/// Facts looked through at once.
const PAGE: u32 = 1_000;
/// Notices that wait for a channel, at most: the oldest go first, and are counted.
const MOST_WAITING: usize = 500;

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
        Ok(replace_file(&Self::path(dir), &bytes)?)
    }

    /// Begin to look at a golem, before it lives on. Of one that has lived without anybody who wanted to know, the past is past;
    /// an heir of one that was looked at is looked at from its first turn.
    pub fn begin(place: &Place, home: &crate::Home, told_before: usize) -> Result<(), Fail> {
        if Self::find(&place.dir)?.is_some() {
            return Ok(());
        }
        let reader = Reader::open(&place.dir)?;
        let parent = reader.origin()?.birth.parent;
        let is_known = parent.is_some_and(|parent| Self::path(&home.golem_dir(parent)).exists());
        let scanned = match is_known {
            true => None,
            false => reader.last_facts(None, 1)?.last().map(|row| row.seq),
        };
        Self { scanned, succession: told_before, ..Self::default() }.keep(&place.dir)
    }

    /// Look through what was committed since, and put what is to be told into the queue of each channel that wants it. True when
    /// something was.
    pub fn scan(&mut self, place: &Place, books: &[&KeptNotice], wanted: &NotifySettings) -> Result<bool, Fail> {
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
        for channel in &wanted.channels {
            let queue = self.channels.entry(channel.name.clone()).or_default();
            queue.waiting.extend(found.iter().filter(|notice| wanted.wants(channel, notice.kind)).cloned());
            while queue.waiting.len() > MOST_WAITING {
                queue.waiting.pop_front();
                queue.given_up += 1;
            }
        }
        // A channel that is gone keeps nothing back.
        self.channels.retain(|name, _| wanted.channels.iter().any(|channel| channel.name == *name));
        Ok(any)
    }
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
