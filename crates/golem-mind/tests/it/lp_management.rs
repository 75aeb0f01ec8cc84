//! lp-management: what it does follows from the forecasts, and better forecasts make better trades.

use crate::kit;
use golem_core::intent::{Asset, Holdings};
use golem_core::{Elapsed, Intent, RawObservation, Usdc, VirtualTime};
use golem_mind::{Learning, Outlook, Permissions, Policy, PolicyConfig, Template, Valuation};
use golem_mortality::Domain;
use kit::{Life, Market, Reverting, Trader, Venue, calm, holding, live, normals};
use std::collections::BTreeMap;

const DAY: u64 = 2_160;

fn decide(outlook: &Outlook, held: &(Holdings, Valuation), may: Permissions) -> Vec<Intent> {
    Policy::default().decide(outlook, &held.0, &held.1, &may, &PolicyConfig::default(), VirtualTime(0))
}

fn returns(mean: f64) -> Outlook {
    Outlook { mean_return: Some(mean), ..calm() }
}

fn yields(daily: f64) -> Outlook {
    Outlook { log_yield: Some(libm::log(daily)), ..calm() }
}

#[test]
fn forecasts_are_traded_on_as_they_are() {
    // 30 of 100 in the asset: what the base exposure asks for, and no liquidity, since the yield does not pay.
    let held = holding(70.0, 30.0, 0.0);
    assert_eq!(decide(&calm(), &held, Permissions::ALL), [], "nothing to gain, nothing done");
    let [Intent::Buy { pay, min_out }] = decide(&returns(0.003), &held, Permissions::ALL)[..] else { panic!() };
    assert!((17.4..17.6).contains(&pay.as_f64()), "half a band below the highest exposure: {pay}");
    assert!((min_out.as_f64() / (pay.as_f64() / 2_000.0) - 0.995).abs() < 1e-9, "50 basis points below the quote");
    let sold = decide(&returns(-0.003), &held, Permissions::ALL);
    let give = Asset(15 * Asset::WHOLE / 1_000);
    assert_eq!(sold, [Intent::Sell { give, min_out: Usdc(29_850_000) }], "all of it, 50 basis points below 30 USDC");
    let wild = Outlook { log_vol: Some(libm::log(0.02)), ..calm() };
    assert!(matches!(decide(&wild, &held, Permissions::ALL)[..], [Intent::Sell { .. }]), "less of it in a storm");
    let dear = Outlook { log_gas: Some(libm::log(50.0)), ..returns(0.003) };
    assert_eq!(decide(&dear, &held, Permissions::ALL), [], "gas costs more than it brings");
    let spiking = Outlook { gas_excess: Some(1.0), ..returns(0.003) };
    assert_eq!(decide(&spiking, &held, Permissions::ALL), [], "gas will be cheaper later");
    let costly = Outlook { cost_bps: Some(400.0), ..returns(0.003) };
    assert_eq!(decide(&costly, &held, Permissions::ALL), [], "own swaps have taught that they cost more than that");
    let careful = Permissions { risk: 0.5, ..Permissions::ALL };
    assert_eq!(decide(&returns(0.003), &held, careful), [], "less risk, less wanted");
    let blind = Outlook { log_vol: None, ..returns(0.003) };
    assert_eq!(decide(&blind, &held, Permissions::ALL), [], "no idea of volatility, no trade");
}

#[test]
fn what_gas_costs_must_be_known_to_open_and_not_to_close() {
    let unknown = |outlook: Outlook| Outlook { log_gas: None, ..outlook };
    let (asset, pool) = (holding(70.0, 30.0, 0.0), holding(40.0, 30.0, 30.0));
    for outlook in [returns(0.003), yields(0.002)] {
        let known = decide(&outlook, &asset, Permissions::ALL);
        assert!(known.iter().any(|wish| !wish.only_reduces()), "{known:?}");
        let blind = decide(&unknown(outlook), &asset, Permissions::ALL);
        assert!(blind.iter().all(Intent::only_reduces), "what is not known is not free: {blind:?}");
    }
    assert!(matches!(decide(&unknown(returns(-0.003)), &asset, Permissions::ALL)[..], [Intent::Sell { .. }]));
    use golem_mind::policy::Act;
    for (act, held) in [(Act::Buy, &asset), (Act::Add, &asset), (Act::Rebalance, &pool)] {
        let ask = |outlook: &Outlook| {
            let config = PolicyConfig::default();
            Policy::propose(outlook, (&held.0, &held.1), &Permissions::ALL, &config, (act, 0.5))
        };
        assert!(!ask(&yields(0.002)).is_empty() && ask(&unknown(yields(0.002))).is_empty(), "nor by a model's wish");
    }
    let out = Policy::propose(
        &unknown(calm()),
        (&pool.0, &pool.1),
        &Permissions::ALL,
        &PolicyConfig::default(),
        (Act::Remove, 1.0),
    );
    assert!(matches!(out[..], [Intent::Remove { .. }]), "what is in the pool can be taken out");
}

