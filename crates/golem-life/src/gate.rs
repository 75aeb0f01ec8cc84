//! Where the golem stands, as the one gate sees it, and what is told of a denial.

use crate::fact::DaimonFact;
use crate::life::Life;
use golem_cage::BreakerLevel;
use golem_daimon::gate::{
    ActionClass, Denied, GateSituation, OwnerOrder, Permits, Safety, SafetyCause, WhyDenied, gate, gate_owner,
};

impl Life {
    /// Where the golem stands, as the gate sees it.
    pub(crate) fn situation(&self) -> GateSituation {
        let (cage, portfolio) = (&self.state.cage, &self.state.portfolio);
        let safety = match cage.breaker() {
            BreakerLevel::ReduceOnly | BreakerLevel::Hold => Safety::ReduceOnly { why: SafetyCause::Breaker },
            // Without a price the golem does not know what anything is worth.
            _ if self.state.mind.senses().spot().is_none() => Safety::NoNewRisk { why: SafetyCause::StaleWorld },
            _ if !portfolio.agrees => Safety::NoNewRisk { why: SafetyCause::BooksDiffer },
            _ if cage.is_halted() => Safety::NoNewRisk { why: SafetyCause::Halted },
            _ => Safety::Open,
        };
        let permits = if self.genesis.settings.mind.trading { Permits::All } else { Permits::TradingOff };
        GateSituation {
            phase: Some(self.phase()),
            band: Some(self.band()),
            mode: Some(self.state.core.mode),
            permits: Some(permits),
            safety: Some(safety),
            averts_loss: portfolio.liquidity > 0 && !portfolio.in_range,
        }
    }

    /// Whether anything but its phase keeps it from opening: what a phase asks for is the plan's business.
    pub(crate) fn may_open(&self) -> bool {
        match gate(ActionClass::Open, &self.situation()) {
            Ok(()) => true,
            Err(denied) => matches!(denied.why, WhyDenied::Phase(_) | WhyDenied::NoLossToAvert(_)),
        }
    }

    /// Keep count of a verdict; the same denial is told once until it opens again.
    pub(crate) fn note_verdict(&mut self, what: &str, class: ActionClass, verdict: Result<(), Denied>) {
        if let Some(fact) = self.state.inner.denials.note(what, class, verdict) {
            self.tell_inner(DaimonFact::Gate(fact));
        }
    }

    /// Whether an order of the owner can still be carried out.
    pub(crate) fn owner_may(&self, order: OwnerOrder) -> Result<(), Denied> {
        gate_owner(order, &self.situation())
    }
}
