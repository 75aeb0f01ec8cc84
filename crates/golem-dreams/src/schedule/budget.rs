//! What dreams may cost: caps on a cycle, a session and a month, of which the smallest wins, and how a cycle's budget
//! is shared out among its five stages without losing a unit.
//!
//! A month is thirty days of the golem's own time, counted from its birth: a replayed life is allowed exactly what it
//! was allowed then, and no zone decides when a month ends. Sessions are counted by [`super::session`].

use crate::config::{DreamConfig, DreamPhasesConfig};
use crate::schedule::duration::DreamLength;
use crate::state::{DreamPhase, DreamTier};
use golem_core::{Usdc, VirtualTime};
use golem_mortality::BehavioralPhase;
use serde::{Deserialize, Serialize};

pub const DAYS_OF_MONTH: u64 = 30;

/// Which cap binds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BudgetCap {
    Month,
    Session,
    Cycle,
    /// What its phase of life gives a cycle.
    Phase,
    /// What is there to spend at all.
    Purse,
}

impl BudgetCap {
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Month => "month's",
            Self::Session => "session's",
            Self::Cycle => "cycle's",
            Self::Phase => "phase's",
            Self::Purse => "purse's",
        }
    }
    pub(crate) fn lifted_by(self) -> &'static str {
        match self {
            Self::Month => "the next thirty days of its life, or dream.budget.monthly_max",
            Self::Session => "the next window, or dream.budget.per_session_max",
            Self::Cycle => "dream.budget.per_cycle_max",
            Self::Phase => "a better phase of life",
            Self::Purse => "feeding, or profit that refills operating credit",
        }
    }
}

/// What a cycle may cost, and which cap says so.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CycleAllowance {
    pub amount: Usdc,
    pub bound_by: BudgetCap,
    /// The cap itself, of which `amount` is what is left.
    pub limit: Usdc,
}

/// What dreams have cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct DreamBudget {
    month: u64,
    pub spent_this_month: Usdc,
    pub spent_since_birth: Usdc,
}

impl DreamBudget {
    /// A new month forgets what the last one cost.
    pub fn at(&mut self, now: VirtualTime) {
        let month = now.day() / DAYS_OF_MONTH;
        if month != self.month {
            (self.month, self.spent_this_month) = (month, Usdc::ZERO);
        }
    }
    pub fn book(&mut self, cost: Usdc) {
        for spent in [&mut self.spent_this_month, &mut self.spent_since_birth] {
            *spent = spent.plus(cost);
        }
    }
    /// What the next cycle may cost: the smallest of all caps, the first of equals. Session, cycle and phase bind the
    /// hardened tier; a core cycle costs next to nothing. `in_session` is what the session has cost so far, `purse`
    /// what there is to spend.
    #[must_use]
    pub fn allowance(
        &self,
        tier: DreamTier,
        length: DreamLength,
        config: &DreamConfig,
        in_session: Usdc,
        purse: Usdc,
    ) -> CycleAllowance {
        let of = |money: &crate::config::DreamMoney| money.usdc();
        let (month, session, cycle) =
            (of(&config.budget.monthly_max), of(&config.budget.per_session_max), of(&config.budget.per_cycle_max));
        let caps = [
            (BudgetCap::Month, month, month.minus(self.spent_this_month), true),
            (BudgetCap::Session, session, session.minus(in_session), tier == DreamTier::Hardened),
            (BudgetCap::Cycle, cycle, cycle, tier == DreamTier::Hardened),
            (BudgetCap::Phase, length.budget, length.budget, tier == DreamTier::Hardened),
            (BudgetCap::Purse, purse, purse, true),
        ];
        let binding = caps.into_iter().filter(|cap| cap.3).min_by_key(|cap| cap.2);
        let (bound_by, limit, amount, _) = binding.unwrap_or((BudgetCap::Purse, purse, Usdc::ZERO, true));
        CycleAllowance { amount, bound_by, limit }
    }
    /// The cap that keeps the next cycle from opening. A core cycle needs no money, so only a month that has been spent
    /// closes it.
    #[must_use]
    pub fn closed_by(
        &self,
        tier: DreamTier,
        length: DreamLength,
        config: &DreamConfig,
        in_session: Usdc,
    ) -> Option<CycleAllowance> {
        let allowed = self.allowance(tier, length, config, in_session, Usdc(u64::MAX));
        let needs_money = tier == DreamTier::Hardened || self.spent_this_month > Usdc::ZERO;
        (allowed.amount == Usdc::ZERO && needs_money).then_some(allowed)
    }
}

