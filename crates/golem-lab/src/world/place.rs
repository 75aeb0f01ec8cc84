//! Worlds by name: what a golem is put into for an experiment, and the truth about it, which the golem never sees.

use super::blow::{BLOWS, Blow};
use super::synthetic::{Law, Synthetic, SyntheticConfig};
use super::truth::Truth;
use golem_core::door::World;
use golem_venue::market::MarketConfig;

/// A world to be lived in: what stands outside of the pool, how the pool is moved, and what is true there.
pub struct WorldPlace {
    /// The outside of the market.
    pub world: Box<dyn World + Send>,
    /// The market around the pool.
    pub market: MarketConfig,
    /// What can be known there.
    pub truth: Truth,
    /// What comes over it once.
    pub blow: Option<Blow>,
}

/// A name that is no world.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum PlaceError {
    /// There is none of that name.
    #[error("there is no world {name}; there are: {}", names().join(", "))]
    NoSuchWorld {
        /// What was asked for.
        name: String,
    },
    /// The part after the + is no blow.
    #[error("{blow:?} is nothing that comes over a world; write a world and one of {}, as in flat+crash", BLOWS.join(", "))]
    NoBlow {
        /// What was written.
        blow: String,
    },
    /// The part after the @ is no strength.
    #[error(
        "{strength:?} is no strength: write a number from 0 to {MOST_STRENGTH} after the @, as in gas-hours@1.5, and where its \
         cause is an event how often it comes about in a day, as in fee-bursts@1x20"
    )]
    NoStrength {
        /// What was written.
        strength: String,
    },
    /// How often a cause comes about, for a world whose cause is no event.
    #[error("in {name} nothing happens so many times a day: leave out the x and what follows it")]
    NoEvents {
        /// The world.
        name: String,
    },
    /// A strength for a world that has none.
    #[error("{name} has no rule whose strength could be set: leave out the @")]
    NoRule {
        /// The world.
        name: String,
    },
}

/// Strengths beyond this are no longer a market.
const MOST_STRENGTH: f64 = 10.0;
/// Nothing comes about more often in a day.
const MOST_OFTEN: f64 = 50.0;

/// The names of all worlds.
#[must_use]
pub fn names() -> &'static [&'static str] {
    &["default", "flat", "gas-hours", "fee-bursts", "vol-fees", "reversal", "turning", "contagion"]
}

/// The world of this name and seed. A name may carry a strength: `gas-hours@1.5`; and how often in a day its cause comes about:
/// `fee-bursts@1x20`; and what comes over it once: `flat+crash`.
///
/// # Errors
/// When there is no such world, no such strength, or no such blow.
pub fn place(name: &str, seed: u64) -> Result<WorldPlace, PlaceError> {
    place_by_law(name, seed, seed)
}

/// Another path of a world: the numbers of its law are drawn by one seed, everything that happens by another.
///
/// # Errors
/// As [`place`].
pub fn place_by_law(name: &str, law_seed: u64, seed: u64) -> Result<WorldPlace, PlaceError> {
    let (name, blow) = name.split_once('+').map_or((name, None), |(name, blow)| (name, Some(blow)));
    let no_blow = |blow: &str| PlaceError::NoBlow { blow: blow.into() };
    let blow = blow.map(|blow| Blow::drawn(blow, seed).ok_or_else(|| no_blow(blow))).transpose()?;
    let (name, strength, per_day) = parse(name)?;
    let (config, truth) = match (Law::drawn(name, strength.unwrap_or(1.0), law_seed), strength) {
        (Some(law), _) => {
            let no_events = || PlaceError::NoEvents { name: name.into() };
            let market = per_day.map_or(Some(law.market()), |often| law.market_with(often)).ok_or_else(no_events)?;
            (market, law.truth(name, strength.unwrap_or(1.0)))
        }
        (None, None) => lawless(name)?,
        (None, Some(_)) => return lawless(name).and(Err(PlaceError::NoRule { name: name.into() })),
    };
    let world =
        Synthetic::new(config, seed).unwrap_or_else(|wrong| unreachable!("a shipped world is sound: {wrong:?}"));
    Ok(WorldPlace { world: Box::new(world), market: MarketConfig::default(), truth, blow })
}

/// The worlds without a law.
fn lawless(name: &str) -> Result<(SyntheticConfig, Truth), PlaceError> {
    let nothing = "No series leads another, and the price has no memory: there is nothing to find.";
    match name {
        "default" => {
            let as_it_is = "The market as it is: faint momentum, busy hours, and rules that move.";
            Ok((SyntheticConfig::default(), Truth::unwritten(name, as_it_is)))
        }
        "flat" => Ok((SyntheticConfig::flat(), Truth { complete: true, ..Truth::unwritten(name, nothing) })),
        _ => Err(PlaceError::NoSuchWorld { name: name.into() }),
    }
}

/// A name, its strength, and how often its cause comes about in a day.
fn parse(name: &str) -> Result<(&str, Option<f64>, Option<f64>), PlaceError> {
    let Some((name, said)) = name.split_once('@') else { return Ok((name, None, None)) };
    let wrong = || PlaceError::NoStrength { strength: said.into() };
    let (strength, often) = said.split_once('x').map_or((said, None), |(strength, often)| (strength, Some(often)));
    let number = |text: &str, most: f64| text.parse().ok().filter(|x| (0.0..=most).contains(x)).ok_or_else(wrong);
    let often = often.map(|text| number(text, MOST_OFTEN)).transpose()?;
    Ok((name, Some(number(strength, MOST_STRENGTH)?), often))
}
