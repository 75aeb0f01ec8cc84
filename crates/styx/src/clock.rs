//! What time it is, as a door: tests set it.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

/// Milliseconds since 1970.
pub trait RelayClock: Send + Sync + std::fmt::Debug {
    fn now_ms(&self) -> u64;
}

/// The machine's.
#[derive(Debug, Clone, Copy, Default)]
pub struct WallTime;

impl RelayClock for WallTime {
    fn now_ms(&self) -> u64 {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
    }
}

/// One that stands where it was put.
#[derive(Debug, Default)]
pub struct SetTime(pub AtomicU64);

impl RelayClock for SetTime {
    fn now_ms(&self) -> u64 {
        self.0.load(Ordering::SeqCst)
    }
}
