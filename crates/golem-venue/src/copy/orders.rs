//! Standing orders: looked at after every step, and acting only when they have to. What they want next is a function of
//! what is held and of the pool, so that one that was refused simply tries again at the next look.

use crate::act::range_around;
use crate::pool::{Round, amounts_at, maths};
use crate::spot::{asset_to_usdc, number, ordered, usdc_to_asset};
use crate::venue::View;
use alloy_primitives::U256;
use golem_core::door::ForkDeed;
use golem_core::intent::Asset;
use golem_core::venue::PositionSeen;
use golem_core::{Book, Intent, Usdc};

/// Out of the old range, into the right mixture, into the new range; and one to spare.
pub(super) const MOST_AT_ONCE: usize = 4;
/// How far below the spot quote an outcome may lie, in basis points: the default of those who live.
const SLIPPAGE_BPS: u32 = 50;
const WHOLE_BPS: u32 = 10_000;
/// One part in so many of the wanted amount is not worth a swap of its own.
const NEAR_ENOUGH: u128 = 50;
/// An open position is as large as wanted when it is within one part in so many of it.
const LIKE_ENOUGH: u64 = 10;
/// Less than a cent is no trade.
const LEAST: Usdc = Usdc(10_000);
/// Liquidity that mixtures are reckoned with: large enough that no rounding shows.
const SAMPLE: u128 = 1_000_000_000_000_000_000;

/// What is to be kept.
#[derive(Debug, Clone, Copy)]
pub(super) enum StandingOrder {
    Range {
        width_bps: u32,
        share_bps: u32,
        /// It was not looked at yet: a position may be open that is another one than wanted.
        fresh: bool,
    },
    Share {
        share_bps: u32,
        band_bps: u32,
    },
    Nothing,
}

/// What is seen of the account and the pool at one look.
struct OrderLook<'a> {
    view: &'a View,
    book: &'a Book,
}

impl StandingOrder {
    /// The standing order that a deed gives, if it gives one.
    pub fn of(deed: ForkDeed) -> Option<Self> {
        match deed {
            ForkDeed::KeepRange { width_bps, share_bps } => Some(Self::Range { width_bps, share_bps, fresh: true }),
            ForkDeed::KeepShare { share_bps, band_bps } => Some(Self::Share { share_bps, band_bps }),
            ForkDeed::Unwind => Some(Self::Nothing),
            ForkDeed::Once(_) | ForkDeed::AsLived => None,
        }
    }

    /// True when it surely wants nothing, by what was seen of the account when somebody last traded for it: a look that
    /// values everything can be spared.
    pub fn rests(&self, view: &View, seen: &Book) -> bool {
        let look = OrderLook { view, book: seen };
        match (self, look.position()) {
            (Self::Range { fresh, .. }, Some(open)) => {
                !fresh && (open.range.lower..open.range.upper).contains(&view.pool.tick)
            }
            // Without a position what is held changes by trades alone, and the price is in the view.
            (Self::Share { share_bps, band_bps }, None) => {
                let exposed = look.in_usdc(seen.asset);
                OrderLook::is_near(seen.usdc.plus(exposed), exposed, *share_bps, *band_bps)
            }
            (Self::Nothing, None) => seen.asset == Asset::ZERO,
            _ => false,
        }
    }

    /// What it wants done next, if anything.
    pub fn wants(&mut self, view: &View, book: &Book) -> Option<Intent> {
        let look = OrderLook { view, book };
        match self {
            Self::Range { width_bps, share_bps, fresh } => {
                let first = std::mem::take(fresh);
                look.range(*width_bps, *share_bps, first)
            }
            Self::Share { share_bps, band_bps } => look.share(*share_bps, *band_bps),
            Self::Nothing => look.nothing(),
        }
    }
}

