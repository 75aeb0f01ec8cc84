//! Recall of a whole grimoire: how wide it looks, and when it hears the other side.

use crate::kit;

use golem_core::{Tick, VirtualTime};
use golem_grimoire::admission::Neighbours as _;
use golem_grimoire::embed::{Embedder as _, similarity};
use golem_grimoire::retrieval::{Finder, Nearby, Query, Recall, TermOf};
use golem_grimoire::{Entry, EntryBody, EntryKind, Episode, EpisodeId, Grimoire, Marks, Remembered};
use kit::{active, body, episode, origin};

/// A grimoire that remembers these entries.
fn remembering(entries: Vec<Entry>) -> (Grimoire, Remembered) {
    let memory = Remembered { entries: entries.into_iter().map(|e| (e, None)).collect(), ..Remembered::default() };
    (restarted(&newborn(), &memory), memory)
}

fn newborn() -> Grimoire {
    Grimoire::new("wanderer".parse().unwrap(), origin())
}

fn restarted(grimoire: &Grimoire, memory: &Remembered) -> Grimoire {
    Grimoire::rebuild("wanderer".parse().unwrap(), origin(), grimoire.state(), memory).unwrap()
}

fn ask(text: &str) -> Query {
    Query { text: text.to_owned(), ..Query::at(VirtualTime(1)) }
}

/// Four subjects; the one that is asked about is believed most, and has more to say than there are places for.
fn four_subjects() -> Vec<Entry> {
    let subjects = [
        ("the price of gas", 9_000),
        ("the depth of the pool", 8_000),
        ("news about the protocol", 7_600),
        ("the mood of other traders", 7_200),
    ];
    let said = ["rises at noon", "falls at night", "follows the market", "is calm on Sundays", "swings after a storm"];
    let more = ["lags by an hour", "warns of a crash", "is never the same twice", "matters less in summer"];
    let one = |(subject, bp): (&str, u16)| {
        let text = move |says: &&str| format!("{subject} {says}");
        said.iter().chain(&more).map(text).map(|t| active(body(EntryKind::Insight, &t), bp)).collect::<Vec<_>>()
    };
    subjects.into_iter().flat_map(one).collect()
}

/// How alike the hits are to each other, in the mean.
fn sameness(grimoire: &Grimoire, recall: &Recall) -> f64 {
    let text = |hit: &golem_grimoire::retrieval::Hit| grimoire.shelf().entry(hit.id).unwrap().body.text.clone();
    let vectors: Vec<_> = recall.hits.iter().map(|h| grimoire.embedder().embed(&text(h))).collect();
    let pairs = (0..vectors.len()).flat_map(|a| (0..a).map(move |b| (a, b)));
    let all: Vec<f64> = pairs.map(|(a, b)| f64::from(similarity(&vectors[a], &vectors[b]).unwrap())).collect();
    all.iter().sum::<f64>() / all.len() as f64
}

#[test]
fn the_less_relevance_counts_the_more_diverse_is_what_is_recalled() {
    let found = |lambda: Option<f64>| {
        let (mut grimoire, _) = remembering(four_subjects());
        let recall = grimoire.recall(Tick(1), &Query { lambda, ..ask("the price of gas") });
        assert_eq!(recall.hits.len(), 10);
        (sameness(&grimoire, &recall), recall)
    };
    let [near, usual, wide] = [Some(0.9), None, Some(0.5)].map(found);
    assert_eq!(usual.1, found(Some(0.7)).1, "the usual, when nothing asks for anything else");
    assert!(near.0.min(usual.0) > wide.0 + 0.1, "{} {} {}", near.0, usual.0, wide.0);
}

#[test]
fn the_first_recall_of_every_hundred_turns_and_no_other_hears_the_other_side() {
    let with = |kind, text: &str, tag: &str| {
        let tags = vec![tag.to_owned()];
        active(EntryBody { tags, ..body(kind, text) }, 6_000)
    };
    let entries = || {
        vec![
            with(EntryKind::Insight, "buying when gas is cheap brings good entries", "went:well"),
            with(EntryKind::Warning, "pools run dry before news", "went:badly"),
        ]
    };
    // The first hundred has nothing to speak against.
    let table = [
        (1, false),
        (99, false),
        (130, true),
        (131, false),
        (199, false),
        (200, true),
        (201, false),
        (455, true),
        (455, false),
        (499, false),
        (500, true),
    ];
    for restarts in [false, true] {
        let (mut grimoire, memory) = remembering(entries());
        for (tick, drawn) in table {
            let recall = grimoire.recall(Tick(tick), &ask("cheap gas"));
            let contrary = recall.hits.iter().filter(|hit| hit.why.contrarian).count();
            assert_eq!(contrary, usize::from(drawn), "turn {tick}, restarts {restarts}");
            if restarts {
                grimoire.take_changes();
                grimoire = restarted(&grimoire, &memory);
            }
        }
    }
}

#[test]
fn what_was_learnt_in_the_same_mood_comes_first() {
    let moods = [[0.8, 0.5, 0.3], [-0.8, -0.5, -0.3]];
    let lived = |n: u64| Episode { affect: Some(moods[n as usize - 1]), ..episode(n, VirtualTime(0)) };
    let learnt = |n: u64, text: &str| {
        active(EntryBody { episodes: vec![EpisodeId(n)], ..body(EntryKind::Insight, text) }, 7_000)
    };
    // Nothing but the mood tells them apart.
    let entries = vec![learnt(1, "gas falls at night, says one"), learnt(2, "gas falls at night, says two")];
    let memory = Remembered {
        episodes: (1..=2).map(|n| (lived(n), Marks::default(), None)).collect(),
        entries: entries.iter().map(|e| (e.clone(), None)).collect(),
        ..Remembered::default()
    };
    for (mood, expected) in moods.into_iter().zip(&entries) {
        let mut grimoire = restarted(&newborn(), &memory);
        let found = grimoire.recall(Tick(1), &Query { affect: Some(mood), ..ask("gas at night") });
        assert_eq!((found.hits.len(), found.hits[0].id), (2, expected.id), "{found:?}");
        assert!(found.hits.iter().all(|hit| hit.why.terms.iter().any(|term| term.of == TermOf::Affect)), "{found:?}");
    }
    let found = restarted(&newborn(), &memory).recall(Tick(1), &ask("gas at night"));
    assert!(
        found.hits.iter().all(|hit| hit.why.terms.iter().all(|term| term.of != TermOf::Affect)),
        "no mood, no term"
    );
}

#[test]
fn the_nearest_to_an_entry_is_another_one() {
    let entries = ["Gas is cheap on Sundays.", "On Sundays gas is cheap.", "Volume follows the news."]
        .map(|text| active(body(EntryKind::Insight, text), 7_000));
    let embedder = newborn().embedder().clone();
    let mut finder = Finder::default();
    for entry in &entries {
        finder.add(entry.id, &entry.body, Some(&embedder.embed(&entry.body.text)));
    }
    let near = Nearby { finder: &finder, embedder: &embedder };
    let of = |n: usize| near.nearest(&entries[n].body).unwrap();
    assert_eq!((of(0).id, of(1).id), (entries[1].id, entries[0].id));
    assert!(of(0).cosine > 0.9 && of(2).cosine < 0.9, "{:?} {:?}", of(0), of(2));
}
