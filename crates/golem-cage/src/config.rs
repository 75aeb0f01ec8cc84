//! `[cage]`: every number of the cage that an owner may change, with defaults, ranges and the rules between them.
//!
//! Money is text with its unit in the key; shares are whole basis points, so that no float enters.

use golem_core::plain;
use golem_core::venue::VenueId;
use golem_core::{Elapsed, Hash, Problem, Usdc};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// `[cage]`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CageConfig {
    /// The most that one intent may put at risk.
    #[serde(with = "golem_core::money::as_text")]
    pub per_tx_usdc: Usdc,
    /// The most within any virtual hour.
    #[serde(with = "golem_core::money::as_text")]
    pub per_hour_usdc: Usdc,
    /// The most within any virtual day.
    #[serde(with = "golem_core::money::as_text")]
    pub per_day_usdc: Usdc,
    /// The most within a life.
    #[serde(with = "golem_core::money::as_text")]
    pub per_life_usdc: Usdc,
    /// The most that one intent may put at risk, as a share of net asset value. The smaller of both limits holds.
    pub per_tx_share_bps: u32,
    /// The most within any virtual hour, as a share of net asset value at its start or now, whichever is smaller.
    pub per_hour_share_bps: u32,
    /// The most within any virtual day, likewise.
    pub per_day_share_bps: u32,
    /// The largest liquidity position, as a share of net asset value.
    pub max_position_bps: u32,
    /// The most of the volatile asset, held or in the position, as a share of net asset value.
    pub max_exposure_bps: u32,
    /// How much worse than the spot price an expected result may be, how far a minimum may lie below the expected
    /// result, and how far a price may move before an intent is carried out.
    pub max_slippage_bps: u32,
    /// Nothing is opened, and nothing is sold at once, while the pool's price is further than this from its reference. On
    /// bars longer than half an hour it grows with the root of their length.
    pub max_off_reference_bps: u32,
    /// Turns that a sale waits for the reference to agree; after them it is held against the turn before.
    pub reference_wait_turns: u32,
    /// Drawdown from the day's peak at which limits are halved, at which only reducing is left, and at which that holds
    /// until the owner resumes.
    pub drawdown_bps: [u32; 3],
    /// How long the third drawdown breaker holds without the owner, in seconds of virtual time.
    pub drawdown_hold_s: u64,
    /// Fall from the high-water mark of the life at which what is held goes and nothing is opened, until the owner resumes
    /// or half of it is regained.
    pub bleed_bps: u32,
    /// The most gas that one intent may cost, as a share of net asset value. What only reduces may cost up to half of what
    /// it brings.
    pub max_gas_bps: u32,
    /// Venues that may be used.
    pub venues: BTreeSet<VenueId>,
    /// Hashes over the code of venues. Without one, the code that the golem meets first in its life is trusted.
    pub code: BTreeMap<VenueId, Hash>,
    /// How long a venue that was not there at the golem's first preview has to wait, in seconds of virtual time.
    pub new_venue_cooldown_s: u64,
    /// So many identical asks are a loop ...
    pub loop_repeats: u32,
    /// ... among so many of the last asks ...
    pub loop_window: u32,
    /// ... that are younger than this, in seconds of virtual time.
    pub loop_memory_s: u64,
    /// Turns for which a permit can be used, the one it was issued in included.
    pub permit_ticks: u64,
    /// The most permits at a time that can put something at risk and have not been settled.
    pub max_outstanding: u32,
}

impl Default for CageConfig {
    fn default() -> Self {
        Self {
            per_tx_usdc: Usdc::whole(10_000),
            per_hour_usdc: Usdc::whole(50_000),
            per_day_usdc: Usdc::whole(100_000),
            per_life_usdc: Usdc::whole(10_000_000),
            per_tx_share_bps: 5_000,
            per_hour_share_bps: 10_000,
            per_day_share_bps: 30_000,
            max_position_bps: 6_000,
            max_exposure_bps: 6_000,
            max_slippage_bps: 100,
            max_off_reference_bps: 150,
            reference_wait_turns: 5,
            drawdown_bps: [300, 700, 1_300],
            drawdown_hold_s: 7 * 86_400,
            bleed_bps: 2_000,
            max_gas_bps: 100,
            venues: BTreeSet::from([VenueId::UniswapV3]),
            code: BTreeMap::new(),
            new_venue_cooldown_s: 86_400,
            loop_repeats: 5,
            loop_window: 20,
            loop_memory_s: 3_600,
            permit_ticks: 2,
            max_outstanding: 4,
        }
    }
}

