//! What is staged and what comes of it: pools, promotion, warnings, beliefs, and the same after a restart.

use crate::kit::{Chance, File, active, body, claiming, days};
use crate::staging::world::{FEES, GAS, TICK, World, draft, seen};
use golem_core::VirtualTime;
use golem_core::observed::Field;
use golem_grimoire::admission::NoNeighbours;
use golem_grimoire::series::Series;
use golem_grimoire::shelf::Shelf;
use golem_grimoire::staging::{
    MOST_EVALUATIONS, MOST_WATCHED, PlaybookWish, ProposalDraft, ProposalPool, Proposed, ProposedRevision, Staged,
    Staging, Swept, ValidationRow, enter_executed_warning,
};
use golem_grimoire::{Entry, EntryBody, EntryKind, EntryStatus, Provenance, RuleAction, WarningSeverity};
use proptest::prelude::*;

#[test]
fn pools_have_their_places_and_the_more_useful_displaces_the_less() {
    let gas_above = |n: usize| format!("market.gas_ratio > {n}.5");
    let with = |n: usize, utility: f64| ProposalDraft { utility, ..draft(&gas_above(n), FEES) };
    let mut world = World::new((0..64).map(|n| with(n, 0.5)).collect());
    let now = world.now();
    assert_eq!(world.staging.stage(&world.shelf, with(100, 0.5), now), Staged::NoRoom, "no better, no place");
    assert!(matches!(world.staging.stage(&world.shelf, with(101, 0.6), now), Staged::Added(_)));
    assert_eq!(world.staging.proposals().filter(|p| p.pool == ProposalPool::Others).count(), 64);
    // What was displaced is told in the file.
    world.staging.write_rows(&mut world.shelf, false);
    let mut file = File::default();
    file.write(world.shelf.take_changes());
    let displaced = file.remembered().rows.iter().filter(|(.., body)| body.contains("displaced")).count();
    assert_eq!(displaced, 1);
    // Revisions and liminal fragments compete among themselves, with their own beginnings.
    let rule = |n: usize| {
        let b = EntryBody {
            kind: EntryKind::Heuristic,
            action: Some(RuleAction::StandAside),
            ..claiming(&gas_above(n), FEES)
        };
        ProposalDraft { change: Proposed::Revision(ProposedRevision::Add(Box::new(b))), ..with(n, 0.1) }
    };
    for n in 0..10 {
        assert!(matches!(world.staging.stage(&world.shelf, rule(n), now), Staged::Added(_)));
    }
    assert_eq!(world.staging.stage(&world.shelf, rule(10), now), Staged::NoRoom);
    let dream = ProposalDraft { liminal: true, confidence_bp: 9_000, ..with(200, 0.1) };
    assert!(matches!(world.staging.stage(&world.shelf, dream, now), Staged::Added(_)));
    let begun =
        |pool: ProposalPool| world.staging.proposals().filter(move |p| p.pool == pool).map(|p| p.confidence_bp).next();
    assert_eq!((begun(ProposalPool::Liminal), begun(ProposalPool::Revisions)), (Some(1_500), Some(2_500)));
    let bold = ProposalDraft { confidence_bp: 9_000, utility: 1.0, ..with(300, 0.9) };
    world.staging.stage(&world.shelf, bold, now);
    assert_eq!(world.staging.proposals().last().map(|p| p.confidence_bp), Some(3_000), "nobody begins above .3");
    let turned_round = ProposalDraft { confidence_bp: 1_000, ..with(301, 0.9) };
    let world = World::new(vec![turned_round]);
    assert_eq!(world.staging.proposals().last().map(|p| p.confidence_bp), Some(1_000), "an assumption turned round");
}

