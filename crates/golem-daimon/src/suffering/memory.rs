//! What is kept of stressors that have ended, in bounded room: the worst of each domain, how peaks are spread, and how
//! bad each measured one was when it last ended.
//!
//! Never grows with the length of the history, and never learns from what only time or an agent's word ended.

use super::canonical::Canonical;
use super::domain::ActivityDomain;
use super::history::{Resolved, StressorEnding, StressorLedger};
use golem_core::{Elapsed, Unit, VirtualTime};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A peak above this is always a warning.
pub const SIGNAL_PEAK: f64 = 0.5;
/// A decile of fewer than this is no decile.
const LEAST_FOR_DECILE: u64 = 10;
/// A measured stressor that fires again within this time resumes its old severity.
pub const RESUME_WITHIN: Elapsed = Elapsed::secs(7 * 86_400);

/// The worst that happened in a domain.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Scar {
    /// What it was.
    pub stressor: String,
    /// How bad it got.
    pub peak: Unit,
    /// What ended it.
    pub note: String,
}

/// How a measured stressor last ended.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
struct Last {
    at: VirtualTime,
    severity: Unit,
}

/// The bounded memory of what has ended.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(super) struct EndedMemory {
    /// By rules over the record.
    scars: BTreeMap<ActivityDomain, Scar>,
    /// By conditions that an agent gave, here or elsewhere.
    told: BTreeMap<ActivityDomain, Scar>,
    /// How many peaks fell into each hundredth.
    peaks: BTreeMap<u8, u64>,
    last: [Option<Last>; Canonical::COUNT],
}

/// The hundredth a peak falls into; the small push keeps 0.29 in the 29th.
fn hundredth(peak: f64) -> u8 {
    libm::floor(Unit::clamped(peak).get() * 100.0 + 1e-9) as u8
}

impl EndedMemory {
    /// Take in what has ended.
    pub(super) fn learn(&mut self, row: &Resolved) {
        let measured = row.ledger == StressorLedger::Measured;
        if measured && row.ending.is_checked() {
            let count = self.peaks.entry(hundredth(row.peak)).or_default();
            *count = count.saturating_add(1);
        }
        let Some(domain) = row.domain else { return };
        if !matches!(row.ending, StressorEnding::Eased | StressorEnding::Imported) {
            return;
        }
        let peak = Unit::clamped(row.peak);
        let scars = if measured { &mut self.scars } else { &mut self.told };
        if scars.get(&domain).is_none_or(|s| s.peak <= peak) {
            scars.insert(domain, Scar { stressor: row.stressor.clone(), peak, note: row.note.clone() });
        }
    }
    pub(super) fn note_end(&mut self, which: Canonical, at: VirtualTime, severity: f64) {
        self.last[which as usize] = Some(Last { at, severity: Unit::clamped(severity) });
    }
    /// The severity to resume, if it ended a short while ago.
    pub(super) fn resumes(&self, which: Canonical, now: VirtualTime) -> Option<f64> {
        self.last[which as usize].filter(|l| now.since(l.at) <= RESUME_WITHIN).map(|l| l.severity.get())
    }
    /// The scar of a domain and whose it is, if it is deep enough for a warning: above one half, or in the top tenth of
    /// all measured peaks, whichever is lower. What was measured comes first: no story of an agent's replaces it.
    pub(super) fn warning(&self, domain: ActivityDomain) -> Option<(&Scar, StressorLedger)> {
        let deep = |scar: &&Scar| {
            scar.peak.get() > SIGNAL_PEAK || self.decile().is_some_and(|d| hundredth(scar.peak.get()) >= d)
        };
        let measured = self.scars.get(&domain).filter(deep).map(|scar| (scar, StressorLedger::Measured));
        measured.or_else(|| Some((self.told.get(&domain).filter(deep)?, StressorLedger::Reported)))
    }
    /// The hundredth from which the top tenth of peaks lies; none while there are too few.
    fn decile(&self) -> Option<u8> {
        let all = self.peaks.values().fold(0_u64, |sum, n| sum.saturating_add(*n));
        if all < LEAST_FOR_DECILE {
            return None;
        }
        let mut left = all.div_ceil(10);
        self.peaks.iter().rev().find_map(|(at, n)| {
            left = left.saturating_sub(*n);
            (left == 0).then_some(*at)
        })
    }
}
