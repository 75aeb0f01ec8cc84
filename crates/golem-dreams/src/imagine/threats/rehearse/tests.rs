//! Threats on copies.

use super::*;
use crate::imagine::catalogue::{THREATS, threat};
use crate::imagine::samples::gained;
use golem_core::door::{ForkActed, ForkFailure};
use golem_core::happening::Happening;
use golem_core::intent::{Outcome, Refusal};
use golem_grimoire::RuleAction;
use proptest::prelude::*;

fn held() -> Holdings {
    Holdings { asset: Asset(10), liquidity: 5, ..Holdings::default() }
}

fn plan_of(card: &'static ThreatCard, holdings: &Holdings, exposure: f64) -> ThreatPlan {
    ThreatPlan::of(card, card.weather, holdings, exposure)
}

#[test]
fn a_threat_is_lived_through_once_for_each_response() {
    let card = threat("flash_crash").unwrap();
    let plan = plan_of(card, &held(), 1.0);
    assert_eq!(plan.responses, ThreatResponse::ALL);
    for run in &plan.runs {
        assert_eq!((run.from, run.steps, run.weather.as_slice()), (ForkFrom::Present, 125, card.weather));
        assert!(run.is_sound());
    }
    assert_eq!(plan.runs[0].acts, []);
    let unwind = |after| vec![ForkAct { after, what: ForkDeed::Unwind }];
    // A quarter over ten steps from step 2 on: 2 % down after one step, 5 % after two, all in logarithms.
    assert_eq!((&plan.runs[1].acts, &plan.runs[2].acts, &plan.runs[3].acts), (&unwind(3), &unwind(4), &unwind(4)));
    let half = ForkDeed::Once(Intent::Remove { share_bps: 5_000, tolerance_bps: 10_000 });
    let sold = ForkDeed::Once(Intent::Sell { give: Asset(5), min_out: Usdc(0) });
    assert_eq!(plan.runs[4].acts, [half, sold].map(|what| ForkAct { after: 3, what }));
    // Who has less at risk loses as much later.
    let less = plan_of(card, &held(), 0.3);
    assert_eq!((&less.runs[2].acts, &less.runs[3].acts), (&unwind(5), &unwind(9)));
}

/// Whoever is to answer a fall must see it: the exit is at the step at which the card's trigger holds, and where it never does
/// there is none.
#[test]
fn an_exit_is_rehearsed_when_the_threat_shows() {
    let card = threat("flash_crash").unwrap();
    let fall = |bps: i32, over_ticks: u64| ScenarioEvent {
        at_tick: 2,
        for_ticks: over_ticks,
        what: Happening::Shock { bps, over_ticks, reverts: false },
    };
    // Three per cent within fifteen steps are its trigger.
    for (bps, over, noticed) in [(-2_500, 10, Some(3)), (-2_500, 50, Some(7)), (-1_000, 40, Some(13)), (-750, 50, None)]
    {
        assert_eq!(card.noticed(&[fall(bps, over)]), noticed, "{bps} over {over}");
        let plan = ThreatPlan::of(card, &[fall(bps, over)], &held(), 1.0);
        let once = plan.responses.iter().position(|r| *r == ThreatResponse::UnwindAtOnce);
        assert_eq!(once.map(|n| plan.runs[n].acts[0].after), noticed);
    }
}

#[test]
fn a_response_that_cannot_be_is_left_out_with_its_reason() {
    let crash = threat("flash_crash").unwrap();
    let nothing = plan_of(crash, &Holdings::default(), 0.0);
    assert_eq!((nothing.responses.len(), nothing.skipped.len()), (1, 4));
    let small = plan_of(crash, &held(), 0.1);
    assert!(small.skipped.iter().any(|why| why.contains("5 %") && why.contains("not reached")));
    let mut asset = held();
    asset.liquidity = 0;
    assert_eq!(plan_of(crash, &asset, 1.0).runs[4].acts.len(), 1);
    let odd = plan_of(threat("gas_war").unwrap(), &held(), f64::NAN);
    assert_eq!(odd.responses.len(), 3);
}

