//! What a golem knows and remembers of something, the best first, and nothing where nothing fits.

use crate::fail::Fail;
use crate::home::Place;
use crate::knowledge::ReadMemory;
use crate::origins::settings_of;
use golem_core::door::Embedding;
use golem_core::model::ModelFailure;
use golem_core::{GolemId, Tick};
use golem_grimoire::change::TextSubject;
use golem_grimoire::embed::{Embedder as _, StaticEmbedder, similarity};
use golem_grimoire::entry::EntryKind;
use golem_grimoire::retrieval::{Finder, Hit, Query, Weighing, WhyFound};
use golem_grimoire::shelf::Shelf;
use golem_grimoire::{Entry, EntryId, Episode, EpisodeId};
use golem_inference::{RemoteEmbedder, embedder};
use golem_runtime::memory::Detail;
use golem_view::story::in_words;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// A text without a word in common must be this near in meaning.
const NEAR: f32 = 0.45;

/// Words that are in every text and say nothing about any.
const EMPTY: &[&str] = &[
    "a", "about", "after", "all", "an", "and", "any", "are", "as", "at", "be", "been", "by", "can", "did", "do",
    "does", "for", "from", "had", "has", "have", "how", "i", "if", "in", "into", "is", "it", "its", "me", "my", "no",
    "not", "of", "on", "or", "so", "some", "than", "that", "the", "their", "them", "then", "there", "these", "they",
    "this", "to", "was", "were", "what", "when", "where", "which", "who", "why", "will", "with", "you", "your",
];

/// What was found, as `grimoire search --json` prints it; others rely on these names.
#[derive(Debug, Clone, Serialize)]
pub struct SearchResult {
    pub as_of_tick: Tick,
    /// What it believes, the best first.
    pub entries: Vec<FoundEntry>,
    /// What happened to it, the best first.
    pub episodes: Vec<FoundEpisode>,
    /// Why the golem's own embedder was not asked, where it should have been.
    #[serde(skip)]
    pub failed: Option<ModelFailure>,
}

/// A belief that fits.
#[derive(Debug, Clone, Serialize)]
pub struct FoundEntry {
    pub id: String,
    pub kind: EntryKind,
    pub text: String,
    /// The same, with what is observed in words.
    pub in_words: String,
    /// Whose death paid for it, where one did.
    pub blood: Option<GolemId>,
    pub score: f64,
    /// How near in meaning it is.
    pub alike: f64,
    pub confidence: f64,
    pub effective: f64,
    pub why: WhyFound,
    /// What the testament of whoever left it says of it.
    pub testament: Option<String>,
}

/// An episode that fits.
#[derive(Debug, Clone, Serialize)]
pub struct FoundEpisode {
    pub id: EpisodeId,
    pub tick: Tick,
    pub text: String,
    pub score: f64,
}

/// Search in a golem's memory; as of a turn, or now.
pub fn search(place: &Place, words: &str, as_of: Option<u64>, top: usize) -> Result<SearchResult, Fail> {
    let memory = ReadMemory::open(place, as_of, Detail::All)?;
    let shelf = Shelf::rebuild(&memory.all);
    let meant = meaning(words);
    let mut told = SearchResult { as_of_tick: memory.tick, entries: Vec::new(), episodes: Vec::new(), failed: None };
    if meant.is_empty() {
        return Ok(told);
    }
    let (believed, failed) = entries(&memory, &shelf, words, &meant)?;
    told.failed = failed;
    told.entries.extend(believed.into_iter().take(top).map(|(alike, hit, e)| FoundEntry {
        id: e.id.to_string(),
        kind: e.body.kind,
        text: e.body.text.clone(),
        in_words: in_words(&e.body.text),
        blood: e.body.blood(),
        score: hit.score,
        alike,
        confidence: f64::from(e.standing.confidence_bp) / 1e4,
        effective: e.effective(memory.now),
        why: hit.why,
        testament: memory.passage(e.id).map(ToOwned::to_owned),
    }));
    let past = episodes(&memory, &meant, top)?;
    told.episodes.extend(past.into_iter().take(top).map(|(score, e)| FoundEpisode {
        id: e.id,
        tick: e.tick,
        text: e.text.clone(),
        score,
    }));
    Ok(told)
}

