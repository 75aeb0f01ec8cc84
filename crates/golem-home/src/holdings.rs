//! What the owner's library holds of something: search, one entry, and collections.

use crate::fail::Fail;
use crate::shelf::HeldEntry;
use golem_clade::library::{Archetype, HoldingId, LibraryHolding, OwnerLibrary, starter_name};
use golem_core::Timestamp;
use golem_core::plain::word;
use golem_grimoire::embed::{Embedder as _, StaticEmbedder, similarity};
use golem_mind::Template;
use serde::Serialize;

/// A text without a word in common must be this near in meaning.
const NEAR: f32 = 0.45;

/// An entry that fits, and how well.
#[derive(Debug, Clone, Serialize)]
pub struct FoundHolding {
    #[serde(flatten)]
    pub entry: HeldEntry,
    pub score: f64,
}

/// What `library search --json` prints; others rely on these names.
#[derive(Debug, Clone, Default, Serialize)]
pub struct HoldingsFound {
    /// The best first.
    pub entries: Vec<FoundHolding>,
}

/// What is held about some words.
pub fn search(library: &OwnerLibrary, words: &str, top: usize, now: Timestamp) -> HoldingsFound {
    let (embedder, asked) = (StaticEmbedder::bundled(), words.to_lowercase());
    let (meant, words) = (embedder.embed(&asked), words_in(&asked));
    let fit = |held: &LibraryHolding| -> Option<f64> {
        let text = held.tags().fold(held.body().text.to_lowercase(), |text, tag| format!("{text} {tag}"));
        let has = words_in(&text);
        let share = words.iter().filter(|word| has.contains(word)).count() as f64 / words.len().max(1) as f64;
        let alike = similarity(&meant, &embedder.embed(&held.body().text)).unwrap_or(0.0);
        (share > 0.0 || alike >= NEAR).then(|| (share + f64::from(alike.max(0.0))) / 2.0 * held.rank(now))
    };
    let mut found: Vec<(f64, HoldingId, &LibraryHolding)> =
        library.holdings().filter_map(|(id, held)| Some((fit(held)?, id, held))).collect();
    found.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    found.truncate(top);
    let entry = |(score, id, held)| FoundHolding { entry: HeldEntry::of(id, held, now), score };
    HoldingsFound { entries: found.into_iter().map(entry).collect() }
}

fn words_in(text: &str) -> Vec<&str> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| word.len() > 2).collect()
}

/// One entry by its id or the beginning of it.
pub fn one<'a>(library: &'a OwnerLibrary, word: &str) -> Result<(HoldingId, &'a LibraryHolding), Fail> {
    let mut found = library.holdings().filter(|(id, _)| !word.is_empty() && id.to_string().starts_with(word));
    match (found.next(), found.next()) {
        (Some(one), None) => Ok(one),
        (Some(_), Some(_)) => Err(Fail::hint(format!("{word:?} begins more than one entry"), "give more of it")),
        (None, _) => Err(Fail::hint(
            format!("the library has no entry or bundle {word:?}"),
            "see what there is: bardo library list, bardo library bundle",
        )),
    }
}

/// What `library show --json` prints; others rely on these names.
#[derive(Debug, Clone, Serialize)]
pub struct HoldingPage {
    #[serde(flatten)]
    pub entry: HeldEntry,
    /// All that is kept of it.
    pub holding: LibraryHolding,
}

impl HoldingPage {
    /// Of an entry, as it is worth at a moment.
    pub fn of(id: HoldingId, held: &LibraryHolding, now: Timestamp) -> Self {
        Self { entry: HeldEntry::of(id, held, now), holding: held.clone() }
    }
}

/// A collection at a glance.
#[derive(Debug, Clone, Serialize)]
pub struct BundleCard {
    pub name: String,
    pub standing: String,
    /// How many entries.
    pub entries: usize,
}

/// What `library bundle --json` prints; others rely on these names.
#[derive(Debug, Clone, Default, Serialize)]
pub struct BundleList {
    pub bundles: Vec<BundleCard>,
}

/// All collections, and the starter kit of each template that has one.
pub fn bundles(library: &OwnerLibrary, now: Timestamp) -> BundleList {
    let mut all = BundleList::default();
    for (name, bundle) in library.bundles() {
        let entries = library.contents(name, now).map_or(0, |c| c.len());
        all.bundles.push(BundleCard { name: name.to_owned(), standing: word(&bundle.standing), entries });
    }
    for template in Template::ALL {
        let archetype = Archetype::named(template.name());
        let entries = library.starter(&archetype, now).len();
        if entries > 0 {
            let (name, standing) = (starter_name(&archetype), "starter".to_owned());
            all.bundles.push(BundleCard { name, standing, entries });
        }
    }
    all
}

/// What `library bundle NAME --json` prints; others rely on these names.
#[derive(Debug, Clone, Serialize)]
pub struct BundlePage {
    pub name: String,
    pub template: Option<Archetype>,
    pub standing: String,
    pub entries: Vec<HeldEntry>,
}

/// What is in a collection.
pub fn contents(library: &OwnerLibrary, name: &str, now: Timestamp) -> Result<BundlePage, Fail> {
    let Some(ids) = library.contents(name, now) else {
        let hint =
            format!("see which there are: bardo library bundle; or make it: bardo library bundle {name} ENTRY...");
        return Err(Fail::hint(format!("there is no bundle {name}"), hint));
    };
    let bundle = library.bundle(name);
    Ok(BundlePage {
        name: name.to_owned(),
        template: bundle.and_then(|b| b.archetype.clone()),
        standing: bundle.map_or("starter".to_owned(), |b| word(&b.standing)),
        entries: ids.iter().filter_map(|id| Some(HeldEntry::of(*id, library.holding(*id)?, now))).collect(),
    })
}
