//! The axes of a situation: what each reads, and what of it has a fixed place.

use super::WIDTH;
use golem_core::observed::{Field, PHASES, Snapshot, Value};
use golem_core::{Intent, Regime};

/// What is done in a situation: the intent and its size as a share of wealth.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SituationAct<'a> {
    /// What.
    pub intent: &'a Intent,
    /// How much of all that the golem owns, from 0 to 1.
    pub share: f64,
}

/// One axis.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Axis {
    /// Its name, for people.
    pub name: &'static str,
    /// Where its number comes from.
    pub reads: Reads,
}

/// Where an axis has its number from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Reads {
    /// 2 in this regime, 0 in any other: one axis each, so that two regimes are equally far apart.
    Regime(Regime),
    /// A number, in usual deviations from its usual value; a deviation is never taken to be smaller than the floor.
    Learnt(Field, f64),
    /// The same of the logarithm: for what is positive and doubles rather than adds.
    LearntLog(Field, f64),
    /// A number, less the middle, times a factor.
    Fixed(Field, f64, f64),
    /// 1 for true, -1 for false.
    Flag(Field),
    /// The place of a word in its list: the first is 0, each step counts so much.
    Word(Field, &'static [&'static str], f64),
    /// More exposure (2), less (-2), or neither.
    ActDirection,
    /// How large.
    ActSize,
    /// Liquidity (2), a swap (-2), or nothing done.
    ActKind,
}

const fn axis(name: &'static str, reads: Reads) -> Axis {
    Axis { name, reads }
}

/// Trouble comes in this order; an upgrade is less of it than a failure.
const PROTOCOL: &[&str] = &["normal", "upgraded", "degraded"];

/// The axes, in their order. An axis is never moved or given another meaning: stored situations would change theirs.
pub const AXES: [Axis; WIDTH] = [
    axis("range-bound", Reads::Regime(Regime::RangeBound)),
    axis("trending up", Reads::Regime(Regime::TrendingUp)),
    axis("trending down", Reads::Regime(Regime::TrendingDown)),
    axis("volatile", Reads::Regime(Regime::Volatile)),
    axis("return over 15", Reads::Learnt(Field::MarketReturn15, 1e-4)),
    axis("return over 90", Reads::Learnt(Field::MarketReturn90, 1e-4)),
    axis("volatility", Reads::LearntLog(Field::MarketVolatility, 0.05)),
    axis("volatility ratio", Reads::LearntLog(Field::MarketVolatilityRatio, 0.05)),
    axis("gas ratio", Reads::LearntLog(Field::MarketGasRatio, 0.05)),
    axis("fee yield ratio", Reads::LearntLog(Field::MarketFeeYieldRatio, 0.05)),
    axis("volume ratio", Reads::LearntLog(Field::MarketVolumeRatio, 0.05)),
    axis("forecast return", Reads::Learnt(Field::ForecastReturn, 1e-5)),
    axis("forecast volatility ratio", Reads::LearntLog(Field::ForecastVolatilityRatio, 0.05)),
    axis("protocol", Reads::Word(Field::MarketProtocol, PROTOCOL, 1.5)),
    axis("position share", Reads::Fixed(Field::PositionShare, 0.0, 2.0)),
    axis("in range", Reads::Flag(Field::PositionInRange)),
    axis("exposure", Reads::Fixed(Field::GolemExposure, 0.0, 2.0)),
    axis("drawdown", Reads::Fixed(Field::GolemDrawdown, 0.0, 8.0)),
    axis("surprise", Reads::Learnt(Field::GolemSurprise, 0.02)),
    axis("phase", Reads::Word(Field::VitalityPhase, PHASES, 0.5)),
    axis("vitality", Reads::Fixed(Field::VitalityComposite, 0.5, 2.0)),
    axis("direction of the act", Reads::ActDirection),
    axis("size of the act", Reads::ActSize),
    axis("kind of the act", Reads::ActKind),
];

/// The number of a learnt axis and its floor; `None` on other axes and when nothing was observed.
pub(super) fn learnt(reads: Reads, seen: &Snapshot) -> Option<(f64, f64)> {
    match reads {
        // Squares of what is beyond would overflow.
        Reads::Learnt(field, floor) => Some((seen.get(field)?.as_f64()?.clamp(-1e100, 1e100), floor)),
        Reads::LearntLog(field, floor) => {
            let x = seen.get(field)?.as_f64()?;
            (x > 0.0).then(|| (libm::log(x), floor))
        }
        _ => None,
    }
}

pub(super) fn fixed(reads: Reads, seen: &Snapshot, act: Option<SituationAct<'_>>) -> Option<f64> {
    let word = |field| match seen.get(field) {
        Some(Value::Text(word)) => Some(word),
        _ => None,
    };
    match reads {
        Reads::Learnt(..) | Reads::LearntLog(..) => None,
        Reads::Regime(regime) => word(Field::MarketRegime).map(|w| if w == regime.name() { 2.0 } else { 0.0 }),
        Reads::Fixed(field, middle, factor) => Some((seen.get(field)?.as_f64()? - middle) * factor),
        Reads::Flag(field) => match seen.get(field)? {
            Value::Bool(yes) => Some(if yes { 1.0 } else { -1.0 }),
            _ => None,
        },
        Reads::Word(field, words, step) => {
            let word = word(field)?;
            words.iter().position(|w| *w == word).map(|at| at as f64 * step)
        }
        Reads::ActDirection => Some(match act?.intent {
            Intent::Buy { .. } | Intent::Add { .. } => 2.0,
            Intent::Sell { .. } | Intent::Remove { .. } => -2.0,
            Intent::Hold | Intent::Collect | Intent::Rebalance { .. } => 0.0,
            Intent::Home { .. } | Intent::Unwrap { .. } => 0.0,
        }),
        Reads::ActSize => Some(act?.share * 4.0),
        Reads::ActKind => Some(match act?.intent {
            Intent::Hold | Intent::Home { .. } | Intent::Unwrap { .. } => 0.0,
            Intent::Buy { .. } | Intent::Sell { .. } => -2.0,
            Intent::Add { .. } | Intent::Remove { .. } | Intent::Collect | Intent::Rebalance { .. } => 2.0,
        }),
    }
}
