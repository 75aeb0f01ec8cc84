//! What children are: bounded, evenly born, judged on copies alone.

use super::*;
use crate::cycle::Tunable;
use crate::imagine::tuning::TunedBy;
use golem_core::door::{ForkActed, ForkDeed, ForkFailure, ForkFrom, ForkRan, ForkReply, ForkResult, MOST_FORK_ACTS};
use golem_core::intent::{Outcome, Refusal};
use golem_core::{Asset, Elapsed, Intent, Point, Tick, Usdc, VirtualTime};
use golem_grimoire::{EntryId, RuleAction};
use golem_mortality::micro_death::FailureMode::{self, *};
use golem_mortality::micro_death::MicroVerdict::{self, Failed, Indifferent, Survived};
use proptest::prelude::*;

fn ran(after: u64, lowest: u64, gas: u64, moved: f64, refused: bool) -> ForkResult {
    let outcome = if refused { Outcome::Refused { why: Refusal::Withheld } } else { Outcome::Held };
    Ok(ForkRan {
        acted: vec![ForkActed { outcome, gas: Usdc(gas), times: 1 }],
        before: Usdc(1_000_000_000),
        after: Usdc(after),
        lowest: Usdc(lowest),
        prices: [3_000.0, 3_000.0 * (1.0 + moved)],
        steps: 50,
    })
}

#[test]
fn each_way_to_end_has_its_verdict() {
    // The parent ends where it began: 1,000 USDC. A hundredth of a basis point is 1,000.
    let parent = |moved| ran(1_000_000_000, 999_900_000, 0, moved, false);
    let table: [(u64, u64, u64, f64, bool, MicroVerdict); 9] = [
        (1_000_005_001, 999_900_000, 0, 0.0, false, Survived),
        (1_000_005_000, 999_900_000, 0, 0.0, false, Indifferent),
        (999_995_000, 999_900_000, 0, 0.0, false, Indifferent),
        (999_994_999, 999_900_000, 5_001, 0.0, false, Failed(Costs)),
        (999_900_000, 999_900_000, 99_999, 0.0, false, Failed(Yield)),
        (999_900_000, 999_700_000, 0, 0.01, false, Failed(Drawdown)),
        (999_900_000, 999_850_000, 0, -0.01, false, Failed(Price)),
        (999_900_000, 999_850_000, 0, 0.0005, false, Failed(Yield)),
        (1_200_000_000, 999_900_000, 0, 0.0, true, Failed(FailureMode::Refused)),
    ];
    for (after, lowest, gas, moved, refused, want) in table {
        let verdict = verdict_on(&ran(after, lowest, gas, moved, refused), &parent(moved), 0.05);
        assert_eq!(verdict.micro(), Some(want), "{after} {lowest} {gas} {moved} {refused}");
    }
    let untested = PhageVerdict::Untested { because: UntestedBecause::NoCopy };
    assert_eq!(verdict_on(&Err(ForkFailure::NoSuchPoint), &parent(0.0), 0.05), untested);
    // A path that ended sooner cannot be compared.
    let short = parent(0.0).map(|r| ForkRan { steps: 49, ..r });
    assert_eq!(verdict_on(&short, &parent(0.0), 0.05), untested);
}

fn parameter(to: f64) -> PhageHypothesis {
    let by = TunedBy::Range { bps_per_unit: 100.0, share_bps: 8_000 };
    PhageHypothesis::Parameter { parameter: "lp_management.range_sigmas".into(), from: 6.0, to, by }
}

fn rule(n: u8) -> PhageHypothesis {
    PhageHypothesis::WithoutRule { entry: EntryId([n; 16]), text: "less risk ahead of a fall".into(), kept: None }
}

fn contrary() -> PhageHypothesis {
    PhageHypothesis::Contrary { did: vec![BUY] }
}

fn birth(turn: u64) -> PhageBirth {
    let point = Point { block: turn, index: 0 };
    PhageBirth { tick: Tick(turn), now: at(turn), point, has_position: true }
}

