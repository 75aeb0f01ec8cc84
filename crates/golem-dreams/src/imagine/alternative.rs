//! What could have been done instead of a deed: the closed list, and what each makes of an intent.

use golem_core::door::ForkDeed;
use golem_core::intent::Outcome;
use golem_core::{Asset, Intent, Usdc};
use golem_grimoire::episode::EpisodeDeed;
use serde::{Deserialize, Serialize};
use std::fmt;

/// On a copy nobody is cheated: what is changed is done at any price, so that the run shows what would have come.
const ANY_TOLERANCE_BPS: u32 = 10_000;
const WHOLE_BPS: u32 = 10_000;
/// The share of wealth that could have been in the asset instead of holding, and how far it may drift.
const IN_BPS: u32 = 3_000;
const IN_BAND_BPS: u32 = 500;

/// Something else that could have been done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Alternative {
    /// Nothing: holding.
    NotAtAll,
    /// Half of it.
    Smaller,
    /// Twice as much.
    Larger,
    /// The same, some time after.
    Later,
    /// The same, between the act before it and its own moment.
    Earlier,
    /// The other way round.
    Opposite,
    /// In a range 0.5 times as wide.
    MuchNarrower,
    /// 0.7 times.
    Narrower,
    /// 1.4 times.
    Wider,
    /// Twice.
    MuchWider,
    /// Instead of holding: everything given back.
    Out,
    /// Instead of holding: a share of wealth in the asset.
    In,
}

impl Alternative {
    /// In the order in which they take turns.
    pub const ALL: [Self; 12] = [
        Self::NotAtAll,
        Self::Smaller,
        Self::Larger,
        Self::Later,
        Self::Earlier,
        Self::Opposite,
        Self::MuchNarrower,
        Self::Narrower,
        Self::Wider,
        Self::MuchWider,
        Self::Out,
        Self::In,
    ];

    /// In words, as they follow "would have been better".
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::NotAtAll => "not at all",
            Self::Smaller => "half as much",
            Self::Larger => "twice as much",
            Self::Later => "later",
            Self::Earlier => "earlier",
            Self::Opposite => "the other way round",
            Self::MuchNarrower => "in a range half as wide",
            Self::Narrower => "in a narrower range",
            Self::Wider => "in a wider range",
            Self::MuchWider => "in a range twice as wide",
            Self::Out => "with everything given back",
            Self::In => "with three tenths in the asset",
        }
    }
    /// What it multiplies the width of a range by, as a fraction.
    #[must_use]
    pub fn width_factor(self) -> Option<(u32, u32)> {
        match self {
            Self::MuchNarrower => Some((1, 2)),
            Self::Narrower => Some((7, 10)),
            Self::Wider => Some((14, 10)),
            Self::MuchWider => Some((2, 1)),
            _ => None,
        }
    }
    /// What it would have been for a deed: something else to do, or nothing at all. Holding is a deed like the others.
    ///
    /// # Errors
    /// With the reason, where the deed has no such alternative.
    pub fn of(self, deed: &EpisodeDeed) -> Result<Option<ForkDeed>, &'static str> {
        match (deed.intent, self) {
            (Intent::Hold, Self::Out) => Ok(Some(ForkDeed::Unwind)),
            (Intent::Hold, Self::In) => Ok(Some(ForkDeed::KeepShare { share_bps: IN_BPS, band_bps: IN_BAND_BPS })),
            (Intent::Hold, _) => Err("nothing was done"),
            (_, Self::Out | Self::In) => Err("something was done"),
            _ => self.intent(deed).map(|intent| intent.map(ForkDeed::Once)),
        }
    }
    fn intent(self, deed: &EpisodeDeed) -> Result<Option<Intent>, &'static str> {
        match self {
            Self::Out | Self::In => Err("something was done"),
            Self::NotAtAll => Ok(None),
            Self::Later | Self::Earlier => Ok(Some(deed.intent.unbound(ANY_TOLERANCE_BPS))),
            Self::Smaller => sized(deed.intent, 1, 2).map(Some),
            Self::Larger => sized(deed.intent, 2, 1).map(Some),
            Self::Opposite => opposite(deed).map(Some),
            Self::MuchNarrower | Self::Narrower | Self::Wider | Self::MuchWider => {
                self.width_factor().ok_or("it has no width").and_then(|(n, d)| as_wide(deed.intent, n, d)).map(Some)
            }
        }
    }
}

