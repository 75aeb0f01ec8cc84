//! When something is felt at all: the new, the strong and what must not be missed. Repetition only lets the mood drift.

use super::emotion::Intensity;
use super::event::EventKind;
use super::rules::EventAppraisal;
use golem_core::{Elapsed, VirtualTime};
use serde::{Deserialize, Serialize};

/// The same kind of event is felt again after ten minutes.
const WINDOW: Elapsed = Elapsed::nominal(15);
/// From this strength on, however often.
const STRONG: f64 = 0.5;

/// When each kind of event was last felt. What was only repeated does not count, or a steady stream of losses would be
/// felt once in a life.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Trigger {
    felt: [Option<VirtualTime>; EventKind::COUNT],
}

impl Trigger {
    /// Whether this is felt now; if so it is remembered.
    pub(super) fn fires(&mut self, now: VirtualTime, appraisal: &EventAppraisal) -> bool {
        let strong = appraisal.emotion.strength.get() > STRONG;
        let last = &mut self.felt[appraisal.rule.kind as usize];
        let fresh = last.is_none_or(|at| now.since(at) >= WINDOW);
        let fires = fresh || strong || appraisal.rule.mandatory;
        if fires {
            *last = Some(now);
        }
        fires
    }
}

/// Nominal ticks between two looks at one's own mortality.
const LOOK_EVERY: Elapsed = Elapsed::nominal(50);

/// When the golem last looked at its own end, and how it felt about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct LastLook {
    at: Option<VirtualTime>,
    phase: Option<golem_mortality::BehavioralPhase>,
    said: Option<(super::Plutchik, Intensity)>,
}

impl LastLook {
    /// Whether it is time to look: at birth, every 50 nominal ticks, and when the phase has changed.
    pub(super) fn due(&mut self, now: VirtualTime, phase: golem_mortality::BehavioralPhase, asked: bool) -> bool {
        let changed = self.phase != Some(phase);
        let due = asked || changed || self.at.is_none_or(|at| now.since(at) >= LOOK_EVERY);
        if due {
            (self.at, self.phase) = (Some(now), Some(phase));
        }
        due
    }
    /// Whether this feeling is another than the last time.
    pub(super) fn is_news(&mut self, emotion: &super::Emotion) -> bool {
        let now = Some((emotion.label, emotion.intensity()));
        let news = now != self.said;
        self.said = now;
        news
    }
}
