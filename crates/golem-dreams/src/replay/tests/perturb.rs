//! What is run again with something gone wrong.

use super::super::kit::{act, bought};
use super::super::perturb::{PerturbPlan, Perturbation, ask, take};
use super::super::rules::ReplayRules;
use super::super::select::{ChosenEpisode, ChosenFor};
use super::super::utility::WeighedEpisode;
use super::ReplayStage;
use golem_core::door::{ForkActed, ForkDeed, ForkFailure, ForkFrom, ForkRan, ForkResult};
use golem_core::happening::Happening;
use golem_core::intent::{Outcome, Refusal};
use golem_core::{Intent, Point, Tick, Usdc};
use golem_grimoire::episode::EpisodeDeed;
use golem_grimoire::{Episode, EpisodeId, Marks};
use std::collections::BTreeMap;

fn chosen<'a>(of: &'a [Episode], marks: &'a Marks) -> Vec<ChosenEpisode<'a>> {
    let one = |episode| WeighedEpisode { episode, marks, gain: 1.0, need: 1.0, utility: 1.0, confusion: 0.0 };
    of.iter().map(|e| ChosenEpisode { of: one(e), why: ChosenFor::Order }).collect()
}

/// One run with each kind of change, of this deed.
fn every_kind(deed: &EpisodeDeed) -> BTreeMap<Perturbation, [golem_core::door::ForkRun; 2]> {
    let mut stage = ReplayStage::default();
    stage.rules.perturbation_rate = 1.0;
    let (episodes, marks) = ([Episode { deed: Some(deed.clone()), ..act(1, 1, 0) }], Marks::default());
    let mut out = BTreeMap::new();
    for tick in 0..200 {
        stage.seen.tick = Tick(tick);
        let asked = ask(&stage.scene(), &chosen(&episodes, &marks));
        assert_eq!((asked.plans.len(), asked.runs.len()), (1, 2));
        out.insert(asked.plans[0].what, [asked.runs[0].clone(), asked.runs[1].clone()]);
    }
    out
}

#[test]
fn each_change_is_run_beside_the_act_as_it_was() {
    let runs = every_kind(&bought());
    assert_eq!(runs.keys().copied().collect::<Vec<_>>(), Perturbation::ALL, "dice know every kind");
    for (what, [plain, changed]) in &runs {
        for run in [plain, changed] {
            assert!(run.is_sound(), "{what:?}");
            assert_eq!((run.from, run.steps), (ForkFrom::Lived(Point { block: 9, index: 1 }), 90));
            // The very actions that were lived; what comes later is made anew.
            let deed = if run.acts[0].after == 0 { ForkDeed::AsLived } else { ForkDeed::Once(bought().intent) };
            assert_eq!(run.acts.iter().map(|a| a.what).collect::<Vec<_>>(), [deed]);
        }
        assert_eq!((plain.acts[0].after, plain.weather.len()), (0, 0));
        let weather: Vec<Happening> = changed.weather.iter().map(|e| e.what).collect();
        let (after, want) = match what {
            // 15 basis points become 50: front-run by (50 / 15 - 1) / 2 of its own size.
            Perturbation::Slippage => (0, vec![Happening::Sandwich { times: 7.0 / 6.0, every: 1 }]),
            Perturbation::Latency => (3, vec![]),
            Perturbation::Gas => (0, vec![Happening::Gas { factor: 5.0 }]),
            Perturbation::Dropout => (15, vec![]),
            Perturbation::Liquidity => (0, vec![Happening::LiquidityDrain { share_bps: 5_000 }]),
            Perturbation::Decorrelation => (0, vec![Happening::Volatility { factor: 0.0 }]),
        };
        assert_eq!(changed.acts[0].after, after, "{what:?}");
        match (&weather[..], &want[..]) {
            ([Happening::Sandwich { times, every }], [Happening::Sandwich { times: t, every: e }]) => {
                assert!((times - t).abs() < 1e-9 && every == e);
            }
            (got, want) => assert_eq!(got, want, "{what:?}"),
        }
        assert!(changed.weather.iter().all(|e| e.at_tick == 0 && e.for_ticks > 90), "{what:?}");
    }
}

#[test]
fn slippage_climbs_a_ladder_and_at_least_doubles() {
    let times = |said: Option<f64>, came: f64| {
        let deed = EpisodeDeed { predicted_bps: said, actual_bps: Some(came), ..bought() };
        let runs = every_kind(&deed);
        match runs[&Perturbation::Slippage][1].weather[0].what {
            Happening::Sandwich { times, .. } => times * 2.0 + 1.0,
            other => panic!("{other:?}"),
        }
    };
    // How far off it was, and what that is multiplied by: to 50, 100 or 200 basis points, and never by less than two.
    for (off, factor) in [
        (0.0, 50.0 / 15.0),
        (15.0, 50.0 / 15.0),
        (25.0, 2.0),
        (26.0, 100.0 / 26.0),
        (50.0, 2.0),
        (51.0, 200.0 / 51.0),
        (100.0, 2.0),
        (400.0, 2.0),
    ] {
        assert!((times(Some(-5.0), -5.0 - off) - factor).abs() < 1e-9, "{off}");
    }
    assert!((times(None, 3.0) - 50.0 / 15.0).abs() < 1e-9);
    assert!((times(Some(f64::NAN), 3.0) - 50.0 / 15.0).abs() < 1e-9);
    // Liquidity is not swapped: others trade in between.
    let intent = Intent::Add { pay: Usdc::whole(10), give: golem_core::Asset(1), width_bps: 500, tolerance_bps: 50 };
    let added = Outcome::Added { paid: Usdc::whole(10), gave: golem_core::Asset(1), liquidity: 3 };
    let rivals = |off: f64| {
        let (predicted_bps, actual_bps) = (Some(0.0), Some(off));
        let deed = EpisodeDeed { intent, outcome: Some(added), predicted_bps, actual_bps, ..bought() };
        every_kind(&deed)[&Perturbation::Slippage][1].weather[0].what
    };
    let size_usdc = Usdc::whole(10);
    for (off, trades) in [(0.0, 4), (30.0, 8), (60.0, 16)] {
        assert_eq!(rivals(off), Happening::Rivals { trades, size_usdc });
    }
}

