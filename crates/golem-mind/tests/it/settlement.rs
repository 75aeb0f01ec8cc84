//! Forecasts are stored before the fact and settled by their own moment, to the digit.

use golem_core::intent::{Asset, Outcome, Refusal};
use golem_core::venue::{PoolSeen, Wide};
use golem_core::{Elapsed, Intent, Observation, Preview, ProtocolState, RawObservation, Receipt, Usdc, VirtualTime};
use golem_mind::{Learning, Mind, Valuation};
use golem_mortality::{Domain, SettledForecast};
use proptest::prelude::*;

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-9
}

/// Turns at the given seconds with the given observations; what was settled at each.
fn live(turns: &[(u64, RawObservation)]) -> Vec<(u64, SettledForecast)> {
    let mut mind = Mind::default();
    let mut all = Vec::new();
    for (at, raw) in turns {
        let (now, mut out) = (VirtualTime(at * 1_000), Vec::new());
        mind.sense(&raw.admit(), now, Learning::FROZEN, &mut out);
        mind.forecast(now);
        all.extend(out.into_iter().map(|s| (*at, s)));
    }
    all
}

fn price(p: f64) -> RawObservation {
    RawObservation { price: Some(p), ..Default::default() }
}

/// (settled at, naive, actual) of a domain.
fn table(domain: Domain, turns: &[(u64, RawObservation)]) -> Vec<(u64, f64, f64)> {
    let settled = live(turns).into_iter().filter(|(_, s)| s.domain == domain);
    settled
        .map(|(at, s)| {
            assert!(close(s.naive_loss, (s.naive - s.actual) * (s.naive - s.actual)));
            assert!(close(s.model_loss, (s.predicted - s.actual) * (s.predicted - s.actual)));
            (at, s.naive, s.actual)
        })
        .collect()
}

fn check(domain: Domain, turns: &[(u64, RawObservation)], expected: &[(u64, f64, f64)]) {
    let got = table(domain, turns);
    assert_eq!(got.len(), expected.len(), "{got:?}");
    for (g, e) in got.iter().zip(expected) {
        assert!(g.0 == e.0 && close(g.1, e.1) && close(g.2, e.2), "{g:?} is not {e:?}");
    }
}

#[test]
fn price_direction() {
    let ln = libm::log;
    // Made at 0 and 1000, due at 3600 and 4600; the turns at 3500 and 3700 are seen; what is made later is not due.
    let turns = [(0, price(100.0)), (1_000, price(110.0)), (3_500, price(90.0)), (3_700, price(121.0))];
    check(Domain::PriceDirection, &turns, &[(3_700, 0.0, ln(1.21))]);
    // One turn of an hour settles the turn before; a longer one, too.
    let bars = [(0, price(100.0)), (3_600, price(102.0)), (7_200, price(101.0)), (20_000, price(99.0))];
    let expected = [(3_600, 0.0, ln(1.02)), (7_200, 0.0, ln(101.0 / 102.0)), (20_000, 0.0, ln(99.0 / 101.0))];
    check(Domain::PriceDirection, &bars, &expected);
    // The moment passed unseen: void, and never settled by a later price.
    let gap = [(0, price(100.0)), (3_600, RawObservation::default()), (7_200, price(150.0)), (10_800, price(75.0))];
    check(Domain::PriceDirection, &gap, &[(10_800, 0.0, ln(0.5))]);
}

#[test]
fn volatility_regime() {
    // Bars of an hour: the volatility of a bar is its return. Naive is the bar before.
    let bars = [(0, price(100.0)), (3_600, price(101.0)), (7_200, price(99.0)), (10_800, price(99.5))];
    let r: Vec<f64> =
        [101.0 / 100.0, 99.0 / 101.0, 99.5 / 99.0].iter().map(|x: &f64| libm::log(libm::log(*x).abs())).collect();
    check(Domain::VolatilityRegime, &bars, &[(7_200, r[0], r[1]), (10_800, r[1], r[2])]);
    // Half hours: the first volatility is known after an hour; a late settlement is scaled to the hour.
    let e = |x: f64| price(libm::exp(x));
    let halves = [(0, e(0.0)), (1_800, e(0.01)), (3_600, e(0.03)), (5_400, e(0.02)), (9_000, e(0.06))];
    let naive = |variance: f64| 0.5 * libm::log(variance);
    let expected = [
        // Made at 3600: 0.01 and 0.02 before, then 0.01 and 0.04 within 5400 s.
        (9_000, naive(1e-4 + 4e-4), naive((1e-4 + 16e-4) * 3_600.0 / 5_400.0)),
        // Made at 5400: 0.02 and 0.01 before, then 0.04 within 3600 s.
        (9_000, naive(4e-4 + 1e-4), naive(16e-4)),
    ];
    check(Domain::VolatilityRegime, &halves, &expected);
}

