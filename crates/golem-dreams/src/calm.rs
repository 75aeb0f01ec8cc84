//! Taking the heat out of what was felt: the arousal of an episode shrinks with every cycle that works on it, pleasure
//! goes towards neither, dominance stays, and what happened is not touched.
//!
//! An episode's own words never change: its marks say what is left.

use golem_core::VirtualTime;
use golem_grimoire::{Episode, EpisodeId, Marks};
use serde::{Deserialize, Serialize};

/// How the heat is taken out of what was felt.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DepotentiationParams {
    /// What is left of arousal, and of pleasure, after a cycle.
    pub keep: f32,
    /// Arousal from which an episode is taken up.
    pub high_above: f32,
    /// Arousal below which it is done with.
    pub calm_below: f32,
    /// Episodes in a cycle.
    pub per_cycle: u32,
    /// Days in which arousal halves by itself.
    pub half_life_days: f64,
}

impl Default for DepotentiationParams {
    fn default() -> Self {
        Self { keep: 0.6, high_above: 0.5, calm_below: 0.2, per_cycle: 8, half_life_days: 7.0 }
    }
}

/// How an episode feels of which dreams have left a share: pleasure, arousal, dominance.
#[must_use]
pub fn calmed(felt: [f32; 3], left: f32) -> [f32; 3] {
    let left = if left.is_nan() { 0.0 } else { left.clamp(0.0, 1.0) };
    [felt[0] * left, felt[1] * left, felt[2]]
}

/// How an episode feels by now: after what dreams did to it, and after the time that has passed.
#[must_use]
pub fn feels(
    (episode, marks): (&Episode, &Marks),
    params: &DepotentiationParams,
    now: VirtualTime,
) -> Option<[f32; 3]> {
    let felt = episode.affect.filter(|felt| felt.iter().all(|x| x.is_finite()))?;
    let [pleasure, arousal, dominance] = calmed(felt, marks.stirs);
    let days = now.since(episode.age).as_days();
    let faded = libm::exp2(-days / params.half_life_days.max(0.01)) as f32;
    Some([pleasure, arousal * faded, dominance])
}

/// Episodes to work on in this cycle, the hottest first. Taken up are those that were felt strongly; they are worked on
/// until they are calm.
#[must_use]
pub fn due(episodes: &[(&Episode, &Marks)], params: &DepotentiationParams, now: VirtualTime) -> Vec<EpisodeId> {
    let strong = |(e, _): &&(&Episode, &Marks)| e.affect.is_some_and(|felt| felt[1] > params.high_above);
    let arousal = |lived: &(&Episode, &Marks)| feels(*lived, params, now).map(|felt| (felt[1], lived.0.id));
    let mut all: Vec<(f32, EpisodeId)> = episodes.iter().filter(strong).filter_map(arousal).collect();
    all.retain(|(arousal, _)| *arousal >= params.calm_below);
    all.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    all.truncate(params.per_cycle as usize);
    all.into_iter().map(|(_, id)| id).collect()
}

/// The mean arousal of what is still hot, from 0 to 1: what urgency reads.
pub fn unresolved<'a>(
    episodes: impl Iterator<Item = (&'a Episode, &'a Marks)>,
    params: &DepotentiationParams,
    now: VirtualTime,
) -> f64 {
    let hot = episodes.filter_map(|e| feels(e, params, now)).filter(|felt| felt[1] >= params.calm_below);
    let (n, sum) = hot.fold((0u32, 0.0), |(n, sum), felt| (n + 1, sum + f64::from(felt[1].min(1.0))));
    if n == 0 { 0.0 } else { sum / f64::from(n) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::imagine::samples::{at, watched};
    use golem_core::Regime;
    use proptest::prelude::*;

    fn felt(id: u64, arousal: f32) -> (Episode, Marks) {
        let (mut episode, marks) = watched(id, 0, Regime::Volatile);
        episode.affect = Some([-0.5, arousal, 0.4]);
        (episode, marks)
    }
    fn lived(all: &[(Episode, Marks)]) -> Vec<(&Episode, &Marks)> {
        all.iter().map(|(e, m)| (e, m)).collect()
    }

    #[test]
    fn a_cycle_leaves_six_tenths_of_arousal_and_pleasure_and_all_of_dominance() {
        let once = calmed([-0.5, 0.9, 0.4], DepotentiationParams::default().keep);
        for (x, expected) in once.iter().zip([-0.3, 0.54, 0.4]) {
            assert!((x - expected).abs() < 1e-6, "{once:?}");
        }
    }

    #[test]
    fn what_was_felt_most_takes_three_to_five_cycles() {
        let params = DepotentiationParams::default();
        for arousal in [0.81, 0.9, 1.0] {
            let (episode, mut marks) = felt(1, arousal);
            let (before, mut cycles) = (episode.clone(), 0);
            while !due(&[(&episode, &marks)], &params, at(0)).is_empty() {
                marks.stirs *= params.keep;
                cycles += 1;
                assert!(cycles < 9);
            }
            assert!((3..=5).contains(&cycles), "{arousal}: {cycles}");
            assert_eq!(episode, before, "facts are not touched");
        }
    }

    #[test]
    fn the_hottest_come_first_and_not_too_many_at_once() {
        let params = DepotentiationParams::default();
        let all: Vec<(Episode, Marks)> = (1..=20).map(|i| felt(i, 0.3 + 0.03 * i as f32)).collect();
        let ids: Vec<u64> = due(&lived(&all), &params, at(0)).iter().map(|id| id.0).collect();
        assert_eq!(ids, [20, 19, 18, 17, 16, 15, 14, 13]);
        // 0.5 is not above 0.5.
        let params = DepotentiationParams { per_cycle: 64, ..params };
        let edges = [felt(1, 0.5), felt(2, 0.51)];
        assert_eq!(due(&lived(&edges), &params, at(0)), [EpisodeId(2)]);
        let mut odd = felt(3, f32::NAN);
        odd.0.affect = Some([f32::NAN; 3]);
        assert!(due(&lived(&[odd]), &params, at(0)).is_empty());
    }

    #[test]
    fn arousal_fades_by_itself() {
        let params = DepotentiationParams::default();
        let (week, one) = (7 * 2_160, [felt(1, 0.8)]);
        let later = feels((&one[0].0, &one[0].1), &params, at(week)).unwrap();
        assert!((later[1] - 0.4).abs() < 1e-5 && (later[0] + 0.5).abs() < 1e-6);
        assert!(due(&lived(&one), &params, at(2 * week)).len() == 1);
        assert!(due(&lived(&one), &params, at(2 * week + 200)).is_empty());
        let three = [felt(1, 0.8), felt(2, 0.6), felt(3, 0.1)];
        assert!((unresolved(lived(&three).into_iter(), &params, at(0)) - 0.7).abs() < 1e-6);
        assert!(unresolved(std::iter::empty(), &params, at(0)).abs() < 1e-12);
    }

    proptest! {
        #[test]
        fn nothing_gets_hotter(felt in any::<[f32; 3]>(), left in any::<f32>()) {
            let after = calmed(felt, left);
            for (after, before) in after.iter().zip(felt) {
                prop_assert!(after.is_nan() || after.abs() <= before.abs());
            }
        }
    }
}
