//! The ring of observed fields: what it keeps, what holds anyway, and what mining finds in it.

use crate::help;

use golem_core::dice::{Dice, Strand};
use golem_core::observed::{Expression, Field, Snapshot, Value};
use golem_core::{Tick, VirtualTime};
use golem_grimoire::Claim;
use golem_grimoire::family::ClaimFamily;
use golem_grimoire::series::{CAPACITY, MAX_REPEATS, Mining, Series, kin, mine};
use help::{Rule, World, age, seen};
use proptest::prelude::*;

fn column(series: &Series, field: Field) -> Vec<f32> {
    let mut column = Vec::new();
    series.column(field, &mut column);
    column
}

fn full() -> Snapshot {
    let mut all = Snapshot::new();
    for &field in Field::ALL {
        let values = [Value::number(0.1), Some(Value::Integer(3)), Some(Value::Bool(true))];
        let words = ["normal", "volatile", "stable"].map(|w| Some(Value::Text(w)));
        let fits = values.into_iter().chain(words).flatten().find(|v| v.fits(field.kind()));
        all.set(field, fits.expect("every kind has a value")).expect("it fits");
    }
    all
}

#[test]
fn a_row_gives_back_what_was_observed() {
    let (mut series, all) = (Series::new(), full());
    series.push(age(7), &all);
    let back = series.snapshot(7, Field::ALL);
    for (field, value) in all.observed() {
        let got = back.get(field).expect("kept");
        match (value.as_f64(), got.as_f64()) {
            (Some(a), Some(b)) => assert!((a - b).abs() < 1e-6, "{field}"),
            _ => assert_eq!(value, got, "{field}"),
        }
    }
    assert_eq!(series.snapshot(8, Field::ALL), Snapshot::new());
    series.push(age(8), &Snapshot::new());
    assert_eq!(series.snapshot(8, Field::ALL), Snapshot::new());
    assert_eq!(series.len(), 2);
}

#[test]
fn a_second_look_replaces_the_first_and_the_past_stays() {
    let mut series = Series::new();
    for (at, x) in [(5, 1.0), (5, 2.0), (6, 3.0), (2, 9.0)] {
        series.push(age(at), &seen(&[(Field::MarketPrice, x)]));
    }
    assert_eq!(column(&series, Field::MarketPrice), [2.0, 3.0]);
    assert_eq!(series.ticks(), 5..7);
    // Half a nominal tick later is still the same row.
    series.push(VirtualTime(age(6).0 + 20_000), &seen(&[(Field::MarketPrice, 4.0)]));
    assert_eq!(column(&series, Field::MarketPrice), [2.0, 4.0]);
}

#[test]
fn long_turns_repeat_and_longer_ones_leave_a_gap() {
    let mut series = Series::new();
    series.push(age(0), &seen(&[(Field::MarketPrice, 1.0)]));
    series.push(age(3), &seen(&[(Field::MarketPrice, 2.0)]));
    assert_eq!(column(&series, Field::MarketPrice), [1.0, 1.0, 1.0, 2.0]);
    series.push(age(3 + MAX_REPEATS + 3), &seen(&[(Field::MarketPrice, 3.0)]));
    let tail = column(&series, Field::MarketPrice).split_off(3);
    assert!(tail[..=MAX_REPEATS as usize].iter().all(|x| (*x - 2.0).abs() < 1e-6), "{tail:?}");
    assert!(tail[MAX_REPEATS as usize + 1].is_nan() && tail[MAX_REPEATS as usize + 2].is_nan());
    assert_eq!(tail.last(), Some(&3.0));
    // A sleep longer than the ring leaves nothing of it.
    series.push(age(100_000), &seen(&[(Field::MarketPrice, 5.0)]));
    assert_eq!(column(&series, Field::MarketPrice), [5.0]);
}

#[test]
fn a_full_ring_is_bounded_and_comes_back_from_its_bytes() {
    let (mut series, all) = (Series::new(), full());
    for tick in 0..CAPACITY as u64 + 500 {
        series.push(age(tick), &all);
    }
    assert_eq!((series.len(), series.ticks()), (CAPACITY, 500..CAPACITY as u64 + 500));
    let bytes = postcard::to_stdvec(&series).expect("plain data");
    assert!(bytes.len() < 400_000, "{} bytes", bytes.len());
    assert_eq!(postcard::from_bytes::<Series>(&bytes).expect("whole"), series);
    let json = serde_json::to_string(&series).expect("plain data");
    assert_eq!(serde_json::from_str::<Series>(&json).expect("whole"), series);
    assert!(postcard::from_bytes::<Series>(&bytes[..bytes.len() - 4]).is_err());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn any_ages_keep_the_ring_sound(steps in prop::collection::vec((0u64..4_000, 0u64..3), 1..60)) {
        let (mut series, mut at) = (Series::new(), 0);
        for (step, kind) in steps {
            at = if kind == 0 { at + step } else { at + kind };
            series.push(age(at), &seen(&[(Field::MarketPrice, at as f64)]));
            prop_assert_eq!(series.ticks().end, at + 1);
            prop_assert!(series.len() <= CAPACITY && !series.is_empty());
            prop_assert_eq!(column(&series, Field::MarketPrice).last().copied(), Some(at as f32));
            let back: Series = postcard::from_bytes(&postcard::to_stdvec(&series).expect("data")).expect("whole");
            prop_assert_eq!(&back, &series);
        }
    }
}

