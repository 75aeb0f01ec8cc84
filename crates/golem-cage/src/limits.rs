//! Spending limits and size limits as they stand at a moment: the smaller of an amount and a share, and half of it while
//! the first drawdown breaker stands.

use crate::config::CageConfig;
use golem_core::{Elapsed, Usdc};
use serde::{Deserialize, Serialize};

/// What a spending limit counts over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Window {
    /// One intent.
    Tx,
    /// Any virtual hour.
    Hour,
    /// Any virtual day.
    Day,
    /// The whole life.
    Life,
}

impl Window {
    /// All four, shortest first.
    pub const ALL: [Self; 4] = [Self::Tx, Self::Hour, Self::Day, Self::Life];

    /// The words used in reasons.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Tx => "per transaction",
            Self::Hour => "per hour",
            Self::Day => "per day",
            Self::Life => "per life",
        }
    }
    /// Its length; `None` for the two that are no stretch of time.
    pub(crate) fn length(self) -> Option<Elapsed> {
        match self {
            Self::Tx | Self::Life => None,
            Self::Hour => Some(HOUR),
            Self::Day => Some(DAY),
        }
    }
}

/// A virtual hour.
pub(crate) const HOUR: Elapsed = Elapsed::secs(3_600);
/// A virtual day.
pub(crate) const DAY: Elapsed = Elapsed::secs(86_400);

/// The limits at a moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Limits {
    tx: Usdc,
    hour: Usdc,
    day: Usdc,
    life: Usdc,
    /// The largest position.
    pub position: Usdc,
    /// The most of the volatile asset.
    pub exposure: Usdc,
}

impl Limits {
    /// `hour` and `day` are the net asset values that those windows began with.
    pub(crate) fn at(config: &CageConfig, nav: Usdc, hour: Usdc, day: Usdc, halved: bool) -> Self {
        let half = |amount: Usdc| if halved { Usdc(amount.0 / 2) } else { amount };
        let least = |amount: Usdc, base: Usdc, bps| half(amount.min(base.share_bps(bps)));
        Self {
            tx: least(config.per_tx_usdc, nav, config.per_tx_share_bps),
            hour: least(config.per_hour_usdc, nav.min(hour), config.per_hour_share_bps),
            day: least(config.per_day_usdc, nav.min(day), config.per_day_share_bps),
            life: half(config.per_life_usdc),
            position: half(nav.share_bps(config.max_position_bps)),
            exposure: half(nav.share_bps(config.max_exposure_bps)),
        }
    }
    /// The most that may be put at risk within a window.
    pub(crate) fn cap(&self, window: Window) -> Usdc {
        match window {
            Window::Tx => self.tx,
            Window::Hour => self.hour,
            Window::Day => self.day,
            Window::Life => self.life,
        }
    }
}
