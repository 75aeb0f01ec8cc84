//! Decisions on paper: while real ones are closed, the policy still decides, and what would have come of it is marked to
//! market. Nothing here is ever carried out.

use crate::math::{DAY, clip, ratio};
use crate::outlook::Outlook;
use crate::policy::{Permissions, Policy, PolicyConfig, Valuation, action_vector};
use crate::senses::Senses;
use golem_core::intent::Holdings;
use golem_core::{Elapsed, Intent, VirtualTime};
use golem_grimoire::playbook::RuleId;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// How long a paper decision is held before it is marked to market: the horizon of a price forecast.
pub const HORIZON: Elapsed = Elapsed::nominal(90);
/// One that finds no price for so long is forgotten.
const LATE: Elapsed = Elapsed::nominal(270);
const MOST_PENDING: usize = 8;

/// A decision that was not carried out.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PaperDecision {
    /// When it was made.
    pub made: VirtualTime,
    /// What was wanted.
    pub intents: Vec<Intent>,
    /// The rules in force.
    pub rules: Vec<RuleId>,
    /// Log price at the time.
    log_price: f64,
    /// Change of exposure, what would have been traded, and what would have gone into the pool, as shares of wealth.
    exposure: f64,
    traded: f64,
    pooled: f64,
    /// What a trade costs, as a share of it.
    cost: f64,
    /// Running variance at the time.
    variance: f64,
}

/// What would have come of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PaperOutcome {
    /// When it was made.
    pub made: VirtualTime,
    /// When it was marked to market.
    pub at: VirtualTime,
    /// What was wanted first.
    pub intent: Intent,
    /// Whether it would have opened or added to something.
    pub opened: bool,
    /// Gain or loss in basis points of wealth, costs included.
    pub outcome_bps: f64,
    /// The rules in force.
    pub rules: Vec<RuleId>,
}

/// Decisions under way on paper.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Paper {
    /// It has its own cooldown: what is decided on paper does not keep the hands from moving later.
    policy: Policy,
    pending: VecDeque<PaperDecision>,
}

/// What a paper decision is made from.
pub(crate) struct Sheet<'a> {
    pub outlook: &'a Outlook,
    pub holdings: &'a Holdings,
    pub value: &'a Valuation,
    pub may: &'a Permissions,
    pub config: &'a PolicyConfig,
    pub rules: &'a [RuleId],
}

impl Paper {
    /// Decide as if it were allowed. Returns the decision, if there is anything to do.
    pub(crate) fn decide(&mut self, sheet: &Sheet<'_>, senses: &Senses, now: VirtualTime) -> Option<&PaperDecision> {
        let log_price = senses.price()?.last;
        if self.pending.len() >= MOST_PENDING {
            return None;
        }
        let Sheet { outlook, holdings, value, may, config, rules } = *sheet;
        let intents = self.policy.decide(outlook, holdings, value, may, config, now);
        if intents.is_empty() {
            return None;
        }
        let [size, _, exposure] = action_vector(&intents, libm::exp(log_price), value);
        let traded = intents.iter().filter(|i| matches!(i, Intent::Buy { .. } | Intent::Sell { .. }));
        let traded: f64 = traded.map(|i| action_vector(&[*i], libm::exp(log_price), value)[0].abs()).sum();
        self.pending.push_back(PaperDecision {
            made: now,
            intents,
            rules: rules.to_vec(),
            log_price,
            exposure,
            traded,
            pooled: size - exposure,
            cost: outlook.cost_bps.unwrap_or(config.assumed_cost_bps) / 1e4,
            variance: senses.variance(),
        });
        self.pending.back()
    }

    /// Mark to market what is due.
    pub(crate) fn settle(&mut self, senses: &Senses, out: &mut Vec<PaperOutcome>) {
        let now = senses.now();
        while self.pending.front().is_some_and(|p| now.since(p.made) >= HORIZON) {
            // Without a price it waits for the next one, but not for ever.
            let late = self.pending.front().is_some_and(|p| now.since(p.made) >= LATE);
            if senses.price().is_none() && !late {
                return;
            }
            let Some(p) = self.pending.pop_front() else { return };
            out.extend(senses.price().and_then(|price| p.marked(price.last, senses)));
        }
    }
    /// Decisions that wait for their moment.
    #[must_use]
    pub fn pending(&self) -> usize {
        self.pending.len()
    }
}

impl PaperDecision {
    /// Exposure earns the return; liquidity earns fees, less what arbitrage takes; trades cost.
    fn marked(self, log_price: f64, senses: &Senses) -> Option<PaperOutcome> {
        let intent = *self.intents.first()?;
        let days = senses.now().since(self.made).as_nominal() / DAY;
        let fees = senses.fee_yield().map_or(0.0, |y| libm::exp(y.last)) * days;
        let arbitrage = (senses.variance() - self.variance).max(0.0) / 8.0;
        let earned = self.exposure * libm::expm1(clip(log_price - self.log_price, 2.0));
        let share = earned + self.pooled * (fees - arbitrage) - self.traded * self.cost;
        let opened = self.intents.iter().any(|i| !i.only_reduces());
        let outcome_bps = clip(ratio(share, 1.0) * 1e4, 1e4);
        Some(PaperOutcome { made: self.made, at: senses.now(), intent, opened, outcome_bps, rules: self.rules })
    }
}
