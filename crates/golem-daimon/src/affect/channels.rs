//! The channels through which affect colours behaviour: five, each bounded, each of which can be switched off alone.
//!
//! Affect never touches a limit. The risk factor scales a size that the policy wants; phase, gate and cage then allow what
//! they allow, so that a factor above 1 cannot take a golem past any of them.

use super::Pad;
use super::config::ChannelSwitches;
use super::emotion::{Emotion, Intensity, Plutchik};
use super::mood::MoodWord;
use golem_core::Unit;
use serde::{Deserialize, Serialize};

/// No size grows by more.
pub const RISK_CAP: f64 = 1.2;
/// No size shrinks below this share.
pub const RISK_FLOOR: f64 = 0.5;
/// Exploration stays within these.
pub const EXPLORATION: (f64, f64) = (0.1, 2.0);
/// No tier threshold is shifted by more.
pub const MOST_TIER_SHIFT: f64 = 0.2;
/// Sharing thresholds stay within these.
pub const SHARING: (f64, f64) = (0.1, 0.8);
/// At least this share of a dream that imagines at all is creative.
pub const LEAST_CREATIVE: f64 = 0.2;

/// How mood shifts the thresholds of thinking. Added to them: below zero means thinking sooner.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct TierBias {
    /// Shift of the threshold between no model and a small one.
    pub t0: f64,
    /// Shift of the threshold between a small model and a large one.
    pub t1: f64,
    /// True when the golem has no strength for the large model.
    pub at_most_t1: bool,
}

impl TierBias {
    /// What holds in a turn: a probe of high severity is never muffled.
    #[must_use]
    pub fn with_probe(self, high: bool) -> Self {
        if !high {
            return self;
        }
        Self { t0: self.t0.min(0.0), t1: self.t1.min(0.0), at_most_t1: false }
    }
}

/// What a dream is made of, as shares or as weights.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct DreamMix {
    /// Living through what was.
    pub replay: f64,
    /// Imagining what was not.
    pub creative: f64,
    /// Rehearsing what must not be.
    pub threat: f64,
}

impl DreamMix {
    /// Each as it was.
    pub const NEUTRAL: Self = Self { replay: 1.0, creative: 1.0, threat: 1.0 };

    /// These weights on some shares, with the same sum. What is closed stays closed, and where creation is open at all it
    /// keeps a fifth.
    #[must_use]
    pub fn on(self, shares: Self) -> Self {
        if self == Self::NEUTRAL {
            return shares;
        }
        let [r, c, t] = [shares.replay, shares.creative, shares.threat].map(|x| Unit::clamped(x).get());
        let sum = r + c + t;
        let [wr, wc, wt] = [r * self.replay, c * self.creative, t * self.threat];
        let weighed = wr + wc + wt;
        if weighed <= 0.0 {
            return shares;
        }
        let scale = sum / weighed;
        let creative = if c > 0.0 { (wc * scale).max(LEAST_CREATIVE * sum) } else { 0.0 };
        let rest = wr + wt;
        let others = if rest > 0.0 { (sum - creative) / rest } else { 0.0 };
        Self { replay: wr * others, creative, threat: wt * others }
    }
}

/// Everything that affect colours in a turn.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Channels {
    /// Above 1 keeps to what is known, below 1 tries more: an inverse temperature, relative to the usual.
    pub exploration: f64,
    /// Sizes are multiplied by this, before phase, gate and cage.
    pub risk: f64,
    /// How soon it thinks.
    pub tier: TierBias,
    /// The sharing threshold is lowered by this.
    pub sharing: f64,
    /// What it dreams of.
    pub dreams: DreamMix,
}

impl Channels {
    /// Nothing is coloured.
    pub const NEUTRAL: Self = Self {
        exploration: 1.0,
        risk: 1.0,
        tier: TierBias { t0: 0.0, t1: 0.0, at_most_t1: false },
        sharing: 0.0,
        dreams: DreamMix::NEUTRAL,
    };

    /// Confidence from which knowledge is shared, given what phase and hazard say.
    #[must_use]
    pub fn sharing_threshold(&self, base: f64) -> f64 {
        if self.sharing.abs() > 0.0 { (base - self.sharing).clamp(SHARING.0, SHARING.1) } else { base }
    }

