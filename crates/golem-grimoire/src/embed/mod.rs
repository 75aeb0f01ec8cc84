//! Texts as vectors. An [`Embedder`] here is a pure function of the text: a table, never a network or a file. Vectors that
//! a model made elsewhere are recorded where they arrive and come in as [`Embedding`]s.
//!
//! Every vector carries the id of what made it, and vectors of different ids are never compared: [`similarity`] says
//! `None`.

mod punctuation;
mod table;
mod wordpiece;

use golem_core::door::Embedding;
pub use table::{BadTable, StaticEmbedder};
pub use wordpiece::{Vocabulary, pieces};

/// Something that makes vectors of texts. The same text gives the same vector, always and everywhere.
pub trait Embedder {
    /// Model, width and version: what is stored beside every vector.
    fn id(&self) -> &str;
    /// Numbers in a vector.
    fn width(&self) -> usize;
    /// The text as a vector of length 1; all zero when nothing in the text is known.
    fn embed(&self, text: &str) -> Embedding;
}

/// The cosine of two vectors of the same embedder; `None` when they are of different ones, or of different widths.
#[must_use]
pub fn similarity(a: &Embedding, b: &Embedding) -> Option<f32> {
    (a.model == b.model && a.row.len() == b.row.len()).then(|| cosine(&a.row, &b.row))
}

/// The cosine of two rows of whole numbers; 0 when either has no length. The sums are exact.
fn cosine(a: &[i16], b: &[i16]) -> f32 {
    let sum =
        |a: &[i16], b: &[i16]| a.iter().zip(b).fold(0i64, |sum, (x, y)| sum + i64::from(*x) * i64::from(*y)) as f64;
    let norms = (sum(a, a) * sum(b, b)).sqrt();
    if norms > 0.0 { (sum(a, b) / norms) as f32 } else { 0.0 }
}
