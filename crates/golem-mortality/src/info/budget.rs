//! The bits budget: how much the golem must know about its market to stay Stable, and how much is missing.
//!
//! An input of the tier gate: a deficit is a reason to think harder. It never forbids and never kills.

use super::config::InfoConfig;
use super::report::MiDiagnostics;
use serde::{Deserialize, Serialize};

/// What is needed, what is there, and what is missing, in bits.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct BitsBudget {
    /// Needed for Stable: 0.4 of I_max.
    pub required_bits: f64,
    /// Known now.
    pub known_bits: f64,
    /// Missing; zero when there is enough.
    pub deficit_bits: f64,
    /// Bits per tick that would close the deficit within one window of pairs.
    pub required_bits_per_tick: f64,
    /// What is missing of that at the present information rate; zero when the golem is learning fast enough.
    pub deficit_bits_per_tick: f64,
}

/// The budget that follows from the latest diagnostics; `None` while the information is insufficient.
///
/// The horizon is one window because an estimate over n pairs cannot change completely in less.
#[must_use]
pub fn bits_budget(diagnostics: &MiDiagnostics, config: &InfoConfig) -> Option<BitsBudget> {
    let known_bits = diagnostics.mi_bits?;
    let required_bits = config.stable_share * diagnostics.i_max_bits;
    let deficit_bits = (required_bits - known_bits).max(0.0);
    let required_bits_per_tick = deficit_bits / config.window_pairs.max(1) as f64;
    let rate = diagnostics.information_rate.unwrap_or(0.0);
    Some(BitsBudget {
        required_bits,
        known_bits,
        deficit_bits,
        required_bits_per_tick,
        deficit_bits_per_tick: (required_bits_per_tick - rate).clamp(0.0, required_bits_per_tick.max(0.0)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn budget(mi_bits: Option<f64>, rate: Option<f64>) -> Option<BitsBudget> {
        let diagnostics = MiDiagnostics {
            mi_bits,
            information_rate: rate,
            i_max_bits: 2.0,
            ..MiDiagnostics::insufficient(0, 0, 1.0)
        };
        bits_budget(&diagnostics, &InfoConfig::default())
    }

    #[test]
    fn deficits() {
        assert_eq!(budget(None, None), None);
        let poor = budget(Some(0.3), None).unwrap();
        assert!((poor.required_bits - 0.8).abs() < 1e-12);
        assert!((poor.deficit_bits - 0.5).abs() < 1e-12);
        assert!((poor.deficit_bits_per_tick - 0.000_5).abs() < 1e-12);
        let learning = budget(Some(0.3), Some(0.01)).unwrap();
        assert!(learning.deficit_bits_per_tick <= 0.0);
        let rich = budget(Some(1.0), Some(-0.1)).unwrap();
        assert!(rich.deficit_bits <= 0.0 && rich.deficit_bits_per_tick <= 0.0);
    }
}
