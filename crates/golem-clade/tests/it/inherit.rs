//! Inheritance as a whole: a line of golems, each of which leaves what it knows to the next.

use crate::kit::{Chance, body, claiming, clock, days, golem, knowing, line, passport, proven};
use crate::world::{CAUSE, EFFECTS, live};
use golem_clade::barrier::{Crossings, inherited_confidence};
use golem_clade::bottleneck::INHERITANCE_BUDGET;
use golem_clade::heirloom::{Heirloom, Testator};
use golem_clade::ingest::{IngestVerdict, NoChain};
use golem_clade::inherit::{HeirDesk, InheritanceQueue, TakenIn};
use golem_clade::provenance::{Lineage, PassportBook, TravelledValidation, ValidationWord, distinct_validators};
use golem_clade::survived::innate_candidates;
use golem_clade::world_time::{LifeClock, WorldTimes};
use golem_core::{Elapsed, Hash, Timestamp, VirtualTime};
use golem_grimoire::staging::MOST_WATCHED;
use golem_grimoire::{EntryKind, Grimoire};

const TURNS: u64 = 9_000;
/// Something that nobody ever gets to see: its fields are not observed in this world.
const UNSEEN: (&str, &str) = ("market.fee_yield_move > 2.0", "market.protocol == \"degraded\"");

/// What a golem leaves, as bytes that went somewhere else and came back.
fn left_by(
    heir: &Grimoire,
    book: &PassportBook,
    from: &Lineage,
    said: &[TravelledValidation],
    clock: LifeClock,
) -> Heirloom {
    let now = VirtualTime(Elapsed::nominal(TURNS).0);
    let of = Testator {
        lineage: from,
        clock,
        now,
        shelf: heir.shelf(),
        book,
        playbook: heir.playbook(),
        validations: said,
        low_divergence: false,
    };
    let heirloom = Heirloom::assemble(&of, heir.graph().edges(), heir.staging().proposals(), INHERITANCE_BUDGET);
    Heirloom::read(&heirloom.canonical()).expect("what is written can be read")
}

#[test]
fn what_is_true_is_earned_again_in_every_life_and_the_rest_fades() {
    let mut first: Vec<_> = EFFECTS.iter().map(|effect| proven(claiming(CAUSE, effect), 9_000)).collect();
    let unseen = proven(claiming(UNSEEN.0, UNSEEN.1), 9_000);
    first.push(unseen.clone());
    let roots: Vec<Hash> = first.iter().map(|e| e.hash).collect();
    let (mut elder, mut book, mut said) = (knowing(golem(1), first), PassportBook::default(), Vec::new());
    let mut chance = Chance(11);
    for generation in 1..=3u8 {
        let heirloom = left_by(&elder, &book, &line(generation - 1), &said, clock());
        said.clone_from(&heirloom.validations);
        let me = line(generation);
        (elder, book) = (knowing(me.golem, Vec::new()), PassportBook::default());
        let mut queue = InheritanceQueue::of(heirloom, &elder, days(0));
        let mut desk = HeirDesk {
            heir: me.golem,
            grimoire: &mut elder,
            book: &mut book,
            now: days(0),
            clock: later(),
            chain: &NoChain,
        };
        queue.take(&mut desk, usize::MAX);
        assert!(queue.is_empty());
        let crossings = |book: &PassportBook, root: Hash| {
            book.iter().find(|(_, p)| p.root == root).map(|(_, p)| p.crossings).expect("it came through")
        };
        for root in &roots {
            let c = crossings(&book, *root);
            let g = if *root == unseen.hash { u32::from(generation) } else { 1 };
            let exact = inherited_confidence(f64::from(c.judged_bp) / 10_000.0, g);
            assert_eq!(c.generations, g, "generation {generation}");
            assert!((f64::from(c.confidence_bp()) / 10_000.0 - exact).abs() <= 0.5e-4 + 1e-12);
            // The first golem had seen all of it; only what came true in a later life has survived that one.
            assert_eq!(c.survived, if *root == unseen.hash { 1 } else { u32::from(generation) });
        }
        live(&mut elder, TURNS, &mut chance, |_, _| {});
    }
    let leaves = left_by(&elder, &book, &line(3), &said, clock());
    let of = |root: Hash| leaves.entries.iter().find(|e| e.passport.root == root).map(|e| e.passport.crossings);
    for root in &roots[..3] {
        let c = of(*root).expect("it is left again");
        assert_eq!((c.survived_by_now(), c.generations), (4, 0));
        assert_eq!(distinct_validators(&leaves.validations, *root, ValidationWord::Confirmed), 4);
    }
    let entries = elder.shelf().in_use().map(|e| (e, book.present(e, elder.shelf(), &line(3), clock())));
    let present: Vec<_> = entries.collect();
    let innate = innate_candidates(present.iter().map(|(e, p)| (*e, p)));
    assert!(roots[..3].iter().all(|root| innate.iter().any(|c| c.root == *root)), "{innate:?}");
    assert!(!innate.iter().any(|c| c.root == unseen.hash), "words alone survive nothing");
}

