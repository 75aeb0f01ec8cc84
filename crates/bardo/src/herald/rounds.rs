//! The rounds of a herald: golems whose files have moved are looked through, and what waits is sent to whoever answers. A channel that
//! fails rests for a while that doubles; one process of a home goes round at a time.

use super::gate::HeraldGate;
use super::looked::Looked;
use super::sending::{ChannelRests, RoundPost, TidingsOf};
use crate::auto;
use crate::fail::Fail;
use crate::home::{Home, Place};
use crate::out::Out;
use golem_clade::succession::KeptNotice;
use golem_core::GolemId;
use golem_home::notify::{LookFrom, NotifyFile, NotifyLedger, NotifySettings, give_to_owner};
use golem_home::stamp::{FileStamp, life_stamp, stamp};
use golem_runtime::{Clock as _, RealClock};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{File, Permissions, TryLockError};
use std::io::ErrorKind;
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::time::{Duration, Instant};

/// How far a life was looked through is written down at least so often, so that nobody has to look through all of it again.
const KEEP_EVERY: Duration = Duration::from_secs(30);
/// How long the last round waits for another process that goes round.
const LAST_PATIENCE: Duration = Duration::from_secs(3);

/// How a round went.
#[derive(Debug, Default)]
pub struct RoundEnd {
    /// Another process goes round: what it will find is not known here.
    pub elsewhere: bool,
    /// What kept golems from being looked at, or notices from being written down.
    pub faults: Vec<String>,
    /// Notices that wait.
    pub waiting: usize,
    /// Those of each golem, where there are any.
    pub by_golem: BTreeMap<GolemId, usize>,
}

/// What goes from round to round.
pub struct Rounds {
    home: Home,
    out: Out,
    /// Golems that were there when the process began, and where those stood that it lets live.
    there: BTreeSet<GolemId>,
    marks: BTreeMap<GolemId, LookFrom>,
    /// The settings as they were last read.
    settings: (FileStamp, Option<NotifySettings>),
    looked: BTreeMap<GolemId, Looked>,
    rests: ChannelRests,
    /// What was complained about, so that it is said once.
    told: BTreeSet<String>,
    notices: (FileStamp, Vec<KeptNotice>),
}

impl Rounds {
    /// Before these live. Without `notify.toml` nothing is written: where they stand is remembered, in case it comes.
    pub fn new(home: Home, places: &[Place], out: Out) -> Self {
        let there = home.ids().unwrap_or_default().into_iter().collect();
        let mut rounds = Self {
            home,
            out,
            there,
            marks: BTreeMap::new(),
            settings: (None, None),
            looked: BTreeMap::new(),
            rests: BTreeMap::new(),
            told: BTreeSet::new(),
            notices: (None, Vec::new()),
        };
        rounds.books();
        let wanted = stamp(&rounds.home.path().join(NotifyFile::NAME)).is_some();
        for place in places {
            let begun = match wanted {
                true => NotifyLedger::begin(place, &rounds.home, &rounds.notices.1, LookFrom::Unknown),
                false => NotifyLedger::mark(place, &rounds.notices.1).map(|mark| {
                    rounds.marks.insert(place.id, mark);
                }),
            };
            // A golem lives whether its owner can be told of it or not; that its file could not be read is never passed over.
            if let Err(why) = begun {
                rounds.complain(&format!("{}: nobody will be told of it: {why}", place.name));
            }
        }
        rounds
    }

    /// Go round. In the last round every channel is tried once, rested or not.
    pub fn go(&mut self, last: bool, gate: &HeraldGate) -> RoundEnd {
        let mut end = RoundEnd::default();
        let Some(settings) = self.settings(last, &mut end) else { return end };
        let held = match self.hold(if last { LAST_PATIENCE } else { Duration::ZERO }) {
            Ok(Some(held)) => held,
            Ok(None) => return RoundEnd { elsewhere: true, ..end },
            Err(why) => {
                self.fault(&mut end, format!("nobody is notified: {why}"));
                return end;
            }
        };
        if last {
            self.rests.clear();
        }
        let mut places = Vec::new();
        for id in self.home.ids().unwrap_or_default() {
            match self.look(id, &settings, last) {
                Ok(place) => places.extend(place),
                Err(why) => self.fault(&mut end, format!("nobody can be told of {id}: {why}")),
            }
        }
        let mut found: BTreeMap<GolemId, &mut Looked> = self.looked.iter_mut().map(|(id, of)| (*id, of)).collect();
        let golems = places.iter().filter_map(|place| Some(TidingsOf::new(place, found.remove(&place.id)?)));
        let golems: Vec<TidingsOf<'_>> = golems.collect();
        let unkept = RoundPost { gate, settings: &settings, last }.all(&golems, &mut self.rests);
        drop((golems, held));
        unkept.into_iter().for_each(|why| self.fault(&mut end, why));
        let waiting = |(id, of): (&GolemId, &Looked)| Some((*id, of.ledger.waiting(&settings))).filter(|(_, n)| *n > 0);
        end.by_golem = self.looked.iter().filter_map(waiting).collect();
        end.waiting = end.by_golem.values().sum();
        end
    }