impl fmt::Display for Alternative {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.words())
    }
}

fn sized(intent: Intent, num: u64, den: u64) -> Result<Intent, &'static str> {
    let money = |m: Usdc| Usdc(m.0.saturating_mul(num) / den);
    let asset = |a: Asset| Asset(a.0.saturating_mul(u128::from(num)) / u128::from(den));
    match intent.unbound(ANY_TOLERANCE_BPS) {
        Intent::Buy { pay, min_out } => Ok(Intent::Buy { pay: money(pay), min_out }),
        Intent::Sell { give, min_out } => Ok(Intent::Sell { give: asset(give), min_out }),
        Intent::Add { pay, give, width_bps, tolerance_bps } => {
            Ok(Intent::Add { pay: money(pay), give: asset(give), width_bps, tolerance_bps })
        }
        Intent::Remove { share_bps, tolerance_bps } => {
            let other = (u64::from(share_bps).saturating_mul(num) / den).min(u64::from(WHOLE_BPS));
            match u32::try_from(other) {
                Ok(other) if other != share_bps => Ok(Intent::Remove { share_bps: other, tolerance_bps }),
                _ => Err("there was no more to take out"),
            }
        }
        Intent::Hold | Intent::Collect | Intent::Rebalance { .. } => Err("it has no size"),
        Intent::Home { .. } | Intent::Unwrap { .. } => Err("it is no trade"),
    }
}

fn opposite(deed: &EpisodeDeed) -> Result<Intent, &'static str> {
    match (deed.intent, deed.outcome) {
        (Intent::Buy { .. }, Some(Outcome::Bought { got, .. })) => Ok(Intent::Sell { give: got, min_out: Usdc::ZERO }),
        (Intent::Sell { .. }, Some(Outcome::Sold { got, .. })) => Ok(Intent::Buy { pay: got, min_out: Asset::ZERO }),
        (Intent::Add { .. }, _) => Ok(Intent::Remove { share_bps: WHOLE_BPS, tolerance_bps: ANY_TOLERANCE_BPS }),
        (Intent::Remove { .. }, Some(Outcome::Removed { got, got_asset, .. })) => {
            Ok(Intent::Add { pay: got, give: got_asset, width_bps: 0, tolerance_bps: ANY_TOLERANCE_BPS })
        }
        (Intent::Buy { .. } | Intent::Sell { .. } | Intent::Remove { .. }, _) => {
            Err("nobody knows what it came to, so there is no other way round")
        }
        (Intent::Hold | Intent::Collect | Intent::Rebalance { .. }, _) => Err("it has no other way round"),
        (Intent::Home { .. } | Intent::Unwrap { .. }, _) => Err("it is no trade"),
    }
}

