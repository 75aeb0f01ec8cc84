//! Numbers that have passed the boundary: finite, positive, or within the unit interval.

use serde::{Deserialize, Serialize};
use std::fmt;

/// A finite float. NaN and the infinities stop at the door.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Default, Serialize, Deserialize)]
#[serde(try_from = "f64", into = "f64")]
pub struct Finite(f64);

/// A finite float above zero: prices, gas, yields.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(try_from = "f64", into = "f64")]
pub struct Positive(f64);

/// A number in [0, 1].
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Default, Serialize, Deserialize)]
#[serde(try_from = "f64", into = "f64")]
pub struct Unit(f64);

/// A number that did not pass.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[error("{found} is not {wanted}")]
pub struct OutOfRange {
    found: f64,
    wanted: &'static str,
}

impl Finite {
    /// The number, if it is finite. Negative zero becomes zero, so that equal states have equal bytes.
    #[must_use]
    pub fn new(x: f64) -> Option<Self> {
        x.is_finite().then_some(Self(x + 0.0))
    }
    /// The number itself.
    #[must_use]
    pub fn get(self) -> f64 {
        self.0
    }
}

impl Positive {
    /// The number, if it is finite, above zero and neither subnormal nor so large that its square overflows.
    #[must_use]
    pub fn new(x: f64) -> Option<Self> {
        (x.is_normal() && x > 1e-150 && x < 1e150).then_some(Self(x))
    }
    /// The number itself.
    #[must_use]
    pub fn get(self) -> f64 {
        self.0
    }
    /// Natural logarithm, the same on every machine.
    #[must_use]
    pub fn ln(self) -> f64 {
        libm::log(self.0)
    }
}

impl Unit {
    /// None of it.
    pub const ZERO: Self = Self(0.0);
    /// All of it.
    pub const ONE: Self = Self(1.0);

    /// The number, if it lies in [0, 1].
    #[must_use]
    pub fn new(x: f64) -> Option<Self> {
        (0.0..=1.0).contains(&x).then_some(Self(x + 0.0))
    }
    /// The nearest number in [0, 1]; NaN becomes 0, the cautious end.
    #[must_use]
    pub fn clamped(x: f64) -> Self {
        if x >= 1.0 {
            Self::ONE
        } else if x > 0.0 {
            Self(x)
        } else {
            Self::ZERO
        }
    }
    /// The number itself.
    #[must_use]
    pub fn get(self) -> f64 {
        self.0
    }
}

macro_rules! boundary {
    ($t:ident, $wanted:literal) => {
        impl TryFrom<f64> for $t {
            type Error = OutOfRange;
            fn try_from(x: f64) -> Result<Self, OutOfRange> {
                Self::new(x).ok_or(OutOfRange { found: x, wanted: $wanted })
            }
        }
        impl From<$t> for f64 {
            fn from(x: $t) -> f64 {
                x.0
            }
        }
        impl fmt::Display for $t {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    };
}
boundary!(Finite, "a finite number");
boundary!(Positive, "a finite number above zero");
boundary!(Unit, "a number from 0 to 1");

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_bit_pattern_is_sorted(bits: u64) {
            let x = f64::from_bits(bits);
            prop_assert_eq!(Finite::new(x).is_some(), x.is_finite());
            let u = Unit::clamped(x).get();
            prop_assert!((0.0..=1.0).contains(&u));
            if let Some(p) = Positive::new(x) { prop_assert!(p.ln().is_finite() && p.get() * p.get() > 0.0); }
        }
    }
}