#[test]
fn yield_trend_and_gas_condition() {
    let ln = libm::log;
    let both = |y: f64, g: f64| RawObservation { fee_yield: Some(y), gas_gwei: Some(g), ..Default::default() };
    let turns =
        [(0, both(0.001, 10.0)), (600, both(0.0011, 11.0)), (900, both(0.0009, 12.0)), (10_800, both(0.0012, 9.0))];
    check(Domain::YieldTrend, &turns, &[(10_800, ln(0.001), ln(0.0012))]);
    let expected = [(600, ln(10.0), ln(11.0)), (10_800, ln(11.0), ln(9.0)), (10_800, ln(12.0), ln(9.0))];
    check(Domain::GasCondition, &turns, &expected);
    // A field that is missing is silent: nothing is made at 600, what was due there is void.
    let no_gas = RawObservation { fee_yield: Some(0.001), ..Default::default() };
    let turns = [(0, both(0.001, 10.0)), (600, no_gas), (1_200, both(0.001, 12.0)), (1_800, both(0.001, 13.0))];
    check(Domain::GasCondition, &turns, &[(1_800, ln(12.0), ln(13.0))]);
}

#[test]
fn protocol_state() {
    let state = |s| RawObservation { protocol: Some(s), ..Default::default() };
    let (normal, degraded) = (state(ProtocolState::Normal), state(ProtocolState::Degraded));
    let turns = [(0, normal), (3_600, degraded), (7_200, degraded)];
    let settled = live(&turns);
    // One normal seen: 2/4, 1/4, 1/4. Then one of each: 2/5, 2/5, 1/5. A frozen model says what naive says.
    let first = settled[0].1;
    assert!(close(first.predicted, 0.5) && close(first.naive, 0.5) && close(first.actual, 0.0) && !first.hit);
    assert!(close(first.naive_loss, 0.25 + 0.5625 + 0.0625) && close(first.model_loss, first.naive_loss));
    let second = settled[1].1;
    assert!(close(second.naive, 0.4) && close(second.naive_loss, 0.16 + 0.36 + 0.04));
    assert_eq!((settled.len(), settled[0].0, settled[1].0), (2, 3_600, 7_200));
}

/// A mind that has seen a price of 2,000, and what is settled when it wants something, is told a preview, and gets a
/// receipt.
fn judge(mind: &mut Mind, intent: Intent, said: Outcome, came: Outcome, pool: PoolSeen) -> Option<SettledForecast> {
    let mut out = Vec::new();
    mind.sense(&price(2_000.0).admit(), VirtualTime(0), Learning::FULL, &mut out);
    mind.expect(&intent, &Valuation { nav: Usdc::whole(100), liquidity: Usdc::whole(20) });
    let mut preview = Preview::refused(intent, Refusal::NoMarket);
    (preview.outcome, preview.before.pool) = (said, pool);
    let mut receipt = Receipt::kept_back(intent, Refusal::NoMarket);
    receipt.outcome = came;
    mind.verify(&preview, &receipt, Learning::FULL, &mut out);
    out.pop()
}

/// Micro-wholes of the asset.
fn asset(micro: u128) -> Asset {
    Asset(micro * Asset::WHOLE / 1_000_000)
}

