//! The registrar: while golems run, heirs that live without an identity are registered as soon as that can be done, and what a
//! process left behind that ended too soon is gone on with.

use super::attend::attend_owed;
use super::books;
use crate::chain::OpenChains;
use crate::home::Home;
use crate::out::Out;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

/// How often it looks whether a heartbeat of somebody has come.
const ROUND: Duration = Duration::from_secs(2);

/// A registrar at work; it ends when it is told to, or dropped.
pub struct Registrar {
    over: Arc<(Mutex<bool>, Condvar)>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Registrar {
    /// Begin. Where no heir ever came by itself nothing is owed, and nothing is read.
    pub fn begin(home: &Home, chains: &OpenChains, out: Out) -> Self {
        let over = Arc::new((Mutex::new(false), Condvar::new()));
        let (until, home, chains) = (over.clone(), home.clone(), chains.clone());
        let thread = std::thread::spawn(move || {
            let (gate, wake) = &*until;
            let mut ends = gate.lock().unwrap_or_else(PoisonError::into_inner);
            while !*ends {
                drop(ends);
                // The first succession may come while this goes round. What cannot be read now is tried at the next round;
                // whoever attends to a death is told.
                if books::is_there(&home) {
                    let _failed = attend_owed(&home, &chains, &out);
                }
                ends = gate.lock().unwrap_or_else(PoisonError::into_inner);
                if !*ends {
                    ends = wake.wait_timeout(ends, ROUND).unwrap_or_else(PoisonError::into_inner).0;
                }
            }
        });
        Self { over, thread: Some(thread) }
    }
}

impl Drop for Registrar {
    fn drop(&mut self) {
        *self.over.0.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.over.1.notify_all();
        if let Some(thread) = self.thread.take() {
            let _ended = thread.join();
        }
    }
}
