//! A life: the state of every room, and the turn that calls them in source order.

use crate::drift::Drift;
use crate::fact::{Fact, LifeFact};
use crate::heartbeat::Heartbeat;
use crate::input::{Ask, Order, TickInput};
use crate::paper::gas_cost;
use crate::portfolio::{Portfolio, units_value};
use crate::settings::Settings;
use crate::turn::{Reply, Standing, TurnEnd};
use golem_core::dice::Dice;
use golem_core::fact::Envelope;
use golem_core::intent::Outcome;
use golem_core::{
    Birth, Elapsed, Intent, NOMINAL_TICK_S, Observation, Receipt, Secret, Seq, Strand, Tick, Timestamp, Usdc,
    VirtualTime,
};
use golem_mind::{Learning, Mind, Permissions, Valuation};
use golem_mortality::config::PartitionShares;
use golem_mortality::couplings::{Awareness, plasticity};
use golem_mortality::economic::rebalance::rebalance;
use golem_mortality::economic::{Ledger, MOST, Prices, Purpose, reserve};
use golem_mortality::info::{InfoSeen, InfoState, Pair};
use golem_mortality::phase::{PartitionPlan, Snapshots, Trading};
use golem_mortality::regime_eval::{RegimeTag, Trend};
use golem_mortality::stochastic::HazardBand;
use golem_mortality::{BehavioralPhase, DeathCause, GolemMode, Mortality, MortalityFact, Seen, Settled};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Insurance snapshots fall due every six virtual hours.
const SNAPSHOT_PERIOD: Elapsed = Elapsed::secs(6 * 3_600);
const DAY: Elapsed = Elapsed::secs(86_400);
const HOUR: Elapsed = Elapsed::secs(3_600);

/// What a golem is born with, besides its sealed secret.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Genesis {
    /// The birth record.
    pub birth: Birth,
    /// Settings, resolved.
    pub settings: Settings,
    /// Virtual seconds between turns, resolved.
    pub interval_s: u64,
}

/// One golem's life.
#[derive(Debug)]
pub struct Life {
    pub(crate) genesis: Arc<Genesis>,
    prices: Prices,
    death_dice: Dice,
    diagnostics_dice: Dice,
    pub(crate) state: State,
    half: Half,
}

/// Everything that has a future. What is not in here is derived from birth.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct State {
    pub core: Core,
    pub ledger: Ledger,
    pub portfolio: Portfolio,
    pub mortality: Mortality,
    pub mind: Mind,
    pub info: Option<Diagnostics>,
}

/// What advises and never kills.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(crate) struct Diagnostics {
    pub information: InfoState,
    pub drift: Drift,
}

/// The turn's own state.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Core {
    pub tick: Tick,
    pub age: VirtualTime,
    pub interval: Elapsed,
    pub at: Timestamp,
    pub seq: Seq,
    pub heartbeat: Heartbeat,
    pub mode: GolemMode,
    pub paused: bool,
    pub trades: u64,
    pub profit: Usdc,
    pub loss: Usdc,
    /// What was done last turn, waiting for the market's answer.
    pub action: Option<[f64; 3]>,
    pub exposure: f64,
}

/// What the first half of a turn hands to the second.
#[derive(Debug, Default)]
struct Half {
    settled: Vec<Settled>,
    ordered: Option<DeathCause>,
    order_seq: Option<Seq>,
    replies: Vec<Reply>,
    told: Vec<u64>,
    mortality: Vec<MortalityFact>,
    action: [f64; 3],
    decided: Vec<Seq>,
    /// A paused golem answered its mail: nothing else happened, and no time passed.
    idle: bool,
}

type Facts = Vec<Envelope<Fact>>;

