//! A copy of a chain with its market, and one run upon it: acts, weather, steps, and what it was all worth.
//!
//! Whoever makes the copy says where it begins and what the world outside does there; nothing in here knows a chain that
//! is not thrown away afterwards.

mod orders;

use crate::act;
use crate::market::{Market, OutsideTick};
use crate::scenario::{Happening, ScenarioEvent};
use crate::spot::price_f64;
use crate::venue::{Account, Venue, VenueError, View};
use golem_core::door::{ForkActed, ForkDeed, ForkFailure, ForkRan, ForkResult, ForkRun};
use golem_core::intent::{Outcome, Refusal};
use golem_core::{Action, Book, Intent, Receipt, Usdc};
use orders::StandingOrder;

/// A copy, before anything was done on it.
pub struct MarketCopy<'a> {
    pub venue: &'a mut dyn Venue,
    pub market: Market,
    /// Who acts on it.
    pub who: Account,
    /// The last step that was taken before it begins.
    pub tick: Option<u64>,
    /// Nominal ticks from one step to the next.
    pub step_ticks: u64,
    /// What the account really did where the copy begins.
    pub lived: &'a [Action],
}

/// A run that is under way.
struct CopyRun<'a> {
    copy: MarketCopy<'a>,
    acted: Vec<ForkActed>,
    /// What gas has cost so far.
    gas: Usdc,
    /// The standing order, and the act that gave it.
    order: Option<(usize, StandingOrder)>,
    lowest: Usdc,
    /// The account when it was last looked at, and the worst that it was looked at in.
    seen: Option<Book>,
    worst: WorstSeen,
}

/// What makes holdings worth less: a lower price, dearer gas to leave by, less liquidity to leave into.
#[derive(Debug, Clone, Copy)]
struct WorstSeen {
    price: f64,
    base_fee: u128,
    liquidity: u128,
}

impl WorstSeen {
    const NOTHING: Self = Self { price: f64::INFINITY, base_fee: 0, liquidity: u128::MAX };

    /// True when what is held may be worth clearly less than at every look so far: the price is lower by a twentieth of a
    /// per cent, gas is dearer by a half, or a fifth of the liquidity has gone.
    fn is_beaten_by(&self, view: &View) -> bool {
        price_f64(view) < self.price * 0.9995
            || view.base_fee > self.base_fee.saturating_add(self.base_fee / 2)
            || view.pool.liquidity < self.liquidity - self.liquidity / 5
    }

    fn see(&mut self, view: &View) {
        self.price = self.price.min(price_f64(view));
        self.base_fee = self.base_fee.max(view.base_fee);
        self.liquidity = self.liquidity.min(view.pool.liquidity);
    }
}

impl<'a> MarketCopy<'a> {
    /// Carry a run out. `outside` says what the world outside does at a tick, or that nobody knows any more.
    ///
    /// # Errors
    /// Why there is no result.
    pub fn run(self, run: &ForkRun, outside: impl FnMut(u64) -> Option<OutsideTick>) -> ForkResult {
        if !run.is_sound() {
            return Err(ForkFailure::Unsound);
        }
        if self.lived.is_empty() && run.acts.iter().any(|act| act.what == ForkDeed::AsLived) {
            return Err(ForkFailure::NoSuchPoint);
        }
        let acted = vec![ForkActed::NOTHING; run.acts.len()];
        let mut going = CopyRun {
            copy: self,
            acted,
            gas: Usdc::ZERO,
            order: None,
            lowest: Usdc(u64::MAX),
            seen: None,
            worst: WorstSeen::NOTHING,
        };
        going.whole(run, outside).map_err(|why| match why {
            VenueError::NoSuchPoint(_) => ForkFailure::NoSuchPoint,
            _ => ForkFailure::Stuck,
        })
    }

    /// The tick of the next step.
    fn next_tick(&self) -> u64 {
        self.tick.map_or(0, |tick| tick.saturating_add(self.step_ticks))
    }

    /// Send weather through the market: from the first step on, and whoever lies in wait for golems from now on.
    fn inject(&mut self, weather: &[ScenarioEvent]) -> Result<(), VenueError> {
        // The first tick after the last step: where a step is a bar, weather may come within it.
        let (now, first) = (self.tick.unwrap_or(0), self.tick.map_or(0, |tick| tick.saturating_add(1)));
        for event in weather {
            let waits = matches!(event.what, Happening::Sandwich { .. } | Happening::Rivals { .. });
            let mut event = event.later(first);
            if waits && event.at_tick == first {
                event = ScenarioEvent { at_tick: now, for_ticks: event.for_ticks.saturating_add(first - now), ..event };
            }
            self.market.inject(&[event], 0).map_err(|_| VenueError::Bug("unsound weather".into()))?;
        }
        Ok(())
    }

    /// Carry actions out with whatever others do around them.
    fn perform(&mut self, intent: Intent, actions: &[Action]) -> Result<Receipt, VenueError> {
        let mut receipt = Receipt::kept_back(intent, Refusal::Withheld);
        self.market.before(self.venue, actions, self.tick.unwrap_or_default())?;
        act::book(self.venue, self.who.into(), actions, &mut receipt)?;
        self.market.after(self.venue)?;
        Ok(receipt)
    }

    /// Carry an intent out as it would be here and now.
    fn carry_out(&mut self, intent: Intent) -> Result<Receipt, VenueError> {
        let (view, book) = (self.venue.view()?, self.venue.book(self.who)?);
        match act::resolve(&intent, &view, &book) {
            Ok(actions) if actions.is_empty() => Ok(Receipt { outcome: Outcome::Held, ..nothing(intent) }),
            Ok(actions) => self.perform(intent, &actions),
            Err(why) => Ok(Receipt::kept_back(intent, why)),
        }
    }
}

