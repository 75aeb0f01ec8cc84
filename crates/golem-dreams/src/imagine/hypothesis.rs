//! What imagination proposes: words for people, a claim that reality can check, and what to do about it where that
//! lowers risk or leaves it alone.

use crate::journal::{DreamProvenance, StrategyHypothesis};
use golem_core::Regime;
use golem_core::words::one_line;
use golem_grimoire::admission::hollow;
use golem_grimoire::{Claim, EpisodeId, RuleAction};
use serde::{Deserialize, Serialize};

/// The most characters of a hypothesis.
pub const MOST_TEXT: usize = 240;
/// The most episodes that it names.
const MOST_SEEDS: usize = 8;
/// A rule multiplies a parameter by this much at most, and by its inverse at least.
const MOST_FACTOR: f64 = 2.0;

/// A hypothesis with what is needed to stage it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ImaginedHypothesis {
    /// As the journal tells it.
    pub said: StrategyHypothesis,
    /// How reality is to judge it.
    pub claim: Claim,
    /// What to do while the condition holds. Never more risk.
    pub action: Option<RuleAction>,
    /// The weather it holds in; none is any.
    pub regime: Option<Regime>,
    /// Independent runs behind it.
    pub runs: u32,
}

impl ImaginedHypothesis {
    /// A hypothesis, if reality has a say in its claim. An action that would raise risk is left out: what is claimed
    /// can still come true.
    #[must_use]
    pub fn new(text: &str, provenance: DreamProvenance, claim: Claim, confidence: f64) -> Option<Self> {
        let text = one_line(text, MOST_TEXT);
        let compiles = |source: &str| golem_core::observed::Expression::compile(source).is_ok();
        if text.is_empty() || !compiles(&claim.when) || !compiles(&claim.then) || hollow(&claim).is_some() {
            return None;
        }
        let confidence = if confidence.is_nan() { 0.0 } else { confidence.clamp(0.0, 1.0) };
        let said = StrategyHypothesis {
            text,
            provenance,
            seed_episodes: Vec::new(),
            executed_bps: None,
            confidence,
            asked: None,
            receipt: None,
        };
        Some(Self { said, claim, action: None, regime: None, runs: 0 })
    }
    /// With what to do about it.
    #[must_use]
    pub fn doing(mut self, action: Option<RuleAction>) -> Self {
        self.action = action.and_then(without_risk);
        self
    }
    /// With the episodes it came from, the first few of them.
    #[must_use]
    pub fn seeded(mut self, episodes: impl IntoIterator<Item = EpisodeId>) -> Self {
        self.said.seed_episodes = episodes.into_iter().take(MOST_SEEDS).collect();
        self
    }
    /// With what its runs brought.
    #[must_use]
    pub fn executed(mut self, bps: f64, runs: u32) -> Self {
        (self.said.executed_bps, self.runs) = (bps.is_finite().then_some(bps), runs);
        self
    }
    /// In one weather.
    #[must_use]
    pub fn within(mut self, regime: Regime) -> Self {
        self.regime = Some(regime);
        self
    }
}

/// The condition of a weather; none while nobody can say what weather it is.
#[must_use]
pub fn in_weather(regime: Regime) -> Option<String> {
    (regime != Regime::Unknown).then(|| format!("market.regime == \"{regime}\""))
}

/// The same action where it cannot raise risk; none where it would. Parameters of exposure and size are only made
/// smaller, the width of a range may go either way.
#[must_use]
pub fn without_risk(action: RuleAction) -> Option<RuleAction> {
    match action {
        RuleAction::StandAside => Some(RuleAction::StandAside),
        RuleAction::Risk { factor } if (0.0..=1.0).contains(&factor) => Some(RuleAction::Risk { factor }),
        RuleAction::Scale { parameter, factor } if factor.is_finite() && factor > 0.0 => {
            let factor = factor.clamp(1.0 / MOST_FACTOR, MOST_FACTOR);
            (factor <= 1.0 || is_width(&parameter)).then_some(RuleAction::Scale { parameter, factor })
        }
        RuleAction::Risk { .. } | RuleAction::Scale { .. } => None,
    }
}

/// True for parameters that say how wide a range is.
#[must_use]
pub fn is_width(parameter: &str) -> bool {
    parameter.rsplit('.').next() == Some("range_sigmas")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn claim(when: &str, then: &str) -> Claim {
        Claim { when: when.to_owned(), then: then.to_owned(), unless: None, after_ticks: 90 }
    }

    #[test]
    fn only_what_reality_decides_is_a_hypothesis() {
        let made = |when: &str, then: &str| {
            ImaginedHypothesis::new("x", DreamProvenance::Creative, claim(when, then), 0.2).is_some()
        };
        assert!(made("market.regime == \"volatile\"", "market.return_90 < 0.0"));
        assert!(!made("market.gas_ratio > 2.0", "market.gas_ratio > 1.5"));
        assert!(!made("golem.tick > 5", "market.return_90 < 0.0"));
        assert!(!made("nonsense", "market.return_90 < 0.0"));
        assert!(!made("market.gas_ratio > 2.0", "(("));
        let empty = claim("market.gas_ratio > 2.0", "market.return_90 < 0.0");
        assert!(ImaginedHypothesis::new(" \n", DreamProvenance::Creative, empty.clone(), 0.2).is_none());
        let odd = ImaginedHypothesis::new("x", DreamProvenance::Creative, empty, f64::NAN).unwrap();
        assert!(odd.said.confidence.abs() < 1e-12);
    }

    #[test]
    fn no_dream_raises_risk() {
        let scale = |key: &str, factor| RuleAction::Scale { parameter: key.to_owned(), factor };
        let (width, size) = ("lp_management.range_sigmas", "lp_management.max_exposure");
        let table = [
            (RuleAction::StandAside, Some(RuleAction::StandAside)),
            (RuleAction::Risk { factor: 0.5 }, Some(RuleAction::Risk { factor: 0.5 })),
            (RuleAction::Risk { factor: 1.01 }, None),
            (RuleAction::Risk { factor: f64::NAN }, None),
            (scale(size, 0.7), Some(scale(size, 0.7))),
            (scale(size, 1.1), None),
            (scale(size, 0.1), Some(scale(size, 0.5))),
            (scale(width, 1.4), Some(scale(width, 1.4))),
            (scale(width, 9.0), Some(scale(width, 2.0))),
            (scale(width, f64::NAN), None),
            (scale(width, 0.0), None),
        ];
        for (asked, allowed) in table {
            assert_eq!(without_risk(asked.clone()), allowed, "{asked:?}");
        }
    }

    #[test]
    fn words_and_seeds_are_bounded() {
        let long = "word ".repeat(500);
        let claim = claim("market.regime == \"volatile\"", "market.return_90 < 0.0");
        let made = ImaginedHypothesis::new(&long, DreamProvenance::Creative, claim, 7.0).unwrap();
        let made = made.seeded((0..100).map(EpisodeId)).executed(f64::NAN, 3).within(Regime::Volatile);
        assert!(made.said.text.chars().count() <= MOST_TEXT);
        assert_eq!((made.said.seed_episodes.len(), made.said.executed_bps, made.runs), (8, None, 3));
        assert!((made.said.confidence - 1.0).abs() < 1e-12);
        assert_eq!((in_weather(Regime::Unknown), in_weather(Regime::Volatile).is_some()), (None, true));
    }
}
