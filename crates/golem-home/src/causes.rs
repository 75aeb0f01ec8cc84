//! What a golem takes for causes: the edges of its causal graph.

use crate::fail::Fail;
use golem_core::Tick;
use golem_grimoire::causal::Edge;
use golem_grimoire::change::NamedTable;
use golem_runtime::Reader;
use golem_runtime::memory::Detail;
use golem_view::causal::CauseWords;
use serde::Serialize;

/// One of them, as data and in words.
#[derive(Debug, Clone, Serialize)]
pub struct KnownCause {
    #[serde(flatten)]
    pub edge: Edge,
    /// Whether it holds as far as is known.
    pub holds: bool,
    pub words: CauseWords,
}

impl KnownCause {
    /// Of an edge.
    pub fn of(edge: Edge) -> Self {
        Self { holds: edge.holds(), words: CauseWords::of(&edge), edge }
    }
}

/// All edges, as of a turn or now: those that hold first, of those the surest first.
pub fn edges(reader: &Reader, as_of: Option<Tick>) -> Result<Vec<Edge>, Fail> {
    let all = reader.memory().remembered(as_of, Detail::Learnt)?;
    let rows = all.rows.iter().filter(|(table, ..)| *table == NamedTable::Edge);
    // An edge of another form than this program knows is a line less on a graph.
    let mut edges: Vec<Edge> = rows.filter_map(|(_, _, body)| serde_json::from_str(body).ok()).collect();
    edges.sort_by_key(|edge| (!edge.holds(), std::cmp::Reverse(edge.confidence_bp)));
    Ok(edges)
}
