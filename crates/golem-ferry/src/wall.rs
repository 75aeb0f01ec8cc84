//! The machine's clock. What is taken by it is an input of the golem, and recorded.

use std::time::{SystemTime, UNIX_EPOCH};

/// Milliseconds.
pub(crate) fn now_ms() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| u64::try_from(d.as_millis()).unwrap_or(u64::MAX))
}
