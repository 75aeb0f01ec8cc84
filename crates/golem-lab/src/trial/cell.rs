//! The cells of the trial: kinds of worlds, and the paths in them. A path is played out once, hour by hour, and every arm lives
//! on the same hours.

use super::data::TrialData;
use super::error::TrialError;
use crate::world::resampled::resampled;
use crate::world::{Law, PlayedHours, Synthetic, SyntheticConfig};
use golem_core::time::NOMINAL_TICKS_PER_DAY;
use golem_core::{RawObservation, Timestamp};
use serde::{Deserialize, Serialize};
use std::fmt;

/// What a cell is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CellFamily {
    /// Windows of recorded markets.
    Recorded,
    /// Blocks of a history drawn anew, wider or narrower.
    Resampled,
    /// Rules that turn, at one volatility.
    Turning,
    /// Both at once.
    Crossed,
    /// Nothing to know and nothing that changes: nobody may gain by dying.
    NegativeControl,
    /// A strong rule that turns: who stopped learning must lose.
    PositiveControl,
}

impl CellFamily {
    /// The word in tables.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Recorded => "recorded",
            Self::Resampled => "resampled",
            Self::Turning => "turning",
            Self::Crossed => "crossed",
            Self::NegativeControl => "negative-control",
            Self::PositiveControl => "positive-control",
        }
    }
}

/// One kind of world.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "family", rename_all = "kebab-case", deny_unknown_fields)]
pub enum TrialCell {
    /// Windows of the recorded markets, of one fifth by their volatility: 1 is the calmest.
    Recorded {
        quintile: u8,
    },
    Resampled {
        scale_percent: u32,
    },
    /// A law of this name that is drawn anew every so many days.
    Turning {
        law: String,
        days: u64,
    },
    Crossed {
        scale_percent: u32,
        law: String,
        days: u64,
    },
    NegativeControl,
    PositiveControl,
}

/// A path, ready to be lived on.
pub struct TrialPath {
    pub hours: PlayedHours,
    /// Hours at which what was true stops being true.
    pub shifts: Vec<u64>,
    /// Paths with the same ground are one voice; none where each stands alone.
    pub ground: Option<u64>,
}

impl TrialCell {
    /// The cells of a whole trial: 25, or 20 without recorded markets.
    #[must_use]
    pub fn all(with_recorded: bool) -> Vec<Self> {
        let law = |name: &str, days| Self::Turning { law: name.to_owned(), days };
        let mut all = Vec::new();
        if with_recorded {
            all.extend((1..=5).map(|quintile| Self::Recorded { quintile }));
        }
        all.extend([50, 75, 100, 150, 200].map(|scale_percent| Self::Resampled { scale_percent }));
        all.extend([law("gas-hours", 15), law("gas-hours", 30), law("gas-hours", 60)]);
        all.extend([law("vol-fees", 30), law("contagion", 30)]);
        for scale_percent in [50, 200] {
            for days in [15, 30, 60, 120] {
                all.push(Self::Crossed { scale_percent, law: "gas-hours".to_owned(), days });
            }
        }
        all.extend([Self::NegativeControl, Self::PositiveControl]);
        all
    }

    #[must_use]
    pub fn family(&self) -> CellFamily {
        match self {
            Self::Recorded { .. } => CellFamily::Recorded,
            Self::Resampled { .. } => CellFamily::Resampled,
            Self::Turning { .. } => CellFamily::Turning,
            Self::Crossed { .. } => CellFamily::Crossed,
            Self::NegativeControl => CellFamily::NegativeControl,
            Self::PositiveControl => CellFamily::PositiveControl,
        }
    }

