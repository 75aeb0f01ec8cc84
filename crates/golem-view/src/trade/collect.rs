//! Trades collected from a stream of facts.

use super::cost::{ClosedByAct, Cost};
use super::words::TradeGrounds;
use super::{Came, POOL_FEE, PriceSeen, Totals, Trade, What, worth};
use golem_core::door::EffectKey;
use golem_core::fact::Envelope;
use golem_core::intent::{Asset, Outcome, Refusal};
use golem_core::verification::flows;
use golem_core::{Intent, OutcomeVerification, Seq, Timestamp, Usdc, UsdcDelta};
use golem_life::{Fact, LifeFact};
use std::collections::{BTreeMap, BTreeSet};

/// What a price is asked for after a trade, in seconds.
const LATER_S: i64 = 3_600;

/// The trades of a life, as its facts come by.
#[derive(Debug, Clone, Default)]
pub struct Trades {
    all: Vec<Trade>,
    cost: Cost,
    /// What was decided in this turn and waits for its outcome, by the fact's place.
    decided: BTreeMap<Seq, Intent>,
    grounds: TradeGrounds,
    /// What was booked, for the case that the chain takes it back.
    booked: BTreeMap<EffectKey, (Outcome, Usdc)>,
    /// Trades that wait for the price of an hour later.
    waiting: BTreeSet<usize>,
    /// Trades that opened what is still held.
    open: Vec<usize>,
    /// The facts begin somewhere within a life: what was held before, and what it had cost, is not known.
    midway: bool,
}

impl Trades {
    /// The facts that it reads.
    pub const NAMES: [&'static str; 4] = [
        LifeFact::named("Decided"),
        LifeFact::named("Outcome"),
        LifeFact::named("Deliberated"),
        LifeFact::named("Reorged"),
    ];

    /// For facts that begin somewhere within a life. Of what is closed only the golem's own word is told: what it had cost stands in
    /// facts that were not seen.
    #[must_use]
    pub fn midway() -> Self {
        Self { midway: true, ..Self::default() }
    }

    /// Take a fact in; a trade when it completes one.
    pub fn see(&mut self, fact: &Envelope<Fact>) -> Option<&Trade> {
        let Fact::Life(body) = &fact.body else { return None };
        self.grounds.see(fact.tick, body);
        match body {
            LifeFact::Decided { action } => {
                // What was decided in an earlier turn has its outcome by now, or never gets one.
                if self.decided.len() > 16 {
                    self.decided.pop_first();
                }
                self.decided.insert(fact.seq, *action);
                None
            }
            LifeFact::Outcome { .. } => self.outcome(fact, body),
            LifeFact::Reorged { key, was, booked, .. } => {
                self.reorged(*key, *was, booked.as_deref().copied());
                None
            }
            _ => None,
        }
    }

    /// A price at a moment: fills in what became of earlier trades.
    pub fn price(&mut self, at: Timestamp, price: f64) {
        while let Some(first) = self.waiting.first().copied() {
            if self.all[first].at.0.saturating_add(LATER_S) > at.0 {
                return;
            }
            self.waiting.pop_first();
            self.all[first].came.later = Some(PriceSeen { at, price });
        }
    }

    /// All of them, oldest first.
    #[must_use]
    pub fn all(&self) -> &[Trade] {
        &self.all
    }

    /// The sums.
    #[must_use]
    pub fn totals(&self) -> Totals {
        Totals::of(&self.all)
    }

    fn outcome(&mut self, fact: &Envelope<Fact>, body: &LifeFact) -> Option<&Trade> {
        let LifeFact::Outcome { verification, predicted_bps, actual_bps, price, realised, because, rules } = body
        else {
            return None;
        };
        let decided = fact.cause.and_then(|seq| self.decided.remove(&seq));
        let (outcome, gas) = (verification.tx_receipt.outcome, verification.tx_receipt.gas_used.cost);
        let what = What::of_outcome(&outcome).or_else(|| What::of_intent(&decided?))?;
        if let Some(price) = price {
            self.price(fact.at, *price);
        }
        let closed = self.closed(&outcome, gas, *price);
        let [usdc, asset, _] = flows(&outcome);
        let (fee_paid, fee_earned) = fees(verification, *price);
        let trade = Trade {
            tick: fact.tick,
            number: verification.action_id,
            at: fact.at,
            what,
            refused: refusal(&outcome),
            taken_back: false,
            usdc: UsdcDelta(i64::try_from(usdc).unwrap_or(0)),
            asset,
            price: swapped_at(&outcome).or(*price),
            fee_paid,
            fee_earned,
            gas,
            // The golem's own word, where it gave it: its books may have followed a chain that changed its mind.
            realised: realised.unwrap_or(closed.realised),
            profit: closed.profit,
            because: *because,
            why: self.grounds.why(fact.tick, *because, rules),
            came: Came { predicted_bps: *predicted_bps, actual_bps: *actual_bps, ..Came::default() },
        };
        self.booked.insert(EffectKey::new(fact.tick, trade.number as usize), (outcome, gas));
        self.keep(trade);
        self.all.last()
    }

