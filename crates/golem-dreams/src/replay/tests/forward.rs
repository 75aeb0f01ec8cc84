//! What to do next.

use super::super::forward::{ask, respond, take};
use super::super::kit::{act, bought, on_axis};
use super::{ReplayStage, pairs};
use golem_core::door::{ForkDeed, ForkFailure, ForkFrom, ForkRan};
use golem_core::happening::{Happening, ScenarioEvent};
use golem_core::{Asset, Intent, Usdc};
use golem_grimoire::episode::EpisodeDeed;
use golem_grimoire::{Episode, Marks, Situation};

fn done(id: u64, intent: Intent, situation: Situation, bps: f32) -> (Episode, Marks) {
    let deed = Some(EpisodeDeed { intent, ..bought() });
    (Episode { deed, situation, ..act(id, 1, 0) }, Marks { outcome_bps: Some(bps), ..Marks::default() })
}

fn sell() -> Intent {
    Intent::Sell { give: Asset(5), min_out: Usdc(9) }
}

fn here() -> ReplayStage {
    ReplayStage { situation: on_axis(4, 1.0), ..ReplayStage::default() }
}

/// Three sales that paid and three purchases that did not, where it stands; three purchases that paid, elsewhere.
fn past() -> Vec<(Episode, Marks)> {
    let (buy, near, far) = (bought().intent, on_axis(4, 2.0), on_axis(4, -2.0));
    let acts = (1..=3).map(|id| done(id, sell(), near, 4.0)).chain((4..=6).map(|id| done(id, buy, near, -4.0)));
    acts.chain((7..=9).map(|id| done(id, buy, far, 90.0))).collect()
}

#[test]
fn what_paid_where_things_stood_alike() {
    let past = past();
    let best = respond(&here().scene(), &pairs(&past), true).unwrap();
    assert_eq!((best.action, best.intent), ("sell", Some(sell())));
    assert!((best.expected_bps - 4.0).abs() < 1e-9);
    assert_eq!(best.episodes.iter().map(|id| id.0).collect::<Vec<_>>(), [3, 2, 1]);
    assert_eq!(respond(&here().scene(), &pairs(&past), false), None, "who holds nothing plans nothing");
    let twice = respond(&here().scene(), &pairs(&past[1..]), true).unwrap();
    assert_eq!(twice.action, "buy", "done twice is not enough to go by");
    assert_eq!(respond(&here().scene(), &[], true), None);
}

#[test]
fn the_more_alike_the_more_it_counts() {
    let mut slanted = on_axis(4, 1.0);
    slanted.0[5] = 3f32.sqrt();
    let acts: Vec<_> = [on_axis(4, 1.0), on_axis(4, 2.0), slanted].into_iter().zip([6.0, 6.0, -9.0]).zip(1..).collect();
    let acts: Vec<_> = acts.into_iter().map(|((s, bps), id)| done(id, sell(), s, bps)).collect();
    let got = respond(&here().scene(), &pairs(&acts), true).unwrap().expected_bps;
    assert!((got - (6.0 + 6.0 - 0.5 * 9.0) / 2.5).abs() < 1e-6, "{got}");
}

#[test]
fn only_the_twenty_most_alike_have_a_say() {
    let mut wide = on_axis(4, 1.0);
    wide.0[5] = 0.5;
    let close = (1..=20).map(|id| done(id, sell(), on_axis(4, 1.0), 1.0));
    let all: Vec<_> = close.chain((21..=30).map(|id| done(id, bought().intent, wide, 50.0))).collect();
    assert_eq!(respond(&here().scene(), &pairs(&all), true).unwrap().action, "sell");
    assert_eq!(respond(&here().scene(), &pairs(&all[1..]), true).unwrap().action, "sell", "one does not count");
    assert_eq!(respond(&here().scene(), &pairs(&all[3..]), true).unwrap().action, "buy");
}

#[test]
fn paper_and_the_unknown_have_none() {
    let mut past: Vec<_> = past().into_iter().take(3).collect();
    past[0].0.deed.as_mut().unwrap().on_paper = true;
    assert_eq!(respond(&here().scene(), &pairs(&past), true), None);
    past[0].0.deed.as_mut().unwrap().on_paper = false;
    for unknown in [None, Some(f32::NAN), Some(f32::INFINITY)] {
        past[1].1.outcome_bps = unknown;
        assert_eq!(respond(&here().scene(), &pairs(&past), true), None);
    }
}

#[test]
fn it_is_tried_against_doing_nothing() {
    let past = past();
    let best = respond(&here().scene(), &pairs(&past), true).unwrap();
    let weather = [ScenarioEvent { at_tick: 0, for_ticks: 20, what: Happening::Drift { bps_per_day: -300 } }];
    let runs = ask(&best, &weather, 20);
    assert!(runs.iter().all(|r| r.is_sound() && r.from == ForkFrom::Present && r.weather == weather && r.steps == 20));
    let acts: Vec<Vec<ForkDeed>> = runs.iter().map(|r| r.acts.iter().map(|a| a.what).collect()).collect();
    // Another day's bounds are not today's.
    assert_eq!(acts, [vec![], vec![ForkDeed::Once(Intent::Sell { give: Asset(5), min_out: Usdc::ZERO })]]);
    let ran = |after| {
        let (before, lowest, prices) = (Usdc(1_000_000), Usdc(0), [1.0, 1.0]);
        Ok(ForkRan { acted: Vec::new(), before, after: Usdc(after), lowest, prices, steps: 20 })
    };
    assert!((take(&[ran(990_000), ran(995_000)]).unwrap() - 50.0).abs() < 1e-9);
    assert_eq!(take(&[ran(1), Err(ForkFailure::Stuck)]), None);
    assert_eq!(take(&[]), None);
    let holds: Vec<_> = (1..=3).map(|id| done(id, Intent::Hold, on_axis(4, 1.0), 1.0)).collect();
    let hold = respond(&here().scene(), &pairs(&holds), true).unwrap();
    assert_eq!((hold.intent, ask(&hold, &weather, 20)), (None, Vec::new()));
}
