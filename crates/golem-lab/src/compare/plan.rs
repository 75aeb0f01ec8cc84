//! What is compared, fixed before the first life: arms, worlds, templates, paths, days and margins. Its hash names the
//! comparison, so that rows of different ones are never mixed. What is judged, and how narrow its intervals must become, stand
//! in it too: whoever chooses after the rows were seen chooses among results.

use super::best::{self, BestGrid};
use super::error::CompareError;
use super::outcome::{self, OutcomeKind};
use crate::world::SyntheticConfig;
use golem_core::{Hash, NOMINAL_TICK_S, Usdc, plain};
use golem_life::Settings;
use golem_venue::market::MarketConfig;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// The most paths of a comparison.
pub const MOST_PATHS: u64 = 1_000_000;
/// The most days of a life.
pub const MOST_DAYS: u64 = 10_000;

/// A comparison before it begins.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ComparePlan {
    /// Worlds as they were asked for: a name, or `csv:PATH`.
    pub worlds: Vec<String>,
    pub templates: Vec<String>,
    /// The first is the one that the others are held against.
    pub arms: Vec<String>,
    /// What was set for all arms.
    pub sets: Vec<String>,
    /// The seed of path 0; later paths have later seeds.
    pub first_seed: u64,
    /// How many paths.
    pub seeds: u64,
    /// Virtual days of each life.
    pub days: u64,
    /// What each golem is given.
    #[serde(rename = "budget_micro_usdc")]
    pub budget: Usdc,
    /// The skill whose first lasting moment is noted.
    pub skill_level: f64,
    /// Differences within these are no differences; outcomes that are not named have their own.
    pub margins: BTreeMap<String, f64>,
    /// Hash over all settings, by template and arm.
    pub settings: Hash,
    /// What tells the data of recorded worlds from any other.
    pub data: BTreeMap<String, Hash>,
    /// How many stretches of two lives' length recorded worlds have: windows that begin in the same one are one voice.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub stretches: BTreeMap<String, u64>,
    /// Whether everybody can ask the stand-in of [`crate::model`]. Left out of plans without, so that their hash is what it
    /// was.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub model: bool,
    /// The setting whose best value everybody is held against: its values are arms.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub best: Option<String>,
    /// What is judged together; everything that is measured, where nothing is named.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub judged: Vec<String>,
    /// How narrow the intervals must become.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<UntilNarrow>,
    /// How many paths it has come to by that; no part of what was fixed.
    #[serde(skip)]
    pub widened: Option<u64>,
    /// Hash of the program.
    pub binary: Hash,
}

/// When there are paths enough. Only widths are asked, never a mean or its sign.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct UntilNarrow {
    /// Half of an interval of an outcome at most, in every world and for every arm.
    pub widths: BTreeMap<String, f64>,
    /// More paths than this are not lived, however wide it stays.
    pub most: u64,
}

/// The settings of one arm with one template.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ArmSettings {
    pub life: Settings,
    /// What differs from the defaults here goes over a world's own market.
    pub market: MarketConfig,
    /// Of the default world.
    pub synthetic: SyntheticConfig,
}

/// One life of a comparison, by its places in the plan. Their order is the order of rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct LifeOf {
    pub world: usize,
    pub template: usize,
    pub path: u64,
    pub arm: usize,
}

/// A part of the paths: every n-th, from the i-th on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Shard {
    /// Counted from 1.
    pub number: u64,
    pub of: u64,
}

impl Shard {
    /// Everything.
    pub const WHOLE: Self = Self { number: 1, of: 1 };

    /// From `i/n`.
    ///
    /// # Errors
    /// When it is no such thing.
    pub fn parse(text: &str) -> Result<Self, CompareError> {
        let parts = text.split_once('/').and_then(|(i, n)| Some((i.trim().parse().ok()?, n.trim().parse().ok()?)));
        match parts {
            Some((number, of)) if number >= 1 && number <= of => Ok(Self { number, of }),
            _ => Err(CompareError::NoShard(text.to_owned())),
        }
    }
    /// Whether a path is in it.
    #[must_use]
    pub fn has(self, path: u64) -> bool {
        path % self.of == self.number - 1
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.number, self.of)
    }
}

impl ComparePlan {
    /// What names it: everything in it.
    #[must_use]
    pub fn hash(&self) -> Hash {
        Hash::of(plain::json(self).as_bytes())
    }

    /// What is measured of its lives, in the order of their rows.
    #[must_use]
    pub fn outcomes(&self) -> Vec<OutcomeKind> {
        let mut all = if self.model { outcome::kinds_with_model() } else { outcome::kinds() };
        all.extend(self.grid().iter().flat_map(best::kinds));
        all
    }

    /// How many paths there are by now.
    #[must_use]
    pub fn paths(&self) -> u64 {
        self.widened.unwrap_or(self.seeds)
    }

