//! The barrier between lives: what is left of a confidence after every death and every hop that it crossed without being
//! validated on the way.
//!
//! A [`Crossings`] carries the confidence *as of the last judgement by reality* and counts what was crossed since. What is left
//! is always computed from those two, so no crossing can be paid twice. How far it may be trusted until the recipient has seen
//! it come true is [`golem_grimoire::decay::ceiling`].

use golem_core::GolemId;
use golem_grimoire::decay::{KEPT_PER_GENERATION, MAX_CONFIDENCE_BP, ceiling, crossed};
use golem_grimoire::{Entry, Provenance};
use serde::{Deserialize, Serialize};

/// What is left of a confidence after so many generations without a validation: `c * 0.85^g`.
#[doc(alias = "weismann")]
#[must_use]
pub fn inherited_confidence(original_confidence: f64, generation: u32) -> f64 {
    let original = if original_confidence.is_finite() { original_confidence.clamp(0.0, 1.0) } else { 0.0 };
    original * libm::pow(KEPT_PER_GENERATION, f64::from(generation))
}

/// What lies between two golems.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Boundary {
    /// The death of the one: 0.85 is left.
    Death,
    /// A message between two that live: 0.80 is left.
    Hop,
}

impl Boundary {
    /// What has to be crossed to arrive by this way; none for what a golem learnt itself.
    #[must_use]
    pub fn of(provenance: Provenance) -> Option<Self> {
        match provenance {
            Provenance::SelfGenerated | Provenance::Owner | Provenance::Dream => None,
            Provenance::Testament => Some(Self::Death),
            Provenance::Clade | Provenance::Replicant | Provenance::Marketplace => Some(Self::Hop),
        }
    }
}

/// Why a crossing cannot be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{carrier} carries it, not {from}")]
pub struct WrongCarrier {
    /// Who has it.
    pub carrier: GolemId,
    /// Who was said to hand it over.
    pub from: GolemId,
}

/// What a belief has been through.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Crossings {
    /// Who has it now.
    pub carrier: GolemId,
    /// Stored confidence when reality last judged it, in basis points.
    pub judged_bp: u16,
    /// Deaths crossed since.
    pub generations: u32,
    /// Hops crossed since.
    pub hops: u32,
    /// Generations, now dead, in which reality validated it.
    pub survived: u32,
    /// True when it was validated in the life of its carrier.
    pub validated_here: bool,
}

impl Crossings {
    /// Something that was learnt by its carrier.
    #[must_use]
    pub fn learnt_by(carrier: GolemId, confidence_bp: u16) -> Self {
        let judged_bp = confidence_bp.min(MAX_CONFIDENCE_BP);
        Self { carrier, judged_bp, generations: 0, hops: 0, survived: 0, validated_here: false }
    }
    /// The stored confidence that is left, in basis points.
    #[must_use]
    pub fn confidence_bp(&self) -> u16 {
        crossed(self.judged_bp, self.generations, self.hops)
    }
    /// Brought up to date with what reality said in the carrier's life: what was validated there stands by that, what was
    /// contradicted loses at least as much, and without a judgement nothing changes.
    #[must_use]
    pub fn judged(&self, entry: &Entry) -> Self {
        let standing = &entry.standing;
        let stored = standing.confidence_bp.min(MAX_CONFIDENCE_BP);
        let own = ceiling(entry.body.provenance) >= 1.0;
        if standing.own_validation || (own && standing.validated > 0) {
            return Self { judged_bp: stored, generations: 0, hops: 0, validated_here: true, ..*self };
        }
        if own || (standing.contradicted > standing.validated && stored < self.confidence_bp()) {
            return Self { judged_bp: stored, generations: 0, hops: 0, ..*self };
        }
        *self
    }
    /// Generations in which it was validated, the present one included.
    #[must_use]
    pub fn survived_by_now(&self) -> u32 {
        self.survived.saturating_add(u32::from(self.validated_here))
    }
    /// Across a boundary, from one golem to another. What is on the other side already stays as it is: the same crossing is
    /// never paid twice.
    ///
    /// # Errors
    /// When whoever hands it over does not have it.
    pub fn cross(&self, boundary: Boundary, from: GolemId, to: GolemId) -> Result<Self, WrongCarrier> {
        if self.carrier == to {
            return Ok(*self);
        }
        if self.carrier != from {
            return Err(WrongCarrier { carrier: self.carrier, from });
        }
        let mut there = Self { carrier: to, validated_here: false, ..*self };
        match boundary {
            Boundary::Death => {
                there.generations = there.generations.saturating_add(1);
                there.survived = self.survived_by_now();
            }
            // Who lives has not survived anything yet, and who is told of it neither.
            Boundary::Hop => there.hops = there.hops.saturating_add(1),
        }
        Ok(there)
    }
}
