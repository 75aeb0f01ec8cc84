//! The verdict: every rule in its order, first whatever holds for all intents, then what holds for those that open.
//!
//! What only reduces (sell, remove, collect) is never held up by money limits, breakers, sizes or a halt. It waits for the
//! reference price, for a bounded number of turns.

use crate::breaker::BreakerLevel;
use crate::cage::{BookPrints, Cage, CageAsk};
use crate::config::CageConfig;
use crate::denial::{Contradiction, Denial};
use crate::fit::fits;
use crate::granted::{Granted, Grows};
use crate::leave::GoingLeave;
use crate::limits::{DAY, HOUR, Limits, Window};
use crate::loops;
use crate::open::{OpenPermit, unseen};
use crate::risk::at_risk;
use crate::slip;
use crate::spot::{RoundTo, value};
use golem_core::intent::{Asset, Outcome};
use golem_core::{Elapsed, HomeSum, Intent, Preview, Tick, Usdc};

impl Cage {
    pub(crate) fn judge(
        &mut self,
        ask: &CageAsk<'_>,
        leave: &mut GoingLeave,
        config: &CageConfig,
    ) -> Result<Granted, Denial> {
        let preview = ask.preview;
        let opens = !preview.intent.only_reduces();
        if preview.intent == Intent::Hold {
            return Err(Denial::Nothing);
        }
        let books = [&preview.before, &preview.after].map(|book| loops::print(&(book.usdc, book.asset, book.position)));
        // Before any verdict: whatever becomes of this wish, those after it were previewed on top of it. One that would be
        // refused has left nothing to stand on.
        let founded = preview.refusal().is_some() || self.stands(ask.tick, books[0]);
        leave.covers(&preview.intent)?;
        let print = loops::print(&preview.intent);
        let times = self.loops.times(print, self.now, config);
        let looping = times >= config.loop_repeats;
        if looping && opens {
            return Err(Denial::Loop { times, of: config.loop_window });
        }
        self.loops.remember(print, self.now, config);
        if let Some(why) = preview.refusal() {
            return Err(Denial::WouldFail { why });
        }
        self.trust.check(preview, self.now, config)?;
        fits(preview).map_err(|how| Denial::Contradiction { how })?;
        let outstanding = self.outstanding(ask, print)?;
        slip::check(preview, config)?;
        let risk = at_risk(preview).ok_or(Denial::Contradiction { how: Contradiction::NoPrice })?;
        self.check_reference(preview, config)?;
        let max_gas = check_gas(preview, ask.nav, config)?;
        if opens {
            if !founded {
                return Err(Denial::Unfounded);
            }
            if outstanding >= config.max_outstanding {
                return Err(Denial::Outstanding { open: outstanding, cap: config.max_outstanding });
            }
            self.check_halts(ask.nav, config)?;
            let limits = self.limits(ask.nav, config);
            self.check_sizes(preview, books[0], &limits)?;
            self.check_spending(risk.total, &limits)?;
        }
        let grows = match preview.intent {
            Intent::Buy { .. } => Grows::Exposure,
            Intent::Add { .. } | Intent::Rebalance { .. } => Grows::Position,
            Intent::Hold | Intent::Sell { .. } | Intent::Remove { .. } | Intent::Collect => Grows::Nothing,
            Intent::Home { .. } | Intent::Unwrap { .. } => Grows::Nothing,
        };
        Ok(Granted { risk, print, books, grows, looping, max_gas })
    }

    /// Whether a wish stands on books that are real or permitted, and not on what another wish would have made of them.
    /// The first wish of a turn is previewed on the chain as it is.
    fn stands(&mut self, tick: Tick, before: u64) -> bool {
        if self.ground.tick != tick || self.ground.books.is_empty() {
            self.ground = BookPrints { tick, books: vec![before] };
        }
        self.ground.books.contains(&before)
    }

    /// How many permits that open something can still be used; an error when one of them is for the same intent.
    fn outstanding(&self, ask: &CageAsk<'_>, print: u64) -> Result<u32, Denial> {
        let usable = || self.open.iter().filter(|open| ask.tick < open.expires);
        if let Some(same) = usable().find(|open| open.print == print) {
            return Err(Denial::Twice { permit: same.id });
        }
        let opening = usable().filter(|open| open.grows != Grows::Nothing).count();
        Ok(u32::try_from(opening).unwrap_or(u32::MAX))
    }

