//! What a testament says of an entry: the sentence travels with it, so that whoever retrieves what was inherited hears what its
//! golem had to say about it in the end.

use golem_core::{GolemId, Hash};
use golem_grimoire::EntryId;
use golem_grimoire::testament::{Testament, TestamentSection, TestamentSource};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A passage of a testament about something that was left.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TestamentPassage {
    /// The root of what it is about.
    pub about: Hash,
    /// Whose testament.
    pub by: GolemId,
    /// Under which heading it stands; none for advice, questions and the story of the life.
    pub section: Option<TestamentSection>,
    /// What it says.
    pub text: String,
}

/// What a testament says of entries, by their ids: of each the first that speaks of it, in the order of reading, a section
/// before anything else. Nothing is said where no record was named.
#[must_use]
pub fn passages_of(testament: &Testament) -> BTreeMap<EntryId, (Option<TestamentSection>, String)> {
    let sections = TestamentSection::ALL
        .into_iter()
        .flat_map(|section| testament.sections.of(section).iter().map(move |sentence| (Some(section), sentence)));
    let mut found = BTreeMap::new();
    for (section, sentence) in sections.chain(testament.sentences().map(|sentence| (None, sentence))) {
        for source in sentence.rests_on() {
            if let TestamentSource::Entry(id) = source {
                found.entry(*id).or_insert_with(|| (section, sentence.text().to_owned()));
            }
        }
    }
    found
}
