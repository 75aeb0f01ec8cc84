//! Dying: the stages between the record of a death and its end, how long they may take, and what may be spent in them.
//!
//! Death is recorded first and final last. Whoever comes back after a crash goes on with the stage that was next; no stage
//! is skipped, and none can keep a golem from its end.

use crate::config::DyingConfig;
use crate::death::DeathCause;
use golem_core::Usdc;
use serde::{Deserialize, Serialize};

/// What a golem does between the record of its death and the end. The order is fixed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DyingStage {
    /// It stops wanting, and what is left becomes its legacy.
    Acceptance,
    /// What is open is closed, in as many turns as it takes and may take.
    Settlement,
    /// What it has goes home to its owner. It may take some turns, too.
    Homecoming,
    /// It looks back: the testament.
    Reflection,
    /// What it learnt from its death is left behind.
    Legacy,
    /// The last words.
    Farewell,
}

impl DyingStage {
    /// All of them, in their order.
    pub const ALL: [Self; 6] =
        [Self::Acceptance, Self::Settlement, Self::Homecoming, Self::Reflection, Self::Legacy, Self::Farewell];
    /// The first one.
    pub const FIRST: Self = Self::Acceptance;

    /// The stage after this one; none after the last.
    #[must_use]
    pub fn next(self) -> Option<Self> {
        Self::ALL.into_iter().find(|stage| *stage > self)
    }

    /// The word used in facts and on screens.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Acceptance => "acceptance",
            Self::Settlement => "settlement",
            Self::Homecoming => "homecoming",
            Self::Reflection => "reflection",
            Self::Legacy => "legacy",
            Self::Farewell => "farewell",
        }
    }
}

impl DyingConfig {
    /// Turns that settlement may take after such a death: chance gives no warning, and takes the short way.
    #[must_use]
    pub fn settlement_for(&self, cause: &DeathCause) -> u32 {
        let wanted = match cause {
            DeathCause::Stochastic { .. } => self.sudden_settlement_turns,
            _ => self.settlement_turns,
        };
        // Every other stage has its turn, whatever the settings say; and in one turn nothing could be sold that has to be
        // taken out of a pool first.
        let others = DyingStage::ALL.len() as u32 - 1;
        wanted.min(self.max_turns.saturating_sub(others)).max(2)
    }

    /// Turns that going home may take beside such a settlement.
    #[must_use]
    pub fn home_for(&self, settlement: u32) -> u32 {
        let others = DyingStage::ALL.len() as u32 - 2;
        self.home_turns.min(self.max_turns.saturating_sub(settlement).saturating_sub(others)).max(1)
    }
}

/// How much there is to die with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DeathTier {
    /// Below a tenth of a dollar: nothing is left for looking back.
    Necrotic,
    /// Below a dollar.
    Standard,
    /// A dollar and more.
    Rich,
}

/// What the reserve is divided into at the end, in micro-USDC.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeathBudget {
    pub tier: DeathTier,
    /// What there is in all.
    #[serde(rename = "total_micro_usdc")]
    pub total: Usdc,
    /// For gas of the settlement.
    #[serde(rename = "settlement_micro_usdc")]
    pub settlement: Usdc,
    /// For looking back with a model; rules cost nothing.
    #[serde(rename = "reflection_micro_usdc")]
    pub reflection: Usdc,
    /// For leaving it to others.
    #[serde(rename = "legacy_micro_usdc")]
    pub legacy: Usdc,
}

impl DeathBudget {
    /// Divide what there is. A settlement may always cost what the reserve was locked for.
    #[must_use]
    pub fn of(total: Usdc, positions: u32, unwinding_gas: Usdc) -> Self {
        let cents = |each: u64, positions: u32| Usdc(each * 10_000 * (u64::from(positions) + 1));
        let (tier, settlement, legacy) = if total < Usdc(100_000) {
            (DeathTier::Necrotic, total.share_bps(5_000), total.share_bps(5_000))
        } else if total < Usdc::whole(1) {
            (DeathTier::Standard, cents(2, positions).min(total.share_bps(2_000)), total.share_bps(3_500))
        } else {
            (DeathTier::Rich, cents(5, positions).min(total.share_bps(1_500)), total.share_bps(2_500))
        };
        let reflection = match tier {
            DeathTier::Necrotic => Usdc::ZERO,
            _ => total.minus(settlement).minus(legacy),
        };
        let needed = if positions == 0 { Usdc::ZERO } else { Self::gas_for(unwinding_gas, 1) };
        Self { tier, total, settlement: settlement.max(needed), reflection, legacy }
    }

