//! What a golem feels about its own end: anxiety about money, vertigo about knowledge, dread of chance; acceptance when
//! it is near.

use super::emotion::{Emotion, Plutchik, blend};
use super::ground::{Ground, Grounds};
use super::sample::AffectSample;

/// Below this vitality there is only acceptance.
pub const ACCEPTANCE: f64 = 0.1;
/// Below this trend of fitness, knowledge decays.
const DECAYING: f64 = -0.01;
/// Below this fitness a steady mind has nothing to trust in: senescence begins there.
const SENESCENT: f64 = 0.35;

/// Economic anxiety.
#[must_use]
pub fn economic_anxiety(s: &AffectSample) -> Emotion {
    let ratio = s.balance();
    let pressing = s.runway().map_or(0.0, |days| 0.5 / days);
    let i = (0.5 * (1.0 - ratio) + pressing).clamp(0.0, 0.9);
    let dominance = if ratio > 0.5 { 0.1 } else { (-0.3 - (0.5 - ratio)).clamp(-0.8, 0.3) };
    let label = if i > 0.6 { Plutchik::Fear } else { Plutchik::Anticipation };
    Emotion::new(label, [-0.5 * i, 0.6 * i, dominance], i)
}

/// Epistemic vertigo.
#[must_use]
pub fn epistemic_vertigo(s: &AffectSample) -> Emotion {
    let (fitness, falls) = (s.fitness(), -s.trend());
    let decaying = s.trend() < DECAYING;
    if fitness < 0.2 {
        Emotion::new(Plutchik::Disgust, [-0.7, 0.3, -0.6], 0.8)
    } else if decaying && fitness < 0.5 {
        let i = (10.0 * falls + 0.3 * (0.5 - fitness)).clamp(0.3, 0.7);
        Emotion::new(Plutchik::Fear, [-0.4, 0.5 + 0.3 * i, -0.3], i)
    } else if decaying {
        Emotion::new(Plutchik::Anticipation, [-0.1, 0.2, 0.1], (10.0 * falls).clamp(0.2, 0.4))
    } else if fitness < SENESCENT {
        Emotion::new(Plutchik::Anticipation, [-0.1, 0.2, 0.1], 0.2)
    } else {
        Emotion::new(Plutchik::Trust, [0.1, -0.1, 0.2], 0.2)
    }
}

/// Stochastic dread.
#[must_use]
pub fn stochastic_dread(s: &AffectSample) -> Emotion {
    let i = (1_000.0 * s.hazard()).clamp(0.05, 0.4);
    Emotion::new(Plutchik::Anticipation, [0.0, i, 0.2], i)
}

/// The three as one, or acceptance.
#[must_use]
pub fn mortality_emotion(s: &AffectSample) -> Emotion {
    let acceptance = Emotion::new(Plutchik::Anticipation, [-0.1, 0.4, 0.3], 0.8);
    if s.vitality() < ACCEPTANCE {
        return acceptance;
    }
    blend(&[economic_anxiety(s), epistemic_vertigo(s), stochastic_dread(s)]).unwrap_or(acceptance)
}

/// What a feeling about one's own end can rest on in this condition.
#[must_use]
pub fn mortality_grounds(s: &AffectSample) -> Grounds {
    let decaying = s.trend() < DECAYING;
    let steady = !decaying && s.fitness() >= SENESCENT;
    let pressed = economic_anxiety(s).label == Plutchik::Fear || s.vitality() < ACCEPTANCE;
    let mut grounds = Grounds::NONE;
    if steady {
        grounds = grounds.and(Ground::Gain);
    }
    if pressed || !steady {
        grounds = grounds.and(Ground::Threat);
    }
    grounds
}
