//! What holds for every template: permissions, money, size, time, and that nothing breaks on any numbers.

use crate::kit;
use golem_core::intent::{Asset, Holdings, Outcome};
use golem_core::reference::{REFERENCE_WINDOW_S, price_at};
use golem_core::{Elapsed, Intent, RawObservation, ReferenceKind, ReferencePrice, Usdc, VirtualTime};
use golem_mind::policy::MOST_INTENTS;
use golem_mind::{Learning, Outlook, Permissions, Policy, PolicyConfig, PriceTrend, Span, Template, Valuation};
use kit::{Life, Market, Venue, live};
use proptest::prelude::*;

const UNWIND: Permissions =
    Permissions { risk: 1.0, may_open: false, may_rebalance: false, unwind: true, urgent: false };

fn config(template: Template) -> PolicyConfig {
    PolicyConfig { template, ..Default::default() }
}

/// A life of some days, then a phase that only reduces or unwinds.
fn lived(template: Template, seed: u64, days: u64) -> (Life, Venue, Market) {
    let (mut market, mut life, mut venue) = (Market::new(seed), Life::new(), Venue::new(Usdc::whole(100), 5.0));
    let config = config(template);
    for _ in 0..2_160 * days {
        let raw = market.tick();
        live(&mut life, &mut venue, &raw, Learning::FULL, &Permissions::ALL, &config);
    }
    (life, venue, market)
}

#[test]
fn unwinding_ends_within_its_turns_whatever_was_held() {
    let mut held = 0;
    for (template, seed) in Template::ALL.into_iter().flat_map(|t| [(t, 3), (t, 4), (t, 5)]) {
        let (mut life, mut venue, mut market) = lived(template, seed, 8);
        held += u32::from(venue.exposure(2_000.0) > 0.05);
        for turn in 1..=50 {
            let raw = market.tick();
            let intents = live(&mut life, &mut venue, &raw, Learning::FROZEN, &UNWIND, &config(template));
            assert!(intents.iter().all(Intent::only_reduces), "{template}, turn {turn}: {intents:?}");
        }
        let worth = venue.holdings.asset.as_f64() * 2_000.0 * 1e6;
        assert!(venue.holdings.liquidity == 0 && worth < 2.0, "{template}: {:?}", venue.holdings);
    }
    assert!(held >= 8, "most of them had something to unwind: {held}");
}

#[test]
fn unwinding_goes_in_pieces_and_dust_goes_last() {
    // Asset in micro-USDC, liquidity in micro-USDC, and the actions it takes at most.
    for (asset, liquidity, most) in
        [(18_000_000, 25_000_000, 20), (0, 25_000_000, 20), (9_000_000, 0, 10), (2_000, 10_000, 2), (6, 14, 2)]
    {
        for (turns, pieces) in [(50, 10), (2, 1), (2, 2), (7, 3), (500, 500)] {
            let mut venue = Venue::new(Usdc::whole(10), 5.0);
            venue.holdings.asset = Asset::of_whole(f64::from(asset) / 1e6 / 2_000.0);
            if liquidity > 0 {
                venue = venue.with_position(liquidity, 2_000.0, 0.2);
            }
            let config = PolicyConfig { unwind_turns: turns, unwind_pieces: pieces, ..Default::default() };
            let (mut policy, mut actions) = (Policy::default(), 0);
            for turn in 0..turns {
                let price = 2_000.0 + f64::from(turn);
                let seen = Outlook { price: Some(price), ..Default::default() };
                let (holdings, value) = (venue.holdings, venue.value(price));
                let now = VirtualTime(0).after(Elapsed::secs(80 * u64::from(turn)));
                let intents = policy.decide(&seen, &holdings, &value, &UNWIND, &config, now);
                assert!(intents.iter().all(Intent::only_reduces));
                actions += intents.len();
                for intent in intents {
                    venue.act(&intent, price);
                }
            }
            let left = venue.holdings.asset.as_f64() * 2_000.0 * 1e6;
            assert!(venue.holdings.liquidity == 0 && left < 2.0, "{turns} turns: {:?}", venue.holdings);
            assert!(pieces > 10 || actions <= most, "{actions} actions in {turns} turns");
        }
    }
}

