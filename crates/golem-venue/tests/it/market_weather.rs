//! Weather does what it says: every built-in scenario sent through a market on paper, and rivals around an execution.

use crate::market_world;

use golem_core::intent::{Asset, Refusal};
use golem_core::{Action, ProtocolState, Usdc};
use golem_venue::market::{Market, MarketConfig, MarketStep, OutsideTick};
use golem_venue::scenario::{Happening, MOST_EVENTS, Scenario, ScenarioEvent};
use golem_venue::{PaperVenue, Venue};
use market_world::{GOLEM, SIGMA, begin, path, still};
use proptest::prelude::*;

/// A scenario from tick 0 over a price that stands still at 3,000.
fn over_still(name: &str, ticks: usize) -> Vec<MarketStep> {
    let (mut venue, mut market) = begin(&MarketConfig::default(), 1, true);
    market.inject(&Scenario::named(name).unwrap().events, 0).unwrap();
    (0..).zip(still(3_000.0).take(ticks)).map(|(t, o)| market.step(&mut venue, t, &o).unwrap()).collect()
}

#[test]
fn prices_and_gas_follow_the_weather() {
    let usual = 50_000_000;
    for (name, tick, price, gas) in [
        ("crash", 14, 3_000.0, 1),
        ("crash", 60, 2_250.0, 12),
        ("crash", 1_500, 2_250.0, 1),
        ("trend", 2_159, 3_150.0, 1),
        ("trend", 6_479, 3_000.0 * 1.05 * 1.05 * 1.05, 1),
        ("trend", 7_000, 3_000.0 * 1.05 * 1.05 * 1.05, 1),
        ("depeg", 29, 3_000.0, 1),
        ("depeg", 299, 3_000.0 / 0.88, 5),
        ("depeg", 2_189, 3_000.0 / 0.88, 1),
        ("depeg", 2_600, 3_000.0, 1),
        ("gas-war", 14, 3_000.0, 1),
        ("gas-war", 15, 3_000.0, 60),
        ("gas-war", 195, 3_000.0, 1),
        ("liquidity-drain", 100, 3_000.0, 1),
        ("sandwich", 100, 3_000.0, 1),
    ] {
        let step = *over_still(name, tick + 1).last().unwrap();
        assert!((step.outside / price - 1.0).abs() < 1e-9, "{name} at {tick}: {} outside", step.outside);
        assert!((step.price / price - 1.0).abs() < 7e-4, "{name} at {tick}: {} in the pool", step.price);
        assert_eq!(step.base_fee, usual * gas, "{name} at {tick}");
    }
    assert_eq!(over_still("crash", 31)[30].protocol, Some(ProtocolState::Degraded));
    let calm = over_still("calm", 3);
    assert_eq!((calm[2].base_fee, calm[2].protocol), (35_000_000, None));
}

#[test]
fn chop_swings_and_leads_nowhere() {
    let steps = over_still("chop", 2_400);
    let prices = || steps.iter().map(|s| s.price);
    let (low, high) = (prices().fold(f64::MAX, f64::min), prices().fold(0.0, f64::max));
    assert!((high / (3_000.0 * libm::exp(0.015)) - 1.0).abs() < 7e-4, "{high}");
    assert!((low / (3_000.0 * libm::exp(-0.015)) - 1.0).abs() < 7e-4, "{low}");
    assert!((steps[2_300].outside - 3_000.0).abs() < 1e-6);
}

#[test]
fn volatility_is_scaled_and_the_price_stays_where_it_got_to() {
    let deviation = |factor: Option<f64>| {
        let (mut venue, mut market) = begin(&MarketConfig::default(), 1, true);
        if let Some(factor) = factor {
            let what = Happening::Volatility { factor };
            market.inject(&[ScenarioEvent { at_tick: 0, for_ticks: 2_000, what }], 0).unwrap();
        }
        let steps = (0..).zip(path(6, SIGMA).take(2_200)).map(|(t, o)| market.step(&mut venue, t, &o).unwrap());
        let outside: Vec<f64> = steps.map(|s| s.outside).collect();
        let returns = |part: &[f64]| part.windows(2).map(|w| libm::log(w[1] / w[0])).map(|r| r * r).sum::<f64>();
        (libm::sqrt(returns(&outside[..2_000])), libm::sqrt(returns(&outside[2_001..])), outside)
    };
    let (usual, usual_after, _) = deviation(None);
    for factor in [0.0, 0.33, 2.5] {
        let (during, after, outside) = deviation(Some(factor));
        assert!((during / usual - factor).abs() < 1e-9, "{during} against {usual}");
        assert!((after / usual_after - 1.0).abs() < 1e-9, "afterwards it moves as it did");
        let jump = libm::log(outside[2_000] / outside[1_999]).abs();
        assert!(jump < 6.0 * SIGMA, "the end is no jump: {jump}");
    }
}