#[test]
fn action_outcome() {
    let buy = Intent::Buy { pay: Usdc::whole(10), min_out: asset(4_975) };
    let sell = Intent::Sell { give: asset(5_000), min_out: Usdc(9_950_000) };
    let bought = |paid, got| Outcome::Bought { paid: Usdc::whole(paid), got: asset(got) };
    let sold = |got| Outcome::Sold { gave: asset(5_000), got: Usdc(got) };
    let no = |why| Outcome::Refused { why };
    // 10 USDC buy 0.005 at 2,000, and 0.005 sell for 10. What was said, what came, and both in basis points of that.
    let table = [
        ("as said", buy, bought(10, 4_985), bought(10, 4_985), Some((-30.0, -30.0))),
        ("a rival came first", buy, bought(10, 4_985), bought(10, 4_980), Some((-30.0, -40.0))),
        ("half filled, at the quote", buy, bought(10, 5_000), bought(5, 2_500), Some((0.0, 0.0))),
        ("better than said", sell, sold(9_990_000), sold(9_995_000), Some((-10.0, -5.0))),
        ("refused: the least that was asked", buy, bought(10, 4_985), no(Refusal::Slippage), Some((-30.0, -50.0))),
        ("reverted", sell, sold(9_990_000), no(Refusal::Reverted), Some((-10.0, -50.0))),
        ("said to fail, and did not", buy, no(Refusal::Slippage), bought(10, 4_985), Some((-50.0, -30.0))),
        ("said to fail, so never sent", buy, no(Refusal::Slippage), no(Refusal::Slippage), None),
        ("no permit", buy, bought(10, 4_985), no(Refusal::Denied), None),
        ("safe mode", buy, bought(10, 4_985), no(Refusal::Withheld), None),
        ("no money", buy, bought(10, 4_985), no(Refusal::Funds), None),
        ("no chain", buy, bought(10, 4_985), no(Refusal::NoMarket), None),
        ("taken back", buy, bought(10, 4_985), no(Refusal::Cancelled), None),
    ];
    let mut mind = Mind::default();
    for (name, intent, said, came, expected) in table {
        let got = judge(&mut mind, intent, said, came, PoolSeen::default());
        assert_eq!(got.is_some(), expected.is_some(), "{name}: {got:?}");
        let Some((s, (predicted, actual))) = got.zip(expected) else { continue };
        assert!(close(s.predicted, predicted) && close(s.actual, actual) && close(s.naive, 0.0), "{name}: {s:?}");
        let (model, naive) = ((predicted - actual) * (predicted - actual), actual * actual);
        assert!(close(s.model_loss, model) && close(s.naive_loss, naive), "{name}: {s:?}");
    }
    let tally = mind.summary()[Domain::ActionOutcome.index()].tally;
    assert_eq!((tally.settled, tally.void), (7, 6));
    // Liquidity has no quote, and a receipt for what was never wanted here is a stranger's.
    let add = Intent::Add { pay: Usdc::whole(1), give: asset(500), width_bps: 0, tolerance_bps: 50 };
    let added = Outcome::Added { paid: Usdc::whole(1), gave: asset(500), liquidity: 7 };
    assert_eq!(judge(&mut mind, add, added, no(Refusal::Slippage), PoolSeen::default()), None);
    let mut out = Vec::new();
    let stranger = Intent::Buy { pay: Usdc::whole(11), min_out: Asset(1) };
    let mut receipt = Receipt::kept_back(stranger, Refusal::NoMarket);
    receipt.outcome = bought(10, 1);
    mind.verify(&Preview::refused(stranger, Refusal::NoMarket), &receipt, Learning::FULL, &mut out);
    assert_eq!((out, mind.summary()[Domain::ActionOutcome.index()].tally), (vec![], tally));
}

#[test]
fn a_swap_is_held_against_the_price_of_the_pool_it_was_previewed_on() {
    // The pool moved to 1,990 after the price was seen; USDC is token1 here, token0 there.
    let root = |raw: f64| {
        let x96 = (libm::sqrt(raw) * (1u128 << 96) as f64) as u128;
        Wide([x96 as u64, (x96 >> 64) as u64, 0, 0])
    };
    let sell = Intent::Sell { give: asset(5_000), min_out: Usdc(1) };
    let sold = Outcome::Sold { gave: asset(5_000), got: Usdc(9_940_050) };
    for raw in [1_990.0 / 1e12, 1e12 / 1_990.0] {
        let pool = PoolSeen { sqrt_price_x96: root(raw), ..Default::default() };
        let s = judge(&mut Mind::default(), sell, sold, sold, pool).expect("settled");
        assert!((s.actual + 10.0).abs() < 1e-3, "0.005 at 1,990 are 9.95 USDC, and ten basis points less came: {s:?}");
    }
}

