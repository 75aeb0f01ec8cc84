//! What dreams propose: it counts in rows of its own, is checked while other checks are open, and is believed as far as reality
//! confirmed it.

use crate::kit::{claim, claiming};
use crate::staging::world::{FEES, GAS, World, draft, seen};
use golem_core::{Elapsed, VirtualTime};
use golem_grimoire::admission::NoNeighbours;
use golem_grimoire::change::Remembered;
use golem_grimoire::experts::LevelShare;
use golem_grimoire::staging::{ProposalDraft, Proposed, Staging, Swept};
use golem_grimoire::{Claim, EntryBody, Provenance};

/// Hours after its cause, by a dream.
fn far(when: &str) -> ProposalDraft {
    let body = EntryBody { provenance: Provenance::Dream, ..claiming(when, FEES) };
    ProposalDraft {
        change: Proposed::Entry(Box::new(body)),
        claim: claim(when, FEES, 300),
        source: Provenance::Dream,
        among: LevelShare::Dreamt,
        ..draft(when, FEES)
    }
}

#[test]
fn what_is_found_awake_is_proven_as_if_nobody_dreamt() {
    let awake = |n: usize| draft(&format!("market.gas_ratio > {n}.5"), FEES);
    let made_up =
        |n: usize| ProposalDraft { among: LevelShare::Imagined, ..far(&format!("market.gas_ratio > {n}.25")) };
    let world = World::new(vec![awake(1), far(GAS), made_up(2), awake(3), made_up(4), made_up(5), awake(6)]);
    let levels: Vec<f64> = world.staging.proposals().map(golem_grimoire::staging::Proposal::level).collect();
    let (staged, dreamt, imagined) = (LevelShare::Staged, LevelShare::Dreamt, LevelShare::Imagined);
    let expected = [
        staged.level(1),
        dreamt.level(1),
        imagined.level(1),
        staged.level(2),
        imagined.level(2),
        imagined.level(3),
        staged.level(3),
    ];
    assert!(levels.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-15), "{levels:?}");
    assert_eq!(world.staging.proposals().next().map(|p| p.row), Some(None), "before any dream there is one row");
}

#[test]
fn checks_of_what_was_dreamt_are_opened_while_others_are_open() {
    let opened = |among| {
        let mut world = World::new(vec![ProposalDraft { among, ..far(GAS) }]);
        for _ in 0..290 {
            world.turn(&seen(3.0, 1.0));
        }
        world.staging.proposals().next().map(|p| p.trial.opportunities)
    };
    assert_eq!(opened(LevelShare::Staged), Some(1), "it waits for the first to fall due");
    assert_eq!(opened(LevelShare::Imagined), Some(1));
    assert_eq!(opened(LevelShare::Dreamt), Some(290 / 90 + 1));
}

/// Which way the price moved is settled when the next move begins; what lasts, or is not held against its opposite, is asked a
/// horizon of a forecast later.
#[test]
fn a_move_one_way_is_checked_again_as_soon_as_the_last_one_is_over() {
    let opened = |among, then: &str, unless: Option<&str>, after_ticks| {
        let claim = Claim { unless: unless.map(str::to_owned), ..claim(GAS, then, after_ticks) };
        let change = Proposed::Entry(Box::new(EntryBody { claim: Some(claim.clone()), ..claiming(GAS, then) }));
        let mut world = World::new(vec![ProposalDraft { change, claim, among, ..far(GAS) }]);
        for _ in 0..290 {
            world.turn(&seen(3.0, 1.0));
        }
        world.staging.proposals().next().map(|p| p.trial.opportunities)
    };
    let (dreamt, a_horizon) = (LevelShare::Dreamt, Some(290 / 90 + 1));
    let (up, down) = ("market.return_15 > 0.002", Some("market.return_15 < -0.002"));
    // It is asked in every tenth turn.
    assert_eq!(opened(dreamt, up, down, 15), Some(290 / 20 + 1));
    assert_eq!(opened(dreamt, up, down, 300), Some(9), "no more are open at once");
    assert_eq!(opened(dreamt, "market.return_90 > 0.002", Some("market.return_90 < -0.002"), 90), a_horizon);
    assert_eq!(opened(dreamt, up, None, 15), a_horizon, "that it is high at all may last");
    assert_eq!(opened(dreamt, up, Some("market.return_90 < -0.002"), 15), a_horizon, "another field");
    assert_eq!(opened(dreamt, FEES, Some("market.fee_yield_ratio < 0.5"), 15), a_horizon, "a state");
    assert_eq!(opened(LevelShare::Staged, up, down, 15), a_horizon, "what is found awake");
}

#[test]
fn open_checks_come_back_from_a_checkpoint() {
    let mut world = World::new(vec![far(GAS)]);
    for _ in 0..250 {
        world.turn(&seen(3.0, 3.0));
    }
    world.staging.write_rows(&mut world.shelf, true);
    let rows = world.shelf.take_changes().into_iter().filter_map(|change| match change {
        golem_grimoire::change::Change::Row { table, key, body, .. } => Some((table, key, body)),
        _ => None,
    });
    let remembered = Remembered { rows: rows.collect(), ..Remembered::default() };
    let again = Staging::rebuild(&remembered, &world.staging.state(), &world.shelf);
    let mut restored = World { shelf: golem_grimoire::shelf::Shelf::default(), staging: again, tick: world.tick };
    for turn in 0..800 {
        let seen = seen(3.0, if turn % 5 == 0 { 1.0 } else { 3.0 });
        assert_eq!(world.turn(&seen), restored.turn(&seen), "{turn} turns later");
    }
}

#[test]
fn a_dream_that_came_true_is_believed_as_far_as_reality_confirmed_it() {
    let mut world = World::new(vec![far(GAS)]);
    let mut swept = Swept::default();
    while swept.ripe.is_empty() {
        swept = world.turn(&seen(3.0, 3.0));
        assert!(world.now() < VirtualTime(0).after(Elapsed::nominal(10_000)), "it is never proven");
    }
    let now = world.now();
    let settled = world.staging.settle(&mut world.shelf, &swept, &NoNeighbours, now);
    let entry = settled.promoted[0].1.and_then(|id| world.shelf.entry(id)).expect("an entry");
    assert!(entry.standing.confidence_bp >= 7_000 && entry.standing.dream_validated, "{:?}", entry.standing);
}
