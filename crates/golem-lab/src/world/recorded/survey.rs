//! What a recorded file is like: how many bars, where some are missing, where the price jumps. For whoever is to believe
//! what came of living in it.

use super::CsvWorld;
use super::read::Bar;
use golem_core::Timestamp;
use serde::Serialize;

/// A close that differs from the one before by more than this share is a jump.
pub const JUMP: f64 = 0.2;

/// A recorded market, looked through once.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Survey {
    /// The opening of the first bar.
    pub first: Timestamp,
    /// The close of the last bar.
    pub last: Timestamp,
    /// The usual length of a bar.
    pub bar_s: u64,
    /// Bars that are there.
    pub bars: u64,
    /// Bars that are not, between the first and the last. The price stays as it was while they last.
    pub missing: u64,
    /// Stretches of them.
    pub gaps: u64,
    pub longest_gap: Option<Gap>,
    /// Bars without volume.
    pub silent: u64,
    /// Closes that lie more than [`JUMP`] away from the one before.
    pub jumps: u64,
    pub largest_move: Option<Move>,
}

/// Missing bars in a row.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Gap {
    /// The close of the last bar before it.
    pub from: Timestamp,
    /// How many are missing.
    pub bars: u64,
}

/// A change from one close to the next.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Move {
    /// The close after it.
    pub at: Timestamp,
    /// As a share of the close before it.
    pub change: f64,
}

impl CsvWorld {
    /// Look through all bars that are lived in.
    #[must_use]
    pub fn survey(&self) -> Survey {
        let bar_s = self.bar_ms / 1_000;
        let closes = |bar: &Bar| Timestamp(bar.open_s + bar_s);
        let mut survey = Survey {
            first: Timestamp(self.bars[0].open_s),
            last: closes(&self.bars[self.bars.len() - 1]),
            bar_s: bar_s.unsigned_abs(),
            bars: self.bars.len() as u64,
            missing: 0,
            gaps: 0,
            longest_gap: None,
            silent: self.bars.iter().filter(|bar| bar.volume <= 0.0).count() as u64,
            jumps: 0,
            largest_move: None,
        };
        for pair in self.bars.windows(2) {
            let (before, bar) = (&pair[0], &pair[1]);
            let apart = bar.open_s - before.open_s;
            // A bar that comes late by less than its length has still left a hole.
            survey.gap(closes(before), ((apart + bar_s - 1) / bar_s - 1).unsigned_abs());
            survey.moved(closes(bar), bar.close / before.close - 1.0);
        }
        survey
    }

    /// The close of every bar that is lived in, with its time.
    pub fn closes(&self) -> impl Iterator<Item = (Timestamp, f64)> + '_ {
        self.bars.iter().map(|bar| (Timestamp(bar.open_s + self.bar_ms / 1_000), bar.close))
    }
}

impl Survey {
    fn gap(&mut self, from: Timestamp, bars: u64) {
        if bars > 0 {
            self.missing += bars;
            self.gaps += 1;
            if self.longest_gap.is_none_or(|longest| longest.bars < bars) {
                self.longest_gap = Some(Gap { from, bars });
            }
        }
    }

    fn moved(&mut self, at: Timestamp, change: f64) {
        self.jumps += u64::from(change.abs() > JUMP);
        if self.largest_move.is_none_or(|largest| largest.change.abs() < change.abs()) {
            self.largest_move = Some(Move { at, change });
        }
    }
}
