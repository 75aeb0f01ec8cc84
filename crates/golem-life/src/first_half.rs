//! The first half of a turn: SENSING and DECIDING. What is wanted comes back as intents; `consider` judges them.

use crate::fact::LifeFact;
use crate::heartbeat::Heartbeat;
use crate::input::TickInput;
use crate::life::{Facts, Half, Life};
use crate::step::{Answer, Step};
use crate::thinking::Table;
use golem_core::{Intent, Observation, Tick, Usdc};
use golem_daimon::affect::Event;
use golem_daimon::gate::{ActionClass, gate};
use golem_grimoire::change::Embedding;
use golem_mind::cache::Stance;
use golem_mind::tier::{Gating, Tier};
use golem_mind::{Permissions, Valuation};
use golem_mortality::economic::Purpose;
use golem_mortality::info::Pair;

impl Life {
    /// First half of a turn: SENSING and DECIDING.
    pub fn begin_turn(&mut self, input: &TickInput, facts: &mut Facts) -> Step {
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
        self.amend(&input.amended, facts);
        for cost in &input.swallowed {
            let paid = self.state.ledger.spend(Purpose::Inference, *cost);
            self.state.thought.book_swallowed(self.state.core.age, *cost);
            self.tell(facts, LifeFact::Paid { purpose: paid.purpose, amount: paid.amount });
        }
        if self.is_dying() {
            return self.begin_dying_turn();
        }
        if let Some(text) = &input.edited {
            self.take_edit(text, facts);
        }
        self.half.idle = was_paused && self.state.core.paused && self.half.ordered.is_none();
        if self.half.idle {
            self.state.core.heartbeat = Heartbeat::Acting;
            return Step::Wishes(Vec::new());
        }
        self.state.core.age = self.state.core.age.after(self.state.core.interval);
        self.state.ledger.open_turn(self.state.core.age.day());
        self.sense(&input.seen, facts);
        self.state.core.heartbeat = self.state.core.heartbeat.next();
        let step = self.decide(facts);
        self.decided(step)
    }

    /// The first half goes on with the answer to what it asked.
    pub fn go_on(&mut self, answer: &Answer, facts: &mut Facts) -> Step {
        let step = match self.half.lending.take() {
            Some(lending) => {
                let (gating, query) = self.take_vectors(*lending, answer, facts);
                self.decide_on(&gating, query, facts)
            }
            None => self.think_on(answer, facts),
        };
        self.decided(step)
    }

    fn decided(&mut self, step: Step) -> Step {
        if let Step::Wishes(_) = step {
            self.state.core.heartbeat = self.state.core.heartbeat.next();
        }
        step
    }

    fn sense(&mut self, seen: &Observation, facts: &mut Facts) {
        let (age, learning) = (self.state.core.age, self.learning());
        if seen.rejected > 0 {
            self.tell(facts, LifeFact::Rejected { fields: seen.rejected });
        }
        let agreed = self.state.portfolio.agrees;
        self.state.portfolio.see(seen);
        if let (true, false, Some(book)) = (agreed, self.state.portfolio.agrees, seen.book) {
            let (asset, liquidity) = (self.state.portfolio.asset, self.state.portfolio.liquidity);
            self.tell(facts, LifeFact::BooksDiffer { asset, liquidity, chain: Box::new(book) });
        }
        let before = self.state.mind.regime();
        self.state.mind.sense(seen, age, learning, &mut self.half.settled);
        self.feel_body();
        let after = self.state.mind.regime();
        if before != after {
            self.half.known.shifted_from = Some(before);
            self.half.felt.events.push(Event::RegimeShift);
            self.tell(facts, LifeFact::RegimeChange { from: before, to: after });
        }
        self.state.mind.settle_paper(&mut Vec::new());
        if let (Some(info), Some(action), Some(response)) =
            (&mut self.state.info, self.state.core.action.take(), self.state.mind.senses().response())
        {
            info.information.push(Pair { action, response }, &self.genesis.settings.diagnostics.information);
        }
    }

    fn decide(&mut self, facts: &mut Facts) -> Step {
        let now = self.state.core.age;
        self.state.mind.forecast(now);
        let gating = self.consult(facts);
        match self.borrow_vectors(gating) {
            Ok(step) => step,
            Err(gating) => self.decide_on(&gating, None, facts),
        }
    }

    /// The second part of deciding, once what memory is asked has a vector or will have none but its own.
    fn decide_on(&mut self, gating: &Gating, query: Option<Embedding>, facts: &mut Facts) -> Step {
        let guidance = self.guidance(query);
        let value = self.valuation();
        self.half.valued = value;
        let Some(may) = self.permissions().filter(|_| self.decides()) else { return Step::Wishes(Vec::new()) };
        let holdings = self.state.portfolio.holdings(&self.state.ledger, self.spendable_capital());
        let table = Table { guidance, may, holdings, value };
        match gating.tier {
            Tier::T0 => self.by_rules(table, facts),
            Tier::T1 | Tier::T2 => match self.begin_thinking(gating, table) {
                Ok(step) => step,
                Err(table) => self.by_rules(*table, facts),
            },
        }
    }

    /// Whether there is anything to decide: not when it dies, rests, or may not trade at all.
    pub(crate) fn decides(&self) -> bool {
        self.half.ordered.is_none() && !self.state.core.paused && self.genesis.settings.mind.trading
    }

    /// What the policy wants, under the playbook and a stance.
    pub(crate) fn wishes(&mut self, table: Table, stance: Stance, facts: &mut Facts) -> Vec<Intent> {
        let (now, policy) = (self.state.core.age, &self.genesis.settings.policy);
        let Table { guidance, may, holdings, value } = table;
        // While opening is closed it still decides on paper, so that no remedy is out of reach.
        if !may.may_open {
            let would = Permissions { may_open: true, may_rebalance: true, unwind: false, ..may };
            let wanted = self.state.mind.decide_on_paper(now, (&holdings, &value), &would, policy, &guidance).is_some();
            if wanted {
                let verdict = gate(ActionClass::Open, &self.situation());
                self.note_verdict("a decision on paper", ActionClass::Open, verdict, facts);
            }
        }
        let policy = &self.genesis.settings.policy;
        self.state.mind.decide_by(now, (&holdings, &value), &stance.narrow(&may), policy, &guidance).intents
    }

    /// Capital that may be put to work: all of it, as long as the rest of the liquid money covers the reserve.
    pub(crate) fn spendable_capital(&self) -> Usdc {
        let ledger = &self.state.ledger;
        let uncovered = self.reserve().minus(ledger.operating());
        ledger.capital.minus(uncovered).minus(ledger.arrears)
    }

    pub(crate) fn valuation(&self) -> Valuation {
        Valuation { nav: self.balance(), liquidity: self.state.portfolio.worth.position }
    }
}