    /// From what is felt now, the emotion that prevails, the mood's word and whether the end is near.
    pub(super) fn of(felt: &ChannelsFelt, on: &ChannelSwitches) -> Self {
        let neutral = Self::NEUTRAL;
        Self {
            exploration: if on.exploration { exploration(felt) } else { neutral.exploration },
            risk: if on.risk { risk(felt) } else { neutral.risk },
            tier: if on.tier { tier(felt) } else { neutral.tier },
            sharing: if on.sharing { sharing(felt) } else { neutral.sharing },
            dreams: if on.dreams { dreams(felt.word) } else { neutral.dreams },
        }
    }
}

/// What the channels look at.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct ChannelsFelt {
    pub pad: Pad,
    pub prevailing: Option<Emotion>,
    pub word: MoodWord,
    pub end_is_near: bool,
}

/// Base + .3 P - .2 A + .1 D. Fear makes cautious, so it never explores more than usual.
fn exploration(felt: &ChannelsFelt) -> f64 {
    let pad = felt.pad;
    let beta = 1.0 + 0.3 * pad.pleasure() - 0.2 * pad.arousal() + 0.1 * pad.dominance();
    let afraid = felt.prevailing.is_some_and(|e| e.label == Plutchik::Fear);
    (if afraid { beta.max(1.0) } else { beta }).clamp(EXPLORATION.0, EXPLORATION.1)
}

/// By the prevailing emotion; and smaller when it is agitated and unhappy.
fn risk(felt: &ChannelsFelt) -> f64 {
    let by_emotion: f64 = felt.prevailing.map_or(1.0, |e| match (e.label, e.intensity()) {
        (Plutchik::Fear | Plutchik::Sadness, Intensity::Intense) => 0.6,
        (Plutchik::Fear | Plutchik::Sadness, Intensity::Moderate) => 0.8,
        (Plutchik::Fear | Plutchik::Sadness, Intensity::Mild) => 0.9,
        (Plutchik::Anger, Intensity::Intense) => 1.15,
        (Plutchik::Anger, Intensity::Moderate) => 1.10,
        (Plutchik::Anger, Intensity::Mild) => 1.05,
        (Plutchik::Surprise, _) => 0.9,
        (Plutchik::Joy | Plutchik::Trust | Plutchik::Disgust | Plutchik::Anticipation, _) => 1.0,
    });
    let agitated = if distressed(felt.pad) { 0.8 } else { 1.0 };
    (by_emotion * agitated).clamp(RISK_FLOOR, RISK_CAP)
}

/// Urgency = -.3 P + .2 A; thresholds fall by .15 and .10 of it. A depleted golem has no strength for the large model.
fn tier(felt: &ChannelsFelt) -> TierBias {
    let urgency = -0.3 * felt.pad.pleasure() + 0.2 * felt.pad.arousal();
    let shift = |by: f64| (-by * urgency).clamp(-MOST_TIER_SHIFT, MOST_TIER_SHIFT) + 0.0;
    TierBias { t0: shift(0.15), t1: shift(0.10), at_most_t1: felt.word == MoodWord::Depleted }
}

/// The nearer the end and the happier, the more is given away; despair keeps to itself.
fn sharing(felt: &ChannelsFelt) -> f64 {
    let (p, d) = (felt.pad.pleasure(), felt.pad.dominance());
    if felt.end_is_near {
        0.25
    } else if p > 0.3 {
        0.1
    } else if p < -0.5 && d < -0.3 {
        -0.05
    } else {
        0.0
    }
}

/// An anxious golem rehearses threats, a bright one imagines, a low one goes over what was.
fn dreams(word: MoodWord) -> DreamMix {
    let mix = |replay, creative, threat| DreamMix { replay, creative, threat };
    match word {
        MoodWord::Anxious | MoodWord::Hostile => mix(1.0, 1.0, 2.0),
        MoodWord::Exuberant | MoodWord::Excited | MoodWord::Confident => mix(1.0, 1.5, 1.0),
        MoodWord::Depleted | MoodWord::Despairing | MoodWord::Disdainful => mix(1.5, 1.0, 1.0),
        MoodWord::Even | MoodWord::Docile => DreamMix::NEUTRAL,
    }
}

fn distressed(pad: Pad) -> bool {
    pad.pleasure() < -0.3 && pad.arousal() > 0.3
}
