//! When a herald has to be through, and whom it waits for meanwhile.

use std::collections::BTreeMap;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Shared by the herald's thread, those that send for it, and whoever waits for it.
#[derive(Debug, Default)]
pub struct HeraldGate {
    state: Mutex<GateState>,
    wake: Condvar,
}

#[derive(Debug, Default)]
struct GateState {
    /// None while the herald goes on; then the moment at which everything is broken off.
    ends: Option<Instant>,
    /// Channels that are waited for, with how many notices.
    busy: BTreeMap<String, usize>,
}

impl HeraldGate {
    fn state(&self) -> MutexGuard<'_, GateState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// From here on there is one more round, and it ends in time.
    pub fn close(&self, within: Duration) {
        self.state().ends = Some(Instant::now() + within);
        self.wake.notify_all();
    }

    pub fn is_closing(&self) -> bool {
        self.state().ends.is_some()
    }

    /// Whether whatever is on its way has to be broken off.
    pub fn is_over(&self) -> bool {
        self.state().ends.is_some_and(|ends| Instant::now() >= ends)
    }

    /// Until it closes, and no longer than this.
    pub fn rest(&self, at_most: Duration) {
        let state = self.state();
        if state.ends.is_none() {
            drop(self.wake.wait_timeout(state, at_most));
        }
    }

    /// Do something that may keep others waiting, and be seen to.
    pub fn busy<T>(&self, channel: &str, work: impl FnOnce() -> T) -> T {
        *self.state().busy.entry(channel.to_owned()).or_default() += 1;
        let done = work();
        let mut state = self.state();
        if let Some(count) = state.busy.get_mut(channel) {
            *count = count.saturating_sub(1);
        }
        state.busy.retain(|_, count| *count > 0);
        done
    }

    /// The channels that are waited for; empty for none.
    pub fn waits_for(&self) -> String {
        self.state().busy.keys().cloned().collect::<Vec<_>>().join(", ")
    }
}
