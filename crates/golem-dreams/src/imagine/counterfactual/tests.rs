//! Other ways to have acted.

use super::*;
use crate::imagine::samples::{acted, at, buy, gained, watched};
use golem_core::door::{ForkActed, ForkFailure};
use golem_core::intent::{Outcome, Refusal};
use golem_core::{Point, Usdc};
use proptest::prelude::*;

type TestLife = Vec<(Episode, Marks)>;

fn planned(lived: &TestLife, depth: u32, most_runs: usize, cycle: u64, now: u64) -> CounterfactualPlan {
    let params = ImaginationParams::default();
    let told: Vec<(&Episode, &Marks)> = lived.iter().map(|(e, m)| (e, m)).collect();
    let moment = CounterfactualMoment { cycle, now: at(now), attention: None };
    CounterfactualPlan::of(&told, &RegretBook::default(), &params, (depth, most_runs), &moment)
}

fn episodes_of(plan: &CounterfactualPlan) -> Vec<u64> {
    let mut all: Vec<u64> = plan.tried.iter().map(|t| t.episode.0).collect();
    all.dedup();
    all
}

#[test]
fn own_acts_come_first_then_parameters_then_the_latest_then_alternatives() {
    let range = Regime::RangeBound;
    let mut on_paper = acted(5, 500, range, buy());
    on_paper.0.deed.as_mut().unwrap().on_paper = true;
    let add = Intent::Add { pay: Usdc(5), give: golem_core::Asset(5), width_bps: 100, tolerance_bps: 5 };
    let mut twin = acted(4, 300, range, add);
    twin.0.age = at(300);
    let lived = vec![
        acted(1, 100, range, buy()),
        acted(2, 200, range, Intent::Collect),
        acted(3, 300, range, buy()),
        twin,
        on_paper,
        watched(6, 600, range),
    ];
    // 3 and 4 are of the same moment, and 4 has widths besides.
    assert_eq!(episodes_of(&planned(&lived, 1, 100, 0, 1_000)), [4, 3, 1, 2, 5]);
}

#[test]
fn the_acts_of_a_trade_in_danger_come_first() {
    let mut lived: TestLife = (1..5).map(|n| acted(n, 100 * n, Regime::Volatile, buy())).collect();
    for (at, trade) in [(0, 1), (1, 2), (2, 3), (3, 3)] {
        lived[at].0.deed.as_mut().unwrap().trade = trade;
    }
    lived[2].0.deed.as_mut().unwrap().on_paper = true;
    let order = |attention| {
        let params = ImaginationParams::default();
        let told: Vec<(&Episode, &Marks)> = lived.iter().map(|(e, m)| (e, m)).collect();
        let moment = CounterfactualMoment { cycle: 0, now: at(1_000), attention };
        episodes_of(&CounterfactualPlan::of(&told, &RegretBook::default(), &params, (1, 100), &moment))
    };
    assert_eq!(order(None), [4, 2, 1, 3]);
    assert_eq!(order(Some(2)), [2, 4, 1, 3]);
    assert_eq!(order(Some(3)), [4, 2, 1, 3], "what was done on paper is in no danger");
}

#[test]
fn what_was_done_is_run_once_beside_what_could_have_been() {
    let lived = vec![acted(1, 100, Regime::RangeBound, buy())];
    let plan = planned(&lived, 2, 8, 0, 1_000);
    assert_eq!((plan.runs.len(), plan.tried.len()), (3, 2));
    assert_eq!(plan.runs[0].acts, [once(0, buy())], "nobody knows that it was carried out");
    assert_eq!(plan.runs[1].acts, []);
    let mut done = lived.clone();
    done[0].0.deed.as_mut().unwrap().outcome =
        Some(Outcome::Bought { paid: Usdc(1_000_000), got: golem_core::Asset(5) });
    let plan = planned(&done, 2, 8, 0, 1_000);
    assert_eq!(plan.runs[0].acts, [ForkAct { after: 0, what: ForkDeed::AsLived }], "the very actions");
    done[0].0.deed.as_mut().unwrap().on_paper = true;
    assert_eq!(planned(&done, 2, 8, 0, 1_000).runs[0].acts, [once(0, buy())]);
    assert_eq!(plan.tried[0].finding.2, Alternative::NotAtAll);
    for (run, tried) in plan.runs.iter().zip([0, 0, 1]) {
        assert_eq!((run.from, run.steps), (ForkFrom::Lived(Point { block: 100, index: 0 }), 90));
        assert!(run.is_sound() && plan.tried[tried].did == 0);
    }
    // The lived path bounds the horizon, and too short a path says nothing.
    assert!(planned(&lived, 2, 8, 0, 140).runs.iter().all(|run| run.steps == 40));
    assert_eq!(planned(&lived, 2, 8, 0, 115).runs[0].steps, 15);
    let young = planned(&lived, 2, 8, 0, 114);
    assert!(young.runs.is_empty() && young.skipped[0].contains("too young"));
}

