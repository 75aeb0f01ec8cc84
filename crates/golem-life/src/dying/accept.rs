//! Acceptance: nothing is wanted any more, all credit becomes legacy, and what may be spent at the end is divided.

use crate::deathbed::Deathbed;
use crate::fact::LifeFact;
use crate::life::Life;
use golem_mortality::dying::DeathBudget;

impl Life {
    /// Take the death as it is; says what came of it.
    pub(super) fn accept(&mut self) -> String {
        let shares = self.shares();
        self.state.ledger.repartition(&shares);
        let positions = self.state.portfolio.open();
        // Only money that is there can be spent, however much was to be locked.
        let total = self.reserve().min(self.state.ledger.liquid());
        let budget = DeathBudget::of(total, positions, self.state.portfolio.worth.gas);
        let config = self.genesis.settings.mortality.dying;
        let turns = self.state.mortality.death.as_ref().map_or(1, |death| config.settlement_for(&death.cause));
        self.state.deathbed = Some(Deathbed::new(budget, turns, config.home_for(turns)));
        self.break_off_withdrawal("its golem died before it was done");
        let mood = self.state.inner.affect.as_ref().and_then(|a| a.status(&self.affect));
        self.tell(LifeFact::Accepted {
            budget,
            settlement_turns: turns,
            positions,
            mood: mood.map(|status| status.mood.name().to_owned()),
        });
        let open = match positions {
            0 => "nothing is open".to_owned(),
            1 => "one holding is open".to_owned(),
            n => format!("{n} holdings are open"),
        };
        format!("it wants nothing any more; {open}, and {} USDC may be spent at the end", budget.total)
    }
}
