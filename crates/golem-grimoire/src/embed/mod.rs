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
    cosine_of(product(a, b), [product(a, a), product(b, b)])
}

/// The same of their product and of their squares.
fn cosine_of(product: i64, [a, b]: [i64; 2]) -> f32 {
    let norms = (a as f64 * b as f64).sqrt();
    if norms > 0.0 { (product as f64 / norms) as f32 } else { 0.0 }
}

/// A vector with its square: one that is compared again and again is measured once.
#[derive(Debug, Clone)]
pub struct MeasuredVector {
    /// The vector.
    pub embedding: Embedding,
    square: i64,
}

impl MeasuredVector {
    /// A vector, measured.
    #[must_use]
    pub fn of(embedding: &Embedding) -> Self {
        Self { square: product(&embedding.row, &embedding.row), embedding: embedding.clone() }
    }
    /// See [`similarity`].
    #[must_use]
    pub fn similarity(&self, other: &Self) -> Option<f32> {
        let (a, b) = (&self.embedding, &other.embedding);
        (a.model == b.model && a.row.len() == b.row.len())
            .then(|| cosine_of(product(&a.row, &b.row), [self.square, other.square]))
    }
}

/// The sum of products of whole numbers: the same in any order. No row is so long that it could wrap, and checking for it
/// would take the loop apart.
pub(crate) fn product(a: &[i16], b: &[i16]) -> i64 {
    let one = |(x, y): (&i16, &i16)| i64::from(i32::from(*x).wrapping_mul(i32::from(*y)));
    a.iter().zip(b).map(one).fold(0, i64::wrapping_add)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_vector_that_was_measured_is_as_alike_as_one_that_was_not_to_the_bit() {
        let of = |model: &str, row: &[i16]| Embedding { model: model.into(), row: row.to_vec(), scale: 1.0 };
        let all = [
            of("a", &[3, -7, 100, 0]),
            of("a", &[32_767, -32_767, 5, 9]),
            of("a", &[0; 4]),
            of("a", &[1, 2, 3]),
            of("b", &[3, -7, 100, 0]),
        ];
        for (x, y) in all.iter().flat_map(|x| all.iter().map(move |y| (x, y))) {
            let measured = MeasuredVector::of(x).similarity(&MeasuredVector::of(y));
            assert_eq!(measured.map(f32::to_bits), similarity(x, y).map(f32::to_bits), "{x:?} {y:?}");
        }
    }
}
