//! How confidence fades without validation, and how it crosses a death or reaches a sibling.
//!
//! Stored confidence only ever moves by evidence; what fades is the *effective* confidence, computed when it is asked
//! for: `confidence * 2^(-t / (half_life * strength))` since the last validation, never below [`FLOOR`].

use crate::entry::{DecayClass, EntryBody, Provenance};
use crate::standing::Standing;
use golem_core::{Elapsed, VirtualTime};

/// The least effective confidence. It protects neither from the archive nor from burning.
pub const FLOOR: f64 = 0.05;
/// The greatest strength.
pub const MAX_STRENGTH: f32 = 8.0;
/// Effective confidence below which an entry is on its way to the archive.
pub const ARCHIVE_LEVEL: f64 = 0.1;
/// Curator cycles in a row below it after which it is there.
pub const ARCHIVE_CYCLES: u8 = 3;
/// Stored confidence, in basis points, below which contradicted entries burn.
pub const BURN_LEVEL_BP: u16 = 200;
/// How long an entry stays in the archive before it burns.
pub const ARCHIVE_STAY: Elapsed = Elapsed::secs(30 * 86_400);
/// The most that stored confidence can be, in basis points.
pub const MAX_CONFIDENCE_BP: u16 = 9_900;

/// What is left of stored confidence after a death that it crossed without being validated.
pub const KEPT_PER_GENERATION: f64 = 0.85;
/// What is left of it after a hop between golems that live.
pub const KEPT_PER_HOP: f64 = 0.80;

/// What a dream's validation multiplies the half-life by.
const DREAM_VALIDATED: f64 = 2.0;
/// What a death behind it multiplies the half-life by.
const BLOODSTAIN: f64 = 3.0;
/// The most that both together do.
const MOST_SLOWED: f64 = 6.0;

/// The half-life of a class; `None` does not decay.
#[must_use]
pub fn half_life(class: DecayClass) -> Option<Elapsed> {
    match class {
        DecayClass::Structural => None,
        DecayClass::Regime => Some(Elapsed::secs(14 * 86_400)),
        DecayClass::Tactical => Some(Elapsed::secs(7 * 86_400)),
        DecayClass::Ephemeral => Some(Elapsed::secs(86_400)),
    }
}

/// What a provenance may be worth before the golem's own outcomes have validated it.
#[must_use]
pub fn ceiling(provenance: Provenance) -> f64 {
    match provenance {
        Provenance::SelfGenerated | Provenance::Owner | Provenance::Dream => 1.0,
        Provenance::Clade | Provenance::Testament => 0.4,
        Provenance::Replicant | Provenance::Marketplace => 0.3,
    }
}

/// How much an entry may be trusted at a moment.
#[must_use]
pub fn effective(body: &EntryBody, standing: &Standing, now: VirtualTime) -> f64 {
    let stored = f64::from(standing.confidence_bp) / 10_000.0;
    let faded = stored * retention(body, standing, now);
    let most = if standing.own_validation { 1.0 } else { ceiling(body.provenance) };
    faded.min(most).max(FLOOR)
}

/// What is left of the stored confidence, from 0 to 1.
fn retention(body: &EntryBody, standing: &Standing, now: VirtualTime) -> f64 {
    let Some(half_life) = half_life(body.decay_class) else { return 1.0 };
    let strength = f64::from(bounded_strength(standing.strength));
    let dreamt = if standing.dream_validated { DREAM_VALIDATED } else { 1.0 };
    let died = if body.is_bloodstain { BLOODSTAIN } else { 1.0 };
    let slowed = (dreamt * died).min(MOST_SLOWED);
    let idle = now.since(standing.last_validated).0 as f64;
    libm::exp2(-idle / (half_life.0 as f64 * strength * slowed))
}

/// A strength within its bounds, from 1 to [`MAX_STRENGTH`]; what is no number is 1.
#[must_use]
pub fn bounded_strength(strength: f32) -> f32 {
    if strength.is_nan() { 1.0 } else { strength.clamp(1.0, MAX_STRENGTH) }
}

/// What is left of a confidence that crossed deaths and siblings without being validated on the way.
///
/// It takes the confidence *as of the last validation* and all that was crossed since, so that no crossing can be
/// counted twice: an heir of an heir asks again with one generation more, never with the result of the last time.
#[must_use]
pub fn crossed(validated_bp: u16, generations: u32, hops: u32) -> u16 {
    let kept = libm::pow(KEPT_PER_GENERATION, f64::from(generations)) * libm::pow(KEPT_PER_HOP, f64::from(hops));
    libm::round(f64::from(validated_bp.min(10_000)) * kept) as u16
}
