//! Vectors by an embedder elsewhere: found by, kept apart from the bundled one's, and there again after a restart.

use crate::kit;

use golem_core::door::{Embedding, rounded};
use golem_core::{Name, Tick, VirtualTime};
use golem_grimoire::change::{Change, TextSubject};
use golem_grimoire::retrieval::{EpisodeQuery, Query};
use golem_grimoire::{EntryId, EntryKind, EpisodeId, Grimoire};
use kit::{File, active, body, days, episode, origin};

const WORDS: [&str; 6] = [
    "gas is dear on monday mornings",
    "liquidity leaves before the weekend",
    "fees follow volume within the hour",
    "a wide range earns less and hurts less",
    "volatility comes in clusters",
    "what falls fast returns slowly",
];

fn name() -> Name {
    "ada".parse().unwrap()
}

/// A golem that knows six things and has lived three, and its file.
fn learned() -> (Grimoire, Vec<EntryId>, File) {
    let entries: Vec<_> = WORDS.iter().map(|words| active(body(EntryKind::Insight, words), 8_000)).collect();
    let ids = entries.iter().map(|e| e.id).collect();
    let mut file = File::default();
    file.write(entries.into_iter().map(|e| Change::Entry { entry: Box::new(e), embedding: None }).collect());
    let empty = Grimoire::new(name(), origin()).state();
    let mut grimoire = Grimoire::rebuild(name(), origin(), empty, &file.remembered()).unwrap();
    for n in 1..=3 {
        grimoire.record(episode(n, days(n)));
    }
    (grimoire, ids, file)
}

/// The n-th direction of eight, by a named embedder.
fn towards(model: &str, n: usize) -> Embedding {
    let mut vector = [0.0; 8];
    vector[n % 8] = 1.0;
    rounded(model, &vector)
}

/// Everything that has none gets a vector, each in a direction of its own.
fn lend(grimoire: &mut Grimoire, model: &str) -> usize {
    let all: Vec<(TextSubject, String)> =
        grimoire.without_vector(Tick(1), 100).into_iter().map(|(of, text)| (of, text.to_owned())).collect();
    for (of, text) in &all {
        let n = WORDS.iter().position(|w| w == text).unwrap_or(6);
        grimoire.take_vector(*of, towards(model, n));
    }
    all.len()
}

fn first_by_text(grimoire: &mut Grimoire, embedding: Option<Embedding>) -> Option<EntryId> {
    // The words match nothing: whoever is found was found by its vector.
    let query = Query { text: "zzyzx".into(), embedding, ..Query::at(days(4)) };
    let found = grimoire.look_up(&query);
    found.hits.iter().find(|hit| hit.why.ranks.text == Some(1)).map(|hit| hit.id)
}

#[test]
fn what_is_known_is_found_by_the_vectors_of_whoever_made_the_question() {
    let (mut grimoire, ids, _) = learned();
    assert_eq!(grimoire.without_vector(Tick(1), 100).len(), WORDS.len() + 3);
    assert_eq!(first_by_text(&mut grimoire, Some(towards("far/8", 2))), None, "nothing to compare with yet");
    assert_eq!(lend(&mut grimoire, "far/8"), WORDS.len() + 3);
    assert!(grimoire.without_vector(Tick(1), 100).is_empty());
    for (n, id) in ids.iter().enumerate() {
        assert_eq!(first_by_text(&mut grimoire, Some(towards("far/8", n))), Some(*id));
        assert_eq!(first_by_text(&mut grimoire, Some(towards("near/8", n))), None, "another embedder's question");
    }
    let about = towards("far/8", 6);
    let query = EpisodeQuery { as_of: days(2), embedding: Some(&about), ..EpisodeQuery::default() };
    let past: Vec<u64> = grimoire.episodes().recall(&query, 9).iter().map(|hit| hit.id.0).collect();
    assert_eq!(past, [1, 2], "and never what has not happened yet");
}

#[test]
fn a_new_embedder_begins_anew_and_gives_nothing_to_the_old_one() {
    let (mut grimoire, ids, _) = learned();
    lend(&mut grimoire, "far/8");
    grimoire.take_vector(TextSubject::Entry(ids[0]), towards("new/8", 5));
    assert_eq!(grimoire.lender(), Some("new/8"));
    assert_eq!(first_by_text(&mut grimoire, Some(towards("new/8", 5))), Some(ids[0]));
    assert_eq!(first_by_text(&mut grimoire, Some(towards("far/8", 1))), None);
    assert_eq!(lend(&mut grimoire, "new/8"), WORDS.len() + 3 - 1);
}

#[test]
fn a_vector_comes_once_and_never_as_the_bundled_embedders() {
    let (mut grimoire, ids, _) = learned();
    grimoire.take_changes();
    let of = TextSubject::Entry(ids[0]);
    grimoire.take_vector(of, towards("far/8", 1));
    grimoire.take_vector(of, towards("far/8", 2));
    let bundled = golem_grimoire::embed::Embedder::embed(grimoire.embedder(), "gas");
    grimoire.take_vector(TextSubject::Entry(ids[1]), bundled);
    let changes = grimoire.take_changes();
    assert_eq!(changes, [Change::Vector { of, embedding: towards("far/8", 1) }]);
    assert!(grimoire.take_changes().is_empty());
}

#[test]
fn where_many_have_none_every_turn_begins_elsewhere() {
    let (grimoire, ..) = learned();
    let seen: std::collections::BTreeSet<TextSubject> =
        (0..9).flat_map(|t| grimoire.without_vector(Tick(t), 2)).map(|(of, _)| of).collect();
    assert_eq!(seen.len(), WORDS.len() + 3);
    assert!((0..9).all(|t| grimoire.without_vector(Tick(t), 2).len() == 2));
}

#[test]
fn rebuilt_from_its_rows_it_finds_the_same() {
    let (mut grimoire, ids, mut file) = learned();
    lend(&mut grimoire, "far/8");
    grimoire.take_vector(TextSubject::Entry(ids[3]), towards("new/8", 3));
    grimoire.take_vector(TextSubject::Episode(EpisodeId(2)), towards("new/8", 7));
    file.write(grimoire.take_changes());
    let again = Grimoire::rebuild(name(), origin(), grimoire.state(), &file.remembered());
    let mut again = again.unwrap();
    assert_eq!(again.lender(), grimoire.lender());
    assert_eq!(again.without_vector(Tick(3), 100), grimoire.without_vector(Tick(3), 100));
    for n in 0..8 {
        for model in ["far/8", "new/8"] {
            let asked = Some(towards(model, n));
            assert_eq!(first_by_text(&mut again, asked.clone()), first_by_text(&mut grimoire, asked), "{model} {n}");
        }
    }
    let about = towards("new/8", 7);
    let query = EpisodeQuery { as_of: VirtualTime(u64::MAX), embedding: Some(&about), ..EpisodeQuery::default() };
    assert_eq!(again.episodes().recall(&query, 9), grimoire.episodes().recall(&query, 9));
    assert_eq!(again.episodes().recall(&query, 9)[0].id, EpisodeId(2));
}
