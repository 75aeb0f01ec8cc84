//! The table of observed fields: one line each, in the order in which they are listed to people.

use super::value::Kind;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::str::FromStr;

/// The words of `market.regime`; a test holds them against [`crate::Regime`].
pub const REGIMES: &[&str] = &["unknown", "range_bound", "trending_up", "trending_down", "volatile"];
/// The words of `market.protocol`; a test holds them against [`crate::ProtocolState`].
pub const PROTOCOL_STATES: &[&str] = &["normal", "degraded", "upgraded"];
/// The words of `vitality.phase`, from the fullest life to the last. Text has no order in an expression.
pub const PHASES: &[&str] = &["thriving", "stable", "conservation", "declining", "terminal"];

struct FieldEntry {
    name: &'static str,
    kind: Kind,
    unit: &'static str,
    about: &'static str,
}

macro_rules! fields {
    ($($variant:ident, $name:literal, $kind:expr, $unit:literal, $about:literal;)+) => {
        /// An observed field. Its place in the table is its index in a snapshot.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Field {
            $(#[doc = $about] $variant),+
        }
        impl Field {
            /// All fields, in the order of the table.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];
        }
        static TABLE: [FieldEntry; Field::COUNT] =
            [$(FieldEntry { name: $name, kind: $kind, unit: $unit, about: $about }),+];
    };
}

fields! {
    MarketPrice, "market.price", Kind::Number, "USDC", "What one unit of the asset costs.";
    MarketGasGwei, "market.gas_gwei", Kind::Number, "gwei", "The price of gas.";
    MarketFeeYield, "market.fee_yield", Kind::Number, "fraction per day", "Fees earned per unit of liquidity.";
    MarketVolume, "market.volume", Kind::Number, "USDC", "What was traded since the last observation.";
    MarketProtocol, "market.protocol", Kind::Text(PROTOCOL_STATES), "word", "How the protocol is doing.";
    MarketRegime, "market.regime", Kind::Text(REGIMES), "word", "The weather the market is in.";
    MarketVolatility, "market.volatility", Kind::Number, "fraction", "How widely returns are spread of late.";
    MarketReturn90, "market.return_90", Kind::Number, "fraction", "What the price did in 90 nominal ticks.";
    MarketReturn15, "market.return_15", Kind::Number, "fraction", "What the price did in 15 nominal ticks.";
    MarketVolatilityRatio, "market.volatility_ratio", Kind::Number, "times", "Volatility over its usual level.";
    MarketGasRatio, "market.gas_ratio", Kind::Number, "times", "The price of gas over its usual level.";
    MarketFeeYieldRatio, "market.fee_yield_ratio", Kind::Number, "times", "Fee yield over its usual level.";
    MarketVolumeRatio, "market.volume_ratio", Kind::Number, "times", "Volume over its usual level.";
    MarketHour, "market.hour", Kind::Number, "0 to 24", "The hour of the day, UTC, with its fraction.";
    MarketLeadReturn, "market.lead_return", Kind::Number, "fraction", "What another pair did in 45 nominal ticks.";
    MarketShock, "market.shock", Kind::Number, "usual moves", "The widest single move of the price within 30 nominal ticks.";
    MarketGasSpikeTicks, "market.gas_spike_ticks", Kind::Number, "nominal ticks", "How long ago gas was last at twice its usual level.";
    MarketFeeYieldMove, "market.fee_yield_move", Kind::Number, "times", "Fee yield over what it was 30 nominal ticks before.";
    ForecastReturn, "forecast.return", Kind::Number, "fraction", "The return that is expected over 90 nominal ticks.";
    ForecastVolatilityRatio, "forecast.volatility_ratio", Kind::Number, "times", "Expected volatility over its usual level.";
    ForecastReturnError, "forecast.return_error", Kind::Number, "usual errors", "How far the return lay above what the panel had said for now.";
    ForecastVolatilityError, "forecast.volatility_error", Kind::Number, "usual errors", "How far volatility lay above what the panel had said for now.";
    ForecastYieldError, "forecast.yield_error", Kind::Number, "usual errors", "How far fee yield lay above what the panel had said for now.";
    ForecastGasError, "forecast.gas_error", Kind::Number, "usual errors", "How far the price of gas lay above what the panel had said for now.";
    PositionShare, "position.share", Kind::Number, "0 to 1", "The share of its wealth in the liquidity position.";
    PositionInRange, "position.in_range", Kind::Bool, "true or false", "Whether the position earns fees now.";
    VitalityEconomic, "vitality.economic", Kind::Number, "0 to 1", "The economic clock: what is left of the money.";
    VitalityEpistemic, "vitality.epistemic", Kind::Number, "0 to 1", "The epistemic clock: how well it predicts.";
    VitalityAgeFactor, "vitality.age_factor", Kind::Number, "0 to 1", "Age over the reference lifespan: 0 is newborn.";
    VitalityComposite, "vitality.composite", Kind::Number, "0 to 1", "The three clocks together.";
    VitalityPhase, "vitality.phase", Kind::Text(PHASES), "word", "The phase of life.";
    GolemTick, "golem.tick", Kind::Integer, "turns", "The number of this turn.";
    GolemAgeDays, "golem.age_days", Kind::Number, "days", "Virtual days since birth.";
    GolemBalanceUsdc, "golem.balance_usdc", Kind::Number, "USDC", "Net asset value: all that it owns.";
    GolemProjectedLifeH, "golem.projected_life_h", Kind::Number, "hours", "How long the money lasts at this rate.";
    GolemExposure, "golem.exposure", Kind::Number, "0 to 1", "The share of its wealth that is at risk.";
    GolemHazard, "golem.hazard", Kind::Number, "per nominal tick", "The chance of a sudden death.";
    GolemSenescent, "golem.senescent", Kind::Bool, "true or false", "Whether its predictions have decayed for good.";
    GolemDrawdown, "golem.drawdown", Kind::Number, "0 to 1", "How far wealth is below its peak.";
    GolemSurprise, "golem.surprise", Kind::Number, "0 to 1", "The prediction error of this turn.";
    GoalsCompleted, "goals.completed", Kind::Integer, "of the last 40", "Goals that were reached.";
    GoalsFailed, "goals.failed", Kind::Integer, "of the last 40", "Goals that were missed.";
    GoalsAbandoned, "goals.abandoned", Kind::Integer, "of the last 40", "Goals that were given up.";
    GoalsFailureRate, "goals.failure_rate", Kind::Number, "0 to 1", "The share of decided goals that failed.";
    GoalsSinceCompleted, "goals.since_completed", Kind::Integer, "episodes", "Episodes since a goal was last reached.";
}

