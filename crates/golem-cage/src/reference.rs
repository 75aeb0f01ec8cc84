//! Value is given up only near a reference that the same block cannot move: the mean of the pool's own observations, and
//! where the market has really moved on, the place where the pool stood a turn before.
//!
//! Opening never happens away from the reference. A sale waits for the reference to agree, for a bounded number of turns:
//! after them it is held against the turn before, and what is allowed grows with every further wait.

use crate::cage::Cage;
use crate::config::CageConfig;
use crate::denial::{Contradiction, Denial};
use crate::sight::allowed;
use crate::slip::keeps;
use crate::spot::{RoundTo, value};
use golem_core::reference::{BLIND_PARTS, apart_bps, value_at};
use golem_core::{Action, Intent, Preview, ReferenceKind, ReferencePrice};

impl Cage {
    /// A turn's look at the pool: true when its price may be believed, because the reference agrees, or because the pool
    /// has been away from it for long enough and stands where it stood a turn before.
    pub fn look(&mut self, seen: Option<ReferencePrice>, config: &CageConfig) -> bool {
        self.sight.look(seen, config)
    }
    /// The reference that was last seen.
    #[must_use]
    pub fn reference(&self) -> Option<ReferencePrice> {
        self.sight.known
    }

    /// Hold what an intent gives up against the reference.
    pub(crate) fn check_reference(&mut self, preview: &Preview, config: &CageConfig) -> Result<(), Denial> {
        if preview.intent == Intent::Collect || preview.intent.needs_leave() {
            return Ok(());
        }
        let Some(reference) = preview.reference else { return self.check_blind(preview, config) };
        let cap = allowed(reference, config);
        if !preview.intent.only_reduces() {
            return near(reference.off_bps(), cap);
        }
        self.check_sale(preview, reference, config)
    }

    fn check_sale(&self, preview: &Preview, reference: ReferencePrice, config: &CageConfig) -> Result<(), Denial> {
        let anchor = self.sight.anchor(reference, config);
        let spot = preview.before.pool.tick;
        let Intent::Sell { give, min_out } = preview.intent else {
            return near(apart_bps(anchor.tick, spot), anchor.cap);
        };
        // The least that comes back, against what the same would have brought at the reference.
        let here = value(give, &preview.before.pool, RoundTo::Up);
        let here = here.ok_or(Denial::Contradiction { how: Contradiction::NoPrice })?;
        let there = value_at(here, spot, anchor.tick);
        let cap = anchor.cap.saturating_add(config.max_slippage_bps);
        if keeps(u128::from(min_out.0), there, cap) {
            Ok(())
        } else {
            Err(Denial::OffReference { off: apart_bps(anchor.tick, spot), cap: anchor.cap })
        }
    }

    /// Without a reference nothing is opened; what must go goes in equal parts, with minima from the last one that was
    /// known.
    fn check_blind(&mut self, preview: &Preview, config: &CageConfig) -> Result<(), Denial> {
        self.sight.held.see(&preview.before);
        let (held, part) = (self.sight.held, |whole: u128| whole.div_ceil(BLIND_PARTS));
        let small = match (preview.intent, preview.actions.first()) {
            (Intent::Sell { give, .. }, _) => give.0 <= part(held.asset),
            (Intent::Remove { .. }, Some(Action::Burn { liquidity, .. })) => *liquidity <= part(held.liquidity),
            _ => false,
        };
        if !small {
            return Err(Denial::NoReference);
        }
        match self.sight.known {
            Some(known) => {
                let last = ReferencePrice { kind: ReferenceKind::LastKnown, ..known };
                self.check_sale(preview, last, config)
            }
            None => Ok(()),
        }
    }
}

fn near(off: u32, cap: u32) -> Result<(), Denial> {
    if off <= cap { Ok(()) } else { Err(Denial::OffReference { off, cap }) }
}
