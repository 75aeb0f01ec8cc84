//! Does this golem know anything about the market that its siblings do not?
//!
//! Fed when siblings exist. Like the other diagnostics it advises and never kills.

use super::config::InfoConfig;
use super::ksg::KsgSample;
use super::pairs::{ACTION_AXES, RESPONSE_AXES, columns};
use super::surrogate::{SurrogateJudgement, judge};
use serde::{Deserialize, Serialize};

/// The part of what a golem knows that only it knows: clamp((joint - clade) / own, 0, 1). 1 = fully unique.
///
/// `own`, `clade` and `joint` are the bits that its own actions, the clade's actions, and both together carry about the
/// market. `None` when it knows nothing itself: there is no share of nothing.
#[must_use]
pub fn redundancy(own_bits: f64, clade_bits: f64, joint_bits: f64) -> Option<f64> {
    let index = (joint_bits - clade_bits) / own_bits;
    (own_bits > 0.0 && index.is_finite()).then(|| index.clamp(0.0, 1.0))
}

/// A comparison of a golem with its clade.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RedundancyReport {
    /// 1 = fully unique. `None` when the golem's own information is not above its surrogates.
    pub index: Option<f64>,
    /// Little of what it knows is its own. Only said when both it and the clade demonstrably know something.
    pub redundant: bool,
    /// Bits of its own actions, less the false part.
    pub own_bits: f64,
    /// Bits of the clade's actions, less the false part. `None` when its own settled the matter.
    pub clade_bits: Option<f64>,
    /// Bits of both together, less the false part. `None` when its own settled the matter.
    pub joint_bits: Option<f64>,
    /// Pairs it rests on.
    pub pairs: usize,
}

/// Compares own and clade actions over the same responses, row by row in time; `None` with fewer than `min_pairs`.
///
/// A golem whose information is not above its surrogates knows nothing that could be redundant, and a clade whose
/// information is not above its own has nothing to be redundant with; so independent series are never called redundant.
#[must_use]
pub fn assess_redundancy(
    own: &[[f64; ACTION_AXES]],
    clade: &[[f64; ACTION_AXES]],
    response: &[[f64; RESPONSE_AXES]],
    config: &InfoConfig,
    uniform: &mut dyn FnMut() -> f64,
) -> Option<RedundancyReport> {
    let n = own.len().min(clade.len()).min(response.len());
    let finite = |row: &usize| own[*row].iter().chain(&clade[*row]).chain(&response[*row]).all(|x| x.is_finite());
    let rows: Vec<usize> = (0..n).filter(finite).collect();
    let rows = &rows[rows.len().saturating_sub(config.window_pairs)..];
    if rows.len() < config.min_pairs.max(1) {
        return None;
    }
    let own = columns(rows.iter().map(|&row| &own[row]));
    let clade = columns(rows.iter().map(|&row| &clade[row]));
    let response = columns(rows.iter().map(|&row| &response[row]));
    let both: Vec<Vec<f64>> = own.iter().chain(&clade).cloned().collect();
    let (own_bits, own) = measured(own, &response, true, config, uniform)?;
    let mut report = RedundancyReport {
        index: None,
        redundant: false,
        own_bits,
        clade_bits: None,
        joint_bits: None,
        pairs: rows.len(),
    };
    if own.above {
        let (clade_bits, clade) = measured(clade, &response, true, config, uniform)?;
        let (joint_bits, _) = measured(both, &response, false, config, uniform)?;
        report.clade_bits = Some(clade_bits);
        report.joint_bits = Some(joint_bits);
        report.index = redundancy(own_bits, clade_bits, joint_bits);
        report.redundant = clade.above && report.index.is_some_and(|index| index < config.redundancy_below);
    }
    Some(report)
}

/// Bits less their false part, and the judgement. When `judged` is not needed only the false part is measured.
fn measured(
    actions: Vec<Vec<f64>>,
    response: &[Vec<f64>],
    judged: bool,
    config: &InfoConfig,
    uniform: &mut dyn FnMut() -> f64,
) -> Option<(f64, SurrogateJudgement)> {
    let sample = KsgSample::standardised(actions, response.to_vec(), config.jitter, uniform);
    let raw = sample.bits(config.k)?;
    let judgement = judge(&sample, raw, config.k, &config.surrogates, uniform, &mut |_| judged);
    Some(((raw - judgement.mean_bits).max(0.0), judgement))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_share_that_is_its_own() {
        assert_eq!(redundancy(0.5, 0.5, 1.0), Some(1.0));
        assert_eq!(redundancy(0.5, 0.5, 0.5), Some(0.0));
        assert_eq!(redundancy(0.5, 0.5, 0.3), Some(0.0));
        assert_eq!(redundancy(0.0, 0.5, 0.5), None);
        assert_eq!(redundancy(-0.1, 0.5, 0.5), None);
        assert_eq!(redundancy(f64::NAN, 0.5, 0.5), None);
        assert_eq!(redundancy(0.5, f64::INFINITY, 0.5), None);
    }
}