/// The least that a sale must bring at a price, in micro-USDC.
fn least(give: Asset, price: f64, config: &PolicyConfig) -> Usdc {
    let kept = 1.0 - f64::from(config.slippage_bps) / 1e4;
    Usdc((give.as_f64() * price * 1e6 * kept) as u64)
}

/// While the pool's price is not believed, what must go is offered at the better of that price and its reference: a pool
/// below its reference takes nothing, and one above it takes every piece in its turn. Liquidity waits.
#[test]
fn what_must_go_is_sold_at_the_better_price_or_not_at_all() {
    let config = PolicyConfig::default();
    for (spot, reference) in [(1_800.0, 2_000.0), (2_200.0, 2_000.0), (2_000.0, 2_000.0)] {
        let (better, sells) = (f64::max(spot, reference), spot >= reference);
        let mut venue = Venue::new(Usdc::whole(10), 5.0).with_position(20_000_000, spot, 0.2);
        venue.holdings.asset = Asset(Asset::WHOLE);
        let liquidity = venue.holdings.liquidity;
        let mut policy = Policy::default();
        let mut turn_of = |venue: &Venue, turn: u32, seen: Outlook| {
            let now = VirtualTime(0).after(Elapsed::nominal(u64::from(turn)));
            policy.decide(&seen, &venue.holdings, &venue.value(spot), &UNWIND, &config, now)
        };
        let unbelieved = Outlook { sale_price: Some(better), ..Outlook::default() };
        let mut offered = Vec::new();
        for turn in 1..=config.unwind_turns + 1 {
            for intent in turn_of(&venue, turn, unbelieved) {
                let Intent::Sell { give, min_out } = intent else { panic!("{spot}, turn {turn}: {intent:?}") };
                assert_eq!(min_out, least(give, better, &config), "{spot} beside {reference}, turn {turn}");
                let (_, receipt) = venue.act(&intent, spot);
                let sold = matches!(receipt.outcome, Outcome::Sold { .. });
                assert_eq!(sold, sells, "{spot} beside {reference}, turn {turn}: {:?}", receipt.outcome);
                offered.push(turn);
            }
        }
        let (turns, pieces) = (config.unwind_turns, config.unwind_pieces);
        let due: Vec<u32> = (1..=pieces).map(|n| n * turns / pieces).collect();
        assert_eq!(offered[..due.len()], due, "{spot}: a piece is offered in the very turn it falls on");
        assert_eq!(offered.len() - due.len(), usize::from(!sells), "{spot}: what is left is offered in every turn");
        let left = if sells { Asset::ZERO } else { Asset(Asset::WHOLE) };
        assert_eq!((venue.holdings.asset, venue.holdings.liquidity), (left, liquidity), "{spot}");
        // Believed again: liquidity comes out, and what is seen counts for more than what sales were held against.
        let believed = Outlook { price: Some(spot), sale_price: Some(2.0 * better), ..Outlook::default() };
        let intents = turn_of(&venue, config.unwind_turns + 2, believed);
        assert!(matches!(intents[0], Intent::Remove { share_bps: 10_000, .. }), "{spot}: {intents:?}");
        let sales: Vec<Intent> =
            (!sells).then(|| Intent::Sell { give: left, min_out: least(left, spot, &config) }).into_iter().collect();
        assert_eq!(intents[1..], sales, "{spot}");
    }
}

/// A price for sales only is no price for anything else, and none that is no number is one.
#[test]
fn a_price_for_sales_is_for_what_must_go_alone() {
    let (holdings, value) = kit::holding(50.0, 100.0, 20.0);
    for template in Template::ALL {
        // In two turns: the first sells a half.
        let config = PolicyConfig { unwind_turns: 2, unwind_pieces: 2, ..config(template) };
        let wanted = |sale_price: f64, may: &Permissions| {
            let seen = Outlook { sale_price: Some(sale_price), ..wild() };
            Policy::default().decide(&seen, &holdings, &value, may, &config, VirtualTime(0))
        };
        let must_go = Permissions { urgent: true, risk: 0.0, ..Permissions::ALL };
        for may in [Permissions::ALL, Permissions::REDUCE, must_go] {
            assert_eq!(wanted(2_000.0, &may), [], "{template}: {may:?}");
        }
        for price in [0.0, f64::NAN, f64::INFINITY, -1.0] {
            assert_eq!(wanted(price, &UNWIND), [], "{template}: {price}");
        }
        let give = Asset(holdings.asset.0.div_ceil(2));
        let half = Intent::Sell { give, min_out: least(give, 2_000.0, &config) };
        assert_eq!(wanted(2_000.0, &UNWIND), [half], "{template}");
    }
}

