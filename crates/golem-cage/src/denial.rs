//! Why the cage said no: each denial has a name, a number, a reason and what would lift it.

use crate::breaker::BreakerLevel;
use crate::config::word;
use crate::limits::Window;
use golem_core::intent::Refusal;
use golem_core::venue::VenueId;
use golem_core::{Elapsed, Hash, Usdc};
use serde::{Deserialize, Serialize};

/// How a preview contradicts its intent or itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "snake_case")]
pub enum Contradiction {
    /// What would be sent is not what was asked.
    #[error("what would be sent is not what was asked")]
    Actions,
    /// The predicted outcome is of another kind, or of another amount, than what was asked.
    #[error("the predicted outcome is not of what was asked")]
    Outcome,
    /// The books before and after do not differ by the outcome.
    #[error("the books before and after do not differ by the predicted outcome")]
    Books,
    /// The pool has no price.
    #[error("the pool has no price")]
    NoPrice,
}

/// Why there is no permit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(tag = "denial", rename_all = "snake_case")]
pub enum Denial {
    /// Holding needs no permit.
    #[error("there is nothing to permit")]
    Nothing,
    /// The same thing over and over.
    #[error("asked {times} times among the last {of} asks")]
    Loop {
        /// How often, this time included.
        times: u32,
        /// Among how many.
        of: u32,
    },
    /// The preview says that it would not be carried out.
    #[error("the preview says that it would be refused ({why:?})")]
    WouldFail {
        /// Why.
        why: Refusal,
    },
    /// Not on the list.
    #[error("{} is not among the allowed venues", word(*venue))]
    Venue {
        /// Which.
        venue: VenueId,
    },
    /// Not there at the golem's first preview, and no code hash in the settings.
    #[error("{} was not there at the first preview, and no code is pinned for it", word(*venue))]
    Unpinned {
        /// Which.
        venue: VenueId,
    },
    /// Other code than the trusted one was found.
    #[error("{} runs code {found}, and {pinned} is trusted", word(*venue))]
    Code {
        /// Which.
        venue: VenueId,
        /// What is trusted.
        pinned: Hash,
        /// What was found.
        found: Hash,
    },
    /// A new venue has to wait.
    #[error("{} is new and has to wait another {} s", word(*venue), left.0.div_ceil(1_000))]
    Cooldown {
        /// Which.
        venue: VenueId,
        /// How much longer.
        left: Elapsed,
    },
    /// The preview cannot be believed.
    #[error("the preview contradicts itself: {how}")]
    Contradiction {
        /// How.
        how: Contradiction,
    },
    /// The same intent already has a permit.
    #[error("permit {permit} for the same is not settled yet")]
    Twice {
        /// Which.
        permit: u64,
    },
    /// It was previewed on top of a wish that was not permitted.
    #[error("it stands on a wish of the same turn that was not permitted")]
    Unfounded,
    /// Nothing may leave the books now.
    #[error("nobody gave leave for anything to go")]
    NoLeave,
    /// More would leave the books than may.
    #[error("{asked} would go, and {left} may")]
    BeyondLeave {
        /// What was asked for, in its smallest unit.
        #[serde(with = "golem_core::digits")]
        asked: u128,
        /// What may go.
        #[serde(with = "golem_core::digits")]
        left: u128,
    },
    /// Too many permits at a time.
    #[error("{open} permits are not settled yet, and {cap} may be")]
    Outstanding {
        /// How many.
        open: u32,
        /// How many may be.
        cap: u32,
    },
    /// The owner's halt.
    #[error("the owner has halted everything but reducing")]
    Halted,
    /// A drawdown breaker.
    #[error("the drawdown breaker stands at {}", level.name())]
    Breaker {
        /// Which.
        level: BreakerLevel,
    },
    /// Too much of the life's high-water mark is gone.
    #[error("{drawdown} bps of the life's high-water mark are lost, and {cap} may be")]
    Bled {
        /// In basis points.
        drawdown: u32,
        /// At most.
        cap: u32,
    },
    /// The price may move too far before it happens.
    #[error("a tolerance of {asked} bps is above {cap}")]
    Tolerance {
        /// In basis points.
        asked: u32,
        /// At most.
        cap: u32,
    },
    /// The expected result is too far below the spot price.
    #[error("{expected} USDC is expected for what is worth {fair}, more than {cap} bps less")]
    Slippage {
        /// What is expected, at the spot price.
        #[serde(rename = "expected_micro_usdc")]
        expected: Usdc,
        /// What is given for it, at the spot price.
        #[serde(rename = "fair_micro_usdc")]
        fair: Usdc,
        /// At most so many basis points less.
        cap: u32,
    },
    /// The least that must come back is nothing, or too far below what is expected.
    #[error("the least that must come back is more than {cap} bps below what is expected")]
    Minimum {
        /// At most so many basis points less.
        cap: u32,
    },
    /// The pool's price cannot be believed.
    #[error("the pool's price is {off} bps from its reference, and {cap} may be")]
    OffReference {
        /// In basis points.
        off: u32,
        /// At most.
        cap: u32,
    },
    /// There is nothing to hold the pool's price against.
    #[error("there is no reference for the pool's price: nothing is opened, and what must go goes in parts")]
    NoReference,
    /// Gas would cost too much.
    #[error("gas of {cost} USDC is above {cap}")]
    Gas {
        /// What it would cost.
        #[serde(rename = "cost_micro_usdc")]
        cost: Usdc,
        /// At most.
        #[serde(rename = "cap_micro_usdc")]
        cap: Usdc,
    },
    /// The position would be too large.
    #[error("the position would be {after} USDC, and {cap} may be")]
    Position {
        /// What it would be, with what is already permitted.
        #[serde(rename = "after_micro_usdc")]
        after: Usdc,
        /// At most.
        #[serde(rename = "cap_micro_usdc")]
        cap: Usdc,
    },
    /// Too much of the volatile asset.
    #[error("{after} USDC would be in the volatile asset, and {cap} may be")]
    Exposure {
        /// What it would be, with what is already permitted.
        #[serde(rename = "after_micro_usdc")]
        after: Usdc,
        /// At most.
        #[serde(rename = "cap_micro_usdc")]
        cap: Usdc,
    },
    /// A spending limit.
    #[error("{asked} USDC on top of {used} is above the limit of {cap} {}", window.name())]
    Limit {
        /// Which.
        window: Window,
        /// What this would put at risk.
        #[serde(rename = "asked_micro_usdc")]
        asked: Usdc,
        /// What was put at risk or is permitted within the window.
        #[serde(rename = "used_micro_usdc")]
        used: Usdc,
        /// At most.
        #[serde(rename = "cap_micro_usdc")]
        cap: Usdc,
    },
}