#[test]
fn who_has_fewer_places_displaces_what_is_worth_less_among_them() {
    let rule = |n: usize, utility: f64| {
        let b = EntryBody {
            kind: EntryKind::Heuristic,
            action: Some(RuleAction::StandAside),
            ..claiming(&format!("market.gas_ratio > {n}.5"), FEES)
        };
        let change = Proposed::Revision(ProposedRevision::Add(Box::new(b)));
        ProposalDraft { change, utility, ..draft(&format!("market.gas_ratio > {n}.5"), FEES) }
    };
    let mut world = World::new(Vec::new());
    let now = world.now();
    let mut stage = |n, utility, places| world.staging.stage_among(&world.shelf, rule(n, utility), places, now);
    for n in 0..3 {
        assert!(matches!(stage(n, 0.2 + 0.1 * n as f64, 3), Staged::Added(_)));
    }
    assert_eq!(stage(3, 0.1, 3), Staged::NoRoom, "worth less than any that waits");
    assert!(matches!(stage(4, 0.9, 3), Staged::Added(_)), "worth more than one of them");
    assert!(matches!(stage(5, 0.1, 4), Staged::Added(_)), "where there is a place for it");
    let waiting: Vec<u16> = world.staging.proposals().map(|p| p.utility_bp).collect();
    assert_eq!(waiting, [3_000, 4_000, 9_000, 1_000], "the least has gone");
}

#[test]
fn what_is_staged_believed_or_senseless_is_not_staged() {
    let mut world = World::new(vec![draft(GAS, FEES)]);
    let now = world.now();
    let mut stage = |d: ProposalDraft| world.staging.stage(&world.shelf, d, now);
    // The same claim in another spelling is the same claim.
    assert!(matches!(stage(draft("(market.gas_ratio  > 2.0)", FEES)), Staged::AlreadyStaged(_)));
    assert!(matches!(stage(draft("market.gas_ratio >", FEES)), Staged::BadClaim(_)));
    assert!(matches!(stage(draft(GAS, GAS)), Staged::BadClaim(_)));
    let gone = Proposed::Confidence { entry: golem_grimoire::EntryId([9; 16]), by_bp: 500 };
    assert_eq!(stage(ProposalDraft { change: gone, ..draft(GAS, FEES) }), Staged::Unfit);
    world.shelf.add(active(claiming("market.gas_ratio > 4.0", FEES), 7_000));
    let known = world.staging.stage(&world.shelf, draft("market.gas_ratio > 4.0", FEES), now);
    assert!(matches!(known, Staged::Believed(_)));
}

#[test]
fn promotion_still_has_to_pass_the_gate() {
    // What is staged today may be known by another way tomorrow: then nothing is added.
    let mut world = World::new(vec![draft(GAS, FEES)]);
    let mut swept = Swept::default();
    while swept.ripe.is_empty() {
        swept = world.check(3.0);
    }
    let twin = active(claiming(GAS, FEES), 7_000);
    world.shelf.add(twin);
    let now = world.now();
    world.staging.settle(&mut world.shelf, &swept, &NoNeighbours, now);
    assert_eq!(world.shelf.entries().count(), 1);
}

#[test]
fn a_promoted_revision_asks_the_playbooks_writer() {
    let old =
        active(EntryBody { action: Some(RuleAction::StandAside), ..body(EntryKind::Heuristic, "Stand aside.") }, 7_000);
    let new =
        EntryBody { kind: EntryKind::Heuristic, action: Some(RuleAction::Risk { factor: 0.5 }), ..claiming(GAS, FEES) };
    let mut world = World::new(vec![]);
    let old_id = old.id;
    world.shelf.add(old);
    let change = Proposed::Revision(ProposedRevision::Replace { old: old_id, new: Box::new(new) });
    let staged = world.staging.stage(
        &world.shelf,
        ProposalDraft { change, source: Provenance::Dream, ..draft(GAS, FEES) },
        VirtualTime(0),
    );
    assert!(matches!(staged, Staged::Added(_)));
    let mut swept = Swept::default();
    while swept.ripe.is_empty() {
        swept = world.check(3.0);
    }
    let now = world.now();
    let settled = world.staging.settle(&mut world.shelf, &swept, &NoNeighbours, now);
    let new_id = settled.promoted[0].1.expect("a rule");
    assert_eq!(settled.playbook, [PlaybookWish::Remove(old_id), PlaybookWish::Add(new_id)]);
    assert_eq!(world.shelf.entry(old_id).map(|e| e.standing.status), Some(EntryStatus::Archived(now)));
    assert!(world.shelf.entry(new_id).is_some_and(|e| e.standing.dream_validated));
}

