//! The first half of a turn: SENSING and DECIDING. What must be done before the second half comes back as intents.

use crate::fact::LifeFact;
use crate::heartbeat::Heartbeat;
use crate::input::TickInput;
use crate::life::{Facts, Half, Life};
use crate::paper::gas_cost;
use crate::portfolio::units_value;
use golem_core::{Intent, Observation, Positive, Tick, Usdc};
use golem_mind::policy::action_vector;
use golem_mind::{Permissions, Valuation};
use golem_mortality::economic::Purpose;
use golem_mortality::info::Pair;
use golem_mortality::phase::Trading;

impl Life {
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
        let price = self.state.portfolio.price.map_or(0.0, Positive::get);
        self.half.action = action_vector(&intents, price, &value);
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
}