/// The mind sells by the better of the pool's price and its reference, in both token orders, once it no longer sees the
/// pool's own; with neither it sells nothing.
#[test]
fn a_mind_that_does_not_believe_the_pool_sells_by_the_better_of_both() {
    let (holdings, value) = kit::holding(50.0, 100.0, 20.0);
    let config = PolicyConfig { unwind_turns: 2, unwind_pieces: 2, ..PolicyConfig::default() };
    let give = Asset(holdings.asset.0.div_ceil(2));
    // About two thousand, with USDC first and last, and five per cent above or below it.
    for (tick, spot, better) in [
        (200_311, 199_811, 199_811),
        (200_311, 200_811, 200_311),
        (-200_311, -199_811, -199_811),
        (-200_311, -200_811, -200_311),
    ] {
        let mut life = Life::new();
        let mut turn = |seen: RawObservation| {
            life.turn(&seen.admit(), Elapsed::nominal(1), Learning::FULL);
            life.mind.decide(life.now, &holdings, &value, &UNWIND, &config)
        };
        assert_eq!(turn(RawObservation::default()), [], "{spot}: nothing is seen");
        let reference = ReferencePrice { kind: ReferenceKind::PoolMean, tick, spot, window_s: REFERENCE_WINDOW_S };
        let unbelieved = RawObservation { reference: Some(reference), ..RawObservation::default() };
        let min_out = least(give, price_at(better), &config);
        assert_eq!(turn(unbelieved), [Intent::Sell { give, min_out }], "{tick} {spot}");
        let seen = RawObservation { price: Some(1_900.0), ..unbelieved };
        let min_out = least(holdings.asset, 1_900.0, &config);
        let all = Intent::Sell { give: holdings.asset, min_out };
        let out = Intent::Remove { share_bps: 10_000, tolerance_bps: config.slippage_bps };
        assert_eq!(turn(seen), [out, all], "{tick} {spot}: a price that is seen is sold at");
    }
}

#[test]
fn what_only_reduces_never_grows() {
    for template in Template::ALL {
        for may in [Permissions::REDUCE, Permissions { may_rebalance: true, ..Permissions::REDUCE }] {
            let (mut life, mut venue, mut market) = lived(template, 5, 6);
            assert!(
                venue.exposure(2_000.0) > 0.05 || template == Template::TrendFollowing,
                "{template} holds something"
            );
            for _ in 0..2_160 * 2 {
                let raw = market.tick();
                let before = (venue.holdings.liquidity, venue.exposure(raw.price.unwrap()));
                let intents = live(&mut life, &mut venue, &raw, Learning::FULL, &may, &config(template));
                let moved = intents.iter().any(|i| matches!(i, Intent::Rebalance { .. }));
                let reduced = intents.iter().all(|i| i.only_reduces() || matches!(i, Intent::Rebalance { .. }));
                assert!(reduced && (may.may_rebalance || !moved), "{template}: {intents:?}");
                if !intents.is_empty() && !moved {
                    let after = (venue.holdings.liquidity, venue.exposure(raw.price.unwrap()));
                    assert!(after.0 <= before.0 && after.1 <= before.1 + 1e-6, "{template}: {intents:?}");
                }
            }
        }
    }
}