    /// How many there may be in the end.
    #[must_use]
    pub fn most_paths(&self) -> u64 {
        self.until.as_ref().map_or(self.seeds, |until| until.most)
    }

    /// Whether an outcome is judged.
    #[must_use]
    pub fn judges(&self, outcome: &str) -> bool {
        self.judged.is_empty() || self.judged.iter().any(|name| name == outcome)
    }

    /// The values that everybody is held against, where that is asked for.
    #[must_use]
    pub fn grid(&self) -> Option<BestGrid> {
        self.best.as_ref().map(|key| BestGrid::of(key, &self.arms))
    }

    /// Refuse what cannot be compared.
    ///
    /// # Errors
    /// The first thing that is wrong.
    pub fn check(&self) -> Result<(), CompareError> {
        let wrong = |what: &str, hint: &str| Err(CompareError::Unsound { what: what.into(), hint: hint.into() });
        if self.seeds == 0 || self.seeds > MOST_PATHS {
            return wrong("there must be at least one path, and not more than a million", "try --seeds 20");
        }
        if self.days == 0 || self.days > MOST_DAYS {
            return wrong("a life takes at least a day, and not more than 10,000", "try --days 10");
        }
        if self.first_seed.checked_add(self.most_paths()).is_none() {
            return wrong("there are not so many seeds after this one", "choose a smaller --seed");
        }
        if self.worlds.is_empty() || self.templates.is_empty() {
            return wrong("there is nowhere to live", "name a world: --worlds default");
        }
        if self.arms.len() < 2 {
            return wrong(
                "one arm cannot be compared with itself",
                "give two values: --switch grimoire.enabled=true,false",
            );
        }
        if let Some(key) = self.best.as_ref().filter(|key| !BestGrid::of(key, &self.arms).is_sound()) {
            return wrong(
                &format!("{key} has no two values to be held against"),
                "make it a switch too: --switch policy.lp_management.range_sigmas=6,3,10 --best policy.lp_management.range_sigmas",
            );
        }
        for (what, names) in [("world", &self.worlds), ("template", &self.templates), ("arm", &self.arms)] {
            let mut seen = BTreeSet::new();
            if let Some(twice) = names.iter().find(|name| !seen.insert(name.as_str())) {
                return wrong(&format!("the {what} {twice} is named twice"), "leave one of them out");
            }
        }
        let known: Vec<_> = self.outcomes().into_iter().map(|kind| kind.name).collect();
        let widths = self.until.iter().flat_map(|until| until.widths.keys());
        for name in self.margins.keys().chain(&self.judged).chain(widths) {
            if !known.iter().any(|k| k.as_str() == name) {
                let all: Vec<&str> = known.iter().map(super::OutcomeName::as_str).collect();
                return wrong(&format!("{name} is no outcome"), &format!("there are: {}", all.join(", ")));
            }
        }
        for (name, margin) in &self.margins {
            if !margin.is_finite() || *margin < 0.0 {
                return wrong(&format!("{margin} is no margin for {name}"), "give a number of 0 or more");
            }
        }
        self.until.as_ref().map_or(Ok(()), |until| self.check_until(until))
    }

    fn check_until(&self, until: &UntilNarrow) -> Result<(), CompareError> {
        let wrong = |what: String, hint: &str| Err(CompareError::Unsound { what, hint: hint.into() });
        for (name, width) in &until.widths {
            if !width.is_finite() || *width <= 0.0 {
                return wrong(format!("{width} is no width for {name}"), "give half of an interval: a number above 0");
            }
            if !self.judges(name) {
                return wrong(format!("{name} is not judged, so it has no interval"), "name it in --outcomes too");
            }
        }
        if until.most < self.seeds || until.most > MOST_PATHS {
            return wrong(
                format!("{} paths to begin with, and {} at most", self.seeds, until.most),
                "let --most be larger than --seeds, and not more than a million",
            );
        }
        Ok(())
    }

    /// The lives of a shard, in the order of rows.
    #[must_use]
    pub fn lives(&self, shard: Shard) -> Vec<LifeOf> {
        let mut all = Vec::new();
        for world in 0..self.worlds.len() {
            for template in 0..self.templates.len() {
                for path in (0..self.paths()).filter(|path| shard.has(*path)) {
                    all.extend((0..self.arms.len()).map(|arm| LifeOf { world, template, path, arm }));
                }
            }
        }
        all
    }

    /// How many turns a life takes at most, with so many seconds between them; for estimates.
    #[must_use]
    pub fn turns(&self, interval_s: Option<u64>) -> u64 {
        self.days * 86_400 / interval_s.unwrap_or(NOMINAL_TICK_S).max(1)
    }
}

/// Hash over all settings of a plan.
#[must_use]
pub fn settings_hash(settings: &[Vec<ArmSettings>]) -> Hash {
    Hash::of(plain::json(settings).as_bytes())
}
