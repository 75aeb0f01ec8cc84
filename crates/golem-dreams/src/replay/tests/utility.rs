//! What an episode is worth.

use super::super::kit::{HOUR, act, bought, on_axis, plain};
use super::super::utility::weigh;
use super::{ReplayStage, pairs};
use golem_core::{Regime, Usdc, UsdcDelta, VirtualTime};
use golem_grimoire::episode::EpisodeDeed;
use golem_grimoire::{Episode, Marks};
use proptest::prelude::*;

fn near(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-9
}

/// The gain, need and utility of the last of some episodes.
fn last(stage: &ReplayStage, all: &[(Episode, Marks)]) -> [f64; 3] {
    let weighed = weigh(&stage.scene(), &pairs(all));
    let w = weighed.last().unwrap();
    [w.gain, w.need, w.utility]
}

/// Everything about it is usual, it is now and in today's regime and situation.
fn usual() -> (Episode, Marks) {
    let deed = EpisodeDeed { realised: UsdcDelta(-100_000), ..bought() };
    let episode =
        Episode { surprise: 2.0, deed: Some(deed), regime: Regime::RangeBound, situation: on_axis(4, 2.0), ..plain(1) };
    (episode, Marks { regret_bps: Some(12.0), ..Marks::default() })
}

fn here() -> ReplayStage {
    ReplayStage { situation: on_axis(4, 1.0), ..ReplayStage::default() }
}

