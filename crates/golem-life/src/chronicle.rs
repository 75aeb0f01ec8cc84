//! What a life keeps of itself for its end: a few figures, moods and turning points, bounded however long it lives. It takes
//! no part in any decision; nothing of it is hashed before death is on record.

use golem_core::{Tick, Usdc, UsdcDelta};
use golem_daimon::affect::{MoodWord, Pad};
use golem_grimoire::testament::{MoodSample, TestamentSections};
use golem_mortality::BehavioralPhase;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A mood is kept once in so many turns, at first.
const MOOD_EVERY: u64 = 50;
/// Moods that are kept: when there are more, every second one goes, and it is sampled half as often.
const MOST_MOODS: usize = 128;
/// Changes of phase that are kept, the latest.
const MOST_PHASES: usize = 16;

/// What a life keeps of itself for its end.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(crate) struct Chronicle {
    moods: Vec<MoodSample>,
    /// Doublings of the time between two samples.
    doublings: u8,
    /// Samples in each mood.
    mood_words: BTreeMap<MoodWord, u32>,
    pub first_trade: Option<Tick>,
    pub best: Option<(Tick, UsdcDelta)>,
    pub worst: Option<(Tick, UsdcDelta)>,
    pub won: u64,
    pub lost: u64,
    /// The most it was worth.
    pub peak: (Tick, Usdc),
    /// The latest changes of phase: when, from and to; and how many there were.
    pub phases: Vec<(Tick, BehavioralPhase, BehavioralPhase)>,
    pub transitions: u64,
    /// The heaviest it suffered.
    pub peak_load: Option<(Tick, f64)>,
    /// The dreams that its testament tells of: its one emergency dream, and the one that its death broke off.
    #[serde(with = "golem_core::plain::as_text")]
    pub last_dream: Option<LastDream>,
    /// What its testament would have said, as of some turn of its decline.
    #[serde(with = "golem_core::plain::as_text")]
    pub draft: Option<TestamentDraft>,
}

/// What the emergency dream came to, or the one that death broke off.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct LastDream {
    pub number: u32,
    pub tick: Tick,
    pub replayed: u32,
    pub patterns: Vec<String>,
    /// What else stands in its journal, where death broke it off.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub broken_off: Option<BrokenDream>,
    /// The emergency dream, where death broke off another one later.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<Box<LastDream>>,
}

/// How far a dream had come when death broke it off.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct BrokenDream {
    /// Turns since it began.
    pub turns: u64,
    /// Other ways to have acted, ideas and threats that it had tried.
    pub tried: u32,
    /// What it had thought of, in words.
    pub ideas: Vec<String>,
    pub proposed: u32,
}

/// What the testament would have said, as of a turn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct TestamentDraft {
    pub tick: Tick,
    pub sections: TestamentSections,
}

impl Chronicle {
    /// A turn is over: how it felt.
    pub(crate) fn feel(&mut self, tick: Tick, mood: Pad) {
        let every = MOOD_EVERY << self.doublings.min(40);
        if !tick.is_every(every) {
            return;
        }
        self.moods.push(MoodSample { tick, pad: mood.compact() });
        *self.mood_words.entry(MoodWord::of(mood)).or_default() += 1;
        if self.moods.len() > MOST_MOODS {
            let kept = std::mem::take(&mut self.moods).into_iter().filter(|m| m.tick.is_every(every * 2));
            self.moods = kept.collect();
            self.doublings = self.doublings.saturating_add(1);
        }
    }
    /// Something was done; it realised this much.
    pub(crate) fn act(&mut self, tick: Tick, realised: UsdcDelta) {
        self.first_trade.get_or_insert(tick);
        if realised.0 > 0 {
            self.won = self.won.saturating_add(1);
            if self.best.is_none_or(|(_, best)| realised > best) {
                self.best = Some((tick, realised));
            }
        } else if realised.0 < 0 {
            self.lost = self.lost.saturating_add(1);
            if self.worst.is_none_or(|(_, worst)| realised < worst) {
                self.worst = Some((tick, realised));
            }
        }
    }
    /// It is worth this much.
    pub(crate) fn is_worth(&mut self, tick: Tick, nav: Usdc) {
        if nav > self.peak.1 {
            self.peak = (tick, nav);
        }
    }
    /// It suffers this much.
    pub(crate) fn suffers(&mut self, tick: Tick, load: f64) {
        if load.is_finite() && load > self.peak_load.map_or(0.0, |(_, most)| most) {
            self.peak_load = Some((tick, load));
        }
    }
    /// A dream of which the testament tells is over.
    pub(crate) fn dreamt(&mut self, dream: LastDream) {
        let before = self.last_dream.take().map(Box::new);
        self.last_dream = Some(LastDream { before, ..dream });
    }
    /// Its phase changed.
    pub(crate) fn changes_phase(&mut self, tick: Tick, from: BehavioralPhase, to: BehavioralPhase) {
        self.transitions = self.transitions.saturating_add(1);
        if self.phases.len() == MOST_PHASES {
            self.phases.remove(0);
        }
        self.phases.push((tick, from, to));
    }
    /// Its moods, in their order.
    pub(crate) fn moods(&self) -> &[MoodSample] {
        &self.moods
    }
    /// The mood it was in most often; the earlier word of two that are equal.
    pub(crate) fn dominant_mood(&self) -> Option<MoodWord> {
        let most = self.mood_words.values().max()?;
        self.mood_words.iter().find(|(_, n)| *n == most).map(|(word, _)| *word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_life_keeps_a_bounded_number_of_moods_in_their_order() {
        let mut kept = Chronicle::default();
        for n in 1..=1_000_000u64 {
            kept.feel(Tick(n), Pad::new(0.5, 0.0, 0.2));
        }
        let ticks: Vec<u64> = kept.moods().iter().map(|m| m.tick.0).collect();
        assert!((60..=MOST_MOODS).contains(&ticks.len()), "{}", ticks.len());
        assert!(ticks.is_sorted() && *ticks.last().unwrap() > 900_000);
        assert_eq!(kept.dominant_mood(), Some(MoodWord::of(Pad::new(0.5, 0.0, 0.2))));
    }

    #[test]
    fn the_best_the_worst_and_the_peak_are_kept_with_their_turns() {
        let mut kept = Chronicle::default();
        for (n, realised) in [(3, 0), (4, 50), (5, -20), (6, 10), (7, -90)] {
            kept.act(Tick(n), UsdcDelta(realised));
            kept.is_worth(Tick(n), Usdc(100 + realised.unsigned_abs()));
        }
        assert_eq!(kept.first_trade, Some(Tick(3)));
        assert_eq!((kept.best, kept.worst), (Some((Tick(4), UsdcDelta(50))), Some((Tick(7), UsdcDelta(-90)))));
        assert_eq!((kept.won, kept.lost, kept.peak), (2, 2, (Tick(7), Usdc(190))));
        let bytes = golem_core::plain::bytes(&kept);
        assert_eq!(postcard::from_bytes::<Chronicle>(&bytes).unwrap(), kept);
    }
}
