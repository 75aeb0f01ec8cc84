//! What is remembered of each threat: how often it was rehearsed, seemed to begin, and did.

use crate::imagine::catalogue::{THREATS, threat};
use golem_core::VirtualTime;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Cycles for which a real loss doubles rehearsal.
pub const CYCLES_AFTER_LOSS: u8 = 5;
/// Arousal of a threat that was never rehearsed, what each rehearsal takes off, and how many do.
const FIRST_AROUSAL: f64 = 0.8;
const LAST_AROUSAL: f64 = 0.4;
const CALMING_REHEARSALS: u32 = 5;
/// False alarms should be fewer than this share of all alarms.
const MOST_FALSE: f64 = 0.3;

/// One threat's history.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ThreatRecord {
    pub rehearsals: u32,
    /// Times its trigger held while awake.
    pub activations: u32,
    pub true_positives: u32,
    pub false_alarms: u32,
    /// When it was rehearsed last, and in which cycle.
    pub rehearsed: Option<VirtualTime>,
    pub rehearsed_cycle: Option<u64>,
    /// The cycle before which it last turned out to be real.
    pub struck_cycle: Option<u64>,
    /// What doing nothing lost in the latest rehearsal, in basis points of wealth.
    pub loss_bps: f64,
}

impl ThreatRecord {
    /// How much the thought of it excites: rehearsal calms.
    #[must_use]
    pub fn arousal(&self) -> f64 {
        let share = f64::from(self.rehearsals.min(CALMING_REHEARSALS)) / f64::from(CALMING_REHEARSALS);
        FIRST_AROUSAL + (LAST_AROUSAL - FIRST_AROUSAL) * share
    }
    /// The share of settled alarms that were for nothing; none before the first.
    #[must_use]
    pub fn false_share(&self) -> Option<f64> {
        let settled = self.true_positives.saturating_add(self.false_alarms);
        (settled > 0).then(|| f64::from(self.false_alarms) / f64::from(settled))
    }
    /// True when its trigger cries wolf too often.
    #[must_use]
    pub fn cries_wolf(&self) -> bool {
        self.false_share().is_some_and(|share| share >= MOST_FALSE)
    }
}

/// All threats' histories: one each, and none that is not in the catalogue.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ThreatBook {
    records: BTreeMap<String, ThreatRecord>,
    /// Cycles left in which a real loss still counts.
    pub loss_cycles_left: u8,
}

impl ThreatBook {
    /// The history of a threat.
    #[must_use]
    pub fn record(&self, id: &str) -> ThreatRecord {
        self.records.get(id).cloned().unwrap_or_default()
    }
    pub fn records(&self) -> impl Iterator<Item = (&str, &ThreatRecord)> {
        self.records.iter().map(|(id, record)| (id.as_str(), record))
    }
    fn change(&mut self, id: &str, change: impl FnOnce(&mut ThreatRecord)) {
        if threat(id).is_some() {
            change(self.records.entry(id.to_owned()).or_default());
        }
        // A file may hold what the catalogue no longer does.
        while self.records.len() > THREATS.len() {
            let stray = self.records.keys().find(|id| threat(id).is_none()).cloned();
            match stray {
                Some(id) => self.records.remove(&id),
                None => break,
            };
        }
    }
    /// It was lived through on a copy.
    pub fn rehearsed(&mut self, id: &str, loss_bps: f64, cycle: u64, now: VirtualTime) {
        self.change(id, |record| {
            record.rehearsals = record.rehearsals.saturating_add(1);
            (record.rehearsed, record.rehearsed_cycle) = (Some(now), Some(cycle));
            record.loss_bps = if loss_bps.is_finite() { loss_bps } else { record.loss_bps };
        });
    }
    /// Its trigger began to hold while awake.
    pub fn activated(&mut self, id: &str) {
        self.change(id, |record| record.activations = record.activations.saturating_add(1));
    }
    /// What became of an alarm: it came, or it did not.
    pub fn settled(&mut self, id: &str, came: bool, cycle: u64) {
        self.change(id, |record| {
            let count = if came { &mut record.true_positives } else { &mut record.false_alarms };
            *count = count.saturating_add(1);
            record.struck_cycle = if came { Some(cycle) } else { record.struck_cycle };
        });
    }
    /// A real loss: the next cycles rehearse twice as much.
    pub fn lost(&mut self) {
        self.loss_cycles_left = CYCLES_AFTER_LOSS;
    }
    /// A cycle has passed.
    pub fn cycle_over(&mut self) {
        self.loss_cycles_left = self.loss_cycles_left.saturating_sub(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::imagine::samples::at;

    #[test]
    fn five_rehearsals_calm_from_eight_tenths_to_four() {
        for (rehearsals, arousal) in [(0, 0.8), (1, 0.72), (4, 0.48), (5, 0.4), (50, 0.4)] {
            let record = ThreatRecord { rehearsals, ..Default::default() };
            assert!((record.arousal() - arousal).abs() < 1e-12, "{rehearsals}");
        }
    }

    #[test]
    fn alarms_are_counted_and_false_ones_are_told() {
        let mut book = ThreatBook::default();
        for came in [true, true, false] {
            book.activated("gas_war");
            book.settled("gas_war", came, 7);
        }
        let record = book.record("gas_war");
        assert_eq!((record.activations, record.true_positives, record.false_alarms), (3, 2, 1));
        assert!(record.cries_wolf() && record.struck_cycle == Some(7));
        let seldom = ThreatRecord { true_positives: 71, false_alarms: 29, ..Default::default() };
        assert!(!seldom.cries_wolf());
        assert_eq!(ThreatRecord::default().false_share(), None);
        book.rehearsed("gas_war", 120.0, 3, at(5));
        book.rehearsed("gas_war", f64::NAN, 4, at(6));
        let record = book.record("gas_war");
        assert_eq!((record.rehearsals, record.rehearsed_cycle, record.rehearsed), (2, Some(4), Some(at(6))));
        assert!((record.loss_bps - 120.0).abs() < 1e-12);
    }

    #[test]
    fn there_are_no_more_records_than_threats() {
        let mut book = ThreatBook::default();
        for i in 0..40 {
            book.records.insert(format!("odd {i}"), ThreatRecord::default());
            book.activated(&format!("odd {i}"));
        }
        THREATS.iter().for_each(|card| book.activated(card.id));
        assert_eq!(book.records().count(), 15);
        assert!(book.records().all(|(id, _)| threat(id).is_some()));
        let text = serde_json::to_string(&book).unwrap();
        assert_eq!(serde_json::from_str::<ThreatBook>(&text).unwrap(), book);
    }

    #[test]
    fn a_loss_counts_for_five_cycles() {
        let mut book = ThreatBook::default();
        book.lost();
        let left: Vec<u8> = (0..6).map(|_| (book.loss_cycles_left, book.cycle_over()).0).collect();
        assert_eq!(left, [5, 4, 3, 2, 1, 0]);
    }
}