#[test]
fn a_confidence_moves_by_proposal_within_bounds() {
    let known = active(claiming(GAS, "market.return_15 < 0.0"), 5_000);
    let id = known.id;
    let mut world = World::new(vec![]);
    world.shelf.add(known);
    let change = Proposed::Confidence { entry: id, by_bp: i16::MIN };
    world.staging.stage(&world.shelf, ProposalDraft { change, ..draft(GAS, FEES) }, VirtualTime(0));
    let mut swept = Swept::default();
    while swept.ripe.is_empty() {
        swept = world.check(3.0);
    }
    let now = world.now();
    world.staging.settle(&mut world.shelf, &swept, &NoNeighbours, now);
    assert_eq!(world.shelf.entry(id).map(|e| e.standing.confidence_bp), Some(3_000));
}

#[test]
fn an_executed_warning_enters_at_once_and_nothing_else_does() {
    let mut shelf = Shelf::default();
    let warning = EntryBody {
        severity: Some(WarningSeverity::High),
        provenance: Provenance::Dream,
        ..body(EntryKind::Warning, "A sandwich costs 3 %.")
    };
    let id = enter_executed_warning(&mut shelf, warning.clone(), 2, &NoNeighbours, days(1)).expect("it enters");
    assert_eq!(shelf.entry(id).map(|e| e.standing.status), Some(EntryStatus::Active));
    for (what, refused) in [
        ("an insight", EntryBody { kind: EntryKind::Insight, ..warning.clone() }),
        ("an order", EntryBody { action: Some(RuleAction::StandAside), text: "other".into(), ..warning.clone() }),
    ] {
        assert_eq!(enter_executed_warning(&mut shelf, refused, 2, &NoNeighbours, days(1)), None, "{what}");
    }
    let foreign = EntryBody { provenance: Provenance::Clade, text: "Flee the pool at once.".into(), ..warning };
    let id = enter_executed_warning(&mut shelf, foreign, 2, &NoNeighbours, days(1)).expect("on trial");
    assert_eq!(shelf.entry(id).map(|e| e.standing.status), Some(EntryStatus::Candidate), "what others ran is hearsay");
}

#[test]
fn a_turn_asks_at_most_eight_and_each_at_most_once_in_ten() {
    let many: Vec<ProposalDraft> = (0..60).map(|n| draft(&format!("market.gas_ratio > {n}.5"), FEES)).collect();
    let mut world = World::new(many);
    let (mut most, mut all) = (0, 0);
    for _ in 0..1_000 {
        let swept = world.turn(&seen(1e9, 3.0));
        most = most.max(swept.evaluations);
        all += swept.evaluations;
        for p in world.staging.proposals() {
            assert!(p.trial.due.is_none_or(|due| due.0 + 10 * TICK > world.now().0), "a due check was left behind");
        }
    }
    assert!(most <= MOST_EVALUATIONS, "{most}");
    // All of them come true, and the later of them need more checks: each has a smaller share of the one level.
    assert!((600..1_800).contains(&all), "{all}");
    // With nothing to find, every condition is asked once in ten turns.
    let few: Vec<ProposalDraft> = (0..20).map(|n| draft(&format!("market.gas_ratio > {n}.5"), FEES)).collect();
    let mut world = World::new(few);
    let asked: u32 = (0..100).map(|_| world.turn(&seen(0.1, 1.0)).evaluations).sum();
    assert_eq!(asked, 200);
}

/// A day in which fees were high so often, in basis points.
fn lived(base_bp: u32) -> Series {
    let mut series = Series::new();
    for tick in 0..2_000_u64 {
        let fees = if tick % 10_000 * 7_919 % 10_000 < u64::from(base_bp) { 3.0 } else { 1.0 };
        series.push(VirtualTime(tick * TICK), &seen(1.0, fees));
    }
    series
}

