//! SENSING: the world is seen and valued, forecasts that came due are settled; then the probes listen inwards, and every
//! domain says what it expects. A sleeper takes the first two
//! steps alone.

use crate::fact::LifeFact;
use crate::homegoing::GasPurse;
use crate::life::Life;
use golem_cage::BreakerLevel;
use golem_core::intent::Asset;
use golem_core::venue::Gifts;
use golem_core::{Elapsed, Observation, Usdc};
use golem_daimon::affect::Event;
use golem_mind::forecast::advice::turned_round;
use golem_mind::{Body, Severity};
use golem_mortality::info::Pair;

impl Life {
    pub(crate) fn sense(&mut self, seen: &Observation) {
        let seen = self.believe(seen);
        self.value(&seen);
        self.settle(&seen);
        self.probe();
        self.forecast();
    }

    /// What a sleeper does of it: what it holds is valued, and what was forecast before is settled. It neither probes nor
    /// forecasts.
    pub(crate) fn sense_asleep(&mut self, seen: &Observation) {
        let seen = self.believe(seen);
        self.value(&seen);
        self.settle(&seen);
    }

    /// A price that its reference does not bear out is not seen: nothing is valued, learnt or decided by it.
    pub(crate) fn believe(&mut self, seen: &Observation) -> Observation {
        let believed = self.state.cage.look(seen.reference, &self.genesis.settings.cage);
        if believed { *seen } else { seen.without_pool() }
    }

    /// See the market, and value what is held as the venue does.
    pub(crate) fn value(&mut self, seen: &Observation) {
        if seen.rejected > 0 {
            self.tell(LifeFact::Rejected { fields: seen.rejected });
        }
        let agreed = self.state.portfolio.agrees;
        let dollars = self.dollars_there();
        self.state.portfolio.see(seen, dollars);
        if let (true, false, Some(book)) = (agreed, self.state.portfolio.agrees, seen.book) {
            let (asset, liquidity) = (self.state.portfolio.asset, self.state.portfolio.liquidity);
            self.tell(LifeFact::BooksDiffer { usdc: dollars, asset, liquidity, chain: Box::new(book) });
        }
        if !agreed && self.state.portfolio.agrees {
            self.tell(LifeFact::BooksAgree {});
        }
        self.thank(seen);
    }

    /// The dollars that must be in its account at least. Only somebody else's chain can lack what was booked there: on
    /// chains of our own an account is filled when it first pays.
    pub(crate) fn dollars_there(&self) -> Usdc {
        self.state.gas.map_or(Usdc::ZERO, |_| self.on_chain())
    }

    /// What others have put into the account is told. Nothing of it is counted: not in what the golem is worth, and not in
    /// what it may do.
    fn thank(&mut self, seen: &Observation) {
        let Some(gifts) = seen.gifts else { return };
        let Gifts { asset, liquidity, positions, coin } = gifts;
        let usdc = seen.book.map_or(Usdc::ZERO, |book| book.usdc.minus(self.on_chain()));
        // The coin falls with every act: only what else has changed is news.
        let told = Gifts { coin: Asset::ZERO, ..gifts };
        let before = self.state.gas.replace(GasPurse { coin, told: (told, usdc) });
        if before.is_some_and(|before| before.told == (told, usdc)) {
            return;
        }
        if usdc > Usdc::ZERO || asset > Asset::ZERO || liquidity > 0 || positions > 0 {
            self.tell(LifeFact::Gift { usdc, asset, liquidity, positions });
        }
    }

    /// What was expected is held against what is seen: forecasts, decisions on paper, the last action.
    fn settle(&mut self, seen: &Observation) {
        let (age, learning, before) = (self.state.core.age, self.learning(), self.state.mind.regime());
        self.state.mind.sense(seen, age, learning, &mut self.turn.settled);
        self.settle_experts();
        let after = self.state.mind.regime();
        if before != after {
            self.turn.known.shifted_from = Some(before);
            self.turn.felt.events.push(Event::RegimeShift);
            self.tell(LifeFact::RegimeChange { from: before, to: after });
        }
        self.state.mind.settle_paper(&mut Vec::new());
        if let (Some(info), Some(action), Some(response)) =
            (&mut self.state.info, self.state.core.action.take(), self.state.mind.senses().response())
        {
            info.information.push(Pair { action, response }, &self.genesis.settings.diagnostics.information);
        }
    }

    /// The probes have seen the market; tell them about the golem itself.
    fn probe(&mut self) {
        let state = &self.state;
        let meant = self.genesis.birth.funding.share_bps(self.prices.operating_bps);
        let credit = (meant.0 > 0).then(|| state.ledger.operating().0 as f64 / meant.0 as f64);
        let breaker = match state.cage.breaker() {
            BreakerLevel::Calm => Severity::None,
            BreakerLevel::Half => Severity::Low,
            BreakerLevel::ReduceOnly | BreakerLevel::Hold => Severity::High,
        };
        let body = Body {
            credit,
            breaker,
            vitality: Some(state.mortality.vitality.composite),
            followups: u8::try_from(self.turn.told.len()).unwrap_or(u8::MAX),
            threat: self.turn.threat,
            ..Body::default()
        };
        self.state.mind.feel(&body);
    }

    fn forecast(&mut self) {
        let (age, turned) = (self.state.core.age, self.genesis.settings.mind.turn_round_at_tick);
        if turned != 0 && age.age() >= Elapsed::nominal(turned) {
            self.state.mind.forecast_by(age, &mut turned_round);
        } else {
            self.forecast_with_experts();
        }
    }
}
