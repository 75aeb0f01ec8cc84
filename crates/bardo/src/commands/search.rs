//! `bardo grimoire search ID WORDS`: what a golem knows and remembers of something, the best first, and nothing where
//! nothing fits.

use super::grimoire::Memory;
use crate::cli::GrimoireSearch;
use crate::fail::Fail;
use crate::home::Home;
use crate::lines::folded;
use crate::out::Out;
use golem_core::door::Embedding;
use golem_core::model::ModelFailure;
use golem_core::plain::word;
use golem_grimoire::change::TextSubject;
use golem_grimoire::embed::{Embedder as _, StaticEmbedder, similarity};
use golem_grimoire::retrieval::{Finder, Hit, Query, Weighing};
use golem_grimoire::shelf::Shelf;
use golem_grimoire::{Entry, EntryId, Episode, EpisodeId};
use golem_inference::{RemoteEmbedder, embedder};
use golem_runtime::memory::Detail;
use serde_json::json;
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

/// Search.
pub fn run(args: &GrimoireSearch, home: &Home, out: &Out) -> Result<(), Fail> {
    let memory = Memory::open(&args.id, args.as_of, Detail::All, home)?;
    let shelf = Shelf::rebuild(&memory.all);
    let asked = args.words.join(" ");
    let meant = meaning(&asked);
    let (believed, failed) =
        if meant.is_empty() { (Vec::new(), None) } else { entries(&memory, &shelf, &asked, &meant)? };
    if let Some(why) = failed {
        out.alert(&format!("the embedder gave no vectors ({}): searched by the bundled one", word(&why)));
    }
    let past = if meant.is_empty() { Vec::new() } else { episodes(&memory, &meant, args.top)? };
    let (believed, past) = (&believed[..believed.len().min(args.top)], &past[..past.len().min(args.top)]);
    let told = json!({
        "as_of_tick": memory.tick,
        "entries": believed.iter().map(|(alike, hit, e)| json!({
            "id": e.id.to_string(), "kind": e.body.kind, "text": e.body.text, "score": hit.score, "alike": alike,
            "confidence": f64::from(e.standing.confidence_bp) / 1e4, "effective": e.effective(memory.now),
            "why": hit.why, "testament": memory.passage(e.id),
        })).collect::<Vec<_>>(),
        "episodes": past.iter().map(|(score, e)| json!({ "id": e.id, "tick": e.tick, "text": e.text, "score": score }))
            .collect::<Vec<_>>(),
    });
    out.result(&told, || {
        let mut lines = Vec::new();
        if !believed.is_empty() {
            lines.push("what it believes: how well it fits, its id, how sure it is".to_owned());
        }
        for (_, hit, e) in believed {
            let (id, sure) = (e.id.to_string(), e.effective(memory.now));
            lines.push(format!("{:.3}  {id:.8} {sure:.2}  {} ({})", hit.score, e.body.text, word(&e.body.kind)));
            lines.extend(memory.passage(e.id).map(|said| format!("                      its testament: {said}")));
        }
        if !past.is_empty() {
            lines.push("what happened to it: how many of the words it has, its turn".to_owned());
        }
        lines.extend(past.iter().map(|(score, e)| format!("{score:.3}  turn {:<9} {}", e.tick.to_string(), e.text)));
        if lines.is_empty() { "nothing is known about that".to_owned() } else { folded(&lines.join("\n")) }
    })
}

/// What it believes about some words, the best first, each with how sure it is.
pub(super) fn believed(id: &str, words: &str, top: usize, home: &Home) -> Result<Vec<(f64, Entry)>, Fail> {
    let memory = Memory::open(id, None, Detail::Learnt, home)?;
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

/// What is believed about it, in the order of the score, and why another embedder than its own was asked, if so. Being sure of something makes it no answer: it must have a word in
/// common with the question, or be near to it in meaning.
fn entries<'a>(
    memory: &Memory,
    shelf: &'a Shelf,
    asked: &str,
    meant: &BTreeSet<String>,
) -> Result<(Vec<(f64, Hit, &'a Entry)>, Option<ModelFailure>), Fail> {
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
fn episodes<'a>(memory: &'a Memory, meant: &BTreeSet<String>, top: usize) -> Result<Vec<(f64, &'a Episode)>, Fail> {
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
fn indexed(memory: &Memory, shelf: &Shelf, words: &str) -> Result<Index, Fail> {
    let config = crate::birth::settings_of(&memory.reader.origin()?)?.inference;
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
fn lent(memory: &Memory, shelf: &Shelf, by: &mut dyn RemoteEmbedder, words: &str) -> Result<Lent, ModelFailure> {
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
