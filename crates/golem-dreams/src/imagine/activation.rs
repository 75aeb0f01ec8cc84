//! Stochastic activation: episodes from far apart and from different weathers, drawn by dice and laid side by side as a
//! seed for creative work.

use golem_core::words::one_line;
use golem_core::{Dice, Regime};
use golem_grimoire::situation::WIDTH;
use golem_grimoire::{Episode, EpisodeId, Situation};
use serde::{Deserialize, Serialize};

/// Episodes that are drawn: one from each third of the life.
const DRAWN: usize = 3;
/// The most characters of one fragment.
const MOST_FRAGMENT: usize = 160;

/// Episodes that have nothing to do with each other, as one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ActivationSeed {
    pub episodes: Vec<EpisodeId>,
    /// What happened in each, in words.
    pub fragments: Vec<String>,
    pub regimes: Vec<Regime>,
    /// Where one would stand if all of it were so at once.
    pub situation: Situation,
}

impl ActivationSeed {
    /// The seed on one line.
    #[must_use]
    pub fn text(&self) -> String {
        format!("{} - all at once: {}", self.fragments.join(" / "), self.situation.describe(4))
    }
}

/// Draw a seed: one episode from each third of the life, each in a weather that the others do not have where there is
/// one. None with fewer episodes than draws. `n` is the number of the first of three draws of the tick.
#[must_use]
pub fn activate(episodes: &[&Episode], dice: &Dice, tick: u64, n: u32) -> Option<ActivationSeed> {
    if episodes.len() < DRAWN {
        return None;
    }
    let mut drawn: Vec<&Episode> = Vec::new();
    for (third, n) in (0..DRAWN).zip(n..) {
        let (from, to) = (episodes.len() * third / DRAWN, episodes.len() * (third + 1) / DRAWN);
        let all = &episodes[from..to];
        let is_new = |e: &&&Episode| !drawn.iter().any(|other| other.regime == e.regime);
        let other: Vec<&&Episode> = all.iter().filter(is_new).collect();
        let pick = |len: usize| ((dice.uniform(tick, n) * len as f64) as usize).min(len.saturating_sub(1));
        let one = if other.is_empty() { all.get(pick(all.len())) } else { other.get(pick(other.len())).copied() };
        drawn.push(one?);
    }
    let words = |e: &&Episode| one_line(&format!("{}: {}", e.regime, e.text), MOST_FRAGMENT);
    Some(ActivationSeed {
        episodes: drawn.iter().map(|e| e.id).collect(),
        fragments: drawn.iter().map(words).collect(),
        regimes: drawn.iter().map(|e| e.regime).collect(),
        situation: middle(&drawn),
    })
}

fn middle(drawn: &[&Episode]) -> Situation {
    let mut sum = [0.0f32; WIDTH];
    for (at, sum) in sum.iter_mut().enumerate() {
        let finite = drawn.iter().map(|e| e.situation.0[at]).filter(|x| x.is_finite());
        *sum = finite.sum::<f32>() / drawn.len().max(1) as f32;
    }
    Situation(sum)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::imagine::samples::watched;
    use golem_core::Strand;
    use std::collections::BTreeSet;

    fn lived(n: u64, regime: fn(u64) -> Regime) -> Vec<Episode> {
        (0..n).map(|i| watched(i + 1, i * 10, regime(i)).0).collect()
    }

    #[test]
    fn seeds_come_from_far_apart_and_from_different_weathers() {
        let dice = Dice::open(7, Strand::Mind);
        let regimes = |i: u64| Regime::ALL[usize::try_from(i % 5).unwrap()];
        let episodes = lived(90, regimes);
        let told: Vec<&Episode> = episodes.iter().collect();
        let mut seen = BTreeSet::new();
        for tick in 0..50 {
            let seed = activate(&told, &dice, tick, 0).unwrap();
            let thirds: Vec<u64> = seed.episodes.iter().map(|id| (id.0 - 1) / 30).collect();
            assert_eq!(thirds, [0, 1, 2]);
            assert_eq!(seed.regimes.iter().collect::<BTreeSet<_>>().len(), 3);
            assert_eq!(Some(&seed), activate(&told, &dice, tick, 0).as_ref(), "the same draw again");
            seen.insert(seed.episodes.clone());
        }
        assert!(seen.len() > 40);
        assert_ne!(activate(&told, &dice, 1, 0), activate(&told, &dice, 1, 3));
    }

    #[test]
    fn one_weather_is_enough_and_two_episodes_are_not() {
        let dice = Dice::open(7, Strand::Mind);
        let episodes = lived(3, |_| Regime::Volatile);
        let told: Vec<&Episode> = episodes.iter().collect();
        let seed = activate(&told, &dice, 1, 0).unwrap();
        assert_eq!(seed.episodes, [EpisodeId(1), EpisodeId(2), EpisodeId(3)]);
        assert_eq!(activate(&told[..2], &dice, 1, 0), None);
        assert_eq!(activate(&[], &dice, 1, 0), None);
    }

    #[test]
    fn the_situation_is_all_of_them_at_once() {
        let mut episodes = lived(3, |_| Regime::Volatile);
        for (episode, x) in episodes.iter_mut().zip([3.0, f32::NAN, 0.0]) {
            episode.situation.0[8] = x;
            episode.text = "long ".repeat(100);
        }
        let told: Vec<&Episode> = episodes.iter().collect();
        let seed = activate(&told, &Dice::open(7, Strand::Mind), 1, 0).unwrap();
        assert!((seed.situation.0[8] - 1.0).abs() < 1e-6);
        assert!(seed.fragments.iter().all(|f| f.chars().count() <= MOST_FRAGMENT));
        assert!(seed.text().contains("gas ratio +1.0"));
    }
}
