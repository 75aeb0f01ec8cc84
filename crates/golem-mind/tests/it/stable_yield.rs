//! stable-yield: USDC, and one wide position while it clearly pays; slow in, quick out.

use crate::kit;
use golem_core::intent::Asset;
use golem_core::{Intent, Usdc};
use golem_mind::{Learning, Outlook, Permissions, PolicyConfig, Template};
use kit::{Life, Market, Reverting, Trader, Venue, calm, live};

const TEMPLATE: Template = Template::StableYield;

/// A calm market with a yield such that a wide position earns this net of arbitrage a day.
fn net(yield_per_day: f64) -> Outlook {
    // Full range, so that the numbers are those of the page: variance over eight is 0.000147 a day.
    Outlook { log_yield: Some(libm::log(yield_per_day + 0.007 * 0.007 * 24.0 / 8.0)), ..calm() }
}

fn trader(capital: u64) -> Trader {
    let mut trader = Trader::new(TEMPLATE, capital);
    trader.config.stable_yield.range_sigmas = 0.0;
    trader
}

#[test]
fn entering_takes_more_than_staying() {
    // Opens at 0.0005 net a day and closes at a quarter of it.
    for (daily, opens, closes) in [
        (0.001, true, false),
        (0.00051, true, false),
        (0.0004, false, false),
        (0.00013, false, false),
        (0.00012, false, true),
    ] {
        let mut trader = trader(100);
        let wishes = trader.turn(0, &net(daily), &Permissions::ALL);
        assert_eq!(Trader::names(&wishes) == ["buy", "add"], opens, "{daily}: {wishes:?}");
        let mut open = self::trader(100);
        open.turn(0, &net(0.002), &Permissions::ALL);
        let wishes = open.turn(90, &net(daily), &Permissions::ALL);
        assert_eq!(Trader::names(&wishes) == ["remove"], closes, "{daily}: {wishes:?}");
        assert!(closes || wishes.is_empty(), "{wishes:?}");
    }
    let mut wide = Trader::new(TEMPLATE, 100);
    let [_, Intent::Add { width_bps, .. }] = wide.turn(0, &net(0.002), &Permissions::ALL)[..] else { panic!() };
    assert_eq!(width_bps, 4_115, "twelve deviations");
}

#[test]
fn heat_does_not_wait_and_calm_must_come_back() {
    let mut trader = trader(100);
    let hot = |times: f64| Outlook { log_vol: Some(libm::log(0.007 * times)), ..net(0.005) };
    assert_eq!(Trader::names(&trader.turn(0, &hot(1.0), &Permissions::ALL)), ["buy", "add"]);
    assert_eq!(trader.turn(10, &hot(1.95), &Permissions::ALL), []);
    assert_eq!(Trader::names(&trader.turn(1, &hot(2.05), &Permissions::ALL)), ["remove"], "within the cooldown");
    assert_eq!(Trader::names(&trader.turn(1, &hot(2.05), &Permissions::ALL)), ["sell"]);
    assert_eq!((trader.venue.holdings.liquidity, trader.venue.holdings.asset), (0, Asset::ZERO));
    assert_eq!(trader.turn(90, &hot(1.0), &Permissions::ALL), [], "it stays out for half a day");
    assert_eq!(trader.turn(989, &hot(1.55), &Permissions::ALL), [], "and as long as it is not calm");
    assert_eq!(Trader::names(&trader.turn(1, &hot(1.45), &Permissions::ALL)), ["buy", "add"]);
    let broken = Outlook { protocol: Some([0.3, 0.7, 0.0]), ..net(0.005) };
    assert_eq!(Trader::names(&trader.turn(10, &broken, &Permissions::ALL)), ["remove"], "nor does a broken protocol");
}

#[test]
fn what_lies_about_is_sold() {
    let mut trader = trader(10);
    trader.venue.holdings.asset = Asset::of_whole(0.01);
    let all = trader.venue.holdings.asset;
    let wishes = trader.turn(0, &calm(), &Permissions::REDUCE);
    assert!(matches!(wishes[..], [Intent::Sell { give, .. }] if give == all), "{wishes:?}");
    trader.venue.holdings.asset = Asset::of_whole(0.0002);
    assert_eq!(trader.turn(90, &calm(), &Permissions::ALL), [], "0.40 USDC are no trade");
    trader.venue.holdings.asset = Asset::of_whole(0.01);
    let dear = Outlook { log_gas: Some(libm::log(10.0)), ..calm() };
    assert_eq!(trader.turn(90, &dear, &Permissions::ALL), [], "gas would take 3.60 of 20 USDC");
}

#[test]
fn a_lost_range_is_left() {
    for price in [1_300.0, 3_000.0] {
        let mut trader = Trader::new(TEMPLATE, 100);
        assert_eq!(Trader::names(&trader.turn(0, &net(0.002), &Permissions::ALL)), ["buy", "add"]);
        let moved = Outlook { price: Some(price), ..net(0.00005) };
        assert_eq!(Trader::names(&trader.turn(90, &moved, &Permissions::ALL)), ["remove"]);
        trader.turn(1, &moved, &Permissions::ALL);
        assert!(trader.venue.exposure(price) < 0.005, "and what it left is sold");
    }
}

#[test]
fn exposure_stays_low_and_usdc_is_home() {
    // Yield a day, drift a tick; the least and the most that a month may bring.
    for (daily, drift, low, high) in [
        (0.0001, 0.0, 99.99, 100.01),
        (0.003, 0.0, 101.0, 140.0),
        (0.001, -8e-6, 80.0, 100.0),
        (0.001, 8e-6, 102.0, 130.0),
    ] {
        for seed in 1..=3 {
            let (mut market, mut life, mut venue) = (Market::new(seed), Life::new(), Venue::new(Usdc::whole(100), 5.0));
            market.fees = Reverting::new(libm::log(daily), 0.005, 0.02);
            let config = PolicyConfig { template: TEMPLATE, ..Default::default() };
            let (mut price, mut most) = (0.0, 0.0f64);
            for _ in 0..2_160 * 30 {
                let raw = market.tick();
                market.price += drift;
                price = raw.price.unwrap();
                live(&mut life, &mut venue, &raw, Learning::FULL, &Permissions::ALL, &config);
                most = most.max(venue.exposure(price));
            }
            let nav = venue.value(price).nav.as_f64();
            assert!((low..high).contains(&nav), "yield {daily}, drift {drift}, seed {seed}: {nav}");
            assert!(most < 0.34, "exposure {most}");
        }
    }
}
