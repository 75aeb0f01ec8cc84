//! Mining: tries plain conditions against what followed them, and keeps what neither chance nor memory explains.
//!
//! Occurrences are counted only as far apart as the horizon and the target's own memory, held against how often the
//! target holds anyway, corrected for everything that was tried, and the best must also beat the same series shifted
//! against itself. What comes out is a claim to be staged, never knowledge.

use super::bits::RowBits;
use super::conditions::{SeriesColumns, SeriesCondition, SeriesTarget, conditions, targets};
use super::kin::kin;
use super::statistic::{BinomialTail, benjamini_hochberg};
use super::{CAPACITY, Series};
use crate::claim::Claim;
use golem_core::Tick;
use golem_core::dice::{Dice, Draws};
use golem_core::observed::Expression;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Nominal ticks between condition and consequence that are tried.
const LAGS: &[usize] = &[5, 10, 20, 30, 45, 90];
/// Bars in between, where a row is a bar.
const BAR_LAGS: &[usize] = &[1, 2, 3, 6, 12, 24];
/// Rows without which nothing is tried.
const LEAST_ROWS: usize = CAPACITY / 4;
/// A target that holds more often than this anyway is no news.
const COMMON: f64 = 0.5;
/// Of moves one way or the other about half go either way anyway: up to this share, and so many times more often, is news.
const MOST_ONE_WAY: f64 = 0.6;
const LEAST_ONE_WAY: f64 = 1.25;

/// How strict mining is.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Mining {
    /// Independent occurrences that a claim needs.
    pub least_occurrences: u32,
    /// How many times more often than usual the consequence must follow.
    pub least_lift: f64,
    /// The share of claims that may be chance, in one look; the same rows are looked at again and again.
    pub false_share: f64,
    /// Shifted copies that the best are held against.
    pub surrogates: u32,
    /// Claims that are returned at most.
    pub most: usize,
    /// Whether the same consequence with another bound is a claim of its own, and not the same one again.
    pub each_bound: bool,
    /// Rows apart at which two occurrences of what lasts count as two, whatever lies between cause and effect; none for as far as
    /// that.
    pub apart_rows: Option<usize>,
}

impl Default for Mining {
    fn default() -> Self {
        Self {
            least_occurrences: 6,
            least_lift: 1.5,
            false_share: 0.02,
            surrogates: 199,
            most: 8,
            each_bound: false,
            apart_rows: None,
        }
    }
}

impl Mining {
    /// Rows apart at which two occurrences count as two. A move one way is over when the next begins, and which way that goes is
    /// news, however near they are.
    fn apart(&self, lag: usize, target: &SeriesTarget) -> usize {
        if target.against_opposite {
            return target.memory;
        }
        self.apart_rows.unwrap_or(lag).max(target.memory)
    }
}

/// A claim that the series supports.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MinedClaim {
    /// What is claimed.
    pub claim: Claim,
    /// Independent occurrences after which the consequence held.
    pub hits: u32,
    /// Independent occurrences.
    pub n: u32,
    /// How often the consequence holds anyway.
    pub base_rate: f64,
    /// How many times more often it held.
    pub lift: f64,
    /// The chance of that without a relation, corrected for everything that was tried.
    pub p_value: f64,
}

/// One thing that was tried.
struct TriedPair {
    condition: usize,
    target: usize,
    lag: usize,
    hits: u32,
    n: u32,
    base_rate: f64,
    p: f64,
}

impl TriedPair {
    fn rate(&self) -> f64 {
        f64::from(self.hits) / f64::from(self.n.max(1))
    }
    fn lift(&self) -> f64 {
        self.rate() / self.base_rate
    }
}

/// The claims that the series supports, the surest first. The dice shift the surrogates; their address is the turn.
#[must_use]
pub fn mine(series: &Series, how: &Mining, dice: &Dice, turn: Tick) -> Vec<MinedClaim> {
    if series.len() < LEAST_ROWS {
        return Vec::new();
    }
    let columns = SeriesColumns::of(series);
    let (conditions, targets) = (conditions(&columns), targets(&columns));
    let lags = if series.row_ticks() > 1 { BAR_LAGS } else { LAGS };
    mine_columns((&conditions, &targets), lags, series.row_ticks(), how, dice, turn)
}

