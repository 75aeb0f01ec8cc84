//! The courier: carries what golems say to their fleet from their outboxes into the inboxes of the others in the same home.
//! A letter is marked as carried only once everyone has it, and carrying it twice changes nothing.

use crate::fail::Fail;
use crate::home::{Home, Place};
use golem_life::{Ask, Standing, Word};
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
    done: Arc<(AtomicBool, Mutex<()>, Condvar)>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Courier {
    /// Begin to carry the letters of these golems.
    pub fn begin(home: &Home, of: &[Place]) -> Self {
        let done = Arc::new((AtomicBool::new(false), Mutex::new(()), Condvar::new()));
        let (until, home, of) = (done.clone(), home.clone(), of.to_vec());
        let thread = std::thread::spawn(move || {
            let (over, gate, wake) = &*until;
            loop {
                let last = over.load(Ordering::Acquire);
                for place in &of {
                    // What could not be carried stays in the outbox for the next round.
                    let _later = round(&home, place);
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

impl Drop for Courier {
    fn drop(&mut self) {
        self.done.0.store(true, Ordering::Release);
        self.done.2.notify_all();
        if let Some(thread) = self.thread.take() {
            let _ended = thread.join();
        }
    }
}

/// Carry what one golem has to say.
fn round(home: &Home, from: &Place) -> Result<(), Fail> {
    let mut outbox = Outbox::open(&from.dir)?;
    let letters = outbox.open_letters(Some("peer"), MOST)?;
    if letters.is_empty() {
        return Ok(());
    }
    let others: Vec<Place> = home.golems()?.into_iter().filter(|p| p.id != from.id && listens(p)).collect();
    for letter in letters {
        let word: Word = serde_json::from_str(&letter.body).map_err(|e| Fail::Bug(format!("a letter: {e}")))?;
        let ask = Ask::Peer { from: from.name.to_string(), text: word.text, died: word.died };
        for other in &others {
            Inbox::open(&other.dir)?.put(&format!("{}/{}", from.id, letter.key), &ask, crate::clock::clock().now())?;
        }
        outbox.mark(letter.id, Sending::Settled)?;
    }
    Ok(())
}

/// Whether a golem lives and wants to hear.
fn listens(place: &Place) -> bool {
    let Ok(reader) = Reader::open(&place.dir) else { return false };
    let alive = reader.status().is_ok_and(|s| s.is_none_or(|s| s.standing != Standing::Dead));
    let settings = reader.origin().ok().and_then(|origin| crate::birth::settings_of(&origin).ok());
    alive && settings.is_some_and(|s| s.fleet.hears)
}
