//! What is tried on copies of a paper floor: exact where it was lived, blind for the future, and without a trace.
//! `BARDO_LONG=1` does a thousand acts again.

use crate::dream_kit::{self as kit, STORM, Trader, WHO, Wander, at, run};
use golem_core::door::{
    ForkAct, ForkDeed, ForkFailure, ForkFrom, ForkRequest, ForkRun, Hands as _, MOST_FORK_RUNS, MOST_FORK_STEPS,
    World as _,
};
use golem_core::intent::{Asset, Outcome};
use golem_core::{Intent, Point, Usdc};
use golem_venue::floor::{Floor, FloorHands, FloorPlan, FloorWorld, SharedFloor};
use golem_venue::scenario::{Happening, ScenarioEvent};
use golem_venue::spot::price_f64;
use proptest::prelude::*;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

fn floor_in(seed: u64, sigma: f64, scenario: Option<&str>) -> (SharedFloor, Arc<AtomicU64>) {
    let outside = Wander::new(seed, sigma);
    let asked = Arc::clone(&outside.asked);
    let floor = Floor::paper(kit::plan(seed, scenario), seed.is_multiple_of(2), Box::new(outside)).unwrap();
    (SharedFloor::new(floor), asked)
}

fn trader(seed: u64, scenario: Option<&str>) -> Trader {
    Trader::on(floor_in(seed, 0.001, scenario).0, seed)
}

fn event(at_tick: u64, for_ticks: u64, what: Happening) -> ScenarioEvent {
    ScenarioEvent { at_tick, for_ticks, what }
}

fn price(floor: &SharedFloor) -> f64 {
    price_f64(&floor.hold().ground().view().unwrap())
}

const CRASH: Happening = Happening::Shock { bps: -3_000, over_ticks: 5, reverts: false };
const RANGE: ForkDeed = ForkDeed::KeepRange { width_bps: 500, share_bps: 5_000 };

#[test]
fn doing_what_was_done_gives_the_receipt_that_was_lived() {
    let wanted = if std::env::var_os("BARDO_LONG").is_some() { 1_000 } else { 80 };
    for (seed, scenario) in [(1, None), (2, Some(STORM))] {
        let mut trader = trader(seed, scenario);
        for n in 1.. {
            trader.turn(n);
            if trader.acts.len() >= wanted {
                break;
            }
        }
        assert!(trader.acts.iter().any(|act| !act.alone));
        assert!(kit::same_again(&mut trader) >= wanted);
    }
}

#[test]
fn the_past_goes_on_as_it_was_lived_and_never_past_the_present() {
    for scenario in [None, Some(STORM)] {
        let (floor, asked) = floor_in(3, 0.001, scenario);
        let mut trader = Trader::on(floor.clone(), 3);
        trader.turns(1..60);
        // From here on it only watches.
        let mut lived: Vec<(Point, f64)> = Vec::new();
        for n in 60..400 {
            trader.look(n);
            let view = floor.hold().ground().view().unwrap();
            lived.push((view.point, price_f64(&view)));
        }
        let places = [0_usize, 7, 128, 200, 338, 339];
        let runs = places.iter().map(|n| run(ForkFrom::Lived(lived[*n].0), &[], 100)).collect();
        let reply = trader.ask(runs);
        for (place, ran) in places.iter().zip(&reply.runs) {
            let ran = ran.as_ref().unwrap();
            let end = (place + 100).min(lived.len() - 1);
            assert_eq!(ran.steps as usize, end - place);
            assert_eq!(ran.prices.map(f64::to_bits), [lived[*place].1, lived[end].1].map(f64::to_bits));
        }
        let far = trader.acts.iter().map(|act| run(ForkFrom::Lived(at(act)), &[(0, RANGE)], MOST_FORK_STEPS));
        let far = far.take(8).collect();
        assert!(trader.ask(far).runs.iter().all(Result::is_ok));
        let present = run(ForkFrom::Present, &[(0, RANGE)], 300);
        assert_eq!(trader.ask(vec![present]).runs[0].as_ref().unwrap().steps, 300);
        assert_eq!(asked.load(Ordering::Relaxed), trader.tick(), "nobody asked for a tick that was not lived");
    }
}

