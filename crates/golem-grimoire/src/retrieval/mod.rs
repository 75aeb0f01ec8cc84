//! Finding what matters now: three ways of matching (situation, words, vectors) give candidates, which are fused, weighed by
//! how far they are to be believed, thinned where they repeat each other, and cut to a budget. Every hit says why it is
//! there.
//!
//! Nothing that was learnt after the time asked about can come out or move a rank. Indexes are derived from entries and
//! episodes and never the truth.

mod ages;
mod applies;
mod best;
mod choose;
mod directions;
pub mod episodes;
mod finder;
mod fuse;
pub mod index;
mod query;
mod runs;
mod score;
mod told;
pub mod unicode61;
mod unicode61_table;
mod why;
pub mod words;

pub use best::Found;
pub use episodes::{EpisodeHit, EpisodeQuery, Episodes};
pub use finder::{Finder, Nearby, words_of};
pub use index::{Indexes, VectorIndex};
pub use query::{BUDGET, CONTRARIAN_EVERY, KnownEntry, Library, Query, Weighing, tokens};
pub use told::{DatedLibrary, ToldBeside, ToldEntries};
pub use why::{Hit, Ranks, Recall, Term, TermOf, WhyFound};
pub use words::Words;
