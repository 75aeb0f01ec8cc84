//! What the policy may and may not do, and that what it does follows from the forecasts.

mod kit;
use golem_core::intent::{Asset, Holdings};
use golem_core::{Elapsed, Intent, RawObservation, Usdc, VirtualTime};
use golem_mind::{Learning, Outlook, Permissions, Policy, PolicyConfig, Valuation};
use golem_mortality::Domain;
use kit::{Life, Market, Reverting, Venue, normals};
use proptest::prelude::*;
use std::collections::BTreeMap;

const TICK: Elapsed = Elapsed::nominal(1);
const DAY: u64 = 2_160;

fn outlook(mean_return: f64) -> Outlook {
    let (log_vol, log_yield) = (Some(libm::log(0.007)), Some(libm::log(0.0005)));
    Outlook {
        price: Some(2_000.0),
        mean_return: Some(mean_return),
        log_vol,
        usual_log_vol: log_vol,
        log_yield,
        log_gas: Some(libm::log(0.01)),
        ..Default::default()
    }
}

fn holding(capital: u64, asset_micro: u64, liquidity: u64) -> (Holdings, Valuation) {
    let (capital, liquidity) = (Usdc::whole(capital), Usdc::whole(liquidity));
    let holdings = Holdings { capital, asset: Asset(asset_micro / 2), units: liquidity.0, fees: Usdc::ZERO };
    (holdings, Valuation { nav: capital.plus(Usdc(asset_micro)).plus(liquidity), liquidity })
}

fn decide(outlook: &Outlook, held: &(Holdings, Valuation), may: Permissions) -> Vec<Intent> {
    Policy::default().decide(outlook, &held.0, &held.1, &may, &PolicyConfig::default(), VirtualTime(0))
}

#[test]
fn forecasts_are_traded_on_as_they_are() {
    // 16 USDC of the asset, 70 of cash, 14 in the pool: about what base exposure and yield ask for.
    let held = holding(70, 23_000_000, 7);
    assert_eq!(decide(&outlook(0.0), &held, Permissions::ALL), [], "nothing to gain, nothing done");
    let [Intent::Buy { pay, min_out }] = decide(&outlook(0.003), &held, Permissions::ALL)[..] else { panic!() };
    assert!((0.45..0.55).contains(&(pay.as_f64() / 100.0 + 0.23 + 0.035)), "up to the highest exposure: {pay}");
    let quote = pay.0 as f64 / 2_000.0 * 1e3;
    assert!((min_out.0 as f64 / quote - 0.995).abs() < 1e-6, "50 basis points below the spot quote");
    let [Intent::Sell { give, min_out }] = decide(&outlook(-0.003), &held, Permissions::ALL)[..] else { panic!() };
    assert_eq!((give, min_out), (Asset(11_500_000), Usdc(22_885_000)), "all of it, at 50 basis points below 23 USDC");
    let wild = Outlook { log_vol: Some(libm::log(0.02)), ..outlook(0.0) };
    assert!(matches!(decide(&wild, &held, Permissions::ALL)[..], [Intent::Remove { .. }, Intent::Sell { .. }]));
    let broken = Outlook { protocol: Some([0.0, 1.0, 0.0]), ..outlook(0.0) };
    assert!(matches!(decide(&broken, &holding(70, 23_000_000, 12), Permissions::ALL)[..], [Intent::Remove { .. }, ..]));
    let rich = Outlook { log_yield: Some(libm::log(0.01)), ..outlook(0.0) };
    assert!(matches!(decide(&rich, &held, Permissions::ALL)[0], Intent::Sell { .. } | Intent::Add { .. }));
    let dear = Outlook { log_gas: Some(libm::log(50.0)), ..outlook(0.003) };
    assert_eq!(decide(&dear, &held, Permissions::ALL), [], "gas costs more than it brings");
    let spiking = Outlook { gas_excess: Some(1.0), ..outlook(0.003) };
    assert_eq!(decide(&spiking, &held, Permissions::ALL), [], "gas will be cheaper later");
    let blind = Outlook { price: None, ..outlook(0.003) };
    assert_eq!(decide(&blind, &held, Permissions::ALL), []);
    assert_eq!(
        decide(&outlook(0.003), &held, Permissions { risk: 0.4, ..Permissions::ALL }),
        [],
        "less risk, less wanted"
    );
}

