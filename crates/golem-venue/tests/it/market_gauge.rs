//! The gauge: what a golem observes agrees with what really happened in the pool.

use crate::market_world;

use golem_core::intent::Asset;
use golem_core::{Action, ProtocolState, RawObservation, Usdc};
use golem_venue::market::{MarketConfig, PoolGauge, reserve_usdc};
use golem_venue::scenario::{Happening, ScenarioEvent};
use golem_venue::{Venue, View};
use market_world::{GOLEM, SIGMA, begin, path, still};

#[test]
fn volume_and_yield_are_those_of_the_pool_in_both_orders() {
    let mut both = Vec::new();
    for order in [false, true] {
        let (mut venue, mut market) = begin(&MarketConfig::default(), 1, order);
        let mut gauge = PoolGauge::default();
        gauge.observe(&venue.view().unwrap(), None);
        let (mut volume, mut fee_share, mut seen_volume, mut yields) = (0.0, 0.0, 0.0, Vec::new());
        for (tick, outside) in (0..).zip(path(3, SIGMA).take(4_000)) {
            let step = market.step(&mut venue, tick, &outside).unwrap();
            let view = venue.view().unwrap();
            let seen = gauge.observe(&view, step.protocol);
            assert!((seen.price.unwrap() / step.price - 1.0).abs() < 1e-12);
            assert!((seen.gas_gwei.unwrap() - 0.05).abs() < 1e-9);
            volume += step.volume.as_f64();
            fee_share += step.fees.as_f64() / (2.0 * reserve_usdc(&view));
            seen_volume += seen.volume.unwrap();
            // The first few looks are not enough for a yield; from then on there is always one, and above zero.
            assert_eq!(seen.fee_yield.is_some(), tick >= 9);
            yields.extend(seen.fee_yield);
        }
        let days = 4_000.0 / 2_160.0;
        let mean = yields.iter().sum::<f64>() / yields.len() as f64;
        assert!((seen_volume / volume - 1.0).abs() < 0.002, "{seen_volume} was seen, {volume} was traded");
        assert!((mean * days / fee_share - 1.0).abs() < 0.05, "{mean} a day, {fee_share} in all");
        assert!(yields.iter().all(|y| *y > 0.0));
        both.push((mean, seen_volume));
    }
    // The orders differ in rounding only.
    assert!((both[0].0 / both[1].0 - 1.0).abs() < 1e-6 && (both[0].1 / both[1].1 - 1.0).abs() < 1e-6, "{both:?}");
}

#[test]
fn a_full_range_position_earns_the_yield_that_was_observed() {
    for order in [false, true] {
        let (mut venue, mut market) = begin(&MarketConfig::default(), 1, order);
        venue.fund_to(GOLEM, Usdc::whole(1_000)).unwrap();
        let buy = Action::Buy { pay: Usdc::whole(500), min_out: Asset::ZERO };
        assert_eq!(venue.execute(GOLEM, &buy).unwrap().refused, None);
        let book = venue.book(GOLEM).unwrap();
        let range = golem_core::venue::Range { lower: -887_270, upper: 887_270 };
        let mint = Action::Mint {
            position: None,
            range,
            pay: book.usdc,
            give: book.asset,
            min_pay: Usdc::ZERO,
            min_give: Asset::ZERO,
        };
        assert_eq!(venue.execute(GOLEM, &mint).unwrap().refused, None);
        let mut gauge = PoolGauge::default();
        gauge.observe(&venue.view().unwrap(), None);
        let mut sum = 0.0;
        let n = 3_000;
        for (tick, outside) in (0..).zip(path(3, SIGMA).take(n)) {
            market.step(&mut venue, tick, &outside).unwrap();
            sum += gauge.observe(&venue.view().unwrap(), None).fee_yield.unwrap_or(0.0);
        }
        let worth = venue.book(GOLEM).unwrap().worth;
        let earned = worth.fees.as_f64() / worth.position.as_f64();
        let observed = sum / 2_160.0;
        assert!((observed / earned - 1.0).abs() < 0.06, "{observed} observed, {earned} earned");
    }
}

/// One tick in which somebody pushes the pool.
fn pushed_at(at_tick: u64, push_bps: i32) -> ScenarioEvent {
    ScenarioEvent { at_tick, for_ticks: 1, what: Happening::OracleDistortion { push_bps, every_ticks: 2 } }
}

#[test]
fn a_price_pushed_within_a_block_stands_out_and_the_reference_heals() {
    for (order, push) in [(false, 500), (true, 500), (true, -400)] {
        let (mut venue, mut market) = begin(&MarketConfig::default(), 1, order);
        market.inject(&[pushed_at(100, push)], 0).unwrap();
        for (tick, outside) in (0..200).zip(still(3_000.0)) {
            market.step(&mut venue, tick, &outside).unwrap();
            let known = golem_venue::reference(&mut venue, 40).unwrap();
            let (off, reference) = (known.map(|r| r.off_bps()), known.map(|r| r.price()));
            match tick {
                // What reaches back less than five minutes is none.
                0..7 => assert_eq!((off, reference), (None, None)),
                100 => {
                    assert!(off.unwrap() >= push.unsigned_abs() * 9 / 10, "{off:?} at the push of {push}");
                    assert!((reference.unwrap() / 3_000.0 - 1.0).abs() < 7e-4);
                }
                101..146 => assert!(off.unwrap() <= 30, "{off:?} at {tick}: one block of 45 was off"),
                _ => assert!(off.unwrap() <= 11, "{off:?} at {tick}"),
            }
        }
    }
}

#[test]
fn a_chain_taken_back_is_not_a_huge_volume() {
    let (mut venue, mut market) = begin(&MarketConfig::default(), 1, true);
    let mut views: Vec<View> = Vec::new();
    for (tick, outside) in (0..50).zip(path(3, SIGMA)) {
        market.step(&mut venue, tick, &outside).unwrap();
        views.push(venue.view().unwrap());
    }
    let mut gauge = PoolGauge::default();
    for view in &views[..20] {
        gauge.observe(view, None);
    }
    let seen: Vec<RawObservation> =
        [20, 30, 40, 22, 23].iter().map(|i| gauge.observe(&views[*i], Some(ProtocolState::Normal))).collect();
    assert_eq!(seen[3].volume, None);
    assert!(seen[4].volume.unwrap() < 1e6 && seen[4].fee_yield.unwrap() < 1e-3);
    // The same look twice adds nothing.
    let again = gauge.observe(&views[23], None);
    assert_eq!((again.volume, again.fee_yield), (Some(0.0), seen[4].fee_yield));
    assert_eq!(again.admit().rejected, 0);
}

#[test]
fn it_goes_on_after_being_written_down() {
    let (mut venue, mut market) = begin(&MarketConfig::default(), 1, true);
    let (mut whole, mut pieces) = (PoolGauge::default(), PoolGauge::default());
    for (tick, outside) in (0..200).zip(path(3, SIGMA)) {
        market.step(&mut venue, tick, &outside).unwrap();
        let view = venue.view().unwrap();
        pieces = postcard::from_bytes(&postcard::to_stdvec(&pieces).unwrap()).unwrap();
        assert_eq!(whole.observe(&view, None), pieces.observe(&view, None));
    }
    assert_eq!(whole, pieces);
}
