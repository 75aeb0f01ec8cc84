//! The high-water mark of a life: a loss that is too slow for any day's drawdown is measured from there. What is held for it
//! ends by the owner's word or by a measured recovery, and by no passing of time.

use crate::breaker::{drawdown_bps, reaches};
use crate::config::CageConfig;
use golem_core::Usdc;
use serde::{Deserialize, Serialize};

/// The mark, and whether too much of it is gone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct Bleed {
    mark: Usdc,
    held: bool,
}

impl Bleed {
    pub(crate) fn mark(&self) -> Usdc {
        self.mark
    }
    pub(crate) fn is_held(&self) -> bool {
        self.held
    }
    pub(crate) fn drawdown_bps(&self, nav: Usdc) -> u32 {
        drawdown_bps(self.mark, nav)
    }
    /// See a net asset value; true when the hold began or ended by it. It ends when half of what tripped it is regained.
    pub(crate) fn see(&mut self, nav: Usdc, config: &CageConfig) -> bool {
        self.mark = self.mark.max(nav);
        let held =
            reaches(self.mark, nav, config.bleed_bps) || self.held && reaches(self.mark, nav, config.bleed_bps / 2);
        std::mem::replace(&mut self.held, held) != held
    }
    /// Money came in that is no gain: the mark rises in proportion, so that the drawdown stays what it was.
    pub(crate) fn fed(&mut self, had: Usdc, amount: Usdc) {
        if had > Usdc::ZERO {
            self.mark = scaled(self.mark, had.plus(amount), had).max(self.mark);
        } else {
            self.mark = self.mark.plus(amount);
        }
    }
    /// Money was spent on living: no loss of what it does with its capital, and nothing that a hold could stop. The mark
    /// falls in proportion.
    pub(crate) fn lived(&mut self, had: Usdc, amount: Usdc) {
        if had > Usdc::ZERO {
            self.mark = scaled(self.mark, had.minus(amount), had).min(self.mark);
        }
    }
    /// The owner resumed: it is measured anew from here.
    pub(crate) fn resume(&mut self, nav: Usdc) {
        *self = Self { mark: nav, held: false };
    }
}

/// `amount * to / from`, rounded up: a drawdown is never hidden by rounding.
fn scaled(amount: Usdc, to: Usdc, from: Usdc) -> Usdc {
    let wide = (u128::from(amount.0) * u128::from(to.0)).div_ceil(u128::from(from.0.max(1)));
    Usdc(u64::try_from(wide).unwrap_or(u64::MAX))
}
