//! Which fields are arithmetic of each other: that one follows the other teaches nothing about the world.

use golem_core::observed::Field;

/// Fields that are computed from the same observation. A field can be in several groups.
const GROUPS: &[&[Field]] = &[
    &[
        Field::MarketPrice,
        Field::MarketReturn15,
        Field::MarketReturn90,
        Field::MarketVolatility,
        Field::MarketVolatilityRatio,
        Field::MarketRegime,
        Field::ForecastReturn,
        Field::ForecastVolatilityRatio,
    ],
    &[Field::MarketGasGwei, Field::MarketGasRatio],
    &[Field::MarketFeeYield, Field::MarketFeeYieldRatio],
    &[Field::MarketVolume, Field::MarketVolumeRatio],
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

/// True when one is computed from the other, or both from the same thing.
#[must_use]
pub fn kin(a: Field, b: Field) -> bool {
    a == b || GROUPS.iter().any(|group| group.contains(&a) && group.contains(&b))
}