#[test]
fn the_response_that_lost_least_is_best_and_nothing_is_done_for_nothing() {
    let plan = plan_of(threat("flash_crash").unwrap(), &held(), 1.0);
    let results = [-900, -120, -250, -300, -500].map(|bps| gained(bps, 125));
    let simulation = plan.read(&results, &[]).unwrap();
    assert_eq!(simulation.best.response, ThreatResponse::UnwindAtOnce);
    assert!((simulation.loss_bps() - 900.0).abs() < 1e-9 && (simulation.saves_bps() - 780.0).abs() < 1e-9);
    let told = simulation.told();
    assert_eq!((told.threat_id.as_str(), told.tier, told.best_response.as_str()), ("flash_crash", 1, "unwind at once"));
    assert!((told.best_loss_bps - 120.0).abs() < 1e-9);
    assert_eq!(
        (told.coverage, told.gaps),
        (ThreatCoverage::Uncovered, vec![format!("no rule speaks when {}", plan.card.trigger)])
    );
    // Of many rules that come too late some are named.
    let late = |n: u32| (format!("market.return_15 < -0.{}", 50 + n), RuleAction::StandAside);
    let weak = plan.read(&results, &(0..9).map(late).collect::<Vec<_>>()).unwrap().told();
    assert_eq!((weak.coverage, weak.gaps.len()), (ThreatCoverage::Weak, MOST_GAPS));
    assert!(weak.gaps[0].ends_with("would answer and speaks too late"), "{:?}", weak.gaps);
    let covered = plan.read(&results, &[(plan.card.trigger.to_owned(), RuleAction::StandAside)]).unwrap().told();
    assert_eq!((covered.coverage, covered.gaps), (ThreatCoverage::Covered, Vec::new()));
    let equal = plan.read(&[-5, -5, -5, -5, -5].map(|bps| gained(bps, 125)), &[]).unwrap();
    assert_eq!(equal.best.response, ThreatResponse::DoNothing);
}

#[test]
fn failed_and_refused_responses_do_not_count() {
    let plan = plan_of(threat("flash_crash").unwrap(), &held(), 1.0);
    let Ok(mut refused) = gained(0, 125) else { unreachable!() };
    refused.acted = vec![ForkActed { outcome: Outcome::Refused { why: Refusal::NoMarket }, gas: Usdc(0), times: 0 }];
    let results = [gained(-900, 125), Ok(refused), Err(ForkFailure::Stuck), gained(-300, 125)];
    let simulation = plan.read(&results, &[]).unwrap();
    assert_eq!((simulation.rehearsed.len(), simulation.best.response), (2, ThreatResponse::UnwindAtLoss { bps: 500 }));
    assert_eq!(plan.read(&[Err(ForkFailure::NoChain), gained(-1, 125)], &[]), None);
    assert_eq!(plan.read(&[], &[]), None);
    // A plan waits in the golem's file for its results.
    let text = serde_json::to_string(&(&plan, &simulation)).unwrap();
    assert_eq!(serde_json::from_str::<(ThreatPlan, ThreatSimulation)>(&text).unwrap(), (plan, simulation));
    assert!(serde_json::from_str::<ThreatPlan>(&text.replace("flash_crash", "boredom")).is_err());
}

#[test]
fn responses_have_names_for_people() {
    let names: Vec<String> = ThreatResponse::ALL.iter().map(ToString::to_string).collect();
    let known = ["do nothing", "unwind at once", "unwind at a loss of 2 %", "unwind at a loss of 5 %", "halve"];
    assert_eq!(names, known);
}

proptest! {
    #[test]
    fn every_plan_is_sound(
        which in 0usize..15, asset in any::<u128>(), liquidity in any::<u128>(), exposure in any::<f64>(),
    ) {
        let holdings = Holdings { asset: Asset(asset), liquidity, ..Holdings::default() };
        let plan = plan_of(&THREATS[which], &holdings, exposure);
        prop_assert!(plan.runs.iter().all(ForkRun::is_sound));
        prop_assert_eq!(plan.responses.len() + plan.skipped.len(), 5);
        // Whatever is rehearsed takes risk away.
        for act in plan.runs.iter().flat_map(|run| &run.acts) {
            let reduces = match act.what {
                ForkDeed::Once(intent) => intent.only_reduces(),
                ForkDeed::Unwind => true,
                _ => false,
            };
            prop_assert!(reduces);
        }
    }
}