#[test]
fn what_swaps_cost_is_learnt_from_receipts() {
    let mut mind = Mind::default();
    let buy = Intent::Buy { pay: Usdc::whole(10), min_out: asset(4_975) };
    let bought = Outcome::Bought { paid: Usdc::whole(10), got: asset(4_994) };
    for n in 0..20 {
        assert_eq!(mind.forecast(VirtualTime(0)).cost_bps.is_some(), n >= 3, "after {n}");
        judge(&mut mind, buy, bought, bought, PoolSeen::default());
    }
    let cost = mind.forecast(VirtualTime(0)).cost_bps.expect("learnt");
    assert!((10.0..13.0).contains(&cost), "twelve basis points each time, shrunk a little: {cost}");
}

#[test]
fn asleep_settles_and_says_nothing() {
    let mut mind = Mind::default();
    let mut out = Vec::new();
    for t in 0..200u64 {
        let now = VirtualTime(0).after(Elapsed::nominal(t));
        mind.sense(&price(100.0 + t as f64).admit(), now, Learning::FULL, &mut out);
        if t < 10 {
            mind.forecast(now);
        }
    }
    assert_eq!(out.len(), 10, "ten returns, and volatility was not known yet");
    assert!(mind.summary().iter().all(|s| s.pending == 0));
}

/// A plain ledger of one domain: everything that was said, kept for ever.
#[derive(Default)]
struct Ledger(Vec<(VirtualTime, f64, f64, f64, bool)>);

impl Ledger {
    fn settle(&mut self, now: VirtualTime, horizon: Elapsed, level: Option<f64>) -> Vec<(f64, f64, f64)> {
        let due = self.0.iter_mut().filter(|e| !e.4 && now.since(e.0) >= horizon);
        due.filter_map(|e| {
            e.4 = true;
            level.map(|l| (e.1, e.2, l - e.3))
        })
        .collect()
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..Default::default() })]
    /// Whatever the spacing and whatever is missing, what is settled is what a plain ledger settles.
    #[test]
    fn settled_equals_a_plain_ledger(
        turns in prop::collection::vec((40u64..8_000, prop::option::weighted(0.8, -3.0f64..3.0)), 1..150),
        learning: bool,
    ) {
        let learning = if learning { Learning::FULL } else { Learning::FROZEN };
        let (mut mind, mut now) = (Mind::default(), VirtualTime(0));
        let (mut prices, mut gases, mut yields) = (Ledger::default(), Ledger::default(), Ledger::default());
        for (secs, level) in turns {
            now = now.after(Elapsed::secs(secs));
            let x = level.map(libm::exp);
            let seen: Observation =
                RawObservation { price: x, gas_gwei: x, fee_yield: x, ..Default::default() }.admit();
            let level = seen.price.map(golem_core::Positive::ln);
            let mut out = Vec::new();
            mind.sense(&seen, now, learning, &mut out);
            let ledgers = [
                (Domain::PriceDirection, &mut prices),
                (Domain::GasCondition, &mut gases),
                (Domain::YieldTrend, &mut yields),
            ];
            for (domain, ledger) in ledgers {
                let expected = ledger.settle(now, domain.horizon(), level);
                let got = out.iter().filter(|s| s.domain == domain).map(|s| (s.predicted, s.naive, s.actual));
                prop_assert_eq!(got.collect::<Vec<_>>(), expected);
            }
            let outlook = *mind.forecast(now);
            if let Some(level) = level {
                prices.0.push((now, outlook.mean_return.unwrap(), 0.0, level, false));
                gases.0.push((now, outlook.log_gas.unwrap(), level, 0.0, false));
                yields.0.push((now, outlook.log_yield.unwrap(), level, 0.0, false));
            } else {
                prop_assert!(outlook.mean_return.is_none() && outlook.log_gas.is_none() && outlook.log_yield.is_none());
            }
        }
    }
}
