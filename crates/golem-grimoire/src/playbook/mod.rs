//! PLAYBOOK.md: the rules a golem lives by, as one Markdown file for people and machines at once.
//!
//! A [`Playbook`] is some whole revision and cannot be changed: the one [`PlaybookWriter`] makes revisions, for the curator, for
//! dreams and for the owner alike, and nothing else can. What an owner writes is never dropped in silence: a section that
//! cannot be read stays where it is and is said to be out of force.

mod diff;
mod edit;
mod innate;
mod lint;
mod parse;
mod problem;
mod reason;
mod render;
mod rule;
pub mod rules;
mod section;
mod spell;
mod writer;

pub use diff::{Diff, FieldChange, RuleChange, diff};
pub use edit::{Edit, OwnerChange, edit};
pub use innate::{MOST_INNATE, innate_line, read_innate};
pub use lint::{FindingKind, PlaybookFinding, lint};
pub use parse::{PlaybookReading, parse, read};
pub use problem::PlaybookProblem;
pub use render::render;
pub use rule::{Rule, RuleId, RuleWords};
pub use rules::{Fired, Firing, RuleSet};
pub use section::{KeptSection, PlaybookSection};
pub use writer::{Amendment, Author, PlaybookWriter, Revision, WriteRefusal};

use golem_core::plain;
use golem_core::{GolemId, Hash, Name};
use serde::{Deserialize, Serialize};

/// The most rules a playbook holds.
pub const MAX_RULES: usize = 200;
/// The most ids that are remembered as struck out by the owner; the oldest are forgotten first.
pub const MAX_STRUCK: usize = 200;
/// The longest file that is read.
pub const MAX_BYTES: usize = 512 * 1024;

/// One revision of a playbook. Only the [`PlaybookWriter`] makes the next one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Playbook {
    name: Name,
    golem: GolemId,
    revision: u32,
    struck: Vec<RuleId>,
    preamble: String,
    sections: Vec<PlaybookSection>,
}

impl Playbook {
    fn empty(name: Name, golem: GolemId) -> Self {
        Self { name, golem, revision: 0, struck: Vec::new(), preamble: String::new(), sections: Vec::new() }
    }
    /// The golem's name.
    #[must_use]
    pub fn name(&self) -> &Name {
        &self.name
    }
    /// The golem.
    #[must_use]
    pub fn golem(&self) -> GolemId {
        self.golem
    }
    /// Its number, from 1; 0 before anything was written.
    #[must_use]
    pub fn revision(&self) -> u32 {
        self.revision
    }
    /// The rules in force, in the order of the file.
    pub fn rules(&self) -> impl Iterator<Item = &Rule> {
        self.sections.iter().filter_map(PlaybookSection::rule)
    }
    /// A rule by its id.
    #[must_use]
    pub fn rule(&self, id: &RuleId) -> Option<&Rule> {
        self.rules().find(|r| r.id() == id)
    }
    /// Rules that the owner struck out: nobody but the owner brings them back.
    #[must_use]
    pub fn struck(&self) -> &[RuleId] {
        &self.struck
    }
    /// The owner's words before the first heading.
    #[must_use]
    pub fn preamble(&self) -> &str {
        &self.preamble
    }
    /// Rules and other headings, in the order of the file.
    #[must_use]
    pub fn sections(&self) -> &[PlaybookSection] {
        &self.sections
    }
    /// The hash that stands in the file: over all that is said in it, not over how it is spaced.
    #[must_use]
    pub fn hash(&self) -> Hash {
        let mut hasher = blake3::Hasher::new_derive_key("bardo 2026 playbook");
        hasher.update(&plain::bytes(&(self.golem, self.revision, &self.struck)));
        hasher.update(&plain::bytes(&(&self.preamble, &self.sections)));
        Hash(*hasher.finalize().as_bytes())
    }
}