/// The same for whatever is tried, at lags in rows of so many nominal ticks.
pub(super) fn mine_columns(
    (conditions, targets): (&[SeriesCondition], &[SeriesTarget]),
    lags: &[usize],
    row_ticks: u64,
    how: &Mining,
    dice: &Dice,
    turn: Tick,
) -> Vec<MinedClaim> {
    let (mut tried, count) = try_all(conditions, targets, lags, how);
    tried.sort_by(|a, b| a.p.total_cmp(&b.p).then((a.condition, a.target, a.lag).cmp(&(b.condition, b.target, b.lag))));
    let adjusted = benjamini_hochberg(&tried.iter().map(|t| t.p).collect::<Vec<_>>(), count);
    let mut draws = dice.draws(turn.0);
    let (mut found, mut told) = (Vec::new(), Vec::new());
    for (one, p) in tried.iter().zip(adjusted) {
        if p > how.false_share || found.len() >= how.most {
            break;
        }
        let (condition, target) = (&conditions[one.condition], &targets[one.target]);
        // One claim for each pair of ends: the others say the same with another bound or lag.
        let bound = if how.each_bound { target.bound.to_bits() } else { 0 };
        let kind = (condition.field, condition.kind, target.field, target.up, bound);
        let least_lift = if target.against_opposite { LEAST_ONE_WAY } else { how.least_lift };
        if one.lift() < least_lift || told.contains(&kind) {
            continue;
        }
        told.push(kind);
        if survives(condition, target, one, how, &mut draws)
            && let Some(claim) = written(condition, target, one.lag as u64 * row_ticks)
        {
            let (hits, n, base_rate, lift) = (one.hits, one.n, one.base_rate, one.lift());
            found.push(MinedClaim { claim, hits, n, base_rate, lift, p_value: p });
        }
    }
    found
}

/// What was tried and may be news, in no order, and how much was tried in all. Whoever is likelier than the share that may
/// be chance is not news after any correction, nor does it make another one so.
fn try_all(
    conditions: &[SeriesCondition],
    targets: &[SeriesTarget],
    lags: &[usize],
    how: &Mining,
) -> (Vec<TriedPair>, usize) {
    let (mut tried, mut count) = (Vec::new(), 0);
    let asked: Vec<MiningTarget<'_>> =
        targets.iter().enumerate().filter_map(|(t, target)| MiningTarget::of(t, target, lags)).collect();
    // A little more, since corrections round.
    let news = how.false_share * 1.001;
    for (c, condition) in conditions.iter().enumerate() {
        let mut apart = Apart::new(&condition.rows);
        for MiningTarget { place, target, base_rate, tail, ahead } in &asked {
            for (nth, &lag) in lags.iter().enumerate() {
                // A forward return of what the condition looked back on is news; any other kin is arithmetic.
                let forward = target.window > 0 && target.window <= lag;
                if (target.window > lag) || (!forward && kin(condition.field, target.field)) {
                    continue;
                }
                let rows = how.apart(lag, target);
                let (hits, n) = match ahead.get(nth) {
                    None => hits_of(apart.rows(rows), target, lag),
                    Some(ahead) => ahead.hits_of(&condition.rows, rows),
                };
                if n < how.least_occurrences {
                    continue;
                }
                count += 1;
                // At most the mean: that or more comes about at least every second time.
                if news < 0.4 && f64::from(hits) <= (f64::from(n) * base_rate).floor() {
                    continue;
                }
                let p = tail.at_least(hits, n);
                if p <= news {
                    tried.push(TriedPair { condition: c, target: *place, lag, hits, n, base_rate: *base_rate, p });
                }
            }
        }
    }
    (tried, count)
}

/// A target that conditions are tried on.
struct MiningTarget<'a> {
    place: usize,
    target: &'a SeriesTarget,
    base_rate: f64,
    tail: BinomialTail,
    /// What lies ahead at each of the lags; of a target that is known everywhere it need not be looked at.
    ahead: Vec<TargetAhead>,
}

/// A target as a row finds it some rows later.
struct TargetAhead {
    known: RowBits,
    held: RowBits,
}