impl Denial {
    /// The word used in tables and counters.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.entry().1
    }
    /// Its number, which never changes.
    #[must_use]
    pub fn code(&self) -> u16 {
        self.entry().0
    }
    /// What would lift it.
    #[must_use]
    pub fn lifted_by(&self) -> &'static str {
        self.entry().2
    }

    fn entry(&self) -> (u16, &'static str, &'static str) {
        match self {
            Self::Nothing => (100, "nothing", "an intent that does something"),
            Self::Loop { .. } => (101, "loop", "other asks, or a pause as long as cage.loop_memory_s"),
            Self::WouldFail { .. } => (102, "would_fail", "an intent that the venue would carry out"),
            Self::Contradiction { .. } => {
                (103, "contradiction", "a new preview; if it recurs, the chain or bardo errs")
            }
            Self::Twice { .. } => (104, "twice", "the settlement or the expiry of the earlier permit"),
            Self::Outstanding { .. } => (105, "outstanding", "the settlement or the expiry of an earlier permit"),
            Self::Unfounded => (106, "unfounded", "a turn in which what it stands on is permitted"),
            Self::NoLeave => (107, "no_leave", "the owner's withdrawal, or the end: see bardo golem withdraw"),
            Self::BeyondLeave { .. } => (108, "beyond_leave", "a smaller amount"),
            Self::Venue { .. } => (200, "venue", "the owner, by cage.venues"),
            Self::Unpinned { .. } => (201, "unpinned", "the owner, by the code's hash under cage.code"),
            Self::Code { .. } => (202, "code", "the owner, by the new code's hash under cage.code"),
            Self::Cooldown { .. } => (203, "cooldown", "time"),
            Self::OffReference { .. } => {
                (204, "off_reference", "the pool's return to its reference; a sale, also by cage.reference_wait_turns")
            }
            Self::NoReference => (205, "no_reference", "a pool that keeps its observations, or smaller parts"),
            Self::Halted => (300, "halted", "the owner's resume; reducing stays possible"),
            Self::Breaker { level: BreakerLevel::Hold } => {
                (302, "breaker_hold", "the owner's resume, or cage.drawdown_hold_s; reducing stays possible")
            }
            Self::Breaker { .. } => (301, "breaker", "recovery, or a day; reducing stays possible"),
            Self::Bled { .. } => (303, "bled", "the owner's resume, or half of it regained; reducing stays possible"),
            Self::Tolerance { .. } => (400, "tolerance", "a smaller tolerance"),
            Self::Slippage { .. } => (401, "slippage", "a smaller amount, or a deeper pool"),
            Self::Minimum { .. } => (402, "minimum", "a minimum nearer to what is expected"),
            Self::Position { .. } => (500, "position", "a smaller amount, or reducing first"),
            Self::Exposure { .. } => (501, "exposure", "a smaller amount, or reducing first"),
            Self::Gas { .. } => (502, "gas", "cheaper gas, or a larger budget"),
            Self::Limit { window: Window::Tx, .. } => (510, "per_tx", "a smaller amount"),
            Self::Limit { window: Window::Hour, .. } => (511, "per_hour", "time, or a smaller amount"),
            Self::Limit { window: Window::Day, .. } => (512, "per_day", "time, or a smaller amount"),
            Self::Limit { window: Window::Life, .. } => (513, "per_life", "the owner, by cage.per_life_usdc"),
        }
    }
}
