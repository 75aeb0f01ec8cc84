//! The deck of a replay: where in a life one looks, and how fast that moves.

/// The slowest and the fastest, in days a second.
const SLOWEST: f64 = 1.0 / 64.0;
const FASTEST: f64 = 64.0;

/// A life is shown as it is, or as it was at an age that moves.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ReplayDeck {
    /// The present is shown.
    pub live: bool,
    pub playing: bool,
    /// Days a second.
    pub speed: f64,
    /// The age that is shown, in days.
    pub at: f64,
    moved_ms: Option<u64>,
}

impl Default for ReplayDeck {
    fn default() -> Self {
        Self { live: true, playing: false, speed: 2.0, at: 0.0, moved_ms: None }
    }
}

impl ReplayDeck {
    /// From the present into a replay, from the beginning; or back.
    pub fn toggle(&mut self) {
        *self = Self { live: !self.live, playing: self.live, speed: self.speed, at: 0.0, moved_ms: None };
    }
    /// Go on, or stand still; at the end it begins again.
    pub fn play_or_pause(&mut self, end: f64) {
        if !self.playing && self.at >= end {
            self.at = 0.0;
        }
        (self.playing, self.moved_ms) = (!self.playing, None);
    }
    pub fn faster(&mut self) {
        self.speed = (self.speed * 2.0).min(FASTEST);
    }
    pub fn slower(&mut self) {
        self.speed = (self.speed / 2.0).max(SLOWEST);
    }
    /// By a share of the life, either way.
    pub fn scrub(&mut self, share: f64, end: f64) {
        self.at = (self.at + share * end).clamp(0.0, end.max(0.0));
    }
    /// Time has passed. True when the end was reached by it.
    pub fn pass(&mut self, now_ms: u64, end: f64) -> bool {
        let before = self.moved_ms.replace(now_ms);
        if self.live || !self.playing {
            return false;
        }
        let seconds = before.map_or(0.0, |before| now_ms.saturating_sub(before) as f64 / 1_000.0);
        self.at += seconds * self.speed;
        if self.at < end {
            return false;
        }
        (self.at, self.playing) = (end.max(0.0), false);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_life_of_four_days_takes_two_seconds_at_two_days_a_second() {
        let mut deck = ReplayDeck::default();
        assert!(!deck.pass(0, 4.0));
        deck.toggle();
        let ends: Vec<bool> = (0..=8).map(|n| deck.pass(n * 250, 4.0)).collect();
        assert_eq!(ends.iter().position(|end| *end), Some(8));
        assert!(!deck.playing);
        assert!((deck.at - 4.0).abs() < 1e-9);
        deck.play_or_pause(4.0);
        assert!(deck.playing && deck.at == 0.0, "from the beginning again");
    }

    #[test]
    fn speed_and_place_stay_within_bounds() {
        let mut deck = ReplayDeck { live: false, ..ReplayDeck::default() };
        (0..40).for_each(|_| deck.faster());
        assert!((deck.speed - FASTEST).abs() < 1e-9);
        (0..40).for_each(|_| deck.slower());
        assert!((deck.speed - SLOWEST).abs() < 1e-9);
        deck.scrub(-3.0, 10.0);
        assert!(deck.at.abs() < 1e-9);
        deck.scrub(9.0, 10.0);
        assert!((deck.at - 10.0).abs() < 1e-9);
    }
}
