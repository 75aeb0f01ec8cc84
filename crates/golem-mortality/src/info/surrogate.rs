//! Is this mutual information more than the two histories would show by accident?
//!
//! Series that remember themselves look related when they are not: two independent autocorrelated series show some 0.2
//! nats. A *surrogate* keeps both histories and breaks their pairing by a circular shift; its mutual information is
//! false by construction. What is not above the surrogates is not knowledge.

use super::ksg::KsgSample;
use serde::{Deserialize, Serialize};

/// How many surrogates to draw, and when to stop early.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SurrogatePlan {
    /// At most so many. 99 without one at or above the real value is a significance of 1 in 100.
    pub max: u32,
    /// At least so many, for a usable mean even when the first one already settles the question.
    pub min: u32,
    /// From so many on, a value that stands far above them settles the question the other way.
    pub clear_from: u32,
    /// How far that is: so many of their deviations, times 1 + 4 / (number drawn), since few of them say little about
    /// their deviation.
    pub clear_deviations: f64,
    /// Shifts stay this part of the window away from zero, where the real pairing still shines through.
    pub min_shift_share: f64,
}

impl Default for SurrogatePlan {
    fn default() -> Self {
        Self { max: 99, min: 9, clear_from: 9, clear_deviations: 3.5, min_shift_share: 0.1 }
    }
}

/// Why no further surrogate was drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SurrogateEnd {
    /// A surrogate reached the real value: not above.
    Reached,
    /// The real value stands far outside the surrogates: above, and the rest of them need not be drawn.
    Clear,
    /// All were drawn and none reached the real value: above.
    Exhausted,
    /// After the first few the caller had no more question. `above` is not to be used.
    NoQuestion,
    /// There is nothing to shift (a constant side, too few pairs): not above.
    Degenerate,
}

/// The outcome of comparing a value with its surrogates.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SurrogateJudgement {
    /// The real value is above its surrogates.
    pub above: bool,
    /// Why the comparison ended.
    pub ended: SurrogateEnd,
    /// How many surrogates were drawn.
    pub draws: u32,
    /// Sequential Monte-Carlo p-value: 1 / (number of the draw that reached the value), or 1 / (draws + 1).
    pub p_value: f64,
    /// Mean of the surrogates in bits: the false part of the real value.
    pub mean_bits: f64,
    /// Their standard deviation in bits.
    pub deviation_bits: f64,
}

impl SurrogateJudgement {
    fn degenerate() -> Self {
        Self {
            above: false,
            ended: SurrogateEnd::Degenerate,
            draws: 0,
            p_value: 1.0,
            mean_bits: 0.0,
            deviation_bits: 0.0,
        }
    }

    /// How many deviations `bits` stands above the surrogates. Zero when they do not vary.
    #[must_use]
    pub fn deviations(&self, bits: f64) -> f64 {
        if self.deviation_bits > 0.0 { (bits - self.mean_bits) / self.deviation_bits } else { 0.0 }
    }
}

/// Compares `bits`, the mutual information of `sample`, with circular-shift surrogates drawn one by one.
///
/// This is the sequential test of Besag and Clifford (Biometrika 78, 1991) with h = 1: the first surrogate that reaches
/// the real value ends it, with p = 1 / (its number). On independent series that takes about five draws instead of 99,
/// and the decision is the same as with all of them: above means that none of `max` reached it. `clear_from` adds
/// the mirror image, a parametric stop for values that are obviously above. After `min` draws `in_question` is asked,
/// with the mean so far, whether the answer still matters.
pub fn judge(
    sample: &KsgSample,
    bits: f64,
    k: usize,
    plan: &SurrogatePlan,
    uniform: &mut dyn FnMut() -> f64,
    in_question: &mut dyn FnMut(f64) -> bool,
) -> SurrogateJudgement {
    let n = sample.len();
    if sample.is_constant() || n < 20 || n <= k || !bits.is_finite() {
        return SurrogateJudgement::degenerate();
    }
    let mut seen = RunningMean::default();
    let mut reached_at = None;
    let mut ended = SurrogateEnd::Exhausted;
    for draw in 1..=plan.max.max(1) {
        let Some(false_bits) = sample.shifted_bits(k, shift(n, plan.min_shift_share, uniform())) else {
            return SurrogateJudgement::degenerate();
        };
        seen.push(false_bits);
        if reached_at.is_none() && false_bits >= bits {
            reached_at = Some(draw);
        }
        if draw < plan.min {
            continue;
        }
        if draw == plan.min && !in_question(seen.mean) {
            ended = SurrogateEnd::NoQuestion;
            break;
        }
        if reached_at.is_some() {
            ended = SurrogateEnd::Reached;
            break;
        }
        // At 9 draws this is 5 deviations, at 99 it is 3.6: under a t-distribution less than one in a thousand each.
        let far = plan.clear_deviations * (1.0 + 4.0 / f64::from(draw)) * seen.deviation();
        if draw >= plan.clear_from && bits - seen.mean > far {
            ended = SurrogateEnd::Clear;
            break;
        }
    }
    if ended == SurrogateEnd::Exhausted && reached_at.is_some() {
        ended = SurrogateEnd::Reached;
    }
    SurrogateJudgement {
        above: reached_at.is_none(),
        ended,
        draws: seen.count,
        p_value: 1.0 / f64::from(reached_at.unwrap_or(seen.count.saturating_add(1)).max(1)),
        mean_bits: seen.mean,
        deviation_bits: seen.deviation(),
    }
}

/// A shift from `share * n` to `n - share * n`, both included.
fn shift(n: usize, share: f64, uniform: f64) -> usize {
    let margin = ((n as f64 * share) as usize).clamp(1, n / 2);
    let choices = n - 2 * margin + 1;
    let choice = (uniform * choices as f64) as usize;
    margin + choice.min(choices - 1)
}

/// Mean and deviation of numbers as they come (Welford 1962).
#[derive(Debug, Clone, Default)]
struct RunningMean {
    count: u32,
    mean: f64,
    squares: f64,
}

impl RunningMean {
    fn push(&mut self, x: f64) {
        self.count = self.count.saturating_add(1);
        let delta = x - self.mean;
        self.mean += delta / f64::from(self.count);
        self.squares += delta * (x - self.mean);
    }

    fn deviation(&self) -> f64 {
        if self.count < 2 { 0.0 } else { libm::sqrt(self.squares / f64::from(self.count - 1)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shifts_stay_away_from_zero() {
        for u in [0.0, 0.3, 0.999_999_999, 1.0, f64::NAN, -1.0] {
            let s = shift(1_000, 0.1, u);
            assert!((100..=900).contains(&s), "{u} {s}");
        }
        for share in [f64::NAN, -1.0, 0.0, 0.5, 9.0] {
            assert!((1..20).contains(&shift(20, share, 0.7)), "{share}");
        }
    }

    #[test]
    fn mean_and_deviation() {
        let mut seen = RunningMean::default();
        [2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0].into_iter().for_each(|x| seen.push(x));
        assert!((seen.mean - 5.0).abs() < 1e-15);
        assert!((seen.deviation() - libm::sqrt(32.0 / 7.0)).abs() < 1e-15);
    }
}