#[test]
fn gain_is_surprise_money_and_regret() {
    let stage = here();
    // What is usual counts a half of its weight.
    type Change<'a> = &'a dyn Fn(&mut (Episode, Marks));
    let table: [(&str, f64, Change<'_>); 5] = [
        ("all of it", 0.5, &|_| {}),
        ("without surprise", 0.3, &|x| x.0.surprise = 0.0),
        ("without money", 0.35, &|x| x.0.deed = None),
        ("without regret", 0.35, &|x| x.1.regret_bps = None),
        ("thrice as surprising", 0.3 + 0.4 * 0.75, &|x| x.0.surprise = 6.0),
    ];
    for (name, gain, change) in table {
        let mut all = vec![usual(), usual(), usual(), usual()];
        change(&mut all[3]);
        assert!(near(last(&stage, &all)[0], gain), "{name}: {}", last(&stage, &all)[0]);
    }
}

#[test]
fn money_is_told_as_a_share_of_what_changed_hands_or_of_wealth() {
    let gain = |deed: EpisodeDeed, outcome_bps| {
        let odd = (Episode { deed: Some(deed), surprise: 0.0, ..usual().0 }, Marks { outcome_bps, ..Marks::default() });
        last(&here(), &[usual(), usual(), usual(), odd])[0] / 0.3
    };
    let usual_deed = usual().0.deed.unwrap();
    // A loss of 1 % of ten USDC is the usual; a profit of 2 % counts two thirds.
    assert!(near(gain(EpisodeDeed { realised: UsdcDelta(200_000), ..usual_deed.clone() }, None), 2.0 / 3.0));
    // On twice as much it is usual again.
    let large = golem_core::intent::Outcome::Bought { paid: Usdc::whole(20), got: golem_core::Asset(1) };
    let large = EpisodeDeed { realised: UsdcDelta(200_000), outcome: Some(large), ..usual_deed.clone() };
    assert!(near(gain(large, None), 0.5));
    // Nothing realised: what came of it later, as a share of wealth.
    assert!(near(gain(EpisodeDeed { realised: UsdcDelta(0), ..usual_deed.clone() }, Some(-100.0)), 0.5));
    // Something realised on nothing is the whole of it.
    let free = golem_core::intent::Outcome::Bought { paid: Usdc::ZERO, got: golem_core::Asset(1) };
    assert!(near(gain(EpisodeDeed { outcome: Some(free), ..usual_deed }, None), 1.0 / 1.01));
}

#[test]
fn need_is_likeness_weather_and_recency() {
    let stage = here();
    type Change<'a> = &'a dyn Fn(&mut Episode);
    let table: [(&str, f64, Change<'_>); 6] = [
        ("here, now", 1.0, &|_| {}),
        ("unlike", 0.6, &|e| e.situation = on_axis(5, 2.0)),
        ("the opposite is as unlike as can be", 0.6, &|e| e.situation = on_axis(4, -2.0)),
        ("another weather", 0.79, &|e| e.regime = Regime::Volatile),
        ("a day ago", 0.85, &|e| e.age = VirtualTime(e.age.0 - 24 * HOUR)),
        ("two days ago", 0.775, &|e| e.age = VirtualTime(e.age.0 - 48 * HOUR)),
    ];
    for (name, need, change) in table {
        let mut one = usual();
        change(&mut one.0);
        let [gain, got, utility] = last(&stage, &[one]);
        assert!(near(got, need), "{name}: {got}");
        assert!(near(utility, gain * need), "{name}");
    }
}

#[test]
fn replays_wear_out_and_are_spaced() {
    let stage = here();
    let worth = |replays, hours_ago: Option<u64>| {
        let replayed = hours_ago.map(|h| VirtualTime(stage.seen.now.0 - h * HOUR));
        let marks = Marks { replays, replayed, ..usual().1 };
        last(&stage, &[(usual().0, marks)])[2]
    };
    assert!(near(worth(0, None), 0.5));
    assert!(near(worth(2, None), 0.5 * 0.85 * 0.85));
    assert!(near(worth(0, Some(0)), 0.25));
    assert!(near(worth(0, Some(6)), 0.375));
    assert!(near(worth(0, Some(12)), 0.4375));
}

#[test]
fn marks_and_deaths_raise_utility() {
    let mut stage = here();
    let marked = Marks { dream_priority: true, ..usual().1 };
    assert!(near(last(&stage, &[(usual().0, marked)])[2], 1.0));
    stage.known.bloodstains = vec![on_axis(9, 1.0)];
    assert!(near(last(&stage, &[usual()])[2], 0.5), "another death than this");
    stage.known.bloodstains.push(on_axis(4, 3.0));
    assert!(near(last(&stage, &[usual()])[2], 0.6));
}

#[test]
fn confusion_is_what_was_expected_against_what_came() {
    let said = |id, predicted, actual| {
        let deed = EpisodeDeed { predicted_bps: Some(predicted), actual_bps: Some(actual), ..bought() };
        (Episode { deed: Some(deed), surprise: 0.0, ..act(id, 1, 0) }, Marks::default())
    };
    let all = [said(1, 10.0, 9.0), said(2, 10.0, 12.0), said(3, -30.0, 10.0), (plain(4), Marks::default())];
    let lived = pairs(&all);
    let weighed = weigh(&here().scene(), &lived);
    let confusion: Vec<f64> = weighed.iter().map(|w| w.confusion).collect();
    // The usual mistake is 2: 1 / 3, 2 / 4, 40 / 42.
    for (got, want) in confusion.iter().zip([1.0 / 3.0, 0.5, 40.0 / 42.0, 0.0]) {
        assert!(near(*got, want), "{confusion:?}");
    }
}

fn any_episode() -> impl Strategy<Value = (Episode, Marks)> {
    let numbers = (prop::num::f32::ANY, prop::num::f32::ANY, prop::num::f32::ANY, prop::num::f32::ANY);
    let deed = (any::<i64>(), any::<u64>(), prop::num::f64::ANY, prop::num::f64::ANY, any::<bool>());
    (numbers, deed, any::<u64>(), any::<u32>(), any::<bool>()).prop_map(
        |((surprise, regret, outcome, axis), (realised, paid, said, came, acted), age, replays, dream_priority)| {
            let paid = golem_core::intent::Outcome::Bought { paid: Usdc(paid), got: golem_core::Asset(1) };
            let deed = EpisodeDeed {
                realised: UsdcDelta(realised),
                outcome: Some(paid),
                predicted_bps: Some(said),
                actual_bps: Some(came),
                ..bought()
            };
            let mut episode = Episode { surprise, deed: acted.then_some(deed), age: VirtualTime(age), ..plain(1) };
            episode.situation.0[3] = axis;
            let marks = Marks {
                regret_bps: Some(regret),
                outcome_bps: Some(outcome),
                replays,
                replayed: Some(VirtualTime(age)),
                dream_priority,
                ..Marks::default()
            };
            (episode, marks)
        },
    )
}

proptest! {
    #[test]
    fn whatever_was_lived_has_a_worth(all in prop::collection::vec(any_episode(), 0..20), axis in prop::num::f32::ANY) {
        let stage = ReplayStage { situation: on_axis(3, axis), ..ReplayStage::default() };
        for w in weigh(&stage.scene(), &pairs(&all)) {
            prop_assert!((0.0..=1.0).contains(&w.gain) && (0.0..=1.0).contains(&w.need), "{w:?}");
            prop_assert!((0.0..=2.4).contains(&w.utility) && (0.0..=1.0).contains(&w.confusion), "{w:?}");
        }
    }
}