/// Whoever must go at once is out of everything within a few turns, whenever it traded last; without urgency the cooldown of
/// the last trade holds it.
#[test]
fn what_must_go_at_once_waits_for_no_cooldown() {
    let config = PolicyConfig { cooldown_ticks: 500, ..config(Template::LpManagement) };
    let out = |urgent: bool| {
        let (mut market, mut life, mut venue) = (Market::new(5), Life::new(), Venue::new(Usdc::whole(100), 5.0));
        let mut acted = false;
        // Until it has just traded, and holds something.
        for _ in 0..2_160 * 30 {
            let raw = market.tick();
            acted = !live(&mut life, &mut venue, &raw, Learning::FULL, &Permissions::ALL, &config).is_empty();
            if acted && venue.holdings.liquidity > 0 && venue.exposure(raw.price.unwrap()) > 0.05 {
                break;
            }
        }
        assert!(acted, "it trades");
        let may = Permissions { risk: 0.0, may_open: false, urgent, ..Permissions::ALL };
        for _ in 0..9 {
            live(&mut life, &mut venue, &market.tick(), Learning::FULL, &may, &config);
        }
        venue.exposure(2_000.0)
    };
    assert!(out(true) < 0.02, "{}", out(true));
    assert!(out(false) > 0.05, "{}", out(false));
}

#[test]
fn no_risk_is_nothing_bought() {
    for template in Template::ALL {
        let (mut life, mut venue, mut market) = (Life::new(), Venue::new(Usdc::whole(100), 5.0), Market::new(2));
        let may = Permissions { risk: 0.0, ..Permissions::ALL };
        for _ in 0..2_160 * 7 {
            let raw = market.tick();
            assert_eq!(live(&mut life, &mut venue, &raw, Learning::FULL, &may, &config(template)), [], "{template}");
        }
    }
}

#[test]
fn high_gas_keeps_everybody_still() {
    for template in Template::ALL {
        let (mut life, mut venue, mut market) = (Life::new(), Venue::new(Usdc::whole(100), 5.0), Market::new(2));
        market.gas = kit::Reverting::new(libm::log(60.0), 0.05, 0.05);
        for _ in 0..2_160 * 7 {
            let raw = market.tick();
            // One swap costs over twenty USDC.
            let intents = live(&mut life, &mut venue, &raw, Learning::FULL, &Permissions::ALL, &config(template));
            assert_eq!(intents, [], "{template}");
        }
    }
}

#[test]
fn blind_is_still() {
    for template in Template::ALL {
        for price in [None, Some(0.0), Some(f64::NAN), Some(f64::INFINITY), Some(-1.0)] {
            let seen = Outlook { price, ..wild() };
            let holdings = Holdings { capital: Usdc::whole(50), asset: Asset(Asset::WHOLE), ..Default::default() };
            let value = Valuation { nav: Usdc::whole(2_000), liquidity: Usdc::ZERO };
            for may in [Permissions::ALL, UNWIND] {
                let mut policy = Policy::default();
                assert_eq!(policy.decide(&seen, &holdings, &value, &may, &config(template), VirtualTime(0)), []);
            }
        }
    }
}

fn wild() -> Outlook {
    Outlook { mean_return: Some(0.05), log_vol: Some(-5.0), log_yield: Some(-3.0), ..Default::default() }
}

#[test]
fn the_same_life_twice_is_the_same() {
    for template in Template::ALL {
        let run = || {
            let (life, venue, _) = lived(template, 11, 7);
            (life.mind, venue.holdings)
        };
        assert_eq!(run(), run(), "{template}");
    }
}

#[test]
fn actions_wait_for_the_cooldown() {
    for template in [Template::LpManagement, Template::TrendFollowing, Template::StableYield] {
        let (config, mut turns) = (PolicyConfig { cooldown_ticks: 500, ..config(template) }, 0);
        for seed in 7..=9 {
            let (mut market, mut life, mut venue) = (Market::new(seed), Life::new(), Venue::new(Usdc::whole(100), 5.0));
            let mut acted = Vec::new();
            for t in 0..2_160 * 20u64 {
                let raw = market.tick();
                if !live(&mut life, &mut venue, &raw, Learning::FULL, &Permissions::ALL, &config).is_empty() {
                    acted.push(t);
                }
            }
            turns += acted.len();
            // A second step may follow at once, and what cannot wait after a tenth: but no third one.
            let soon = acted.windows(3).filter(|w| w[2] - w[0] < 50).count();
            assert_eq!(soon, 0, "{template}: {acted:?}");
        }
        assert!(turns > 6, "{template}: {turns}");
    }
}

