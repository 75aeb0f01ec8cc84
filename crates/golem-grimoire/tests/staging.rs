//! Staging: what it takes to be believed, and what it costs to ask.

mod kit;

use golem_core::VirtualTime;
use golem_core::observed::{Field, Snapshot};
use golem_grimoire::admission::NoNeighbours;
use golem_grimoire::change::{Change, Table};
use golem_grimoire::shelf::Shelf;
use golem_grimoire::staging::{
    Draft, MOST_EVALUATIONS, Moment, PlaybookWish, Pool, ProposalStatus, Proposed, Revision, Staged, Staging, Swept,
    enter_executed_warning, is_convincing, odds, wilson_lower, wilson_upper,
};
use golem_grimoire::{EntryBody, EntryKind, Provenance, RuleAction, Severity, Status};
use kit::{Chance, DAY, File, active, body, claim, claiming, days};
use proptest::prelude::*;

const TICK: u64 = 40_000;
const GAS: &str = "market.gas_ratio > 2.0";
const FEES: &str = "market.fee_yield_ratio > 2.0";

fn draft(when: &str, then: &str) -> Draft {
    Draft {
        change: Proposed::Entry(Box::new(claiming(when, then))),
        claim: claim(when, then, 20),
        base_rate: 0.3,
        confidence_bp: 2_500,
        utility: 0.5,
        liminal: false,
        source: Provenance::SelfGenerated,
    }
}

fn seen(gas: f64, fees: f64) -> Snapshot {
    let mut s = Snapshot::new();
    s.set_number(Field::MarketGasRatio, gas).expect("a number");
    s.set_number(Field::MarketFeeYieldRatio, fees).expect("a number");
    s
}

/// A golem in a world where gas is always high and fees follow, or do not, as the test wants.
struct World {
    shelf: Shelf,
    staging: Staging,
    tick: u64,
}

impl World {
    fn new(drafts: Vec<Draft>) -> Self {
        let mut world = Self { shelf: Shelf::default(), staging: Staging::default(), tick: 0 };
        for d in drafts {
            let staged = world.staging.stage(&world.shelf, d, world.now());
            assert!(matches!(staged, Staged::Added(_)), "{staged:?}");
        }
        world
    }
    fn now(&self) -> VirtualTime {
        VirtualTime(self.tick * TICK)
    }
    fn turn(&mut self, snapshot: &Snapshot) -> Swept {
        self.tick += 1;
        let now = self.now();
        self.staging.sweep(&Moment { now, snapshot })
    }
    /// Run until one check is settled with fees as given; returns what the sweep said then.
    fn check(&mut self, fees: f64) -> Swept {
        let trial = |w: &Self| w.staging.proposals().next().map(|p| p.trial);
        let before = trial(self).map_or(0, |t| t.hits + t.misses + t.unclear);
        for _ in 0..400 {
            let swept = self.turn(&seen(3.0, fees));
            let after = trial(self).map_or(u32::MAX, |t| t.hits + t.misses + t.unclear);
            if after != before {
                return swept;
            }
        }
        panic!("no check was settled");
    }
}

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
        matches!(rows.as_slice(), [Change::Row { table: Table::Proposal, body, .. }] if body.contains("refuted")),
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

#[test]
fn pools_have_their_places_and_the_more_useful_displaces_the_less() {
    let gas_above = |n: usize| format!("market.gas_ratio > {n}.5");
    let with = |n: usize, utility: f64| Draft { utility, ..draft(&gas_above(n), FEES) };
    let mut world = World::new((0..64).map(|n| with(n, 0.5)).collect());
    let now = world.now();
    assert_eq!(world.staging.stage(&world.shelf, with(100, 0.5), now), Staged::NoRoom, "no better, no place");
    assert!(matches!(world.staging.stage(&world.shelf, with(101, 0.6), now), Staged::Added(_)));
    assert_eq!(world.staging.proposals().filter(|p| p.pool == Pool::Others).count(), 64);
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
        Draft { change: Proposed::Revision(Revision::Add(Box::new(b))), ..with(n, 0.1) }
    };
    for n in 0..10 {
        assert!(matches!(world.staging.stage(&world.shelf, rule(n), now), Staged::Added(_)));
    }
    assert_eq!(world.staging.stage(&world.shelf, rule(10), now), Staged::NoRoom);
    let dream = Draft { liminal: true, confidence_bp: 9_000, ..with(200, 0.1) };
    assert!(matches!(world.staging.stage(&world.shelf, dream, now), Staged::Added(_)));
    let begun = |pool: Pool| world.staging.proposals().filter(move |p| p.pool == pool).map(|p| p.confidence_bp).next();
    assert_eq!((begun(Pool::Liminal), begun(Pool::Revisions)), (Some(1_500), Some(2_500)));
    let bold = Draft { confidence_bp: 9_000, utility: 1.0, ..with(300, 0.9) };
    world.staging.stage(&world.shelf, bold, now);
    assert_eq!(world.staging.proposals().last().map(|p| p.confidence_bp), Some(3_000), "nobody begins above .3");
}

