//! What a run was worth beside another: whole micro-USDC first, then basis points of wealth, then whether luck explains
//! it.

use golem_core::door::ForkRan;
use golem_core::intent::Outcome;

/// What one run brought more than another over the same steps, in basis points of the wealth that both began with. None
/// where they cannot be compared: nobody had anything, or one path was shorter.
#[must_use]
pub fn better_bps(instead: &ForkRan, did: &ForkRan) -> Option<f64> {
    if did.before.0 == 0 || instead.before != did.before || instead.steps != did.steps {
        return None;
    }
    let more = i128::from(instead.after.0) - i128::from(did.after.0);
    Some(bps(more, did.before.0))
}

/// What a run lost from its beginning to its end, in basis points of wealth; less than nothing where it gained.
#[must_use]
pub fn loss_bps(ran: &ForkRan) -> Option<f64> {
    (ran.before.0 > 0).then(|| bps(i128::from(ran.before.0) - i128::from(ran.after.0), ran.before.0))
}

/// What it had lost at its worst moment.
#[must_use]
pub fn worst_bps(ran: &ForkRan) -> Option<f64> {
    (ran.before.0 > 0).then(|| bps(i128::from(ran.before.0) - i128::from(ran.lowest.0), ran.before.0))
}

fn bps(micro: i128, of: u64) -> f64 {
    (micro * 10_000) as f64 / of as f64
}

/// True when the copy said no to one of the acts: then the run shows what was not possible, and nothing else.
#[must_use]
pub fn was_refused(ran: &ForkRan) -> bool {
    ran.acted.iter().any(|act| matches!(act.outcome, Outcome::Refused { .. }))
}

/// No spread is taken to be smaller than this many basis points: runs that agree to the last digit are no miracle.
const LEAST_SPREAD: f64 = 0.1;

/// A mean and how far it can be trusted.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MeanOf {
    pub n: u32,
    pub mean: f64,
    /// Standard error.
    pub error: f64,
}

impl MeanOf {
    /// Of these numbers; none for fewer than two. What is not finite does not count.
    #[must_use]
    pub fn these(all: &[f64]) -> Option<Self> {
        let all: Vec<f64> = all.iter().copied().filter(|x| x.is_finite()).collect();
        let n = u32::try_from(all.len()).ok().filter(|n| *n >= 2)?;
        let mean = all.iter().sum::<f64>() / f64::from(n);
        let squares = all.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>();
        let spread = libm::sqrt(squares / f64::from(n - 1)).max(LEAST_SPREAD);
        Some(Self { n, mean, error: spread / libm::sqrt(f64::from(n)) })
    }
    /// True when a mean of nothing would come out so high at most once in twenty times (Student's test, one side).
    #[must_use]
    pub fn beats_zero(&self) -> bool {
        self.mean > 0.0 && self.mean / self.error > student_5_percent(self.n.saturating_sub(1))
    }
}

/// Student's bound for one side at 5 %, by degrees of freedom; between rows the stricter one holds.
#[must_use]
pub fn student_5_percent(freedom: u32) -> f64 {
    const TABLE: [(u32, f64); 13] = [
        (1, 6.314),
        (2, 2.920),
        (3, 2.353),
        (4, 2.132),
        (5, 2.015),
        (6, 1.943),
        (7, 1.895),
        (8, 1.860),
        (10, 1.812),
        (15, 1.753),
        (20, 1.725),
        (30, 1.697),
        (120, 1.658),
    ];
    TABLE.iter().rev().find(|(df, _)| *df <= freedom).map_or(f64::INFINITY, |(_, bound)| *bound)
}

#[cfg(test)]
mod tests {
    use super::*;
    use golem_core::Usdc;
    use golem_core::door::ForkActed;
    use golem_core::intent::Refusal;
    use proptest::prelude::*;

    fn ran(before: u64, after: u64, lowest: u64) -> ForkRan {
        let [before, after, lowest] = [before, after, lowest].map(Usdc);
        ForkRan { acted: Vec::new(), before, after, lowest, prices: [1.0; 2], steps: 90 }
    }

    #[test]
    fn runs_are_held_against_each_other_in_whole_money() {
        let (did, instead) = (ran(1_000_000, 990_000, 980_000), ran(1_000_000, 1_000_001, 1));
        assert!((better_bps(&instead, &did).unwrap() - 100.01).abs() < 1e-9);
        assert!((loss_bps(&did).unwrap() - 100.0).abs() < 1e-9);
        assert!((worst_bps(&did).unwrap() - 200.0).abs() < 1e-9);
        for other in [ran(0, 5, 0), ran(999_999, 5, 0), ForkRan { steps: 89, ..instead.clone() }] {
            assert_eq!(better_bps(&other, &did), None);
        }
        assert_eq!((better_bps(&ran(0, 1, 0), &ran(0, 1, 0)), loss_bps(&ran(0, 1, 0))), (None, None));
        assert_eq!(worst_bps(&ran(0, 1, 0)), None);
    }

    #[test]
    fn a_refusal_is_no_result() {
        let mut run = ran(1, 1, 1);
        let acted = |outcome| ForkActed { outcome, gas: Usdc(0), times: 1 };
        run.acted = vec![acted(Outcome::Held)];
        assert!(!was_refused(&run));
        run.acted.push(acted(Outcome::Refused { why: Refusal::Funds }));
        assert!(was_refused(&run));
    }

    #[test]
    fn luck_is_told_from_more_than_luck() {
        let beats = |all: &[f64]| MeanOf::these(all).is_some_and(|m| m.beats_zero());
        // With two degrees of freedom t must exceed 2.92.
        assert!(beats(&[10.0, 11.0, 12.0]));
        assert!(!beats(&[1.0, 5.0, 12.0]));
        assert!(!beats(&[-10.0, -11.0, -12.0]));
        assert!(!beats(&[5.0]));
        assert!(!beats(&[f64::NAN, 5.0]));
        // The same to the last digit is not beyond doubt when it is tiny.
        assert!(!beats(&[0.01, 0.01, 0.01]));
        let table = [(0, f64::INFINITY), (1, 6.314), (2, 2.92), (4, 2.132), (9, 1.86), (29, 1.725), (5_000, 1.658)];
        for (freedom, bound) in table {
            assert_eq!(student_5_percent(freedom).to_bits(), f64::to_bits(bound), "{freedom}");
        }
    }

    proptest! {
        #[test]
        fn any_money_can_be_compared(a in any::<[u64; 3]>(), b in any::<[u64; 3]>()) {
            let (a, b) = (ran(a[0], a[1], a[2]), ran(b[0], b[1], b[2]));
            for x in [better_bps(&a, &b), loss_bps(&a), worst_bps(&b)].into_iter().flatten() {
                prop_assert!(x.is_finite());
            }
            let same = ForkRan { before: b.before, ..a };
            if let Some(x) = better_bps(&same, &b) {
                prop_assert_eq!(x > 0.0, same.after > b.after);
            }
        }
    }
}
