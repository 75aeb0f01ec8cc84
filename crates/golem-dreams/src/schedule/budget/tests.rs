//! What dreams may cost.

use super::*;
use crate::config::DreamMoney;
use crate::schedule::testing::config;
use BehavioralPhase::*;
use proptest::prelude::*;

const RICH: Usdc = Usdc(u64::MAX);

fn chosen(nrem: f64, rem: f64, integration: f64) -> DreamPhasesConfig {
    DreamPhasesConfig {
        nrem_allocation: Some(nrem),
        rem_allocation: Some(rem),
        integration_allocation: Some(integration),
    }
}

#[test]
fn the_seeds_shares_by_phase() {
    for (phase, shares) in [
        (Thriving, [10, 34, 30, 21, 5]),
        (Stable, [10, 30, 30, 25, 5]),
        (Conservation, [10, 25, 20, 40, 5]),
        (Declining, [10, 20, 16, 49, 5]),
        (Terminal, [10, 16, 12, 57, 5]),
    ] {
        assert_eq!(shares.iter().sum::<u64>(), 100);
        assert_eq!(split(100, phase, &DreamPhasesConfig::default()), shares, "{phase}");
        let stages = stage_budgets(Usdc(1_000), phase, &DreamPhasesConfig::default());
        assert_eq!(stages.map(|(stage, _)| stage), DreamPhase::ALL);
        assert_eq!(stages.map(|(_, usdc)| usdc.0), shares.map(|s| s * 10));
    }
}

#[test]
fn the_owners_shares_divide_what_onset_and_return_leave() {
    for phase in BehavioralPhase::ALL {
        assert_eq!(split(10_000, phase, &chosen(0.45, 0.35, 0.20)), [1_000, 3_825, 2_975, 1_700, 500]);
        assert_eq!(split(100, phase, &chosen(1.0, 0.0, 0.0)), [10, 85, 0, 0, 5]);
    }
    let partial = DreamPhasesConfig { nrem_allocation: Some(1.0), ..DreamPhasesConfig::default() };
    assert_eq!(split(100, Stable, &partial), split(100, Stable, &DreamPhasesConfig::default()));
}

#[test]
fn what_cannot_be_divided_goes_to_whom_most_is_owed() {
    for (total, parts) in [(0, [0; 5]), (1, [0, 1, 0, 0, 0]), (2, [0, 1, 1, 0, 0]), (7, [1, 2, 2, 2, 0])] {
        assert_eq!(split(total, Stable, &DreamPhasesConfig::default()), parts, "{total}");
    }
}

proptest! {
    #[test]
    fn no_unit_is_lost_or_made(total: u64, phase in 0usize..5, nrem in 0.0..=1.0f64, rem: f64, own: bool) {
        let shares = if own { chosen(nrem, rem, 1.0 - nrem - rem) } else { DreamPhasesConfig::default() };
        let parts = split(total, BehavioralPhase::ALL[phase], &shares);
        prop_assert_eq!(parts.iter().map(|p| u128::from(*p)).sum::<u128>(), u128::from(total));
    }

    #[test]
    fn the_floor_is_kept_to_the_last_unit(purse in 0u64..1 << 40, rest in 0u64..1 << 40, floor in 0.0..1.0f64) {
        let credit = purse + rest;
        let room = room_above_floor(Usdc(purse), Usdc(credit), floor).0;
        let share = |x: u64| (purse - x) as f64 / (credit - x).max(1) as f64;
        prop_assert!(room <= purse);
        prop_assert!(room == 0 || room == purse || share(room) >= floor - 1e-9);
        // And not much more could have been spent.
        let more = room + room / 1_000 + credit / 1_000 + 10;
        prop_assert!(more >= purse || share(more) < floor);
    }
}

