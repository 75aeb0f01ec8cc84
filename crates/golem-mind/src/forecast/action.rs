//! action_outcome: what own actions bring, in basis points of the spot quote without impact.
//!
//! The naive rule is the quote itself: 0. The model learns what fees and impact take, by kind and size. A forecast is
//! stored before the intent is sent and settled by its receipt.

use super::blend::Prior;
use super::ridge::{DIM, Ridge};
use super::{Blend, Tally, hit};
use crate::math::{clip, ratio};
use crate::policy::Valuation;
use golem_core::intent::{Holdings, Outcome};
use golem_core::{Intent, Receipt};
use golem_mortality::{Domain, Settled};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

const DOMAIN: Domain = Domain::ActionOutcome;
/// One unit of the regression, in basis points.
const UNIT_BPS: f64 = 10.0;
/// An outcome teaches at most this many units at once.
const BOUND: f64 = 50.0;
const PENALTY: f64 = 0.3;
const KEEP: f64 = 0.98;
const PRIOR: Prior = Prior { share: 1.0, weight: 1.0 };
/// Actions whose receipt may still come.
const MOST_PENDING: usize = 8;

/// The kinds of action whose outcome can be quoted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
enum Kind {
    Buy,
    Sell,
    Add,
    Remove,
}

/// A forecast under way.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
struct Pending {
    kind: Kind,
    /// The number in the intent, by which the receipt is recognised.
    amount: u64,
    /// What is given, in its own unit, and what the spot price promises for it, in the unit that comes back.
    given: f64,
    quote: f64,
    size: f64,
    said: f64,
    predicted: f64,
}

/// The forecaster of own actions.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(crate) struct Action {
    ridge: Ridge,
    blend: Blend,
    learnt: u32,
    pending: VecDeque<Pending>,
    pub tally: Tally,
}

impl Action {
    /// Store what is expected of an intent, if there is a quote for it.
    pub(crate) fn expect(&mut self, intent: &Intent, price: f64, holdings: &Holdings, value: &Valuation) {
        let Some((kind, amount)) = key(intent) else { return };
        let n = amount as f64;
        let (position, units) = (value.liquidity.0 as f64, holdings.units as f64);
        // Micro-USDC per 1e-9 of the asset is the price over a thousand.
        let (given, quote, worth) = match kind {
            Kind::Buy => (n, n / (price / 1e3), n),
            Kind::Sell => (n, n * (price / 1e3), n * (price / 1e3)),
            Kind::Add => (n, n * ratio(units, position), n),
            Kind::Remove => (units * n / 1e4, position * n / 1e4 + holdings.fees.0 as f64, position * n / 1e4),
        };
        if !(quote.is_finite() && quote > 0.0 && given > 0.0) {
            return;
        }
        let size = ratio(worth, value.nav.0 as f64).clamp(0.0, 1.0);
        let said = clip(self.ridge.predict(&inputs(kind, size)), BOUND);
        let predicted = self.blend.share(&PRIOR) * said * UNIT_BPS;
        if self.pending.len() == MOST_PENDING {
            self.pending.pop_front();
            self.tally.void();
        }
        self.pending.push_back(Pending { kind, amount, given, quote, size, said, predicted });
    }

    /// Settle by the receipt. What was refused, or was never expected here, is judged neither way.
    pub(crate) fn verify(&mut self, receipt: &Receipt, rate: f64, out: &mut Vec<Settled>) {
        let Some(key) = key(&receipt.intent) else { return };
        let Some(at) = self.pending.iter().position(|p| (p.kind, p.amount) == key) else { return };
        let Some(p) = self.pending.remove(at) else { return };
        let (given, got) = match receipt.outcome {
            Outcome::Bought { paid, got } => (paid.0, got.0),
            Outcome::Sold { gave, got } => (gave.0, got.0),
            Outcome::Added { paid, units } => (paid.0, units),
            Outcome::Removed { units, got } => (units, got.0),
            Outcome::Held | Outcome::Collected { .. } | Outcome::Refused { .. } => (0, 0),
        };
        let quote = p.quote * (given as f64 / p.given);
        if !(quote.is_finite() && quote > 0.0) {
            self.tally.void();
            return;
        }
        let actual = 1e4 * (got as f64 / quote - 1.0);
        let error = p.predicted - actual;
        let (model_loss, naive_loss) = (error * error, actual * actual);
        let hit = hit(DOMAIN, p.predicted, actual, UNIT_BPS);
        self.tally.take(DOMAIN, model_loss, hit);
        out.push(Settled { domain: DOMAIN, predicted: p.predicted, naive: 0.0, actual, model_loss, naive_loss, hit });
        if rate > 0.0 {
            self.learn(&p, actual, rate);
        }
    }

    fn learn(&mut self, p: &Pending, actual: f64, rate: f64) {
        let (x, y) = (inputs(p.kind, p.size), clip(actual / UNIT_BPS, BOUND));
        let keep = 1.0 - rate * (1.0 - KEEP);
        self.blend.learn(p.said, y, rate, keep);
        self.ridge.absorb(&x, y, rate, keep);
        self.ridge.solve(PENALTY);
        self.learnt = self.learnt.saturating_add(1);
    }

    /// What a trade of this share of the net asset value costs in basis points, once three actions have taught it.
    pub(crate) fn cost_bps(&self, size: f64) -> Option<f64> {
        let said = 0.5 * (self.ridge.predict(&inputs(Kind::Buy, size)) + self.ridge.predict(&inputs(Kind::Sell, size)));
        (self.learnt >= 3).then(|| (-clip(said, BOUND) * UNIT_BPS).max(0.0))
    }
    /// Forecasts under way.
    pub(crate) fn pending(&self) -> usize {
        self.pending.len()
    }
}

/// What kind of action an intent is, and the number in it; `None` where there is nothing to quote.
fn key(intent: &Intent) -> Option<(Kind, u64)> {
    match *intent {
        Intent::Buy { pay, .. } => Some((Kind::Buy, pay.0)),
        Intent::Sell { give, .. } => Some((Kind::Sell, give.0)),
        Intent::Add { pay, .. } => Some((Kind::Add, pay.0)),
        Intent::Remove { share_bps, .. } => Some((Kind::Remove, u64::from(share_bps))),
        Intent::Hold | Intent::Collect | Intent::Rebalance { .. } => None,
    }
}

/// A constant, whether it sells, whether it is about liquidity, whether it takes liquidity out, and its size.
fn inputs(kind: Kind, size: f64) -> [f64; DIM] {
    let flag = |b: bool| f64::from(u8::from(b));
    [1.0, flag(kind == Kind::Sell), flag(matches!(kind, Kind::Add | Kind::Remove)), flag(kind == Kind::Remove), size]
}
