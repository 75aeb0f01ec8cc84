//! The four preconditions of every dream, whoever wishes for it, and every other reason to stay awake: each with a
//! name, a number, a sentence and what would lift it.

use crate::config::DreamConfig;
use crate::schedule::budget::BudgetCap;
use crate::seen::DreamSeen;
use golem_core::Usdc;
use golem_mortality::BehavioralPhase;
use serde::{Deserialize, Serialize};

/// Why it stays awake.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "snake_case")]
pub enum WhyAwake {
    #[error("dreams are off")]
    Off,
    #[error("{have} episodes are too few to see a pattern in; {need} are needed")]
    TooFewEpisodes { have: u64, need: u64 },
    #[error("{:.1} % of the operating credit is left for models, and {:.1} % must be", share * 100.0, least * 100.0)]
    ModelPurse { share: f64, least: f64 },
    #[error("a terminal golem does not dream")]
    Terminal,
    #[error("an action is permitted and not settled")]
    PermitPending,
    #[error("{hours:.1} hours of money are left, and below {least} it does not dream")]
    LifeTooShort { hours: f64, least: f64 },
    #[error("the day's {cap} cycles are used")]
    DayFull { cap: u32 },
    #[error("the window's {cap} cycles are used")]
    SessionFull { cap: u32 },
    #[error("the {} budget of {} USDC is used", cap.word(), limit)]
    Budget {
        cap: BudgetCap,
        #[serde(rename = "limit_micro_usdc")]
        limit: Usdc,
    },
    #[error("the latest cycle was less than {interval} turns ago; {left} are left")]
    TooSoon { interval: u64, left: u64 },
    #[error("the market has moved by {moved_percent:+.1} %, and {wakes_at} wakes it")]
    MarketMoves { moved_percent: f64, wakes_at: f64 },
    #[error("nothing calls for a dream: urgency {urgency:.2}, and {opens_at:.2} opens one")]
    NotDue { urgency: f64, opens_at: f64 },
    #[error("it dreams in its owner's windows, and none is open")]
    NoWindow,
}

impl WhyAwake {
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
    /// True for the four preconditions: while one of them blocks, what has built up of urgency decays.
    #[must_use]
    pub fn is_precondition(&self) -> bool {
        (100..200).contains(&self.code())
    }

    fn entry(&self) -> (u16, &'static str, &'static str) {
        match self {
            Self::Off => (1, "off", "the owner, by dream.enabled"),
            Self::TooFewEpisodes { .. } => (100, "too_few_episodes", "more episodes, or dream.first_dream"),
            Self::ModelPurse { .. } => (101, "model_purse", "feeding, or profit that refills operating credit"),
            Self::Terminal => (102, "terminal", "feeding, until it is declining again"),
            Self::PermitPending => (103, "permit_pending", "the settlement or the expiry of the permit"),
            Self::LifeTooShort { .. } => (200, "life_too_short", "feeding, or dream.clocks.cease_below_h"),
            Self::DayFull { .. } => (300, "day_full", "the next day of its life, or dream.core_max_cycles_per_day"),
            Self::SessionFull { .. } => (301, "session_full", "the next window, or the next day outside of windows"),
            Self::Budget { cap, .. } => (302, "budget", cap.lifted_by()),
            Self::TooSoon { .. } => (303, "too_soon", "time, or dream.dream_cycle_interval"),
            Self::MarketMoves { .. } => (304, "market_moves", "a calmer market, or dream.wake_interrupts"),
            Self::NotDue { .. } => (400, "not_due", "time, a window, or the owner's order"),
            Self::NoWindow => (401, "no_window", "a window, or the owner's order"),
        }
    }
}

/// Which of the preconditions are asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GateAsked {
    /// All four: windows, urgency, interval and owner alike.
    Every,
    /// The emergency dream of a terminal golem: neither the number of episodes nor the phase.
    Emergency,
}

/// The first precondition that does not hold.
#[must_use]
pub fn precondition(seen: &DreamSeen, config: &DreamConfig, asked: GateAsked) -> Option<WhyAwake> {
    let emergency = asked == GateAsked::Emergency;
    let (have, need) = (seen.episodes, config.first_dream.of(seen.phase));
    let (share, least) = (seen.model_purse_share, config.budget.purse_floor);
    // Whatever cannot be compared does not hold.
    let purse_holds = share >= least;
    if seen.phase == BehavioralPhase::Terminal && !emergency {
        Some(WhyAwake::Terminal)
    } else if have < need && !emergency {
        Some(WhyAwake::TooFewEpisodes { have, need })
    } else if !purse_holds {
        Some(WhyAwake::ModelPurse { share, least })
    } else if seen.permit_pending {
        Some(WhyAwake::PermitPending)
    } else {
        None
    }
}

#[cfg(test)]
mod tests;
