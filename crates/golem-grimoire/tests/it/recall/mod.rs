//! Finding: situations, vectors, words, and what is made of them.
#![expect(
    clippy::float_cmp,
    reason = "the same numbers in the same order give the same bits, and that is what is asked"
)]

mod embedder;
mod episodes;
mod index;
mod needs;
mod retrieval;
mod situation;
mod unicode61;
mod words;