#[test]
fn entering_buys_what_is_missing_and_adds_both() {
    let rich = yields(0.002);
    let wishes = decide(&rich, &holding(100.0, 0.0, 0.0), Permissions::ALL);
    let [Intent::Buy { pay: bought, min_out }, Intent::Add { pay, give, width_bps, tolerance_bps }] = wishes[..] else {
        panic!("{wishes:?}")
    };
    // 30 into the pool, half of it the asset, and 15 less half a band beside it: together nearly the base exposure.
    assert!((27.4..27.6).contains(&bought.as_f64()) && (14.8..15.1).contains(&pay.as_f64()), "{bought} {pay}");
    assert!(give <= min_out && (give.as_f64() * 2_000.0 / pay.as_f64() - 1.0).abs() < 0.01);
    assert_eq!((width_bps, tolerance_bps), (2_057, 50), "six deviations of 3.43 % a day");
    // What is there need not be bought; what is too much is sold.
    let with_some = decide(&rich, &holding(70.0, 30.0, 0.0), Permissions::ALL);
    assert_eq!(Trader::names(&with_some), ["add"]);
    let with_much = decide(&rich, &holding(40.0, 60.0, 0.0), Permissions::ALL);
    assert_eq!(Trader::names(&with_much), ["sell", "add"]);
    let Intent::Sell { give, .. } = with_much[0] else { panic!() };
    assert!((27.0..28.0).contains(&(give.as_f64() * 2_000.0)), "15 stay for the pool, 15 and half a band beside it");
    // What a purchase too small to make would bring is done without.
    let short = holding(70.3, 29.7, 0.0);
    assert_eq!(Trader::names(&decide(&rich, &short, Permissions::ALL)), ["add"]);
    // Little money goes in whole or not at all.
    assert_eq!(decide(&rich, &holding(0.9, 0.0, 0.0), Permissions::ALL), []);
    for (capital, asset) in [(5.0, 0.0), (3.0, 60.0), (0.3, 60.0), (1e9, 0.0)] {
        for wish in decide(&rich, &holding(capital, asset, 0.0), Permissions::ALL) {
            if let Intent::Add { pay, give, .. } = wish {
                let ratio = give.as_f64() * 2_000.0 / pay.as_f64();
                assert!((0.9..1.1).contains(&ratio), "both tokens alike: {wish:?}");
            }
        }
    }
    let dear = Outlook { log_gas: Some(libm::log(50.0)), ..rich };
    assert_eq!(decide(&dear, &holding(100.0, 0.0, 0.0), Permissions::ALL), [], "gas is more than ten days of fees");
}

#[test]
fn leaving_takes_out_first_and_sells_when_it_is_there() {
    let mut trader = Trader::new(Template::LpManagement, 100);
    assert_eq!(Trader::names(&trader.turn(0, &yields(0.002), &Permissions::ALL)), ["buy", "add"]);
    assert_eq!(trader.turn(90, &yields(0.002), &Permissions::ALL), []);
    let poor = Outlook { mean_return: Some(-0.003), ..yields(1e-5) };
    let first = trader.turn(90, &poor, &Permissions::ALL);
    assert_eq!(Trader::names(&first), ["remove", "sell"]);
    let second = trader.turn(1, &poor, &Permissions::ALL);
    assert_eq!(Trader::names(&second), ["sell"], "what came out is sold without waiting for the cooldown");
    assert_eq!(trader.turn(1, &poor, &Permissions::ALL), []);
    assert!(trader.venue.holdings.liquidity == 0 && trader.venue.exposure(2_000.0) < 0.01);
    // A protocol that stops working earns nothing.
    let mut trader = Trader::new(Template::LpManagement, 100);
    trader.turn(0, &yields(0.002), &Permissions::ALL);
    let broken = Outlook { protocol: Some([0.0, 1.0, 0.0]), ..yields(0.002) };
    assert!(matches!(trader.turn(90, &broken, &Permissions::ALL)[0], Intent::Remove { share_bps: 10_000, .. }));
}

