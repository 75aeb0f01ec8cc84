//! A rule that acts is credited by its twin: what would have been done without it, valued on the same path at the same
//! horizon, costs included. A rule that shrinks a buy is right when the price falls.

use super::Grimoire;
use crate::credit::{TurnedOut, Used};
use crate::entry::EntryId;
use crate::experts::{LevelShare, MOST_STAKE, Wager};
use golem_core::observed::{Field, Snapshot};
use golem_core::{Elapsed, GolemId, VirtualTime};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// How long a difference in exposure is given: the horizon of a price forecast.
const HORIZON: Elapsed = Elapsed::nominal(90);
/// And one in liquidity, which is no matter of one hour's fees: a day.
const POOL_HORIZON: Elapsed = Elapsed::nominal(2_160);
/// One that finds no price for so long after its time is forgotten.
const LATE: Elapsed = Elapsed::nominal(270);
/// Less than this, in basis points of wealth, is neither good nor bad.
const CLEAR_BPS: f64 = 0.05;
/// Twins are numbered apart from decisions.
const TWINS: u64 = 1 << 62;
/// Errors count at most this many usual ones, and so many trials are doubted.
const MOST_AT_STAKE: f64 = 1.25;
const DOUBT: f64 = 2.0;

/// What a decision has beyond that of its twin, as shares of wealth.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct TwinDifference {
    /// What follows the price.
    pub exposure: f64,
    /// What is in the pool, times how concentrated it is there.
    pub pooled: f64,
    /// What it costs, in basis points of wealth.
    pub cost_bps: f64,
}

/// What a path brought.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TwinPath {
    /// The price at the end over that at the beginning, less 1.
    pub earned: f64,
    /// Fee yield a day, in the mean over the path.
    pub fee_yield: f64,
    /// Variance of the log price a day, in the mean over the path: arbitrage takes an eighth of it.
    pub variance: f64,
    /// Its length.
    pub days: f64,
}

impl TwinDifference {
    /// What the difference was worth, in basis points of wealth.
    #[must_use]
    pub fn worth_bps(&self, path: &TwinPath) -> f64 {
        let pool = (path.fee_yield - path.variance / 8.0) * path.days;
        let worth = (self.exposure * path.earned + self.pooled * pool) * 1e4 - self.cost_bps;
        if worth.is_finite() { worth.clamp(-1e4, 1e4) } else { 0.0 }
    }
    /// How long it is given.
    #[must_use]
    pub fn horizon(&self) -> Elapsed {
        if self.pooled.abs() > 1e-4 { POOL_HORIZON } else { HORIZON }
    }
}

/// A trial under way.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
struct TwinTrial {
    number: u64,
    at: VirtualTime,
    price: f64,
    fee_yield: f64,
    variance: f64,
    difference: TwinDifference,
}

/// What a rule's trials came to.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct TwinRecord {
    /// Which of all rules that ever acted it is: its share of the level.
    number: u64,
    wager: Wager,
    count: u32,
    sum: f64,
    squares: f64,
    staked: f64,
    bps: f64,
}

/// Rules and their twins. Kept in the checkpoint.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Twins {
    open: BTreeMap<EntryId, TwinTrial>,
    records: BTreeMap<EntryId, TwinRecord>,
    rules: u64,
    trials: u64,
}

impl TwinRecord {
    /// A trial is over: the stake was fixed before it began.
    fn take(&mut self, worth_bps: f64) {
        let usual = libm::sqrt((self.squares + DOUBT) / (f64::from(self.count) + DOUBT)).max(1e-6);
        let gain = (worth_bps / usual).clamp(-MOST_AT_STAKE, MOST_AT_STAKE);
        self.wager.book(self.count as usize, self.staked, gain);
        self.count = self.count.saturating_add(1);
        self.sum += gain;
        self.squares += (worth_bps * worth_bps).min(25.0 * usual * usual + 1.0);
        self.bps += worth_bps;
        self.staked = (self.sum / (f64::from(self.count) + DOUBT)).clamp(0.0, MOST_STAKE);
    }
    /// True when acting by it is proven to be better than acting without, at its share of the level.
    #[must_use]
    pub fn is_proven(&self) -> bool {
        self.wager.proves(LevelShare::Acting.level(self.number))
    }
}

