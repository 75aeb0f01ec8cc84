//! The courier: carries what golems say to their fleet from their outboxes into the inboxes of those that have to do with
//! them. A letter is dated by its writer's virtual time and is not heard earlier by its reader's; it is marked as carried
//! only once everyone has it, and carrying it twice changes nothing.

use crate::fail::Fail;
use crate::golem_file::{ChainWord, GolemFile};
use crate::home::{Home, Place};
use golem_core::GolemId;
use golem_life::{Ask, Word};
use golem_runtime::{Inbox, Outbox, Reader, Sending};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

/// How often it goes round.
const ROUND: Duration = Duration::from_secs(2);
/// Letters of one golem that are carried in one round.
const MOST: u32 = 200;

/// A courier at work; it goes round once more when it is dropped.
pub struct Courier {
    done: Arc<(AtomicBool, Mutex<Option<String>>, Condvar)>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Courier {
    /// Begin to carry the letters of these golems.
    pub fn begin(home: &Home, of: &[Place]) -> Self {
        let done = Arc::new((AtomicBool::new(false), Mutex::new(None), Condvar::new()));
        let (until, home, of) = (done.clone(), home.clone(), of.to_vec());
        let thread = std::thread::spawn(move || {
            let (over, gate, wake) = &*until;
            loop {
                let last = over.load(Ordering::Acquire);
                for place in &of {
                    // What could not be carried stays in the outbox for the next round; a disk that failed is told.
                    if let Err(Fail::World(why, _)) = round(&home, place) {
                        gate.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(why);
                    }
                }
                if last {
                    return;
                }
                let waits = gate.lock().unwrap_or_else(PoisonError::into_inner);
                drop(wake.wait_timeout(waits, ROUND));
            }
        });
        Self { done, thread: Some(thread) }
    }
}

impl Courier {
    /// The last round; what kept it from carrying, if anything did.
    pub fn end(mut self) -> Option<String> {
        self.come_home();
        self.done.1.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    fn come_home(&mut self) {
        self.done.0.store(true, Ordering::Release);
        self.done.2.notify_all();
        if let Some(thread) = self.thread.take() {
            let _ended = thread.join();
        }
    }
}

impl Drop for Courier {
    fn drop(&mut self) {
        self.come_home();
    }
}

/// Carry what one golem has to say.
fn round(home: &Home, from: &Place) -> Result<(), Fail> {
    let mut outbox = Outbox::open(&from.dir)?;
    let letters = outbox.open_letters(Some("peer"), MOST)?;
    if letters.is_empty() {
        return Ok(());
    }
    let Some(others) = hearers(home, from)? else { return Ok(()) };
    for letter in letters {
        let word: Word = serde_json::from_str(&letter.body).map_err(|e| Fail::Bug(format!("a letter: {e}")))?;
        let ask = Ask::Peer { from: from.name.to_string(), text: word.text, died: word.died, at: word.at };
        for other in &others {
            Inbox::open(&other.dir)?.put(&format!("{}/{}", from.id, letter.key), &ask, crate::clock::clock().now())?;
        }
        outbox.mark(letter.id, Sending::Settled)?;
    }
    Ok(())
}

/// Who hears this golem; `None` while it cannot be told. Alone in its home it is heard by nobody, and no file is opened to find that out.
fn hearers(home: &Home, from: &Place) -> Result<Option<Vec<Place>>, Fail> {
    if home.ids()?.iter().all(|id| *id == from.id) {
        return Ok(Some(Vec::new()));
    }
    let Some(writer) = Neighbour::at(from) else { return Ok(None) };
    let hears = |place: &Place| Neighbour::at(place).is_some_and(|n| n.listens() && n.has_to_do_with(&writer));
    Ok(Some(home.golems()?.into_iter().filter(|p| p.id != from.id && hears(p)).collect()))
}

/// A golem of the home, as far as letters are concerned.
struct Neighbour {
    lives: bool,
    lineage: GolemId,
    file: GolemFile,
}

impl Neighbour {
    /// One that cannot be read cannot hear either.
    fn at(place: &Place) -> Option<Self> {
        let reader = Reader::open(&place.dir).ok()?;
        let lives = reader.status().ok()?.is_none_or(|s| !s.standing.is_final());
        let origin = reader.origin().ok()?;
        Some(Self { lives, lineage: origin.birth.lineage, file: crate::birth::settings_of(&origin).ok()? })
    }

    fn listens(&self) -> bool {
        self.lives && self.file.fleet.hears
    }

    /// Of one lineage, in one world, or called one fleet by their owner. Whoever else lives in the home changes nothing.
    fn has_to_do_with(&self, other: &Self) -> bool {
        let (fleet, theirs) = (&self.file.fleet.name, &other.file.fleet.name);
        self.lineage == other.lineage || (!fleet.is_empty() && fleet == theirs) || one_world(&self.file, &other.file)
    }
}

/// Whether two golems look at the same market.
fn one_world(a: &GolemFile, b: &GolemFile) -> bool {
    a.chain.kind == b.chain.kind
        && match a.chain.kind {
            ChainWord::Paper => a.world == b.world,
            ChainWord::Embedded => a.chain.name == b.chain.name,
            ChainWord::Rpc => a.chain.rpc.chain_id == b.chain.rpc.chain_id,
        }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn alone_it_is_heard_by_nobody_and_no_file_is_opened_for_that() {
        let dir = tempfile::tempdir().unwrap();
        let home = Home::find(Some(dir.path().to_owned())).unwrap();
        let [id, other] = ["1", "2"].map(|sign| sign.repeat(32).parse::<GolemId>().unwrap());
        // Nothing is in its folder: whoever opens its file learns nothing.
        let here = Place { dir: home.golem_dir(id), id, name: "lone".parse().unwrap() };
        std::fs::create_dir_all(&here.dir).unwrap();
        assert_eq!(hearers(&home, &here).unwrap().map(|others| others.len()), Some(0));
        std::fs::create_dir_all(home.golem_dir(other)).unwrap();
        assert!(hearers(&home, &here).unwrap().is_none(), "with another one its file is asked");
    }
}
