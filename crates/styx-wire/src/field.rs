//! The field of pheromones: marks without an author that fade, and last longer the more sources confirm them.

use golem_core::Regime;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

const HOUR_MS: u64 = 3_600_000;
/// Below this a mark is gone, in thousandths.
pub const FAINTEST: u16 = 50;
/// More confirmations than this make nothing last longer: no crowd makes a mark eternal.
pub const CONFIRMATIONS: u8 = 8;

/// A word of the field: lower case, digits, `-`, `_`, `.` and `/`; at most 32.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct FieldWord(String);

/// The text is no word of the field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a word of the field is 1 to 32 of a-z, 0-9, '-', '_', '.' and '/'")]
pub struct BadFieldWord;

impl FieldWord {
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}
impl FromStr for FieldWord {
    type Err = BadFieldWord;
    fn from_str(s: &str) -> Result<Self, BadFieldWord> {
        let known = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b"-_./".contains(&b);
        if (1..=32).contains(&s.len()) && s.bytes().all(known) { Ok(Self(s.to_owned())) } else { Err(BadFieldWord) }
    }
}
impl TryFrom<String> for FieldWord {
    type Error = BadFieldWord;
    fn try_from(s: String) -> Result<Self, BadFieldWord> {
        s.parse()
    }
}
impl From<FieldWord> for String {
    fn from(word: FieldWord) -> Self {
        word.0
    }
}
impl fmt::Display for FieldWord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
impl fmt::Debug for FieldWord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// What a mark means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PheromoneLayer {
    Threat,
    Opportunity,
    Wisdom,
}

impl PheromoneLayer {
    pub const ALL: [Self; 3] = [Self::Threat, Self::Opportunity, Self::Wisdom];
    /// How long until half of it is gone, unconfirmed.
    #[must_use]
    pub fn half_life_ms(self) -> u64 {
        HOUR_MS
            * match self {
                Self::Threat => 2,
                Self::Opportunity => 12,
                Self::Wisdom => 7 * 24,
            }
    }
}

/// Who smells it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FieldScope {
    /// The owner's golems.
    Clade,
    /// Everybody: opt-in, and threats only, so that no number of false owners can raise anybody's risk.
    Public,
}

/// What a mark is about.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ScentKey {
    pub layer: PheromoneLayer,
    pub class: FieldWord,
    pub domain: FieldWord,
    pub regime: Regime,
}

/// A mark as it is left.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PheromoneDeposit {
    pub scope: FieldScope,
    pub key: ScentKey,
    /// Thousandths, at most 1,000.
    pub intensity: u16,
}

/// What is asked of a field.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SenseQuery {
    pub scope: FieldScope,
    pub layer: Option<PheromoneLayer>,
    pub domain: Option<FieldWord>,
}

/// A mark as it is smelt: nothing says who left it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Scent {
    pub key: ScentKey,
    /// Thousandths, now.
    pub intensity: u16,
    pub confirmations: u8,
}

/// Who left a mark, as far as anybody can tell: a keyed hash that only one relay can make.
pub type ScentSource = [u8; 12];

/// A mark as it is kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pheromone {
    pub key: ScentKey,
    /// Thousandths, at `at_ms`.
    pub intensity: u16,
    pub at_ms: u64,
    pub confirmations: u8,
    /// Those who left or confirmed it, the first one first; as many as count.
    pub sources: Vec<ScentSource>,
}

impl Pheromone {
    /// A new mark.
    #[must_use]
    pub fn left(deposit: &PheromoneDeposit, source: ScentSource, now_ms: u64) -> Self {
        let intensity = deposit.intensity.min(1_000);
        Self { key: deposit.key.clone(), intensity, at_ms: now_ms, confirmations: 0, sources: vec![source] }
    }

    /// How long until half of it is gone: half as long again for each confirmation.
    #[must_use]
    pub fn half_life_ms(&self) -> u64 {
        let base = self.key.layer.half_life_ms();
        base + base / 2 * u64::from(self.confirmations.min(CONFIRMATIONS))
    }

    /// What is left of it.
    #[must_use]
    pub fn intensity_at(&self, now_ms: u64) -> u16 {
        let age = now_ms.saturating_sub(self.at_ms) as f64;
        let left = f64::from(self.intensity) * libm::exp2(-age / self.half_life_ms() as f64);
        // Between 0 and 1,000 whatever was stored.
        libm::floor(left.clamp(0.0, 1_000.0)) as u16
    }

    /// Somebody leaves the same mark: it is as strong as the stronger of the two, and confirmed once by each other source that
    /// counts. Who left it before confirms nothing.
    pub fn again(&mut self, deposit: &PheromoneDeposit, source: ScentSource, counts: bool, now_ms: u64) {
        let left = self.intensity_at(now_ms);
        self.intensity = left.max(deposit.intensity.min(1_000));
        self.at_ms = self.at_ms.max(now_ms);
        if counts && !self.sources.contains(&source) && self.confirmations < CONFIRMATIONS {
            self.confirmations += 1;
            self.sources.push(source);
        }
    }

    /// Whether it is gone.
    #[must_use]
    pub fn is_gone(&self, now_ms: u64) -> bool {
        self.intensity_at(now_ms) < FAINTEST
    }

    /// As it is smelt.
    #[must_use]
    pub fn scent(&self, now_ms: u64) -> Scent {
        Scent { key: self.key.clone(), intensity: self.intensity_at(now_ms), confirmations: self.confirmations }
    }
}

impl SenseQuery {
    /// Whether a mark is asked for.
    #[must_use]
    pub fn wants(&self, key: &ScentKey) -> bool {
        self.layer.is_none_or(|layer| layer == key.layer)
            && self.domain.as_ref().is_none_or(|domain| *domain == key.domain)
    }
}