    fn closed(&mut self, outcome: &Outcome, gas: Usdc, price: Option<f64>) -> ClosedByAct {
        let closed = self.cost.book(outcome, gas, price);
        if self.midway { ClosedByAct { realised: UsdcDelta(0), profit: None } } else { closed }
    }

    fn keep(&mut self, trade: Trade) {
        let at = self.all.len();
        if trade.is_done() {
            if let (What::Sell | What::Remove, Some(price)) = (trade.what, trade.price) {
                let exit = PriceSeen { at: trade.at, price };
                for n in self.open.drain(..) {
                    self.all[n].came.exit = Some(exit);
                }
            } else if trade.what.opens() {
                self.open.push(at);
            }
            self.waiting.insert(at);
        }
        self.all.push(trade);
        if !self.cost.is_open() {
            self.open.clear();
        }
    }

    /// The chain changed its mind about an earlier act.
    fn reorged(&mut self, key: EffectKey, was: bool, now: Option<(Outcome, Usdc)>) {
        let earlier = self.all.iter().rposition(|t| t.tick == key.tick && t.number as usize == key.number);
        if was && let Some((outcome, gas)) = self.booked.remove(&key) {
            self.cost.unbook(&outcome, gas);
        }
        let Some(at) = earlier else { return };
        let Some((outcome, gas)) = now else {
            self.all[at].taken_back |= was;
            return;
        };
        let price = self.all[at].price;
        let closed = self.closed(&outcome, gas, price);
        let [usdc, asset, _] = flows(&outcome);
        self.booked.insert(key, (outcome, gas));
        let trade = &mut self.all[at];
        (trade.usdc, trade.asset) = (UsdcDelta(i64::try_from(usdc).unwrap_or(0)), asset);
        (trade.refused, trade.taken_back, trade.gas) = (refusal(&outcome), false, gas);
        (trade.realised, trade.profit) = (closed.realised, closed.profit);
        trade.price = swapped_at(&outcome).or(price);
    }
}

fn refusal(outcome: &Outcome) -> Option<Refusal> {
    match outcome {
        Outcome::Refused { why } => Some(*why),
        _ => None,
    }
}

/// USDC for one ETH by what was swapped.
fn swapped_at(outcome: &Outcome) -> Option<f64> {
    let (usdc, asset) = match *outcome {
        Outcome::Bought { paid, got } => (paid, got),
        Outcome::Sold { gave, got } => (got, gave),
        _ => return None,
    };
    (asset > Asset::ZERO).then(|| usdc.as_f64() / asset.as_f64())
}

/// What the pool took, and what the position had earned.
fn fees(v: &OutcomeVerification, price: Option<f64>) -> (Usdc, Usdc) {
    let part = |x: u128| x.saturating_mul(u128::from(POOL_FEE)).div_ceil(1_000_000);
    let owed = || v.pre_state.position.map_or((Usdc::ZERO, Asset::ZERO), |p| (p.fees, p.fees_asset));
    let (paid, (usdc, asset)) = match v.tx_receipt.outcome {
        Outcome::Bought { paid, .. } => (Usdc(part(paid.0.into()) as u64), Default::default()),
        Outcome::Sold { gave, .. } => (worth(Asset(part(gave.0)), price), Default::default()),
        Outcome::Collected { got, got_asset } => (Usdc::ZERO, (got, got_asset)),
        Outcome::Removed { .. } | Outcome::Moved { .. } => (Usdc::ZERO, owed()),
        _ => Default::default(),
    };
    (paid, usdc.plus(worth(asset, price)))
}
