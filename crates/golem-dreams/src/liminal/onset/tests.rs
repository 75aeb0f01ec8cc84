//! Falling asleep.

use super::*;
use crate::imagine::samples::{acted, buy, watched};
use crate::journal::DreamProvenance;
use crate::liminal::residue::cosine;
use golem_core::{Regime, Strand};
use golem_grimoire::retrieval::tokens;
use golem_grimoire::{Claim, EpisodeId, Importance};
use proptest::prelude::*;
use std::collections::BTreeSet;

type TestLife = Vec<(Episode, Marks)>;

fn lived(n: u64) -> TestLife {
    let one = |i: u64| {
        let regime = Regime::ALL[usize::try_from(1 + i % 4).unwrap()];
        let (mut episode, mut marks) =
            if i.is_multiple_of(2) { acted(i + 1, i, regime, buy()) } else { watched(i + 1, i, regime) };
        episode.affect = Some([0.5, 0.1, 0.0]);
        marks.outcome_bps = Some(if i.is_multiple_of(4) { 9.0 } else { -9.0 });
        (episode, marks)
    };
    (0..n).map(one).collect()
}

fn asleep(
    lived: &TestLife,
    params: &OnsetParams,
    change: impl FnOnce(&mut OnsetMaterial<'_>),
    nearest: f32,
) -> OnsetOutcome {
    let told: Vec<(&Episode, &Marks)> = lived.iter().map(|(e, m)| (e, m)).collect();
    let (mood, theme, at) = (None, None, Timestamp(9));
    let mut material = OnsetMaterial { episodes: &told, mood, theme, cycle: 3, tick: 5, at, alarm: None };
    change(&mut material);
    onset(&material, params, &Dice::open(1, Strand::Mind), |a, b| f32::from(u8::from(b.contains(a))), |_| nearest)
}

#[test]
fn four_partials_of_eighty_tokens_from_three_episodes_each() {
    let mut long = lived(40);
    for (episode, _) in &mut long {
        episode.text = format!("turn {} {}", episode.tick, "word ".repeat(200));
    }
    let out = asleep(&long, &OnsetParams::default(), |_| (), 0.0);
    assert_eq!((out.looked_at, out.fragments.len(), out.dali_cycles_completed), (4, 4, 1));
    for (fragment, n) in out.fragments.iter().zip(0..) {
        assert_eq!(fragment.id, format!("onset/3/{n}"));
        assert!(tokens(&fragment.content) <= 80 && tokens(&fragment.content) > 70);
        assert_eq!(fragment.source_episodes.iter().collect::<BTreeSet<_>>().len(), 3);
        assert_eq!((fragment.provenance, fragment.timestamp), (DreamProvenance::Hypnagogic, Timestamp(9)));
        assert_eq!(fragment.status, FragmentStatus::SelectedForRem);
        assert!((fragment.emotional_tone - 0.5).abs() < 1e-6 && (0.0..=1.0).contains(&fragment.semantic_distance));
    }
    use HoriStage as H;
    let stages: Vec<HoriStage> = out.fragments.iter().map(|f| f.hori_stage).collect();
    assert_eq!(stages, [H::Shallow, H::Transitional, H::Peak, H::Peak]);
    assert_eq!(out.depth, Some(H::Peak));
    let three = asleep(&long, &OnsetParams { dali_cycles: 3, ..Default::default() }, |_| (), 0.0);
    assert_eq!((three.looked_at, three.dali_cycles_completed), (12, 3));
    assert_eq!(three.fragments.last().unwrap().dali_cycle, 2);
}

#[test]
fn two_episodes_are_enough_and_one_is_not() {
    assert_eq!(asleep(&lived(1), &OnsetParams::default(), |_| (), 0.0).looked_at, 0);
    let two = asleep(&lived(2), &OnsetParams::default(), |_| (), 0.0);
    assert_eq!(two.fragments[0].source_episodes.len(), 2);
    assert_eq!(asleep(&lived(0), &OnsetParams::default(), |_| (), 0.0).fragments, []);
}

#[test]
fn the_observer_keeps_what_is_new() {
    let out = |nearest| asleep(&lived(40), &OnsetParams::default(), |_| (), nearest);
    for (nearest, kept, confidence) in [(0.0, true, 0.2), (0.5, true, 0.15), (0.69, true, 0.131), (-1.0, true, 0.2)] {
        let out = out(nearest);
        assert_eq!(!out.fragments.is_empty(), kept);
        assert!((out.fragments[0].confidence - confidence).abs() < 1e-6, "{nearest}");
    }
    for nearest in [0.71, 1.0, f32::NAN] {
        let out = out(nearest);
        assert_eq!((out.fragments.len(), out.looked_at, out.summary().kept), (0, 4, 0), "{nearest}");
    }
    // Novelty at the floor itself is not above it.
    let params = OnsetParams { novelty_floor: 0.5, ..Default::default() };
    assert!(asleep(&lived(40), &params, |_| (), 0.5).fragments.is_empty());
}

#[test]
fn an_alarm_ends_it_at_once() {
    let out = asleep(&lived(40), &OnsetParams::default(), |m| m.alarm = Some(OnsetAlarm::Move), 0.0);
    assert_eq!((out.looked_at, out.aborted, out.fragments.len()), (0, Some(OnsetAlarm::Move), 0));
    assert_eq!(out.summary().aborted, Some(OnsetAlarm::Move));
}

#[test]
fn too_deep_is_cut_off() {
    let params = OnsetParams { peak_temperature: 2.0, ..Default::default() };
    let out = asleep(&lived(40), &params, |_| (), 0.0);
    assert_eq!((out.looked_at, out.depth), (2, Some(HoriStage::TooDeep)));
}

#[test]
fn the_theme_draws_its_episodes_near_for_one_cycle() {
    let mut all = lived(48);
    for (episode, _) in all.iter_mut().filter(|(e, _)| e.id.0.is_multiple_of(6)) {
        episode.text = format!("gas in turn {}", episode.tick);
    }
    let count = |cycle, bias| {
        let params = OnsetParams { theme_bias: bias, dali_cycles: 3, ..Default::default() };
        let theme = DreamTheme { keyword: "gas".into(), episode: None, cycle };
        let mut drawn = 0;
        for tick in 0..200 {
            let told: Vec<(&Episode, &Marks)> = all.iter().map(|(e, m)| (e, m)).collect();
            let (mood, at) = (None, Timestamp(0));
            let material =
                OnsetMaterial { episodes: &told, mood, theme: Some(&theme), cycle: 3, tick, at, alarm: None };
            let alike = |a: &str, b: &str| f32::from(u8::from(b.contains(a)));
            let out = onset(&material, &params, &Dice::open(1, Strand::Mind), alike, |_| 0.0);
            assert_eq!(out.theme.is_some(), cycle == 3);
            drawn += out.fragments.iter().flat_map(|f| &f.source_episodes).filter(|id| id.0.is_multiple_of(6)).count();
        }
        drawn
    };
    let (with, without, over) = (count(3, 0.2), count(3, 0.0), count(2, 0.2));
    assert!(with as f64 > without as f64 * 1.5, "{with} {without}");
    assert_eq!(over, without, "a theme of another cycle is none");
}

#[test]
fn the_latest_come_up_while_the_gate_is_open_and_the_weighty_after() {
    let mut all = lived(200);
    for (episode, marks) in &mut all {
        // Old and routine is out of reach unless it fades; old and critical is not.
        episode.importance = if episode.id.0 == 5 { Importance::Critical } else { Importance::Routine };
        marks.strength = if [20, 90, 91].contains(&episode.id.0) { 0.5 } else { 1.0 };
    }
    let told: Vec<(&Episode, &Marks)> = all.iter().map(|(e, m)| (e, m)).collect();
    let material =
        OnsetMaterial { episodes: &told, mood: None, theme: None, cycle: 3, tick: 0, at: Timestamp(0), alarm: None };
    let params = OnsetParams::default();
    let pool = DayResidue::of(&material, None, &params, |_, _| 0.0);
    assert_eq!(pool.all.len(), 48 + 1 + 6);
    let before: Vec<u64> = pool.all.iter().map(|r| r.episode.id.0).filter(|id| *id <= 152).collect();
    assert_eq!(before, [5, 20, 90, 91, 1, 2, 3], "the weighty one, the least firm, then the oldest");
    let mean = |gate| {
        let ids = (0..1_000).map(|i| pool.draw(&[], gate, 1.0, f64::from(i) / 1_000.0).unwrap().episode.id.0);
        ids.filter(|id| *id >= 190).count()
    };
    assert!(mean(ThalamicGate::OPEN) > 2 * mean(ThalamicGate::closing(3, 4)));
    let hot = |heat| {
        let drawn =
            (0..1_000).map(|i| pool.draw(&[], ThalamicGate::closing(3, 4), heat, f64::from(i) / 1_000.0).unwrap());
        drawn.filter(|r| r.episode.id.0 == 5).count()
    };
    assert!(hot(0.9) > hot(1.5), "heat lets everything come up");
}

#[test]
fn like_moods_come_up_together() {
    let mut all = lived(20);
    all[3].0.affect = Some([-0.9, 0.5, 0.0]);
    let told: Vec<(&Episode, &Marks)> = all.iter().map(|(e, m)| (e, m)).collect();
    let mood = Some([-0.9, 0.5, 0.0]);
    let material =
        OnsetMaterial { episodes: &told, mood, theme: None, cycle: 3, tick: 0, at: Timestamp(0), alarm: None };
    let pool = DayResidue::of(&material, None, &OnsetParams::default(), |_, _| 0.0);
    let best = pool.all.iter().max_by(|a, b| a.inner.total_cmp(&b.inner)).unwrap();
    assert_eq!(best.episode.id, EpisodeId(4));
    assert!((cosine(mood, mood) - 1.0).abs() < 1e-6);
    assert!(cosine(mood, None).abs() < 1e-9 && cosine(Some([f32::NAN; 3]), mood).abs() < 1e-9);
}

#[test]
fn what_a_fragment_claims_is_the_weather_of_one_and_the_outcome_of_another() {
    let out = asleep(&lived(40), &OnsetParams { dali_cycles: 3, ..Default::default() }, |_| (), 0.0);
    let claims: Vec<&Claim> = out.fragments.iter().filter_map(|f| f.claim.as_ref()).collect();
    assert!(!claims.is_empty());
    for claim in claims {
        assert!(claim.when.starts_with("market.regime == ") && claim.then.starts_with("market.return_90 "));
        assert_eq!(claim.after_ticks, 90);
    }
    assert!(out.fragments[0].content.starts_with("In "));
}

#[test]
fn the_summary_tells_the_way_down() {
    let told = |nearest| asleep(&lived(40), &OnsetParams::default(), |_| (), nearest).summary();
    let (new, known) = (told(0.0), told(1.0));
    assert_eq!((new.rounds, new.fragments, new.kept, new.depth), (1, 4, 4, Some(HoriStage::Peak)));
    assert_eq!((known.rounds, known.fragments, known.kept), (1, 4, 0));
    let out = asleep(&lived(40), &OnsetParams::default(), |_| (), 0.0);
    let text = serde_json::to_string(&out).unwrap();
    assert_eq!(serde_json::from_str::<OnsetOutcome>(&text).unwrap(), out);
}

proptest! {
    #[test]
    fn nothing_breaks_it(n in 0u64..30, tick in any::<u64>(), nearest in any::<f32>(), affect in any::<[f32; 3]>()) {
        let mut all = lived(n);
        if let Some((episode, _)) = all.first_mut() {
            episode.affect = Some(affect);
            episode.situation.0 = [affect[0]; 24];
        }
        let out = asleep(&all, &OnsetParams::default(), |m| (m.tick, m.mood) = (tick, Some(affect)), nearest);
        prop_assert!(out.fragments.len() <= 4);
        for fragment in &out.fragments {
            prop_assert!((0.10..=0.20).contains(&fragment.confidence));
            prop_assert!(fragment.emotional_tone.is_finite() && fragment.semantic_distance.is_finite());
        }
        let again = asleep(&all, &OnsetParams::default(), |m| (m.tick, m.mood) = (tick, Some(affect)), nearest);
        prop_assert_eq!(&out, &again);
    }
}