/// What may be spent of the purse for models before less than `floor` of the operating credit stands in it. Spending
/// makes both smaller, so that of what lies above the floor a little more than that may go.
#[must_use]
pub fn room_above_floor(purse: Usdc, credit: Usdc, floor: f64) -> Usdc {
    const WHOLE: u128 = 1_000_000;
    let floor = (golem_core::Unit::clamped(floor).get() * WHOLE as f64).ceil() as u128;
    let kept = (u128::from(credit.0.max(purse.0)) * floor).div_ceil(WHOLE);
    let above = u128::from(purse.0).saturating_sub(kept);
    let room = if floor >= WHOLE { 0 } else { above * WHOLE / (WHOLE - floor) };
    Usdc(u64::try_from(room).unwrap_or(u64::MAX)).min(purse)
}

/// Shares of the five stages in a hundredth, in the order of [`DreamPhase::ALL`]. Onset and return are the same for
/// all; between them the old explore less and keep more. Rows from worst to best, like [`BehavioralPhase::ALL`].
const SHARES: [[u32; 5]; 5] =
    [[10, 16, 12, 57, 5], [10, 20, 16, 49, 5], [10, 25, 20, 40, 5], [10, 30, 30, 25, 5], [10, 34, 30, 21, 5]];

/// `total` of anything (money, tokens, runs) shared out among the stages: the parts sum to it exactly. What cannot be
/// divided goes to the stages that are owed most of it.
#[must_use]
pub fn split(total: u64, phase: BehavioralPhase, chosen: &DreamPhasesConfig) -> [u64; 5] {
    let weights = weights(phase, chosen);
    let all: u128 = weights.iter().sum();
    let owed = weights.map(|w| u128::from(total) * w);
    // Each part is at most `total`.
    let mut parts = owed.map(|o| u64::try_from(o / all).unwrap_or(total));
    let mut left = total - parts.iter().sum::<u64>();
    let mut order: Vec<usize> = (0..parts.len()).collect();
    order.sort_by_key(|&i| (std::cmp::Reverse(owed[i] % all), i));
    for i in order.into_iter().cycle().take(parts.len()) {
        let unit = left.min(1);
        (parts[i], left) = (parts[i] + unit, left - unit);
    }
    parts
}

/// A cycle's money by stage.
#[must_use]
pub fn stage_budgets(amount: Usdc, phase: BehavioralPhase, chosen: &DreamPhasesConfig) -> [(DreamPhase, Usdc); 5] {
    let parts = split(amount.0, phase, chosen);
    std::array::from_fn(|i| (DreamPhase::ALL[i], Usdc(parts[i])))
}

/// Weights in a millionth of a hundredth; the owner's shares divide what onset and return leave.
fn weights(phase: BehavioralPhase, chosen: &DreamPhasesConfig) -> [u128; 5] {
    const FINE: u128 = 1_000_000;
    let row = SHARES[phase as usize].map(u128::from);
    let between = row[1] + row[2] + row[3];
    let Some([nrem, rem, _]) = chosen.chosen() else { return row.map(|share| share * FINE) };
    let fine = |share: f64| (golem_core::Unit::clamped(share).get() * FINE as f64).round() as u128;
    let nrem = fine(nrem);
    let rem = fine(rem).min(FINE - nrem);
    [row[0] * FINE, between * nrem, between * rem, between * (FINE - nrem - rem), row[4] * FINE]
}

#[cfg(test)]
mod tests;