fn outlooks() -> impl Strategy<Value = Outlook> {
    let some = |low: f64, high: f64| prop::option::weighted(0.9, low..high);
    let numbers = (some(-345.0, 345.0), some(-9.0, 9.0), some(-12.0, 3.0), some(-345.0, 345.0), some(-345.0, 345.0));
    let lately = prop::option::weighted(0.9, prop::array::uniform4(4.0f64..10.0));
    let rest = (some(-5.0, 5.0), some(0.0, 500.0), some(5.0, 9.0), some(-345.0, 345.0), lately, some(0.0, 1.0));
    let range = prop::option::of((4.0f64..10.0, 0u32..30_000).prop_map(|(at, width)| Span::around(at, width)));
    (numbers, rest, range).prop_map(|((wild, r, v, y, g), (excess, cost, tame, day_mean, lately, normal), range)| {
        Outlook {
            price: tame.or(wild).map(libm::exp),
            mean_return: r,
            log_vol: v,
            usual_log_vol: v.map(|v| v + 0.3),
            log_yield: y.map(|y| if y > 0.0 { -7.0 } else { y }),
            log_gas: g.map(|g| if g > 0.0 { -5.0 } else { g }),
            gas_excess: excess,
            protocol: normal.map(|p| [p, 1.0 - p, 0.0]),
            day_mean,
            trend: lately.map(|[fast, slow, high, low]| PriceTrend {
                fast,
                slow,
                high: high.max(low),
                low: low.min(high),
            }),
            range,
            cost_bps: cost,
            ..Outlook::default()
        }
    })
}

/// Any amount, small ones as likely as large ones.
fn amounts() -> impl Strategy<Value = u64> {
    (any::<u64>(), 0u32..64).prop_map(|(x, small)| x >> small)
}

