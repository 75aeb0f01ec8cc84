//! How deep the edge of sleep is: Hori's stages as ranges of temperature, and the way down through them.

use super::params::OnsetParams;
pub use crate::state::HoriStage;

impl HoriStage {
    /// The stage of a temperature. What is no number is too deep.
    #[must_use]
    pub fn of(temperature: f64) -> Self {
        match temperature {
            t if t < 1.0 => Self::Shallow,
            t if t < 1.2 => Self::Transitional,
            t if t <= 1.5 => Self::Peak,
            _ => Self::TooDeep,
        }
    }
}

/// The temperature of a partial in its round, both counted from 0: half a cosine from the first temperature to the
/// peak. Later rounds go down to a part of the peak only.
#[must_use]
pub fn temperature(partial: u32, round: u32, params: &OnsetParams) -> f64 {
    let peak = if round == 0 { params.peak_temperature } else { params.peak_temperature * params.reanneal };
    let last = params.partials.saturating_sub(1);
    let way = if last == 0 { 1.0 } else { f64::from(partial.min(last)) / f64::from(last) };
    params.first_temperature + (peak - params.first_temperature) * (1.0 - libm::cos(std::f64::consts::PI * way)) / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_way_down_passes_the_stages() {
        let params = OnsetParams::default();
        let round = |round| (0..4).map(|i| temperature(i, round, &params)).collect::<Vec<f64>>();
        for (t, expected) in round(0).iter().zip([0.9, 1.05, 1.35, 1.5]) {
            assert!((t - expected).abs() < 1e-9, "{:?}", round(0));
        }
        let stages: Vec<HoriStage> = round(0).into_iter().map(HoriStage::of).collect();
        use HoriStage as H;
        assert_eq!(stages, [H::Shallow, H::Transitional, H::Peak, H::Peak]);
        // Later rounds go to 80 % of the peak.
        assert!((round(1)[3] - 1.2).abs() < 1e-9);
        let one = OnsetParams { partials: 1, ..params };
        assert!((temperature(0, 0, &one) - 1.5).abs() < 1e-9 && (temperature(9, 0, &one) - 1.5).abs() < 1e-9);
    }

    #[test]
    fn stages_are_ranges_of_temperature() {
        use HoriStage as H;
        for (t, stage) in [
            (0.8, H::Shallow),
            (0.999, H::Shallow),
            (1.0, H::Transitional),
            (1.199, H::Transitional),
            (1.2, H::Peak),
            (1.5, H::Peak),
            (1.501, H::TooDeep),
            (f64::NAN, H::TooDeep),
        ] {
            assert_eq!(HoriStage::of(t), stage, "{t}");
        }
    }
}
