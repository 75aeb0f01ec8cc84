//! How awake an entry is in the present weather. Knowledge of another weather sleeps and is never deleted; while the weather
//! changes, the knowledge of both is partly awake.
//!
//! How sure the weather is comes from the grimoire ([`WeatherWeights`]): by probabilities, or by how long ago it changed.

use golem_grimoire::relevance::{DORMANT, WeatherWeights};
use golem_grimoire::{Entry, EntryBody};
use serde::{Deserialize, Serialize};

/// Weight of its weather below which an entry sleeps.
pub const ASLEEP_BELOW: f64 = 0.05;
/// Weight of its weather from which it is wholly awake.
pub const AWAKE_FROM: f64 = 0.95;

/// How awake something is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Wakefulness {
    /// Its weather is another one. It waits.
    Dormant,
    /// Its weather is coming or going.
    Partial,
    /// Its weather is this one, or any.
    Awake,
}

/// An entry in the present weather.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Activation {
    /// In a word.
    pub wakefulness: Wakefulness,
    /// What it counts, from the grimoire's own share for what is dormant, to 1. Never 0: nothing is forgotten for its weather.
    pub counts: f64,
}

/// How awake an entry is.
#[must_use]
pub fn activation(body: &EntryBody, weather: &WeatherWeights) -> Activation {
    let weight = body.regime.map_or(1.0, |regime| weather.weight(regime).clamp(0.0, 1.0));
    let wakefulness = match weight {
        w if w < ASLEEP_BELOW => Wakefulness::Dormant,
        w if w < AWAKE_FROM => Wakefulness::Partial,
        _ => Wakefulness::Awake,
    };
    Activation { wakefulness, counts: weather.relevance(body.regime).clamp(DORMANT, 1.0) }
}

/// How many entries are in each state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct WakefulCounts {
    pub dormant: usize,
    pub partial: usize,
    pub awake: usize,
}

/// Count them.
#[must_use]
pub fn wakeful_counts<'a>(entries: impl Iterator<Item = &'a Entry>, weather: &WeatherWeights) -> WakefulCounts {
    let mut counts = WakefulCounts::default();
    for entry in entries {
        match activation(&entry.body, weather).wakefulness {
            Wakefulness::Dormant => counts.dormant += 1,
            Wakefulness::Partial => counts.partial += 1,
            Wakefulness::Awake => counts.awake += 1,
        }
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;
    use golem_core::{Elapsed, GolemId, Regime, VirtualTime};
    use golem_grimoire::{EntryKind, EntryOrigin};
    use proptest::prelude::*;

    fn of(regime: Option<Regime>) -> EntryBody {
        let origin = EntryOrigin { golem: GolemId([1; 16]), generation: 0 };
        EntryBody { regime, ..EntryBody::own(EntryKind::Insight, "x".to_owned(), origin, VirtualTime(0)) }
    }

    #[test]
    fn each_weather_wakes_its_own() {
        let settled = WeatherWeights::settled(Regime::TrendingUp);
        for (regime, wakefulness, counts) in [
            (None, Wakefulness::Awake, 1.0),
            (Some(Regime::TrendingUp), Wakefulness::Awake, 1.0),
            (Some(Regime::TrendingDown), Wakefulness::Dormant, DORMANT),
            (Some(Regime::Volatile), Wakefulness::Dormant, DORMANT),
        ] {
            let found = activation(&of(regime), &settled);
            assert_eq!((found.wakefulness, found.counts), (wakefulness, counts), "{regime:?}");
        }
        // Nobody knows the weather: everything may matter.
        let found = activation(&of(Some(Regime::Volatile)), &WeatherWeights::default());
        assert_eq!(found.wakefulness, Wakefulness::Partial);
        assert!(found.counts > DORMANT && found.counts < 1.0);
    }

    #[test]
    fn a_change_of_weather_is_smooth_and_wakes_both_on_the_way() {
        let (old, new) = (Some(Regime::TrendingDown), Some(Regime::TrendingUp));
        let at = |tick| {
            let now = VirtualTime(Elapsed::nominal(tick).0);
            let weather = WeatherWeights::changing(Regime::TrendingDown, Regime::TrendingUp, VirtualTime(0), now);
            (activation(&of(old), &weather), activation(&of(new), &weather))
        };
        let (mut before, mut both) = (at(0), 0);
        assert_eq!((before.0.wakefulness, before.1.wakefulness), (Wakefulness::Awake, Wakefulness::Dormant));
        for tick in 1..400 {
            let now = at(tick);
            assert!(now.0.counts <= before.0.counts && now.1.counts >= before.1.counts, "tick {tick}");
            assert!((now.0.counts - before.0.counts).abs() < 0.03, "no jump at tick {tick}");
            both += u32::from([now.0, now.1].iter().all(|a| a.wakefulness == Wakefulness::Partial));
            before = now;
        }
        assert!(both > 20, "both are partly awake for a while: {both}");
        assert_eq!((before.0.wakefulness, before.1.wakefulness), (Wakefulness::Dormant, Wakefulness::Awake));
        assert!(before.0.counts >= DORMANT, "and nothing is forgotten");
    }

    proptest! {
        #[test]
        fn nothing_is_ever_worth_nothing(probabilities in prop::array::uniform5(any::<f64>()), which in 0..5_usize) {
            let weather = WeatherWeights::probable(probabilities, VirtualTime(0));
            let found = activation(&of(Some(Regime::ALL[which])), &weather);
            prop_assert!((DORMANT..=1.0).contains(&found.counts), "{:?}", found);
        }
    }
}