#[test]
fn what_is_staged_believed_or_senseless_is_not_staged() {
    let mut world = World::new(vec![draft(GAS, FEES)]);
    let now = world.now();
    let mut stage = |d: Draft| world.staging.stage(&world.shelf, d, now);
    // The same claim in another spelling is the same claim.
    assert!(matches!(stage(draft("(market.gas_ratio  > 2.0)", FEES)), Staged::AlreadyStaged(_)));
    assert!(matches!(stage(draft("market.gas_ratio >", FEES)), Staged::BadClaim(_)));
    assert!(matches!(stage(draft(GAS, GAS)), Staged::BadClaim(_)));
    let gone = Proposed::Confidence { entry: golem_grimoire::EntryId([9; 16]), by_bp: 500 };
    assert_eq!(stage(Draft { change: gone, ..draft(GAS, FEES) }), Staged::Unfit);
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
    let change = Proposed::Revision(Revision::Replace { old: old_id, new: Box::new(new) });
    let staged = world.staging.stage(
        &world.shelf,
        Draft { change, source: Provenance::Dream, ..draft(GAS, FEES) },
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
    assert_eq!(world.shelf.entry(old_id).map(|e| e.standing.status), Some(Status::Archived(now)));
    assert!(world.shelf.entry(new_id).is_some_and(|e| e.standing.dream_validated));
}

#[test]
fn a_confidence_moves_by_proposal_within_bounds() {
    let known = active(claiming(GAS, "market.return_15 < 0.0"), 5_000);
    let id = known.id;
    let mut world = World::new(vec![]);
    world.shelf.add(known);
    let change = Proposed::Confidence { entry: id, by_bp: i16::MIN };
    world.staging.stage(&world.shelf, Draft { change, ..draft(GAS, FEES) }, VirtualTime(0));
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
        severity: Some(Severity::High),
        provenance: Provenance::Dream,
        ..body(EntryKind::Warning, "A sandwich costs 3 %.")
    };
    let id = enter_executed_warning(&mut shelf, warning.clone(), 2, &NoNeighbours, days(1)).expect("it enters");
    assert_eq!(shelf.entry(id).map(|e| e.standing.status), Some(Status::Active));
    for (what, refused) in [
        ("an insight", EntryBody { kind: EntryKind::Insight, ..warning.clone() }),
        ("an order", EntryBody { action: Some(RuleAction::StandAside), text: "other".into(), ..warning.clone() }),
    ] {
        assert_eq!(enter_executed_warning(&mut shelf, refused, 2, &NoNeighbours, days(1)), None, "{what}");
    }
    let foreign = EntryBody { provenance: Provenance::Clade, text: "Flee the pool at once.".into(), ..warning };
    let id = enter_executed_warning(&mut shelf, foreign, 2, &NoNeighbours, days(1)).expect("on trial");
    assert_eq!(shelf.entry(id).map(|e| e.standing.status), Some(Status::Candidate), "what others ran is hearsay");
}

#[test]
fn a_turn_asks_at_most_eight_and_each_at_most_once_in_ten() {
    let many: Vec<Draft> = (0..60).map(|n| draft(&format!("market.gas_ratio > {n}.5"), FEES)).collect();
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
    // All of them come true: five conditions and five checks each, and not one more.
    assert_eq!(all, 600);
    // With nothing to find, every condition is asked once in ten turns.
    let few: Vec<Draft> = (0..20).map(|n| draft(&format!("market.gas_ratio > {n}.5"), FEES)).collect();
    let mut world = World::new(few);
    let asked: u32 = (0..100).map(|_| world.turn(&seen(0.1, 1.0)).evaluations).sum();
    assert_eq!(asked, 200);
}