impl Life {
    /// A newborn.
    pub fn new(genesis: &Genesis, secret: &Secret) -> Self {
        let config = &genesis.settings.mortality;
        let prices = Prices::of(&config.economic);
        let born_at = genesis.birth.born_at;
        let interval = Elapsed::secs(genesis.interval_s.max(1));
        let state = State {
            core: Core {
                tick: Tick(0),
                age: VirtualTime(0),
                interval,
                at: born_at,
                seq: Seq(0),
                heartbeat: Heartbeat::Sleeping,
                mode: GolemMode::Waking,
                paused: false,
                trades: 0,
                profit: Usdc::ZERO,
                loss: Usdc::ZERO,
                action: None,
                exposure: 0.0,
            },
            ledger: Ledger::funded(genesis.birth.funding, prices.operating_bps, &config.economic.partitions),
            portfolio: Portfolio::default(),
            mortality: Mortality::newborn(born_at, config),
            mind: Mind::default(),
            info: genesis.settings.diagnostics.enabled.then(Diagnostics::default),
        };
        Self::with(genesis, secret, state)
    }

    pub(crate) fn with(genesis: &Genesis, secret: &Secret, state: State) -> Self {
        Self {
            prices: Prices::of(&genesis.settings.mortality.economic),
            genesis: Arc::new(genesis.clone()),
            death_dice: secret.dice(Strand::Death),
            diagnostics_dice: secret.dice(Strand::Diagnostics),
            state,
            half: Half::default(),
        }
    }

    /// The phase it acts by.
    pub(crate) fn phase(&self) -> BehavioralPhase {
        self.state.mortality.vitality.phase
    }

    /// Its money.
    pub fn ledger(&self) -> &Ledger {
        &self.state.ledger
    }

    /// Age after the last finished turn.
    pub fn age(&self) -> VirtualTime {
        self.state.core.age
    }

    /// Whether there will be another turn.
    pub fn standing(&self) -> Standing {
        if self.state.mortality.death.is_some() {
            Standing::Dead
        } else if self.state.core.paused {
            Standing::Paused
        } else {
            Standing::Alive
        }
    }

    /// Gas that closing everything would take now.
    pub(crate) fn unwinding_cost(&self) -> Usdc {
        let book = &self.state.portfolio;
        let Some(price) = book.price else { return Usdc::ZERO };
        let mut cost = Usdc::ZERO;
        if book.asset.0 > 0 {
            cost = cost.plus(gas_cost(&Intent::Sell { give: book.asset, min_out: Usdc::ZERO }, price, book.gas_gwei));
        }
        if book.units > 0 {
            cost =
                cost.plus(gas_cost(&Intent::Remove { share_bps: 10_000, min_out: Usdc::ZERO }, price, book.gas_gwei));
        }
        cost
    }

    /// The locked reserve.
    pub(crate) fn reserve(&self) -> Usdc {
        let share = self.genesis.birth.funding.share_bps(self.prices.reserve_bps);
        reserve(self.prices.reserve_floor, share, self.unwinding_cost())
    }

    /// Net asset value: liquid money and what positions would fetch after gas, less what is owed.
    pub(crate) fn balance(&self) -> Usdc {
        let positions = self.state.portfolio.value().minus(self.unwinding_cost());
        self.state.ledger.balance(positions)
    }

    /// What it knows of its own mortality.
    pub fn awareness(&self) -> Awareness {
        let burn = self.state.ledger.burn;
        let left = burn.ticks_to_burn(self.balance().minus(self.reserve()));
        Awareness {
            vitality: self.state.mortality.vitality.composite,
            phase: self.phase(),
            projected_life_h: left.map(|t| t as f64 * NOMINAL_TICK_S as f64 / 3_600.0),
            hazard_band: HazardBand::of(self.state.mortality.stochastic.current_hazard),
        }
    }

    fn learning(&self) -> Learning {
        let mind = &self.genesis.settings.mind;
        let frozen = mind.freeze_at_tick != 0 && self.state.core.age.age() >= Elapsed::nominal(mind.freeze_at_tick);
        Learning { enabled: mind.learning && !frozen, plasticity: plasticity(self.phase()) }
    }

