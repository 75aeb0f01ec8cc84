//! What stands on something that was not done: wishes of a turn are previewed and permitted one on top of the other.

use crate::Intent;

/// Whether everything so far was done. Once something was not, only what reduces risk may follow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Footing {
    holds: bool,
}

impl Default for Footing {
    fn default() -> Self {
        Self { holds: true }
    }
}

impl Footing {
    /// Whether an intent may follow what came before it.
    #[must_use]
    pub fn carries(&self, intent: &Intent) -> bool {
        self.holds || intent.only_reduces()
    }
    /// One more came to its end.
    pub fn note(&mut self, done: bool) {
        self.holds &= done;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Asset, Usdc};

    #[test]
    fn after_something_was_not_done_only_what_reduces_may_follow() {
        let buy = Intent::Buy { pay: Usdc(1), min_out: Asset(1) };
        let sell = Intent::Sell { give: Asset(1), min_out: Usdc(1) };
        let mut footing = Footing::default();
        footing.note(true);
        assert!(footing.carries(&buy) && footing.carries(&sell));
        footing.note(false);
        footing.note(true);
        assert!(!footing.carries(&buy) && footing.carries(&sell), "what was missed stays missed");
    }
}