fn nothing(intent: Intent) -> Receipt {
    Receipt::kept_back(intent, Refusal::Withheld)
}

impl CopyRun<'_> {
    fn whole(
        &mut self,
        run: &ForkRun,
        mut outside: impl FnMut(u64) -> Option<OutsideTick>,
    ) -> Result<ForkRan, VenueError> {
        self.copy.inject(&run.weather)?;
        let before = self.worth()?;
        let began = price_f64(&self.copy.venue.view()?);
        self.acts_until(0, 0, run)?;
        let step_ticks = u32::try_from(self.copy.step_ticks.max(1)).unwrap_or(u32::MAX);
        let mut passed: u32 = 0;
        while passed < run.steps {
            let tick = self.copy.next_tick();
            let Some(told) = outside(tick) else { break };
            self.copy.market.step(self.copy.venue, tick, &told)?;
            self.copy.tick = Some(tick);
            let since = passed;
            passed = passed.saturating_add(step_ticks);
            self.acts_until(since + 1, passed, run)?;
        }
        let after = self.worth()?;
        let prices = [began, price_f64(&self.copy.venue.view()?)];
        let (acted, steps) = (std::mem::take(&mut self.acted), passed.min(run.steps));
        Ok(ForkRan { acted, before, after, lowest: self.lowest, prices, steps })
    }

    /// What is due within these ticks, and what the standing order has to do then. The account is looked at where something
    /// was done, or may be worth less than at any look before.
    fn acts_until(&mut self, since: u32, until: u32, run: &ForkRun) -> Result<(), VenueError> {
        let mut did = false;
        for (n, act) in run.acts.iter().enumerate().filter(|(_, act)| (since..=until).contains(&act.after)) {
            match act.what {
                ForkDeed::Once(intent) => {
                    let receipt = self.copy.carry_out(intent)?;
                    self.book(n, &receipt, true);
                    did = true;
                }
                ForkDeed::AsLived => {
                    let lived = self.copy.lived;
                    let receipt = self.copy.perform(meant_by(lived), lived)?;
                    self.book(n, &receipt, true);
                    did = true;
                }
                order => self.order = StandingOrder::of(order).map(|order| (n, order)),
            }
        }
        if did {
            self.seen = None;
        }
        let view = self.copy.venue.view()?;
        if let Some((n, mut order)) = self.order.take() {
            if !self.seen.as_ref().is_some_and(|seen| order.rests(&view, seen)) {
                did |= self.obey(n, &mut order)?;
            }
            self.order = Some((n, order));
        }
        if did {
            // Something else is held: what was worst for that is not known yet.
            self.worst = WorstSeen::NOTHING;
        }
        if did || self.worst.is_beaten_by(&view) {
            self.worth()?;
        }
        Ok(())
    }

    /// Do what a standing order wants now; true when that was something.
    fn obey(&mut self, n: usize, order: &mut StandingOrder) -> Result<bool, VenueError> {
        let mut did = false;
        for _ in 0..orders::MOST_AT_ONCE {
            let (view, book) = (self.copy.venue.view()?, self.copy.venue.book(self.copy.who)?);
            let wanted = order.wants(&view, &book);
            self.seen = Some(book);
            let Some(intent) = wanted else { break };
            let receipt = self.copy.carry_out(intent)?;
            self.book(n, &receipt, !did);
            did = true;
            if matches!(receipt.outcome, Outcome::Refused { .. }) {
                break;
            }
        }
        Ok(did)
    }

    fn book(&mut self, n: usize, receipt: &Receipt, first: bool) {
        self.gas = self.gas.plus(receipt.gas.cost);
        if let Some(acted) = self.acted.get_mut(n) {
            acted.outcome = receipt.outcome;
            acted.gas = acted.gas.plus(receipt.gas.cost);
            acted.times = acted.times.saturating_add(u32::from(first));
        }
    }

    /// What the account is worth now, and whether it was ever worth less.
    fn worth(&mut self) -> Result<Usdc, VenueError> {
        let (view, book) = (self.copy.venue.view()?, self.copy.venue.book(self.copy.who)?);
        self.worst.see(&view);
        let worth = book.usdc.plus(book.worth.unwound.minus(book.worth.gas)).minus(self.gas);
        self.lowest = self.lowest.min(worth);
        self.seen = Some(book);
        Ok(worth)
    }
}

/// The kind of intent whose actions these are: all that what came of them depends on.
fn meant_by(actions: &[Action]) -> Intent {
    let (width_bps, tolerance_bps) = (0, 0);
    match actions {
        [] => Intent::Hold,
        [Action::Buy { pay, min_out }, ..] => Intent::Buy { pay: *pay, min_out: *min_out },
        [Action::Sell { give, min_out }, ..] => Intent::Sell { give: *give, min_out: *min_out },
        [Action::Mint { pay, give, .. }, ..] => Intent::Add { pay: *pay, give: *give, width_bps, tolerance_bps },
        [Action::Collect { .. }, ..] => Intent::Collect,
        [Action::Home { sum }, ..] => Intent::Home { sum: *sum },
        [Action::Unwrap { give }, ..] => Intent::Unwrap { give: *give },
        [Action::Burn { .. }] => Intent::Remove { share_bps: 0, tolerance_bps },
        [Action::Burn { .. }, ..] => Intent::Rebalance { width_bps, tolerance_bps },
    }
}
