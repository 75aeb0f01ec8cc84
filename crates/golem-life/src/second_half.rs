//! The second half of a turn: receipts are booked, rent is paid, advice is taken, and the lifespan runs.

use crate::fact::{Fact, LifeFact};
use crate::input::Amended;
use crate::life::{Facts, Life, Wished};
use crate::turn::TurnEnd;
use golem_core::intent::Outcome;
use golem_core::verification::flows;
use golem_core::{Elapsed, OutcomeVerification, Receipt, Usdc, UsdcDelta};
use golem_mortality::economic::prices::{DAY, HOUR, SNAPSHOT_PERIOD};
use golem_mortality::economic::rebalance::rebalance;
use golem_mortality::economic::surplus::{operating_bound, return_surplus};
use golem_mortality::economic::{Prices, Purpose};
use golem_mortality::info::InfoSeen;
use golem_mortality::phase::Snapshots;
use golem_mortality::regime_eval::{RegimeTag, Trend};
use golem_mortality::{GolemMode, MortalityFact, Seen};

/// Turn and number of an effect's key, which is written `turn/number`.
fn place(key: &str) -> (u64, u64) {
    let (turn, number) = key.split_once('/').unwrap_or((key, ""));
    (turn.parse().unwrap_or(u64::MAX), number.parse().unwrap_or(u64::MAX))
}

impl Life {
    /// Second half of a turn: ACTING is done; REFLECTING, then the lifespan.
    pub fn finish_turn(&mut self, receipts: &[Receipt], facts: &mut Facts) -> TurnEnd {
        self.state.core.heartbeat = self.state.core.heartbeat.next();
        if self.half.idle {
            self.answer();
            return self.end(false);
        }
        if self.half.dying {
            self.finish_dying_turn(facts);
            return self.end(false);
        }
        let before = self.phase();
        let wished = std::mem::take(&mut self.half.wished);
        for (n, (wished, receipt)) in wished.iter().zip(receipts).enumerate() {
            self.conclude(n as u32, wished, receipt, facts);
        }
        self.remember(&wished, receipts, facts);
        self.pay_rent(facts);
        self.watch_drawdown(facts);
        let core = &self.state.core;
        let (ledger, age) = (&mut self.state.ledger, core.age.age());
        ledger.burn.tick(ledger.wished_this_turn, core.interval, age);
        if let Some(moved) = rebalance(ledger, core.tick) {
            self.half.mortality.push(MortalityFact::Rebalance(moved));
        }
        let bound = operating_bound(ledger, &self.prices, age);
        let amount = return_surplus(ledger, bound);
        if amount > Usdc::ZERO {
            self.tell(facts, LifeFact::Returned { amount });
        }
        let snapshot = std::mem::take(&mut self.half.known.snapshot);
        self.feel(&snapshot, facts);
        self.remember_action();
        self.diagnose();
        self.report_predictions(facts);
        self.lifespan(facts);
        self.answer();
        let fell = self.phase() < before;
        self.end(fell && self.phase().behaviour().snapshots == Snapshots::AtEntry)
    }

    fn end(&mut self, insure: bool) -> TurnEnd {
        let core = &mut self.state.core;
        core.heartbeat = core.heartbeat.next();
        TurnEnd {
            insure,
            standing: self.standing(),
            interval: self.state.core.interval,
            replies: std::mem::take(&mut self.half.replies),
            peers: std::mem::take(&mut self.half.peers),
        }
    }