    /// What unwinding in so many parts may cost: twice the gas that it is said to cost for each of them, since gas moves and
    /// an act may have to be tried again.
    #[must_use]
    pub fn gas_for(unwinding_gas: Usdc, parts: u64) -> Usdc {
        unwinding_gas.ratio(parts.saturating_mul(2), 1)
    }
}

impl DeathTier {
    /// The word used in facts and on screens.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Necrotic => "necrotic",
            Self::Standard => "standard",
            Self::Rich => "rich",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_stages_follow_each_other_and_end() {
        let mut stage = Some(DyingStage::FIRST);
        let walked: Vec<_> = std::iter::from_fn(|| stage.inspect(|s| stage = s.next())).collect();
        assert_eq!(walked, DyingStage::ALL);
        for stage in DyingStage::ALL {
            assert_eq!(golem_core::plain::word(&stage), stage.name());
        }
    }

    #[test]
    fn the_reserve_is_divided_by_what_there_is() {
        let of = |total: u64, positions: u32| DeathBudget::of(Usdc(total), positions, Usdc::ZERO);
        let parts = |b: DeathBudget| (b.tier, b.settlement.0, b.reflection.0, b.legacy.0);
        assert_eq!(parts(of(99_999, 1)), (DeathTier::Necrotic, 49_999, 0, 49_999));
        assert_eq!(parts(of(100_000, 0)), (DeathTier::Standard, 20_000, 45_000, 35_000));
        assert_eq!(parts(of(999_999, 9)), (DeathTier::Standard, 199_999, 450_001, 349_999));
        assert_eq!(parts(of(1_000_000, 0)), (DeathTier::Rich, 50_000, 700_000, 250_000));
        assert_eq!(parts(of(10_000_000, 2)), (DeathTier::Rich, 150_000, 7_350_000, 2_500_000));
        // What unwinding costs is what the reserve is for; without anything open nothing is kept for it.
        assert_eq!(DeathBudget::of(Usdc::whole(10), 2, Usdc(900_000)).settlement, Usdc(1_800_000));
        assert_eq!(DeathBudget::of(Usdc::whole(10), 0, Usdc(900_000)).settlement, Usdc(50_000));
    }

    #[test]
    fn chance_takes_the_short_way_and_no_setting_takes_the_other_stages_away() {
        let chance = DeathCause::Stochastic {
            hazard_rate: 0.1,
            death_roll: 0.0,
            tick_at_death: 1,
            epistemic_fitness: 0.5,
            credit_balance: Usdc::ZERO,
            was_in_senescence: false,
            death_probability: 0.1,
        };
        let owner = DeathCause::OwnerKill { reason: String::new() };
        let config = DyingConfig::default();
        assert_eq!((config.settlement_for(&chance), config.settlement_for(&owner)), (12, 30));
        let tight = DyingConfig { max_turns: 7, ..config };
        assert_eq!((tight.settlement_for(&chance), tight.settlement_for(&owner)), (2, 2));
        assert_eq!((config.home_for(30), config.home_for(12), tight.home_for(2)), (6, 6, 1));
        assert_eq!((config.home_for(40), DyingConfig { home_turns: 0, ..config }.home_for(2)), (1, 1));
        assert_eq!(DyingConfig { max_turns: 0, ..tight }.settlement_for(&owner), 2);
    }

    proptest! {
        #[test]
        fn what_is_divided_is_never_more_than_there_is(total in 0u64..=10_000_000_000, positions in 0u32..=9) {
            let b = DeathBudget::of(Usdc(total), positions, Usdc::ZERO);
            prop_assert!(b.settlement.plus(b.reflection).plus(b.legacy) <= b.total);
        }
    }
}