fn holdings() -> impl Strategy<Value = (Holdings, Valuation)> {
    let wei = (any::<u128>(), 0u32..128).prop_map(|(x, small)| x >> small);
    let liquidity = (any::<u128>(), 0u32..129).prop_map(|(x, small)| x.checked_shr(small).unwrap_or(0));
    (amounts(), wei, liquidity, amounts(), any::<bool>(), amounts(), amounts()).prop_map(
        |(capital, asset, liquidity, fees, in_range, nav, worth)| {
            let (capital, fees) = (Usdc(capital), Usdc(fees));
            let holdings = Holdings {
                deposits: capital,
                on_chain: capital,
                capital,
                asset: Asset(asset),
                liquidity,
                fees,
                in_range,
            };
            (holdings, Valuation { nav: Usdc(nav), liquidity: Usdc(worth) })
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4_000, failure_persistence: None, ..Default::default() })]
    #[test]
    fn never_more_than_is_there(
        outlook in outlooks(),
        (holdings, value) in holdings(),
        template in prop::sample::select(&Template::ALL[..]),
        (risk, may_open, may_rebalance, urgent) in (-1.0f64..2.0, any::<bool>(), any::<bool>(), any::<bool>()),
        unwind in prop::bool::weighted(0.2),
        range_sigmas in prop_oneof![Just(0.0), 0.1f64..20.0],
    ) {
        let may = Permissions { risk, may_open, may_rebalance, unwind, urgent };
        let mut config = config(template);
        (config.lp_management.range_sigmas, config.stable_yield.range_sigmas) = (range_sigmas, range_sigmas);
        let mut policy = Policy::default();
        for turn in 0..60 {
            let now = VirtualTime(0).after(Elapsed::nominal(100 * turn));
            let intents = policy.decide(&outlook, &holdings, &value, &may, &config, now);
            prop_assert!(intents.len() <= MOST_INTENTS);
            prop_assert!(outlook.price.is_some() || intents.is_empty());
            let (mut usdc, mut asset) = (holdings.capital, holdings.asset);
            for intent in &intents {
                let rebalance = matches!(intent, Intent::Rebalance { .. });
                prop_assert!(may_open && !unwind || intent.only_reduces() || rebalance, "{intent:?}");
                match *intent {
                    Intent::Buy { pay, min_out } => {
                        prop_assert!(pay <= usdc && pay >= config.min_trade_usdc && min_out > Asset::ZERO);
                        (usdc, asset) = (usdc.minus(pay), asset.plus(min_out));
                    }
                    Intent::Add { pay, give, tolerance_bps, .. } => {
                        prop_assert!(pay <= usdc && give <= asset && tolerance_bps == config.slippage_bps);
                        prop_assert!(pay > Usdc::ZERO && give > Asset::ZERO);
                        (usdc, asset) = (usdc.minus(pay), asset.minus(give));
                    }
                    Intent::Sell { give, min_out } => {
                        prop_assert!(give <= holdings.asset && give <= asset && min_out > Usdc::ZERO);
                        asset = asset.minus(give);
                    }
                    Intent::Remove { share_bps, tolerance_bps } => {
                        prop_assert!((1..=10_000).contains(&share_bps) && holdings.liquidity > 0);
                        prop_assert!(tolerance_bps == config.slippage_bps);
                    }
                    Intent::Collect => prop_assert!(holdings.fees > Usdc::ZERO && holdings.liquidity > 0),
                    Intent::Rebalance { .. } => prop_assert!(may_rebalance && !unwind && holdings.liquidity > 0),
                    Intent::Hold => prop_assert!(false, "holding is wanting nothing"),
                    Intent::Home { .. } | Intent::Unwrap { .. } => prop_assert!(false, "no policy sends money away"),
                }
            }
            let of_a_kind = |name: &str| intents.iter().filter(|i| i.name() == name).count();
            prop_assert!(["buy", "sell", "add", "remove", "collect", "rebalance"].iter().all(|n| of_a_kind(n) <= 1));
        }
    }

    /// What must come back is below the spot quote by the slippage, for any amounts that a person would trade.
    #[test]
    fn the_least_follows_from_the_spot_quote(
        price in 1.0f64..1e6,
        capital in 1_000_000u64..1_000_000_000_000,
        asset in 0.0f64..1_000.0,
        slippage_bps in 1u32..1_000,
        rises: bool,
    ) {
        let mean_return = Some(if rises { 0.05 } else { -0.05 });
        let outlook = Outlook { price: Some(price), mean_return, log_vol: Some(-5.0), ..Default::default() };
        let holdings = Holdings { capital: Usdc(capital), asset: Asset::of_whole(asset), ..Default::default() };
        let value = Valuation { nav: Usdc(capital), liquidity: Usdc::ZERO };
        let config = PolicyConfig { slippage_bps, ..Default::default() };
        let intents = Policy::default().decide(&outlook, &holdings, &value, &Permissions::ALL, &config, VirtualTime(0));
        let kept = 1.0 - f64::from(slippage_bps) / 1e4;
        for intent in intents {
            let (least, quote) = match intent {
                Intent::Buy { pay, min_out } => (min_out.as_f64(), pay.as_f64() / price),
                Intent::Sell { give, min_out } => (min_out.as_f64(), give.as_f64() * price),
                _ => continue,
            };
            prop_assert!(least <= quote * kept * (1.0 + 1e-12) && least >= quote * kept * (1.0 - 1e-5) - 2e-6);
        }
    }
}

/// What the mind sees of a market is enough for every template: nothing is wanted on missing numbers.
#[test]
fn a_market_of_prices_alone_breaks_nothing() {
    for template in Template::ALL {
        let (mut market, mut life, mut venue) = (Market::new(8), Life::new(), Venue::new(Usdc::whole(100), 5.0));
        for _ in 0..2_160 * 7 {
            let raw = RawObservation { price: market.tick().price, ..Default::default() };
            let intents = live(&mut life, &mut venue, &raw, Learning::FULL, &Permissions::ALL, &config(template));
            assert!(intents.iter().all(|i| !matches!(i, Intent::Add { .. })), "no yield, no liquidity: {template}");
        }
    }
}
