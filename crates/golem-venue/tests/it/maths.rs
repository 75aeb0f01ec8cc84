//! The maths crate held against published figures of the contracts' own tests, and against definitions in wider integers.

use alloy_primitives::{I256, U256, U512};
use golem_venue::pool::maths::{amount0, amount1, mul_div, ratio_at, step, tick_at};
use golem_venue::pool::{FEE, MAX_RATIO, MAX_TICK, MIN_RATIO, MIN_TICK, PoolTick, Ticks, max_liquidity_per_tick};
use proptest::prelude::*;
use std::collections::HashMap;
use uniswap_v3_math::{sqrt_price_math, tick_bitmap};

fn n(text: &str) -> U256 {
    text.parse().unwrap()
}

/// The square root of a ratio of whole numbers, times 2^96.
fn root(one: u64, zero: u64) -> U256 {
    let ratio: U256 = (U256::from(one) << 192) / U256::from(zero);
    ratio.root(2)
}

const E18: u128 = 1_000_000_000_000_000_000;

#[test]
fn ticks_have_their_published_prices() {
    for (tick, ratio) in [
        (MIN_TICK, "4295128739"),
        (MIN_TICK + 1, "4295343490"),
        (-500_000, "1101692437043807371"),
        (-250_000, "295440463448801648376846"),
        (-50, "79030349367926598376800521322"),
        (0, "79228162514264337593543950336"),
        (50, "79426470787362580746886972461"),
        (100, "79625275426524748796330556128"),
        (250_000, "21246587762933397357449903968194344"),
        (500_000, "5697689776495288729098254600827762987878"),
        (738_203, "847134979253254120489401328389043031315994541"),
        (MAX_TICK - 1, "1461373636630004318706518188784493106690254656249"),
        (MAX_TICK, "1461446703485210103287273052203988822378723970342"),
    ] {
        assert_eq!(ratio_at(tick), Some(n(ratio)), "{tick}");
    }
    assert_eq!((ratio_at(MIN_TICK), ratio_at(MAX_TICK)), (Some(MIN_RATIO), Some(MAX_RATIO)));
    assert_eq!((ratio_at(MIN_TICK - 1), ratio_at(MAX_TICK + 1)), (None, None));
    assert_eq!((ratio_at(i32::MIN), ratio_at(i32::MAX)), (None, None));
    assert_eq!(tick_at(MIN_RATIO), Some(MIN_TICK));
    assert_eq!(tick_at(MAX_RATIO - U256::from(1)), Some(MAX_TICK - 1));
    assert_eq!((tick_at(MIN_RATIO - U256::from(1)), tick_at(MAX_RATIO)), (None, None));
}

#[test]
fn a_tick_holds_as_much_liquidity_as_published() {
    for (spacing, most) in [
        (10, 1_917_569_901_783_203_986_719_870_431_555_990),
        (60, 11_505_743_598_341_114_571_880_798_222_544_994),
        (200, 38_350_317_471_085_141_830_651_933_667_504_588),
    ] {
        assert_eq!(max_liquidity_per_tick(spacing), most);
    }
}

#[test]
fn amounts_and_next_prices_are_the_published_ones() {
    let (one, more) = (root(1, 1), root(121, 100));
    assert_eq!(amount0(one, more, E18, true), Some(U256::from(90_909_090_909_090_910u64)));
    assert_eq!(amount0(one, more, E18, false), Some(U256::from(90_909_090_909_090_909u64)));
    assert_eq!(amount1(one, more, E18, true), Some(U256::from(100_000_000_000_000_000u64)));
    assert_eq!(amount1(one, more, E18, false), Some(U256::from(99_999_999_999_999_999u64)));
    assert_eq!((amount0(one, more, 0, true), amount1(one, more, 0, true)), (Some(U256::ZERO), Some(U256::ZERO)));
    let next = |zero_for_one| {
        let paid = U256::from(E18 / 10);
        sqrt_price_math::get_next_sqrt_price_from_input(one, E18, paid, zero_for_one).unwrap()
    };
    assert_eq!(next(false), n("87150978765690771352898345369"));
    assert_eq!(next(true), n("72025602285694852357767227579"));
}

#[test]
fn swap_steps_are_the_published_ones() {
    let one = root(1, 1);
    for (price, target, liquidity, left, fee, expected) in [
        // Stopped at the target.
        (
            one,
            root(101, 100),
            2 * E18,
            n("1000000000000000000"),
            600,
            ["9975124224178055", "9925619580021728", "5988667735148"],
        ),
        // Spent in full.
        (
            one,
            root(1_000, 100),
            2 * E18,
            n("1000000000000000000"),
            600,
            ["999400000000000000", "666399946655997866", "600000000000000"],
        ),
        // A price of one.
        (
            n("2"),
            n("1"),
            1,
            n("3915081100057732413702495386755767"),
            1,
            ["39614081257132168796771975168", "0", "39614120871253040049813"],
        ),
        // All of it is fee.
        (
            n("2413"),
            n("79887613182836312"),
            1_985_041_575_832_132_834_610_021_537_970,
            n("10"),
            1_872,
            ["0", "0", "10"],
        ),
    ] {
        let step = step(price, target, liquidity, left, fee).unwrap();
        assert_eq!([step.amount_in, step.amount_out, step.fee], expected.map(n), "{price} to {target}");
    }
}

fn wide(x: U256) -> U512 {
    U512::from(x)
}
fn floor(a: U512, b: U512) -> U512 {
    a / b
}
fn ceil(a: U512, b: U512) -> U512 {
    let (whole, rest) = a.div_rem(b);
    if rest.is_zero() { whole } else { whole + U512::from(1) }
}