#[test]
fn beliefs_go_on_being_checked_in_blocks_against_their_base_rate() {
    let put = |world: &mut World, base_bp: u32| {
        let b = EntryBody { tags: vec![format!("base_rate_bp:{base_bp}")], ..claiming(GAS, FEES) };
        let entry = active(b, 7_000);
        let id = entry.id;
        world.shelf.add(entry);
        world.staging.choose_watched(&world.shelf, VirtualTime(0));
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
fn a_belief_kept_aside_that_reality_confirms_gets_its_trial() {
    let mut world = World::new(vec![]);
    let entry = active(EntryBody { tags: vec!["base_rate_bp:3000".into()], ..claiming(GAS, FEES) }, 3_000);
    let id = entry.id;
    world.shelf.add(entry);
    world.shelf.stand(id, |s| s.status = Status::Quarantined(VirtualTime(0)));
    world.staging.choose_watched(&world.shelf, VirtualTime(0));
    for _ in 0..1_100 {
        let swept = world.turn(&seen(3.0, 3.0));
        let now = world.now();
        world.staging.settle(&mut world.shelf, &swept, &NoNeighbours, now);
    }
    assert_eq!(world.shelf.entry(id).map(|e| e.standing.status), Some(Status::Candidate));
}

/// A whole life of a hypothesis that comes true with a given chance, in checks only.
fn promoted(chance: &mut Chance, rate: f64, base_rate: f64) -> bool {
    let (mut bp, mut hits, mut misses) = (2_500_i32, 0, 0);
    for _ in 0..120 {
        if chance.unit() < rate {
            (bp, hits) = ((bp + 1_000).min(9_900), hits + 1);
            if bp >= 7_000 && is_convincing(hits, misses, base_rate) {
                return true;
            }
        } else {
            (bp, misses) = (bp - 500, misses + 1);
            if bp < 1_000 {
                return false;
            }
        }
    }
    false
}

#[test]
fn a_coin_is_promoted_in_at_most_five_of_a_hundred_and_a_rule_nearly_always() {
    let share = |rate: f64, base: f64| {
        let mut chance = Chance(11);
        (0..4_000).filter(|_| promoted(&mut chance, rate, base)).count() as f64 / 4_000.0
    };
    for base in [0.1, 0.2, 0.3, 0.5, 0.7, 0.9] {
        let coin = share(base, base);
        assert!(coin <= 0.04, "a claim that is no better than its base rate of {base} was promoted in {coin}");
    }
    for (rate, base, least) in [(0.95, 0.3, 0.97), (0.9, 0.5, 0.95), (0.8, 0.4, 0.9)] {
        let rule = share(rate, base);
        assert!(rule >= least, "a rule that holds {rate} against {base} was promoted in {rule} only");
    }
}

#[test]
fn a_hundred_coins_in_a_hundred_worlds_promote_at_most_five() {
    // The same through the whole machine: conditions, due checks, steps and expiry.
    let mut made_it = 0;
    for seed in 0..100 {
        let mut chance = Chance(seed * 7_919 + 1);
        let mut world = World::new(vec![Draft { base_rate: 0.5, ..draft(GAS, FEES) }]);
        while world.staging.proposals().count() > 0 {
            let swept = world.turn(&seen(3.0, if chance.unit() < 0.5 { 3.0 } else { 1.0 }));
            made_it += swept.ripe.len();
        }
    }
    assert!(made_it <= 5, "{made_it} of 100");
}

#[test]
fn the_odds_agree_with_a_plain_integral() {
    for (hits, misses, base) in [(5, 0, 0.5), (7, 0, 0.5), (12, 4, 0.3), (60, 50, 0.5), (3, 9, 0.9)] {
        let steps = 200_000;
        let width = (1.0 - base) / f64::from(steps);
        let under: f64 = (0..steps)
            .map(|i| {
                let p = base + (f64::from(i) + 0.5) * width;
                (f64::from(hits) * (p / base).ln() + f64::from(misses) * ((1.0 - p) / (1.0 - base)).ln()).exp() * width
            })
            .sum::<f64>()
            / (1.0 - base);
        let got = odds(hits as u32, misses as u32, base);
        assert!((got / under - 1.0).abs() < 1e-6, "{hits}/{misses} at {base}: {got} against {under}");
    }
}

#[test]
fn wilson_ends_are_the_published_ones() {
    // Values from the closed form, computed elsewhere: 5 of 5, 8 of 10, 0 of 10.
    for (hits, n, low, high) in [(5, 5, 0.565_508, 1.0), (8, 10, 0.490_162, 0.943_318), (0, 10, 0.0, 0.277_533)] {
        assert!((wilson_lower(hits, n) - low).abs() < 1e-5, "{hits} of {n}: {}", wilson_lower(hits, n));
        assert!((wilson_upper(hits, n) - high).abs() < 1e-5, "{hits} of {n}: {}", wilson_upper(hits, n));
    }
    assert!(wilson_lower(0, 0) <= 0.0 && wilson_upper(0, 0) >= 1.0);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]
    #[test]
    fn staging_rebuilt_in_the_middle_of_a_life_goes_on_as_if_nothing_had_been(seed: u64, stop in 1_u64..1_500, others in 1_usize..30) {
        let drafts = (0..others).map(|n| draft(&format!("market.gas_ratio > 1.{n:02}"), FEES)).collect();
        let mut world = World::new(drafts);
        let belief = active(claiming("market.gas_ratio > 1.5", "market.return_15 < 0.0"), 7_000);
        world.shelf.add(belief);
        world.staging.choose_watched(&world.shelf, VirtualTime(0));
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