fn at(turn: u64) -> VirtualTime {
    VirtualTime(0).after(Elapsed::nominal(turn))
}

const BUY: Intent = Intent::Buy { pay: Usdc(5_000_000), min_out: Asset(1) };

fn nothing() -> ForkReply {
    ForkReply { request: golem_core::Hash::default(), runs: Vec::new() }
}

#[test]
fn a_child_lives_its_turns_and_is_run_beside_its_parent_from_where_they_parted() {
    let (mut colony, config) = (PhageColony::default(), PhageConfig::default());
    colony.bear(ChildKind::Phage, (parameter(3.0), 0.5), &birth(100), &config);
    for turn in 101..150 {
        colony.pass_turn();
        assert!(colony.ask(at(turn)).runs.is_empty() && colony.take(&nothing(), at(turn), &config).is_empty());
    }
    colony.pass_turn();
    let request = colony.ask(at(150));
    assert_eq!(request.runs.len(), 2);
    for run in &request.runs {
        assert!(run.is_sound() && run.weather.is_empty());
        assert_eq!((run.from, run.steps), (ForkFrom::Lived(Point { block: 100, index: 0 }), 50));
    }
    let widths: Vec<_> = request.runs.iter().map(|r| r.acts[1].what).collect();
    let range = |width_bps| ForkDeed::KeepRange { width_bps, share_bps: 8_000 };
    assert_eq!(widths, [range(300), range(600)], "the child's run comes first");
    let reply = ForkReply {
        request: request.hash(),
        runs: vec![ran(1_001_000_000, 0, 0, 0.0, false), ran(1_000_000_000, 0, 0, 0.0, false)],
    };
    let ends = colony.take(&reply, at(150), &config);
    assert_eq!(ends[0].verdict.micro(), Some(Survived));
    assert!((ends[0].belief - 0.9).abs() < 1e-12 && ends[0].surprise > 0.0 && colony.alive().is_empty());
    assert_eq!(
        colony.stats().counts,
        PhageCounts { born: 1, survived: 1, runs: 2, shadow_ticks: 100, ..Default::default() }
    );
    // What one has confirmed is what a replicant is sent for.
    let menu = PhageMenu(vec![(parameter(4.2), None), (parameter(3.0), None), (rule(1), Some(0.99))]);
    assert_eq!(colony.errand(&menu, at(160)).map(|(h, _)| h), Some(parameter(3.0)));
    colony.bear(ChildKind::Replicant, (parameter(3.0), 0.9), &birth(160), &config);
    (0..540).for_each(|_| colony.pass_turn());
    colony.take(&ForkReply { request: golem_core::Hash::default(), ..reply }, at(700), &config);
    assert_eq!(colony.errand(&menu, at(800)), None, "nobody is sent for the same again within a week");
    assert!(colony.errand(&menu, at(800 + 7 * 2_160)).is_some());
}

#[test]
fn one_decision_differs_and_what_follows_is_shared() {
    let (mut colony, config) = (PhageColony::default(), PhageConfig::default());
    colony.bear(ChildKind::Phage, (rule(1), 0.3), &birth(10), &config);
    colony.part(1, (Point { block: 12, index: 0 }, at(12)), &[], &[BUY]);
    colony.follow(at(12), &[BUY]);
    colony.follow(at(20), &[Intent::Collect]);
    (0..60).for_each(|turn| colony.follow(at(30 + turn), &[BUY]));
    (0..50).for_each(|_| colony.pass_turn());
    let runs = colony.ask(at(60)).runs;
    assert_eq!((runs[0].steps, runs[0].from), (48, ForkFrom::Lived(Point { block: 12, index: 0 })));
    assert_eq!((runs[0].acts[0].after, runs[1].acts[0].after), (8, 0), "the child did not buy");
    assert!(runs.iter().all(|r| r.is_sound() && r.acts.len() <= MOST_FORK_ACTS));
    assert_eq!(runs[0].acts[0..], runs[1].acts[1..], "the rest is the same");
}

