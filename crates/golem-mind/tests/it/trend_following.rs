//! trend-following: in while it rises, out when it falls, sized by volatility, with a stop that does not wait.

use crate::kit;
use golem_core::intent::Asset;
use golem_core::{Intent, RawObservation, Usdc, VirtualTime};
use golem_mind::{Learning, Outlook, Permissions, Policy, PolicyConfig, PriceTrend, Template};
use kit::{Life, Reverting, Trader, Venue, calm, holding, live, normals};

const TEMPLATE: Template = Template::TrendFollowing;
const DAY: u64 = 2_160;

fn config() -> PolicyConfig {
    PolicyConfig { template: TEMPLATE, ..Default::default() }
}

/// The price against its means and its channel, all relative to 2,000.
fn seen(price: f64, fast: f64, slow: f64, high: f64, low: f64) -> Outlook {
    let ln = libm::log;
    let trend = PriceTrend { fast: ln(fast), slow: ln(slow), high: ln(high), low: ln(low) };
    Outlook { price: Some(price), trend: Some(trend), ..calm() }
}

#[test]
fn signals_as_a_table() {
    let flat = (100.0, 0.0);
    let long = (50.0, 50.0);
    // Price, fast, slow, high and low of the channel; USDC and asset held; what is done.
    for (name, [price, fast, slow, high, low], (usdc, asset), expected) in [
        ("a trend", [2_000.0, 1_950.0, 1_900.0, 2_100.0, 1_800.0], flat, "buy"),
        ("a breakout without one", [2_000.0, 1_900.0, 1_950.0, 1_990.0, 1_800.0], flat, "buy"),
        ("neither", [2_000.0, 1_990.0, 2_010.0, 2_100.0, 1_800.0], flat, ""),
        ("a fall", [2_000.0, 2_050.0, 2_100.0, 2_300.0, 1_900.0], flat, ""),
        ("a fall, held", [2_000.0, 2_050.0, 2_100.0, 2_300.0, 1_900.0], long, "sell"),
        ("a breakdown in a trend", [2_000.0, 2_150.0, 2_100.0, 2_300.0, 2_010.0], long, "sell"),
        ("a trend, held", [2_000.0, 1_950.0, 1_900.0, 2_100.0, 1_800.0], long, ""),
    ] {
        let (holdings, value) = holding(usdc, asset, 0.0);
        let seen = seen(price, fast, slow, high, low);
        let wishes = Policy::default().decide(&seen, &holdings, &value, &Permissions::ALL, &config(), VirtualTime(0));
        assert_eq!(Trader::names(&wishes).join(" "), expected, "{name}: {wishes:?}");
        if let [Intent::Sell { give, .. }] = wishes[..] {
            assert_eq!(give, holdings.asset, "{name}: out is out");
        }
    }
    let unknown = Outlook { trend: None, ..calm() };
    let (holdings, value) = holding(100.0, 0.0, 0.0);
    assert_eq!(Policy::default().decide(&unknown, &holdings, &value, &Permissions::ALL, &config(), VirtualTime(0)), []);
}

#[test]
fn the_size_aims_at_one_volatility_and_leans_on_the_forecast() {
    let size = |hourly: f64, mean: f64| {
        let rising = seen(2_000.0, 1_700.0, 1_500.0, 2_100.0, 1_400.0);
        let seen = Outlook { log_vol: Some(libm::log(hourly)), mean_return: Some(mean), ..rising };
        let (holdings, value) = holding(1_000.0, 0.0, 0.0);
        match Policy::default().decide(&seen, &holdings, &value, &Permissions::ALL, &config(), VirtualTime(0))[..] {
            [Intent::Buy { pay, .. }] => pay.as_f64() / 1_000.0,
            _ => 0.0,
        }
    };
    let daily = |hourly: f64| hourly * libm::sqrt(24.0);
    for hourly in [0.01, 0.02, 0.04] {
        assert!((size(hourly, 0.0) - 0.02 / daily(hourly)).abs() < 1e-3, "{hourly}: {}", size(hourly, 0.0));
    }
    assert!((size(0.002, 0.0) - 0.5).abs() < 1e-3, "never above the highest exposure");
    assert!(size(0.02, 0.003) > 1.2 * size(0.02, 0.0) && size(0.02, -0.003) < 0.8 * size(0.02, 0.0));
    assert!(size(0.02, -1.0) < 1e-9, "a forecast that says fall outweighs the rule");
}

