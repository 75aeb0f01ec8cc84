//! What a golem leaves by itself in the field of its siblings: a mark for what it tells, and blood where it died. A warning smells of
//! threat, what it found out of wisdom, a piece of strategy of opportunity; what it merely counts or cries marks nothing.

use super::word::KinWord;
use crate::knowledge_domain::KnowledgeDomain;
use golem_core::Regime;
use golem_grimoire::{Entry, EntryKind};
use golem_mortality::DeathCause;
use std::collections::BTreeMap;
use styx_wire::limits::MARKS;
use styx_wire::{FieldScope, FieldWord, PheromoneDeposit, PheromoneLayer, Scent, ScentKey, StainMark};

/// The longest word of a field.
const LONGEST: usize = 32;

/// A text as a word of the field: what has no place in one is `_`.
fn field_word(text: &str) -> Option<FieldWord> {
    let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "-_./".contains(c);
    let word: String =
        text.chars().take(LONGEST).map(|c| c.to_ascii_lowercase()).map(|c| if fits(c) { c } else { '_' }).collect();
    word.parse().ok()
}

/// Domain and subject of a field of knowledge.
fn words_of(field: &KnowledgeDomain) -> Option<(FieldWord, FieldWord)> {
    let (domain, subject) = field.as_str().split_once('/').unwrap_or((field.as_str(), "any"));
    Some((field_word(domain)?, field_word(subject)?))
}

/// The mark that goes with a word, for its siblings alone; none for what marks nothing.
#[must_use]
pub fn scent_of(word: &KinWord) -> Option<PheromoneDeposit> {
    let (layer, strength, regime) = match word {
        KinWord::Entry { parcel } => {
            let body = &parcel.entry.entry.body;
            let sure = f64::from(word.confidence_bp()) / 10_000.0;
            let (layer, strength) = match body.kind {
                EntryKind::Warning => (PheromoneLayer::Threat, word.threat()),
                EntryKind::StrategyFragment => (PheromoneLayer::Opportunity, sure),
                EntryKind::Insight | EntryKind::Heuristic | EntryKind::CausalLink => (PheromoneLayer::Wisdom, sure),
            };
            (layer, strength, body.regime.unwrap_or(Regime::Unknown))
        }
        KinWord::Regime { is, .. } => (PheromoneLayer::Threat, word.threat(), *is),
        KinWord::Validation { .. } | KinWord::Cry { .. } | KinWord::Blood { .. } | KinWord::Scent { .. } => {
            return None;
        }
    };
    let (domain, class) = words_of(&word.field())?;
    // Between 0 and 1,000 by the clamp.
    let intensity = (strength.clamp(0.0, 1.0) * 1_000.0) as u16;
    let key = ScentKey { layer, class, domain, regime };
    (intensity > 0).then_some(PheromoneDeposit { scope: FieldScope::Clade, key, intensity })
}

/// What a scent of the siblings' field tells a golem: a threat that more than one has marked. What one alone has marked it has told as well.
#[must_use]
pub fn smelt(scent: &Scent) -> Option<KinWord> {
    let told = scent.key.layer == PheromoneLayer::Threat && scent.confirmations > 0;
    let field = KnowledgeDomain::named(&format!("{}/{}", scent.key.domain, scent.key.class));
    told.then_some(KinWord::Scent { field, intensity: scent.intensity, confirmations: scent.confirmations })
}

/// What a death marks: the fields in which it bled, the surest first. Who was ended by its owner's hand died of no place in the market.
pub fn stains<'a>(cause: &DeathCause, bled: impl Iterator<Item = &'a Entry>) -> Vec<StainMark> {
    if matches!(cause, DeathCause::OwnerKill { .. } | DeathCause::KillSwitch { .. }) {
        return Vec::new();
    }
    let Some(class) = field_word(cause.name()) else { return Vec::new() };
    let mut worst: BTreeMap<(FieldWord, Regime), u16> = BTreeMap::new();
    for entry in bled {
        if let Some((domain, _)) = words_of(&KnowledgeDomain::of(&entry.body)) {
            let severity = worst.entry((domain, entry.body.regime.unwrap_or(Regime::Unknown))).or_default();
            *severity = (*severity).max(entry.standing.confidence_bp.min(10_000) / 10);
        }
    }
    let mark = |((domain, regime), severity): ((FieldWord, Regime), u16)| StainMark {
        class: class.clone(),
        domain,
        regime,
        severity: severity.max(1),
    };
    let mut marks: Vec<StainMark> = worst.into_iter().map(mark).collect();
    marks.sort_by_key(|mark| std::cmp::Reverse(mark.severity));
    marks.truncate(MARKS);
    marks
}