    fn emit(&mut self, facts: &mut Facts, cause: Option<Seq>, body: Fact) -> Seq {
        let core = &mut self.state.core;
        core.seq = Seq(core.seq.0 + 1);
        facts.push(Envelope { golem: self.genesis.birth.id, seq: core.seq, tick: core.tick, at: core.at, cause, body });
        core.seq
    }

    fn tell(&mut self, facts: &mut Facts, fact: LifeFact) -> Seq {
        self.emit(facts, None, Fact::Life(fact))
    }

    /// First half of a turn: SENSING and DECIDING.
    pub fn begin_turn(&mut self, input: &TickInput, facts: &mut Facts) -> Vec<Intent> {
        self.half = Half::default();
        let core = &mut self.state.core;
        let was_paused = core.paused;
        core.tick = core.tick.next();
        core.at = input.at;
        core.heartbeat = core.heartbeat.next();
        if self.state.core.tick == Tick(1) {
            let birth = &self.genesis.birth;
            let born =
                LifeFact::Born { commitment: birth.commitment, funded: birth.funding, generation: birth.generation };
            self.tell(facts, born);
        }
        for order in &input.orders {
            self.take(order, facts);
        }
        self.half.idle = was_paused && self.state.core.paused && self.half.ordered.is_none();
        if self.half.idle {
            self.state.core.heartbeat = Heartbeat::Acting;
            return Vec::new();
        }
        self.state.core.age = self.state.core.age.after(self.state.core.interval);
        self.state.ledger.open_turn(self.state.core.age.day());
        self.sense(&input.seen, facts);
        self.state.core.heartbeat = self.state.core.heartbeat.next();
        let intents = self.decide(facts);
        self.state.core.heartbeat = self.state.core.heartbeat.next();
        intents
    }

    fn sense(&mut self, seen: &Observation, facts: &mut Facts) {
        let (age, interval, learning) = (self.state.core.age, self.state.core.interval, self.learning());
        if seen.rejected > 0 {
            self.tell(facts, LifeFact::Rejected { fields: seen.rejected });
        }
        self.state.portfolio.see(seen, interval);
        let before = self.state.mind.regime();
        self.state.mind.sense(seen, age, learning, &mut self.half.settled);
        let after = self.state.mind.regime();
        if before != after {
            self.tell(facts, LifeFact::RegimeChange { from: before, to: after });
        }
        if let (Some(info), Some(action), Some(response)) =
            (&mut self.state.info, self.state.core.action.take(), self.state.mind.senses().response())
        {
            info.information.push(Pair { action, response }, &self.genesis.settings.diagnostics.information);
        }
    }

    fn decide(&mut self, facts: &mut Facts) -> Vec<Intent> {
        let now = self.state.core.age;
        self.state.mind.forecast(now);
        let may = self.permissions();
        let value = self.valuation();
        let holdings = self.state.portfolio.holdings(self.spendable_capital());
        let dying = self.half.ordered.is_some() || self.state.core.paused || !self.genesis.settings.mind.trading;
        let wishes = match may {
            Some(may) if !dying => self.state.mind.decide(now, &holdings, &value, &may, &self.genesis.settings.policy),
            _ => Vec::new(),
        };
        let caps = self.genesis.settings.mortality.economic.daily_caps;
        let (reserve, mut gas) = (self.reserve(), Usdc::ZERO);
        let mut intents = Vec::with_capacity(wishes.len());
        for intent in wishes {
            let Some(price) = self.state.portfolio.price else { continue };
            let total = gas.plus(gas_cost(&intent, price, self.state.portfolio.gas_gwei));
            match self.state.ledger.afford(Purpose::Gas, total, reserve, &caps) {
                Ok(()) => {
                    gas = total;
                    intents.push(intent);
                    let seq = self.tell(facts, LifeFact::Decided { action: intent });
                    self.half.decided.push(seq);
                }
                // What only reduces risk is never refused for want of a full purse.
                Err(_) if intent.only_reduces() => {
                    intents.push(intent);
                    let seq = self.tell(facts, LifeFact::Decided { action: intent });
                    self.half.decided.push(seq);
                }
                Err(why) => {
                    self.tell(facts, LifeFact::Denied { purpose: Purpose::Gas, why });
                }
            }
        }
        let price = self.state.portfolio.price.map_or(0.0, golem_core::Positive::get);
        self.half.action = golem_mind::policy::action_vector(&intents, price, &value);
        intents
    }

