//! Forecasts are stored before the fact and settled by their own moment, to the digit.

mod kit;
use golem_core::intent::{Asset, Holdings, Outcome, Refusal};
use golem_core::{Elapsed, Intent, Observation, ProtocolState, RawObservation, Receipt, Usdc, VirtualTime};
use golem_mind::{Learning, Mind, Valuation};
use golem_mortality::{Domain, Settled};
use proptest::prelude::*;

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-9
}

/// Turns at the given seconds with the given observations; what was settled at each.
fn live(turns: &[(u64, RawObservation)]) -> Vec<(u64, Settled)> {
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

#[test]
fn action_outcome() {
    let mut mind = Mind::default();
    let mut out = Vec::new();
    mind.sense(&price(2_000.0).admit(), VirtualTime(0), Learning::FULL, &mut out);
    let holdings = Holdings { capital: Usdc::whole(50), asset: Asset(10_000_000), units: 1_000, fees: Usdc(500_000) };
    let value = Valuation { nav: Usdc::whole(100), liquidity: Usdc::whole(20) };
    let mut act = |intent: Intent, outcome: Outcome| {
        mind.expect(&intent, &holdings, &value);
        let mut out = Vec::new();
        mind.verify(&Receipt { intent, outcome, gas: Usdc::ZERO }, Learning::FULL, &mut out);
        out.pop()
    };
    // 10 USDC buy 0.005 at 2000; 30 basis points less come back.
    let buy = Intent::Buy { pay: Usdc::whole(10), min_out: Asset(0) };
    let s = act(buy, Outcome::Bought { paid: Usdc::whole(10), got: Asset(4_985_000) }).expect("settled");
    assert!(close(s.actual, -30.0) && close(s.naive_loss, 900.0) && close(s.predicted, 0.0) && !s.hit);
    // The second time it knows better, and says so beforehand.
    let s = act(buy, Outcome::Bought { paid: Usdc::whole(10), got: Asset(4_985_000) }).expect("settled");
    assert!(s.predicted < -20.0 && s.hit && close(s.model_loss, (s.predicted + 30.0) * (s.predicted + 30.0)));
    // Half of it was filled, at the quote.
    let s = act(buy, Outcome::Bought { paid: Usdc::whole(5), got: Asset(2_500_000) }).expect("settled");
    assert!(close(s.actual, 0.0));
    let sell = Intent::Sell { give: Asset(5_000_000), min_out: Usdc::ZERO };
    let s = act(sell, Outcome::Sold { gave: Asset(5_000_000), got: Usdc(9_990_000) }).expect("settled");
    assert!(close(s.actual, -10.0));
    // Half the position is 10 USDC, and 0.50 of fees come with it.
    let remove = Intent::Remove { share_bps: 5_000, min_out: Usdc::ZERO };
    let s = act(remove, Outcome::Removed { units: 500, got: Usdc(10_489_500) }).expect("settled");
    assert!(close(s.actual, -10.0));
    // 1000 units are worth 20, so 10 USDC quote 500.
    let add = Intent::Add { pay: Usdc::whole(10), width_bps: 0 };
    let s = act(add, Outcome::Added { paid: Usdc::whole(10), units: 499 }).expect("settled");
    assert!(close(s.actual, -20.0));
    // What was refused, collected or never expected is judged neither way.
    assert_eq!(act(buy, Outcome::Refused { why: Refusal::Slippage }), None);
    assert_eq!(act(Intent::Collect, Outcome::Collected { got: Usdc(500_000) }), None);
    let stranger = Receipt { intent: buy, outcome: Outcome::Bought { paid: Usdc(1), got: Asset(1) }, gas: Usdc::ZERO };
    out.clear();
    mind.verify(&stranger, Learning::FULL, &mut out);
    assert_eq!(out, []);
    let tally = mind.summary()[Domain::ActionOutcome.index()].tally;
    assert_eq!((tally.settled, tally.void), (6, 1));
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
