//! The bundled embedder: a table of token vectors, distilled from all-MiniLM-L6-v2 by `embedder/distil.py`. A text is the
//! weighted mean of its tokens.
//!
//! The file, all numbers little-endian: `BARDOEMB`, version (u32), width (u32), rows (u32), bytes of words (u32); where
//! each word begins, and the end of the last ((rows + 1) u32); a factor for each row, which is its scale times its weight
//! (f32); the words, sorted by their bytes; the rows (int8).

use super::Embedder;
use super::wordpiece::{Vocabulary, pieces};
use golem_core::door::{Embedding, rounded};
use std::ops::Range;

static BUNDLED: &[u8] = include_bytes!("minilm.bin");
const MAGIC: &[u8] = b"BARDOEMB";
const VERSION: u32 = 1;
const HEADER: usize = 24;
/// A text is read up to here: beyond it a mean says nothing any more.
const MOST_CHARACTERS: usize = 8_192;

/// An embedder that looks tokens up in a table.
#[derive(Debug, Clone)]
pub struct StaticEmbedder {
    id: String,
    width: usize,
    words: WordTable,
    factors: &'static [u8],
    rows: &'static [u8],
}

#[derive(Debug, Clone)]
struct WordTable {
    count: usize,
    offsets: &'static [u8],
    bytes: &'static [u8],
}

/// The bytes are not a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not an embedder table of version {VERSION}, or cut off")]
pub struct BadTable;

impl StaticEmbedder {
    /// The one that is part of the program.
    #[must_use]
    pub fn bundled() -> Self {
        let words = WordTable { count: 0, offsets: &[], bytes: &[] };
        // The bytes are a constant and a test reads them: the empty table stands here for what cannot happen.
        Self::read("minilm-static", BUNDLED).unwrap_or(Self {
            id: String::new(),
            width: 0,
            words,
            factors: &[],
            rows: &[],
        })
    }
    /// A table in memory, under a name; its width and version become part of the id. Nothing is copied.
    ///
    /// # Errors
    /// When the bytes are not a table.
    pub fn read(name: &str, bytes: &'static [u8]) -> Result<Self, BadTable> {
        let header = |at: usize| u32_at(bytes, at).map(|n| n as usize).ok_or(BadTable);
        let (version, width, count, text) = (header(8)?, header(12)?, header(16)?, header(20)?);
        if !bytes.starts_with(MAGIC) || version != VERSION as usize || width == 0 || width > 4_096 || count > 1 << 24 {
            return Err(BadTable);
        }
        let mut at = HEADER;
        let mut take = |size: usize| {
            let part: Range<usize> = at..at + size;
            at += size;
            bytes.get(part).ok_or(BadTable)
        };
        let offsets = take(4 * (count + 1))?;
        let factors = take(4 * count)?;
        let words = WordTable { count, offsets, bytes: take(text)? };
        let rows = take(width * count)?;
        Ok(Self { id: format!("{name}-{width}-v{version}"), width, words, factors, rows })
    }
    /// Its vocabulary.
    #[must_use]
    pub fn vocabulary(&self) -> &impl Vocabulary {
        &self.words
    }
    /// The text as numbers, before they are rounded: not brought to any length.
    #[must_use]
    pub fn sum(&self, text: &str) -> Vec<f32> {
        let end = text.char_indices().nth(MOST_CHARACTERS).map_or(text.len(), |(at, _)| at);
        let mut sum = vec![0.0f32; self.width];
        pieces(&text[..end], &self.words, |at| {
            let factor = f32_at(self.factors, 4 * at);
            let row = self.rows.get(at * self.width..(at + 1) * self.width).unwrap_or_default();
            for (sum, x) in sum.iter_mut().zip(row) {
                *sum += f32::from(x.cast_signed()) * factor;
            }
        });
        sum
    }
}

impl Embedder for StaticEmbedder {
    fn id(&self) -> &str {
        &self.id
    }
    fn width(&self) -> usize {
        self.width
    }
    fn embed(&self, text: &str) -> Embedding {
        rounded(&self.id, &self.sum(text))
    }
}

impl Vocabulary for WordTable {
    fn len(&self) -> usize {
        self.count
    }
    fn word(&self, at: usize) -> &[u8] {
        let offset = |at: usize| u32_at(self.offsets, 4 * at).map(|n| n as usize);
        let range = offset(at).zip(offset(at + 1));
        range.and_then(|(from, to)| self.bytes.get(from..to)).unwrap_or_default()
    }
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..)?.first_chunk().map(|b| u32::from_le_bytes(*b))
}

fn f32_at(bytes: &[u8], at: usize) -> f32 {
    u32_at(bytes, at).map_or(0.0, f32::from_bits)
}