#[test]
fn a_base_rate_counts_the_rows_that_can_say() {
    let mut series = Series::new();
    let high = Expression::compile("market.price > 10.0").expect("compiles");
    assert_eq!(series.base_rate(&high, 5).rate(), None);
    for tick in 0..1_000 {
        let x = if tick % 4 == 0 { 11.0 } else { 9.0 };
        // The first half was not observed at all.
        let snapshot = if tick < 500 { Snapshot::new() } else { seen(&[(Field::MarketPrice, x)]) };
        series.push(age(tick), &snapshot);
    }
    let rate = series.base_rate(&high, 0);
    assert!((100..=140).contains(&rate.n), "{rate:?}");
    assert!((rate.rate().expect("rows") - 0.25).abs() < 0.06, "{rate:?}");
    assert_eq!(series.base_rate(&high, 2_000).n, 0);
}

/// One row in five rises, two in five fall, the rest do neither: of those that do either, a third rise.
#[test]
fn a_base_rate_is_among_the_rows_that_would_confirm_or_refute() {
    let mut series = Series::new();
    for tick in 0..1_000 {
        let moved = [0.01, -0.01, 0.0, -0.01, 0.0][tick as usize % 5];
        series.push(age(tick), &seen(&[(Field::MarketReturn15, moved)]));
    }
    let rate = |unless: Option<&str>| {
        let (when, then) = ("market.price > 0.0".to_owned(), "market.return_15 > 0.005".to_owned());
        series.claim_base_rate(&Claim { when, then, unless: unless.map(str::to_owned), after_ticks: 15 })
    };
    assert!((rate(None).expect("rows") - 0.2).abs() < 0.04, "{:?}", rate(None));
    let against = rate(Some("market.return_15 < -0.005"));
    assert!((against.expect("rows") - 1.0 / 3.0).abs() < 0.06, "{against:?}");
    assert_eq!(rate(Some("no field of ours")), None, "it cannot be asked");
}

fn mined(seed: u64, rule: Option<Rule>, ticks: u64) -> Vec<golem_grimoire::series::MinedClaim> {
    let (mut world, mut series) = (World::new(seed), Series::new());
    world.gas_to_fees = rule;
    // A season that all share makes them foretell each other, and rightly.
    world.season = 0.0;
    for _ in 0..ticks {
        let (at, snapshot) = world.next();
        series.push(at, &snapshot);
    }
    mine(&series, &Mining::default(), &Dice::open(seed, Strand::Diagnostics), Tick(ticks))
}

#[test]
fn mining_finds_a_planted_rule_and_writes_it_as_a_claim() {
    let rule = Rule { after: 18, during: 15, times: 3.0, on: (0, u64::MAX) };
    let found = (0..30).filter(|seed| {
        mined(*seed, Some(rule), 2_100).iter().any(|m| {
            assert!(Expression::compile(&m.claim.when).is_ok_and(|e| e.source() == m.claim.when));
            assert!(Expression::compile(&m.claim.then).is_ok_and(|e| e.source() == m.claim.then));
            m.claim.when.starts_with("market.gas_ratio >")
                && m.claim.then.starts_with("market.fee_yield_ratio >")
                && [20, 30].contains(&m.claim.after_ticks)
        })
    });
    // The effect is there from 18 to 33 ticks after the spike.
    let found = found.count();
    assert!(found >= 27, "{found} of 30");
}

#[test]
fn mining_claims_little_where_nothing_follows_from_anything() {
    let all: Vec<_> = (100..160).map(|seed| mined(seed, None, 2_100)).filter(|claims| !claims.is_empty()).collect();
    // All are restless at the same times, which is a relation of a kind: 5 in 100 such worlds, 2 in 100 without it.
    println!("{} worlds", all.len());
    assert!(all.len() <= 6, "{} of 60: {all:#?}", all.len());
}

