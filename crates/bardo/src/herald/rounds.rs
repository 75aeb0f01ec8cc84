//! The rounds of a herald: golems whose files have moved are looked through, and what waits is sent to whoever answers. A channel that
//! fails rests for a while that doubles; one process of a home goes round at a time.

use super::send::{SendFault, deliver};
use crate::auto;
use crate::fail::Fail;
use crate::home::{Home, Place};
use crate::out::Out;
use golem_clade::succession::KeptNotice;
use golem_core::{GolemId, Timestamp};
use golem_home::notify::{NotifyFile, NotifyLedger, NotifySettings};
use golem_runtime::{Clock as _, RealClock};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::path::Path;
use std::time::{Duration, Instant, SystemTime};

/// A channel rests for so long after its first failure, and no longer than this after many.
const FIRST_REST: Duration = Duration::from_secs(2);
const LONGEST_REST: Duration = Duration::from_secs(300);
/// A notice that was received and refused so often is given up.
const REFUSALS: u32 = 5;
/// How far a life was looked through is written down at least so often, so that nobody has to look through all of it again.
const KEEP_EVERY: Duration = Duration::from_secs(30);
/// How long the last round waits for another process that goes round.
const LAST_PATIENCE: Duration = Duration::from_secs(3);

/// When a file changed last, and how long it is.
type FileStamp = Option<(SystemTime, u64)>;

fn stamp(path: &Path) -> FileStamp {
    let found = std::fs::metadata(path).ok()?;
    Some((found.modified().ok()?, found.len()))
}

/// A golem under watch.
struct Looked {
    life: [FileStamp; 2],
    books: FileStamp,
    ledger: NotifyLedger,
    /// The ledger's file as it was last read or written.
    written: FileStamp,
    written_at: Instant,
}

/// What goes from round to round.
pub struct Rounds {
    home: Home,
    out: Out,
    looked: BTreeMap<GolemId, Looked>,
    /// Channels that failed: how often in a row, and until when they rest.
    resting: BTreeMap<String, (u32, Instant)>,
    /// What was complained about, so that it is said once.
    told: BTreeSet<String>,
    notices: (FileStamp, Vec<KeptNotice>),
}

impl Rounds {
    pub fn new(home: Home, out: Out) -> Self {
        Self {
            home,
            out,
            looked: BTreeMap::new(),
            resting: BTreeMap::new(),
            told: BTreeSet::new(),
            notices: (None, Vec::new()),
        }
    }

    /// Go round. In the last round every channel is tried once, rested or not.
    pub fn go(&mut self, last: bool) {
        let settings = match NotifyFile::find(&self.home) {
            Ok(Some(file)) => file.notify,
            Ok(None) => return,
            Err(why) => return self.complain(&format!("nobody is notified: {why}")),
        };
        let Some(_held) = self.hold(if last { LAST_PATIENCE } else { Duration::ZERO }) else { return };
        if last {
            self.resting.clear();
        }
        for id in self.home.ids().unwrap_or_default() {
            if let Err(why) = self.golem(id, &settings, last) {
                self.complain(&format!("nobody can be told of {id}: {why}"));
            }
        }
    }

    fn complain(&mut self, words: &str) {
        if self.told.insert(words.to_owned()) {
            self.out.alert(words);
        }
    }

    /// The right to go round, which one process has at a time.
    fn hold(&self, patience: Duration) -> Option<File> {
        let file = File::options().create(true).append(true).open(self.home.path().join("notify.lock")).ok()?;
        let until = Instant::now() + patience;
        loop {
            match file.try_lock() {
                Ok(()) => return Some(file),
                Err(_) if Instant::now() < until => std::thread::sleep(Duration::from_millis(50)),
                Err(_) => return None,
            }
        }
    }

