//! The mind of one golem: senses, forecasters and policy in the order of a turn.
//!
//! A turn is `sense`, `forecast`, `decide`, and `verify` for every receipt. Asleep, only `sense` is called: due
//! forecasts are settled, none is issued.

use crate::forecast::{Forecasters, Learning, Tally};
use crate::outlook::Outlook;
use crate::policy::{Permissions, Policy, PolicyConfig, Template, Valuation};
use crate::pool::Span;
use crate::senses::Senses;
use golem_core::intent::Holdings;
use golem_core::{Intent, Observation, Preview, Receipt, Regime, VirtualTime};
use golem_mortality::{Domain, Settled};
use serde::{Deserialize, Serialize};

/// Everything the mind is. Two minds with equal state have the same future.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Mind {
    senses: Senses,
    forecasters: Forecasters,
    policy: Policy,
    outlook: Outlook,
}

/// How one domain has done.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// The domain.
    pub domain: Domain,
    /// Forecasts settled, hits and voids.
    pub tally: Tally,
    /// Forecasts that wait for their moment.
    pub pending: u64,
    /// How much of the model is in its forecasts, from 0 (naive) to 1, where the two are blended.
    pub share: Option<f64>,
}

impl Mind {
    /// Observe the world, settle the forecasts that are due (they are appended to `out`), and run the probes.
    pub fn sense(&mut self, seen: &Observation, now: VirtualTime, learning: Learning, out: &mut Vec<Settled>) {
        self.senses.observe(seen, now);
        let surprise = self.forecasters.settle(&self.senses, learning, out);
        self.senses.probe(surprise);
    }

    /// Make and store this turn's forecasts, at most one per domain.
    pub fn forecast(&mut self, now: VirtualTime) -> &Outlook {
        self.outlook = self.forecasters.issue(&self.senses, now.max(self.senses.now()));
        &self.outlook
    }

    /// What the policy wants, at most three intents in the order in which they are to be done; none means hold. What it expects of them is stored.
    pub fn decide(
        &mut self,
        now: VirtualTime,
        holdings: &Holdings,
        value: &Valuation,
        may: &Permissions,
        config: &PolicyConfig,
    ) -> Vec<Intent> {
        // Never on the outlook of a turn that slept: what is not seen now is not traded on.
        let windows = &config.trend_following;
        let trend = (config.template == Template::TrendFollowing)
            .then(|| self.senses.trend(windows.fast_hours, windows.slow_hours, windows.breakout_hours))
            .flatten();
        let range = self.senses.seen().book.zip(self.senses.price()).and_then(|(book, p)| Span::of(&book, p.last));
        let outlook = Outlook { price: self.senses.spot(), trend, range, ..self.outlook };
        let intents = self.policy.decide(&outlook, holdings, value, may, config, now);
        for intent in &intents {
            self.expect(intent, value);
        }
        intents
    }

    /// Take note of an intent before it is sent. `decide` does it for its own; call it for others.
    pub fn expect(&mut self, intent: &Intent, value: &Valuation) {
        if let Some(price) = self.senses.spot() {
            self.forecasters.expect(intent, price, value);
        }
    }

    /// Hold a receipt against the preview of its intent.
    pub fn verify(&mut self, preview: &Preview, receipt: &Receipt, learning: Learning, out: &mut Vec<Settled>) {
        self.policy.learn(receipt);
        self.forecasters.verify(preview, receipt, learning, out);
    }

    /// What it expects, as of the last `forecast`.
    #[must_use]
    pub fn outlook(&self) -> &Outlook {
        &self.outlook
    }
    /// The regime that holds.
    #[must_use]
    pub fn regime(&self) -> Regime {
        self.senses.weather().regime
    }
    /// What it has seen: weather, probes, response.
    #[must_use]
    pub fn senses(&self) -> &Senses {
        &self.senses
    }
    /// How each domain has done, in table order.
    #[must_use]
    pub fn summary(&self) -> [Summary; 6] {
        Domain::ALL.map(|domain| Summary {
            domain,
            tally: *self.forecasters.tally(domain),
            pending: self.forecasters.pending(domain) as u64,
            share: self.forecasters.share(domain),
        })
    }
}