#[test]
fn a_purse_at_the_floor_has_no_room() {
    for (purse, credit, room) in [(150, 1_000, 0), (149, 1_000, 0), (600_000, 1_000_000, 529_411), (0, 0, 0), (7, 7, 5)]
    {
        assert_eq!(room_above_floor(Usdc(purse), Usdc(credit), 0.15).0, room, "{purse} of {credit}");
    }
    assert_eq!(room_above_floor(Usdc(10), Usdc(10), 1.0), Usdc::ZERO);
    assert_eq!(room_above_floor(RICH, RICH, f64::NAN), RICH);
}

#[test]
fn the_smallest_cap_wins() {
    use BudgetCap::{Cycle, Month, Phase, Purse, Session};
    use DreamTier::{Core, Hardened};
    let cents = |n: u64| Usdc(n * 10_000);
    for (tier, phase, month, session, purse, amount, cap) in [
        (Hardened, Thriving, 0, 0, 10_000, 50, Cycle),
        (Hardened, Stable, 0, 0, 10_000, 30, Phase),
        (Hardened, Declining, 0, 0, 10_000, 5, Phase),
        (Hardened, Stable, 0, 180, 10_000, 20, Session),
        (Hardened, Stable, 1_490, 180, 10_000, 10, Month),
        (Hardened, Stable, 1_600, 0, 10_000, 0, Month),
        (Hardened, Stable, 0, 0, 7, 7, Purse),
        // Cycle, session and phase do not bind a core cycle; the month does.
        (Core, Stable, 0, 199, 10_000, 1_500, Month),
        (Core, Stable, 1_499, 0, 10_000, 1, Month),
        (Core, Stable, 0, 0, 3, 3, Purse),
    ] {
        let budget = DreamBudget { spent_this_month: cents(month), ..DreamBudget::default() };
        let length = DreamLength::of(phase, 1.0);
        let found = budget.allowance(tier, length, &config(), cents(session), cents(purse));
        assert_eq!((found.amount, found.bound_by), (cents(amount), cap), "{tier:?} {phase} {month} {session} {purse}");
    }
}

#[test]
fn a_spent_cap_closes_and_a_free_cycle_stays_open() {
    let length = DreamLength::of(Stable, 1.0);
    let spent = DreamBudget { spent_this_month: Usdc::whole(15), ..DreamBudget::default() };
    let closed = |budget: &DreamBudget, tier, config: &DreamConfig, session: Usdc| {
        budget.closed_by(tier, length, config, session).map(|c| (c.bound_by, c.limit))
    };
    for tier in [DreamTier::Core, DreamTier::Hardened] {
        assert_eq!(closed(&spent, tier, &config(), Usdc::ZERO), Some((BudgetCap::Month, Usdc::whole(15))));
        assert_eq!(closed(&DreamBudget::default(), tier, &config(), Usdc::ZERO), None);
    }
    let session = Usdc::whole(2);
    let bill = Some((BudgetCap::Session, Usdc::whole(2)));
    assert_eq!(closed(&DreamBudget::default(), DreamTier::Hardened, &config(), session), bill);
    assert_eq!(closed(&DreamBudget::default(), DreamTier::Core, &config(), session), None);
    let mut stingy = config();
    stingy.budget.monthly_max = DreamMoney::Known(Usdc::ZERO);
    assert_eq!(closed(&DreamBudget::default(), DreamTier::Core, &stingy, Usdc::ZERO), None);
    assert!(closed(&DreamBudget::default(), DreamTier::Hardened, &stingy, Usdc::ZERO).is_some());
}

#[test]
fn a_month_is_thirty_days_of_its_life() {
    let mut budget = DreamBudget::default();
    let day = |d: u64| VirtualTime(d * 86_400_000);
    budget.at(day(0));
    budget.book(Usdc(7));
    budget.at(VirtualTime(day(30).0 - 1));
    assert_eq!(budget.spent_this_month, Usdc(7));
    budget.at(day(30));
    budget.book(Usdc(5));
    assert_eq!((budget.spent_this_month, budget.spent_since_birth), (Usdc(5), Usdc(12)));
}
