//! Conversions at the pool's price, for both token orders. Money goes by integers; the floats at the end only describe.

use crate::pool::Round;
use crate::venue::View;
use alloy_primitives::{U256, U512};
use golem_core::Usdc;
use golem_core::intent::Asset;
use golem_core::venue::Wide;

/// The number behind 256 carried bits.
#[must_use]
pub fn number(wide: Wide) -> U256 {
    U256::from_limbs(wide.0)
}

/// 256 bits to be carried.
#[must_use]
pub fn wide(number: U256) -> Wide {
    Wide(*number.as_limbs())
}

/// Amounts in the pool's order, token0 first, from USDC and asset; and back again.
#[must_use]
pub fn ordered<T>(usdc_is_token0: bool, usdc: T, asset: T) -> [T; 2] {
    if usdc_is_token0 { [usdc, asset] } else { [asset, usdc] }
}

/// What an amount of the asset is worth at a price.
#[must_use]
pub fn asset_to_usdc(asset: Asset, sqrt_price: Wide, usdc_is_token0: bool, round: Round) -> Usdc {
    let worth = across(asset.0, number(sqrt_price), !usdc_is_token0, round);
    Usdc(u64::try_from(worth).unwrap_or(u64::MAX))
}

/// How much of the asset an amount of USDC is worth at a price.
#[must_use]
pub fn usdc_to_asset(usdc: Usdc, sqrt_price: Wide, usdc_is_token0: bool, round: Round) -> Asset {
    Asset(across(u128::from(usdc.0), number(sqrt_price), usdc_is_token0, round))
}

/// From token0 to token1 (or back) at a price, at most the largest amount there is.
fn across(amount: u128, sqrt_price: U256, zero_for_one: bool, round: Round) -> u128 {
    let squared: U512 = sqrt_price.widening_mul(sqrt_price);
    let amount = U512::from(amount);
    if zero_for_one {
        // A pool's square roots have at most 160 bits; whatever else comes in must not overflow either.
        let Some(top) = amount.checked_mul(squared) else { return u128::MAX };
        // Divided by 2^192: without the three lowest words.
        let [a, b, c, low, high, beyond @ ..] = *top.as_limbs();
        let up = u128::from(round == Round::Up && (a | b | c) != 0);
        let whole = u128::from(high) << 64 | u128::from(low);
        return if beyond == [0; 3] { whole.saturating_add(up) } else { u128::MAX };
    }
    let top: U512 = amount << 192;
    match (top.is_zero(), squared.is_zero()) {
        (true, _) => 0,
        (false, true) => u128::MAX,
        (false, false) => {
            let (whole, rest) = top.div_rem(squared);
            let up = u128::from(round == Round::Up && !rest.is_zero());
            u128::try_from(whole).map_or(u128::MAX, |w| w.saturating_add(up))
        }
    }
}

/// What gas units cost in USDC, rounded up.
#[must_use]
pub fn gas_cost(units: u64, base_fee: u128, sqrt_price: Wide, usdc_is_token0: bool) -> Usdc {
    let wei = u128::from(units).saturating_mul(base_fee);
    asset_to_usdc(Asset(wei), sqrt_price, usdc_is_token0, Round::Up)
}

/// USDC for one whole of the asset, as a float.
#[must_use]
pub fn price_f64(view: &View) -> f64 {
    price_of(view.pool.sqrt_price_x96, view.usdc_is_token0)
}

/// USDC for one whole of the asset at a price, as a float.
#[must_use]
pub fn price_of(sqrt_price: Wide, usdc_is_token0: bool) -> f64 {
    let root = sqrt_price.0.iter().rev().fold(0.0, |sum, &limb| sum * two_to(64) + limb as f64) / two_to(96);
    let ratio = root * root;
    // 18 decimals against 6.
    if usdc_is_token0 { 1e12 / ratio } else { ratio * 1e12 }
}

