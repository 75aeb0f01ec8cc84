//! The owner's library in this home, looked at: `library.db`, left as it is.

use crate::fail::Fail;
use crate::home::Home;
use ed25519_dalek::SigningKey;
use golem_clade::library::{Archetype, DepositedDeath, HoldingId, LibraryHolding, LibraryInflow, OwnerLibrary};
use golem_clade::provenance::ValidationWord;
use golem_core::{GolemId, Hash, Tick, Timestamp};
use golem_grimoire::entry::{EntryKind, Provenance};
use golem_runtime::{LibraryFile, ShelfRow};
use golem_view::story::in_words;
use serde::Serialize;
use std::path::PathBuf;

/// What helps where it cannot be read.
pub const MEND: &str = "put a copy of it back, or move it away: bardo library import brings bundles back";

/// Where it is.
pub fn path(home: &Home) -> PathBuf {
    home.path().join("library.db")
}

/// What it holds; nothing when there is none yet.
pub fn find(home: &Home) -> Result<Option<OwnerLibrary>, Fail> {
    let Some(mut file) = LibraryFile::find(&path(home))? else { return Ok(None) };
    let rows = file.rows()?;
    read(&rows, home).map(Some)
}

/// The public half of it; none while there is no library.
pub fn public_key(home: &Home) -> Result<Option<Hash>, Fail> {
    let Some(file) = LibraryFile::find(&path(home))? else { return Ok(None) };
    Ok(Some(Hash(SigningKey::from_bytes(&file.signing_key()?).verifying_key().to_bytes())))
}

/// The library that rows of its file spell.
pub fn read(rows: &[ShelfRow], home: &Home) -> Result<OwnerLibrary, Fail> {
    let all = rows.iter().map(|row| (row.table.as_str(), row.key.as_str(), row.body.as_str()));
    OwnerLibrary::read(all).map_err(|e| Fail::world_hint(format!("{}: damaged: {e}", path(home).display()), MEND))
}

/// What others rely on of an entry that is held.
#[derive(Debug, Clone, Serialize)]
pub struct HeldEntry {
    pub id: HoldingId,
    pub kind: EntryKind,
    pub text: String,
    /// The same, with what is observed in words.
    pub in_words: String,
    pub confidence: f64,
    pub effective: f64,
    pub inflow: LibraryInflow,
    pub provenance: Provenance,
    pub is_bloodstain: bool,
    /// Whose death paid for it, where one did.
    pub blood: Option<GolemId>,
    pub battle_tested: bool,
    pub disputed: bool,
    pub tags: Vec<String>,
    pub validated_by: u32,
    pub contradicted_by: u32,
    pub equipped: usize,
    pub templates: Vec<Archetype>,
}

impl HeldEntry {
    /// One of them, as it is worth at a moment.
    pub fn of(id: HoldingId, held: &LibraryHolding, now: Timestamp) -> Self {
        let body = held.body();
        Self {
            id,
            kind: body.kind,
            text: body.text.clone(),
            in_words: in_words(&body.text),
            confidence: f64::from(held.confidence_bp()) / 1e4,
            effective: held.effective(now),
            inflow: held.inflow,
            provenance: body.provenance,
            is_bloodstain: body.is_bloodstain,
            blood: body.blood(),
            battle_tested: held.is_battle_tested(),
            disputed: held.is_disputed(),
            tags: held.tags().map(Into::into).collect(),
            validated_by: held.count(ValidationWord::Confirmed),
            contradicted_by: held.count(ValidationWord::Contradicted),
            equipped: held.equipped.len(),
            templates: held.archetypes.iter().cloned().collect(),
        }
    }
}

/// What a golem left to it.
#[derive(Debug, Clone, Serialize)]
pub struct DepositMade {
    pub golem: GolemId,
    pub name: String,
    pub template: Archetype,
    pub tick: Tick,
    pub at: Timestamp,
    /// Entries that were kept.
    pub entries: usize,
    /// How much of what it believed was not.
    pub left: u32,
    /// How much it had found out of what drives what.
    pub edges: usize,
}

/// What `library list --json` prints; others rely on these names.
#[derive(Debug, Clone, Default, Serialize)]
pub struct LibraryPage {
    /// The public half of the key that it signs with; none while there is no library.
    pub key: Option<Hash>,
    /// The best first.
    pub entries: Vec<HeldEntry>,
    pub deposits: Vec<DepositMade>,
}

impl LibraryPage {
    /// Of a library: all that it holds, or what golems of a template have had.
    pub fn of(library: &OwnerLibrary, key: Option<Hash>, template: Option<&Archetype>, now: Timestamp) -> Self {
        let fits = |held: &LibraryHolding| template.is_none_or(|kind| held.archetypes.contains(kind));
        let mut all: Vec<(HoldingId, &LibraryHolding)> = library.holdings().filter(|(_, held)| fits(held)).collect();
        all.sort_by(|a, b| b.1.rank(now).total_cmp(&a.1.rank(now)).then(a.0.cmp(&b.0)));
        let deposit = |(golem, d): (GolemId, &DepositedDeath)| DepositMade {
            golem,
            name: d.name.clone(),
            template: d.archetype.clone(),
            tick: d.tick,
            at: d.at,
            entries: d.kept.len(),
            left: d.left,
            edges: d.edges.len(),
        };
        Self {
            key,
            entries: all.into_iter().map(|(id, held)| HeldEntry::of(id, held, now)).collect(),
            deposits: library.deposits().map(deposit).collect(),
        }
    }
}

/// Look at it. Only commands of the library bring it up to date; whoever looks leaves it as it is.
pub fn look(home: &Home, now: Timestamp) -> Result<LibraryPage, Fail> {
    let Some(library) = find(home)? else { return Ok(LibraryPage::default()) };
    Ok(LibraryPage::of(&library, public_key(home)?, None, now))
}