#[test]
fn a_range_follows_the_price() {
    let config = PolicyConfig { range_sigmas: 3.0, ..Default::default() };
    let mut policy = Policy::default();
    let rich = |price| Outlook { price: Some(price), log_yield: Some(libm::log(0.01)), ..outlook(0.0) };
    let mut at = |price, held: &(Holdings, Valuation), may: Permissions, day: u64| {
        policy.decide(&rich(price), &held.0, &held.1, &may, &config, VirtualTime(day * 86_400_000))
    };
    let [Intent::Add { width_bps, .. }, ..] = at(2_000.0, &holding(100, 0, 0), Permissions::ALL, 0)[..] else {
        panic!()
    };
    assert_eq!(width_bps, 1_028, "three daily deviations of 0.007 an hour");
    let held = holding(55, 15_000_000, 30);
    assert_eq!(at(2_150.0, &held, Permissions::ALL, 1), []);
    assert_eq!(at(2_300.0, &held, Permissions { may_rebalance: false, ..Permissions::ALL }, 2), []);
    assert_eq!(at(2_300.0, &held, Permissions::ALL, 3), [Intent::Rebalance { width_bps }]);
    assert_eq!(at(2_300.0, &held, Permissions::ALL, 4), [], "now it is around the price again");
}

#[test]
fn a_few_actions_a_day_and_their_cost_is_learnt() {
    let mut total = 0;
    for seed in 1..=5 {
        let (mut market, mut life, mut venue) = (Market::new(seed), Life::new(), Venue::new(Usdc::whole(30), 5.0));
        let mut kinds = BTreeMap::<&str, u32>::new();
        for _ in 0..20 * DAY {
            let raw = market.tick();
            venue.earn(raw.price.unwrap(), raw.fee_yield.unwrap());
            for intent in live(&mut life, &mut venue, &raw, Learning::FULL) {
                *kinds.entry(intent.name()).or_default() += 1;
            }
        }
        total += kinds.values().sum::<u32>();
        let cost = life.mind.outlook().cost_bps.expect("learnt");
        assert!((4.0..6.0).contains(&cost), "{cost}");
        assert!(life.score.f(Domain::ActionOutcome) > 0.9, "a fixed fee is easy to learn");
    }
    let a_day = f64::from(total) / 100.0;
    assert!((0.5..10.0).contains(&a_day), "{a_day}");
}

/// One turn with hands: what was done.
fn live(life: &mut Life, venue: &mut Venue, raw: &RawObservation, learning: Learning) -> Vec<Intent> {
    let price = raw.price.unwrap();
    life.turn(&raw.admit(), TICK, learning);
    let value = venue.value(price);
    let (now, config) = (life.now, PolicyConfig::default());
    let intents = life.mind.decide(now, &venue.holdings, &value, &Permissions::ALL, &config);
    for intent in &intents {
        let mut out = Vec::new();
        life.mind.verify(&venue.act(intent, price), learning, &mut out);
        life.score.take(&out);
    }
    intents
}

/// In a world where prices come back, knowing that pays; a mind that cannot learn does not find out.
#[test]
fn better_forecasts_make_better_trades() {
    let run = |learning: Learning, seed: u64| {
        let mut price = Reverting::new(7.6, 1.0 / 120.0, 0.002);
        let (mut life, mut venue) = (Life::new(), Venue::new(Usdc::whole(1_000), 5.0));
        for t in 1..=30 * DAY {
            let price = libm::exp(price.step(normals(seed, t)[0]));
            live(&mut life, &mut venue, &RawObservation { price: Some(price), ..Default::default() }, learning);
        }
        venue.value(libm::exp(7.6)).nav.as_f64()
    };
    for seed in 1..=2 {
        let (learning, frozen) = (run(Learning::FULL, seed), run(Learning::FROZEN, seed));
        assert!(learning > 1.05 * frozen, "seed {seed}: {learning} and {frozen}");
    }
}