impl TargetAhead {
    /// Hits and occurrences of a condition at rows that are so far apart and have a known one ahead.
    fn hits_of(&self, condition: &RowBits, apart: usize) -> (u32, u32) {
        let (mut hits, mut n, mut next) = (0, 0, condition.next_of_both(&self.known, 0));
        while let Some(row) = next {
            (hits, n) = (hits + u32::from(self.held.get(row)), n + 1);
            next = condition.next_of_both(&self.known, row + apart);
        }
        (hits, n)
    }
}

impl<'a> MiningTarget<'a> {
    fn of(place: usize, target: &'a SeriesTarget, lags: &[usize]) -> Option<Self> {
        let (known, held) = (target.known.count(), target.held.count());
        let base_rate = held as f64 / known.max(1) as f64;
        if held == 0 || base_rate > if target.against_opposite { MOST_ONE_WAY } else { COMMON } {
            return None;
        }
        // A record in which the price fell says nothing of how often it will rise: neither way is taken for the rarer one.
        let base_rate = if target.against_opposite { base_rate.max(0.5) } else { base_rate };
        let lags = if known == target.known.rows() { &[] } else { lags };
        let ahead = |&lag: &usize| TargetAhead { known: target.known.ahead(lag), held: target.held.ahead(lag) };
        let ahead = lags.iter().map(ahead).collect();
        Some(Self { place, target, base_rate, tail: BinomialTail::new(base_rate), ahead })
    }
}

/// The rows of a condition that are so many rows apart, for each distance that was asked for: as long as everything is known
/// of what follows, they are the same for all of it.
struct Apart<'a> {
    of: &'a RowBits,
    /// Each distance, and where its rows are among all of them.
    found: Vec<(usize, Range<usize>)>,
    rows: Vec<usize>,
}

impl<'a> Apart<'a> {
    fn new(of: &'a RowBits) -> Self {
        Self { of, found: Vec::new(), rows: Vec::new() }
    }
    fn rows(&mut self, apart: usize) -> &[usize] {
        let at = self.found.iter().position(|(known, _)| *known == apart).unwrap_or_else(|| {
            let (begin, mut next) = (self.rows.len(), self.of.next(0));
            while let Some(row) = next {
                self.rows.push(row);
                next = self.of.next(row + apart);
            }
            self.found.push((apart, begin..self.rows.len()));
            self.found.len() - 1
        });
        &self.rows[self.found[at].1.clone()]
    }
}

/// Hits and occurrences of rows that are far enough apart.
fn hits_of(apart: &[usize], target: &SeriesTarget, lag: usize) -> (u32, u32) {
    let n = apart.partition_point(|row| row + lag < target.held.rows());
    let hits = apart[..n].iter().map(|row| u32::from(target.held.get(row + lag))).sum();
    (hits, n as u32)
}

/// The same with the target turned round, so far on from each row.
fn turned_hits(apart: &[usize], target: &SeriesTarget, on: usize) -> (u32, u32) {
    let rows = target.held.rows();
    let hits = apart.iter().map(|row| u32::from(target.held.get(within(row + on, rows)))).sum();
    (hits, apart.len() as u32)
}

/// A row that is not far beyond the last one, counted from the first again.
fn within(mut at: usize, rows: usize) -> usize {
    while at >= rows {
        at -= rows;
    }
    at
}

/// Hits and independent occurrences, with the target turned round by `shift` rows.
fn count_of(
    condition: &SeriesCondition,
    target: &SeriesTarget,
    (lag, apart): (usize, usize),
    shift: usize,
) -> (u32, u32) {
    let rows = target.held.rows();
    let (mut hits, mut n, mut next) = (0, 0, condition.rows.next(0));
    while let Some(row) = next {
        let at = row + lag;
        if shift == 0 && at >= rows {
            break;
        }
        let seen = within(at + shift, rows);
        let known = target.known.get(seen);
        if known {
            (hits, n) = (hits + u32::from(target.held.get(seen)), n + 1);
        }
        next = condition.rows.next(row + if known { apart } else { 1 });
    }
    (hits, n)
}

