//! Mining of the long record: what follows hours later, at a certain hour of the day, or as a change of what is earned. There
//! is more to try here than a turn has time for, so that it is done asleep.

use super::conditions::{RATIOS_FAR, SeriesTarget, conditions, hours, targets};
use super::long::LongRecord;
use super::mine::{MinedClaim, Mining, mine_columns};
use golem_core::Tick;
use golem_core::dice::Dice;

/// Nominal ticks between two lags that are tried, and the longest.
const LAG_STEP: u64 = 15;
const FARTHEST: u64 = 360;
/// Rows without which nothing is tried: a day and a half of nominal ticks.
const LEAST_ROWS: usize = 648;

/// The claims that the long record supports, the surest first.
#[must_use]
pub fn mine_far(record: &LongRecord, how: &Mining, dice: &Dice, turn: Tick) -> Vec<MinedClaim> {
    if record.len() < LEAST_ROWS {
        return Vec::new();
    }
    let columns = record.columns();
    let (mut whens, mut thens) = (conditions(&columns), targets(&columns));
    whens.extend(hours(&columns));
    for &(field, up, bound) in RATIOS_FAR {
        if let Some((column, known)) = columns.get(field) {
            thens.push(SeriesTarget::new(column, known, field, up, bound, 0));
        }
    }
    let ticks = record.row_ticks();
    let step = LAG_STEP.div_ceil(ticks).max(1);
    let lags: Vec<usize> =
        (1..).map(|n| n * step).take_while(|rows| rows * ticks <= FARTHEST).map(|n| n as usize).collect();
    mine_columns((&whens, &thens), &lags, ticks, how, dice, turn)
}

#[cfg(test)]
mod tests {
    use super::*;
    use golem_core::dice::Strand;
    use golem_core::observed::{Field, Snapshot};
    use golem_core::{Elapsed, NOMINAL_TICK_S, VirtualTime};

    const HOW: Mining = Mining { least_occurrences: 6, least_lift: 1.5, false_share: 0.02, surrogates: 199, most: 8 };

    /// Four days: gas leaps some fifteen times a day, and, where it is so, fees rise for a while a good while later; gas is dear
    /// from 14 to 20 o'clock where that is so.
    fn record(seed: u64, lag: Option<u64>, dear: bool) -> LongRecord {
        let mut draws = Dice::open(seed, Strand::World).draws(0);
        let (mut record, mut leaps, mut gas) = (LongRecord::default(), Vec::new(), 1.0_f64);
        for tick in 0..8_640_u64 {
            let leap = draws.uniform() < 15.0 / 2_160.0;
            leaps.extend(leap.then_some(tick));
            gas = if leap { 3.0 } else { 1.0 + (gas - 1.0) * 0.97 };
            let hour = (tick % 2_160) as f64 / 90.0;
            let burst = lag.is_some_and(|lag| leaps.iter().any(|at| (at + lag..at + lag + 35).contains(&tick)));
            let mut seen = Snapshot::new();
            let mut put = |field, x: f64| drop(seen.set_number(field, x));
            put(Field::MarketHour, hour);
            put(Field::MarketGasRatio, gas * if dear && (14.0..20.0).contains(&hour) { 2.2 } else { 1.0 });
            let noise = libm::exp(0.1 * draws.normals().0);
            put(Field::MarketFeeYieldMove, noise * if burst && draws.uniform() < 0.7 { 1.3 } else { 1.0 });
            let age = VirtualTime(tick * NOMINAL_TICK_S * 1_000);
            if record.wants(age) {
                record.note(age, Elapsed::nominal(1), &seen);
            }
        }
        record
    }

    fn mined(seed: u64, lag: Option<u64>, dear: bool) -> Vec<MinedClaim> {
        mine_far(&record(seed, lag, dear), &HOW, &Dice::open(seed, Strand::Dream), Tick(9))
    }

    #[test]
    fn what_follows_hours_later_is_found_and_at_its_lag() {
        for (seed, lag) in [(1, 225), (2, 270), (3, 300), (4, 330)] {
            let found = mined(seed, Some(lag), false);
            let best = found.first().map(|m| &m.claim).expect("something is found");
            assert!(best.when.starts_with("market.gas_ratio > "), "{found:?}");
            assert!(best.then.starts_with("market.fee_yield_move > "), "{found:?}");
            assert!((lag - 15..lag + 60).contains(&u64::from(best.after_ticks)), "{lag}: {best:?}");
        }
    }

    #[test]
    fn a_dear_hour_is_found() {
        for seed in 1..5 {
            let found = mined(seed, None, true);
            let is_hour =
                |m: &&MinedClaim| m.claim.when.contains("market.hour") && m.claim.then == "market.gas_ratio > 1.5";
            let hour = found.iter().find(is_hour).unwrap_or_else(|| panic!("{found:?}"));
            assert!(hour.hits * 4 >= hour.n * 3, "{hour:?}");
        }
    }

    #[test]
    fn where_there_is_nothing_hardly_anything_is_found() {
        let found: usize = (0..20).map(|seed| usize::from(!mined(seed, None, false).is_empty())).sum();
        assert!(found <= 2, "something in {found} of 20");
    }
}
