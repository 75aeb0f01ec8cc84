//! Nothing comes from the future.

use crate::kit::{Chance, body, claiming, golem, line, proven, travelling};
use golem_clade::as_of::{InheritedLibrary, known_by};
use golem_clade::provenance::{Passport, PassportBook, TravellingEntry};
use golem_clade::world_time::{LifeClock, WorldTimes};
use golem_core::{Timestamp, VirtualTime};
use golem_grimoire::embed::{Embedder, StaticEmbedder};
use golem_grimoire::retrieval::{Finder, Query, Weighing};
use golem_grimoire::shelf::Shelf;
use golem_grimoire::{EntryBody, EntryKind, Provenance};

const YEAR: i64 = 365 * 86_400;
/// 2022-01-01.
const JANUARY: Timestamp = Timestamp(1_640_995_200);
const QUERIES: usize = 10_000;

fn dated(body: EntryBody, learnt: Timestamp, true_until: Option<Timestamp>) -> TravellingEntry {
    let mut one = travelling(&proven(body, 8_000), &line(0));
    one.passport.times = WorldTimes { true_from: learnt, true_until, learnt };
    one
}

/// What was learnt in 2021, 2022 and 2023, a lesson a few days, some of it true for a while only.
fn lessons() -> Vec<TravellingEntry> {
    let effects = ["market.fee_yield_ratio > 1.5", "market.volume_ratio > 2.0", "market.return_15 < 0.0"];
    (0..240)
        .map(|n: i64| {
            let learnt = Timestamp(JANUARY.0 - YEAR + n * 3 * YEAR / 240);
            let until = (n % 5 == 0).then(|| Timestamp(learnt.0 + YEAR / 4));
            let body = match n % 2 {
                0 => claiming(&format!("market.gas_ratio > {}.5", n), effects[n as usize % 3]),
                _ => body(
                    EntryKind::Insight,
                    &format!("Lesson {n}: fees follow gas and volume, and volatility follows both."),
                ),
            };
            dated(body, learnt, until)
        })
        .collect()
}

#[test]
fn an_heir_that_relives_2022_retrieves_nothing_learnt_later_in_10_000_queries() {
    let (clock, embedder) = (LifeClock { zero: JANUARY }, StaticEmbedder::bundled());
    let (mut shelf, mut book, mut finder) = (Shelf::default(), PassportBook::default(), Finder::default());
    let lessons = lessons();
    for one in &lessons {
        // As if everything had been told at birth: the grimoire's own cut would let all of it through.
        let body = EntryBody { provenance: Provenance::Testament, ..one.entry.body.clone() };
        let entry = proven(body, 8_000);
        finder.add(entry.id, &entry.body, Some(&embedder.embed(&entry.body.text)));
        book.accept(entry.id, one.passport.clone());
        assert!(shelf.add(entry));
    }
    let library = InheritedLibrary { library: &shelf, book: &book, clock };
    let texts = ["fees follow gas", "volatility and volume", "lesson about fees", "what follows gas_ratio"];
    let questions: Vec<_> = texts.iter().map(|t| (t, embedder.embed(t))).collect();
    let (mut chance, mut found, mut leaks) = (Chance(2_022), 0, 0);
    for _ in 0..QUERIES {
        let age = VirtualTime((chance.unit() * YEAR as f64 * 1_000.0) as u64);
        let (text, vector) = &questions[chance.below(questions.len())];
        let query = Query { text: (**text).to_owned(), embedding: Some(vector.clone()), ..Query::at(age) };
        let now = clock.at(age);
        let times = |passport: Option<&Passport>| passport.map(|p| p.times).expect("everything is inherited");
        let hits = finder.retrieve(&library, &query, &Weighing::default()).hits;
        for hit in &hits {
            assert!(times(book.arrived(hit.id)).known_at(now), "{:?} at {now}", hit.id);
        }
        found += hits.len();
        // Without the cut the future would come out: the test can fail.
        if leaks < 10 {
            let open = finder.retrieve(&shelf, &query, &Weighing::default()).hits;
            leaks += open.iter().filter(|hit| times(book.arrived(hit.id)).learnt > now).count();
        }
    }
    assert!(found > QUERIES, "something is found: {found}");
    assert!(leaks >= 10, "and something is held back: {leaks}");
}

#[test]
fn what_travels_is_split_at_the_time_that_is_lived() {
    let lessons = lessons();
    let (known, later) = known_by(&lessons, JANUARY);
    assert_eq!(known.len() + later.len(), lessons.len());
    assert!(known.iter().all(|e| e.passport.times.learnt <= JANUARY) && known.len() == 81);
    assert!(later.iter().all(|e| e.passport.times.learnt > JANUARY));
    assert!(known_by(&lessons, Timestamp(i64::MIN)).0.is_empty());
    // Own knowledge needs no passport.
    let own = proven(body(EntryKind::Insight, "Mine."), 8_000);
    let mut shelf = Shelf::default();
    assert!(shelf.add(own));
    let book = PassportBook::default();
    let library = InheritedLibrary { library: &shelf, book: &book, clock: LifeClock { zero: JANUARY } };
    let mut n = 0;
    golem_grimoire::retrieval::Library::as_of(&library, VirtualTime(0), &mut |_| n += 1);
    assert_eq!((n, golem(1)), (1, line(0).golem));
}
