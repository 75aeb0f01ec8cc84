//! A rule is judged by its twin: the table of what was done with it, what would have been done without, and the path.

use golem_core::Elapsed;
use golem_grimoire::grimoire::{TwinDifference, TwinPath};

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