#[test]
fn a_range_that_has_lost_the_price_is_left_and_set_up_around_it() {
    for price in [1_500.0, 2_700.0] {
        let mut trader = Trader::new(Template::LpManagement, 100);
        trader.turn(0, &yields(0.002), &Permissions::ALL);
        let moved = Outlook { price: Some(price), ..yields(0.002) };
        let spike = Outlook { gas_excess: Some(1.0), ..moved };
        assert_eq!(trader.turn(90, &spike, &Permissions::ALL), [], "not while gas is dear");
        assert_eq!(Trader::names(&trader.turn(1, &moved, &Permissions::ALL)), ["remove"]);
        let again = trader.turn(1, &moved, &Permissions::ALL);
        assert!(matches!(again[..], [Intent::Buy { .. } | Intent::Sell { .. }, Intent::Add { .. }]), "{again:?}");
        trader.venue.earn(price, 0.0);
        assert!(trader.venue.holdings.in_range && (0.25..0.35).contains(&trader.venue.exposure(price)));
        assert_eq!(trader.turn(90, &moved, &Permissions::ALL), []);
    }
}

#[test]
fn a_lost_range_is_no_reason_to_grow() {
    let reduce = Permissions { may_rebalance: true, ..Permissions::REDUCE };
    for (price, expected) in [(1_500.0, vec!["remove", "sell"]), (2_700.0, vec![])] {
        let mut trader = Trader::new(Template::LpManagement, 100);
        trader.turn(0, &yields(0.002), &Permissions::ALL);
        let moved = Outlook { price: Some(price), mean_return: Some(-0.003), ..yields(0.002) };
        let wishes = trader.turn(90, &moved, &reduce);
        let liquidity: Vec<_> =
            Trader::names(&wishes).into_iter().filter(|n| price < 2_000.0 || *n != "sell").collect();
        assert_eq!(liquidity, expected, "below its range it is all asset, above it is all USDC");
        let rest = trader.turn(1, &moved, &reduce);
        assert!(wishes.iter().chain(&rest).all(Intent::only_reduces));
    }
}

#[test]
fn a_storm_widens_the_range_where_it_still_pays() {
    let mut trader = Trader::new(Template::LpManagement, 100);
    let rich = |vol: f64| Outlook { log_vol: Some(libm::log(vol)), ..yields(0.01) };
    trader.turn(0, &rich(0.007), &Permissions::ALL);
    let hour = trader.turn(90, &rich(0.015), &Permissions::ALL);
    assert!(!Trader::names(&hour).contains(&"rebalance"), "an hour of twice as much is no reason: {hour:?}");
    let reduce = Permissions { may_rebalance: true, ..Permissions::REDUCE };
    for may in [Permissions::ALL, reduce] {
        let mut trader = Trader::new(Template::LpManagement, 100);
        trader.turn(0, &rich(0.007), &Permissions::ALL);
        let wishes = trader.turn(90, &rich(0.028), &may);
        let Some(Intent::Rebalance { width_bps, .. }) = wishes.iter().find(|w| w.name() == "rebalance") else {
            panic!("{wishes:?}")
        };
        assert_eq!(*width_bps, 4_115, "four times for an hour is twice for good");
        let forbidden = Permissions { may_rebalance: false, ..may };
        let mut trader = Trader::new(Template::LpManagement, 100);
        trader.turn(0, &rich(0.007), &Permissions::ALL);
        assert!(!Trader::names(&trader.turn(90, &rich(0.028), &forbidden)).contains(&"rebalance"));
    }
}

#[test]
fn fees_are_taken_when_they_are_worth_it() {
    let with_fees = |fees: u64, gwei: f64| {
        let mut held = holding(55.0, 15.0, 30.0);
        held.0.fees = Usdc(fees);
        let seen = Outlook { log_gas: Some(libm::log(gwei)), ..yields(0.002) };
        decide(&seen, &held, Permissions::ALL)
    };
    assert_eq!(with_fees(600_000, 0.01), [Intent::Collect]);
    assert_eq!(with_fees(400_000, 0.01), [], "too small");
    assert_eq!(with_fees(600_000, 1.0), [], "gas would take most of it");
}