/// A step of an exact input by its definition, in integers wide enough for every intermediate.
fn step_by_definition(price: U256, target: U256, liquidity: u128, left: U256, fee: u32) -> [U256; 4] {
    let (p, t, l, left) = (wide(price), wide(target), U512::from(liquidity), wide(left));
    let (q, million, fee) = (U512::from(1) << 96, U512::from(1_000_000), U512::from(fee));
    let down = price >= target;
    let after_fee = floor(left * (million - fee), million);
    let enough = after_fee >= pays(p, t, l, down);
    let end = match (enough, down) {
        (true, _) => t,
        // The contract divides twice where the product has no room in 256 bits, and then rounds otherwise.
        (_, true) if l * q + after_fee * p > wide(U256::MAX) => ceil(l * q, floor(l * q, p) + after_fee),
        (_, true) => ceil((l * q) * p, l * q + after_fee * p),
        (_, false) => p + floor(after_fee * q, l),
    };
    let spent = pays(p, end, l, down);
    let fee = if end == t { ceil(spent * fee, million - fee) } else { left - spent };
    [end, spent, gives(p, end, l, down), fee].map(|x| U256::from_limbs_slice(&x.as_limbs()[..4]))
}
fn pays(p: U512, to: U512, l: U512, down: bool) -> U512 {
    let q = U512::from(1) << 96;
    if down { ceil(ceil((l * q) * (p - to), p), to) } else { ceil(l * (to - p), q) }
}
fn gives(p: U512, to: U512, l: U512, down: bool) -> U512 {
    let q = U512::from(1) << 96;
    if down { floor(l * (p - to), q) } else { floor(floor((l * q) * (to - p), to), p) }
}

fn ratio() -> impl Strategy<Value = U256> {
    (MIN_TICK..MAX_TICK, 0u64..).prop_map(|(tick, more)| {
        let (low, high) = (ratio_at(tick).unwrap(), ratio_at(tick + 1).unwrap());
        low + U256::from(more) % (high - low)
    })
}

/// Numbers of every size.
fn sized(bits: u32) -> impl Strategy<Value = u128> {
    (any::<u128>(), 0..bits).prop_map(move |(x, shift)| x >> (128 - bits) >> shift)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn a_tick_and_its_price_find_each_other(tick in MIN_TICK..MAX_TICK) {
        let ratio = ratio_at(tick).unwrap();
        prop_assert_eq!(tick_at(ratio), Some(tick));
        prop_assert_eq!(tick_at(ratio_at(tick + 1).unwrap() - U256::from(1)), Some(tick));
        let expected = libm::pow(1.0001, f64::from(tick) / 2.0);
        let close = f64::from(ratio) / libm::ldexp(1.0, 96) / expected;
        // Near the lowest price the ratio itself has only ten digits.
        prop_assert!((close - 1.0).abs() < 1e-9, "{} at {}", close, tick);
    }

    #[test]
    fn full_width_division_is_exact(a: [u64; 4], b: [u64; 4], d: [u64; 4], shift in 0usize..256) {
        let (a, b, d) = (U256::from_limbs(a), U256::from_limbs(b) >> shift, U256::from_limbs(d));
        let product: U512 = a.widening_mul(b);
        let expected = (!d.is_zero()).then(|| product / wide(d)).filter(|x| *x <= wide(U256::MAX));
        prop_assert_eq!(mul_div(a, b, d).map(wide), expected);
    }

    #[test]
    fn steps_follow_their_definition(price in ratio(), target in ratio(), liquidity in sized(108), left in sized(112)) {
        let left = U256::from(left.max(1));
        let got = step(price, target, liquidity.max(1), left, FEE).unwrap();
        let expected = step_by_definition(price, target, liquidity.max(1), left, FEE);
        prop_assert_eq!([got.sqrt_price, got.amount_in, got.amount_out, got.fee], expected);
        prop_assert!(got.amount_in + got.fee <= left);
    }

    #[test]
    fn the_next_tick_is_the_one_that_the_bitmap_finds(
        spaced in prop::collection::btree_set(-88_727..=88_727i32, 0..40),
        near in prop::collection::btree_set(-600..=600i32, 0..40),
        tick in prop_oneof![MIN_TICK..MAX_TICK, -6_000..6_000i32],
    ) {
        let all: Vec<i32> = spaced.union(&near).map(|c| c * 10).collect();
        let mut bitmap = HashMap::new();
        for at in &all {
            tick_bitmap::flip_tick(&mut bitmap, *at, 10).unwrap();
        }
        let ticks = Ticks::new(all.iter().map(|&at| PoolTick { at, gross: 1, net: 0, outside: [U256::ZERO; 2] }).collect());
        for down in [true, false] {
            let (at, set) = tick_bitmap::next_initialized_tick_within_one_word(&bitmap, tick, 10, down).unwrap();
            let (next, place) = ticks.next_within_word(tick, 10, down);
            prop_assert_eq!((next, place.is_some()), (at, set), "from {} down {}", tick, down);
            prop_assert!(place.is_none_or(|i| ticks.nth(i).unwrap().at == at));
        }
    }

    #[test]
    fn no_number_makes_a_formula_panic(a: [u64; 4], b: [u64; 4], c: [u64; 4], l: u128, tick: i32, fee: u32, up: bool) {
        let (a, b, c) = (U256::from_limbs(a), U256::from_limbs(b), U256::from_limbs(c));
        let _ = (ratio_at(tick), tick_at(a), mul_div(a, b, c), amount0(a, b, l, up), amount1(a, b, l, up));
        let _ = (step(a, b, l, c, fee), step(a, b, l, c >> 1, fee % 1_000_000), I256::try_from(c));
    }
}
