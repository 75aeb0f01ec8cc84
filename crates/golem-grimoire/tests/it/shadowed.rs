//! What short-lived children say of what is known goes the way of all evidence.

use crate::kit::{body, claim, claiming, days, origin, standing};
use crate::staging::world::{FEES, GAS, World, draft};
use golem_grimoire::admission::NoNeighbours;
use golem_grimoire::credit::{DOWN_BP, TurnedOut, UP_BP};
use golem_grimoire::staging::{Proposed, ProposedRevision, ShadowTally};
use golem_grimoire::{
    Entry, EntryBody, EntryKind, EntryStatus, Grimoire, Provenance, Remembered, RuleAction, Standing,
};

fn rule() -> EntryBody {
    let action = Some(RuleAction::Risk { factor: 0.5 });
    EntryBody {
        action,
        claim: Some(claim(GAS, FEES, 20)),
        ..body(EntryKind::Heuristic, "Risk half ahead of dear gas.")
    }
}

fn knowing(entry: &Entry) -> Grimoire {
    let name: golem_core::Name = "parent".parse().unwrap();
    let state = Grimoire::new(name.clone(), origin()).state();
    let memory = Remembered { entries: vec![(entry.clone(), None)], ..Remembered::default() };
    Grimoire::rebuild(name, origin(), state, &memory).unwrap()
}

#[test]
fn a_verdict_moves_a_rule_by_the_ordinary_steps_of_credit() {
    for (turned, by) in
        [(TurnedOut::Well, i32::from(UP_BP)), (TurnedOut::Badly, -i32::from(DOWN_BP)), (TurnedOut::Unclear, 0)]
    {
        let entry = Entry::new(rule(), Standing { own_validation: true, ..standing(EntryStatus::Active, 7_000) });
        let mut grimoire = knowing(&entry);
        assert_eq!(grimoire.shadow_judged(3, entry.id, turned, days(1)), by != 0);
        let after = &grimoire.shelf().entry(entry.id).unwrap().standing;
        assert_eq!(i32::from(after.confidence_bp) - 7_000, by, "{turned:?}");
        assert_eq!((after.validated, after.contradicted), (u32::from(by > 0), u32::from(by < 0)));
    }
    let mut nobody = knowing(&Entry::new(claiming(GAS, FEES), standing(EntryStatus::Active, 7_000)));
    assert!(!nobody.shadow_judged(3, rule().id(), TurnedOut::Well, days(1)), "what is not known cannot be moved");
}

#[test]
fn what_came_from_elsewhere_does_not_become_own_experience_by_it() {
    let told = EntryBody { provenance: Provenance::Clade, ..rule() };
    let entry = Entry::new(told, standing(EntryStatus::Candidate, 3_000));
    let mut grimoire = knowing(&entry);
    for child in 0..9 {
        grimoire.shadow_judged(child, entry.id, TurnedOut::Well, days(1));
    }
    let after = grimoire.shelf().entry(entry.id).unwrap();
    assert!(after.is_hearsay() && after.effective(days(1)) <= 0.4 + 1e-9, "{after:?}");
}

/// A rule on trial that comes true, tried by children so often with these verdicts: whether it is in use in the end.
fn ripens(better: u32, worse: u32) -> bool {
    let mut wanted = draft(GAS, FEES);
    wanted.change = Proposed::Revision(ProposedRevision::Add(Box::new(rule())));
    let mut world = World::new(vec![wanted]);
    (0..better).for_each(|_| world.staging.shadowed(1, true));
    (0..worse).for_each(|_| world.staging.shadowed(1, false));
    for _ in 0..40 {
        let swept = world.check(3.0);
        if !swept.ripe.is_empty() {
            let now = world.now();
            let settled = world.staging.settle(&mut world.shelf, &swept, &NoNeighbours, now);
            assert_eq!(settled.playbook.len(), settled.promoted.len(), "the one writer is asked, or nobody");
            return !settled.promoted.is_empty();
        }
    }
    panic!("it never ripened");
}

#[test]
fn a_rule_that_comes_true_and_does_not_help_stays_out_of_the_playbook() {
    for (better, worse, is_in_use) in
        [(0, 0, true), (0, 1, true), (0, 2, false), (1, 2, true), (1, 3, false), (9, 3, true)]
    {
        assert_eq!(ripens(better, worse), is_in_use, "{better} better, {worse} worse");
    }
}

#[test]
fn a_tally_is_in_the_row_and_comes_back() {
    let mut wanted = draft(GAS, FEES);
    wanted.change = Proposed::Revision(ProposedRevision::Add(Box::new(rule())));
    let mut world = World::new(vec![wanted]);
    world.staging.shadowed(1, true);
    world.staging.shadowed(1, false);
    world.staging.shadowed(99, false);
    let proposal = world.staging.proposals().next().unwrap();
    assert_eq!(proposal.shadow, Some(ShadowTally { better: 1, worse: 1 }));
    let text = golem_core::plain::json(proposal);
    let kept: golem_grimoire::staging::Proposal = serde_json::from_str(&text).unwrap();
    assert_eq!(&kept, proposal);
    let untried = golem_core::plain::json(World::new(vec![draft(GAS, FEES)]).staging.proposals().next().unwrap());
    assert!(!untried.contains("shadow"), "a proposal that nobody has tried is written as it was: {untried}");
}
