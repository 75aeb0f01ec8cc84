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
    let norms = (product(a, a) as f64 * product(b, b) as f64).sqrt();
    if norms > 0.0 { (product(a, b) as f64 / norms) as f32 } else { 0.0 }
}

/// The sum of products of whole numbers: the same in any order. No row is so long that it could wrap, and checking for it
/// would take the loop apart.
pub(crate) fn product(a: &[i16], b: &[i16]) -> i64 {
    let one = |(x, y): (&i16, &i16)| i64::from(i32::from(*x).wrapping_mul(i32::from(*y)));
    a.iter().zip(b).map(one).fold(0, i64::wrapping_add)
}
