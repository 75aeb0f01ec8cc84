//! The smoothed burn rate and the time to live that follows from it.

use golem_core::{Elapsed, Usdc};
use serde::{Deserialize, Serialize};

/// Micro-USDC per nominal tick, smoothed (0.95 of the past, 0.05 of now, per nominal tick).
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct BurnRate(pub f64);

impl BurnRate {
    /// One turn's cost.
    pub fn tick(&mut self, cost: Usdc, elapsed: Elapsed) {
        let n = elapsed.as_nominal();
        if n <= 0.0 {
            return;
        }
        let rate = cost.0 as f64 / n;
        // A turn over n nominal ticks weighs as much as n turns over one.
        let keep = if elapsed == Elapsed::nominal(1) { 0.95 } else { libm::pow(0.95, n) };
        self.0 = self.0 * keep + rate * (1.0 - keep);
    }
    /// Nominal ticks until this much is burnt; `None` when nothing burns.
    #[must_use]
    pub fn ticks_to_burn(&self, amount: Usdc) -> Option<u64> {
        (self.0 > 1e-12).then(|| (amount.0 as f64 / self.0) as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn smoothing_does_not_depend_on_the_interval() {
        let (mut one, mut two) = (BurnRate::default(), BurnRate::default());
        for _ in 0..100 {
            one.tick(Usdc(78), Elapsed::nominal(1));
            one.tick(Usdc(78), Elapsed::nominal(1));
            two.tick(Usdc(156), Elapsed::nominal(2));
        }
        assert!((one.0 - two.0).abs() < 1e-9 && (one.0 - 78.0).abs() < 0.01);
        assert_eq!(BurnRate(2.0).ticks_to_burn(Usdc(10)), Some(5));
        assert_eq!(BurnRate(0.0).ticks_to_burn(Usdc(10)), None);
    }
}
