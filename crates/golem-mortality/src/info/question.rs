//! When to ask the surrogates again: a question whose answer stays the same is asked ever more rarely.
//!
//! 99 surrogates cost a hundred estimates. Asked every 1,000 ticks they would dominate an accelerated life, so the wait
//! doubles while the answer does not change, up to 16,000 ticks. A changed answer leaves it as it is: a golem on the very
//! edge changes its answer with every asking, and must not pay for that. Evidence that moved far against the answer ends
//! the wait.

use super::config::InfoConfig;
use serde::{Deserialize, Serialize};

/// Evidence moves at least this much before a wait is cut short, however narrow the surrogates are: with long memories
/// the false part alone wanders by a tenth of a bit from window to window.
const LEAST_MOVE_BITS: f64 = 0.2;

/// One standing question ("is it decoupled?") and what was last answered.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct StandingQuestion {
    raised: bool,
    answered: Option<Answered>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Answered {
    tick: u64,
    wait: u64,
    answer: bool,
    bits: f64,
    deviation_bits: f64,
}

impl StandingQuestion {
    /// The alert holds.
    #[must_use]
    pub fn raised(&self) -> bool {
        self.raised
    }

    /// Sets the alert and returns what it was.
    pub(super) fn set(&mut self, raised: bool) -> bool {
        std::mem::replace(&mut self.raised, raised)
    }

    /// The last answer; false before the first.
    pub(super) fn answer(&self) -> bool {
        self.answered.as_ref().is_some_and(|last| last.answer)
    }

    /// True when the wait is over.
    #[must_use]
    pub fn may_ask(&self, tick: u64) -> bool {
        self.answered.as_ref().is_none_or(|last| tick >= last.tick.saturating_add(last.wait))
    }

    /// Ends a doubled wait when the estimate has moved, since it was judged, to where it speaks against the answer.
    /// `rising_doubts` is the answer that more information would cast doubt on.
    pub(super) fn see(&mut self, bits: f64, rising_doubts: bool, config: &InfoConfig) {
        if let Some(last) = &mut self.answered {
            let rise = bits - last.bits;
            let against = if last.answer == rising_doubts { rise } else { -rise };
            if against > (config.reopen_deviations * last.deviation_bits).max(LEAST_MOVE_BITS) {
                last.wait = last.wait.min(config.surrogate_every);
            }
        }
    }

    /// Notes an answer: the same again doubles the wait.
    pub(super) fn note(&mut self, tick: u64, answer: bool, bits: f64, deviation_bits: f64, config: &InfoConfig) {
        let wait = match &self.answered {
            Some(last) if last.answer == answer => last.wait.saturating_mul(2),
            Some(last) => last.wait,
            None => config.surrogate_every,
        };
        let wait = wait.min(config.surrogate_wait_max).max(config.surrogate_every);
        self.answered = Some(Answered { tick, wait, answer, bits, deviation_bits });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_wait_doubles_and_falls_back() {
        let config = InfoConfig::default();
        let mut question = StandingQuestion::default();
        let mut tick = 1_000;
        let mut asked = Vec::new();
        while tick < 100_000 {
            if question.may_ask(tick) {
                asked.push(tick);
                question.note(tick, true, 0.5, 0.03, &config);
            }
            tick += 500;
        }
        assert_eq!(asked, [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 48_000, 64_000, 80_000, 96_000]);
        question.see(0.65, true, &config);
        question.see(0.2, true, &config);
        assert!(!question.may_ask(100_000));
        question.see(0.75, true, &config);
        assert!(question.may_ask(100_000));
        question.note(100_000, true, 0.75, 0.03, &config);
        assert!(!question.may_ask(101_500) && question.may_ask(102_000));
        question.note(102_000, false, 0.75, 0.03, &config);
        assert!(!question.may_ask(103_500) && question.may_ask(104_000));
        question.see(0.5, true, &config);
        assert!(question.may_ask(103_000));
    }
}