#[test]
fn points_that_were_never_lived_are_refused() {
    let mut trader = trader(4, None);
    trader.turns(1..30);
    let head = trader.floor.hold().ground().view().unwrap().point;
    let later = Point { block: head.block + 1, index: 0 };
    let inside = Point { block: head.block - 3, index: 900 };
    for nowhere in [later, inside, Point::default()] {
        let reply = trader.ask(vec![run(ForkFrom::Lived(nowhere), &[], 1)]);
        assert_eq!(reply.runs, [Err(ForkFailure::NoSuchPoint)], "{nowhere}");
    }
    // Where nothing was done, nothing can be done as it was.
    trader.look(40);
    let quiet = trader.floor.hold().ground().view().unwrap().point;
    let reply = trader.ask(vec![run(ForkFrom::Lived(quiet), &[(0, ForkDeed::AsLived)], 0)]);
    assert_eq!(reply.runs, [Err(ForkFailure::NoSuchPoint)]);
}

/// On bars a run counts nominal ticks too: one step covers ninety of them, and what comes within a bar is there at its end.
#[test]
fn on_bars_a_run_counts_ticks_and_its_weather_comes_within_them() {
    let plan = FloorPlan { step_ticks: 90, ..kit::plan(5, None) };
    let floor = Floor::paper(plan, true, Box::new(Wander::new(5, 0.0))).unwrap();
    let mut trader = Trader::on(SharedFloor::new(floor), 5);
    trader.look(90 * 40);
    let fall = |steps| ForkRun { weather: vec![event(2, 500, CRASH)], ..run(ForkFrom::Present, &[], steps) };
    let reply = trader.ask(vec![fall(90), fall(91), run(ForkFrom::Present, &[], 90)]);
    let ran: Vec<_> = reply.runs.into_iter().map(Result::unwrap).collect();
    assert_eq!(ran.iter().map(|ran| ran.steps).collect::<Vec<_>>(), [90, 91, 90]);
    let moved: Vec<f64> = ran.iter().map(|ran| ran.prices[1] / ran.prices[0] - 1.0).collect();
    assert!(moved[0] < -0.28 && moved[1] < -0.28 && moved[2] > -0.01, "{moved:?}");
}

#[test]
fn the_future_is_made_up() {
    // The price outside stands still; what moves the pool is noise alone.
    let (floor, _) = floor_in(5, 0.0, None);
    let mut trader = Trader::on(floor.clone(), 5);
    trader.look(50);
    let imagined: Vec<f64> = (1..=30)
        .map(|steps| trader.ask(vec![run(ForkFrom::Present, &[], steps)]).runs[0].as_ref().unwrap().prices[1])
        .collect();
    let mut really = Vec::new();
    for n in 51..=80 {
        trader.look(n);
        really.push(price(&floor));
    }
    let same = imagined.iter().zip(&really).filter(|(a, b)| a.to_bits() == b.to_bits()).count();
    // Arbitrage leaves both at the same edge of its band now and then; a future that is known would be the same throughout.
    assert!(same < 12, "{same} of 30 imagined prices came true to the last digit");
    assert!(imagined.windows(2).any(|w| w[0].to_bits() != w[1].to_bits()), "strangers trade there too");
}

