//! A turn costs: rent is paid, the drawdown is watched, the purses are evened out.

use crate::fact::LifeFact;
use crate::life::Life;
use golem_core::{Elapsed, Usdc};
use golem_mortality::MortalityFact;
use golem_mortality::economic::prices::{DAY, HOUR, SNAPSHOT_PERIOD};
use golem_mortality::economic::rebalance::rebalance;
use golem_mortality::economic::surplus::{operating_bound, return_surplus};
use golem_mortality::economic::{Prices, Purpose};

impl Life {
    pub(crate) fn pay(&mut self) {
        self.pay_rent();
        self.watch_drawdown();
        let (core, ledger) = (&self.state.core, &mut self.state.ledger);
        ledger.burn.tick(ledger.wished_this_turn, core.interval, core.age.age());
        if let Some(moved) = rebalance(ledger, core.tick) {
            self.turn.mortality.push(MortalityFact::Rebalance(moved));
        }
        self.return_surplus();
    }

    /// What refill has added beyond the bound of operating credit goes back to work.
    fn return_surplus(&mut self) {
        let bound = operating_bound(&self.state.ledger, &self.prices, self.state.core.age.age());
        let amount = return_surplus(&mut self.state.ledger, bound);
        if amount > Usdc::ZERO {
            self.tell(LifeFact::Returned { amount });
        }
    }

    fn pay_rent(&mut self) {
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
            self.tell(LifeFact::Paid { purpose: paid.purpose, amount: paid.amount });
        }
    }

    fn watch_drawdown(&mut self) {
        // Gas is a cost of trading; the rest is the cost of living.
        self.state.cage.lived(self.state.ledger.this_turn.minus(self.turn.gas));
        let (tick, now, nav, mut told) = (self.state.core.tick, self.state.core.age, self.balance(), Vec::new());
        self.state.cage.see(now, tick, nav, &self.genesis.settings.cage, &mut told);
        self.tell_of_cage(told);
    }
}
