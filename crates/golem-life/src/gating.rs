//! The one gate in a turn: where the golem stands, what that leaves open, and what is told of a denial.

use crate::fact::DaimonFact;
use crate::life::{Facts, Life};
use golem_cage::BreakerLevel;
use golem_core::{Intent, Preview};
use golem_daimon::gate::{
    ActionClass, Denied, Exposure, OwnerOrder, Permits, Safety, SafetyCause, Situation, classify, gate, gate_owner,
};
use golem_mind::Permissions;
use golem_mortality::phase::Trading;

impl Life {
    /// Where the golem stands, as the gate sees it.
    pub(crate) fn situation(&self) -> Situation {
        let (cage, portfolio) = (&self.state.cage, &self.state.portfolio);
        let safety = match cage.breaker() {
            BreakerLevel::ReduceOnly | BreakerLevel::Hold => Safety::ReduceOnly { why: SafetyCause::Breaker },
            // Whoever sees no price does not know what anything is worth.
            _ if self.state.mind.senses().spot().is_none() => Safety::NoNewRisk { why: SafetyCause::StaleWorld },
            _ if cage.is_halted() => Safety::NoNewRisk { why: SafetyCause::Halted },
            _ => Safety::Open,
        };
        let permits = if self.genesis.settings.mind.trading { Permits::All } else { Permits::TradingOff };
        Situation {
            phase: Some(self.phase()),
            band: Some(self.band()),
            mode: Some(self.state.core.mode),
            permits: Some(permits),
            safety: Some(safety),
            averts_loss: portfolio.liquidity > 0 && !portfolio.in_range,
        }
    }

    /// What the gate leaves to the policy; `None` when nothing at all.
    pub(crate) fn permissions(&self) -> Option<Permissions> {
        let (phase, situation) = (self.phase().behaviour(), self.situation());
        // Feelings take risk back. They never give more of it than the phase does.
        let felt = self.channels().risk.min(1.0);
        let wary = self.anticipated(self.trade()).map_or(1.0, |a| a.caution.size);
        let open = |class| gate(class, &situation).is_ok();
        let may = |unwind| {
            Some(Permissions {
                risk: phase.risk * felt * wary,
                may_open: open(ActionClass::Open),
                may_rebalance: open(ActionClass::Manage),
                unwind,
            })
        };
        match phase.trading {
            Trading::All | Trading::AllSeekingRevenue | Trading::ReduceOrAvertLoss => may(false),
            Trading::Unwinding => may(true),
            Trading::SettlementOnly => None,
        }
    }

    /// Whether a wish may be tried at all, seen with what it would do.
    pub(crate) fn passes(&mut self, preview: &Preview, facts: &mut Facts) -> bool {
        let (before, after) = (preview.before.worth.exposure, preview.after.worth.exposure);
        let effect = match after.cmp(&before) {
            std::cmp::Ordering::Greater => Exposure::Grows,
            std::cmp::Ordering::Equal => Exposure::Kept,
            std::cmp::Ordering::Less => Exposure::Shrinks,
        };
        self.gated(&preview.intent, Some(effect), facts).is_ok()
    }

    /// Ask the gate about an intent, and tell what it denies.
    pub(crate) fn gated(&mut self, intent: &Intent, effect: Option<Exposure>, facts: &mut Facts) -> Result<(), Denied> {
        let class = classify(intent, effect);
        let verdict = gate(class, &self.situation());
        self.note_verdict(intent.name(), class, verdict, facts);
        verdict
    }

    /// Keep count of a verdict; the same denial is told once until it opens again.
    pub(crate) fn note_verdict(
        &mut self,
        what: &str,
        class: ActionClass,
        verdict: Result<(), Denied>,
        facts: &mut Facts,
    ) {
        if let Some(fact) = self.state.inner.denials.note(what, class, verdict) {
            self.tell_inner(DaimonFact::Gate(fact), facts);
        }
    }

    /// Whether an order of the owner can still be carried out.
    pub(crate) fn owner_may(&self, order: OwnerOrder) -> Result<(), Denied> {
        gate_owner(order, &self.situation())
    }
}
