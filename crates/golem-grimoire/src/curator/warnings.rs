//! From a bad loss, or a bad surprise, to a warning: what kind of situation it was, how bad, and for how long to mind it.

use super::{CuratorMaterial, Distilled, learn, own};
use crate::credit;
use crate::entry::{EntryBody, EntryId, EntryKind, WarningSeverity};
use crate::episode::{Episode, EpisodeId, Importance, Marks};
use crate::shelf::Shelf;
use crate::situation::Situation;
use crate::standing::EntryStatus;
use crate::standing::Support;
use crate::subject::ACTION_TAG;
use golem_core::{Elapsed, Regime};

/// A loss of this many basis points of wealth is a danger.
const LOSS_BPS: f32 = 100.0;
/// A loss of this many is a grave one.
const GRAVE_LOSS_BPS: f32 = 300.0;
/// A bad surprise of so many usual errors is a danger even where no money was lost.
const SURPRISE: f32 = 4.0;

/// Something dangerous that happened.
pub(super) struct DangerSeen {
    pub(super) episode: EpisodeId,
    action: Option<&'static str>,
    regime: Regime,
    severity: WarningSeverity,
    situation: Situation,
}

/// Whether an episode was dangerous, and how much.
pub(super) fn danger(episode: &Episode, marks: &Marks) -> Option<DangerSeen> {
    if episode.went_well(marks) != Some(false) {
        return None;
    }
    let loss = marks.outcome_bps.map_or(0.0, |bps| -bps);
    let severity = match episode.importance {
        _ if loss >= GRAVE_LOSS_BPS => WarningSeverity::High,
        Importance::Emergency => WarningSeverity::High,
        _ if loss >= LOSS_BPS => WarningSeverity::Medium,
        Importance::Critical => WarningSeverity::Medium,
        _ if episode.surprise >= SURPRISE => WarningSeverity::Low,
        Importance::Routine | Importance::Notable => return None,
    };
    let action = episode.deed.as_ref().map(|d| d.intent.name());
    Some(DangerSeen { episode: episode.id, action, regime: episode.regime, severity, situation: episode.situation })
}

/// How long a warning holds without being confirmed.
fn time_to_live(severity: WarningSeverity) -> Elapsed {
    Elapsed::secs(
        86_400
            * if severity == WarningSeverity::High {
                14
            } else if severity == WarningSeverity::Medium {
                7
            } else {
                3
            },
    )
}

/// Learn from a danger, or be reminded: a warning that is at least as grave hears it as a confirmation, a milder one
/// makes way.
pub(super) fn warn(shelf: &mut Shelf, danger: DangerSeen, told: &CuratorMaterial<'_>, out: &mut Distilled) {
    let body = warning(&danger, told);
    let known: Vec<(EntryId, Option<WarningSeverity>)> = shelf
        .on_topic(&body)
        .filter(|e| e.is_in_use() && e.body.kind == EntryKind::Warning)
        .map(|e| (e.id, e.body.severity))
        .collect();
    if let Some((id, _)) = known.iter().find(|(_, severity)| *severity >= Some(danger.severity)) {
        shelf.stand(*id, |s| credit::validate(s, told.now));
        out.upvotes += 1;
        return;
    }
    let Some(id) = learn(shelf, body, Support { confirmed: 1, contradicted: 0 }, told) else { return };
    shelf.stand(id, |s| s.own_validation = true);
    out.warnings += 1;
    for (milder, _) in known {
        shelf.stand(milder, |s| (s.status, s.true_until) = (EntryStatus::Archived(told.now), Some(told.now)));
    }
}

fn warning(danger: &DangerSeen, told: &CuratorMaterial<'_>) -> EntryBody {
    let how = match danger.severity {
        WarningSeverity::Low => "can surprise badly",
        WarningSeverity::Medium => "can cost dearly",
        WarningSeverity::High => "can ruin",
    };
    // Events have a topic too, so that the second of a kind is known again.
    let what = danger.action.unwrap_or("wait");
    EntryBody {
        severity: Some(danger.severity),
        time_to_live: Some(time_to_live(danger.severity)),
        regime: Some(danger.regime),
        tags: vec![format!("{ACTION_TAG}{what}")],
        prototype: Some(danger.situation),
        episodes: vec![danger.episode],
        ..own(told, EntryKind::Warning, format!("To {what} in {} weather {how}.", danger.regime))
    }
}
