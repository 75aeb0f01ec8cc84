//! Two silent learners of the golem's own kind, begun anew in turn: what would a newborn know by now?
//!
//! Each starts without any knowledge, sees what the golem sees, learns at full speed and is never heard. They are half a
//! life apart, so that one of them is always old enough to be compared with and young enough to be called a newborn.

use super::level::LevelLooks;
use super::panels::Panels;
use super::track::TrackTurn;
use crate::math::DAY;
use crate::senses::Senses;
use golem_core::time::NOMINAL_TICKS_PER_DAY;
use golem_core::{Elapsed, VirtualTime};
use golem_mortality::SettledForecast;
use serde::{Deserialize, Serialize};

/// A silent learner is begun anew after so long.
const LIFE: Elapsed = Elapsed::nominal(5 * NOMINAL_TICKS_PER_DAY);
/// And is compared with from this age on.
const GROWN: Elapsed = Elapsed(LIFE.0 / 2);

/// One silent learner.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
struct SilentLearner {
    born: VirtualTime,
    panels: Panels,
}

/// The two of them.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(crate) struct Nursery {
    learners: [SilentLearner; 2],
}

impl Nursery {
    /// Begin anew what is old enough, settle what is due, and write the losses of the one that is compared with beside
    /// those of the golem (`own`, of this turn).
    pub(crate) fn settle(&mut self, looks: &LevelLooks, senses: &Senses, memory: f64, own: &mut [SettledForecast]) {
        let now = senses.now();
        let turn = TrackTurn { rate: 1.0, memory: memory.max(DAY), silent: true };
        let mut said = Vec::new();
        for (i, learner) in self.learners.iter_mut().enumerate() {
            if now.since(learner.born) >= LIFE || (i == 1 && learner.born == VirtualTime(0) && now.age() >= GROWN) {
                *learner = SilentLearner { born: birth(now, i), panels: Panels::default() };
            }
            said.clear();
            learner.panels.settle(looks, senses, turn, &mut said);
            // The one that began with the golem is its twin and no newborn: between twins every lead is noise.
            if learner.born == VirtualTime(0) || now.since(learner.born) < GROWN {
                continue;
            }
            for s in &said {
                if let Some(own) = own.iter_mut().find(|o| o.domain == s.domain && o.made == s.made) {
                    own.newborn_loss = Some(s.model_loss);
                }
            }
        }
    }

    /// Store what they expect, where the golem has stored a forecast in this turn.
    pub(crate) fn issue(&mut self, senses: &Senses, now: VirtualTime, stored: [bool; 4]) {
        for learner in &mut self.learners {
            learner.panels.issue_silently(senses, now, stored);
        }
    }
}

/// When a learner that is begun now was due to begin: long turns do not shift the pair.
fn birth(now: VirtualTime, which: usize) -> VirtualTime {
    let lag = if which == 1 { GROWN.0 } else { 0 };
    VirtualTime(now.0.saturating_sub(lag) / LIFE.0 * LIFE.0 + lag)
}
