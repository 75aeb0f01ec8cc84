//! A turn costs: rent is paid, the drawdown is watched, the purses are evened out.

use crate::fact::LifeFact;
use crate::life::Life;
use golem_core::Elapsed;
use golem_mortality::MortalityFact;
use golem_mortality::economic::rebalance::rebalance;
use golem_mortality::economic::{Prices, Purpose};

/// Insurance snapshots fall due every six virtual hours.
const SNAPSHOT_PERIOD: Elapsed = Elapsed::secs(6 * 3_600);
const DAY: Elapsed = Elapsed::secs(86_400);
const HOUR: Elapsed = Elapsed::secs(3_600);

impl Life {
    pub(crate) fn pay(&mut self) {
        self.pay_rent();
        self.watch_drawdown();
        let core = &self.state.core;
        self.state.ledger.burn.tick(self.state.ledger.this_turn, core.interval);
        if let Some(moved) = rebalance(&mut self.state.ledger, core.tick) {
            self.turn.mortality.push(MortalityFact::Rebalance(moved));
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