    /// Capital that may be put to work: all of it, as long as the rest of the liquid money covers the reserve.
    fn spendable_capital(&self) -> Usdc {
        let ledger = &self.state.ledger;
        let uncovered = self.reserve().minus(ledger.operating());
        ledger.capital.minus(uncovered).minus(ledger.arrears)
    }

    /// What the phase allows; `None` when nothing at all.
    fn permissions(&self) -> Option<Permissions> {
        let phase = self.phase().behaviour();
        let may = |open, rebalance, unwind| {
            Some(Permissions { risk: phase.risk, may_open: open, may_rebalance: rebalance, unwind })
        };
        match phase.trading {
            Trading::All | Trading::AllSeekingRevenue => may(true, true, false),
            Trading::ReduceOrAvertLoss => may(false, true, false),
            Trading::Unwinding => may(false, false, true),
            Trading::SettlementOnly => None,
        }
    }

    fn valuation(&self) -> Valuation {
        let book = &self.state.portfolio;
        let liquidity = book.price.map_or(book.units_cost, |p| units_value(book.units, p));
        Valuation { nav: self.balance(), liquidity }
    }

    /// Second half of a turn: ACTING is done; REFLECTING, then the lifespan.
    pub fn finish_turn(&mut self, receipts: &[Receipt], facts: &mut Facts) -> TurnEnd {
        self.state.core.heartbeat = self.state.core.heartbeat.next();
        if self.half.idle {
            self.answer();
            return self.end(false);
        }
        let before = self.phase();
        for (i, receipt) in receipts.iter().enumerate() {
            self.book(receipt, self.half.decided.get(i).copied(), facts);
        }
        self.pay_rent(facts);
        let core = &self.state.core;
        self.state.ledger.burn.tick(self.state.ledger.this_turn, core.interval);
        if let Some(moved) = rebalance(&mut self.state.ledger, core.tick) {
            self.half.mortality.push(MortalityFact::Rebalance(moved));
        }
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
        }
    }

    fn book(&mut self, receipt: &Receipt, cause: Option<Seq>, facts: &mut Facts) {
        let (partitions, refill) = (self.shares(), self.prices.refill_bps);
        if receipt.gas > Usdc::ZERO {
            let paid = self.state.ledger.spend(Purpose::Gas, receipt.gas);
            self.tell(facts, LifeFact::Paid { purpose: paid.purpose, amount: paid.amount });
        }
        if let Outcome::Bought { paid, .. } | Outcome::Added { paid, .. } = receipt.outcome
            && !self.state.ledger.put_into_positions(paid)
        {
            // Hands that spent what was not there: the position is not ours, so nothing is booked.
            return;
        }
        let realised = self.state.portfolio.book(&receipt.outcome);
        if realised.got > Usdc::ZERO {
            self.state.ledger.receive(realised.got, realised.profit, refill, &partitions);
        }
        let core = &mut self.state.core;
        core.profit = core.profit.plus(realised.profit);
        core.loss = core.loss.plus(realised.loss);
        core.trades += u64::from(!matches!(receipt.outcome, Outcome::Held | Outcome::Refused { .. }));
        let (learning, before) = (self.learning(), self.half.settled.len());
        self.state.mind.verify(receipt, learning, &mut self.half.settled);
        let judged = self.half.settled.get(before);
        let (predicted_bps, actual_bps) = (judged.map(|s| s.predicted), judged.map(|s| s.actual));
        self.emit(facts, cause, Fact::Life(LifeFact::Outcome { receipt: *receipt, predicted_bps, actual_bps }));
    }

    fn shares(&self) -> PartitionShares {
        match self.phase().behaviour().partitions {
            PartitionPlan::Configured => self.genesis.settings.mortality.economic.partitions,
            PartitionPlan::Fixed(shares) => shares,
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
        self.tell(facts, LifeFact::Tick { tick, tier: 0, prediction_error, regime });
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
            burn_rate: self.state.ledger.burn.0,
            settled: &self.half.settled,
            roll: self.death_dice.uniform(core.tick.0, 0),
            entropy_rate: self.state.info.as_ref().and_then(|d| d.information.diagnostics().entropy_rate),
            ordered: self.half.ordered.as_ref(),
        };
        let mut told = std::mem::take(&mut self.half.mortality);
        let dead = self.state.mortality.tick(&seen, &self.genesis.settings.mortality, &mut told);
        let order = self.half.order_seq;
        for fact in told.drain(..) {
            let cause = if matches!(fact, MortalityFact::Dead { .. }) { order } else { None };
            self.emit(facts, cause, Fact::Mortality(fact));
        }
        self.half.mortality = told;
        let after = self.phase();
        if before != after {
            let shares = self.shares();
            self.state.ledger.repartition(&shares);
        }
        self.state.core.interval = Elapsed::secs(self.genesis.interval_s.max(1) * after.behaviour().interval);
        if dead {
            self.state.core.mode = GolemMode::Dying;
            let tick = self.state.core.tick;
            self.tell(facts, LifeFact::ModeChange { mode: GolemMode::Dying, tick });
        }
    }

    fn take(&mut self, order: &Order, facts: &mut Facts) {
        let seq = self.tell(facts, LifeFact::Order { id: order.id, ask: order.ask.clone() });
        let reply = match &order.ask {
            Ask::Feed { amount } => {
                let (operating, shares) = (self.prices.operating_bps, self.shares());
                if self.state.ledger.feed(*amount, operating, &shares) {
                    self.emit(facts, Some(seq), Fact::Life(LifeFact::Fed { amount: *amount }));
                    format!("fed {amount} USDC")
                } else {
                    format!("not fed: a golem is given at most {MOST} USDC in its life")
                }
            }
            Ask::Pause => {
                self.state.core.paused = true;
                "paused: no turns, no ageing, until resumed".to_owned()
            }
            Ask::Resume => {
                self.state.core.paused = false;
                "going on".to_owned()
            }
            Ask::Kill { reason } => {
                self.half.ordered.get_or_insert(DeathCause::OwnerKill { reason: reason.clone() });
                self.half.order_seq.get_or_insert(seq);
                "this was its last turn".to_owned()
            }
            Ask::KillSwitch { trigger } => {
                self.half.ordered.get_or_insert(DeathCause::KillSwitch { trigger: trigger.clone() });
                self.half.order_seq.get_or_insert(seq);
                "this was its last turn".to_owned()
            }
            // A golem without a language answers with its condition, once the turn has shown what that is.
            Ask::Tell { .. } => {
                self.half.told.push(order.id);
                return;
            }
        };
        self.half.replies.push(Reply { order: order.id, text: reply });
    }

    /// Answers to words: the golem's condition after this turn.
    fn answer(&mut self) {
        for order in std::mem::take(&mut self.half.told) {
            let (v, aware) = (&self.state.mortality.vitality, self.awareness());
            let left = aware
                .projected_life_h
                .map_or_else(|| "nothing burns".to_owned(), |h| format!("{:.0} h of money left", h));
            let text = format!(
                "heard, at turn {}: {} (vitality {:.2}), fitness {:.2}, {} USDC, {left}; {} market",
                self.state.core.tick,
                v.phase,
                v.composite,
                v.epistemic,
                self.balance(),
                self.state.mind.regime(),
            );
            self.half.replies.push(Reply { order, text });
        }
    }
}
