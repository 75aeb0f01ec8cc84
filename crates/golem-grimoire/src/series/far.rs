//! Mining of the long record: what follows hours later, at a certain hour of the day, or as a change of what is earned. There
//! is more to try here than a turn has time for, so that it is done asleep.

use super::conditions::{conditions, far_targets, hours};
use super::long::LongRecord;
use super::mine::{MinedClaim, Mining, mine_columns};
use golem_core::Tick;
use golem_core::dice::Dice;

/// Nominal ticks between two lags that are tried, and the longest.
const LAG_STEP: u64 = 15;
const FARTHEST: u64 = 360;
/// Nominal ticks apart at which two occurrences count as two, as for confirmations.
const APART_TICKS: u64 = 90;
/// Rows without which nothing is tried: a day and a half of nominal ticks.
const LEAST_ROWS: usize = 648;

/// The claims that the long record supports, the surest first.
#[must_use]
pub fn mine_far(record: &LongRecord, how: &Mining, dice: &Dice, turn: Tick) -> Vec<MinedClaim> {
    if record.len() < LEAST_ROWS {
        return Vec::new();
    }
    let columns = record.columns();
    let (mut whens, thens) = (conditions(&columns), far_targets(&columns));
    whens.extend(hours(&columns));
    let ticks = record.row_ticks();
    let apart = usize::try_from(APART_TICKS.div_ceil(ticks)).unwrap_or(usize::MAX);
    let how = &Mining { apart_rows: Some(apart), ..*how };
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

    fn how() -> Mining {
        Mining { each_bound: true, ..Mining::default() }
    }

    /// Eight days: gas leaps some fifteen times a day (three where it is dear by the hour), and, where it is so, fees rise for a while a good while later; gas is dear
    /// from 14 to 20 o'clock where that is so.
    fn record(seed: u64, lag: Option<u64>, dear: bool) -> LongRecord {
        let mut draws = Dice::open(seed, Strand::World).draws(0);
        let (mut record, mut leaps, mut gas) = (LongRecord::default(), Vec::new(), 1.0_f64);
        for tick in 0..17_280_u64 {
            let leap = draws.uniform() < if dear { 3.0 } else { 15.0 } / 2_160.0;
            leaps.extend(leap.then_some(tick));
            gas = if leap { 3.0 } else { 1.0 + (gas - 1.0) * 0.97 };
            let hour = (tick % 2_160) as f64 / 90.0;
            let burst = lag.is_some_and(|lag| leaps.iter().any(|at| (at + lag..at + lag + 35).contains(&tick)));
            let mut seen = Snapshot::new();
            let mut put = |field, x: f64| drop(seen.set_number(field, x));
            put(Field::MarketHour, hour);
            let dearer = if dear && (14.0..20.0).contains(&hour) { 2.2 } else { 1.0 };
            put(Field::MarketGasRatio, gas * dearer * libm::exp(0.3 * draws.normals().0));
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
        mine_far(&record(seed, lag, dear), &how(), &Dice::open(seed, Strand::Dream), Tick(9))
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
            assert!(hour.hits * 3 >= hour.n * 2, "{hour:?}");
        }
    }

    #[test]
    fn wild_times_have_no_direction_and_a_follower_has() {
        let mut draws = Dice::open(5, Strand::World).draws(0);
        let mut found = [Vec::new(), Vec::new()];
        for (follows, found) in [false, true].into_iter().zip(&mut found) {
            let (mut record, mut wild, mut lead) = (LongRecord::default(), 0, vec![0.0; 9]);
            for row in 0..1_728_u64 {
                wild = if draws.uniform() < 0.01 { 40 } else { i32::max(wild - 1, 0) };
                let size = if wild > 0 { 0.006 } else { 0.001 };
                lead.push(0.004 * draws.normals().0);
                let before = lead[lead.len() - 7];
                let own = size * draws.normals().0 + if follows { 0.6 * before } else { 0.0 };
                let mut seen = Snapshot::new();
                let mut put = |field, x: f64| drop(seen.set_number(field, x));
                put(Field::MarketVolatilityRatio, if wild > 0 { 3.0 } else { 1.0 + 0.2 * draws.uniform() });
                put(Field::MarketLeadReturn, lead[lead.len() - 1]);
                put(Field::MarketReturn15, own);
                record.note(VirtualTime(row * 5 * NOMINAL_TICK_S * 1_000), Elapsed::nominal(1), &seen);
            }
            *found = mine_far(&record, &how(), &Dice::open(5, Strand::Dream), Tick(9));
        }
        assert_eq!(found[0], [], "wild times bring moves both ways");
        let leads = |m: &MinedClaim| m.claim.when.starts_with("market.lead_return") && m.claim.after_ticks == 30;
        assert!(found[1].iter().any(leads), "{:?}", found[1]);
        assert!(found[1].iter().all(|m| m.claim.unless.is_some()), "{:?}", found[1]);
    }

    /// Four days in which so much of each move of another pair comes again a quarter of an hour later, if there is anything of it.
    fn followed(seed: u64, share: f64, drift: f64) -> LongRecord {
        let mut draws = Dice::open(seed, Strand::World).draws(0);
        let (mut record, mut lead, mut own) = (LongRecord::default(), vec![0.0; 18], vec![0.0; 18]);
        for row in 0..1_728_u64 {
            own.push(drift + 0.001 * draws.normals().0 + share * lead[lead.len() - 3]);
            lead.push(0.001 * draws.normals().0);
            let last = |moves: &[f64], rows: usize| moves[moves.len() - rows..].iter().sum::<f64>();
            let mut seen = Snapshot::new();
            let mut put = |field, x: f64| drop(seen.set_number(field, x));
            put(Field::MarketLeadReturn, last(&lead, 9));
            put(Field::MarketReturn15, last(&own, 3));
            put(Field::MarketReturn90, last(&own, 18));
            record.note(VirtualTime(row * 5 * NOMINAL_TICK_S * 1_000), Elapsed::nominal(1), &seen);
        }
        record
    }

    /// Moves count as soon as they do not overlap: an hour apart there would be too few of them in four days.
    #[test]
    fn a_faint_follower_is_found_within_days() {
        for seed in 1..6 {
            let found = mine_far(&followed(seed, 1.0, 0.0), &how(), &Dice::open(seed, Strand::Dream), Tick(9));
            let leads = |m: &&MinedClaim| m.claim.when.starts_with("market.lead_return") && m.claim.after_ticks == 15;
            let best = found.iter().find(leads).unwrap_or_else(|| panic!("{seed}: {found:?}"));
            let same_way = best.claim.when.contains(" > ") == best.claim.then.contains(" > ");
            assert!(same_way && best.claim.unless.is_some(), "{best:?}");
            assert!(best.base_rate >= 0.5, "neither way is taken for the rarer one: {best:?}");
        }
    }

    #[test]
    fn a_price_that_follows_nothing_has_no_direction_to_be_told() {
        let mined = |seed: u64, drift| {
            mine_far(&followed(seed, 0.0, drift), &how(), &Dice::open(seed, Strand::Dream), Tick(9)).len()
        };
        for drift in [0.0, 0.0001, -0.0001] {
            let found = (0..40).filter(|seed| mined(*seed, drift) > 0).count();
            assert!(found <= 2, "something in {found} of 40 with a drift of {drift}");
        }
    }

    #[test]
    fn where_there_is_nothing_hardly_anything_is_found() {
        let found: usize = (0..20).map(|seed| usize::from(!mined(seed, None, false).is_empty())).sum();
        assert!(found <= 2, "something in {found} of 20");
    }
}
