//! Where dying has come to: what may be spent, what was closed, what was tried in vain. It is part of the state, so that
//! whoever comes back after a crash goes on where it was.

use golem_core::{Hash, Usdc};
use golem_grimoire::testament::{HomeReport, OpenHolding, SettlementAct, SettlementReport};
use golem_mortality::dying::DeathBudget;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Where dying has come to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Deathbed {
    /// Turns of dying so far.
    pub turns: u32,
    pub budget: DeathBudget,
    pub settlement: SettlementReport,
    /// What was tried in vain: how often, and why it failed last.
    pub tried: BTreeMap<OpenHolding, Vain>,
    /// The most of the asset that is sold at once, where all of it was too much for the pool.
    pub piece: Option<u128>,
    /// How its money goes home.
    pub home: HomeReport,
    /// What could not be sent home, by name: how often it was tried, and why it failed last.
    pub stranded: BTreeMap<String, Vain>,
    /// The checksum of what it has written.
    pub testament: Option<Hash>,
}

/// What was tried in vain.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct Vain {
    pub attempts: u32,
    pub why: String,
    /// No later turn can change that.
    pub for_good: bool,
}

impl Vain {
    /// Once more, and why.
    pub(crate) fn again(&mut self, why: String, for_good: bool) {
        self.attempts = self.attempts.saturating_add(1);
        (self.why, self.for_good) = (why, for_good);
    }
}

impl Deathbed {
    pub(crate) fn new(budget: DeathBudget, most_turns: u32, home_turns: u32) -> Self {
        let settlement = SettlementReport { gas_limit: budget.settlement, most_turns, ..SettlementReport::default() };
        let home = HomeReport { most_turns: home_turns, ..HomeReport::default() };
        let (tried, stranded) = (BTreeMap::new(), BTreeMap::new());
        Self { turns: 0, budget, settlement, tried, piece: None, home, stranded, testament: None }
    }
    /// What gas may still cost.
    pub(crate) fn gas_left(&self) -> Usdc {
        self.settlement.gas_limit.minus(self.settlement.gas)
    }
    /// Something was closed.
    pub(crate) fn closed(&mut self, act: SettlementAct) {
        let report = &mut self.settlement;
        report.settled = report.settled.plus(act.got);
        report.actions.push(act);
    }
    /// Something was tried in vain.
    pub(crate) fn failed(&mut self, what: OpenHolding, why: String, for_good: bool) {
        self.tried.entry(what).or_default().again(why, for_good);
    }
    /// Whether it is no use to try again.
    pub(crate) fn is_hopeless(&self, what: OpenHolding) -> bool {
        self.tried.get(&what).is_some_and(|vain| vain.for_good)
    }
    /// Whether there is no turn left to settle in.
    pub(crate) fn is_out_of_turns(&self) -> bool {
        self.settlement.turns >= self.settlement.most_turns
    }
}
