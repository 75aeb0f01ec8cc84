//! What happens in one golem's life, as it happens. One reader looks at its file for all who watch it; the last facts are
//! kept in memory, and whoever is further behind reads its own pages. Each client has its place in history, so that none
//! misses a fact, whatever the others do.

use crate::sse::{self, CHUNK, EventTeller, HEARTBEAT, StreamOver};
use axum::body::Bytes;
use golem_core::Seq;
use golem_home::facts::ToldFact;
use golem_home::stamp::{FileStamp, life_stamp};
use golem_home::{Fail, HomeReader, Place};
use golem_runtime::Reader;
use std::collections::{BTreeMap, VecDeque};
use std::os::unix::fs::MetadataExt as _;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};
use tokio::sync::watch;

/// Facts read at once.
const PAGE: u32 = 500;
/// Bytes of facts that are kept for those who are nearly there.
const KEPT: usize = 2 << 20;
/// A file is read anew after so long, whatever its date says: two commits may bear the same.
const ANYWAY: Duration = Duration::from_secs(2);
/// The status is told at most so often.
const STATUS_EVERY: Duration = Duration::from_millis(250);

/// Which facts a client wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FactsWanted {
    All,
    /// Those that whoever watches wants to hear at once.
    Events,
    /// Only how it stands.
    Nothing,
}

impl FactsWanted {
    pub fn named(word: &str) -> Self {
        match word {
            "events" => Self::Events,
            "none" => Self::Nothing,
            _ => Self::All,
        }
    }
    fn takes(self, is_event: bool) -> bool {
        self == Self::All || (self == Self::Events && is_event)
    }
}

/// All golems that somebody watches.
#[derive(Debug, Clone)]
pub(crate) struct GolemFeeds {
    reader: Arc<HomeReader>,
    poll: Duration,
    open: Arc<Mutex<BTreeMap<String, Weak<GolemFeed>>>>,
}

/// One of them.
#[derive(Debug)]
pub(crate) struct GolemFeed {
    place: Place,
    recent: Mutex<RecentFacts>,
    /// Moves whenever there is something new.
    news: watch::Sender<u64>,
}

/// The last of it.
#[derive(Debug, Default)]
struct RecentFacts {
    /// Every fact behind this place is in `facts`; -1 before the first.
    base: i64,
    facts: VecDeque<(i64, bool, Bytes)>,
    bytes: usize,
    /// How it stands, as its file says it, with the number of that telling.
    status: Option<(u64, Arc<str>)>,
    /// How often another file was put in the place of the one that was told of.
    era: u64,
    /// Its folder is no more.
    removed: bool,
}

/// What there is behind a place.
enum NextFacts {
    Chunk(Vec<u8>, i64),
    /// It is in the file only.
    Behind,
    UpToDate,
}

impl RecentFacts {
    fn after(&self, place: i64, wanted: FactsWanted) -> NextFacts {
        if place < self.base {
            return NextFacts::Behind;
        }
        let from = self.facts.partition_point(|(seq, ..)| *seq <= place);
        let (mut chunk, mut last) = (Vec::new(), place);
        for (seq, is_event, bytes) in self.facts.range(from..) {
            if chunk.len() >= CHUNK {
                break;
            }
            if wanted.takes(*is_event) {
                chunk.extend_from_slice(bytes);
            }
            last = *seq;
        }
        if last == place { NextFacts::UpToDate } else { NextFacts::Chunk(chunk, last) }
    }

    fn end(&self) -> i64 {
        self.facts.back().map_or(self.base, |(seq, ..)| *seq)
    }

    /// The history is another one, which ends here.
    fn begin_anew(&mut self, base: i64) {
        *self = Self { base, era: self.era + 1, status: self.status.take(), ..Self::default() };
    }

    fn push(&mut self, seq: i64, is_event: bool, bytes: Bytes) {
        self.bytes += bytes.len();
        self.facts.push_back((seq, is_event, bytes));
        while self.bytes > KEPT {
            let Some((seq, _, bytes)) = self.facts.pop_front() else { return };
            self.bytes -= bytes.len();
            self.base = seq;
        }
    }
}

impl GolemFeeds {
    pub fn new(reader: Arc<HomeReader>, poll: Duration) -> Self {
        Self { reader, poll, open: Arc::default() }
    }

    /// How many golems are watched.
    pub fn count(&self) -> usize {
        self.lock().values().filter(|feed| feed.strong_count() > 0).count()
    }

