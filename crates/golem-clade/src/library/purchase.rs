//! Bundles that come in from a file: one's own, as they were; anybody else's, as a stranger's word that is worth little until
//! golems of one's own have seen it come true.

use super::bundle_file::KnowledgeBundle;
use super::holding::{HoldingId, LibraryHolding};
use super::inflow::LibraryInflow;
use super::owner::{MOST_HOLDINGS, OwnerLibrary};
use crate::ingest::speaks_to_reader;
use crate::provenance::{Passport, TravellingEntry};
use golem_core::{Name, Timestamp};
use golem_grimoire::admission::{hollow, is_tidy};
use golem_grimoire::grimoire::{Foreign, STRANGER};
use golem_grimoire::{EntryBody, Provenance, Standing};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// What the name of a stranger's bundle begins with here: it can pass for no collection of one's own.
const BOUGHT: &str = "bought-";

/// What came of a bundle.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ImportedBundle {
    /// The collection that was made of it.
    pub name: String,
    /// What is held now that was not.
    pub new: Vec<HoldingId>,
    /// What was held already.
    pub known: Vec<HoldingId>,
    /// What was left, and why.
    pub left: Vec<(HoldingId, &'static str)>,
}

impl OwnerLibrary {
    /// Take in a bundle. `trusted` is that a key of the owner's has signed it, which somebody else has checked.
    pub fn import(&mut self, bundle: KnowledgeBundle, trusted: bool, now: Timestamp) -> ImportedBundle {
        let name = if trusted { bundle.name.clone() } else { bought(&bundle.name) };
        let mut told = ImportedBundle { name: name.to_string(), new: Vec::new(), known: Vec::new(), left: Vec::new() };
        for held in bundle.holdings {
            let id = held.id();
            let full = !self.holdings.contains_key(&id) && self.holdings.len() >= MOST_HOLDINGS;
            if let Some(why) = unfit(held.body()).or(full.then_some("the library holds as much as it may")) {
                told.left.push((id, why));
                continue;
            }
            let is_new = !self.holdings.contains_key(&id);
            if is_new { &mut told.new } else { &mut told.known }.push(id);
            // A stranger adds nothing to what is known already.
            match trusted {
                true => self.hold(id, held),
                false if is_new => self.hold(id, as_strangers(held, now)),
                false => {}
            }
        }
        let all: Vec<HoldingId> = told.new.iter().chain(&told.known).copied().collect();
        self.collect(&name, bundle.archetype, &all, now);
        told
    }
}

/// What no library takes, whoever signs it.
fn unfit(body: &EntryBody) -> Option<&'static str> {
    let speaks = || body.tags.iter().chain([&body.text]).any(|text| speaks_to_reader(text).is_some());
    match () {
        () if !is_tidy(body) => Some("it is too large, or hides something"),
        () if body.claim.as_ref().is_some_and(|claim| hollow(claim).is_some()) => {
            Some("its claim is decided by its own form, not by reality")
        }
        () if speaks() => Some("it speaks to its reader instead of about the world"),
        () => None,
    }
}

/// A stranger's word: bought, without blood, line, votes or a past.
fn as_strangers(held: LibraryHolding, now: Timestamp) -> LibraryHolding {
    let TravellingEntry { entry: Foreign { body, standing }, passport } = held.entry;
    let body = EntryBody { provenance: Provenance::Marketplace, origin: STRANGER, is_bloodstain: false, ..body };
    let most = LibraryInflow::MarketplacePurchase.rule().most_bp;
    let confidence_bp = standing.confidence_bp.min(most);
    let standing = Standing {
        confidence_bp,
        validated: 0,
        validators: 0,
        own_validation: false,
        dream_validated: false,
        strength: 1.0,
        ..standing
    };
    let passport = Passport { learnt_by: STRANGER, blood: None, ..passport };
    LibraryHolding {
        entry: TravellingEntry { entry: Foreign { body, standing }, passport },
        inflow: LibraryInflow::MarketplacePurchase,
        from: None,
        calendar: held.calendar,
        fresh: now,
        learners: BTreeMap::new(),
        words: BTreeMap::new(),
        equipped: BTreeMap::new(),
        archetypes: held.archetypes.into_iter().take(4).collect::<BTreeSet<_>>(),
    }
}

fn bought(name: &Name) -> Name {
    let short: String = name.as_str().chars().take(40 - BOUGHT.len()).collect();
    format!("{BOUGHT}{short}").parse().unwrap_or_else(|_| name.clone())
}