/// What it believes about some words, the best first, each with how sure it is.
pub fn believed(place: &Place, words: &str, as_of: Option<Tick>, top: usize) -> Result<Vec<(f64, Entry)>, Fail> {
    let memory = ReadMemory::open(place, as_of.map(|turn| turn.0), Detail::Learnt)?;
    let (shelf, meant) = (Shelf::rebuild(&memory.all), meaning(words));
    if meant.is_empty() {
        return Ok(Vec::new());
    }
    let (found, _) = entries(&memory, &shelf, words, &meant)?;
    Ok(found.into_iter().take(top).map(|(_, _, entry)| (entry.effective(memory.now), entry.clone())).collect())
}

/// The words of a question that say what it is about.
fn meaning(asked: &str) -> BTreeSet<String> {
    words_in(asked).into_iter().filter(|word| !EMPTY.contains(&word.as_str())).collect()
}

fn words_in(text: &str) -> BTreeSet<String> {
    let apart = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    apart.map(str::to_lowercase).collect()
}

/// Believed, and how near each is; and why another embedder was asked, if so.
type Believed<'a> = (Vec<(f64, Hit, &'a Entry)>, Option<ModelFailure>);

/// What is believed about it, in the order of the score. Being sure of something makes it no answer: it must have a word in
/// common with the question, or be near to it in meaning.
fn entries<'a>(
    memory: &ReadMemory,
    shelf: &'a Shelf,
    asked: &str,
    meant: &BTreeSet<String>,
) -> Result<Believed<'a>, Fail> {
    let Index { finder, question, vectors, failed } = indexed(memory, shelf, asked)?;
    let text = meant.iter().cloned().collect::<Vec<_>>().join(" ");
    let embedding = Some(question.clone());
    let query = Query { text, embedding, questions: true, budget: u32::MAX, ..Query::at(memory.now) };
    // By how well it fits, and among what fits as well by how sure it is: whoever asks can see for themselves what says the same.
    let rest = Weighing { quality: 0.0, recency: 0.0, regime: 0.0, affect: 0.0, ..Weighing::default() };
    let by = Weighing { rank: 1.0, confidence: 0.01, at_most: usize::MAX, share: 1.0, lambda: 1.0, ..rest };
    let near = |id: &EntryId| {
        let vector = vectors.get(id).or_else(|| finder.embedding(*id));
        vector.and_then(|vector| similarity(&question, vector)).unwrap_or(0.0)
    };
    let weighed = |hit: Hit| {
        let alike = near(&hit.id);
        let fits = hit.why.ranks.words.is_some() || alike >= NEAR;
        Some((f64::from(alike), hit.clone(), shelf.entry(hit.id).filter(|_| fits)?))
    };
    let mut found: Vec<_> = finder.retrieve(shelf, &query, &by).hits.into_iter().filter_map(weighed).collect();
    found.sort_by(|(_, a, _), (_, b, _)| b.score.total_cmp(&a.score).then_with(|| a.id.cmp(&b.id)));
    Ok((found, failed))
}

