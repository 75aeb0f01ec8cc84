//! Scenarios: weather that can be sent through a market, live or on a fork. A scenario is a list of events with a name; the
//! known ones are built in.

mod conditions;
mod read;

pub use conditions::{Conditions, WHOLE_PPM};
pub use golem_core::happening::{Happening, LAST_TICK, ScenarioEvent};

use golem_core::Problem;

/// A market never carries more events than this.
pub const MOST_EVENTS: usize = 256;

/// A named piece of weather. Its ticks count from the tick at which it is injected.
#[derive(Debug, Clone, PartialEq)]
pub struct Scenario {
    pub name: String,
    /// One sentence about it.
    pub about: String,
    pub events: Vec<ScenarioEvent>,
}

macro_rules! built_in {
    ($($name:literal),+ $(,)?) => { &[$(($name, include_str!(concat!("../../../../scenarios/", $name, ".toml")))),+] };
}

/// Name and text of the scenarios that every binary has.
const KNOWN: &[(&str, &str)] = built_in![
    "calm",
    "trend",
    "chop",
    "crash",
    "depeg",
    "gas-war",
    "liquidity-drain",
    "oracle-distortion",
    "pushed-down",
    "pushed-both-ways",
    "sandwich",
];

impl Scenario {
    /// Name and text of every scenario that is built in.
    #[must_use]
    pub fn known() -> &'static [(&'static str, &'static str)] {
        KNOWN
    }

    /// A built-in scenario by its name.
    ///
    /// # Errors
    /// When there is none of that name; the nearest is named.
    pub fn named(name: &str) -> Result<Self, Vec<Problem>> {
        match KNOWN.iter().find(|(known, _)| *known == name) {
            Some((_, text)) => Self::parse(text),
            None => Err(vec![Problem::new("scenario", read::no_such(name, KNOWN.iter().map(|(known, _)| *known)))]),
        }
    }

    /// Read one from TOML.
    ///
    /// # Errors
    /// Every problem with it at once, each with its key and its line.
    pub fn parse(text: &str) -> Result<Self, Vec<Problem>> {
        read::scenario(text)
    }

    /// Every problem with it, by key.
    #[must_use]
    pub fn problems(&self) -> Vec<Problem> {
        let each = self.events.iter().enumerate();
        let mut all: Vec<Problem> = each.flat_map(|(i, e)| under(i, e.problems())).collect();
        if self.events.len() > MOST_EVENTS {
            all.push(Problem::new("events", format!("{} events are more than {MOST_EVENTS}", self.events.len())));
        }
        all
    }

    /// The tick after which nothing changes any more.
    #[must_use]
    pub fn settled(&self) -> u64 {
        self.events.iter().map(ScenarioEvent::settled).max().unwrap_or(0)
    }
}

/// Problems of the event at this place.
fn under(i: usize, problems: Vec<Problem>) -> impl Iterator<Item = Problem> {
    problems.into_iter().map(move |p| p.under(&format!("events[{i}]")))
}