#[test]
fn liquidity_leaves_and_comes_back_to_the_unit() {
    for (name, from, to, left) in [("liquidity-drain", 15, 735, 0.2), ("crash", 20, 380, 0.5)] {
        for order in [false, true] {
            let (mut venue, mut market) = begin(&MarketConfig::default(), 1, order);
            let own =
                |venue: &PaperVenue| -> Vec<_> { venue.pool().stakes().map(|(_, r, s)| (r, s.liquidity)).collect() };
            let before = own(&venue);
            market.inject(&Scenario::named(name).unwrap().events, 0).unwrap();
            for (tick, outside) in (0..).zip(still(3_000.0).take(to + 1)) {
                market.step(&mut venue, tick, &outside).unwrap();
                let now = own(&venue);
                if (from as u64..to as u64).contains(&tick) {
                    for ((range, was), (same, is)) in before.iter().zip(&now) {
                        assert_eq!(range, same);
                        assert!((*is as f64 / *was as f64 - left).abs() < 1e-6, "{name} at {tick}");
                    }
                } else {
                    assert_eq!(now, before, "{name} at {tick}");
                }
            }
        }
    }
}

#[test]
fn a_distorted_oracle_is_seen_in_its_block_and_forgotten() {
    let (mut venue, mut market) = begin(&MarketConfig::default(), 1, true);
    market.inject(&Scenario::named("oracle-distortion").unwrap().events, 0).unwrap();
    let off = |venue: &mut PaperVenue| golem_venue::reference(venue, 40).unwrap().map(|reference| reference.off_bps());
    let mut seen = Vec::new();
    for (tick, outside) in (0..600).zip(still(3_000.0)) {
        let step = market.step(&mut venue, tick, &outside).unwrap();
        if off(&mut venue).is_some_and(|bps| bps > 100) {
            seen.push(tick);
            assert!((step.price / 3_150.0 - 1.0).abs() < 7e-4);
        } else {
            assert!((step.price / 3_000.0 - 1.0).abs() < 7e-4, "pushed back, at {tick}");
        }
    }
    assert_eq!(seen, (0..10).map(|n| 60 + 45 * n).collect::<Vec<u64>>());
    assert!(off(&mut venue).unwrap() < 12, "half an hour later nothing is left of it");
}

/// A golem with both tokens in a market with these events.
fn golem(events: &[Happening], seed: u64, order: bool) -> (PaperVenue, Market) {
    let (mut venue, mut market) = begin(&MarketConfig::default(), seed, order);
    venue.fund_to(GOLEM, Usdc::whole(20_000)).unwrap();
    let buy = Action::Buy { pay: Usdc::whole(10_000), min_out: Asset::ZERO };
    assert_eq!(venue.execute(GOLEM, &buy).unwrap().refused, None);
    let events: Vec<ScenarioEvent> =
        events.iter().map(|what| ScenarioEvent { at_tick: 0, for_ticks: 1_000, what: *what }).collect();
    market.inject(&events, 0).unwrap();
    market.step(&mut venue, 0, &OutsideTick::priced(3_000.0)).unwrap();
    (venue, market)
}
/// What would come out now, and what comes out with others in between; the least that must come out is so much below.
fn trade_among_rivals(
    venue: &mut PaperVenue,
    market: &mut Market,
    is_buy: bool,
    micro: u64,
    tolerance_bps: u64,
) -> (u128, Result<u128, Refusal>, u128) {
    let action = |least: u128| {
        if is_buy {
            Action::Buy { pay: Usdc(micro), min_out: Asset(least) }
        } else {
            let give = Asset(u128::from(micro) * 1_000_000_000_000 / 3_000);
            Action::Sell { give, min_out: Usdc(u64::try_from(least).unwrap()) }
        }
    };
    let here = venue.view().unwrap().point;
    let out = |done: &golem_venue::Done| if is_buy { done.asset.unsigned_abs() } else { done.usdc.unsigned_abs() };
    let preview = venue.fork(here).unwrap().execute(GOLEM, &action(0)).unwrap();
    let expected = out(&preview);
    let least = expected * u128::from(10_000 - tolerance_bps) / 10_000;
    let action = action(least);
    market.before(venue, &[action], 0).unwrap();
    let done = venue.execute(GOLEM, &action).unwrap();
    market.after(venue).unwrap();
    (expected, done.refused.map_or(Ok(out(&done)), Err), least)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    #[test]
    fn a_sandwiched_swap_gets_less_than_foreseen_and_never_less_than_its_minimum(
        is_buy: bool, order: bool, micro in 1_000_000_u64..5_000_000_000, tolerance in 1_u64..500, times in 0.1_f64..5_000.0,
    ) {
        let (mut venue, mut market) = golem(&[Happening::Sandwich { times, every: 1 }], 1, order);
        let before = venue.view().unwrap();
        let (expected, got, least) = trade_among_rivals(&mut venue, &mut market, is_buy, micro, tolerance);
        match got {
            Ok(got) => prop_assert!(got >= least && got < expected, "{got} of {expected}"),
            Err(why) => prop_assert_eq!(why, Refusal::Slippage),
        }
        // The front-runner has sold again: the pool is about where the golem alone would have left it.
        let moved = (f64::from(venue.view().unwrap().pool.tick) - f64::from(before.pool.tick)).abs();
        prop_assert!(moved <= 10.0 + micro as f64 / 1e6 / 5_000.0 + times / 100.0, "{moved} ticks");
    }

    #[test]
    fn with_rivals_in_between_the_minimum_holds(
        seed: u64, is_buy: bool, order: bool, micro in 1_000_000_u64..5_000_000_000, tolerance in 1_u64..100, trades in 1_u32..16,
    ) {
        let rivals = Happening::Rivals { trades, size_usdc: Usdc::whole(20_000) };
        let (mut venue, mut market) = golem(&[rivals], seed, order);
        let (expected, got, least) = trade_among_rivals(&mut venue, &mut market, is_buy, micro, tolerance);
        match got {
            Ok(got) => prop_assert!(got >= least && got != expected, "{got} of {expected}"),
            Err(why) => prop_assert_eq!(why, Refusal::Slippage),
        }
    }
}

