//! What a turn changed in memory, as rows that only ever get added: a body once, a standing each time it moves.

use crate::entry::{Entry, EntryId};
use crate::episode::{Episode, EpisodeId, Marks};
use crate::standing::Standing;
use golem_core::Tick;
use golem_core::door::Embedding;
use serde::{Deserialize, Serialize};

/// One addition to the file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "change")]
pub enum Change {
    /// Something happened. Its marks begin at their default. The vector is of its text.
    Episode {
        /// What.
        episode: Box<Episode>,
        /// Its text as a vector, and the id of the embedder that made it.
        embedding: Option<Embedding>,
    },
    /// Something more is known of an episode.
    Marked {
        /// Which.
        id: EpisodeId,
        /// Everything that is known now.
        marks: Marks,
    },
    /// A belief began.
    Entry {
        /// Which, with its first standing.
        entry: Box<Entry>,
        /// Its text as a vector.
        embedding: Option<Embedding>,
    },
    /// A belief stands differently.
    Stands {
        /// Which.
        id: EntryId,
        /// How.
        standing: Standing,
    },
    /// Anything else that is small and has a name: a proposal, an edge, a goal, a playbook revision. The newest body of
    /// a (table, key) holds.
    Row {
        /// What kind of thing.
        table: NamedTable,
        /// Which one.
        key: String,
        /// Its words, for full text; empty when it is not to be found.
        text: String,
        /// The thing itself, as JSON.
        body: String,
    },
    /// A text has a vector by an embedder that is not part of the golem, beside the one that it began with.
    Vector {
        /// Whose text.
        of: TextSubject,
        /// The vector.
        embedding: Embedding,
    },
}

/// Something with a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TextSubject {
    /// An episode.
    Episode(EpisodeId),
    /// An entry.
    Entry(EntryId),
}

/// Kinds of named rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NamedTable {
    /// A staged proposal.
    Proposal,
    /// An edge of the causal graph.
    Edge,
    /// A revision of the playbook.
    Playbook,
    /// A goal.
    Goal,
    /// A settled or pending prediction that is kept for people.
    Prediction,
    /// What was retrieved for a decision, and why.
    Recall,
    /// A dream's journal entry, and what became of it.
    Dream,
    /// What a golem leaves: drafts while it declines, and the testament.
    Testament,
    /// The passport of something that it was handed.
    Passport,
}

impl NamedTable {
    /// What is kept for people only: nothing is rebuilt from it, so it is not read at the start.
    pub const FOR_PEOPLE: [Self; 5] = [Self::Goal, Self::Prediction, Self::Recall, Self::Dream, Self::Testament];
}

/// What the file holds, as of a turn: what a grimoire is rebuilt from at the start.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Remembered {
    /// The last turn that is in it.
    pub tick: Tick,
    /// Episodes in their order, with marks and vectors.
    pub episodes: Vec<(Episode, Marks, Option<Embedding>)>,
    /// Entries in the order in which they began, with vectors.
    pub entries: Vec<(Entry, Option<Embedding>)>,
    /// The newest named rows that something is rebuilt from: table, key, body.
    pub rows: Vec<(NamedTable, String, String)>,
    /// Vectors by embedders that are not part of the golem, in the order in which they came.
    pub vectors: Vec<(TextSubject, Embedding)>,
}