impl CageConfig {
    /// Every problem with these settings, with the key it belongs to.
    #[must_use]
    pub fn problems(&self) -> Vec<Problem> {
        let [first, second, third] = self.drawdown_bps;
        let year = 366 * 86_400;
        let mut all: Vec<Problem> = [
            ("per_tx_share_bps", u64::from(self.per_tx_share_bps), 0, 10_000),
            ("per_hour_share_bps", u64::from(self.per_hour_share_bps), 0, 100_000),
            ("per_day_share_bps", u64::from(self.per_day_share_bps), 0, 1_000_000),
            ("max_position_bps", u64::from(self.max_position_bps), 0, 10_000),
            ("max_exposure_bps", u64::from(self.max_exposure_bps), 0, 10_000),
            ("max_slippage_bps", u64::from(self.max_slippage_bps), 1, 1_000),
            ("max_off_reference_bps", u64::from(self.max_off_reference_bps), 1, 5_000),
            ("reference_wait_turns", u64::from(self.reference_wait_turns), 1, 1_000),
            ("bleed_bps", u64::from(self.bleed_bps), 2, 10_000),
            ("max_gas_bps", u64::from(self.max_gas_bps), 1, 10_000),
            ("drawdown_bps", u64::from(first), 1, 10_000),
            ("drawdown_bps", u64::from(third), 1, 10_000),
            ("drawdown_hold_s", self.drawdown_hold_s, 3_600, year),
            ("new_venue_cooldown_s", self.new_venue_cooldown_s, 0, year),
            ("loop_repeats", u64::from(self.loop_repeats), 2, u64::from(self.loop_window)),
            ("loop_window", u64::from(self.loop_window), 2, 1_000),
            ("loop_memory_s", self.loop_memory_s, 60, year),
            ("permit_ticks", self.permit_ticks, 1, 100),
            ("max_outstanding", u64::from(self.max_outstanding), 1, 16),
        ]
        .into_iter()
        .filter(|(_, x, low, high)| !(low..=high).contains(&x))
        .map(|(key, x, low, high)| {
            Problem::new(key, format!("{x} is out of range; it must lie between {low} and {high}"))
        })
        .collect();
        if !(first < second && second < third) {
            let message = format!("{first}, {second}, {third} must rise: half the limits, only reduce, hold");
            all.push(Problem::new("drawdown_bps", message));
        }
        for venue in self.venues.iter().filter(|venue| **venue != VenueId::UniswapV3) {
            let name = word(*venue);
            all.push(Problem::new("venues", format!("nothing trades on {name} yet; write \"uniswap-v3\"")));
        }
        for venue in self.code.keys().filter(|v| !self.venues.contains(v)) {
            let name = word(*venue);
            all.push(Problem::new(format!("code.{name}"), format!("{name} has pinned code and is not in venues")));
        }
        all
    }

    /// The policy hash: permits are bound to it, and code that was found changed stays refused under it.
    #[must_use]
    pub fn hash(&self) -> Hash {
        let mut hasher = blake3::Hasher::new_derive_key("bardo 2026 cage policy");
        hasher.update(&plain::bytes(self));
        Hash(*hasher.finalize().as_bytes())
    }

    pub(crate) fn hold(&self) -> Elapsed {
        Elapsed::secs(self.drawdown_hold_s)
    }
}

/// A venue's name as in settings.
pub(crate) fn word(venue: VenueId) -> &'static str {
    match venue {
        VenueId::UniswapV3 => "uniswap-v3",
        VenueId::UniswapV2 => "uniswap-v2",
    }
}