    /// A wish has come to its end: book it, settle its permit, hold the prediction against it.
    fn conclude(&mut self, n: u32, wished: &Wished, receipt: &Receipt, facts: &mut Facts) {
        let Some(permit) = wished.permit else {
            self.half.outcomes.push(None);
            self.half.realised.push(UsdcDelta(0));
            // Nothing was done, and the mind must know that: it may have counted on it.
            return self.state.mind.verify(&wished.preview, receipt, self.learning(), &mut self.half.settled);
        };
        let (won, lost) = (self.state.core.profit, self.state.core.loss);
        self.book(receipt, facts);
        let (profit, loss) = (self.state.core.profit.minus(won), self.state.core.loss.minus(lost));
        let realised = profit.delta(loss);
        self.half.realised.push(realised);
        let worth = flows(&receipt.outcome)[0].unsigned_abs();
        let worth = i128::from(u64::try_from(worth).unwrap_or(u64::MAX)) - i128::from(realised.0);
        if receipt.was_done() {
            self.note_deed(&receipt.intent, realised, u64::try_from(worth).unwrap_or(0));
        }
        let mut told = Vec::new();
        self.state.cage.settle(permit, self.state.core.tick, receipt, &mut told);
        self.tell_of_cage(told, facts);
        let (learning, before) = (self.learning(), self.half.settled.len());
        self.state.mind.verify(&wished.preview, receipt, learning, &mut self.half.settled);
        let judged = self.half.settled.get(before);
        let (predicted_bps, actual_bps) = (judged.map(|s| s.predicted), judged.map(|s| s.actual));
        self.half.outcomes.push(predicted_bps.zip(actual_bps));
        let verification = OutcomeVerification::of(self.state.core.tick, n, &wished.preview, receipt);
        let outcome = LifeFact::Outcome { verification: Box::new(verification), predicted_bps, actual_bps };
        self.emit(facts, wished.decided, Fact::Life(outcome));
    }

    /// Move money and positions as a receipt says.
    pub(crate) fn book(&mut self, receipt: &Receipt, facts: &mut Facts) {
        let (partitions, refill) = (self.shares(), self.prices.refill_bps);
        if receipt.gas.cost > Usdc::ZERO {
            let paid = self.state.ledger.spend(Purpose::Gas, receipt.gas.cost);
            self.tell(facts, LifeFact::Paid { purpose: paid.purpose, amount: paid.amount });
        }
        let realised = self.state.portfolio.book(&receipt.outcome);
        let unpaid = self.state.ledger.put_into_positions(realised.put);
        if unpaid > Usdc::ZERO {
            self.tell(facts, LifeFact::Overdrawn { amount: unpaid });
        }
        if realised.got > Usdc::ZERO {
            self.state.ledger.receive(realised.got, realised.profit, refill, &partitions);
        }
        if let Some(after) = &receipt.after {
            self.state.portfolio.believe(after);
        }
        let core = &mut self.state.core;
        core.profit = core.profit.plus(realised.profit);
        core.loss = core.loss.plus(realised.loss);
        core.trades += u64::from(!matches!(receipt.outcome, Outcome::Held | Outcome::Refused { .. }));
    }

    /// The chain changed its mind: take back what it took back, the newest first, then book what holds now, the oldest
    /// first. In any other order something would be taken from what is not there yet.
    pub(crate) fn amend(&mut self, amended: &[Amended], facts: &mut Facts) {
        let mut in_order: Vec<_> = amended.iter().collect();
        in_order.sort_by_key(|a| place(&a.key));
        for was in in_order.iter().rev().filter_map(|a| a.was.as_ref()) {
            let [usdc, ..] = flows(&was.outcome);
            self.state.portfolio.unbook(&was.outcome);
            self.state.ledger.unbook(usdc, Purpose::Gas, was.gas.cost);
        }
        for Amended { key, was, now } in in_order {
            if let Some(now) = now {
                self.book(now, facts);
            }
            self.state.cage.amend(was.as_ref(), now.as_ref());
            let (key, was, now) = (key.clone(), was.is_some(), now.is_some());
            self.tell(facts, LifeFact::Reorged { key, was, now });
        }
    }

    fn pay_rent(&mut self, facts: &mut Facts) {
        if !self.genesis.settings.mortality.economic.enabled {
            return;
        }
        let (to, reserve, prices) = (self.state.core.age.age(), self.reserve(), self.prices);
        let from = Elapsed(to.0.saturating_sub(self.state.core.interval.0));
        let ledger = &mut self.state.ledger;
        ledger.rent(Purpose::Compute, Prices::due(prices.compute_per_hour, HOUR, from, to), reserve);
        ledger.rent(Purpose::Data, Prices::due(prices.data_per_day, DAY, from, to), reserve);
        let snapshots = to.0 / SNAPSHOT_PERIOD.0 - from.0 / SNAPSHOT_PERIOD.0;
        if snapshots > 0 {
            let paid = ledger.rent(Purpose::Snapshot, prices.snapshot.ratio(snapshots, 1), reserve);
            self.tell(facts, LifeFact::Paid { purpose: paid.purpose, amount: paid.amount });
        }
    }

    fn watch_drawdown(&mut self, facts: &mut Facts) {
        let (tick, now, nav, mut told) = (self.state.core.tick, self.state.core.age, self.balance(), Vec::new());
        self.state.cage.see(now, tick, nav, &self.genesis.settings.cage, &mut told);
        self.tell_of_cage(told, facts);
    }