#[test]
fn one_that_never_differs_is_untested_and_one_parts_in_its_first_half_only() {
    let (mut colony, config) = (PhageColony::default(), PhageConfig::default());
    colony.bear(ChildKind::Phage, (rule(1), 0.3), &birth(10), &config);
    (0..25).for_each(|_| colony.pass_turn());
    assert!(!colony.alive()[0].waits());
    colony.part(1, (Point::default(), at(35)), &[], &[BUY]);
    (0..25).for_each(|_| colony.pass_turn());
    assert!(colony.ask(at(60)).runs.is_empty());
    let ends = colony.take(&nothing(), at(60), &config);
    assert_eq!(ends[0].verdict, PhageVerdict::Untested { because: UntestedBecause::NeverDiffered });
    assert!((ends[0].belief - 0.3).abs() < 1e-12 && ends[0].surprise.abs() < 1e-12);
    assert_eq!(colony.signals().judged, 0, "who was not judged says nothing");
}

#[test]
fn births_are_spread_over_the_day() {
    let mut colony = PhageColony::default();
    let config = PhageConfig::default();
    for (a_day, want) in [(3, 3), (2, 2), (1, 1), (0, 0)] {
        let start = 10_000 * u64::from(4 - a_day);
        colony.last_born = at(start);
        let mut born = 0;
        for turn in start..=start + 2_160 {
            if colony.is_time(at(turn), a_day) {
                colony.bear(ChildKind::Phage, (contrary(), 0.5), &birth(turn), &config);
                born += 1;
            }
            colony.pass_turn();
            colony.take(&nothing(), at(turn), &config);
        }
        assert_eq!(born, want, "{a_day} a day");
    }
}

#[test]
fn what_was_tried_least_comes_first_and_no_two_try_the_same() {
    let (mut colony, config) = (PhageColony::default(), PhageConfig::default());
    let menu = PhageMenu(vec![(parameter(3.0), None), (parameter(10.8), None)]);
    let next = |colony: &mut PhageColony| {
        let (h, belief) = colony.choose(&menu, (at(1), 3), 0.0)?;
        colony.bear(ChildKind::Phage, (h.clone(), belief), &birth(1), &config);
        Some(h)
    };
    assert_eq!(next(&mut colony), Some(parameter(3.0)));
    assert_eq!(next(&mut colony), Some(parameter(10.8)));
    assert_eq!(next(&mut colony), None);
    assert_eq!(colony.orphan(at(2)).len(), 2);
    assert!(colony.alive().is_empty());
}

#[test]
fn what_was_done_is_waited_for_and_not_for_ever() {
    let (mut colony, config) = (PhageColony::default(), PhageConfig::default());
    for n in 0..3 {
        colony.bear(ChildKind::Phage, (rule(n), 0.5), &birth(1), &config);
    }
    let idle = PhageMenu(vec![(parameter(3.0), None)]);
    let acted = PhageMenu(vec![(parameter(3.0), None), (contrary(), None)]);
    let chosen = |menu: &PhageMenu, turn: u64| colony.choose(menu, (at(turn), 3), 0.0).map(|(h, _)| h);
    assert_eq!(chosen(&idle, 721), None, "it is the turn of what was done, and nothing was");
    assert_eq!(chosen(&acted, 721), Some(contrary()));
    assert_eq!(chosen(&idle, 1 + 1_080), Some(parameter(3.0)), "half as long again is enough");
    let [child, parent] = contrary().from_birth(true).unwrap();
    assert!(child.is_empty() && parent.len() == 1);
}

