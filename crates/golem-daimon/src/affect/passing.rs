//! What is felt for a while: the emotion of an event, grief for a sibling, and what was caught from others.

use super::emotion::{Emotion, Plutchik};
use super::{AffectConfig, Pad};
use golem_core::{Elapsed, Unit, VirtualTime};
use serde::{Deserialize, Serialize};

/// How long an emotion is felt: it fades evenly over an hour.
const EMOTION_LASTS: Elapsed = Elapsed::nominal(90);
/// What is caught is half as strong after this.
const CAUGHT_HALF_LIFE: Elapsed = Elapsed::secs(6 * 3_600);
/// The share of others' pleasure and arousal that is caught. Dominance is not.
const CONTAGION: f64 = 0.3;
/// What a sibling's warning adds to arousal.
const WARNING: f64 = 0.1;
/// However many siblings and however often: nobody carries more of others' feelings than this.
const MOST_CAUGHT: f64 = 0.3;
/// What is fainter than this is forgotten.
const FAINT: f64 = 1e-3;

/// The share of a stretch that is left, from 1 to 0.
fn left(now: VirtualTime, since: VirtualTime, lasts: Elapsed) -> f64 {
    let gone = now.since(since);
    if gone >= lasts { 0.0 } else { 1.0 - gone.0 as f64 / lasts.0 as f64 }
}

/// An emotion that fades.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Fading {
    emotion: Emotion,
    since: VirtualTime,
}

impl Fading {
    pub(super) fn new(emotion: Emotion, since: VirtualTime) -> Self {
        Self { emotion, since }
    }
    /// What is left of it; none when it is over.
    #[must_use]
    pub fn at(&self, now: VirtualTime) -> Option<Emotion> {
        let left = left(now, self.since, EMOTION_LASTS);
        let strength = Unit::clamped(self.emotion.strength.get() * left);
        (strength.get() > 0.0).then_some(Emotion { strength, ..self.emotion })
    }
}

/// Grief for the dead of the fleet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Grief {
    since: VirtualTime,
    /// How many died since it was last at peace.
    pub deaths: u32,
}

impl Grief {
    pub(super) fn new(since: VirtualTime) -> Self {
        Self { since, deaths: 1 }
    }
    /// Another death: it begins anew.
    pub(super) fn again(self, now: VirtualTime) -> Self {
        Self { since: now, deaths: self.deaths.saturating_add(1) }
    }
    /// What is felt of it; none when it is over. It has the point and the strength of the death's row in the table.
    #[must_use]
    pub fn at(&self, now: VirtualTime, config: &AffectConfig) -> Option<Emotion> {
        let left = left(now, self.since, config.grief());
        (left > 0.0).then(|| Emotion::new(Plutchik::Sadness, [-0.4, 0.3, -0.2], 0.6 * left))
    }
}

/// What was caught from siblings.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Caught {
    pad: Pad,
    at: VirtualTime,
}

impl Caught {
    /// What is left of it.
    #[must_use]
    pub fn at(&self, now: VirtualTime) -> Pad {
        if self.pad == Pad::NEUTRAL {
            return Pad::NEUTRAL;
        }
        let halves = now.since(self.at).0 as f64 / CAUGHT_HALF_LIFE.0 as f64;
        let left = self.pad.times(libm::exp2(-halves));
        if left.distance2(Pad::NEUTRAL) < FAINT * FAINT { Pad::NEUTRAL } else { left }
    }
    /// One exchange with siblings: the mean of what they feel, so that a large fleet is no louder than a small one, and
    /// their warnings. Returns what was added.
    pub(super) fn catch(&mut self, now: VirtualTime, siblings: &[Pad], warnings: u32) -> Pad {
        let before = self.at(now);
        let n = siblings.len().max(1) as f64;
        let mean = |of: fn(Pad) -> f64| siblings.iter().map(|s| of(*s)).sum::<f64>() / n;
        let within = |x: f64| x.clamp(-MOST_CAUGHT, MOST_CAUGHT);
        let aroused = within(CONTAGION * mean(Pad::arousal) + WARNING * f64::from(warnings));
        let pleased = within(CONTAGION * mean(Pad::pleasure));
        let after = Pad::new(within(before.pleasure() + pleased), within(before.arousal() + aroused), 0.0);
        *self = Self { pad: after, at: now.max(self.at) };
        Pad::new(after.pleasure() - before.pleasure(), after.arousal() - before.arousal(), 0.0)
    }
    /// Forget what is too faint to matter, so that a quiet turn costs nothing.
    pub(super) fn settle(&mut self, now: VirtualTime) -> Pad {
        let pad = self.at(now);
        if pad == Pad::NEUTRAL {
            self.pad = pad;
        }
        pad
    }
}
