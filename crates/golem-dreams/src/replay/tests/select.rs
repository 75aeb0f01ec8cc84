//! Which episodes are chosen.

use super::super::kit::{HOUR, plain};
use super::super::select::{ChosenFor, batches, parts, select};
use super::super::utility::WeighedEpisode;
use super::ReplayStage;
use crate::config::ReplayPrioritization;
use crate::schedule::DreamLegacy;
use golem_core::{Regime, Tick, VirtualTime};
use golem_grimoire::{Episode, EpisodeId, Marks};
use proptest::prelude::*;
use std::sync::LazyLock;

static MARKS: LazyLock<Marks> = LazyLock::new(Marks::default);

/// Episodes of today's weather, from 1 on.
fn some(n: u64) -> Vec<Episode> {
    (1..=n).map(|id| Episode { regime: Regime::RangeBound, ..plain(id) }).collect()
}

fn weighed<'a>(all: &'a [Episode], utility: impl Fn(u64) -> f64) -> Vec<WeighedEpisode<'a>> {
    let one = |episode: &'a Episode| {
        let utility = utility(episode.id.0);
        WeighedEpisode { episode, marks: &MARKS, gain: 1.0, need: utility, utility, confusion: 0.0 }
    };
    all.iter().map(one).collect()
}

fn ids(stage: &ReplayStage, of: &[WeighedEpisode<'_>], n: usize) -> Vec<u64> {
    select(&stage.scene(), of, n).iter().map(|c| c.of.episode.id.0).collect()
}

/// The numbers and reasons of what was not chosen by the order.
fn odd(stage: &ReplayStage, of: &[WeighedEpisode<'_>], n: usize) -> Vec<(u64, ChosenFor)> {
    let chosen = select(&stage.scene(), of, n);
    chosen.iter().filter(|c| c.why != ChosenFor::Order).map(|c| (c.of.episode.id.0, c.why)).collect()
}

#[test]
fn the_best_above_the_line_are_chosen_and_equals_by_number() {
    let all = some(6);
    let of = weighed(&all, |id| [0.0, 0.1, 0.1001, 0.4, 0.9, 0.4, f64::NAN][id as usize]);
    let mut stage = ReplayStage::default();
    stage.rules.diversity_share = 0.0;
    assert_eq!(ids(&stage, &of, 10), [4, 3, 5, 2], "1 is at the line, 6 is no number");
    assert_eq!(ids(&ReplayStage::default(), &of, 2), [4, 3]);
    assert_eq!(ids(&ReplayStage::default(), &of, 0), Vec::<u64>::new());
    assert_eq!(ids(&ReplayStage::default(), &[], 10), Vec::<u64>::new());
}

#[test]
fn what_dreams_are_done_with_is_not_chosen_again() {
    let all = some(6);
    let gone = Marks { let_go: true, ..Marks::default() };
    let mut of = weighed(&all, |id| [0.0, 0.2, 0.9, 0.4, 0.9, 0.3, 0.5][id as usize]);
    for (at, w) in of.iter_mut().enumerate() {
        if at % 2 == 1 {
            w.marks = &gone;
        }
    }
    for prioritization in [
        ReplayPrioritization::Utility,
        ReplayPrioritization::Recency,
        ReplayPrioritization::Surprise,
        ReplayPrioritization::Uniform,
    ] {
        for diversity_share in [0.0, 0.2] {
            let mut stage = ReplayStage::default();
            (stage.rules.prioritization, stage.rules.diversity_share) = (prioritization, diversity_share);
            let mut chosen = ids(&stage, &of, 10);
            chosen.sort_unstable();
            assert_eq!(chosen, [1, 3, 5], "{prioritization:?}");
        }
    }
}

#[test]
fn the_four_orders() {
    let mut all = some(5);
    for (episode, (age, surprise)) in all.iter_mut().zip([(5, 1.0), (9, 3.0), (7, f32::NAN), (9, 2.0), (1, 3.0)]) {
        (episode.age, episode.surprise) = (VirtualTime(age), surprise);
    }
    let of = weighed(&all, |id| [0.0, 0.5, 0.2, 0.3, 0.01, 0.4][id as usize]);
    let by = |prioritization, tick| {
        let mut stage = ReplayStage::default();
        (stage.rules.prioritization, stage.seen.tick) = (prioritization, Tick(tick));
        stage.rules.diversity_share = 0.0;
        ids(&stage, &of, 5)
    };
    assert_eq!(by(ReplayPrioritization::Utility, 1), [1, 5, 3, 2]);
    assert_eq!(by(ReplayPrioritization::Recency, 1), [4, 2, 3, 1, 5]);
    assert_eq!(by(ReplayPrioritization::Surprise, 1), [2, 5, 4, 1, 3]);
    let drawn = by(ReplayPrioritization::Uniform, 1);
    assert_eq!(drawn, by(ReplayPrioritization::Uniform, 1), "dice are addressed");
    assert!((2..40).any(|tick| by(ReplayPrioritization::Uniform, tick) != drawn), "and of the tick");
    let first: std::collections::BTreeSet<u64> =
        (0..100).map(|tick| by(ReplayPrioritization::Uniform, tick)[0]).collect();
    assert_eq!(first.len(), 5, "everything comes first at times");
}

#[test]
fn who_is_confused_looks_at_that_first() {
    let all = some(3);
    let mut of = weighed(&all, |id| 0.2 * id as f64);
    for (w, confusion) in of.iter_mut().zip([0.9, 0.1, 0.5]) {
        w.confusion = confusion;
    }
    let mut stage = ReplayStage::default();
    for (confused, order) in [(false, [3, 2, 1]), (true, [1, 3, 2])] {
        stage.confused = confused;
        assert_eq!(ids(&stage, &of, 3), order, "{confused}");
    }
}

#[test]
fn near_the_end_what_an_heir_can_use_comes_first() {
    let all = some(3);
    let mut of = weighed(&all, |id| 0.2 * id as f64);
    of[1].confusion = 0.9;
    let mut stage = ReplayStage::default();
    stage.known.transferable.insert(EpisodeId(1));
    for (legacy, order) in
        [(DreamLegacy::None, [3, 2, 1]), (DreamLegacy::Biased, [1, 3, 2]), (DreamLegacy::Full, [1, 3, 2])]
    {
        stage.legacy = legacy;
        assert_eq!(ids(&stage, &of, 3), order, "{legacy:?}");
    }
    stage.confused = true;
    assert_eq!(ids(&stage, &of, 3), [1, 2, 3], "before what confuses");
}

/// Thirty of today's, of which 2 and 5 stir, 28 is wild weather, 29 a trend up and 30 one down; utility grows with the
/// number to 27 and is nothing beyond.
fn varied() -> Vec<Episode> {
    let mut all = some(30);
    for (at, arousal) in [(1, 0.6), (4, 0.9)] {
        all[at].affect = Some([0.0, arousal, 0.0]);
    }
    for (at, regime) in [(27, Regime::Volatile), (28, Regime::TrendingUp), (29, Regime::TrendingDown)] {
        all[at].regime = regime;
    }
    all
}

fn low_to_high(id: u64) -> f64 {
    if id <= 27 { 0.2 + id as f64 / 100.0 } else { 0.0 }
}

#[test]
fn a_fifth_is_kept_for_what_stirs_what_is_old_and_missing_weather() {
    let all = varied();
    let of = weighed(&all, low_to_high);
    let mut stage = ReplayStage::default();
    let stirs = (5, ChosenFor::Arousal);
    // The best of the oldest third: ten of thirty.
    let old = (10, ChosenFor::Oldest);
    let up = (29, ChosenFor::Regime(Regime::TrendingUp));
    let down = (30, ChosenFor::Regime(Regime::TrendingDown));
    let wild = (28, ChosenFor::Regime(Regime::Volatile));
    // With 15 slots three are odd, and regimes take turns.
    for (cycle, regime) in [up, down, wild, up].into_iter().enumerate() {
        stage.cycle = cycle as u32;
        assert_eq!(odd(&stage, &of, 15), [stirs, old, regime], "cycle {cycle}");
        assert_eq!(ids(&stage, &of, 15).len(), 15);
    }
    // With 10 there are two, and with 5 one: then the three kinds take turns.
    for (cycle, want) in [[stirs, old], [up, stirs], [old, down]].into_iter().enumerate() {
        stage.cycle = cycle as u32;
        assert_eq!(odd(&stage, &of, 10), want, "cycle {cycle}");
    }
    for (cycle, want) in [stirs, old, up, stirs, old, down].into_iter().enumerate() {
        stage.cycle = cycle as u32;
        assert_eq!(odd(&stage, &of, 5), [want], "cycle {cycle}");
    }
    assert_eq!(odd(&stage, &of, 4), [], "a fifth of four is none");
}

#[test]
fn odd_slots_have_their_conditions() {
    let mut all = varied();
    // Too calm, too long ago, unknown: only the oldest third is left, and the slots go back to the order.
    for episode in &mut all {
        episode.affect = Some([1.0, 0.49, 1.0]);
        if episode.regime != Regime::RangeBound {
            episode.age = VirtualTime(episode.age.0 - 30 * 24 * HOUR - 1);
        }
    }
    all[27].regime = Regime::Unknown;
    all[27].age = all[0].age;
    let of = weighed(&all, low_to_high);
    let mut stage = ReplayStage::default();
    assert_eq!(odd(&stage, &of, 15), [(10, ChosenFor::Oldest)]);
    assert_eq!(ids(&stage, &of, 15).len(), 15);
    // What stirred a week ago does not stir so much any more.
    let mut calm = all.clone();
    (calm[0].affect, calm[0].age) = (Some([1.0, 0.9, 1.0]), VirtualTime(stage.seen.now.0 - 7 * 24 * HOUR));
    assert_eq!(odd(&stage, &weighed(&calm, low_to_high), 15), [(10, ChosenFor::Oldest)]);
    calm[0].age = stage.seen.now;
    assert_eq!(odd(&stage, &weighed(&calm, low_to_high), 15)[0], (1, ChosenFor::Arousal));
    let mut late = all.clone();
    late[28].age = VirtualTime(stage.seen.now.0 - 30 * 24 * HOUR);
    let of = weighed(&late, low_to_high);
    assert_eq!(odd(&stage, &of, 15).len(), 2, "thirty days are within thirty days");
    // A regime that the order has chosen from is not missing.
    late[26].regime = Regime::TrendingUp;
    let of = weighed(&late, low_to_high);
    assert_eq!(odd(&stage, &of, 15).len(), 1);
    stage.rules.diversity_share = 1.0;
    assert!(odd(&stage, &of, 10).len() <= 2, "whatever is asked for, never more than a fifth");
}

#[test]
fn batches_are_of_five_to_ten() {
    let all = some(40);
    let of = weighed(&all, |_| 0.5);
    for n in 0..=40 {
        let chosen = select(&ReplayStage::default().scene(), &of, n);
        for most in [0, 5, 7, 10, 15] {
            let sizes: Vec<usize> = batches(&chosen, most).map(<[_]>::len).collect();
            assert_eq!(sizes.iter().sum::<usize>(), n);
            assert!(n < 5 || sizes.iter().all(|s| (5..=10).contains(s)), "{n}, {most}: {sizes:?}");
            assert!(n >= 5 || sizes.len() <= 1);
            assert_eq!(parts(n, most), sizes.len());
        }
        // An owner who wants small batches has more of them.
        assert_eq!((parts(20, 5), parts(20, 10), parts(9, 5)), (4, 2, 1));
    }
}

proptest! {
    #[test]
    fn a_choice_is_within_bounds_and_never_twice(
        utilities in prop::collection::vec(prop::num::f64::ANY, 0..60),
        n in 0usize..30, cycle in any::<u32>(), mode in 0usize..4,
    ) {
        let mut all = some(utilities.len() as u64);
        for (at, episode) in all.iter_mut().enumerate() {
            episode.regime = Regime::ALL[at % 5];
            episode.affect = Some([0.0, at as f32 / 30.0, 0.0]);
        }
        let of = weighed(&all, |id| utilities[id as usize - 1]);
        let mut stage = ReplayStage { cycle, ..ReplayStage::default() };
        stage.rules.prioritization = [
            ReplayPrioritization::Utility, ReplayPrioritization::Recency, ReplayPrioritization::Surprise, ReplayPrioritization::Uniform,
        ][mode];
        let chosen = select(&stage.scene(), &of, n);
        prop_assert!(chosen.len() <= n);
        let mut seen: Vec<u64> = chosen.iter().map(|c| c.of.episode.id.0).collect();
        seen.sort_unstable();
        prop_assert!(seen.windows(2).all(|w| w[0] < w[1]), "twice");
        let odd = chosen.iter().filter(|c| c.why != ChosenFor::Order).count();
        prop_assert!(odd * 5 <= n, "{odd} of {n}");
    }
}
