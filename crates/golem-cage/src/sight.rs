//! What was seen of the pool's price, turn by turn, and where a price may be held against it.

use crate::config::CageConfig;
use golem_core::reference::{REFERENCE_WINDOW_S, apart_bps};
use golem_core::venue::Book;
use golem_core::{ReferenceKind, ReferencePrice};
use serde::{Deserialize, Serialize};

/// What was seen of the pool's price, turn by turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct Sight {
    /// Where the pool stood when it was last looked at, and the time before.
    now: Option<i32>,
    before: Option<i32>,
    /// Turns in a row, this one included, in which the pool was too far from its reference, or had none.
    away: u32,
    /// The last reference that was known.
    pub(crate) known: Option<ReferencePrice>,
    /// The most that was held since there is none: what goes in parts goes in equal ones.
    pub(crate) held: MostHeld,
}

/// What was held at most.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct MostHeld {
    pub(crate) asset: u128,
    pub(crate) liquidity: u128,
}

impl MostHeld {
    pub(crate) fn see(&mut self, book: &Book) {
        self.asset = self.asset.max(book.asset.0);
        self.liquidity = self.liquidity.max(book.position.map_or(0, |open| open.liquidity));
    }
}

/// What a price may be held against, and how far it may be from there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PriceAnchor {
    pub(crate) tick: i32,
    pub(crate) cap: u32,
}

impl Sight {
    pub(crate) fn look(&mut self, seen: Option<ReferencePrice>, config: &CageConfig) -> bool {
        let Some(reference) = seen else {
            // Without a reference there is nothing to disbelieve a price by.
            self.away = self.away.saturating_add(1);
            return true;
        };
        self.held = MostHeld::default();
        (self.before, self.now) = (self.now, Some(reference.spot));
        self.known = Some(reference);
        if reference.off_bps() <= allowed(reference, config) {
            self.away = 0;
            return true;
        }
        self.away = self.away.saturating_add(1);
        let anchor = self.anchor(reference, config);
        apart_bps(anchor.tick, reference.spot) <= anchor.cap
    }

    /// The reference, and after the wait where the pool stood a turn before.
    pub(crate) fn anchor(&self, reference: ReferencePrice, config: &CageConfig) -> PriceAnchor {
        let (wait, cap) = (config.reference_wait_turns.max(1), allowed(reference, config));
        if self.away <= wait {
            return PriceAnchor { tick: reference.tick, cap };
        }
        // A known one that is no longer there does not move: only what is allowed does.
        let moved = (reference.kind != ReferenceKind::LastKnown).then_some(self.before).flatten();
        PriceAnchor { tick: moved.unwrap_or(reference.tick), cap: cap.saturating_mul(self.away / wait) }
    }
}

/// How far from a reference a price may be. The longer a bar, the further the market itself moves within it: by the root
/// of time.
pub(crate) fn allowed(reference: ReferencePrice, config: &CageConfig) -> u32 {
    let window = u64::from(reference.window_s.max(REFERENCE_WINDOW_S));
    let most = u64::from(config.max_off_reference_bps);
    let scaled = (most * most * window / u64::from(REFERENCE_WINDOW_S)).isqrt();
    u32::try_from(scaled).unwrap_or(u32::MAX)
}
