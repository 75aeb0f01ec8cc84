//! The golem's memory in its file: episodes, entries, their standings and named rows, written in the turn's transaction.
//!
//! Rows are only ever added. A body is written once; what moves (marks, standings, named rows) is a row of its own for
//! each turn in which it moved, so that every earlier moment can be read as it was. What is here can be recomputed from
//! the journal; it is kept so that a start does not have to, and so that others can read a golem.

mod find;
mod load;
mod shorthand;
mod standing;
mod totals;
mod write;

pub use find::{MemoryShelf, Named, TextFound};
pub use load::Detail;
pub(crate) use load::load;
pub(crate) use totals::{MemoryTotals, begin, changed, check, empty, written};
pub(crate) use write::write;

/// The word under which a kind of named row is kept: the same as in JSON.
fn place(table: golem_grimoire::change::NamedTable) -> String {
    golem_core::plain::word(&table)
}
