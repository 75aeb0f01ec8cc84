//! Mining: tries plain conditions against what followed them, and keeps what neither chance nor memory explains.
//!
//! Occurrences are counted only as far apart as the horizon and the target's own memory, held against how often the
//! target holds anyway, corrected for everything that was tried, and the best must also beat the same series shifted
//! against itself. What comes out is a claim to be staged, never knowledge.

use super::conditions::{Condition, Target, conditions, targets};
use super::kin::kin;
use super::statistic::{BinomialTail, benjamini_hochberg};
use super::{CAPACITY, Series};
use crate::claim::Claim;
use golem_core::Tick;
use golem_core::dice::{Dice, Draws};
use golem_core::observed::Expression;
use serde::{Deserialize, Serialize};

/// Nominal ticks between condition and consequence that are tried.
const LAGS: &[usize] = &[5, 10, 20, 30, 45, 90];
/// Rows without which nothing is tried.
const LEAST_ROWS: usize = CAPACITY / 4;
/// A target that holds more often than this anyway is no news.
const COMMON: f64 = 0.5;

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
}

impl Default for Mining {
    fn default() -> Self {
        Self { least_occurrences: 6, least_lift: 1.5, false_share: 0.02, surrogates: 199, most: 8 }
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
struct Tried {
    condition: usize,
    target: usize,
    lag: usize,
    hits: u32,
    n: u32,
    base_rate: f64,
    p: f64,
}

impl Tried {
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
    let (conditions, targets) = (conditions(series), targets(series));
    let mut tried = try_all(&conditions, &targets, how);
    let count = tried.len();
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
        let kind = (condition.field, condition.kind, target.field, target.up);
        if one.lift() < how.least_lift || told.contains(&kind) {
            continue;
        }
        told.push(kind);
        if survives(condition, target, one, how, &mut draws)
            && let Some(claim) = written(condition, target, one.lag)
        {
            let (hits, n, base_rate, lift) = (one.hits, one.n, one.base_rate, one.lift());
            found.push(MinedClaim { claim, hits, n, base_rate, lift, p_value: p });
        }
    }
    found
}

fn try_all(conditions: &[Condition], targets: &[Target], how: &Mining) -> Vec<Tried> {
    let mut tried = Vec::new();
    for (t, target) in targets.iter().enumerate() {
        let known = target.held.iter().flatten().count();
        let held = target.held.iter().flatten().filter(|x| **x).count();
        let base_rate = held as f64 / known.max(1) as f64;
        if held == 0 || base_rate > COMMON {
            continue;
        }
        let tail = BinomialTail::new(base_rate);
        for (c, condition) in conditions.iter().enumerate() {
            for &lag in LAGS {
                // A forward return of what the condition looked back on is news; any other kin is arithmetic.
                let forward = target.window > 0 && target.window <= lag;
                if (target.window > lag) || (!forward && kin(condition.field, target.field)) {
                    continue;
                }
                let (hits, n) = count(condition, target, lag, 0);
                if n >= how.least_occurrences {
                    let p = tail.at_least(hits, n);
                    tried.push(Tried { condition: c, target: t, lag, hits, n, base_rate, p });
                }
            }
        }
    }
    tried
}

/// Hits and independent occurrences, with the target turned round by `shift` rows.
fn count(condition: &Condition, target: &Target, lag: usize, shift: usize) -> (u32, u32) {
    let (rows, apart) = (target.held.len(), lag.max(target.memory));
    let (mut hits, mut n) = (0, 0);
    let mut left = condition.rows.as_slice();
    while let Some((&row, after)) = left.split_first() {
        let at = row + lag;
        if shift == 0 && at >= rows {
            break;
        }
        left = after;
        if let Some(held) = target.held[(at + shift) % rows] {
            (hits, n) = (hits + u32::from(held), n + 1);
            left = from(left, row + apart);
        }
    }
    (hits, n)
}

/// The rows from one on. They are in rising order, and it is near: the step is doubled until it is passed.
fn from(rows: &[usize], first: usize) -> &[usize] {
    let mut step = 1;
    while rows.get(step - 1).is_some_and(|row| *row < first) {
        step *= 2;
    }
    let (low, high) = (step / 2, (step - 1).min(rows.len()));
    &rows[low + rows[low..high].partition_point(|row| *row < first)..]
}

/// True when hardly any shifted copy of the target does as well: what memory and chance can do, they can do shifted.
fn survives(condition: &Condition, target: &Target, one: &Tried, how: &Mining, draws: &mut Draws) -> bool {
    let rows = target.held.len();
    // A shift by less than this would keep part of the relation.
    let near = (2 * (one.lag + target.memory)).min(rows / 4);
    let mut as_good = 0;
    for _ in 0..how.surrogates {
        let shift = near + (draws.uniform() * (rows - 2 * near) as f64) as usize;
        let (hits, n) = count(condition, target, one.lag, shift);
        as_good += u32::from(f64::from(hits) >= one.rate() * f64::from(n));
    }
    f64::from(as_good) <= 0.02 * f64::from(how.surrogates)
}

/// As a claim in canonical text.
fn written(condition: &Condition, target: &Target, lag: usize) -> Option<Claim> {
    let canonical = |text: &str| Expression::compile(text).ok().map(|e| e.source().to_owned());
    let after_ticks = u32::try_from(lag).ok()?;
    Some(Claim { when: canonical(&condition.text)?, then: canonical(&target.text)?, unless: None, after_ticks })
}

#[cfg(test)]
mod tests {
    use super::*;
    use golem_core::observed::Field;
    use proptest::prelude::*;

    /// Row by row, as it is meant.
    fn plainly(condition: &Condition, target: &Target, lag: usize, shift: usize) -> (u32, u32) {
        let (rows, apart) = (target.held.len(), lag.max(target.memory));
        let (mut hits, mut n, mut free) = (0, 0, 0);
        for &row in &condition.rows {
            let at = row + lag;
            if row < free || (shift == 0 && at >= rows) {
                continue;
            }
            let Some(held) = target.held[(at + shift) % rows] else { continue };
            (hits, n, free) = (hits + u32::from(held), n + 1, row + apart);
        }
        (hits, n)
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
            let field = Field::MarketPrice;
            let condition = Condition { field, text: String::new(), kind: 0, rows };
            let target = Target { field, text: String::new(), up: true, held, window: 0, memory };
            prop_assert_eq!(count(&condition, &target, lag, shift), plainly(&condition, &target, lag, shift));
        }
    }
}