#[test]
fn beliefs_go_on_being_checked_in_blocks_against_their_base_rate() {
    let put = |world: &mut World, base_bp: u32| {
        // What the entry says of its own base rate is not asked: what was seen here is.
        let b = EntryBody { tags: vec!["base_rate_bp:1".into()], ..claiming(GAS, FEES) };
        let entry = active(b, 7_000);
        let id = entry.id;
        world.shelf.add(entry);
        world.staging.choose_watched(&world.shelf, &lived(base_bp), VirtualTime(0), &ValidationRow::new());
        id
    };
    // Hit rates against base rates of ten checks: five of ten is better than .3 and no better than .5.
    for (base_bp, hits_of_ten, better) in [(3_000, 5, true), (5_000, 5, false), (3_000, 2, false)] {
        let mut world = World::new(vec![]);
        let id = put(&mut world, base_bp);
        let (mut found, mut n) = (Vec::new(), 0);
        while found.is_empty() {
            let block = n / 90;
            let swept = world.turn(&seen(3.0, if block < hits_of_ten { 3.0 } else { 1.0 }));
            found = swept.beliefs.clone();
            let now = world.now();
            world.staging.settle(&mut world.shelf, &swept, &NoNeighbours, now);
            n += 1;
            assert!(n < 3_000);
        }
        assert_eq!(found, [(id, better)], "{hits_of_ten} of ten against {base_bp}");
        let s = &world.shelf.entry(id).expect("there").standing;
        assert_eq!((s.confidence_bp, s.own_validation), if better { (8_000, true) } else { (5_500, false) });
    }
}

#[test]
fn a_block_of_checks_is_no_proof_of_what_others_say_nor_of_a_hunch() {
    let plain = claiming(GAS, FEES);
    let theirs = EntryBody { provenance: Provenance::Clade, ..plain.clone() };
    let hunch = EntryBody { tags: vec!["found:residual".into()], ..plain.clone() };
    // After one block that is better than the base rate, and once it is proven at its share of the level.
    for (body, after_one) in [(plain, (7_500, true)), (theirs, (7_500, false)), (hunch, (6_900, false))] {
        let mut world = World::new(vec![]);
        let mut entry = active(body, 6_500);
        entry.standing.status = EntryStatus::Candidate;
        let (id, mut blocks) = (entry.id, 0);
        world.shelf.add(entry);
        world.staging.choose_watched(&world.shelf, &lived(5_000), VirtualTime(0), &ValidationRow::new());
        let mut stood = Vec::new();
        while blocks < 4 {
            // Seven of ten come true, where five would anyway; then all of them.
            let comes_true = blocks > 0 || world.tick / 90 % 10 < 7;
            let swept = world.turn(&seen(3.0, if comes_true { 3.0 } else { 1.0 }));
            let now = world.now();
            world.staging.settle(&mut world.shelf, &swept, &NoNeighbours, now);
            if !swept.beliefs.is_empty() {
                let s = &world.shelf.entry(id).expect("there").standing;
                stood.push((s.confidence_bp, s.own_validation));
                blocks += 1;
            }
            assert!(world.tick < 5_000);
        }
        assert_eq!(stood[0], after_one, "{stood:?}");
        assert!(stood[3].0 > 6_900 && stood[3].1, "{stood:?}");
    }
}

/// Hearsay with a claim of its own, as sure of itself as its sender likes.
fn heard(n: usize, then: &str, confidence_bp: u16) -> Entry {
    let body = EntryBody { provenance: Provenance::Clade, ..claiming(&format!("market.gas_ratio > 1.{n:03}"), then) };
    active(body, confidence_bp)
}

#[test]
fn what_comes_true_anyway_has_no_place_in_the_row_and_makes_way() {
    let mut world = World::new(vec![]);
    let trifles: Vec<Entry> = (0..200).map(|n| heard(n, FEES, 9_000)).collect();
    let rare = heard(900, "market.fee_yield_ratio < 2.0", 3_000);
    let (ids, good): (Vec<_>, _) = (trifles.iter().map(|e| e.id).collect(), rare.id);
    for entry in trifles.into_iter().chain([rare]) {
        world.shelf.add(entry);
    }
    let (series, row) = (lived(9_500), ValidationRow::new());
    let mut cycles = 0;
    while !world.staging.is_watched(good) {
        let told = world.staging.choose_watched(&world.shelf, &series, VirtualTime(0), &row);
        assert!(told.len() <= MOST_WATCHED && ids.iter().all(|id| !world.staging.is_watched(*id)));
        for id in told {
            world.shelf.stand(id, golem_grimoire::credit::contradict);
        }
        cycles += 1;
        assert!(cycles < 20, "it never has its trial");
    }
    let most = ids.iter().filter_map(|id| world.shelf.entry(*id)).map(|e| e.standing.contradicted).max();
    assert!(most.is_some_and(|n| n <= 3), "{most:?}: said often enough");
    // What the golem found out itself is watched however often it comes true.
    let own = active(claiming("market.gas_ratio > 1.5", FEES), 7_000);
    let id = own.id;
    world.shelf.add(own);
    world.staging.choose_watched(&world.shelf, &series, VirtualTime(0), &row);
    assert!(world.staging.is_watched(id));
}