    /// What the owner wants to be told, read anew when the file moves; none while there is no file, or nobody can read it.
    fn settings(&mut self, last: bool, end: &mut RoundEnd) -> Option<NotifySettings> {
        let now = stamp(&self.home.path().join(NotifyFile::NAME));
        if now != self.settings.0 || (last && now.is_some()) {
            let read = NotifyFile::find(&self.home);
            if let Err(why) = &read {
                self.fault(end, format!("nobody is notified: {why}"));
                self.begin_all();
            }
            self.settings = (now, read.ok().flatten().map(|file| file.notify));
        }
        self.settings.1.clone()
    }

    /// Somebody wants to know, and what it is cannot be read: whatever happens from here on is told when it can.
    fn begin_all(&mut self) {
        self.books();
        for place in self.home.golems().unwrap_or_default() {
            let _told_elsewhere = NotifyLedger::begin(&place, &self.home, &self.notices.1, self.from(place.id));
        }
    }

    fn fault(&mut self, end: &mut RoundEnd, words: String) {
        self.complain(&words);
        end.faults.push(words);
    }

    fn complain(&mut self, words: &str) {
        if self.told.insert(words.to_owned()) {
            self.out.alert(words);
        }
    }

    /// The right to go round, which one process has at a time; none while another has it.
    fn hold(&self, patience: Duration) -> Result<Option<File>, Fail> {
        let file = lock_file(&self.home)?;
        let until = Instant::now() + patience;
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(Some(file)),
                Err(TryLockError::WouldBlock) if Instant::now() < until => {
                    std::thread::sleep(Duration::from_millis(50));
                }
                Err(TryLockError::WouldBlock) => return Ok(None),
                Err(TryLockError::Error(e)) => return Err(Fail::world(format!("notify.lock cannot be held: {e}"))),
            }
        }
    }

    /// One golem; none where there is nothing to do for it. In the last round its file is read whatever its date says: two commits
    /// may fall into one tick of that clock.
    fn look(&mut self, id: GolemId, settings: &NotifySettings, last: bool) -> Result<Option<Place>, Fail> {
        let dir = self.home.golem_dir(id);
        let (life, books) = (life_stamp(&dir), self.books());
        let known = self.looked.get(&id);
        let still = !last
            && known
                .is_some_and(|l| l.life == life && l.books == books && l.written == stamp(&dir.join("notify.json")));
        if still && known.is_none_or(|l| l.ledger.waiting(settings) == 0) {
            return Ok(None);
        }
        let Some(place) = self.home.place_of(id) else {
            self.looked.remove(&id);
            return Ok(None);
        };
        let mut looked = match self.looked.remove(&id).filter(|l| l.written == stamp(&dir.join("notify.json"))) {
            Some(looked) => looked,
            None => self.first_look(&place)?,
        };
        if !still {
            let found = looked.ledger.scan(&place, &self.notices.1, settings, RealClock::default().now())?;
            (looked.life, looked.books) = (life, books);
            // What is to be told stands in the file before anybody is told.
            if found || looked.written_at.elapsed() >= KEEP_EVERY {
                looked.keep(&dir)?;
            }
        }
        self.looked.insert(id, looked);
        Ok(Some(place))
    }

    fn first_look(&self, place: &Place) -> Result<Looked, Fail> {
        NotifyLedger::begin(place, &self.home, &self.notices.1, self.from(place.id))?;
        Looked::of(&place.dir)
    }

    /// What this process knows of a golem that nobody has looked at.
    fn from(&self, id: GolemId) -> LookFrom {
        match self.marks.get(&id) {
            Some(mark) => *mark,
            None if self.there.contains(&id) => LookFrom::Unknown,
            None => LookFrom::Birth,
        }
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
}

/// The file that is held while somebody goes round. To hold it, one need not be allowed to write it: another user of the home may
/// have made it. Whoever can open it can hold it for ever and so silence every notice, so nobody else may open it.
pub fn lock_file(home: &Home) -> Result<File, Fail> {
    let path = home.path().join("notify.lock");
    let opened = match File::options().create(true).append(true).mode(0o600).open(&path) {
        Ok(file) => {
            // As programs of before made it. Whose it is not cannot close it, and can still hold it.
            let open = file.metadata().is_ok_and(|about| about.permissions().mode() & 0o077 != 0);
            if open {
                let _not_ours = file.set_permissions(Permissions::from_mode(0o600));
            }
            give_to_owner(&path, home.path());
            Ok(file)
        }
        Err(e) if e.kind() == ErrorKind::PermissionDenied => File::open(&path).map_err(|_| e),
        Err(e) => Err(e),
    };
    opened.map_err(|e| {
        let hint = "delete it, as whoever made it: it holds nothing";
        Fail::world_hint(format!("cannot open {}: {e}", path.display()), hint)
    })
}