#[test]
fn without_such_events_nobody_is_in_between() {
    let (mut venue, mut market) = golem(&[Happening::Gas { factor: 60.0 }], 1, true);
    for n in 0..50 {
        let (expected, got, _) = trade_among_rivals(&mut venue, &mut market, n % 2 == 0, 50_000_000, 1);
        assert_eq!(got, Ok(expected));
    }
}

#[test]
fn every_third_swap_is_sandwiched_when_it_says_so() {
    let (mut venue, mut market) = golem(&[Happening::Sandwich { times: 50.0, every: 3 }], 1, true);
    let exact: Vec<bool> = (0..9)
        .map(|_| trade_among_rivals(&mut venue, &mut market, true, 100_000_000, 400))
        .map(|(expected, got, _)| got == Ok(expected))
        .collect();
    assert_eq!(exact, [false, true, true].repeat(3));
}

#[test]
fn a_front_runner_whose_golem_never_came_sells_all_the_same() {
    let (mut venue, mut market) = golem(&[Happening::Sandwich { times: 500.0, every: 1 }], 1, true);
    let action = Action::Buy { pay: Usdc::whole(100), min_out: Asset::ZERO };
    assert_eq!(market.before(&mut venue, &[action], 0).unwrap(), 1);
    let pushed = venue.view().unwrap().pool.tick;
    market.step(&mut venue, 1, &OutsideTick::priced(3_000.0)).unwrap();
    assert!((venue.view().unwrap().pool.tick - pushed).abs() > 5, "still at {pushed}");
    assert_eq!(market.after(&mut venue).unwrap(), 0);
}

#[test]
fn what_is_unsound_or_too_much_is_not_injected() {
    let (_, mut market) = begin(&MarketConfig::default(), 1, true);
    let good = ScenarioEvent { at_tick: 0, for_ticks: 10, what: Happening::Gas { factor: 2.0 } };
    let bad = ScenarioEvent { what: Happening::Gas { factor: f64::NAN }, ..good };
    let told = market.inject(&[good, bad], 0).unwrap_err();
    assert_eq!((told.len(), told[0].key.as_str()), (1, "events[1].factor"));
    assert_eq!(market.events().len(), 0, "all of them or none");
    assert!(market.inject(&vec![good; MOST_EVENTS], 0).is_ok());
    assert!(market.inject(&[good], 0).is_err());
}

#[test]
fn events_that_are_over_are_forgotten_and_what_they_did_stays() {
    let (mut venue, mut market) = begin(&MarketConfig::default(), 1, true);
    let shock = Happening::Shock { bps: 100, over_ticks: 1, reverts: false };
    for n in 0..40 {
        market.inject(&[ScenarioEvent { at_tick: 0, for_ticks: 2, what: shock }], n * 10).unwrap();
    }
    for (tick, outside) in (0..500).zip(still(3_000.0)) {
        market.step(&mut venue, tick, &outside).unwrap();
    }
    assert!(market.events().is_empty());
    let price = golem_venue::spot::price_f64(&venue.view().unwrap());
    assert!((price / (3_000.0 * libm::pow(1.01, 40.0)) - 1.0).abs() < 7e-4, "{price}");
}
