//! The state is all there is: saved and restored a mind goes on the same, and nothing that is observed can break it.

use crate::kit;
use golem_core::intent::{Asset, Holdings, Refusal};
use golem_core::{Elapsed, Observation, Preview, ProtocolState, RawObservation, Receipt, Usdc, VirtualTime};
use golem_mind::{Learning, Mind, Outlook, Permissions, PolicyConfig, Template, Valuation};
use golem_mortality::{Domain, SettledForecast};
use kit::{Life, Market};
use proptest::prelude::*;

/// Any observation that passes the boundary, absurd ones included.
fn anything() -> impl Strategy<Value = Observation> {
    let number = || prop_oneof![4 => Just(0.0), 6 => 1.0f64..2.0, 2 => 1e-12f64..1e12, 1 => 1e-150f64..1e150];
    (number(), number(), number(), prop::option::of(0usize..3)).prop_map(|(price, gas, fees, state)| {
        RawObservation {
            price: Some(price),
            gas_gwei: Some(gas),
            fee_yield: Some(fees),
            volume: None,
            protocol: state.map(|s| ProtocolState::ALL[s]),
            ..RawObservation::default()
        }
        .admit()
    })
}

fn seconds() -> impl Strategy<Value = u64> {
    prop_oneof![2 => Just(0u64), 6 => Just(40u64), 3 => Just(80u64), 3 => Just(3_600u64), 1 => 0u64..1_000_000_000]
}

fn learnings() -> impl Strategy<Value = Learning> {
    (any::<bool>(), -1.0f64..2.0).prop_map(|(enabled, plasticity)| Learning { enabled, plasticity, ..Learning::FULL })
}

type Turn = (Observation, u64, Learning, Permissions, Template);

fn turns(n: usize) -> impl Strategy<Value = Vec<Turn>> {
    let may = (-1.0f64..2.0, any::<bool>(), any::<bool>(), prop::bool::weighted(0.2));
    let may = may.prop_map(|(risk, may_open, may_rebalance, unwind)| Permissions {
        risk,
        may_open,
        may_rebalance,
        unwind,
        urgent: false,
    });
    prop::collection::vec((anything(), seconds(), learnings(), may, prop::sample::select(&Template::ALL[..])), 1..n)
}

/// Live on; everything that can be seen from outside.
fn go_on(mind: &mut Mind, now: &mut VirtualTime, turns: &[Turn]) -> Vec<(Vec<SettledForecast>, Outlook, String)> {
    let holdings = Holdings {
        capital: Usdc::whole(30),
        asset: Asset(3_000_000_000_000_000),
        liquidity: 70,
        fees: Usdc::whole(2),
        in_range: !now.0.is_multiple_of(3),
        ..Default::default()
    };
    let value = Valuation { nav: Usdc::whole(60), liquidity: Usdc::whole(9) };
    let mut seen = Vec::new();
    for (observation, secs, learning, may, template) in turns {
        *now = now.after(Elapsed::secs(*secs));
        let mut out = Vec::new();
        mind.sense(observation, *now, *learning, &mut out);
        let outlook = *mind.forecast(*now);
        let config = PolicyConfig { template: *template, ..Default::default() };
        let intents = mind.decide(*now, &holdings, &value, may, &config);
        for intent in &intents {
            let preview = Preview::refused(*intent, Refusal::Slippage);
            mind.verify(&preview, &Receipt::kept_back(*intent, Refusal::Withheld), *learning, &mut out);
        }
        seen.push((out, outlook, format!("{intents:?} {:?} {:?}", mind.regime(), mind.senses().probes())));
    }
    seen
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..Default::default() })]
    #[test]
    fn a_restored_mind_goes_on_the_same(before in turns(200), after in turns(200)) {
        let (mut mind, mut now) = (Mind::default(), VirtualTime(0));
        go_on(&mut mind, &mut now, &before);
        let bytes = postcard::to_stdvec(&mind).unwrap();
        let mut restored: Mind = postcard::from_bytes(&bytes).unwrap();
        prop_assert_eq!(&restored, &mind);
        let mut again = now;
        prop_assert_eq!(go_on(&mut mind, &mut now, &after), go_on(&mut restored, &mut again, &after));
        prop_assert_eq!(postcard::to_stdvec(&mind).unwrap(), postcard::to_stdvec(&restored).unwrap());
    }

    #[test]
    fn everything_stays_finite(turns in turns(300)) {
        let (mut mind, mut now) = (Mind::default(), VirtualTime(0));
        for (settled, outlook, shown) in go_on(&mut mind, &mut now, &turns) {
            for s in settled {
                let numbers = [s.predicted, s.naive, s.actual, s.model_loss, s.naive_loss];
                prop_assert!(numbers.iter().all(|x| x.is_finite()), "{s:?}");
            }
            let levels = [outlook.mean_return, outlook.log_vol, outlook.log_yield, outlook.log_gas, outlook.cost_bps];
            prop_assert!(levels.iter().flatten().all(|x| x.is_finite()), "{outlook:?}");
            if let Some(p) = outlook.protocol {
                prop_assert!(p.iter().all(|p| (0.0..=1.0).contains(p)) && (p.iter().sum::<f64>() - 1.0).abs() < 1e-9);
            }
            prop_assert!(!shown.contains("NaN") && !shown.contains("inf"), "{shown}");
        }
        let state = format!("{mind:?}");
        prop_assert!(!state.contains("NaN") && !state.contains("inf"), "{state}");
        prop_assert!(mind.summary().iter().all(|s| s.pending <= 289));
    }
}