    /// One golem. In the last round its file is read whatever its date says: two commits may fall into one tick of that clock.
    fn golem(&mut self, id: GolemId, settings: &NotifySettings, last: bool) -> Result<(), Fail> {
        let dir = self.home.golem_dir(id);
        let (life, books) = (["golem.db", "golem.db-wal"].map(|name| stamp(&dir.join(name))), self.books());
        let known = self.looked.get(&id);
        let still = !last
            && known
                .is_some_and(|l| l.life == life && l.books == books && l.written == stamp(&dir.join("notify.json")));
        if still && known.is_none_or(|l| l.ledger.channels.values().all(|queue| queue.waiting.is_empty())) {
            return Ok(());
        }
        let Some(place) = self.home.place_of(id) else { return Ok(()) };
        let mut looked = match self.looked.remove(&id).filter(|l| l.written == stamp(&dir.join("notify.json"))) {
            Some(looked) => looked,
            None => self.first_look(&place)?,
        };
        if !still {
            let notices: Vec<&KeptNotice> = self.notices.1.iter().collect();
            let found = looked.ledger.scan(&place, &notices, settings)?;
            (looked.life, looked.books) = (life, books);
            // What is to be told stands in the file before anybody is told.
            if found || looked.written_at.elapsed() >= KEEP_EVERY {
                looked.keep(&dir)?;
            }
        }
        let sent = self.send(&place, &mut looked, settings, last);
        self.looked.insert(id, looked);
        sent
    }

    fn first_look(&self, place: &Place) -> Result<Looked, Fail> {
        let before = self.notices.1.iter().filter(|notice| notice.dead == place.id).count();
        NotifyLedger::begin(place, &self.home, before)?;
        let ledger = NotifyLedger::find(&place.dir)?.unwrap_or_default();
        let written = stamp(&place.dir.join("notify.json"));
        Ok(Looked { life: [None, None], books: None, ledger, written, written_at: Instant::now() })
    }

    /// What the owner's books say of successions, read anew when their file moves.
    fn books(&mut self) -> FileStamp {
        let path = self.home.path().join("treasury.db");
        let now = stamp(&path).max(stamp(&self.home.path().join("treasury.db-wal")));
        if now != self.notices.0
            && let Ok(estate) = auto::find(&self.home)
        {
            self.notices = (now, estate.notices().into_iter().cloned().collect());
        }
        self.notices.0
    }

    fn send(&mut self, place: &Place, looked: &mut Looked, settings: &NotifySettings, last: bool) -> Result<(), Fail> {
        for channel in &settings.channels {
            loop {
                let rested = self.resting.get(&channel.name).is_none_or(|(_, until)| Instant::now() >= *until);
                let queue = looked.ledger.channels.get_mut(&channel.name).filter(|_| rested);
                let Some((queue, notice)) = queue.and_then(|queue| queue.waiting.front().cloned().map(|n| (queue, n)))
                else {
                    break;
                };
                match deliver(channel, &notice, false) {
                    Ok(()) => {
                        queue.delivered();
                        self.resting.remove(&channel.name);
                    }
                    Err(why) => {
                        queue.failed(why.words(), wall());
                        if matches!(why, SendFault::Refused(_)) && queue.failures >= REFUSALS {
                            queue.give_up();
                        }
                        self.rest(&channel.name, last);
                    }
                }
                looked.keep(&place.dir)?;
            }
        }
        Ok(())
    }

    /// Each failure in a row makes the rest twice as long; who failed in the last round is not asked again.
    fn rest(&mut self, channel: &str, last: bool) {
        let row = self.resting.get(channel).map_or(0, |(row, _)| *row);
        let rest = FIRST_REST.saturating_mul(2u32.saturating_pow(row)).min(LONGEST_REST);
        let rest = if last { LONGEST_REST } else { rest };
        self.resting.insert(channel.to_owned(), (row.saturating_add(1), Instant::now() + rest));
    }
}

impl Looked {
    fn keep(&mut self, dir: &Path) -> Result<(), Fail> {
        self.ledger.keep(dir)?;
        (self.written, self.written_at) = (stamp(&dir.join("notify.json")), Instant::now());
        Ok(())
    }
}

fn wall() -> Timestamp {
    RealClock::default().now()
}