#[test]
fn what_a_rule_does_is_kept_up_where_it_can_be() {
    let by = TunedBy::Range { bps_per_unit: 100.0, share_bps: 8_000 };
    let width = || "lp_management.range_sigmas".to_owned();
    let tunables = [Tunable { parameter: width(), current: 6.0, values: Vec::new(), by }];
    let range = |width_bps, share_bps| ForkDeed::KeepRange { width_bps, share_bps };
    let scale = |parameter: &str, factor| RuleAction::Scale { parameter: parameter.to_owned(), factor };
    for (action, want) in [
        (scale("lp_management.range_sigmas", 1.3), Some([range(780, 8_000), range(600, 8_000)])),
        (scale("lp_management.range_sigmas", 1.0), None),
        (scale("lp_management.band", 0.5), None),
        (RuleAction::Risk { factor: 0.5 }, Some([range(600, 4_000), range(600, 8_000)])),
        (RuleAction::Risk { factor: 1.0 }, None),
        (RuleAction::StandAside, None),
    ] {
        assert_eq!(KeptUp::of_rule(&action, &tunables), want, "{action:?}");
    }
    assert_eq!(KeptUp::of_rule(&RuleAction::Risk { factor: 0.5 }, &[]), None);
}

#[test]
fn settings_have_their_ranges() {
    assert!(PhageConfig::default().problems().is_empty());
    assert_eq!(PhageConfig::default().per_day.table(), [0, 0, 1, 2, 3]);
    for (bad, key) in [
        (PhageConfig { lifetime_turns: 9, ..Default::default() }, "lifetime_turns"),
        (PhageConfig { lifetime_turns: 201, ..Default::default() }, "lifetime_turns"),
        (PhageConfig { clear_bps: f64::NAN, ..Default::default() }, "clear_bps"),
        (PhageConfig { replicant_turns: 2_161, ..Default::default() }, "replicant_turns"),
    ] {
        assert_eq!(bad.problems().iter().map(|p| p.key.as_str()).collect::<Vec<_>>(), [key]);
    }
}

proptest! {
    /// Whatever happens to it, a colony stays within its bounds, asks for sound runs on lived points alone, and comes back from
    /// its saved form.
    #[test]
    fn a_colony_is_bounded_and_asks_for_copies_of_the_past_alone(
        steps in prop::collection::vec((0u8..6, 0u64..400, any::<bool>()), 1..300)
    ) {
        let (mut colony, config) = (PhageColony::default(), PhageConfig::default());
        let mut turn = 1;
        for (what, n, flag) in steps {
            turn += n % 7 + 1;
            let now = at(turn);
            match what {
                0 if colony.is_time(now, 3) => {
                    let hypothesis = if flag { parameter(1.0 + n as f64 / 100.0) } else { rule(n as u8) };
                    colony.bear(ChildKind::Phage, (hypothesis, 0.5), &birth(turn), &config);
                }
                1 if colony.is_time_for_replicant(now) => {
                    colony.bear(ChildKind::Replicant, (parameter(3.0), 0.9), &birth(turn), &config);
                }
                2 => {
                    let ids: Vec<u64> = colony.alive().iter().filter(|p| p.waits()).map(|p| p.id).collect();
                    ids.iter().for_each(|id| colony.part(*id, (Point { block: turn, index: 0 }, now), &[], &[BUY]));
                }
                3 => colony.follow(now, &[BUY]),
                _ => turn += 500 * u64::from(what == 5),
            }
            let now = at(turn);
            (0..n % 9).for_each(|_| colony.pass_turn());
            let request = colony.ask(now);
            for run in &request.runs {
                prop_assert!(run.is_sound());
                prop_assert!(matches!(run.from, ForkFrom::Lived(p) if p.block <= turn && p.block + u64::from(run.steps) <= turn));
            }
            let after = if flag { 1_000_500_000 } else { 999_000_000 };
            let runs = request.runs.iter().enumerate().map(|(i, _)| ran(if i % 2 == 0 { after } else { 1_000_000_000 }, 0, 0, 0.0, false));
            let reply = ForkReply { request: request.hash(), runs: runs.collect() };
            colony.take(&reply, now, &config);
            let stats = colony.stats();
            prop_assert!(stats.alive.len() <= 5 && stats.ends.len() <= 12 && stats.tried.len() <= 64);
            let kept: PhageColony = serde_json::from_str(&golem_core::plain::json(&colony)).unwrap();
            prop_assert_eq!(&kept, &colony);
        }
    }
}
