//! Clocks: a wall that is only shown, a monotonic count that paces, and a flag that ends every wait.
//!
//! Nothing is ever ordered, aged or budgeted by the wall: it may jump by years and only a displayed time changes.

use golem_core::Timestamp;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

/// What the loop knows of time outside the golem.
pub trait Clock: Send + Sync {
    /// The wall: for people, and for counting crashes.
    fn now(&self) -> Timestamp;
    /// Milliseconds since some fixed moment; never goes back.
    fn monotonic_ms(&self) -> u64;
    /// Return when the monotonic count has reached `at_ms` or the flag is raised.
    fn wait_until(&self, at_ms: u64, stop: &StopFlag);
}

/// A request to stop between two turns. Clones share it; once raised it stays raised.
#[derive(Clone, Default)]
pub struct StopFlag(Arc<SharedFlag>);

#[derive(Default)]
struct SharedFlag {
    raised: AtomicBool,
    gate: Mutex<()>,
    bell: Condvar,
}

impl StopFlag {
    /// Ask everyone who waits on it to stop.
    pub fn raise(&self) {
        let _gate = self.0.gate.lock().unwrap_or_else(PoisonError::into_inner);
        self.0.raised.store(true, Ordering::SeqCst);
        self.0.bell.notify_all();
    }
    /// Whether to stop.
    #[must_use]
    pub fn is_raised(&self) -> bool {
        self.0.raised.load(Ordering::SeqCst)
    }
    /// Really wait that long, or until the flag is raised; says whether it is.
    pub fn wait_for(&self, at_most: Duration) -> bool {
        let gate = self.0.gate.lock().unwrap_or_else(PoisonError::into_inner);
        drop(self.0.bell.wait_timeout_while(gate, at_most, |()| !self.is_raised()));
        self.is_raised()
    }
}

impl std::fmt::Debug for StopFlag {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "StopFlag({})", self.is_raised())
    }
}

/// The machine's own clocks.
#[derive(Debug, Clone)]
pub struct RealClock {
    start: Instant,
}

impl Default for RealClock {
    fn default() -> Self {
        Self { start: Instant::now() }
    }
}

impl Clock for RealClock {
    fn now(&self) -> Timestamp {
        wall()
    }
    fn monotonic_ms(&self) -> u64 {
        millis(self.start.elapsed())
    }
    fn wait_until(&self, at_ms: u64, stop: &StopFlag) {
        stop.wait_for(Duration::from_millis(at_ms.saturating_sub(self.monotonic_ms())));
    }
}

/// A clock that never waits: what would be waited for is skipped.
#[derive(Debug)]
pub struct VirtualClock {
    start: Instant,
    skipped_ms: AtomicU64,
}

impl Default for VirtualClock {
    fn default() -> Self {
        Self { start: Instant::now(), skipped_ms: AtomicU64::new(0) }
    }
}

impl Clock for VirtualClock {
    fn now(&self) -> Timestamp {
        wall()
    }
    fn monotonic_ms(&self) -> u64 {
        millis(self.start.elapsed()).saturating_add(self.skipped_ms.load(Ordering::SeqCst))
    }
    fn wait_until(&self, at_ms: u64, _stop: &StopFlag) {
        self.skipped_ms.fetch_add(at_ms.saturating_sub(self.monotonic_ms()), Ordering::SeqCst);
    }
}

fn wall() -> Timestamp {
    // A machine whose clock stands before 1970 shows 1970: the wall is only shown.
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    Timestamp(i64::try_from(since.as_secs()).unwrap_or(i64::MAX))
}

fn millis(d: Duration) -> u64 {
    u64::try_from(d.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_virtual_clock_skips() {
        let clock = VirtualClock::default();
        let before = Instant::now();
        clock.wait_until(1_000_000_000, &StopFlag::default());
        assert!(clock.monotonic_ms() >= 1_000_000_000 && before.elapsed() < Duration::from_secs(60));
    }

    #[test]
    fn a_raised_flag_ends_a_real_wait() {
        let stop = StopFlag::default();
        let ringer = stop.clone();
        let thread = std::thread::spawn(move || ringer.raise());
        let clock = RealClock::default();
        clock.wait_until(clock.monotonic_ms() + 3_600_000, &stop);
        assert!(stop.is_raised());
        thread.join().unwrap();
    }
}