/// What acting by one rule was worth beyond acting without it, by its twin.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct WorthByTwin {
    /// Which: the entry that it stands in, or that warns.
    pub rule: EntryId,
    /// Trials that are over.
    pub trials: u32,
    /// What it was worth, in basis points of wealth; below 0 for a loss.
    pub bps: f64,
}

/// What rules that somebody else learnt brought to this golem, by their twins. It says whom a profit goes back to; nothing is paid for
/// it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AttributedProfit {
    /// Who learnt them first.
    pub learnt_by: GolemId,
    /// Trials that are over.
    pub trials: u32,
    /// What acting by them was worth beyond acting without, in basis points of wealth.
    pub bps: f64,
    /// The same by rule, for those that have acted; files from before it was told have none.
    #[serde(default)]
    pub by_rule: Vec<WorthByTwin>,
}

impl Grimoire {
    /// What rules of others brought, by who learnt them first. What this golem learnt itself it owes to nobody, and of what it has
    /// burnt nobody knows any more whose it was.
    #[must_use]
    pub fn attributed(&self) -> Vec<AttributedProfit> {
        let mut all: BTreeMap<GolemId, AttributedProfit> = BTreeMap::new();
        for (rule, record) in self.twins.records.iter().filter(|(_, record)| record.count > 0) {
            let learnt_by = self.shelf.entry(*rule).map(|entry| entry.body.origin.golem);
            let Some(learnt_by) = learnt_by.filter(|golem| *golem != self.origin.golem) else { continue };
            let nothing = AttributedProfit { learnt_by, trials: 0, bps: 0.0, by_rule: Vec::new() };
            let sum = all.entry(learnt_by).or_insert(nothing);
            sum.trials = sum.trials.saturating_add(record.count);
            sum.bps += record.bps;
            sum.by_rule.push(WorthByTwin { rule: *rule, trials: record.count, bps: record.bps });
        }
        all.into_values().collect()
    }

    /// A rule was in force and changed what is done. One trial of a rule is under way at a time, so that no two of them
    /// speak of the same stretch of the path.
    pub fn try_twin(
        &mut self,
        rule: EntryId,
        retrieved: bool,
        difference: TwinDifference,
        seen: &Snapshot,
        now: VirtualTime,
    ) {
        let number = |field: Field| seen.get(field).and_then(|v| v.as_f64());
        let Some(price) = number(Field::MarketPrice).filter(|p| *p > 0.0) else { return };
        if self.twins.open.contains_key(&rule) || self.shelf.entry(rule).is_none() {
            return;
        }
        self.twins.trials = self.twins.trials.saturating_add(1);
        let trial = TwinTrial {
            number: TWINS | self.twins.trials,
            at: now,
            price,
            fee_yield: number(Field::MarketFeeYield).unwrap_or(0.0),
            variance: daily_variance(seen),
            difference,
        };
        self.twins.open.insert(rule, trial);
        let (entries, retrieved) = (vec![rule], if retrieved { vec![rule] } else { Vec::new() });
        self.credits.open(&mut self.shelf, trial.number, Used { entries, retrieved });
    }

