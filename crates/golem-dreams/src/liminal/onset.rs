//! Falling asleep: the gate closes step by step, fragments of the day come up, each cut off before it is finished, and
//! an observer keeps what is new.

use super::fragment::{FragmentStatus, LiminalFragment};
use super::gate::{OnsetAlarm, ThalamicGate};
use super::hori::{HoriStage, temperature};
use super::params::OnsetParams;
use super::residue::DayResidue;
use super::theme::DreamTheme;
use crate::journal::OnsetSummary;
use golem_core::{Dice, Timestamp};
use golem_grimoire::{Episode, Marks};
use serde::{Deserialize, Serialize};

/// What onset works on.
#[derive(Debug, Clone, Copy)]
pub struct OnsetMaterial<'a> {
    /// In the order in which they happened.
    pub episodes: &'a [(&'a Episode, &'a Marks)],
    /// How it feels now.
    pub mood: Option<[f32; 3]>,
    pub theme: Option<&'a DreamTheme>,
    pub cycle: u64,
    pub tick: u64,
    pub at: Timestamp,
    /// What rang before it was over.
    pub alarm: Option<OnsetAlarm>,
}

/// What falling asleep brought.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct OnsetOutcome {
    /// Those that were kept.
    pub fragments: Vec<LiminalFragment>,
    /// All of them, as they were begun.
    pub drafts: Vec<LiminalFragment>,
    /// How many were looked at.
    pub looked_at: u32,
    pub dali_cycles_completed: u32,
    /// The deepest stage that was reached.
    pub depth: Option<HoriStage>,
    pub aborted: Option<OnsetAlarm>,
    pub theme: Option<String>,
}

impl OnsetOutcome {
    /// As the journal tells it.
    #[must_use]
    pub fn summary(&self) -> OnsetSummary {
        let kept = u32::try_from(self.fragments.len()).unwrap_or(u32::MAX);
        OnsetSummary {
            theme: self.theme.clone(),
            fragments: self.looked_at,
            kept,
            rounds: self.dali_cycles_completed,
            depth: self.depth,
            aborted: self.aborted,
            ..OnsetSummary::default()
        }
    }
}

/// Fall asleep. `alike` says how like two texts are, `nearest` how like a text is to what is known; both from -1 to 1.
#[must_use]
pub fn onset(
    material: &OnsetMaterial<'_>,
    params: &OnsetParams,
    dice: &Dice,
    alike: impl Fn(&str, &str) -> f32,
    nearest: impl Fn(&str) -> f32,
) -> OnsetOutcome {
    let theme = material.theme.filter(|theme| theme.is_alive(material.cycle));
    let mut out = OnsetOutcome { theme: theme.map(|t| t.keyword.clone()), ..OnsetOutcome::default() };
    if let Some(alarm) = material.alarm {
        out.aborted = Some(alarm);
        return out;
    }
    let pool = DayResidue::of(material, theme, params, alike);
    for round in 0..params.dali_cycles {
        for partial in 0..params.partials {
            let heat = temperature(partial, round, params);
            let stage = HoriStage::of(heat);
            out.depth = out.depth.max(Some(stage));
            if stage == HoriStage::TooDeep {
                break;
            }
            let gate = ThalamicGate::closing(partial, params.partials);
            let number = round * params.partials + partial;
            let Some(mut fragment) = pool.fragment(material, params, dice, gate, heat, number) else { continue };
            (fragment.dali_cycle, fragment.hori_stage) = (round, stage);
            out.looked_at += 1;
            out.drafts.push(fragment.clone());
            let likeness = nearest(&fragment.content);
            observe(&mut fragment, params, likeness);
            let is_new = fragment.status == FragmentStatus::SelectedForRem;
            if is_new && !out.fragments.iter().any(|f| f.content == fragment.content) {
                out.fragments.push(fragment);
            }
        }
        out.dali_cycles_completed += 1;
    }
    out
}

/// The observer: what is new enough is kept, at a confidence that goes with how new it is.
pub fn observe(fragment: &mut LiminalFragment, params: &OnsetParams, nearest: f32) {
    // Whatever cannot be compared counts as known.
    let likeness = if nearest.is_nan() { 1.0 } else { f64::from(nearest.clamp(0.0, 1.0)) };
    fragment.novelty_score = 1.0 - likeness;
    let kept = fragment.novelty_score > params.novelty_floor;
    fragment.status = if kept { FragmentStatus::SelectedForRem } else { FragmentStatus::Discarded };
    let span = params.most_confidence - params.least_confidence;
    fragment.confidence = params.least_confidence + span * fragment.novelty_score;
}

#[cfg(test)]
mod tests;