fn as_wide(intent: Intent, num: u32, den: u32) -> Result<Intent, &'static str> {
    let wide = |bps: u32| (bps.saturating_mul(num) / den).max(1);
    match intent.unbound(ANY_TOLERANCE_BPS) {
        // The full range has no width.
        Intent::Add { width_bps: 0, .. } | Intent::Rebalance { width_bps: 0, .. } => Err("it had the full range"),
        Intent::Add { pay, give, width_bps, tolerance_bps } => {
            Ok(Intent::Add { pay, give, width_bps: wide(width_bps), tolerance_bps })
        }
        Intent::Rebalance { width_bps, tolerance_bps } => {
            Ok(Intent::Rebalance { width_bps: wide(width_bps), tolerance_bps })
        }
        _ => Err("it has no width"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::imagine::samples::deed;
    use proptest::prelude::*;

    fn add(pay: u64, width_bps: u32, tolerance_bps: u32) -> Intent {
        Intent::Add { pay: Usdc(pay), give: Asset(40), width_bps, tolerance_bps }
    }

    #[test]
    fn every_alternative_of_every_deed() {
        use Alternative as A;
        let buy = |pay, min| Intent::Buy { pay: Usdc(pay), min_out: Asset(min) };
        let sell = |give, min| Intent::Sell { give: Asset(give), min_out: Usdc(min) };
        let remove = |share_bps, tolerance_bps| Intent::Remove { share_bps, tolerance_bps };
        let move_to = |width_bps, tolerance_bps| Intent::Rebalance { width_bps, tolerance_bps };
        let bought = Some(Outcome::Bought { paid: Usdc(100), got: Asset(7) });
        let sold = Some(Outcome::Sold { gave: Asset(9), got: Usdc(33) });
        let removed = Some(Outcome::Removed { liquidity: 1, got: Usdc(5), got_asset: Asset(6) });
        let full = |pay, give| Intent::Add { pay: Usdc(pay), give: Asset(give), width_bps: 0, tolerance_bps: 10_000 };
        let table = [
            (A::NotAtAll, buy(100, 6), None, Some(None)),
            (A::Later, buy(100, 6), None, Some(Some(buy(100, 0)))),
            (A::Earlier, sell(100, 6), None, Some(Some(sell(100, 0)))),
            (A::Smaller, buy(100, 6), None, Some(Some(buy(50, 0)))),
            (A::Larger, sell(100, 6), None, Some(Some(sell(200, 0)))),
            (A::Larger, remove(4_000, 50), None, Some(Some(remove(8_000, 10_000)))),
            (A::Larger, remove(7_000, 50), None, Some(Some(remove(10_000, 10_000)))),
            (A::Larger, remove(10_000, 50), None, None),
            (A::Smaller, Intent::Collect, None, None),
            (A::Smaller, move_to(300, 50), None, None),
            (A::Opposite, buy(100, 6), bought, Some(Some(sell(7, 0)))),
            (A::Opposite, buy(100, 6), None, None),
            (A::Opposite, sell(9, 6), sold, Some(Some(buy(33, 0)))),
            (A::Opposite, add(100, 300, 50), None, Some(Some(remove(10_000, 10_000)))),
            (A::Opposite, remove(5_000, 50), removed, Some(Some(full(5, 6)))),
            (A::Opposite, move_to(300, 50), None, None),
            (A::MuchNarrower, add(100, 300, 50), None, Some(Some(add(100, 150, 10_000)))),
            (A::Narrower, add(100, 300, 50), None, Some(Some(add(100, 210, 10_000)))),
            (A::Wider, move_to(300, 50), None, Some(Some(move_to(420, 10_000)))),
            (A::MuchWider, move_to(300, 50), None, Some(Some(move_to(600, 10_000)))),
            (A::Wider, add(100, 0, 50), None, None),
            (A::Wider, buy(100, 0), None, None),
            (A::NotAtAll, Intent::Hold, None, None),
        ];
        for (alternative, intent, outcome, expected) in table {
            let mut done = deed(intent, 5);
            done.outcome = outcome;
            assert_eq!(
                alternative.of(&done).ok(),
                expected.map(|e| e.map(ForkDeed::Once)),
                "{alternative:?} of {intent:?}"
            );
        }
    }

    #[test]
    fn the_factors_of_width_are_those_of_the_list() {
        let factors = Alternative::ALL.into_iter().filter_map(Alternative::width_factor);
        let factors: Vec<f64> = factors.map(|(n, d)| f64::from(n) / f64::from(d)).collect();
        assert!(factors.iter().zip([0.5, 0.7, 1.4, 2.0]).all(|(a, b)| (a - b).abs() < 1e-12));
        assert_eq!(factors.len(), 4);
    }

    proptest! {
        #[test]
        fn no_intent_is_too_large(
            pay in any::<u64>(), give in any::<u128>(), width in any::<u32>(), share in any::<u32>(),
        ) {
            for intent in [
                Intent::Buy { pay: Usdc(pay), min_out: Asset(give) },
                Intent::Sell { give: Asset(give), min_out: Usdc(pay) },
                Intent::Add { pay: Usdc(pay), give: Asset(give), width_bps: width, tolerance_bps: share },
                Intent::Remove { share_bps: share, tolerance_bps: width },
                Intent::Rebalance { width_bps: width, tolerance_bps: share },
            ] {
                for alternative in Alternative::ALL {
                    if let Ok(Some(ForkDeed::Once(Intent::Remove { share_bps, .. }))) = alternative.of(&deed(intent, 1)) {
                        prop_assert!(share_bps <= share.max(10_000));
                    }
                }
            }
        }
    }
}
