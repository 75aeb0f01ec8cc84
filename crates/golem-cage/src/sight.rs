//! What was seen of the pool's price, turn by turn, and where a price may be held against it.

use crate::config::CageConfig;
use golem_core::reference::{REFERENCE_WINDOW_S, apart_bps};
use golem_core::venue::Book;
use golem_core::{ReferenceKind, ReferencePrice};
use serde::{Deserialize, Serialize};

/// What was seen of the pool's price, turn by turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct Sight {
    /// Where the pool stands by this turn's look, and by the turn's before; nothing after a look without a reference.
    now: Option<i32>,
    before: Option<i32>,
    /// Turns in a row, this one included, in which the pool was too far from its reference. While there is none: turns
    /// without one. The two never add up: what nobody could see was not waited for.
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
            self.away = if self.is_blind() { self.away.saturating_add(1) } else { 1 };
            (self.before, self.now) = (None, None);
            return true;
        };
        if self.is_blind() {
            self.away = 0;
        }
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

    /// Whether the last look had no reference.
    fn is_blind(&self) -> bool {
        self.now.is_none()
    }

    /// The reference, and after the wait where the pool stood a turn before. What was waited without a reference widens
    /// only what is held against the last known one.
    pub(crate) fn anchor(&self, reference: ReferencePrice, config: &CageConfig) -> PriceAnchor {
        let (wait, cap) = (config.reference_wait_turns.max(1), allowed(reference, config));
        let waited = if (reference.kind == ReferenceKind::LastKnown) == self.is_blind() { self.away } else { 0 };
        if waited <= wait {
            return PriceAnchor { tick: reference.tick, cap };
        }
        // A known one that is no longer there does not move: only what is allowed does.
        PriceAnchor { tick: self.before.unwrap_or(reference.tick), cap: cap.saturating_mul(waited / wait) }
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