#[test]
fn what_is_to_come_is_not_foreseen_and_what_is_on_stays() {
    let text = r#"
name = "later"
about = "A crash to come, and a drain and dear gas that are on."

[[events]]
what = "shock"
at_tick = 60
for_ticks = 1000
bps = -4000
over_ticks = 2

[[events]]
what = "liquidity_drain"
at_tick = 10
for_ticks = 45
share_bps = 5000

[[events]]
what = "gas"
at_tick = 10
for_ticks = 45
factor = 20
"#;
    let (floor, _) = floor_in(6, 0.0, Some(text));
    let mut trader = Trader::on(floor.clone(), 6);
    trader.look(50);
    let (view, gas) = {
        let view = floor.hold().ground().view().unwrap();
        (view, view.base_fee)
    };
    assert!(gas > 1_000_000_000, "gas is dear now: {gas}");
    let buy = Intent::Buy { pay: Usdc::whole(100), min_out: Asset(0) };
    let buys = |after| run(ForkFrom::Present, &[(after, ForkDeed::Once(buy))], 100);
    let reply = trader.ask(vec![buys(0), buys(90)]);
    let [now, later] = [0, 1].map(|n| reply.runs[n].as_ref().unwrap());
    assert!((later.prices[1] / later.prices[0] - 1.0).abs() < 0.02, "{later:?}");
    let ratio = later.acted[0].gas.as_f64() / now.acted[0].gas.as_f64();
    assert!((0.95..1.05).contains(&ratio), "gas stands where it is: {ratio}");
    // The liquidity that has left does not come back: a large purchase moves the price as much as it would now.
    let large = Intent::Buy { pay: Usdc::whole(9_000), min_out: Asset(0) };
    let moved = |after| run(ForkFrom::Present, &[(after, ForkDeed::Once(large))], after);
    let got = |ran: &golem_core::door::ForkRan| match ran.acted[0].outcome {
        Outcome::Bought { got, .. } => got.as_f64() * ran.prices[0],
        other => panic!("{other:?}"),
    };
    let reply = trader.ask(vec![moved(0), moved(1)]);
    let [at_once, a_step_later] = [0, 1].map(|n| got(reply.runs[n].as_ref().unwrap()));
    assert!((at_once / a_step_later - 1.0).abs() < 0.001, "{at_once} {a_step_later}");
    assert_eq!(floor.hold().ground().view().unwrap(), view);
}

#[test]
fn standing_orders_act_when_they_have_to() {
    let mut trader = trader(7, None);
    trader.look(100);
    let from = ForkFrom::Present;
    let share = ForkDeed::KeepShare { share_bps: 5_000, band_bps: 500 };
    let calm = |what| run(from, &[(0, what)], 20);
    let stormy = |what| ForkRun { weather: vec![event(5, 50, CRASH)], ..run(from, &[(0, what)], 20) };
    let out = ForkRun { acts: run(from, &[(0, RANGE), (3, ForkDeed::Unwind)], 20).acts, ..stormy(RANGE) };
    let reply = trader.ask(vec![calm(RANGE), stormy(RANGE), calm(share), stormy(share), out, stormy(share)]);
    let ran: Vec<_> = reply.runs.iter().map(|run| run.as_ref().unwrap()).collect();
    assert_eq!(ran[0].acted[0].times, 1, "{:?}", ran[0]);
    assert!(matches!(ran[0].acted[0].outcome, Outcome::Added { .. }), "{:?}", ran[0]);
    assert!(ran[1].acted[0].times > 1, "moved after the price: {:?}", ran[1]);
    assert_eq!(ran[2].acted[0].times, 1, "{:?}", ran[2]);
    assert!(ran[3].acted[0].times > 1, "{:?}", ran[3]);
    assert!(matches!(ran[3].acted[0].outcome, Outcome::Bought { .. }), "it buys what has fallen: {:?}", ran[3]);
    // Half in the asset loses about half of the fall, and less where it was given back before it.
    assert!(ran[3].after < ran[2].after.ratio(9, 10) && ran[3].lowest <= ran[3].after, "{ran:?}");
    assert!(ran[4].after > ran[2].after.ratio(98, 100), "{:?}", ran[4]);
    assert_eq!(ran[4].acted[0].times, 1, "an order ends the one before it");
    assert!(matches!(ran[4].acted[1].outcome, Outcome::Sold { .. }), "{:?}", ran[4]);
    assert!(ran.iter().all(|ran| ran.before == kit::FUNDS && ran.lowest <= ran.after));
    assert_eq!(ran[3], ran[5]);
}