#[test]
fn what_had_its_chance_and_shows_nothing_makes_way_for_what_had_none() {
    let mut world = World::new(vec![]);
    for blocks in [2, 3] {
        let mut fresh = Vec::new();
        for n in 0..100 {
            let mut entry = heard(n + 200 * blocks as usize, FEES, 9_000);
            (entry.standing.validated, entry.standing.contradicted) = (blocks - 1, 1);
            world.shelf.add(entry);
        }
        let late = heard(950 + blocks as usize, FEES, 2_000);
        fresh.push(late.id);
        world.shelf.add(late);
        world.staging.choose_watched(&world.shelf, &lived(5_000), VirtualTime(0), &ValidationRow::new());
        assert_eq!(fresh.iter().all(|id| world.staging.is_watched(*id)), blocks == 3, "after {blocks} blocks");
        world = World::new(vec![]);
    }
}

#[test]
fn a_belief_kept_aside_that_reality_confirms_gets_its_trial() {
    let mut world = World::new(vec![]);
    let entry = active(EntryBody { tags: vec!["base_rate_bp:3000".into()], ..claiming(GAS, FEES) }, 3_000);
    let id = entry.id;
    world.shelf.add(entry);
    world.shelf.stand(id, |s| s.status = EntryStatus::Quarantined(VirtualTime(0)));
    world.staging.choose_watched(&world.shelf, &lived(3_000), VirtualTime(0), &ValidationRow::new());
    for _ in 0..1_100 {
        let swept = world.turn(&seen(3.0, 3.0));
        let now = world.now();
        world.staging.settle(&mut world.shelf, &swept, &NoNeighbours, now);
    }
    assert_eq!(world.shelf.entry(id).map(|e| e.standing.status), Some(EntryStatus::Candidate));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]
    #[test]
    fn staging_rebuilt_in_the_middle_of_a_life_goes_on_as_if_nothing_had_been(seed: u64, stop in 1_u64..1_500, others in 1_usize..30) {
        let drafts = (0..others).map(|n| draft(&format!("market.gas_ratio > 1.{n:02}"), FEES)).collect();
        let mut world = World::new(drafts);
        let belief = active(claiming("market.gas_ratio > 1.5", "market.return_15 < 0.0"), 7_000);
        world.shelf.add(belief);
        world.staging.choose_watched(&world.shelf, &lived(3_000), VirtualTime(0), &ValidationRow::new());
        let (mut chance, mut file) = (Chance(seed), File::default());
        let live = |world: &mut World, chance: &mut Chance| {
            let mut s = seen(1.0 + chance.unit(), 1.0 + 2.0 * chance.unit());
            s.set_number(Field::MarketReturn15, chance.unit() - 0.5).expect("a number");
            let swept = world.turn(&s);
            let now = world.now();
            world.staging.settle(&mut world.shelf, &swept, &NoNeighbours, now);
            if world.tick.is_multiple_of(250) {
                world.staging.write_rows(&mut world.shelf, true);
            }
            world.shelf.take_changes()
        };
        for _ in 0..stop {
            let changes = live(&mut world, &mut chance);
            file.write(changes);
        }
        let remembered = file.remembered();
        let state: golem_grimoire::staging::StagingState =
            postcard::from_bytes(&postcard::to_stdvec(&world.staging.state()).unwrap()).unwrap();
        let shelf = Shelf::rebuild(&remembered);
        prop_assert_eq!(&shelf, &world.shelf);
        let staging = Staging::rebuild(&remembered, &state, &shelf);
        prop_assert_eq!(&staging, &world.staging);
        let mut twin = World { shelf, staging, tick: world.tick };
        let mut same = Chance(chance.0);
        for _ in 0..300 {
            prop_assert_eq!(live(&mut world, &mut chance), live(&mut twin, &mut same));
        }
    }
}
