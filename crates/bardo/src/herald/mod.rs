//! The herald: tells an owner what was committed, through the channels of `notify.toml`. It works beside the golems, on a thread of
//! its own and from their files: no turn waits for it, and nothing of it is part of a life.

mod command;
mod rounds;
mod send;
mod webhook;

pub use send::{SendFault, deliver};

use crate::fail::Fail;
use crate::home::{Home, Place};
use crate::out::Out;
use golem_home::notify::{NotifyFile, NotifyLedger};
use rounds::Rounds;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

/// How often it goes round.
const ROUND: Duration = Duration::from_secs(2);
/// Failures in a row from which on the doctor speaks of them.
const KEEPS_FAILING: u32 = 3;

/// A herald at work; it goes round once more when it ends, or is dropped.
pub struct Herald {
    over: Arc<(Mutex<bool>, Condvar)>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Herald {
    /// Begin to look at these golems, and at all others of the home. From here on whatever is committed will be told, also if this
    /// process is killed before it is. Without `notify.toml` nobody goes round, and nothing is written.
    pub fn begin(home: &Home, places: &[Place], out: Out) -> Self {
        let over = Arc::new((Mutex::new(false), Condvar::new()));
        let thread = match NotifyFile::find(home) {
            Ok(None) => None,
            Ok(Some(_)) => {
                let estate = crate::auto::find(home).unwrap_or_default();
                for place in places {
                    let before = estate.notices().iter().filter(|notice| notice.dead == place.id).count();
                    // A golem lives whether its owner can be told of it or not.
                    if let Err(why) = NotifyLedger::begin(place, home, before) {
                        out.alert(&format!("{}: nobody will be told of it: {why}", place.name));
                    }
                }
                let (until, mut rounds) = (over.clone(), Rounds::new(home.clone(), out));
                Some(std::thread::spawn(move || go_round(&until, &mut rounds)))
            }
            Err(why) => {
                out.alert(&format!("nobody is notified: {why}"));
                None
            }
        };
        Self { over, thread }
    }
}

fn go_round(until: &(Mutex<bool>, Condvar), rounds: &mut Rounds) {
    let (gate, wake) = until;
    loop {
        let last = *gate.lock().unwrap_or_else(PoisonError::into_inner);
        rounds.go(last);
        if last {
            return;
        }
        let ends = gate.lock().unwrap_or_else(PoisonError::into_inner);
        if !*ends {
            drop(wake.wait_timeout(ends, ROUND));
        }
    }
}

impl Drop for Herald {
    fn drop(&mut self) {
        *self.over.0.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.over.1.notify_all();
        if let Some(thread) = self.thread.take() {
            let _ended = thread.join();
        }
    }
}

/// Go round once, now; how many notices still wait.
pub fn send_now(home: &Home, out: Out) -> Result<usize, Fail> {
    let mut rounds = Rounds::new(home.clone(), out);
    rounds.go(true);
    let mut waiting = 0;
    for place in home.golems()? {
        let ledger = NotifyLedger::find(&place.dir)?.unwrap_or_default();
        waiting += ledger.channels.values().map(|queue| queue.waiting.len()).sum::<usize>();
    }
    Ok(waiting)
}

/// What keeps an owner from being told, for the doctor.
pub fn problems(home: &Home) -> Vec<String> {
    let settings = match NotifyFile::find(home) {
        Ok(None) => return Vec::new(),
        Ok(Some(file)) => file.notify,
        Err(why) => return vec![format!("nobody is notified: {why}")],
    };
    let mut all = Vec::new();
    for place in home.golems().unwrap_or_default() {
        let ledger = match NotifyLedger::find(&place.dir) {
            Ok(ledger) => ledger.unwrap_or_default(),
            Err(why) => {
                all.push(format!("nobody is told of {}: {why}", place.name));
                continue;
            }
        };
        for channel in &settings.channels {
            let Some(queue) = ledger.channels.get(&channel.name) else { continue };
            if queue.failures >= KEEPS_FAILING && !queue.waiting.is_empty() {
                let since =
                    queue.since.map_or_else(String::new, |at| format!(" since {}", golem_view::time::moment(at)));
                all.push(format!(
                    "notify channel {} keeps failing ({} times{since}: {}); {} of {} wait: try it with bardo notify test",
                    channel.name,
                    queue.failures,
                    queue.said,
                    golem_view::wrap::counted(queue.waiting.len(), "notice"),
                    place.name
                ));
            }
            if queue.given_up > 0 {
                let lost = golem_view::wrap::counted(usize::try_from(queue.given_up).unwrap_or(usize::MAX), "notice");
                all.push(format!("notify channel {}: {lost} of {} had to be given up", channel.name, place.name));
            }
        }
    }
    all
}