    /// The feed of a golem: the one that others listen to, or a new one. Reads its file, so it may wait for the disk.
    pub fn of(&self, id: &str) -> Result<(Arc<GolemFeed>, bool), Fail> {
        let place = self.reader.place(id)?;
        let key = place.id.to_string();
        if let Some(feed) = self.lock().get(&key).and_then(Weak::upgrade) {
            return Ok((feed, false));
        }
        let base = tip(&Reader::open(&place.dir)?)?;
        let recent = Mutex::new(RecentFacts { base, ..RecentFacts::default() });
        let feed = Arc::new(GolemFeed { place, recent, news: watch::Sender::new(0) });
        let mut open = self.lock();
        // Somebody else may have been quicker.
        if let Some(feed) = open.get(&key).and_then(Weak::upgrade) {
            return Ok((feed, false));
        }
        open.retain(|_, feed| feed.strong_count() > 0);
        open.insert(key, Arc::downgrade(&feed));
        Ok((feed, true))
    }

    /// Look at a golem's file for as long as somebody listens.
    pub async fn keep(&self, feed: Weak<GolemFeed>) {
        let mut look = FeedLook::default();
        loop {
            tokio::time::sleep(self.poll).await;
            let Some(feed) = feed.upgrade() else { return };
            let looked = tokio::task::spawn_blocking(move || {
                // A file that cannot be read at the moment is looked at again; whoever asks for it is told why.
                let _again = feed.look(&mut look);
                look
            });
            let Ok(seen) = looked.await else { return };
            look = seen;
        }
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, Weak<GolemFeed>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What the last look found.
#[derive(Debug, Default)]
struct FeedLook {
    /// The number by which the system knows the file.
    file: Option<u64>,
    stamp: Option<[FileStamp; 2]>,
    read: Option<Instant>,
    told: Option<Instant>,
    tick: Option<u64>,
}

impl GolemFeed {
    /// Take in what is new.
    fn look(&self, look: &mut FeedLook) -> Result<(), Fail> {
        let stamp = Some(life_stamp(&self.place.dir));
        let due = look.read.is_none_or(|at| at.elapsed() >= ANYWAY);
        let owed = look.told.is_some_and(|at| at.elapsed() >= STATUS_EVERY);
        if stamp == look.stamp && !due && !owed {
            return Ok(());
        }
        (look.stamp, look.read) = (stamp, Some(Instant::now()));
        let removed = !self.place.dir.exists();
        self.lock().removed = removed;
        if removed {
            self.news.send_modify(|n| *n += 1);
            return Ok(());
        }
        let reader = Reader::open(&self.place.dir)?;
        let file = std::fs::metadata(self.place.dir.join("golem.db")).ok().map(|about| about.ino());
        let (is_another, end) = (look.file.is_some() && file != look.file, tip(&reader)?);
        look.file = file;
        let mut moved = false;
        if is_another || end < self.lock().end() {
            self.lock().begin_anew(end);
            (look.tick, look.told, moved) = (None, None, true);
        }
        loop {
            let end = self.lock().end();
            let page = reader.facts(u64::try_from(end).ok().map(Seq), None, PAGE)?;
            let told: Vec<_> = page.iter().map(spelled).collect();
            let mut recent = self.lock();
            told.into_iter().for_each(|(seq, is_event, bytes)| recent.push(seq, is_event, bytes));
            drop(recent);
            moved |= !page.is_empty();
            if page.len() < PAGE as usize {
                break;
            }
            // Those who listen need not wait for all of it.
            self.news.send_modify(|n| *n += 1);
        }
        let row = reader.status()?;
        let new = row.as_ref().filter(|row| look.tick != Some(row.tick.0));
        match new {
            Some(row) if look.told.is_none_or(|at| at.elapsed() >= STATUS_EVERY) => {
                let mut recent = self.lock();
                let number = recent.status.as_ref().map_or(1, |(n, _)| n + 1);
                recent.status = Some((number, row.body.as_str().into()));
                drop(recent);
                (look.tick, look.told, moved) = (Some(row.tick.0), Some(Instant::now()), true);
            }
            // Told a moment ago: the rest is told when its time has come.
            Some(_) => {}
            None => look.told = None,
        }
        if moved {
            self.news.send_modify(|n| *n += 1);
        }
        Ok(())
    }

    /// Tell one client everything behind its place, and go on until it leaves.
    pub async fn tell(self: &Arc<Self>, to: &EventTeller, after: Option<i64>, wanted: FactsWanted) -> StreamOver {
        let mut news = self.news.subscribe();
        let (mut era, end) = {
            let recent = self.lock();
            (recent.era, recent.end())
        };
        let mut place = after.unwrap_or(end);
        let mut known = 0;
        // A place that this history has not come to was in another one.
        let mut is_lost = place > end;
        loop {
            news.mark_unchanged();
            let (now, end, removed) = {
                let recent = self.lock();
                (recent.era, recent.end(), recent.removed)
            };
            if removed {
                let _last = to.send(sse::event(&place.to_string(), "gone", "{}")).await;
                return StreamOver::Gone;
            }
            if is_lost || now != era {
                (is_lost, era, place) = (false, now, end);
                if let Err(over) = to.send(sse::event(&place.to_string(), "reset", "{}")).await {
                    return over;
                }
            }
            if let Err(over) = self.catch_up(to, &mut place, wanted).await {
                return over;
            }
            let status = self.lock().status.clone().filter(|(number, _)| *number > known);
            if let Some((number, body)) = status {
                known = number;
                // The place goes with it, so that whoever wants few facts resumes where it was.
                if let Err(over) = to.send(sse::event(&place.to_string(), "status", &body)).await {
                    return over;
                }
            }
            let changed = tokio::select! {
                () = to.gone() => return StreamOver::Gone,
                changed = news.changed() => changed.is_ok(),
                () = tokio::time::sleep(HEARTBEAT) => false,
            };
            if !changed && let Err(over) = to.send(": still here\n\n").await {
                return over;
            }
        }
    }

    async fn catch_up(
        self: &Arc<Self>,
        to: &EventTeller,
        place: &mut i64,
        wanted: FactsWanted,
    ) -> Result<(), StreamOver> {
        loop {
            let next = self.lock().after(*place, wanted);
            let (chunk, last) = match next {
                NextFacts::UpToDate => return Ok(()),
                NextFacts::Chunk(chunk, last) => (chunk, last),
                NextFacts::Behind => {
                    let (feed, from) = (Arc::clone(self), *place);
                    let read = tokio::task::spawn_blocking(move || feed.page(from, wanted)).await;
                    match read {
                        Ok(Ok(page)) => page,
                        // Its file cannot be read: the client comes again and is told why.
                        _ => return Err(StreamOver::Gone),
                    }
                }
            };
            if !chunk.is_empty() {
                to.send(chunk).await?;
            }
            *place = last;
        }
    }

    /// A page from the file. Where it has no more facts, its end is where everybody is.
    fn page(&self, after: i64, wanted: FactsWanted) -> Result<(Vec<u8>, i64), Fail> {
        let rows = Reader::open(&self.place.dir)?.facts(u64::try_from(after).ok().map(Seq), None, PAGE)?;
        let mut chunk = Vec::new();
        let mut last = if rows.is_empty() { self.lock().base.max(after) } else { after };
        for (seq, is_event, bytes) in rows.iter().map(spelled) {
            if wanted.takes(is_event) {
                chunk.extend_from_slice(&bytes);
            }
            last = seq;
        }
        Ok((chunk, last))
    }

    fn lock(&self) -> MutexGuard<'_, RecentFacts> {
        self.recent.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A fact as an event.
fn spelled(row: &golem_runtime::FactRow) -> (i64, bool, Bytes) {
    let told = ToldFact::from(row);
    let data = sse::spelled(&told);
    let seq = i64::try_from(row.seq.0).unwrap_or(i64::MAX);
    (seq, told.event, sse::event(&row.seq.0.to_string(), "fact", &data))
}

/// The place of the last fact.
fn tip(reader: &Reader) -> Result<i64, Fail> {
    let last = reader.last_facts(None, 1)?;
    Ok(last.last().and_then(|row| i64::try_from(row.seq.0).ok()).unwrap_or(-1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_told_from_any_place_and_nothing_twice() {
        let mut recent = RecentFacts { base: -1, ..RecentFacts::default() };
        for seq in 0..10 {
            recent.push(seq, seq % 2 == 0, Bytes::from(format!("{seq} ")));
        }
        let told = |recent: &RecentFacts, place, wanted| match recent.after(place, wanted) {
            NextFacts::Chunk(chunk, last) => (String::from_utf8(chunk).unwrap(), last),
            NextFacts::Behind => ("behind".to_owned(), place),
            NextFacts::UpToDate => ("up to date".to_owned(), place),
        };
        assert_eq!(told(&recent, -1, FactsWanted::All), ("0 1 2 3 4 5 6 7 8 9 ".to_owned(), 9));
        assert_eq!(told(&recent, 6, FactsWanted::All), ("7 8 9 ".to_owned(), 9));
        assert_eq!(told(&recent, 6, FactsWanted::Events), ("8 ".to_owned(), 9));
        assert_eq!(told(&recent, 6, FactsWanted::Nothing), (String::new(), 9));
        assert_eq!(told(&recent, 9, FactsWanted::All).0, "up to date");
        let big = Bytes::from(vec![b'x'; KEPT / 2]);
        (10..14).for_each(|seq| recent.push(seq, true, big.clone()));
        assert_eq!(told(&recent, 5, FactsWanted::All).0, "behind");
        assert!(recent.bytes <= KEPT && recent.base >= 9 && recent.end() == 13, "{} {}", recent.bytes, recent.base);
    }
}
