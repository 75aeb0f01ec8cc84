//! Nothing comes from the future.

use crate::kit::{Chance, body, claiming, golem, heir_of, knowing, left_by, line, proven, proven_rule, travelling};
use golem_clade::as_of::{known_by, told_beside};
use golem_clade::provenance::TravellingEntry;
use golem_clade::world_time::{LifeClock, WorldTimes};
use golem_core::{Tick, Timestamp, VirtualTime};
use golem_grimoire::embed::{Embedder, StaticEmbedder};
use golem_grimoire::retrieval::{Query, ToldEntries};
use golem_grimoire::{EntryBody, EntryKind, Provenance};
use proptest::prelude::*;
use std::collections::BTreeMap;

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
    let (mut entries, mut told, mut dates) = (Vec::new(), ToldEntries::new(), BTreeMap::new());
    for one in &lessons() {
        // As if everything had been told at birth: the grimoire's own cut would let all of it through.
        let body = EntryBody { provenance: Provenance::Testament, ..one.entry.body.clone() };
        let entry = proven(body, 8_000);
        told.insert(entry.id, told_beside(&one.passport, clock, None));
        dates.insert(entry.id, one.passport.times);
        entries.push(entry);
    }
    let mut open = knowing(golem(1), entries.clone());
    let mut heir = knowing(golem(1), entries).told(told, Vec::new());
    let texts = ["fees follow gas", "volatility and volume", "lesson about fees", "what follows gas_ratio"];
    let questions: Vec<_> = texts.iter().map(|t| (t, embedder.embed(t))).collect();
    let (mut chance, mut found, mut leaks) = (Chance(2_022), 0, 0);
    for n in 0..QUERIES {
        let age = VirtualTime((chance.unit() * YEAR as f64 * 1_000.0) as u64);
        let (text, vector) = &questions[chance.below(questions.len())];
        let query = Query { text: (**text).to_owned(), embedding: Some(vector.clone()), ..Query::at(age) };
        let now = clock.at(age);
        // Both doors of a life: what it is reminded of, and what a model looks up.
        let hits = match n % 2 {
            0 => heir.recall(Tick(n as u64), &query).hits,
            _ => heir.look_up(&query).hits,
        };
        for hit in &hits {
            assert!(dates[&hit.id].known_at(now), "{:?} at {now}", hit.id);
        }
        found += hits.len();
        // Without the cut the future would come out: the test can fail.
        if leaks < 10 {
            leaks += open.look_up(&query).hits.iter().filter(|hit| dates[&hit.id].learnt > now).count();
        }
        heir.take_changes();
    }
    assert!(found > QUERIES, "something is found: {found}");
    assert!(leaks >= 10, "and something is held back: {leaks}");
}

proptest! {
    #[test]
    fn ages_say_what_dates_say(zero in -1_000_000_000i64..2_000_000_000, learnt in -1_000_000_000i64..2_000_000_000,
        lasts in proptest::option::of(0i64..100_000_000), age in 0u64..4_000_000_000_000)
    {
        let (clock, at) = (LifeClock { zero: Timestamp(zero) }, VirtualTime(age / 1_000 * 1_000));
        let until = lasts.map(|lasts| Timestamp(learnt + lasts));
        let times = WorldTimes { true_from: Timestamp(learnt), true_until: until, learnt: Timestamp(learnt) };
        let mut one = lessons()[0].passport.clone();
        one.times = times;
        let told = told_beside(&one, clock, None);
        // What stopped holding before the birth never held here.
        let past = until.is_some_and(|until| until.0 <= zero);
        prop_assert_eq!(told.known_at(at), times.known_at(clock.at(at)) && !past);
    }
}

#[test]
fn what_travels_is_split_at_the_time_that_is_lived() {
    let lessons = lessons();
    let (known, later) = known_by(&lessons, JANUARY);
    assert_eq!(known.len() + later.len(), lessons.len());
    assert!(known.iter().all(|e| e.passport.times.learnt <= JANUARY) && known.len() == 81);
    assert!(later.iter().all(|e| e.passport.times.learnt > JANUARY));
    assert!(known_by(&lessons, Timestamp(i64::MIN)).0.is_empty());
}

/// Whoever relives an earlier year is born with nothing that was proven later, however often it was.
#[test]
fn no_default_from_the_future() {
    let closed = Timestamp(JANUARY.0 + 2 * YEAR);
    for (learnt, born, defaults) in [
        (JANUARY.0 + YEAR, JANUARY.0, 0),
        (JANUARY.0 + YEAR, JANUARY.0 + YEAR - 1, 0),
        (JANUARY.0 + YEAR, JANUARY.0 + YEAR, 1),
        (JANUARY.0 - YEAR, JANUARY.0, 1),
        (JANUARY.0 + YEAR, closed.0, 1),
    ] {
        let left = left_by(&line(4), vec![proven_rule(Timestamp(learnt))], closed);
        let found = left.innate(&heir_of(&left, Timestamp(born))).len();
        assert_eq!(found, defaults, "learnt at {learnt}, born at {born}");
    }
}
