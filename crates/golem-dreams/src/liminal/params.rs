//! The numbers of the edges of sleep: none of them is a setting.

/// How falling asleep works.
#[derive(Debug, Clone, PartialEq)]
pub struct OnsetParams {
    /// Fragments that are begun each time.
    pub partials: u32,
    /// Where each of them is cut off.
    pub partial_tokens: u32,
    /// How often the steel ball falls: rounds of partials.
    pub dali_cycles: u32,
    /// The temperature at which sleep begins, and the one at its deepest.
    pub first_temperature: f64,
    pub peak_temperature: f64,
    /// What is left of the peak in later rounds.
    pub reanneal: f64,
    /// Fragments must be newer than this, from 0 to 1.
    pub novelty_floor: f64,
    /// What likeness to the theme adds to an episode's weight.
    pub theme_bias: f64,
    /// How surprising an episode must be to give the theme, in usual errors.
    pub theme_surprise: f64,
    /// Confidence of the least and of the most novel fragment that is kept.
    pub least_confidence: f64,
    pub most_confidence: f64,
    /// Novelty from which a fragment surfaces by itself on return.
    pub promote_above: f64,
    /// Episodes that fragments are made of: the latest, and before them the weightiest, and those that fade.
    pub recent: u32,
    pub salient: u32,
    pub fading: u32,
    /// A move of the price, and a loss of liquidity, as shares, that wake at once.
    pub alarm_move: f64,
    pub alarm_drain: f64,
}

impl Default for OnsetParams {
    fn default() -> Self {
        Self {
            partials: 4,
            partial_tokens: 80,
            dali_cycles: 1,
            first_temperature: 0.9,
            peak_temperature: 1.5,
            reanneal: 0.8,
            novelty_floor: 0.3,
            theme_bias: 0.2,
            theme_surprise: 2.0,
            least_confidence: 0.10,
            most_confidence: 0.20,
            promote_above: 0.6,
            recent: 48,
            salient: 16,
            fading: 6,
            alarm_move: 0.05,
            alarm_drain: 0.3,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_are_as_written() {
        let usual = OnsetParams::default();
        assert_eq!((usual.partials, usual.partial_tokens, usual.dali_cycles), (4, 80, 1));
        let table = [
            (usual.peak_temperature, 1.5),
            (usual.theme_bias, 0.2),
            (usual.least_confidence, 0.10),
            (usual.most_confidence, 0.20),
            (usual.alarm_move, 0.05),
        ];
        assert!(table.iter().all(|(is, wanted)| (is - wanted).abs() < 1e-12), "{usual:?}");
    }
}
