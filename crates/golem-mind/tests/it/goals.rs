//! Goals are set by template and phase, judged by what was observed, and what became of them is told; paper decisions
//! count while real ones are closed.

use crate::kit;
use golem_core::observed::{Field, Snapshot, Value};
use golem_core::{Elapsed, Tick, Usdc, VirtualTime};
use golem_mind::goals::{Aim, GoalClass, GoalEnd, GoalFact, Goals, MOST_OPEN, Pursuit};
use golem_mind::{Guidance, Learning, Permissions, PolicyConfig, Template};
use golem_mortality::BehavioralPhase::{self, Conservation, Declining, Stable, Terminal, Thriving};
use kit::{Life, Market, Reverting, Venue, normals};
use proptest::prelude::*;

const LP: Template = Template::LpManagement;
const DAY: u64 = 2_160;

/// A golem with 50 USDC, a third of it exposed, and a fitness of 0.45.
fn well() -> Snapshot {
    seen(&[
        (Field::GolemBalanceUsdc, 50.0),
        (Field::GolemExposure, 0.3),
        (Field::GolemDrawdown, 0.01),
        (Field::PositionShare, 0.0),
        (Field::VitalityEpistemic, 0.45),
    ])
}

fn seen(values: &[(Field, f64)]) -> Snapshot {
    let mut all = Snapshot::default();
    for (field, x) in values {
        all.set_number(*field, *x).unwrap();
    }
    all
}

fn with(base: &Snapshot, field: Field, x: f64) -> Snapshot {
    let mut all = base.clone();
    all.set_number(field, x).unwrap();
    all
}

/// Goals with their clock.
#[derive(Default)]
struct Chase {
    goals: Goals,
    tick: u64,
    facts: Vec<GoalFact>,
    /// Whether opening is closed.
    closed: bool,
}

impl Chase {
    fn go(&mut self, ticks: u64, seen: &Snapshot, template: Template, phase: BehavioralPhase) -> &mut Self {
        for _ in 0..ticks {
            self.tick += 1;
            let now = VirtualTime(0).after(Elapsed::nominal(self.tick));
            let of = Pursuit { template, phase, may_open: !self.closed, near: false };
            self.goals.tick(Tick(self.tick), seen, of, now, &mut self.facts);
            assert!(self.goals.open().len() <= MOST_OPEN);
        }
        self
    }
    fn open(&self) -> Vec<&str> {
        self.goals.open().iter().map(|g| g.name.as_str()).collect()
    }
    fn ends(&self) -> Vec<(&str, GoalEnd)> {
        self.facts
            .iter()
            .filter_map(|f| match f {
                GoalFact::Ended { name, end, .. } => Some((name.as_str(), *end)),
                _ => None,
            })
            .collect()
    }
}

#[test]
fn each_template_and_phase_has_its_goals() {
    for (template, phase, expected) in [
        (LP, Thriving, vec!["hold the line", "earn", "take a position", "regain skill", "find more"]),
        (LP, Stable, vec!["hold the line", "earn", "take a position", "regain skill"]),
        (Template::StableYield, Stable, vec!["hold the line", "earn", "take a position", "regain skill"]),
        (Template::EthDca, Stable, vec!["hold the line", "build up", "regain skill"]),
        (Template::TrendFollowing, Stable, vec!["hold the line", "build up", "regain skill"]),
        (LP, Conservation, vec!["ease off", "hold the line", "regain skill"]),
        (LP, Declining, vec!["come down", "regain skill"]),
        (LP, Terminal, vec![]),
    ] {
        let mut pursuit = Chase::default();
        assert_eq!(pursuit.go(9, &well(), template, phase).open(), Vec::<&str>::new(), "not before the tenth turn");
        assert_eq!(pursuit.go(1, &well(), template, phase).open(), expected, "{template} {phase}");
        assert!(pursuit.goals.open().iter().all(|g| g.deadline > g.set_at));
    }
    let mut blind = Chase::default();
    assert_eq!(blind.go(100, &Snapshot::default(), LP, Stable).open(), Vec::<&str>::new(), "nothing known");
}

