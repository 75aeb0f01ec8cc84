//! Which fields are arithmetic of each other: that one follows the other teaches nothing about the world.

use golem_core::observed::Field;

/// Fields that are computed from the same observation. A field can be in several groups.
const GROUPS: &[&[Field]] = &[
    &[
        Field::MarketPrice,
        Field::MarketReturn15,
        Field::MarketShock,
        Field::MarketReturn90,
        Field::MarketVolatility,
        Field::MarketVolatilityRatio,
        Field::MarketRegime,
        Field::ForecastReturn,
        Field::ForecastVolatilityRatio,
    ],
    &[Field::MarketGasGwei, Field::MarketGasRatio],
    // Volume and fee yield are read off the same counters of the pool: one is the other times the fee.
    &[
        Field::MarketFeeYield,
        Field::MarketFeeYieldRatio,
        Field::MarketFeeYieldMove,
        Field::MarketVolume,
        Field::MarketVolumeRatio,
    ],
    &[
        Field::MarketPrice,
        Field::PositionShare,
        Field::PositionInRange,
        Field::GolemBalanceUsdc,
        Field::GolemExposure,
        Field::GolemDrawdown,
        Field::VitalityEconomic,
        Field::VitalityComposite,
        Field::GolemProjectedLifeH,
    ],
    &[Field::GolemTick, Field::GolemAgeDays, Field::VitalityAgeFactor, Field::GolemHazard],
];

/// The nominal ticks that a field looks back over, and nothing before them; none where it remembers longer than that.
#[must_use]
pub fn looks_back(field: Field) -> Option<u32> {
    match field {
        Field::MarketReturn15 => Some(15),
        Field::MarketShock => Some(30),
        Field::MarketReturn90 => Some(90),
        _ => None,
    }
}

/// True when one is computed from the other, or both from the same thing.
#[must_use]
pub fn kin(a: Field, b: Field) -> bool {
    a == b || GROUPS.iter().any(|group| group.contains(&a) && group.contains(&b))
}

/// True when the effect, so many ticks later, is still made of what the cause was made of. What looks back over no more than
/// the time in between is made of later things only.
#[must_use]
pub fn is_own_arithmetic(cause: Field, effect: Field, after_ticks: u32) -> bool {
    let forward = looks_back(effect).is_some_and(|window| window <= after_ticks);
    !forward && kin(cause, effect)
}