/// When an heir of that line lives: after everything was learnt.
fn later() -> LifeClock {
    LifeClock { zero: Timestamp(clock().zero.0 + 10 * 365 * 86_400) }
}

fn many(n: u32) -> Heirloom {
    let entries =
        (0..n).map(|n| proven(claiming(&format!("market.gas_ratio > {n}.5"), EFFECTS[n as usize % 3]), 9_000));
    let mut all: Vec<_> = entries.collect();
    all.push(proven(body(EntryKind::Warning, "Bridges that pause withdrawals fail within a week."), 8_000));
    left_by(&knowing(golem(1), all), &PassportBook::default(), &line(0), &[], clock())
}

fn taken(
    queue: &mut InheritanceQueue,
    heir: &mut Grimoire,
    book: &mut PassportBook,
    clock: LifeClock,
    most: usize,
) -> Vec<TakenIn> {
    let mut desk = HeirDesk { heir: golem(2), grimoire: heir, book, now: days(1), clock, chain: &NoChain };
    queue.take(&mut desk, most)
}

#[test]
fn no_more_is_taken_in_than_can_be_tested_and_the_greatest_news_first() {
    let (mut heir, mut book) = (
        knowing(golem(2), vec![proven(claiming("market.gas_ratio > 2.0", EFFECTS[0]), 9_000)]),
        PassportBook::default(),
    );
    let mut queue = InheritanceQueue::of(many(100), &heir, days(1));
    assert_eq!(queue.len(), 101);
    let room = InheritanceQueue::room(heir.shelf(), days(1));
    assert_eq!(room, MOST_WATCHED);
    let first = taken(&mut queue, &mut heir, &mut book, later(), 1);
    let text = |t: &TakenIn| heir.shelf().entry(t.entry.expect("it came in")).map(|e| e.body.text.clone());
    assert!(text(&first[0]).is_some_and(|t| t.contains("Bridges")), "{first:?}");
    taken(&mut queue, &mut heir, &mut book, later(), room);
    assert!(InheritanceQueue::room(heir.shelf(), days(1)) < MOST_WATCHED);
    assert_eq!(queue.len(), 101 - 1 - room);
}

#[test]
fn what_has_not_been_learnt_yet_waits() {
    let mut heirloom = many(4);
    let late = clock().at(days(50));
    heirloom.closed = late;
    heirloom.entries[0].passport.times = WorldTimes { learnt: late, ..heirloom.entries[0].passport.times };
    let root = heirloom.entries[0].passport.root;
    let (mut heir, mut book) = (knowing(golem(2), Vec::new()), PassportBook::default());
    let mut queue = InheritanceQueue::of(heirloom, &heir, days(1));
    let now = taken(&mut queue, &mut heir, &mut book, clock(), 100);
    assert!(!now.iter().any(|t| t.root == root) && queue.len() == 1);
    let then = taken(&mut queue, &mut heir, &mut book, later(), 100);
    assert_eq!(then.iter().map(|t| t.root).collect::<Vec<_>>(), [root]);
    assert!(matches!(then[0].verdict, IngestVerdict::OnTrial { .. } | IngestVerdict::Known { .. }) && queue.is_empty());
}

#[test]
fn a_queue_survives_a_restart() {
    let heir = knowing(golem(2), Vec::new());
    let queue = InheritanceQueue::of(many(5), &heir, days(1));
    let text = serde_json::to_string(&queue).expect("it can be kept");
    assert_eq!(serde_json::from_str::<InheritanceQueue>(&text).expect("and read"), queue);
    let mut book = PassportBook::default();
    book.accept(golem_grimoire::EntryId([1; 16]), passport(Crossings::learnt_by(golem(1), 9_000)));
    let text = serde_json::to_string(&book).expect("it can be kept");
    assert_eq!(serde_json::from_str::<PassportBook>(&text).expect("and read"), book);
}
