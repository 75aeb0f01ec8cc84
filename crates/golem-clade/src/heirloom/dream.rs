//! The dream journal of the dead, as far as it crosses: what was dreamt, and what came of it. An heir believes nothing of it; it
//! knows what its line has dreamt already, and need not dream it again.

use golem_core::words::one_line;
use golem_core::{GolemId, Timestamp};
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;

/// Dreams that cross.
pub const MOST_DREAMS: usize = 32;
/// Of these, so many for being the newest; the others for what came of them.
const NEWEST_DREAMS: usize = MOST_DREAMS / 2;
/// Lines of a dream.
pub const MOST_DREAM_LINES: usize = 4;
/// Characters of a line.
pub const MOST_DREAM_LINE: usize = 240;

/// A dream of somebody in the line.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LineDream {
    /// When, in the time of its world.
    pub at: Timestamp,
    /// Whose.
    pub dreamer: GolemId,
    /// Its number in that life.
    pub number: u32,
    /// What it thought of itself, in basis points.
    pub quality_bp: u16,
    /// What it proposed, and what reality said of that while its dreamer lived.
    pub proposed: u32,
    pub confirmed: u32,
    pub refuted: u32,
    pub expired: u32,
    /// What it came up with, in words.
    pub said: Vec<String>,
}

impl LineDream {
    /// The same within its bounds.
    #[must_use]
    pub fn bounded(mut self) -> Self {
        self.said.iter_mut().for_each(|line| *line = one_line(line, MOST_DREAM_LINE));
        self.said.retain(|line| !line.is_empty());
        self.said.truncate(MOST_DREAM_LINES);
        self.quality_bp = self.quality_bp.min(10_000);
        self
    }
    /// True when it is within its bounds.
    pub(super) fn is_bounded(&self) -> bool {
        self.clone().bounded() == *self
    }
}

/// The dreams that cross: the newest half, and of the others those of which most came true, then those that were thought best of.
/// The newest first, in whatever order they are given.
#[must_use]
pub fn dreams_to_leave(all: impl IntoIterator<Item = LineDream>) -> Vec<LineDream> {
    let mut all: Vec<LineDream> = all.into_iter().map(LineDream::bounded).collect();
    all.sort_by(|a, b| b.cmp(a));
    all.dedup_by_key(|dream| (dream.dreamer, dream.number));
    let mut older = all.split_off(all.len().min(NEWEST_DREAMS));
    older.sort_by_key(|dream| {
        (Reverse((dream.confirmed, dream.quality_bp)), Reverse(dream.at), dream.dreamer, dream.number)
    });
    older.truncate(MOST_DREAMS - all.len());
    all.extend(older);
    all.sort_by(|a, b| b.cmp(a));
    all
}