#[test]
fn a_goal_to_reach_is_completed_when_it_holds_and_missed_at_its_deadline() {
    let mut pursuit = Chase::default();
    pursuit.go(10, &well(), LP, Stable);
    let richer = with(&well(), Field::GolemBalanceUsdc, 50.03);
    pursuit.go(10, &richer, LP, Stable);
    assert_eq!(pursuit.ends(), [("earn", GoalEnd::Completed)]);
    assert!(!pursuit.open().contains(&"earn"), "once in its span");
    pursuit.go(DAY, &richer, LP, Stable);
    assert!(pursuit.open().contains(&"earn"), "and again on the next day");

    let mut missed = Chase::default();
    missed.go(10, &well(), LP, Stable);
    // It comes nearer, and not near enough.
    for n in 0..22 {
        let nearer = with(&well(), Field::GolemBalanceUsdc, 50.0 + 0.001 * f64::from(n));
        missed.go(DAY / 20, &nearer, LP, Stable);
    }
    assert!(missed.ends().contains(&("earn", GoalEnd::Failed)), "{:?}", missed.ends());
}

#[test]
fn a_goal_to_keep_is_missed_at_once_and_completed_in_the_end() {
    let mut kept = Chase::default();
    kept.go(DAY + 10, &well(), LP, Stable);
    assert!(kept.ends().contains(&("hold the line", GoalEnd::Completed)), "{:?}", kept.ends());
    let mut lost = Chase::default();
    lost.go(10, &well(), LP, Stable);
    lost.go(10, &with(&well(), Field::GolemDrawdown, 0.06), LP, Stable);
    assert_eq!(lost.ends(), [("hold the line", GoalEnd::Failed)]);
    assert_eq!(lost.goals.record().failure_rate(), Some(1.0));
}

#[test]
fn what_never_moves_stalls_and_is_given_up() {
    let mut pursuit = Chase::default();
    pursuit.go(DAY + 20, &well(), LP, Stable);
    let stalled = pursuit.facts.iter().find_map(|f| match f {
        GoalFact::Stalled { name, at, .. } if name == "earn" => Some(*at),
        _ => None,
    });
    let half = stalled.expect("a stall is told").nominal() / DAY as f64;
    assert!((0.5..0.52).contains(&half), "after half of its span: {half}");
    assert!(pursuit.ends().contains(&("earn", GoalEnd::Abandoned)), "{:?}", pursuit.ends());
    assert_eq!(pursuit.goals.record().count(GoalEnd::Abandoned), 1);
}

#[test]
fn a_phase_that_no_longer_asks_for_it_gives_it_up() {
    let mut pursuit = Chase::default();
    pursuit.go(10, &well(), LP, Stable).go(10, &well(), LP, Declining);
    assert_eq!(pursuit.open(), ["regain skill", "come down"]);
    let abandoned = ["hold the line", "earn", "take a position"].map(|name| (name, GoalEnd::Abandoned));
    assert_eq!(pursuit.ends(), abandoned);
    pursuit.go(20, &with(&well(), Field::GolemExposure, 0.01), LP, Declining);
    assert!(pursuit.ends().contains(&("come down", GoalEnd::Completed)));
}

#[test]
fn what_cannot_be_judged_in_the_end_was_given_up() {
    let mut pursuit = Chase::default();
    pursuit.go(10, &well(), LP, Declining).go(200, &Snapshot::default(), LP, Declining);
    assert_eq!(pursuit.ends(), [("come down", GoalEnd::Abandoned)]);
}