#[test]
fn gas_is_part_of_what_it_is_worth_and_acts_that_never_came_cost_nothing() {
    let mut trader = trader(8, None);
    trader.turns(1..40);
    trader.look(60);
    let point = trader.floor.hold().ground().view().unwrap().point;
    trader.look(65);
    let late = run(ForkFrom::Lived(point), &[(0, ForkDeed::Once(Intent::Hold)), (50, ForkDeed::Unwind)], 60);
    let tiny = Intent::Buy { pay: Usdc(10), min_out: Asset(0) };
    let dear = ForkRun { steps: 0, ..run(ForkFrom::Lived(point), &[(0, ForkDeed::Once(tiny))], 0) };
    let reply = trader.ask(vec![late, dear]);
    let (late, dear) = (reply.runs[0].as_ref().unwrap(), reply.runs[1].as_ref().unwrap());
    assert_eq!(late.steps, 5, "no more were lived");
    assert_eq!(late.acted[1], golem_core::door::ForkActed::NOTHING);
    assert_eq!(late.acted[0].gas, Usdc::ZERO);
    assert!(dear.acted[0].gas > Usdc::ZERO);
    assert!(dear.before.minus(dear.after) >= dear.acted[0].gas, "{dear:?}");
    assert_eq!(dear.after, dear.lowest);
}

#[test]
fn who_lies_in_wait_is_there_from_the_beginning() {
    let mut trader = trader(9, None);
    trader.look(30);
    let buy = ForkDeed::Once(Intent::Buy { pay: Usdc::whole(5_000), min_out: Asset(0) });
    let plain = run(ForkFrom::Present, &[(0, buy)], 0);
    let weather = vec![event(0, 10, Happening::Sandwich { times: 20.0, every: 1 })];
    let reply = trader.ask(vec![plain.clone(), ForkRun { weather, ..plain }]);
    let got = |n: usize| match reply.runs[n].as_ref().unwrap().acted[0].outcome {
        Outcome::Bought { got, .. } => got,
        other => panic!("{other:?}"),
    };
    assert!(got(1).0 < got(0).0 - got(0).0 / 1_000, "{:?} {:?}", got(0), got(1));
}

#[test]
fn what_is_unsound_is_refused() {
    let mut trader = trader(10, None);
    trader.turns(1..20);
    let sound = run(ForkFrom::Present, &[], 1);
    let hold = ForkDeed::Once(Intent::Hold);
    let nan = event(0, 5, Happening::Volatility { factor: f64::NAN });
    for (name, bad) in [
        ("too long", run(ForkFrom::Present, &[], MOST_FORK_STEPS + 1)),
        ("out of order", run(ForkFrom::Present, &[(3, hold), (1, hold)], 5)),
        ("after its end", run(ForkFrom::Present, &[(6, hold)], 5)),
        ("too many acts", run(ForkFrom::Present, &[(0, hold); 33], 5)),
        ("bad weather", ForkRun { weather: vec![nan], ..sound.clone() }),
        ("too much weather", ForkRun { weather: vec![event(0, 5, CRASH); 17], ..sound.clone() }),
        ("as lived in the future", run(ForkFrom::Present, &[(0, ForkDeed::AsLived)], 5)),
        ("as lived later", run(ForkFrom::Lived(Point::default()), &[(1, ForkDeed::AsLived)], 5)),
    ] {
        let reply = trader.ask(vec![sound.clone(), bad, sound.clone()]);
        assert_eq!(reply.runs[1], Err(ForkFailure::Unsound), "{name}");
        assert!(reply.runs[0].is_ok() && reply.runs[0] == reply.runs[2], "{name}: the others are answered");
    }
    let many = trader.ask(vec![sound.clone(); MOST_FORK_RUNS + 1]);
    assert!(many.runs.len() == MOST_FORK_RUNS + 1 && many.runs.iter().all(|r| *r == Err(ForkFailure::Unsound)));
    let request = ForkRequest { runs: vec![sound] };
    assert!(trader.ask(request.runs.clone()).is_for(&request));
}

fn deeds() -> impl Strategy<Value = ForkDeed> {
    let share = 0_u32..20_000;
    prop_oneof![
        (any::<u64>(), 0_u128..1 << 70).prop_map(|(pay, min_out)| ForkDeed::Once(Intent::Buy {
            pay: Usdc(pay % 20_000_000_000),
            min_out: Asset(min_out)
        })),
        (0_u128..1 << 66).prop_map(|give| ForkDeed::Once(Intent::Sell { give: Asset(give), min_out: Usdc(0) })),
        (share.clone(), any::<u32>())
            .prop_map(|(share_bps, tolerance_bps)| ForkDeed::Once(Intent::Remove { share_bps, tolerance_bps })),
        (any::<u32>(), any::<u32>())
            .prop_map(|(width_bps, tolerance_bps)| ForkDeed::Once(Intent::Rebalance { width_bps, tolerance_bps })),
        (any::<u32>(), share.clone()).prop_map(|(width_bps, share_bps)| ForkDeed::KeepRange { width_bps, share_bps }),
        (share.clone(), share).prop_map(|(share_bps, band_bps)| ForkDeed::KeepShare { share_bps, band_bps }),
        Just(ForkDeed::Unwind),
        Just(ForkDeed::AsLived),
        Just(ForkDeed::Once(Intent::Collect)),
    ]
}

