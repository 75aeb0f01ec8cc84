//! Where the lives of a comparison take place: a world by name, made anew for each path, or windows of a recorded market
//! that is read once. Every arm of a path finds the same.

use super::error::CompareError;
use super::plan::ArmSettings;
use crate::world::{Blow, CsvOptions, CsvWorld, Synthetic, SyntheticConfig, Truth, place};
use golem_core::door::World;
use golem_core::{Hash, plain};
use golem_venue::VenueError;
use golem_venue::market::MarketConfig;
use serde_json::Value;

/// A world to make paths of.
pub enum WorldSource {
    Named(String),
    /// Recorded history, read once.
    Recorded {
        word: String,
        history: Box<CsvWorld>,
    },
}

/// A path's world, and the market around its pool.
pub struct PathWorld {
    pub world: Box<dyn World>,
    pub market: MarketConfig,
    /// What is true there, where it is written down.
    pub truth: Option<Truth>,
    /// What comes over it once.
    pub blow: Option<Blow>,
}

impl WorldSource {
    /// From a word of the plan.
    ///
    /// # Errors
    /// When there is no such world, its file cannot be read, or it is shorter than a life.
    pub fn open(word: &str, days: u64, options: &CsvOptions) -> Result<Self, CompareError> {
        let Some(path) = word.strip_prefix("csv:") else {
            place(word, 0)?;
            return Ok(Self::Named(word.to_owned()));
        };
        let history = Box::new(CsvWorld::open(path, options)?);
        if bars(&history, days) > history.bars() {
            let has = (history.bars() - 1) as f64 * history.bar_s() as f64 / 86_400.0;
            return Err(CompareError::TooShort { world: word.to_owned(), days: has, wanted: days });
        }
        Ok(Self::Recorded { word: word.to_owned(), history })
    }

    /// What tells its data from any other, where it has any.
    #[must_use]
    pub fn data(&self) -> Option<(String, Hash)> {
        match self {
            Self::Named(_) => None,
            Self::Recorded { word, history } => Some((word.clone(), history.fingerprint())),
        }
    }

    /// How many stretches of two lives' length it has, where it is recorded: windows that begin in the same one overlap.
    #[must_use]
    pub fn stretches(&self, days: u64) -> Option<(String, u64)> {
        let Self::Recorded { word, history } = self else { return None };
        let need = bars(history, days);
        let starts = history.bars().saturating_sub(need) + 1;
        Some((word.clone(), (starts / (2 * need)).max(1) as u64))
    }

    /// Seconds between two turns that suit it, where it has an opinion.
    #[must_use]
    pub fn interval_s(&self) -> Option<u64> {
        match self {
            Self::Named(_) => None,
            Self::Recorded { history, .. } => history.natural_interval_s(),
        }
    }

    /// The world of a path.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn path(&self, path: u64, seed: u64, days: u64, arm: &ArmSettings) -> Result<PathWorld, CompareError> {
        match self {
            Self::Named(name) if is_default(name) && arm.synthetic != SyntheticConfig::default() => {
                let blow = place(name, seed)?.blow;
                let world = Synthetic::new(arm.synthetic.clone(), seed);
                let world = world.map_err(|wrong| VenueError::Bug(format!("world.synthetic: {wrong:?}")))?;
                Ok(PathWorld { world: Box::new(world), market: arm.market.clone(), truth: None, blow })
            }
            Self::Named(name) => {
                let there = place(name, seed)?;
                let truth = Some(there.truth).filter(|truth| !truth.links.is_empty());
                Ok(PathWorld { world: there.world, market: over(&there.market, &arm.market), truth, blow: there.blow })
            }
            Self::Recorded { word, history } => {
                let need = bars(history, days);
                let first = start(path, history.bars().saturating_sub(need));
                let short = || CompareError::TooShort { world: word.clone(), days: 0.0, wanted: days };
                let world = history.window(first, need, seed).ok_or_else(short)?;
                Ok(PathWorld { world: Box::new(world), market: arm.market.clone(), truth: None, blow: None })
            }
        }
    }
}

/// The default world, whatever comes over it.
fn is_default(name: &str) -> bool {
    name.split_once('+').map_or(name, |(name, _)| name) == "default"
}

/// Bars that a life of so many days needs: the first one is over when it is born.
fn bars(history: &CsvWorld, days: u64) -> usize {
    (days * 86_400).div_ceil(history.bar_s().max(1)) as usize + 1
}

/// The first bar of a path's window, among `last + 1` of them. Steps of the golden ratio spread any number of windows
/// evenly over the history, whatever their number.
fn start(path: u64, last: usize) -> usize {
    share(path, last as u64 + 1) as usize
}

/// Which of so many even parts of a history a path's window begins in.
#[must_use]
pub fn share(path: u64, parts: u64) -> u64 {
    let turn = path.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    ((u128::from(turn) * u128::from(parts)) >> 64) as u64
}

/// A world's own market, with what an arm has set over it.
fn over(base: &MarketConfig, set: &MarketConfig) -> MarketConfig {
    let default = MarketConfig::default();
    if *set == default {
        return base.clone();
    }
    let (mut all, set, default) = (plain::value(base), plain::value(set), plain::value(&default));
    lay(&mut all, &set, &default);
    serde_json::from_value(all).unwrap_or_else(|_| base.clone())
}

fn lay(onto: &mut Value, set: &Value, default: &Value) {
    match (onto, set) {
        (Value::Object(onto), Value::Object(set)) => {
            for (key, value) in set {
                let was = default.get(key).unwrap_or(&Value::Null);
                lay(onto.entry(key.clone()).or_insert(Value::Null), value, was);
            }
        }
        (onto, set) if set != default => *onto = set.clone(),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use golem_core::Usdc;

    #[test]
    fn windows_lie_everywhere_and_are_the_same_again() {
        let starts: Vec<usize> = (0..100).map(|path| start(path, 999)).collect();
        assert!(starts.iter().all(|s| *s <= 999));
        for tenth in 0..10 {
            let within = starts.iter().filter(|s| **s / 100 == tenth).count();
            assert!((8..=12).contains(&within), "{within} of 100 begin in the tenth {tenth}");
        }
        assert_eq!(start(7, 0), 0);
    }

    #[test]
    fn only_what_was_set_goes_over_a_worlds_market() {
        let base = MarketConfig { depth_usdc: Usdc::whole(500_000), ..MarketConfig::default() };
        let set = MarketConfig { gas_gwei: 20.0, ..MarketConfig::default() };
        let both = over(&base, &set);
        assert_eq!((both.depth_usdc, both.gas_gwei), (base.depth_usdc, set.gas_gwei));
        assert_eq!(over(&base, &MarketConfig::default()), base);
    }

    /// Many windows of a short history are few voices, and each path knows its own.
    #[test]
    fn windows_that_begin_together_are_one_voice() {
        let (last, parts) = (9_999, 20);
        for path in 0..400 {
            let begins = start(path, last) as u64;
            assert_eq!(share(path, parts), begins * parts / (last as u64 + 1), "path {path} begins at {begins}");
        }
    }
}
