//! Which threats a cycle rehearses, and how many.

use super::record::{CYCLES_AFTER_LOSS, ThreatBook, ThreatRecord};
use crate::imagine::catalogue::{THREATS, ThreatCard, ThreatTier};
use golem_core::{Elapsed, VirtualTime};

/// What decides it, besides the records.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ThreatSeen {
    pub cycle: u64,
    pub now: VirtualTime,
    /// What was lost in the last day, as a share of wealth.
    pub recent_loss: f64,
    /// From 1 to 5.
    pub volatility_fifth: u8,
    /// True while there is less liquidity than usual.
    pub is_thin: bool,
}

/// Weights of a threat's priority: recent loss, probability, severity, staleness.
const WEIGHTS: [f64; 4] = [0.3, 0.25, 0.25, 0.2];
/// A loss of this share of wealth counts in full.
const FULL_LOSS: f64 = 0.05;
/// Cycles after which a rehearsal is quite stale: so many that the rare and mild come round too.
const STALE_CYCLES: f64 = 30.0;
/// Cycles between two rehearsals of a threat of the second tier, and time between those of the third.
const T2_CYCLES: u64 = 3;
const T3_EVERY: Elapsed = Elapsed::secs(7 * 86_400);
/// From this fifth on volatility counts as high.
const HIGH_FIFTH: u8 = 4;

/// How much more often than usual: twice after a real loss; twice in a wild market or a thin one, three times in both.
#[must_use]
pub fn frequency(book: &ThreatBook, seen: &ThreatSeen) -> u32 {
    let after_loss = if book.loss_cycles_left > 0 { 2 } else { 1 };
    let market = match (seen.volatility_fifth >= HIGH_FIFTH, seen.is_thin) {
        (true, true) => 3,
        (true, false) | (false, true) => 2,
        (false, false) => 1,
    };
    after_loss * market
}

/// How many threats a cycle rehearses: what was asked for, times how much more often than usual, at most `most`.
#[must_use]
pub fn scenarios(asked: u32, most: u32, book: &ThreatBook, seen: &ThreatSeen) -> u32 {
    asked.saturating_mul(frequency(book, seen)).min(most).min(THREATS.len() as u32)
}