fn weather() -> impl Strategy<Value = ScenarioEvent> {
    let what = prop_oneof![
        (-9_900_i32..20_000).prop_map(|bps| Happening::Shock { bps, over_ticks: 3, reverts: bps % 2 == 0 }),
        (0_u32..9_900).prop_map(|share_bps| Happening::LiquidityDrain { share_bps }),
        (-9_000_i32..9_000).prop_map(|push_bps| Happening::OracleDistortion { push_bps, every_ticks: 3 }),
        (0.01_f64..100.0).prop_map(|times| Happening::Sandwich { times, every: 1 }),
        (0.01_f64..1_000.0).prop_map(|factor| Happening::Gas { factor }),
        (-1.0_f64..30.0).prop_map(|factor| Happening::Volatility { factor }),
    ];
    (0_u64..20, 0_u64..30, what).prop_map(|(at, long, what)| event(at, long, what))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if std::env::var_os("BARDO_LONG").is_some() { 400 } else { 24 }))]
    #[test]
    fn trying_leaves_no_trace_and_is_the_same_every_time(
        seed in 0_u64..40,
        lived in 20_u64..200,
        picks in proptest::collection::vec((any::<u16>(), proptest::collection::vec((0_u32..12, deeds()), 0..4),
            proptest::collection::vec(weather(), 0..3), 0_u32..14), 1..6),
    ) {
        let scenario = (seed % 2 == 0).then_some(STORM);
        let make = || floor_in(seed, 0.002, scenario).0;
        let mut one = Trader::on(make(), seed);
        let mut other = Trader::on(make(), seed);
        one.turns(1..lived);
        other.turns(1..lived);
        let points: Vec<Point> = one.acts.iter().map(at).collect();
        let runs: Vec<ForkRun> = picks.into_iter().map(|(pick, mut acts, weather, steps)| {
            if pick % 7 != 0 {
                acts.sort_by_key(|(after, _)| *after);
            }
            let point = points.get(usize::from(pick) % points.len().max(1)).copied().unwrap_or_default();
            let from = if pick % 3 == 0 { ForkFrom::Present } else { ForkFrom::Lived(point) };
            let acts = acts.into_iter().map(|(after, what)| ForkAct { after, what }).collect();
            ForkRun { from, acts, weather, steps }
        }).collect();
        let saved = one.seen.save();
        let reply = one.ask(runs.clone());
        for (run, result) in runs.iter().zip(&reply.runs) {
            prop_assert_eq!(run.is_sound(), *result != Err(ForkFailure::Unsound));
            if let Ok(ran) = result {
                prop_assert!(ran.lowest <= ran.after && ran.lowest <= ran.before && ran.acted.len() == run.acts.len());
            }
        }
        prop_assert!(one.seen.save() == saved, "the floor is as it was");
        prop_assert_eq!(&one.ask(runs.clone()), &reply);
        // Also by a floor that was put away and taken out again, and one run at a time.
        let again = make();
        FloorWorld::new(again.clone(), WHO, 0).restore(&saved).unwrap();
        let mut hands = FloorHands::new(again, WHO);
        prop_assert_eq!(&hands.try_on_fork(&ForkRequest { runs: runs.clone() }, &kit::holdings()), &reply);
        for (run, result) in runs.iter().zip(&reply.runs) {
            prop_assert_eq!(&one.ask(vec![run.clone()]).runs[0], result);
        }
        // And what comes then is what would have come.
        one.turns(lived..lived + 20);
        other.turns(lived..lived + 20);
        prop_assert!(one.seen.save() == other.seen.save());
    }
}