#[test]
fn a_third_of_what_can_be_run_is_changed_each_by_its_own_dice() {
    let stage = ReplayStage::default();
    let marks = Marks::default();
    let all: Vec<Episode> = (1..=60).map(|id| act(id, 1, 0)).collect();
    let hit = |of: &[Episode]| ask(&stage.scene(), &chosen(of, &marks)).plans;
    let alone: Vec<PerturbPlan> = all.iter().flat_map(|e| hit(std::slice::from_ref(e))).collect();
    assert_eq!(hit(&all), alone, "who else is chosen changes nothing");
    let many: Vec<Episode> = (1..=2_000).map(|id| act(id, 1, 0)).collect();
    let share = many.iter().flat_map(|e| hit(std::slice::from_ref(e))).count() as f64 / 2_000.0;
    assert!((0.27..0.33).contains(&share), "{share}");
    assert!(ask(&stage.scene(), &chosen(&many, &marks)).runs.len() <= golem_core::door::MOST_FORK_RUNS);
}

#[test]
fn only_what_happened_on_a_chain_is_run_and_only_with_time_left() {
    let mut stage = ReplayStage::default();
    stage.rules.perturbation_rate = 1.0;
    let marks = Marks::default();
    let asks = |stage: &ReplayStage, deed: Option<EpisodeDeed>| {
        let one = [Episode { deed, ..act(1, 1, 0) }];
        ask(&stage.scene(), &chosen(&one, &marks)).plans.len()
    };
    assert_eq!(asks(&stage, Some(bought())), 1);
    let refused = Outcome::Refused { why: Refusal::Slippage };
    for deed in [
        None,
        Some(EpisodeDeed { on_paper: true, ..bought() }),
        Some(EpisodeDeed { intent: Intent::Hold, ..bought() }),
        Some(EpisodeDeed { point: Point::default(), ..bought() }),
        Some(EpisodeDeed { outcome: None, ..bought() }),
        Some(EpisodeDeed { outcome: Some(refused), ..bought() }),
    ] {
        assert_eq!(asks(&stage, deed.clone()), 0, "{deed:?}");
    }
    for (left, n) in [(Some(24.0), 1), (Some(23.9), 0), (None, 1)] {
        stage.seen.projected_life_h = left;
        assert_eq!(asks(&stage, Some(bought())), n, "{left:?}");
    }
    (stage.seen.projected_life_h, stage.rules.perturbation_rate) = (None, 0.0);
    assert_eq!(asks(&stage, Some(bought())), 0);
}

fn ran(after: u64, steps: u32) -> ForkRan {
    let (before, lowest) = (Usdc(1_000_000), Usdc(0));
    ForkRan { acted: Vec::new(), before, after: Usdc(after), lowest, prices: [1.0, 1.0], steps }
}

#[test]
fn fragile_is_more_than_ten_basis_points_worse() {
    let plan = PerturbPlan { episode: EpisodeId(1), what: Perturbation::Gas };
    let score = |plain: ForkResult, changed: ForkResult| take(&ReplayRules::default(), &[plan], &[plain, changed]);
    for (after, fragile, cost) in [(1_009_000, false, 10.0), (1_008_999, true, 10.01), (1_020_000, false, -100.0)] {
        let scored = score(Ok(ran(1_010_000, 90)), Ok(ran(after, 90)));
        assert_eq!((scored[0].plan, scored[0].fragile, scored[0].refused), (plan, fragile, false));
        assert!((scored[0].cost_bps - cost).abs() < 1e-9, "{after}");
    }
    let mut kept_back = ran(1_000_000, 90);
    let outcome = Outcome::Refused { why: Refusal::Slippage };
    kept_back.acted.push(ForkActed { outcome, gas: Usdc(5), times: 1 });
    assert!(score(Ok(ran(1_010_000, 90)), Ok(kept_back))[0].refused);
    let failed = || Err(ForkFailure::NoSuchPoint);
    for (plain, changed) in [
        (failed(), Ok(ran(1, 90))),
        (Ok(ran(1, 90)), failed()),
        (Ok(ran(1, 90)), Ok(ran(1, 89))),
        (Ok(ForkRan { before: Usdc::ZERO, ..ran(1, 90) }), Ok(ran(1, 90))),
    ] {
        assert_eq!(score(plain, changed), Vec::new());
    }
    assert_eq!(take(&ReplayRules::default(), &[plan], &[Ok(ran(1, 90))]), Vec::new(), "half an answer");
}