impl OrderLook<'_> {
    fn position(&self) -> Option<PositionSeen> {
        self.book.position.filter(|p| p.liquidity > 0)
    }
    fn in_usdc(&self, asset: Asset) -> Usdc {
        asset_to_usdc(asset, self.view.pool.sqrt_price_x96, self.view.usdc_is_token0, Round::Down)
    }
    fn in_asset(&self, usdc: Usdc) -> Asset {
        usdc_to_asset(usdc, self.view.pool.sqrt_price_x96, self.view.usdc_is_token0, Round::Down)
    }
    /// Everything at the spot price.
    fn wealth(&self) -> Usdc {
        let Book { usdc, asset, worth, .. } = self.book;
        usdc.plus(worth.position).plus(worth.fees).plus(self.in_usdc(*asset))
    }

    fn range(&self, width_bps: u32, share_bps: u32, first: bool) -> Option<Intent> {
        let wanted = self.wealth().share_bps(share_bps.min(WHOLE_BPS));
        if let Some(open) = self.position() {
            let tick = self.view.pool.tick;
            let inside = (open.range.lower..open.range.upper).contains(&tick);
            let stays = inside && (!first || self.is_like(&open, width_bps, wanted));
            return (!stays).then_some(leave());
        }
        if wanted < LEAST {
            return None;
        }
        let (pay, give) = self.mixture(width_bps, wanted)?;
        let held = self.book.asset;
        if give.0.saturating_sub(held.0) > give.0 / NEAR_ENOUGH {
            return self.buy(self.in_usdc(give.minus(held)));
        }
        if held.0.saturating_sub(give.0) > give.0 / NEAR_ENOUGH {
            return self.sell(held.minus(give));
        }
        let (pay, give) = (pay.min(self.book.usdc), give.min(held));
        Some(Intent::Add { pay, give, width_bps, tolerance_bps: SLIPPAGE_BPS })
    }

    /// An open position that need not be replaced: as wide as wanted, and about as large.
    fn is_like(&self, open: &PositionSeen, width_bps: u32, wanted: Usdc) -> bool {
        let new = range_around(self.view.pool.tick, width_bps);
        let apart = self.book.worth.position.0.abs_diff(wanted.0);
        open.range.upper - open.range.lower == new.upper - new.lower && apart <= wanted.0 / LIKE_ENOUGH
    }

    /// What goes into a new range of this width, when that is worth so much.
    fn mixture(&self, width_bps: u32, wanted: Usdc) -> Option<(Usdc, Asset)> {
        let tick = self.view.pool.tick;
        let price = number(self.view.pool.sqrt_price_x96);
        let [a, b] = amounts_at(price, tick, range_around(tick, width_bps), SAMPLE, Round::Down)?;
        let [usdc, asset] = ordered(self.view.usdc_is_token0, a, b);
        let usdc = Usdc(u64::try_from(usdc).ok()?);
        let worth = usdc.plus(self.in_usdc(Asset(asset)));
        if worth == Usdc::ZERO {
            return None;
        }
        let part = |whole: u128| {
            let part = maths::mul_div(U256::from(whole), U256::from(wanted.0), U256::from(worth.0))?;
            u128::try_from(part).ok()
        };
        Some((Usdc(u64::try_from(part(u128::from(usdc.0))?).ok()?), Asset(part(asset)?)))
    }

    /// Within the band around the wanted share.
    fn is_near(wealth: Usdc, exposed: Usdc, share_bps: u32, band_bps: u32) -> bool {
        let wanted = wealth.share_bps(share_bps.min(WHOLE_BPS));
        exposed.0.abs_diff(wanted.0) <= wealth.share_bps(band_bps.min(WHOLE_BPS)).0
    }

    fn share(&self, share_bps: u32, band_bps: u32) -> Option<Intent> {
        let (wealth, exposed) = (self.wealth(), self.book.worth.exposure);
        let wanted = wealth.share_bps(share_bps.min(WHOLE_BPS));
        if Self::is_near(wealth, exposed, share_bps, band_bps) {
            return None;
        }
        if wanted > exposed {
            self.buy(wanted.minus(exposed))
        } else {
            self.sell(self.in_asset(exposed.minus(wanted)).min(self.book.asset))
        }
    }

    fn nothing(&self) -> Option<Intent> {
        if self.position().is_some() {
            return Some(leave());
        }
        // However little it is: nothing is to be left.
        let give = self.book.asset;
        let min_out = kept(self.in_usdc(give));
        (min_out > Usdc::ZERO).then_some(Intent::Sell { give, min_out })
    }

    fn buy(&self, worth: Usdc) -> Option<Intent> {
        let pay = worth.min(self.book.usdc);
        let due = self.in_asset(pay).0;
        let min_out = Asset(due - due / u128::from(WHOLE_BPS / SLIPPAGE_BPS));
        (pay >= LEAST).then_some(Intent::Buy { pay, min_out })
    }
    fn sell(&self, give: Asset) -> Option<Intent> {
        let worth = self.in_usdc(give);
        (worth >= LEAST).then_some(Intent::Sell { give, min_out: kept(worth) })
    }
}

/// The least that must come back for something of this worth.
fn kept(worth: Usdc) -> Usdc {
    worth.share_bps(WHOLE_BPS - SLIPPAGE_BPS)
}

fn leave() -> Intent {
    Intent::Remove { share_bps: WHOLE_BPS, tolerance_bps: SLIPPAGE_BPS }
}