#[test]
fn depth_and_runs_are_ceilings() {
    let lived: TestLife = (0..20).map(|i| acted(i + 1, 100 * i, Regime::Volatile, buy())).collect();
    for (depth, most, runs, tried) in
        [(2, 8, 8, 5), (1, 8, 8, 4), (3, 8, 8, 6), (0, 8, 0, 0), (2, 1, 0, 0), (9, 3, 3, 2)]
    {
        let plan = planned(&lived, depth, most, 0, 5_000);
        assert_eq!((plan.runs.len(), plan.tried.len()), (runs, tried), "depth {depth}, runs {most}");
    }
}

#[test]
fn alternatives_take_turns_and_holding_is_always_among_two() {
    let lived = vec![acted(1, 50, Regime::Volatile, buy()), acted(2, 100, Regime::Volatile, buy())];
    let mut seen = std::collections::BTreeSet::new();
    for cycle in 0..10 {
        let tried = planned(&lived, 2, 8, cycle, 1_000).tried;
        let of_last: Vec<Alternative> = tried.iter().filter(|t| t.episode.0 == 2).map(|t| t.finding.2).collect();
        assert_eq!((of_last[0], of_last.len()), (Alternative::NotAtAll, 2));
        seen.extend(of_last);
    }
    use Alternative as A;
    // What it came to is not known, so there is no opposite; a swap has no width.
    assert_eq!(seen.into_iter().collect::<Vec<_>>(), [A::NotAtAll, A::Smaller, A::Larger, A::Later, A::Earlier]);
    let alone: std::collections::BTreeSet<A> =
        (0..10).flat_map(|cycle| planned(&lived, 1, 2, cycle, 1_000).tried).map(|t| t.finding.2).collect();
    assert_eq!(alone.len(), 5, "with one place, holding takes turns too");
}

#[test]
fn earlier_begins_at_the_act_before() {
    let lived = vec![acted(1, 60, Regime::Volatile, Intent::Collect), acted(2, 100, Regime::Volatile, buy())];
    let plan = planned(&lived, 9, 40, 0, 1_000);
    let tried = plan.tried.iter().find(|t| t.episode.0 == 2 && t.finding.2 == Alternative::Earlier).unwrap();
    let (did, instead) = (&plan.runs[tried.did], &plan.runs[tried.instead]);
    for (run, after) in [(did, 40), (instead, 20)] {
        assert_eq!((run.from, run.steps), (ForkFrom::Lived(Point { block: 60, index: 0 }), 130));
        let bare = Intent::Buy { pay: Usdc(1_000_000), min_out: golem_core::Asset(0) };
        assert_eq!(run.acts, [once(0, Intent::Collect), once(after, bare)]);
    }
    let reasons = |lived: &TestLife| planned(lived, 9, 40, 0, 9_000).skipped.join("; ");
    assert!(reasons(&vec![acted(1, 60, Regime::Volatile, buy())]).contains("no earlier point"));
    assert!(
        reasons(&vec![acted(1, 99, Regime::Volatile, buy()), acted(2, 100, Regime::Volatile, buy())])
            .contains("just before")
    );
    assert!(
        reasons(&vec![acted(1, 0, Regime::Volatile, buy()), acted(2, 2_100, Regime::Volatile, buy())])
            .contains("too long ago")
    );
    let mut same = vec![acted(1, 60, Regime::Volatile, buy()), acted(2, 100, Regime::Volatile, buy())];
    same[1].0.deed.as_mut().unwrap().point = Point { block: 60, index: 0 };
    assert!(reasons(&same).contains("same point"));
}