    fn remember_action(&mut self) {
        let exposure = self.state.portfolio.exposure(self.balance());
        let change = exposure - self.state.core.exposure;
        self.state.core.exposure = exposure;
        let [size, width, _] = self.half.action;
        self.state.core.action = Some([size, width, change]);
    }

    fn diagnose(&mut self) {
        let Some(diagnostics) = &mut self.state.info else { return };
        let (core, config) = (&self.state.core, &self.genesis.settings.diagnostics);
        let weather = self.state.mind.senses().weather();
        let tag = RegimeTag::new(weather.vol_quintile, Trend::of(f64::from(weather.trend), 0.5));
        let mut draws = self.diagnostics_dice.draws(core.tick.0);
        if diagnostics.drift.record(&self.half.settled, tag, core.age) {
            let found = diagnostics.drift.look(tag, &config.regimes, &mut || draws.uniform());
            self.half.mortality.extend(found.map(|f| MortalityFact::RegimeEvaluation(Box::new(f))));
        }
        let (nominal, config) = (core.age.age().nominal_floor(), &config.information);
        let info = &mut diagnostics.information;
        if !info.due(nominal, config) {
            return;
        }
        let composite = self.state.mortality.vitality.composite;
        let alerts = info.update(InfoSeen { nominal_tick: nominal, composite }, config, &mut || draws.uniform());
        self.half.mortality.extend(alerts.into_iter().map(MortalityFact::from));
    }

    fn report_predictions(&mut self, facts: &mut Facts) {
        let settled = std::mem::take(&mut self.half.settled);
        for s in &settled {
            let (domain, predicted, actual, hit) = (s.domain, s.predicted, s.actual, s.hit);
            self.tell(facts, LifeFact::PredictionResolved { domain, predicted, actual, hit });
        }
        self.half.settled = settled;
        let (tick, regime) = (self.state.core.tick, self.state.mind.regime());
        let prediction_error = self.state.mind.senses().probes().prediction_error;
        self.tell(facts, LifeFact::Tick { tick, tier: self.half.tier, prediction_error, regime });
    }

    /// A change of phase is worth remembering, with what fell or recovered most.
    fn note_transition(&mut self, told: &[MortalityFact]) {
        for fact in told {
            if let MortalityFact::PhaseTransition { from_phase, to_phase, trigger_clock, .. } = fact {
                let way = if to_phase > from_phase { "recovered" } else { "fell" };
                let clock = trigger_clock.word();
                self.state.diary.event(format!("the phase went from {from_phase} to {to_phase}: {clock} {way} most"));
            }
        }
    }

    fn lifespan(&mut self, facts: &mut Facts) {
        let before = self.phase();
        let core = &self.state.core;
        let seen = Seen {
            tick: core.tick,
            age: core.age,
            elapsed: core.interval,
            at: core.at,
            balance: self.balance(),
            reserve: self.reserve(),
            credit: self.state.ledger.operating(),
            initial: self.genesis.birth.funding,
            burn_rate: self.state.ledger.burn.per_tick(),
            settled: &self.half.settled,
            roll: self.death_dice.uniform(core.tick.0, 0),
            entropy_rate: self.state.info.as_ref().and_then(|d| d.information.diagnostics().entropy_rate),
            ordered: self.half.ordered.as_ref(),
        };
        let mut told = std::mem::take(&mut self.half.mortality);
        let dying = self.state.mortality.tick(&seen, &self.genesis.settings.mortality, &mut told);
        let order = self.half.order_seq;
        self.note_transition(&told);
        for fact in told.drain(..) {
            let cause = if matches!(fact, MortalityFact::Dying { .. }) { order } else { None };
            self.emit(facts, cause, Fact::Mortality(fact));
        }
        self.half.mortality = told;
        let after = self.phase();
        if before.divides_unlike(after) {
            let shares = self.shares();
            self.state.ledger.repartition(&shares);
        }
        self.state.core.interval = Elapsed::secs(self.genesis.interval_s.max(1) * after.behaviour().interval);
        if dying {
            self.state.core.mode = GolemMode::Dying;
            let tick = self.state.core.tick;
            self.tell(facts, LifeFact::ModeChange { mode: GolemMode::Dying, tick });
        }
    }
}
