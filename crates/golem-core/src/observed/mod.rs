//! The registry of observed fields, and the expressions that people, goals and hypotheses write over them.
//!
//! A room fills a [`Snapshot`] once a turn; an [`Expression`] such as `market.price > 2000 && goals.failure_rate < 0.3`
//! is compiled once and answers with a [`Verdict`] for each snapshot. The language is CEL, cut down to what a closed
//! table of scalars needs: no clock, no regular expression, no loop, no function that is not listed in [`FUNCTIONS`].
//!
//! To add a field, add one line to the table in `fields.rs` and fill it where the snapshot is made.
//!
//! Expressions come from models, peers and owners alike. Nothing here panics, recurses without bound, or reads anything
//! but the snapshot, whatever the text.

mod check;
mod decided;
mod direct;
mod distance;
mod error;
mod evaluate;
mod expression;
mod fields;
mod gate;
mod operators;
mod snapshot;
mod value;

pub use check::FUNCTIONS;
pub use distance::{Distance, Side};
pub use error::ExpressionError;
pub use evaluate::{Fault, Verdict};
pub use expression::Expression;
pub use fields::{Field, PHASES, PROTOCOL_STATES, REGIMES, UnknownField};
pub use gate::{MAX_BYTES, MAX_DEPTH, MAX_NODES};
pub use snapshot::{Snapshot, WrongValue};
pub use value::{Kind, Value};
