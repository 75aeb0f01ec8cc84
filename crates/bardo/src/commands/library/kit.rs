//! What a newborn can be given at once: the collection that its owner names, and what the library has for its template.

use super::equip::{Equipment, equip};
use super::files::take_in;
use super::named;
use crate::fail::Fail;
use crate::home::{Home, Place};
use crate::library::{find, open_sealed};
use golem_clade::library::{Archetype, starter_name};
use golem_mind::Template;
use serde::Serialize;
use std::path::Path;

/// What the library has for a template.
#[derive(Debug, Serialize)]
pub struct LibraryOffer {
    /// For which template.
    pub template: Template,
    /// How many entries golems of this template have had.
    pub entries: usize,
    /// The collection to be equipped with.
    pub bundle: String,
}

/// What it has for this template; nothing when that is nothing.
pub fn offer(template: Template, home: &Home) -> Result<Option<LibraryOffer>, Fail> {
    let archetype = Archetype::named(template.name());
    let entries = find(home)?.map_or(0, |library| library.of_archetype(&archetype).len());
    Ok((entries > 0).then(|| LibraryOffer { template, entries, bundle: starter_name(&archetype) }))
}

/// Whether there is such a collection, or such a file, before anybody is born.
pub fn is_there(word: &str, home: &Home) -> Result<(), Fail> {
    if Path::new(word).is_file() {
        return open_sealed(Path::new(word)).map(drop);
    }
    named(&find(home)?.unwrap_or_default(), word, crate::clock::clock().now()).map(drop)
}

/// Give it to a newborn. A file comes into the library first.
pub fn outfit(place: &Place, word: &str, home: &Home) -> Result<Equipment, Fail> {
    let ids = match Path::new(word).is_file() {
        true => {
            let (told, _) = take_in(Path::new(word), None, home)?;
            [told.new, told.known].concat()
        }
        false => named(&find(home)?.unwrap_or_default(), word, crate::clock::clock().now())?,
    };
    equip(place, &find(home)?.unwrap_or_default(), &ids, home)
}