#[test]
fn storms_leave_skill() {
    let mut life = Life::new();
    let mut market = Market::new(4);
    for t in 0..20_000u64 {
        let mut raw = market.tick();
        match t % 977 {
            13 => raw.price = raw.price.map(|p| p * 1e12),
            14 => raw.gas_gwei = Some(1e140),
            15 => raw.fee_yield = Some(1e-140),
            _ => {}
        }
        life.turn(&raw.admit(), Elapsed::nominal(1), Learning::FULL);
    }
    let state = format!("{:?}", life.mind);
    assert!(!state.contains("NaN") && !state.contains("inf"));
    assert!(Domain::ALL.iter().all(|d| life.score.overall(*d) > 0.45), "{}", life.score.show());
}

#[test]
fn one_absurd_price_is_survived() {
    let run = |outlier: bool| {
        let (mut life, mut market) = (Life::new(), Market::new(6));
        for t in 0..2_160 * 10u64 {
            let mut raw = market.tick();
            if outlier && t == 2_160 * 6 {
                raw = RawObservation { price: Some(1e12), gas_gwei: Some(1e12), fee_yield: Some(1e12), ..raw };
            }
            if t == 2_160 * 7 {
                life.score = kit::Score::default();
            }
            life.turn(&raw.admit(), Elapsed::nominal(1), Learning::FULL);
        }
        life
    };
    let (clean, hurt) = (run(false), run(true));
    for domain in [Domain::PriceDirection, Domain::VolatilityRegime, Domain::YieldTrend, Domain::GasCondition] {
        let (a, b) = (clean.score.overall(domain), hurt.score.overall(domain));
        assert!((a - b).abs() < 0.03, "{domain}: {a} without, {b} with an outlier a day before");
    }
    let (a, b) = (clean.mind.outlook(), hurt.mind.outlook());
    let near = |a: Option<f64>, b: Option<f64>, by: f64| a.zip(b).is_some_and(|(a, b)| (a - b).abs() < by);
    assert!(near(a.log_vol, b.log_vol, 0.2) && near(a.log_gas, b.log_gas, 0.2) && near(a.log_yield, b.log_yield, 0.2));
}

#[test]
fn the_state_is_bounded() {
    for secs in [1, 15, 40, 3_600] {
        let (mut life, mut market) = (Life::new(), Market::new(2));
        for _ in 0..20_000 {
            life.turn(&market.tick().admit(), Elapsed::secs(secs), Learning::FULL);
        }
        let bytes = postcard::to_stdvec(&life.mind).unwrap().len();
        assert!(bytes < 80_000, "turns of {secs} s: {bytes} bytes");
    }
}