#[test]
fn only_what_acts_or_takes_risk_away_counts_and_forty_are_remembered() {
    assert_eq!(
        GoalClass::ALL.map(GoalClass::counts),
        [true, true, true, true, false, false, false],
        "explore, open, manage, reduce; not learn, reflect, peer"
    );
    let mut pursuit = Chase::default();
    pursuit.go(10, &well(), LP, Declining).go(10, &with(&well(), Field::VitalityEpistemic, 0.6), LP, Declining);
    assert_eq!(pursuit.ends(), [("regain skill", GoalEnd::Completed)]);
    assert_eq!(pursuit.goals.record().ended().count(), 0, "learning is not counted");
    pursuit.go(60 * DAY, &well(), LP, Stable);
    assert_eq!(pursuit.goals.record().ended().count(), 40);
    for _ in 0..7 {
        pursuit.goals.count_episode();
    }
    let mut all = Snapshot::default();
    pursuit.goals.record().fill(&mut all);
    let count = |end| Some(Value::Integer(pursuit.goals.record().count(end).into()));
    assert_eq!(all.get(Field::GoalsCompleted), count(GoalEnd::Completed));
    assert_eq!(all.get(Field::GoalsFailed), count(GoalEnd::Failed));
    assert_eq!(all.get(Field::GoalsAbandoned), count(GoalEnd::Abandoned));
    assert_eq!(all.get(Field::GoalsSinceCompleted), Some(Value::Integer(7)));
    assert!(all.get(Field::GoalsFailureRate).is_some_and(|v| v.as_f64().is_some_and(|x| (0.0..=1.0).contains(&x))));
}

/// Days in which real decisions are closed in a market that comes back, or goes nowhere: outcomes on paper.
fn on_paper(days: u64, mut price: impl FnMut(u64) -> f64) -> (Life, Vec<golem_mind::paper::PaperOutcome>) {
    let (mut life, mut out) = (Life::new(), Vec::new());
    let venue = Venue::new(Usdc::whole(100), 5.0);
    let config = PolicyConfig::default();
    for t in 1..=days * DAY {
        let raw = golem_core::RawObservation {
            price: Some(price(t)),
            fee_yield: Some(0.002),
            gas_gwei: Some(0.01),
            ..Default::default()
        };
        life.turn(&raw.admit(), Elapsed::nominal(1), Learning::FULL);
        life.mind.settle_paper(&mut out);
        let value = venue.value(2_000.0);
        life.mind.decide_on_paper(
            life.now,
            (&venue.holdings, &value),
            &Permissions::ALL,
            &config,
            &Guidance::default(),
        );
        let closed = Permissions { risk: 0.0, ..Permissions::REDUCE };
        assert_eq!(life.mind.decide(life.now, &venue.holdings, &value, &closed, &config), [], "the real one is closed");
    }
    (life, out)
}

#[test]
fn paper_decisions_are_marked_to_market_and_count() {
    let mut log = Reverting::new(7.6, 0.0, 0.0007);
    let (life, out) = on_paper(6, |t| libm::exp(log.step(normals(3, t)[0])));
    assert!(out.len() > 50, "{}", out.len());
    for o in &out {
        assert_eq!(o.at.since(o.made), Elapsed::nominal(90), "after the horizon");
        assert!(o.opened && o.outcome_bps.is_finite());
    }
    let record = life.mind.goals().record();
    assert!(record.ended().all(|e| e.on_paper && e.class == GoalClass::Open && e.end == GoalEnd::Completed));
    // Three that would have paid together are a goal reached; those that would not are nothing.
    let good = out.chunks_exact(3).filter(|three| three.iter().map(|o| o.outcome_bps).sum::<f64>() > 0.0).count();
    assert_eq!(record.count(GoalEnd::Completed) as usize, good.min(40));
    assert!(good > 3 && good < out.len() / 3, "{good} of {}", out.len());
    assert_eq!((record.count(GoalEnd::Failed), record.failure_rate()), (0, Some(0.0)), "nothing on paper can fail");
}

