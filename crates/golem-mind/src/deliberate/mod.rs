//! Deliberation: what a model is shown, what it may call, and what its words come to.
//!
//! A model's words are evidence and wishes. Nothing here lets them raise a limit, name an amount or an address, or reach a
//! tool that is not in the table.

mod assemble;
mod prompt;
mod tools;
mod verdict;

pub use assemble::{Material, OfferedEntry, ShownContext, assemble};
pub use prompt::{NAME, system};
pub use tools::{BadCall, Called, read_call, specs};
pub use verdict::{MOST_WORDS, ModelVerdict, VerdictAsked, read_verdict, schema};
