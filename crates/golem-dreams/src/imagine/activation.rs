//! Stochastic activation: episodes from far apart and from different weathers, drawn by dice and laid side by side as a
//! seed for creative work.

use golem_core::Dice;
use golem_grimoire::{Episode, EpisodeId};

/// Episodes that are drawn: one from each third of the life.
const DRAWN: usize = 3;

/// Draw a seed: one episode from each third of the life, each in a weather that the others do not have where there is
/// one. None with fewer episodes than draws. `n` is the number of the first of three draws of the tick.
#[must_use]
pub fn activate(episodes: &[&Episode], dice: &Dice, tick: u64, n: u32) -> Option<[EpisodeId; DRAWN]> {
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
    <[&Episode; DRAWN]>::try_from(drawn).ok().map(|seed| seed.map(|episode| episode.id))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::imagine::samples::watched;
    use golem_core::{Regime, Strand};
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
            assert_eq!(seed.map(|id| (id.0 - 1) / 30), [0, 1, 2]);
            let weathers: BTreeSet<Regime> = seed.iter().map(|id| regimes(id.0 - 1)).collect();
            assert_eq!(weathers.len(), 3);
            assert_eq!(Some(seed), activate(&told, &dice, tick, 0), "the same draw again");
            seen.insert(seed);
        }
        assert!(seen.len() > 40);
        assert_ne!(activate(&told, &dice, 1, 0), activate(&told, &dice, 1, 3));
    }

    #[test]
    fn one_weather_is_enough_and_two_episodes_are_not() {
        let dice = Dice::open(7, Strand::Mind);
        let episodes = lived(3, |_| Regime::Volatile);
        let told: Vec<&Episode> = episodes.iter().collect();
        assert_eq!(activate(&told, &dice, 1, 0), Some([EpisodeId(1), EpisodeId(2), EpisodeId(3)]));
        assert_eq!(activate(&told[..2], &dice, 1, 0), None);
        assert_eq!(activate(&[], &dice, 1, 0), None);
    }
}
