//! A life in figures.

use golem_core::{Usdc, UsdcDelta};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A life in figures, as its own books have them.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct LifeStatistics {
    /// Turns taken until death was on record.
    pub turns: u64,
    /// Age at death, in nominal ticks and hours.
    pub lifetime_ticks: u64,
    pub lifetime_hours: f64,
    /// Age over the reference lifespan.
    pub age_utilization: f64,
    #[serde(rename = "funded_micro_usdc")]
    pub funded: Usdc,
    #[serde(rename = "spent_micro_usdc")]
    pub spent: Usdc,
    /// What it was spent for.
    pub spent_by_purpose_micro_usdc: BTreeMap<String, Usdc>,
    /// Realised profit less realised loss.
    #[serde(rename = "earned_micro_usdc")]
    pub earned: UsdcDelta,
    /// What was left beyond or below all that was given.
    #[serde(rename = "net_pnl_micro_usdc")]
    pub net_pnl: UsdcDelta,
    #[serde(rename = "final_nav_micro_usdc")]
    pub final_nav: Usdc,
    #[serde(rename = "peak_nav_micro_usdc")]
    pub peak_nav: Usdc,
    pub trades_executed: u64,
    pub trades_won: u64,
    pub trades_lost: u64,
    pub final_epistemic_fitness: f64,
    pub peak_epistemic_fitness: f64,
    pub forecasts_settled: u64,
    pub forecasts_right: u64,
    /// Entries in use, set aside, and gone for good.
    pub entries_active: u64,
    pub entries_archived: u64,
    pub entries_burnt: u64,
    /// Of those there are, learnt by itself and from elsewhere.
    pub insights_generated: u64,
    pub insights_inherited: u64,
    pub episodes: u64,
    pub rules: u64,
    pub dreams: u64,
    pub dreams_confirmed: u64,
    /// The heaviest it suffered.
    pub peak_load: Option<f64>,
    pub final_mood: Option<String>,
    pub dominant_mood: Option<String>,
}