    fn check_halts(&self, nav: Usdc, config: &CageConfig) -> Result<(), Denial> {
        if self.halted.is_some() {
            return Err(Denial::Halted);
        }
        if self.bleed.is_held() {
            return Err(Denial::Bled { drawdown: self.bleed.drawdown_bps(nav), cap: config.bleed_bps });
        }
        match self.breaker.level {
            BreakerLevel::Calm | BreakerLevel::Half => Ok(()),
            level @ (BreakerLevel::ReduceOnly | BreakerLevel::Hold) => Err(Denial::Breaker { level }),
        }
    }

    /// The limits as they stand now.
    pub(crate) fn limits(&self, nav: Usdc, config: &CageConfig) -> Limits {
        let began = |length: Elapsed| self.trail.began(self.now, length).unwrap_or(nav);
        Limits::at(config, nav, began(HOUR), began(DAY), self.breaker.level == BreakerLevel::Half)
    }

    /// What would be held afterwards, with what is permitted and not in the preview's books yet.
    fn check_sizes(&self, preview: &Preview, before: u64, limits: &Limits) -> Result<(), Denial> {
        let (worth, unseen) = (preview.after.worth, unseen(&self.open, before));
        let pending = |grows| reserved(unseen.iter().filter(|open| open.grows == grows).copied());
        let after = worth.position.plus(pending(Grows::Position));
        if after > limits.position {
            return Err(Denial::Position { after, cap: limits.position });
        }
        let after = worth.exposure.plus(pending(Grows::Exposure));
        if after > limits.exposure {
            return Err(Denial::Exposure { after, cap: limits.exposure });
        }
        Ok(())
    }

    fn check_spending(&self, asked: Usdc, limits: &Limits) -> Result<(), Denial> {
        for window in Window::ALL {
            let (used, cap) = (self.used(window), limits.cap(window));
            if u128::from(used.0) + u128::from(asked.0) > u128::from(cap.0) {
                return Err(Denial::Limit { window, asked, used, cap });
            }
        }
        Ok(())
    }

    /// What was put at risk or is permitted within a window that ends now.
    pub(crate) fn used(&self, window: Window) -> Usdc {
        match window {
            Window::Tx => Usdc::ZERO,
            _ => self.spend.within(window, self.now).plus(reserved(self.open.iter())),
        }
    }
}

/// The most gas that an intent may cost: a share of net asset value; for what only reduces also half of what it brings, so
/// that a way out stays open as long as it leads anywhere.
fn check_gas(preview: &Preview, nav: Usdc, config: &CageConfig) -> Result<Usdc, Denial> {
    let mut cap = nav.share_bps(config.max_gas_bps);
    if preview.intent.only_reduces() {
        let (usdc, asset) = match preview.outcome {
            Outcome::Sold { got, .. } => (got, Asset::ZERO),
            Outcome::Removed { got, got_asset, .. } | Outcome::Collected { got, got_asset } => (got, got_asset),
            Outcome::SentHome { sum: HomeSum::Coin(coin) } => (Usdc::ZERO, coin),
            Outcome::SentHome { sum } => sum.booked(),
            Outcome::Unwrapped { gave } => (Usdc::ZERO, gave),
            _ => (Usdc::ZERO, Asset::ZERO),
        };
        let asset = value(asset, &preview.before.pool, RoundTo::Down).unwrap_or(0);
        let brought = usdc.plus(Usdc(u64::try_from(asset).unwrap_or(u64::MAX)));
        cap = cap.max(Usdc(brought.0 / 2));
    }
    let cost = preview.gas.cost;
    if cost > cap { Err(Denial::Gas { cost, cap }) } else { Ok(cap) }
}

fn reserved<'a>(open: impl Iterator<Item = &'a OpenPermit>) -> Usdc {
    open.fold(Usdc::ZERO, |sum, open| sum.plus(open.reserved))
}
