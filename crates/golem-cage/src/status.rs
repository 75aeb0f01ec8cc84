//! The cage at a glance, for surfaces.

use crate::breaker::{BreakerLevel, drawdown_bps};
use crate::cage::Cage;
use crate::config::CageConfig;
use crate::limits::Window;
use golem_core::{Hash, ReferencePrice, Usdc};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The cage at a glance.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CageStatus {
    /// The owner's reason, while the owner's halt stands.
    pub halted: Option<String>,
    /// The drawdown breaker.
    pub breaker: BreakerLevel,
    /// The drawdown from the day's peak.
    pub drawdown_bps: u32,
    /// That peak.
    #[serde(rename = "peak_micro_usdc")]
    pub peak: Usdc,
    /// The high-water mark of the life, in the money of today.
    #[serde(rename = "mark_micro_usdc")]
    pub mark: Usdc,
    /// The drawdown from it.
    pub bled_bps: u32,
    /// True while that drawdown holds it.
    pub bled: bool,
    /// What the pool's price is held against.
    pub reference: Option<ReferencePrice>,
    /// The spending limits.
    pub windows: Vec<WindowStatus>,
    /// The largest position that may be.
    #[serde(rename = "position_cap_micro_usdc")]
    pub position_cap: Usdc,
    /// The most of the volatile asset that may be.
    #[serde(rename = "exposure_cap_micro_usdc")]
    pub exposure_cap: Usdc,
    /// Permits that are not settled yet.
    pub outstanding: u32,
    /// Permits issued so far.
    pub permits: u64,
    /// Denials so far, by name.
    pub denials: BTreeMap<String, u64>,
    /// Links of the audit chain.
    pub audit_len: u64,
    /// The last of them.
    pub audit_head: Hash,
    /// Hash of the policy.
    pub policy: Hash,
}

/// A spending limit at a glance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct WindowStatus {
    /// Which.
    pub window: Window,
    /// Put at risk or permitted within it.
    #[serde(rename = "used_micro_usdc")]
    pub used: Usdc,
    /// The most that may be.
    #[serde(rename = "cap_micro_usdc")]
    pub cap: Usdc,
}

impl Cage {
    /// How far the breakers have tripped, that of a bleed included.
    #[must_use]
    pub fn breaker(&self) -> BreakerLevel {
        if self.bleed.is_held() { BreakerLevel::Hold } else { self.breaker.level }
    }
    /// Whether a slow loss from the high-water mark of the life holds it.
    #[must_use]
    pub fn is_bled(&self) -> bool {
        self.bleed.is_held()
    }
    /// How far wealth is below its peak of the day, in basis points.
    #[must_use]
    pub fn drawdown_bps(&self) -> u32 {
        drawdown_bps(self.trail.peak(), self.trail.latest().unwrap_or_default())
    }
    /// The cage at a glance, as of the last net asset value that it saw.
    #[must_use]
    pub fn status(&self, config: &CageConfig) -> CageStatus {
        let (nav, peak) = (self.trail.latest().unwrap_or_default(), self.trail.peak());
        let limits = self.limits(nav, config);
        let of = |window| WindowStatus { window, used: self.used(window), cap: limits.cap(window) };
        CageStatus {
            halted: self.halted.clone(),
            breaker: self.breaker(),
            drawdown_bps: self.drawdown_bps(),
            peak,
            mark: self.bleed.mark(),
            bled_bps: self.bleed.drawdown_bps(nav),
            bled: self.bleed.is_held(),
            reference: self.reference(),
            windows: Window::ALL.map(of).to_vec(),
            position_cap: limits.position,
            exposure_cap: limits.exposure,
            outstanding: u32::try_from(self.open.len()).unwrap_or(u32::MAX),
            permits: self.permits,
            denials: self.denials.clone(),
            audit_len: self.audit.len,
            audit_head: self.audit.head,
            policy: config.hash(),
        }
    }
}