    /// Play out a path of so many days.
    ///
    /// # Errors
    /// When its data is missing or too short, or there is no such law.
    pub fn path(&self, path: u64, seed: u64, days: u64, data: &TrialData) -> Result<TrialPath, TrialError> {
        let hours = days * 24;
        let alone = |hours: PlayedHours, shifts: Vec<u64>| TrialPath { hours, shifts, ground: None };
        Ok(match self {
            Self::Recorded { quintile } => {
                let (hours, ground) = data.window(path, *quintile, days)?;
                TrialPath { hours, shifts: Vec::new(), ground: Some(ground) }
            }
            Self::Resampled { scale_percent } => {
                alone(PlayedHours::new(EPOCH, drawn(data, hours, *scale_percent, seed)), Vec::new())
            }
            Self::Turning { law, days: every } => turning(law, *every, seed, days)?,
            Self::Crossed { scale_percent, law, days: every } => {
                let TrialPath { hours: of_rules, shifts, .. } = turning(law, *every, seed, days)?;
                let of_moves = drawn(data, hours, *scale_percent, seed);
                let both = |(rules, moves): (&RawObservation, &RawObservation)| RawObservation {
                    price: moves.price,
                    ..*rules
                };
                alone(PlayedHours::new(EPOCH, of_rules.hours().iter().zip(&of_moves).map(both).collect()), shifts)
            }
            Self::NegativeControl => {
                let flat =
                    SyntheticConfig { drift: 0.0, slow_volatility: 0.0, slow_volume: 0.0, ..SyntheticConfig::flat() };
                alone(PlayedHours::of(made(flat, seed)?, hours), Vec::new())
            }
            Self::PositiveControl => turning("gas-hours", 60, seed, days)?,
        })
    }
}

impl fmt::Display for TrialCell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Recorded { quintile } => write!(f, "recorded-{quintile}of5"),
            Self::Resampled { scale_percent } => write!(f, "resampled-{scale_percent}pc"),
            Self::Turning { law, days } => write!(f, "turning-{law}-{days}d"),
            Self::Crossed { scale_percent, law, days } => write!(f, "crossed-{scale_percent}pc-{law}-{days}d"),
            Self::NegativeControl | Self::PositiveControl => f.write_str(self.family().name()),
        }
    }
}

/// 2026-01-01: the first hour of every generated path.
const EPOCH: Timestamp = Timestamp(1_767_225_600);

fn made(config: SyntheticConfig, seed: u64) -> Result<Synthetic, TrialError> {
    Synthetic::new(config, seed).map_err(|wrong| TrialError::unsound(format!("a world: {wrong:?}"), "this is a bug"))
}

fn drawn(data: &TrialData, hours: u64, scale_percent: u32, seed: u64) -> Vec<RawObservation> {
    resampled(data.moves(), hours as usize, f64::from(scale_percent) / 100.0, seed)
}

/// A law that is drawn anew every so many days, half as long at least and half as long again at most, in a market whose own
/// rules and volatility stay.
fn turning(name: &str, every: u64, seed: u64, days: u64) -> Result<TrialPath, TrialError> {
    let no_law = || TrialError::unsound(format!("there is no law {name}"), "name one of docs/worlds.md");
    let spells = golem_core::Dice::open(seed, golem_core::Strand::World);
    // No tick has these addresses: here the spells and the seeds of later laws are drawn.
    let address = |n: u64| u64::MAX - 16 - n;
    let first = Law::drawn(name, 1.0, seed).ok_or_else(no_law)?;
    let (mut at, mut later) = (0, Vec::new());
    for n in 0.. {
        at += (every as f64 * NOMINAL_TICKS_PER_DAY as f64 * (0.5 + spells.uniform(address(n), 0))) as u64;
        if at >= days * NOMINAL_TICKS_PER_DAY {
            break;
        }
        later.push((at, Law::drawn(name, 1.0, spells.bits(address(n), 1)).ok_or_else(no_law)?));
    }
    let shifts = later.iter().map(|(tick, _)| tick * 24 / NOMINAL_TICKS_PER_DAY).collect();
    let steady = SyntheticConfig { drift: 0.0, slow_volatility: 0.0, later_laws: later, ..first.market() };
    let world = made(SyntheticConfig { law: Some(first), ..steady }, seed)?;
    Ok(TrialPath { hours: PlayedHours::of(world, days * 24), shifts, ground: None })
}
