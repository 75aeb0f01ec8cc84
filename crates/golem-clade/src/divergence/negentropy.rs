//! Whether knowledge becomes more ordered from generation to generation, or only more.
//!
//! The negentropy of a grimoire is what its entries tell beyond chance, in bits, for each entry that is kept: an entry that
//! reality confirmed and contradicted so often tells `1 - H2(p)` bits with `p = (confirmed + 1) / (confirmed + contradicted +
//! 2)`, nothing where p is at most one half; members of one family tell it once. Heaping up what was never validated lowers it,
//! repeating lowers it, validating raises it.

use golem_grimoire::family::ClaimFamily;
use golem_grimoire::subject::{Statement, statement};
use golem_grimoire::{Entry, EntryBody};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What a grimoire tells.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Negentropy {
    /// Bits beyond chance, all families together.
    pub bits: f64,
    /// Entries in use.
    pub entries: u32,
}

/// Which way a line goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum KnowledgeDrift {
    /// It heaps up: each entry tells less than before.
    Entropic,
    /// Neither.
    Level,
    /// It becomes more ordered.
    Negentropic,
}

/// What several claims have in common, or what one entry says.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum SaidOnce {
    Family(ClaimFamily),
    Statement(Statement),
}

impl SaidOnce {
    fn of(body: &EntryBody) -> Self {
        ClaimFamily::of_body(body).map_or_else(|| Self::Statement(statement(body)), Self::Family)
    }
}

impl Negentropy {
    /// Of entries in use.
    #[must_use]
    pub fn of<'a>(entries: impl Iterator<Item = &'a Entry>) -> Self {
        let mut told: BTreeMap<SaidOnce, f64> = BTreeMap::new();
        let mut count = 0u32;
        for entry in entries {
            count = count.saturating_add(1);
            let best = told.entry(SaidOnce::of(&entry.body)).or_default();
            *best = best.max(bits_told(entry.standing.validated, entry.standing.contradicted));
        }
        Self { bits: told.values().sum(), entries: count }
    }
    /// Bits for each entry that is kept, from 0 to 1.
    #[must_use]
    pub fn per_entry(&self) -> f64 {
        if self.entries == 0 { 0.0 } else { self.bits / f64::from(self.entries) }
    }
}

/// What an entry tells beyond a coin, in bits.
fn bits_told(confirmed: u32, contradicted: u32) -> f64 {
    let p = (f64::from(confirmed) + 1.0) / (f64::from(confirmed) + f64::from(contradicted) + 2.0);
    let surprise = |x: f64| if x > 0.0 { -x * libm::log2(x) } else { 0.0 };
    if p > 0.5 { 1.0 - surprise(p) - surprise(1.0 - p) } else { 0.0 }
}

/// The change of bits per entry from one generation to the next, by least squares over all of them; none for fewer than two.
#[must_use]
pub fn negentropy_slope(generations: &[Negentropy]) -> Option<f64> {
    let n = generations.len() as f64;
    if generations.len() < 2 {
        return None;
    }
    let middle = (n - 1.0) / 2.0;
    let mean = generations.iter().map(Negentropy::per_entry).sum::<f64>() / n;
    let (mut up, mut across) = (0.0, 0.0);
    for (g, of) in generations.iter().enumerate() {
        let x = g as f64 - middle;
        (up, across) = (up + x * (of.per_entry() - mean), across + x * x);
    }
    Some(up / across)
}

/// Which way a line goes by its slope; changes of less than a thousandth of a bit a generation are none.
#[must_use]
pub fn knowledge_drift(slope: f64) -> KnowledgeDrift {
    match slope {
        s if s > 1e-3 => KnowledgeDrift::Negentropic,
        s if s < -1e-3 => KnowledgeDrift::Entropic,
        _ => KnowledgeDrift::Level,
    }
}