#[test]
fn a_field_is_kin_of_what_it_is_computed_from_and_of_nothing_else() {
    let kindred = [
        (Field::MarketReturn15, Field::MarketReturn90, true),
        (Field::MarketVolatility, Field::MarketVolatilityRatio, true),
        (Field::MarketPrice, Field::MarketVolatility, true),
        (Field::MarketGasGwei, Field::MarketGasRatio, true),
        (Field::MarketGasGwei, Field::MarketFeeYield, false),
        (Field::MarketVolatility, Field::MarketVolume, false),
        // Both are read off the fee counters of the pool.
        (Field::MarketVolume, Field::MarketFeeYield, true),
        (Field::MarketVolumeRatio, Field::MarketFeeYieldRatio, true),
    ];
    for (a, b, related) in kindred {
        assert_eq!((kin(a, b), kin(b, a)), (related, related), "{a} {b}");
    }
}

/// An hour in nominal ticks.
const HOUR: u64 = 90;

#[test]
fn a_row_is_a_bar_where_the_world_tells_bars() {
    let mut series = Series::new();
    for bar in 0..600u64 {
        series.push(age(bar * HOUR + 7), &seen(&[(Field::MarketPrice, bar as f64)]));
    }
    // The first few were taken for pauses.
    assert_eq!((series.row_ticks(), series.len()), (HOUR, 597));
    let prices = column(&series, Field::MarketPrice);
    assert!(prices.windows(2).all(|w| (w[1] - w[0] - 1.0).abs() < 1e-6), "one row for each bar");
    let high = Expression::compile("market.price >= 450.0").expect("compiles");
    let rate = series.base_rate(&high, HOUR as u32).rate().expect("rows");
    assert!((rate - 0.25).abs() < 0.02, "{rate}");
    let at = series.snapshot(300 * HOUR + 7, &[Field::MarketPrice]);
    assert_eq!(at.get(Field::MarketPrice).and_then(|v| v.as_f64()), Some(300.0));
    let bytes = postcard::to_stdvec(&series).expect("plain data");
    assert_eq!(postcard::from_bytes::<Series>(&bytes).expect("whole"), series);
    // A bar that is missing is filled, and back among ticks rows are ticks again.
    series.push(age(601 * HOUR + 7), &seen(&[(Field::MarketPrice, 601.0)]));
    assert_eq!(series.len(), 599);
    for tick in 0..20u64 {
        series.push(age(602 * HOUR + tick), &seen(&[(Field::MarketPrice, tick as f64)]));
    }
    assert_eq!(series.row_ticks(), 1);
}

#[test]
fn mining_proposes_on_bars_what_follows_in_bars() {
    let found = (0..8u64).filter(|seed| {
        let (mut series, dice) = (Series::new(), Dice::open(*seed, Strand::World));
        let mut spikes = [0.0f64; 3];
        for bar in 0..1_500u64 {
            let mut draws = dice.draws(bar);
            let noise = |draws: &mut golem_core::dice::Draws| (0.2 * draws.normals().0).exp();
            let spike = if draws.uniform() < 0.05 { 1.0 } else { 0.0 };
            // Fees are high three bars after gas was.
            let (gas, fees) = (noise(&mut draws) + 2.0 * spike, noise(&mut draws) + spikes[2]);
            spikes = [spike, spikes[0], spikes[1]];
            series.push(age(bar * HOUR), &seen(&[(Field::MarketGasRatio, gas), (Field::MarketFeeYieldRatio, fees)]));
        }
        mine(&series, &Mining::default(), &Dice::open(*seed, Strand::Diagnostics), Tick(1_500)).iter().any(|m| {
            m.claim.when.starts_with("market.gas_ratio >")
                && m.claim.then.starts_with("market.fee_yield_ratio >")
                && m.claim.after_ticks == 3 * HOUR as u32
        })
    });
    assert_eq!(found.count(), 8);
}

#[test]
fn what_is_mined_is_about_a_forecast_and_no_arithmetic_of_its_condition() {
    let rule = Rule { after: 18, during: 15, times: 3.0, on: (0, u64::MAX) };
    let (mut claims, mut pairs) = (0, Vec::new());
    for seed in 0..40 {
        let found = mined(seed, (seed % 2 == 0).then_some(rule), 2_100);
        let mut families = std::collections::BTreeSet::new();
        for one in found {
            claims += 1;
            assert!(golem_grimoire::curator::domain_of(&one.claim.then).is_some(), "{one:?}");
            assert_eq!(golem_grimoire::admission::hollow(&one.claim), None, "{one:?}");
            assert!(families.insert(ClaimFamily::of(&one.claim).expect("plain")), "twice the same: {one:?}");
            pairs.push((one.claim.when, one.claim.then));
        }
    }
    assert!(claims >= 18, "{pairs:?}");
    let field = |s: &str| s.split(' ').next().and_then(Field::named).expect("a field");
    assert!(pairs.iter().all(|(_, then)| !field(then).name().starts_with("market.volume")), "{pairs:?}");
}
