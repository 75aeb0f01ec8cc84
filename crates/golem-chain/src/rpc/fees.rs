//! What is offered for gas: from the agreed base fee and the tips of late, never above the cap. Pure.

use golem_core::Usdc;
use serde::{Deserialize, Serialize};

/// How a chain charges for a transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GasRule {
    /// Gas at the base fee of EIP-1559, and a tip.
    #[default]
    Ethereum,
    /// The same, and beside it a fee for the transaction's bytes on the chain below.
    OpStack,
    /// Gas at one price, of which a part stands for the bytes on the chain below.
    Arbitrum,
}

/// What a transaction offers per unit of gas, in wei.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fees {
    /// At most, tip included.
    pub max_fee: u128,
    /// On top of the base fee.
    pub tip: u128,
}

/// Wei in a gwei.
pub const GWEI: u128 = 1_000_000_000;

/// What nodes ask of a transaction that replaces another: an eighth more, of both.
fn an_eighth_more(x: u128) -> u128 {
    x.saturating_add(x.div_ceil(8)).saturating_add(1)
}

impl Fees {
    /// An offer that lasts for some blocks of rising fees: twice the base fee and the usual tip. `None` when even the
    /// next block would ask for more than the cap.
    #[must_use]
    pub fn quote(base_fee: u128, tips: &[u128], max_tip: u128, cap: u128) -> Option<Self> {
        let mut tips = tips.to_vec();
        tips.sort_unstable();
        let usual = tips.get(tips.len() / 2).copied().unwrap_or(GWEI);
        let tip = usual.clamp(1, max_tip.max(1));
        let now = base_fee.checked_add(tip)?;
        (now <= cap).then(|| Self { max_fee: base_fee.saturating_mul(2).saturating_add(tip).min(cap), tip })
    }

    /// The least that replaces this offer, and at least as much as a fresh one. `None` above the cap.
    #[must_use]
    pub fn raised(self, fresh: Option<Self>, cap: u128) -> Option<Self> {
        let least = Self { max_fee: an_eighth_more(self.max_fee), tip: an_eighth_more(self.tip) };
        let fresh = fresh.unwrap_or(least);
        let max_fee = least.max_fee.max(fresh.max_fee.min(cap));
        (max_fee <= cap).then(|| Self { max_fee, tip: least.tip.max(fresh.tip).min(max_fee) })
    }
}

/// The most that a call may offer so that taking it back can still offer an eighth more.
#[must_use]
pub fn cap_with_room(cap: u128) -> u128 {
    (cap / 9).saturating_mul(8).saturating_sub(2)
}

/// The most that may be offered per unit of gas when all of an intent's gas may cost so much, and would cost `measured` at
/// this fee per unit.
#[must_use]
pub fn within_budget(most: Usdc, measured: Usdc, fee: u128) -> u128 {
    fee.saturating_mul(u128::from(most.0)) / u128::from(measured.0.max(1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn an_offer_follows_the_base_fee_up_to_the_cap() {
        let quote = |base, tips: &[u128], cap| Fees::quote(base, tips, 3 * GWEI, cap);
        assert_eq!(quote(10 * GWEI, &[GWEI], 100 * GWEI), Some(Fees { max_fee: 21 * GWEI, tip: GWEI }));
        assert_eq!(quote(60 * GWEI, &[GWEI], 100 * GWEI), Some(Fees { max_fee: 100 * GWEI, tip: GWEI }));
        assert_eq!(quote(100 * GWEI, &[GWEI], 100 * GWEI), None, "a hundredfold base fee is not paid");
        assert_eq!(quote(1, &[900 * GWEI], 100 * GWEI).map(|f| f.tip), Some(3 * GWEI), "nobody talks us into a tip");
        assert_eq!(quote(u128::MAX, &[], u128::MAX), None);
    }

    #[test]
    fn a_budget_bounds_what_is_offered() {
        let most = |most, now| within_budget(Usdc(most), Usdc(now), 20 * GWEI);
        assert_eq!(most(1_000_000, 250_000), 80 * GWEI);
        assert_eq!(most(250_000, 250_000), 20 * GWEI, "not even a tip");
        assert_eq!(most(100_000, 250_000), 8 * GWEI);
        assert_eq!(Fees::quote(20 * GWEI, &[GWEI], 3 * GWEI, cap_with_room(most(250_000, 250_000))), None);
        assert_eq!(most(u64::MAX, 0), u128::from(u64::MAX) * 20 * GWEI);
    }

    proptest! {
        #[test]
        fn raising_replaces_and_ends_at_the_cap(fee in 1u128..1 << 60, tip in 0u128..1 << 60, cap in 1u128..1 << 62) {
            let start = Fees { max_fee: fee.max(tip), tip };
            let mut at = start;
            let mut steps = 0;
            while let Some(next) = at.raised(None, cap) {
                prop_assert!(next.max_fee <= cap && next.tip <= next.max_fee);
                prop_assert!((next.max_fee - at.max_fee) * 8 >= at.max_fee);
                prop_assert!((next.tip - at.tip) * 8 >= at.tip || next.tip == next.max_fee);
                at = next;
                steps += 1;
                prop_assert!(steps < 1_000);
            }
        }
        #[test]
        fn a_call_at_its_cap_leaves_room_to_take_it_back(cap in 20u128..1 << 100) {
            let most = cap_with_room(cap);
            let raised = Fees { max_fee: most, tip: 1 }.raised(None, cap);
            prop_assert!(raised.is_some());
        }
    }
}