/// True when hardly any shifted copy of the target does as well: what memory and chance can do, they can do shifted.
fn survives(
    condition: &SeriesCondition,
    target: &SeriesTarget,
    one: &TriedPair,
    how: &Mining,
    draws: &mut Draws,
) -> bool {
    let rows = target.held.rows();
    // A shift by less than this would keep part of the relation.
    let near = (2 * (one.lag + target.memory)).min(rows / 4);
    let (mut as_good, few) = (0, 0.02 * f64::from(how.surrogates));
    let mut apart = Apart::new(&condition.rows);
    // Turned round, what is known everywhere is asked at the same rows each time.
    let far_enough = how.apart(one.lag, target);
    let asked = (target.known.count() == rows).then(|| apart.rows(far_enough));
    for _ in 0..how.surrogates {
        // Drawn whether it still matters or not: those that come after are drawn after these.
        let shift = near + (draws.uniform() * (rows - 2 * near) as f64) as usize;
        if f64::from(as_good) <= few {
            let (hits, n) = match asked {
                Some(asked) if shift > 0 => turned_hits(asked, target, one.lag + shift),
                _ => count_of(condition, target, (one.lag, far_enough), shift),
            };
            as_good += u32::from(f64::from(hits) >= one.rate() * f64::from(n));
        }
    }
    f64::from(as_good) <= few
}

/// As a claim in canonical text.
fn written(condition: &SeriesCondition, target: &SeriesTarget, ticks: u64) -> Option<Claim> {
    let canonical = |text: &str| Expression::compile(text).ok().map(|e| e.source().to_owned());
    let after_ticks = u32::try_from(ticks).ok()?;
    let unless = target.opposite().and_then(|text| canonical(&text));
    Some(Claim { when: canonical(&condition.text())?, then: canonical(&target.text())?, unless, after_ticks })
}

#[cfg(test)]
mod tests {
    use super::super::conditions::Says;
    use super::*;
    use golem_core::observed::Field;
    use proptest::prelude::*;

    /// Row by row, as it is meant.
    fn plainly(rows: &[usize], held: &[Option<bool>], memory: usize, lag: usize, shift: usize) -> (u32, u32) {
        let apart = lag.max(memory);
        let (mut hits, mut n, mut free) = (0, 0, 0);
        for &row in rows {
            let at = row + lag;
            if row < free || (shift == 0 && at >= held.len()) {
                continue;
            }
            let Some(held) = held[(at + shift) % held.len()] else { continue };
            (hits, n, free) = (hits + u32::from(held), n + 1, row + apart);
        }
        (hits, n)
    }

    fn condition(rows: &[usize], of: usize) -> SeriesCondition {
        let each: Vec<bool> = (0..of).map(|row| rows.contains(&row)).collect();
        SeriesCondition::new(Field::MarketPrice, Says::Is("x"), 0, RowBits::of(&each, |x| x))
    }

    fn target(held: &[Option<bool>], memory: usize) -> SeriesTarget {
        let column: Vec<f32> = held.iter().map(|x| x.map_or(f32::NAN, |x| f32::from(u8::from(x)))).collect();
        let known = RowBits::of(held, |x| x.is_some());
        let mut target = SeriesTarget::new(&column, &known, Field::MarketPrice, true, 0.5, 0);
        target.memory = memory;
        target
    }

    /// Everything that is tried, all of it in order: what is left out must change nothing.
    fn all_tried(conditions: &[SeriesCondition], targets: &[SeriesTarget], how: &Mining) -> Vec<TriedPair> {
        let mut tried = Vec::new();
        for (t, target) in targets.iter().enumerate() {
            let Some(asked) = MiningTarget::of(t, target, LAGS) else { continue };
            for (c, condition) in conditions.iter().enumerate() {
                for &lag in LAGS {
                    let forward = target.window > 0 && target.window <= lag;
                    if (target.window > lag) || (!forward && kin(condition.field, target.field)) {
                        continue;
                    }
                    let (hits, n) = count_of(condition, target, (lag, lag.max(target.memory)), 0);
                    if n >= how.least_occurrences {
                        let (base_rate, p) = (asked.base_rate, asked.tail.at_least(hits, n));
                        tried.push(TriedPair { condition: c, target: t, lag, hits, n, base_rate, p });
                    }
                }
            }
        }
        tried.sort_by(|a, b| {
            a.p.total_cmp(&b.p).then((a.condition, a.target, a.lag).cmp(&(b.condition, b.target, b.lag)))
        });
        tried
    }

    type Row = (usize, usize, usize, u32, u32, u64, u64);