impl Field {
    /// How many there are.
    pub const COUNT: usize = Self::ALL.len();

    fn entry(self) -> &'static FieldEntry {
        &TABLE[self.index()]
    }
    /// Its place in [`Self::ALL`].
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }
    /// The dotted name, as expressions write it.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.entry().name
    }
    /// What it holds.
    #[must_use]
    pub fn kind(self) -> Kind {
        self.entry().kind
    }
    /// The unit, for people.
    #[must_use]
    pub fn unit(self) -> &'static str {
        self.entry().unit
    }
    /// One sentence, for people.
    #[must_use]
    pub fn about(self) -> &'static str {
        self.entry().about
    }
    /// The field of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|f| f.name() == name)
    }
    /// Up to three names that `name` may have been meant for, the likeliest first.
    #[must_use]
    pub fn nearest(name: &str) -> Vec<&'static str> {
        let score = |field: &Self| {
            let full = field.name();
            // People forget one half or the other: "price", "market".
            let (group, part) = full.split_once('.').unwrap_or((full, full));
            [full, part, group].into_iter().map(|known| strsim::osa_distance(name, known)).min().unwrap_or(usize::MAX)
        };
        let mut near: Vec<_> = Self::ALL.iter().map(|f| (score(f), f)).collect();
        near.sort();
        let reach = near.first().map_or(0, |(best, _)| (name.len() / 3).max(2).min(best + 1));
        near.into_iter().filter(|(d, _)| *d <= reach).take(3).map(|(_, f)| f.name()).collect()
    }
}

/// A name that no field has.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no observed field {name}{}", super::error::did_you_mean(.nearest))]
pub struct UnknownField {
    /// What was written, at most 60 characters of it.
    pub name: String,
    /// What it may have been meant for.
    pub nearest: Vec<&'static str>,
}

impl UnknownField {
    pub(super) fn new(name: &str) -> Self {
        // Cut first: the text can be anything, and the distance costs its length times the table's.
        let name: String = name.chars().take(60).collect();
        Self { nearest: Field::nearest(&name), name }
    }
}

impl FromStr for Field {
    type Err = UnknownField;
    fn from_str(name: &str) -> Result<Self, UnknownField> {
        Self::named(name).ok_or_else(|| UnknownField::new(name))
    }
}

impl fmt::Display for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl Serialize for Field {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for Field {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        String::deserialize(from)?.parse().map_err(serde::de::Error::custom)
    }
}