/// Episodes that have some of the words: those with the most of them first, of those the ones where they are rarest, of
/// those the latest.
fn episodes<'a>(memory: &'a ReadMemory, meant: &BTreeSet<String>, top: usize) -> Result<Vec<(f64, &'a Episode)>, Fail> {
    let by_id: BTreeMap<EpisodeId, &Episode> = memory.all.episodes.iter().map(|(e, ..)| (e.id, e)).collect();
    // More than are shown: the store ranks by rarity, people by how much of their question is answered.
    let most = u32::try_from(top.saturating_mul(20).clamp(200, 2_000)).unwrap_or(2_000);
    let text = meant.iter().cloned().collect::<Vec<_>>().join(" ");
    let found = memory.reader.memory().episodes_with(&text, memory.tick, most)?;
    let share = |e: &Episode| {
        let has = words_in(&e.text);
        meant.iter().filter(|word| has.contains(*word)).count() as f64 / meant.len() as f64
    };
    let mut all: Vec<_> = found.iter().filter_map(|f| by_id.get(&f.id).map(|e| (share(e), f.score, *e))).collect();
    all.sort_by(|a, b| b.0.total_cmp(&a.0).then(b.1.total_cmp(&a.1)).then(b.2.id.cmp(&a.2.id)));
    Ok(all.into_iter().map(|(share, _, e)| (share, e)).collect())
}

/// An index over what is in use, and the question as a vector.
struct Index {
    finder: Finder,
    question: Embedding,
    /// Of an embedder elsewhere.
    vectors: BTreeMap<EntryId, Embedding>,
    failed: Option<ModelFailure>,
}

/// By the embedder that the golem was born with: its stored vectors, and new ones for what has none. Vectors of two
/// embedders are never compared. Where that one cannot be reached the bundled one answers, and `failed` says why.
fn indexed(memory: &ReadMemory, shelf: &Shelf, words: &str) -> Result<Index, Fail> {
    let config = settings_of(&memory.reader.origin()?)?.inference;
    let (mut finder, bundled) = (Finder::default(), StaticEmbedder::bundled());
    for entry in shelf.in_use() {
        finder.add(entry.id, &entry.body, Some(&bundled.embed(&entry.body.text)));
    }
    let by_bundled = |finder, failed| {
        let question = bundled.embed(words);
        Ok(Index { finder, question, vectors: BTreeMap::new(), failed })
    };
    let mut remote = match embedder(&config) {
        Ok(Some(remote)) => remote,
        Ok(None) => return by_bundled(finder, None),
        // It cannot even be opened: its key is not here, for one.
        Err(_) => return by_bundled(finder, Some(ModelFailure::NoProvider)),
    };
    match lent(memory, shelf, remote.as_mut(), words) {
        Ok((question, vectors)) => {
            vectors.iter().for_each(|(id, vector)| finder.lend(*id, vector));
            Ok(Index { finder, question, vectors, failed: None })
        }
        Err(why) => by_bundled(finder, Some(why)),
    }
}

type Lent = (Embedding, BTreeMap<EntryId, Embedding>);

/// The question and everything in use as vectors of an embedder elsewhere.
fn lent(memory: &ReadMemory, shelf: &Shelf, by: &mut dyn RemoteEmbedder, words: &str) -> Result<Lent, ModelFailure> {
    let query = by.embed_query(words)?;
    let stored = memory.all.vectors.iter().filter(|(_, vector)| vector.model == query.model);
    let mut vectors: BTreeMap<EntryId, Embedding> = stored
        .filter_map(|(of, vector)| match of {
            TextSubject::Entry(id) => Some((*id, vector.clone())),
            TextSubject::Episode(_) => None,
        })
        .collect();
    let lacking: Vec<&Entry> = shelf.in_use().filter(|e| !vectors.contains_key(&e.id)).collect();
    for some in lacking.chunks(64) {
        let texts: Vec<String> = some.iter().map(|e| e.body.text.clone()).collect();
        vectors.extend(some.iter().map(|e| e.id).zip(by.embed(&texts)?));
    }
    Ok((query, vectors))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_say_nothing_are_not_searched_for() {
        assert!(meaning("what is the").is_empty());
        assert_eq!(meaning("Why did the GAS-spike hurt?").into_iter().collect::<Vec<_>>(), ["gas", "hurt", "spike"]);
    }
}
