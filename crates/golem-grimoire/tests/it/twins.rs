//! A rule is judged by its twin: the table of what was done with it, what would have been done without, and the path.

use crate::kit::{active, claiming, did, origin};
use golem_core::observed::{Field, Snapshot};
use golem_core::{Asset, Elapsed, GolemId, Intent, Name, Regime, Tick, Usdc, VirtualTime};
use golem_grimoire::choices::Choices;
use golem_grimoire::grimoire::{Awaited, TwinDifference, TwinPath};
use golem_grimoire::{EntryBody, EntryOrigin, Grimoire, Remembered, Went};

const FALLS: TwinPath = TwinPath { earned: -0.02, fee_yield: 0.0005, variance: 0.001, days: 1.0 / 24.0 };
const RISES: TwinPath = TwinPath { earned: 0.02, ..FALLS };
const STILL: TwinPath = TwinPath { earned: 0.0, ..FALLS };
const GOOD_DAY: TwinPath = TwinPath { earned: 0.0, fee_yield: 0.002, variance: 0.001, days: 1.0 };
const WILD_DAY: TwinPath = TwinPath { variance: 0.05, ..GOOD_DAY };

#[test]
fn the_table_of_twins() {
    // Exposure, liquidity and cost beyond the twin's; the path; whether the rule was right.
    for (what, exposure, pooled, cost_bps, path, right) in [
        ("a buy that was shrunk, and the price falls", -0.05, 0.0, -0.5, FALLS, true),
        ("a buy that was shrunk, and the price rises", -0.05, 0.0, -0.5, RISES, false),
        ("a buy that was shrunk, and nothing happens: the fee was saved", -0.05, 0.0, -0.5, STILL, true),
        ("a buy that was made larger, and the price rises", 0.05, 0.0, 0.5, RISES, true),
        ("a buy that was made larger, and nothing happens: it cost", 0.05, 0.0, 0.5, STILL, false),
        ("a sale that was brought forward, and the price falls", -0.10, 0.0, 1.0, FALLS, true),
        ("a sale that was brought forward, and the price rises", -0.10, 0.0, 1.0, RISES, false),
        ("liquidity that was kept out on a day of good fees", 0.0, -0.3, -1.0, GOOD_DAY, false),
        ("liquidity that was kept out on a wild day", 0.0, -0.3, -1.0, WILD_DAY, true),
        ("a range that was narrowed on a day of good fees", 0.0, 0.5, 1.0, GOOD_DAY, true),
    ] {
        let worth = TwinDifference { exposure, pooled, cost_bps }.worth_bps(&path);
        assert_eq!(worth > 0.0, right, "{what}: {worth:.2} basis points");
    }
}

#[test]
fn exposure_is_given_an_hour_and_liquidity_a_day() {
    let shrunk = TwinDifference { exposure: -0.1, ..TwinDifference::default() };
    let kept_out = TwinDifference { pooled: -0.1, ..TwinDifference::default() };
    assert_eq!(shrunk.horizon(), Elapsed::nominal(90));
    assert_eq!(kept_out.horizon(), Elapsed::nominal(2_160));
}

/// Fees burst for some hours and are over by the evening: what was in the pool meanwhile has earned them, although neither the
/// first look nor the last one sees anything of them.
#[test]
fn liquidity_is_judged_by_what_came_in_between_and_not_by_its_ends() {
    let learnt_by = EntryOrigin { golem: GolemId([9; 16]), generation: 0 };
    let rule = EntryBody { origin: learnt_by, ..claiming("market.gas_ratio > 2.0", "market.fee_yield_ratio > 1.5") };
    let entry = active(rule, 8_000);
    let name: Name = "provider".parse().unwrap();
    let remembered = Remembered { entries: vec![(entry.clone(), None)], ..Remembered::default() };
    let seen = |tick: u64, burst: f64| {
        let mut seen = Snapshot::new();
        seen.set_number(Field::MarketPrice, 100.0).unwrap();
        let fee_yield = if (900..1_300).contains(&tick) { burst } else { 0.0005 };
        seen.set_number(Field::MarketFeeYield, fee_yield).unwrap();
        seen
    };
    let earned = |burst: f64| {
        let state = Grimoire::new(name.clone(), origin()).state();
        let mut grimoire = Grimoire::rebuild(name.clone(), origin(), state, &remembered).unwrap();
        let pooled = TwinDifference { pooled: 0.3, ..TwinDifference::default() };
        grimoire.try_twin(entry.id, false, pooled, &seen(0, burst), VirtualTime(0));
        for tick in 1..=2_160 {
            let now = VirtualTime(0).after(Elapsed::nominal(tick));
            grimoire.observe(Tick(tick), now, Regime::default(), &seen(tick, burst));
        }
        let told = grimoire.attributed();
        assert_eq!(told.iter().map(|t| t.trials).collect::<Vec<_>>(), [1], "{told:?}");
        told[0].bps
    };
    let (still, burst) = (earned(0.0005), earned(0.01));
    assert!((still - 1.5).abs() < 1e-3, "{still} basis points of a still day");
    // Four hundred ticks of the 2,048 that are kept, at twenty times the yield.
    assert!((burst - (1.5 + 0.3 * 95.0 * 400.0 / 2_048.0)).abs() < 0.05, "{burst} basis points of a day with a burst");
}

/// An action that adds liquidity is judged as its twin would be: by what came in between, less what arbitrage took, and as much
/// as it is concentrated; not by the fees of the last look.
#[test]
fn what_was_added_to_the_pool_is_judged_by_the_day_and_not_by_its_last_look() {
    let seen = |tick: u64, day: (f64, f64), evening: f64| {
        let (fees, volatility) = day;
        let mut seen = Snapshot::new();
        seen.set_number(Field::MarketPrice, 100.0).unwrap();
        seen.set_number(Field::MarketFeeYield, if tick < 2_100 { fees } else { evening }).unwrap();
        seen.set_number(Field::MarketVolatility, volatility).unwrap();
        seen
    };
    let marked = |day: (f64, f64), evening: f64| {
        let mut grimoire = Grimoire::new("provider".parse().unwrap(), origin());
        let (id, add) =
            (grimoire.next_episode(), Intent::Add { pay: Usdc(1), give: Asset(1), width_bps: 500, tolerance_bps: 50 });
        grimoire.record(did(id.0, VirtualTime(0), add, 1, 0, Went::Neutral));
        let beyond = TwinDifference { pooled: 3.0, cost_bps: 2.0, ..TwinDifference::default() };
        let (choices, at) = (Choices::default(), VirtualTime(0));
        grimoire.await_outcome(Awaited { episode: id, decision: 1, at, price: 100.0, beyond, taken: None, choices });
        for tick in 1..=2_160 {
            let now = VirtualTime(0).after(Elapsed::nominal(tick));
            grimoire.observe(Tick(tick), now, Regime::default(), &seen(tick, day, evening));
        }
        grimoire.shelf().marks(id).and_then(|m| m.outcome_bps).expect("it is known by now")
    };
    let (calm, wild) = (0.0001, 0.02);
    let (good, poor) = (marked((0.001, calm), 0.0), marked((0.0, calm), 0.02));
    assert!(good > 20.0, "a day of fees, and an evening without: {good}");
    assert!(poor < 20.0, "a day without, and a good last hour: {poor}");
    let taken = marked((0.001, wild), 0.001);
    assert!(taken < 0.0, "what fees brought, arbitrage took: {taken}");
}