/// The square root price at which one whole of the asset costs so many USDC; nothing for what is no price. The same on
/// every machine: square roots and products of floats are exact to the last bit everywhere.
#[must_use]
pub fn sqrt_price_of(price: f64, usdc_is_token0: bool) -> Wide {
    let ratio = if usdc_is_token0 { 1e12 / price } else { price / 1e12 };
    let root = libm::sqrt(ratio) * two_to(96);
    if !(root >= 1.0 && root < two_to(160)) {
        return Wide::default();
    }
    let mut limbs = [0; 4];
    let mut left = root;
    for (i, limb) in limbs.iter_mut().enumerate().rev() {
        let unit = two_to(64 * i as u32);
        let part = libm::floor(left / unit);
        *limb = part as u64;
        left -= part * unit;
    }
    Wide(limbs)
}

/// A power of two as a float, exactly; its exponent is all that such a float has.
const fn two_to(exponent: u32) -> f64 {
    assert!(exponent <= 1_023, "a float has no such power");
    f64::from_bits((exponent as u64 + 1_023) << 52)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_price_is_found_again() {
        for price in [0.000_1, 0.37, 1.0, 2_999.99, 3_000.0, 123_456.789, 1e9] {
            for order in [true, false] {
                let back = price_of(sqrt_price_of(price, order), order);
                assert!((back / price - 1.0).abs() < 1e-12, "{price} became {back}");
            }
        }
        for none in [0.0, -1.0, f64::NAN, f64::INFINITY, f64::MAX, f64::MIN_POSITIVE] {
            let [a, b] = [true, false].map(|order| sqrt_price_of(none, order));
            assert!(a == Wide::default() || b == Wide::default(), "{none}");
        }
        // The same bits on every machine.
        let known = sqrt_price_of(3_000.0, false);
        assert_eq!(known, Wide([870_254_976_193_003_520, 235_245, 0, 0]));
    }

    #[test]
    fn one_whole_costs_its_price_in_both_orders() {
        for order in [true, false] {
            let price = sqrt_price_of(3_000.0, order);
            let worth = |asset, round| asset_to_usdc(Asset(asset), price, order, round).0;
            assert!(worth(Asset::WHOLE, Round::Down).abs_diff(3_000_000_000) <= 1);
            assert_eq!((worth(0, Round::Up), worth(1, Round::Down), worth(1, Round::Up)), (0, 0, 1));
            let back = usdc_to_asset(Usdc::whole(3_000), price, order, Round::Down).0;
            assert!(back.abs_diff(Asset::WHOLE) < 1_000, "{back}");
            // 150,000 units at 20 gwei are 0.003 of the asset.
            assert!(gas_cost(150_000, 20_000_000_000, price, order).0.abs_diff(9_000_000) <= 1);
        }
    }

    proptest! {
        #[test]
        fn what_goes_across_and_back_never_grows(asset: u64, root in 1u128.., order: bool) {
            let price = wide(U256::from(root) << 20);
            let usdc = asset_to_usdc(Asset(u128::from(asset)), price, order, Round::Down);
            prop_assume!(usdc < Usdc(u64::MAX));
            prop_assert!(usdc_to_asset(usdc, price, order, Round::Down).0 <= u128::from(asset));
            prop_assert!(usdc <= asset_to_usdc(Asset(u128::from(asset)), price, order, Round::Up));
        }

        #[test]
        fn words_left_out_are_a_division(amount: u128, limbs: [u64; 4], by in 0usize..256, less in 0u32..128) {
            let (root, amount) = (U256::from_limbs(limbs) >> by, amount >> less);
            let squared: U512 = root.widening_mul(root);
            let (one, top) = (U512::from(1) << 192, U512::from(amount).checked_mul(squared));
            for round in [Round::Down, Round::Up] {
                let plain = top.and_then(|top| {
                    let (whole, rest) = top.div_rem(one);
                    let up = u128::from(round == Round::Up && !rest.is_zero());
                    u128::try_from(whole).ok().map(|whole| whole.saturating_add(up))
                });
                prop_assert_eq!(across(amount, root, true, round), plain.unwrap_or(u128::MAX));
            }
        }

        #[test]
        fn no_number_makes_a_conversion_panic(asset: u128, limbs: [u64; 4], order: bool, units: u64, price: u64) {
            let _ = asset_to_usdc(Asset(asset), Wide(limbs), order, Round::Up);
            let _ = usdc_to_asset(Usdc(units), Wide(limbs), order, Round::Down);
            let _ = (gas_cost(units, asset, Wide(limbs), order), price_of(Wide(limbs), order));
            let _ = sqrt_price_of(f64::from_bits(price), order);
        }
    }
}
