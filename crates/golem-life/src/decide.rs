//! DECIDING: the turn is weighed, memory is asked, the gate says what is open, and rules or a deliberation come to wishes.

use crate::life::Life;
use crate::scratch::{AwaitedVectors, DecisionGrounds};
use crate::step::{Answer, Step};
use golem_core::Intent;
use golem_core::door::Embedding;
use golem_daimon::gate::{ActionClass, gate};
use golem_mind::Permissions;
use golem_mind::cache::Stance;
use golem_mind::policy::Because;
use golem_mind::tier::{Gating, Tier};
use golem_mortality::phase::Trading;

impl Life {
    pub(crate) fn decide(&mut self) -> Step {
        let gating = self.weigh();
        let asked = if self.decides() { self.ask_vectors() } else { None };
        match asked {
            Some((question, of)) => {
                self.turn.recall = Some(Box::new(AwaitedVectors { gating, of }));
                Step::Ask(question)
            }
            None => self.decide_on(&gating, None),
        }
    }

    /// While its owner withdraws money it goes on seeing and weighing, and wants nothing else.
    pub(crate) fn decide_to_withdraw(&mut self) -> Step {
        let _weighed = self.weigh();
        Step::Wishes(self.wish_to_withdraw())
    }

    /// Go on deciding with the vectors that came, if any did.
    pub(crate) fn decide_with_vectors(&mut self, waiting: AwaitedVectors, answer: &Answer) -> Step {
        let query = match answer {
            Answer::Embedded(reply) => self.take_vectors(waiting.of, reply),
            _ => None,
        };
        self.decide_on(&waiting.gating, query)
    }

    /// The rest of deciding, once what memory is asked has a vector or will have none but its own.
    fn decide_on(&mut self, gating: &Gating, query: Option<Embedding>) -> Step {
        let guidance = self.guidance(query);
        let value = self.valuation();
        self.turn.valued = value;
        let Some(may) = self.permissions().filter(|_| self.decides()) else { return Step::Wishes(Vec::new()) };
        let holdings = self.state.portfolio.holdings(&self.state.ledger, self.spendable_capital());
        let grounds = DecisionGrounds { guidance, may, holdings, value };
        match gating.tier {
            // What was rehearsed needs no thought; nor does giving up what goes on losing.
            _ if grounds.may.urgent || self.stops_bleeding() => self.by_rules(grounds),
            Tier::T0 => self.by_rules(grounds),
            Tier::T1 | Tier::T2 => match self.begin_thinking(gating, grounds) {
                Ok(step) => step,
                Err(grounds) => self.by_rules(*grounds),
            },
        }
    }

    /// Whether there is anything to decide: not when it dies, rests, or may not trade at all.
    pub(crate) fn decides(&self) -> bool {
        self.turn.ordered.is_none() && !self.state.core.paused && self.genesis.settings.mind.trading
    }

    /// What the gate leaves to the policy; `None` when nothing at all.
    fn permissions(&self) -> Option<Permissions> {
        let (phase, situation) = (self.phase().behaviour(), self.situation());
        // Feelings take risk back. They never give more of it than the phase does.
        let felt = self.channels().risk.min(1.0);
        let wary = self.anticipated(self.trade()).map_or(1.0, |a| a.caution.size);
        let open = |class| gate(class, &situation).is_ok();
        // What was rehearsed is recognised: what is too much goes, and nothing comes in.
        let alarmed = self.turn.alarm.is_some();
        let may = |unwind| {
            Some(self.remedied(Permissions {
                risk: phase.risk * felt * wary * self.turn.alarm.unwrap_or(1.0),
                may_open: open(ActionClass::Open) && !alarmed,
                may_rebalance: open(ActionClass::Manage),
                unwind,
                urgent: alarmed,
            }))
        };
        match phase.trading {
            // Opening nothing would not end a slow loss: what is held goes on losing. It goes, piece by piece.
            Trading::All | Trading::AllSeekingRevenue | Trading::ReduceOrAvertLoss => may(self.stops_bleeding()),
            Trading::Unwinding => may(true),
            Trading::SettlementOnly => None,
        }
    }

    /// Whether everything is given up because of a slow loss, in a phase that would not by itself.
    pub(crate) fn stops_bleeding(&self) -> bool {
        let declining = matches!(self.phase().behaviour().trading, Trading::Unwinding | Trading::SettlementOnly);
        self.state.cage.is_bled() && !declining
    }

    /// Rules and forecasts decide.
    pub(crate) fn by_rules(&mut self, grounds: DecisionGrounds) -> Step {
        let stance = self.turn.stance.take().unwrap_or_default();
        Step::Wishes(self.wishes(grounds, stance))
    }

    /// What the policy wants, under the playbook and a stance.
    pub(crate) fn wishes(&mut self, grounds: DecisionGrounds, stance: Stance) -> Vec<Intent> {
        let DecisionGrounds { guidance, may, holdings, value } = grounds;
        self.explore((&holdings, &value), &may);
        let plain = guidance.clone();
        let (guidance, may) = self.on_its_way(guidance, (&holdings, &value), &may);
        let (now, policy) = (self.state.core.age, self.policy());
        // While opening is closed it still decides on paper, so that no remedy is out of reach; a way that was taken as a
        // remedy does not silence that.
        if !may.may_open {
            let would = Permissions { may_open: true, may_rebalance: true, unwind: false, urgent: false, ..may };
            let wanted = self.state.mind.decide_on_paper(now, (&holdings, &value), &would, &policy, &plain).is_some();
            if wanted {
                let verdict = gate(ActionClass::Open, &self.situation());
                self.note_verdict("a decision on paper", ActionClass::Open, verdict);
            }
        }
        let policy = self.policy();
        // What a remedy changes is no rule's doing.
        let usual = self.state.inner.way.is_none();
        let twins =
            if usual { self.without_rules(&guidance, (&holdings, &value), &stance.narrow(&may)) } else { Vec::new() };
        let shadows =
            if usual { self.shadow_wishes(&guidance, (&holdings, &value), &stance.narrow(&may)) } else { Vec::new() };
        let decided = self.state.mind.decide_by(now, (&holdings, &value), &stance.narrow(&may), &policy, &guidance);
        self.shadows_differ(shadows, &decided.intents);
        self.try_twins(&twins, &decided.intents, &value);
        self.turn.because = decided.because;
        if self.stops_bleeding() {
            self.turn.because.fill(Because::Bled);
        }
        self.turn.rules = decided.rules;
        decided.intents
    }
}
