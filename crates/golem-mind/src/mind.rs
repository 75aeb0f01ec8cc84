//! The mind of one golem: senses, forecasters and policy in the order of a turn.
//!
//! A turn is `sense`, `forecast`, `decide`, and `verify` for every receipt. Asleep, only `sense` is called: due
//! forecasts are settled, none is issued.

use crate::cache::{DecisionCache, Scene};
use crate::forecast::advice::{HeardForecast, PanelForecast, panel_alone};
use crate::forecast::{Advise, Forecasters, Learning, Tally};
use crate::goals::{GoalFact, Goals, Pursuit};
use crate::outlook::Outlook;
use crate::paper::{Paper, PaperDecision, PaperOutcome, Sheet};
use crate::policy::{Act, Because, Credence, Guidance, Permissions, Policy, PolicyConfig, Template, Valuation};
use crate::pool::Span;
use crate::senses::{Body, Senses};
use golem_core::intent::Holdings;
use golem_core::observed::Snapshot;
use golem_core::{Intent, Observation, Preview, Receipt, Regime, Tick, VirtualTime};
use golem_grimoire::playbook::RuleId;
use golem_mortality::{Domain, SettledForecast};
use serde::{Deserialize, Serialize};

/// Everything the mind is. Two minds with equal state have the same future.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Mind {
    senses: Senses,
    forecasters: Forecasters,
    policy: Policy,
    outlook: Outlook,
    /// What it would expect without what came from elsewhere and nothing has proven here, where that is something else. It is
    /// made with a forecast, and gone with the next look.
    #[serde(skip)]
    proven: Option<Outlook>,
    /// What its forecasts of returns have proved: so much of them is acted on.
    credence: Credence,
    cache: DecisionCache,
    goals: Goals,
    paper: Paper,
}

