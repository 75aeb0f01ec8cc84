//! A collection as one file: versioned, bounded, with exactly one form in bytes. Those bytes are what is signed; signing and
//! checking signatures happen elsewhere.
//!
//! The form is a line `bardo bundle <version> <checksum>` and the bundle as JSON. Being in a bundle makes nothing true.

use super::holding::{Archetype, LibraryHolding};
use super::owner::OwnerLibrary;
use crate::bottleneck::INHERITANCE_BUDGET;
use crate::first_line::{FirstLine, FirstLineFault};
use crate::heirloom::{MOST_ENTRY_BYTES, MOST_HEIRLOOM_BYTES};
use golem_core::{Hash, Name, Timestamp, plain};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// The version that this code writes and reads.
pub const BUNDLE_VERSION: u16 = 1;
/// How it begins.
const FIRST_LINE: FirstLine = FirstLine { magic: "bardo bundle", version: BUNDLE_VERSION };
/// Golems that one entry can name: those who learnt it, spoke on it or had it.
const MOST_NAMED: usize = 256;

/// A collection that can leave its library.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KnowledgeBundle {
    /// What it is called.
    pub name: Name,
    /// For which kind of golem; none for any.
    pub archetype: Option<Archetype>,
    /// When it was written, by the wall.
    pub written: Timestamp,
    /// What is in it.
    pub holdings: Vec<LibraryHolding>,
}

/// Why bytes are no bundle.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BundleError {
    /// Too many bytes.
    #[error("it has {0} bytes, and {MOST_HEIRLOOM_BYTES} may be")]
    TooLarge(usize),
    /// Something else.
    #[error("it does not begin like a bundle")]
    NotOne,
    /// A version that this code does not know.
    #[error("it has version {0}, and {BUNDLE_VERSION} can be read")]
    Version(u64),
    /// Damaged or altered.
    #[error("its sum is {found}, and {said} stands in its first line")]
    Checksum {
        /// What stands there.
        said: Hash,
        /// What it is.
        found: Hash,
    },
    /// It cannot be read.
    #[error("it cannot be read: {0}")]
    Unreadable(String),
    /// More, or larger, than may be.
    #[error("it holds too much: at most {INHERITANCE_BUDGET} entries of {MOST_ENTRY_BYTES} bytes, each once")]
    OutOfBounds,
    /// The same content can be written otherwise, and only one form is signed.
    #[error("it is not in its one form")]
    NotCanonical,
}

impl BundleError {
    /// Its number, which never changes.
    #[must_use]
    pub fn code(&self) -> u16 {
        self.entry().0
    }
    /// What would lift it.
    #[must_use]
    pub fn lifted_by(&self) -> &'static str {
        self.entry().1
    }
    fn entry(&self) -> (u16, &'static str) {
        match self {
            Self::TooLarge(_) => (920, "a smaller bundle"),
            Self::NotOne => (921, "give what bardo library export has written"),
            Self::Version(_) => (922, "a bardo that knows this version"),
            Self::Checksum { .. } => (923, "an undamaged copy"),
            Self::Unreadable(_) => (924, "an undamaged copy"),
            Self::OutOfBounds => (925, "a bundle within its bounds"),
            Self::NotCanonical => (926, "the bundle as it was written"),
        }
    }
}

impl From<FirstLineFault> for BundleError {
    fn from(fault: FirstLineFault) -> Self {
        match fault {
            FirstLineFault::NotOne => Self::NotOne,
            FirstLineFault::Version(number) => Self::Version(number),
            FirstLineFault::NotCanonical => Self::NotCanonical,
        }
    }
}

impl KnowledgeBundle {
    /// What is signed: its one form in bytes.
    #[must_use]
    pub fn canonical(&self) -> Vec<u8> {
        let body = plain::json(self);
        FIRST_LINE.before(checksum(body.as_bytes()), &body)
    }

    /// Read one.
    ///
    /// # Errors
    /// With the first thing that is wrong with it.
    pub fn read(bytes: &[u8]) -> Result<Self, BundleError> {
        if bytes.len() > MOST_HEIRLOOM_BYTES {
            return Err(BundleError::TooLarge(bytes.len()));
        }
        let (said, body) = FIRST_LINE.read(bytes)?;
        let found = checksum(body);
        if said != found {
            return Err(BundleError::Checksum { said, found });
        }
        let unreadable = |e: serde_json::Error| BundleError::Unreadable(e.to_string().chars().take(200).collect());
        let bundle: Self = serde_json::from_slice(body).map_err(unreadable)?;
        if bundle.is_out_of_bounds() {
            return Err(BundleError::OutOfBounds);
        }
        if plain::json(&bundle).as_bytes() != body {
            return Err(BundleError::NotCanonical);
        }
        Ok(bundle)
    }

    fn is_out_of_bounds(&self) -> bool {
        let ids: BTreeSet<_> = self.holdings.iter().map(LibraryHolding::id).collect();
        let large = |h: &LibraryHolding| {
            let named = h.learners.len().max(h.words.len()).max(h.archetypes.len());
            plain::json(&h.entry).len() > MOST_ENTRY_BYTES || named > MOST_NAMED || !h.equipped.is_empty()
        };
        self.holdings.len() > INHERITANCE_BUDGET
            || ids.len() != self.holdings.len()
            || self.holdings.iter().any(large)
            || self.archetype.as_ref().is_some_and(|kind| kind.as_str().chars().count() > 64)
    }
}

impl OwnerLibrary {
    /// Pack holdings for leaving. Who was given what stays at home.
    #[must_use]
    pub fn pack(
        &self,
        name: Name,
        archetype: Option<Archetype>,
        of: &[super::HoldingId],
        written: Timestamp,
    ) -> KnowledgeBundle {
        let mut seen = BTreeSet::new();
        let of = of.iter().filter(|id| seen.insert(**id)).filter_map(|id| self.holding(*id));
        let leaving = |held: &LibraryHolding| LibraryHolding {
            equipped: BTreeMap::new(),
            words: held.words.iter().take(MOST_NAMED).map(|(golem, word)| (*golem, *word)).collect(),
            learners: held.learners.iter().take(MOST_NAMED).map(|(golem, when)| (*golem, *when)).collect(),
            ..held.clone()
        };
        KnowledgeBundle { name, archetype, written, holdings: of.take(INHERITANCE_BUDGET).map(leaving).collect() }
    }
}

fn checksum(body: &[u8]) -> Hash {
    let mut hasher = blake3::Hasher::new_derive_key("bardo 2026 knowledge bundle");
    hasher.update(body);
    Hash(*hasher.finalize().as_bytes())
}