#[test]
fn later_needs_a_path_to_be_later_on() {
    let lived = vec![acted(1, 100, Regime::Volatile, buy())];
    let later = |now| {
        let plan = planned(&lived, 9, 40, 0, now);
        let at = plan.tried.iter().find(|t| t.finding.2 == Alternative::Later).map(|t| t.instead);
        at.map(|at| plan.runs[at].acts[0].after)
    };
    assert_eq!((later(1_000), later(115), later(116)), (Some(15), None, Some(15)));
}

#[test]
fn results_become_findings_and_regrets() {
    let lived = vec![acted(1, 100, Regime::Volatile, buy())];
    let plan = planned(&lived, 3, 8, 0, 1_000);
    let (findings, silent) = plan.read(&[gained(-30, 90), gained(0, 90), gained(-50, 90), Err(ForkFailure::Stuck)]);
    let said: Vec<(Alternative, i64)> =
        findings.iter().map(|f| (f.alternative, libm::round(f.better_bps) as i64)).collect();
    assert_eq!(said, [(Alternative::NotAtAll, 30), (Alternative::Smaller, -20)]);
    assert_eq!((findings[0].action.as_str(), findings[0].regime), ("buy", Regime::Volatile));
    assert_eq!(silent.len(), 1);
    assert_eq!(regrets(&findings).into_iter().collect::<Vec<_>>(), [(EpisodeId(1), 30.0)]);
    assert_eq!(regrets(&findings[1..])[&EpisodeId(1)].to_bits(), 0f32.to_bits());
    // What was refused is no result, and neither is what ran over another path.
    let Ok(mut refused) = gained(0, 90) else { unreachable!() };
    refused.acted = vec![ForkActed { outcome: Outcome::Refused { why: Refusal::Funds }, gas: Usdc(0), times: 0 }];
    let (findings, silent) = plan.read(&[gained(0, 90), Ok(refused), gained(9, 89)]);
    assert_eq!((findings.len(), silent.len()), (0, 3));
}

#[test]
fn what_is_known_is_not_run_again() {
    let lived = [acted(1, 100, Regime::Volatile, buy())];
    let told: Vec<(&Episode, &Marks)> = lived.iter().map(|(e, m)| (e, m)).collect();
    let (params, mut book) = (ImaginationParams::default(), RegretBook::default());
    let mut tried = Vec::new();
    for cycle in 0..6 {
        let plan = CounterfactualPlan::of(
            &told,
            &book,
            &params,
            (2, 8),
            &CounterfactualMoment { cycle, now: at(1_000), attention: None },
        );
        tried.extend(plan.tried.iter().map(|t| t.finding.2));
        let results: Vec<ForkResult> = plan.runs.iter().map(|run| gained(1, run.steps)).collect();
        book.learn(plan.read(&results).0);
    }
    let all = tried.len();
    tried.sort();
    tried.dedup();
    assert_eq!((tried.len(), all), (4, 4));
}

proptest! {
    #[test]
    fn every_plan_is_sound(
        ticks in prop::collection::vec(0u64..5_000, 0..12), depth in 0u32..12, most in 0usize..40,
        cycle in any::<u64>(), now in 0u64..9_000,
    ) {
        let mut ticks = ticks;
        ticks.sort_unstable();
        let lived: TestLife = ticks.iter().zip(1..).map(|(t, id)| acted(id, *t, Regime::Volatile, buy())).collect();
        let plan = planned(&lived, depth, most, cycle, now);
        prop_assert!(plan.runs.len() <= most);
        prop_assert!(plan.runs.iter().all(ForkRun::is_sound));
        // No copy sees beyond the present.
        for run in &plan.runs {
            let ForkFrom::Lived(point) = run.from else { panic!("not lived") };
            prop_assert!(point.block + u64::from(run.steps) <= now);
        }
        for tried in &plan.tried {
            prop_assert!(tried.did < plan.runs.len() && tried.instead < plan.runs.len() && tried.did != tried.instead);
        }
    }
}