/// What is wanted, and by which rules.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Decision {
    /// At most three intents, in the order in which they are to be done; none means hold.
    pub intents: Vec<Intent>,
    /// The clause of the template behind each of them.
    pub because: Vec<Because>,
    /// The rules and warnings that were in force: credit flows back to them.
    pub rules: Vec<RuleId>,
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
    /// The same mind without anything that it learnt: it sees and is used to what it was, and forecasts like a newborn.
    #[must_use]
    pub fn unlearnt(self) -> Self {
        Self {
            forecasters: Forecasters::default(),
            credence: Credence::default(),
            cache: DecisionCache::default(),
            ..self
        }
    }

    /// Observe the world, settle the forecasts that are due (they are appended to `out`), and run the probes.
    pub fn sense(&mut self, seen: &Observation, now: VirtualTime, learning: Learning, out: &mut Vec<SettledForecast>) {
        self.look(seen, now);
        let surprise = self.forecasters.settle(&self.senses, learning, out);
        self.senses.probe(surprise);
    }

    /// See the world and nothing else: whoever is dying settles no forecast, and makes none.
    pub fn look(&mut self, seen: &Observation, now: VirtualTime) {
        self.senses.observe(seen, now);
        // What is no state lasts no longer than the turn that made it: whoever is restored decides the same.
        self.proven = None;
    }

    /// Run the probes again with what the rest of the golem knows about itself. Call it after `sense`, once a turn.
    pub fn feel(&mut self, body: &Body) {
        self.senses.feel(body);
    }

    /// Make and store this turn's forecasts, at most one per domain.
    pub fn forecast(&mut self, now: VirtualTime) -> &Outlook {
        self.forecast_by(now, &mut panel_alone)
    }

    /// The same, with something else in the place of what the panels say: `advise` gets that and returns what is scored and used.
    /// What it proves is its own record, as a panel's would be.
    pub fn forecast_by(&mut self, now: VirtualTime, advise: &mut Advise<'_>) -> &Outlook {
        let mut hear = |said: &PanelForecast| {
            let scored = advise(said);
            HeardForecast { scored, trusted: scored }
        };
        self.issue(now, &mut hear, true)
    }

    /// The same, with others heard beside the panels. Some of them came from elsewhere and nothing has proven them here yet: what
    /// they say is scored, and raises no size. What a golem is used to is what it acts on, so that they do not raise that either.
    pub fn forecast_heard(
        &mut self,
        now: VirtualTime,
        hear: &mut dyn FnMut(&PanelForecast) -> HeardForecast,
    ) -> &Outlook {
        self.issue(now, hear, false)
    }

    fn issue(
        &mut self,
        now: VirtualTime,
        hear: &mut dyn FnMut(&PanelForecast) -> HeardForecast,
        in_place_of_panels: bool,
    ) -> &Outlook {
        let mut trusted = [None; 4];
        let mut advise = |said: &PanelForecast| {
            let heard = hear(said);
            if let Some(place) = trusted.get_mut(said.domain.index()) {
                *place = Some(heard.trusted).filter(|x| x.is_finite());
            }
            heard.scored
        };
        let mut scored = self.forecasters.issue(&self.senses, now.max(self.senses.now()), &mut advise);
        if in_place_of_panels {
            scored.panel_return = scored.mean_return;
        }
        let proven = scored.expecting(trusted);
        self.outlook = scored.smaller_risk(&proven);
        self.proven = Some(proven).filter(|proven| *proven != self.outlook);
        self.credence.watch(&self.outlook, self.senses.now());
        &self.outlook
    }

    /// What the policy wants by itself, without any rule.
    pub fn decide(
        &mut self,
        now: VirtualTime,
        holdings: &Holdings,
        value: &Valuation,
        may: &Permissions,
        config: &PolicyConfig,
    ) -> Vec<Intent> {
        self.decide_by(now, (holdings, value), may, config, &Guidance::default()).intents
    }

    /// What the policy wants under the guidance of the playbook. What it expects of its wishes is stored.
    pub fn decide_by(
        &mut self,
        now: VirtualTime,
        (holdings, value): (&Holdings, &Valuation),
        may: &Permissions,
        config: &PolicyConfig,
        by: &Guidance,
    ) -> Decision {
        let (may, tuned) = (by.narrow(may), (!by.scale.is_empty()).then(|| by.tuned(config)));
        let config = tuned.as_ref().unwrap_or(config);
        let outlook = self.careful_outlook(now, (holdings, value), &may, config);
        let (intents, because) = self.policy.decide_with_reasons(&outlook, (holdings, value), &may, config, now);
        for intent in &intents {
            self.expect(intent, value);
        }
        if !intents.is_empty() && !by.rules.is_empty() {
            self.goals.used_rules();
        }
        Decision { intents, because, rules: by.rules.clone() }
    }

    /// What the policy would want under another guidance. Nothing is stored.
    #[must_use]
    pub fn would_want(
        &self,
        now: VirtualTime,
        of: (&Holdings, &Valuation),
        may: &Permissions,
        config: &PolicyConfig,
        by: &Guidance,
    ) -> Vec<Intent> {
        let (may, config, mut policy) = (by.narrow(may), by.tuned(config), self.policy);
        policy.decide_with_reasons(&self.careful_outlook(now, of, &may, &config), of, &may, &config, now).0
    }

    /// What a wish of a deliberation comes to, under the guidance of the playbook. Nothing is stored.
    #[must_use]
    pub fn propose(
        &self,
        of: (&Holdings, &Valuation),
        may: &Permissions,
        config: &PolicyConfig,
        by: &Guidance,
        wish: (Act, f64),
    ) -> Vec<Intent> {
        Policy::propose(&self.outlook_for(config), of, &by.narrow(may), config, wish)
    }

    /// Take up what a deliberation wishes for, in place of what the policy wants. What is expected of it is stored.
    pub fn commit(&mut self, now: VirtualTime, intents: &[Intent], value: &Valuation) {
        for intent in intents {
            self.expect(intent, value);
        }
        if !intents.is_empty() {
            self.policy.acts(now);
        }
    }

    /// What the policy would want if it were allowed: for turns in which real decisions are closed. What comes of it is
    /// told by `settle_paper`.
    pub fn decide_on_paper(
        &mut self,
        now: VirtualTime,
        (holdings, value): (&Holdings, &Valuation),
        would: &Permissions,
        config: &PolicyConfig,
        by: &Guidance,
    ) -> Option<&PaperDecision> {
        let (may, tuned) = (by.narrow(would), (!by.scale.is_empty()).then(|| by.tuned(config)));
        let config = tuned.as_ref().unwrap_or(config);
        let outlook = self.outlook_for(config);
        let sheet = Sheet { outlook: &outlook, holdings, value, may: &may, config, rules: &by.rules };
        self.paper.decide(&sheet, &self.senses, now)
    }

    /// Mark to market the paper decisions that are due, and count them among the goals. Call it after `sense`.
    pub fn settle_paper(&mut self, out: &mut Vec<PaperOutcome>) {
        let from = out.len();
        self.paper.settle(&self.senses, out);
        out.iter().skip(from).for_each(|outcome| self.goals.count_paper(outcome));
    }

    /// The outlook as a template needs it. Never that of a turn that slept: what is not seen now is not traded on.
    pub(crate) fn outlook_for(&self, config: &PolicyConfig) -> Outlook {
        self.seen_with(self.outlook, config)
    }

    /// The same for a decision: by what is proven here alone where less would be put at risk by that.
    fn careful_outlook(
        &self,
        now: VirtualTime,
        of: (&Holdings, &Valuation),
        may: &Permissions,
        config: &PolicyConfig,
    ) -> Outlook {
        let outlook = self.outlook_for(config);
        let Some(proven) = self.proven else { return outlook };
        let proven = self.seen_with(proven, config);
        *self.policy.more_careful((&outlook, &proven), of, may, config, now)
    }

    fn seen_with(&self, outlook: Outlook, config: &PolicyConfig) -> Outlook {
        let windows = &config.trend_following;
        let trend = (config.template == Template::TrendFollowing)
            .then(|| self.senses.trend(windows.fast_hours, windows.slow_hours, windows.breakout_hours))
            .flatten();
        let range = self.senses.seen().book.zip(self.senses.price()).and_then(|(book, p)| Span::of(&book, p.last));
        let (seen, price) = (self.senses.seen(), self.senses.spot());
        let better = |r: golem_core::ReferencePrice| r.price().max(r.spot_price());
        let sale_price = seen.reference.filter(|_| price.is_none()).map(better);
        let blind = seen.book.is_some() && seen.reference.is_none();
        Outlook { price, sale_price, blind, trend, range, ..self.credence.temper(outlook) }
    }

    /// How concentrated what it has in the pool is at this turn's price: 0 where there is nothing or the price has left it, and 1,
    /// as if it were everywhere, where nobody tells its range.
    #[must_use]
    pub fn concentration(&self) -> f64 {
        let Some((book, price)) = self.senses.seen().book.zip(self.senses.price()) else { return 1.0 };
        let inside = Span::of(&book, price.last).filter(|range| range.room(price.last) > 0.0);
        inside.map_or(0.0, |range| range.concentration(price.last))
    }

    /// Look after the goals, once a turn, when everything that can be observed is in the snapshot.
    pub fn pursue(&mut self, tick: Tick, seen: &Snapshot, of: Pursuit, now: VirtualTime, facts: &mut Vec<GoalFact>) {
        self.goals.tick(tick, seen, of, now, facts);
    }
    /// Another strategy was found to pay on paper.
    pub fn explored(&mut self) {
        self.goals.count_explored();
    }
    /// An episode was written: how long ago a goal was last reached is counted in episodes.
    pub fn count_episode(&mut self) {
        self.goals.count_episode();
    }
    /// What it is after, and what became of it.
    #[must_use]
    pub fn goals(&self) -> &Goals {
        &self.goals
    }
    /// The decisions that were thought through before.
    #[must_use]
    pub fn cache(&mut self) -> &mut DecisionCache {
        &mut self.cache
    }
    /// The situation of this turn, coarsely.
    #[must_use]
    pub fn scene(&self, holdings: &Holdings, exposure: f64, template: Template) -> Scene {
        Scene::of(self.regime(), self.senses.probes(), holdings, exposure, template)
    }

    /// Take note of an intent before it is sent. `decide` does it for its own; call it for others.
    pub fn expect(&mut self, intent: &Intent, value: &Valuation) {
        if let Some(price) = self.senses.spot() {
            self.forecasters.expect(intent, price, value, self.senses.now());
        }
    }

    /// Hold a receipt against the preview of its intent.
    pub fn verify(&mut self, preview: &Preview, receipt: &Receipt, learning: Learning, out: &mut Vec<SettledForecast>) {
        self.policy.learn(receipt);
        self.forecasters.verify((preview, receipt), self.senses.now(), learning, out);
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
    /// The forecasters: scores and predictions of each domain.
    #[must_use]
    pub fn forecasters(&self) -> &Forecasters {
        &self.forecasters
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

#[cfg(test)]
mod tests {
    use super::*;
    use golem_core::{Elapsed, RawObservation};

    /// A mind of two days in a quiet market, never quite the same from one turn to the next. Somebody from elsewhere whom nothing
    /// has proven says so much more of one domain than its panel.
    fn heard(domain: Domain, from_elsewhere: f64) -> (Mind, VirtualTime) {
        let (mut mind, mut settled, mut now) = (Mind::default(), Vec::new(), VirtualTime(0));
        for tick in 1..=2 * 2_160_u64 {
            now = now.after(Elapsed::nominal(1));
            let moves = 1.0 + 0.001 * ((tick * 7 % 11) as f64 - 5.0);
            let seen = RawObservation {
                price: Some(2_000.0 * moves),
                gas_gwei: Some(0.02 * moves),
                fee_yield: Some(0.001 * moves),
                ..RawObservation::default()
            };
            mind.sense(&seen.admit(), now, Learning::FULL, &mut settled);
            mind.forecast_heard(now, &mut |said| {
                let shift = if said.domain == domain { from_elsewhere } else { 0.0 };
                HeardForecast { scored: said.panel + shift, trusted: said.panel }
            });
        }
        (mind, now)
    }

    /// What is usual is learnt from what is acted on: who raises a forecast from elsewhere does not make a golem used to more.
    #[test]
    fn what_is_not_proven_here_does_not_move_what_is_usual_upwards() {
        let usual_yield = |from_elsewhere: f64| {
            let (mind, _) = heard(Domain::YieldTrend, from_elsewhere);
            mind.outlook_for(&PolicyConfig::default()).usual_log_yield.expect("fees were seen for two days")
        };
        let (alone, raised, lowered) = (usual_yield(0.0), usual_yield(0.8), usual_yield(-0.8));
        assert!((alone - raised).abs() < 1e-3, "{alone} alone, {raised} where somebody says more");
        assert!(lowered < alone - 0.1, "{alone} alone, {lowered} where somebody says less");
    }

    /// A mind that turned round is acted on as far as what it says has proved, and not as if an expert stood beside a panel.
    #[test]
    fn what_stands_in_the_place_of_panels_has_its_own_record() {
        let mut mind = Mind::default();
        for tick in 1..=2_160_u64 {
            let now = VirtualTime(0).after(Elapsed::nominal(tick));
            let price = Some(2_000.0 * (1.0 + 0.001 * ((tick * 7 % 11) as f64 - 5.0)));
            mind.sense(
                &RawObservation { price, ..RawObservation::default() }.admit(),
                now,
                Learning::FULL,
                &mut Vec::new(),
            );
            mind.forecast_by(now, &mut |said| said.panel + 0.02);
        }
        let acted_on = mind.outlook_for(&PolicyConfig::default()).mean_return.expect("a price was seen");
        assert!(mind.outlook().mean_return.is_some_and(|said| said > 0.005), "{:?}", mind.outlook());
        assert!(acted_on.abs() < 1e-3, "a rise that never came moves no money: {acted_on}");
    }

    /// A purchase that must be worth its gas is a larger one where gas is said to become dear: not on a stranger's word.
    #[test]
    fn what_is_not_proven_here_makes_no_purchase_larger() {
        let config = PolicyConfig { template: Template::EthDca, ..PolicyConfig::default() };
        let nav = golem_core::Usdc::whole(1_000);
        let (holdings, value) =
            (Holdings { capital: nav, ..Holdings::default() }, Valuation { nav, ..Valuation::default() });
        let bought = |from_elsewhere: f64| {
            let (mut mind, now) = heard(Domain::GasCondition, from_elsewhere);
            let would = mind.would_want(now, (&holdings, &value), &Permissions::ALL, &config, &Guidance::default());
            let done = mind.decide(now, &holdings, &value, &Permissions::ALL, &config);
            assert_eq!(done, would);
            match done[..] {
                [Intent::Buy { pay, .. }] => pay,
                _ => panic!("a purchase is due: {done:?}"),
            }
        };
        assert_eq!(bought(0.8), bought(0.0));
    }
}