#[test]
fn the_stop_does_not_wait_and_is_not_undone_by_the_old_trend() {
    let mut trader = Trader::new(TEMPLATE, 100);
    // The trend stays up throughout; only the price moves.
    let at = |price: f64, high: f64| seen(price, 1_950.0, 1_800.0, high, 1_500.0);
    assert_eq!(Trader::names(&trader.turn(0, &at(2_000.0, 2_100.0), &Permissions::ALL)), ["buy"]);
    assert_eq!(trader.turn(5, &at(2_400.0, 2_100.0), &Permissions::ALL), []);
    // Three deviations of 3.43 % below 2,400 is 2,165.
    assert_eq!(trader.turn(10, &at(2_180.0, 2_400.0), &Permissions::ALL), []);
    let out = trader.turn(1, &at(2_160.0, 2_400.0), &Permissions::ALL);
    assert_eq!(Trader::names(&out), ["sell"], "16 ticks after the last action");
    assert_eq!(trader.venue.holdings.asset, Asset::ZERO);
    assert_eq!(trader.turn(90, &at(2_200.0, 2_400.0), &Permissions::ALL), [], "the old trend is over");
    assert_eq!(Trader::names(&trader.turn(90, &at(2_410.0, 2_400.0), &Permissions::ALL)), ["buy"], "a breakout");
}

#[test]
fn liquidity_that_it_finds_is_taken_out() {
    let (holdings, value) = holding(50.0, 0.0, 50.0);
    let wishes = Policy::default().decide(&calm(), &holdings, &value, &Permissions::ALL, &config(), VirtualTime(0));
    assert!(matches!(wishes[..], [Intent::Remove { share_bps: 10_000, .. }]), "{wishes:?}");
}

/// Thirty days of a market: what 100 USDC became, what the asset did, the mean exposure and the actions.
fn month(seed: u64, mut price: impl FnMut(u64, f64) -> f64) -> (f64, f64, f64, usize) {
    let (mut life, mut venue) = (Life::new(), Venue::new(Usdc::whole(100), 5.0));
    let (mut first, mut last, mut exposure, mut actions) = (None, 0.0, 0.0, 0);
    for t in 1..=30 * DAY {
        last = libm::exp(price(t, normals(seed, t)[0]));
        first.get_or_insert(last);
        let raw = RawObservation { price: Some(last), gas_gwei: Some(0.01), ..Default::default() };
        actions += live(&mut life, &mut venue, &raw, Learning::FULL, &Permissions::ALL, &config()).len();
        exposure += venue.exposure(last) / (30 * DAY) as f64;
        assert_eq!(venue.holdings.liquidity, 0);
    }
    (venue.value(last).nav.as_f64(), last / first.unwrap_or(last), exposure, actions)
}

#[test]
fn rises_are_ridden_and_falls_are_sat_out() {
    for seed in 1..=4 {
        let walk = |drift: f64| {
            let mut log = 7.6;
            month(seed, move |_, z| {
                log += drift + 0.0007 * z;
                log
            })
        };
        // About 1.7 % a day, with 3.3 % of noise.
        let (nav, asset, exposure, actions) = walk(8e-6);
        assert!(nav > 106.0 && exposure > 0.25, "seed {seed}: {nav} while the asset went to {asset}, {exposure}");
        assert!(actions < 120, "{actions}");
        let (nav, asset, exposure, actions) = walk(-8e-6);
        assert!(nav > 93.0 && nav > 100.0 * asset && exposure < 0.2, "seed {seed}: {nav}, {asset}, {exposure}");
        assert!(actions < 120, "{actions}");
    }
}

#[test]
fn chop_costs_little() {
    for seed in 1..=4 {
        let mut level = Reverting::new(7.6, 1.0 / 400.0, 0.0007);
        let (nav, _, _, actions) = month(seed, |_, z| level.step(z));
        assert!(nav > 92.0 && actions < 200, "seed {seed}: {nav} after {actions} actions");
    }
}
