//! The trial of a proposal: its steps, its chances and its end.

use crate::kit::DAY;
use crate::staging::world::{FEES, GAS, TICK, World, draft, seen};
use golem_core::VirtualTime;
use golem_core::observed::{Field, Snapshot};
use golem_grimoire::admission::NoNeighbours;
use golem_grimoire::change::{Change, NamedTable};
use golem_grimoire::staging::{ProposalStatus, Staged, Swept};

#[test]
fn steps_are_a_tenth_up_and_a_twentieth_down() {
    let mut world = World::new(vec![draft(GAS, FEES)]);
    let mut steps = Vec::new();
    for fees in [3.0, 1.0, 3.0, 1.0, 1.0] {
        world.check(fees);
        steps.push(world.staging.proposals().next().map(|p| p.confidence_bp));
    }
    assert_eq!(steps, [3_500, 3_000, 4_000, 3_500, 3_000].map(Some));
}

#[test]
fn five_confirmations_in_a_row_promote_and_four_do_not() {
    let mut d = draft(GAS, FEES);
    d.confidence_bp = 2_000;
    let mut world = World::new(vec![d]);
    for _ in 0..4 {
        assert!(world.check(3.0).ripe.is_empty());
    }
    let swept = world.check(3.0);
    assert_eq!(swept.ripe.len(), 1);
    let (proposal, now) = (&swept.ripe[0], world.now());
    assert_eq!((proposal.confidence_bp, proposal.trial.hits, proposal.trial.misses), (7_000, 5, 0));
    let settled = world.staging.settle(&mut world.shelf, &swept, &NoNeighbours, now);
    assert_eq!(settled.promoted.len(), 1);
    let entry = world.shelf.active().next().expect("it is in use");
    assert_eq!(
        (entry.standing.confidence_bp, entry.standing.validated, entry.standing.own_validation),
        (7_000, 5, true)
    );
    assert_eq!((entry.body.learnt_at, entry.standing.last_validated), (now, now), "known from now on, not from before");
    assert_eq!(world.staging.proposals().count(), 0);
}

#[test]
fn confirmations_are_a_horizon_apart() {
    // A claim of twenty ticks in weather that always confirms it: five confirmations take five times ninety ticks.
    let mut world = World::new(vec![draft(GAS, FEES)]);
    while world.turn(&seen(3.0, 3.0)).ripe.is_empty() {
        assert!(world.tick < 2_000);
    }
    assert!((4 * 90 + 20..=4 * 100 + 40).contains(&world.tick), "{}", world.tick);
    // A claim with a longer horizon waits for its own.
    let mut long = draft(GAS, FEES);
    long.claim.after_ticks = 200;
    let mut world = World::new(vec![long]);
    while world.turn(&seen(3.0, 3.0)).ripe.is_empty() {
        assert!(world.tick < 4_000);
    }
    assert!((5 * 200..=5 * 215).contains(&world.tick), "{}", world.tick);
}

#[test]
fn a_high_base_rate_needs_more_than_five() {
    let mut d = draft(GAS, FEES);
    d.base_rate = 0.6;
    let mut world = World::new(vec![d]);
    let mut needed = 0;
    while world.check(3.0).ripe.is_empty() {
        needed += 1;
        assert!(needed < 40);
    }
    assert!(needed >= 8, "{needed}: seven hits in a row are one in thirty-six at this base rate");
}

#[test]
fn refuted_below_a_tenth_and_not_staged_again_for_a_week() {
    let mut world = World::new(vec![draft(GAS, FEES)]);
    let mut last = Swept::default();
    for n in 0..4 {
        assert!(last.refuted.is_empty(), "{n}");
        last = world.check(1.0);
    }
    assert_eq!(last.refuted.len(), 1);
    assert!(matches!(last.refuted[0].status, ProposalStatus::Refuted(_)));
    let at = world.now();
    // The file hears of it in the same turn, or a restart would bring it back.
    world.staging.settle(&mut world.shelf, &last, &NoNeighbours, at);
    let rows = world.shelf.take_changes();
    assert!(
        matches!(rows.as_slice(), [Change::Row { table: NamedTable::Proposal, body, .. }] if body.contains("refuted")),
        "{rows:?}"
    );
    let again = |world: &mut World, now| world.staging.stage(&world.shelf, draft(GAS, FEES), now);
    assert!(matches!(again(&mut world, at), Staged::FailedLately(_)));
    assert!(matches!(again(&mut world, VirtualTime(at.0 + 7 * DAY)), Staged::Added(_)));
}

#[test]
fn a_proposal_expires_by_chances_or_after_thirty_days() {
    // Half of the chances come true: it neither rises above its base rate nor falls.
    let mut d = draft(GAS, FEES);
    d.base_rate = 0.6;
    let mut world = World::new(vec![d]);
    let mut expired = Vec::new();
    let mut n = 0_u64;
    while expired.is_empty() {
        n += 1;
        // High and low fees in blocks, so that checks come out both ways.
        let swept = world.turn(&seen(3.0, if (n / 97).is_multiple_of(2) { 3.0 } else { 1.0 }));
        assert!(swept.ripe.is_empty() && swept.refuted.is_empty(), "{swept:?}");
        expired = swept.expired;
        assert!(n < 20_000);
    }
    assert_eq!(expired[0].trial.opportunities, 120);
    // One whose condition never holds goes by age.
    let mut world = World::new(vec![draft(GAS, FEES)]);
    world.tick = 30 * DAY / TICK - 20;
    assert!((0..15).all(|_| world.turn(&seen(1.0, 1.0)).expired.is_empty()));
    let expired: usize = (0..20).map(|_| world.turn(&seen(1.0, 1.0)).expired.len()).sum();
    assert_eq!(expired, 1);
}

#[test]
fn what_is_not_observed_or_falls_due_while_nobody_looked_says_nothing() {
    let mut world = World::new(vec![draft(GAS, FEES)]);
    let mut gas_only = Snapshot::new();
    gas_only.set_number(Field::MarketGasRatio, 3.0).expect("a number");
    for _ in 0..60 {
        world.turn(&gas_only);
    }
    let trial = world.staging.proposals().next().expect("open").trial;
    assert_eq!((trial.opportunities, trial.hits, trial.misses, trial.unclear), (1, 0, 0, 1));
    // Open a check, then sleep past it.
    let opened = |w: &World| w.staging.proposals().next().is_some_and(|p| p.trial.due.is_some());
    while !opened(&world) {
        world.turn(&seen(3.0, 3.0));
    }
    world.tick += 500;
    world.turn(&seen(3.0, 3.0));
    let trial = world.staging.proposals().next().expect("open").trial;
    assert_eq!((trial.hits, trial.unclear), (0, 2));
}

#[test]
fn a_falsification_criterion_of_its_own_leaves_room_in_between() {
    let mut d = draft(GAS, FEES);
    d.claim.unless = Some("market.fee_yield_ratio < 1.0".to_owned());
    let mut world = World::new(vec![d]);
    for (fees, expected) in [(3.0, 3_500), (1.5, 3_500), (0.5, 3_000)] {
        world.check(fees);
        assert_eq!(world.staging.proposals().next().map(|p| p.confidence_bp), Some(expected), "{fees}");
    }
}
