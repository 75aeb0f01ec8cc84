//! Money in integer micro-USDC. Never a float: a float may describe money, it may not be it.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// An amount of micro-USDC that cannot be negative.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
pub struct Usdc(pub u64);

/// A signed difference in micro-USDC.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
pub struct UsdcDelta(pub i64);

impl Usdc {
    /// Nothing.
    pub const ZERO: Self = Self(0);

    /// Whole USDC.
    #[must_use]
    pub const fn whole(n: u64) -> Self {
        Self(n.saturating_mul(1_000_000))
    }
    /// The sum, or `None` when it does not fit.
    #[must_use]
    pub fn checked_add(self, other: Self) -> Option<Self> {
        self.0.checked_add(other.0).map(Self)
    }
    /// The difference, or `None` when it would be negative.
    #[must_use]
    pub fn checked_sub(self, other: Self) -> Option<Self> {
        self.0.checked_sub(other.0).map(Self)
    }
    /// The sum, at most the largest amount there is.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
    /// The difference, at least nothing.
    #[must_use]
    pub fn minus(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
    /// A share of it in basis points, rounded down.
    #[must_use]
    pub fn share_bps(self, bps: u32) -> Self {
        let wide = u128::from(self.0) * u128::from(bps) / 10_000;
        Self(u64::try_from(wide).unwrap_or(u64::MAX))
    }
    /// `self * num / den`, rounded down; the whole when `den` is zero.
    #[must_use]
    pub fn ratio(self, num: u64, den: u64) -> Self {
        if den == 0 {
            return self;
        }
        let wide = u128::from(self.0) * u128::from(num) / u128::from(den);
        Self(u64::try_from(wide).unwrap_or(u64::MAX))
    }
    /// For formulas that only describe: USDC as a float.
    #[must_use]
    pub fn as_f64(self) -> f64 {
        self.0 as f64 / 1e6
    }
    /// The signed difference `self - other`.
    #[must_use]
    pub fn delta(self, other: Self) -> UsdcDelta {
        let wide = i128::from(self.0) - i128::from(other.0);
        UsdcDelta(i64::try_from(wide).unwrap_or(if wide < 0 { i64::MIN } else { i64::MAX }))
    }
}

impl UsdcDelta {
    /// For formulas that only describe.
    #[must_use]
    pub fn as_f64(self) -> f64 {
        self.0 as f64 / 1e6
    }
}

/// Why a text is not an amount of money.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{0:?} is not an amount of USDC: write digits with up to six decimals and no sign or currency, such as 50 or 12.50"
)]
pub struct BadAmount(String);

impl FromStr for Usdc {
    type Err = BadAmount;
    fn from_str(s: &str) -> Result<Self, BadAmount> {
        let bad = || BadAmount(s.chars().take(40).collect());
        let (whole, part) = s.split_once('.').unwrap_or((s, ""));
        let digits = |t: &str| t.chars().all(|c| c.is_ascii_digit());
        let trailing_dot = s.ends_with('.');
        if whole.is_empty() || trailing_dot || part.len() > 6 || !digits(whole) || !digits(part) {
            return Err(bad());
        }
        let whole: u64 = whole.parse().map_err(|_| bad())?;
        let micro: u64 = if part.is_empty() { 0 } else { format!("{part:0<6}").parse().map_err(|_| bad())? };
        whole.checked_mul(1_000_000).and_then(|w| w.checked_add(micro)).map(Self).ok_or_else(bad)
    }
}

/// Two decimals where they are enough, all six where they are not: no digit of money is hidden.
impl fmt::Display for Usdc {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (whole, micro) = (self.0 / 1_000_000, self.0 % 1_000_000);
        let text = if micro.is_multiple_of(10_000) {
            format!("{whole}.{:02}", micro / 10_000)
        } else {
            format!("{whole}.{micro:06}")
        };
        f.pad(&text)
    }
}

impl fmt::Display for UsdcDelta {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.0 < 0 { "-" } else { "+" };
        f.pad(&format!("{sign}{}", Usdc(self.0.unsigned_abs())))
    }
}

/// Money in settings: text with the unit in the key, such as `death_reserve_floor_usdc = "0.30"`.
pub mod as_text {
    use super::Usdc;
    use serde::{Deserialize, Deserializer, Serializer};

    /// Write it as text.
    pub fn serialize<S: Serializer>(amount: &Usdc, s: S) -> Result<S::Ok, S::Error> {
        s.collect_str(amount)
    }
    /// Read it from text; anything else is refused.
    pub fn deserialize<'de, D: Deserializer<'de>>(d: D) -> Result<Usdc, D::Error> {
        String::deserialize(d)?.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_and_amount_agree() {
        for (text, micro, shown) in [
            ("50", 50_000_000, "50.00"),
            ("0.30", 300_000, "0.30"),
            ("12.345678", 12_345_678, "12.345678"),
            ("0.000001", 1, "0.000001"),
        ] {
            let amount: Usdc = text.parse().unwrap();
            assert_eq!((amount.0, amount.to_string().as_str()), (micro, shown));
        }
        for bad in ["", "$15", "-1", "+1", "1.", ".5", "1e3", "1.2345678", "1,000", "99999999999999999999", "NaN", " 1"]
        {
            assert!(bad.parse::<Usdc>().is_err(), "{bad:?} was taken");
        }
    }

    #[test]
    fn shares_never_create_money() {
        for total in [0, 1, 3, 999_999, u64::MAX] {
            let parts: u128 = [6_000, 2_500, 1_500].iter().map(|&b| u128::from(Usdc(total).share_bps(b).0)).sum();
            assert!(parts <= u128::from(total));
        }
    }
}