#[test]
fn a_few_actions_a_day_and_their_cost_is_learnt() {
    let (mut total, config) = (0, PolicyConfig::default());
    for seed in 1..=5 {
        let (mut market, mut life, mut venue) = (Market::new(seed), Life::new(), Venue::new(Usdc::whole(30), 5.0));
        let mut kinds = BTreeMap::<&str, u32>::new();
        for _ in 0..60 * DAY {
            let raw = market.tick();
            for intent in live(&mut life, &mut venue, &raw, Learning::FULL, &Permissions::ALL, &config) {
                *kinds.entry(intent.name()).or_default() += 1;
            }
        }
        assert!(["buy", "add", "collect"].iter().all(|k| kinds.contains_key(k)), "{kinds:?}");
        total += kinds.values().sum::<u32>();
        let cost = life.mind.outlook().cost_bps.expect("learnt");
        assert!((4.0..6.0).contains(&cost), "{cost}");
        assert!(life.score.f(Domain::ActionOutcome) > 0.9, "a preview knows the fee");
    }
    let a_day = f64::from(total) / 300.0;
    assert!((0.1..3.0).contains(&a_day), "what trades too much for what it knows: {a_day}");
}

#[test]
fn liquidity_goes_where_fees_are() {
    // Yield a day of an unbounded position, and the share of the position over twenty days.
    for (daily, low, high) in [(0.003, 0.2, 0.35), (0.0001, 0.0, 0.02)] {
        let (mut market, mut life, mut venue) = (Market::new(3), Life::new(), Venue::new(Usdc::whole(100), 5.0));
        market.fees = Reverting::new(libm::log(daily), 0.005, 0.02);
        let (mut share, config) = (0.0, PolicyConfig::default());
        for _ in 0..20 * DAY {
            let raw = market.tick();
            live(&mut life, &mut venue, &raw, Learning::FULL, &Permissions::ALL, &config);
            let value = venue.value(raw.price.unwrap());
            share += value.liquidity.as_f64() / value.nav.as_f64() / (20 * DAY) as f64;
        }
        assert!((low..high).contains(&share), "{daily} a day: {share}");
    }
}

/// In a world where prices come back, knowing that pays; a mind that cannot learn does not find out.
#[test]
fn better_forecasts_make_better_trades() {
    let config = PolicyConfig::default();
    let run = |learning: Learning, seed: u64| {
        let mut price = Reverting::new(7.6, 1.0 / 120.0, 0.002);
        let (mut life, mut venue) = (Life::new(), Venue::new(Usdc::whole(1_000), 5.0));
        for t in 1..=30 * DAY {
            let raw = RawObservation {
                price: Some(libm::exp(price.step(normals(seed, t)[0]))),
                gas_gwei: Some(0.01),
                ..Default::default()
            };
            live(&mut life, &mut venue, &raw, learning, &Permissions::ALL, &config);
        }
        venue.value(libm::exp(7.6)).nav.as_f64()
    };
    for seed in 1..=2 {
        let (learning, frozen) = (run(Learning::FULL, seed), run(Learning::FROZEN, seed));
        assert!(learning > 1.05 * frozen, "seed {seed}: {learning} and {frozen}");
    }
}

/// Trades of a golem that is told every so many hours of a rise or a fall of the next hour, in turn, for twenty days; between
/// the words nothing is forecast.
fn trades_on_words(every_hours: u64) -> usize {
    let (mut policy, config, mut venue) =
        (Policy::default(), PolicyConfig::default(), Venue::new(Usdc::whole(10_000), 5.0));
    let mut trades = 0;
    for hour in 0..480 {
        let mean = match hour / every_hours % 2 {
            _ if hour % every_hours != 0 || hour < every_hours => 0.0,
            0 => -0.001,
            _ => 0.001,
        };
        let (seen, now) = (returns(mean), VirtualTime(0).after(Elapsed::secs(3_600 * hour)));
        let (holdings, value) = (venue.holdings, venue.value(2_000.0));
        for intent in policy.decide(&seen, &holdings, &value, &Permissions::ALL, &config, now) {
            trades += 1;
            venue.act(&intent, 2_000.0);
        }
    }
    trades
}

/// Where the next word comes in a few hours it is waited for: one trade a word. Where it comes after days, the usual share is
/// gone back to in between: two.
#[test]
fn between_words_that_come_often_it_stays_where_it_is() {
    let (often, seldom) = (trades_on_words(6), trades_on_words(96));
    assert!((75..=90).contains(&often), "{often} trades on 79 words");
    assert!((8..=10).contains(&seldom), "{seldom} trades on 4 words, and back");
}