    /// What is below the share that may be chance once corrected, with its correction.
    fn news(tried: &[TriedPair], count: usize, how: &Mining) -> Vec<Row> {
        let adjusted = benjamini_hochberg(&tried.iter().map(|t| t.p).collect::<Vec<_>>(), count);
        let below = tried.iter().zip(adjusted).take_while(|(_, p)| *p <= how.false_share);
        below.map(|(t, p)| (t.condition, t.target, t.lag, t.hits, t.n, t.p.to_bits(), p.to_bits())).collect()
    }

    #[test]
    fn what_is_left_out_of_the_tries_is_no_news() {
        let mut found = 0;
        for seed in 0..12u64 {
            let mut draws = Dice::open(seed, golem_core::dice::Strand::World).draws(0);
            let (mut series, mut after) = (Series::new(), 0);
            for tick in 0..1_500u64 {
                let mut seen = golem_core::observed::Snapshot::new();
                let leap = draws.uniform() < 0.02;
                after = if leap { 12 } else { after.max(1) - 1 };
                // Fees follow leaps of gas; the rest is noise, now and then absent.
                let gas = 1.0 + 0.1 * draws.normals().0.abs() + 3.0 * f64::from(u8::from(leap));
                let fees = 1.0 + 0.1 * draws.normals().0.abs() + f64::from(u8::from((1..7).contains(&after)));
                let mut put = |field, x: f64| drop(seen.set(field, golem_core::observed::Value::number(x).unwrap()));
                put(Field::MarketGasRatio, gas);
                put(Field::MarketFeeYieldRatio, fees);
                put(Field::MarketReturn15, 0.01 * draws.normals().0);
                if seed % 3 > 0 || tick % 7 > 0 {
                    put(Field::MarketVolumeRatio, 1.0 + draws.normals().0.abs());
                }
                series.push(golem_core::VirtualTime(tick * golem_core::NOMINAL_TICK_S * 1_000), &seen);
            }
            let columns = SeriesColumns::of(&series);
            let (conditions, targets) = (conditions(&columns), targets(&columns));
            for false_share in [0.02, 0.2, 0.9] {
                let how = Mining { false_share, ..Mining::default() };
                let all = all_tried(&conditions, &targets, &how);
                let (mut few, count) = try_all(&conditions, &targets, LAGS, &how);
                few.sort_by(|a, b| {
                    a.p.total_cmp(&b.p).then((a.condition, a.target, a.lag).cmp(&(b.condition, b.target, b.lag)))
                });
                assert_eq!(count, all.len());
                let expected = news(&all, count, &how);
                assert_eq!(news(&few, count, &how), expected, "seed {seed}, {false_share}");
                found += usize::from(false_share < 0.1 && !expected.is_empty());
            }
        }
        assert!(found > 6, "{found} of 12 worlds had anything to find");
    }

    proptest! {
        #[test]
        fn leaping_over_rows_counts_what_going_through_them_does(
            held in prop::collection::vec(prop::option::weighted(0.8, any::<bool>()), 1..300),
            mut rows in prop::collection::vec(0usize..300, 0..200),
            (memory, lag, shift) in (1usize..40, 1usize..60, 0usize..300),
        ) {
            rows.retain(|row| *row < held.len());
            rows.sort_unstable();
            rows.dedup();
            let (condition, holes) = (condition(&rows, held.len()), target(&held, memory));
            let plain = plainly(&rows, &held, memory, lag, shift);
            prop_assert_eq!(count_of(&condition, &holes, (lag, lag.max(memory)), shift), plain);
            let ahead = TargetAhead { known: holes.known.ahead(lag), held: holes.held.ahead(lag) };
            let plain = plainly(&rows, &held, memory, lag, 0);
            prop_assert_eq!(ahead.hits_of(&condition.rows, lag.max(memory)), plain);
            let held: Vec<_> = held.into_iter().map(|x| Some(x.unwrap_or(false))).collect();
            let (whole, plain) = (target(&held, memory), plainly(&rows, &held, memory, lag, 0));
            let mut apart = Apart::new(&condition.rows);
            prop_assert_eq!(hits_of(apart.rows(lag.max(memory)), &whole, lag), plain);
            let plain = plainly(&rows, &held, memory, lag, shift + 1);
            prop_assert_eq!(turned_hits(apart.rows(lag.max(memory)), &whole, lag + shift + 1), plain);
        }
    }
}