#[test]
fn while_opening_is_closed_nothing_is_held_earned_or_missed() {
    let mut chase = Chase::default();
    chase.go(10, &well(), LP, Stable);
    chase.closed = true;
    // A whole day without a loss is no line held when nothing could have been lost, and a loss is no line broken.
    for drawdown in [0.0, 0.06] {
        chase.go(DAY + 10, &with(&well(), Field::GolemDrawdown, drawdown), LP, Stable);
    }
    let ends = chase.ends();
    assert!(ends.contains(&("hold the line", GoalEnd::Lapsed)), "{ends:?}");
    assert!(ends.iter().all(|(name, end)| *end == GoalEnd::Lapsed || *name == "regain skill"), "{ends:?}");
    assert_eq!(chase.goals.record().ended().count(), 0, "it says nothing");
    assert_eq!(chase.open(), ["regain skill"]);
    // Taking risk away is always open, and so is its goal.
    chase.go(DAY, &with(&well(), Field::GolemExposure, 0.3), LP, Conservation);
    assert!(chase.open().contains(&"ease off"), "{:?}", chase.open());
    // Open again, everything is wanted again.
    chase.closed = false;
    chase.go(10, &well(), LP, Stable);
    assert!(chase.open().contains(&"hold the line"), "{:?}", chase.open());
}

#[test]
fn a_rise_pays_on_paper_and_a_fall_does_not() {
    let mean = |drift: f64| {
        let mut log = 7.6;
        let (_, out) = on_paper(4, |t| {
            log += drift + 0.0007 * normals(4, t)[0];
            libm::exp(log)
        });
        out.iter().map(|o| o.outcome_bps).sum::<f64>() / out.len() as f64
    };
    let (up, down) = (mean(0.0001), mean(-0.0001));
    assert!(up > 5.0 && down < up - 10.0, "{up} {down}");
}

#[test]
fn goals_and_paper_survive_a_restart() {
    let (mut market, mut life) = (Market::new(4), Life::new());
    let mut facts = Vec::new();
    for t in 1..=3 * DAY {
        life.turn(&market.tick().admit(), Elapsed::nominal(1), Learning::FULL);
        life.mind.pursue(
            Tick(t),
            &well(),
            Pursuit { template: LP, phase: Stable, may_open: true, near: false },
            life.now,
            &mut facts,
        );
    }
    assert!(!life.mind.goals().open().is_empty() && facts.len() > 5);
    let bytes = postcard::to_stdvec(&life.mind).unwrap();
    let restored: golem_mind::Mind = postcard::from_bytes(&bytes).unwrap();
    assert_eq!(restored, life.mind);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..Default::default() })]
    /// Whatever is observed, every goal that was set ends once or is open, and numbers are never used twice.
    #[test]
    fn every_goal_has_one_end(
        steps in prop::collection::vec((1u64..400, 0usize..5, 0.0f64..2.0, -0.5f64..1.5), 1..60),
    ) {
        let mut pursuit = Chase::default();
        for (ticks, phase, balance, share) in steps {
            let snapshot = seen(&[
                (Field::GolemBalanceUsdc, 50.0 * balance),
                (Field::GolemExposure, share),
                (Field::GolemDrawdown, 1.0 - balance.min(1.0)),
                (Field::PositionShare, share),
                (Field::VitalityEpistemic, share),
            ]);
            pursuit.go(ticks, &snapshot, LP, BehavioralPhase::ALL[phase]);
        }
        let set: Vec<u64> = pursuit.facts.iter().filter_map(|f| match f {
            GoalFact::Set { number, .. } => Some(*number),
            _ => None,
        }).collect();
        let ended: Vec<u64> = pursuit.facts.iter().filter_map(|f| match f {
            GoalFact::Ended { number, .. } => Some(*number),
            _ => None,
        }).collect();
        prop_assert_eq!(&set, &(1..=set.len() as u64).collect::<Vec<_>>());
        let mut all: Vec<u64> = ended.iter().copied().chain(pursuit.goals.open().iter().map(|g| g.number)).collect();
        all.sort_unstable();
        prop_assert_eq!(all, set);
        prop_assert!(pursuit.goals.open().iter().all(|g| g.aim == Aim::Keep || g.aim == Aim::Reach));
    }
}
