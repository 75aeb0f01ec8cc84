//! What a golem feels and suffers, and what it was not allowed, in sentences.

use super::count;
use golem_daimon::affect::{AffectFact, Appraiser, Divergence, EventKind};
use golem_daimon::gate::GateFact;
use golem_daimon::suffering::SufferingFact;

pub(super) fn affect(fact: &AffectFact) -> String {
    match fact {
        AffectFact::Appraisal { triggers, emotion, intensity, by, .. } => {
            let told: Vec<&str> = triggers.iter().take(3).map(|k| trigger(*k)).collect();
            let who = if *by == Appraiser::Model { ", by a model's word" } else { "" };
            format!("feels {} {} about {}{who}", intensity.name(), emotion.name(), told.join(" and "))
        }
        AffectFact::MoodChange { mood, .. } => format!("its mood is {} now", mood.name()),
        AffectFact::Grief { open: true, deaths } => format!("grieves for {}", count(u64::from(*deaths), "sibling")),
        AffectFact::Grief { open: false, .. } => "its grief is over".to_owned(),
        AffectFact::Helplessness { open: true, .. } => {
            "has felt powerless for hours; its owner may want to look".to_owned()
        }
        AffectFact::Helplessness { open: false, .. } => "no longer feels powerless".to_owned(),
        AffectFact::Divergence { why, model, .. } => {
            let why = match why {
                Divergence::NoTrigger => "nothing had happened",
                Divergence::Ungrounded => "nothing that happened bears it",
                Divergence::TooFar => "it was too far from what happened",
            };
            format!("a model felt {} for it, which did not count: {why}", model.label.name())
        }
        AffectFact::Contagion { siblings, warnings, .. } => {
            let told = count(u64::from(*siblings), "sibling");
            format!("felt with {told}, heard {}", count(u64::from(*warnings), "warning"))
        }
    }
}

pub(super) fn is_felt_event(fact: &AffectFact) -> bool {
    matches!(fact, AffectFact::Helplessness { .. } | AffectFact::Grief { .. })
}

pub(super) fn suffering(fact: &SufferingFact) -> String {
    match fact {
        SufferingFact::Onset { stressor, evidence, .. } => format!("suffers: {stressor} ({})", plain(evidence)),
        SufferingFact::Band { from, to, load, .. } => {
            format!("suffering {} -> {} (load {load:.2})", from.name(), to.name())
        }
        SufferingFact::Claim { stressor, distance, .. } => {
            format!("said that {stressor} is over, and it is not: {}", plain(distance))
        }
        SufferingFact::Resolved(row) => format!("eased: {} ({})", row.stressor, plain(&row.note)),
        SufferingFact::Remedied { stressor, remedy, note } => {
            format!("against {stressor} it {}: {}", remedy.words(), plain(note))
        }
        SufferingFact::Crisis { message, .. } => format!("tells its fleet: {}", plain(message)),
        SufferingFact::Respite { before, after, .. } => format!("a respite: load {before:.2} -> {after:.2}"),
        SufferingFact::Dropped { stressor, why } => format!("named a worry, {stressor}, that does not count: {why}"),
        SufferingFact::Evicted { by, row } => format!("{by} took the place of {}", row.stressor),
    }
}

pub(super) fn is_suffered_event(fact: &SufferingFact) -> bool {
    matches!(
        fact,
        SufferingFact::Onset { .. }
            | SufferingFact::Band { .. }
            | SufferingFact::Crisis { .. }
            | SufferingFact::Resolved(_)
            | SufferingFact::Respite { .. }
            | SufferingFact::Remedied { .. }
    )
}

pub(super) fn gate(fact: &GateFact) -> String {
    let GateFact::Denied { what, denied } = fact;
    format!("not allowed: {}. {denied}", what.as_str())
}

/// Somebody's words, without what would look like code.
fn plain(text: &str) -> String {
    text.replace(['{', '}', '[', ']'], "")
}

fn trigger(kind: EventKind) -> &'static str {
    match kind {
        EventKind::TradeProfit => "a profit",
        EventKind::TradeLoss => "a loss",
        EventKind::PredictionMiss => "a forecast that missed",
        EventKind::RegimeShift => "a change of weather",
        EventKind::SiblingDeath => "a sibling's death",
        EventKind::KnowledgeValidated => "something it knew that proved right",
        EventKind::KnowledgeContradicted => "something it knew that proved wrong",
        EventKind::DreamGood => "a good dream",
        EventKind::DreamBad => "a bad dream",
        EventKind::DreamThreat => "a threat in a dream",
        EventKind::GoalCompleted => "a goal it reached",
        EventKind::GoalFailed => "a goal it missed",
        EventKind::Mortality => "its own end",
        EventKind::Unknown => "something",
    }
}
