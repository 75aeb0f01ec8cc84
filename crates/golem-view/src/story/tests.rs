//! What must hold for every story: the sum adds up, baselines pay their costs.

use super::reckoning::{Instead, Reckoning};
use golem_core::{Usdc, UsdcDelta};

fn reckoning() -> Reckoning {
    Reckoning {
        given: Usdc(50_000_000),
        trading: UsdcDelta(10_123_456),
        closed: UsdcDelta(10_000_000),
        gas: Usdc(3_000_001),
        models: Usdc(20),
        dying: Usdc::ZERO,
        rent: Usdc(15_000_000),
        owed: UsdcDelta(100_000),
        left: Usdc(42_023_435),
        cash: Usdc(30_000_000),
        positions: Usdc(12_023_435),
        trades: 7,
    }
}

#[test]
fn the_lines_add_up_to_the_last_one() {
    let lines = reckoning().lines();
    let (last, others) = lines.split_last().unwrap();
    assert_eq!(others.iter().map(|(_, amount, _)| amount.0).sum::<i64>(), last.1.0, "{lines:?}");
    assert!(!lines.iter().any(|(what, ..)| *what == "dying"), "nothing is not told");
}

#[test]
fn holding_pays_for_two_swaps_and_the_same_rent() {
    let told = reckoning();
    assert_eq!(told.nothing(), Usdc(50_000_000 - 15_000_000 - 100_000));
    let (capital, gas) = (Usdc(30_000_000), Usdc(10_000));
    let flat = Instead { capital, price_then: 2_000.0, price_now: 2_000.0, fee: 0.0005, gas_then: gas, gas_now: gas };
    // (30 - 0.01) * 0.9995^2 - 0.01 = 29.950017... of the capital is left when the price stands still.
    let held = told.holding(&flat);
    assert_eq!(held, Usdc(told.nothing().0 - 30_000_000 + 29_950_017));
    let doubled = told.holding(&Instead { price_now: 4_000.0, ..flat });
    assert_eq!(
        doubled.0 - held.0,
        29_960_017,
        "what was bought is worth twice as much: it pays no more for selling it"
    );
}
