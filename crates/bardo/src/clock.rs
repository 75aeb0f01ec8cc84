//! The machine's clock, as the loop and the commands read it.

use golem_runtime::{Clock, RealClock};
use std::sync::Arc;

/// The machine's clock.
pub fn clock() -> Arc<dyn Clock> {
    Arc::new(RealClock::default())
}
