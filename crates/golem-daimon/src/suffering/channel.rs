//! Whether anybody uses the way to this golem. Silence weighs only where somebody used to speak: one word, one gift or one
//! letter opens no channel.

use golem_core::{Elapsed, VirtualTime};
use serde::{Deserialize, Serialize};

/// A channel is in use once it was used on so many days.
const DAYS_FOR_A_HABIT: u8 = 3;
/// A channel that nobody has used for so long is closed, and its silence is over.
pub const CHANNEL_LAPSES: Elapsed = Elapsed::secs(28 * 86_400);
const DAY: Elapsed = Elapsed::secs(86_400);

/// The ways from owner and siblings to a golem, taken as one.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct MessageChannel {
    last: Option<VirtualTime>,
    /// The last contact that counted as a day's, and how many have.
    counted: Option<VirtualTime>,
    days: u8,
}

impl MessageChannel {
    /// Somebody spoke, or used something of the golem's.
    pub fn used(&mut self, now: VirtualTime) {
        if self.last.is_some_and(|at| now.since(at) >= CHANNEL_LAPSES) {
            *self = Self::default();
        }
        self.last = Some(now);
        if self.counted.is_none_or(|at| now.since(at) >= DAY) {
            self.counted = Some(now);
            self.days = self.days.saturating_add(1);
        }
    }

    /// When it was last used; none while it is not in use.
    #[must_use]
    pub fn last_contact(&self, now: VirtualTime) -> Option<VirtualTime> {
        let in_use = self.days >= DAYS_FOR_A_HABIT;
        self.last.filter(|at| in_use && now.since(*at) < CHANNEL_LAPSES)
    }
}
