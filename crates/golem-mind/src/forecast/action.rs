//! action_outcome: what own swaps bring, in basis points of the spot quote without impact.
//!
//! The naive rule is the quote itself: 0. The forecast is the preview of the action, made on a copy of the chain before
//! it was sent, and it is settled by the receipt. Beside that a model learns what swaps usually cost, so that the policy
//! can tell whether a trade is worth previewing at all. Liquidity is put in and taken out at the spot price: there is
//! nothing to quote, and nothing is judged.

use super::interval::Interval;
use super::prediction::{Prediction, PredictionShelf};
use super::ridge::{DIM, Ridge};
use super::{Tally, hit};
use crate::math::{clip, ratio};
use crate::policy::Valuation;
use crate::pool;
use golem_core::intent::{Outcome, Refusal};
use golem_core::{Intent, Preview, Receipt, VirtualTime};
use golem_mortality::{Domain, SettledForecast};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

const DOMAIN: Domain = Domain::ActionOutcome;
/// One unit of the regression, in basis points.
const UNIT_BPS: f64 = 10.0;
/// An outcome teaches at most this many units at once.
const BOUND: f64 = 50.0;
/// An outcome counts at most so many basis points: all of it.
const WHOLE_BPS: f64 = 10_000.0;
/// What a refusal counts as, at most and at least.
const REFUSED_BPS: (f64, f64) = (-500.0, -10.0);
const PENALTY: f64 = 0.3;
const KEEP: f64 = 0.98;
/// Actions whose receipt may still come.
const MOST_PENDING: usize = 8;

/// An action under way.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
struct PendingAction {
    made: VirtualTime,
    intent: Intent,
    /// The spot price when it was wanted.
    price: f64,
    /// Its share of the net asset value.
    size: f64,
}

/// The forecaster of own actions.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(crate) struct ActionForecaster {
    ridge: Ridge,
    learnt: u32,
    interval: Interval,
    pending: VecDeque<PendingAction>,
    pub tally: Tally,
    pub shelf: PredictionShelf,
}

impl ActionForecaster {
    /// Take note of an intent, if there is a quote for it.
    pub(crate) fn expect(&mut self, intent: &Intent, price: f64, value: &Valuation, now: VirtualTime) {
        let worth = match *intent {
            Intent::Buy { pay, .. } => pay.as_f64(),
            Intent::Sell { give, .. } => give.as_f64() * price,
            _ => return,
        };
        let size = ratio(worth, value.nav.as_f64()).clamp(0.0, 1.0);
        if self.pending.len() == MOST_PENDING {
            self.pending.pop_front();
            self.tally.void();
        }
        self.pending.push_back(PendingAction { made: now, intent: *intent, price, size });
    }

    /// Settle by the receipt. What never left the house, or was never noted here, is judged neither way.
    pub(crate) fn verify(
        &mut self,
        (preview, receipt): (&Preview, &Receipt),
        now: VirtualTime,
        rate: f64,
        out: &mut Vec<SettledForecast>,
    ) {
        let Some(at) = self.pending.iter().position(|p| p.intent == receipt.intent) else { return };
        let Some(p) = self.pending.remove(at) else { return };
        let spot = pool::spot(&preview.before.pool, p.price);
        let sent = preview.refusal().is_none() || !matches!(receipt.outcome, Outcome::Refused { .. });
        let both = outcome_bps(&p.intent, &preview.outcome, spot).zip(outcome_bps(&p.intent, &receipt.outcome, spot));
        let Some((predicted, actual)) = both.filter(|_| sent) else {
            self.tally.void();
            return;
        };
        let error = predicted - actual;
        let (model_loss, naive_loss) = (error * error, actual * actual);
        let hit = hit(DOMAIN, predicted, actual, UNIT_BPS);
        let of = SettledForecast::of(DOMAIN, model_loss, naive_loss);
        let settled = SettledForecast { made: p.made, predicted, actual, hit, ..of };
        self.tally.take(&settled);
        let (low, high) = self.interval.edges(UNIT_BPS);
        let interval = Some([predicted + low, predicted + high]);
        let shown =
            Prediction { domain: DOMAIN, made: p.made, due: p.made, predicted, interval, naive: 0.0, came: None };
        self.interval.judge(shown.holds(actual) == Some(true));
        self.shelf.offer(&shown, now, &settled);
        out.push(settled);
        if rate > 0.0 {
            self.learn(&p, actual, rate);
            self.interval.learn((actual - predicted) / UNIT_BPS, rate);
        }
    }

    fn learn(&mut self, p: &PendingAction, actual: f64, rate: f64) {
        let sells = matches!(p.intent, Intent::Sell { .. });
        let keep = 1.0 - rate * (1.0 - KEEP);
        self.ridge.absorb(&inputs(sells, p.size), clip(actual / UNIT_BPS, BOUND), rate, keep);
        self.ridge.solve(PENALTY);
        self.learnt = self.learnt.saturating_add(1);
    }

    /// What a trade of this share of the net asset value costs in basis points, once three actions have taught it.
    pub(crate) fn cost_bps(&self, size: f64) -> Option<f64> {
        let said = 0.5 * (self.ridge.predict(&inputs(false, size)) + self.ridge.predict(&inputs(true, size)));
        (self.learnt >= 3).then(|| (-clip(said, BOUND) * UNIT_BPS).max(0.0))
    }
    /// The share of outcomes within their intervals.
    pub(crate) fn coverage(&self) -> Option<f64> {
        self.interval.coverage()
    }
    /// Actions under way.
    pub(crate) fn pending(&self) -> usize {
        self.pending.len()
    }
}

/// What came of a swap against the spot quote for what was given. A market that refused would have given less than the
/// least that was asked for, so it counts as that least. `None` where the market was never asked.
fn outcome_bps(intent: &Intent, outcome: &Outcome, spot: f64) -> Option<f64> {
    let of_quote = |got: f64, quote: f64| {
        let bps = WHOLE_BPS * (got / quote - 1.0);
        (quote > 0.0 && bps.is_finite()).then(|| clip(bps, WHOLE_BPS))
    };
    match (*outcome, *intent) {
        (Outcome::Bought { paid, got }, _) => of_quote(got.as_f64(), paid.as_f64() / spot),
        (Outcome::Sold { gave, got }, _) => of_quote(got.as_f64(), gave.as_f64() * spot),
        (Outcome::Refused { why: Refusal::Slippage | Refusal::Reverted }, intent) => {
            let least = match intent {
                Intent::Buy { pay, min_out } => of_quote(min_out.as_f64(), pay.as_f64() / spot),
                Intent::Sell { give, min_out } => of_quote(min_out.as_f64(), give.as_f64() * spot),
                _ => None,
            };
            least.map(|bps| bps.clamp(REFUSED_BPS.0, REFUSED_BPS.1))
        }
        _ => None,
    }
}

/// A constant, whether it sells, and its size.
fn inputs(sells: bool, size: f64) -> [f64; DIM] {
    [1.0, f64::from(u8::from(sells)), size, 0.0, 0.0, 0.0]
}