/// The threats to rehearse, so many of them: one of the first tier always, then whatever is due, by priority.
#[must_use]
pub fn due_threats(book: &ThreatBook, seen: &ThreatSeen, many: u32) -> Vec<(&'static ThreatCard, f64)> {
    let often = frequency(book, seen);
    let mut due: Vec<(&'static ThreatCard, f64)> = THREATS
        .iter()
        .map(|card| (card, book.record(card.id)))
        .filter(|(card, record)| is_due(card.tier, record, seen, often))
        .map(|(card, record)| (card, priority(card, &record, seen)))
        .collect();
    // Equal priorities keep the catalogue's order.
    due.sort_by(|a, b| b.1.total_cmp(&a.1));
    if let Some(first) = due.iter().position(|(card, _)| card.tier == ThreatTier::T1) {
        let gravest = due.remove(first);
        due.insert(0, gravest);
    }
    due.truncate(many as usize);
    due
}

/// The first tier is due in every cycle, the second every three (every two or every one, where more is rehearsed), the
/// third every week.
fn is_due(tier: ThreatTier, record: &ThreatRecord, seen: &ThreatSeen, often: u32) -> bool {
    let often = u64::from(often.max(1));
    match (tier, record.rehearsed_cycle, record.rehearsed) {
        (ThreatTier::T1, ..) | (_, None, _) | (_, _, None) => true,
        (ThreatTier::T2, Some(cycle), _) => seen.cycle.saturating_sub(cycle) >= T2_CYCLES.div_ceil(often),
        (ThreatTier::T3, _, Some(at)) => seen.now.since(at) >= Elapsed(T3_EVERY.0 / often),
    }
}

/// How much it matters to rehearse a threat now, from 0 to 1.
#[must_use]
pub fn priority(card: &ThreatCard, record: &ThreatRecord, seen: &ThreatSeen) -> f64 {
    let unit = |x: f64| if x.is_nan() { 0.0 } else { x.clamp(0.0, 1.0) };
    let struck_lately =
        record.struck_cycle.is_some_and(|cycle| seen.cycle.saturating_sub(cycle) < u64::from(CYCLES_AFTER_LOSS));
    let loss = if struck_lately { 1.0 } else { unit(seen.recent_loss / FULL_LOSS) };
    let stale = record.rehearsed_cycle.map_or(1.0, |cycle| seen.cycle.saturating_sub(cycle) as f64 / STALE_CYCLES);
    let parts = [loss, unit(card.probability), unit(card.severity), unit(stale)];
    parts.iter().zip(WEIGHTS).map(|(part, weight)| part * weight).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::imagine::catalogue::threat;
    use crate::imagine::samples::at;
    use crate::imagine::threats::RehearsalOf;
    use std::collections::BTreeMap;

    const CALM: ThreatSeen =
        ThreatSeen { cycle: 0, now: VirtualTime(0), recent_loss: 0.0, volatility_fifth: 3, is_thin: false };

    #[test]
    fn losses_and_wild_or_thin_markets_rehearse_more() {
        let table = [
            (false, 3, false, 1),
            (true, 3, false, 2),
            (false, 4, false, 2),
            (false, 3, true, 2),
            (false, 5, true, 3),
            (true, 4, true, 6),
        ];
        for (lost, volatility_fifth, is_thin, times) in table {
            let mut book = ThreatBook::default();
            if lost {
                book.lost();
            }
            let seen = ThreatSeen { volatility_fifth, is_thin, ..CALM };
            assert_eq!(frequency(&book, &seen), times, "{lost} {volatility_fifth} {is_thin}");
            assert_eq!(scenarios(3, 100, &book, &seen), (3 * times).min(15));
            assert_eq!(scenarios(3, 2, &book, &seen), 2, "never more than the tier allows");
        }
    }

    #[test]
    fn priority_is_the_sum_of_four_parts() {
        let card = threat("gas_war").unwrap();
        let mut record = ThreatRecord::default();
        record.rehearsed_cycle = Some(5);
        let seen = ThreatSeen { cycle: 20, recent_loss: 0.025, ..CALM };
        // Half of a full loss, probability .4, severity .5, half stale.
        let expected = 0.3 * 0.5 + 0.25 * 0.4 + 0.25 * 0.5 + 0.2 * 0.5;
        assert!((priority(card, &record, &seen) - expected).abs() < 1e-12);
        record.struck_cycle = Some(16);
        assert!((priority(card, &record, &seen) - expected - 0.15).abs() < 1e-12, "it was the loss");
        record.struck_cycle = Some(15);
        assert!((priority(card, &record, &seen) - expected).abs() < 1e-12, "five cycles are over");
        let never = ThreatRecord::default();
        assert!((priority(card, &never, &ThreatSeen { recent_loss: f64::NAN, ..CALM }) - 0.425).abs() < 1e-12);
    }

    #[test]
    fn tiers_come_round_in_their_time() {
        let ids = |record: ThreatRecord, cycle, tick, often| {
            let seen = ThreatSeen { cycle, now: at(tick), ..CALM };
            [ThreatTier::T1, ThreatTier::T2, ThreatTier::T3].map(|tier| is_due(tier, &record, &seen, often))
        };
        let mut done = ThreatRecord::default();
        (done.rehearsed_cycle, done.rehearsed) = (Some(10), Some(at(0)));
        assert_eq!(ids(ThreatRecord::default(), 0, 0, 1), [true; 3]);
        assert_eq!(ids(done.clone(), 11, 50, 1), [true, false, false]);
        assert_eq!(ids(done.clone(), 12, 50, 1), [true, false, false]);
        assert_eq!(ids(done.clone(), 13, 50, 1), [true, true, false]);
        assert_eq!(ids(done.clone(), 12, 50, 2), [true, true, false], "twice as often");
        let week = 7 * 2_160;
        assert!(!ids(done.clone(), 11, week - 1, 1)[2]);
        assert!(ids(done.clone(), 11, week, 1)[2]);
        assert!(ids(done, 11, week / 2, 2)[2]);
    }

    #[test]
    fn every_cycle_rehearses_the_first_tier_and_all_get_their_turn() {
        let mut book = ThreatBook::default();
        let mut counts: BTreeMap<&str, u32> = BTreeMap::new();
        for cycle in 0..60 {
            let seen = ThreatSeen { cycle, now: at(cycle * 400), ..CALM };
            let due = due_threats(&book, &seen, 2);
            assert_eq!((due.len(), due[0].0.tier), (2, ThreatTier::T1));
            assert_ne!(due[0].0.id, due[1].0.id);
            for (card, _) in due {
                *counts.entry(card.id).or_default() += 1;
                let of = RehearsalOf { rehearsed: &[], tried: &[], exposure: 1.0 };
                book.rehearsed(card.id, &of, cycle, seen.now);
            }
        }
        assert_eq!(counts.len(), 15, "{counts:?}");
        assert!(due_threats(&book, &CALM, 0).is_empty());
        assert!(due_threats(&ThreatBook::default(), &CALM, 99).len() == 15);
    }
}