#[test]
fn unwinding_ends_within_fifty_turns() {
    for (asset, units) in [(9_000_000, 25_000_000), (0, 25_000_000), (9_000_000, 0), (1_000, 10_000), (3, 7)] {
        let mut venue = Venue::new(Usdc::whole(10), 5.0);
        (venue.holdings.asset, venue.holdings.units) = (Asset(asset), units);
        let (mut policy, mut actions) = (Policy::default(), 0);
        let may = Permissions { unwind: true, may_open: false, ..Permissions::ALL };
        for turn in 0..50u64 {
            let price = 2_000.0 + turn as f64;
            let seen = Outlook { price: Some(price), ..Default::default() };
            let (holdings, value) = (venue.holdings, venue.value(price));
            let now = VirtualTime(0).after(Elapsed::secs(80 * turn));
            let intents = policy.decide(&seen, &holdings, &value, &may, &PolicyConfig::default(), now);
            assert!(intents.iter().all(Intent::only_reduces));
            actions += intents.len();
            for intent in intents {
                venue.act(&intent, price);
            }
        }
        let left = venue.value(2_050.0);
        assert_eq!((venue.holdings.asset, venue.holdings.units), (Asset(0), 0), "{left:?}");
        assert!(actions <= 20, "ten pieces of each: {actions}");
    }
}

fn outlooks() -> impl Strategy<Value = Outlook> {
    let some = |low: f64, high: f64| prop::option::weighted(0.9, low..high);
    let numbers = (some(-345.0, 345.0), some(-9.0, 9.0), some(-12.0, 3.0), some(-345.0, 345.0), some(-345.0, 345.0));
    (numbers, some(-5.0, 5.0), some(0.0, 500.0), some(5.0, 9.0)).prop_map(|((wild, r, v, y, g), excess, cost, tame)| {
        Outlook {
            price: tame.or(wild).map(libm::exp),
            mean_return: r,
            log_vol: v,
            usual_log_vol: v.map(|v| v + 0.3),
            log_yield: y.map(|y| if y > 0.0 { -7.0 } else { y }),
            log_gas: g.map(|g| if g > 0.0 { -5.0 } else { g }),
            gas_excess: excess,
            protocol: None,
            cost_bps: cost,
        }
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..Default::default() })]
    #[test]
    fn never_more_than_is_there(
        outlook in outlooks(),
        (capital, asset, units, fees) in (any::<u64>(), any::<u64>(), any::<u64>(), any::<u64>()),
        (nav, liquidity, small) in (any::<u64>(), any::<u64>(), 0u32..40),
        (risk, may_open, may_rebalance) in (-1.0f64..2.0, any::<bool>(), any::<bool>()),
        unwind in prop::bool::weighted(0.2),
        range_sigmas in prop_oneof![Just(0.0), 0.1f64..20.0],
    ) {
        let cut = |x: u64| x >> small;
        let (capital, fees) = (Usdc(cut(capital)), Usdc(cut(fees)));
        let holdings = Holdings { capital, asset: Asset(cut(asset)), units: cut(units), fees };
        let value = Valuation { nav: Usdc(cut(nav)), liquidity: Usdc(cut(liquidity)) };
        let may = Permissions { risk, may_open, may_rebalance, unwind };
        let config = PolicyConfig { range_sigmas, ..Default::default() };
        let mut policy = Policy::default();
        for turn in 0..60 {
            let now = VirtualTime(0).after(Elapsed::nominal(100 * turn));
            let intents = policy.decide(&outlook, &holdings, &value, &may, &config, now);
            prop_assert!(intents.len() <= 2);
            prop_assert!(outlook.price.is_some() || intents.is_empty());
            let mut paid = 0u128;
            for intent in &intents {
                match *intent {
                    Intent::Buy { pay, .. } | Intent::Add { pay, .. } => paid += u128::from(pay.0),
                    Intent::Sell { give, .. } => prop_assert!(give <= holdings.asset && give.0 > 0),
                    Intent::Remove { share_bps, min_out } => {
                        prop_assert!((1..=10_000).contains(&share_bps) && min_out <= value.liquidity);
                    }
                    Intent::Collect => prop_assert!(holdings.fees > Usdc::ZERO),
                    Intent::Rebalance { .. } => prop_assert!(may_rebalance),
                    Intent::Hold => {}
                }
                let rebalance = matches!(intent, Intent::Rebalance { .. });
                prop_assert!(may_open && !unwind || intent.only_reduces() || rebalance, "{intent:?}");
            }
            prop_assert!(paid <= u128::from(holdings.capital.0));
        }
    }
}