    /// Value the trials that are due.
    pub(super) fn settle_twins(&mut self, seen: &Snapshot, now: VirtualTime) {
        let number = |field: Field| seen.get(field).and_then(|v| v.as_f64());
        let is_due = |t: &TwinTrial| now.since(t.at) >= t.difference.horizon();
        let due: Vec<EntryId> = self.twins.open.iter().filter(|(_, t)| is_due(t)).map(|(id, _)| *id).collect();
        for rule in due {
            let Some(trial) = self.twins.open.get(&rule).copied() else { continue };
            let late = now.since(trial.at) >= Elapsed(trial.difference.horizon().0 + LATE.0);
            let Some(price) = number(Field::MarketPrice).filter(|_| !late) else {
                if late {
                    self.twins.open.remove(&rule);
                    self.credits.settle(&mut self.shelf, trial.number, TurnedOut::Unclear, now);
                }
                continue;
            };
            self.twins.open.remove(&rule);
            let looks = (trial.fee_yield, trial.variance);
            let path = self.path_since(&trial.difference, (trial.at, trial.price), price, looks, now);
            self.credit_rule(rule, trial.number, trial.difference.worth_bps(&path), now);
        }
    }

    /// What the path has brought since a moment and its price, for who has so much in the pool. Where nothing was kept of it, what was
    /// looked at once stands for it.
    pub(super) fn path_since(
        &self,
        of: &TwinDifference,
        (since, then): (VirtualTime, f64),
        price: f64,
        (fee_yield, variance): (f64, f64),
        now: VirtualTime,
    ) -> TwinPath {
        let pooled = of.pooled.abs() > 0.0;
        let mean = |field, of: fn(f64) -> f64| if pooled { self.mean_since(field, since, of) } else { None };
        TwinPath {
            earned: price / then - 1.0,
            fee_yield: mean(Field::MarketFeeYield, |x| x).unwrap_or(fee_yield),
            variance: mean(Field::MarketVolatility, variance_of).unwrap_or(variance),
            days: now.since(since).as_days(),
        }
    }

    /// What a field came to in the mean since a moment, as far back as the ring goes: a position earns what comes in between, and a
    /// burst of fees that is over by the evening was seen in the morning by nobody.
    fn mean_since(&self, field: Field, since: VirtualTime, of: fn(f64) -> f64) -> Option<f64> {
        let mut column = Vec::new();
        self.series.column(field, &mut column);
        let ticks = self.series.ticks().end.saturating_sub(since.age().nominal_floor());
        let rows = usize::try_from(ticks / self.series.row_ticks()).unwrap_or(usize::MAX);
        let (mut sum, mut seen) = (0.0, 0.0);
        for x in column.iter().rev().take(rows).filter(|x| x.is_finite()) {
            (sum, seen) = (sum + of(f64::from(*x)), seen + 1.0);
        }
        (seen > 0.0).then(|| sum / seen)
    }

    fn credit_rule(&mut self, rule: EntryId, number: u64, worth_bps: f64, now: VirtualTime) {
        let Twins { records, rules, .. } = &mut self.twins;
        let record = records.entry(rule).or_insert_with(|| {
            *rules = rules.saturating_add(1);
            TwinRecord { number: *rules, ..TwinRecord::default() }
        });
        record.take(worth_bps);
        let proven = record.is_proven();
        let turned = match worth_bps {
            w if w > CLEAR_BPS => TurnedOut::Well,
            w if w < -CLEAR_BPS => TurnedOut::Badly,
            _ => TurnedOut::Unclear,
        };
        let hearsay = self.shelf.entry(rule).is_some_and(crate::Entry::is_hearsay);
        self.credits.settle(&mut self.shelf, number, turned, now);
        // What came from elsewhere becomes this golem's own experience by proof alone.
        if hearsay && !proven {
            self.shelf.stand(rule, |s| s.own_validation = false);
        }
    }
}

/// Variance of the log price a day, from the volatility of an hour.
pub(super) fn daily_variance(seen: &Snapshot) -> f64 {
    seen.get(Field::MarketVolatility).and_then(|v| v.as_f64()).map_or(0.0, variance_of)
}

/// The same from one look at it.
fn variance_of(hourly: f64) -> f64 {
    hourly * hourly * 24.0
}
